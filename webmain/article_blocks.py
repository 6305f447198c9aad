"""What an article is made of: blocks of text with their links and marks, and pictures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
class TextMark:
    """A part of a block's text that stands out.

    Attributes
    ----------
    start, end : int
        Half-open range of characters of the block's `text`.
    kind : str
        "bold", "italic" or "code".
    """

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLink:
    """A link in a block's text.

    Attributes
    ----------
    start, end : int
        Half-open range of characters of the block's `text`.
    url : str
        Absolute, http or https.
    """

    start: int
    end: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture that belongs to an article.

    Attributes
    ----------
    url : str
        Absolute, http or https.
    alt : str
        What the page says in its place.
    caption : str
        Its caption, whether or not captions are kept in the text.
    after : int
        Index of the block that it stands after; -1 before the first.
    """

    url: str
    alt: str = ""
    caption: str = ""
    after: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleBlock:
    """One block of an article.

    Attributes
    ----------
    text : str
        White space folded, except in code; a table's rows are joined by new lines, its cells by tabs.
    level : int
        1-6 for headings, nesting depth from 1 for list items (a `dd` is one deeper than its `dt`), 0 otherwise.
    ordered : bool
        The list item belongs to an `ol`.
    number : int
        Of an item of an `ol`, as a browser counts it; 0 otherwise.
    continues : bool
        The block goes on with the list item or the quote that an earlier block began.
    language : str
        Programming language of code, as its class says ("python"); "" where it doesn't.
    links : tuple of TextLink
        Where its links lead, in order; only if they were asked for.
    marks : tuple of TextMark
        What of its text is bold, italic or code, in order.
    rows : tuple of tuple of str
        A table's cells; empty for every other kind.
    align : tuple of str
        "left", "center", "right" or "" for each column of a table; empty where no column is aligned.
    score : float or None
        The extractor's score in [0, 1].
    raw : float or None
        The method's own quantity: priority (PAB), TTR (Line-Block), AR (Thai XPath).
    xpath : str
        Where the block stands in the page; "" where the method builds no tree.
    """

    kind: Kind
    text: str
    level: int = 0
    ordered: bool = False
    number: int = 0
    continues: bool = False
    rows: tuple[tuple[str, ...], ...] = ()
    language: str = ""
    links: tuple[TextLink, ...] = ()
    marks: tuple[TextMark, ...] = ()
    align: tuple[str, ...] = ()
    score: float | None = None
    raw: float | None = None
    xpath: str = ""
