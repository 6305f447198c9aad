"""Segmentations: a page's text divided into blocks, by default what a reader sees as one unit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from webmain.html.columns import Break
from webmain.html.document import Document, view

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray


class Unit(StrEnum):
    """What an extraction's blocks are ranges of."""

    LEAVES = "leaves"
    LINES = "lines"


@dataclass(frozen=True)
class Block:
    """One block of a segmentation, for inspection and reports; computations use the segmentation's columns.

    Attributes
    ----------
    first, end : int
        Half-open range of leaves (or source lines).
    element : int
        The block's element, or its nearest ancestor; -1 for source lines.
    text : str
        Its text as a reader sees it.
    tag_path, css, xpath : str
        Path of the element; "" for source lines.
    """

    index: int
    first: int
    end: int
    element: int
    text: str
    tag_path: str
    css: str
    xpath: str


@dataclass(frozen=True)
class Segmentation:
    """One method's blocks over a document: disjoint half-open ranges of units in document order.

    A unit inside a block's range need not belong to it: text that the method removed beforehand (hidden text, forms) is in
    no block. `of_unit` is authoritative.

    Attributes
    ----------
    unit : Unit
        Leaves, or source lines for Line-Block.
    first, end : (n_blocks,) int32
        Half-open ranges of units.
    element : (n_blocks,) int32
        Index of each block's element; -1 for source lines.
    of_unit : (n_units,) int32
        The block of each unit, -1 for none.
    """

    document: Document
    unit: Unit
    first: NDArray[np.int32]
    end: NDArray[np.int32]
    element: NDArray[np.int32]
    of_unit: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.first)

    def __repr__(self) -> str:
        return f"Segmentation({len(self)} blocks of {self.unit.value} in {self.document!r})"

    def members(self, block: int) -> NDArray[np.int64]:
        """Return the indices of the block's units, ascending."""
        first, end = int(self.first[block]), int(self.end[block])
        return first + np.flatnonzero(self.of_unit[first:end] == block)

    def text(self, block: int) -> str:
        """Return the block's text; for a block that is the page's `title` element, the title."""
        if self.unit is Unit.LEAVES and self.document.elements.tags[self.element[block]] == "title":
            return self.document.title
        members = self.members(block).tolist()
        if self.unit is Unit.LEAVES:
            return self.document.leaves.join(members).strip()
        texts = self.document.lines.texts
        return "\n".join(texts[i] for i in members if texts[i])

    def texts(self, blocks: Sequence[int]) -> list[str]:
        """Return the texts of several blocks, faster than one by one.

        Parameters
        ----------
        blocks : sequence of int
            Ascending.
        """
        if self.unit is Unit.LINES:
            lines, owner = self.document.lines.texts, self.of_unit.tolist()
            first, end = self.first.tolist(), self.end.tolist()
            return ["\n".join(lines[i] for i in range(first[b], end[b]) if owner[i] == b and lines[i]) for b in blocks]
        chosen = np.asarray(blocks, dtype=np.int64)
        tags, leaves, owner = self.document.elements.tags, self.document.leaves, self.of_unit.tolist()
        runs, join = leaves.texts, leaves.join
        texts = []
        columns = (chosen, self.element[chosen], self.first[chosen], self.end[chosen])
        for block, element, first, end in zip(*(column.tolist() for column in columns), strict=True):
            if end - first == 1 and owner[first] == block:
                text = runs[first].strip()
            else:
                text = join([unit for unit in range(first, end) if owner[unit] == block]).strip()
            texts.append(self.document.title if tags[element] == "title" else text)
        return texts

    def sums(self, column: ArrayLike) -> NDArray[np.float64]:
        """Return the sum of a column over each block's units.

        Parameters
        ----------
        column : (n_units,) array
        """
        inside = self.of_unit >= 0
        values = np.asarray(column, dtype=np.float64)
        return np.bincount(self.of_unit[inside], weights=values[inside], minlength=len(self)).astype(np.float64)

    def __iter__(self) -> Iterator[Block]:
        elements = self.document.elements if self.unit is Unit.LEAVES else None
        for i in range(len(self)):
            element = int(self.element[i])
            place = ("", "", "")
            if elements is not None and element >= 0:
                place = (elements.tag_path(element), elements.css(element), elements.xpath(element))
            yield Block(i, int(self.first[i]), int(self.end[i]), element, self.text(i), *place)


