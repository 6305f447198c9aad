"""The report as one HTML page: no script, nothing loaded, every text of a page escaped."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence

from webmain.evaluation.confidence_plots import confidence_plots
from webmain.evaluation.differences import Piece, difference
from webmain.evaluation.metrics import METRICS
from webmain.evaluation.plots import plots
from webmain.evaluation.records import Findings, Plot, Table
from webmain.evaluation.report import Report
from webmain.evaluation.scoring import PageResult
from webmain.evaluation.svg import escape
from webmain.evaluation.writers import text_rows, without_empty

WORST = 10
"""Pages shown with both texts side by side."""

OPEN_ROWS = 30
"""Longer tables are folded away until a reader asks for them."""

STYLE = """
body { margin: 0 auto; padding: 1.5rem; max-width: 76rem; color: #222; background: #fff;
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { font-size: 1.3rem; margin-top: 2.5rem; }
h3 { font-size: 1.05rem; margin-bottom: .3rem; overflow-wrap: anywhere; }
a { color: #00558c; } nav li { display: inline; margin-right: 1.2rem; } nav ul { padding: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; } .wide:focus-visible { outline: 2px solid #00558c; }
svg { max-width: 100%; height: auto; }
figure { margin: 1rem 0; } figcaption { color: #444; max-width: 52rem; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: #444; padding: .4rem 0; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid #ddd; text-align: right; vertical-align: top; }
thead th { border-bottom: 2px solid #222; vertical-align: bottom; background: #fff; }
th.text, td.text, tbody th { text-align: left; } tbody th { font-weight: 600; white-space: nowrap; }
td.text { overflow-wrap: anywhere; max-width: 28rem; } td.best { font-weight: 700; }
tbody tr:hover { background: #f3f6f8; }
summary { cursor: pointer; padding: .3rem 0; color: #00558c; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.sides > div { border: 1px solid #ccc; border-radius: 4px; padding: .6rem .8rem; max-height: 30rem; overflow: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9rem; }
.sides h4 { margin: 0 0 .4rem; font-size: .9rem; }
mark { color: inherit; }
mark.missing { background: #d6e9f8; text-decoration: underline dashed #0072b2; text-underline-offset: 3px; }
mark.extra { background: #fbe3d0; text-decoration: underline solid #d55e00; text-underline-offset: 3px; }
.cut, .meta { color: #595959; font-size: .9rem; }
@media (max-width: 50rem) { .sides { grid-template-columns: 1fr; } dl { grid-template-columns: 1fr; } }
"""

BETTER_HIGH = frozenset({"F1", "precision", "recall", "pooled F1", "median F1", "exact", "segments"})
BETTER_LOW = frozenset({"F1 < .5", "failed", "no text", "ms/page", "median ms", "MB/page", "most MB"})


def document(title: str, body: str) -> str:
    """Return a whole page that may show nothing but its own text, pictures and style."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def report_page(report: Report, *, worst: int = WORST) -> str:
    """Return a comparison's report."""
    by_name = {table.name: table for table in report.tables}
    drawn = [*plots(report.results, by_name["overall"]), *confidence_plots(report.results, by_name)]
    sections = [("systems", "Systems", _table(without_empty(by_name["overall"]), best=True))]
    sections += [(plot.name, plot.title, _plot(plot)) for plot in drawn]
    headings = {
        "metrics": "All metrics",
        "comparison": f"Against {report.baseline}",
        "confidence": "Confidence",
        "coverage": "Most confident pages",
        "margins": "Most confident pages, against the best rival",
        "errors": "Failures",
        "pages": "Pages",
    }
    for table in report.tables:
        if table.name not in ("overall", *(plot.table.name for plot in drawn)):
            heading = headings.get(table.name, table.name.replace("_", " ").capitalize())
            sections.append((table.name, heading, _table(table) if table.rows else "<p>None.</p>"))
    shown = worst_pages(report, worst)
    if shown:
        sections.append(("worst", "Worst pages", shown))
    links = "".join(f'<li><a href="#{escape(name)}">{escape(heading)}</a></li>' for name, heading, _ in sections)
    facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in report.facts)
    notes = "".join(f"<li>{escape(note)}</li>" for note in report.notes)
    parts = [
        f"<header><h1>{escape(report.title)}</h1>\n<dl>{facts}</dl>",
        f"<ul>{notes}</ul>" if notes else "",
        f'<nav aria-label="Sections"><ul>{links}</ul></nav></header>\n<main>',
        *(
            f'<section id="{escape(name)}" aria-labelledby="{escape(name)}-heading">'
            f'<h2 id="{escape(name)}-heading">{escape(heading)}</h2>\n{content}\n</section>'
            for name, heading, content in sections
        ),
        "</main>",
    ]
    return document(report.title, "\n".join(parts))


def findings_page(findings: Findings) -> str:
    """Return a protocol's findings."""
    notes = "".join(f"<li>{escape(note)}</li>" for note in findings.notes)
    tables = "\n".join(f"<section>{_table(table)}</section>" for table in findings.tables)
    drawn = "\n".join(f"<section><h2>{escape(plot.title)}</h2>\n{_plot(plot)}</section>" for plot in findings.plots)
    title = f"Protocol {findings.protocol}"
    return document(title, f"<main><h1>{escape(title)}</h1>\n{drawn}\n{tables}\n<h2>Notes</h2><ul>{notes}</ul></main>")


def _plot(plot: Plot) -> str:
    return (
        f'<figure><div class="wide" tabindex="0" role="group" aria-label="{escape(plot.title)}">{plot.picture}</div>'
        f"<figcaption>{escape(plot.caption)}</figcaption></figure>\n"
        f"<details><summary>The figures of this plot</summary>{_bare_table(plot.table)}</details>"
    )


def _table(table: Table, *, best: bool = False) -> str:
    if len(table.rows) <= OPEN_ROWS:
        return _bare_table(table, best=best)
    return f"<details><summary>{escape(table.title)}: {len(table.rows)} rows</summary>{_bare_table(table)}</details>"


def _bare_table(table: Table, *, best: bool = False) -> str:
    is_text = [any(isinstance(row[number], str) for row in table.rows) for number in range(len(table.columns))]
    is_text[0] = True
    tops = [_best(table, number) if best else None for number in range(len(table.columns))]
    head = "".join(
        f'<th scope="col"{_TEXT if text else ""}>{escape(name)}</th>'
        for name, text in zip(table.columns, is_text, strict=True)
    )
    rows = "\n".join(
        _row(texts, is_text, [top is not None and value == top for value, top in zip(row, tops, strict=True)])
        for row, texts in zip(table.rows, text_rows(table), strict=True)
    )
    label = escape(table.title or table.name)
    return (
        f'<div class="wide" tabindex="0" role="group" aria-label="{label}"><table><caption>{label}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


_TEXT = ' class="text"'


def _row(row: Sequence[str], is_text: Sequence[bool], is_best: Sequence[bool]) -> str:
    cells = [f'<th scope="row">{escape(row[0])}</th>']
    for value, text, best in zip(row[1:], is_text[1:], is_best[1:], strict=True):
        kind = _TEXT if text else ' class="best"' if best else ""
        cells.append(f"<td{kind}>{escape(value)}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _best(table: Table, column: int) -> float | None:
    """Return the best value of a column in which one end is better, None of others and where all are the same."""
    name = table.columns[column]
    values = [row[column] for row in table.rows]
    found = [value for value in values if isinstance(value, (int, float))]
    if len(set(found)) < 2 or name not in BETTER_HIGH | BETTER_LOW:
        return None
    return max(found) if name in BETTER_HIGH else min(found)


def worst_pages(report: Report, most: int) -> str:
    """Return the pages on which the baseline (or only) system is worst, its text beside the gold."""
    results = report.results
    system = report.baseline or results.systems[0]
    found = [r for r in results.by_system[system] if r.page.text is not None and r.scores.agreements]
    found.sort(key=lambda r: (r.scores.agreements[results.main_metric].f1, r.page.dataset, r.page.id))
    if not found or most <= 0:
        return ""
    shown = [r for r in found[:most] if r.scores.agreements[results.main_metric].f1 < 1]
    if not shown:
        return f"<p>{escape(system)} has every page right.</p>"
    intro = (
        f"<p>The pages on which <b>{escape(system)}</b> has the lowest F1 ({escape(METRICS[results.main_metric].title)}). "
        '<mark class="missing">Dashed, blue</mark>: in the gold text only (missing). '
        '<mark class="extra">Solid, orange</mark>: in the extracted text only (too much). '
        "Long texts are compared and shown at their beginning only.</p>"
    )
    return intro + "\n".join(_side_by_side(number, r, report) for number, r in enumerate(shown, 1))


def _side_by_side(number: int, result: PageResult, report: Report) -> str:
    page, text = result.page, result.prediction.text
    agreement = result.scores.agreements[report.results.main_metric]
    compared = difference(page.text or "", text, language=page.language)
    meta = [
        f"F1 {agreement.f1:.3f}, precision {agreement.precision:.3f}, recall {agreement.recall:.3f}",
        *(value for value in (page.dataset, page.site, page.language, page.page_type) if value),
        *([page.url] if page.url else []),
        *([f"error: {result.prediction.error}"] if result.prediction.error else []),
    ]
    return (
        f"<details{' open' if number <= 3 else ''}><summary><b>{number}. {escape(page.id)}</b> "
        f"F1 {agreement.f1:.3f}</summary>\n"
        f'<p class="meta">{escape(" · ".join(meta))}</p>\n<div class="sides">'
        f'<div dir="auto" tabindex="0" role="group" aria-label="Gold text of {escape(page.id)}"><h4>Gold</h4>'
        f"{''.join(_marked(compared.gold, 'missing'))}{_cut(compared.gold_cut)}</div>"
        f'<div dir="auto" tabindex="0" role="group" aria-label="Extracted text of {escape(page.id)}"><h4>Extracted</h4>'
        f"{''.join(_marked(compared.predicted, 'extra'))}{_cut(compared.predicted_cut)}</div></div></details>"
    )


def _marked(pieces: Sequence[Piece], kind: str) -> Iterator[str]:
    if not pieces:
        yield '<span class="cut">(no text)</span>'
    for piece in pieces:
        shown = escape(piece.text)
        yield f'<mark class="{kind}">{shown}</mark>' if piece.differs else shown


def _cut(n_characters: int) -> str:
    return f'\n<span class="cut">… {n_characters:,} more characters</span>' if n_characters > 0 else ""
