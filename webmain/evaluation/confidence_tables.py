"""The tables of a comparison in which systems say how sure they are of a text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from webmain.evaluation.confidence import Margin, bins, by_coverage, figures, intervals, margins, n_kept
from webmain.evaluation.metrics import METRICS
from webmain.evaluation.peers import PEERS
from webmain.evaluation.records import Table
from webmain.evaluation.scoring import clusters_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.evaluation.scoring import PageResult, Results

Cell: TypeAlias = str | int | float | None

COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
"""Shares of the pages at which the risk-coverage curve is told in figures."""

MARGIN_COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.5)
"""Shares of the pages on which a system is held against the best rival."""

NOTE = (
    "Confidence is the F1 that a system expects of its own text. A page without one comes last in the ranking and has no "
    "part in the calibration. On pages that a system was trained on its confidence says nothing: leave them out."
)


@dataclass(frozen=True)
class Judged:
    """One system's confidences and scores on the pages that have a gold text.

    Attributes
    ----------
    confidence : NDArray
        `(n_pages,) float64`; 0 where none was given.
    f1 : NDArray
        `(n_pages,) float64`, by the main metric.
    given : NDArray
        `(n_pages,) bool`.
    results : tuple of PageResult
        The pages.
    """

    confidence: NDArray[np.float64]
    f1: NDArray[np.float64]
    given: NDArray[np.bool_]
    results: tuple[PageResult, ...]


def systems(results: Results) -> list[str]:
    """Return the systems that gave a confidence for some page with a gold text."""
    return [
        system
        for system in results.systems
        if any(r.prediction.confidence is not None and r.scores.agreements for r in results.by_system[system])
    ]


def judged(results: Results, system: str) -> Judged:
    """Return a system's confidences and F1."""
    mine = tuple(r for r in results.by_system[system] if results.main_metric in r.scores.agreements)
    return Judged(
        confidence=np.array([r.prediction.confidence or 0.0 for r in mine]),
        f1=np.array([r.scores.agreements[results.main_metric].f1 for r in mine]),
        given=np.array([r.prediction.confidence is not None for r in mine], dtype=bool),
        results=mine,
    )


def rivals(results: Results, system: str) -> dict[str, NDArray[np.float64]]:
    """Return the F1 of those that a system is held against: the peers, or without any all other systems."""
    others = [name for name in results.systems if name != system]
    peers = [name for name in others if name.partition(":")[0] in PEERS]
    return {name: judged(results, name).f1 for name in peers or others}


def tables(results: Results, *, seed: int) -> list[Table]:
    """Return all tables on confidence; none where no system gives any."""
    sure = systems(results)
    if not sure:
        return []
    made = [quality(results, seed=seed), coverage(results)]
    if len(results.systems) > 1:
        made.append(against_rivals(results, seed=seed))
    made.append(reliability(results, seed=seed))
    if len({page.dataset for page in results.pages}) > 1:
        made.append(by_dataset(results))
    return made


def quality(results: Results, *, seed: int) -> Table:
    """Return for each system how well its confidence ranks pages, and how well it is calibrated."""
    rows: list[tuple[Cell, ...]] = []
    for system in systems(results):
        own = judged(results, system)
        with_one = [r for r, is_given in zip(own.results, own.given, strict=True) if is_given]
        told = figures(own.confidence[own.given], own.f1[own.given])
        told_in = intervals(own.confidence[own.given], own.f1[own.given], seed=seed, clusters=clusters_of(with_one))
        ranked = figures(own.confidence, own.f1)
        ranked_in = intervals(own.confidence, own.f1, seed=seed, clusters=clusters_of(own.results))["aurc"]
        rows.append(
            (
                system,
                len(own.f1),
                int((~own.given).sum()),
                told.mean_confidence,
                told.mean_f1,
                told.calibration_error,
                told_in["calibration_error"].low,
                told_in["calibration_error"].high,
                told.squared_error,
                told.absolute_error,
                _number(told.spearman),
                ranked.aurc,
                ranked_in.low,
                ranked_in.high,
                ranked.excess,
                _number(ranked.ranking),
            )
        )
    return Table(
        name="confidence",
        title="What confidence is worth: ECE is the expected calibration error, AURC the area under the risk-coverage curve "
        f"(risk: 1 - F1), with 95 % intervals; ranking: 0 by chance, 1 perfect; metric: {METRICS[results.main_metric].title}",
        columns=(
            "system",
            "pages",
            "without",
            "confidence",
            "F1 of those",
            "ECE",
            "ECE low",
            "ECE high",
            "Brier",
            "MAE",
            "Spearman",
            "AURC",
            "AURC low",
            "AURC high",
            "excess AURC",
            "ranking",
        ),
        rows=tuple(rows),
    )


