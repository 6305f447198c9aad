"""webmain's SQLite stores: opens and migrates them, and converts SQLite's errors into StoreErrors.

`migrations/` holds the steps from each version to the next; a new file runs all of them. Never edit a released step: add
another. docs/fields.md describes every table, view and column, and a test compares the two.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Any

from webmain.database import DatabaseFile
from webmain.files import (
    FULL,
    REMOVED,
    NewerStoreError,
    NotAStoreError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreWriteError,
    write_failure,
)

_STEPS_BETWEEN_CHECKS = 20_000
"""SQLite virtual machine instructions between two checks of the time limit: some milliseconds."""

_WRITE_CODES = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR", "SQLITE_AUTH")

_WAYS = (("NOT INDEXED", "key"), ("INDEXED BY article_url", "url"), ("INDEXED BY article_fingerprint", "fingerprint"))
"""Ways to read the row numbers of articles, each through another tree of the database, and the column that orders it."""


class SqliteFile(DatabaseFile):
    """A connection to a store's database.

    Raises NotAStoreError, NewerStoreError, StoreWriteError (see `webmain.files`).
    The file is created, with its folders, if missing, unless `read_only`. `spec`: the store's specification, for messages.
    `wait_s`: how long to wait for another writer, in seconds. `limit_s`: seconds after which statements fail, counted
    from the opening.
    """

    application_id = 0x7765626D  # "webm"
    migrations = sorted(Path(__file__).with_name("migrations").glob("*.sql"))

    def __init__(self, path: Path, spec: str, *, read_only: bool, wait_s: float, limit_s: float | None = None) -> None:
        self.spec = spec
        super().__init__(path, read_only=read_only, wait_s=wait_s)
        self._place = path.absolute() if path.exists() else None  # None for a database in memory
        if limit_s is not None:
            end = time.monotonic() + limit_s
            self.db.set_progress_handler(lambda: time.monotonic() > end, _STEPS_BETWEEN_CHECKS)

    def _prepare(self, wait_s: float) -> None:
        self.db.execute("PRAGMA foreign_keys = ON")
        super()._prepare(wait_s)

    def check_there(self) -> None:
        """Raise StoreWriteError if the file was removed or renamed; SQLite goes on writing to it."""
        if self._place is not None and not self._place.exists():
            raise StoreWriteError(f"store {self.spec}: {REMOVED}")

    def columns(self, table: str) -> list[str]:
        """Return the names of a table's columns, in order."""
        return [row[1] for row in self.rows(f'PRAGMA table_info("{table}")')]

    def keys_left(self) -> set[int]:
        """Return what can be read of the row numbers of articles in a damaged database."""
        found: set[int] = set()
        for way, column in _WAYS:
            for order in ("ASC", "DESC"):
                with suppress(StoreDamagedError), self.failures():
                    query = f"SELECT key FROM article {way} ORDER BY {column} {order}"  # noqa: S608 - our own names
                    found.update(key for (key,) in self.db.execute(query))
        return found

    def unusable(self, version: int | None) -> StoreError:
        """Return the error for a file that is no store, or of another version."""
        latest = len(self.migrations)
        if version is None:
            return NotAStoreError(f"store {self.spec}: this is another program's database; it was left as it is")
        if version < 0:
            problem = f"store {self.spec}: the database is damaged (version {version})"
            return StoreDamagedError(f"{problem}; {saving(self.spec)}")
        if version < latest:
            found = f"of an earlier version ({version})" if version else "the file is empty"
            command = f"webmain index --store {quote(self.spec)}"
            return StoreWriteError(f"store {self.spec}: {found}; `{command}` brings it up to date")
        problem = f"store {self.spec}: version {version}, of a later webmain"
        return NewerStoreError(f"{problem}; this one knows up to {latest}")

    def failure(self, error: sqlite3.Error | UnicodeDecodeError | OSError) -> StoreError:
        """Return SQLite's error as a StoreError."""
        spec = self.spec
        if isinstance(error, IsADirectoryError):
            return NotAStoreError(f"store {spec}: {error}")
        if isinstance(error, OSError):
            return write_failure(f"store {spec}", error)
        code = getattr(error, "sqlite_errorname", "") or ""
        if code.startswith("SQLITE_FULL"):
            return StoreFullError(f"store {spec}: no space is left on the disk; {FULL}")
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return StoreLockedError(f"store {spec}: another process has kept the database locked for too long")
        if code == "SQLITE_READONLY" and self.read_only:
            return StoreWriteError(f"store {spec} is open for reading only")
        if code.startswith("SQLITE_INTERRUPT"):
            return StoreError(f"store {spec}: the answer would have taken too long")
        if code.startswith("SQLITE_NOTADB"):
            return NotAStoreError(f"store {spec}: the file is there and is no SQLite database; it was left as it is")
        if code.startswith("SQLITE_CORRUPT") or isinstance(error, UnicodeDecodeError):
            where = f"`webmain check {quote(spec)}` tells where"
            return StoreDamagedError(f"store {spec}: the database is damaged ({error}); {where}; {saving(spec)}")
        return (StoreWriteError if code.startswith(_WRITE_CODES) else StoreError)(f"store {spec}: {error}")


def block_text(block: Mapping[str, Any], text: str) -> Any:
    """Return the text of a block in a row of `kept_block` (`block` in earlier versions), with its article's text."""
    start = block.get("start")
    return block["text"] if start is None else text[start : start + block["n_chars"]]


def saving(spec: str) -> str:
    """Return advice on how to save what can be read of a damaged database."""
    saved = quote(f"{spec.partition(':')[2]}.jsonl")
    return f"`webmain export {quote(spec)} -o {saved}` saves what can be read (docs/operate.md: Damaged stores)"
