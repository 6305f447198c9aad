"""A picture of learning curves: a score by the number of pages of a site, beside that of each page alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from webmain.evaluation import svg
from webmain.evaluation.plots import ticks
from webmain.evaluation.records import Plot, Table


@dataclass(frozen=True, slots=True)
class Line:
    """A score by the number of pages, on the same sites throughout.

    Attributes
    ----------
    n_sites : int
    points : tuple of (int, float, float)
        Number of pages, score with them, score of each page alone.
    """

    n_sites: int
    points: tuple[tuple[int, float, float], ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """A panel of the picture: a line for each set of sites."""

    title: str
    lines: tuple[Line, ...]

    @classmethod
    def of(cls, title: str, table: Table, *, together: str, alone: str) -> Self:
        """Take lines from a table with the columns "pages" and "sites", a line from the rows with the same first column."""
        places = [table.columns.index(name) for name in ("pages", together, alone)]
        sites = table.columns.index("sites")
        lines = []
        for name in dict.fromkeys(row[0] for row in table.rows):
            rows = [row for row in table.rows if row[0] == name]
            figures = [[float(row[place] or 0) for place in places] for row in rows]
            lines.append(Line(int(rows[0][sites] or 0), tuple((int(n), one, other) for n, one, other in figures)))
        return cls(title, tuple(lines))


_PANEL_WIDTH, _PANEL_HEIGHT, _GAP, _LEFT, _TOP = 330.0, 190.0, 78.0, 66.0, 64.0


def curves_plot(curves: Sequence[Curve]) -> Plot:
    """Draw curves two in a row, all with the same axes."""
    points = [point for curve in curves for line in curve.lines for point in line.points]
    values = [value for _, *pair in points for value in pair]
    numbers = sorted({n for n, _, _ in points})
    low, high = max(0.0, min(values) - 0.02), min(1.0, max(values) + 0.02)
    shapes = [
        svg.path([(_LEFT, 16), (_LEFT + 36, 16)], stroke=svg.BLUE, width=2.2),
        svg.dot(_LEFT + 18, 16, 4, fill=svg.BLUE),
        svg.text(_LEFT + 44, 20.5, "with so many pages of the site"),
        svg.path([(_LEFT + 330, 16), (_LEFT + 366, 16)], stroke=svg.GREY, width=2.2, dash="5 4"),
        svg.text(_LEFT + 374, 20.5, "each of these pages alone"),
    ]
    for place, curve in enumerate(curves):
        left = _LEFT + (place % 2) * (_PANEL_WIDTH + _GAP)
        top = _TOP + (place // 2) * (_PANEL_HEIGHT + _GAP)
        shapes += _panel(curve, numbers, (low, high), left, top)
    width = _LEFT + 2 * (_PANEL_WIDTH + _GAP)
    height = _TOP + -(-len(curves) // 2) * (_PANEL_HEIGHT + _GAP)
    caption = (
        "Mean F1 over sites. A line is of the same sites and the same judged pages throughout, those that have so many "
        "pages as its last point says; the dashed line of the same height on the left is theirs, each page judged alone."
        + (" The vertical axes do not start at 0." if low > 0 else "")
    )
    table = Table(
        name="curves",
        title="Mean F1 by the number of pages, and of each page alone",
        columns=("curve", "sites", "pages", "F1", "F1 alone"),
        rows=tuple((c.title, line.n_sites, *point) for c in curves for line in c.lines for point in line.points),
    )
    picture = svg.picture("curves", "F1 by the number of pages learned from", caption, width, height, shapes)
    return Plot(name="curves", title="Learning curves", caption=caption, picture=picture, table=table)


def _panel(curve: Curve, numbers: Sequence[int], bounds: tuple[float, float], left: float, top: float) -> list[str]:
    right, bottom = left + _PANEL_WIDTH, top + _PANEL_HEIGHT
    y = svg.Scale(*bounds, bottom, top)
    step = _PANEL_WIDTH / len(numbers)
    x = {n: left + step * (place + 0.5) for place, n in enumerate(numbers)}
    shapes = [svg.text(left, top - 8, curve.title)]
    for tick in ticks(*bounds):
        shapes += [
            svg.line(left, y(tick), right, y(tick)),
            svg.text(left - 7, y(tick) + 4, f"{tick:.2f}", anchor="end", size=12),
        ]
    shapes += [svg.text(at, bottom + 16, str(n), anchor="middle", size=12) for n, at in x.items()]
    shapes.append(svg.text((left + right) / 2, bottom + 34, "pages of the site", anchor="middle"))
    turned = f' transform="rotate(-90 {left - 44:.1f} {(top + bottom) / 2:.1f})"'
    shapes.append(svg.text(left - 44, (top + bottom) / 2, "mean F1", anchor="middle", extra=turned))
    if not curve.lines:
        return [*shapes, svg.text((left + right) / 2, (top + bottom) / 2, "no site has enough pages", anchor="middle")]
    for drawn in curve.lines:
        points = drawn.points
        shapes.append(svg.path([(x[n], y(alone)) for n, _, alone in points], stroke=svg.GREY, width=1.6, dash="5 4"))
        shapes.append(svg.path([(x[n], y(score)) for n, score, _ in points], stroke=svg.BLUE, width=2.2))
        for n, score, alone in points:
            title = f"{n} pages, {drawn.n_sites} sites: {score:.4f}, each alone {alone:.4f}"
            shapes.append(svg.dot(x[n], y(score), 4, fill=svg.BLUE, title=title))
    shapes += _labels(curve, x, y)
    return shapes


def _labels(curve: Curve, x: Mapping[int, float], y: svg.Scale) -> list[str]:
    """Write the number of sites above the end of each line; lines that end at one place differ by a row."""
    taken: list[tuple[float, float]] = []
    shapes = []
    for drawn in curve.lines:
        n, score, _ = drawn.points[-1]
        at, height = x[n], y(score) - 9
        while any(abs(at - a) < 60 and abs(height - h) < 13 for a, h in taken):
            height -= 13
        taken.append((at, height))
        halo = ' paint-order="stroke" stroke="#ffffff" stroke-width="3"'
        label = f"{drawn.n_sites} site{'s' if drawn.n_sites != 1 else ''}"
        shapes.append(svg.text(at, height, label, anchor="middle", size=12, extra=halo))
    return shapes
