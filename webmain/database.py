"""SQLite files of our own: opening, checking whose they are, migration from earlier versions, transactions."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import quote

logger = logging.getLogger(__name__)


class DatabaseFile(ABC):
    """A connection to a SQLite file, which is migrated to the latest version as it is opened.

    Parameters
    ----------
    path : Path
        Created with its folders if missing; ":memory:" keeps everything in memory.
    read_only : bool
        Nothing is written or created, and other processes can write.
    wait_s : float
        How long to wait for another process's transaction.
    """

    application_id: ClassVar[int]
    """`PRAGMA application_id` of these files."""

    migrations: ClassVar[Sequence[Path]]
    """SQL scripts, each from one version to the next; a new file runs all of them. A released script is never edited."""

    def __init__(self, path: Path, *, read_only: bool = False, wait_s: float = 30.0) -> None:
        self.path = path
        self.read_only = read_only
        self.is_ready = False
        try:
            if path.is_dir():
                raise IsADirectoryError("this is a folder; give the database's file")
            if read_only and not path.exists():
                raise FileNotFoundError("there is no such file")
            if read_only:
                self.db = open_to_read(path, wait_s=wait_s)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                self.db = _connect(path, "mode=rwc", wait_s)
        except (sqlite3.Error, OSError) as error:
            raise self.failure(error) from error
        self._close = weakref.finalize(self, self.db.close)  # at the latest when nobody uses this object any more
        try:
            with self.failures():
                self._prepare(wait_s)
        except BaseException:
            self._close()
            raise
        self.is_ready = True

    @abstractmethod
    def failure(self, error: sqlite3.Error | UnicodeDecodeError | OSError) -> Exception:
        """Return the error to raise instead of SQLite's or the system's."""

    @abstractmethod
    def unusable(self, version: int | None) -> Exception:
        """Return the error for a file of another program (None), or of a version that cannot be used."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; everything has already been written."""
        self._close()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement and return all its rows."""
        with self.failures():
            return self.db.execute(sql, values).fetchall()

    def named_rows(self, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Run a statement and return its rows as mappings by column name."""
        with self.failures():
            return named_rows(self.db, sql, values)

    def one(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Run a statement and return the first column of its first row, or None if there is no row."""
        found = self.rows(sql, values)
        return found[0][0] if found else None

    def column(self, sql: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run a statement and return the first column of all its rows."""
        return [row[0] for row in self.rows(sql, values)]

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block in one transaction, all or nothing, with the file's write lock."""
        with self.failures():
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Convert SQLite's errors."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's own messages name what is damaged
            raise self.failure(error) from error

    def _prepare(self, wait_s: float) -> None:
        """Check that the file is ours, migrate it, and set up the connection."""
        version = self._version()
        if self.read_only and version < len(self.migrations):
            raise self.unusable(version)
        if not self.read_only:
            _use_wal(self.db, wait_s)
            if version < len(self.migrations):
                with self.transaction():
                    self.migrate(self.db, self._version())  # another process may have migrated it meanwhile

    def _version(self) -> int:
        """Return the file's version, 0 for an empty file."""
        owner = self.one("PRAGMA application_id")
        version: int = self.one("PRAGMA user_version")
        if owner != self.application_id and (owner or version or self.one("SELECT count(*) FROM sqlite_master")):
            raise self.unusable(None)
        if not 0 <= version <= len(self.migrations):
            raise self.unusable(version)
        return version

    @classmethod
    def migrate(cls, db: sqlite3.Connection, version: int = 0, *, to: int | None = None) -> None:
        """Migrate a database from one version to a later one (default: the last), in the caller's transaction."""
        for script in cls.migrations[version:to]:
            for statement in _statements(script.read_text(encoding="utf-8")):
                db.execute(statement)
        db.execute(f"PRAGMA application_id = {cls.application_id}")
        db.execute(f"PRAGMA user_version = {to or len(cls.migrations)}")


def open_to_read(path: Path, *, wait_s: float = 30.0, leaves_nothing: bool = False) -> sqlite3.Connection:
    """Open a SQLite file for reading only.

    A reader of a file in WAL mode creates files beside it. Where that is refused, the file is opened as immutable: without
    its write-ahead log, which is logged if the log has content. `leaves_nothing`: immutable also wherever that log is empty.
    """
    log = path.with_name(path.name + "-wal")
    has_log = log.exists() and log.stat().st_size > 0
    if has_log or not leaves_nothing:
        db = _connect(path, "mode=ro", wait_s)
        try:
            db.execute("PRAGMA schema_version").fetchone()
            return db
        except sqlite3.Error as error:
            db.close()
            if not error.sqlite_errorname.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
                raise
        if has_log:
            logger.warning("%s: its last changes cannot be read without permission to write to %s", path, path.parent)
    return _connect(path, "mode=ro&immutable=1", wait_s)


def _connect(path: Path, options: str, wait_s: float) -> sqlite3.Connection:
    place = ":memory:" if str(path) == ":memory:" else f"file:{quote(os.fsencode(path.absolute()))}?{options}"
    db = sqlite3.connect(place, uri=True, timeout=wait_s, isolation_level=None)
    db.text_factory = lambda text: text.decode("utf-8", "replace")  # damage must not hide other rows
    return db


def named_rows(db: sqlite3.Connection, sql: str, values: Iterable[Any] = ()) -> list[dict[str, Any]]:
    """Return the rows of a query as mappings by column name."""
    cursor = db.execute(sql, tuple(values))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; a trigger stays in one piece."""
    statement = ""
    for piece in script.split(";")[:-1]:
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _use_wal(db: sqlite3.Connection, timeout_s: float) -> None:
    """Enable WAL, so that several processes can read and write; retried, since SQLite refuses while another does it."""
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL").fetchone()
            break
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    db.execute("PRAGMA synchronous = NORMAL")
