"""The SQLite store: articles in tables, for any SQLite tool to read while a crawl writes."""

from __future__ import annotations

import logging
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from webmain.article.identity import content_mark, identify
from webmain.items import Article
from webmain.store import schema
from webmain.store.dedup import PERMUTATIONS, Entry, MemoryBands
from webmain.store.protocol import (
    FULL,
    BufferedStore,
    NewerStoreError,
    NotAStoreError,
    Outcome,
    Revision,
    Stored,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreWriteError,
    utc_now,
)
from webmain.store.record import clean, encode, plain, washed
from webmain.store.rows import UNREADABLE, article_row, as_json, block_rows, compose, earlier_revision, read_time

if TYPE_CHECKING:
    from webmain.store.search import BlockIndex

logger = logging.getLogger(__name__)

Indexed = tuple[Entry, tuple[int, ...]]

DAMAGED_ROW = "can not be read: it is damaged; `webmain check` tells all that is"
_WRITE_CODES = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR", "SQLITE_AUTH")


class SqliteStore(BufferedStore):
    """Articles in an SQLite database (docs/fields.md), readable by any SQLite tool while a crawl writes.

    Write-ahead log, `synchronous=NORMAL`, one transaction a commit: a killed process loses nothing that was
    committed; a power cut may lose the last seconds, and never breaks the file. Several processes may write; each
    waits for the other for up to `wait_s`.

    Parameters
    ----------
    path : str or Path
        Made, with its folders, where it is not there.
    read_only : bool
        Change nothing; refuse to add.
    wait_s : float
        How long to wait for another writer, in seconds.
    clock : callable
        Gives the time written as `first_stored`, `last_stored`, `started`, `finished`.

    Raises
    ------
    NotAStoreError, NewerStoreError, StoreWriteError
        See `webmain.store.protocol`.
    """

    scheme = "sqlite"
    may_lack = False

    def __init__(
        self,
        path: str | Path,
        *,
        read_only: bool = False,
        wait_s: float = 30.0,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__(path, read_only=read_only)
        self._clock = clock
        self._run: int | None = None
        self._bands: SqliteBands | None = None
        self._closed = False
        with self._told():
            if not read_only:
                try:
                    self.path.parent.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise StoreWriteError(f"store {self.spec}: {error.strerror}") from error
            mode = "ro" if read_only else "rwc"
            uri = f"file:{quote(str(self.path.absolute()))}?mode={mode}"
            self._db = sqlite3.connect(uri, uri=True, timeout=wait_s, isolation_level=None)
            self._db.text_factory = _text
        try:
            with self._told():
                self._prepare()
        except BaseException:
            self._db.close()
            raise

    @property
    def closed(self) -> bool:
        """Whether the store has been closed."""
        return self._closed

    def commit(self) -> tuple[Stored, ...]:
        """Write what waits in one transaction; return what became of it.

        Raises
        ------
        StoreFullError, StoreLockedError, StoreWriteError, StoreDamagedError
            Nothing was written; all of it still waits.
        """
        self._check_usable()
        waiting = self._buffer.peek()
        bands = self._bands.pending() if self._bands else ()
        if not waiting and not bands:
            return ()
        try:
            done = self._write_all(waiting, bands)
        except UnicodeEncodeError:  # a lone surrogate somewhere: rare enough to look for it only now
            done = self._write_all([washed(article) for article in waiting], bands)
        if self._bands:
            self._bands.written()
        self._buffer.drop(len(waiting))
        return done

    def get(self, article_id: str) -> Article | None:
        """Return an article.

        Raises
        ------
        StoreDamagedError
            It is there, and cannot be read.
        """
        for key, article in self._rows("WHERE id = ?", (article_id,)):
            if article is None:
                raise StoreDamagedError(f"store {self.spec}: article {article_id} (row {key}) {DAMAGED_ROW}")
            return article
        return None

    def has(self, article_id: str) -> bool:
        """Tell whether an article is committed."""
        self._check_usable()
        with self._told():
            return self._db.execute("SELECT 1 FROM article WHERE id = ?", (article_id,)).fetchone() is not None

    def revisions(self, article_id: str) -> Iterator[Revision]:
        """Yield all texts of an article, the earliest first; one that cannot be read any more is passed over."""
        self._check_usable()
        with self._told():
            rows = self._db.execute(schema.REVISIONS, (article_id,)).fetchall()
        for row in rows:
            if (revision := earlier_revision(row)) is not None:
                yield revision
            else:
                logger.warning("store %s: revision %s of article %s can not be read", self.spec, row[0], article_id)
        if (last := self.get(article_id)) is not None:
            with self._told():
                query = "SELECT revision, last_stored FROM article WHERE id = ?"
                number, stored = self._db.execute(query, (article_id,)).fetchone()
            yield Revision(number=number, stored_at=read_time(stored), article=last)

    def articles(self) -> Iterator[Article]:
        """Yield the articles in the order in which they were first stored."""
        last = -1
        while True:  # portion by portion: a statement left open would keep the log from shrinking
            portion = list(self._rows("WHERE key > ? ORDER BY key LIMIT 100", (last,)))
            for key, article in portion:
                if article is None:
                    logger.warning("store %s: the article in row %d %s; passed over", self.spec, key, DAMAGED_ROW)
                else:
                    yield article
            if not portion:
                return
            last = portion[-1][0]

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        """Yield (id, fingerprint) of every article."""
        self._check_usable()
        with self._told():
            yield from self._db.execute("SELECT id, fingerprint FROM article ORDER BY key").fetchall()

    def count(self) -> int:
        """Return the number of articles."""
        self._check_usable()
        with self._told():
            n: int = self._db.execute("SELECT count(*) FROM article").fetchone()[0]
        return n

    def start_run(self, arguments: Mapping[str, Any]) -> int:
        """Note that a crawl begins; articles stored from now on carry its number.

        Parameters
        ----------
        arguments : Mapping
            What the crawl was called with, written as JSON; values that JSON has no form for as their `str`.
        """
        self._check_usable(writing=True)
        with self._transaction():
            cursor = self._db.execute(
                "INSERT INTO crawl_run (started, arguments) VALUES (?, ?)",
                (self._clock().isoformat(), as_json(dict(arguments))),
            )
        self._run = cursor.lastrowid
        if self._run is None:
            raise StoreDamagedError(f"store {self.spec}: the run was given no number")
        return self._run

    def finish_run(self, run: int, *, reason: str, stats: Mapping[str, Any] | None = None) -> None:
        """Note how a crawl ended; articles that wait are committed by `commit` or `close` as ever."""
        self._check_usable(writing=True)
        with self._transaction():
            self._db.execute(
                "UPDATE crawl_run SET finished = ?, reason = ?, stats = ? WHERE id = ?",
                (self._clock().isoformat(), clean(reason), as_json(dict(stats or {})), run),
            )

    def bands(self, algorithm: str) -> SqliteBands:
        """Return the place for near-duplicate signatures in this database; written with the articles by `commit`.

        Parameters
        ----------
        algorithm : str
            Name and version of what makes the signatures; those of another algorithm are forgotten.
        """
        self._check_usable(writing=True)
        if self._bands is None:
            with self._transaction():
                found = self._db.execute("SELECT value FROM setting WHERE name = 'signature'").fetchone()
                if found != (algorithm,):
                    self._db.execute("DELETE FROM signature")
                    self._db.execute("DELETE FROM band")
                    self._db.execute("INSERT OR REPLACE INTO setting VALUES ('signature', ?)", (algorithm,))
            self._bands = SqliteBands(self._db, self._told)
        return self._bands

    def index(self) -> BlockIndex:
        """Return the search over this database's blocks; it sees what is committed, and ends with the store."""
        from webmain.store.search import BlockIndex

        self._check_usable()
        return BlockIndex(self._db, self.spec, self._transaction, self._told, read_only=self._read_only)

    def close(self) -> tuple[Stored, ...]:
        """Commit, then close; a second call does nothing."""
        if self._closed:
            return ()
        try:
            return () if self._read_only else self.commit()
        finally:
            self._closed = True
            self._db.close()

    def _prepare(self) -> None:
        """Check whose file it is, bring it up to date, set the connection up."""
        version = self._version()
        self._db.execute("PRAGMA foreign_keys = ON")
        if self._read_only:
            if version < schema.VERSION:
                raise StoreWriteError(f"store {self.spec}: of an earlier version ({version}); open it for writing once")
            return
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if version < schema.VERSION:
            with self._transaction():
                for step in schema.MIGRATIONS[self._version() :]:  # another process may have been quicker
                    for statement in step:
                        self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version = {schema.VERSION}")

    def _version(self) -> int:
        """Return the file's version, 0 for an empty file; refuse a database that is not ours."""
        owner: int = self._db.execute("PRAGMA application_id").fetchone()[0]
        version: int = self._db.execute("PRAGMA user_version").fetchone()[0]
        tables: int = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if owner != schema.APPLICATION_ID and (owner or version or tables):
            raise NotAStoreError(f"store {self.spec}: this is another program's database; it was left as it is")
        if version < 0:
            raise StoreDamagedError(
                f"store {self.spec}: the database is damaged (version {version}); {_recover(self.spec)}"
            )
        if version > schema.VERSION:
            raise NewerStoreError(
                f"store {self.spec}: version {version}, of a later webmain; this one knows up to {schema.VERSION}"
            )
        return version

    def _write_all(self, articles: Sequence[Article], bands: Iterable[Indexed]) -> tuple[Stored, ...]:
        """Write articles and signatures in one transaction."""
        with self._transaction():
            done = self._write(articles)
            if self._bands:
                self._bands.write(bands)
        return done

    def _write(self, articles: Sequence[Article]) -> tuple[Stored, ...]:
        """Write articles and what hangs on them, inside a transaction."""
        done: list[Stored] = []
        now = self._clock().isoformat()
        for article in articles:
            name = identify(article)
            self._keep_earlier(name, content_mark(article))
            row = self._db.execute(schema.PUT_ARTICLE, article_row(article, name, now, self._run)).fetchone()
            if row is None:
                revision = self._db.execute("SELECT revision FROM article WHERE id = ?", (name,)).fetchone()[0]
                outcome = Outcome.UNCHANGED
            else:
                key, revision = row
                outcome = Outcome.NEW if revision == 1 else Outcome.CHANGED
                if revision > 1:
                    for statement in schema.CLEAR:
                        self._db.execute(statement, (key,))
                self._write_children(key, article)
            done.append(Stored(id=name, url=article.url, outcome=outcome, revision=revision))
        return tuple(done)

    def _keep_earlier(self, name: str, mark: str) -> None:
        """Keep the text of an article that is about to get another one."""
        for key, article in self._rows("WHERE id = ? AND fingerprint <> ?", (name, mark)):
            record = encode(plain(article, without=frozenset(("text",))) | {"id": name}) if article else None
            self._db.execute(schema.PUT_EARLIER, (record, key))

    def _write_children(self, key: int, article: Article) -> None:
        self._db.executemany(schema.PUT_BLOCK, block_rows(key, article))
        self._db.executemany(schema.PUT_WORD, ((key, i, w.word, w.count) for i, w in enumerate(article.words)))
        if article.authors:
            self._db.executemany(schema.PUT_AUTHOR, ((name,) for name in article.authors))
            self._db.executemany(schema.PUT_LINK, ((key, i, name) for i, name in enumerate(article.authors)))

    def _rows(self, where: str, values: tuple[Any, ...]) -> Iterator[tuple[int, Article | None]]:
        """Put articles together again from the record, the text, the blocks and the words; None for what is damaged."""
        self._check_usable()
        with self._told():
            rows = self._db.execute(f"SELECT key, record, text FROM article {where}", values).fetchall()  # noqa: S608 - our own clauses
            for key, record, text in rows:
                blocks = self._db.execute("SELECT * FROM block WHERE article = ? ORDER BY position", (key,)).fetchall()
                words = self._db.execute(
                    "SELECT word, count FROM word WHERE article = ? ORDER BY position", (key,)
                ).fetchall()
                try:
                    article = compose(record, text, blocks, words)
                except UNREADABLE:
                    article = None
                yield key, article

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run in one transaction: all or nothing."""
        with self._told():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn SQLite's errors into ours."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # its own messages name what is damaged
            raise _failure(self.spec, error) from error


class SqliteBands:
    """Near-duplicate signatures in the database; what is not committed yet is found in memory."""

    def __init__(self, db: sqlite3.Connection, told: Callable[[], AbstractContextManager[None]]) -> None:
        self._db = db
        self._told = told
        self._fresh = MemoryBands(max_entries=None)

    def add(self, entry: Entry, hashes: Sequence[int]) -> None:
        """Take an entry; it is written by the store's next commit."""
        self._fresh.add(entry, hashes)

    def candidates(self, hashes: Sequence[int]) -> Iterator[Entry]:
        """Yield the entries that share a band, those committed first."""
        marks = ", ".join("?" * len(hashes))
        query = f"""SELECT DISTINCT s.id, s.cluster, s.minhash FROM band AS b JOIN signature AS s ON s.id = b.id
            WHERE b.hash IN ({marks}) ORDER BY s.id LIMIT 1000"""  # noqa: S608 - question marks only
        with self._told():
            rows = self._db.execute(query, hashes).fetchall()
        fresh = {entry.id: entry for entry in self._fresh.candidates(hashes)}
        for name, cluster, minhash in rows:
            if name in fresh or self._fresh.knows(name) or not isinstance(minhash, bytes):
                continue
            if len(minhash) == PERMUTATIONS * array("I").itemsize:  # else it is damaged
                yield Entry(id=name, cluster=cluster, signature=array("I", minhash))
        yield from fresh.values()

    def pending(self) -> tuple[Indexed, ...]:
        """Return what waits for the commit."""
        return self._fresh.entries()

    def write(self, entries: Iterable[Indexed]) -> None:
        """Write entries inside the store's transaction."""
        for entry, hashes in entries:
            old = self._db.execute("SELECT minhash FROM signature WHERE id = ?", (entry.id,)).fetchone()
            if old is not None:
                self._db.execute("DELETE FROM band WHERE id = ?", (entry.id,))
            minhash = array("I", entry.signature).tobytes()
            self._db.execute("INSERT OR REPLACE INTO signature VALUES (?, ?, ?)", (entry.id, entry.cluster, minhash))
            self._db.executemany("INSERT OR IGNORE INTO band VALUES (?, ?)", ((h, entry.id) for h in hashes))

    def written(self) -> None:
        """Forget in memory what is committed."""
        self._fresh = MemoryBands(max_entries=None)


def _text(value: bytes) -> str:
    """Decode a text; damaged bytes become U+FFFD, so that one of them does not hide the other rows."""
    return value.decode("utf-8", "replace")


def _recover(spec: str) -> str:
    """Return what to do with a damaged database."""
    path = spec.partition(":")[2]
    return (
        f"`webmain check {spec}` tells where; `sqlite3 {path} .recover | sqlite3 {path}.saved` saves what can be read"
    )


def _failure(spec: str, error: sqlite3.Error | UnicodeDecodeError) -> StoreError:
    """Turn SQLite's error into ours."""
    code = getattr(error, "sqlite_errorname", "") or ""
    if code.startswith("SQLITE_FULL"):
        return StoreFullError(f"store {spec}: no space is left on the disk; {FULL}")
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreLockedError(f"store {spec}: another process has kept the database locked for too long")
    if code.startswith("SQLITE_NOTADB"):
        return NotAStoreError(f"store {spec}: the file is there and is no SQLite database; it was left as it is")
    if code.startswith("SQLITE_CORRUPT") or isinstance(error, UnicodeDecodeError):
        return StoreDamagedError(f"store {spec}: the database is damaged ({error}); {_recover(spec)}")
    if code.startswith(_WRITE_CODES):
        return StoreWriteError(f"store {spec}: {error}")
    return StoreError(f"store {spec}: {error}")
