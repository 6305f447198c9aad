"""Write recordings of crawls as WARC, and look up answers in them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import mmap
import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Self
from urllib.parse import urldefrag, urlsplit, urlunsplit

from webmain.archive.records import RENDERING_TYPE
from webmain.archive.warc import ArchiveError, Capture, member_end, read_captures
from webmain.files import AppendFile, NotAStoreError, StoreError, StoreSpecError
from webmain.urls import without_credentials

_MAGIC = b"\x1f\x8b\x08"
_LINE_BREAKS = re.compile(r"[\r\n\0]+")
_PHRASES = {status.value: status.phrase for status in HTTPStatus}

_SECRET = frozenset(("authorization", "cookie", "proxy-authorization", "set-cookie", "set-cookie2"))
"""Headers with credentials or cookies; they are never recorded."""

Headers = Mapping[str, str] | Iterable[tuple[str, str]]


class WarcWriter:
    """Appends HTTP messages to a `.warc.gz`: one gzip member per record, each written by one `os.write`.

    Credentials in addresses, cookies and authorisation headers are not recorded; query parameters are. After a kill the file
    ends in at most one incomplete member, which readers skip and which is removed when the file is next opened. Only one
    process may write to a file at a time.

    `path`: ends in `.warc.gz`; created with its folders if missing.
    Raises StoreSpecError if the name does not end in `.warc.gz`. Raises NotAStoreError if the file exists and is not a
    gzip file; it was not changed. Raises StoreLockedError, StoreWriteError (as `AppendFile`).
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if not self.path.name.lower().endswith(".warc.gz"):
            raise StoreSpecError(f"warc {path}: the name of a recording ends in .warc.gz")
        self._file = AppendFile(self.path, label=f"warc {path}")
        try:
            self._repair()
            fields = b"software: webmain\r\nformat: WARC File Format 1.1\r\n"
            self._put("warcinfo", fields, {"Content-Type": "application/warc-fields"}, datetime.now(UTC))
        except BaseException:
            self._file.close()
            raise

    def write(
        self,
        url: str,
        status: int,
        headers: Headers,
        body: bytes,
        fetched_at: datetime | None = None,
        *,
        rendering: bytes | None = None,
    ) -> None:
        """Append an answer.

        Raises StoreFullError, StoreWriteError: the file has its previous length.
        `headers`: as received; bodies are stored after transfer decoding, so `Transfer-Encoding` is left out and
        `Content-Length` is corrected. `body`: before content decoding. `fetched_at`: time-zone aware; now by default.
        `rendering`: the browser's rendering (`webmain.items.rendered`), written as a metadata record after this one.
        """
        if self._file.closed:
            raise StoreError(f"{self._file.label} is closed")
        when = fetched_at or datetime.now(UTC)
        target = {"WARC-Target-URI": _one_line(without_credentials(url))}
        head = _http_head(status, headers, len(body))
        digest = {"WARC-Payload-Digest": _digest(body)}
        kind = {"Content-Type": "application/http; msgtype=response"}
        identity, drawn = _identity(), _identity()
        concurrent = {"WARC-Concurrent-To": drawn} if rendering is not None else {}
        self._put("response", head + body, target | kind | digest | concurrent, when, identity)
        if rendering is not None:
            refers = {"WARC-Refers-To": identity, "Content-Type": RENDERING_TYPE}
            self._put("metadata", rendering, target | refers, when, drawn)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _put(self, kind: str, block: bytes, fields: Mapping[str, str], when: datetime, identity: str = "") -> None:
        """Append one record."""
        head = {
            "WARC-Type": kind,
            "WARC-Record-ID": identity or _identity(),
            "WARC-Date": when.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
            "WARC-Block-Digest": _digest(block),
            **fields,
            "Content-Length": str(len(block)),
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        record = f"WARC/1.1\r\n{lines}\r\n".encode("utf-8", "replace") + block + b"\r\n\r\n"
        self._file.append(gzip.compress(record, 6, mtime=0))

    def _repair(self) -> None:
        """Remove an incomplete last member."""
        size = self._file.size()
        if not size:
            return
        with mmap.mmap(self._file.fd, 0, access=mmap.ACCESS_READ) as data:
            if not _MAGIC.startswith(data[:3]):
                raise NotAStoreError(f"{self._file.label}: this file is something else; it was left as it is")
            end = _intact_length(data)
        if end < size:
            self._file.cut(end)


class WarcIndex:
    """Finds the last capture of a URL in WARC files; keeps offsets, not bodies (about 300 bytes per URL).

    `paths`: WARC files; later files and records take precedence.
    Raises ArchiveError if a file cannot be read.
    """

    def __init__(self, paths: Sequence[str | Path]) -> None:
        self.paths = tuple(map(Path, paths))
        self._places: dict[str, tuple[int, int]] = {}
        for n, path in enumerate(self.paths):
            try:
                with path.open("rb") as stream:
                    for offset, capture in read_captures(stream):
                        self._places[replay_key(capture.url)] = n, offset
            except OSError as error:
                raise ArchiveError(f"{path}: {error.strerror}") from error

    def lookup(self, url: str) -> Capture | None:
        """Return the last recorded answer of any type and status, without following redirects; None if there is none.

        Raises ArchiveError if the file was changed or removed since it was indexed.
        """
        place = self._places.get(replay_key(url))
        if place is None:
            return None
        path, offset = self.paths[place[0]], place[1]
        try:
            with path.open("rb") as stream:
                stream.seek(offset)
                found = next((capture for _, capture in read_captures(stream)), None)
        except OSError as error:
            raise ArchiveError(f"{path}: {error.strerror}") from error
        if found is None or replay_key(found.url) != replay_key(url):
            raise ArchiveError(f"{path}: has changed since it was read; no capture of {url} at byte {offset}")
        return found


def replay_key(url: str) -> str:
    """Return a URL in the form for comparison: no fragment, host in lower case, no default port, at least "/" as path."""
    plain = urldefrag(without_credentials(url.strip()))[0]
    try:
        parts = urlsplit(plain)
        host = parts.netloc.lower()
    except ValueError:
        return plain
    for scheme, port in (("http", ":80"), ("https", ":443")):
        if parts.scheme == scheme:
            host = host.removesuffix(port)
    return urlunsplit((parts.scheme, host, parts.path or ("/" if host else ""), parts.query, ""))


def _intact_length(data: mmap.mmap) -> int:
    """Return the end of the last complete gzip member, searching from the end of the file."""
    at = len(data)
    while (at := data.rfind(_MAGIC, 0, at)) >= 0:
        end = member_end(data, at)
        if end is not None:
            return end
    return 0


def _http_head(status: int, headers: Headers, length: int) -> bytes:
    """Return the status line and headers of an answer, cleaned so that nothing in them ends the head early."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    left_out = _SECRET | {"transfer-encoding", "content-length"}
    kept = [(n, v) for name, v in pairs if (n := _one_line(name).replace(":", "").strip()).lower() not in left_out]
    lines = [f"HTTP/1.1 {status} {_PHRASES.get(status, 'Status')}"]
    lines += [f"{name}: {_one_line(without_credentials(value))}" for name, value in kept]
    return "\r\n".join([*lines, f"Content-Length: {length}", "", ""]).encode("utf-8", "replace")


def _identity() -> str:
    return f"<urn:uuid:{uuid.uuid4()}>"


def _one_line(text: str) -> str:
    return _LINE_BREAKS.sub(" ", text).strip()


def _digest(data: bytes) -> str:
    sha1 = hashlib.sha1(data, usedforsecurity=False).digest()
    return "sha1:" + base64.b32encode(sha1).decode()
