"""Recognise hosts that refuse requests, report them, leave them alone, and try them again later, over runs."""

from __future__ import annotations

import logging
import random
from collections import deque
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from scrapy.http import Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached

from webmain.clock import now_s
from webmain.crawl.failures import LeftAloneError, requested_url
from webmain.crawl.options import own
from webmain.crawl.politeness import retry_after_s
from webmain.crawl.robots import with_ledger
from webmain.crawl.signals import Component
from webmain.discovery.schedule import back_off_s
from webmain.html.walls import REFUSING, find_wall, wall_behind
from webmain.ledger.hosts import FORGIVEN_AFTER_S, Host
from webmain.ledger.ledger import Ledger
from webmain.urls import site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

MIN_REFUSED: Final = 5  # a host counts as blocking after refusing this many different pages in a row ...
REFUSED_SHARE: Final = 0.8  # ... if more than this share of its last `LAST_ANSWERS` answers are refusals too

LAST_ANSWERS: Final = 12

BLOCK_STEPS: Final = 6
"""Extra doublings of the back-off for a host that blocks rather than asks to wait; they make it start at an hour."""

MAX_LISTED: Final = 20  # hosts listed in the summary

_BUSY: Final = frozenset({429, 503})
_NOT_THERE: Final = frozenset({404, 410})
_TIMES: Final = ("", "", "second time", "third time")


@dataclass(slots=True)
class _HostState:
    """A host's answers in this run, and what is known of its refusals in all runs."""

    known: Host
    row: set[str] = field(default_factory=set)
    last: deque[bool] = field(default_factory=lambda: deque(maxlen=LAST_ANSWERS))
    is_good: bool = False
    refusal: str = ""
    is_busy: bool = False

    @property
    def until(self) -> float | None:
        """Until when the host is left alone; None if requests are allowed."""
        return self.known.left_alone_until(now_s())

    def blocks(self) -> bool:
        """Return True if the host refuses nearly everything."""
        return len(self.row) >= MIN_REFUSED and sum(self.last) > REFUSED_SHARE * len(self.last)


