"""How useful a system's confidence is: whether it ranks pages correctly, and whether it is calibrated.

A confidence is read as the F1 that a system expects of its own text. Ranking is judged by the risk-coverage curve: the
quality of the pages that remain when the least confident are set aside. Calibration is judged by the distance between
confidence and F1.

References: Geifman and El-Yaniv 2017 (selective classification), Geifman, Uziel and El-Yaniv 2019 (area under the
risk-coverage curve and its excess), Nixon et al. 2019 (calibration error with bins of equal mass). Deviation: risk is 1 - F1
instead of an error rate, and pages of equal confidence count with the mean of their F1, so that no figure depends on the
order in which they are given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from webmain.evaluation.records import Row
from webmain.evaluation.statistics import N_FIGURE_RESAMPLES, Interval, bootstrap, bootstrap_mean

N_BINS = 10
LEAST_IN_BIN = 5  # fewest pages in a bin; with fewer pages there are fewer bins

_Floats = NDArray[np.float64]


def figures(confidence: ArrayLike, f1: ArrayLike) -> dict[str, float]:
    """Return the figures of confidences, compared with the F1 that was reached: both `(n_pages,)`, in [0, 1].

    `confidence` and `F1` are means over pages, equal if confidence is right on average. `ECE` is the expected calibration
    error: the mean over bins of equal mass of the distance between mean confidence and mean F1. `Brier` is the mean of
    (confidence - F1) squared, `MAE` the mean distance of the two on a page, `Spearman` their rank correlation (nan if one
    of them is the same on all pages). `AURC` is the area under the risk-coverage curve, the mean of 1 - F1 over all
    coverages; lower is better. `excess AURC` is what it is above that of a ranking by F1 itself: 0 is perfect. `ranking`
    is the share of what ranking can gain that is gained: 0 by chance, 1 if perfect, nan where all pages have the same F1.
    """
    sure, reached = _arrays(confidence, f1)
    area, least, chance = aurc(sure, reached), aurc(reached, reached), float(1 - reached.mean())
    return {
        "confidence": float(sure.mean()),
        "F1": float(reached.mean()),
        "ECE": calibration_error(sure, reached),
        "Brier": float(np.square(sure - reached).mean()),
        "MAE": float(np.abs(sure - reached).mean()),
        "Spearman": spearman(sure, reached),
        "AURC": area,
        "excess AURC": area - least,
        "ranking": (chance - area) / (chance - least) if chance - least > 1e-12 else math.nan,
    }


def by_coverage(confidence: ArrayLike, values: ArrayLike) -> _Floats:
    """Return the mean value of the 1, 2, ... n most confident pages: `(n_pages,) float64`.

    Pages of equal confidence have no order: each counts with the mean of their values.
    """
    sure = np.asarray(confidence, dtype=np.float64)
    order = np.argsort(-sure, kind="stable")
    means: _Floats = np.cumsum(_mean_of_equals(sure, values)[order]) / np.arange(1, sure.size + 1)
    return means


def n_kept(coverage: float, n_pages: int) -> int:
    """Return how many pages a share of them is, rounded up; at least one."""
    return max(1, math.ceil(coverage * n_pages - 1e-9))


def calibration_error(confidence: ArrayLike, f1: ArrayLike) -> float:
    """Return the expected calibration error over bins of (nearly) the same number of pages."""
    sure, reached = _arrays(confidence, f1)
    away = sure - _mean_of_equals(sure, reached)
    return float(sum(abs(away[part].sum()) for part in _parts(sure)) / sure.size)


def bins(confidence: ArrayLike, f1: ArrayLike, *, seed: int) -> list[Row]:
    """Return the pages in bins of (nearly) the same number, the least confident first: a reliability diagram's points.

    Each row has the number of `pages`, the least and greatest confidence (`from`, `to`), the means of `confidence` and
    `F1`, and the bootstrap interval of the mean F1 (`low`, `high`). Where pages of equal confidence lie in several bins,
    all of them count in each, by the share of them that it holds.
    """
    sure, reached = _arrays(confidence, f1)
    _, group, sizes = np.unique(sure, return_inverse=True, return_counts=True)
    means = _mean_of_equals(sure, reached)
    rows: list[Row] = []
    for part in _parts(sure):
        weights = (np.bincount(group[part], minlength=sizes.size) / sizes)[group]
        counted = weights > 0
        interval = bootstrap_mean(reached[counted], seed=seed, weights=weights[counted], n_resamples=N_FIGURE_RESAMPLES)
        rows.append(
            {
                "pages": part.size,
                "from": float(sure[part].min()),
                "to": float(sure[part].max()),
                "confidence": float(sure[part].mean()),
                "F1": float(means[part].mean()),
                **interval._asdict(),
            }
        )
    return rows


def spearman(first: ArrayLike, second: ArrayLike) -> float:
    """Return the rank correlation of two rows of values, ties sharing their mean rank; nan if a row is constant."""
    from scipy.stats import rankdata

    one, other = rankdata(first), rankdata(second)
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) and np.ptp(other) else math.nan


def margins(
    confidence: ArrayLike,
    own: ArrayLike,
    rivals: Mapping[str, ArrayLike],
    *,
    coverages: Sequence[float],
    seed: int | None,
    clusters: Sequence[str] | None = None,
) -> list[Row]:
    """Compare a system's F1 with the best rival's on its most confident pages: a row for each coverage.

    A row has the share of the pages, in (0, 1], and the number of `pages` it amounts to, rounded up; the system's mean
    `F1` on its most confident ones; the `best rival` on the same pages and `its F1`; the `margin` with its interval
    (`low`, `high`; pages are ranked anew in each draw; nan without a seed); `times`: the margin over that on all pages,
    nan if the latter is not positive; `by true F1`: the same if the pages were ranked by the F1 that was reached. That may
    be little above 1: pages that are hard for the system are mostly hard for the rival too.
    """
    sure, mine = _arrays(confidence, own)
    curve, perfect = by_coverage(sure, mine), by_coverage(mine, mine)
    curves = {name: by_coverage(sure, values) for name, values in rivals.items()}
    perfect_curves = [by_coverage(mine, values) for values in rivals.values()]
    full = float(curve[-1] - max(c[-1] for c in curves.values()))
    found: list[Row] = []
    for coverage in coverages:
        n = n_kept(coverage, sure.size)
        best = max(curves, key=lambda name: curves[name][n - 1])
        difference = float(curve[n - 1] - curves[best][n - 1])
        by_f1 = float(perfect[n - 1] - max(c[n - 1] for c in perfect_curves))
        interval = Interval(math.nan, math.nan)
        if seed is not None:
            ahead = np.subtract(mine, rivals[best])
            interval = bootstrap(partial(_mean_at, coverage), sure, ahead, seed=seed, clusters=clusters)
        found.append(
            {
                "coverage": f"{100 * coverage:g} %",
                "pages": n,
                "F1": float(curve[n - 1]),
                "best rival": best,
                "its F1": float(curves[best][n - 1]),
                "margin": difference,
                **interval._asdict(),
                "times": difference / full if full > 0 else math.nan,
                "by true F1": by_f1 / full if full > 0 else math.nan,
            }
        )
    return found


def _mean_at(coverage: float, confidence: ArrayLike, values: ArrayLike) -> float:
    """Return the mean value of the most confident pages."""
    curve = by_coverage(confidence, values)
    return float(curve[n_kept(coverage, curve.size) - 1])


def _arrays(confidence: ArrayLike, f1: ArrayLike) -> tuple[_Floats, _Floats]:
    return np.asarray(confidence, dtype=np.float64), np.asarray(f1, dtype=np.float64)


def _mean_of_equals(confidence: _Floats, values: ArrayLike) -> _Floats:
    """Return values with those of equal confidence replaced by their mean."""
    _, group = np.unique(confidence, return_inverse=True)
    means: _Floats = (np.bincount(group, weights=values) / np.bincount(group))[group]
    return means


def aurc(confidence: ArrayLike, f1: ArrayLike) -> float:
    """Return the area under the risk-coverage curve."""
    return float((1 - by_coverage(confidence, f1)).mean())


def _parts(confidence: _Floats) -> list[NDArray[np.int64]]:
    """Return the pages of each bin, the least confident first."""
    n_bins = max(1, min(N_BINS, confidence.size // LEAST_IN_BIN))
    return np.array_split(np.argsort(confidence, kind="stable"), n_bins)
