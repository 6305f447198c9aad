"""The files of Common Crawl's news archives, one after the other: over the network, or from a folder in the same layout.

Everything here happens in a thread of its own, as reading waits for the network.
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

from webmain.archive.common_crawl import MAX_LIST_BYTES, Wanted, list_of, read_list
from webmain.archive.decoding import TooLargeError
from webmain.archive.warc import Skip, page_of, read_captures
from webmain.items import Page
from webmain.ledger.archives import Progress
from webmain.net.ranges import DataHost, RemoteFile, SourceError, StoppedReading

MAX_FAILURES: Final = 3
"""Files in a row that could not be had, after which the rest is left for the next run."""

STEP_BYTES: Final = 1 << 20
"""How often it is told how far a file was read where nothing in it is wanted."""

_BUFFER_BYTES: Final = 1 << 16


@dataclass(slots=True, eq=False)
class Part:
    """One WARC file.

    Attributes
    ----------
    path : str
        Relative to the base.
    number, of : int
        Its place among all files, from 1.
    position, reached : int
        How far reading has come, and how far what was found has been taken over, in bytes.
    size, mark : int or None, str
        As `webmain.net.ranges.RemoteFile` has them.
    n_records : int
        Records looked at.
    waiting : dict of int to None
        Offsets of the pages that are not settled, rising.
    is_read : bool
        All that was found in it has been taken over.
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
class Found:
    """What was found in a file up to a place: a page, a record that gives none, or why reading has ended; or nothing.

    Attributes
    ----------
    part : Part or None
        None for what concerns a month's list.
    at : int
        Offset of the record.
    skip : (Skip, str or None) or None
    problem : SourceError or None
    is_end, is_known : bool
        The file's end was reached, now or by an earlier run.
    """

    part: Part | None = None
    at: int = 0
    page: Page | None = None
    skip: tuple[Skip, str | None] | None = None
    problem: SourceError | None = None
    is_end: bool = False
    is_known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsFiles:
    """What is to be read.

    Attributes
    ----------
    months : tuple of str
        "2026/10"; the files of each are read in the order of its list.
    base : str
        A URL that ends in a slash, or a folder.
    host : DataHost
        Also counts what is read from a folder.
    known : mapping of str to Progress
        How far files were read before, by their path.
    max_bytes : int
        Bound on a page.
    """

    months: tuple[str, ...]
    base: str
    host: DataHost
    wanted: Wanted
    known: Mapping[str, Progress]
    max_bytes: int

    @property
    def is_remote(self) -> bool:
        """Whether the base is a URL."""
        return self.base.startswith(("http://", "https://"))

    def read(self, tell: Callable[[Found], None]) -> None:
        """Read everything, and tell what is found."""
        paths: list[str] = []
        try:
            for month in self.months:
                paths += self._listed(month, tell)
            n_failed = 0
            for number, path in enumerate(paths, 1):
                part = Part(path, number, len(paths))
                n_failed = 0 if self._read_file(part, tell) else n_failed + 1
                if n_failed >= MAX_FAILURES:
                    tell(
                        Found(problem=SourceError(f"{n_failed} files in a row could not be had; the next run goes on"))
                    )
                    return
        except StoppedReading as stopped:
            tell(Found(problem=stopped))

    def _listed(self, month: str, tell: Callable[[Found], None]) -> tuple[str, ...]:
        """Return the files of a month."""
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
            tell(Found(problem=_named(path, error)))
            return ()
        if listed.n_refused or not listed.paths:
            message = f"{path}: {listed.n_refused:,} lines name no WARC file of the month; {len(listed.paths):,} do"
            tell(Found(problem=SourceError(message)))
        return listed.paths

    def _read_file(self, part: Part, tell: Callable[[Found], None]) -> bool:
        """Read one file; False where the server, not the file, is to blame that it could not be read."""
        known = self.known.get(part.path)
        if known is not None and known.done_at is not None and (self.is_remote or self._size(part.path) == known.size):
            tell(Found(part=part, is_known=True))
            return True
        try:
            with closing(self._open(part.path)) as stream:
                self._begin(part, stream, known)
                look = partial(self._look, part, stream, tell)
                for begin, capture in read_captures(
                    stream, on_skip=partial(_skip, part, tell), max_bytes=self.max_bytes, is_wanted=look
                ):
                    self._note_size(part, stream)
                    page = page_of(capture, self.max_bytes)
                    if isinstance(page, Page):
                        tell(Found(part=part, at=begin, page=page))
                    else:
                        _skip(part, tell, page, capture.url)
                self._note_size(part, stream)
        except StoppedReading:
            raise
        except (SourceError, OSError) as error:
            problem = _named(part.path, error)
            tell(Found(part=part, at=part.position, problem=problem))
            return problem.is_missing
        tell(Found(part=part, at=part.size or part.position, is_end=True))
        return True

    def _begin(self, part: Part, stream: BinaryIO, known: Progress | None) -> None:
        """Go to where an earlier run has come to, if it is the same file."""
        if known is not None and known.position and self._is_same(part, stream, known):
            part.position = part.reached = known.position
            part.n_records = known.n_records
        stream.seek(part.position)

    def _is_same(self, part: Part, stream: BinaryIO, known: Progress) -> bool:
        if isinstance(raw := _raw(stream), RemoteFile):
            return raw.has(known.size, known.etag, known.position)
        self._note_size(part, stream)
        return part.size == known.size

    def _look(
        self,
        part: Part,
        stream: BinaryIO,
        tell: Callable[[Found], None],
        begin: int,
        url: str | None,
        date: datetime | None,
    ) -> bool:
        """Return whether a record is wanted, and tell now and then how far reading has come."""
        part.n_records += 1
        if begin - part.position >= STEP_BYTES:
            self._note_size(part, stream)
            if not self.is_remote:
                self.host.take(begin - part.position)
            part.position = begin
            tell(Found(part=part, at=begin))
        return self.wanted(url, date)

    def _open(self, path: str) -> BinaryIO:
        """Open a file below the base.

        Raises
        ------
        OSError
            In a folder: it can not be opened.
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

    def _note_size(self, part: Part, stream: BinaryIO) -> None:
        """Note what is known of a file since it was asked for."""
        if isinstance(raw := _raw(stream), RemoteFile):
            part.size, part.mark = raw.size, raw.mark
        else:
            part.size = self._size(part.path)


def _skip(part: Part, tell: Callable[[Found], None], reason: Skip, url: str | None) -> None:
    tell(Found(part=part, at=part.position, skip=(reason, url)))


def _raw(stream: BinaryIO) -> object:
    return stream.raw if isinstance(stream, io.BufferedReader) else stream


def _named(path: str, error: Exception) -> SourceError:
    """Return a problem with the file's name."""
    if isinstance(error, SourceError):
        return SourceError(f"{path}: {error}", is_missing=error.is_missing)
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return SourceError(f"{path}: {reason}", is_missing=isinstance(error, FileNotFoundError))
