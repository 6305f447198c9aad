"""How much a system's confidence is worth: whether it ranks pages rightly, and whether it means what it says.

A confidence is read as the F1 that a system expects of its own text. Ranking is judged by the risk-coverage curve: how
good the pages are that remain when the least confident are set aside. Calibration is judged by how far confidence and F1
lie apart.

References: Geifman and El-Yaniv 2017 (selective classification), Geifman, Uziel and El-Yaniv 2019 (area under the
risk-coverage curve and its excess), Nixon et al. 2019 (calibration error with bins of equal mass). Deviation: risk is 1 - F1
in place of an error rate, and pages of equal confidence count with the mean of their F1, so that no figure depends on the
order in which they stand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from webmain.evaluation.statistics import Interval, bootstrap, bootstrap_mean

N_BINS = 10
LEAST_IN_BIN = 5
"""Pages that a bin has at least; with fewer pages there are fewer bins."""

N_RESAMPLES = 1_000

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What the confidences of one system are worth on pages.

    Attributes
    ----------
    mean_confidence, mean_f1 : float
        Means over pages; equal where confidence is right on the whole.
    calibration_error : float
        Expected calibration error: mean over bins of equal mass of the distance between mean confidence and mean F1.
    squared_error : float
        Mean of (confidence - F1) squared, the Brier score.
    absolute_error : float
        Mean of the distance between confidence and F1 of a page.
    spearman : float
        Rank correlation of confidence and F1; nan where one of them is the same on all pages.
    aurc : float
        Area under the risk-coverage curve: mean of 1 - F1 over all coverages; lower is better.
    excess : float
        `aurc` minus that of a ranking by F1 itself: 0 is perfect.
    ranking : float
        Share of what ranking can gain that is gained: 0 for a ranking by chance, 1 for the perfect one; nan where all pages
        have the same F1.
    """

    mean_confidence: float
    mean_f1: float
    calibration_error: float
    squared_error: float
    absolute_error: float
    spearman: float
    aurc: float
    excess: float
    ranking: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Pages of similar confidence.

    Attributes
    ----------
    n_pages : int
    low, high : float
        Least and greatest confidence.
    mean_confidence, mean_f1 : float
    interval : Interval
        Bootstrap interval of the mean F1.
    """

    n_pages: int
    low: float
    high: float
    mean_confidence: float
    mean_f1: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """By how much a system is ahead of the best rival on its most confident pages.

    Attributes
    ----------
    coverage : float
        Share of the pages.
    n_pages : int
        So many they are: the share rounded up.
    mean_f1 : float
        The system's own mean.
    rival : str
        The rival with the highest mean on the same pages.
    rival_mean_f1 : float
        Its mean.
    difference : float
        The own mean minus the rival's.
    interval : Interval
        Bootstrap interval of the difference to this rival; pages are ranked anew in each draw.
    ratio : float
        The difference over that at full coverage; nan where that one is not positive.
    attainable : float
        The ratio if the pages were ranked by the F1 that was reached. It may be little above 1: pages that are hard for the
        system are mostly hard for the rival too.
    """

    coverage: float
    n_pages: int
    mean_f1: float
    rival: str
    rival_mean_f1: float
    difference: float
    interval: Interval
    ratio: float
    attainable: float


def figures(confidence: ArrayLike, f1: ArrayLike) -> Figures:
    """Judge confidences by the F1 that was reached.

    Parameters
    ----------
    confidence, f1 : array-like
        `(n_pages,)`, in [0, 1].

    Raises
    ------
    ValueError
        There is no page, not one confidence for each, or a value outside [0, 1].
    """
    sure, reached = _checked(confidence, f1)
    aurc, least, chance = _aurc(sure, reached), _aurc(reached, reached), float(1 - reached.mean())
    return Figures(
        mean_confidence=float(sure.mean()),
        mean_f1=float(reached.mean()),
        calibration_error=calibration_error(sure, reached),
        squared_error=float(np.square(sure - reached).mean()),
        absolute_error=float(np.abs(sure - reached).mean()),
        spearman=spearman(sure, reached),
        aurc=aurc,
        excess=aurc - least,
        ranking=(chance - aurc) / (chance - least) if chance - least > 1e-12 else math.nan,
    )


def intervals(
    confidence: ArrayLike,
    f1: ArrayLike,
    *,
    seed: int,
    clusters: Sequence[str] | None = None,
    n_resamples: int = N_RESAMPLES,
) -> dict[str, Interval]:
    """Return the bootstrap interval of each of the `Figures`, by its name; draws as in `statistics.bootstrap_mean`."""
    sure, reached = _checked(confidence, f1)
    found = bootstrap(
        lambda rows: astuple(figures(rows[:, 0], rows[:, 1])),
        np.column_stack((sure, reached)),
        seed=seed,
        clusters=clusters,
        n_resamples=n_resamples,
    )
    return dict(zip(Figures.__dataclass_fields__, found, strict=True))


def by_coverage(confidence: ArrayLike, values: ArrayLike) -> _Floats:
    """Return the mean value of the 1, 2, ... n most confident pages.

    Parameters
    ----------
    confidence : array-like
        `(n_pages,)`.
    values : array-like
        `(n_pages,)`, F1 or any other score of the same pages.

    Returns
    -------
    NDArray
        `(n_pages,) float64`. Pages of equal confidence stand in no order: each counts with the mean of their values.
    """
    sure = np.asarray(confidence, dtype=np.float64)
    order = np.argsort(-sure, kind="stable")
    levelled = _levelled(sure, np.asarray(values, dtype=np.float64))[order]
    means: _Floats = np.cumsum(levelled) / np.arange(1, sure.size + 1)
    return means


def n_kept(coverage: float, n_pages: int) -> int:
    """Return how many pages a share of them is, rounded up; at least one."""
    return max(1, math.ceil(coverage * n_pages - 1e-9))


def calibration_error(confidence: ArrayLike, f1: ArrayLike, *, n_bins: int = N_BINS) -> float:
    """Return the expected calibration error over bins of (nearly) the same number of pages."""
    sure, reached = _checked(confidence, f1)
    order = np.argsort(sure, kind="stable")
    away = (sure - _levelled(sure, reached))[order]
    parts = np.array_split(away, _n_bins(sure.size, n_bins))
    return float(sum(abs(part.sum()) for part in parts) / sure.size)


def bins(confidence: ArrayLike, f1: ArrayLike, *, seed: int, n_bins: int = N_BINS) -> list[Bin]:
    """Return the pages in bins of (nearly) the same number, the least confident first: a reliability diagram's points."""
    sure, reached = _checked(confidence, f1)
    order = np.argsort(sure, kind="stable")
    levelled = _levelled(sure, reached)
    return [
        Bin(
            n_pages=part.size,
            low=float(sure[part].min()),
            high=float(sure[part].max()),
            mean_confidence=float(sure[part].mean()),
            mean_f1=float(levelled[part].mean()),
            interval=bootstrap_mean(reached[part], seed=seed, n_resamples=N_RESAMPLES),
        )
        for part in np.array_split(order, _n_bins(sure.size, n_bins))
    ]


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Return the rank correlation of two rows of values, equal values sharing the mean of their ranks; nan without spread."""
    one, other = (_ranks(np.asarray(values, dtype=np.float64)) for values in (first, second))
    one, other = one - one.mean(), other - other.mean()
    spread = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / spread if spread > 0 else math.nan


def margins(
    confidence: ArrayLike,
    own: ArrayLike,
    rivals: Mapping[str, ArrayLike],
    *,
    coverages: Sequence[float],
    seed: int,
    clusters: Sequence[str] | None = None,
    n_resamples: int = N_RESAMPLES,
) -> list[Margin]:
    """Compare a system with the best rival on its most confident pages.

    Parameters
    ----------
    confidence : array-like
        `(n_pages,)`, the system's own.
    own : array-like
        `(n_pages,)`, its F1.
    rivals : mapping of str to array-like
        F1 of the other systems on the same pages.
    coverages : sequence of float
        Shares of the pages, each in (0, 1].
    seed, clusters, n_resamples
        As in `intervals`.

    Raises
    ------
    ValueError
        There is no rival, a rival has not all pages, or as in `figures`.
    """
    sure, mine = _checked(confidence, own)
    theirs = {name: _checked(confidence, values)[1] for name, values in rivals.items()}
    if not theirs:
        raise ValueError("there is no rival to compare with")
    curve = by_coverage(sure, mine)
    curves = {name: by_coverage(sure, values) for name, values in theirs.items()}
    full = float(curve[-1] - max(c[-1] for c in curves.values()))
    perfect, perfect_curves = by_coverage(mine, mine), [by_coverage(mine, values) for values in theirs.values()]
    found = []
    for coverage in coverages:
        n = n_kept(coverage, sure.size)
        best = max(curves, key=lambda name: curves[name][n - 1])
        difference = float(curve[n - 1] - curves[best][n - 1])
        by_f1 = float(perfect[n - 1] - max(c[n - 1] for c in perfect_curves))
        (interval,) = bootstrap(
            lambda rows, share=coverage: (by_coverage(rows[:, 0], rows[:, 1])[n_kept(share, len(rows)) - 1],),  # type: ignore[misc]
            np.column_stack((sure, mine - theirs[best])),
            seed=seed,
            clusters=clusters,
            n_resamples=n_resamples,
        )
        found.append(
            Margin(
                coverage=coverage,
                n_pages=n,
                mean_f1=float(curve[n - 1]),
                rival=best,
                rival_mean_f1=float(curves[best][n - 1]),
                difference=difference,
                interval=interval,
                ratio=difference / full if full > 0 else math.nan,
                attainable=by_f1 / full if full > 0 else math.nan,
            )
        )
    return found


def _checked(confidence: ArrayLike, f1: ArrayLike) -> tuple[_Floats, _Floats]:
    sure, reached = np.asarray(confidence, dtype=np.float64), np.asarray(f1, dtype=np.float64)
    if sure.ndim != 1 or sure.shape != reached.shape or not sure.size:
        raise ValueError(f"{sure.size} confidences cannot be judged by {reached.size} scores")
    for name, values in (("confidence", sure), ("F1", reached)):
        if not ((values >= 0) & (values <= 1)).all():  # also for nan
            raise ValueError(f"{name} must lie in [0, 1] on every page")
    return sure, reached


def _levelled(confidence: _Floats, values: _Floats) -> _Floats:
    """Return values in which pages of equal confidence share their mean."""
    _, group = np.unique(confidence, return_inverse=True)
    group = group.reshape(-1)
    means: _Floats = (np.bincount(group, weights=values) / np.bincount(group))[group]
    return means


def _aurc(confidence: _Floats, f1: _Floats) -> float:
    return float((1 - by_coverage(confidence, f1)).mean())


def _n_bins(n_pages: int, wanted: int) -> int:
    return max(1, min(wanted, n_pages // LEAST_IN_BIN))


def _ranks(values: _Floats) -> _Floats:
    _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: _Floats = (np.cumsum(counts) - (counts - 1) / 2)[group.reshape(-1)]
    return ranks
