"""What the ledger learns of a site's dates of modification, and how its articles' next looks follow from that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.ledger.conftest import NOW
from webmain.discovery.schedule import DAY_S, HOUR_S, Refresh
from webmain.items import Hints
from webmain.ledger.ledger import DoneUrl
from webmain.ledger.visits import FetchedArticle

SITE = "news.example"
SITEMAP = f"https://{SITE}/sitemap.xml"
USUAL = Refresh()
DATED = Hints(source="sitemap", modified="2027-01-15")


@pytest.fixture
def visits(ledger):
    return ledger.visits


def address(n):
    return f"https://{SITE}/{n}"


def fetch(visits, n, *, has_changed=False, claimed_at=None):
    published = visits._file.clock() - 1800  # that of the first fetch stays
    visits.record(
        [
            FetchedArticle(
                url=address(n), site=SITE, published_at=published, has_changed=has_changed, claimed_at=claimed_at
            )
        ],
        lambda _: USUAL,
    )
    return visits.get(address(n))


def told(visits, clock, n):
    """An article whose change its sitemap tells before it is found."""
    fetch(visits, n, claimed_at=clock[0] - 900)
    clock[0] += HOUR_S
    visits.record_claims([(address(n), clock[0] - 60, DATED)], USUAL, SITEMAP)
    return fetch(visits, n, has_changed=True)


def silent(visits, clock, n):
    """An article that has changed while its sitemap names it with the date that it had."""
    fetch(visits, n, claimed_at=NOW - 900)
    clock[0] += HOUR_S
    visits.record_claims([(address(n), NOW - 900, DATED)], USUAL, SITEMAP)
    clock[0] += 60
    return fetch(visits, n, has_changed=True)


def due(visits):
    return {row.url for row in visits.due(SITE, USUAL)}


def test_where_dates_have_told_the_changes_they_take_the_place_of_looks_as_long_as_they_are_named(visits, clock):
    for n in range(4):
        assert told(visits, clock, n).n_true == 1
    fetch(visits, "dated", claimed_at=NOW)
    fetch(visits, "undated")
    visits.record_claims([(address("dated"), NOW, DATED)], USUAL, SITEMAP)
    clock[0] += 10 * HOUR_S
    assert address("dated") not in due(visits)
    assert address("undated") in due(visits)
    visits.confirm(SITE, SITEMAP, NOW)  # it has not changed
    clock[0] += 11 * HOUR_S
    assert address("dated") not in due(visits)
    clock[0] += 12 * HOUR_S  # its sitemap was not read, or names it no more
    assert address("dated") in due(visits)


def test_a_date_that_moves_brings_a_look_and_the_last_one_is_always_made(visits, clock):
    for n in range(4):
        told(visits, clock, n)
    fetch(visits, "dated", claimed_at=NOW)
    clock[0] += HOUR_S
    moved = visits.record_claims([(address("dated"), clock[0] - 60, DATED)], USUAL, SITEMAP)
    assert [row.url for row in moved] == [address("dated")]
    fetch(visits, "dated")
    clock[0] += 10 * DAY_S
    visits.record_claims([(address("dated"), NOW + HOUR_S, DATED)], USUAL, SITEMAP)
    assert address("dated") in due(visits)


def test_changes_that_no_date_has_told_end_the_trust(visits, clock):
    for n in range(4):
        told(visits, clock, n)
    assert silent(visits, clock, "silent").n_silent == 1
    fetch(visits, "dated", claimed_at=NOW)
    visits.record_claims([(address("dated"), NOW, DATED)], USUAL, SITEMAP)
    clock[0] += 10 * HOUR_S
    assert address("dated") in due(visits)


def test_a_change_that_is_told_after_it_was_found_was_told(visits, clock):
    row = silent(visits, clock, "late")
    visits.record_claims([(row.url, clock[0] - 600, DATED)], USUAL, SITEMAP)
    row = visits.get(row.url)
    assert (row.n_claims, row.n_true, row.n_silent) == (1, 1, 0)


@pytest.mark.parametrize("hints", [Hints(source="sitemap"), Hints(source="feed", published="2027-01-15")])
def test_without_a_date_of_modification_nothing_is_told(visits, clock, hints):
    fetch(visits, "x", claimed_at=NOW)
    visits.record_claims([(address("x"), NOW, hints)], USUAL, SITEMAP)
    assert visits.get(address("x")).dated_at is None
    visits.record_claims(
        [(address("x"), NOW, replace(hints, modified="2027-01-15"))], USUAL, ""
    )  # on no source, but a page
    assert visits.get(address("x")).dated_at is None


def test_a_site_that_never_edits_is_looked_at_less(visits, clock):
    for n in range(300):
        fetch(visits, n)
    clock[0] += 100 * HOUR_S
    for n in range(300):
        fetch(visits, n)
    fetch(visits, "new")
    elsewhere = FetchedArticle(url="https://other.example/new", site="other.example", published_at=clock[0] - 1800)
    visits.record([elsewhere], lambda _: USUAL)
    clock[0] += 20 * HOUR_S
    assert [row.url for row in visits.due("other.example", USUAL)] == [elsewhere.url]
    assert address("new") not in due(visits)
    clock[0] += 10 * HOUR_S
    assert address("new") in due(visits)


def test_new_articles_are_of_the_source_that_has_not_changed_since_where_they_came_with_a_date(visits, clock):
    def first(n, hints):
        visits.record([FetchedArticle(url=address(n), site=SITE, published_at=NOW, hints=hints)], lambda _: USUAL)

    first("before", DATED)
    clock[0] += HOUR_S
    read_at = clock[0]
    first("dated", DATED)
    first("undated", Hints(source="sitemap"))
    clock[0] += HOUR_S
    visits.confirm(SITE, SITEMAP, read_at)
    named = {n: visits.get(address(n)).dated_by for n in ("before", "dated", "undated")}
    assert named == {"before": None, "dated": SITEMAP, "undated": None}


def test_an_article_that_has_moved_is_known_under_both_addresses_as_the_new_one(ledger, visits):
    fetch(visits, "old")
    ledger.mark_done([DoneUrl(url=address("old"), article_id="a")])
    ledger.add_alias(address("old"), address("new"))
    visits.drop(address("old"))
    ledger.mark_done([DoneUrl(url=address("new"), article_id="a")])
    assert ledger.article_ids([address("new")]) == ["a"]
    visits.due(SITE, USUAL)  # the run was killed before it recorded the visit
    assert visits.known([address("old"), address("new")]) == {
        address("old"): address("new"),
        address("new"): address("new"),
    }


def test_page_that_was_found_gone_with_the_clock_far_ahead_is_due(visits, clock):
    fetch(visits, "gone")
    clock[0] += 365 * DAY_S
    visits.record_missing(address("gone"), 410)
    clock[0] -= 364 * DAY_S
    assert due(visits) == {address("gone")}
    visits.record_missing(address("gone"), 410)
    assert visits.get(address("gone")).next_at == clock[0] + 2 * DAY_S


def test_article_that_was_visited_with_the_clock_far_ahead_goes_on_by_its_schedule(visits, clock):
    fetch(visits, "a")
    clock[0] += 365 * DAY_S
    fetch(visits, "a")
    clock[0] -= 365 * DAY_S - HOUR_S
    assert due(visits) == set()
    clock[0] += 2 * HOUR_S
    assert due(visits) == {address("a")}
