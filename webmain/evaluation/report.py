"""The tables of a comparison: per system, against a baseline, by group, and page by page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from statistics import fmean, median
from typing import TYPE_CHECKING, TypeAlias

from webmain.evaluation import confidence_tables
from webmain.evaluation.metrics import METRICS, SegmentCounts
from webmain.evaluation.records import GoldPage, Table
from webmain.evaluation.scoring import LEAST_SITES, PageResult, Results, clusters_of
from webmain.evaluation.statistics import bootstrap_mean, compare, summarise

if TYPE_CHECKING:
    from webmain.evaluation.predictions import Header

Cell: TypeAlias = str | int | float | None

GROUPINGS: dict[str, Callable[[GoldPage], str]] = {
    "dataset": lambda page: page.dataset,
    "type": lambda page: page.page_type,
    "language": lambda page: page.language,
    "site": lambda page: page.site,
}
"""By what pages can be grouped."""

UNKNOWN = "(unknown)"
"""Name of the group of pages of which the gold does not say it."""

TIE = 0.002
"""Scores of a page that differ by no more count as the same in wins and losses."""

NOT_MEASURED = ("crash", "start", "missing")
"""Errors after which there is no time to count; a page that timed out counts with the limit."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything a reader is told.

    Attributes
    ----------
    title : str
    facts : tuple of (str, str)
        What was measured, how, on what: names and values.
    notes : tuple of str
        What a reader must know to read the figures rightly.
    tables : tuple of Table
    results : Results
    baseline : str
        The system that others are compared with; "" if there is one system only.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    tables: tuple[Table, ...]
    results: Results
    baseline: str = ""


def tables(results: Results, *, baseline: str, by: Sequence[str], seed: int) -> tuple[Table, ...]:
    """Make all tables.

    Parameters
    ----------
    results : Results
    baseline : str
        A system, or "" for no comparison.
    by : sequence of str
        Names of `GROUPINGS`.
    seed : int
        Of the bootstrap and the permutation tests.
    """
    made = [overall(results, seed=seed)]
    if len(results.metrics) > 1:
        made.append(by_metric(results))
    if baseline and len(results.systems) > 1:
        made.append(comparison(results, baseline=baseline, seed=seed))
    made += confidence_tables.tables(results, seed=seed)
    for name in by:
        made += [table for table in (by_group(results, name), segments_by_group(results, name)) if table.rows]
        if name == "dataset":
            made += [table for table in (exact_by_group(results, name), low_by_group(results, name)) if table.rows]
    made.append(errors(results))
    made.append(by_page(results, first=baseline or results.systems[0]))
    return tuple(made)


def overall(results: Results, *, seed: int) -> Table:
    """Return the main figures of each system."""
    metric = METRICS[results.main_metric]
    rows = tuple(_overall_row(results, system, seed) for system in results.systems)
    return Table(
        name="overall",
        title=f"Metric: {metric.title}; F1 is the mean of pages, with its 95 % interval; CPU time and memory a page",
        columns=(
            "system",
            "pages",
            "F1",
            "low",
            "high",
            "precision",
            "recall",
            "pooled F1",
            "median F1",
            "F1 < .5",
            "exact",
            "segments",
            "no text",
            "failed",
            "ms/page",
            "median ms",
            "MB/page",
            "most MB",
        ),
        rows=rows,
    )


def _overall_row(results: Results, system: str, seed: int) -> tuple[Cell, ...]:
    mine = results.by_system[system]
    found = results.agreements(system, results.main_metric)
    texts: tuple[Cell, ...] = (None,) * 8
    if found:
        figures = summarise(found)
        scores = [agreement.f1 for agreement in found]
        interval = bootstrap_mean(scores, seed=seed, clusters=clusters_of(mine))
        texts = (
            figures.mean_f1,
            interval.low,
            interval.high,
            figures.mean_precision,
            figures.mean_recall,
            figures.pooled.f1,
            figures.median_f1,
            sum(value < 0.5 for value in scores),
        )
    failed = sum(bool(r.prediction.error) for r in mine)
    empty = sum(not r.prediction.error and not r.prediction.text.strip() for r in mine)
    return (system, len(mine), *texts, _exact(results, system), _segments(mine), empty, failed, *_costs(mine))


