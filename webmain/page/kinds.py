"""What kept text is to a reader: paragraphs, headings, list items, quotes, tables, captions, code.

Whatever blocks a method decided on, the article's blocks are the kept leaves of one unit of the default segmentation: so all
methods give articles of the same form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webmain.items import ArticleBlock, Break, Flag, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from webmain.page.document import Document
    from webmain.page.tree import Elements, Leaves

HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_LISTS = frozenset({"ul", "ol", "menu", "dir"})
_CELLS = frozenset({"td", "th"})
MAX_CELL_CHARS = 300
"""A table with longer cells on average lays out a page; its cells are paragraphs."""


@dataclass(frozen=True, slots=True)
class _Place:
    """What the ancestors of a block say of it."""

    kind: Kind
    level: int = 0
    ordered: bool = False
    item: int = -1  # nearest li, dt or dd
    table: int = -1  # innermost table whose cell the block stands in
    row: int = -1
    cell: int = -1


def article_blocks(
    document: Document, kept: NDArray[np.bool_], *, score: NDArray[np.float64], raw: NDArray[np.float64]
) -> tuple[ArticleBlock, ...]:
    """Turn kept leaves into an article's blocks.

    Parameters
    ----------
    document : Document
    kept : (n_leaves,) bool
    score, raw : (n_leaves,) float64
        The values of the extractor's block that each leaf belongs to.
    """
    leaves, elements = document.leaves, document.elements
    groups = _groups(leaves, kept)
    places: dict[int, _Place] = {}
    for group in groups:
        box = leaves.box[group[0]]
        if box not in places:
            places[box] = _place(elements, box)
    data_tables = _data_tables(elements, leaves, groups, places)
    blocks: list[ArticleBlock] = []
    i = 0
    while i < len(groups):
        group = groups[i]
        place = places[leaves.box[group[0]]]
        first_score, first_raw = float(score[group[0]]), float(raw[group[0]])
        if place.table in data_tables:
            j = i
            while j < len(groups) and places[leaves.box[groups[j][0]]].table == place.table:
                j += 1
            rows = _rows(leaves, groups[i:j], places)
            text = "\n".join("\t".join(row) for row in rows)
            blocks.append(
                ArticleBlock(
                    kind=Kind.TABLE,
                    text=text,
                    rows=rows,
                    xpath=elements.xpath(place.table),
                    score=first_score,
                    raw=first_raw,
                )
            )
            i = j
            continue
        text = leaves.join(group)
        if place.kind is Kind.CODE and all(leaves.flags[g] & Flag.PREFORMATTED for g in group):
            text = text.strip("\r\n").rstrip()
        else:
            text = "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()
        if text:
            blocks.append(
                ArticleBlock(
                    kind=place.kind,
                    text=text,
                    level=place.level,
                    ordered=place.ordered,
                    xpath=elements.xpath(leaves.box[group[0]]) if leaves.box[group[0]] >= 0 else "",
                    score=first_score,
                    raw=first_raw,
                )
            )
        i += 1
    return tuple(blocks)


def _groups(leaves: Leaves, kept: NDArray[np.bool_]) -> list[list[int]]:
    """Group kept leaves by the unit of the default segmentation that they stand in."""
    if not len(leaves):
        return []
    fresh = leaves.gaps >= int(Break.BR_BR)
    unit = np.cumsum(fresh)
    chosen = np.flatnonzero(kept)
    if not len(chosen):
        return []
    starts = np.flatnonzero(np.diff(unit[chosen], prepend=-1))
    return [part.tolist() for part in np.split(chosen, starts[1:])]


def _place(elements: Elements, box: int) -> _Place:
    """Read a block's kind from the elements around it, innermost first."""
    kind, level, ordered, item, depth = Kind.PARAGRAPH, 0, False, -1, 0
    table = row = cell = -1
    index = box
    while index >= 0:
        tag = elements.tags[index]
        if tag in HEADINGS and kind is not Kind.HEADING:
            kind, level = Kind.HEADING, HEADINGS[tag]
        elif tag in ("pre", "listing", "xmp") and kind is Kind.PARAGRAPH:
            kind = Kind.CODE
        elif tag in ("figcaption", "caption") and kind is Kind.PARAGRAPH:
            kind = Kind.CAPTION
        elif tag in ("li", "dt", "dd") and item < 0:
            item = index
            if kind is Kind.PARAGRAPH:
                kind = Kind.LIST_ITEM
        elif tag in _LISTS or tag == "dl":
            depth += 1
            if depth == 1:
                ordered = tag == "ol"
        elif tag == "blockquote" and kind is Kind.PARAGRAPH:
            kind = Kind.QUOTE
        elif tag in _CELLS and cell < 0 and table < 0:
            cell = index
        elif tag == "tr" and cell >= 0 and row < 0 and table < 0:
            row = index
        elif tag == "table" and cell >= 0 and table < 0:
            table = index
        index = elements.parent[index]
    if kind is Kind.LIST_ITEM:
        level = max(1, depth)
    return _Place(kind, level, ordered and kind is Kind.LIST_ITEM, item, table, row, cell)


def _data_tables(
    elements: Elements, leaves: Leaves, groups: Iterable[list[int]], places: dict[int, _Place]
) -> frozenset[int]:
    """Tell tables of data from tables that lay out a page.

    Data: no table inside, not declared a presentation, no headings or lists in its cells, cells short on average, and at
    least two rows with two cells (or a header cell) among what was kept.
    """
    cells: dict[int, dict[int, int]] = {}
    rows: dict[int, set[int]] = {}
    disqualified: set[int] = set()
    for group in groups:
        place = places[leaves.box[group[0]]]
        if place.table < 0:
            continue
        size = sum(len(leaves.texts[g]) for g in group)
        of_cell = cells.setdefault(place.table, {})
        of_cell[place.cell] = of_cell.get(place.cell, 0) + size
        rows.setdefault(place.table, set()).add(place.row)
        if place.kind not in (Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.QUOTE):
            disqualified.add(place.table)
    data = set()
    for table, of_cell in cells.items():
        if table in disqualified or (elements.attributes[table].get("role") or "") in ("presentation", "none"):
            continue
        inside = elements.tags[table + 1 : elements.end[table]]
        n_rows = len(rows[table])
        if "table" in inside or n_rows < 2 or (len(of_cell) < 2 * n_rows - 1 and "th" not in inside):
            continue
        if sum(of_cell.values()) <= MAX_CELL_CHARS * len(of_cell):
            data.add(table)
    return frozenset(data)


def _rows(leaves: Leaves, groups: list[list[int]], places: dict[int, _Place]) -> tuple[tuple[str, ...], ...]:
    """Collect the kept text of a table by row and cell."""
    rows: dict[int, dict[int, list[str]]] = {}
    for group in groups:
        place = places[leaves.box[group[0]]]
        text = " ".join(leaves.join(group).split())
        rows.setdefault(place.row, {}).setdefault(place.cell, []).append(text)
    return tuple(tuple(" ".join(parts) for parts in cells.values()) for cells in rows.values())
