"""What kept text is to a reader: paragraphs, headings, list items, quotes, tables, captions, code.

Whatever blocks a method decided on, the article's blocks are the kept leaves of one unit of the default segmentation: so all
methods give articles of the same form.
"""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, NamedTuple

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


class _Place(NamedTuple):
    """What the ancestors of a block say of it; the innermost that says something is heard.

    A named tuple because pages have thousands of them, and a frozen dataclass takes four times as long to make.
    """

    heading: int = 0  # level of the nearest heading
    nearest: Kind = Kind.PARAGRAPH
    ordered: bool = False  # nearest list
    depth: int = 0  # lists around it
    table: int = -1  # innermost table whose cell the block stands in
    row: int = -1
    cell: int = -1
    open_table: int = -1  # nearest table and row, be it before any cell
    open_row: int = -1

    @property
    def kind(self) -> Kind:
        return Kind.HEADING if self.heading else self.nearest

    @property
    def level(self) -> int:
        return self.heading or (max(1, self.depth) if self.nearest is Kind.LIST_ITEM else 0)


_KINDS = {
    "pre": Kind.CODE,
    "listing": Kind.CODE,
    "xmp": Kind.CODE,
    "figcaption": Kind.CAPTION,
    "caption": Kind.CAPTION,
    "li": Kind.LIST_ITEM,
    "dt": Kind.LIST_ITEM,
    "dd": Kind.LIST_ITEM,
    "blockquote": Kind.QUOTE,
}
_TELLING = frozenset({*HEADINGS, *_KINDS, *_LISTS, "dl", *_CELLS, "tr", "table"})


class _Places:
    """Places of elements, each worked out once from its parent's."""

    def __init__(self, elements: Elements) -> None:
        self._elements = elements
        self._known: dict[int, _Place] = {-1: _Place()}

    def __getitem__(self, element: int) -> _Place:
        known, parent, tags = self._known, self._elements.parent, self._elements.tags
        path = []
        while element not in known:
            path.append(element)
            element = parent[element]
        place = known[element]
        for i in reversed(path):
            if tags[i] in _TELLING:
                place = _inside(place, tags[i], i)
            known[i] = place
        return place


def _inside(outer: _Place, tag: str, element: int) -> _Place:
    """Return the place inside an element that says something."""
    heading, nearest, ordered, depth, table, row, cell, open_table, open_row = outer
    if tag in HEADINGS:
        heading = HEADINGS[tag]
    elif tag in _KINDS:
        nearest = _KINDS[tag]
    elif tag in _CELLS:
        table, row, cell = open_table, open_row, element
    elif tag == "tr":
        open_row = element
    elif tag == "table":
        open_table, open_row = element, -1
    else:
        ordered, depth = tag == "ol", depth + 1
    return _Place(heading, nearest, ordered, depth, table, row, cell, open_table, open_row)


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
    first = [group[0] for group in groups]
    boxes = [max(leaves.box[i], 0) for i in first]
    values = list(zip(score[first].tolist(), raw[first].tolist(), strict=True))
    known = _Places(elements)
    places = [known[box] for box in boxes]
    data_tables = _data_tables(elements, leaves, groups, places)
    blocks: list[ArticleBlock] = []
    i = 0
    while i < len(groups):
        place = places[i]
        own_score, own_raw = values[i]
        if place.table in data_tables:
            j = i
            while j < len(groups) and places[j].table == place.table:
                j += 1
            rows = _rows(leaves, groups[i:j], places[i:j])
            text = "\n".join("\t".join(row) for row in rows)
            xpath = elements.xpath(place.table)
            blocks.append(
                ArticleBlock(kind=Kind.TABLE, text=text, rows=rows, score=own_score, raw=own_raw, xpath=xpath)
            )
            i = j
            continue
        if text := _text(leaves, groups[i], place.kind):
            blocks.append(
                ArticleBlock(
                    kind=place.kind,
                    text=text,
                    level=place.level,
                    ordered=place.ordered and place.kind is Kind.LIST_ITEM,
                    score=own_score,
                    raw=own_raw,
                    xpath=elements.xpath(boxes[i]),
                )
            )
        i += 1
    return tuple(blocks)


def _text(leaves: Leaves, group: list[int], kind: Kind) -> str:
    """Join a group's leaves; white space is folded unless all of it is code."""
    text = leaves.join(group) if len(group) > 1 else leaves.texts[group[0]]
    preformatted = [bool(leaves.flags[i] & Flag.PREFORMATTED.value) for i in group]
    if not any(preformatted):
        return text
    if kind is Kind.CODE and all(preformatted):
        return text.strip("\r\n").rstrip()
    return "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()


def _groups(leaves: Leaves, kept: NDArray[np.bool_]) -> list[list[int]]:
    """Group kept leaves by the unit of the default segmentation that they stand in."""
    chosen = np.flatnonzero(kept)
    if not len(chosen):
        return []
    unit = np.cumsum(leaves.gaps >= int(Break.BR_BR))[chosen]
    starts = np.flatnonzero(np.diff(unit, prepend=-1)).tolist()
    members = chosen.tolist()
    return [members[a:b] for a, b in zip(starts, [*starts[1:], len(members)], strict=True)]


def _data_tables(
    elements: Elements, leaves: Leaves, groups: Iterable[list[int]], places: Iterable[_Place]
) -> frozenset[int]:
    """Tell tables of data from tables that lay out a page.

    Data: no table inside, not declared a presentation, no headings or lists in its cells, cells short on average, and at
    least two rows with two cells (or a header cell) among what was kept.
    """
    cells: dict[int, dict[int, int]] = {}
    rows: dict[int, set[int]] = {}
    disqualified: set[int] = set()
    for group, place in zip(groups, places, strict=True):
        if place.table < 0:
            continue
        size = sum(len(leaves.texts[g]) for g in group)
        of_cell = cells.setdefault(place.table, {})
        of_cell[place.cell] = of_cell.get(place.cell, 0) + size
        rows.setdefault(place.table, set()).add(place.row)
        if place.kind not in (Kind.PARAGRAPH, Kind.LIST_ITEM, Kind.QUOTE):
            disqualified.add(place.table)
    data = set()
    tables = [i for i, tag in enumerate(elements.tags) if tag == "table"] if cells else []
    for table, of_cell in cells.items():
        if table in disqualified or (elements.attributes[table].get("role") or "") in ("presentation", "none"):
            continue
        n_rows = len(rows[table])
        if n_rows < 2 or sum(of_cell.values()) > MAX_CELL_CHARS * len(of_cell):
            continue
        following = bisect.bisect_right(tables, table)
        if following < len(tables) and tables[following] < elements.end[table]:
            continue
        if len(of_cell) >= 2 * n_rows - 1 or "th" in elements.tags[table + 1 : elements.end[table]]:
            data.add(table)
    return frozenset(data)


def _rows(leaves: Leaves, groups: list[list[int]], places: list[_Place]) -> tuple[tuple[str, ...], ...]:
    """Collect the kept text of a table by row and cell."""
    rows: dict[int, dict[int, list[str]]] = {}
    for group, place in zip(groups, places, strict=True):
        text = " ".join(leaves.join(group).split())
        rows.setdefault(place.row, {}).setdefault(place.cell, []).append(text)
    return tuple(tuple(" ".join(parts) for parts in cells.values()) for cells in rows.values())
