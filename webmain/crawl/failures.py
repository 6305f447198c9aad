"""Exceptions for requests without an answer, and the names under which they are counted.

A request whose `meta["probe"]` is true is for something that may be missing (a guessed sitemap or feed, robots.txt): its
failure is counted as `webmain/probe_failed` and not as a rejected page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http.request import NO_CALLBACK

if TYPE_CHECKING:
    from scrapy.http import Request

FAILURE_HEADER = "X-Webmain-Failure"  # header in a recording with the exception that occurred instead of an answer


class RefusedAddressError(IgnoreRequest):
    """The address is private, or not that of a web site (`webmain.crawl.handlers.Guarded`)."""


FAILURE_STATUS = 599
FAILURES: Mapping[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (
        CannotResolveHostError,
        DownloadConnectionRefusedError,
        DownloadTimeoutError,
        DownloadFailedError,
        DownloadCancelledError,
        ResponseDataLossError,
        RefusedAddressError,
    )
}


class RobotsForbiddenError(IgnoreRequest):
    """robots.txt does not allow the address."""


class RobotsUnreachableError(IgnoreRequest):
    """robots.txt answers 5xx or 429, or not at all, so it is unknown what is allowed.

    `unresolved`: the host has no address, so that its name may be misspelt.
    `unconnected`: it refuses or ends connections; another scheme may work.
    """

    def __init__(self, message: str = "", *, unresolved: bool = False, unconnected: bool = False) -> None:
        super().__init__(message)
        self.unresolved = unresolved
        self.unconnected = unconnected


class LeftAloneError(IgnoreRequest):
    """The host refuses and is left alone for a while; the address stays pending."""


class OptedOutError(IgnoreRequest):
    """The site has opted out of the intended use of the page, and the crawl obeys that."""


class StoppedError(IgnoreRequest):
    """The crawl is being closed; the address stays pending."""


_NAMES = {
    CannotResolveHostError: "dns",
    DownloadConnectionRefusedError: "refused",
    DownloadTimeoutError: "timeout",
    DownloadFailedError: "connection",
    ResponseDataLossError: "data_loss",
    RobotsForbiddenError: "robots",
    RobotsUnreachableError: "robots_unreachable",
    RefusedAddressError: "refused_address",
    IgnoreRequest: "ignored",  # the others of these
}


def is_page(request: Request) -> bool:
    """Return True if a request is for a page, not for robots.txt or a guessed source."""
    return request.callback is not NO_CALLBACK and not request.meta.get("probe")


def requested_url(request: Request) -> str:
    """Return the address that was requested first, before redirects."""
    earlier = request.meta.get("redirect_urls")
    return str(earlier[0]) if earlier else request.url


def failure_name(exception: Exception) -> str:
    """Return the name under which a failure is counted."""
    return next((name for kind, name in _NAMES.items() if isinstance(exception, kind)), "other")
