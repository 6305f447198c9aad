"""Render an article as Markdown (CommonMark with GitHub's tables) that displays the same words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple
from urllib.parse import quote

from webmain.items.blocks import ArticleBlock, Image, Kind
from webmain.regex import lazy

_SPECIAL = lazy(r"[\\`*_\[\]<>~]|&(?=#?[0-9A-Za-z]{1,40};)")
_LEAD = lazy(r"^(?:(#{1,6}|[+-])(?=\s|$)|([=:|-])(?=[=:|\s-]*$)|([0-9]{1,9})([.)])(?=\s|$))", re.MULTILINE)
_LAST_HASHES = lazy(r"(?<!\S)#(?=#*\s*$)")
_ENTITY = lazy(r"&(?=#?[0-9A-Za-z]{1,40};)")
_URL_SAFE = "/:?#@!$&'*+,;=%~-._[]"
_NO_WORD = lazy(r"[^\w+#.-]+")
MAX_TITLE_BLOCKS = 5
"""A heading that repeats the title is left out if it is among this many first blocks: the title is written anyway."""


def markdown(
    title: str, blocks: Sequence[ArticleBlock], *, images: Sequence[Image] = (), comments: Sequence[ArticleBlock] = ()
) -> str:
    """Return the article as Markdown: title, then headings, lists, quotes, tables, code and images as such.

    Comments follow a horizontal rule at the end. A heading that repeats the title is left out. Links and images are
    written if they were kept.
    """
    title = " ".join(title.split())
    pieces = [f"# {_heading(_escaped(title))}"] if title else []
    pieces += _pieces(_without_title(blocks, title), images)
    if comments:
        pieces += ["---", *_pieces(list(enumerate(comments)), ())]
    return "\n\n".join(pieces) + "\n"


def _without_title(blocks: Sequence[ArticleBlock], title: str) -> list[tuple[int, ArticleBlock]]:
    """Return the blocks with their indices, without the first heading that repeats the title."""
    numbered = list(enumerate(blocks))
    for number, block in numbered[:MAX_TITLE_BLOCKS] if title else ():
        if block.kind is Kind.HEADING and " ".join(block.text.split()).casefold() == title.casefold():
            return numbered[:number] + numbered[number + 1 :]
    return numbered


def _pieces(blocks: Sequence[tuple[int, ArticleBlock]], images: Sequence[Image]) -> Iterator[str]:
    """Yield blocks and images as Markdown; each list and each quote is one piece."""
    waiting = list(images)
    shown = {" ".join(block.text.split()) for _, block in blocks if block.kind is Kind.CAPTION}
    group: list[ArticleBlock] = []
    for number, block in blocks:
        before = [image for image in waiting if image.after < number]
        waiting = waiting[len(before) :]
        if group and (before or not _goes_on(group[0], block)):
            yield _piece(group)
            group = []
        yield from (_image(image, shown) for image in before)
        group.append(block)
    if group:
        yield _piece(group)
    yield from (_image(image, shown) for image in waiting)


def _goes_on(first: ArticleBlock, block: ArticleBlock) -> bool:
    """Return True if a block belongs to the list or the quote that another one began."""
    return first.kind is block.kind and (block.kind is Kind.LIST_ITEM or (block.kind is Kind.QUOTE and block.continues))


def _piece(blocks: Sequence[ArticleBlock]) -> str:
    """Render the items of a list, the paragraphs of a quote, or a single block of another kind."""
    block = blocks[0]
    match block.kind:
        case Kind.LIST_ITEM:
            return _list(blocks)
        case Kind.QUOTE:
            return "\n>\n".join("> " + _lines(_text(each)).replace("\n", "\n> ") for each in blocks)
        case Kind.HEADING:
            return f"{'#' * min(6, max(2, block.level))} {_heading(' '.join(_text(block).split()))}"
        case Kind.CODE:
            runs = re.findall("`+", block.text)
            fence = "`" * max(3, 1 + max(map(len, runs), default=0))
            return f"{fence}{_NO_WORD.sub('', block.language)}\n{block.text}\n{fence}"
        case Kind.TABLE:
            return _table(block)
        case Kind.CAPTION:
            return f"*{' '.join(_text(block).split())}*"
        case _:
            return _lines(_text(block))


def _escaped(text: str) -> str:
    """Escape what would be read as markup, including markers at the start of a line."""
    text = _SPECIAL.sub(r"\\\g<0>", text)
    return _LEAD.sub(lambda lead: f"{lead[3]}\\{lead[4]}" if lead[3] else f"\\{lead[0]}", text)


def _heading(text: str) -> str:
    """Escape number signs at the end of a heading, which Markdown would drop."""
    return _LAST_HASHES.sub(r"\\#", text)


def _lines(text: str) -> str:
    """Write line ends as hard line breaks."""
    return text.replace("\n", "  \n")


def _text(block: ArticleBlock) -> str:
    return _written(block.text, block)


class _Span(NamedTuple):
    """A link or an emphasis mark around a part of a text."""

    start: int
    end: int
    kind: str
    url: str = ""


def _written(text: str, block: ArticleBlock, *, offset: int = 0) -> str:
    """Return a text escaped, with the links and marks inside it; `offset` is its start within the block."""
    spans = _spans(text, block, offset)
    if not spans:
        return _escaped(text)
    opened: list[_Span] = []
    out, at = [""], 0
    starting: dict[int, list[_Span]] = {}
    for span in spans:
        starting.setdefault(span.start, []).append(span)
    places = sorted({place for span in spans for place in (span.start, span.end)})
    for place in places:
        piece = text[at:place]
        out.append(piece if opened and opened[-1].kind == "code" else _escaped(piece))
        while opened and opened[-1].end == place:
            span = opened.pop()
            out.append(f"]({_destination(span.url)})" if span.kind == "link" else _delimiter(span, text)[::-1])
        for span in starting.get(place, ()):
            if span.kind == "link" and out[-1].endswith("!"):  # or it would be a picture
                out[-1] = out[-1][:-1] + "\\!"
            out.append("[" if span.kind == "link" else _delimiter(span, text))
            opened.append(span)
        at = place
    return "".join([*out, _escaped(text[at:])])


def _spans(text: str, block: ArticleBlock, offset: int) -> list[_Span]:
    """Return the links and marks that Markdown can express: nested or separate, never crossing."""
    taken: list[_Span] = []
    for link in block.links:
        span = _Span(link.start - offset, link.end - offset, "link", link.url)
        if (taken[-1].end if taken else 0) <= span.start < span.end <= len(text):
            taken.append(span)
    marks = () if block.kind in (Kind.HEADING, Kind.CAPTION) else block.marks
    for mark in marks[:MAX_MARKS]:
        start, end = mark.start - offset, mark.end - offset
        part = text[start:end] if 0 <= start < end <= len(text) else ""
        span = _Span(end - len(part.lstrip()), start + len(part.rstrip()), mark.kind)
        if part.strip() and _can_stand(text, span) and not any(_clash(span, t) for t in taken):
            taken.append(span)
    order = {"link": 0, "bold": 1, "italic": 2, "code": 3}
    return sorted(taken, key=lambda span: (span.start, -span.end, order[span.kind]))


def _can_stand(text: str, span: _Span) -> bool:
    """Return True if delimiters at these places would open and close emphasis (CommonMark, section 6.2), or enclose code."""
    part = text[span.start : span.end]
    before, after = text[max(0, span.start - 1) : span.start], text[span.end : span.end + 1]
    if span.kind == "code":
        return "\n" not in part and "`" not in before + after
    at_words = (part[0].isalnum() or not before.isalnum()) and (part[-1].isalnum() or not after.isalnum())
    return at_words and "\n\n" not in part


def _clash(a: _Span, b: _Span) -> bool:
    """Return True if two spans cross, touch, or one of them is code around the other."""
    if a.end <= b.start or b.end <= a.start:
        return (a.end == b.start or b.end == a.start) and "link" not in (a.kind, b.kind)
    outer, inner = (a, b) if b.start >= a.start and b.end <= a.end else (b, a)
    if inner.start < outer.start or inner.end > outer.end or a.kind == b.kind:
        return True
    return outer.kind == "code" and (a.start, a.end) != (b.start, b.end)


def _delimiter(span: _Span, text: str) -> str:
    """Return the opening delimiter of a mark; the closing one is its reverse (CommonMark, section 6.1)."""
    if span.kind != "code":
        return "**" if span.kind == "bold" else "*"
    code = text[span.start : span.end]
    runs = set(map(len, re.findall("`+", code)))
    return "`" * next(n for n in count(1) if n not in runs) + " " * ("`" in (code[0], code[-1]))


MAX_MARKS = 200  # maximum marks written per block


def _destination(url: str) -> str:
    return _ENTITY.sub(r"\\&", quote(url, safe=_URL_SAFE, errors="replace"))


def _image(image: Image, shown: set[str]) -> str:
    """Render a picture; its caption too, unless a block shows it."""
    picture = f"![{_escaped(' '.join(image.alt.split()))}]({_destination(image.url)})"
    caption = " ".join(image.caption.split())
    return picture if not caption or caption in shown else f"{picture}\n\n*{_escaped(caption)}*"


def _table(block: ArticleBlock) -> str:
    """Render rows as a pipe table; the first row is the header, short rows are padded."""
    rows = block.rows or tuple(tuple(row.split("\t")) for row in block.text.split("\n"))
    width = max(map(len, rows), default=0)
    lines, offset = [], 0
    for row in rows:
        cells = []
        for cell in row:
            cells.append(_written(cell, block, offset=offset).replace("|", "\\|").replace("\n", " "))
            offset += len(cell) + 1
        lines.append("| " + " | ".join(cells + [""] * (width - len(row))) + " |")
    align = (*block.align, *[""] * width)[:width]
    rule = "|" + "".join(f" {_RULES.get(side, '---')} |" for side in align)
    return "\n".join([*lines[:1], rule, *lines[1:]])


_RULES = {"left": ":--", "center": ":-:", "right": "--:"}


class _Item(NamedTuple):
    """An open list item: its depth, the kind of its list, and the column where its text begins."""

    level: int
    ordered: bool
    number: int
    delimiter: str
    column: int


def _list(blocks: Sequence[ArticleBlock]) -> str:
    """Render consecutive list items, indented to match the markers of their parent items."""
    lines: list[str] = []
    opened: list[_Item] = []
    for block in blocks:
        last = None
        while opened and opened[-1].level >= block.level + block.continues:
            last = opened.pop()
        column = opened[-1].column if opened else 0
        mark, after_blank = "", True  # another paragraph of the current item
        if not block.continues:
            if last and (last.level != block.level or last.ordered != block.ordered):
                last = None
            number = block.number or (last.number + 1 if last else 1)
            delimiter = last.delimiter if last else "."
            if last and number != last.number + 1:  # another list, or a gap in the numbers: use the other delimiter
                delimiter = ")" if delimiter == "." else "."
            mark = f"{max(0, number)}{delimiter} " if block.ordered else "- "
            after_blank = block.ordered and number != 1 and last is None
            opened.append(_Item(block.level, block.ordered, number, delimiter, column + len(mark)))
        if after_blank and lines:
            lines.append("")
        text = _lines(_text(block)).replace("\n", "\n" + " " * (column + len(mark)))
        lines.append(" " * column + mark + text)
    return "\n".join(lines)
