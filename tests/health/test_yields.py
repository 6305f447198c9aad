"""When fewer articles are no chance."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.health.histories import run, seasonal, usual
from webmain.health.yields import probability_of_at_most, yield_drop


@given(st.integers(0, 40), st.floats(0.1, 50))
def test_probability_without_spread_is_the_poisson_one(n, mean):
    exact = sum(math.exp(-mean) * mean**k / math.factorial(k) for k in range(n + 1))
    assert probability_of_at_most(n, mean, mean) == pytest.approx(min(1.0, exact), rel=1e-9)


@given(st.integers(0, 40), st.floats(1, 50), st.floats(1.5, 20))
def test_spread_makes_few_events_less_improbable(n, mean, spread):
    wide, narrow = probability_of_at_most(n, mean, mean * spread), probability_of_at_most(n, mean, mean)
    assert 0 <= wide <= 1
    assert wide >= narrow or n >= mean - 1


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("per_hour", [0.05, 0.5, 8])
def test_stationary_yields_with_nights_raise_no_alarm(per_hour, seed):
    runs = seasonal(per_hour, seed=seed)
    assert all(yield_drop(runs[: len(runs) - back]) is None for back in range(0, 168, 12))


@pytest.mark.parametrize(
    ("per_hour", "drop_to", "hours"), [(8, 0.0, 24), (8, 0.2, 48), (1, 0.0, 72), (1, 0.2, 144), (0.2, 0.0, 240)]
)
def test_drop_is_noticed_and_dated(per_hour, drop_to, hours):
    runs = seasonal(per_hour, drop_h=hours, drop_to=drop_to)
    found = yield_drop(runs)
    assert found is not None
    assert found.found < 0.5 * found.expected
    assert abs((runs[-1].started_at - found.since) / 3600 - hours) < max(24, hours)
    assert yield_drop(runs[:-hours]) is None


def test_night_and_a_site_of_few_articles_are_no_drop():
    assert yield_drop(seasonal(8)[:-6]) is None
    assert yield_drop(seasonal(0.02, drop_h=48)) is None


def test_first_run_and_outliers_are_not_what_is_usual():
    runs = usual(600, new=1)
    runs[0] = replace(runs[0], figures=replace(runs[0].figures, new=50_000))
    runs[200] = replace(runs[200], figures=replace(runs[200].figures, new=50_000))
    assert yield_drop(runs) is None


def test_too_little_history_tells_nothing():
    assert yield_drop([]) is None
    assert yield_drop([*usual(7), run(0.1, new=0)]) is None


def test_young_site_is_quiet_over_a_weekend_but_not_over_a_week():
    runs = [*usual(9 * 24, until_h=60), *(run(h, new=0) for h in range(59, 0, -1))]
    assert yield_drop(runs) is None
    longer = [*usual(9 * 24, until_h=80), *(run(h, new=0) for h in range(79, 0, -1))]
    assert yield_drop(longer) is not None


def test_silence_of_a_site_of_few_articles_is_noticed_in_the_end():
    early = [run(24.0 * day, new=day % 2) for day in range(90, 30, -1)]
    assert yield_drop([*early, *(run(24.0 * day, new=0) for day in range(30, 26, -1))]) is None
    found = yield_drop([*early, *(run(24.0 * day, new=0) for day in range(30, 0, -1))])
    assert found is not None
    assert found.found == 0


def test_bad_days_of_a_lively_site_are_no_drop():
    """A day's level goes up and down as a whole: many articles make no small spread."""
    random_ = random.Random(3)
    levels = [random_.gammavariate(11, 1 / 11) for _ in range(64)]  # a standard deviation of 0.3
    runs = [run(h, new=round(60 * levels[h // 24])) for h in range(63 * 24, 0, -1)]
    assert all(yield_drop(runs[: len(runs) - back]) is None for back in range(0, 20 * 24, 12))
