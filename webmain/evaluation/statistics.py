"""Statistics over pages: means, pooled ratios, confidence intervals, and whether two systems differ.

The mean of pages gives every page the same weight; the pooled figure gives every token the same weight, so that long
pages dominate. They are never mixed: names say which is meant. Every random draw takes a seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from webmain.evaluation.records import Row
from webmain.text.agreement import Agreement

N_RESAMPLES = 2_000
N_FIGURE_RESAMPLES = 1_000  # of figures that are computed anew for each draw
N_PERMUTATIONS = 10_000
LEVEL = 0.95

MAX_EXACT = 12  # most differing pages (or clusters) for which all exchanges are tried: 4,096 of them
MAX_DRAWS = 1 << 22  # random numbers in memory at once

_Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """A 95 % confidence interval; its ends are nan if there are no pages."""

    low: float
    high: float


class Summary(NamedTuple):
    """One metric of one system over pages."""

    n_pages: int
    # means over pages; nan without pages
    mean_precision: float
    mean_recall: float
    mean_f1: float
    median_f1: float  # median of the pages' F1
    pooled: Agreement  # the sum of all counts: its precision, recall and F1 are the pooled ones


def summarise(agreements: Sequence[Agreement]) -> Summary:
    """Summarise one metric over pages."""
    ratios = np.array([(one.precision, one.recall, one.f1) for one in agreements]).reshape(-1, 3)
    precision, recall, f1 = ratios.mean(axis=0).tolist() if agreements else [math.nan] * 3
    median = float(np.median(ratios[:, 2])) if agreements else math.nan
    return Summary(len(agreements), precision, recall, f1, median, pooled=sum(agreements, Agreement()))


def standard_error(values: ArrayLike) -> float:
    """Return the standard error of a mean: the sample's standard deviation over the square root of its size.

    `values`, `(n,)`, are say the accuracies of several splits; nan for fewer than two.
    """
    array = np.asarray(values, dtype=np.float64)
    return float(array.std(ddof=1) / math.sqrt(array.size)) if array.size > 1 else math.nan


# --- intervals -------------------------------------------------------------------------------------------------------


def bootstrap_mean(
    values: ArrayLike,
    *,
    seed: int,
    weights: ArrayLike | None = None,
    clusters: Sequence[str] | None = None,
    n_resamples: int = N_RESAMPLES,
) -> Interval:
    """Return the percentile bootstrap interval of the mean over pages; from nan to nan without pages.

    `weights`, `(n_pages,)` and positive, are those of the pages in the mean; all are equal by default.

    The same seed gives the same interval. With `clusters`, the site of each page, whole sites are drawn, since pages of
    one site are alike, and an interval over pages would be too narrow for other sites; a page with "" is a site of its
    own.
    """
    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        return Interval(math.nan, math.nan)
    weight = np.ones_like(array) if weights is None else np.asarray(weights, dtype=np.float64)
    sums = _by_cluster(np.column_stack((weight * array, weight)), clusters)
    draw = np.random.default_rng(seed)
    drawn = np.empty((n_resamples, 2))
    for place in range(n_resamples):
        drawn[place] = sums[draw.integers(0, len(sums), size=len(sums), dtype=np.int32)].sum(axis=0)
    return _percentiles(drawn[:, 0] / drawn[:, 1])


def bootstrap(
    figure: Callable[..., float],
    *columns: ArrayLike,
    seed: int,
    clusters: Sequence[str] | None = None,
    n_resamples: int = N_FIGURE_RESAMPLES,
) -> Interval:
    """Return the percentile bootstrap interval of a figure of columns, `(n_pages,)` each, that is no ratio of sums.

    `figure` takes the drawn values of each column; a draw in which it is nan is left out. The draws are as in
    `bootstrap_mean`.
    """
    rows = np.column_stack(columns)
    number = np.array(_numbered(clusters or [""] * len(rows)))
    units = np.split(np.argsort(number, kind="stable"), np.cumsum(np.bincount(number))[:-1])
    draw = np.random.default_rng(seed)
    drawn = np.empty(n_resamples)
    for place in range(n_resamples):
        chosen = draw.integers(0, len(units), size=len(units))
        drawn[place] = figure(*rows[np.concatenate([units[unit] for unit in chosen.tolist()])].T)
    return _percentiles(drawn[np.isfinite(drawn)])


def _numbered(clusters: Sequence[str]) -> list[int]:
    """Return the number of each page's cluster; a page with "" is one of its own."""
    number: dict[str | int, int] = {}
    return [number.setdefault(name or page, len(number)) for page, name in enumerate(clusters)]


