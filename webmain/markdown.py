"""An article as Markdown (CommonMark with the tables of GitHub), so that a reader of it shows the same words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from webmain.items import Article, ArticleBlock, Image, Kind, TextLink

_SPECIAL = re.compile(r"[\\`*_\[\]<>~]|&(?=#?[0-9A-Za-z]{1,40};)")
_LEAD = re.compile(r"^(?:(#{1,6}|[+-])(?=\s|$)|([=:|-])(?=[=:|\s-]*$)|([0-9]{1,9})([.)])(?=\s|$))", re.MULTILINE)
_LAST_HASHES = re.compile(r"(?<!\S)#(?=#*\s*$)")
_ENTITY = re.compile(r"&(?=#?[0-9A-Za-z]{1,40};)")
_URL_SAFE = "/:?#@!$&'*+,;=%~-._[]"
_NO_WORD = re.compile(r"[^\w+#.-]+")
MAX_TITLE_BLOCKS = 5
"""A heading that repeats the title among so many first blocks is left out: the title stands above them."""


def markdown(article: Article) -> str:
    """Return the article as Markdown: title, then headings, lists, quotes, tables, code and images as such.

    Comments follow a rule at the end. A heading that repeats the title is left out. Links and images show where they were
    kept.
    """
    title = " ".join((article.title or "").split())
    pieces = [f"# {_heading(_escaped(title))}"] if title else []
    pieces += _pieces(_without_title(article.blocks, title), article.images)
    if article.comments:
        pieces += ["---", *_pieces(list(enumerate(article.comments)), ())]
    return "\n\n".join(pieces) + "\n"


def _without_title(blocks: Sequence[ArticleBlock], title: str) -> list[tuple[int, ArticleBlock]]:
    """Return the blocks with their numbers, without the first heading that is the title."""
    numbered = list(enumerate(blocks))
    for number, block in numbered[:MAX_TITLE_BLOCKS] if title else ():
        if block.kind is Kind.HEADING and " ".join(block.text.split()).casefold() == title.casefold():
            return numbered[:number] + numbered[number + 1 :]
    return numbered


def _pieces(blocks: Sequence[tuple[int, ArticleBlock]], images: Sequence[Image]) -> Iterator[str]:
    """Render blocks and images; what belongs to one list or quote is one piece."""
    waiting = list(images)
    shown = {" ".join(block.text.split()) for _, block in blocks if block.kind is Kind.CAPTION}
    listing = _List()
    quoted: list[str] = []
    for number, block in blocks:
        before = [image for image in waiting if image.after < number]
        waiting = waiting[len(before) :]
        if listing.lines and (before or block.kind is not Kind.LIST_ITEM):
            yield listing.end()
        if quoted and (before or block.kind is not Kind.QUOTE or not block.continues):
            yield "\n>\n".join(quoted)
            quoted = []
        yield from (_image(image, shown) for image in before)
        if block.kind is Kind.LIST_ITEM:
            listing.add(block)
        elif block.kind is Kind.QUOTE:
            quoted.append("\n".join(f"> {line}" for line in _lines(_text(block)).split("\n")))
        else:
            yield _block(block)
    if listing.lines:
        yield listing.end()
    if quoted:
        yield "\n>\n".join(quoted)
    yield from (_image(image, shown) for image in waiting)


def _block(block: ArticleBlock) -> str:
    """Render a block that is neither a list item nor a quote."""
    match block.kind:
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
    """Escape what would be taken for markup, also marks that start a line."""
    return _LEAD.sub(_escaped_lead, _SPECIAL.sub(r"\\\g<0>", text))


def _escaped_lead(lead: re.Match[str]) -> str:
    return f"{lead[3]}\\{lead[4]}" if lead[3] else f"\\{lead[0]}"


def _heading(text: str) -> str:
    """Escape the number signs at the end of a heading, which would be dropped."""
    return _LAST_HASHES.sub(r"\\#", text)


def _lines(text: str) -> str:
    """Keep line breaks as such."""
    return text.replace("\n", "  \n")


def _text(block: ArticleBlock) -> str:
    return _linked(block.text, block.links)


def _linked(text: str, links: Sequence[TextLink], *, offset: int = 0) -> str:
    """Escape a text, and write those links that lie in it; `offset` is where it begins in its block."""
    out, at = [], 0
    for link in links:
        start, end = link.start - offset, link.end - offset
        if at <= start < end <= len(text):
            before = _escaped(text[at:start])
            if before.endswith("!"):  # or it would be a picture
                before = before[:-1] + "\\!"
            out += [before, f"[{_escaped(text[start:end])}]({_destination(link.url)})"]
            at = end
    return "".join([*out, _escaped(text[at:])])


def _destination(url: str) -> str:
    return _ENTITY.sub(r"\\&", quote(url, safe=_URL_SAFE, errors="replace"))


def _image(image: Image, shown: set[str]) -> str:
    """Render a picture; its caption too, unless a block shows it."""
    picture = f"![{_escaped(' '.join(image.alt.split()))}]({_destination(image.url)})"
    caption = " ".join(image.caption.split())
    return picture if not caption or caption in shown else f"{picture}\n\n*{_escaped(caption)}*"


def _table(block: ArticleBlock) -> str:
    """Render rows as a pipe table; the first row is the head, short rows are filled up."""
    rows = block.rows or tuple(tuple(row.split("\t")) for row in block.text.split("\n"))
    width = max(map(len, rows), default=0)
    lines, offset = [], 0
    for row in rows:
        cells = []
        for cell in row:
            cells.append(_linked(cell, block.links, offset=offset).replace("|", "\\|").replace("\n", " "))
            offset += len(cell) + 1
        lines.append("| " + " | ".join(cells + [""] * (width - len(row))) + " |")
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]])


class _Item(NamedTuple):
    """An open list item: its depth, what its list is, and the column where its text begins."""

    level: int
    ordered: bool
    number: int
    delimiter: str
    column: int


class _List:
    """Neighbouring list items, indented by the marks of those they stand in."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._open: list[_Item] = []

    def end(self) -> str:
        """Return what was added, and begin anew."""
        text = "\n".join(self.lines)
        self.lines, self._open = [], []
        return text

    def add(self, block: ArticleBlock) -> None:
        """Add an item, or a further paragraph of one."""
        last = None
        while self._open and self._open[-1].level >= block.level + block.continues:
            last = self._open.pop()
        column = self._open[-1].column if self._open else 0
        text = _lines(_text(block))
        if block.continues:
            self._write("", column, text, after_blank=True)
            return
        if last and (last.level != block.level or last.ordered != block.ordered):
            last = None
        number = block.number or (last.number + 1 if last else 1)
        delimiter = last.delimiter if last else "."
        if last and number != last.number + 1:  # another list, or one with a gap: told apart by its delimiter
            delimiter = ")" if delimiter == "." else "."
        mark = f"{max(0, number)}{delimiter} " if block.ordered else "- "
        starts_late = block.ordered and number != 1 and last is None
        self._write(mark, column, text, after_blank=starts_late)
        self._open.append(_Item(block.level, block.ordered, number, delimiter, column + len(mark)))

    def _write(self, mark: str, column: int, text: str, *, after_blank: bool) -> None:
        if after_blank and self.lines:
            self.lines.append("")
        self.lines.append(" " * column + mark + text.replace("\n", "\n" + " " * (column + len(mark))))
