"""The report as one HTML page: no script, no external resources, every text of a page escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webmain.evaluation.differences import Difference, difference
from webmain.evaluation.metrics import METRICS
from webmain.evaluation.plots import plots
from webmain.evaluation.records import Findings, Plot, Table
from webmain.evaluation.report import Report
from webmain.evaluation.writers import is_figures, text_rows, without_empty
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


@dataclass(frozen=True, kw_only=True)
class WorstPage:
    """A page with both of its texts."""

    id: str
    f1: str  # F1 to three digits
    facts: tuple[str, ...]  # facts about the page and its figures
    compared: Difference  # gold and extracted text


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of the report: a plot, a table, or the worst pages of a system."""

    # for links and for readers
    name: str
    heading: str
    plot: Plot | None = None
    table: Table | None = None
    best: bool = False  # mark the best figures of the table's columns
    worst: tuple[WorstPage, ...] = ()
    # whose worst pages they are, and by which metric
    system: str = ""
    metric: str = ""


def report_page(report: Report) -> str:
    """Return a comparison's report."""
    by_name = {table.name: table for table in report.tables}
    drawn = plots(report.results, by_name)
    sections = [Section(name="overall", heading="Systems", table=without_empty(by_name["overall"]), best=True)]
    sections += [Section(name=f"{plot.name}_plot", heading=plot.title, plot=plot) for plot in drawn]
    headings = {**HEADINGS, "comparison": f"Against {report.baseline}"}
    for name, table in by_name.items():
        if name != "overall" and table not in [plot.table for plot in drawn]:
            heading = headings.get(name, name.replace("_", " ").capitalize())
            sections.append(Section(name=name, heading=heading, table=table))
    system, metric = report.baseline or report.results.systems[0], METRICS[report.results.main_metric].title
    if pages := worst_pages(report):
        sections.append(Section(name="worst", heading="Worst pages", worst=pages, system=system, metric=metric))
    return _page(report.title, sections, notes=report.notes, facts=report.facts)


def findings_page(findings: Findings) -> str:
    """Return a protocol's findings."""
    sections = [Section(name=f"{plot.name}_plot", heading=plot.title, plot=plot) for plot in findings.plots]
    sections += [Section(name=table.name, heading=table.title or table.name, table=table) for table in findings.tables]
    return _page(f"Protocol {findings.protocol}", sections, notes=findings.notes)


def worst_pages(report: Report) -> tuple[WorstPage, ...]:
    """Return the baseline's (or only system's) worst pages that are not perfect, at most `WORST`."""
    metric = report.results.main_metric
    found = [r for r in report.results.by_system[report.baseline or report.results.systems[0]] if r.agreements]
    found = [r for r in found if r.agreements[metric].f1 < 1]
    found.sort(key=lambda r: (r.agreements[metric].f1, r.page.dataset, r.page.id))
    shown = []
    for r in found[:WORST]:
        agreement, page = r.agreements[metric], r.page
        known = (page.dataset, page.site, page.language, page.page_type, page.url, r.prediction.error)
        figures = f"precision {agreement.precision:.3f}, recall {agreement.recall:.3f}"
        shown.append(
            WorstPage(
                id=page.id,
                f1=f"{agreement.f1:.3f}",
                facts=(figures, *(value for value in known if value)),
                compared=difference(page.text or "", r.prediction.text, language=page.language),
            )
        )
    return tuple(shown)


def _page(
    title: str, sections: Sequence[Section], *, notes: Sequence[str], facts: Sequence[tuple[str, str]] = ()
) -> str:
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
        "sha256": lambda text: _base64(hashlib.sha256(text.encode()).digest()),
        "data_url": lambda picture: f"data:image/svg+xml;base64,{_base64(picture.encode())}",
    }
    template = environment.get_template(TEMPLATE)
    return template.render(title=title, sections=sections, notes=notes, facts=facts, open_rows=OPEN_ROWS)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _is_best(table: Table, row: int, column: int) -> bool:
    """Return True for the best value of a column in `_COUNTS`, unless all are the same."""
    values: Any = [other[column] for other in table.rows if isinstance(other[column], (int, float))]
    better = next((end for end, names in BEST.items() if table.columns[column] in names), None)
    return better is not None and len(set(values)) > 1 and table.rows[row][column] == better(values)
