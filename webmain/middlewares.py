"""Middlewares of a crawl: failures, decompression, redirects, statuses, conditional requests (RFC 9110, 13)."""

from __future__ import annotations

import logging
import zlib
from typing import TYPE_CHECKING, Final

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.exceptions import DownloadCancelledError, IgnoreRequest, ResponseDataLossError
from scrapy.http import Request, Response
from scrapy.http.cookies import CookieJar
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.httperror import HttpError, HttpErrorMiddleware

from webmain.clock import now_s
from webmain.crawl.failures import (
    LeftAloneError,
    OptedOutError,
    RobotsUnreachableError,
    StoppedError,
    failure_name,
    is_page,
    requested_url,
)
from webmain.crawl.known_urls import CONDITIONAL, KnownUrls
from webmain.crawl.politeness import retry_after_s
from webmain.crawl.recordings import Recorder as Recorder
from webmain.crawl.signals import Component, send_failed, send_rejected
from webmain.discovery.safe_xml import GZIP
from webmain.html.walls import REFUSING
from webmain.items import Reason, Rejected
from webmain.ledger.responses import Filters
from webmain.urls import join, same_site, site_key

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings


logger = logging.getLogger(__name__)

_CONDITIONS: Final = ("If-None-Match", "If-Modified-Since")

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ENDS: Final = (b"</html", b"</rss", b"</feed", b"</urlset", b"</sitemapindex", b"</rdf:rdf")
_END_BYTES: Final = 1_000


class Failures(Component):
    """The outermost middleware: counts and reports failures that no other middleware has handled."""

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report a failed address; the spider's errback is still called."""
        if isinstance(exception, StoppedError | LeftAloneError):
            return
        if request.meta.get("dont_obey_robotstxt") and request.callback is NO_CALLBACK:
            self._crawler.stats.inc_value("webmain/probe_failed")
            if not isinstance(exception, IgnoreRequest):  # else Scrapy would log its traceback
                raise RobotsUnreachableError(failure_name(exception)) from exception
            return
        if not is_page(request):
            self._crawler.stats.inc_value("webmain/probe_failed")
        elif isinstance(exception, DownloadCancelledError | OptedOutError):
            reason = Reason.OPTED_OUT if isinstance(exception, OptedOutError) else Reason.TOO_LARGE
            send_rejected(self._crawler, Rejected(reason, str(exception), url=requested_url(request)))
        else:
            send_failed(self._crawler, requested_url(request), failure_name(exception))


class Decompression(HttpCompressionMiddleware):
    """Scrapy's decompression, also of pages whose gzip is undeclared; a bomb is counted as a page that is too large.

    A body shorter than announced is accepted after the last retry if it ends like a complete one.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._crawler = crawler
        logging.getLogger(HttpCompressionMiddleware.__module__).setLevel(logging.ERROR)  # it is counted here

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Decompress."""
        is_html = b"html" in (response.headers.get("Content-Type") or b"")
        if is_html and "Content-Encoding" not in response.headers and response.body.startswith(GZIP):
            response.headers["Content-Encoding"] = "gzip"
        try:
            result = super().process_response(request, response)
        except IgnoreRequest as error:
            if is_page(request):
                rejected = Rejected(Reason.TOO_LARGE, str(error), url=requested_url(request))
                send_rejected(self._crawler, rejected)
            raise
        except (OSError, EOFError, ValueError, zlib.error) as error:  # its Content-Encoding is wrong
            if is_page(request):
                send_failed(self._crawler, requested_url(request), "decompression")
            raise IgnoreRequest(f"{request.url} cannot be decompressed: {error}") from error
        if isinstance(result, Response) and "dataloss" in result.flags:
            self._check_end(request, result.body)
        return result

    def _check_end(self, request: Request, body: bytes) -> None:
        """Raise ResponseDataLossError for a body shorter than announced, unless its end shows that it is complete."""
        if not any(end in body[-_END_BYTES:].lower() for end in _ENDS):
            if is_page(request):
                send_failed(self._crawler, requested_url(request), "data_loss")
            raise ResponseDataLossError(f"{request.url} is cut after {len(body):,} bytes")
        self._crawler.stats.inc_value("webmain/wrong_length")
        logger.info("%s is shorter than announced, but complete; it is accepted", request.url)


