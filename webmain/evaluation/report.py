"""The tables of a comparison: per system, against a baseline, by group, and page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, median

from webmain.corrections.file import CorrectionsFile
from webmain.evaluation import confidence_tables
from webmain.evaluation.metrics import METRICS, SegmentCounts, words
from webmain.evaluation.predictions import Header
from webmain.evaluation.records import Cell, GoldPage, Row, Table
from webmain.evaluation.scoring import LEAST_SITES, PageResult, Results, clusters_of
from webmain.evaluation.statistics import bootstrap_mean, compare, summarise
from webmain.evaluation.texts import grouped
from webmain.evaluation.tokens import TextPair
from webmain.files import StoreError

GROUPINGS: dict[str, Callable[[GoldPage], str]] = {
    "dataset": lambda page: page.dataset,
    "type": lambda page: page.page_type,
    "language": lambda page: page.language,
    "site": lambda page: page.site,
}
"""Ways to group pages."""

_COLUMNS = {name: GROUPINGS[name] for name in ("dataset", "site", "language", "type")}
UNKNOWN = "(unknown)"  # name of the group of pages whose gold lacks the property
TIE = 0.002  # largest difference of a page's scores that counts as a tie in wins and losses

NOT_MEASURED = ("crash", "start", "missing")
"""Errors after which no time is measured; a page that timed out counts with the limit."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """Everything that a report shows."""

    title: str
    facts: tuple[tuple[str, str], ...]  # what was measured, how, on what: names and values
    notes: tuple[str, ...]  # notes that a reader needs to interpret the figures
    tables: tuple[Table, ...]
    results: Results
    baseline: str = ""  # the system that others are compared with; "" if there is one system only


def tables(results: Results, *, baseline: str, by: Sequence[str], seed: int) -> tuple[Table, ...]:
    """Return all tables of a report; `by` names `GROUPINGS`, and without a `baseline` ("") nothing is compared with one."""
    made = [overall(results, seed=seed)]
    if len(results.metrics) > 1:
        made.append(by_metric(results))
    if baseline and len(results.systems) > 1:
        made.append(comparison(results, baseline=baseline, seed=seed))
    made += confidence_tables.tables(results, seed=seed)
    for name in by:
        made += by_group(results, name)
    made.append(errors(results))
    made.append(by_page(results, first=baseline or results.systems[0]))
    return tuple(made)


def overall(results: Results, *, seed: int) -> Table:
    """Return the main figures of each system."""
    metric = METRICS[results.main_metric]
    title = f"Metric: {metric.title}; F1 is the mean of pages, with its 95 % interval; CPU time and memory a page"
    return Table.of("overall", title, [_overall_row(results, system, seed) for system in results.systems])


def _overall_row(results: Results, system: str, seed: int) -> Row:
    mine = results.by_system[system]
    found = results.agreements(system, results.main_metric)
    figures, scores = summarise(found), [agreement.f1 for agreement in found]
    exact = results.agreements(system, _exact_metric(results))
    segments = [r.segments for r in mine if r.segments is not None]
    timed = [1000 * r.prediction.seconds for r in mine if _reason(r) not in NOT_MEASURED]
    grown = [r.prediction.memory_bytes / 1e6 for r in mine if r.prediction.memory_bytes is not None]
    return {
        "system": system,
        "pages": len(mine),
        "F1": figures.mean_f1,
        **bootstrap_mean(scores, seed=seed, clusters=clusters_of(mine))._asdict(),
        "precision": figures.mean_precision,
        "recall": figures.mean_recall,
        "pooled F1": figures.pooled.f1 if found else None,
        "median F1": figures.median_f1,
        "F1 < .5": sum(score < 0.5 for score in scores) if found else None,
        "exact": fmean(agreement.f1 for agreement in exact) if exact else None,
        "segments": sum(segments, SegmentCounts()).accuracy if segments else None,
        "no text": sum(not r.prediction.error and not r.prediction.text.strip() for r in mine),
        "failed": sum(bool(r.prediction.error) for r in mine),
        "ms/page": fmean(timed) if timed else None,
        "median ms": median(timed) if timed else None,
        "MB/page": fmean(grown) if grown else None,
        "most MB": max(grown, default=None),
    }


def _exact_metric(results: Results) -> str:
    """Return the metric for exactly correct pages, of words or else of text; "" if neither was measured."""
    return next((metric for metric in ("same_words", "exact") if metric in results.metrics), "")


def _reason(result: PageResult) -> str:
    return result.prediction.error.partition(":")[0]


def by_metric(results: Results) -> Table:
    """Return F1 by every metric: mean of pages and pooled."""
    rows = []
    for system in results.systems:
        row: dict[str, Cell] = {"system": system}
        for metric in map(METRICS.__getitem__, results.metrics):
            figures = summarise(results.agreements(system, metric.name))
            row[metric.title if metric.is_accuracy else f"{metric.title}, mean"] = figures.mean_f1
            if not metric.is_accuracy:
                row[f"{metric.title}, pooled"] = figures.pooled.f1 if figures.n_pages else None
        rows.append(row)
    return Table.of("metrics", "F1 by every metric, as mean of pages and pooled over their counts", rows)


def comparison(results: Results, *, baseline: str, seed: int) -> Table:
    """Return a comparison of each system with a baseline on the same pages, by the main metric's F1."""
    clusters = clusters_of(results.by_system[baseline])
    base = [agreement.f1 for agreement in results.agreements(baseline, results.main_metric)]
    rows: list[Row] = []
    for system in results.systems:
        if system == baseline or not base:
            continue
        own = [agreement.f1 for agreement in results.agreements(system, results.main_metric)]
        found = compare(own, base, seed=seed, clusters=clusters, tolerance=TIE)
        rows.append({"system": system, **found})
    title = (
        f"Difference of mean F1 from that of {baseline} on the same pages, with its 95 % interval and tests; metric: "
        f"{METRICS[results.main_metric].title}"
    )
    return Table.of("comparison", title, rows, columns=("system", "pages", "difference"))


