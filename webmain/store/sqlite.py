"""The SQLite store: articles in tables that any SQLite tool can read while a crawl writes."""

from __future__ import annotations

import json
import logging
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from webmain.article.identity import content_mark, identify
from webmain.files import StoreDamagedError
from webmain.items import Article, ArticleBlock
from webmain.items.codec import UNREADABLE, as_json, cells, clean, coders, encode, plain
from webmain.revisions.kinds import ChangeKind
from webmain.store.block_index import BlockIndex
from webmain.store.catalogue import Catalogue
from webmain.store.protocol import Outcome, Revision, Store, Stored, newer_schema, read_time, utc_now
from webmain.store.revisions import compare_visit
from webmain.store.search_records import Filters, article_conditions
from webmain.store.sqlite_file import SqliteFile
from webmain.store.sqlite_rows import HEAVY, article_of, insert, put_article, with_positions, without_heavy
from webmain.store.url_variants import all_variants, candidate_ids
from webmain.text.near_duplicates import Entry, MemoryBands, band_hashes
from webmain.text.shingles import N_PERMUTATIONS

logger = logging.getLogger(__name__)

DAMAGED_ROW = "cannot be read: it is damaged; `webmain check` tells all that is"

_LASTING = HEAVY | {"id", "title", "fingerprint", "extractor"}
"""Columns that do not change within a revision; a trigger would queue the article for indexing if they were written."""

_CLEAR = (
    "DELETE FROM kept_block WHERE article = ?",
    "DELETE FROM word WHERE article = ?",
    "DELETE FROM article_author WHERE article = ?",
)
_PUT_EARLIER = """INSERT INTO earlier
    SELECT key, revision, last_stored, run, fingerprint, title, text, coalesce(?, record) FROM article WHERE key = ?"""
_REVISIONS = """SELECT e.revision, e.stored, e.record, e.text FROM earlier AS e JOIN article AS a ON a.key = e.article
    WHERE a.id = ? ORDER BY e.revision"""


