"""Figures over pages: means, pooled ratios, how sure they are, and whether two systems differ.

The mean of pages gives every page the same weight; the pooled figure gives it to every token, so that long pages decide.
They are never mixed: names say which is meant. Every random draw takes a seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from webmain.text.agreement import Agreement

N_RESAMPLES = 2_000
N_PERMUTATIONS = 10_000
LEVEL = 0.95

_MAX_EXACT = 12
"""Differing pages (or clusters) up to which all exchanges are tried: 4,096 of them."""

_MAX_DRAWS = 1 << 22
"""Random numbers held at once."""

_Floats = NDArray[np.float64]


class Ratio(StrEnum):
    """Which ratio of an agreement is meant."""

    PRECISION = "precision"
    RECALL = "recall"
    F1 = "f1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Its ends; nan where there are no pages.
    level : float
        Share of such intervals that hold the true value.
    """

    low: float
    high: float
    level: float = LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One metric of one system over pages.

    Attributes
    ----------
    n_pages : int
        Pages.
    mean_precision, mean_recall, mean_f1 : float
        Means over pages; nan without pages.
    f1_of_means : float
        Harmonic mean of the means of precision (over pages with a prediction) and recall (over pages with gold), the F1
        of the ScrapingHub (Zyte) benchmark.
    median_f1 : float
        Median of the pages' F1.
    share_below_half : float
        Share of pages with F1 below .5.
    pooled : Agreement
        The sum of all counts: its precision, recall and F1 are the pooled ones.
    """

    n_pages: int
    mean_precision: float
    mean_recall: float
    mean_f1: float
    f1_of_means: float
    median_f1: float
    share_below_half: float
    pooled: Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two systems on the same pages.

    Attributes
    ----------
    n_pages : int
        Pages.
    difference : float
        Mean of the first system's scores minus that of the second's.
    interval : Interval
        Bootstrap interval of the difference.
    p_permutation : float
        Two-sided p-value of the paired permutation test: how often a difference as large comes up when the two systems'
        scores are exchanged at random, page by page (site by site with clusters).
    p_sign : float
        Two-sided p-value of the sign test over pages, ties left out.
    n_wins, n_losses, n_ties : int
        Pages on which the first system is better, worse, the same.
    """

    n_pages: int
    difference: float
    interval: Interval
    p_permutation: float
    p_sign: float
    n_wins: int
    n_losses: int
    n_ties: int


def summarise(agreements: Sequence[Agreement]) -> Summary:
    """Summarise one metric over pages.

    Parameters
    ----------
    agreements : sequence of Agreement
        One for each page.
    """
    precision, recall, f1 = (scores(agreements, ratio) for ratio in Ratio)
    counts = _counts(agreements)
    common, predicted, gold = counts.sum(axis=0).tolist()
    return Summary(
        n_pages=len(agreements),
        mean_precision=_mean(precision),
        mean_recall=_mean(recall),
        mean_f1=_mean(f1),
        f1_of_means=_f1_of_means(precision[counts[:, 1] > 0], recall[counts[:, 2] > 0]) if agreements else math.nan,
        median_f1=float(np.median(f1)) if f1.size else math.nan,
        share_below_half=_mean(f1 < 0.5),
        pooled=Agreement(n_common=common, n_predicted=predicted, n_gold=gold),
    )


def scores(agreements: Sequence[Agreement], ratio: Ratio | str = Ratio.F1) -> _Floats:
    """Return one ratio of each page.

    Returns
    -------
    NDArray
        `(n_pages,) float64`, in [0, 1].
    """
    name = Ratio(ratio).value
    return np.array([getattr(agreement, name) for agreement in agreements], dtype=np.float64)


def standard_error(values: ArrayLike) -> float:
    """Return the standard error of a mean: the sample's standard deviation over the square root of its size.

    Parameters
    ----------
    values : array-like
        `(n,)`, say the accuracies of several splits; nan for fewer than two.
    """
    array = _finite(values)
    return float(array.std(ddof=1) / math.sqrt(array.size)) if array.size > 1 else math.nan


def _mean(values: NDArray[np.float64] | NDArray[np.bool_]) -> float:
    return float(values.mean()) if values.size else math.nan


def _f1_of_means(precision: _Floats, recall: _Floats) -> float:
    """Return the harmonic mean of two means; 0.0 where nothing was predicted at all, or nothing wanted."""
    if not precision.size or not recall.size:
        return 0.0
    one, other = _mean(precision), _mean(recall)
    return 2 * one * other / (one + other) if one + other else 0.0


def _counts(agreements: Sequence[Agreement]) -> NDArray[np.int64]:
    """Return the counts as `(n_pages, 3)`: common, predicted, gold."""
    rows = [(one.n_common, one.n_predicted, one.n_gold) for one in agreements]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


