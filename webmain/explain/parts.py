"""Divide a page into parts, each leaf in exactly one: in the article, dropped by the method, or not judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from webmain.article.compose import ArticleParts, parts_on_page, reads_lines
from webmain.article.regions import leaves_of_lines
from webmain.explain.records import ExplainedBlock
from webmain.extractors.base import ExplainingExtractor, Extraction, Extractor
from webmain.html.blocks import Unit
from webmain.html.columns import HIDDEN, Flag
from webmain.html.document import Document
from webmain.html.visible_text import LINE_NUMBER, RUBY, SUPERSCRIPT, TextContext, TextContexts
from webmain.items import Article, Kind, Rejected, Verdict
from webmain.items.keep import Keep

PRUNED = "a menu or a footer"
ADDED = "a caption of what was kept"
LEFT_OUT = "kept by the method, but not running text: "
REPLACED = "kept by the method, but the text comes from "
NOT_JUDGED = "in no block of this method"
TITLE = "the page's title, for search; not part of the text"
NEXT_PAGE = "from a page that continues this one"
ORIGINS = {
    "embedded": "data embedded in the page for its scripts",
    "feed": "the feed",
    "fallback": "all text of the page, as nothing was found",
}
"""The origin of text that the method did not choose, by the article's `extractor`."""

_OUTSIDE = (
    (Flag.HIDDEN_ATTRIBUTE, "hidden text (attribute hidden)"),
    (Flag.HIDDEN_DISPLAY, "hidden text (not displayed)"),
    (Flag.HIDDEN_VISIBILITY, "hidden text (not visible)"),
    (Flag.HIDDEN_CLASS, "hidden text (for screen readers only)"),
    (Flag.EMBEDDED, "fallback text of a frame or a player"),
    (Flag.IN_NOSCRIPT, f"{NOT_JUDGED}: for readers without scripts"),
    (Flag.IN_CONTROL, f"{NOT_JUDGED}: in a form's control"),
    (Flag.IN_FORM, f"{NOT_JUDGED}: in a form"),
    (Flag.IN_SVG, f"{NOT_JUDGED}: in a drawing"),
)
_ROLES = {RUBY: "a reading aid", SUPERSCRIPT: "the mark of a footnote", LINE_NUMBER: "the number of a line"}


def explained_blocks(
    document: Document, method: Extractor, extraction: Extraction | None, article: Article | None, keep: Keep
) -> tuple[Unit, tuple[ExplainedBlock, ...]]:
    """Return the unit of a page's parts (leaves or source lines), and the parts in document order.

    If no method judged (no extraction), nothing has a score, and a page that cannot be parsed has no parts. If the page
    was rejected (no article), the text that it would have had is content.
    """
    try:
        parts = _Parts(document, extraction, keep)
    except Rejected:
        return Unit.LEAVES, ()
    blocks = [*parts.in_text(article), *parts.left_out(), *parts.not_judged(method)]
    blocks.sort(key=lambda block: block.first)
    return parts.unit, (*blocks, *parts.from_elsewhere(article))


