"""Read the files of Common Crawl's news archives in turn, over the network or from a folder with the same layout.

All of this runs in its own thread, since reading waits for the network.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from webmain.archive.common_crawl import MAX_LIST_BYTES, RecordFilter, list_of, read_list
from webmain.archive.decoding import TooLargeError
from webmain.archive.warc import Skip, page_of, read_captures
from webmain.files import reason_of
from webmain.items import Page
from webmain.ledger.archives import Progress
from webmain.net.ranges import DataHost, RemoteFile, SourceError, StoppedReading

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

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
    """Something found: a page, something to count and to log, the end of a file; or only progress.

    Attributes
    ----------
    file : ArchiveFile or None
        None if the progress in the file does not change.
    at : int
        Offset of the record.
    note : (str, str, bool) or None
        A counter's name, a message, and whether it is a warning.
    is_end : bool
        The end of the file was reached.
    """

    file: ArchiveFile | None = None
    at: int = 0
    page: Page | None = None
    note: tuple[str, str, bool] | None = None
    is_end: bool = False


class LocalFile(io.FileIO):
    """A file in a folder, with what `RemoteFile` has; its bytes are counted as if they came from the host."""

    def __init__(self, path: Path, host: DataHost) -> None:
        super().__init__(path)
        self.size: int | None = path.stat().st_size
        self.mark = ""
        self._host = host

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read some bytes, and count them."""
        n = super().readinto(buffer) or 0
        self._host.count_bytes(n)
        return n

    def has(self, size: int | None, mark: str | None, at: int) -> bool:
        """Return True if the size is that of an earlier run."""
        return self.size == size


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
    tell : callable
        Called with everything that is found.
    """

    months: tuple[str, ...]
    base: str
    host: DataHost
    wanted: RecordFilter
    known: Mapping[str, Progress]
    max_bytes: int
    tell: Callable[[FileEvent], None]

    def read(self) -> None:
        """Read everything."""
        paths: list[str] = []
        try:
            for month in self.months:
                paths += self._listed(month)
            n_failed = 0
            for number, path in enumerate(paths, 1):
                n_failed = 0 if self._read_file(ArchiveFile(path, number, len(paths))) else n_failed + 1
                if n_failed >= MAX_FAILURES:
                    raise SourceError(f"{n_failed} files in a row could not be fetched; the next run continues")
        except SourceError as problem:
            self._fail(problem)

    def _fail(self, problem: SourceError) -> None:
        kind = "missing" if problem.is_missing else "ended" if isinstance(problem, StoppedReading) else "failed"
        self.tell(FileEvent(note=(kind, str(problem), True)))

    def _listed(self, month: str) -> tuple[str, ...]:
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
            self._fail(_named(path, error))
            return ()
        if listed.n_refused or not listed.paths:
            message = f"{path}: {listed.n_refused:,} lines name no WARC file of the month; {len(listed.paths):,} do"
            self._fail(SourceError(message))
        return listed.paths

    def _read_file(self, file: ArchiveFile) -> bool:
        """Read one file; return False if it failed for a reason other than the file being missing."""
        known = self.known.get(file.path)
        try:
            with closing(self._open(file.path)) as stream:
                raw = stream.raw
                if known is not None and known.done_at is not None and (self._is_remote or raw.size == known.size):
                    self.tell(FileEvent(note=("files/known", f"{file.path}: read before", False)))
                    return True
                if known is not None and known.position and raw.has(known.size, known.etag, known.position):
                    file.position = file.reached = known.position
                    file.n_records = known.n_records
                stream.seek(file.position)
                self._read_records(file, stream)
        except StoppedReading:
            raise
        except (SourceError, OSError) as error:
            problem = _named(file.path, error)
            self._fail(problem)
            return problem.is_missing
        if file.n_records:
            note = ("files/read", f"{file.path}: {file.n_records:,} records", False)
        else:
            note = ("failed", f"{file.path}: no record is in it", True)
        at = file.size or file.position
        self.tell(FileEvent(file=file, at=at, note=note, is_end=file.n_records > 0))
        return True

    def _read_records(self, file: ArchiveFile, stream: io.BufferedReader[RemoteFile | LocalFile]) -> None:
        """Read a file to its end, and report progress from time to time."""
        raw = stream.raw

        def tell(**found: Any) -> None:
            file.size, file.mark = raw.size, raw.mark
            self.tell(FileEvent(file=file, **found))

        def skip(reason: Skip, url: str | None) -> None:
            tell(at=file.position, note=(f"skipped/{reason}", f"{reason}: {url}", reason is Skip.DAMAGED))

        def is_wanted(begin: int, url: str | None, date: datetime | None) -> bool:
            file.n_records += 1
            if begin - file.position >= STEP_BYTES:
                file.position = begin
                tell(at=begin)
            return self.wanted(begin, url, date)

        for begin, capture in read_captures(stream, on_skip=skip, max_bytes=self.max_bytes, is_wanted=is_wanted):
            page = page_of(capture, self.max_bytes)
            if isinstance(page, Page):
                tell(at=begin, page=page)
            else:
                skip(page, capture.url)
        file.size, file.mark = raw.size, raw.mark

    @property
    def _is_remote(self) -> bool:
        return self.base.startswith(("http://", "https://"))

    def _open(self, path: str) -> io.BufferedReader[RemoteFile | LocalFile]:
        """Open a file below the base.

        Raises
        ------
        OSError
            A file in a folder cannot be opened.
        """
        if self._is_remote:
            return io.BufferedReader(RemoteFile(self.base + path, self.host), _BUFFER_BYTES)
        return io.BufferedReader(LocalFile(Path(self.base, path), self.host), _BUFFER_BYTES)


def _named(path: str, error: Exception) -> SourceError:
    """Return an error with the file's path in its message."""
    if isinstance(error, SourceError):
        return SourceError(f"{path}: {error}", is_missing=error.is_missing)
    return SourceError(f"{path}: {reason_of(error)}", is_missing=isinstance(error, FileNotFoundError))
