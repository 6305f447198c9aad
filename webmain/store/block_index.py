"""Block search: finds blocks of stored articles by their words and ranks them by Bp = Pb * Kd.

Pb is a block's priority: the one that PAB assigned, or for any other method, whose own quantity may mean something
else, its score in [0, 1]. The `title` element of every article's page is searched as a block of priority 1.0. Kd is the
query's density: the number of the block's words that match the query, each position counted once, divided by all words.

The index is in the store's own file. Programs that search bring it up to date, not the crawl: segmenting the blocks costs
as much as counting their words, and most stored blocks are never searched. Triggers add an article to the list of articles to
index in the transaction that stores it; the transaction that indexes it removes it. So the list is correct whichever
process is killed and whichever program writes to the file. Articles on the list are left out of results and counted;
results never come from an older revision.

The full-text table is FTS5 with unicode61, over segmented and folded text (`webmain.store.query`), without a copy of the
text. Rows of removed blocks stay in it until `rebuild`; they are not found, since `search_block` no longer names them.

References
----------
Rasel Kabir, Shaily Kabir, Shamiul Amin: Isolating Informative Blocks from Large Web Pages Using HTML Tag Priority
Assignment Based Approach, section 4.5, equation 4.
"""

from __future__ import annotations

import itertools
import logging
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from webmain.files import StoreError
from webmain.items.codec import UNREADABLE
from webmain.store.query import TOKENS_VERSION, Indexed, Query, index_text, read_query
from webmain.store.search_records import Filters, Hit, Results, article_conditions, equality_filters
from webmain.store.snippets import WIDTH, snippet
from webmain.store.sqlite_file import SqliteFile, block_text
from webmain.store.sqlite_rows import mended

logger = logging.getLogger(__name__)

TITLE_PRIORITY = 1.0  # priority of the title block (section 3.1.2)
UNSCORED_PRIORITY = 0.1  # priority of a block that was stored without a score: a plain paragraph's (table 3.1)
TITLE = -1  # position of the title among an article's blocks
CONTENT_VERSION = 2  # version of what is indexed: an index of another version is rebuilt
BATCH = 100  # articles indexed in one transaction

_TABLE = """CREATE VIRTUAL TABLE IF NOT EXISTS search_text USING fts5 (
    words, content = '', columnsize = 0,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co Cn'"
)"""
_TERMS = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_term USING fts5vocab (main, search_text, instance)"
_HITS = "CREATE TEMP TABLE IF NOT EXISTS search_hit (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)"
_RECORDED_TITLE = "CASE WHEN json_valid(record) THEN json_extract(record, '$.page_title') END"
_SEARCHED = f"SELECT revision, coalesce({_RECORDED_TITLE}, title), extractor, text FROM article WHERE key = ?"  # noqa: S608
_MOST = 2**63 - 1  # the greatest integer of SQLite

_VERSION = f"webmain-{TOKENS_VERSION}-{CONTENT_VERSION}"

# Statements are built from these and from numbers; values from readers are bound. CROSS JOIN makes SQLite begin with the
# hits: otherwise it would scan all blocks in the order of their articles.
_IN_A_ROW = 'SELECT doc, "offset" - {} AS place FROM temp.search_term WHERE term = ?'
_COUNTED = "SELECT doc, {} * count(*) AS n FROM ({}) GROUP BY doc"
_COLLECT = "INSERT INTO temp.search_hit SELECT doc, sum(n) FROM ({}) GROUP BY doc HAVING count(*) >= {}"
_PLACES = "SELECT {} AS part, doc, place + w.column1 AS place FROM ({}) CROSS JOIN (VALUES {}) AS w"
_COLLECT_PLACES = """INSERT INTO temp.search_hit SELECT doc, count(DISTINCT place) FROM ({}) GROUP BY doc
    HAVING count(DISTINCT part) >= {}"""
_BLOCKS = """SELECT article, pb * kd AS bp, position, pb, kd FROM (
    SELECT b.article AS article, b.position AS position, b.priority AS pb, min(1.0, CAST(h.n AS REAL) / b.n_words) AS kd
    FROM temp.search_hit AS h CROSS JOIN search_block AS b ON b.id = h.id {}
    WHERE {})"""
_PER = {
    "page": "SELECT article, max(bp) AS bp, position, pb, kd, count(*) AS n_blocks FROM ({}) GROUP BY article",
    "block": "SELECT article, bp, position, pb, kd, 1 AS n_blocks FROM ({})",
}
_RANKED = """SELECT r.article, a.id, r.bp AS priority, r.pb AS block_priority, r.kd AS density, a.url, a.title, a.site,
    a.language, a.published, a.extractor, r.position, r.n_blocks
    FROM ({} ORDER BY bp DESC, article DESC, position LIMIT ? OFFSET ?) AS r CROSS JOIN article AS a ON a.key = r.article
    ORDER BY bp DESC, article DESC, position"""
