"""The tables of a comparison in which systems give their confidence in a text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webmain.evaluation.confidence import aurc, bins, by_coverage, calibration_error, figures, margins, n_kept
from webmain.evaluation.metrics import METRICS
from webmain.evaluation.peers import PEERS
from webmain.evaluation.records import Row, Table
from webmain.evaluation.scoring import PageResult, Results, clusters_of
from webmain.evaluation.statistics import bootstrap

COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
"""Coverages at which the risk-coverage curve is tabulated."""

MARGIN_COVERAGES = (1.0, 0.95, 0.9, 0.8, 0.5)  # coverages at which a system is compared with the best rival

NOTE = (
    "Confidence is the F1 that a system expects of its own text. A page without one comes last in the ranking and has no "
    "part in the calibration. On pages that a system was trained on its confidence has no meaning: leave them out."
)


@dataclass(frozen=True)
class SystemScores:
    """One system's confidences and scores on the pages that have a gold text."""

    system: str
    confidence: NDArray[np.float64]  # `(n_pages,) float64`; 0 if none was given
    f1: NDArray[np.float64]  # `(n_pages,) float64`, by the main metric
    given: NDArray[np.bool_]  # `(n_pages,) bool`
    results: tuple[PageResult, ...]


def systems(results: Results) -> list[str]:
    """Return the systems that gave a confidence for some page with a gold text."""
    return [
        system
        for system in results.systems
        if any(_given(r) is not None and r.agreements for r in results.by_system[system])
    ]


def _given(result: PageResult) -> float | None:
    """Return the confidence in a text; None without one, or for no text, where it says nothing."""
    return result.prediction.confidence if result.prediction.text.strip() else None


def scores_of(results: Results, system: str) -> SystemScores:
    """Return a system's confidences and F1."""
    mine = tuple(r for r in results.by_system[system] if results.main_metric in r.agreements)
    return SystemScores(
        system=system,
        confidence=np.array([_given(r) or 0.0 for r in mine]),
        f1=np.array([r.agreements[results.main_metric].f1 for r in mine]),
        given=np.array([_given(r) is not None for r in mine], dtype=bool),
        results=mine,
    )


def all_scores(results: Results) -> list[SystemScores]:
    """Return the scores of each system that gave a confidence."""
    return [scores_of(results, system) for system in systems(results)]


def rivals(results: Results, system: str) -> dict[str, NDArray[np.float64]]:
    """Return the F1 of the rivals: the peers, or all other systems if there are none."""
    others = [name for name in results.systems if name != system]
    peers = [name for name in others if name.partition(":")[0] in PEERS]
    return {name: scores_of(results, name).f1 for name in peers or others}


def tables(results: Results, *, seed: int) -> list[Table]:
    """Return all tables on confidence; none if no system gives any."""
    if not systems(results):
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
    rows: list[Row] = []
    for own in all_scores(results):
        sites = clusters_of(own.results)
        sure, f1 = own.confidence[own.given], own.f1[own.given]
        sites_given = clusters_of([r for r, is_given in zip(own.results, own.given, strict=True) if is_given])
        calibrated, ranked = figures(sure, f1), figures(own.confidence, own.f1)
        of_ece = bootstrap(calibration_error, sure, f1, seed=seed, clusters=sites_given)
        of_aurc = bootstrap(aurc, own.confidence, own.f1, seed=seed, clusters=sites)
        rows.append(
            {
                "system": own.system,
                "pages": len(own.f1),
                "without": int((~own.given).sum()),
                "confidence": calibrated["confidence"],
                "F1 of those": calibrated["F1"],
                "ECE": calibrated["ECE"],
                "ECE low": of_ece.low,
                "ECE high": of_ece.high,
                **{name: calibrated[name] for name in ("Brier", "MAE", "Spearman")},
                "AURC": ranked["AURC"],
                "AURC low": of_aurc.low,
                "AURC high": of_aurc.high,
                **{name: ranked[name] for name in ("excess AURC", "ranking")},
            }
        )
    title = (
        "Quality of the confidences: ECE is the expected calibration error, AURC the area under the risk-coverage curve "
        f"(risk: 1 - F1), with 95 % intervals; ranking: 0 by chance, 1 perfect; metric: {METRICS[results.main_metric].title}"
    )
    return Table.of("confidence", title, rows)


