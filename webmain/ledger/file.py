"""The ledger's SQLite file: opening, migration, transactions, errors."""

from __future__ import annotations

import fcntl
import sqlite3
import struct
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from webmain.clock import now_s
from webmain.database import DatabaseFile, open_to_read

_UNUSABLE: Final = "cannot be opened or written, or is not a ledger: "

_SETTLED_AT: Final = """CASE
    WHEN u.article_id IS NOT NULL OR u.reason IN ('duplicate', 'moved') OR u.reason IN
        ('too_old', 'too_new', 'undated', 'other_language', 'other_section') THEN 9e999
    WHEN typeof(u.changed_at) = 'real' THEN u.changed_at
    END"""

FORMS: Final = f"""
CREATE TEMP VIEW forms AS
SELECT u.url, u.url AS canonical, u.state, u.attempts, {_SETTLED_AT} AS settled_at FROM urls u
UNION ALL
SELECT a.url, a.canonical, u.state, u.attempts, {_SETTLED_AT} FROM aliases a CROSS JOIN urls u ON u.url = a.canonical
"""  # noqa: S608 - a constant
"""Every address with the state of its canonical form. `settled_at` is infinite for addresses that stay settled: with an
article, duplicates and moved ones, and those refused by a filter."""


class LedgerError(RuntimeError):
    """The file is not a ledger, is from a newer webmain, or cannot be read or written; the message names the file."""


class OlderLedgerError(LedgerError):
    """A file opened for reading only has an older version; the next crawl will update it."""


class LedgerFile(DatabaseFile):
    """One SQLite file for `Ledger` and its other tables.

    Every call is one short transaction (WAL, synchronous NORMAL): what was written survives a kill, and several processes
    may share the file.

    Parameters
    ----------
    path : str or Path
        The file, created with its folder if missing; ":memory:" keeps everything in memory.
    wait_s : float
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

    application_id = 0x574D4C47  # "WMLG"
    migrations = sorted(Path(__file__).with_name("migrations").glob("*.sql"))

    def __init__(
        self,
        path: str | Path,
        *,
        wait_s: float = 30.0,
        clock: Callable[[], float] = now_s,
        read_only: bool = False,
    ) -> None:
        self.clock = clock
        super().__init__(Path(path), read_only=read_only, wait_s=wait_s)

    def _prepare(self, wait_s: float) -> None:
        super()._prepare(wait_s)
        if not self.read_only:
            with self.transaction():
                pass  # shows whether the file can be written
        self.db.execute(FORMS)

    def unusable(self, version: int | None) -> LedgerError:
        """Return the error for a file that is no ledger, or of another version."""
        latest = len(self.migrations)
        if version is None:
            return LedgerError(f"{self.path}: is a database, but not a ledger")
        if 0 <= version < latest:
            return OlderLedgerError(f"{self.path}: is of version {version}, {latest} is needed")
        return LedgerError(f"{self.path}: is of version {version}; this webmain reads up to {latest}")

    def failure(self, error: sqlite3.Error | UnicodeDecodeError | OSError) -> LedgerError:
        """Return SQLite's error as a `LedgerError`, with advice."""
        code = getattr(error, "sqlite_errorname", "") or ""
        message = str(error) if self.is_ready else f"{_UNUSABLE}{error}"
        if code.startswith("SQLITE_FULL"):
            message = "no space is left on the disk; free some and start again: nothing is lost"
        elif code.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or isinstance(error, UnicodeDecodeError):
            message = (
                f"is damaged, or not a ledger: {error}; `webmain check {self.path}` shows more."
                " Without it the next crawl fetches everything again, and stores nothing twice"
            )
        return LedgerError(f"{self.path}: {message}")


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
            closing(open_to_read(path)) as db,
            closing(sqlite3.connect(target)) as copy,
        ):
            db.backup(copy)
    except sqlite3.Error as error:
        raise LedgerError(f"{path}: {_UNUSABLE}{error}") from error
