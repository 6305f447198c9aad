"""Content codings of HTTP, undone within bounds: a few kilobytes of gzip can hold gigabytes."""

from __future__ import annotations

import zlib
from functools import cache
from importlib import import_module
from typing import Any

from webmain.net.errors import BadResponse, TooLarge

_MAX_CODINGS = 3
_MAX_MEMBERS = 100
_CHUNK_BYTES = 65_536


@cache
def _brotli() -> Any:
    """Return the Brotli library if it is there and can bound its output."""
    try:
        brotli = import_module("brotli")
    except ImportError:
        return None
    return brotli if hasattr(brotli.Decompressor, "can_accept_more_data") else None


def accepted_codings() -> str:
    """Return the value for `Accept-Encoding`: what `decompress` understands here."""
    return "gzip, deflate, br" if _brotli() else "gzip, deflate"


def decompress(body: bytes, codings: str, *, max_bytes: int, url: str) -> bytes:
    """Undo a body's content codings.

    Parameters
    ----------
    codings : str
        The `content-encoding` header, "" for none.
    max_bytes : int
        Upper bound of the result (and of what is held in between).

    Raises
    ------
    TooLarge
        The result is larger.
    BadResponse
        An unknown coding, more than three, or bytes that aren't so coded. A stream that is only cut off gives what it
        has.
    """
    names = [name.strip().lower() for name in codings.split(",") if name.strip()]
    if len(names) > _MAX_CODINGS:
        raise BadResponse(f"{len(names)} content codings", url)
    for name in reversed(names):
        if name in {"gzip", "x-gzip", "deflate"}:
            body = _inflate(body, max_bytes=max_bytes, url=url)
        elif name == "br" and _brotli():
            body = _unbrotli(body, max_bytes=max_bytes, url=url)
        elif name != "identity":
            raise BadResponse(f"unknown content coding {name[:20]!r}", url)
    return body


def _inflate(body: bytes, *, max_bytes: int, url: str) -> bytes:
    """Undo gzip (its first hundred members), zlib, and the bare deflate that some servers send under its name."""
    out = bytearray()
    try:
        for _ in range(_MAX_MEMBERS):
            if not body:
                break
            is_bare = body[:2] != b"\x1f\x8b" and (body[0] & 0x0F != 8 or int.from_bytes(body[:2], "big") % 31 != 0)
            inflater = zlib.decompressobj(-15 if is_bare else 47)
            out += inflater.decompress(body, max_bytes - len(out) + 1)
            if len(out) > max_bytes:
                raise TooLarge(f"more than {max_bytes} bytes after decompression", url)
            body = inflater.unused_data if inflater.unused_data.startswith(b"\x1f\x8b") else b""
    except zlib.error as error:
        if not out:
            raise BadResponse(f"the body is not compressed as its header says ({error})", url) from error
    return bytes(out)


def _unbrotli(body: bytes, *, max_bytes: int, url: str) -> bytes:
    brotli = _brotli()
    decompressor = brotli.Decompressor()
    out = bytearray()
    try:
        out += decompressor.process(body, output_buffer_limit=_CHUNK_BYTES)
        while not decompressor.is_finished() and not decompressor.can_accept_more_data():
            out += decompressor.process(b"", output_buffer_limit=_CHUNK_BYTES)
            if len(out) > max_bytes:
                break
    except brotli.error as error:
        if not out:
            raise BadResponse(f"the body is not compressed as its header says ({error})", url) from error
    if len(out) > max_bytes:
        raise TooLarge(f"more than {max_bytes} bytes after decompression", url)
    return bytes(out)