def coverage(results: Results) -> Table:
    """Return the mean F1 of each system's most confident pages."""
    curves = {own.system: by_coverage(own.confidence, own.f1) for own in all_scores(results)}
    n_pages = len(next(iter(curves.values())))
    rows: list[Row] = []
    for share in COVERAGES:
        n = n_kept(share, n_pages)
        means = {system: float(curve[n - 1]) for system, curve in curves.items()}
        rows.append({"coverage": f"{100 * share:g} %", "pages": n, **means})
    title = f"Mean F1 of each system's most confident pages; metric: {METRICS[results.main_metric].title}"
    return Table.of("coverage", title, rows)


def against_rivals(results: Results, *, seed: int) -> Table:
    """Return by how much each system leads the best rival on its most confident pages."""
    rows: list[Row] = []
    for own in all_scores(results):
        sites, theirs = clusters_of(own.results), rivals(results, own.system)
        found = margins(own.confidence, own.f1, theirs, coverages=MARGIN_COVERAGES, seed=seed, clusters=sites)
        rows += [{"system": own.system, **row} for row in found]
    title = (
        "On a system's most confident pages: its mean F1, that of the best rival on the same pages, the margin "
        "with its 95 % interval, how many times the margin on all pages that is, and how many times it would be were the "
        "pages ranked by their true F1"
    )
    return Table.of("margins", title, rows)


def reliability(results: Results, *, seed: int) -> Table:
    """Return each system's pages in bins by confidence, as a reliability diagram shows them."""
    rows: list[Row] = []
    for own in all_scores(results):
        found = bins(own.confidence[own.given], own.f1[own.given], seed=seed)
        rows += [{"system": own.system, "bin": number, **row} for number, row in enumerate(found, 1)]
    title = "Confidence and F1 in bins of about the same number of pages, the least confident first"
    return Table.of("reliability", title, rows)


def by_dataset(results: Results) -> Table:
    """Return the main figures of each system in each data set, with its pages ranked within the set."""
    rows: list[Row] = []
    for dataset in dict.fromkeys(page.dataset for page in results.pages):
        for own in all_scores(results):
            inside = np.array([r.page.dataset == dataset for r in own.results], dtype=bool)
            if (inside & own.given).any():
                theirs = {name: f1[inside] for name, f1 in rivals(results, own.system).items()}
                rows.append({"dataset": dataset, "system": own.system, **_dataset_row(own, inside, theirs)})
    title = (
        "Quality of the confidences by data set, and the margin over the best rival on all pages and on the 90 % with the "
        "highest confidence"
    )
    return Table.of("confidence_by_dataset", title, rows)


def _dataset_row(own: SystemScores, inside: NDArray[np.bool_], theirs: dict[str, NDArray[np.float64]]) -> Row:
    sure, f1, given = own.confidence[inside], own.f1[inside], inside & own.given
    calibrated, ranked = figures(own.confidence[given], own.f1[given]), figures(sure, f1)
    whole: Row = {}
    most: Row = {}
    if theirs:
        whole, most = margins(sure, f1, theirs, coverages=(1.0, 0.9), seed=None)
    return {
        "pages": len(f1),
        "confidence": calibrated["confidence"],
        "F1": ranked["F1"],
        **{name: calibrated[name] for name in ("ECE", "Spearman")},
        "excess AURC": ranked["excess AURC"],
        "F1 of 90 %": float(by_coverage(sure, f1)[n_kept(0.9, len(f1)) - 1]),
        "margin": whole.get("margin"),
        "margin of 90 %": most.get("margin"),
        "times": most.get("times"),
    }
