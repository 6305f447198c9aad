"""An article as stores write it: JSON types only, valid UTF-8, no NaN; and back.

`Article.to_dict` is the definition of the record; `plain` gives the same in about a fifth of the time by naming the
fields of blocks and words instead of asking for them, and a test holds the two together.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from webmain.items import Article, ArticleBlock, Source

HEAD = ("id", "fingerprint", "revision", "stored_at")
"""The keys that open each JSONL line, so that a scan needs to read no further; two of them are the store's own."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_NAMES = tuple(f.name for f in fields(Article))


def plain(article: Article, *, without: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return what `Article.to_dict` returns, in its order, leaving out some fields on request."""
    return {name: _plain(name, getattr(article, name)) for name in _NAMES if name not in without}


def washed(article: Article) -> Article:
    """Return the article as it comes back from a store: without lone surrogates and NaN."""
    return Article.from_dict(json.loads(encode(plain(article))))


def _plain(name: str, value: Any) -> Any:
    """Turn a field into JSON types."""
    match name:
        case "blocks" | "comments":
            return [_block(b) for b in value]
        case "images":
            return [{"url": i.url, "alt": i.alt, "caption": i.caption, "after": i.after} for i in value]
        case "words":
            return [{"word": w.word, "count": w.count} for w in value]
        case "sources":
            return {k: {"name": s.name, "raw": s.raw} if isinstance(s, Source) else s for k, s in value.items()}
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, datetime):
        return value.isoformat()
    return value.value if isinstance(value, StrEnum) else value


def _block(block: ArticleBlock) -> dict[str, Any]:
    return {
        "kind": block.kind.value,
        "text": block.text,
        "level": block.level,
        "ordered": block.ordered,
        "number": block.number,
        "continues": block.continues,
        "rows": [list(row) for row in block.rows],
        "language": block.language,
        "links": links(block),
        "marks": marks(block),
        "align": list(block.align),
        "score": block.score,
        "raw": block.raw,
        "xpath": block.xpath,
    }


def links(block: ArticleBlock) -> list[dict[str, Any]]:
    """Return a block's links as JSON types."""
    return [{"start": link.start, "end": link.end, "url": link.url} for link in block.links]


def marks(block: ArticleBlock) -> list[dict[str, Any]]:
    """Return a block's marks as JSON types."""
    return [{"start": mark.start, "end": mark.end, "kind": mark.kind} for mark in block.marks]


def encode(record: Mapping[str, Any]) -> str:
    r"""Return a record as one line of JSON that every reader accepts.

    Pages hold lone surrogates (`&#xD800;`, `"\ud83d"` in JSON-LD) which UTF-8 has no bytes for, and a score may be
    NaN, which JSON has no word for: the first become U+FFFD, the second null.
    """
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(record), ensure_ascii=False, allow_nan=False)
    return clean(text)


def clean(text: str) -> str:
    """Return the text with lone surrogates replaced, so that it can be encoded as UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def finite(value: Any) -> Any:
    """Return the value, None for NaN and infinities."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _finite(value: Any) -> Any:
    """Replace numbers that JSON has no word for, at any depth."""
    if isinstance(value, Mapping):
        return {k: _finite(v) for k, v in value.items()}
    return [_finite(v) for v in value] if isinstance(value, list) else finite(value)
