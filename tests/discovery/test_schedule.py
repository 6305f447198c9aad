import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.discovery.schedule import (
    DAY_S,
    HOUR_S,
    LONGEST_BACK_OFF_S,
    SOON_S,
    Refresh,
    Visit,
    back_off_s,
    believes_claims,
    chance_of_change,
    choose,
    is_reliable,
    next_fetch,
    next_visit,
    rate_of,
)

NOW = 1_800_000_000.0
USUAL = Refresh.of("1h,6h,1d,3d,10d")


def visited(age_h: float, **more: object) -> Visit:
    """An article of NOW, fetched first after half an hour and last at an age."""
    values = {"url": "u", "published_at": NOW, "first_seen_at": NOW + 1800, "visited_at": NOW + age_h * HOUR_S}
    return Visit(**{**values, **more})


def test_a_schedule_is_read():
    assert Refresh.of("1h,3h,6h,12h,1d,3d,10d") == Refresh()
    assert Refresh.of("30m, 1.5h; share=0.5") == Refresh((1800.0, 5400.0), 0.5)
    assert Refresh.of("no").ages_s == ()


@pytest.mark.parametrize(
    "text",
    ["", "1h,1h", "6h,1h", "0h", "10s", "500d", "1", "h", "1h;share=0", "1h;share=2", "1h;x=1", "-1h", "1h,,2h", "nan"],
)
def test_a_schedule_that_makes_no_sense_is_refused_with_what_is_allowed(text):
    with pytest.raises(ValueError, match=r"allowed are ages after publication .* 1h,6h,1d,3d,10d"):
        Refresh.of(text)


def test_so_many_steps_are_refused():
    with pytest.raises(ValueError, match="51 ages, at most 50"):
        Refresh.of(",".join(f"{n}h" for n in range(1, 52)))


@pytest.mark.parametrize(("age_h", "expected_h"), [(0.5, 1), (1, 6), (5.9, 7.4), (7, 24), (30, 72), (80, 240)])
def test_steps_count_from_publication_and_are_not_made_twice(age_h, expected_h):
    due = next_visit(visited(age_h), USUAL, NOW + age_h * HOUR_S)
    assert due is not None
    assert due - NOW == pytest.approx(expected_h * HOUR_S)


def test_after_the_last_step_only_a_claim_brings_an_article_back():
    old = visited(250)
    assert next_visit(old, USUAL, NOW + 300 * HOUR_S) is None
    claimed = visited(250, claimed_at=NOW + 299 * HOUR_S)
    assert next_visit(claimed, USUAL, NOW + 300 * HOUR_S) == claimed.visited_at + SOON_S
    assert next_visit(claimed, Refresh.of("no"), NOW + 300 * HOUR_S) is None


@pytest.mark.parametrize(("age_h", "expected_h"), [(1, 2), (10, 14), (39, 54.6), (41, 72)])
def test_a_changed_article_is_revisited_sooner_while_it_is_young(age_h, expected_h):
    due = next_visit(visited(age_h, n_changes=1), USUAL, NOW + age_h * HOUR_S)
    assert due == pytest.approx(NOW + expected_h * HOUR_S)


@pytest.mark.parametrize(("told_h", "expected_h"), [(5, 6), (7, 24), (25, 72), (100, 240), (239, 240), (500, 240)])
def test_no_look_is_needed_while_a_source_would_tell_but_the_last(told_h, expected_h):
    due = next_visit(visited(1.5, unchanged_until=NOW + told_h * HOUR_S), USUAL, NOW + 1000 * HOUR_S)
    assert due == NOW + expected_h * HOUR_S
    assert next_visit(visited(250, unchanged_until=NOW + 260 * HOUR_S), USUAL, NOW + 300 * HOUR_S) is None


def test_what_a_source_would_tell_puts_off_further_looks_at_what_has_changed():
    told = visited(10, n_changes=1, unchanged_until=NOW + 20 * HOUR_S)
    assert next_visit(told, USUAL, NOW + 20 * HOUR_S) == pytest.approx(NOW + 24 * HOUR_S)
    claimed = visited(10, claimed_at=NOW + 11 * HOUR_S, unchanged_until=NOW + 20 * HOUR_S)
    assert next_visit(claimed, USUAL, NOW + 12 * HOUR_S) == claimed.visited_at + SOON_S


