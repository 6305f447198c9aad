"""Lists what a store contains, for people: articles, their copies, sites, crawls.

A list reads rows only, neither texts nor records. Lists are paginated by key: a page begins after the last row of the
page before. So no row is missed or shown twice while a crawl writes, and the thousandth page costs as much as the first.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from webmain.store.search_records import SECONDS, Filters, article_conditions
from webmain.store.sqlite_file import SqliteFile
from webmain.store.sqlite_rows import mended

SORTS: Final = {
    "published": SECONDS,
    "fetched": "julianday(a.fetched_at)",
    "stored": "julianday(a.last_stored)",
    "confidence": "a.confidence",
    "words": "a.n_words",
    "title": "a.title COLLATE NOCASE",
    "site": "a.site",
}
"""Columns that lists can be sorted by; articles without a value come last in either direction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The order of a list: a name in `SORTS`, and the direction."""

    by: str = "published"
    descending: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An article in a list, with its fields as stored."""

    key: int
    id: str
    url: str | None
    title: str | None
    site: str
    language: str | None
    published: str | None
    fetched_at: str | None
    extractor: str
    confidence: float | None
    n_words: int
    duplicate_of: str | None
    revision: int


_ROW = ", ".join(f"a.{name}" for name in Listed.__slots__)

_KINDS: Final[tuple[tuple[tuple[str, ...], tuple[type, ...], Any], ...]] = (
    (("url", "title", "language", "published", "fetched_at", "duplicate_of"), (str,), None),
    (("id", "site", "extractor"), (str,), ""),
    (("confidence",), (int, float), None),
    (("n_words", "revision"), (int,), 0),
)
"""Types of the columns of `Listed`, and the default for a value of another type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleList:
    """A page of a list."""

    articles: tuple[Listed, ...]
    # key that the previous page ends before, and key that the next page begins after; None if there is no such page
    before: int | None = None
    after: int | None = None


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A text that an article has or had: its number (from 1), when it was stored (ISO 8601), its characters."""

    number: int
    stored: str
    n_chars: int


_VERSIONS = """SELECT e.revision, e.stored, length(e.text)
    FROM earlier AS e JOIN article AS a ON a.key = e.article WHERE a.id = ?1
    UNION ALL SELECT revision, last_stored, length(text) FROM article WHERE id = ?1 ORDER BY 1 DESC LIMIT 100"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteHealth:
    """Figures of a site in the store."""

    site: str
    # all articles; copies of other articles; articles with earlier texts
    n_articles: int
    n_copies: int
    n_changed: int
    # ISO 8601
    last_fetched: str | None
    last_published: str | None
    median_words: float  # of the articles' texts
    confidence: float | None  # mean over the articles that have one
    n_unsure: int  # articles with a confidence below `UNSURE`


UNSURE: Final = 0.5  # articles with a confidence below this count as unsure

_SITES = """SELECT a.site, count(*) AS n_articles, count(a.duplicate_of) AS n_copies, sum(a.revision > 1) AS n_changed,
    max(a.fetched_at) AS last_fetched, max(a.published) AS last_published,
    avg(CASE WHEN place IN ((n + 1) / 2, (n + 2) / 2) THEN n_words END) AS median_words,
    avg(a.confidence) AS confidence, coalesce(sum(a.confidence < ?), 0) AS n_unsure
    FROM (SELECT site, n_words, duplicate_of, revision, fetched_at, published, confidence,
        row_number() OVER (PARTITION BY site ORDER BY n_words) AS place, count(*) OVER (PARTITION BY site) AS n
        FROM article {}) AS a GROUP BY a.site ORDER BY a.site"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A crawl that wrote to a store."""

    id: int
    # ISO 8601; a crawl without an end is still running, or was killed
    started: str
    finished: str | None
    reason: str  # why it ended
    # its arguments; its statistics at the end
    arguments: Mapping[str, Any]
    stats: Mapping[str, Any]