def _exact(results: Results, system: str) -> float | None:
    """Return the share of pages with just the gold's words (or, if that is not measured, just its text)."""
    name = _exact_metric(results)
    found = results.agreements(system, name) if name else []
    return fmean(agreement.f1 for agreement in found) if found else None


def _exact_metric(results: Results) -> str:
    return next((metric for metric in ("same_words", "exact") if metric in results.metrics), "")


def _segments(mine: Sequence[PageResult]) -> float | None:
    counted = [r.scores.segments for r in mine if r.scores.segments is not None]
    return reduce(add, counted, SegmentCounts()).accuracy if counted else None


def _costs(mine: Sequence[PageResult]) -> tuple[float | None, float | None, float | None, float | None]:
    """Return mean and median milliseconds, mean and greatest megabytes of a page."""
    timed = [1000 * r.prediction.seconds for r in mine if _reason(r) not in NOT_MEASURED]
    grown = [r.prediction.memory_bytes / 1e6 for r in mine if r.prediction.memory_bytes is not None]
    return (
        fmean(timed) if timed else None,
        median(timed) if timed else None,
        fmean(grown) if grown else None,
        max(grown) if grown else None,
    )


def _reason(result: PageResult) -> str:
    return result.prediction.error.partition(":")[0]


def by_metric(results: Results) -> Table:
    """Return F1 by every metric: mean of pages and pooled."""
    columns = ["system"]
    for name in results.metrics:
        title = METRICS[name].title
        columns += [title] if METRICS[name].is_accuracy else [f"{title}, mean", f"{title}, pooled"]
    rows = []
    for system in results.systems:
        row: list[Cell] = [system]
        for name in results.metrics:
            found = results.agreements(system, name)
            figures = summarise(found) if found else None
            row.append(figures.mean_f1 if figures else None)
            if not METRICS[name].is_accuracy:
                row.append(figures.pooled.f1 if figures else None)
        rows.append(tuple(row))
    return Table(
        name="metrics",
        title="F1 by every metric, as mean of pages and pooled over their counts",
        columns=tuple(columns),
        rows=tuple(rows),
    )


def comparison(results: Results, *, baseline: str, seed: int) -> Table:
    """Compare each system with a baseline on the same pages, by the main metric's F1."""
    clusters = clusters_of(results.by_system[baseline])
    base = [agreement.f1 for agreement in results.agreements(baseline, results.main_metric)]
    rows: list[tuple[Cell, ...]] = []
    for system in results.systems:
        if system == baseline or not base:
            continue
        own = [agreement.f1 for agreement in results.agreements(system, results.main_metric)]
        found = compare(own, base, seed=seed, clusters=clusters, tolerance=TIE)
        rows.append(
            (
                system,
                found.n_pages,
                found.difference,
                found.interval.low,
                found.interval.high,
                found.p_permutation,
                found.p_sign,
                found.n_wins,
                found.n_losses,
                found.n_ties,
            )
        )
    return Table(
        name="comparison",
        title=f"Difference of mean F1 from that of {baseline} on the same pages, with its 95 % interval and tests; "
        f"metric: {METRICS[results.main_metric].title}",
        columns=("system", "pages", "difference", "low", "high", "p", "p (sign)", "better", "worse", "same"),
        rows=tuple(rows),
    )


def by_group(results: Results, grouping: str) -> Table:
    """Return the mean F1 of each system in each group of pages, the largest group first."""
    metric = results.main_metric
    return Table(
        name=f"by_{grouping}",
        title=f"Mean F1 by {grouping}; metric: {METRICS[metric].title}",
        columns=(grouping, "pages", *results.systems),
        rows=_group_rows(results, grouping, lambda r: _f1(r, metric)),
    )


