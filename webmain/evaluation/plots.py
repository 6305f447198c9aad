"""The report's plots, each with its figures as a table: drawn by matplotlib, stored as SVG.

Our systems are blue and round, peers vermillion and square, all the page's text grey: colour is never the only sign.
"""

from __future__ import annotations

import io
import random
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webmain.evaluation.confidence import by_coverage, n_kept
from webmain.evaluation.confidence_tables import all_scores, rivals, systems
from webmain.evaluation.metrics import METRICS
from webmain.evaluation.peers import PEERS
from webmain.evaluation.records import Plot, Row, Table
from webmain.evaluation.scoring import Results
from webmain.evaluation.systems import ALL_TEXT
from webmain.text.terminal import cut

_Floats = NDArray[np.float64]

BLUE, VERMILLION, GREY, INK = "#0072b2", "#d55e00", "#767676", "#222222"
"""Can be distinguished with any colour vision (Okabe and Ito); grey has 4.5 : 1 on white."""

MOST_POINTS = 400  # points drawn per system; of more pages a sample is drawn, and the caption says so
MOST_NAME = 34  # characters shown of a system's name
MOST_LINES = 5  # most systems whose confidence is drawn
FIRST_SHARE = 0.05  # least coverage of the curve: the mean of a handful of pages is mere chance

QUANTILES = {"5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95}
MARKERS = "osD^v<>pP*Xh"
DASHES = ("-", "--", ":", "-.", (0, (8, 2, 2, 2)))

SQUARE = {"xlim": (-0.02, 1.02), "ylim": (-0.02, 1.02), "aspect": "equal"}  # axes of a panel of two shares
STYLE = Path(__file__).with_suffix(".mplstyle")


def plots(results: Results, tables: Mapping[str, Table]) -> list[Plot]:
    """Return all plots for which there are figures; `tables` are those of the report, by name."""
    if not any(results.agreements(system, results.main_metric) for system in results.systems):
        return []
    drawn = [distribution(results), precision_recall(results)]
    if (timed := _timed(tables["overall"])).rows:
        drawn.append(time_against_f1(timed))
    if systems(results):
        drawn += [risk_coverage(results, tables["coverage"]), calibration(tables["reliability"])]
    return drawn


@contextmanager
def _drawing(width: float, height: float, *, n: int = 1, across: int = 1) -> Iterator[SimpleNamespace]:
    """Begin a picture of `n` panels, sizes in inches: its `figure` and `panels`, and at the end its `svg`."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(fname=STYLE), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # characters missing from the plot's font
        figure = Figure(figsize=(width, height), layout="constrained")
        grid = figure.subplots(-(-n // across), across, squeeze=False).flatten()
        for unused in grid[n:]:
            unused.set_axis_off()
        drawing = SimpleNamespace(figure=figure, panels=list(grid[:n]), svg="")
        yield drawing
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    drawing.svg = written.getvalue()[written.getvalue().index("<svg") :]


def colour(system: str) -> str:
    """Return a system's colour, by its kind."""
    head = system.partition("@")[0].partition(":")[0]
    return VERMILLION if head in PEERS else GREY if head == ALL_TEXT else BLUE


def _sample(points: Sequence[Any]) -> list[Any]:
    draw = random.Random(1)  # noqa: S311 - a sample, no secret
    return list(points) if len(points) <= MOST_POINTS else draw.sample(list(points), MOST_POINTS)


def _legend(panel: Any, names: Sequence[str]) -> None:
    kinds = {BLUE: ("webmain and your own", "o"), VERMILLION: ("peers", "s"), GREY: ("all text", "o")}
    for shade in dict.fromkeys(map(colour, names)):
        label, marker = kinds[shade]
        panel.plot([], [], color=shade, marker=marker, linestyle="none", label=label)
    panel.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False)


def distribution(results: Results) -> Plot:
    """Draw each system's F1 over pages: points, quartiles, median and mean."""
    scores = {s: np.array([a.f1 for a in results.agreements(s, results.main_metric)]) for s in results.systems}
    ranked = sorted(scores, key=lambda system: -scores[system].mean())
    draw = np.random.default_rng(1)
    with _drawing(9, 1.4 + 0.5 * len(ranked)) as drawing:
        (panel,) = drawing.panels
        for place, system in enumerate(ranked):
            shown = _sample(scores[system].tolist())
            heights = place + draw.uniform(-0.35, 0.35, len(shown))
            panel.scatter(shown, heights, s=9, color=colour(system), alpha=0.35, linewidths=0)
        panel.boxplot(
            [scores[system] for system in ranked],
            orientation="horizontal",
            positions=range(len(ranked)),
            tick_labels=[cut(system, MOST_NAME) for system in ranked],
        )
        panel.set(xlim=(-0.02, 1.02), ylim=(len(ranked) - 0.5, -0.5))
        panel.set_xlabel(f"F1 of a page, {METRICS[results.main_metric].title}")
        _legend(panel, ranked)
    rows: list[Row] = [
        {
            "system": system,
            "pages": len(scores[system]),
            "mean": float(scores[system].mean()),
            **{name: float(np.quantile(scores[system], share)) for name, share in QUANTILES.items()},
        }
        for system in ranked
    ]
    caption = (
        "A point is a page; the box holds the middle half of the pages with the median as a line, its whiskers reach from "
        "the 5 % worst to the 5 % best pages; the diamond is the mean. Best mean at the top."
    )
    if len(scores[ranked[0]]) > MOST_POINTS:
        caption += f" Of more than {MOST_POINTS} pages a random {MOST_POINTS} are drawn as points."
    table = Table.of("distribution", "Quantiles of the pages' F1", rows)
    return Plot(name="distribution", title="Distribution of F1", caption=caption, picture=drawing.svg, table=table)