# --- intervals -------------------------------------------------------------------------------------------------------


def bootstrap_mean(
    values: ArrayLike,
    *,
    seed: int,
    clusters: Sequence[str] | None = None,
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
) -> Interval:
    """Return the percentile bootstrap interval of the mean over pages.

    Parameters
    ----------
    values : array-like
        `(n_pages,)`, one score for each page.
    seed : int
        Of the random draws: the same seed gives the same interval.
    clusters : sequence of str or None
        The site of each page: whole sites are drawn then, since pages of one site are alike, and an interval over pages
        is too narrow for what other sites would give. A page with "" is a site of its own. None to draw pages.
    n_resamples : int
        Draws.
    level : float
        Between 0 and 1.

    Returns
    -------
    Interval
        From nan to nan without pages.

    Raises
    ------
    ValueError
        A value isn't finite, or there are not as many clusters as values.
    """
    array = _finite(values)
    columns = np.column_stack((array, np.ones_like(array)))
    drawn = _resampled(_by_cluster(columns, clusters), seed, n_resamples)
    return _percentiles(drawn[:, 0] / drawn[:, 1], level)


def bootstrap_pooled(
    agreements: Sequence[Agreement],
    *,
    seed: int,
    ratio: Ratio | str = Ratio.F1,
    clusters: Sequence[str] | None = None,
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
) -> Interval:
    """Return the percentile bootstrap interval of a pooled precision, recall or F1; parameters as `bootstrap_mean`."""
    columns = _counts(agreements).astype(np.float64)
    drawn = _resampled(_by_cluster(columns, clusters), seed, n_resamples)
    common, predicted, gold = drawn.T
    match Ratio(ratio):
        case Ratio.PRECISION:
            numerator, denominator, other = common, predicted, gold
        case Ratio.RECALL:
            numerator, denominator, other = common, gold, predicted
        case Ratio.F1:
            numerator, denominator, other = 2 * common, predicted + gold, np.zeros_like(common)
    empty = denominator == 0
    return _percentiles(np.where(empty, other == 0, numerator / np.where(empty, 1, denominator)), level)


def bootstrap(
    statistic: Callable[[_Floats], Sequence[float]],
    rows: _Floats,
    *,
    seed: int,
    clusters: Sequence[str] | None = None,
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
) -> tuple[Interval, ...]:
    """Return the percentile bootstrap intervals of statistics that are no ratios of sums.

    Parameters
    ----------
    statistic : callable
        Gives one or several figures of drawn rows; a figure that is nan in a draw is left out of its interval.
    rows : NDArray
        `(n_pages, k) float64`, what is known of each page.
    seed, clusters, n_resamples, level
        As in `bootstrap_mean`.

    Returns
    -------
    tuple of Interval
        One for each figure.

    Raises
    ------
    ValueError
        There are no pages, or not as many clusters as pages.
    """
    if not len(rows):
        raise ValueError("without pages there is nothing to draw")
    units = None if clusters is None else _members(len(rows), clusters)
    n_units = len(rows) if units is None else len(units)
    draw = np.random.default_rng(seed)
    figures = []
    for _ in range(n_resamples):
        chosen = draw.integers(0, n_units, size=n_units)
        if units is not None:
            chosen = np.concatenate([units[n] for n in chosen.tolist()])
        figures.append(statistic(rows[chosen]))
    drawn = np.array(figures, dtype=np.float64)
    return tuple(_percentiles(column[np.isfinite(column)], level) for column in drawn.T)


def _members(n_pages: int, clusters: Sequence[str]) -> list[NDArray[np.intp]]:
    """Return the pages of each cluster."""
    number = _numbered(n_pages, clusters)
    order = np.argsort(number, kind="stable")
    return np.split(order, np.cumsum(np.bincount(number))[:-1])


def _numbered(n_pages: int, clusters: Sequence[str]) -> list[int]:
    """Return the number of each page's cluster; a page with "" is one of its own."""
    if len(clusters) != n_pages:
        raise ValueError(f"{len(clusters)} clusters for {n_pages} pages")
    number: dict[str | int, int] = {}
    return [number.setdefault(name or page, len(number)) for page, name in enumerate(clusters)]


def _finite(values: ArrayLike) -> _Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError("scores must be a row of finite numbers")
    return array


def _by_cluster(columns: _Floats, clusters: Sequence[str] | None) -> _Floats:
    """Return `(n_pages, k)` values summed over clusters, as `(n_clusters, k)`."""
    if clusters is None:
        return columns
    of_page = _numbered(len(columns), clusters)
    summed = np.zeros((max(of_page, default=-1) + 1, columns.shape[1]))
    np.add.at(summed, of_page, columns)
    return summed


