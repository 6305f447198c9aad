"""An article as rows of the SQLite store, and rows as an article; no SQLite here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from webmain.article.identity import content_mark
from webmain.items import Article
from webmain.store import schema
from webmain.store.protocol import Revision
from webmain.store.record import clean, encode, finite, links, marks, plain

HEAVY = frozenset(("text", "blocks", "words"))
"""What stands in columns and tables of its own and is left out of the JSON in `article.record`."""


UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What reading a damaged record raises."""


def article_row(article: Article, name: str, now: str, run: int | None) -> tuple[Any, ...]:
    """Return the values of PUT_ARTICLE."""
    record = plain(article, without=HEAVY) | {"id": name, "fingerprint": content_mark(article)}
    values = [article.text if column == "text" else _value(record[column]) for column in schema.COLUMNS]
    return (*values, now, now, run, encode(record))


def _value(value: Any) -> Any:
    """Make a field fit for SQLite."""
    return finite(value) if isinstance(value, float) else value


def block_rows(key: int, article: Article) -> Iterator[tuple[Any, ...]]:
    """Return the values of PUT_BLOCK."""
    for position, block in enumerate(article.blocks):
        rows = as_json(block.rows) if block.rows else None
        yield (
            key,
            position,
            block.kind.value,
            block.level,
            block.ordered,
            block.text,
            rows,
            block.score,
            block.raw,
            block.xpath,
            block.number,
            block.continues,
            block.language,
            as_json(links(block)) if block.links else None,
            as_json(marks(block)) if block.marks else None,
            as_json(block.align) if block.align else None,
        )


def compose(record: str, text: str, blocks: Sequence[Sequence[Any]], words: Sequence[Sequence[Any]]) -> Article:
    """Turn rows back into an article.

    Raises
    ------
    ValueError, TypeError, KeyError, AttributeError, RecursionError
        They are damaged (`UNREADABLE`).
    """
    if any(isinstance(value, bytes) for row in ((record, text), *blocks, *words) for value in row):
        raise ValueError("bytes where text was written")
    whole = json.loads(record) | {
        "text": text,
        "words": [{"word": word, "count": count} for word, count in words],
        "blocks": [
            {
                "kind": kind,
                "level": level,
                "ordered": bool(ordered),
                "text": block_text,
                "rows": json.loads(rows) if rows else (),
                "score": score,
                "raw": raw,
                "xpath": xpath,
                "number": number,
                "continues": bool(continues),
                "language": language,
                "links": json.loads(found) if found else (),
                "marks": json.loads(marked) if marked else (),
                "align": json.loads(aligned) if aligned else (),
            }
            for (
                _,
                _,
                kind,
                level,
                ordered,
                block_text,
                rows,
                score,
                raw,
                xpath,
                number,
                continues,
                language,
                found,
                marked,
                aligned,
            ) in blocks
        ],
    }
    return Article.from_dict(whole)


def earlier_revision(row: Sequence[Any]) -> Revision | None:
    """Turn a row of REVISIONS into a record; None where it is damaged."""
    number, stored, text, record = row
    try:
        article = Article.from_dict(json.loads(record) | {"text": text})
        return Revision(number=number, stored_at=read_time(stored), article=article)
    except UNREADABLE:
        return None


def read_time(text: Any) -> datetime | None:
    """Read a time as stores write it; None where it is none."""
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def as_json(value: Any) -> str:
    """Return a value as JSON text; what JSON has no form for as its `str`."""
    return clean(json.dumps(value, ensure_ascii=False, default=str))