class _Parts:
    """Divides the units of a page into parts."""

    def __init__(self, document: Document, extraction: Extraction | None, keep: Keep) -> None:
        self._document, self._extraction, self._keep = document, extraction, keep
        self._found = ArticleParts()
        self.unit = Unit.LEAVES
        self._of_unit = [-1] * (0 if extraction else len(document.leaves))
        if extraction is not None:
            of_unit = extraction.segmentation.of_unit
            self._found = parts_on_page(extraction, keep, locate=True)
            if extraction.unit is Unit.LINES and reads_lines(extraction, keep):
                self.unit = Unit.LINES
            elif extraction.unit is Unit.LINES:
                of_unit = leaves_of_lines(document, np.arange(len(of_unit)), of_unit)
            self._of_unit = of_unit.tolist()
        self._flags = document.leaves.flags if self.unit is Unit.LEAVES else []
        self._used = {unit for units in self._found.units for unit in units}

    def in_text(self, article: Article | None) -> Iterator[ExplainedBlock]:
        """Yield the parts that the article is composed of, or would be if the page had not been rejected."""
        extraction = self._extraction
        origin = None
        if article is not None and extraction is not None and article.extractor != extraction.extractor:
            origin = ORIGINS.get(article.extractor, article.extractor)
        in_article = {_folded(block.text) for block in article.blocks} if article is not None and origin else set()
        for block, units in zip(self._found.blocks, self._found.units, strict=True):
            index = self._of_unit[units[0]]
            element = self._named(block.xpath, units)
            part = self._part(index, Verdict.CONTENT, ADDED, units, text=block.text, element=element)
            if origin is not None:
                verdict = Verdict.DUPLICATE if _folded(block.text) in in_article else Verdict.BOILERPLATE
                part = replace(part, verdict=verdict, why=REPLACED + origin)
            yield part

    def left_out(self) -> Iterator[ExplainedBlock]:
        """Yield the parts that are in the method's blocks but not in the text."""
        extraction = self._extraction
        if extraction is None:
            return
        groups: dict[tuple[int, str], list[int]] = {}
        kept = extraction.kept.tolist()
        contexts = TextContexts(self._document.elements) if self.unit is Unit.LEAVES else None
        for unit, block in enumerate(self._of_unit):
            if block >= 0 and unit not in self._used and self._has_text(unit):
                if not kept[block]:
                    why = ""
                elif contexts is None:
                    why = f"{LEFT_OUT}a list or a table"
                else:
                    context = contexts.of(self._document.leaves.element[unit])
                    why = LEFT_OUT + _why_left_out(self._flags[unit], context, self._keep)
                groups.setdefault((block, why), []).append(unit)
        for (block, why), units in groups.items():
            verdict = Verdict.BOILERPLATE if why else extraction.verdict(block)
            yield self._part(block, verdict, why, units)
        segmentation = extraction.segmentation
        for block in np.flatnonzero(segmentation.end == segmentation.first).tolist():
            title = self._part(block, Verdict.OUTSIDE, TITLE, ())
            yield replace(title, text=segmentation.text(block))

    def not_judged(self, method: Extractor) -> Iterator[ExplainedBlock]:
        """Yield the parts that are in none of the method's blocks: pruned, or ignored by the method."""
        owner, leaves = self._of_unit, self._document.leaves if self.unit is Unit.LEAVES else None
        done = set(self._used)
        if self._extraction is not None and leaves is not None and isinstance(method, ExplainingExtractor):
            elements = self._document.elements
            for i in method.pruned(self._extraction.segmentation):
                units = [u for u in range(elements.first_leaf[i], elements.end_leaf[i]) if u not in done]
                if units:
                    done.update(units)
                    yield self._part(-1, Verdict.PRUNED, PRUNED, units, element=i)
        groups: dict[tuple[int, str], list[int]] = {}
        seen = leaves.unit.tolist() if leaves is not None else None
        for unit, block in enumerate(owner):
            if block < 0 and unit not in done and self._has_text(unit):
                flags = leaves.flags[unit] if leaves is not None else 0
                why = next((why for flag, why in _OUTSIDE if flags & flag), NOT_JUDGED)
                groups.setdefault((seen[unit] if seen else unit, why), []).append(unit)
        for (_, why), units in groups.items():
            yield self._part(-1, Verdict.OUTSIDE, why, units)

    def from_elsewhere(self, article: Article | None) -> Iterator[ExplainedBlock]:
        """Yield the article's blocks that do not come from this page's blocks."""
        if article is None or self._extraction is None:
            return
        is_own = article.extractor == self._extraction.extractor
        why = NEXT_PAGE if is_own else f"from {ORIGINS.get(article.extractor, article.extractor)}"
        for block in article.blocks[len(self._found.blocks) if is_own else 0 :]:
            yield replace(self._part(-1, Verdict.CONTENT, why, ()), text=block.text)

    def _has_text(self, unit: int) -> bool:
        return self.unit is Unit.LEAVES or bool(self._document.lines.texts[unit])

    def _part(
        self, index: int, verdict: Verdict, why: str, units: Sequence[int], *, text: str = "", element: int = -1
    ) -> ExplainedBlock:
        """Return a part; if the method agrees with the verdict, its own reason precedes the given one."""
        extraction = self._extraction
        score = raw = None
        if index >= 0 and extraction is not None:
            score, raw = float(extraction.score[index]), float(extraction.raw[index])
            if not why or (verdict is Verdict.CONTENT and extraction.kept[index]):
                why = extraction.why[index]
            if element < 0 and extraction.unit is Unit.LEAVES:
                element = int(extraction.segmentation.element[index])
        is_tree = self.unit is Unit.LEAVES
        if is_tree and units and element < 0:
            element = self._around(units)
        if is_tree and units and "hidden" not in why and all(self._flags[unit] & HIDDEN for unit in units):
            why += " (hidden text)"
        return ExplainedBlock(
            index=index if index >= 0 else None,
            verdict=verdict,
            score=score,
            raw=raw,
            why=why,
            units=tuple(units),
            text=text or self._text(units),
            element=element,
            elements=self._document.elements if is_tree else None,
        )

    def _named(self, xpath: str, units: Sequence[int]) -> int:
        """Return the element of an article's block; -1 for source lines."""
        if not xpath:
            return -1
        elements, element = self._document.elements, self._document.leaves.box[units[0]]
        while element >= 0 and elements.xpath(element) != xpath:
            element = elements.parent[element]
        return element

    def _around(self, units: Sequence[int]) -> int:
        """Return the lowest common ancestor of leaves."""
        elements, element = self._document.elements, self._document.leaves.element[units[0]]
        while elements.end_leaf[element] <= units[-1]:
            element = elements.parent[element]
        return element

    def _text(self, units: Sequence[int]) -> str:
        if self.unit is Unit.LEAVES:
            return self._document.leaves.text(units) if units else ""
        return "\n".join(self._document.lines.texts[unit] for unit in units)


def _why_left_out(flags: int, context: TextContext, keep: Keep) -> str:
    """Return the reason why a leaf that a method kept is not in the text, in a few words."""
    if flags & HIDDEN:
        return "hidden text"
    if context.role in _ROLES:
        return _ROLES[context.role]
    if context.kind is Kind.CAPTION:
        return "a caption"
    if not keep.tables and context.table >= 0:
        return "a table"
    if not keep.lists and context.outer_list >= 0:
        return "a list"
    return "a label, a link or an aside" if not keep.comments else "a label, a link, an aside or a comment"


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
