"""Pages of repeated parts: every method and the discovery read them in linear time, whatever they are made of."""

import time
from contextlib import suppress

import pytest

import webmain
from demo.hostile import Attack, attacks, feed_attacks
from webmain.discovery.articles import judge_url
from webmain.discovery.feeds import NotAFeed, read_feed
from webmain.discovery.look import evidence_of, look
from webmain.discovery.pagination import next_listing, next_part
from webmain.discovery.sitemaps import NotASitemap, read_sitemap
from webmain.items import Page, Rejected
from webmain.stages import read

URL = "http://a.example/2026/11/a-story-of-words"
METHODS = ("learned", "line_block", "pab", "eniw", "thai_xpath", "lbda", "svm")
MAX_BYTES = 300_000
ALLOWED_S = 3.0


def discover(body: bytes) -> None:
    page = look(read(Page(url=URL, body=body), timeout_s=None))
    evidence_of(page, judge_url(URL), hints=None, n_article_links=3)
    next_part(URL, page.pager, page.head.rel_next)
    next_listing(URL, page.pager, page.head.rel_next)
    for link in page.links:
        judge_url(link)


def cost_s(call, *arguments, **options) -> float:
    start = time.process_time()
    with suppress(Rejected, NotAFeed, NotASitemap):
        call(*arguments, **options)
    return time.process_time() - start


@pytest.mark.parametrize("seed", range(6))
def test_pages_of_repeated_parts_are_read_in_bounded_time(seed):
    for attack in attacks(seed, 2):
        body = attack.page(max_bytes=MAX_BYTES, repeats=30_000 // max(1, attack.pieces))
        for method in METHODS:
            assert cost_s(webmain.extract, body, url=URL, extractor=method, timeout_s=None) < ALLOWED_S, (
                method,
                attack,
            )
        assert cost_s(discover, body) < ALLOWED_S, attack


def test_feeds_of_repeated_parts_are_read_in_bounded_time():
    for attack in feed_attacks(1, 20):
        body = attack.page(max_bytes=MAX_BYTES)
        assert cost_s(read_feed, body, url=URL) < ALLOWED_S, attack
        assert cost_s(read_sitemap, body, url=URL) < ALLOWED_S, attack


KNOWN = {
    "years in addresses": Attack(
        "<a href='%d/2020/20/2020/20/2020/20/2020/20/2020/20/2020/20/2020/20/2020/20/2020/20/x'>next</a>"
    ),
    "the same next page": Attack("<a href='http://a.example/2026/11/a-story-of-words?page=7'>7</a>"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_once_cost_more_is_read_in_bounded_time(name):
    body = KNOWN[name].page(max_bytes=MAX_BYTES, repeats=5_000)
    for method in METHODS:
        assert cost_s(webmain.extract, body, url=URL, extractor=method, timeout_s=None) < ALLOWED_S, method
    assert cost_s(discover, body) < ALLOWED_S
