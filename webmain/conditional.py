"""Conditional requests: ask only whether a known address has changed (RFC 9110, 13)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, Self

from webmain.known_urls import KnownUrls
from webmain.ledger.answers import Filters

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response

logger = logging.getLogger(__name__)

AGAIN: Final = "again"
"""Key in a request's meta that allows conditions; its value is the run's `Filters`."""

_CONDITIONS: Final = ("If-None-Match", "If-Modified-Since")


class Conditional:
    """Adds validators to requests whose meta has `again`, and passes 304 to their callbacks.

    Placed between redirects and the network, so that validators always belong to the requested address. An unexpected 304 is
    requested once more, bypassing all caches.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the middleware."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Add the conditions for this address, and remove those of an address that redirected here."""
        filters = request.meta.get(AGAIN)
        if not isinstance(filters, Filters):
            return
        for name in _CONDITIONS:
            request.headers.pop(name, None)
        request.meta.pop("handle_httpstatus_list", None)
        known = self._crawler.get_extension(KnownUrls)
        answer = known.again(request.url, filters) if known is not None else None
        if known is None or answer is None or not known.has_validators(answer):
            return
        for name, value in zip(_CONDITIONS, (answer.etag, answer.last_modified), strict=True):
            if value:
                request.headers[name] = value.encode("latin-1")
        request.meta["handle_httpstatus_list"] = [304]
        self._crawler.stats.inc_value("webmain/conditional")

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Repeat the request if it gave a 304 without having conditions."""
        is_asked = any(name in request.headers for name in _CONDITIONS)
        if response.status != 304 or is_asked or request.meta.get("asked_past_caches"):
            return response
        logger.info("%s says that it has not changed, and was not asked; it is asked again", request.url)
        self._crawler.stats.inc_value("webmain/not_modified_unasked")
        again = request.replace(dont_filter=True, meta={**request.meta, "asked_past_caches": True, AGAIN: None})
        again.headers["Cache-Control"] = "no-cache"
        return again
