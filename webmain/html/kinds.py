"""Turns kept text into article blocks: paragraphs, headings, list items, quotes, tables, captions, code.

Whatever blocks a method uses, each article block has the kept leaves of units of the default segmentation, so articles have
the same form with all methods.
"""

from __future__ import annotations

import bisect
import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.html.columns import HIDDEN, Flag
from webmain.html.names import MAX_CLASS_CHARS
from webmain.html.tables import Grid
from webmain.html.visible_text import CAPTION_CLASS, TextContext, TextContexts, VisibleText
from webmain.items import ArticleBlock, Kind, TextLink
from webmain.items.keep import DEFAULT_KEEP, Keep
from webmain.text.normal import strip_invisible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.document import Document
    from webmain.html.tree import Elements, Leaves

_HIDDEN, _PREFORMATTED = int(HIDDEN), int(Flag.PREFORMATTED)
_PARAGRAPH, _HEADING, _LIST_ITEM, _QUOTE = Kind.PARAGRAPH, Kind.HEADING, Kind.LIST_ITEM, Kind.QUOTE
_TABLE, _CAPTION, _CODE = (
    Kind.TABLE,
    Kind.CAPTION,
    Kind.CODE,
)  # an enum's member costs more to look up than a block's text
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:lang(?:uage)?|highlight-source|highlight-text|brush|src|sourcecode)[-:]\s*([a-z][\w+#.-]{0,20})(?=[\s;]|$)"
)
_NO_LANGUAGE = frozenset("none plain plaintext text txt auto nohighlight output".split())
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")

MAX_CELL_CHARS = 300
"""A table with a higher mean cell length is a layout table; its cells become paragraphs."""


@dataclass(frozen=True, slots=True)
class Composed:
    """Article blocks, and the leaves of each, ascending."""

    blocks: tuple[ArticleBlock, ...]
    leaves: tuple[Sequence[int], ...]


def article_blocks(
    document: Document,
    kept: NDArray[np.bool_],
    *,
    score: NDArray[np.float64],
    raw: NDArray[np.float64],
    locate: bool = True,
    keep: Keep = DEFAULT_KEEP,
) -> tuple[ArticleBlock, ...]:
    """Return an article's blocks from its kept leaves (see `compose_blocks`)."""
    return compose_blocks(document, kept, score=score, raw=raw, locate=locate, keep=keep).blocks


def compose_blocks(
    document: Document,
    kept: NDArray[np.bool_],
    *,
    score: NDArray[np.float64],
    raw: NDArray[np.float64],
    locate: bool = True,
    keep: Keep = DEFAULT_KEEP,
) -> Composed:
    """Return an article's blocks from its kept leaves, and each block's leaves; a leaf is in at most one block.

    Parameters
    ----------
    document : Document
    kept : (n_leaves,) bool
        Hidden leaves are dropped from units that also show text.
    score, raw : (n_leaves,) float64
        The values of the extractor's block that each leaf belongs to.
    locate : bool
        Give each block its XPath.
    keep : Keep
        Whether captions, tables and lists are kept, and links returned.
    """
    leaves, elements = document.leaves, document.elements
    unit = leaves.unit
    chosen, after_hidden = _shown(leaves, kept, unit)
    if not chosen:
        return Composed((), ())
    contexts = TextContexts(elements)
    wording = VisibleText(document, contexts, chosen, after_hidden=after_hidden)
    groups = _groups(wording.chosen, unit)
    at = [_unit_context(contexts, leaves, group) for group in groups]
    shape = _BlockBuilder(document, wording, keep, groups, at)
    blocks: list[ArticleBlock] = []
    members: list[Sequence[int]] = []
    firsts = [group[0] for group in groups]
    scores, raws = score[firsts].tolist(), raw[firsts].tolist()
    i = 0
    while i < len(groups):
        first, i = i, shape.end(i)
        made = shape.block(first, i)
        if made is not None:
            element, values = made
            path = elements.xpath(element) if locate and element >= 0 else ""
            blocks.append(ArticleBlock(**values, score=scores[first], raw=raws[first], xpath=path))
            members.append(groups[first] if i == first + 1 else list(itertools.chain.from_iterable(groups[first:i])))
    return Composed(tuple(blocks), tuple(members))


def _shown(leaves: Leaves, kept: NDArray[np.bool_], unit: NDArray[np.int32]) -> tuple[list[int], list[int]]:
    """Return the kept leaves without hidden ones in units that show text, and the leaves that follow dropped ones."""
    chosen = np.flatnonzero(kept)
    if not len(chosen):
        return [], []
    hidden = (leaves.bits[chosen] & _HIDDEN) != 0
    if not hidden.any():
        return chosen.tolist(), []
    shows = np.zeros(int(unit[-1]) + 1, dtype=np.bool_)
    shows[unit[chosen[~hidden]]] = True
    dropped = hidden & shows[unit[chosen]]
    after = ~dropped & np.roll(dropped, 1)
    return chosen[~dropped].tolist(), chosen[after].tolist()


def _groups(chosen: list[int], unit: NDArray[np.int32]) -> list[list[int]]:
    """Return leaves grouped by their unit of the default segmentation."""
    if not chosen:
        return []
    of = unit[chosen]
    starts = (np.flatnonzero(of[1:] != of[:-1]) + 1).tolist()
    return [chosen[a:b] for a, b in itertools.pairwise([0, *starts, len(chosen)])]


def _unit_context(contexts: TextContexts, leaves: Leaves, group: Sequence[int]) -> TextContext:
    """Return a unit's context; an inline element around the whole unit may make it a caption or a quote."""
    context = contexts.of(leaves.box[group[0]])
    element = leaves.element[group[0]]
    if context.kind is not _PARAGRAPH or element == leaves.box[group[0]]:
        return context
    inner = contexts.of(element)
    if inner.kind is _PARAGRAPH or any(contexts.of(leaves.element[i]).kind is not inner.kind for i in group[1:]):
        return context
    return inner


class _BlockBuilder:
    """Builds article blocks from units, in order."""

    def __init__(
        self, document: Document, wording: VisibleText, keep: Keep, groups: list[list[int]], contexts: list[TextContext]
    ) -> None:
        self._elements: Elements = document.elements
        self._leaves: Leaves = document.leaves
        self._wording = wording
        self._keep = keep
        self._groups = groups
        self._contexts = contexts
        self._tables = data_tables(self._elements, self._leaves, groups, contexts)
        self._drops = keep.captions is False or not (keep.tables and keep.lists)
        self._layout_lists = frozenset() if keep.lists else self._find_layout_lists()
        self._numbers: dict[int, int] = {}
        self._begun: set[int] = set()  # list items that have a block already
        self._quote = -1  # the quote that the last block is in

    def _find_layout_lists(self) -> frozenset[int]:
        """Return the lists with at least half of the text, which are page layout."""
        lengths: dict[int, int] = {}
        for group, context in zip(self._groups, self._contexts, strict=True):
            n_chars = sum(len(self._leaves.texts[i]) for i in group)
            lengths[context.outer_list] = lengths.get(context.outer_list, 0) + n_chars
        return frozenset(e for e, n in lengths.items() if 2 * n >= sum(lengths.values()))

    def _is_data(self, context: TextContext) -> bool:
        return context.cell >= 0 and context.table in self._tables

    def end(self, first: int) -> int:
        """Return the end of the block that begins with a unit; tables and code have several units."""
        contexts, i = self._contexts, first + 1
        context = contexts[first]
        if context.cell < 0 and context.kind is not _CODE:
            return i
        if self._is_data(context):
            while i < len(contexts) and contexts[i].table == context.table and contexts[i].cell >= 0:
                i += 1
        elif context.kind is _CODE:
            while i < len(contexts) and contexts[i].code == context.code and contexts[i].kind is _CODE:
                i += 1
        return i

    def block(self, first: int, end: int) -> tuple[int, dict[str, Any]] | None:
        """Return a block's element and its fields; None if it has no text or is not wanted."""
        context, keep = self._contexts[first], self._keep
        if self._drops and self._is_dropped(context):
            return None
        if context.cell >= 0 and self._is_data(context):
            return self._table(first, end)
        group = self._groups[first]
        element, kind = self._leaves.box[group[0]], context.kind
        values: dict[str, Any] = {"kind": kind}
        if kind is _CODE and self._leaves.flags[group[0]] & _PREFORMATTED:
            text = self._wording.code([i for members in self._groups[first:end] for i in members])
            element = context.code
            values["language"] = self._language(context.code)
        elif keep.links:
            links: list[TextLink] = []
            text = self._wording.text(group, links)
            values["links"] = tuple(links)
        else:
            text = self._wording.text(group)
        if not text or (len(text) < 4 and not text.isascii() and not strip_invisible(text)):
            return None
        values["text"] = text
        if kind is not _CODE and (marks := self._wording.marks(group, text)):
            values["marks"] = tuple(marks)
        if kind is _HEADING:
            values["level"] = context.level
        elif kind is _LIST_ITEM:
            values.update(self._item(context))
        elif kind is _QUOTE and context.quote == self._quote:
            values["continues"] = True
        self._quote = context.quote
        return element, values

    def _is_dropped(self, context: TextContext) -> bool:
        keep = self._keep
        if context.kind is _CAPTION and keep.captions is False:
            return True
        if not keep.tables and context.table in self._tables:
            return True
        return not keep.lists and context.outer_list >= 0 and context.outer_list not in self._layout_lists

    def _table(self, first: int, end: int) -> tuple[int, dict[str, Any]]:
        table = self._contexts[first].table
        groups, contexts = self._groups[first:end], self._contexts[first:end]
        grid = Grid(self._elements, table, groups, contexts, self._wording, links=self._keep.links)
        self._quote = -1
        return table, {
            "kind": _TABLE,
            "text": grid.text,
            "rows": grid.rows,
            "links": grid.links,
            "marks": grid.marks,
            "align": grid.align,
        }

    def _item(self, context: TextContext) -> dict[str, Any]:
        """Return the fields of a list item's block."""
        begun = context.item in self._begun
        self._begun.add(context.item)
        values: dict[str, Any] = {"level": max(1, context.n_lists), "ordered": context.ordered, "continues": begun}
        if context.ordered and self._elements.tags[context.item] == "li":
            values["number"] = self._number(context.item)
        return values

    def _number(self, item: int) -> int:
        """Return an item's number as a browser counts it."""
        if item not in self._numbers:
            elements = self._elements
            parent = elements.parent[item]
            items, child = [], parent + 1
            while child < elements.end[parent]:
                if elements.tags[child] == "li":
                    items.append(child)
                child = elements.end[child]
            attributes = elements.attributes[parent]
            step = -1 if "reversed" in attributes else 1
            number = _whole_number(attributes.get("start"), len(items) if step < 0 else 1)
            for each in items:
                number = _whole_number(elements.attributes[each].get("value"), number)
                self._numbers[each] = number
                number += step
        return self._numbers[item]

    def _language(self, code: int) -> str:
        """Return the programming language that a class or an attribute in or around preformatted text names."""
        elements = self._elements
        parent = elements.parent[code]
        around = [code + 1, code, parent, elements.parent[parent] if parent >= 0 else -1]
        for element in around:
            if not 0 <= element < len(elements) or (element == code + 1 and elements.parent[element] != code):
                continue
            attributes = elements.attributes[element]
            for name in ("data-lang", "data-language", "class", "lang"):
                value = (attributes.get(name) or "").lower()
                found = _LANGUAGE.search(value) if name == "class" else _LANGUAGE.search(f"lang-{value}")
                if found and name != "lang" and found[1] not in _NO_LANGUAGE:
                    return found[1]
        return ""


def data_tables(
    elements: Elements, leaves: Leaves, groups: Sequence[Sequence[int]], contexts: Sequence[TextContext]
) -> frozenset[int]:
    """Return the tables that contain data, as opposed to layout tables.

    A data table has no table inside, no presentation role, no headings, captions or code in its cells, short cells on
    average, and at least two kept rows with about two cells each, or a header cell.
    """
    cells: dict[int, dict[int, int]] = {}
    rows: dict[int, set[int]] = {}
    disqualified: set[int] = set()
    for group, context in zip(groups, contexts, strict=True):
        if context.cell < 0:
            continue
        of_cell = cells.setdefault(context.table, {})
        of_cell[context.cell] = of_cell.get(context.cell, 0) + sum(len(leaves.texts[g]) for g in group)
        rows.setdefault(context.table, set()).add(context.row)
        if context.kind in (Kind.HEADING, Kind.CAPTION, Kind.CODE):
            disqualified.add(context.table)
    data = set()
    tables = elements.of_tags(("table",)) if cells else []
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


def _whole_number(text: str | None, default: int) -> int:
    return int(text) if text and _WHOLE_NUMBER.fullmatch(text.strip()) else default


def is_caption(name: str | None) -> bool:
    """Return True if a class attribute names a caption."""
    if not name or len(name) > MAX_CLASS_CHARS:
        return False
    lower = name.lower()
    return "caption" in lower and CAPTION_CLASS.search(lower) is not None
