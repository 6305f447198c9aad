"""Middlewares of a crawl: robots.txt, Crawl-delay, Retry-After, redirects, statuses, failures, recordings."""

from __future__ import annotations

import logging
import time
import zlib
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import (
    DownloadCancelledError,
    IgnoreRequest,
    NotConfigured,
)
from scrapy.http import Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.httperror import HttpError, HttpErrorMiddleware
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred

from webmain.discovery.places import sitemaps_from_robots
from webmain.failures import (
    RefusedAddressError,
    RobotsForbiddenError,
    RobotsUnreachableError,
    StoppedError,
    asked_url,
    failure_name,
    is_page,
)
from webmain.items import Reason, Rejected
from webmain.options import own, site_rules
from webmain.recordings import Recorder as Recorder
from webmain.signals import connect, tell_failed, tell_rejected
from webmain.urls import join, same_site

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.robotstxt import RobotParser

    from webmain.sites.rules import Sites

logger = logging.getLogger(__name__)

MAX_ROBOTS_BYTES = 500 * 1024
"""What is read of a robots.txt (RFC 9309 asks for at least this)."""

_BLOCKED = frozenset({401, 403, 407, 429, 451, 503})
_WAITING = frozenset({429, 503})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


def retry_after_s(value: bytes | str | None, *, now: float) -> float | None:
    """Read a Retry-After header: seconds, or an HTTP date.

    Parameters
    ----------
    value : bytes, str or None
    now : float
        Seconds since 1970.

    Returns
    -------
    float or None
        Seconds from now, not negative; None where there is no header, or nobody can read it.
    """
    text = (value.decode("latin-1") if isinstance(value, bytes) else value or "").strip()
    if not text or len(text) > 100:
        return None
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


class Failures:
    """Outermost: counts and tells what no other middleware could mend."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware."""
        return cls(crawler)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Tell a failed address; the spider's errback still gets it."""
        if isinstance(exception, StoppedError):
            return
        if request.meta.get("dont_obey_robotstxt") and request.callback is NO_CALLBACK:
            self._crawler.stats.inc_value("webmain/probe_failed")
            if not isinstance(exception, IgnoreRequest):  # Scrapy would log its traceback
                raise RobotsUnreachableError(failure_name(exception)) from exception
            return
        if not is_page(request):
            self._crawler.stats.inc_value("webmain/probe_failed")
        elif isinstance(exception, DownloadCancelledError):
            rejected = Rejected(Reason.TOO_LARGE, str(exception), url=asked_url(request))
            tell_rejected(self._crawler, rejected)
        else:
            tell_failed(self._crawler, asked_url(request), failure_name(exception))


