import sqlite3
from dataclasses import replace

import pytest

from tests.ledger.conftest import NOW
from webmain.ledger.responses import (
    ARTICLE,
    DATE_GRACE_S,
    TESTED_AFTER_S,
    WHOLE_AFTER_S,
    Filters,
    ListedUrls,
    SavedResponse,
)

URL = "https://news.example/world"
NAMED = ListedUrls(
    links=("https://news.example/sport",),
    following="https://news.example/world?page=2",
    feeds=("https://news.example/rss",),
    children=(("https://news.example/s1.xml", "2026-11-01"), ("https://news.example/s2.xml", None)),
    n_articles=3,
    hashes=(1, 2**64 - 1),
)


def saved(at=NOW, mark="m", **other):
    return SavedResponse(
        url=URL, site="news.example", kind="hub", etag='W/"1"', content_hash="h", mark=mark,
        first_at=at, asked_at=at, read_at=at, changed_at=at, listed=NAMED, **other,
    )  # fmt: skip


def test_an_answer_comes_back_with_all_that_it_named(ledger):
    ledger.responses.save([saved(filters=Filters(since=1.0, others="/world"))])
    found = ledger.responses.get(URL)
    assert found == replace(saved(filters=Filters(since=1.0, others="/world")), next_at=NOW)
    assert ledger.responses.get(URL + "s") is None


def test_answers_are_counted_on_and_a_change_is_one_of_what_counts(ledger, clock):
    ledger.responses.save([saved()])
    clock[0] += 60
    ledger.responses.record_unchanged(URL)
    ledger.responses.save([replace(saved(NOW + 120), etag="x")])
    found = ledger.responses.get(URL)
    assert (found.n_asked, found.n_changed, found.first_at, found.changed_at) == (3, 0, NOW, NOW)
    assert found.etag == "x"
    ledger.responses.save([saved(NOW + 180, mark="another")])
    found = ledger.responses.get(URL)
    assert (found.n_asked, found.n_changed, found.changed_at) == (4, 1, NOW + 180)


@pytest.mark.parametrize(
    ("before", "now", "is_covered"),
    [
        (Filters(), Filters(), True),
        (Filters(), Filters(since=5), True),
        (Filters(since=5), Filters(), False),
        (Filters(since=5), Filters(since=6), True),
        (Filters(since=5), Filters(since=4), False),
        (Filters(others="/a"), Filters(others="/b"), False),
    ],
)
def test_an_answer_read_with_narrower_filters_tells_too_little(before, now, is_covered):
    assert before.covers(now) is is_covered


def test_a_whole_body_is_asked_for_once_a_day_whatever_the_validators_say():
    assert saved().has_validators(NOW + 1)
    assert not saved().has_validators(NOW + WHOLE_AFTER_S)
    assert not saved().has_validators(NOW - 1)  # the clock jumped back
    assert not replace(saved(), etag=None).has_validators(NOW)


def test_a_source_rests_until_its_time_and_not_where_the_clock_jumped_back():
    resting = replace(saved(), next_at=NOW + 100)
    assert [resting.is_due(at) for at in (NOW - 1, NOW, NOW + 99, NOW + 100)] == [True, False, False, True]


def test_a_sitemap_that_was_read_well_after_its_date_has_not_changed():
    assert saved().is_newer(NOW - DATE_GRACE_S - 1, NOW)
    assert not saved().is_newer(NOW - DATE_GRACE_S + 1, NOW)  # a date may stand for its whole day
    assert not saved().is_newer(NOW - 10 * DATE_GRACE_S, NOW + WHOLE_AFTER_S)


@pytest.mark.parametrize(
    ("column", "value"),
    [("named", b"\x00"), ("named", None), ("asked_at", "soon"), ("etag", b"5"), ("n_asked", -1), ("next_at", "x")],
)
def test_a_damaged_row_is_no_answer(ledger, column, value):
    ledger.responses.save([saved()])
    with sqlite3.connect(ledger.path) as db:
        db.execute(f"UPDATE answers SET {column} = ?", (value,))
    db.close()
    assert ledger.responses.get(URL) is None
    ledger.responses.record_unchanged(URL)
    ledger.responses.save([saved()])
    assert ledger.responses.get(URL) is not None


def test_validators_that_moved_with_each_changed_text_are_relied_upon_for_longer(ledger):
    site = "news.example"

    def changed(n, etag):
        return replace(saved(mark=f"m{n}", n_told=1), kind=ARTICLE, etag=etag)

    ledger.responses.save([replace(changed(0, '"0"'), n_told=0)])
    for n in range(1, 5):
        assert not ledger.responses.validators_are_reliable(site)
        ledger.responses.save([changed(n, f'"{n}"')])
    assert ledger.responses.validators_are_reliable(site)
    assert not ledger.responses.validators_are_reliable("other.example")
    ledger.responses.save([changed(5, '"4"')])  # another text, the same validator
    assert not ledger.responses.validators_are_reliable(site)


def test_where_validators_tell_a_sample_is_still_asked_for_in_whole():
    later = dict.fromkeys((WHOLE_AFTER_S, TESTED_AFTER_S), 0)
    for n in range(400):
        article = replace(saved(), url=f"{URL}/{n}", kind=ARTICLE)
        assert not article.has_validators(NOW + WHOLE_AFTER_S)
        for after_s in later:
            later[after_s] += not article.has_validators(NOW + after_s, are_reliable=True)
    assert later[WHOLE_AFTER_S] == 0
    assert 70 < later[TESTED_AFTER_S] < 130


def test_an_answer_without_validators_says_nothing_of_them(ledger):
    ledger.responses.save([replace(saved(), kind=ARTICLE, etag=None)])
    ledger.responses.save([replace(saved(mark="n", n_told=1), kind=ARTICLE, etag=None)])
    known = ledger.responses.get(URL)
    assert (known.n_changed, known.n_told, known.n_silent) == (1, 0, 0)
