"""Rows of the ledger's tables: records, hints as JSON, and checks for damage."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any, Final

from webmain.items import Hints
from webmain.urls import without_credentials


class State(IntEnum):
    """State of an address."""

    PENDING = 0  # to be fetched, or retried
    DONE = 1  # stored, or rejected for good, for a reason
    GAVE_UP = 2  # failed too often


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundUrl:
    """An address that was found, with its hints."""

    url: str
    hints: Hints | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", without_credentials(self.url))


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneUrl:
    """An address that is settled, with the id of its stored article or the reason why there is none.

    A refusal by a filter also has the filter's value (`limit`): a date in seconds since 1970, a language or a section.
    """

    url: str
    article_id: str | None = None
    reason: str | None = None
    canonical: str | None = None
    limit: float | str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", without_credentials(self.url))
        object.__setattr__(self, "canonical", without_credentials(self.canonical) if self.canonical else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Number of addresses in each state; `articles` and `rejected` together are the done ones."""

    pending: int = 0
    articles: int = 0
    rejected: int = 0
    gave_up: int = 0


# ---- The database


def is_root(url: str) -> bool:
    """Return True if an address is a front page."""
    return url.partition("://")[2].rstrip("/").count("/") == 0 and "?" not in url


def put_alias(db: sqlite3.Connection, url: str, canonical: str) -> None:
    """Store an alias; aliases of the alias are updated, so that one look-up is enough."""
    target = db.execute("SELECT canonical FROM aliases WHERE url = ?", (canonical,)).fetchone()
    final = target[0] if target and target[0] != url else canonical
    db.execute("DELETE FROM aliases WHERE url = ?", (final,))
    db.execute("INSERT OR REPLACE INTO aliases (url, canonical) VALUES (?, ?)", (url, final))
    db.execute("UPDATE aliases SET canonical = ? WHERE canonical = ? AND url <> ?", (final, url, final))


# ---- Hints

MAX_HINTS_CHARS: Final = 1 << 20
_LISTS: Final = frozenset(("authors", "tags"))
_NAMES: Final = tuple(f.name for f in fields(Hints))


def written_hints(hints: Hints) -> str:
    """Return hints as JSON, without the article's content if that is too long."""
    present = {name: value for name in _NAMES if (value := getattr(hints, name))}
    written = json.dumps(present, ensure_ascii=False)
    if len(written) > MAX_HINTS_CHARS:
        present.pop("content_html", None)
        written = json.dumps(present, ensure_ascii=False)
    return written


def read_hints(raw: Any) -> Hints | None:
    """Return stored hints; None if there are none.

    Raises
    ------
    ValueError
        They are damaged.
    """
    if raw is None:
        return None
    try:
        values = json.loads(raw)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"the hints are no JSON: {error}") from error
    if not isinstance(values, dict):
        raise ValueError("the hints are no object")
    kept: dict[str, Any] = {"source": "feed"} | {name: values[name] for name in _NAMES if name in values}
    for name, value in kept.items():
        texts = value if name in _LISTS else [value]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"the hints' {name} is of a wrong type")
        kept[name] = tuple(texts) if name in _LISTS else value
    return Hints(**kept)


# ---- Checks

_TIMES: Final = ("newest", "added_at", "changed_at", "retry_after")

URLS: Final = "SELECT rowid, url, site, state, attempts, hints, newest, added_at, changed_at, retry_after FROM urls"
ALIASES: Final = "SELECT url, url, canonical FROM aliases"


def url_problem(row: Sequence[Any]) -> str:
    """Return what is wrong with a row of `URLS`; "" where nothing is."""
    url, site, state, attempts, hints, *times = row
    if not isinstance(url, str) or not isinstance(site, str) or "\ufffd" in url:
        return f"no address: {url!r}"
    if state not in [each.value for each in State] or not isinstance(attempts, int) or attempts < 0:
        return f"{url}: no state ({state!r}) or no count of attempts ({attempts!r})"
    for name, value in zip(_TIMES, times, strict=True):
        if not isinstance(value, (int, float)) or math.isnan(value):
            return f"{url}: no time in {name}: {value!r}"
    try:
        read_hints(hints)
    except ValueError as error:
        return f"{url}: {error}"
    return ""


def alias_problem(row: Sequence[Any]) -> str:
    """Return what is wrong with a row of `ALIASES`; "" where nothing is."""
    return "" if all(isinstance(value, str) and "\ufffd" not in value for value in row) else f"no address: {row!r}"
