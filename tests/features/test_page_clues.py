"""What a page's head and data tell of its blocks."""

import json

import numpy as np
import pytest

from webmain.features import block_columns
from webmain.features.block_columns import head_and_data
from webmain.features.page_blocks import PageBlocks
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page

LEAD = "The ferry to the upper quay left an hour late on Monday."
BODY = LEAD + " " + "The harbour master said that the tide was to blame for it. " * 6


class Seen:
    """The columns of a page with these paragraphs."""

    def __init__(self, head, *blocks, url=None, body=""):
        html = f"<html><head>{head}</head><body>{body or ''.join(f'<p>{block}</p>' for block in blocks)}</body></html>"
        document = Document(Page(html=html, url=url), html=html)
        self.page = PageBlocks(default_blocks(document))
        self.columns = head_and_data(self.page)

    def __getitem__(self, name):
        return np.broadcast_to(self.columns[name], self.page.n).astype(float).tolist()


def of_page(*args, **options):
    seen = Seen(*args, **options)
    return {name.removeprefix("page_"): seen[name][0] for name in seen.columns if name.startswith("page_")}


def data(**values):
    return f'<script type="application/ld+json">{json.dumps(values)}</script>'


def test_blocks_of_the_title_are_told():
    found = Seen(
        "<title>Ferry left late | Harbour News</title>", "Ferry left late", "Harbour News", "Ferry", "late?", "it"
    )
    assert found["in_title"] == [1, 1, 1, 0, 0]


def test_a_block_that_holds_the_beginning_of_the_title_is_told():
    found = Seen("<title>Ferry left late</title>", "Ferry left late", "News: Ferry left late again", "Ferry")
    assert found["heads_title"] == [1, 1, 0]


@pytest.mark.parametrize("name", ["name=description", "property=og:description", "name=twitter:description"])
def test_blocks_of_the_description_are_told(name):
    found = Seen(
        f'<meta {name} content="{LEAD}">', LEAD, LEAD + " And more.", "Something else altogether, and long enough."
    )
    assert found["has_description"] == [1, 1, 0]


def test_a_short_description_tells_nothing():
    assert not Seen('<meta name=description content="The ferry">', "The ferry", LEAD)["has_description"][1]


@pytest.mark.parametrize("column", ["in_title", "has_description", "in_data"])
def test_long_texts_are_searched_for_a_bounded_number_of_blocks(monkeypatch, column):
    lines = [f"The ferry number {n} left the upper quay an hour late" for n in range(10)]
    text = ". ".join(lines)
    head = f"<title>{text}</title><meta name=description content='{text}'>{data(articleBody=text)}"
    assert sum(Seen(head, *lines)[column]) == 10
    monkeypatch.setattr(block_columns, "_MAX_SOUGHT_CHARS", 4 * len(text))
    assert sum(Seen(head, *lines)[column]) == 4


def test_blocks_of_embedded_article_bodies_are_told():
    found = Seen(
        data(**{"@type": "NewsArticle", "articleBody": BODY}), LEAD, "Related: the tide table for the whole of May"
    )
    assert found["in_data"] == [1, 0]


def test_escapes_in_embedded_bodies_are_read():
    text = "Ein schöner Tag am „Hafen“, sagte die Kapitänin der Fähre."
    body = json.dumps(text + " " + BODY).replace("ö", "\\u00f6")
    found = Seen(f'<script type="application/ld+json">{{"articleBody": {body}}}</script>', text)
    assert found["in_data"] == [1]


@pytest.mark.parametrize(
    ("kind", "clue"),
    [
        ("NewsArticle", "says_article"),
        ("BlogPosting", "says_article"),
        ("Product", "says_product"),
        ("DiscussionForumPosting", "says_forum"),
        ("CollectionPage", "says_list"),
    ],
)
def test_data_say_what_kind_of_page_it_is(kind, clue):
    found = of_page(data(**{"@type": kind}), LEAD)
    assert {name for name in found if name.startswith("says_") and found[name]} == {clue}
    assert not any(value for name, value in of_page("", LEAD).items() if name.startswith("says_"))


@pytest.mark.parametrize(
    ("kind", "clue"), [("article", "says_article"), ("product", "says_product"), ("website", None)]
)
def test_open_graph_says_what_kind_of_page_it_is(kind, clue):
    found = of_page(f'<meta property=og:type content="{kind}">', LEAD)
    assert {name for name in found if name.startswith("says_") and found[name]} == ({clue} if clue else set())


def test_elements_that_say_what_they_are_are_counted():
    found = of_page("", LEAD, body=f"<main>{f'<article><p>{LEAD}</p></article>' * 3}</main>")
    assert (found["articles"], found["main"]) == (3, 1)
    assert of_page("", LEAD, body=f"{f'<article><p>{LEAD}</p></article>' * 90}")["articles"] == 20


@pytest.mark.parametrize(
    ("url", "depth"),
    [
        (None, -1),
        ("https://a.example/", 0),
        ("https://a.example/x", 1),
        ("https://a.example/2026/09/tide/?a=/b/c", 3),
        ("https://a.example/" + "x/" * 40, 8),
        ("file:///x/y", -1),
    ],
)
def test_depth_of_the_path_is_told(url, depth):
    assert of_page("", LEAD, url=url)["path_depth"] == depth


@pytest.mark.parametrize(
    "head",
    [
        "",
        '<script type="application/ld+json">{"articleBody": "never closed',
        '<script type="application/ld+json">{"articleBody": "' + "\\\\" * 2000 + '"}</script>',
        '<script type="application/ld+json">{"articleBody": "' + "\\ud800" * 300 + '"}</script>',
        '<script type="application/ld+json">' + '"articleBody": "' * 3000 + "</script>",
        "<meta name=description>" * 50,
        "<title></title>",
    ],
)
def test_broken_heads_tell_nothing_and_do_no_harm(head):
    found = Seen(head, LEAD)
    assert not any(map(any, (found[name] for name in ("in_title", "has_description", "in_data", "heads_title"))))
    assert all(np.isfinite(values).all() for values in found.columns.values())