def from_runs(document: Document, owner: NDArray[np.int32], *, fresh: NDArray[np.bool_] | None = None) -> Segmentation:
    """Return maximal runs of leaves with the same owner as blocks.

    Parameters
    ----------
    document : Document
    owner : (n_leaves,) int32
        The element whose block each leaf belongs to, -1 for none. Leaves without an owner don't end a run.
    fresh : (n_leaves,) bool or None
        Leaves that start a block even if the owner is the same.
    """
    of_unit = np.full(len(owner), -1, dtype=np.int32)
    inside = np.flatnonzero(owner >= 0)
    if not len(inside):
        nothing = np.zeros(0, dtype=np.int32)
        return Segmentation(document, Unit.LEAVES, nothing, nothing, nothing, of_unit)
    mine = owner[inside]
    starts = np.ones(len(inside), dtype=bool)
    starts[1:] = mine[1:] != mine[:-1]
    if fresh is not None:
        starts |= fresh[inside]
    of_unit[inside] = np.cumsum(starts) - 1
    at = np.flatnonzero(starts)
    first = inside[at].astype(np.int32)
    last = inside[np.append(at[1:], len(inside)) - 1]
    return Segmentation(document, Unit.LEAVES, first, (last + 1).astype(np.int32), mine[at].astype(np.int32), of_unit)


def from_elements(document: Document, elements: NDArray[np.int64], *, member: NDArray[np.bool_]) -> Segmentation:
    """Return a block for each element: the leaves of its subtree.

    Parameters
    ----------
    document : Document
    elements : (n,) int64
        Ascending; none inside another.
    member : (n_leaves,) bool
        Leaves that may belong to a block. An element without any makes no block, unless it is the page's `title`.
    """
    columns = document.elements
    first, end = columns.leaf_starts[elements], columns.leaf_ends[elements]
    before = np.concatenate(([0], np.cumsum(member)))
    is_block = before[end] > before[first]
    for i in range(min(len(elements), 1)):
        is_block[i] |= columns.tags[elements[i]] == "title" and bool(document.title)
    elements, first, end = elements[is_block], first[is_block], end[is_block]
    of_unit = np.full(len(member), -1, dtype=np.int32)
    lengths = end - first
    starts = np.cumsum(lengths) - lengths
    inside = np.arange(lengths.sum()) + np.repeat(first - starts, lengths)
    of_unit[inside] = np.repeat(np.arange(len(elements), dtype=np.int32), lengths)
    of_unit[~member] = -1
    return Segmentation(document, Unit.LEAVES, first, end, elements.astype(np.int32), of_unit)


def segment(document: Document, *, member: NDArray[np.bool_] | None = None) -> Segmentation:
    """Return a page's blocks as a reader sees them: block-level elements and double line breaks end a block.

    Table cells, list items, terms and preformatted text are block-level, so each is a separate block.

    Parameters
    ----------
    document : Document
    member : (n_leaves,) bool or None
        Leaves that belong to a block; None for all, including hidden ones.
    """
    leaves = document.leaves
    owner = np.maximum(leaves.boxes, 0)
    if member is not None:
        owner = np.where(member, owner, -1).astype(np.int32)
    return from_runs(document, owner, fresh=leaves.gaps >= int(Break.BR_BR))


def default_blocks(document: Document) -> Segmentation:
    """Return the default segmentation of a page: what a reader sees as one unit."""
    return Segmentation(document, Unit.LEAVES, *_default_columns(document))


@view
def _default_columns(document: Document) -> tuple[NDArray[np.int32], ...]:
    """Return the columns only: a view that refers to its document would be a reference cycle and delay freeing memory."""
    found = segment(document)
    return found.first, found.end, found.element, found.of_unit