@pytest.mark.parametrize(
    ("site_rate", "expected_h"), [(3, 6), (1, 6), (0.51, 6), (0.49, 24), (0.26, 24), (0.24, 72), (0.01, 240)]
)
def test_a_step_is_passed_over_for_each_halving_of_the_rate_of_edits_but_not_the_last(site_rate, expected_h):
    seldom = visited(1.5, first_seen_at=NOW + 1.5 * HOUR_S, site_rate=site_rate)
    assert next_visit(seldom, USUAL, seldom.visited_at) == NOW + expected_h * HOUR_S
    assert next_visit(visited(80, site_rate=0.01), USUAL, NOW + 80 * HOUR_S) == NOW + 240 * HOUR_S


def test_the_rate_of_a_site_is_the_usual_until_its_articles_show_another():
    assert rate_of([], NOW) == 1
    now = NOW + 100 * HOUR_S
    assert rate_of([visited(72)] * 20, now) < 0.5
    assert rate_of([visited(72)] * 200, now) < 0.1
    assert rate_of([visited(72, n_changes=1)] * 20, now) > 2


def test_without_a_date_the_first_fetch_counts():
    visit = visited(0.5, published_at=None)
    assert next_visit(visit, USUAL, visit.visited_at) == visit.first_seen_at + HOUR_S


@given(
    st.floats(-1e10, 1e10),
    st.floats(0, 1e10),
    st.floats(0, 1e10),
    st.one_of(st.none(), st.floats(0, 1e10)),
    st.booleans(),
)
def test_whatever_the_clock_did_nothing_is_due_at_once_again_nor_locked_out_for_longer_than_the_schedule(
    published, first, last, claimed, n_changes
):
    visit = Visit(
        url="u", published_at=published, first_seen_at=first, visited_at=last, claimed_at=claimed, n_changes=n_changes
    )
    now = 5e9
    due = next_visit(visit, USUAL, now)
    if due is not None:
        assert due >= min(last, now) + SOON_S
        assert due <= now + 14 * DAY_S
    assert 0 <= chance_of_change(visit, now) <= 1


def test_claimed_ones_come_first_then_the_likely_and_young():
    now = NOW + 30 * HOUR_S
    calm, changing = visited(6, url="calm"), visited(6, url="changing", n_changes=2)
    claimed, young = visited(20, url="claimed", claimed_at=now - 60), visited(1, url="young")
    assert [visit.url for visit in choose([calm, changing, claimed, young], now)][:3] == [
        "claimed",
        "changing",
        "young",
    ]


def test_the_chance_of_a_change_is_that_of_the_literature():
    def after(hours: float) -> float:
        return chance_of_change(visited(0.25, first_seen_at=NOW + 900), NOW + hours * HOUR_S)

    assert 0.13 < after(24) < 0.17
    assert 0.17 < after(168) < 0.21


@pytest.mark.parametrize(
    ("n_told", "n_silent", "expected"), [(0, 0, False), (3, 0, False), (4, 0, True), (12, 1, False), (13, 1, True)]
)
def test_a_signal_that_has_told_nine_of_ten_changes_takes_the_place_of_looks(n_told, n_silent, expected):
    assert is_reliable(n_told, n_silent) == expected


def test_dates_of_modification_that_always_move_are_not_believed():
    assert believes_claims(4, 0)
    assert believes_claims(20, 10)
    assert not believes_claims(20, 1)


def asked(hours: float, n_changed: int, n_asked: int = 50) -> dict[str, float]:
    return {"first_at": NOW - hours * HOUR_S, "asked_at": NOW, "n_asked": n_asked, "n_changed": n_changed}


def test_sources_are_asked_as_often_as_they_change():
    assert next_fetch("hub", NOW, **asked(100, 40)) - NOW == pytest.approx(0.9 * 100 / 40.5 / 2 * HOUR_S)
    assert next_fetch("hub", NOW, **asked(1000, 0)) == NOW + 0.9 * DAY_S
    assert next_fetch("feed", NOW, **asked(100, 40)) == NOW
    assert next_fetch("feed", NOW, **asked(1000, 0)) == NOW + 0.9 * 6 * HOUR_S
    assert next_fetch("hub", NOW, **asked(1000, 0, n_asked=3)) == NOW
    assert next_fetch("hub", NOW - DAY_S, **asked(1000, 0)) == NOW - DAY_S  # a clock that was wrong


def test_refusals_are_answered_by_longer_and_longer_waits():
    assert [back_off_s(n) for n in range(4)] == [0, 60, 120, 240]
    assert back_off_s(40) == LONGEST_BACK_OFF_S
    assert back_off_s(1, retry_after_s=600) == 600
    assert back_off_s(1, retry_after_s=math.inf) == LONGEST_BACK_OFF_S
    assert {round(back_off_s(3, chance=chance)) for chance in (0, 1)} == {216, 264}