_TOTAL = "SELECT count(DISTINCT article), count(*) FROM ({})"
_PAGE_TITLE = f"SELECT {_RECORDED_TITLE} FROM article WHERE key = ?"  # noqa: S608
_BEST_BELOW = """SELECT b.position FROM search_block AS b CROSS JOIN temp.search_hit AS h ON h.id = b.id
    WHERE b.article = ? AND b.position >= 0 ORDER BY b.priority * h.n / b.n_words DESC, b.position LIMIT 1"""


def block_priority(extractor: str, score: float | None, raw: float | None) -> float:
    """Return Pb of a stored block: PAB's priority, any other method's score, or `UNSCORED_PRIORITY` if it has none."""
    value = raw if extractor == "pab" and raw is not None else score
    return UNSCORED_PRIORITY if value is None else max(0.0, value)


@dataclass(frozen=True, slots=True)
class _Row:
    """A title or block as it is indexed."""

    position: int
    priority: float
    indexed: Indexed


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The index rows of one revision of an article."""

    revision: int
    rows: Sequence[_Row]


class BlockIndex:
    """The full-text index over a store's blocks; made by `SqliteStore.index` or `webmain.store.search.open_index`."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    def pending(self) -> int:
        """Return the number of articles that are not indexed yet."""
        return int(self._file.one(f"SELECT count(*) FROM {'search_todo' if self._is_current() else 'article'}"))  # noqa: S608

    def update(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Index all articles stored or revised since the last update; return their number.

        `progress`: called with the numbers of articles done and to do, after each batch.
        Raises StoreError: the store cannot be written (StoreWriteError, StoreFullError), is locked for too long, or
        this Python's SQLite has no FTS5. Articles indexed before the error stay indexed.
        """
        if not self._is_current():
            self._start_anew()
        done, total = 0, self.pending()
        todo = "SELECT article FROM search_todo ORDER BY article LIMIT ?"
        while keys := [key for (key,) in self._file.rows(todo, (BATCH,))]:
            batch = {key: self._load(key) for key in keys}  # the slow part: outside the transaction
            with self._file.transaction():
                done += sum(itertools.starmap(self._write, batch.items()))
            if progress:
                progress(done, max(done, total))
        return done

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Rebuild the index from the stored blocks; return the number of articles (see `update`)."""
        self._start_anew()
        return self.update(progress)

    def search(
        self,
        query: str | Query,
        *,
        limit: int = 10,
        offset: int = 0,
        filters: Filters | None = None,
        match: Literal["all", "any"] = "all",
        per: Literal["page", "block"] = "page",
        width: int = WIDTH,
    ) -> Results:
        """Return the blocks that contain a query's words, ranked by Bp; the index is not updated (see `update`).

        Raises QueryError if the query has no word, or too many. Raises StoreError if the database cannot be read, or
        was never indexed and is open for reading only.
        With `match` "all", a block must have all of the query's words and phrases, with "any" at least one. `per`: one
        result per article, by its best block, or one per block. `width`: most characters of a snippet; 0 for none, which
        is faster.
        """
        if limit < 0 or offset < 0:
            raise ValueError(f"limit and offset are at least 0, not {limit} and {offset}")
        parsed = read_query(query) if isinstance(query, str) else query
        if not self._is_current():
            return Results(hits=(), n_pages=0, n_blocks=0, unindexed=self.pending())
        clauses, values = article_conditions(filters or Filters())
        join = "CROSS JOIN article AS a ON a.key = b.article" if clauses else ""
        blocks = _BLOCKS.format(join, " AND ".join(["b.article NOT IN (SELECT article FROM search_todo)", *clauses]))
        self._file.rows(_TERMS)
        self._file.rows(_HITS)
        self._file.rows("BEGIN")  # all that follows sees one state of the database
        try:
            self._collect(parsed, match)
            ranking = _RANKED.format(_PER[per].format(blocks))
            found = self._file.named_rows(ranking, (*values, min(limit, _MOST), min(offset, _MOST)))
            ((n_pages, n_blocks),) = self._file.rows(_TOTAL.format(blocks), values)
            hits = tuple(self._hit(mended(row), rank, parsed, width) for rank, row in enumerate(found, offset + 1))
            return Results(hits=hits, n_pages=n_pages, n_blocks=n_blocks, unindexed=self.pending())
        finally:
            self._file.rows("ROLLBACK")

    def absent(self, filters: Filters) -> dict[str, str]:
        """Return the names and values of filters (site, language, method) that no stored article has."""
        any_of = "SELECT 1 FROM article WHERE {} = ? LIMIT 1"
        return {
            name: wanted
            for name, column, wanted in equality_filters(filters)
            if not self._file.rows(any_of.format(column), (wanted,))
        }

    def _collect(self, query: Query, match: str) -> None:
        """Store the matching blocks in a temporary table, with the number of their words that match the query."""
        tokens = [token for part in query.parts for token in part.tokens]
        apart = len(set(tokens)) == len(tokens)  # no two parts can share a position, nor a phrase overlap itself
        selects: list[str] = []
        for number, part in enumerate(query.parts):
            rows = " INTERSECT ".join(_IN_A_ROW.format(i) for i in range(len(part.tokens)))
            starts = ",".join(f"({start})" for start in part.starts)
            selects.append(_COUNTED.format(part.n_words, rows) if apart else _PLACES.format(number, rows, starts))
        wanted = len(query.parts) if match == "all" else 1
        sql = (_COLLECT if apart else _COLLECT_PLACES).format(" UNION ALL ".join(selects), wanted)
        self._file.rows("DELETE FROM temp.search_hit")
        self._file.rows(sql, tokens)

    def _hit(self, row: dict[str, Any], rank: int, query: Query, width: int) -> Hit:
        """Return a result with its snippet; a title's comes from the best block below it or from the page's title."""
        key, position = row.pop("article"), row["position"]
        if position == TITLE:
            position = self._file.one(_BEST_BELOW, (key,)) or 0
        text = ""
        if width:
            text = self._file.one("SELECT text FROM block WHERE article = ? AND position = ?", (key, position)) or ""
        found = snippet(text, query.parts, width=width)
        if (
            row["position"] == TITLE
            and not found.marks
            and not snippet(row["title"] or "", query.parts, width=width).marks
        ):
            found = snippet(self._file.one(_PAGE_TITLE, (key,)) or text, query.parts, width=width)
        return Hit(rank=rank, snippet=found, **row)

    def _is_current(self) -> bool:
        """Return True if there is an index of this version."""
        return bool(self._file.one("SELECT value FROM setting WHERE name = 'search'") == _VERSION)

    def _start_anew(self) -> None:
        """Empty the index and list every article for indexing."""
        with self._file.transaction():
            try:
                self._file.db.execute(_TABLE)
            except sqlite3.OperationalError as error:
                if "fts5" in str(error):
                    raise StoreError(f"store {self._file.spec}: this Python's SQLite was built without FTS5") from error
                raise
            self._file.rows("INSERT INTO search_text (search_text) VALUES ('delete-all')")
            self._file.rows("DELETE FROM search_block")
            self._file.rows("INSERT OR IGNORE INTO search_todo SELECT key FROM article")
            self._file.rows("INSERT OR REPLACE INTO setting VALUES ('search', ?)", (_VERSION,))

    def _load(self, key: int) -> _Loaded | None:
        """Return the segmented title and blocks of an article, those with a word; None if it is gone or damaged."""
        found = self._file.rows(_SEARCHED, (key,))
        if not found:
            return None
        ((revision, title, extractor, whole),) = found
        blocks = self._file.named_rows("SELECT * FROM kept_block WHERE article = ? ORDER BY position", (key,))
        try:
            rows = [_Row(TITLE, TITLE_PRIORITY, index_text(title or ""))]
            for row in blocks:
                priority = block_priority(extractor, row["score"], row["raw"])
                rows.append(_Row(row["position"], priority, index_text(block_text(row, whole))))
            return _Loaded(revision, [row for row in rows if row.indexed.tokens])
        except UNREADABLE as error:
            logger.warning("store %s: article %d is damaged, and not indexed: %s", self._file.spec, key, error)
            return None

    def _write(self, key: int, loaded: _Loaded | None) -> bool:
        """Add an article's blocks to the index; return False if it is gone, damaged, or was revised since it was read."""
        if loaded is not None:
            if self._file.one("SELECT revision FROM article WHERE key = ?", (key,)) != loaded.revision:
                return False
            self._file.rows("DELETE FROM search_block WHERE article = ?", (key,))
            for row in loaded.rows:
                put = "INSERT INTO search_block (article, position, n_words, priority) VALUES (?, ?, ?, ?) RETURNING id"
                number = self._file.one(put, (key, row.position, row.indexed.n_words, row.priority))
                self._file.rows("INSERT INTO search_text (rowid, words) VALUES (?, ?)", (number, row.indexed.tokens))
        self._file.rows("DELETE FROM search_todo WHERE article = ?", (key,))
        return loaded is not None