def precision_recall(results: Results) -> Plot:
    """Draw precision against recall of each page, a panel for each system, all with the same axes."""
    n, across = len(results.systems), min(4, len(results.systems))
    rows: list[Row] = []
    with _drawing(2.4 * across + 0.4, 2.6 * -(-n // across), n=n, across=across) as drawing:
        for panel, system in zip(drawing.panels, results.systems, strict=True):
            points = [(a.recall, a.precision) for a in results.agreements(system, results.main_metric)]
            recall, precision = np.array(points).T
            for level in (0.5, 0.7, 0.9):  # where precision = F1 recall / (2 recall - F1)
                steps = np.linspace(level / (2 - level), 1, 41)
                panel.plot(steps, level * steps / (2 * steps - level), color="#b0b0b0", linewidth=1)
            panel.scatter(*zip(*_sample(points), strict=True), s=8, color=colour(system), alpha=0.4, linewidths=0)
            panel.plot(recall.mean(), precision.mean(), "D", color=INK, markeredgecolor="white")
            panel.set(**SQUARE, xlabel="recall", ylabel="precision")
            panel.set_title(cut(system, 26), fontsize=9)
            rows.append(
                {
                    "system": system,
                    "precision": float(precision.mean()),
                    "recall": float(recall.mean()),
                    "precision < .5": int((precision < 0.5).sum()),
                    "recall < .5": int((recall < 0.5).sum()),
                }
            )
    caption = (
        f"A point is a page ({METRICS[results.main_metric].title}): too much text is low, too little is left. The grey "
        "curves are F1 .5, .7 and .9; the diamond is the mean of the pages."
    )
    if len(points) > MOST_POINTS:
        caption += f" A random {MOST_POINTS} pages are drawn."
    title = "Mean precision and recall, and pages where either is below .5"
    table = Table.of("precision_recall", title, rows)
    return Plot(
        name="precision_recall", title="Precision and recall", caption=caption, picture=drawing.svg, table=table
    )


def _timed(overall: Table) -> Table:
    """Return the systems that have both an F1 and a time."""
    columns = ("system", "F1", "low", "high", "ms/page")
    places = [overall.columns.index(name) for name in columns]
    rows = [tuple(row[place] for place in places) for row in overall.rows]
    title = "Mean F1 with its 95 % interval, and CPU time a page"
    return Table(name="time", title=title, columns=columns, rows=tuple(r for r in rows if r[2] is not None and r[4]))


def time_against_f1(table: Table) -> Plot:
    """Draw mean F1 with its interval against CPU time per page."""
    from matplotlib.ticker import LogLocator

    with _drawing(9, 4.5) as drawing:
        (panel,) = drawing.panels
        for number, (system, *figures) in enumerate(table.rows):
            f1, low, high, ms = (float(figure or 0) for figure in figures)
            name = str(system)
            spread = _lengths(np.array([f1]), np.array([low]), np.array([high]))
            marker = MARKERS[number % len(MARKERS)]
            panel.errorbar(
                [ms], [f1], yerr=spread, color=colour(name), marker=marker, linestyle="none", label=cut(name, MOST_NAME)
            )
        panel.set(xscale="log", xlabel="CPU time a page, ms (logarithmic)", ylabel="mean F1 of pages")
        panel.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.xaxis.set_major_formatter("{x:g}")
        panel.minorticks_off()
        drawing.figure.legend(loc="outside right center", frameon=False)
    caption = (
        "Higher is better, further to the left is faster. The vertical lines are the 95 % intervals of the mean. The "
        "vertical axis does not start at 0."
    )
    return Plot(name="time", title="Time and F1", caption=caption, picture=drawing.svg, table=table)


def risk_coverage(results: Results, table: Table) -> Plot:
    """Draw the mean F1 of the most confident pages against their share, and that of the first system's best rival on them."""
    sure = all_scores(results)
    first, others = sure[0], rivals(results, sure[0].system)
    with _drawing(9, 4.5) as drawing:
        (panel,) = drawing.panels

        def line(curve: _Floats, label: str, shade: str, dash: Any) -> None:
            kept = np.arange(n_kept(FIRST_SHARE, curve.size), curve.size + 1)
            panel.plot(kept / curve.size, curve[kept - 1], color=shade, linestyle=dash, label=label)

        for own, dash in zip(sure, DASHES, strict=False):
            line(by_coverage(own.confidence, own.f1), cut(own.system, 60), colour(own.system), dash)
        if others:
            best = max(others, key=lambda name: float(others[name].mean()))
            label = f"{cut(best, MOST_NAME)} on the most confident pages of {cut(first.system, MOST_NAME)}"
            shade = colour(best) if colour(best) != BLUE else GREY
            line(by_coverage(first.confidence, others[best]), label, shade, (0, (4, 4)))
        panel.set_xlabel("coverage: share of the pages kept, the most confident")
        panel.set_ylabel(f"mean F1 of the pages kept, {METRICS[results.main_metric].title}")
        panel.xaxis.set_major_formatter("{x:.0%}")
        panel.legend(loc="lower left", bbox_to_anchor=(0, 1), frameon=False)
    caption = (
        "From right to left, the least confident pages are left out: if a line rises to the left, the confidences rank "
        f"the pages correctly. The lines begin at {FIRST_SHARE:.0%} of the pages. The vertical axis does not start at 0."
    )
    return Plot(name="risk_coverage", title="Risk and coverage", caption=caption, picture=drawing.svg, table=table)


def calibration(table: Table) -> Plot:
    """Draw mean F1 against confidence, over pages of similar confidence, a panel for each system."""
    names = list(dict.fromkeys(str(row[0]) for row in table.rows))[:MOST_LINES]
    across = min(2, len(names))
    with _drawing(3.6 * across + 0.4, 3.6 * -(-len(names) // across), n=len(names), across=across) as drawing:
        for panel, name in zip(drawing.panels, names, strict=True):
            rows = [[float(cell or 0) for cell in row[5:9]] for row in table.rows if row[0] == name]
            confidence, f1, low, high = np.array(rows).T
            panel.plot([0, 1], [0, 1], color=GREY, linestyle="--")
            panel.errorbar(
                confidence, f1, yerr=_lengths(f1, low, high), color=colour(name), marker="o", linestyle="none"
            )
            panel.set(**SQUARE, xlabel="mean confidence", ylabel="mean F1")
            panel.set_title(cut(name, MOST_NAME), fontsize=9)
    caption = (
        "A point is pages of similar confidence, each for about as many; the vertical lines are 95 % intervals of their mean "
        "F1. On the dashed line, confidence equals F1; below it, the system is overconfident."
    )
    return Plot(name="calibration", title="Calibration", caption=caption, picture=drawing.svg, table=table)


def _lengths(mean: _Floats, low: _Floats, high: _Floats) -> _Floats:
    """Return the lengths of error bars, `(2, n)`; those that rounding makes negative are 0."""
    return np.maximum(0, [mean - low, high - mean])


def curves_plot(curves: Mapping[str, Table]) -> Plot:
    """Draw learning curves, two panels in a row: a score by the number of pages of a site, beside that of each page alone.

    A panel for each table, of the columns "pages", "sites", "F1" and "F1 alone"; rows with the same first column are a
    line, of the same sites throughout.
    """
    rows: list[Row] = []
    with _drawing(9, 3 * -(-len(curves) // 2), n=len(curves), across=min(2, len(curves))) as drawing:
        for panel, (title, table) in zip(drawing.panels, curves.items(), strict=True):
            places = [table.columns.index(name) for name in ("sites", "pages", "F1", "F1 alone")]
            for name in dict.fromkeys(row[0] for row in table.rows):
                cells = [[float(row[place] or 0) for place in places] for row in table.rows if row[0] == name]
                sites, pages, score, score_alone = np.array(cells).T
                n_sites = int(sites[0])
                panel.plot(pages, score_alone, color=GREY, linestyle="--")
                panel.plot(pages, score, color=BLUE, marker="o")
                panel.annotate(f"{n_sites} site{'s' if n_sites != 1 else ''}", (pages[-1], score[-1]))
                rows += [
                    {"curve": title, "sites": n_sites, "pages": int(n), "F1": one, "F1 alone": other}
                    for n, one, other in zip(pages, score.tolist(), score_alone.tolist(), strict=True)
                ]
            panel.set(title=title, xscale="log", xlabel="pages of the site", ylabel="mean F1")
            numbers = sorted({int(row["pages"] or 0) for row in rows if row["curve"] == title})
            panel.set_xticks(numbers, labels=map(str, numbers))
            panel.minorticks_off()
            if not table.rows:
                panel.text(0.5, 0.5, "no site has enough pages", transform=panel.transAxes, ha="center")
    caption = (
        "Mean F1 over sites; blue: with so many pages of the site, grey and dashed: each of these pages alone. A line is of "
        "the same sites and the same judged pages throughout, those that have at least as many pages as its last point. The "
        "vertical axes do not start at 0."
    )
    figures = Table.of("curves", "Mean F1 by the number of pages, and of each page alone", rows)
    return Plot(name="curves", title="Learning curves", caption=caption, picture=drawing.svg, table=figures)
