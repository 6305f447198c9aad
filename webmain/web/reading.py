"""Renders an article's blocks as HTML: headings, lists, quotes, tables and code; all text of the page is escaped."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from markupsafe import Markup, escape

from webmain.explain.view import fit
from webmain.items.blocks import ArticleBlock, Kind

MAX_BLOCKS: Final = 3_000
MAX_CHARS: Final = 400_000
"""Most blocks and characters of an article that are shown."""

MAX_SPANS: Final = 200
MAX_ALL_SPANS: Final = 5_000
"""Most links and marks that are shown: per block, and per article."""

MAX_DEPTH: Final = 8
"""Deepest list level; deeper items are shown at it."""

FIRST_HEADING: Final = 3
"""Level of the article's first heading: the levels above belong to the surrounding page."""

_QUOTE: Final = "blockquote", 1
_TAGS: Final = {"bold": "b", "italic": "i", "code": "code"}


@dataclass(frozen=True, slots=True)
class ArticleMarkup:
    """An article's text as HTML, and how many of its blocks are left out."""

    html: Markup
    n_left_out: int = 0


def shown(blocks: Sequence[ArticleBlock]) -> ArticleMarkup:
    """Return the blocks as HTML, within `MAX_BLOCKS` and `MAX_CHARS`."""
    n, n_chars = 0, 0
    for n, block in enumerate(islice(blocks, MAX_BLOCKS), 1):
        n_chars += len(block.text)
        if n_chars > MAX_CHARS:
            n -= 1
            break
    writer = _Writer(sorted({block.level for block in blocks[:n] if block.kind is Kind.HEADING}))
    for block in blocks[:n]:
        writer.add(block)
    return ArticleMarkup(Markup("").join(writer.end()), len(blocks) - n)


def direction(text: str) -> Literal["ltr", "rtl"]:
    """Return the writing direction of most letters in the beginning of a text."""
    kinds = [unicodedata.bidirectional(character) for character in text[:2_000]]
    return "rtl" if sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L") else "ltr"


def is_link(url: object) -> bool:
    """Return True if an address may be used in a link: a web address, nothing that a browser would run."""
    return isinstance(url, str) and url.lower().startswith(("http://", "https://"))


class _Writer:
    """Writes block by block; keeps track of open lists and quotes."""

    def __init__(self, levels: Sequence[int]) -> None:
        self._heading = {level: min(6, FIRST_HEADING + i) for i, level in enumerate(levels)}
        self._out: list[Markup] = []
        self._open: list[tuple[str, int]] = []  # the tag and level of each open list, or a quote
        self._n_spans = 0

    def add(self, block: ArticleBlock) -> None:
        """Write a block."""
        in_quote = self._open[-1:] == [_QUOTE]
        if block.kind is Kind.LIST_ITEM:
            self._close(0 if in_quote else MAX_DEPTH)
            self._item(block)
            return
        if not (in_quote and block.kind is Kind.QUOTE and block.continues):
            self._close(0)
            if block.kind is Kind.QUOTE:
                self._start(*_QUOTE)
        match block.kind:
            case Kind.HEADING:
                self._out.append(self._element(f"h{self._heading[block.level]}", block))
            case Kind.CODE:
                self._out.append(Markup('<pre tabindex="0"><code>{}</code></pre>').format(fit(block.text)))
            case Kind.TABLE:
                self._out.append(_table(block))
            case Kind.CAPTION:
                self._out.append(self._element("p", block, "caption"))
            case _:
                self._out.append(self._element("p", block))

    def end(self) -> list[Markup]:
        """Close everything open, and return the markup."""
        self._close(0)
        return self._out

    def _item(self, block: ArticleBlock) -> None:
        level = min(max(block.level, 1), MAX_DEPTH)
        tag = "ol" if block.ordered else "ul"
        is_more = block.continues and bool(self._open)
        self._close(level)
        if is_more:
            self._out.append(self._element("p", block))
            return
        if self._open and self._open[-1][1] == level and self._open[-1][0] != tag:
            self._close(level - 1)
        if self._open and self._open[-1][1] == level:
            self._out.append(Markup("</li>"))
        else:
            self._start(tag, level)
        number = Markup(' value="{}"').format(block.number) if block.ordered and block.number else ""
        self._out.append(Markup('<li dir="auto"{}>{}').format(number, self._inline(block)))

    def _element(self, tag: str, block: ArticleBlock, kind: str = "") -> Markup:
        of_kind = Markup(' class="{}"').format(kind) if kind else ""
        return Markup('<{0}{1} dir="auto">{2}</{0}>').format(tag, of_kind, self._inline(block))

    def _inline(self, block: ArticleBlock) -> Markup:
        """Write a block's text with its links and marks."""
        text = fit(block.text)
        spans = _spans(text, block) if self._n_spans < MAX_ALL_SPANS else []
        self._n_spans += len(spans)
        return Markup("").join(_pieces(text, spans))

    def _start(self, tag: str, level: int) -> None:
        self._out.append(Markup(f"<{tag}>"))  # noqa: S704 - our own tags
        self._open.append((tag, level))

    def _close(self, level: int) -> None:
        """Close what is deeper than a level."""
        while self._open and self._open[-1][1] > level:
            tag, _ = self._open.pop()
            item = "" if tag == _QUOTE[0] else "</li>"
            self._out.append(Markup(f"{item}</{tag}>"))  # noqa: S704 - our own tags