def exact_by_group(results: Results, grouping: str) -> Table:
    """Return the share of pages that each system has exactly right in each group; no row where that is not measured."""
    metric = _exact_metric(results)
    return Table(
        name=f"exact_by_{grouping}",
        title=f"Share of pages that are exactly right by {grouping}; metric: {METRICS[metric].title if metric else '-'}",
        columns=(grouping, "pages", *results.systems),
        rows=_group_rows(results, grouping, lambda r: _f1(r, metric)),
    )


def low_by_group(results: Results, grouping: str) -> Table:
    """Return how many pages of each group have an F1 below .5 by each system."""
    metric = results.main_metric
    return Table(
        name=f"low_by_{grouping}",
        title=f"Pages with F1 below .5 by {grouping}; metric: {METRICS[metric].title}",
        columns=(grouping, "pages", *results.systems),
        rows=_group_rows(
            results,
            grouping,
            lambda r: None if (f1 := _f1(r, metric)) is None else float(f1 < 0.5),
            together=lambda values: int(sum(values)),
        ),
    )


def segments_by_group(results: Results, grouping: str) -> Table:
    """Return the mean accuracy over segments of each system in each group of pages; no row without segments."""
    return Table(
        name=f"segments_by_{grouping}",
        title=f"Segments rightly in or out by {grouping}; mean of pages",
        columns=(grouping, "pages", *results.systems),
        rows=_group_rows(results, grouping, _accuracy),
    )


def _group_rows(
    results: Results,
    grouping: str,
    score_of: Callable[[PageResult], float | None],
    *,
    together: Callable[[Sequence[float]], Cell] = fmean,
) -> tuple[tuple[Cell, ...], ...]:
    group_of = GROUPINGS[grouping]
    scores: dict[str, dict[str, list[float]]] = {}
    for system in results.systems:
        for r in results.by_system[system]:
            value = score_of(r)
            if value is not None:
                scores.setdefault(group_of(r.page), {}).setdefault(system, []).append(value)
    first = results.systems[0]
    ordered = sorted(scores.items(), key=lambda item: (-len(item[1][first]), item[0]))
    return tuple(
        (name or UNKNOWN, len(group[first]), *(together(group[system]) for system in results.systems))
        for name, group in ordered
    )


def _f1(result: PageResult, metric: str) -> float | None:
    return result.scores.agreements[metric].f1 if metric in result.scores.agreements else None


def _accuracy(result: PageResult) -> float | None:
    return result.scores.segments.accuracy if result.scores.segments is not None else None


def errors(results: Results) -> Table:
    """Count what went wrong, by system and reason."""
    rows: list[tuple[Cell, ...]] = []
    for system in results.systems:
        failed = [r for r in results.by_system[system] if r.prediction.error]
        for reason, count in sorted(Counter(map(_reason, failed)).items(), key=lambda item: (-item[1], item[0])):
            first = next(r for r in failed if _reason(r) == reason)
            rows.append((system, reason, count, first.page.id, first.prediction.error))
    return Table(
        name="errors",
        title="Pages without a text because something failed, by reason",
        columns=("system", "reason", "pages", "first page", "its error"),
        rows=tuple(rows),
    )


def by_page(results: Results, *, first: str) -> Table:
    """Return each page's score by every system, the pages on which `first` is worst at the top."""
    of_first = [_score(r, results.main_metric) for r in results.by_system[first]]
    order = sorted(range(len(of_first)), key=lambda n: (of_first[n] is None, of_first[n] or 0.0, n))
    rows: list[tuple[Cell, ...]] = []
    for number in order:
        page = results.pages[number]
        scores = [_score(results.by_system[system][number], results.main_metric) for system in results.systems]
        rows.append((page.id, page.dataset, page.site, page.language, page.page_type, *scores))
    return Table(
        name="pages",
        title=f"F1 of every page by {METRICS[results.main_metric].title} (its segments' accuracy where it has no text), "
        f"those at the top on which {first} is worst",
        columns=("page", "dataset", "site", "language", "type", *results.systems),
        rows=tuple(rows),
    )


def _score(result: PageResult, metric: str) -> float | None:
    """Return what a page is ranked by: F1, or where there are segments only, their accuracy."""
    found = _f1(result, metric)
    return _accuracy(result) if found is None else found


