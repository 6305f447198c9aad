"""webmain's SQLite files: opens and migrates them, and converts SQLite's errors into StoreErrors.

`migrations/` holds the steps from each version to the next; a new file runs all of them. Never edit a released step: add
another. docs/fields.md describes every table, view and column, and a test compares the two.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from webmain.files import (
    FULL,
    NewerStoreError,
    NotAStoreError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreWriteError,
    write_failure,
)

APPLICATION_ID = 0x7765626D  # `PRAGMA application_id` of our files: "webm" in ASCII

_STEPS = sorted(Path(__file__).with_name("migrations").glob("*.sql"))

VERSION = len(_STEPS)
"""The version that this webmain writes; a file's `PRAGMA user_version` is the number of steps it has run."""

_STEPS_BETWEEN_LOOKS = 20_000
"""SQLite virtual machine instructions between two checks of the time limit: some milliseconds."""

_WRITE_CODES = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR", "SQLITE_AUTH")


class SqliteFile:
    """A connection to a store's database.

    Raises NotAStoreError, NewerStoreError, StoreWriteError (see `webmain.files`).
    The file is created, with its folders, if missing, unless `read_only`. `spec`: the store's specification, for messages.
    `wait_s`: how long to wait for another writer, in seconds. `limit_s`: seconds after which statements fail, counted
    from the opening.
    """

    def __init__(self, path: Path, spec: str, *, read_only: bool, wait_s: float, limit_s: float | None = None) -> None:
        self.spec = spec
        self.read_only = read_only
        if not read_only:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise write_failure(f"store {spec}", error) from error
        uri = f"file:{quote(str(path.absolute()))}?mode={'ro' if read_only else 'rwc'}"
        with self.failures():
            self.db = sqlite3.connect(uri, uri=True, timeout=wait_s, isolation_level=None)
        self.db.text_factory = lambda text: text.decode("utf-8", "replace")  # damage must not hide other rows
        if limit_s is not None:
            end = time.monotonic() + limit_s
            self.db.set_progress_handler(lambda: time.monotonic() > end, _STEPS_BETWEEN_LOOKS)
        try:
            with self.failures():
                self._prepare()
        except BaseException:
            self.db.close()
            raise

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

    def columns(self, table: str) -> list[str]:
        """Return the names of a table's columns, in order."""
        return [row[1] for row in self.rows(f'PRAGMA table_info("{table}")')]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the block in one transaction: all or nothing."""
        with self.failures():
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise

    @contextmanager
    def failures(self) -> Iterator[None]:
        """Convert SQLite's errors into StoreErrors."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's own messages name what is damaged
            raise _failure(self.spec, error) from error

    def _prepare(self) -> None:
        """Check that the file is ours, migrate it, and set up the connection."""
        version = self._version()
        self.db.execute("PRAGMA foreign_keys = ON")
        if self.read_only:
            if version < VERSION:
                raise StoreWriteError(f"store {self.spec}: of an earlier version ({version}); open it for writing once")
            return
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")
        if version < VERSION:
            with self.transaction():
                migrate(self.db, self._version())  # another process may have migrated it meanwhile

    def _version(self) -> int:
        """Return the file's version, 0 for an empty file; raise if the database is not ours."""
        owner = self.one("PRAGMA application_id")
        version: int = self.one("PRAGMA user_version")
        tables = self.one("SELECT count(*) FROM sqlite_master")
        if owner != APPLICATION_ID and (owner or version or tables):
            raise NotAStoreError(f"store {self.spec}: this is another program's database; it was left as it is")
        if version < 0:
            raise StoreDamagedError(
                f"store {self.spec}: the database is damaged (version {version}); {_recover(self.spec)}"
            )
        if version > VERSION:
            raise NewerStoreError(
                f"store {self.spec}: version {version}, of a later webmain; this one knows up to {VERSION}"
            )
        return version


def migrate(db: sqlite3.Connection, version: int = 0, *, to: int | None = None) -> None:
    """Migrate a database from one version to a later one (default: the last), in the caller's transaction."""
    for step in _STEPS[version:to]:
        for statement in _statements(step.read_text(encoding="utf-8")):
            db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    db.execute(f"PRAGMA user_version = {to or len(_STEPS)}")


def named_rows(db: sqlite3.Connection, sql: str, values: Iterable[Any] = ()) -> list[dict[str, Any]]:
    """Return the rows of a query as mappings by column name."""
    cursor = db.execute(sql, tuple(values))
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def block_text(block: Mapping[str, Any], text: str) -> Any:
    """Return the text of a block in a row of `kept_block` (`block` in earlier versions), with its article's text."""
    start = block.get("start")
    return block["text"] if start is None else text[start : start + block["n_chars"]]


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; a trigger stays in one piece."""
    statement = ""
    for piece in script.split(";")[:-1]:
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _recover(spec: str) -> str:
    """Return advice on what to do with a damaged database."""
    path = spec.partition(":")[2]
    return (
        f"`webmain check {spec}` tells where; `sqlite3 {path} .recover | sqlite3 {path}.saved` saves what can be read"
    )


def _failure(spec: str, error: sqlite3.Error | UnicodeDecodeError) -> StoreError:
    """Return SQLite's error as a StoreError."""
    code = getattr(error, "sqlite_errorname", "") or ""
    if code.startswith("SQLITE_FULL"):
        return StoreFullError(f"store {spec}: no space is left on the disk; {FULL}")
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreLockedError(f"store {spec}: another process has kept the database locked for too long")
    if code.startswith("SQLITE_INTERRUPT"):
        return StoreError(f"store {spec}: the answer would have taken too long")
    if code.startswith("SQLITE_NOTADB"):
        return NotAStoreError(f"store {spec}: the file is there and is no SQLite database; it was left as it is")
    if code.startswith("SQLITE_CORRUPT") or isinstance(error, UnicodeDecodeError):
        return StoreDamagedError(f"store {spec}: the database is damaged ({error}); {_recover(spec)}")
    return (StoreWriteError if code.startswith(_WRITE_CODES) else StoreError)(f"store {spec}: {error}")
