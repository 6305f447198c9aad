from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from scrapy.settings import Settings

from webmain.crawl.known_urls import KnownUrls
from webmain.items import Hints
from webmain.ledger.ledger import DoneUrl, FoundUrl, Ledger, State
from webmain.spiders.candidates import FoundOn
from webmain.spiders.history import CrawlHistory
from webmain.spiders.site import Site

FRONT = "https://example.org/"
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def url(number):
    return f"{FRONT}2026/11/20/five-words-make-an-article-{number}"


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "x.ledger") as opened:
        yield opened


def history_of(ledger, *, skip_known=True):
    known_urls = KnownUrls(SimpleNamespace(spider=SimpleNamespace(), stats=None, settings=Settings()))
    vars(known_urls).update(ledger=ledger, skip_known=skip_known)
    return CrawlHistory(known_urls)


def sifted(site, *numbers, hints=None):
    return list(site.candidates_from([(url(n), hints) for n in numbers], FoundOn.FEED))


def test_without_a_ledger_nothing_is_known_and_nothing_is_left_over():
    site, history = Site(FRONT, now=NOW), CrawlHistory(None)
    assert history.add_pending(site, sifted(site, 1)) == (set(), 0)
    assert list(history.leftover_urls("example.org")) == []
    assert not history.is_known(url(1))


def test_settled_addresses_are_known_and_new_ones_become_pending_with_their_hints(ledger):
    ledger.mark_done([DoneUrl(url=url(1), article_id="a")], site="example.org")
    site, history = Site(FRONT, now=NOW), history_of(ledger)
    known, n_waiting = history.add_pending(site, sifted(site, 1, 2, hints=Hints(source="feed", title="T")))
    assert (known, n_waiting) == ({url(1)}, 0)
    assert [(p.url, p.hints.title) for p in ledger.pending("example.org", 9)] == [(url(2), "T")]


def test_known_addresses_are_fetched_again_where_the_user_asks(ledger):
    ledger.mark_done([DoneUrl(url=url(1), article_id="a")], site="example.org")
    site, history = Site(FRONT, now=NOW), history_of(ledger, skip_known=False)
    assert history.add_pending(site, sifted(site, 1)) == (set(), 0)
    assert not history.is_known(url(1))


def test_what_failed_lately_waits_for_its_time(ledger):
    ledger.mark_failed(url(1), "blocked", retry_after_s=3600, site="example.org")
    site, history = Site(FRONT, now=NOW), history_of(ledger)
    known, n_waiting = history.add_pending(site, sifted(site, 1))
    assert (known, n_waiting) == ({url(1)}, 1)


def test_what_a_killed_run_left_is_taken_up_with_its_hints(ledger):
    ledger.add_pending([FoundUrl(url=url(1), hints=Hints(source="feed", title="T"))], site="example.org")
    site, history = Site(FRONT, now=NOW), history_of(ledger)
    ((left, hints),) = history.leftover_urls("example.org")
    assert (left, hints.title) == (url(1), "T")
    for candidate in site.candidates_from([(left, hints)], FoundOn.LEDGER):
        site.push(candidate)
    assert history.add_pending(site, sifted(site, 1)) == (set(), 0)


def test_an_address_whose_page_is_stored_under_another_is_not_left_over(ledger):
    ledger.add_pending([FoundUrl(url=url(1))], site="example.org")
    ledger.add_alias(url(1), url(2))
    ledger.mark_done([DoneUrl(url=url(2), article_id="a")], site="example.org")
    assert list(history_of(ledger).leftover_urls("example.org")) == []
    assert ledger.state(url(1)) is State.DONE


def test_hubs_are_never_remembered(ledger):
    site, history = Site(FRONT, now=NOW), history_of(ledger)
    (hub,) = site.candidates_from([(FRONT + "section/sport/", None)], FoundOn.HUB)
    assert hub.is_hub
    history.add_pending(site, [hub])
    history.mark_done(hub, "x")
    history.record_alias(hub, FRONT)
    assert ledger.state(hub.url) is None