def every_result(results: Results) -> Table:
    """Return one row for each system and page, with all that was measured."""
    columns = ["system", "dataset", "page", "site", "language", "type"]
    for name in results.metrics:
        parts = ("",) if METRICS[name].is_accuracy else (" precision", " recall", " F1")
        columns += [name + part for part in parts]
    rows: list[tuple[Cell, ...]] = []
    for system in results.systems:
        for r in results.by_system[system]:
            page, given = r.page, r.prediction
            row: list[Cell] = [system, page.dataset, page.id, page.site, page.language, page.page_type]
            for name in results.metrics:
                a = r.scores.agreements.get(name)
                if METRICS[name].is_accuracy:
                    row.append(None if a is None else a.f1)
                else:
                    row += [None] * 3 if a is None else [a.precision, a.recall, a.f1]
            segments = None if r.scores.segments is None else r.scores.segments.accuracy
            rows.append(
                (
                    *row,
                    segments,
                    1000 * given.seconds,
                    given.memory_bytes,
                    len(given.text),
                    given.confidence,
                    given.error,
                )
            )
    columns += ["segments", "ms", "memory bytes", "characters", "confidence", "error"]
    return Table(name="results", title="Every page by every system", columns=tuple(columns), rows=tuple(rows))


def differing_groupings(pages: Sequence[GoldPage]) -> tuple[str, ...]:
    """Return the groupings by which pages differ; sites are left out, there are too many."""
    return tuple(
        name for name, group_of in GROUPINGS.items() if name != "site" and len({group_of(page) for page in pages}) > 1
    )


def facts(
    head: Header, digests: Mapping[str, str], dropped: Sequence[str], results: Results
) -> tuple[tuple[str, str], ...]:
    """Return what was measured, on what, and how."""
    settings = head.settings
    shown = [facts for name, facts in head.systems.items() if name in results.systems]
    found = [("gold", "; ".join(dropped)), ("digest", "; ".join(f"{n} {d[:16]}" for n, d in digests.items()))]
    found.append(("pages", str(len(results.pages))))
    if settings.get("limit"):
        found.append(("sample", f"{settings['limit']} pages of each gold set, seed {settings.get('seed')}"))
    found.append(("versions", "; ".join(sorted({s["version"] for s in shown}))))
    modes = sorted({s["about"] for s in shown if s["mode"] != "page"})
    if modes:
        found.append(("sites", "; ".join(modes)))
    limits = [f"processes: {settings.get('jobs')}", f"{settings.get('timeout_s')} s a page at most"]
    found.append(("run", ", ".join([*limits, f"fastest of {settings.get('repeat')}", *head.made_with.values()])))
    return tuple(found)


def notes(results: Results, head: Header) -> tuple[str, ...]:
    """Return what a reader must know to read the figures rightly."""
    said = [
        "F1 is the mean of pages, every page with the same weight; pooled F1 counts all words of all pages together.",
        "A page for which a system gave no text or failed counts as an empty text; after a time-out, its time is the limit.",
        "Intervals and tests draw whole sites, since the pages of a site are alike."
        if clusters_of(results.by_system[results.systems[0]]) is not None
        else f"Intervals and tests draw pages: of fewer than {LEAST_SITES} sites they say nothing of other sites.",
        "ms/page is CPU time of warm systems from the decoded page to its text (webmain's own decode raw bytes "
        f"themselves); memory: {head.settings.get('memory', 'not measured')}.",
    ]
    if any(s["mode"] == "site" for name, s in head.systems.items() if name in results.systems):
        said.append(
            "@site: fitted to the very pages it judges, never to their gold, without the fallback to another method that a "
            "crawl has; time and memory of a site's pages are shared."
        )
    if confidence_tables.systems(results):
        said.append(confidence_tables.NOTE)
    if any(r.page.text is None for r in results.by_system[results.systems[0]]):
        said.append(
            "Pages with segments only count in the column segments: the share of segments that are rightly in or out."
        )
    return tuple(said)