def _by_cluster(columns: _Floats, clusters: Sequence[str] | None) -> _Floats:
    """Return `(n_pages, k)` values summed over clusters, as `(n_clusters, k)`."""
    if clusters is None:
        return columns
    of_page = _numbered(clusters)
    summed = np.zeros((max(of_page) + 1, columns.shape[1]))
    np.add.at(summed, of_page, columns)
    return summed


def _percentiles(statistics: _Floats) -> Interval:
    if not statistics.size:
        return Interval(math.nan, math.nan)
    return Interval(*np.quantile(statistics, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist())


# --- two systems -----------------------------------------------------------------------------------------------------


def compare(
    first: ArrayLike, second: ArrayLike, *, seed: int, clusters: Sequence[str] | None = None, tolerance: float = 0.0
) -> Row:
    """Compare two systems' scores of the same pages, `(n_pages,)` each; seed and clusters are those of `bootstrap_mean`.

    Pages whose scores differ by no more than the tolerance are the `same`; the difference, its interval and the permutation
    test ignore it. The row has the number of `pages`, the mean `difference` with its interval (`low`, `high`), the two-sided
    p-values of the permutation test (`p`) and of the sign test (`p (sign)`), and the pages on which the first system is
    `better`, `worse`, or the same.
    """
    differences = np.subtract(first, second)
    n_wins, n_losses = int((differences > tolerance).sum()), int((differences < -tolerance).sum())
    return {
        "pages": differences.size,
        "difference": float(differences.mean()),
        **bootstrap_mean(differences, seed=seed, clusters=clusters)._asdict(),
        "p": permutation_p(_by_cluster(differences[:, np.newaxis], clusters)[:, 0], seed=seed),
        "p (sign)": sign_test_p(n_wins, n_losses),
        "better": n_wins,
        "worse": n_losses,
        "same": differences.size - n_wins - n_losses,
    }


def permutation_p(differences: ArrayLike, *, seed: int) -> float:
    """Return the two-sided p-value of the paired permutation test that differences are as often positive as negative.

    It is the share of sign patterns whose sum is at least as far from 0 as the observed one: never 0, and 1.0 without
    any difference. `N_PERMUTATIONS` signs are drawn besides the observed ones; up to `MAX_EXACT` differences (of pages,
    or sums of clusters) other than 0, all signs are tried instead.
    """
    array = np.asarray(differences, dtype=np.float64)
    array = array[array != 0]
    observed = abs(array.sum()) - 1e-9 * np.abs(array).sum()  # rounding must not separate equal sums
    if array.size <= MAX_EXACT:
        patterns = np.arange(1 << array.size)[:, np.newaxis] >> np.arange(array.size) & 1
        return float(np.mean(np.abs((2 * patterns - 1) @ array) >= observed))
    draw = np.random.default_rng(seed)
    n_rows = max(1, MAX_DRAWS // array.size)
    n_as_far = 0
    for start in range(0, N_PERMUTATIONS, n_rows):
        positive = draw.integers(0, 2, size=(min(n_rows, N_PERMUTATIONS - start), array.size), dtype=np.int8)
        n_as_far += int((np.abs(2 * (positive @ array) - array.sum()) >= observed).sum())
    return (n_as_far + 1) / (N_PERMUTATIONS + 1)


def sign_test_p(n_wins: int, n_losses: int) -> float:
    """Return the two-sided p-value of the sign test: the binomial one, with ties left out; 1.0 without any difference."""
    from scipy.stats import binomtest

    return float(binomtest(n_wins, n_wins + n_losses).pvalue) if n_wins + n_losses else 1.0
