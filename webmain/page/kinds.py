"""What kept text is to a reader: paragraphs, headings, list items, quotes, tables, captions, code.

Whatever blocks a method decided on, the article's blocks are the kept leaves of one unit of the default segmentation: so all
methods give articles of the same form.
"""

from __future__ import annotations

import bisect
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webmain.items import ArticleBlock, Break, Flag, Kind
from webmain.keep import DEFAULT_KEEP, Keep

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.page.document import Document
    from webmain.page.tree import Elements, Leaves

HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_CELLS = frozenset({"td", "th"})
_KINDS = {
    **dict.fromkeys(("pre", "listing", "xmp"), Kind.CODE),
    **dict.fromkeys(("figcaption", "caption"), Kind.CAPTION),
    **dict.fromkeys(("li", "dt", "dd"), Kind.LIST_ITEM),
    "blockquote": Kind.QUOTE,
}
_TELLING = frozenset({*HEADINGS, *_LISTS, *_CELLS, *_KINDS, "table", "tr"})
MAX_CELL_CHARS = 300
"""A table with longer cells on average lays out a page; its cells are paragraphs."""


class _Place(NamedTuple):
    """What an element and those above it say of the text in it."""

    kind: Kind = Kind.PARAGRAPH
    level: int = 0
    ordered: bool = False
    n_lists: int = 0
    table: int = -1  # innermost table
    row: int = -1  # its row and cell that the text stands in
    cell: int = -1


def article_blocks(
    document: Document,
    kept: NDArray[np.bool_],
    *,
    score: NDArray[np.float64],
    raw: NDArray[np.float64],
    locate: bool = True,
    keep: Keep = DEFAULT_KEEP,
) -> tuple[ArticleBlock, ...]:
    """Turn kept leaves into an article's blocks.

    Parameters
    ----------
    document : Document
    kept : (n_leaves,) bool
    score, raw : (n_leaves,) float64
        The values of the extractor's block that each leaf belongs to.
    locate : bool
        Give each block its XPath.
    keep : Keep
        Captions, tables and lists may be left out.
    """
    leaves, elements = document.leaves, document.elements
    groups = _groups(leaves, kept)
    known: dict[int, _Place] = {-1: _Place()}
    places = [_place(elements, leaves.box[group[0]], known) for group in groups]
    data_tables = _data_tables(elements, leaves, groups, places)
    blocks: list[ArticleBlock] = []
    i = 0
    while i < len(groups):
        group, place = groups[i], places[i]
        element, kind = leaves.box[group[0]], place.kind
        rows: tuple[tuple[str, ...], ...] = ()
        first = i
        i += 1
        if place.cell >= 0 and place.table in data_tables:
            while i < len(groups) and places[i].table == place.table:
                i += 1
            element, kind = place.table, Kind.TABLE
            rows = _rows(leaves, groups[first:i], places[first:i])
            text = "\n".join("\t".join(row) for row in rows)
        elif kind is Kind.CODE and all(leaves.flags[g] & Flag.PREFORMATTED for g in group):
            text = leaves.join(group).strip("\r\n").rstrip()
        else:
            text = leaves.text(group)
        dropped = (kind is Kind.CAPTION and keep.captions is False) or (kind is Kind.TABLE and not keep.tables)
        if text and not dropped:
            is_item = kind is Kind.LIST_ITEM
            blocks.append(
                ArticleBlock(
                    kind=kind,
                    text=text,
                    level=place.level if kind is Kind.HEADING else max(1, place.n_lists) if is_item else 0,
                    ordered=place.ordered and is_item,
                    rows=rows,
                    score=float(score[group[0]]),
                    raw=float(raw[group[0]]),
                    xpath=elements.xpath(element) if locate and element >= 0 else "",
                )
            )
    if not keep.lists and 2 * sum(len(b.text) for b in blocks if b.kind is Kind.LIST_ITEM) < sum(
        len(b.text) for b in blocks
    ):
        blocks = [b for b in blocks if b.kind is not Kind.LIST_ITEM]
    return tuple(blocks)


def _groups(leaves: Leaves, kept: NDArray[np.bool_]) -> list[list[int]]:
    """Group kept leaves by the unit of the default segmentation that they stand in."""
    chosen = np.flatnonzero(kept)
    if not len(chosen):
        return []
    unit = np.cumsum(leaves.gaps >= int(Break.BR_BR))[chosen]
    starts = np.flatnonzero(np.diff(unit, prepend=-1)).tolist()
    members = chosen.tolist()
    return [members[a:b] for a, b in zip(starts, [*starts[1:], len(members)], strict=True)]


def _place(elements: Elements, element: int, known: dict[int, _Place]) -> _Place:
    """Read an element's place from the tags above it; what is found is remembered for all elements passed."""
    passed = []
    while element not in known:
        passed.append(element)
        element = elements.parent[element]
    place = known[element]
    for index in reversed(passed):
        tag = elements.tags[index]
        if tag in _TELLING:
            place = _within(place, tag, index)
        known[index] = place
    return place


def _within(place: _Place, tag: str, index: int) -> _Place:
    """Return the place inside an element, given the place outside."""
    kind, level, ordered, n_lists, table, row, cell = place
    if tag in HEADINGS:
        kind, level = Kind.HEADING, HEADINGS[tag]
    elif tag in _LISTS:
        n_lists, ordered = n_lists + 1, tag == "ol"
    elif tag == "table":
        table, row, cell = index, -1, -1
    elif tag == "tr":
        row = index
    elif tag in _CELLS:
        cell = index
    elif kind is not Kind.HEADING:
        kind = _KINDS[tag]
    return _Place(kind, level, ordered, n_lists, table, row, cell)


def _data_tables(elements: Elements, leaves: Leaves, groups: list[list[int]], places: list[_Place]) -> frozenset[int]:
    """Tell tables of data from tables that lay out a page.

    Data: no table inside, not declared a presentation, no headings, captions or code in its cells, cells short on average,
    and at least two rows with two cells (or a header cell) among what was kept.
    """
    cells: dict[int, dict[int, int]] = {}
    rows: dict[int, set[int]] = {}
    disqualified: set[int] = set()
    for group, place in zip(groups, places, strict=True):
        if place.cell < 0:
            continue
        of_cell = cells.setdefault(place.table, {})
        of_cell[place.cell] = of_cell.get(place.cell, 0) + sum(len(leaves.texts[g]) for g in group)
        rows.setdefault(place.table, set()).add(place.row)
        if place.kind in (Kind.HEADING, Kind.CAPTION, Kind.CODE):
            disqualified.add(place.table)
    data = set()
    tables = [i for i, tag in enumerate(elements.tags) if tag == "table"] if cells else []
    for table, of_cell in cells.items():
        if table < 0 or table in disqualified:
            continue
        if (elements.attributes[table].get("role") or "") in ("presentation", "none"):
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