class Robots(RobotsTxtMiddleware):
    """Scrapy's robots.txt middleware, with RFC 9309's meaning of statuses, and Crawl-delay.

    4xx: everything is allowed. 429, 5xx or no answer: nothing is (WEBMAIN_ROBOTS_UNREACHABLE), until it is asked for again
    after WEBMAIN_ROBOTS_RETRY_S. A Crawl-delay becomes the delay of the site's slot, without jitter and one request at
    a time, and AutoThrottle may only lengthen it.

    Attributes
    ----------
    sitemaps : dict
        What each robots.txt that was read names, by host and port.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = own(crawler.settings)
        self._denies = denies_unreachable(settings.get("WEBMAIN_ROBOTS_UNREACHABLE"))
        self._retry_s = settings.getfloat("WEBMAIN_ROBOTS_RETRY_S")
        self._max_delay = settings.getfloat("WEBMAIN_MAX_CRAWL_DELAY")
        self._unreachable: dict[str, float] = {}
        self._why: dict[str, str] = {}
        self._refused: dict[str, str] = {}
        self._delays = Delays(crawler)
        self.sitemaps: dict[str, tuple[str, ...]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware; it receives each parsed robots.txt."""
        middleware = cls(crawler)
        connect(crawler, middleware, "robots_parsed")
        return middleware

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the site's rules; raise where they cannot be had."""
        netloc = urlparse_cached(request).netloc
        if netloc in self._unreachable and time.monotonic() >= self._unreachable[netloc]:
            del self._unreachable[netloc]
            self._parsers.pop(netloc, None)
        await super().robot_parser(request)
        if netloc in self._refused:
            raise RefusedAddressError(self._refused[netloc])
        if self._denies and netloc in self._unreachable:
            raise RobotsUnreachableError(f"robots.txt of {netloc} cannot be read now ({self._why[netloc]})")
        # Not what was awaited: of several requests that wait for one robots.txt, Scrapy 2.19 gives the rules to the first
        # and None, which allows everything, to the others.
        rules = self._parsers.get(netloc)
        return None if isinstance(rules, Deferred) else rules

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Refuse what robots.txt forbids."""
        try:
            super().process_request_2(rp, request)
        except IgnoreRequest as error:
            raise RobotsForbiddenError(f"robots.txt forbids {request.url}") from error

    async def _parse_robots(self, response: Response, netloc: str, request: Request) -> None:
        """Read an answer by its status."""
        if response.status == 429 or response.status >= 500:
            self._note_unreachable(netloc, f"status {response.status}")
        body = response.body[:MAX_ROBOTS_BYTES] if 200 <= response.status < 300 else b""
        self.sitemaps[netloc] = sitemaps_from_robots(body.decode("utf-8", "replace"), url=response.url)
        await super()._parse_robots(response.replace(body=body), netloc, request)

    def _robots_error(self, exc: Exception, netloc: str) -> None:
        """Note that there was no answer; too many redirects count as no rules (RFC 9309, 2.3.1.2)."""
        if isinstance(exc, RefusedAddressError):
            self._refused[netloc] = str(exc)
        elif isinstance(exc, RobotsUnreachableError):
            self._note_unreachable(netloc, str(exc))
        super()._robots_error(exc, netloc)

    def _note_unreachable(self, netloc: str, why: str) -> None:
        self._unreachable[netloc], self._why[netloc] = time.monotonic() + self._retry_s, why
        self.crawler.stats.inc_value("webmain/robots_unreachable")
        means = "its pages are left for later" if self._denies else "everything is taken as allowed"
        logger.info("robots.txt of %s cannot be read (%s): %s", netloc, why, means)

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Apply a Crawl-delay to the slot of the request that asked for the rules."""
        wanted = robotparser.crawl_delay(self._robotstxt_useragent or self._default_useragent or "*")
        if not wanted or not wanted > 0 or self._max_delay <= 0:  # NaN is neither
            return
        delay = min(wanted, self._max_delay)
        if key := self._delays.lengthen(request, delay):
            self.crawler.stats.inc_value("webmain/crawl_delays")
            cut = f", cut from {wanted:g} s" if delay < wanted else ""
            logger.info("Crawl-delay of %s: %g s%s", key, delay, cut)


class Delays:
    """Delays that sites, or a user's rules for them, ask for: without jitter, one request at a time.

    AutoThrottle may only lengthen them.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._seconds: dict[str, float] = {}
        connect(crawler, self, "response_downloaded")

    def lengthen(self, request: Request, seconds: float) -> str | None:
        """Let the slot of a request wait so long between two requests; return its key, or None where it already does."""
        downloader = self._crawler.engine.downloader
        key = downloader.get_slot_key(request)
        if seconds <= self._seconds.get(key, 0.0):
            return None
        self._seconds[key] = seconds
        least = max(seconds, self._crawler.settings.getfloat("DOWNLOAD_DELAY"))
        # for slots made later: an idle slot is thrown away after a minute
        known = downloader.per_slot_settings.get(key, {})
        downloader.per_slot_settings[key] = {**known, "delay": least, "jitter": 0.0, "concurrency": 1}
        if slot := downloader.slots.get(key):
            slot.delay, slot.jitter, slot.concurrency = max(slot.delay, least), 0.0, 1
        return str(key)

    def response_downloaded(self, request: Request) -> None:
        """Lift the delay again where AutoThrottle has shortened it."""
        key = request.meta.get("download_slot", "")
        slot = self._crawler.engine.downloader.slots.get(key)
        if slot is not None and slot.delay < self._seconds.get(key, 0.0):
            slot.delay = self._seconds[key]


class RuleDelays:
    """Lets a site's requests wait as long as the user's rules for it say (WEBMAIN_SITES, `delay`)."""

    def __init__(self, crawler: Crawler, sites: Sites) -> None:
        self._sites = sites
        self._delays = Delays(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware; without such rules it is left out."""
        sites = site_rules(crawler)
        if sites is None or not any(rules.delay for rules in sites.tables.values()):
            raise NotConfigured
        return cls(crawler, sites)

    def process_request(self, request: Request) -> None:
        """Lengthen the delay of the request's slot."""
        rules = self._sites.of(request.url)
        if rules is not None and rules.delay:
            self._delays.lengthen(request, rules.delay)


def denies_unreachable(means: str) -> bool:
    """Read WEBMAIN_ROBOTS_UNREACHABLE.

    Raises
    ------
    ValueError
        It is neither "deny" nor "allow".
    """
    if means not in ("deny", "allow"):
        raise ValueError(f"WEBMAIN_ROBOTS_UNREACHABLE: got {means!r}, allowed are 'deny' and 'allow'")
    return means == "deny"


