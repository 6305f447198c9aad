"""Block search: the blocks of stored articles, found by their words and ranked by Bp = Pb * Kd.

Pb is a block's priority: what PAB assigned to it; for any other method, whose own quantity may have another meaning, its
score in [0, 1]. The `title` element of every article's page is searched as a block of priority 1.0. Kd is the density of
the query: the words of the block that the query names, each place counted once, divided by all its words.

The index lives in the store's own file. It is brought up to date by whoever searches, not by the crawl: segmenting the
blocks costs as much as counting their words does, and most of what is stored is never searched for. Which articles are
still to be taken in is noted by triggers in the transaction that stores them, and an article is taken off that list in
the transaction that indexes it. Whatever is killed, and whoever wrote to the file, the list is right; what stands on it
is left out of results and counted, never answered from an older revision.

The full-text table is FTS5 with unicode61, over segmented and folded text (`webmain.store.query`), without a copy of the
text. Rows of removed blocks stay in it until `rebuild`; they are not found, since `search_block` no longer names them.

References
----------
Rasel Kabir, Shaily Kabir, Shamiul Amin: Isolating Informative Blocks from Large Web Pages Using HTML Tag Priority
Assignment Based Approach, section 4.5, equation 4.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

from webmain.store.found import Filters, Hit, Results, conditions, equalities
from webmain.store.protocol import StoreError, StoreSpecError, StoreWriteError
from webmain.store.query import TOKENS_VERSION, Query, index_text, read_query
from webmain.store.snippets import WIDTH, snippet

TITLE_PRIORITY = 1.0
"""Priority of the title block (section 3.1.2)."""

UNSCORED_PRIORITY = 0.1
"""Priority of a block that was stored without a score: a plain paragraph's (table 3.1)."""

TITLE = -1
"""Position of the title among an article's blocks."""

CONTENT_VERSION = 2
"""Changes with what is taken in of an article: an index of another version is made anew."""

BATCH = 100
"""Articles that are indexed in one transaction."""

_TABLE = """CREATE VIRTUAL TABLE IF NOT EXISTS search_text USING fts5 (
    words, content = '', columnsize = 0,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co Cn'"
)"""
_TERMS = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_term USING fts5vocab (main, search_text, instance)"
_HITS = "CREATE TEMP TABLE IF NOT EXISTS search_hit (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)"
_SEARCHED = """SELECT revision, coalesce(json_extract(record, '$.page_title'), title), extractor
    FROM article WHERE key = ?"""
_MOST = 2**63 - 1
"""The greatest whole number of SQLite."""


_VERSION = f"webmain-{TOKENS_VERSION}-{CONTENT_VERSION}"

# Statements are put together from these and from numbers; whatever a reader asks for is bound. CROSS JOIN tells SQLite to
# begin with the hits: it would rather walk all blocks, in the order of their articles.
_IN_A_ROW = 'SELECT doc, "offset" - {} AS place FROM temp.search_term WHERE term = ?'
_COUNTED = "SELECT doc, {} * count(*) AS n FROM ({}) GROUP BY doc"
_COLLECT = "INSERT INTO temp.search_hit SELECT doc, sum(n) FROM ({}) GROUP BY doc HAVING count(*) >= {}"
_PLACES = "SELECT {} AS part, doc, place + w.column1 AS place FROM ({}) CROSS JOIN (VALUES {}) AS w"
_COLLECT_PLACES = """INSERT INTO temp.search_hit SELECT doc, count(DISTINCT place) FROM ({}) GROUP BY doc
    HAVING count(DISTINCT part) >= {}"""
_BLOCKS = """SELECT article, pb * kd AS bp, position, pb, kd FROM (
    SELECT b.article AS article, b.position AS position, b.priority AS pb, min(1.0, CAST(h.n AS REAL) / b.n_words) AS kd
    FROM temp.search_hit AS h CROSS JOIN search_block AS b ON b.id = h.id {})"""
_PER_PAGE = """SELECT article, max(bp) AS bp, position, pb, kd, count(*), count(*) OVER (), sum(count(*)) OVER ()
    FROM ({}) GROUP BY article"""
