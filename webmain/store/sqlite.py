"""The SQLite store: articles in tables, for any SQLite tool to read while a crawl writes."""

from __future__ import annotations

import json
import logging
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from webmain.article.identity import content_mark, identify
from webmain.codec import UNREADABLE, as_json, cells, clean, coders, encode, of_cells, plain
from webmain.items import Article, ArticleBlock, WordCount
from webmain.store.block_index import BlockIndex
from webmain.store.protocol import Outcome, Revision, Store, Stored, StoreDamagedError, utc_now
from webmain.store.sqlite_file import SqliteFile, block_text
from webmain.text.near_duplicates import Entry, MemoryBands, band_hashes
from webmain.text.shingles import N_PERMUTATIONS

logger = logging.getLogger(__name__)

HEAVY = frozenset(("text", "blocks", "words"))
"""Fields that are in columns and tables of their own, and not in the JSON in `article.record`."""

DAMAGED_ROW = "can not be read: it is damaged; `webmain check` tells all that is"

_CLEAR = (
    "DELETE FROM kept_block WHERE article = ?",
    "DELETE FROM word WHERE article = ?",
    "DELETE FROM article_author WHERE article = ?",
)
_PUT_EARLIER = """INSERT INTO earlier
    SELECT key, revision, last_stored, run, fingerprint, title, text, coalesce(?, record) FROM article WHERE key = ?"""
_REVISIONS = """SELECT e.revision, e.stored, e.text, e.record FROM earlier AS e JOIN article AS a ON a.key = e.article
    WHERE a.id = ? ORDER BY e.revision"""


