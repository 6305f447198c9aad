"""The report's plots: how F1 is distributed, precision against recall, time against F1; each with its figures as a table.

Ours are blue and round, peers vermillion and square, all the page's text grey: colour never speaks alone.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from webmain.evaluation import svg
from webmain.evaluation.metrics import METRICS
from webmain.evaluation.peers import PEERS
from webmain.evaluation.records import Plot, Table
from webmain.evaluation.systems import ALL_TEXT

if TYPE_CHECKING:
    from webmain.evaluation.scoring import Results

MOST_POINTS = 400
"""Points drawn of each system; of more pages a sample is drawn, and the plot says so."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


def plots(results: Results, overall: Table) -> list[Plot]:
    """Draw all plots for which there are figures."""
    if not any(results.agreements(system, results.main_metric) for system in results.systems):
        return []
    drawn = [distribution(results), precision_recall(results)]
    timed = time_against_f1(overall)
    return [*drawn, timed] if timed else drawn


def colour(system: str) -> str:
    """Return a system's colour, by its kind."""
    head = system.partition("@")[0].partition(":")[0]
    return svg.VERMILLION if head in PEERS else svg.GREY if head == ALL_TEXT else svg.BLUE


def _mark(system: str, x: float, y: float, half: float, title: str) -> str:
    if colour(system) == svg.VERMILLION:
        return svg.square(x, y, half - 0.5, fill=svg.VERMILLION, title=title)
    return svg.dot(x, y, half, fill=colour(system), title=title)


def _legend(x: float, y: float, systems: Sequence[str]) -> list[str]:
    kinds = {svg.BLUE: "webmain and your own", svg.VERMILLION: "peers", svg.GREY: "all text"}
    shapes: list[str] = []
    for shade, label in kinds.items():
        example = next((s for s in systems if colour(s) == shade), None)
        if example is not None:
            shapes += [_mark(example, x, y, 5, ""), svg.text(x + 10, y + 4.5, label)]
            x += 34 + len(label) * svg.CHARACTER_WIDTH
    return shapes


def _gutter(systems: Sequence[str]) -> float:
    return 16 + min(34, max(map(len, systems))) * svg.CHARACTER_WIDTH


def short(system: str, most: int = 34) -> str:
    """Return a system's name, cut where it is long."""
    return system if len(system) <= most else system[: most - 1] + "…"


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def distribution(results: Results) -> Plot:
    """Draw each system's F1 over pages: points, quartiles, median and mean."""
    metric = METRICS[results.main_metric].title
    scores = {s: sorted(a.f1 for a in results.agreements(s, results.main_metric)) for s in results.systems}
    ranked = sorted(results.systems, key=lambda system: -fmean(scores[system]))
    left, top, row, width = _gutter(ranked), 40, 46, 860.0
    bottom = top + row * len(ranked)
    x = svg.Scale(0, 1, left, width - 24)
    shapes = _legend(left + 5, 16, ranked)
    for tick in range(11):
        at = x(tick / 10)
        shapes += [svg.line(at, top, at, bottom), svg.text(at, bottom + 20, f"{tick / 10:.1f}", anchor="middle")]
    shapes.append(svg.text((left + width - 24) / 2, bottom + 44, f"F1 of a page, {metric}", anchor="middle", size=14))
    rows: list[tuple[str | float, ...]] = []
    for number, system in enumerate(ranked):
        middle = top + row * (number + 0.5)
        cuts = [_quantile(scores[system], share) for share in QUANTILES]
        mean = fmean(scores[system])
        shapes += _row_of_points(scores[system], x, middle, colour(system))
        shapes += _box(cuts, x, middle)
        shapes.append(svg.diamond(x(mean), middle, 6, fill=svg.INK, title=f"{system}: mean F1 {mean:.4f}"))
        shapes.append(svg.text(left - 10, middle + 4.5, short(system), anchor="end"))
        rows.append((system, len(scores[system]), mean, *cuts))
    many = max(map(len, scores.values())) > MOST_POINTS
    caption = (
        "A point is a page; the box holds the middle half of the pages with the median as a line, its whiskers reach from "
        "the 5 % worst to the 5 % best pages; the diamond is the mean. Best mean at the top."
        + (f" Of more than {MOST_POINTS} pages a random {MOST_POINTS} are drawn as points." if many else "")
    )
    table = Table(
        name="distribution",
        title="Quantiles of the pages' F1",
        columns=("system", "pages", "mean", "5 %", "25 %", "median", "75 %", "95 %"),
        rows=tuple(rows),
    )
    best = f"{ranked[0]} has the highest mean, {fmean(scores[ranked[0]]):.3f}."
    picture = svg.picture("distribution", "How the F1 of pages is distributed", best, width, bottom + 56, shapes)
    return Plot(name="distribution", title="Distribution of F1", caption=caption, picture=picture, table=table)


