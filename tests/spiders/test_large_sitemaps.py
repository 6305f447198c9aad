"""Sitemaps of any size are read in pieces: work, pauses and what is kept are bounded."""

import asyncio
import gzip
import time
import tracemalloc
from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.discovery.sitemaps import NotASitemap, read_pieces
from webmain.items import Hints
from webmain.ledger.ledger import DoneUrl, Ledger
from webmain.spiders.candidates import Backlog
from webmain.spiders.enqueuer import Enqueuer
from webmain.spiders.history import CrawlHistory
from webmain.spiders.limits import Limits
from webmain.spiders.site import Site
from webmain.spiders.source_reader import SourceReader
from webmain.spiders.sources import Source, SourceKind
from webmain.urls import normalise

ADDRESS = "https://www.site.example/sitemap.xml"


def url(n):
    return f"https://www.site.example/news/2026/{n % 10 + 1:02}/{n % 28 + 1:02}/story-about-the-harbour-number-{n}"


def sitemap(n_urls):
    each = "<url><loc>{}</loc><lastmod>2026-{:02}-{:02}</lastmod></url>"
    return (
        "<urlset>" + "".join(each.format(url(n), n % 10 + 1, n % 28 + 1) for n in range(n_urls)) + "</urlset>"
    ).encode()


def take_over(body, *, ledger=None, limits=None):
    """Read a sitemap as the spider does; return site, CPU seconds, and the longest pause of the loop in CPU seconds."""
    crawler = SimpleNamespace(
        engine=SimpleNamespace(running=True, spider=None, _slot=None), stats=SimpleNamespace(inc_value=lambda *_: None)
    )
    site = Site("https://site.example/", limits=limits)
    site.in_flight = 99
    enqueuer = Enqueuer(
        crawler, CrawlHistory(ledger and SimpleNamespace(ledger=ledger, skip_known=True, visiting=None))
    )
    reader = SourceReader(crawler, enqueuer, enqueuer.count_skipped)

    async def run():
        longest, done = 0.0, False

        async def watch():
            nonlocal longest
            last = time.process_time()
            while not done:
                await asyncio.sleep(0)
                now = time.process_time()
                longest, last = max(longest, now - last), now

        watching = asyncio.ensure_future(watch())
        await asyncio.sleep(0)
        began = time.process_time()
        response = SimpleNamespace(request=None, body=body, url=ADDRESS)
        await reader.parse_source(response, site, Source(SourceKind.SITEMAP, ADDRESS))
        cost_s, done = time.process_time() - began, True
        await watching
        return cost_s, longest

    return (site, *asyncio.run(run()))


def test_fifty_thousand_addresses_cost_little_more_than_their_parsing(tmp_path):
    body = sitemap(50_000)
    began = time.process_time()
    list(read_pieces(body, url=ADDRESS))
    parsing_s = time.process_time() - began
    with Ledger(tmp_path / "ledger") as ledger:
        site, cost_s, longest_s = take_over(body, ledger=ledger)
    assert len(site) + len(site.backlog) == 50_000
    assert cost_s < max(1.5, 5 * parsing_s)  # it was 24 times
    assert longest_s < max(0.6, parsing_s)


def test_what_an_earlier_run_has_settled_is_not_kept(tmp_path):
    with Ledger(tmp_path / "ledger") as ledger:
        ledger.mark_done([DoneUrl(url=url(n), article_id="x") for n in range(3000)], site="site.example")
        site, *_ = take_over(sitemap(4000), ledger=ledger)
    assert len(site) + len(site.backlog) == 1000


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_pieces_hold_what_the_whole_holds(pack):
    body = pack(sitemap(20_000))
    pieces = list(read_pieces(body, url=ADDRESS))
    assert len(pieces) > 5
    assert max(len(piece.entries) for piece in pieces) < 8000
    assert [entry.url for piece in pieces for entry in piece.entries] == [url(n) for n in range(20_000)]


def test_an_index_is_read_in_pieces_too():
    body = (
        "<sitemapindex>"
        + "".join(f"<sitemap><loc>{url(n)}.xml</loc></sitemap>" for n in range(9000))
        + "</sitemapindex>"
    )
    children = [child for piece in read_pieces(body.encode(), url=ADDRESS) for child in piece.children]
    assert len(children) == 9000
    with pytest.raises(NotASitemap):
        list(read_pieces(b"<html><body>no</body></html>", url=ADDRESS))


def test_the_frontier_bounds_what_is_kept_and_the_newest_stay():
    site, *_ = take_over(sitemap(9000), limits=Limits(frontier=3000))
    assert len(site) + len(site.backlog) <= 5000
    days = []
    while candidate := site.next():
        days.append(candidate.url[31:41])
    assert days == sorted(days, reverse=True)


def test_a_backlog_gives_the_newest_first_and_the_undated_last():
    backlog = Backlog(100, Counter())
    backlog.add("https://a.example/x", None)
    backlog.add("https://a.example/2024-05-01/x", None)
    backlog.add("https://a.example/y", Hints(source="sitemap", modified="Fri, 02 Jan 2026 10:00:00 GMT"))
    backlog.add("https://a.example/2019/01/01/z", Hints(source="sitemap", modified="2026-03-01T10:00:00+00:00"))
    assert [url[18:] for url, _ in backlog.pop_newest(2)] == ["2019/01/01/z", "y"]
    assert [url[18:] for url, _ in backlog.pop_newest(9)] == ["2024-05-01/x", "x"]
    assert not backlog


@given(st.from_regex(r"https?://[a-z0-9.-]{1,20}/[A-Za-z0-9/_.-]{0,30}", fullmatch=True))
def test_the_short_way_to_a_normal_form_leads_to_the_same(address):
    assert normalise(address) == normalise("HTTP" + address[4:])


@pytest.mark.soak
def test_half_a_million_addresses_hold_nothing_up(tmp_path):
    body = sitemap(500_000)
    with Ledger(tmp_path / "ledger") as ledger:
        site, _, longest_s = take_over(body, ledger=ledger)
    assert len(site) + len(site.backlog) <= 102_000
    assert longest_s < 0.5
    tracemalloc.start()
    packed = gzip.compress(body)
    del body
    take_over(packed)
    assert tracemalloc.get_traced_memory()[1] < 400 << 20
    tracemalloc.stop()
