"""Read large files piece by piece from a host of bulk data, by ranges, or as one stream if the server ignores ranges.

Every connection passes the guard (`webmain.net.connection`). After errors, 429 and 5xx, reading waits for increasing times
and resumes where it stopped. robots.txt is not read: such hosts publish their files for programs.
"""

from __future__ import annotations

import contextlib
import http.client
import io
import random
import re
import socket
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from webmain.archive.records import joined
from webmain.net.connection import MAX_REDIRECTS, REDIRECTS, connection_to, fetch_error
from webmain.net.errors import BadAddress, BadResponse, FetchError, HTTPStatus, TooManyRedirects, UnknownHost
from webmain.urls import join

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from webmain.net.addresses import Guard

_READ_BYTES: Final = 1 << 16
_PASSING: Final = frozenset((408, 425, 429, 500, 502, 503, 504))
"""Statuses after which the same request may succeed later."""

UNKNOWN_HOST_TRIES: Final = 3
"""Failures after which a host is given up whose name has no address, if nothing was received from it before."""

UNKNOWN_HOST_WAIT_S: Final = 5.0
"""Longest wait between them."""


class SourceError(RuntimeError):
    """A file cannot be read further; a type of its own, since readers of records treat other errors as damage."""

    def __init__(self, message: str, *, is_missing: bool = False) -> None:
        super().__init__(message)
        # the host answers that the file does not exist or is not accessible (403, 404, 410)
        self.is_missing = is_missing


class StoppedReading(SourceError):  # noqa: N818 - no error: the end was asked for, or a limit is reached
    """Reading was stopped, or the limit of bytes is reached."""


@dataclass(slots=True, kw_only=True)
class DataHost:
    """How files are requested, and how many bytes have been received."""

    user_agent: str
    guard: Guard
    chunk_bytes: int = 8 << 20  # bytes per request. Two such pieces are kept, to go back after a damaged record.
    tries: int = 8  # failed requests in a row before a file is given up
    # seconds to wait after the first failure, doubled with each; the file is given up if a server asks for longer
    back_off_s: float = 2.0
    longest_wait_s: float = 120.0
    timeout_s: float = 300.0  # seconds for one request including its data
    max_bytes: int | None = None  # bytes after which reading stops
    n_bytes: int = 0
    n_failures: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)
    sock: socket.socket | None = None

    def stop(self) -> None:
        """Stop reading; may be called from any thread."""
        self.stopped.set()
        if self.sock is not None:
            with contextlib.suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)

    def count_bytes(self, n: int) -> None:
        """Count received bytes; raise `StoppedReading` if reading was stopped or the limit is reached."""
        self.n_bytes += n
        if self.stopped.is_set():
            raise StoppedReading("reading was stopped")
        if self.max_bytes is not None and self.n_bytes > self.max_bytes:
            raise StoppedReading(f"{self.max_bytes:,} bytes were read, as many as are allowed")

    def wait(self, n_failed: int, problem: FetchError) -> None:
        """Wait after this many failures in a row; raise `SourceError` if the file is given up."""
        self.n_failures += 1
        wait_s = min(self.longest_wait_s, self.back_off_s * 2 ** min(n_failed - 1, 20)) * random.uniform(0.8, 1.2)  # noqa: S311
        if isinstance(problem, HTTPStatus):
            given = problem.headers.get("retry-after", "").strip()
            wait_s = max(wait_s, float(given[:9]) if given.isascii() and given.isdigit() else 0.0)
        is_over = n_failed >= self.tries
        if isinstance(problem, UnknownHost) and not self.n_bytes:
            wait_s, is_over = min(wait_s, UNKNOWN_HOST_WAIT_S), is_over or self.n_failures >= UNKNOWN_HOST_TRIES
        if is_over or wait_s > 1.2 * self.longest_wait_s:
            raise SourceError(f"given up after {n_failed} failures ({problem.message})") from problem
        if self.stopped.wait(wait_s):
            raise StoppedReading("reading was stopped")


_RANGE: Final = re.compile(r"bytes\s+(\d{1,18})-(\d{1,18})/(\d{1,18}|\*)", re.IGNORECASE)
_NO_RANGE: Final = re.compile(r"bytes\s+\*/(\d{1,18})", re.IGNORECASE)


