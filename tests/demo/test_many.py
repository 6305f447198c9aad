from __future__ import annotations

import html
import itertools
import re

import pytest
from lxml import etree

from demo.many import HUB_SIZE, LANGUAGES, ManyPages


def shingles(text: str, *, by_word: bool) -> set[object]:
    units = text.split() if by_word else text
    width = 3 if by_word else 5
    return {tuple(units[i : i + width]) for i in range(len(units) - width + 1)}


def test_ground_truth_stands_in_its_page() -> None:
    many = ManyPages(n_articles=20)
    for article in many.expected():
        page = html.unescape(many.respond(article.url).body.decode())
        assert all(block in page for block in article.text.split("\n\n"))
        assert article.title in page
        assert article.authors[0] in page


def test_texts_are_no_near_copies_of_each_other() -> None:
    many = ManyPages(n_articles=400)
    for language in sorted(set(LANGUAGES)):
        by_word = language not in ("th", "zh")
        texts = [a.text for a in many.expected() if a.language == language][:25]
        sets = [shingles(t, by_word=by_word) for t in texts]
        assert all(len(a & b) / len(a | b) < 0.4 for a, b in itertools.combinations(sets, 2))


def test_the_same_seed_gives_the_same_bytes_and_another_does_not() -> None:
    one, two, other = ManyPages(), ManyPages(), ManyPages(seed=1)
    assert one.respond(one.url(7)) == two.respond(two.url(7))
    assert one.respond(one.url(7)) != other.respond(other.url(7))


@pytest.mark.parametrize("count", [1, HUB_SIZE, HUB_SIZE + 1, 1001])
def test_sitemaps_and_hubs_list_every_article_once(count: int) -> None:
    many = ManyPages(n_articles=count)
    index = etree.fromstring(many.respond("https://www.many-pages.example/sitemap.xml").body)
    found = []
    for node in index.iter("{*}loc"):
        part = etree.fromstring(many.respond(str(node.text)).body)
        found += [str(loc.text) for loc in part.iter("{*}loc")]
    assert found == list(many.urls())
    url, linked = "https://www.many-pages.example/", []
    while url:
        page = many.respond(url).body.decode()
        linked += re.findall(r'<h3><a href="([^"]+)"', page)
        after = re.search(r'rel="next" href="([^"]+)"', page)
        url = f"https://www.many-pages.example{after[1]}" if after else ""
    assert [f"https://www.many-pages.example{path}" for path in linked] == found
