"""Keep tables whole, and terms with their definitions."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.article.regions import UNWANTED
from webmain.html.columns import Flag
from webmain.html.visible_text import CELLS
from webmain.metadata.head import stands_aside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webmain.html.columns import Elements
    from webmain.html.document import Document

MIN_PARAGRAPH_CHARS: Final = 60
"""Minimum characters of text on both sides of a teaser without a cue, or of an inserted table, quote, listing or heading."""

MAX_LISTS: Final = 300
"""Maximum tables, and lists of definitions."""

MIN_CELLS: Final = 6
MAX_CELL_CHARS: Final = 40
"""Maximum mean cell length of a data table; with longer cells it may be a layout table."""

_UNWANTED, _IN_ANCHOR = int(UNWANTED), int(Flag.IN_ANCHOR)

BOXES: Final = frozenset(("div", "section", "figure"))
"""Tags of elements that may just wrap a single table, quote, heading or picture."""

_REACH: Final = 6
"""Leaves before and after a table, quote or listing that are searched for its siblings' text."""


def beside(elements: Elements, index: int) -> tuple[int, int]:
    """Return the first leaf before an element, and the end of those after it, that its siblings' text is searched for in.

    An element that is alone in a box stands for the box, and a table for the figure that it is in with its caption.
    """
    tags, first, end, parent = elements.tags, elements.first_leaf, elements.end_leaf, elements.parent[index]
    start, finish = first[index], end[index]
    while parent >= 0 and tags[parent] in BOXES:
        is_alone = (first[parent], end[parent]) == (start, finish)
        if not is_alone and not (tags[parent] == "figure" and tags[index] == "table"):
            break
        start, finish, parent = first[parent], end[parent], elements.parent[parent]
    return (max(first[parent], start - _REACH), min(end[parent], finish + _REACH)) if parent >= 0 else (start, finish)


def fill_tables(document: Document, kept: NDArray[np.bool_]) -> None:
    """Keep all cells of a table of short cells if half of it is kept, or a quarter between kept text.

    With cells missing, its meaning changes. A table of three or more columns that links hardly anywhere is kept in any case
    if its siblings before and after it are.
    """
    elements, leaves = document.elements, document.leaves
    tables = elements.of_tags(("table",))[:MAX_LISTS]
    cells = elements.of_tags(CELLS) if tables else []
    for i, table in enumerate(tables):
        end, first, last = elements.end[table], elements.first_leaf[table], elements.end_leaf[table]
        n_cells = bisect_left(cells, end) - bisect_left(cells, table)
        if n_cells < MIN_CELLS or (i + 1 < len(tables) and tables[i + 1] < end):
            continue
        if not (kept[:last].any() and kept[first:].any()):
            continue  # all kept text is on one side
        members = np.flatnonzero(leaves.bits[first:last] & _UNWANTED == 0) + first
        n, n_kept = leaves.n_chars[members].sum(), leaves.n_chars[members][kept[members]].sum()
        if n > MAX_CELL_CHARS * n_cells:
            continue
        is_within = bool(kept[:first].any() and kept[last:].any())
        if (4 if is_within else 2) * n_kept > n or (is_within and _is_between(document, kept, table, n_cells)):
            kept[members] = True


def _is_between(document: Document, kept: NDArray[np.bool_], table: int, n_cells: int) -> bool:
    """Return True if a table with three or more columns, and hardly any link, is between siblings with kept text."""
    elements, leaves = document.elements, document.leaves
    first, end = elements.first_leaf[table], elements.end_leaf[table]
    n_rows = elements.tags[table : elements.end[table]].count("tr")
    if n_cells <= 2 * n_rows or 4 * np.count_nonzero(leaves.bits[first:end] & _IN_ANCHOR) > end - first:
        return False
    at, last = beside(elements, table)
    return all(leaves.n_chars[a:b][kept[a:b]].sum() >= MIN_PARAGRAPH_CHARS for a, b in ((at, first), (end, last)))


def join_definitions(document: Document, kept: NDArray[np.bool_]) -> None:
    """Keep a term if most of its definitions is kept, and drop a term kept without any."""
    elements, leaves = document.elements, document.leaves
    lists = elements.of_tags(("dl",))[:MAX_LISTS]
    lists = [dl for dl in lists if kept[elements.first_leaf[dl] : elements.end_leaf[dl]].any()]
    if not lists:
        return
    length = np.where(leaves.has(UNWANTED), 0, leaves.n_chars)
    all_before = np.concatenate(([0], np.cumsum(length)))
    kept_before = np.concatenate(([0], np.cumsum(np.where(kept, length, 0))))
    is_linked = leaves.has(Flag.IN_ANCHOR)
    linked_before = np.concatenate(([0], np.cumsum(np.where(is_linked, length, 0))))
    for dl in lists:
        if stands_aside(document, dl):
            continue
        terms: list[int] = []
        definitions: list[int] = []
        for child in [*_children(document, dl), -1]:
            tag = elements.tags[child] if child >= 0 else ""
            if terms and definitions and tag != "dd":
                first, end = elements.first_leaf[definitions[0]], elements.end_leaf[definitions[-1]]
                n, n_kept = all_before[end] - all_before[first], kept_before[end] - kept_before[first]
                is_prose = n and 2 * (linked_before[end] - linked_before[first]) < n
                for term in terms if is_prose else ():
                    members = np.arange(elements.first_leaf[term], elements.end_leaf[term])
                    members = members[length[members] > 0]
                    if not is_linked[members].any():  # a link is probably an author or a menu
                        kept[members] = n_kept > 0 if 2 * n_kept >= n or not n_kept else kept[members]
                terms, definitions = [], []
            if tag == "dt":
                terms.append(child)
            elif tag == "dd":
                definitions.append(child)


def _children(document: Document, element: int) -> Iterator[int]:
    """Yield the terms and definitions of a list, including those grouped in `div` elements."""
    elements = document.elements
    child, end = element + 1, elements.end[element]
    while child < end:
        yield child
        child = child + 1 if elements.tags[child] == "div" else elements.end[child]
