from __future__ import annotations

import html
import itertools
import re

import pytest
from lxml import etree

from demo.many import HUB_SIZE, LANGUAGES, ManyPages
from demo.web import UnknownHostError


def shingles(text: str, *, by_word: bool) -> set[object]:
    units = text.split() if by_word else text
    width = 3 if by_word else 5
    return {tuple(units[i : i + width]) for i in range(len(units) - width + 1)}


def test_pages_have_the_size_of_real_ones() -> None:
    many = ManyPages(n_articles=60)
    sizes = [len(many.respond(url).body) for url in many.urls()]
    assert all(130_000 <= size <= 220_000 for size in sizes)


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


def test_prepared_pages_are_the_same_pages() -> None:
    many = ManyPages(n_articles=12)
    before = [many.respond(url) for url in many.urls()]
    many.prepare()
    assert [many.respond(url) for url in many.urls()] == before
    assert many.respond(many.url(3)) is many.respond(many.url(3))


def test_titles_differ() -> None:
    titles = [a.title for a in ManyPages(n_articles=300).expected()]
    assert len(set(titles)) > 290


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


@pytest.mark.parametrize(
    "path", ["/city/story-5", "/city/story-12", "/x", "/sitemap-1.xml", "/sport/story-99999999999"]
)
def test_what_is_not_there_is_a_404(path: str) -> None:
    assert ManyPages(n_articles=12).respond(f"https://www.many-pages.example{path}").status == 404


def test_other_hosts_and_no_articles_are_errors() -> None:
    with pytest.raises(UnknownHostError):
        ManyPages().respond("https://the-tangle.example/")
    with pytest.raises(ValueError, match="n_articles"):
        ManyPages(n_articles=0)


def test_http_redirects_and_head_is_empty() -> None:
    many = ManyPages(n_articles=1)
    assert many.respond("http://www.many-pages.example/").status == 301
    assert many.respond(many.url(0), method="HEAD").body == b""