def _table(block: ArticleBlock) -> Markup:
    """Write a table; the first of several rows is its head."""
    rows = block.rows or tuple(tuple(row.split("\t")) for row in block.text.split("\n"))
    out = [Markup('<div class="scroll" tabindex="0" role="region" aria-label="Table of the article"><table>')]
    for i, row in enumerate(rows):
        cell = Markup('<{0}{1} dir="auto">{2}</{0}>')
        kind = ("th", Markup(' scope="col"')) if i == 0 < len(rows) - 1 else ("td", "")
        out.append(Markup("<tr>{}</tr>").format(Markup("").join(cell.format(*kind, fit(text)) for text in row)))
    return Markup("").join([*out, Markup("</table></div>")])


def _spans(text: str, block: ArticleBlock) -> list[tuple[int, int, str]]:
    """Return the links and marks in a text: start, end, and the address or kind."""
    spans = [(s.start, s.end, s.url) for s in block.links[:MAX_SPANS] if is_link(s.url)]
    spans += [(s.start, s.end, s.kind) for s in block.marks[:MAX_SPANS] if s.kind in _TAGS]
    return [span for span in spans if 0 <= span[0] < span[1] <= len(text)]


def _pieces(text: str, spans: Sequence[tuple[int, int, str]]) -> Iterator[Markup]:
    """Yield a text in pieces within which the same links and marks apply, so that overlapping ones nest correctly."""
    starts, ends = defaultdict[int, list[str]](list), defaultdict[int, list[str]](list)
    for start, end, name in spans:
        starts[start].append(name)
        ends[end].append(name)
    at, opened = 0, list[str]()
    for place in sorted({*starts, *ends, len(text)}):
        if place > at:
            yield _piece(text[at:place], opened)
        for name in ends[place]:
            opened.remove(name)
        opened += starts[place]
        at = place


def _piece(text: str, opened: Sequence[str]) -> Markup:
    piece = escape(text)
    for kind, tag in _TAGS.items():
        if kind in opened:
            piece = Markup(f"<{tag}>{{}}</{tag}>").format(piece)  # noqa: S704 - our own tags
    url = next((name for name in reversed(opened) if name not in _TAGS), None)
    if url is None:
        return piece
    return Markup('<a href="{}" rel="noreferrer noopener nofollow" target="_blank">{}</a>').format(url, piece)