def coverage(results: Results) -> Table:
    """Return the mean F1 of each system's most confident pages."""
    sure = systems(results)
    curves = {}
    for system in sure:
        own = judged(results, system)
        curves[system] = by_coverage(own.confidence, own.f1)
    n_pages = len(curves[sure[0]])
    rows: list[tuple[Cell, ...]] = [
        (f"{100 * share:g} %", n_kept(share, n_pages), *(float(curves[s][n_kept(share, n_pages) - 1]) for s in sure))
        for share in COVERAGES
    ]
    return Table(
        name="coverage",
        title=f"Mean F1 of the pages of which each system is most sure; metric: {METRICS[results.main_metric].title}",
        columns=("coverage", "pages", *sure),
        rows=tuple(rows),
    )


def against_rivals(results: Results, *, seed: int) -> Table:
    """Return by how much each system is ahead of the best rival on the pages of which it is most sure."""
    rows: list[tuple[Cell, ...]] = []
    for system in systems(results):
        own = judged(results, system)
        found = margins(
            own.confidence,
            own.f1,
            rivals(results, system),
            coverages=MARGIN_COVERAGES,
            seed=seed,
            clusters=clusters_of(own.results),
        )
        rows += [_margin_row(system, m) for m in found]
    return Table(
        name="margins",
        title="On the pages of which a system is most sure: its mean F1, that of the best rival on the same pages, the "
        "margin with its 95 % interval, how many times the margin on all pages that is, and how many times it would be were "
        "the pages ranked by their true F1",
        columns=(
            "system",
            "coverage",
            "pages",
            "F1",
            "best rival",
            "its F1",
            "margin",
            "low",
            "high",
            "times",
            "by true F1",
        ),
        rows=tuple(rows),
    )


def _margin_row(system: str, found: Margin) -> tuple[Cell, ...]:
    return (
        system,
        f"{100 * found.coverage:g} %",
        found.n_pages,
        found.mean_f1,
        found.rival,
        found.rival_mean_f1,
        found.difference,
        found.interval.low,
        found.interval.high,
        _number(found.ratio),
        _number(found.attainable),
    )


def reliability(results: Results, *, seed: int) -> Table:
    """Return each system's pages in bins by confidence, as a reliability diagram shows them."""
    rows: list[tuple[Cell, ...]] = []
    for system in systems(results):
        own = judged(results, system)
        for number, b in enumerate(bins(own.confidence[own.given], own.f1[own.given], seed=seed), 1):
            rows.append(
                (
                    system,
                    number,
                    b.n_pages,
                    b.low,
                    b.high,
                    b.mean_confidence,
                    b.mean_f1,
                    b.interval.low,
                    b.interval.high,
                )
            )
    return Table(
        name="reliability",
        title="Confidence and F1 in bins of about the same number of pages, the least confident first",
        columns=("system", "bin", "pages", "from", "to", "confidence", "F1", "low", "high"),
        rows=tuple(rows),
    )


def by_dataset(results: Results) -> Table:
    """Return the main figures of each system in each data set, ranked there by itself."""
    rows: list[tuple[Cell, ...]] = []
    for dataset in dict.fromkeys(page.dataset for page in results.pages):
        for system in systems(results):
            own = judged(results, system)
            inside = np.array([r.page.dataset == dataset for r in own.results], dtype=bool)
            if (inside & own.given).any():
                theirs = {name: f1[inside] for name, f1 in rivals(results, system).items()}
                rows.append((dataset, system, *_dataset_row(own, inside, theirs)))
    return Table(
        name="confidence_by_dataset",
        title="What confidence is worth by data set, and the margin over the best rival on all pages and on the 90 % of "
        "which the system is most sure",
        columns=(
            "dataset",
            "system",
            "pages",
            "confidence",
            "F1",
            "ECE",
            "Spearman",
            "excess AURC",
            "F1 of 90 %",
            "margin",
            "margin of 90 %",
            "times",
        ),
        rows=tuple(rows),
    )


def _dataset_row(own: Judged, inside: NDArray[np.bool_], theirs: dict[str, NDArray[np.float64]]) -> tuple[Cell, ...]:
    sure, f1, told = own.confidence[inside], own.f1[inside], inside & own.given
    calibrated, ranked = figures(own.confidence[told], own.f1[told]), figures(sure, f1)
    found = margins(sure, f1, theirs, coverages=(1.0, 0.9), seed=0, n_resamples=1) if theirs else []
    return (
        len(f1),
        calibrated.mean_confidence,
        ranked.mean_f1,
        calibrated.calibration_error,
        _number(calibrated.spearman),
        ranked.excess,
        float(by_coverage(sure, f1)[n_kept(0.9, len(f1)) - 1]),
        *_ahead(found),
    )


def _ahead(found: Sequence[Margin]) -> tuple[Cell, Cell, Cell]:
    if not found:
        return None, None, None
    whole, most = found
    return whole.difference, most.difference, _number(most.ratio)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
