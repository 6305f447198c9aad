"""Answers and failures of the network, in the library's own words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Final

from scrapy.exceptions import DownloadCancelledError, DownloadTimeoutError, IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

from webmain.items import Hints, Page, Reason
from webmain.page.urls import normalise

if TYPE_CHECKING:
    from scrapy.http import Response

BLOCKED_STATUSES: Final = frozenset({401, 402, 403, 407, 429, 451})
"""An access wall, or a server that has had enough of us."""

GONE_STATUSES: Final = frozenset({400, 404, 405, 406, 410, 414})
"""Asking again will not help."""

MAX_RETRY_AFTER_S: Final = 7 * 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setback:
    """Why a page could not be fetched.

    Attributes
    ----------
    reason : Reason or None
        The rejection; None where no answer of a server stands behind it.
    name : str
        What it is counted by where there is no reason: "robots", "redirects", or the exception's name.
    detail : str
        For people.
    is_final : bool
        Asking again in a later run will not help.
    retry_after_s : float or None
        What the server asks for.
    """

    reason: Reason | None
    name: str
    detail: str
    is_final: bool = False
    retry_after_s: float | None = None


def page_of(response: Response, *, hints: Hints | None = None) -> Page:
    """Return a response as a page; its address normalised, its headers' names in lower case."""
    headers = {
        name.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
        for name, values in response.headers.items()
    }
    return Page(
        url=normalise(response.url) or response.url,
        body=response.body,
        fetched_at=datetime.now(UTC),
        status=response.status,
        headers=headers,
        hints=hints,
    )


def setback_of(error: BaseException | None) -> Setback:
    """Say in the library's words why a request failed."""
    if isinstance(error, HttpError):
        return _of_status(error.response)
    message = " ".join(str(error).split())[:300]
    lower = message.lower()
    if isinstance(error, IgnoreRequest):
        if "robots.txt" in lower:
            return Setback(reason=None, name="robots", detail=message)
        if "redirect" in lower:
            return Setback(reason=None, name="redirects", detail=message, is_final=True)
    if isinstance(error, (IgnoreRequest, DownloadCancelledError)) and ("maxsize" in lower or "max size" in lower):
        return Setback(reason=Reason.TOO_LARGE, name="too_large", detail=message, is_final=True)
    if isinstance(error, DownloadTimeoutError):
        return Setback(reason=None, name="timeout", detail=message)
    return Setback(reason=None, name=type(error).__name__, detail=message)


def _of_status(response: Response) -> Setback:
    status = response.status
    reason = Reason.BLOCKED if status in BLOCKED_STATUSES else Reason.HTTP_ERROR
    return Setback(
        reason=reason,
        name=reason.value,
        detail=f"status {status}",
        is_final=status in GONE_STATUSES,
        retry_after_s=_retry_after(response),
    )


def _retry_after(response: Response) -> float | None:
    """Read `Retry-After`: seconds or a date; None where it is neither."""
    raw = (response.headers.get("Retry-After") or b"").decode("latin-1").strip()
    if raw.isascii() and raw.isdigit() and len(raw) < 10:
        return min(float(raw), MAX_RETRY_AFTER_S)
    try:
        until = parsedate_to_datetime(raw)
    except (ValueError, TypeError, IndexError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return min(max(0.0, (until - datetime.now(UTC)).total_seconds()), MAX_RETRY_AFTER_S)
