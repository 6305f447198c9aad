import pytest

from webmain.discovery.page_summary import read_teasers
from webmain.html.document import Document
from webmain.items import Page

SITE = "https://news.example"
TEXT = "The council of the town met again on Tuesday and spoke for hours about the old bridge."


def teasers(body, title="News from the town"):
    html = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    found = read_teasers(Document(Page(url=SITE + "/list", html=html), html=html))
    return {url.removeprefix(SITE): teaser.chars for url, teaser in found.items()}


def headline(path, level=2):
    return f'<h{level}><a href="{path}">The story that is told at {path}</a></h{level}>'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (headline("/a") + f"<p>{TEXT}</p>", {"/a": len(TEXT)}),
        (headline("/a") + f"<p>{TEXT}</p>" * 3, {"/a": 3 * len(TEXT)}),
        (headline("/a") + f"<p>{TEXT}</p>" + headline("/b") + f"<p>{TEXT}</p>", {"/a": len(TEXT), "/b": len(TEXT)}),
        (f"<a href='/a'><h2>The story that is told at /a</h2></a><p>{TEXT}</p>", {"/a": len(TEXT)}),
        (f"<div><a href='/a'>The story that is told at /a</a></div><p>{TEXT}</p><p>{TEXT}</p>", {"/a": len(TEXT)}),
        (headline("/a") + f"<h3>A subhead of it</h3><p>{TEXT}</p>", {"/a": len(TEXT)}),
        (
            f"<div class=PostTitle><a href='/a'>The story at /a</a></div><p>{TEXT}</p><p>{TEXT}</p>",
            {"/a": 2 * len(TEXT)},
        ),
        (headline("/a", 3) + f"<h2>Another thing</h2><p>{TEXT}</p>", {}),
        (f"<h1>A headline without a link</h1><p>{TEXT}</p>", {}),
        (f"<p>{TEXT}</p>" + headline("/a"), {}),
        (f"<p><b><a href='/a'>The story at /a</a></b><br>{TEXT} <a href='/a'>more</a></p>", {"/a": len(TEXT) + 19}),
        (f"<p><a href='/a'>The story at /a</a> is that of the town. {TEXT}</p>", {}),
        (f"<p><a href='/a'>here</a></p><p>{TEXT}</p>", {}),
        (headline("/a") + "<p>3 minutes</p>", {}),
        (headline("/a") + f"<p hidden>{TEXT}</p>", {}),
        ("", {}),
    ],
)
def test_paragraphs_belong_to_the_link_above_them(body, expected):
    assert teasers(body) == expected


def test_the_pages_own_title_heads_nothing():
    body = headline("/related") + headline("/a") + f"<p>{TEXT}</p>"
    assert teasers(body, title="The story that is told at /a | News") == {}
    box = headline("/related") + f"<div class=title>The story that is told at /a</div><p>{TEXT}</p>"
    assert teasers(box, title="The story that is told at /a") == {}
