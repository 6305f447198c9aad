"""Columns of a page as a whole: its address, its prose, its headings; what tells an article from a list."""

from __future__ import annotations

import time

import numpy as np
import pytest

from webmain.features.page_blocks import PageBlocks
from webmain.features.page_columns import ADDRESS, address, page_columns
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page

LINE = "The ferry to the upper quay left an hour late on Monday, and the harbour master said so twice before noon. "


def of(html: str, url: str | None = None) -> dict[str, float]:
    return page_columns(PageBlocks(default_blocks(Document(Page(html=html, url=url), html=html))))


def path(url: str | None, name: str) -> float:
    return address(url)[f"page_path_{name}"]


@pytest.mark.parametrize("url", [None, "", "page.html", "file:///tmp/page.html", "mailto:a@b.example"])
def test_a_page_without_an_address_says_so_in_each_column(url):
    assert address(url) == dict.fromkeys(ADDRESS, -1.0)


@pytest.mark.parametrize(
    ("url", "name", "expected"),
    [
        ("https://news.example/2026/03/ferry-left-an-hour-late.html", "words", 5),
        ("https://news.example/2026/03/ferry-left-an-hour-late.html", "suffix", 1),
        ("https://news.example/2026/03/ferry-left-an-hour-late.html", "date", 1),
        ("https://news.example/ferry-late-on-monday/123456", "words", 0),
        ("https://news.example/ferry-late-on-monday/123456", "longest", 4),
        ("https://news.example/ferry-late-on-monday/123456", "digits", 6),
        ("https://news.example/%E0%B8%82%E0%B9%88%E0%B8%B2%E0%B8%A7", "chars", 4),
        ("https://shop.example/collections/mens-shoes", "lists", 1),
        ("https://shop.example/about-ferries/mens-shoes", "lists", 0),
        ("https://news.example/", "front", 1),
        ("https://news.example", "front", 1),
        ("https://news.example/sport", "front", 1),
        ("https://news.example/sport/final", "front", 0),
        ("https://news.example/sport/final", "news", 1),
        ("https://news.example/articles/final", "article", 1),
        ("https://news.example/final", "article", 0),
        ("https://news.example/all?page=2", "listed", 1),
        ("https://news.example/all?ref=2#page=2", "listed", 0),
        ("HTTPS://NEWS.EXAMPLE/Sport", "front", 1),
    ],
)
def test_an_address_is_read_by_its_path_and_query(url, name, expected):
    assert path(url, name) == expected


@pytest.mark.parametrize(
    "url", ["http://", "http://[", "https://x.example/%ff%00//..?&=&#", "http://x.example/" + "a-" * 99_999]
)
def test_no_address_is_too_odd(url):
    assert all(np.isfinite(value) for value in address(url).values())


@pytest.mark.parametrize("html", ["<p>.</p>", "<h1>A</h1>", "<p>" + LINE, "<title>|</title><h2>A</h2><a href=/>b</a>"])
def test_every_page_has_the_same_finite_columns(html):
    found = of(html)
    assert tuple(found) == tuple(of("<p>.</p>"))
    assert all(name.startswith("page_") for name in found)
    assert all(np.isfinite(value) for value in found.values())


def test_prose_that_stands_together_is_told_from_prose_of_entries():
    article = of("<h1>Ferry late</h1><div>" + f"<p>{LINE * 3}</p>" * 8 + "</div>")
    entry = f"<div><h2><a href=/x>The ferry left late again</a></h2><p>{LINE * 3}</p></div>"
    entries = of("<h1>Ferries</h1>" + entry * 8)
    assert article["page_n_prose"] == entries["page_n_prose"]
    assert article["page_run_share"] == 1
    assert entries["page_run_share"] == pytest.approx(1 / 8)
    assert article["page_piece_blocks"] == pytest.approx(np.log1p(8))
    assert entries["page_piece_blocks"] == pytest.approx(np.log1p(1))
    assert (article["page_alone"], entries["page_alone"]) == (0, 1)
    assert (article["page_parent_most"], entries["page_parent_most"]) == (1, pytest.approx(1 / 8))
    assert entries["page_n_linked_headings"] == pytest.approx(np.log1p(8))


def test_prose_outside_of_the_best_container_is_measured_by_it():
    columns = [f"<div><section>{f'<p>{LINE}</p>' * n}</section></div>" for n in (4, 2)]
    assert of("".join(columns))["page_second_score"] == pytest.approx(0.5, abs=0.01)
    assert of(columns[0])["page_second_score"] == 0


def test_the_main_heading_and_the_title_are_measured():
    found = of(
        f"<title>Ferry leaves late | The Daily Quay</title><p>News</p><h1>Ferry leaves late</h1><p>By Ann</p><p>{LINE}</p>"
    )
    assert found["page_title_words"] == 3
    assert found["page_h1_words"] == 3
    assert found["page_h1_to_prose"] == 2
    assert of("<title>No heading</title><p>News</p>")["page_h1_words"] == -1


def test_prices_count_where_texts_are_short():
    assert of("<p>Lamp</p><p>$ 49</p><p>12 €</p>")["page_prices"] == pytest.approx(np.log1p(2))
    assert of(f"<p>{LINE} It costs $ 49.</p>")["page_prices"] == 0


def test_columns_cost_no_more_than_the_page_is_large():
    def cost(n: int) -> float:
        html = "<div>" * 30 + f"<div><h2>A {n}</h2><p>{LINE}</p><a href=/a>b</a> $ </div>" * n
        page = PageBlocks(default_blocks(Document(Page(html=html), html=html)))
        page_columns(page)
        return min(_timed(page) for _ in range(3))

    assert cost(4_000) < 40 * max(cost(400), 1e-3)


def _timed(page: PageBlocks) -> float:
    start = time.process_time()
    page_columns(page)
    return time.process_time() - start
