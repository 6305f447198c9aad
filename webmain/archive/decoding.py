"""Decode the body of an HTTP message, archived or just fetched, as a browser would, in bounded space.

Archives often contradict their own headers: many tools store the decoded body but keep the server's `Content-Encoding` or
`Transfer-Encoding`. A body that is clearly not in the declared encoding is therefore returned unchanged.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Callable
from typing import Final

MAX_BYTES = 32 << 20  # largest body, before and after decoding

_LAYERS = 3
_PIECE_BYTES = 1 << 16
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;[^\r\n]{0,1000})?\r?\n")


class TooLargeError(ValueError):
    """A body is longer than allowed."""


def decode_body(body: bytes, *, transfer: str = "", content: str = "", max_bytes: int = MAX_BYTES) -> bytes:
    """Return a body with the transfer encoding undone, then the content encodings.

    Raises TooLargeError if the result would be larger; at no time is more than `max_bytes` kept.
    `transfer`, `content`: the headers `Transfer-Encoding` and `Content-Encoding`; unknown names are ignored.
    """
    if "chunked" in transfer.lower():
        body = dechunk(body)
    for name in [n.strip().lower() for n in content.split(",")][: -_LAYERS - 1 : -1]:
        decode = _DECODERS.get(name)
        if decode is not None:
            body = decode(body, max_bytes)
    if len(body) > max_bytes:
        raise TooLargeError(f"longer than {max_bytes} bytes")
    return body


def dechunk(body: bytes) -> bytes:
    """Return the joined chunks of a body; a truncated one as far as it goes, one that is not chunked unchanged."""
    parts: list[bytes] = []
    at = 0
    while match := _CHUNK_SIZE.match(body, at):
        size = int(match[1], 16)
        at = match.end() + size
        parts.append(body[match.end() : at])
        if size == 0 or at >= len(body):
            return b"".join(parts)
        if body[at : at + 2] == b"\r\n":
            at += 2
        elif body[at : at + 1] == b"\n":
            at += 1
        else:
            break
    return b"".join(parts) if len(parts) > 1 else body


def _read(read: Callable[[int], bytes], body: bytes, max_bytes: int) -> bytes:
    """Return a decoded stream of at most `max_bytes`; after damage, the data before it, or the body unchanged."""
    whole = bytearray()
    try:
        while piece := read(_PIECE_BYTES):
            whole += piece
            if len(whole) > max_bytes:
                raise TooLargeError(f"unpacks to more than {max_bytes} bytes")
    except (OSError, EOFError, zlib.error):
        return bytes(whole) or body
    return bytes(whole)


def _gunzip(body: bytes, max_bytes: int) -> bytes:
    """Decompress gzip, also with several members."""
    return (
        _read(gzip.GzipFile(fileobj=io.BytesIO(body)).read1, body, max_bytes) if body.startswith(b"\x1f\x8b") else body
    )


def _inflate(body: bytes, max_bytes: int) -> bytes:
    """Decompress deflate, with the zlib header or, as some servers send it, without."""
    for bits in (15, -15):
        decoder = zlib.decompressobj(bits)
        try:
            whole = decoder.decompress(body, max_bytes + 1)
        except zlib.error:
            continue
        if len(whole) > max_bytes:
            raise TooLargeError(f"unpacks to more than {max_bytes} bytes")
        return whole
    return body


def _by_fastwarc(name: str) -> Callable[[bytes, int], bytes]:
    """Return a decoder that uses one of FastWARC's streams."""

    def decode(body: bytes, max_bytes: int) -> bytes:
        from fastwarc import stream_io

        return _read(getattr(stream_io, name)(io.BytesIO(body)).read, body, max_bytes)

    return decode


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
    "br": _by_fastwarc("BrotliReader"),
    "zstd": _by_fastwarc("ZstdReader"),
}

ACCEPTED: Final = "gzip, deflate, br, zstd"
"""Value for `Accept-Encoding`: the content codings that can be decoded here."""