class SqliteStore(Store):
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
        See `webmain.files`.
    """

    scheme = "sqlite"

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
        self._file = SqliteFile(self.path, self.spec, read_only=read_only, wait_s=wait_s)
        self._columns = [name for name in self._file.columns("article") if name in coders(Article)]
        self._block_columns = [name for name in self._file.columns("kept_block") if name in coders(ArticleBlock)]
        self._put_article = _put_article(self._columns)
        self._put_block = _insert("kept_block", ["article", "position", *self._block_columns, "start", "n_chars"])

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
        waiting = list(self._buffer)
        if not waiting and not self._bands:
            return ()
        try:
            done = self._write_all(waiting)
        except UnicodeEncodeError:  # a lone surrogate somewhere: rare enough to look for it only now
            done = self._write_all([Article.from_dict(json.loads(encode(plain(article)))) for article in waiting])
        if self._bands:
            self._bands.clear()
        self._buffer.clear()
        return done

    def get(self, article_id: str) -> Article | None:
        """Return an article.

        Raises
        ------
        StoreDamagedError
            It is there, and cannot be read.
        """
        for key, article in self._read("WHERE id = ?", (article_id,)):
            if article is None:
                raise StoreDamagedError(f"store {self.spec}: article {article_id} (row {key}) {DAMAGED_ROW}")
            return article
        return None

    def has(self, article_id: str) -> bool:
        """Return True if an article is committed."""
        self._check_usable()
        return bool(self._file.rows("SELECT 1 FROM article WHERE id = ?", (article_id,)))

    def revisions(self, article_id: str) -> Iterator[Revision]:
        """Yield all texts of an article, the earliest first; one that cannot be read any more is left out."""
        self._check_usable()
        for number, stored, text, record in self._file.rows(_REVISIONS, (article_id,)):
            try:
                article = Article.from_dict(json.loads(record) | {"text": text})
            except UNREADABLE:
                logger.warning("store %s: revision %s of article %s can not be read", self.spec, number, article_id)
            else:
                yield Revision(number=number, stored_at=read_time(stored), article=article)
        if (last := self.get(article_id)) is not None:
            query = "SELECT revision, last_stored FROM article WHERE id = ?"
            ((number, stored),) = self._file.rows(query, (article_id,))
            yield Revision(number=number, stored_at=read_time(stored), article=last)

    def articles(self) -> Iterator[Article]:
        """Yield the articles in the order in which they were first stored."""
        last = -1
        while True:  # portion by portion: a statement left open would keep the log from shrinking
            portion = list(self._read("WHERE key > ? ORDER BY key LIMIT 100", (last,)))
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
        yield from self._file.rows("SELECT id, fingerprint FROM article ORDER BY key")

    def count(self) -> int:
        """Return the number of articles."""
        self._check_usable()
        return int(self._file.one("SELECT count(*) FROM article"))

    def start_run(self, arguments: Mapping[str, Any]) -> int:
        """Note that a crawl begins; articles stored from now on carry its number.

        Parameters
        ----------
        arguments : Mapping
            What the crawl was called with, written as JSON; values that JSON has no form for as their `str`.
        """
        self._check_usable(writing=True)
        with self._file.transaction():
            self._run = self._file.one(
                "INSERT INTO crawl_run (started, arguments) VALUES (?, ?) RETURNING id",
                (self._clock().isoformat(), as_json(dict(arguments))),
            )
        if self._run is None:
            raise StoreDamagedError(f"store {self.spec}: the run was given no number")
        return self._run

    def finish_run(self, run: int, *, reason: str, stats: Mapping[str, Any] | None = None) -> None:
        """Note how a crawl ended; articles that wait are committed by `commit` or `close` as ever."""
        self._check_usable(writing=True)
        with self._file.transaction():
            self._file.rows(
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
            with self._file.transaction():
                if self._file.one("SELECT value FROM setting WHERE name = 'signature'") != algorithm:
                    self._file.rows("DELETE FROM signature")
                    self._file.rows("DELETE FROM band")
                    self._file.rows("INSERT OR REPLACE INTO setting VALUES ('signature', ?)", (algorithm,))
            self._bands = SqliteBands(self._file)
        return self._bands

    def index(self) -> BlockIndex:
        """Return the search over this database's blocks; it sees what is committed, and ends with the store."""
        self._check_usable()
        return BlockIndex(self._file)

    def _release(self) -> None:
        self._closed = True
        self._file.db.close()

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
        name, mark = identify(article), content_mark(article)
        self._keep_earlier(name, mark)
        record = plain(article) | {"id": name, "fingerprint": mark}
        rest = encode({key: value for key, value in record.items() if key not in HEAVY})
        values = cells(Article, record, self._columns)
        written = self._file.rows(self._put_article, (*values, now, now, self._run, rest))
        if not written:
            revision = self._file.one("SELECT revision FROM article WHERE id = ?", (name,))
            return Stored(id=name, url=article.url, outcome=Outcome.UNCHANGED, revision=revision)
        ((key, revision),) = written
        if revision > 1:
            for statement in _CLEAR:
                self._file.rows(statement, (key,))
        self._write_parts(key, record)
        outcome = Outcome.NEW if revision == 1 else Outcome.CHANGED
        return Stored(id=name, url=article.url, outcome=outcome, revision=revision)

    def _write_parts(self, key: int, record: Mapping[str, Any]) -> None:
        many = self._file.db.executemany
        blocks = ((cells(ArticleBlock, b, self._block_columns), place) for b, *place in _placed(record))
        many(self._put_block, ((key, i, *row, *place) for i, (row, place) in enumerate(blocks)))
        many("INSERT INTO word VALUES (?, ?, ?, ?)", ((key, i, *w.values()) for i, w in enumerate(record["words"])))
        many("INSERT OR IGNORE INTO author (name) VALUES (?)", ((name,) for name in record["authors"]))
        link = "INSERT INTO article_author SELECT ?, ?, key FROM author WHERE name = ?"
        many(link, ((key, i, name) for i, name in enumerate(record["authors"])))

    def _keep_earlier(self, name: str, mark: str) -> None:
        """Keep the text of an article that is about to get another one."""
        for key, article in self._read("WHERE id = ? AND fingerprint <> ?", (name, mark)):
            record = None
            if article:
                values = {field: value for field, value in plain(article).items() if field != "text"}
                record = encode(values | {"id": name})
            self._file.rows(_PUT_EARLIER, (record, key))

    def _read(self, where: str, values: tuple[Any, ...]) -> Iterator[tuple[int, Article | None]]:
        """Yield row numbers and articles; None for what is damaged."""
        self._check_usable()
        for row in self._file.named_rows(f"SELECT key, record, text FROM article {where}", values):  # noqa: S608 - our own clauses
            key = row["key"]
            blocks = self._file.named_rows("SELECT * FROM kept_block WHERE article = ? ORDER BY position", (key,))
            words = self._file.named_rows("SELECT * FROM word WHERE article = ? ORDER BY position", (key,))
            try:
                yield key, article_of(row, blocks, words)
            except UNREADABLE:
                yield key, None