class Redirects(RedirectMiddleware):
    """Scrapy's redirects; loops are reported as soon as they repeat, and redirects to other sites are counted.

    Cookies are only used for sites that redirect in a circle until their own cookie comes back.
    """

    def __init__(self, settings: BaseSettings) -> None:
        super().__init__(settings)
        self._jars: dict[str, CookieJar] = {}

    def process_request(self, request: Request) -> None:
        """Add the cookies of a site that needs them."""
        if (jar := self._jars.get(site_key(request.url))) is not None:
            request.headers.pop("Cookie", None)
            jar.add_cookie_header(request)

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Follow a redirect, unless it leads back to an earlier address or is invalid."""
        location = response.headers.get("Location")
        jar = self._jars.get(site_key(request.url))
        if jar is None and response.status in _REDIRECTS and "Set-Cookie" in response.headers:
            jar = request.meta.setdefault("redirect_cookies", CookieJar())
        if jar is not None:
            jar.extract_cookies(response, request)
        try:
            if response.status in _REDIRECTS and location is not None and join(request.url, _text(location)) is None:
                raise ValueError("no web address")
            result = super().process_response(request, response)
        except ValueError as error:
            self._count(request, "bad_redirect")
            raise IgnoreRequest(f"{request.url} redirects to {(location or b'')[:100]!r}: {error}") from error
        except IgnoreRequest:
            self._count(request, "redirect_limit")
            raise
        if not isinstance(result, Request):
            return result
        if result.url == request.url or result.url in request.meta.get("redirect_urls", ()):
            if (again := self._with_cookies(request)) is not None:
                return again
            self._count(request, "redirect_self" if result.url == request.url else "redirect_loop")
            raise IgnoreRequest(f"{request.url} redirects in a circle")
        if not same_site(request.url, result.url):
            self.crawler.stats.inc_value("webmain/redirects/cross_site")
        return result

    def _with_cookies(self, request: Request) -> Request | None:
        """Return the first request of a circle, to be sent with the circle's cookies; None if there are none or it was."""
        jar: CookieJar | None = request.meta.get("redirect_cookies")
        if jar is None or request.meta.get("with_cookies"):
            return None
        self._jars.setdefault(site_key(request.url), jar)
        self.crawler.stats.inc_value("webmain/redirects/with_cookies")
        meta = {name: value for name, value in request.meta.items() if not name.startswith("redirect_")}
        return request.replace(url=requested_url(request), meta={**meta, "with_cookies": True}, dont_filter=True)

    def _count(self, request: Request, kind: str) -> None:
        if is_page(request):
            send_failed(self.crawler, requested_url(request), kind)
        else:
            self.crawler.stats.inc_value("webmain/probe_failed")


def _text(header: bytes) -> str:
    """Decode an address in a header; an empty one becomes an invalid address."""
    return header.decode("utf-8", "replace").strip() or "://"


class Statuses(HttpErrorMiddleware):
    """Scrapy's filter of statuses; responses that it keeps from the spider are counted as blocked or as HTTP errors.

    Walls (`webmain.crawl.refusals.Refusals`) are handled in the same way, whatever their status.
    """

    def process_spider_input(self, response: Response, spider: Spider | None = None) -> None:
        """Reject unsuccessful responses, unless the request or the spider accepts their status."""
        wall = response.meta.get("wall") if response.request is not None else None
        try:
            super().process_spider_input(response)
            if wall is None:
                return
        except HttpError:  # Scrapy's does not name the status
            pass
        status, request = response.status, response.request
        error = HttpError(response, f"a wall: {wall}" if wall else f"status {status}")
        if request is None or not is_page(request):
            self.crawler.stats.inc_value("webmain/probe_failed")
            raise error
        is_refused = status in REFUSING or wall is not None
        detail = f"status {status}, {wall}" if wall else f"status {status}"
        if is_refused:
            is_plain = wall is None or (status in REFUSING and str(wall) == "denied")
            self.crawler.stats.inc_value(f"webmain/blocked/{status if is_plain else wall}")
        wait = retry_after_s(response.headers.get(b"Retry-After"), now=now_s())
        rejected = Rejected(Reason.BLOCKED if is_refused else Reason.HTTP_ERROR, detail, url=requested_url(request))
        send_rejected(self.crawler, rejected, retry_after_s=wait)
        raise error


class Conditional(Component):
    """Adds validators to requests whose meta has `again`, and passes 304 to their callbacks.

    Placed between redirects and the network, so that validators always belong to the requested address. An unexpected 304 is
    requested once more, bypassing all caches.
    """

    def process_request(self, request: Request) -> None:
        """Add the conditions for this address, and remove those of an address that redirected here."""
        filters = request.meta.get(CONDITIONAL)
        if not isinstance(filters, Filters):
            return
        for name in _CONDITIONS:
            request.headers.pop(name, None)
        request.meta.pop("handle_httpstatus_list", None)
        known = self._crawler.get_extension(KnownUrls)
        saved = known.saved_response(request.url, filters) if known is not None else None
        if known is None or saved is None or not known.has_validators(saved):
            return
        for name, value in zip(_CONDITIONS, (saved.etag, saved.last_modified), strict=True):
            if value:
                request.headers[name] = value.encode("latin-1")
        request.meta["handle_httpstatus_list"] = [304]
        self._crawler.stats.inc_value("webmain/conditional")

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Repeat the request if it gave a 304 without having conditions."""
        is_conditional = any(name in request.headers for name in _CONDITIONS)
        if response.status != 304 or is_conditional or request.meta.get("asked_past_caches"):
            return response
        logger.info("%s says that it has not changed, and was not asked; it is asked again", request.url)
        self._crawler.stats.inc_value("webmain/not_modified_unasked")
        again = request.replace(dont_filter=True, meta={**request.meta, "asked_past_caches": True, CONDITIONAL: None})
        again.headers["Cache-Control"] = "no-cache"
        return again
