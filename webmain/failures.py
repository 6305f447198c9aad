"""Why a request got no answer, and the word under which that is counted.

A request whose `meta["probe"]` is true looks for something that need not be there (a sitemap or feed at a usual place,
robots.txt): its failure is counted as `webmain/probe_failed` and is no page's rejection.
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

FAILURE_HEADER = "X-Webmain-Failure"
"""In a recording: the answer was none, but this exception."""


class RefusedAddressError(IgnoreRequest):
    """The address is a private one, or not one of a web site (`webmain.handlers.Guarded`)."""


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
_NAMES = {
    CannotResolveHostError: "dns",
    DownloadConnectionRefusedError: "refused",
    DownloadTimeoutError: "timeout",
    DownloadFailedError: "connection",
    ResponseDataLossError: "data_loss",
}


class RobotsForbiddenError(IgnoreRequest):
    """robots.txt does not allow the address."""


class RobotsUnreachableError(IgnoreRequest):
    """robots.txt answers 5xx or 429, or not at all: nobody knows what is allowed."""


class LeftAloneError(IgnoreRequest):
    """The host refuses and is left alone for a while; the address stays pending."""


class OptedOutError(IgnoreRequest):
    """The site has opted out of what the page is wanted for, and the crawl respects that."""


class StoppedError(IgnoreRequest):
    """The crawl is being closed; the address stays pending."""


def is_page(request: Request) -> bool:
    """Return True if a request's failure is a page's failure: not that of robots.txt, nor of a guess."""
    return request.callback is not NO_CALLBACK and not request.meta.get("probe")


def asked_url(request: Request) -> str:
    """Return the address that was asked for at first, before redirects."""
    earlier = request.meta.get("redirect_urls")
    return str(earlier[0]) if earlier else request.url


def failure_name(exception: Exception) -> str:
    """Return the word under which a failure is counted."""
    if isinstance(exception, RobotsForbiddenError):
        return "robots"
    if isinstance(exception, RobotsUnreachableError):
        return "robots_unreachable"
    if isinstance(exception, RefusedAddressError):
        return "refused_address"
    if isinstance(exception, IgnoreRequest):
        return "ignored"
    return next((name for kind, name in _NAMES.items() if isinstance(exception, kind)), "other")