class Catalogue:
    """Lists the contents of a store's database; made by `SqliteStore.catalogue`."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    def count(self, filters: Filters | None = None) -> int:
        """Return the number of articles that pass the filters."""
        clauses, values = article_conditions(filters or Filters())
        return int(self._file.one(f"SELECT count(*) FROM article AS a {_where(clauses)}", values))  # noqa: S608 - our own clauses

    def list_articles(
        self,
        filters: Filters | None = None,
        *,
        order: Order | None = None,
        after: int | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> ArticleList:
        """Return a page of the list of articles.

        Raises KeyError if there is no article with this key (any more).
        `order`: latest first if None. `after`, `before`: key (`Listed.key`) of the article that the page begins after or
        ends before; the first page if both are None.
        """
        order = order or Order()
        column, backwards = SORTS[order.by], before is not None
        clauses, values = article_conditions(filters or Filters())
        if (key := before if backwards else after) is not None:
            rows = self._file.rows(f"SELECT {column} FROM article AS a WHERE a.key = ?", (key,))  # noqa: S608 - a constant
            if not rows:
                raise KeyError(key)
            beyond, bound = _after_row(column, rows[0][0], key, descending=order.descending, backwards=backwards)
            clauses, values = [*clauses, beyond], [*values, *bound]
        way = "DESC" if order.descending != backwards else "ASC"
        nulls = "DESC" if backwards else "ASC"
        found = self._file.rows(
            f"SELECT {_ROW} FROM article AS a {_where(clauses)}"  # noqa: S608 - our own clauses
            f" ORDER BY ({column}) IS NULL {nulls}, {column} {way}, a.key {way} LIMIT ?",
            (*values, limit + 1),
        )
        shown = found[:limit][:: -1 if backwards else 1]
        if not shown:
            return ArticleList(articles=())
        is_more, is_later = len(found) > limit, key is not None
        return ArticleList(
            articles=tuple(map(_read_row, shown)),
            before=shown[0][0] if (is_more if backwards else is_later) else None,
            after=shown[-1][0] if (is_later if backwards else is_more) else None,
        )

    def article(self, article_id: str) -> Listed | None:
        """Return an article's row."""
        return next(iter(self._list_articles("WHERE a.id = ?", (article_id,))), None)

    def copies(self, article_id: str) -> tuple[Listed, ...]:
        """Return the first hundred articles that are copies of one."""
        return self._list_articles("WHERE a.duplicate_of = ? ORDER BY a.key LIMIT 100", (article_id,))

    def revisions(self, article_id: str) -> tuple[RevisionRow, ...]:
        """Return the last hundred texts that an article has had, the last first."""
        return tuple(RevisionRow(*row) for row in self._file.rows(_VERSIONS, (article_id,)))

    def sites(self, site: str | None = None) -> tuple[SiteHealth, ...]:
        """Return the figures of all sites, in alphabetical order, or of one."""
        values = (UNSURE,) if site is None else (UNSURE, site)
        rows = self._file.named_rows(_SITES.format("" if site is None else "WHERE site = ?"), values)
        return tuple(SiteHealth(**mended(row)) for row in rows)

    def runs(self, *, before: int | None = None, limit: int = 50) -> tuple[Run, ...]:
        """Return the crawls, the last first; optionally only those before a given one."""
        return self._runs("WHERE id < ? ORDER BY id DESC LIMIT ?", (math.inf if before is None else before, limit))

    def run(self, run: int) -> Run | None:
        """Return a crawl."""
        return next(iter(self._runs("WHERE id = ?", (run,))), None)

    def n_stored(self, run: int) -> int:
        """Return the number of articles whose current text is from a crawl."""
        return int(self._file.one("SELECT count(*) FROM article WHERE run = ?", (run,)))

    def _list_articles(self, clause: str, values: Sequence[Any]) -> tuple[Listed, ...]:
        return tuple(map(_read_row, self._file.rows(f"SELECT {_ROW} FROM article AS a {clause}", values)))  # noqa: S608 - our own clauses

    def _runs(self, clause: str, values: Sequence[Any]) -> tuple[Run, ...]:
        rows = self._file.named_rows(f"SELECT {', '.join(Run.__slots__)} FROM crawl_run {clause}", values)  # noqa: S608 - our own clauses
        return tuple(map(_read_run, rows))


def _where(clauses: Sequence[str]) -> str:
    return f"WHERE {' AND '.join(clauses)}" if clauses else ""


def _after_row(
    column: str, value: Any, key: int, *, descending: bool, backwards: bool
) -> tuple[str, list[str | float]]:
    """Return the SQL condition that a row is after or before a given one, with its values; rows without a value come last."""
    sign = "<" if descending != backwards else ">"
    if value is None:
        same = f"({column} IS NULL AND a.key {sign} ?)"
        return (f"({column} IS NOT NULL OR {same})" if backwards else same), [key]
    nulls = "" if backwards else f" OR {column} IS NULL"
    return f"({column} {sign} ? OR ({column} = ? AND a.key {sign} ?){nulls})", [value, value, key]


def _read_row(row: Sequence[Any]) -> Listed:
    """Return a row; a value of the wrong type, in a damaged or foreign row, becomes the default."""
    found = mended(dict(zip(Listed.__slots__, row, strict=True)))
    for names, kinds, other in _KINDS:
        found |= {name: other for name in names if not isinstance(found[name], kinds)}
    return Listed(**found)


def _read_run(row: Mapping[str, Any]) -> Run:
    found = mended(row)
    found |= {
        "reason": found["reason"] or "",
        "arguments": _mapping(found["arguments"]),
        "stats": _mapping(found["stats"]),
    }
    return Run(**found)


def _mapping(text: Any) -> dict[str, Any]:
    """Return a JSON object, or an empty one if the text is not one."""
    try:
        found = json.loads(text or "{}")
    except (TypeError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