class RetryAfter:
    """Lets a site's slot wait for as long as a 429 or 503 asks; other sites go on.

    Between the retry middleware and the network. Asked to wait for longer than WEBMAIN_MAX_RETRY_AFTER, the page is not
    retried in this crawl; the slot waits for that maximum before it goes on with other pages.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._max_s = own(crawler.settings).getfloat("WEBMAIN_MAX_RETRY_AFTER")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware."""
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        """Hold the slot back."""
        if response.status not in _WAITING:
            return response
        wanted = retry_after_s(response.headers.get(b"Retry-After"), now=time.time())
        if not wanted or self._max_s <= 0:
            return response
        wait = min(wanted, self._max_s)
        key = request.meta.get("download_slot", "")
        if slot := self._crawler.engine.downloader.slots.get(key):
            hold(slot, wait)
        self._crawler.stats.inc_value("webmain/retry_after")
        logger.info("%s asks to wait %g s; waiting %g s", key, wanted, wait)
        if wanted > self._max_s:
            request.meta["dont_retry"] = True
        return response


def hold(slot: Slot, seconds: float) -> None:
    """Let no request of a slot start for so many seconds; those under way are not touched."""
    slot.delay = max(slot.delay, 0.001)  # a slot without any delay never looks at its clock
    slot.lastseen = max(slot.lastseen, time.monotonic() + seconds)


class Decompression(HttpCompressionMiddleware):
    """Scrapy's decompression; a bomb is counted as a page that is too large."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._crawler = crawler
        logging.getLogger(HttpCompressionMiddleware.__module__).setLevel(logging.ERROR)  # it is counted here

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Decompress."""
        try:
            return super().process_response(request, response)
        except IgnoreRequest as error:
            if is_page(request):
                rejected = Rejected(Reason.TOO_LARGE, str(error), url=asked_url(request))
                tell_rejected(self._crawler, rejected)
            raise
        except (OSError, EOFError, ValueError, zlib.error) as error:  # not what its Content-Encoding says
            if is_page(request):
                tell_failed(self._crawler, asked_url(request), "decompression")
            raise IgnoreRequest(f"{request.url} cannot be decompressed: {error}") from error


class Redirects(RedirectMiddleware):
    """Scrapy's redirects; loops are reported at their first turn, and where a redirect leads is counted."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Follow a redirect, unless it leads to where it came from, or nowhere."""
        location = response.headers.get("Location")
        try:
            if response.status in _REDIRECTS and location is not None and join(request.url, _text(location)) is None:
                raise ValueError("no web address")
            result = super().process_response(request, response)
        except ValueError as error:
            self._told(request, "bad_redirect")
            raise IgnoreRequest(f"{request.url} redirects to {(location or b'')[:100]!r}: {error}") from error
        except IgnoreRequest:
            self._told(request, "redirect_limit")
            raise
        if not isinstance(result, Request):
            return result
        if result.url == request.url or result.url in request.meta.get("redirect_urls", ()):
            self._told(request, "redirect_self" if result.url == request.url else "redirect_loop")
            raise IgnoreRequest(f"{request.url} redirects in a circle")
        if not same_site(request.url, result.url):
            self.crawler.stats.inc_value("webmain/redirects/cross_site")
        return result

    def _told(self, request: Request, kind: str) -> None:
        if is_page(request):
            tell_failed(self.crawler, asked_url(request), kind)
        else:
            self.crawler.stats.inc_value("webmain/probe_failed")


def _text(header: bytes) -> str:
    """Decode an address in a header; an empty one leads nowhere."""
    return header.decode("utf-8", "replace").strip() or "://"


class Statuses(HttpErrorMiddleware):
    """Scrapy's filter of statuses; what it keeps from the spider is counted as blocked or as an HTTP error."""

    def process_spider_input(self, response: Response, spider: Spider | None = None) -> None:
        """Refuse what is no success, unless the request or the spider wants it."""
        try:
            super().process_spider_input(response)
        except HttpError:
            request = response.request
            if request is None or not is_page(request):
                self.crawler.stats.inc_value("webmain/probe_failed")
                raise
            reason = Reason.BLOCKED if response.status in _BLOCKED else Reason.HTTP_ERROR
            wait = retry_after_s(response.headers.get(b"Retry-After"), now=time.time())
            rejected = Rejected(reason, f"status {response.status}", url=asked_url(request))
            tell_rejected(self.crawler, rejected, retry_after_s=wait)
            raise
