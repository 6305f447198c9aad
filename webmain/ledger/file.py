"""The ledger's SQLite file: opening, migration, transactions, errors."""

from __future__ import annotations

import fcntl
import sqlite3
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import quote

from webmain.clock import now_s
from webmain.ledger.schema import APPLICATION_ID, FORMS, MIGRATIONS, SCHEMA_VERSION

_UNUSABLE: Final = "is not a ledger, or cannot be written: "


class LedgerError(RuntimeError):
    """The file is not a ledger, is from a newer webmain, or cannot be read or written; the message names the file."""


class OlderLedgerError(LedgerError):
    """A file opened for reading only has an older version; the next crawl will update it."""


class LedgerFile:
    """One SQLite file for `Ledger`, `Answers`, `Visits`, `Hosts`, `Runs` and `Archives`.

    Every call is one short transaction (WAL, synchronous NORMAL): what was written survives a kill, and several processes
    may share the file.

    Parameters
    ----------
    path : str or Path
        The file, created with its folder if missing; ":memory:" keeps everything in memory.
    busy_timeout_s : float
        How long to wait for another process's transaction.
    clock : callable
        Seconds since 1970.
    read_only : bool
        Nothing is written or created, and other processes can write.

    Raises
    ------
    LedgerError
        The file is not a ledger, has a newer version, or cannot be written; or, with `read_only`, has an older version.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        busy_timeout_s: float = 30.0,
        clock: Callable[[], float] = now_s,
        read_only: bool = False,
    ) -> None:
        self.path = Path(path)
        self.clock = clock
        place = str(self.path)
        if read_only:
            place = f"file:{quote(str(self.path.absolute()))}?mode=ro"
        try:
            if not read_only:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(place, timeout=busy_timeout_s, isolation_level=None, uri=read_only)
            self._db.text_factory = lambda text: text.decode("utf-8", "replace")
        except (OSError, sqlite3.Error) as error:
            raise LedgerError(f"{self.path}: cannot be opened: {error}") from error
        try:
            with self.errors(_UNUSABLE):
                version = self._check_is_ledger()
                if not read_only:
                    use_wal(self._db, busy_timeout_s)
                    self._migrate()
                elif version < SCHEMA_VERSION:
                    raise OlderLedgerError(f"{self.path}: is of version {version}, {SCHEMA_VERSION} is needed")
                self._db.execute(FORMS)
        except BaseException:
            self._db.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; everything has already been written."""
        self._db.close()

    def _check_is_ledger(self) -> int:
        """Return the version; reject other databases and newer ledgers before anything is written."""
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        n_tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != APPLICATION_ID and (n_tables or application):
            raise LedgerError(f"{self.path}: is a database, but not a ledger")
        if version > SCHEMA_VERSION:
            raise LedgerError(f"{self.path}: is of version {version}; this webmain reads up to {SCHEMA_VERSION}")
        return int(version)

    def _migrate(self) -> None:
        """Update the schema in one transaction, which also shows whether the file can be written."""
        with self.transaction(_UNUSABLE) as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            for step in MIGRATIONS[version:]:
                for statement in step.split(";"):
                    db.execute(statement)
            if version < SCHEMA_VERSION:
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

    @contextmanager
    def transaction(self, what: str = "") -> Iterator[sqlite3.Connection]:
        """Hold the file's write lock for one short transaction."""
        with self.errors(what):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def read(self, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        with self.errors():
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def errors(self, what: str = "") -> Iterator[None]:
        """Convert SQLite's errors to `LedgerError`, with advice."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # its own messages say what is damaged
            code = getattr(error, "sqlite_errorname", "") or ""
            message = f"{what}{error}"
            if code.startswith("SQLITE_FULL"):
                message = "no space is left on the disk; free some and start again: nothing is lost"
            elif code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or isinstance(error, UnicodeDecodeError):
                message = (
                    f"is damaged, or not a ledger: {error}; `webmain check {self.path}` shows more."
                    " Without it the next crawl fetches everything again, and stores nothing twice"
                )
            raise LedgerError(f"{self.path}: {message}") from error


_SHARED_LOCK: Final = 0x40000002, 510
"""The bytes, first and number, of which each open connection locks one (SQLite's file format, 2.1)."""


def is_open_elsewhere(path: Path) -> bool:
    """Return True if another process has the ledger open, as a crawl has until it ends; also if the system cannot tell.

    A process that has the ledger open itself must not call this: closing the file releases SQLite's own locks.
    """
    if sys.platform != "linux":
        return True  # a lock has another layout there
    question = struct.pack("hhqqi", fcntl.F_WRLCK, 0, *_SHARED_LOCK, 0)
    try:
        with path.open("rb") as file:
            answer = fcntl.fcntl(file, fcntl.F_GETLK, question)
    except OSError:
        return True
    return bool(struct.unpack("hhqqi", answer)[0] != fcntl.F_UNLCK)


def copy_ledger(path: Path, target: Path) -> None:
    """Copy a ledger in its current state, even while a crawl writes it; other processes can go on writing.

    Raises
    ------
    LedgerError
        It cannot be read.
    """
    try:
        with (
            closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as db,
            closing(sqlite3.connect(target)) as copy,
        ):
            db.backup(copy)
    except sqlite3.Error as error:
        raise LedgerError(f"{path}: {_UNUSABLE}{error}") from error


def use_wal(db: sqlite3.Connection, timeout_s: float) -> None:
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
