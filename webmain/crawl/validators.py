"""Validators of responses, and hashes of bodies, to detect changes."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from webmain.clock import now_s

if TYPE_CHECKING:
    from scrapy.http import Response

_MAX_CHARS: Final = 1024
_EARLIEST_S: Final = 631_152_000.0  # 1990
_FUTURE_S: Final = 24 * 3600.0


def validators(response: Response) -> tuple[str | None, str | None]:
    """Return the ETag and Last-Modified of a response for conditional requests; None for those that are of no use.

    Both are None if the response varies with everything. Empty tags and implausible dates come from servers that send the
    same value with every page.
    """
    if b"*" in b",".join(response.headers.getlist("Vary")):
        return None, None
    etag = _plain(response.headers.get("ETag"))
    if etag is not None and etag.removeprefix("W/").strip('"') in ("", "*"):
        etag = None
    modified = _plain(response.headers.get("Last-Modified"))
    try:
        date_s = parsedate_to_datetime(modified).timestamp() if modified else 0.0
    except (ValueError, TypeError, IndexError, OverflowError):
        date_s = 0.0
    return etag, modified if _EARLIEST_S <= date_s <= now_s() + _FUTURE_S else None


def _plain(header: bytes | None) -> str | None:
    """Return a header in the form in which it can be sent back; None if it cannot."""
    text = (header or b"").decode("latin-1").strip()
    return text if 0 < len(text) <= _MAX_CHARS and text.isprintable() else None


def hash_of(body: bytes) -> str:
    """Return a body's hash."""
    return blake2b(body, digest_size=16).hexdigest()