def by_group(results: Results, grouping: str) -> list[Table]:
    """Return tables of each group of pages, the largest first, with a column for each system.

    Mean F1, and mean accuracy over segments; by data set also the share of exactly right pages, and pages with F1 below .5.
    Tables without rows are left out.
    """
    f1 = partial(_f1, metric=results.main_metric)
    metric, exact = METRICS[results.main_metric].title, _exact_metric(results)
    grouped = partial(_grouped, results, grouping)
    made = [
        grouped("by", f"Mean F1 by {grouping}; metric: {metric}", f1),
        grouped("segments_by", f"Segments correctly included or left out by {grouping}; mean of pages", _accuracy),
    ]
    if grouping == "dataset" and exact:
        title = f"Share of pages that are exactly right by dataset; metric: {METRICS[exact].title}"
        made.append(grouped("exact_by", title, partial(_f1, metric=exact)))
    if grouping == "dataset":
        title = f"Pages with F1 below .5 by dataset; metric: {metric}"
        made.append(grouped("low_by", title, f1, together=lambda found: sum(v < 0.5 for v in found)))
    return [table for table in made if table.rows]


def _grouped(
    results: Results,
    grouping: str,
    kind: str,
    title: str,
    score_of: Callable[[PageResult], float | None],
    together: Callable[[Sequence[float]], Cell] = fmean,
) -> Table:
    scores: dict[str, dict[str, list[float]]] = {}
    for system in results.systems:
        for r in results.by_system[system]:
            value = score_of(r)
            if value is not None:
                scores.setdefault(GROUPINGS[grouping](r.page), {}).setdefault(system, []).append(value)
    first = results.systems[0]
    rows = [
        {grouping: name or UNKNOWN, "pages": len(group[first]), **{s: together(group[s]) for s in results.systems}}
        for name, group in sorted(scores.items(), key=lambda item: (-len(item[1][first]), item[0]))
    ]
    return Table.of(f"{kind}_{grouping}", title, rows)


def _f1(result: PageResult, metric: str) -> float | None:
    return result.agreements[metric].f1 if metric in result.agreements else None


def _accuracy(result: PageResult) -> float | None:
    return result.segments.accuracy if result.segments is not None else None


def errors(results: Results) -> Table:
    """Return the number of errors by system and reason."""
    rows: list[tuple[Cell, ...]] = []
    for system in results.systems:
        failed = grouped((r for r in results.by_system[system] if r.prediction.error), _reason)
        for reason, found in sorted(failed.items(), key=lambda item: (-len(item[1]), item[0])):
            rows.append((system, reason, len(found), found[0].page.id, found[0].prediction.error))
    return Table(
        name="errors",
        title="Pages without a text because something failed, by reason",
        columns=("system", "reason", "pages", "first page", "its error"),
        rows=tuple(rows),
    )


def by_page(results: Results, *, first: str) -> Table:
    """Return each page's score by every system, the pages on which `first` is worst at the top."""

    def score(result: PageResult) -> float | None:
        """Return F1, or the accuracy if the page has segments only."""
        found = _f1(result, results.main_metric)
        return _accuracy(result) if found is None else found

    scores = {system: list(map(score, results.by_system[system])) for system in results.systems}
    order = sorted(range(len(results.pages)), key=lambda n: (scores[first][n] is None, scores[first][n] or 0.0))
    rows = [{**_page_columns(results.pages[n]), **{s: scores[s][n] for s in results.systems}} for n in order]
    title = (
        f"F1 of every page by {METRICS[results.main_metric].title} (its segments' accuracy where it has no text), those "
        f"at the top on which {first} is worst"
    )
    return Table.of("pages", title, rows)