_PER_BLOCK = "SELECT article, bp, position, pb, kd, 1, 0, 0 FROM ({})"
_ORDER = " ORDER BY bp DESC, article DESC, position LIMIT ? OFFSET ?"
_ANY_OF = "SELECT 1 FROM article WHERE {} = ? LIMIT 1"
_TOTAL = "SELECT count(DISTINCT article), count(*) FROM ({})"


def block_priority(extractor: str, score: float | None, raw: float | None) -> float:
    """Return Pb of a stored block: PAB's priority, any other method's score, `UNSCORED_PRIORITY` where there is none."""
    value = raw if extractor == "pab" and raw is not None else score
    return UNSCORED_PRIORITY if value is None else max(0.0, value)


@contextmanager
def open_index(spec: str, *, read_only: bool = False) -> Iterator[BlockIndex]:
    """Open the search over a store, for a `with` block.

    Parameters
    ----------
    spec : str
        `sqlite:PATH`.
    read_only : bool
        Change nothing: the index stays as it is. So it is where the file cannot be written.

    Raises
    ------
    StoreError
        The specification names no SQLite store (StoreSpecError), there is no such file, or it cannot be opened; see
        `webmain.store.protocol`.
    """
    from webmain.store.sqlite import SqliteStore

    form, colon, path = spec.strip().partition(":")
    if not colon or form.strip().lower() != "sqlite" or not path.strip():
        raise StoreSpecError(f"store {spec!r}: only SQLite stores can be searched: sqlite:PATH")
    place = Path(path.strip()).expanduser()
    if place.is_dir():
        raise StoreError(f"store {spec}: this is a folder; give the database's file: sqlite:PATH")
    if not place.is_file():
        raise StoreError(f"store {spec}: there is no such file")
    try:
        store = SqliteStore(place, read_only=read_only)
    except StoreWriteError:
        if read_only:
            raise
        store = SqliteStore(
            place, read_only=True
        )  # search what is indexed; `update` will say that it cannot be written
    with store:
        yield store.index()


class _Found(NamedTuple):
    """A row of the ranking."""

    article: int
    priority: float
    position: int
    block_priority: float
    density: float
    n_blocks: int
    n_pages: int
    all_blocks: int


