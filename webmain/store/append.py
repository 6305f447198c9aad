"""A file that is only ever appended to, by one process at a time, in pieces that are written whole or not at all."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import stat
from pathlib import Path

from webmain.store.protocol import FULL, NotAStoreError, StoreError, StoreFullError, StoreLockedError, StoreWriteError

logger = logging.getLogger(__name__)

_STEP = 1 << 16
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class AppendFile:
    """An open file with an advisory lock (`flock`) on it.

    Parameters
    ----------
    path : Path
        Made, with its folders, where it is not there.
    label : str
        What messages call it.
    read_only : bool
        Open what is there without a lock.

    Raises
    ------
    NotAStoreError
        It is a folder, a pipe or a device.
    StoreLockedError
        Another process, or another object in this one, appends to it.
    StoreWriteError
        The system refused to open it.
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
            raise self.failure(error) from error
        try:
            if not stat.S_ISREG(os.fstat(self.fd).st_mode):
                raise NotAStoreError(f"{label}: not a regular file")
            if not read_only:
                self._lock()
        except BaseException:
            self.close()
            raise

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self.fd < 0

    def size(self) -> int:
        """Return the length in bytes."""
        return os.fstat(self.fd).st_size

    def append(self, piece: bytes) -> int:
        """Write a piece whole or not at all; return where it begins.

        Raises
        ------
        StoreFullError, StoreWriteError
            The file is as long as it was.
        """
        begin = self.size()
        try:
            written = os.write(self.fd, piece)
            while written < len(piece):  # the disk is filling up, or a signal came in between
                written += os.write(self.fd, piece[written:])
        except OSError as error:
            os.ftruncate(self.fd, begin)
            raise self.failure(error) from error
        return begin

    def cut(self, size: int) -> int:
        """Shorten the file to `size` bytes, and say so in the log; return how many were cut off."""
        n = self.size() - size
        os.ftruncate(self.fd, size)
        logger.info("%s: cut off an unfinished last piece of %d bytes", self.label, n)
        return n

    def sync(self) -> None:
        """Ask the system to bring everything to the disk."""
        try:
            os.fsync(self.fd)
        except OSError as error:
            raise self.failure(error) from error

    def close(self) -> None:
        """Close the file and give the lock free."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def failure(self, error: OSError) -> StoreError:
        """Turn the system's error into ours."""
        if error.errno in _NO_SPACE:
            return StoreFullError(f"{self.label}: no space is left on the disk ({error.strerror}); {FULL}")
        return StoreWriteError(f"{self.label}: {error.strerror or error}")

    def _lock(self) -> None:
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StoreLockedError(
                f"{self.label}: another process writes to this file; wait for it, or use another file"
            ) from error
        except OSError as error:  # a file system without locks
            logger.warning("%s: cannot be locked (%s); let only one crawl write to it", self.label, error.strerror)


def last_line(fd: int, size: int) -> int:
    """Return where the last line of a file of `size` bytes begins: the byte after the last new line."""
    end = size
    while end > 0:
        begin = max(0, end - _STEP)
        at = os.pread(fd, end - begin, begin).rfind(b"\n")
        if at >= 0:
            return begin + at + 1
        end = begin
    return 0
