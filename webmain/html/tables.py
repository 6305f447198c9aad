"""Tables as rows and columns of cells."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from webmain.html.visible_text import CELLS
from webmain.items import TextLink, TextMark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webmain.html.tree import Elements
    from webmain.html.visible_text import TextContext, VisibleText

_ALIGN = re.compile(r"(?:^|;)\s*text-align\s*:\s*([a-z]{3,7})", re.IGNORECASE)
_SIDES = {"left": "left", "right": "right", "center": "center", "start": "left", "end": "right"}

MAX_SPAN = 50
"""Limit to which `colspan` and `rowspan` are reduced."""

MAX_COLUMNS = 500

MAX_REACHED = 50_000
"""Limit on positions of one table that are covered by spanning cells; beyond it, spans are ignored."""


class Grid:
    """A table's kept text by rows and columns.

    Attributes
    ----------
    rows : tuple of tuple of str
        Rows with kept text, cells in order; empty cells and those covered by a spanning cell are "". Empty columns are left
        out.
    text : str
        Rows joined by new lines, cells by tabs.
    links : tuple of TextLink
        Links in `text`.
    marks : tuple of TextMark
        Bold, italic and code spans in `text`.
    align : tuple of str
        Alignment of each column; empty if none is aligned.
    """

    def __init__(
        self,
        elements: Elements,
        table: int,
        groups: Sequence[Sequence[int]],
        contexts: Sequence[TextContext],
        wording: VisibleText,
        *,
        links: bool,
    ) -> None:
        of_cell: dict[int, list[Sequence[int]]] = {}
        for group, context in zip(groups, contexts, strict=True):
            of_cell.setdefault(context.cell, []).append(group)
        grid = _fill_grid(_grid(elements, table), {context.row for context in contexts}, of_cell)
        found: list[TextLink] | None = [] if links else None
        marks: list[TextMark] = []
        rows, at = [], 0
        for cells in grid:
            row = []
            for cell in cells:
                start, parts = at, []
                for group in of_cell.get(cell, ()):
                    whole = wording.text(group, found, at)
                    marks += wording.marks(group, whole, at)
                    parts.append(whole.replace("\n", " "))
                    at += len(parts[-1]) + 1
                row.append(" ".join(parts))
                at = start + len(row[-1]) + 1
            rows.append(tuple(row))
        self.rows = tuple(rows)
        self.text = "\n".join("\t".join(row) for row in rows)
        self.links = tuple(found or ())
        self.marks = tuple(marks)
        columns = [_alignment(elements, table, [c for c in column if c >= 0]) for column in zip(*grid, strict=True)]
        self.align = tuple(columns) if any(columns) else ()


def _alignment(elements: Elements, table: int, cells: list[int]) -> str:
    """Return the alignment of most cells of a column, by `align` or `style`; "" if there is none."""
    told = Counter(_aligned(elements, table, cell) for cell in cells)
    side, n = told.most_common(1)[0] if told else ("", 0)
    return side if 2 * n > len(cells) else ""


def _aligned(elements: Elements, table: int, cell: int) -> str:
    for element in (cell, elements.parent[cell]):
        if element > table:
            attributes = elements.attributes[element]
            style = _ALIGN.search((attributes.get("style") or "")[:1_000])
            side = (style[1] if style else attributes.get("align") or "").strip().lower()
            if side in _SIDES:
                return _SIDES[side]
    return ""


def _grid(elements: Elements, table: int) -> list[tuple[int, list[int]]]:
    """Return each row of a table (without nested tables), with its cells by column; -1 where a spanning cell covers."""
    rows: list[tuple[int, list[int]]] = []
    below: dict[int, int] = {}  # column: rows that a cell above still spans
    n_reached = 0
    for row in range(table + 1, elements.end[table]):
        if elements.tags[row] != "tr":
            continue
        columns: list[int] = []
        taken, below = below if n_reached < MAX_REACHED else {}, {}
        cell = row + 1
        while cell < elements.end[row] and len(columns) < MAX_COLUMNS:
            if elements.tags[cell] in CELLS:
                while len(columns) in taken:
                    _reach(below, len(columns), taken[len(columns)] - 1)
                    columns.append(-1)
                width, height = 1, 1
                if n_reached < MAX_REACHED:
                    width, height = (_span(elements, cell, name) for name in ("colspan", "rowspan"))
                for column in range(len(columns), len(columns) + width):
                    _reach(below, column, height - 1)
                columns += [cell, *[-1] * (width - 1)]
            cell = elements.end[cell]
        for column in range(len(columns), max(taken, default=-1) + 1):
            columns.append(-1)
            if column in taken:
                _reach(below, column, taken[column] - 1)
        n_reached += columns.count(-1)
        rows.append((row, columns[:MAX_COLUMNS]))
    return rows


def _reach(below: dict[int, int], column: int, n_rows: int) -> None:
    if n_rows > 0:
        below[column] = n_rows


def _span(elements: Elements, cell: int, name: str) -> int:
    text = elements.attributes[cell].get(name) or ""
    return min(MAX_SPAN, max(1, int(text))) if text.isascii() and text.isdigit() and len(text) < 6 else 1


def _fill_grid(
    grid: list[tuple[int, list[int]]], wanted: set[int], of_cell: dict[int, list[Sequence[int]]]
) -> list[list[int]]:
    """Return the rows with kept text, padded to the same length, without columns that have none."""
    rows = [cells for row, cells in grid if row in wanted]
    columns = sorted({column for cells in rows for column, cell in enumerate(cells) if cell in of_cell})
    return [[cells[column] if column < len(cells) else -1 for column in columns] for cells in rows]