class BlockIndex:
    """The full-text index over a store's blocks; made by `SqliteStore.index` or `open_index`."""

    def __init__(
        self,
        db: sqlite3.Connection,
        spec: str,
        transaction: Callable[[], AbstractContextManager[None]],
        told: Callable[[], AbstractContextManager[None]],
        *,
        read_only: bool,
    ) -> None:
        self._db = db
        self._spec = spec
        self._transaction = transaction
        self._told = told
        self._read_only = read_only

    def pending(self) -> int:
        """Return the number of articles that the index has yet to take in."""
        with self._told():
            if not self._is_current():
                return int(self._one("SELECT count(*) FROM article"))
            return int(self._one("SELECT count(*) FROM search_todo"))

    def update(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Take in all articles that were stored or revised since; return how many.

        Parameters
        ----------
        progress : callable or None
            Called with the numbers of articles done and to do, after each batch.

        Raises
        ------
        StoreError
            The store cannot be written (StoreWriteError, StoreFullError), is locked for too long, or this Python's
            SQLite has no FTS5. What was taken in before stays.
        """
        if not self._is_current():
            self._start_anew()
        done, total = 0, self.pending()
        while keys := self._todo():
            batch = [loaded for key in keys if (loaded := self._load(key))]
            rows = [(article, _rows_of(article)) for article in batch]  # the slow part: outside the transaction
            with self._transaction():
                gone = set(keys) - {article.key for article in batch}
                self._db.executemany("DELETE FROM search_todo WHERE article = ?", ((key,) for key in gone))
                for article, blocks in rows:
                    done += self._write(article, blocks)
            if progress:
                progress(done, max(done, total))
        return done

    def rebuild(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make the index anew from the stored blocks; return the number of articles (see `update`)."""
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
        """Find the blocks with a query's words, ranked by Bp; the index is taken as it is (see `update`).

        Parameters
        ----------
        query : str or Query
            Words and "phrases" (`webmain.store.query.read_query`).
        limit, offset : int
            So many results, after so many.
        filters : Filters or None
        match : {"all", "any"}
            A block has all of the query's words and phrases, or at least one.
        per : {"page", "block"}
            One result an article, by its best block, or one a block.
        width : int
            Characters of a snippet, at most; 0 for none, which is faster.

        Raises
        ------
        QueryError
            The query names no word, or too many.
        StoreError
            The database cannot be read, or was never indexed and is open for reading only.
        """
        if limit < 0 or offset < 0:
            raise ValueError(f"limit and offset are at least 0, not {limit} and {offset}")
        limit, offset = min(limit, _MOST), min(offset, _MOST)
        asked = read_query(query) if isinstance(query, str) else query
        with self._told():
            if not self._is_current():
                return Results(hits=(), n_pages=0, n_blocks=0, unindexed=self.pending())
            self._db.execute(_TERMS)
            self._db.execute(_HITS)
            self._db.execute("BEGIN")  # one state of the database from here on
            try:
                self._collect(asked, match)
                found, n_pages, n_blocks = self._rank(filters or Filters(), limit, offset, per)
                shown = (self._hit(row, rank, asked, width) for rank, row in enumerate(found, offset + 1))
                hits = tuple(hit for hit in shown if hit)
                return Results(hits=hits, n_pages=n_pages, n_blocks=n_blocks, unindexed=self.pending())
            finally:
                self._db.execute("ROLLBACK")

    def absent(self, filters: Filters) -> dict[str, str]:
        """Return the names and values of filters (site, language, method) that no stored article has, found or not."""
        with self._told():
            return {
                name: wanted
                for name, column, wanted in equalities(filters)
                if not self._db.execute(_ANY_OF.format(column), (wanted,)).fetchone()
            }

    # --- finding -----------------------------------------------------------------------------------------------------

    def _collect(self, query: Query, match: str) -> None:
        """Note the blocks that match, with the number of their words that the query names."""
        tokens = [token for part in query.parts for token in part.tokens]
        apart = len(set(tokens)) == len(tokens)  # no two parts can share a place, nor a phrase one with itself
        selects: list[str] = []
        for number, part in enumerate(query.parts):
            rows = " INTERSECT ".join(_IN_A_ROW.format(i) for i in range(len(part.tokens)))
            starts = ",".join(f"({start})" for start in part.starts)
            selects.append(_COUNTED.format(part.n_words, rows) if apart else _PLACES.format(number, rows, starts))
        wanted = len(query.parts) if match == "all" else 1
        sql = (_COLLECT if apart else _COLLECT_PLACES).format(" UNION ALL ".join(selects), wanted)
        self._db.execute("DELETE FROM temp.search_hit")
        self._db.execute(sql, tokens)

    def _rank(self, filters: Filters, limit: int, offset: int, per: str) -> tuple[list[_Found], int, int]:
        """Return the results wanted, and the numbers of all pages and blocks."""
        where, values = conditions(filters)
        blocks = _BLOCKS.format(where)
        rows = (_PER_PAGE if per == "page" else _PER_BLOCK).format(blocks)
        found = [_Found(*row) for row in self._db.execute(rows + _ORDER, (*values, limit, offset))]
        if found and per == "page":
            return found, found[0].n_pages, found[0].all_blocks
        n_pages, n_blocks = self._db.execute(_TOTAL.format(blocks), values).fetchone()
        return found, n_pages, n_blocks

    def _hit(self, row: _Found, rank: int, query: Query, width: int) -> Hit | None:
        article = self._db.execute(
            "SELECT id, url, title, site, language, published, extractor FROM article WHERE key = ?", (row.article,)
        ).fetchone()
        if article is None:  # another program replaced it, and neither triggers nor foreign keys were told
            return None
        name, url, title, site, language, published, extractor = article
        return Hit(
            rank=rank,
            priority=row.priority,
            block_priority=row.block_priority,
            density=row.density,
            id=name,
            url=url,
            title=title,
            site=site,
            language=language,
            published=published,
            extractor=extractor,
            position=row.position,
            n_blocks=row.n_blocks,
            snippet=snippet(self._passage(row) if width else "", query.parts, width=width),
        )

    def _passage(self, row: _Found) -> str:
        """Return the text a snippet is cut from."""
        position = row.position
        if position == TITLE:
            best = self._db.execute(
                """SELECT b.position FROM search_block AS b CROSS JOIN temp.search_hit AS h ON h.id = b.id
                WHERE b.article = ? AND b.position >= 0
                ORDER BY b.priority * h.n / b.n_words DESC, b.position LIMIT 1""",
                (row.article,),
            ).fetchone()
            position = best[0] if best else 0
        text = self._db.execute(
            "SELECT text FROM block WHERE article = ? AND position = ?", (row.article, position)
        ).fetchone()
        return text[0] if text else ""

    # --- keeping up --------------------------------------------------------------------------------------------------

    def _is_current(self) -> bool:
        """Tell whether there is an index, and of this version."""
        with self._told():
            made = self._db.execute("SELECT value FROM setting WHERE name = 'search'").fetchone()
        return bool(made == (_VERSION,))

    def _start_anew(self) -> None:
        """Empty the index and put every article on the list."""
        if self._read_only:
            raise StoreWriteError(f"store {self._spec}: not indexed yet, and open for reading only")
        with self._transaction():
            try:
                self._db.execute(_TABLE)
            except sqlite3.OperationalError as error:
                if "fts5" in str(error):
                    raise StoreError(f"store {self._spec}: this Python's SQLite was built without FTS5") from error
                raise
            self._db.execute("INSERT INTO search_text (search_text) VALUES ('delete-all')")
            self._db.execute("DELETE FROM search_block")
            self._db.execute("INSERT OR IGNORE INTO search_todo SELECT key FROM article")
            self._db.execute("INSERT OR REPLACE INTO setting VALUES ('search', ?)", (_VERSION,))

    def _todo(self) -> list[int]:
        with self._told():
            rows = self._db.execute("SELECT article FROM search_todo ORDER BY article LIMIT ?", (BATCH,)).fetchall()
        if rows and self._read_only:
            raise StoreWriteError(f"store {self._spec} is open for reading only")
        return [key for (key,) in rows]

    def _load(self, key: int) -> _Stored | None:
        with self._told():
            found = self._db.execute(_SEARCHED, (key,)).fetchone()
            if found is None:
                return None
            blocks = self._db.execute(
                "SELECT position, text, score, raw FROM block WHERE article = ? ORDER BY position", (key,)
            ).fetchall()
        revision, title, extractor = found
        return _Stored(key, revision, title, extractor, blocks)

    def _write(self, article: _Stored, blocks: Sequence[_Row]) -> int:
        """Put an article's blocks into the index, unless it has been revised since it was read; return 1 if done."""
        revision = self._db.execute("SELECT revision FROM article WHERE key = ?", (article.key,)).fetchone()
        if revision != (article.revision,):
            return 0
        self._db.execute("DELETE FROM search_block WHERE article = ?", (article.key,))
        for position, priority, tokens, n_words in blocks:
            row = self._db.execute(
                "INSERT INTO search_block (article, position, n_words, priority) VALUES (?, ?, ?, ?)",
                (article.key, position, n_words, priority),
            ).lastrowid
            self._db.execute("INSERT INTO search_text (rowid, words) VALUES (?, ?)", (row, tokens))
        self._db.execute("DELETE FROM search_todo WHERE article = ?", (article.key,))
        return 1

    def _one(self, sql: str) -> Any:
        return self._db.execute(sql).fetchone()[0]


class _Stored(NamedTuple):
    """What of an article is searched; the title is the page's `title` element, the article's own where that isn't stored."""

    key: int
    revision: int
    title: str | None
    extractor: str
    blocks: list[tuple[int, str, float | None, float | None]]


_Row = tuple[int, float, str, int]
"""Position, priority, tokens, number of words."""


def _rows_of(article: _Stored) -> list[_Row]:
    """Segment an article's title and blocks; those without a word are left out."""
    texts = [(TITLE, article.title or "", TITLE_PRIORITY)]
    texts += [(at, text, block_priority(article.extractor, score, raw)) for at, text, score, raw in article.blocks]
    rows = []
    for position, text, priority in texts:
        indexed = index_text(text)
        if indexed.tokens:
            rows.append((position, priority, indexed.tokens, indexed.n_words))
    return rows
