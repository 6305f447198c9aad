"""What an article is made of: blocks of text with their links and marks, and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Compact:
    """A record with slots that is pickled by its values; as `dataclass` does it, by name, takes three times as long."""

    __slots__: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), [getattr(self, name) for name in self.__slots__])


def _rebuilt(record_type: type[Compact], values: list[Any]) -> Compact:
    record = record_type.__new__(record_type)
    for name, value in zip(record_type.__slots__, values, strict=True):
        object.__setattr__(record, name, value)
    return record


class Kind(StrEnum):
    """What a kept block is to a reader."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    LIST_ITEM = "list_item"
    QUOTE = "quote"
    TABLE = "table"
    CAPTION = "caption"
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMark(Compact):
    """A part of a block's text that stands out: characters `start` to `end` (half-open), "bold", "italic" or "code"."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLink(Compact):
    """A link in a block's text: characters `start` to `end` (half-open), and an absolute http or https URL."""

    start: int
    end: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(Compact):
    """A picture that belongs to an article."""

    url: str
    """Absolute, http or https."""

    alt: str = ""
    """The page's text in its place."""

    caption: str = ""
    """Its caption, whether or not captions are kept in the text."""

    after: int = -1
    """Index in `blocks` of the block that it follows; -1 before the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleBlock(Compact):
    """One block of an article."""

    kind: Kind
    """`paragraph`, `heading`, `list_item`, `quote`, `table`, `caption` or `code`."""

    text: str
    """White space is folded, except in code; a table's rows are joined by new lines, its cells by tabs."""

    level: int = 0
    """1 to 6 for headings, depth from 1 for list items (a `dd` is one deeper than its `dt`), else 0."""

    ordered: bool = False
    """The list item belongs to a numbered list."""

    number: int = 0
    """Of an item of a numbered list, as a browser counts it; else 0."""

    continues: bool = False
    """The block goes on with the list item or the quote that an earlier block began."""

    rows: tuple[tuple[str, ...], ...] = ()
    """A table's cells; else empty."""

    language: str = ""
    """Programming language of code, from its class; else empty."""

    links: tuple[TextLink, ...] = ()
    """`{"start": integer, "end": integer, "url": absolute}`: these characters of `text` are a link; only on request."""

    marks: tuple[TextMark, ...] = ()
    """`{"start": integer, "end": integer, "kind": "bold", "italic" or "code"}`: these characters of `text` stand out."""

    align: tuple[str, ...] = ()
    """`left`, `center`, `right` or an empty string for each column of a table; empty where no column is aligned."""

    score: float | None = None
    """The extractor's score, 0 to 1."""

    raw: float | None = None
    """The method's own quantity: priority (PAB), text-to-tag ratio (Line-Block), anchor ratio (Thai XPath), log-odds
    (`learned`)."""

    xpath: str = ""
    """Place in the page; empty where the method builds no tree."""
