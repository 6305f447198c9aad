"""Where the headline is on a page, and what is set apart from it."""

import pytest

from webmain.html.document import Document
from webmain.items import Page
from webmain.metadata.read import read_metadata

LONG = "The old bridge over the river is open again"


def title_of(title: str, body: str) -> str | None:
    html = f"<html lang=en><head><title>{title}</title></head><body>{body}<p>{'Words of the story. ' * 20}</p></body></html>"
    return read_metadata(Document(Page(url="https://daily.example/a", html=html), html=html)).title


@pytest.mark.parametrize(
    ("title", "heading", "expected"),
    [
        (f"{LONG} | The Daily", f"<span>Traffic</span> {LONG}", LONG),
        (f"{LONG} | The Daily", f"<div>Traffic</div><div>{LONG}</div>", LONG),
        (f"Traffic: {LONG} | The Daily", f"<span>Traffic</span> {LONG}", f"Traffic {LONG}"),
        (f"{LONG} | The Daily", f"<span>After nine long months of work</span> {LONG}", None),  # too long for a kicker
        (f"{LONG} | The Daily", f"<span>Traffic</span> {LONG} today", None),
        (f"{LONG} | The Daily", f"{LONG}<small>Ferries stop on Monday</small>", LONG),
        (f"{LONG} | The Daily", f"{LONG} <i>and busy</i>", None),  # goes on after a space
    ],
)
def test_what_only_style_sets_apart_from_the_headline_is_cut_off_if_the_title_has_it_alone(title, heading, expected):
    whole = title_of("", f"<h1>{heading}</h1>")
    assert title_of(title, f"<h1>{heading}</h1>") == (expected or whole)


NEWS = "<div class=side><h3>Latest</h3><a href=/b>Ferries stop on Monday</a> <span>20 November 2026</span></div>"


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("The Daily News | dailynews.example", f"<h2>{LONG}</h2>"),  # only the site
        ("", f"<h2>{LONG}</h2>"),
        (f"{LONG[:25]}... | The Daily", f"<div>{LONG}</div>"),
        (f"{LONG[:25]}… | The Daily", f"<div>Another headline</div><h2>{LONG}</h2>"),
    ],
)
def test_the_headline_of_a_page_without_h1_is_found_with_the_date_beside_it(title, heading):
    body = f"{heading}<p>By Jane Roe</p><p>3 September 2026</p><p>{'Words of the story. ' * 20}</p>{NEWS}"
    html = f"<html lang=en><head><title>{title}</title></head><body>{body}</body></html>"
    found = read_metadata(Document(Page(url="https://www.dailynews.example/a", html=html), html=html))
    assert found.title == LONG
    assert str(found.published)[:10] == "2026-09-03"


@pytest.mark.parametrize(
    ("title", "heading", "expected"),
    [
        ("", "Tuesday, 3 September 2026", None),
        ("", "The Awards of the Year 2026", "The Awards of the Year 2026"),
        (
            "The Daily » All is new in May…",
            "All is new in May…",
            "All is new in May…",
        ),  # it ends so, and is not cut off
    ],
)
def test_a_date_is_no_headline_and_one_may_end_with_an_ellipsis(title, heading, expected):
    assert title_of(title, f"<h2>{heading}</h2>") == expected