class SqliteBands(MemoryBands):
    """Near-duplicate signatures in the database; what is not committed yet is found in memory."""

    def __init__(self, file: SqliteFile) -> None:
        super().__init__(max_entries=None)
        self._file = file

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
        """Write what waits, inside the store's transaction."""
        for entry, hashes in self.entries.values():
            for (earlier,) in self._file.rows("SELECT minhash FROM signature WHERE id = ?", (entry.id,)):
                self._forget_bands(entry.id, earlier)
            minhash = array("I", entry.signature).tobytes()
            self._file.rows("INSERT OR REPLACE INTO signature VALUES (?, ?, ?)", (entry.id, entry.cluster, minhash))
            pairs = ((each, entry.id) for each in hashes)
            self._file.db.executemany("INSERT OR IGNORE INTO band VALUES (?, ?)", pairs)

    def _forget_bands(self, name: str, minhash: Any) -> None:
        """Delete the bands of an earlier signature by their hashes: to look for them by id would read the whole table."""
        if _is_whole(minhash):
            hashes = band_hashes(array("I", minhash))
            self._file.db.executemany("DELETE FROM band WHERE hash = ? AND id = ?", ((each, name) for each in hashes))
        else:
            self._file.rows("DELETE FROM band WHERE id = ?", (name,))


def article_of(
    row: Mapping[str, Any], blocks: Iterable[Mapping[str, Any]], words: Iterable[Mapping[str, Any]]
) -> Article:
    """Return the article in a row with `record` and `text`, and in the rows of its blocks and words.

    Raises
    ------
    ValueError, TypeError, KeyError, AttributeError, RecursionError
        They are damaged (`UNREADABLE`).
    """
    if isinstance(row["record"], bytes):
        raise ValueError("bytes in the place of record")
    text = of_cells(Article, {"text": row["text"]})
    parts = {
        "blocks": [of_cells(ArticleBlock, {**block, "text": block_text(block, text["text"])}) for block in blocks],
        "words": [of_cells(WordCount, word) for word in words],
    }
    return Article.from_dict(json.loads(row["record"]) | text | parts)


def _placed(record: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], int | None, int | None]]:
    """Yield an article's blocks with the start and length of their text in its own, and without it where it is there."""
    start = 0
    for block in record["blocks"]:
        n_chars = len(block["text"])
        if record["text"].startswith(block["text"], start) and "\0" not in block["text"]:  # SQL ends a text there
            yield {**block, "text": ""}, start, n_chars
            start += n_chars + len("\n\n")
        else:
            yield block, None, None


def read_time(text: Any) -> datetime | None:
    """Return a time as stores write it; None where it is none."""
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def _is_whole(minhash: Any) -> bool:
    return isinstance(minhash, bytes) and len(minhash) == N_PERMUTATIONS * array("I").itemsize


def _insert(table: str, columns: Sequence[str]) -> str:
    names = ", ".join(f'"{column}"' for column in columns)
    return f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - the table's own names


def _put_article(columns: Sequence[str]) -> str:
    """Return the statement that inserts an article, or updates it where the fingerprint differs.

    It returns no row where nothing was written.
    """
    insert = _insert("article", [*columns, "first_stored", "last_stored", "run", "record", "revision"])
    changed = ", ".join(f"{c} = excluded.{c}" for c in [*columns, "last_stored", "run", "record"] if c != "id")
    return f"""{insert.removesuffix("?)")}1)
        ON CONFLICT (id) DO UPDATE SET {changed}, revision = revision + 1 WHERE fingerprint <> excluded.fingerprint
        RETURNING key, revision"""
