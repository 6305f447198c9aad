"""Read the files of Common Crawl's news archives in turn, over the network or from a folder with the same layout.

All of this runs in its own thread, since reading waits for the network.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO, Final, cast

from webmain.archive.common_crawl import MAX_LIST_BYTES, RecordFilter, list_of, read_list
from webmain.archive.decoding import TooLargeError
from webmain.archive.warc import Skip, page_of, read_captures
from webmain.items import Page
from webmain.ledger.archives import Progress
from webmain.net.ranges import DataHost, RemoteFile, SourceError, StoppedReading

MAX_FAILURES: Final = 3
"""After this many failed files in a row, the rest is left for the next run."""

STEP_BYTES: Final = 1 << 20
"""Progress is reported at least once per this many bytes, even if nothing in them is wanted."""

_BUFFER_BYTES: Final = 1 << 16


@dataclass(slots=True, eq=False)
class ArchiveFile:
    """One WARC file.

    Attributes
    ----------
    path : str
        Relative to the base.
    number, of : int
        Its number among all files, from 1, and how many there are.
    position, reached : int
        Bytes read so far, and bytes whose pages and records have been taken over by the crawl.
    size, mark : int or None, str
        See `webmain.net.ranges.RemoteFile`.
    n_records : int
        Records read.
    waiting : dict of int to None
        Offsets of the pages that are not settled, ascending.
    is_read : bool
        Everything found in the file has been taken over.
    """

    path: str
    number: int
    of: int
    position: int = 0
    reached: int = 0
    size: int | None = None
    mark: str = ""
    n_records: int = 0
    waiting: dict[int, None] = field(default_factory=dict)
    is_read: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEvent:
    """Something found in a file: a page, a skipped record, or the reason why reading ended; or only progress.

    Attributes
    ----------
    file : ArchiveFile or None
        None if it concerns a month's list.
    at : int
        Offset of the record.
    skip : (Skip, str or None) or None
    problem : SourceError or None
    is_end, is_known : bool
        The end of the file was reached, in this run or in an earlier one.
    """

    file: ArchiveFile | None = None
    at: int = 0
    page: Page | None = None
    skip: tuple[Skip, str | None] | None = None
    problem: SourceError | None = None
    is_end: bool = False
    is_known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsFiles:
    """The files to read.

    Attributes
    ----------
    months : tuple of str
        "2026/10"; the files of each are read in the order of its list.
    base : str
        A URL that ends in a slash, or a folder.
    host : DataHost
        Also counts bytes that are read from a folder.
    known : mapping of str to Progress
        How far each file was read by earlier runs, by path.
    max_bytes : int
        The largest size of a page.
    """

    months: tuple[str, ...]
    base: str
    host: DataHost
    wanted: RecordFilter
    known: Mapping[str, Progress]
    max_bytes: int

    @property
    def is_remote(self) -> bool:
        """Whether the base is a URL."""
        return self.base.startswith(("http://", "https://"))

    def read(self, tell: Callable[[FileEvent], None]) -> None:
        """Read everything, and pass what is found to `tell`."""
        paths: list[str] = []
        try:
            for month in self.months:
                paths += self._listed(month, tell)
            n_failed = 0
            for number, path in enumerate(paths, 1):
                file = ArchiveFile(path, number, len(paths))
                n_failed = 0 if self._read_file(file, tell) else n_failed + 1
                if n_failed >= MAX_FAILURES:
                    tell(
                        FileEvent(
                            problem=SourceError(
                                f"{n_failed} files in a row could not be fetched; the next run continues"
                            )
                        )
                    )
                    return
        except StoppedReading as stopped:
            tell(FileEvent(problem=stopped))

    def _listed(self, month: str, tell: Callable[[FileEvent], None]) -> tuple[str, ...]:
        """Return the paths of a month's files."""
        path = list_of(month)
        try:
            with closing(self._open(path)) as stream:
                packed = stream.read(MAX_LIST_BYTES + 1)
            if len(packed) > MAX_LIST_BYTES:
                raise TooLargeError(f"longer than {MAX_LIST_BYTES} bytes")
            listed = read_list(packed, month)
        except StoppedReading:
            raise
        except (SourceError, TooLargeError, OSError) as error:
            tell(FileEvent(problem=_named(path, error)))
            return ()
        if listed.n_refused or not listed.paths:
            message = f"{path}: {listed.n_refused:,} lines name no WARC file of the month; {len(listed.paths):,} do"
            tell(FileEvent(problem=SourceError(message)))
        return listed.paths

    def _read_file(self, file: ArchiveFile, tell: Callable[[FileEvent], None]) -> bool:
        """Read one file; return False if it failed for a reason other than the file being missing."""
        known = self.known.get(file.path)
        if known is not None and known.done_at is not None and (self.is_remote or self._size(file.path) == known.size):
            tell(FileEvent(file=file, is_known=True))
            return True
        try:
            with closing(self._open(file.path)) as stream:
                self._begin(file, stream, known)
                look = partial(self._look, file, stream, tell)
                for begin, capture in read_captures(
                    stream, on_skip=partial(_skip, file, tell), max_bytes=self.max_bytes, is_wanted=look
                ):
                    self._record_size(file, stream)
                    page = page_of(capture, self.max_bytes)
                    if isinstance(page, Page):
                        tell(FileEvent(file=file, at=begin, page=page))
                    else:
                        _skip(file, tell, page, capture.url)
                self._record_size(file, stream)
        except StoppedReading:
            raise
        except (SourceError, OSError) as error:
            problem = _named(file.path, error)
            tell(FileEvent(file=file, at=file.position, problem=problem))
            return problem.is_missing
        tell(FileEvent(file=file, at=file.size or file.position, is_end=True))
        return True

    def _begin(self, file: ArchiveFile, stream: BinaryIO, known: Progress | None) -> None:
        """Seek to where an earlier run stopped, if it is the same file."""
        if known is not None and known.position and self._is_same(file, stream, known):
            file.position = file.reached = known.position
            file.n_records = known.n_records
        stream.seek(file.position)

    def _is_same(self, file: ArchiveFile, stream: BinaryIO, known: Progress) -> bool:
        if isinstance(raw := _raw(stream), RemoteFile):
            return raw.has(known.size, known.etag, known.position)
        self._record_size(file, stream)
        return file.size == known.size

    def _look(
        self,
        file: ArchiveFile,
        stream: BinaryIO,
        tell: Callable[[FileEvent], None],
        begin: int,
        url: str | None,
        date: datetime | None,
    ) -> bool:
        """Return whether a record is wanted, and report progress from time to time."""
        file.n_records += 1
        if begin - file.position >= STEP_BYTES:
            self._record_size(file, stream)
            if not self.is_remote:
                self.host.count_bytes(begin - file.position)
            file.position = begin
            tell(FileEvent(file=file, at=begin))
        return self.wanted(url, date)

    def _open(self, path: str) -> BinaryIO:
        """Open a file below the base.

        Raises
        ------
        OSError
            A file in a folder cannot be opened.
        """
        if not self.is_remote:
            return Path(self.base, path).open("rb")
        return cast("BinaryIO", io.BufferedReader(RemoteFile(self.base + path, self.host), _BUFFER_BYTES))

    def _size(self, path: str) -> int | None:
        """Return the size of a file in a folder."""
        try:
            return Path(self.base, path).stat().st_size
        except OSError:
            return None

    def _record_size(self, file: ArchiveFile, stream: BinaryIO) -> None:
        """Update the size and mark of a file from what is known now."""
        if isinstance(raw := _raw(stream), RemoteFile):
            file.size, file.mark = raw.size, raw.mark
        else:
            file.size = self._size(file.path)


def _skip(file: ArchiveFile, tell: Callable[[FileEvent], None], reason: Skip, url: str | None) -> None:
    tell(FileEvent(file=file, at=file.position, skip=(reason, url)))


def _raw(stream: BinaryIO) -> object:
    return stream.raw if isinstance(stream, io.BufferedReader) else stream


def _named(path: str, error: Exception) -> SourceError:
    """Return an error with the file's path in its message."""
    if isinstance(error, SourceError):
        return SourceError(f"{path}: {error}", is_missing=error.is_missing)
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return SourceError(f"{path}: {reason}", is_missing=isinstance(error, FileNotFoundError))
