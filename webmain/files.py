"""Files that are only ever appended to, or replaced as a whole; and how stores of articles fail.

StoreError (a ValueError)
├── StoreSpecError    the words given name no store
├── NotAStoreError    the file is there, and is something else
├── NewerStoreError   written by a later webmain
├── StoreLockedError  another process writes to it
├── StoreDamagedError the file is ours, and broken
├── StoreFaultError   an exception in a store of the user's
└── StoreWriteError   permission, full disk, failing device
    └── StoreFullError    no space left, or a quota is used up
"""

from __future__ import annotations

import errno
import fcntl
import gzip
import json
import logging
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

logger = logging.getLogger(__name__)

FULL = "free some and start again: nothing that was stored is lost"  # what the message of a full disk advises
REMOVED = "the file was removed while it was written to, and what it contained with it"

_STEP = 1 << 16
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class StoreError(ValueError):
    """A store cannot do what it was asked; the message names the path and what to do."""


class StoreSpecError(StoreError):
    """The specification names no store."""


class NotAStoreError(StoreError):
    """The file exists, and is no store of webmain's; it was left as it is."""


class NewerStoreError(StoreError):
    """The store was written by a later webmain."""


class StoreLockedError(StoreError):
    """Another process writes to this store."""


class StoreFaultError(StoreError):
    """A store that is not webmain's own has raised another exception: the `__cause__`."""


class StoreDamagedError(StoreError):
    """The store's own file is broken."""


class StoreWriteError(StoreError):
    """The system refused to open or to write: permission, read-only or failing device."""


class StoreFullError(StoreWriteError):
    """No space is left on the device, or a quota is used up."""


def reason_of(error: Exception) -> str:
    """Return what went wrong, without the number and the file name that the system's errors have in their text."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def write_failure(label: str, error: OSError) -> StoreWriteError:
    """Return the system's error as a store's."""
    if error.errno in _NO_SPACE:
        return StoreFullError(f"{label}: no space is left on the disk ({error.strerror}); {FULL}")
    return StoreWriteError(f"{label}: {reason_of(error)}")


class AppendFile:
    """An open file with an advisory lock (`flock`) on it; pieces are appended whole or not at all.

    Raises NotAStoreError if it is a folder, a pipe or a device. Raises StoreLockedError: another process, or another
    object in this one, appends to it. Raises StoreWriteError if the system refused to open it.

    The file is made, with its folders, where it is not there. `label`: its name in messages. `read_only`: open what is
    there without a lock.
    """

    def __init__(self, path: Path, *, label: str, read_only: bool = False) -> None:
        self.path = path
        self.label = label
        flags = os.O_RDONLY if read_only else os.O_RDWR | os.O_APPEND | os.O_CREAT
        try:
            if not read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
            self.fd = os.open(path, flags | os.O_NONBLOCK, 0o644)
        except OSError as error:
            raise write_failure(label, error) from error
        try:
            if not stat.S_ISREG(os.fstat(self.fd).st_mode):
                raise NotAStoreError(f"{label}: not a regular file")
            if not read_only:
                self._lock()
        except BaseException:
            self.close()
            raise
        self._has_names = os.fstat(self.fd).st_nlink > 0  # some file systems do not tell

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self.fd < 0

    def size(self) -> int:
        """Return the length in bytes."""
        return os.fstat(self.fd).st_size

    def append(self, piece: bytes) -> int:
        """Write a piece whole or not at all; return where it begins.

        Raises StoreFullError, StoreWriteError: the file is as long as it was.
        """
        self.check_there()
        begin = self.size()
        try:
            written = os.write(self.fd, piece)
            while written < len(piece):  # the disk is filling up, or a signal came in between
                written += os.write(self.fd, piece[written:])
        except OSError as error:
            os.ftruncate(self.fd, begin)
            raise write_failure(self.label, error) from error
        return begin

    def check_there(self) -> None:
        """Raise StoreWriteError if the file was removed; one that was only renamed is written to."""
        if self._has_names and os.fstat(self.fd).st_nlink == 0:
            raise StoreWriteError(f"{self.label}: {REMOVED}")

    def cut(self, size: int) -> int:
        """Shorten the file to `size` bytes, and log it; return how many were cut off."""
        n = self.size() - size
        os.ftruncate(self.fd, size)
        logger.info("%s: cut off an unfinished last piece of %d bytes", self.label, n)
        return n

    def _last_line(self) -> tuple[int, bytes]:
        """Return where an unfinished last line begins, and the line; empty where the file ends in a new line."""
        end = size = self.size()
        start = 0
        while end > 0:
            begin = max(0, end - _STEP)
            at = os.pread(self.fd, end - begin, begin).rfind(b"\n")
            if at >= 0:
                start = begin + at + 1
                break
            end = begin
        return start, os.pread(self.fd, size - start, start)

    def mend_lines(self, what: str, is_line: Callable[[bytes], bool]) -> int:
        """Finish or cut off a last line left without an end by a killed process or a power cut; return the bytes cut off.

        `what`: what each line is: a JSON object of this kind. `is_line`: returns True for such a line, whole or
        damaged, with or without its end.
        Raises NotAStoreError if the file holds something else; it was left as it is.
        """
        self.check_first_line(what, is_line)
        start, tail = self._last_line()
        if not tail:
            return 0
        try:
            json.loads(tail)
        except (ValueError, RecursionError):
            if not tail.startswith(b'{"'[: len(tail)]) and tail.strip(b"\0") and not is_line(tail):
                raise self._foreign("its last line is not JSON") from None
            return self.cut(start)
        if start == 0 and not is_line(tail):
            raise self._foreign(f"its only line is no {what}")
        self.append(b"\n")
        return 0

    def check_first_line(self, what: str, is_line: Callable[[bytes], bool]) -> None:
        """Raise NotAStoreError if the first line is whole, and of another kind; see `mend_lines`."""
        with self.path.open("rb") as file:
            first = file.readline()
        if first.endswith(b"\n") and first.strip() and not is_line(first):
            raise self._foreign(f"its first line is no {what}")

    def _foreign(self, why: str) -> NotAStoreError:
        return NotAStoreError(f"{self.label}: this file is something else ({why}); it was left as it is")

    def close(self) -> None:
        """Close the file and release the lock."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def _lock(self) -> None:
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StoreLockedError(
                f"{self.label}: another process writes to this file; wait for it, or use another file"
            ) from error
        except OSError as error:  # a file system without locks
            logger.warning("%s: cannot be locked (%s); let only one crawl write to it", self.label, error.strerror)


@contextmanager
def replaced_whole(path: Path) -> Iterator[Path]:
    """Give the path of a file beside `path` to write to, which takes its place when it is whole, even after a crash.

    A device or a named pipe, such as /dev/null, is written to itself. Raises OSError: `path` is a folder, or the system
    refuses.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        yield path
        return
    part = path.with_name(f".{path.name[:40]}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        yield part
        _sync(part)
        part.replace(path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(part):
            error.filename = str(path)
        raise
    with suppress(OSError):  # some file systems cannot
        _sync(path.parent)


def opened(path: Path) -> BinaryIO:
    """Open a file to read; it is decompressed if it begins as gzip does. Raises OSError."""
    with path.open("rb") as file:
        is_packed = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path)) if is_packed else path.open("rb")


def _sync(path: Path) -> None:
    """Write what the system has buffered of a file or folder to the disk."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
