import math

import numpy as np
import pytest

from webmain.evaluation.statistics import (
    bootstrap_mean,
    compare,
    permutation_p,
    sign_test_p,
    standard_error,
    summarise,
)
from webmain.text.agreement import Agreement

LONG = Agreement(n_common=90, n_predicted=100, n_gold=100)  # P .9, R .9
SHORT = Agreement(n_common=1, n_predicted=2, n_gold=4)  # P .5, R .25, F1 1/3
MISSED = Agreement(n_common=0, n_predicted=0, n_gold=6)


# --- summaries -------------------------------------------------------------------------------------------------------


def test_the_mean_of_pages_and_the_pooled_ratio_are_two_figures():
    summary = summarise([LONG, SHORT, MISSED])
    assert summary.n_pages == 3
    assert summary.mean_precision == pytest.approx((0.9 + 0.5 + 0) / 3)
    assert summary.mean_recall == pytest.approx((0.9 + 0.25 + 0) / 3)
    assert summary.mean_f1 == pytest.approx((0.9 + 1 / 3 + 0) / 3)
    assert summary.pooled == Agreement(n_common=91, n_predicted=102, n_gold=110)
    assert summary.median_f1 == pytest.approx(1 / 3)


def test_no_pages_have_no_figures():
    summary = summarise([])
    assert summary.n_pages == 0
    assert math.isnan(summary.mean_f1)
    assert math.isnan(summary.median_f1)


def test_standard_error_of_seven_accuracies():
    # 1..7: sample variance 14/3, over 7
    assert standard_error([1, 2, 3, 4, 5, 6, 7]) == pytest.approx(math.sqrt(14 / 3 / 7))
    assert math.isnan(standard_error([0.8]))


# --- intervals -------------------------------------------------------------------------------------------------------


def test_interval_of_two_pages_is_known():
    interval = bootstrap_mean([0, 1], seed=1)  # draws of 0 and 1: mean 0 in 1/4, 1/2 in 1/2, 1 in 1/4 of them
    assert (interval.low, interval.high) == (0, 1)


def test_the_seed_decides_the_interval():
    values = np.linspace(0, 1, 50) ** 2
    assert bootstrap_mean(values, seed=1) == bootstrap_mean(values, seed=1)
    assert bootstrap_mean(values, seed=1) != bootstrap_mean(values, seed=2)


def test_intervals_over_sites_hold_the_true_mean_where_those_over_pages_are_too_narrow():
    draw = np.random.default_rng(12)
    sites = [f"site{n // 10}" for n in range(200)]
    covered = {"pages": 0, "sites": 0}
    for seed in range(100):
        values = np.repeat(draw.normal(0, 1, 20), 10) + draw.normal(0, 0.2, 200)
        for way, clusters in (("pages", None), ("sites", sites)):
            interval = bootstrap_mean(values, seed=seed, clusters=clusters, n_resamples=300)
            covered[way] += interval.low <= 0 <= interval.high
    assert covered["pages"] < 70
    assert covered["sites"] > 85


def test_pages_without_a_site_are_sites_of_their_own():
    values = np.linspace(0, 1, 20)
    assert bootstrap_mean(values, seed=1, clusters=[""] * 20) == bootstrap_mean(values, seed=1)
    alone = bootstrap_mean(values, seed=1, clusters=["one"] * 20)
    assert alone.low == alone.high == pytest.approx(0.5)


# --- two systems -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([1, 2, 3], 2 / 8),  # only +++ and --- lie as far from 0
        ([1, -1], 1),
        ([3, 2, -1], 4 / 8),  # sums 6, 4, 2, 0 and their opposites: |4| or more in four
        ([0, 0, 5], 1),
        ([0, 0], 1),
        ([], 1),
    ],
)
def test_permutation_test_of_few_pages_tries_all_signs(differences, p):
    assert permutation_p(differences, seed=1) == pytest.approx(p)


def test_permutation_test_of_many_pages_is_near_the_exact_one(monkeypatch):
    differences = [0.3, -0.1, 0.2, 0.4, -0.2, 0.1, 0.25, 0.05, -0.15, 0.35]
    exact = permutation_p(differences, seed=1)
    monkeypatch.setattr("webmain.evaluation.statistics.MAX_EXACT", 3)
    assert permutation_p(differences, seed=1) == pytest.approx(exact, abs=0.01)


def test_many_signs_are_drawn_in_parts(monkeypatch):
    differences = np.linspace(-1, 1.4, 30)
    whole = permutation_p(differences, seed=1)
    monkeypatch.setattr("webmain.evaluation.statistics.MAX_DRAWS", 7_000)
    assert permutation_p(differences, seed=1) == pytest.approx(whole, abs=0.02)


def test_permutation_p_is_never_zero():
    assert permutation_p(np.ones(40), seed=1) == 1 / 10_001


@pytest.mark.parametrize(
    ("n_wins", "n_losses", "p"),
    [(1, 9, 22 / 1024), (9, 1, 22 / 1024), (0, 5, 2 / 32), (5, 5, 1), (0, 0, 1), (3, 4, 1), (2000, 1900, 0.1129)],
)
def test_sign_test(n_wins, n_losses, p):
    assert sign_test_p(n_wins, n_losses) == pytest.approx(p, rel=0.005)


def test_comparison_of_two_systems():
    comparison = compare([0.9, 0.8, 0.7, 0.5], [0.6, 0.7, 0.7, 0.6], seed=1)
    assert comparison["pages"] == 4
    assert comparison["difference"] == pytest.approx((0.3 + 0.1 + 0 - 0.1) / 4)
    assert (comparison["better"], comparison["worse"], comparison["same"]) == (2, 1, 1)
    assert comparison["low"] < comparison["difference"] < comparison["high"]
    assert comparison["p"] == pytest.approx(6 / 8)  # sums .5 twice, .3 four times, .1 twice
    assert comparison["p (sign)"] == 1


def test_small_differences_are_ties_within_the_tolerance():
    comparison = compare([0.502, 0.9, 0.1], [0.5, 0.8, 0.4], seed=1, tolerance=0.01)
    assert (comparison["better"], comparison["worse"], comparison["same"]) == (1, 1, 1)


def test_swapping_the_systems_turns_the_difference_round():
    first, second = np.random.default_rng(3).random((2, 30))
    one, other = compare(first, second, seed=1), compare(second, first, seed=1)
    assert one["difference"] == pytest.approx(-other["difference"])
    assert (one["low"], one["high"]) == pytest.approx((-other["high"], -other["low"]))
    assert (one["better"], one["worse"]) == (other["worse"], other["better"])
    assert one["p"] == pytest.approx(other["p"], abs=0.03)


def test_one_site_decides_less_than_its_pages():
    first, second = [0.9] * 20, [0.5] * 20
    assert compare(first, second, seed=1)["p"] < 0.001
    assert compare(first, second, seed=1, clusters=["one"] * 20)["p"] == 1
    assert compare(first, second, seed=1, clusters=["one"] * 10 + ["two"] * 10)["p"] == 0.5