class Refusals(Component):
    """Recognises refusals, and leaves hosts alone that refuse nearly everything or ask for a long wait.

    A wall (`webmain.html.walls`) is set as the request's `meta["wall"]`, whatever its status; `Statuses` rejects it. A host
    is left alone for the rest of the run, and in later runs (through the ledger), until its back-off or its own Retry-After
    is over; its addresses stay pending. A good answer half an hour after the last refusal resets the count.
    WEBMAIN_BACK_OFF=0 disables this.
    """

    signals = ("spider_closed",)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = own(crawler.settings)
        self._leaves = settings.getbool("WEBMAIN_BACK_OFF") and not settings.get("WEBMAIN_REPLAY")
        self._max_wait_s = settings.getfloat("WEBMAIN_MAX_RETRY_AFTER")
        self._hosts: dict[str, _HostState] = {}
        self._random = random.Random()  # noqa: S311 - jitter

    def _host_state(self, request: Request) -> _HostState:
        netloc = urlparse_cached(request).netloc
        host_state = self._hosts.get(netloc)
        if host_state is None:
            known = with_ledger(self._crawler, lambda ledger: ledger.hosts.get(netloc)) if self._leaves else None
            if known is None or not known.n_refusals:
                known = Host(host=netloc, site=site_key(request.url))
            host_state = self._hosts[netloc] = _HostState(known)
        return host_state

    def process_request(self, request: Request) -> None:
        """Reject requests to hosts that are left alone."""
        if not self._leaves or not request.url.startswith("http"):
            return
        host_state = self._host_state(request)
        if host_state.until:
            self._report(host_state.known)
            raise LeftAloneError(f"{host_state.known.host} is left alone {_why(host_state.known)}")

    def process_response(self, request: Request, response: Response) -> Response:
        """Record an answer as a refusal, a good one, or neither."""
        is_robots = bool(request.meta.get("dont_obey_robotstxt")) and request.callback is NO_CALLBACK
        if is_robots or not request.url.startswith("http"):
            return response
        refusal = self._refusal(request, response)
        if not self._leaves:
            return response
        host_state = self._host_state(request)
        if refusal is None:
            self._record_response(request, response, host_state)
        else:
            self._record_refusal(request, response, host_state, refusal)
        return response

    def _refusal(self, request: Request, response: Response) -> str | None:
        """Return a short description of a refusal, or None; a wall is set in the request's meta."""
        status = response.status

        def header(name: str) -> str:
            return (response.headers.get(name) or b"").decode("latin-1")

        wall = find_wall(response.body, header, status=status) if status < 300 or status in (*REFUSING, 405) else None
        if wall is None and status < 300 and request.meta.get("redirect_urls"):
            wall = wall_behind(response.url, requested_url(request))
        if wall is not None and wall.kind != "login":  # single login pages are rejected as no article
            request.meta["wall"] = wall
        if status in REFUSING:
            return f"{status}, {wall}" if wall else str(status)
        return str(wall) if wall else None

    def _record_response(self, request: Request, response: Response, host_state: _HostState) -> None:
        """Record an answer that is no refusal; ignore server errors and missing guesses, which prove nothing."""
        if response.status >= 500 or (response.status in _NOT_THERE and request.meta.get("probe")):
            return
        host_state.row.clear()
        host_state.last.append(False)
        if response.status in _NOT_THERE:
            return
        host_state.is_good = True
        known = host_state.known
        if known.n_refusals and not 0 <= now_s() - (known.refused_at or 0.0) < FORGIVEN_AFTER_S:
            host_state.known = Host(host=known.host, site=known.site)
            with_ledger(self._crawler, lambda ledger: ledger.hosts.reset_refusals(known.host, site=known.site))

    def _record_refusal(self, request: Request, response: Response, host_state: _HostState, refusal: str) -> None:
        """Record a refusal; leave the host alone if it asks for a long wait or refuses nearly everything."""
        host_state.row.add(requested_url(request))
        host_state.last.append(True)
        host_state.refusal = refusal
        host_state.is_busy = response.status in _BUSY
        wait_s = None
        if host_state.is_busy:
            wait_s = retry_after_s(response.headers.get(b"Retry-After"), now=now_s())
        if (wait_s and 0 < self._max_wait_s < wait_s) or host_state.blocks():
            self._skip_host(host_state, wait_s=wait_s)

    def _skip_host(self, host_state: _HostState, *, wait_s: float | None = None) -> None:
        """Leave a host alone for the rest of the run, and record until when for later runs."""
        if host_state.until:
            return
        known, refusal = host_state.known, host_state.refusal
        n = known.n_refusals + 1
        steps = n if host_state.is_busy else n + BLOCK_STEPS
        is_block = not host_state.is_busy and host_state.blocks()
        wait = back_off_s(steps, retry_after_s=wait_s, chance=self._random.random())
        host_state.known = with_ledger(
            self._crawler,
            lambda ledger: ledger.hosts.record_refusal(
                known.host, site=known.site, refusal=refusal, n=n, wait_s=wait, is_block=is_block
            ),
        ) or replace(known, n_refusals=n, refused_at=now_s(), wait_until=now_s() + wait, refusal=refusal)
        self._report(host_state.known)
        self._drop_waiting(host_state.known)

    def _drop_waiting(self, host: Host) -> None:
        """Reject a host's requests that wait for their turn or the end of a Retry-After; their addresses stay pending."""
        dropped = []
        for slot in self._crawler.engine.downloader.slots.values():
            of_host = [each for each in slot.queue if urlparse_cached(each[0]).netloc == host.host]
            for each in of_host:
                slot.queue.remove(each)
            dropped += of_host
        for _, waiting in dropped:  # which may add other requests and slots
            waiting.errback(LeftAloneError(f"{host.host} is left alone {_why(host)}"))

    def _report(self, host: Host) -> None:
        """Log once, and add to the summary, that a host is left alone."""
        stats = self._crawler.stats
        name = f"webmain/left_alone/{host.host}"
        if stats.get_value(name):
            return
        stats.inc_value("webmain/left_alone")
        message = f"{host.host}: left alone {_why(host)}"
        logger.info("%s", message)
        if stats.get_value("webmain/left_alone") <= MAX_LISTED:
            stats.set_value(name, message)

    def spider_closed(self) -> None:
        """Record hosts that gave only refusals, and undo the failed attempts of pages of hosts that are left alone."""
        for host_state in self._hosts.values():
            if self._leaves and host_state.row and not host_state.is_good:
                self._skip_host(host_state)
            if host_state.row and (until := host_state.until):
                with_ledger(self._crawler, partial(Ledger.postpone, urls=sorted(host_state.row), until=until))


def _why(host: Host) -> str:
    """Return until when a host is left alone, and why, as text."""
    end = datetime.fromtimestamp(host.left_alone_until(now_s()) or now_s()).astimezone()
    today = datetime.fromtimestamp(now_s()).astimezone()
    at = f"{end:%H:%M}" if end.date() == today.date() else f"{end:%d %b %H:%M}"
    n = host.n_refusals
    times = _TIMES[n] if n < len(_TIMES) else f"{n}th time"
    return f"until {at} ({', '.join(filter(None, (host.refusal, times)))})"
