"""The made-up articles: how their data files are read, and their ground truth.

A story is a TOML file in `texts/SITE/`. Its `body` is written in a light markup, blocks divided by blank lines::

    A paragraph with *emphasis*, **strong words** and [a link](/about).
    ## A subhead                    ### A smaller one
    - an item                       1. a numbered item
    > a quote                       !! a caption of a picture that stands here
    | head | head |                 ```
    | cell | cell |                 code, blank lines allowed, closed by another fence
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from webmain.items import Kind

TEXTS = Path(__file__).parent / "texts"

_LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")
_EMPHASIS = re.compile(r"(\*\*?)([^*]+)\1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block of a story as written, inline marks included.

    Attributes
    ----------
    level : int
        2 or 3 for headings.
    ordered : bool
        The list item belongs to a numbered list.
    rows : tuple of tuple of str
        A table's cells, the first row being its head.
    """

    kind: Kind
    text: str
    level: int = 0
    ordered: bool = False
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def plain(self) -> str:
        """The text as a reader sees it; a table's rows on lines of their own, its cells divided by tabs."""
        if self.kind is Kind.CODE:
            return self.text
        if self.kind is Kind.TABLE:
            return "\n".join("\t".join(map(plain, row)) for row in self.rows)
        return plain(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One article as its author wrote it.

    Attributes
    ----------
    slug : str
        The data file's name without its ending.
    summary : str
        A full sentence or two: description, standfirst, and the teaser in other pages' boxes.
    picture : str
        Caption of the lead picture, "" for none.
    forms : frozenset of str
        What is special in the way its site serves it, e.g. "parts", "cp874", "no-metadata".
    """

    slug: str
    number: int
    title: str
    authors: tuple[str, ...]
    published: datetime
    summary: str
    language: str
    modified: datetime | None = None
    section: str = ""
    tags: tuple[str, ...] = ()
    picture: str = ""
    blocks: tuple[Block, ...] = ()
    forms: frozenset[str] = field(default_factory=frozenset)

    @property
    def text(self) -> str:
        """The ground truth: all blocks but captions, joined by blank lines."""
        return "\n\n".join(b.plain for b in self.blocks if b.kind is not Kind.CAPTION)

    @property
    def captions(self) -> tuple[str, ...]:
        """Captions of the lead picture and of those in the text."""
        inner = (b.plain for b in self.blocks if b.kind is Kind.CAPTION)
        return tuple(c for c in (self.picture, *inner) if c)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What a made-up reader wrote below an article."""

    name: str
    text: str


def plain(text: str) -> str:
    """Return a text without its inline marks."""
    return _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", text))


@functools.cache
def stories(*folders: str) -> tuple[Story, ...]:
    """Read all stories of one site, newest first; a file replaces that of its name in an earlier folder."""
    files = {path.name: path for folder in folders for path in sorted((TEXTS / folder).glob("*.toml"))}
    found = map(_story, files.values())
    return tuple(sorted(found, key=lambda s: (s.published, s.slug), reverse=True))


@functools.cache
def comments(language: str) -> tuple[Comment, ...]:
    """Read the comments written in one language ("en", "th")."""
    record = tomllib.loads((TEXTS / f"comments.{language}.toml").read_text("utf-8"))
    return tuple(Comment(name=c["name"], text=c["text"].strip()) for c in record["comment"])


def _story(path: Path) -> Story:
    record: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    record["blocks"] = blocks(record.pop("body"))
    listed = {name: tuple(record[name]) for name in ("authors", "tags", "blocks")}
    return Story(slug=path.stem, **record | listed | {"forms": frozenset(record.get("forms", ()))})


def blocks(body: str) -> Iterator[Block]:
    """Read a body in the light markup, block by block.

    Raises
    ------
    ValueError
        A code fence is not closed.
    """
    chunk: list[str] = []
    lines = iter(body.strip().split("\n"))
    for line in lines:
        if line.startswith("```"):
            yield from _chunk(chunk)
            chunk = []
            yield Block(kind=Kind.CODE, text="\n".join(_fenced(lines)))
        elif line.strip():
            chunk.append(line)
        else:
            yield from _chunk(chunk)
            chunk = []
    yield from _chunk(chunk)


def _fenced(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines up to the closing fence."""
    for line in lines:
        if line.startswith("```"):
            return
        yield line
    raise ValueError("a code fence is not closed")


def _chunk(lines: list[str]) -> Iterator[Block]:
    """Turn the lines between two blank lines into blocks: one, or one for each list item."""
    if not lines:
        return
    first = lines[0]
    if first.startswith("|"):
        rows = tuple(tuple(cell.strip() for cell in line.strip().strip("|").split("|")) for line in lines)
        yield Block(kind=Kind.TABLE, text="", rows=rows)
    elif first.startswith("- "):
        yield from (Block(kind=Kind.LIST_ITEM, text=line[2:]) for line in lines)
    elif re.match(r"\d+\. ", first):
        yield from (Block(kind=Kind.LIST_ITEM, text=line.split(". ", 1)[1], ordered=True) for line in lines)
    elif first.startswith("#"):
        marks, text = first.split(" ", 1)
        yield Block(kind=Kind.HEADING, text=text, level=len(marks))
    elif first.startswith("> "):
        yield Block(kind=Kind.QUOTE, text=" ".join(line.removeprefix("> ") for line in lines))
    elif first.startswith("!! "):
        yield Block(kind=Kind.CAPTION, text=" ".join(lines).removeprefix("!! "))
    else:
        yield Block(kind=Kind.PARAGRAPH, text=" ".join(lines))
