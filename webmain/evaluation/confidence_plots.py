"""The report's plots on confidence: mean F1 of the most confident pages, and confidence against F1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from webmain.evaluation import svg
from webmain.evaluation.confidence import by_coverage, n_kept
from webmain.evaluation.confidence_tables import judged, rivals, systems
from webmain.evaluation.metrics import METRICS
from webmain.evaluation.plots import colour, short, ticks
from webmain.evaluation.records import Plot, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.evaluation.scoring import Results

DASHES = ("", "9 4", "2 3", "9 3 2 3", "14 4")
"""How the lines of systems of one kind are told apart."""

FIRST_SHARE = 0.05
"""The curve begins here: the mean of a handful of pages says nothing."""

MOST_LINES = 5
STEPS = 200


def confidence_plots(results: Results, tables: Mapping[str, Table]) -> list[Plot]:
    """Draw all plots on confidence; none where no system gives any."""
    if not systems(results):
        return []
    return [risk_coverage(results, tables["coverage"]), reliability(tables["reliability"])]


def risk_coverage(results: Results, table: Table) -> Plot:
    """Draw the mean F1 of the most confident pages against their share, and that of the first system's best rival on them."""
    lines = _lines(results)
    left, top, width, height = 74.0, 20.0 + 20 * len(lines), 860.0, 420.0 + 20 * len(lines)
    right, bottom = width - 30, height - 62
    values = np.concatenate([shares for _, _, _, shares in lines])
    lowest = max(0.0, float(values.min()) - 0.02)
    x, y = svg.Scale(0, 1, left, right), svg.Scale(lowest, min(1.0, float(values.max()) + 0.01), bottom, top)
    shapes = []
    for tick in range(11):
        at = x(tick / 10)
        shapes += [svg.line(at, top, at, bottom), svg.text(at, bottom + 19, f"{10 * tick} %", anchor="middle")]
    for value in ticks(y.low, y.high):
        shapes += [
            svg.line(left, y(value), right, y(value)),
            svg.text(left - 8, y(value) + 4.5, f"{value:.2f}", anchor="end"),
        ]
    for number, (name, shade, dash, curve) in enumerate(lines):
        at = 14.0 + 20 * number
        shapes += [
            svg.path([(left, at), (left + 40, at)], stroke=shade, width=2.2, dash=dash),
            svg.text(left + 48, at + 4.5, name),
            svg.path(_points(curve, x, y), stroke=shade, width=2.2, dash=dash),
        ]
    shapes.append(
        svg.text(
            (left + right) / 2, bottom + 44, "coverage: share of the pages kept, the most confident", anchor="middle"
        )
    )
    middle = (top + bottom) / 2
    turned = f' transform="rotate(-90 22 {middle:.1f})"'
    label = f"mean F1 of the pages kept, {METRICS[results.main_metric].title}"
    shapes.append(svg.text(22, middle, label, anchor="middle", size=14, extra=turned))
    caption = (
        "From right to left, the pages of which a system is least sure are set aside: a line that rises to the left ranks "
        f"its pages rightly. The lines begin at {100 * FIRST_SHARE:g} % of the pages."
        + (" The vertical axis does not start at 0." if lowest > 0 else "")
    )
    picture = svg.picture("risk-coverage", "Mean F1 of the most confident pages", caption, width, height, shapes)
    return Plot(name="risk_coverage", title="Risk and coverage", caption=caption, picture=picture, table=table)


def _lines(results: Results) -> list[tuple[str, str, str, NDArray[np.float64]]]:
    """Return name, colour, dashes and curve of each line."""
    sure = systems(results)
    lines = []
    for number, system in enumerate(sure[:MOST_LINES]):
        own = judged(results, system)
        lines.append((short(system, 60), colour(system), DASHES[number], by_coverage(own.confidence, own.f1)))
    first = judged(results, sure[0])
    others = rivals(results, sure[0])
    if others:
        best = max(others, key=lambda name: float(others[name].mean()))
        label = f"{short(best)} on the pages of which {short(sure[0])} is most sure"
        shade = colour(best) if colour(best) != svg.BLUE else svg.GREY
        lines.append((label, shade, "4 4", by_coverage(first.confidence, others[best])))
    return lines


def _points(curve: NDArray[np.float64], x: svg.Scale, y: svg.Scale) -> list[tuple[float, float]]:
    n_pages = curve.size
    kept = sorted({n_kept(FIRST_SHARE + (1 - FIRST_SHARE) * step / STEPS, n_pages) for step in range(STEPS + 1)})
    return [(x(n / n_pages), y(float(curve[n - 1]))) for n in kept]


_PANEL, _GAP, _LEFT, _TOP = 300.0, 60.0, 62.0, 34.0
_ACROSS = 2


def reliability(table: Table) -> Plot:
    """Draw the mean F1 of pages of similar confidence against it, a panel for each system."""
    names = list(dict.fromkeys(str(row[0]) for row in table.rows))[:MOST_LINES]
    across = min(_ACROSS, len(names))
    shapes: list[str] = []
    for number, name in enumerate(names):
        left, top = _LEFT + (number % across) * (_PANEL + _GAP), _TOP + (number // across) * (_PANEL + _GAP + 24)
        figures = [[float(cell or 0) for cell in row[5:9]] for row in table.rows if row[0] == name]
        shapes += _panel(name, figures, left, top)
    width = _LEFT + across * (_PANEL + _GAP)
    height = _TOP + -(-len(names) // across) * (_PANEL + _GAP + 24)
    caption = (
        "A point stands for pages of similar confidence, each for about as many; the vertical lines are 95 % intervals of "
        "their mean F1. On the dashed line confidence is what was reached; below it the system is too sure of itself."
    )
    picture = svg.picture("reliability", "F1 against confidence", caption, width, height, shapes)
    return Plot(name="calibration", title="Calibration", caption=caption, picture=picture, table=table)


def _panel(name: str, figures: Sequence[Sequence[float]], left: float, top: float) -> list[str]:
    right, bottom = left + _PANEL, top + _PANEL
    x, y = svg.Scale(0, 1, left, right), svg.Scale(0, 1, bottom, top)
    shapes = [svg.text(left, top - 8, short(name))]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        shapes += [
            svg.line(x(tick), top, x(tick), bottom),
            svg.line(left, y(tick), right, y(tick)),
            svg.text(x(tick), bottom + 16, f"{tick:.1f}", anchor="middle", size=12),
            svg.text(left - 7, y(tick) + 4, f"{tick:.1f}", anchor="end", size=12),
        ]
    shapes.append(svg.line(left, bottom, right, top, stroke=svg.GREY, width=1.2, dash="5 4"))
    for confidence, f1, low, high in figures:
        shapes.append(svg.line(x(confidence), y(low), x(confidence), y(high), stroke=colour(name), width=1.5))
        title = f"confidence {confidence:.3f}, F1 {f1:.3f}"
        shapes.append(svg.dot(x(confidence), y(f1), 4.5, fill=colour(name), title=title))
    turned = f' transform="rotate(-90 {left - 38:.1f} {(top + bottom) / 2:.1f})"'
    shapes.append(svg.text(left - 38, (top + bottom) / 2, "mean F1", anchor="middle", extra=turned))
    shapes.append(svg.text((left + right) / 2, bottom + 34, "mean confidence", anchor="middle"))
    return shapes
