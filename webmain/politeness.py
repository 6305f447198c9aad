"""Delays that sites, or a user's rules for them, ask for, and Retry-After."""

from __future__ import annotations

import logging
import time
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured
from scrapy.http import Request, Response

from webmain.clock import now_s
from webmain.options import own, site_rules
from webmain.signals import connect

if TYPE_CHECKING:
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler

    from webmain.sites.rules import Sites

logger = logging.getLogger(__name__)

_WAITING = frozenset({429, 503})


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
        wanted = retry_after_s(response.headers.get(b"Retry-After"), now=now_s())
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
