"""Answers of the network as pages, and where else a front page may answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError, ResponseDataLossError
from scrapy.spidermiddlewares.httperror import HttpError

from webmain.failures import RobotsUnreachableError
from webmain.items import Hints, Page
from webmain.urls import normalise

if TYPE_CHECKING:
    from scrapy.http import Response


def page_of(response: Response, *, hints: Hints | None = None) -> Page:
    """Return a response as a page; its address normalised, its headers' names in lower case.

    The time is that of the recording where one answered (`meta["fetched_at"]`).
    """
    headers = {
        name.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
        for name, values in response.headers.items()
    }
    recorded = response.request.meta.get("fetched_at") if response.request is not None else None
    return Page(
        url=normalise(response.url) or response.url,
        body=response.body,
        fetched_at=recorded or datetime.now(UTC).replace(microsecond=0),
        status=response.status,
        headers=headers,
        hints=hints,
    )


def is_answer(error: BaseException | None) -> bool:
    """Tell whether a server answered, though not with a page."""
    return isinstance(error, HttpError)


def other_fronts(start: str) -> Iterator[str]:
    """Yield the addresses a front page may have where it does not answer at the one that was given."""
    parts = urlsplit(start)
    if parts.path not in ("", "/"):
        return
    names = [parts.netloc]
    if "." in parts.netloc and not parts.netloc.rpartition(".")[2].partition(":")[0].isdigit():
        names.append(parts.netloc.removeprefix("www.") if parts.netloc.startswith("www.") else "www." + parts.netloc)
    for scheme in dict.fromkeys((parts.scheme, "http")):
        for name in names:
            yield f"{scheme}://{name}/"


def is_passing(error: BaseException | None) -> bool:
    """Tell whether a failure may well be over at the next run, so that no person need look at it."""
    if isinstance(error, HttpError):
        return error.response.status == 429 or error.response.status >= 500
    if isinstance(error, RobotsUnreachableError):
        return not str(error).endswith("(dns)")  # a host that is not there may be misspelt
    return isinstance(error, (DownloadTimeoutError, DownloadFailedError, ResponseDataLossError))