class RemoteFile(io.RawIOBase):
    """A file at a URL as a seekable binary stream; wrap it in an `io.BufferedReader`.

    At most two pieces are in memory. If a server ignores ranges, the file is read from its beginning up to the wanted
    position; after that it is read once, as long as the position only moves forward.
    """

    def __init__(self, url: str, host: DataHost) -> None:
        self.name = url
        self.size: int | None = None  # its length in bytes, once the server has sent it
        # its ETag, else its modification date; "" if the server sends neither. If it changes while the file is read,
        # `SourceError` is raised.
        self.mark = ""
        self._host = host
        self._at = 0
        self._pieces: deque[tuple[int, bytes]] = deque(maxlen=2)
        self._connection: http.client.HTTPConnection | None = None
        self._answer: http.client.HTTPResponse | None = None
        self._answer_at, self._answer_end = 0, 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the current position."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Set the position and return it."""
        if whence == io.SEEK_END and self.size is None:
            self._piece(0)
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size or 0}[whence]
        self._at = max(0, begin + offset)
        return self._at

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Read some bytes, at least one before the end; raises SourceError if the bytes cannot be fetched."""
        view = memoryview(buffer).cast("B")
        begin, piece = self._piece(self._at)
        at = self._at - begin
        n = min(len(view), len(piece) - at)
        view[:n] = piece[at : at + n]
        self._at += n
        return n

    def has(self, size: int | None, mark: str | None, at: int) -> bool:
        """Return True if size and mark are those of an earlier run; fetches the piece at the position `at`."""
        self._piece(at)
        if (self.size, self.mark) == (size, mark or ""):
            return True
        self.size = None  # the size may come from a 416 answer
        return False

    def close(self) -> None:
        """Close the answer that is being read, and the file."""
        self._shut_down()
        super().close()

    def _piece(self, at: int) -> tuple[int, bytes]:
        """Return the start and the bytes of the piece that contains a position, fetching it if needed; empty at the end."""
        for begin, piece in self._pieces:
            if begin <= at < begin + len(piece):
                return begin, piece
        if self.size is not None and at >= self.size:
            return at, b""
        piece = self._fetched(at)
        if piece:
            self._pieces.append((at, piece))
        return at, piece

    def _fetched(self, begin: int) -> bytes:
        """Fetch one piece from a position; after a failure, resume where it stopped."""
        data = bytearray()
        n_failed = 0
        while len(data) < self._host.chunk_bytes and (self.size is None or begin + len(data) < self.size):
            before = len(data)
            try:
                if not self._receive(begin, data):
                    break
                n_failed = 0
            except (OSError, ValueError, http.client.HTTPException) as error:
                self._shut_down()
                self._host.count_bytes(0)
                problem = fetch_error(error, self.name)
                status = problem.status if isinstance(problem, HTTPStatus) else None
                if isinstance(problem, BadAddress) or (status is not None and status not in _PASSING):
                    raise SourceError(problem.message, is_missing=status in (403, 404, 410)) from error
                n_failed = 1 if len(data) - before >= _READ_BYTES else n_failed + 1
                self._host.wait(n_failed, problem)
        return bytes(data)

    def _receive(self, begin: int, data: bytearray) -> bool:
        """Append the data of one answer to a piece; return False at the end of the file."""
        end = time.monotonic() + self._host.timeout_s
        answer = self._answer
        if answer is None or self._answer_at != begin + len(data):
            self._shut_down()
            answer = self._ask(begin + len(data), begin + self._host.chunk_bytes, end)
            if answer is None:
                return False
        is_over = False
        while not is_over and (room := min(self._host.chunk_bytes - len(data), self._left)) > 0:
            if time.monotonic() > end:
                raise TimeoutError
            got = answer.read1(min(room, _READ_BYTES))
            data += got
            self._answer_at += len(got)
            self._host.count_bytes(len(got))
            is_over = not got
        if is_over or not self._left:
            self._shut_down()
            if self._answer_end and self._answer_at < self._answer_end:
                raise BadResponse(f"cut off at byte {self._answer_at} of {self._answer_end}", self.name)
            if not self._answer_end:
                self.size = self._answer_at  # no length was sent: the answer ends with the file
        return True

    @property
    def _left(self) -> int:
        """Bytes left in the answer according to its length; the size of a piece if it has no length."""
        return self._answer_end - self._answer_at if self._answer_end else self._host.chunk_bytes

    def _ask(self, begin: int, end: int, until: float) -> http.client.HTTPResponse | None:
        """Request a range, skipping to its start if the server sends the whole file; None if the file ends before it."""
        answer, headers = self._follow({"Range": f"bytes={begin}-{end - 1}"}, until)
        mark = headers.get("etag") or headers.get("last-modified") or ""
        size: int | None = None
        if answer.status == 416:
            span = _NO_RANGE.match(headers.get("content-range", ""))
            self.size = int(span[1]) if span else begin
            self._shut_down()
            return None
        if answer.status == 206:
            span = _RANGE.match(headers.get("content-range", ""))
            if span is None or int(span[1]) != begin or not begin <= int(span[2]) < end:
                raise BadResponse("another range than was asked for", self.name)
            size = int(span[3]) if span[3] != "*" else None
            self._answer_at, self._answer_end = begin, int(span[2]) + 1
        elif answer.status == 200:
            size = answer.length
            self._answer_at, self._answer_end = 0, size or 0
        else:
            raise HTTPStatus(answer.status, self.name, headers)
        if (self.mark and mark != self.mark) or (None not in (self.size, size) and size != self.size):
            raise SourceError("it was changed while it was read")
        self.mark, self.size = mark, self.size if size is None else size
        while self._answer_at < begin:
            if time.monotonic() > until + self._host.timeout_s * begin / self._host.chunk_bytes:
                raise TimeoutError
            passed = len(answer.read1(min(begin - self._answer_at, _READ_BYTES)))
            if not passed:
                raise BadResponse("cut off", self.name)
            self._answer_at += passed
            self._host.count_bytes(passed)
        return answer

    def _follow(self, fields: dict[str, str], until: float) -> tuple[http.client.HTTPResponse, Mapping[str, str]]:
        """Request the file, following redirects."""
        url = self.name
        for _ in range(MAX_REDIRECTS + 1):
            parts = urlsplit(url)
            self._host.count_bytes(0)
            self._connection = connection_to(url, guard=self._host.guard, end=until)
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            plain = {"User-Agent": self._host.user_agent, "Accept": "*/*", "Accept-Encoding": "identity"}
            self._connection.request("GET", target, headers={**plain, **fields, "Connection": "close"})
            self._host.sock = self._connection.sock  # the connection drops it once the answer has begun
            answer = self._answer = self._connection.getresponse()
            headers = joined(answer.getheaders())
            if answer.status not in REDIRECTS:
                return answer, headers
            self._shut_down()
            to = join(url, headers.get("location", ""))
            if to is None:
                raise BadAddress("redirected to no web address", url)
            url = to
        raise TooManyRedirects(f"more than {MAX_REDIRECTS} redirects", self.name)

    def _shut_down(self) -> None:
        if self._answer is not None:
            self._answer.close()
            self._answer = None
        if self._connection is not None:
            self._connection.close()
            self._connection = self._host.sock = None