def _chunks(n: int, width: int) -> Iterator[int]:
    """Divide `n` rows of `width` random numbers into chunks that fit into memory."""
    size = max(1, _MAX_DRAWS // max(1, width))
    while n > 0:
        yield min(n, size)
        n -= size


def _resampled(units: _Floats, seed: int, n_resamples: int) -> _Floats:
    """Return the sums over as many units, drawn with replacement, as there are: `(n_resamples, k)`."""
    n_units, n_columns = units.shape
    if not n_units:
        return np.empty((0, n_columns))
    draw = np.random.default_rng(seed)
    parts = []
    for size in _chunks(n_resamples, n_units):
        drawn = draw.integers(0, n_units, size=(size, n_units), dtype=np.int32)
        parts.append(np.stack([column[drawn].sum(axis=1) for column in units.T], axis=1))
    return np.concatenate(parts)


def _percentiles(statistics: _Floats, level: float) -> Interval:
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not at {level}")
    if not statistics.size:
        return Interval(low=math.nan, high=math.nan, level=level)
    low, high = np.quantile(statistics, [(1 - level) / 2, (1 + level) / 2])
    return Interval(low=float(low), high=float(high), level=level)


# --- two systems -----------------------------------------------------------------------------------------------------


def compare(
    first: ArrayLike,
    second: ArrayLike,
    *,
    seed: int,
    clusters: Sequence[str] | None = None,
    n_resamples: int = N_RESAMPLES,
    n_permutations: int = N_PERMUTATIONS,
    level: float = LEVEL,
    tolerance: float = 0.0,
) -> Comparison:
    """Compare two systems' scores of the same pages.

    Parameters
    ----------
    first, second : array-like
        `(n_pages,)`, the same page at the same place.
    seed, clusters, n_resamples, level
        As in `bootstrap_mean`.
    n_permutations : int
        Exchanges drawn at random; all are tried where no more than 12 pages (or clusters) differ.
    tolerance : float
        Pages whose scores differ by no more are ties; the difference, its interval and the permutation test don't care.

    Raises
    ------
    ValueError
        There are no pages, not equally many, or a score isn't finite.
    """
    one, other = _finite(first), _finite(second)
    if one.size != other.size or not one.size:
        raise ValueError(f"{one.size} and {other.size} scores cannot be compared page by page")
    differences = one - other
    n_wins, n_losses = int((differences > tolerance).sum()), int((differences < -tolerance).sum())
    units = _by_cluster(differences[:, np.newaxis], clusters)[:, 0]
    return Comparison(
        n_pages=one.size,
        difference=float(differences.mean()),
        interval=bootstrap_mean(differences, seed=seed, clusters=clusters, n_resamples=n_resamples, level=level),
        p_permutation=permutation_p(units, seed=seed, n_permutations=n_permutations),
        p_sign=sign_test_p(n_wins, n_losses),
        n_wins=n_wins,
        n_losses=n_losses,
        n_ties=one.size - n_wins - n_losses,
    )


def permutation_p(differences: ArrayLike, *, seed: int, n_permutations: int = N_PERMUTATIONS) -> float:
    """Return the two-sided p-value of the paired permutation test that differences are as often positive as negative.

    Parameters
    ----------
    differences : array-like
        `(n,)`, of pages, or sums of clusters.
    seed : int
        Of the random signs.
    n_permutations : int
        Signs drawn, besides the observed ones; up to 12 differences other than 0, all signs are tried instead.

    Returns
    -------
    float
        Share of sign patterns whose sum is at least as far from 0 as the observed one; never 0, and 1.0 without any
        difference.
    """
    array = _finite(differences)
    array = array[array != 0]
    if not array.size:
        return 1.0
    observed = abs(array.sum()) - 1e-9 * np.abs(array).sum()  # rounding must not part equal sums
    if array.size <= _MAX_EXACT:
        patterns = np.arange(1 << array.size)[:, np.newaxis] >> np.arange(array.size) & 1
        return float(np.mean(np.abs((2 * patterns - 1) @ array) >= observed))
    draw = np.random.default_rng(seed)
    n_as_far = 0
    for size in _chunks(n_permutations, array.size):
        positive = draw.integers(0, 2, size=(size, array.size), dtype=np.int8)
        n_as_far += int((np.abs(2 * (positive @ array) - array.sum()) >= observed).sum())
    return (n_as_far + 1) / (n_permutations + 1)


def sign_test_p(n_wins: int, n_losses: int) -> float:
    """Return the two-sided p-value of the sign test: the binomial one, with ties left out; 1.0 without any difference."""
    n, fewer = n_wins + n_losses, min(n_wins, n_losses)
    tail, term = 0, 1
    for k in range(fewer + 1):
        tail += term
        term = term * (n - k) // (k + 1)
    return min(1.0, 2 * tail / (1 << n)) if n else 1.0
