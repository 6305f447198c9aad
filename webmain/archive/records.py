"""Read a WARC record as an HTTP answer."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from webmain.archive.decoding import decode_body
from webmain.items.rendered import MAX_BYTES as MAX_RENDERING_BYTES

if TYPE_CHECKING:
    from fastwarc.warc import WarcRecord

_STATUS_LINE = re.compile(rb"HTTP/[0-9](?:\.[0-9])?[ \t]+([1-5][0-9]{2})(?![0-9])")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_MAX_HEAD = 1 << 16

RENDERING_TYPE = "application/vnd.webmain.rendering+json"
"""Content type of the metadata record with a page's rendering."""


class Skip(StrEnum):
    """Why a record or file gave no page."""

    NOT_RESPONSE = "not_response"  # warcinfo, request, metadata, conversion ...
    REVISIT = "revisit"  # only says that the page is unchanged
    NOT_HTTP = "not_http"  # DNS answers and the like, or a head that is no HTTP
    STATUS = "status"  # any status but 200
    NOT_HTML = "not_html"
    TOO_LARGE = "too_large"
    DAMAGED = "damaged"  # a broken or truncated record or archive
    UNREADABLE = "unreadable"  # the file or folder cannot be opened
    OTHER_FILE = "other_file"  # a file in a folder without the name of a page or archive


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """An archived HTTP answer of any kind and status, with what a replay needs."""

    url: str  # `WARC-Target-URI`
    status: int
    headers: tuple[tuple[str, str], ...]  # as recorded, in order, with names unchanged
    body: bytes  # after transfer decoding, before content decoding: `Content-Encoding` still applies
    fetched_at: datetime | None  # `WARC-Date`, in UTC
    # `WARC-Record-ID`, and `WARC-Concurrent-To`: another record of the same capture
    identity: str = ""
    concurrent: str = ""
    rendering: bytes | None = None  # the browser's rendering (`webmain.items.rendered`), if the next record has it


def read_rendering(record: WarcRecord, capture: Capture) -> bytes | None:
    """Return the rendering of a capture if a record contains it; None if it has other content or is broken."""
    headers = record.headers
    if headers.get("WARC-Record-ID") != capture.concurrent or headers.get("WARC-Refers-To") != capture.identity:
        return None
    if headers.get("Content-Type") != RENDERING_TYPE or record.content_length > MAX_RENDERING_BYTES:
        return None
    block = record.reader.read(record.content_length)
    is_whole = len(block) == record.content_length and not _is_broken(block, headers.get("WARC-Block-Digest") or "")
    return block if is_whole else None


def read_answer(record: WarcRecord, url: str | None, max_bytes: int) -> Capture | Skip:
    """Return a record as an HTTP answer, or why it is none; a `resource` record counts as status 200.

    Raises ValueError: the record is damaged so that it is uncertain where it ends.
    """
    from fastwarc.warc import WarcRecordType

    if record.headers.get("Content-Length") is None:
        raise ValueError("a truncated head")
    if record.record_type == WarcRecordType.revisit:
        return Skip.REVISIT
    if record.record_type not in (WarcRecordType.response, WarcRecordType.resource):
        return Skip.NOT_RESPONSE
    if record.content_length > max_bytes + _MAX_HEAD:
        return Skip.TOO_LARGE
    is_response = record.record_type == WarcRecordType.response
    if url is None or (is_response and not record.is_http):
        return Skip.NOT_HTTP
    declared = record.content_length
    body = record.reader.read(declared)
    is_broken = _is_broken(body, record.headers.get("WARC-Block-Digest") or "")
    if len(body) < declared or (is_broken and _SWALLOWED.search(body)):
        raise ValueError("a wrong length")
    if is_broken:
        return Skip.DAMAGED
    status = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", record.headers.get("Content-Type") or ""),)
    if is_response:
        message = _message(body)
        if message is None:
            return Skip.NOT_HTTP
        status, headers, body = message
    if len(body) > max_bytes:
        return Skip.TOO_LARGE
    named = joined(headers)
    is_told = record.headers.get("WARC-Truncated") is not None  # the archiver left out the rest
    if is_response and status == 200 and not is_told and _is_cut(body, named):
        return Skip.DAMAGED
    body = decode_body(body, transfer=named.get("transfer-encoding", ""), max_bytes=max_bytes)
    return Capture(
        url=url,
        status=status,
        headers=headers,
        body=body,
        fetched_at=date_of(record),
        identity=record.headers.get("WARC-Record-ID") or "",
        concurrent=record.headers.get("WARC-Concurrent-To") or "",
    )


_SWALLOWED = re.compile(rb"\r\n\r\nWARC/\d\.\d\r\nWARC-")


def _is_broken(block: bytes, digest: str) -> bool:
    """Return True if a record's content fails its digest or, without a digest, contains the next record."""
    algorithm, _, value = digest.strip().partition(":")
    if algorithm.lower() == "sha1" and value:
        sha1 = hashlib.sha1(block, usedforsecurity=False)
        return value.upper() not in (base64.b32encode(sha1.digest()).decode(), sha1.hexdigest().upper())
    return _SWALLOWED.search(block) is not None


def _is_cut(body: bytes, headers: Mapping[str, str]) -> bool:
    """Return True if a body is shorter than its `Content-Length`; a body stored decoded cannot be checked."""
    declared = headers.get("content-length", "")
    if "transfer-encoding" in headers or not (declared.isascii() and declared.isdigit()):
        return False
    if headers.get("content-encoding", "identity").strip().lower() != "identity" and not body.startswith(b"\x1f\x8b"):
        return False
    return len(body) < int(declared[:18])


def _message(block: bytes) -> tuple[int, tuple[tuple[str, str], ...], bytes] | None:
    """Split an HTTP answer into status, headers and body; None if it is not one."""
    end = _HEAD_END.search(block, 0, _MAX_HEAD)
    start = _STATUS_LINE.match(block)
    if start is None:
        return None
    head, body = (block[: end.start()], block[end.end() :]) if end else (block[:_MAX_HEAD], b"")
    headers: list[tuple[str, str]] = []
    for line in head.split(b"\n")[1:]:
        name, colon, value = _header_text(line).partition(":")
        if line[:1] in (b" ", b"\t") and headers:  # a folded header
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {_header_text(line).strip()}")
        elif colon:
            headers.append((name.strip(), value.strip()))
    return int(start[1]), tuple(headers), body


def _header_text(line: bytes) -> str:
    """Decode a header as UTF-8, which servers send, else as Latin-1, as in the standard."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("latin-1")


def target_of(record: WarcRecord) -> str | None:
    """Return the record's URL, without the angle brackets that an old tool wrote around it."""
    url = (record.headers.get("WARC-Target-URI") or "").strip()
    if url.startswith("<") and url.endswith(">"):
        url = url[1:-1]
    return url or None


def date_of(record: WarcRecord) -> datetime | None:
    """Return `WARC-Date` in UTC; None if it is missing or invalid."""
    text = (record.headers.get("WARC-Date") or "").strip()
    try:
        date = datetime.fromisoformat(text)
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def joined(headers: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Return headers by name in lower case, repeated ones joined by commas."""
    result: dict[str, str] = {}
    for name, value in headers:
        key = name.strip().lower()
        result[key] = f"{result[key]}, {value.strip()}" if key in result else value.strip()
    return result
