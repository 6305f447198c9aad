"""A picture of learning curves: a score by the number of pages of a site, beside that of each page alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from webmain.evaluation import svg
from webmain.evaluation.plots import ticks
from webmain.evaluation.records import Plot, Table


@dataclass(frozen=True)
class Curve:
    """A panel of the picture.

    Attributes
    ----------
    title : str
    points : tuple of (int, float, float)
        Number of pages, score with them, score of each page alone.
    """

    title: str
    points: tuple[tuple[int, float, float], ...]

    @classmethod
    def of(cls, title: str, table: Table, *, x: str, together: str, alone: str) -> Self:
        """Take a curve from three columns of a table."""
        places = [table.columns.index(name) for name in (x, together, alone)]
        rows = [[float(row[place] or 0) for place in places] for row in table.rows]
        return cls(title, tuple((int(n), one, other) for n, one, other in rows))


_PANEL_WIDTH, _PANEL_HEIGHT, _GAP, _LEFT, _TOP = 330.0, 190.0, 78.0, 66.0, 64.0


def curves_plot(curves: Sequence[Curve]) -> Plot:
    """Draw curves two in a row, all with the same axes."""
    values = [value for curve in curves for _, *pair in curve.points for value in pair]
    numbers = sorted({n for curve in curves for n, _, _ in curve.points})
    low, high = max(0.0, min(values) - 0.02), min(1.0, max(values) + 0.02)
    shapes = [
        svg.path([(_LEFT, 16), (_LEFT + 36, 16)], stroke=svg.BLUE, width=2.2),
        svg.dot(_LEFT + 18, 16, 4, fill=svg.BLUE),
        svg.text(_LEFT + 44, 20.5, "with so many pages of the site"),
        svg.path([(_LEFT + 330, 16), (_LEFT + 366, 16)], stroke=svg.GREY, width=2.2, dash="5 4"),
        svg.square(_LEFT + 348, 16, 3.5, fill=svg.GREY),
        svg.text(_LEFT + 374, 20.5, "each page alone, same pages"),
    ]
    for place, curve in enumerate(curves):
        left = _LEFT + (place % 2) * (_PANEL_WIDTH + _GAP)
        top = _TOP + (place // 2) * (_PANEL_HEIGHT + _GAP)
        shapes += _panel(curve, numbers, (low, high), left, top)
    width = _LEFT + 2 * (_PANEL_WIDTH + _GAP)
    height = _TOP + -(-len(curves) // 2) * (_PANEL_HEIGHT + _GAP)
    caption = (
        "Mean F1 over sites. Points to the right are of fewer sites, those that have so many pages: what learning adds is "
        "the distance between the two lines." + (" The vertical axes do not start at 0." if low > 0 else "")
    )
    table = Table(
        name="curves",
        title="Mean F1 by the number of pages, and of each page alone",
        columns=("curve", "pages", "F1", "F1 alone"),
        rows=tuple((curve.title, *point) for curve in curves for point in curve.points),
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
    if not curve.points:
        return [*shapes, svg.text((left + right) / 2, (top + bottom) / 2, "no site has enough pages", anchor="middle")]
    shapes.append(svg.path([(x[n], y(alone)) for n, _, alone in curve.points], stroke=svg.GREY, width=2.2, dash="5 4"))
    shapes.append(svg.path([(x[n], y(score)) for n, score, _ in curve.points], stroke=svg.BLUE, width=2.2))
    for n, score, alone in curve.points:
        shapes.append(svg.square(x[n], y(alone), 3.5, fill=svg.GREY, title=f"{n} pages, each alone: {alone:.4f}"))
        shapes.append(svg.dot(x[n], y(score), 4.5, fill=svg.BLUE, title=f"{n} pages together: {score:.4f}"))
    return shapes