class SqliteStore(Store):
    """Articles in an SQLite database (docs/fields.md), readable by any SQLite tool while a crawl writes.

    Write-ahead log, `synchronous=NORMAL`, one transaction a commit: a killed process loses nothing that was
    committed; a power cut may lose the last seconds, and never breaks the file. Several processes may write; each
    waits for the other for up to `wait_s`.

    Raises NotAStoreError, NewerStoreError, StoreWriteError (see `webmain.files`).
    The file is created, with its folders, if missing. `wait_s`, `limit_s`: how long to wait for another writer, and how
    long the store answers after it was opened, in seconds. `clock`: returns the time written as `first_stored`,
    `last_stored`, `started`, `finished`.
    """

    scheme = "sqlite"

    def __init__(
        self,
        path: str | Path,
        *,
        read_only: bool = False,
        wait_s: float = 30.0,
        limit_s: float | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__(path, read_only=read_only)
        self._clock = clock
        self._run: int | None = None
        self._bands: SqliteBands | None = None
        self._file = SqliteFile(self.path, self.spec, read_only=read_only, wait_s=wait_s, limit_s=limit_s)
        self._columns = [name for name in self._file.columns("article") if name in coders(Article)]
        self._block_columns = [name for name in self._file.columns("kept_block") if name in coders(ArticleBlock)]
        self._put_article = put_article(self._columns)
        self._put_block = insert("kept_block", ["article", "position", *self._block_columns, "start", "n_chars"])

    def commit(self) -> tuple[Stored, ...]:
        """Write the waiting articles in one transaction; return what happened to each.

        Raises StoreFullError, StoreLockedError, StoreWriteError, StoreDamagedError: nothing was written; all articles
        still wait.
        """
        self._check_usable()
        self._file.check_there()
        waiting = list(self._buffer)
        if not waiting and not self._bands:
            return ()
        try:
            done = self._write_all(waiting)
        except UnicodeEncodeError:  # a lone surrogate somewhere: too rare to be checked for earlier
            done = self._write_all([Article.from_dict(json.loads(encode(plain(article)))) for article in waiting])
        if self._bands:
            self._bands.clear()
        self._buffer.clear()
        return done

    def get(self, article_id: str) -> Article | None:
        """Return an article; raises StoreDamagedError if it is stored but cannot be read."""
        for key, article in self._read("WHERE id = ?", (article_id,)):
            if article is None:
                raise StoreDamagedError(f"store {self.spec}: article {article_id} (row {key}) {self._reason(key)}")
            return article
        return None

    def has(self, article_id: str) -> bool:
        """Return True if an article is committed."""
        return bool(self._file.rows("SELECT 1 FROM article WHERE id = ?", (article_id,)))

    def find(self, name: str) -> str | None:
        """Return the id of the article with an id or at a URL, in any form that is known."""
        urls = all_variants(name)
        for column, wanted in (("id", candidate_ids(name)), ("url", urls), ("canonical_url", urls)):
            query = f"SELECT id FROM article WHERE {column} IN (SELECT value FROM json_each(?)) ORDER BY key LIMIT 1"  # noqa: S608
            if (found := self._file.one(query, (as_json(wanted),))) is not None:
                return str(found)
        return None

    def mark_gone(self, name: str, *, when: datetime, status: int) -> bool:
        """Record that an article's page is gone."""
        with self._file.transaction():
            for key, article in self._read("WHERE id = ?", (self.find(name),)):
                if article is not None and article.gone_at is None:
                    self._update(key, replace(article, gone_at=when, gone_status=status))
                return True
        return False

    def revisions(self, article_id: str) -> Iterator[Revision]:
        """Yield all texts of an article, the earliest first; unreadable ones are left out."""
        for row in self._file.named_rows(_REVISIONS, (article_id,)):
            number = row["revision"]
            try:
                yield Revision(number=number, stored_at=read_time(row["stored"]), article=article_of(row))
            except UNREADABLE:
                logger.warning("store %s: revision %s of article %s cannot be read", self.spec, number, article_id)
        if (last := self.get(article_id)) is not None:
            query = "SELECT revision, last_stored FROM article WHERE id = ?"
            ((number, stored),) = self._file.rows(query, (article_id,))
            yield Revision(number=number, stored_at=read_time(stored), article=last)

    def articles(self) -> Iterator[Article]:
        """Yield the articles in the order in which they were first stored."""
        return self.selected(Filters())

    def selected(self, filters: Filters) -> Iterator[Article]:
        """Yield the articles that pass the filters, in the order in which they were first stored.

        Of a damaged database all that can be read is given. Raises StoreDamagedError if that is nothing.
        """
        clauses, values = article_conditions(filters)
        where, one = (" AND ".join([key, *clauses]) for key in ("key > ?", "key = ?"))
        last = -1
        try:  # in portions: an open statement would keep the log from shrinking
            while portion := list(self._read(f"WHERE {where} ORDER BY key LIMIT 100", (last, *values))):
                yield from self._readable(portion)
                last = portion[-1][0]
        except StoreDamagedError as error:
            keys = sorted(key for key in self._file.keys_left() if key > last)
            if not keys:
                raise
            logger.warning("%s", error)
            is_lost = last < 0
            for key in keys:
                try:
                    portion = list(self._read(f"WHERE {one}", (key, *values), self._parts_left))
                except StoreDamagedError:
                    portion = [(key, None)]
                for article in self._readable(portion):
                    is_lost = False
                    yield article
            if is_lost:
                raise

    def _readable(self, portion: Iterable[tuple[int, Article | None]]) -> Iterator[Article]:
        """Yield the articles of rows; those that are damaged are logged."""
        for key, article in portion:
            if article is None:
                logger.warning("store %s: the article in row %d %s; passed over", self.spec, key, self._reason(key))
            else:
                yield article

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        """Yield (id, fingerprint) of every article."""
        yield from self._file.rows("SELECT id, fingerprint FROM article ORDER BY key")

    def count(self) -> int:
        """Return the number of articles."""
        return int(self._file.one("SELECT count(*) FROM article"))

    def tally(self, field: Literal["site", "language", "extractor"]) -> Counter[str]:
        """Return the number of articles per site, language or extractor."""
        return Counter(dict(self._file.rows(f"SELECT coalesce({field}, ''), count(*) FROM article GROUP BY 1")))  # noqa: S608

    def start_run(self, arguments: Mapping[str, Any]) -> int:
        """Record the start of a crawl; articles stored from now on carry its number.

        `arguments`: arguments of the crawl, written as JSON; values that JSON cannot express as their `str`.
        """
        with self._file.transaction():
            put = "INSERT INTO crawl_run (started, arguments) VALUES (?, ?) RETURNING id"
            run: int = self._file.one(put, (self._clock().isoformat(), as_json(dict(arguments))))
        self._run = run
        return run

    def finish_run(self, run: int, *, reason: str, stats: Mapping[str, Any] | None = None) -> None:
        """Record how a crawl ended; waiting articles are still committed by `commit` or `close`."""
        with self._file.transaction():
            self._file.rows(
                "UPDATE crawl_run SET finished = ?, reason = ?, stats = ? WHERE id = ?",
                (self._clock().isoformat(), clean(reason), as_json(dict(stats or {})), run),
            )

    def bands(self, algorithm: str) -> SqliteBands:
        """Return the store of near-duplicate signatures in this database; `commit` writes them with the articles.

        `algorithm`: name and version of the signature algorithm; signatures of another algorithm are deleted.
        """
        if self._bands is None:
            with self._file.transaction():
                if self._file.one("SELECT value FROM setting WHERE name = 'signature'") != algorithm:
                    self._file.rows("DELETE FROM signature")
                    self._file.rows("DELETE FROM band")
                    self._file.rows("INSERT OR REPLACE INTO setting VALUES ('signature', ?)", (algorithm,))
            self._bands = SqliteBands(self._file)
        return self._bands

    def index(self) -> BlockIndex:
        """Return the search over this database's blocks; it sees committed articles only, and closes with the store."""
        self._check_usable()
        return BlockIndex(self._file)

    def catalogue(self) -> Catalogue:
        """Return the catalogue of this database's articles, sites and crawls; it closes with the store."""
        self._check_usable()
        return Catalogue(self._file)

    def _release(self) -> None:
        self._file.close()

    def _write_all(self, articles: Sequence[Article]) -> tuple[Stored, ...]:
        """Write articles and signatures in one transaction."""
        now = self._clock().isoformat()
        with self._file.transaction():
            done = tuple([self._write(article, now) for article in articles])
            if self._bands:
                self._bands.write()
        return done

    def _write(self, article: Article, now: str) -> Stored:
        """Write an article with its blocks, words and authors, inside a transaction."""
        name, url = identify(article), article.url
        outcome, change = Outcome.NEW, ChangeKind.NONE
        for key, before in self._read("WHERE id = ?", (name,)):
            found = compare_visit(before, article)
            article, outcome, change = found.article, Outcome.CHANGED, found.change
            if change is ChangeKind.NONE:
                if found.is_new:
                    self._update(key, article)
                revision = self._file.one("SELECT revision FROM article WHERE key = ?", (key,))
                return Stored(id=name, url=url, outcome=Outcome.UNCHANGED, revision=revision)
            self._save_earlier(key, name, before)
        record = plain(article) | {"id": name, "fingerprint": content_mark(article)}
        values = cells(Article, record, self._columns)
        ((key, revision),) = self._file.rows(self._put_article, (*values, now, now, self._run, without_heavy(record)))
        if outcome is Outcome.CHANGED:
            for statement in _CLEAR:
                self._file.rows(statement, (key,))
        self._write_parts(key, record)
        return Stored(id=name, url=url, outcome=outcome, revision=revision, change=change)

    def _update(self, key: int, article: Article) -> None:
        """Write an article's row without its text, blocks and words, inside a transaction."""
        record = plain(article)
        names = [name for name in self._columns if name not in _LASTING]
        changed = ", ".join(f"{name} = ?" for name in [*names, "record"])
        values = (*cells(Article, record, names), without_heavy(record), key)
        self._file.rows(f"UPDATE article SET {changed} WHERE key = ?", values)  # noqa: S608 - the table's own names
        self._file.rows("DELETE FROM article_author WHERE article = ?", (key,))
        self._write_authors(key, record)

    def _write_parts(self, key: int, record: Mapping[str, Any]) -> None:
        many = self._file.db.executemany
        blocks = ((cells(ArticleBlock, b, self._block_columns), place) for b, *place in with_positions(record))
        many(self._put_block, ((key, i, *row, *place) for i, (row, place) in enumerate(blocks)))
        many("INSERT INTO word VALUES (?, ?, ?, ?)", ((key, i, *w.values()) for i, w in enumerate(record["words"])))
        self._write_authors(key, record)

    def _write_authors(self, key: int, record: Mapping[str, Any]) -> None:
        many = self._file.db.executemany
        many("INSERT OR IGNORE INTO author (name) VALUES (?)", ((name,) for name in record["authors"]))
        link = "INSERT INTO article_author SELECT ?, ?, key FROM author WHERE name = ?"
        many(link, ((key, i, name) for i, name in enumerate(record["authors"])))

    def _save_earlier(self, key: int, name: str, article: Article | None) -> None:
        """Save the text of an article before it is replaced; a damaged one as it is."""
        record = None
        if article:
            values = {field: value for field, value in plain(article).items() if field != "text"}
            record = encode(values | {"id": name})
        self._file.rows(_PUT_EARLIER, (record, key))

    def _read(
        self, where: str, values: tuple[Any, ...], parts: Callable[[str, int], list[dict[str, Any]]] | None = None
    ) -> Iterator[tuple[int, Article | None]]:
        """Yield row numbers and articles; None for a damaged article. `parts`: reads the rows of blocks and words."""
        parts = parts or self._parts
        for row in self._file.named_rows(f"SELECT key, record, text FROM article AS a {where}", values):  # noqa: S608 - our own clauses
            key = row["key"]
            blocks, words = parts("kept_block", key), parts("word", key)
            try:
                yield key, article_of(row, blocks, words)
            except UNREADABLE:
                yield key, None

    def _parts(self, table: str, key: int) -> list[dict[str, Any]]:
        return self._file.named_rows(f"SELECT * FROM {table} WHERE article = ? ORDER BY position", (key,))  # noqa: S608

    def _parts_left(self, table: str, key: int) -> list[dict[str, Any]]:
        """Return the blocks or words of an article, or none if the database is damaged there, which is logged."""
        try:
            return self._parts(table, key)
        except StoreDamagedError:
            what = "blocks" if table == "kept_block" else "words"
            logger.warning("store %s: the %s of the article in row %d cannot be read; left out", self.spec, what, key)
            return []

    def _reason(self, key: int) -> str:
        """Return why the article in a row cannot be read."""
        newer = ""
        with suppress(StoreDamagedError):
            newer = newer_schema(self._file.one("SELECT record FROM article WHERE key = ?", (key,)))
        return f"cannot be read: {newer}" if newer else DAMAGED_ROW


class SqliteBands(MemoryBands):
    """Near-duplicate signatures in the database; uncommitted ones are searched in memory."""

    def __init__(self, file: SqliteFile) -> None:
        super().__init__(max_entries=None)
        self._file = file

    def clear(self) -> None:
        """Remove all waiting signatures."""
        super().clear()
        self._bands_of: dict[str, Sequence[int]] = {}  # by id

    def add(self, entry: Entry, hashes: Sequence[int]) -> None:
        """Add an entry, replacing an earlier one with the same id."""
        super().add(entry, hashes)
        self._bands_of[entry.id] = hashes

    def candidates(self, hashes: Sequence[int]) -> Iterator[Entry]:
        """Yield the entries that share a band, those committed first."""
        marks = ", ".join("?" * len(hashes))
        query = f"""SELECT DISTINCT s.id, s.cluster, s.minhash FROM band AS b JOIN signature AS s ON s.id = b.id
            WHERE b.hash IN ({marks}) ORDER BY s.id LIMIT 1000"""  # noqa: S608 - question marks only
        for name, cluster, minhash in self._file.rows(query, hashes):
            if _is_whole(minhash) and name not in self.entries:
                yield Entry(id=name, cluster=cluster, signature=array("I", minhash))
        yield from super().candidates(hashes)

    def write(self) -> None:
        """Write the waiting signatures, inside the store's transaction."""
        for entry in self.entries.values():
            for (earlier,) in self._file.rows("SELECT minhash FROM signature WHERE id = ?", (entry.id,)):
                self._forget_bands(entry.id, earlier)
            minhash = array("I", entry.signature).tobytes()
            self._file.rows("INSERT OR REPLACE INTO signature VALUES (?, ?, ?)", (entry.id, entry.cluster, minhash))
            pairs = ((each, entry.id) for each in self._bands_of[entry.id])
            self._file.db.executemany("INSERT OR IGNORE INTO band VALUES (?, ?)", pairs)

    def _forget_bands(self, name: str, minhash: Any) -> None:
        """Delete the bands of an earlier signature by their hashes; deleting by id would scan the whole table."""
        if _is_whole(minhash):
            hashes = band_hashes(array("I", minhash))
            self._file.db.executemany("DELETE FROM band WHERE hash = ? AND id = ?", ((each, name) for each in hashes))
        else:
            self._file.rows("DELETE FROM band WHERE id = ?", (name,))


def _is_whole(minhash: Any) -> bool:
    return isinstance(minhash, bytes) and len(minhash) == N_PERMUTATIONS * array("I").itemsize
