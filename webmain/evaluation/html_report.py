"""The report as one HTML page: no script, no external resources, every text of a page escaped."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webmain.evaluation.differences import difference
from webmain.evaluation.metrics import METRICS
from webmain.evaluation.plots import plots
from webmain.evaluation.records import Findings, Plot, Table
from webmain.evaluation.report import Report
from webmain.evaluation.scoring import PageResult
from webmain.evaluation.writers import is_figures, text_rows, without_empty
from webmain.explain.overlay import digest
from webmain.text.normal import fit_for_html

TEMPLATE = "report.html.jinja"

WORST = 10  # pages shown with both texts side by side
OPEN_ROWS = 30  # tables with more rows are collapsed until a reader opens them

BEST = {
    max: frozenset({"F1", "precision", "recall", "pooled F1", "median F1", "exact", "segments"}),
    min: frozenset({"F1 < .5", "failed", "no text", "ms/page", "median ms", "MB/page", "most MB"}),
}
"""Columns in which higher, or lower, is better."""

HEADINGS = {
    "metrics": "All metrics",
    "confidence": "Confidence",
    "margins": "Most confident pages, against the best rival",
    "errors": "Failures",
}


@dataclass(frozen=True)
class Section:
    """A section of the report: its name for links, its heading, and what it shows."""

    name: str
    heading: str
    plot: Plot | None = None
    table: Table | None = None
    worst: Sequence[PageResult] = ()


def report_page(report: Report) -> str:
    """Return a comparison's report."""
    by_name = {table.name: table for table in report.tables}
    drawn = plots(report.results, by_name)
    sections = [Section("overall", "Systems", table=without_empty(by_name["overall"])), *_plot_sections(drawn)]
    headings = {**HEADINGS, "comparison": f"Against {report.baseline}"}
    for name, table in by_name.items():
        if name != "overall" and table not in [plot.table for plot in drawn]:
            sections.append(Section(name, headings.get(name, name.replace("_", " ").capitalize()), table=table))
    if pages := worst_pages(report):
        sections.append(Section("worst", "Worst pages", worst=pages))
    system, metric = report.baseline or report.results.systems[0], METRICS[report.results.main_metric]
    return _page(report.title, sections, notes=report.notes, facts=report.facts, system=system, metric=metric)


def findings_page(findings: Findings) -> str:
    """Return a protocol's findings."""
    sections = [Section(table.name, table.title or table.name, table=table) for table in findings.tables]
    return _page(f"Protocol {findings.protocol}", [*_plot_sections(findings.plots), *sections], notes=findings.notes)


def _plot_sections(drawn: Sequence[Plot]) -> list[Section]:
    return [Section(f"{plot.name}_plot", plot.title, plot=plot) for plot in drawn]


def worst_pages(report: Report) -> list[PageResult]:
    """Return the baseline's (or only system's) worst pages that are not perfect, at most `WORST`."""
    metric = report.results.main_metric
    results = report.results.by_system[report.baseline or report.results.systems[0]]
    found = [r for r in results if r.agreements and r.agreements[metric].f1 < 1]
    found.sort(key=lambda r: (r.agreements[metric].f1, r.page.dataset, r.page.id))
    return found[:WORST]


def _page(title: str, sections: Sequence[Section], **values: object) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: fit_for_html(value) if type(value) is str else value,
    )
    environment.filters |= {
        "texts": text_rows,
        "is_text": lambda table, column: column == 0 or not is_figures(table, column),
        "is_best": _is_best,
        "digest": digest,
        "compared": lambda result: difference(result.page.text or "", result.prediction.text),
        "data_url": lambda picture: f"data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}",
    }
    template = environment.get_template(TEMPLATE)
    return template.render(title=title, sections=sections, open_rows=OPEN_ROWS, **{"facts": (), **values})


def _is_best(table: Table, row: int, column: int) -> bool:
    """Return True for the best value of a column in `BEST`, unless all are the same."""
    values: Any = [other[column] for other in table.rows if isinstance(other[column], (int, float))]
    better = next((end for end, names in BEST.items() if table.columns[column] in names), None)
    return better is not None and len(set(values)) > 1 and table.rows[row][column] == better(values)