def _page_columns(page: GoldPage) -> dict[str, Cell]:
    return {"page": page.id, **{name: value_of(page) for name, value_of in _COLUMNS.items()}}


def every_result(results: Results) -> Table:
    """Return one row for each system and page, with everything measured."""
    rows: list[Row] = []
    for system in results.systems:
        for r in results.by_system[system]:
            page = _page_columns(r.page)
            row: dict[str, Cell] = {"system": system, "dataset": page.pop("dataset"), **page}
            for name in results.metrics:
                found = r.agreements.get(name)
                columns = {name: "f1"}
                if not METRICS[name].is_accuracy:
                    columns = {f"{name} precision": "precision", f"{name} recall": "recall", f"{name} F1": "f1"}
                row |= {column: None if found is None else getattr(found, ratio) for column, ratio in columns.items()}
            row |= {
                "segments": _accuracy(r),
                "ms": 1000 * r.prediction.seconds,
                "memory bytes": r.prediction.memory_bytes,
                "characters": len(r.prediction.text),
                "confidence": r.prediction.confidence,
                "error": r.prediction.error,
            }
            rows.append(row)
    return Table.of("results", "Every page by every system", rows)


def differing_groupings(pages: Sequence[GoldPage]) -> tuple[str, ...]:
    """Return the groupings that divide the pages; sites are left out as there are too many."""
    return tuple(
        name for name, group_of in GROUPINGS.items() if name != "site" and len({group_of(page) for page in pages}) > 1
    )


def facts(
    head: Header, digests: Mapping[str, str], dropped: Sequence[str], results: Results
) -> tuple[tuple[str, str], ...]:
    """Return what was measured, on what, and how."""
    settings = head.settings
    shown = [facts for name, facts in head.systems.items() if name in results.systems]
    limits = [f"processes: {settings.get('jobs')}", f"{settings.get('timeout_s')} s a page at most"]
    sample = f"{settings['limit']} pages of each gold set, seed {settings.get('seed')}" if settings.get("limit") else ""
    found = {
        "gold": "; ".join(dropped),
        "digest": "; ".join(f"{name} {digest[:16]}" for name, digest in digests.items()),
        "pages": str(len(results.pages)),
        "sample": sample,
        "versions": "; ".join(sorted({s["version"] for s in shown})),
        "sites": "; ".join(sorted({s["about"] for s in shown if s["mode"] != "page"})),
        "run": ", ".join([*limits, f"fastest of {settings.get('repeat')}", *head.made_with.values()]),
    }
    return tuple((name, value) for name, value in found.items() if value)


def notes(results: Results, head: Header) -> tuple[str, ...]:
    """Return the notes that a reader needs to interpret the figures."""
    found = [
        "F1 is the mean of pages, every page with the same weight; pooled F1 counts all words of all pages together.",
        "A page for which a system gave no text or failed counts as an empty text; after a time-out, its time is the limit.",
        "Intervals and tests resample whole sites, since the pages of a site are similar."
        if clusters_of(results.by_system[results.systems[0]]) is not None
        else f"Intervals and tests resample pages: with fewer than {LEAST_SITES} sites, they do not apply to other sites.",
        "ms/page is CPU time of warm systems from the decoded page to its text (webmain's own decode raw bytes "
        f"themselves); memory: {head.settings.get('memory', 'not measured')}.",
    ]
    if any(s["mode"] == "site" for name, s in head.systems.items() if name in results.systems):
        found.append(
            "@site: fitted to the pages that it extracts, not to their gold, without the fallback to another method that a "
            "crawl has; time and memory of a site's pages are shared."
        )
    if confidence_tables.systems(results):
        found.append(confidence_tables.NOTE)
    if any(page.text is None for page in results.pages):
        found.append(
            "Pages with segments only count in the column segments: the share of segments correctly included or left out."
        )
    return tuple(found)


def notes_on_corrections(paths: Iterable[Path | str]) -> tuple[str, ...]:
    """Return a note for each gold file with corrected pages: how many, what was marked, and the F1 before correction."""
    notes = []
    for path in map(Path, paths):
        if path.suffix != ".jsonl" or not path.is_file():
            continue
        n_pages, n_content, n_boilerplate, before = 0, 0, 0, []
        try:
            for one in CorrectionsFile(path):
                n_pages += 1
                n_content += sum(mark.content for mark in one.marked)
                n_boilerplate += sum(not mark.content for mark in one.marked)
                before.append(words(TextPair(predicted=one.before, gold=one.text, language=one.lang)).f1)
        except StoreError:  # already reported when the file was read as gold
            continue
        if n_pages:
            notes.append(
                f"{path.name}: {n_pages} {'page was' if n_pages == 1 else 'pages were'} corrected by people, {n_content} "
                f"parts made content and {n_boilerplate} boilerplate; before, their mean word F1 was {fmean(before):.3f}"
            )
    return tuple(notes)
