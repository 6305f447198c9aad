"""Delays requested by sites or set in the user's rules, and Retry-After."""

from __future__ import annotations

import logging
import time
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.http import Request, Response

from webmain.clock import now_s
from webmain.crawl.options import own, site_rules
from webmain.crawl.signals import Component, connect

if TYPE_CHECKING:
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_WAITING = frozenset({429, 503})


def retry_after_s(value: bytes | str | None, *, now: float) -> float | None:
    """Return the seconds that a Retry-After header asks to wait; it has seconds or an HTTP date.

    Parameters
    ----------
    value : bytes, str or None
    now : float
        Seconds since 1970.

    Returns
    -------
    float or None
        Seconds from now, not negative; None if there is no header or it is invalid.
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
    """Delays requested by sites or set in the user's rules: without jitter, one request at a time.

    AutoThrottle may only lengthen them.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._seconds: dict[str, float] = {}
        connect(crawler, self, "response_downloaded")

    def lengthen(self, request: Request, seconds: float) -> str | None:
        """Set a minimum delay between the requests of a slot; return its key, or None if its delay is already that long."""
        downloader = self._crawler.engine.downloader
        key = downloader.get_slot_key(request)
        if seconds <= self._seconds.get(key, 0.0):
            return None
        self._seconds[key] = seconds
        least = max(seconds, self._crawler.settings.getfloat("DOWNLOAD_DELAY"))
        # for slots created later: Scrapy discards a slot that is idle for a minute
        known = downloader.per_slot_settings.get(key, {})
        downloader.per_slot_settings[key] = {**known, "delay": least, "jitter": 0.0, "concurrency": 1}
        if slot := downloader.slots.get(key):
            slot.delay, slot.jitter, slot.concurrency = max(slot.delay, least), 0.0, 1
        return str(key)

    def response_downloaded(self, request: Request) -> None:
        """Restore the delay if AutoThrottle has shortened it."""
        key = request.meta.get("download_slot", "")
        slot = self._crawler.engine.downloader.slots.get(key)
        if slot is not None and slot.delay < self._seconds.get(key, 0.0):
            slot.delay = self._seconds[key]


class RuleDelays(Component):
    """Applies the delays in the user's rules for sites (WEBMAIN_SITES, `delay`)."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._sites = site_rules(crawler)
        if not any(rules.delay for rules in self._sites.tables.values()):
            raise NotConfigured
        self._delays = Delays(crawler)

    def process_request(self, request: Request) -> None:
        """Lengthen the delay of the request's slot."""
        rules = self._sites.of(request.url)
        if rules is not None and rules.delay:
            self._delays.lengthen(request, rules.delay)


class RetryAfter(Component):
    """Makes a site's slot wait as long as a 429 or 503 asks; other sites continue.

    Placed between the retry middleware and the network. If a wait longer than WEBMAIN_MAX_RETRY_AFTER is requested, the page
    is not retried in this crawl; `Refusals` leaves the host alone, or, with WEBMAIN_BACK_OFF=0, the slot continues with other
    pages after that maximum.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._max_s = own(crawler.settings).getfloat("WEBMAIN_MAX_RETRY_AFTER")

    def process_response(self, request: Request, response: Response) -> Response:
        """Delay the slot."""
        if response.status not in _WAITING:
            return response
        wanted = retry_after_s(response.headers.get(b"Retry-After"), now=now_s())
        if not wanted or self._max_s <= 0:
            return response
        wait = min(wanted, self._max_s)
        key = request.meta.get("download_slot", "")
        if slot := self._crawler.engine.downloader.slots.get(key):
            delay_slot(slot, wait)
        self._crawler.stats.inc_value("webmain/retry_after")
        logger.info("%s asks to wait %g s; waiting %g s", key, wanted, wait)
        if wanted > self._max_s:
            request.meta["dont_retry"] = True
        return response


def delay_slot(slot: Slot, seconds: float) -> None:
    """Start no request of a slot for this many seconds; active requests are not affected."""
    slot.delay = max(slot.delay, 0.001)  # a slot without a delay ignores its last time
    slot.lastseen = max(slot.lastseen, time.monotonic() + seconds)
