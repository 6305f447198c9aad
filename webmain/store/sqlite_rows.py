"""Conversion of articles to rows of an SQLite store and back."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from webmain.items import Article, ArticleBlock, WordCount
from webmain.items.codec import encode, of_cells
from webmain.store.sqlite_file import block_text

HEAVY = frozenset(("text", "blocks", "words"))
"""Fields stored in columns and tables of their own, and not in the JSON in `article.record`."""


def article_of(
    row: Mapping[str, Any],
    blocks: Iterable[Mapping[str, Any]] | None = None,
    words: Iterable[Mapping[str, Any]] = (),
) -> Article:
    """Return the article made from a row with `record` and `text` and the rows of its blocks and words.

    `blocks`: None if the record of an earlier revision has the blocks and words in itself.
    Raises ValueError, TypeError, KeyError, AttributeError, RecursionError if they are damaged (`UNREADABLE`).
    """
    if isinstance(row["record"], bytes):
        raise ValueError("bytes in the place of record")
    values = json.loads(row["record"]) | of_cells(Article, {"text": row["text"]})
    if blocks is not None:
        text = values["text"]
        values["blocks"] = [of_cells(ArticleBlock, {**block, "text": block_text(block, text)}) for block in blocks]
        values["words"] = [of_cells(WordCount, word) for word in words]
    return Article.from_dict(values)


def with_positions(record: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], int | None, int | None]]:
    """Yield an article's blocks with the start and length of their text in the article's; without the text if it is there."""
    start = 0
    for block in record["blocks"]:
        n_chars = len(block["text"])
        if record["text"].startswith(block["text"], start) and "\0" not in block["text"]:  # SQL ends a text at a NUL
            yield {**block, "text": ""}, start, n_chars
            start += n_chars + len("\n\n")
        else:
            yield block, None, None


def mended(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row to be listed: bytes, which damage may put in the place of text, as text; no infinite numbers."""
    return {
        name: value.decode("utf-8", "replace")
        if isinstance(value, bytes)
        else None
        if isinstance(value, float) and not math.isfinite(value)
        else value
        for name, value in row.items()
    }


def insert(table: str, columns: Sequence[str]) -> str:
    """Return the statement that inserts a row."""
    names = ", ".join(f'"{column}"' for column in columns)
    return f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - the table's own names


def without_heavy(record: Mapping[str, Any]) -> str:
    """Return the JSON in `article.record`."""
    return encode({key: value for key, value in record.items() if key not in HEAVY})


def put_article(columns: Sequence[str]) -> str:
    """Return the statement that inserts an article, or replaces the stored one by its next revision."""
    statement = insert("article", [*columns, "first_stored", "last_stored", "run", "record", "revision"])
    changed = ", ".join(f"{c} = excluded.{c}" for c in [*columns, "last_stored", "run", "record"] if c != "id")
    return f"""{statement.removesuffix("?)")}1)
        ON CONFLICT (id) DO UPDATE SET {changed}, revision = revision + 1 RETURNING key, revision"""