def _row_of_points(scores: Sequence[float], x: svg.Scale, middle: float, shade: str) -> list[str]:
    draw = random.Random(1)  # noqa: S311 - scatter, no secret
    shown = scores if len(scores) <= MOST_POINTS else draw.sample(list(scores), MOST_POINTS)
    return [svg.dot(x(value), middle + draw.uniform(-17, 17), 2.2, fill=shade, opacity=0.35) for value in shown]


def _box(cuts: Sequence[float], x: svg.Scale, middle: float) -> list[str]:
    low, first, median, third, high = (x(cut) for cut in cuts)
    return [
        svg.line(low, middle, first, middle, stroke=svg.INK, width=1.5),
        svg.line(third, middle, high, middle, stroke=svg.INK, width=1.5),
        svg.line(low, middle - 6, low, middle + 6, stroke=svg.INK, width=1.5),
        svg.line(high, middle - 6, high, middle + 6, stroke=svg.INK, width=1.5),
        svg.box(first, middle - 11, third - first, 22, stroke=svg.INK),
        svg.line(median, middle - 11, median, middle + 11, stroke=svg.INK, width=3),
    ]


_PANEL, _GAP, _LEFT, _TOP = 210.0, 34.0, 62.0, 34.0


def precision_recall(results: Results) -> Plot:
    """Draw precision against recall of each page, a panel for each system, all with the same axes."""
    metric = METRICS[results.main_metric].title
    across = min(4, len(results.systems))
    down = -(-len(results.systems) // across)
    shapes: list[str] = []
    rows = []
    for number, system in enumerate(results.systems):
        left = _LEFT + (number % across) * (_PANEL + _GAP)
        top = _TOP + (number // across) * (_PANEL + _GAP + 24)
        found = results.agreements(system, results.main_metric)
        points = [(a.precision, a.recall) for a in found]
        below = number + across >= len(results.systems)
        shapes += _panel(system, points, left, top, is_left=number % across == 0, is_lowest=below)
        low_precision = sum(p < 0.5 for p, _ in points)
        low_recall = sum(r < 0.5 for _, r in points)
        rows.append((system, fmean(p for p, _ in points), fmean(r for _, r in points), low_precision, low_recall))
    width = max(_LEFT + across * (_PANEL + _GAP), 330)
    height = _TOP + down * (_PANEL + _GAP + 24) + 24
    caption = (
        f"A point is a page ({metric}): too much text is low, too little is left. The grey curves are F1 .5, .7 and .9; "
        "the diamond is the mean of the pages."
        + (f" A random {MOST_POINTS} pages are drawn." if max(r[1] for r in _counts(results)) > MOST_POINTS else "")
    )
    table = Table(
        name="precision_recall",
        title="Mean precision and recall, and pages where either is below .5",
        columns=("system", "precision", "recall", "precision < .5", "recall < .5"),
        rows=tuple(rows),
    )
    picture = svg.picture("precision-recall", "Precision against recall of every page", caption, width, height, shapes)
    return Plot(name="precision_recall", title="Precision and recall", caption=caption, picture=picture, table=table)


def _counts(results: Results) -> list[tuple[str, int]]:
    return [(system, len(results.agreements(system, results.main_metric))) for system in results.systems]


def _panel(
    system: str, points: Sequence[tuple[float, float]], left: float, top: float, *, is_left: bool, is_lowest: bool
) -> list[str]:
    right, bottom = left + _PANEL, top + _PANEL
    x, y = svg.Scale(0, 1, left, right), svg.Scale(0, 1, bottom, top)
    shapes = [svg.text(left, top - 8, short(system, 26))]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        shapes += [svg.line(x(tick), top, x(tick), bottom), svg.line(left, y(tick), right, y(tick))]
        label = f"{tick:.2f}".rstrip("0").rstrip(".") if tick else "0"
        shapes.append(svg.text(x(tick), bottom + 16, label, anchor="middle", size=12))
        if is_left:
            shapes.append(svg.text(left - 7, y(tick) + 4, label, anchor="end", size=12))
    for level in (0.5, 0.7, 0.9):  # where precision = F1 recall / (2 recall - F1)
        steps = [level / (2 - level) + i * (1 - level / (2 - level)) / 40 for i in range(41)]
        shapes.append(svg.path([(x(r), y(level * r / (2 * r - level))) for r in steps], stroke="#b0b0b0", width=1.2))
    draw = random.Random(1)  # noqa: S311 - a sample, no secret
    shown = points if len(points) <= MOST_POINTS else draw.sample(list(points), MOST_POINTS)
    shapes += [svg.dot(x(r), y(p), 2.5, fill=colour(system), opacity=0.4) for p, r in shown]
    if points:
        mean = fmean(p for p, _ in points), fmean(r for _, r in points)
        shapes.append(
            svg.diamond(x(mean[1]), y(mean[0]), 6, fill=svg.INK, title=f"precision {mean[0]:.3f}, recall {mean[1]:.3f}")
        )
    if is_left:
        turned = f' transform="rotate(-90 {left - 42:.1f} {(top + bottom) / 2:.1f})"'
        shapes.append(svg.text(left - 42, (top + bottom) / 2, "precision", anchor="middle", extra=turned))
    if is_lowest:
        shapes.append(svg.text((left + right) / 2, bottom + 34, "recall", anchor="middle"))
    return shapes


class _Timed(NamedTuple):
    system: str
    f1: float
    low: float
    high: float
    ms: float


def _timed(overall: Table) -> list[_Timed]:
    """Return the systems that have both an F1 and a time."""
    at = [overall.columns.index(name) for name in ("F1", "low", "high", "ms/page")]
    found = []
    for row in overall.rows:
        figures = [row[place] for place in at]
        values = [float(value) for value in figures if isinstance(value, (int, float))]
        if len(values) == len(at) and values[3] > 0:
            found.append(_Timed(str(row[0]), *values))
    return found


def time_against_f1(overall: Table) -> Plot | None:
    """Draw mean F1 with its interval against CPU time a page."""
    rows = _timed(overall)
    if not rows:
        return None
    left, top, width, height = 74.0, 36.0, 860.0, 480.0
    right, bottom = width - 30, height - 62
    times = [row.ms for row in rows]
    lowest = max(0.0, min(row.low for row in rows) - 0.03)
    x = svg.Scale(min(times) / 1.6, max(times) * 1.6, left, right, is_log=True)
    y = svg.Scale(lowest, min(1.0, max(row.high for row in rows) + 0.02), bottom, top)
    shapes = _legend(left + 5, 14, [row.system for row in rows])
    for tick in svg.log_ticks(x.low, x.high):
        shapes += [
            svg.line(x(tick), top, x(tick), bottom),
            svg.text(x(tick), bottom + 19, f"{tick:g}", anchor="middle"),
        ]
    for tick in ticks(y.low, y.high):
        shapes += [
            svg.line(left, y(tick), right, y(tick)),
            svg.text(left - 8, y(tick) + 4.5, f"{tick:.2f}", anchor="end"),
        ]
    middle = (top + bottom) / 2
    shapes.append(
        svg.text((left + right) / 2, bottom + 44, "CPU time a page, ms (logarithmic)", anchor="middle", size=14)
    )
    turned = f' transform="rotate(-90 22 {middle:.1f})"'
    shapes.append(svg.text(22, middle, "mean F1 of pages", anchor="middle", size=14, extra=turned))
    places = [(x(row.ms), y(row.f1)) for row in rows]
    for (name, f1, low, high, ms), (px, py) in zip(rows, places, strict=True):
        shapes.append(svg.line(px, y(low), px, y(high), stroke=colour(name), width=1.5))
        shapes.append(_mark(name, px, py, 6, f"{name}: F1 {f1:.4f}, {ms:.1f} ms"))
    intervals = [(y(row.high), y(row.low)) for row in rows]
    shapes += _labels([row.system for row in rows], places, intervals, (left, top, right, bottom))
    caption = (
        "Higher is better, further to the left is faster. The vertical lines are the 95 % intervals of the mean. "
        + ("The vertical axis does not start at 0." if lowest > 0 else "")
    )
    table = Table(
        name="time",
        title="Mean F1 with its 95 % interval, and CPU time a page",
        columns=("system", "F1", "low", "high", "ms/page"),
        rows=tuple(rows),
    )
    picture = svg.picture("time", "Mean F1 against CPU time a page", caption, width, height, shapes)
    return Plot(name="time", title="Time and F1", caption=caption, picture=picture, table=table)


def ticks(low: float, high: float) -> list[float]:
    """Return round values between two shares, nine at most."""
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2) if (high - low) / s <= 9)
    first = -int(-(low + 1e-9) // step)
    return [n * step for n in range(first, int(high / step + 1e-9) + 1)]


def _labels(
    names: Sequence[str],
    places: Sequence[tuple[float, float]],
    intervals: Sequence[tuple[float, float]],
    frame: tuple[float, float, float, float],
) -> list[str]:
    """Put a name beside each mark where it covers no other name or mark; a thin line leads to one that stands apart."""
    taken = [(px - 8, py - 8, px + 8, py + 8) for px, py in places]
    lines = [(px - 2, high, px + 2, low) for (px, _), (high, low) in zip(places, intervals, strict=True)]
    shapes = []
    for name, (px, py) in zip(map(short, names), places, strict=True):
        wide = len(name) * svg.CHARACTER_WIDTH
        spots = [
            (px + dx if dx >= 0 else px + dx - wide, py + dy)
            for reach in range(12)
            for dx in (11, -11)
            for dy in ((0,) if reach == 0 else (-14 * reach, 14 * reach))
        ]
        clear = [spot for spot in spots if _is_free(spot, wide, taken, frame)]
        free = [
            spot for spot in clear if _is_free(spot, wide, lines, frame)
        ] or clear  # where it is narrow, over a line
        lx, ly = free[0] if free else spots[0]
        taken.append((lx, ly - 8, lx + wide, ly + 8))
        if abs(ly - py) > 14:
            shapes.append(svg.line(px, py, lx if lx > px else lx + wide, ly, stroke="#9a9a9a"))
        is_right = lx > px
        halo = ' paint-order="stroke" stroke="#ffffff" stroke-width="3"'
        shapes.append(
            svg.text(lx if is_right else lx + wide, ly + 4.5, name, anchor="start" if is_right else "end", extra=halo)
        )
    return shapes


def _is_free(
    spot: tuple[float, float],
    wide: float,
    taken: Sequence[tuple[float, float, float, float]],
    frame: tuple[float, float, float, float],
) -> bool:
    x1, y1, x2, y2 = spot[0], spot[1] - 8, spot[0] + wide, spot[1] + 8
    if x1 < frame[0] or y1 < frame[1] or x2 > frame[2] or y2 > frame[3]:
        return False
    return all(x2 < a or c < x1 or y2 < b or d < y1 for a, b, c, d in taken)
