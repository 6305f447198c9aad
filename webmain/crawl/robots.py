"""robots.txt in a crawl: fetched once per host, kept in the ledger over runs, and obeyed."""

from __future__ import annotations

import asyncio
import logging
import re
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached

from webmain.clock import now_s
from webmain.crawl.failures import RefusedAddressError, RobotsForbiddenError, RobotsUnreachableError, failure_name
from webmain.crawl.options import own
from webmain.crawl.politeness import Delays
from webmain.crawl.signals import Component
from webmain.crawl.validators import validators
from webmain.discovery.robots import MAX_ROBOTS_BYTES, RobotsRules
from webmain.ledger.hosts import Host
from webmain.ledger.ledger import Ledger
from webmain.urls import site_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

LONGEST_FRESH_S: Final = 24 * 3600.0
"""Longest use of a robots.txt, unless a newer one cannot be read (RFC 9309, 2.4)."""

SHORTEST_FRESH_S: Final = 3600.0
"""Shortest use, whatever its Cache-Control says."""

GIVEN_UP_AFTER_S: Final = 30 * 24 * 3600.0
"""A robots.txt that cannot be read for this long counts as missing (RFC 9309, 2.3.1.4)."""

T = TypeVar("T")

_UNCONNECTED: Final = frozenset({"refused", "connection"})
_PRIORITY: Final = 1000
_MAX_AGE: Final = re.compile(r"\b(?:s-maxage|max-age)\s*=\s*\"?(\d{1,9})", re.I)
_NO_CACHE: Final = re.compile(r"\bno-(?:cache|store)\b", re.I)


@dataclass(frozen=True, slots=True)
class _Known:
    """A host's rules and until when they are valid; `refusal` is raised if they cannot be fetched over `schemes`."""

    rules: RobotsRules
    until: float
    refusal: IgnoreRequest | None = None
    schemes: frozenset[str] = frozenset()

    def may_answer_over(self, scheme: str) -> bool:
        """Return True if the host was not connected to, and not over this scheme."""
        is_unconnected = isinstance(self.refusal, RobotsUnreachableError) and self.refusal.unconnected
        return is_unconnected and scheme not in self.schemes


def with_ledger(crawler: Crawler, question: Callable[[Ledger], T]) -> T | None:
    """Return the ledger's answer; None if there is no ledger, or it fails, which ends the crawl."""
    from webmain.crawl.known_urls import KnownUrls  # the command's checks import this module before they need it

    known = crawler.get_extension(KnownUrls)
    return known.ask(question, None) if known is not None else None


class Robots(Component):
    """Rejects requests that robots.txt forbids, and applies its Crawl-delay to the site's slot.

    The file is fetched once per host (over http and https, if one of them does not connect) and kept in the ledger for a day,
    or less if its Cache-Control says so; then it is requested with its validators. With 4xx everything is allowed. With 429,
    5xx or no answer, the known rules stay valid. If there are none, nothing is allowed (WEBMAIN_ROBOTS_UNREACHABLE) until the
    next attempt, after WEBMAIN_ROBOTS_RETRY_S, and everything after 30 days. With too many redirects the file counts as
    missing.

    Attributes
    ----------
    sitemaps : dict
        The sitemaps listed in each robots.txt that was read, by host and port.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        settings = own(crawler.settings)
        self.agent = str(crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"] or "*")
        self._denies = denies_unreachable(settings.get("WEBMAIN_ROBOTS_UNREACHABLE"))
        self._retry_s = settings.getfloat("WEBMAIN_ROBOTS_RETRY_S")
        self._max_delay = settings.getfloat("WEBMAIN_MAX_CRAWL_DELAY")
        self._delays = Delays(crawler)
        self._known: dict[str, _Known] = {}
        self._led_to: dict[str, _Known] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self.sitemaps: dict[str, tuple[str, ...]] = {}

    async def process_request(self, request: Request) -> None:
        """Reject requests that robots.txt forbids."""
        if request.meta.get("dont_obey_robotstxt") or not request.url.startswith("http"):
            return
        rules = await self.rules(request)
        if not rules.allows(request.url, self.agent):
            self._crawler.stats.inc_value("robotstxt/forbidden")
            raise RobotsForbiddenError(f"robots.txt forbids {request.url}")

    async def rules(self, request: Request) -> RobotsRules:
        """Return the rules for a request's host, fetching them if they are not known.

        Raises
        ------
        RobotsUnreachableError, RefusedAddressError
            The rules cannot be fetched, or the host may not be connected to.
        """
        netloc, scheme = urlparse_cached(request).netloc, urlparse_cached(request).scheme
        async with self._locks.setdefault(netloc, asyncio.Lock()):
            known = self._known.get(netloc)
            if known is not None and now_s() >= known.until:
                known = None
            if known is None or known.may_answer_over(scheme):
                schemes = {scheme} | (known.schemes if known else frozenset())
                found = await self._fetch_rules(netloc, request)
                known = self._known[netloc] = replace(found, schemes=frozenset(schemes))
                self.sitemaps[netloc] = known.rules.sitemaps
                self._delay(known.rules, request)
        if known.refusal is not None:
            raise copy(known.refusal)  # one for each request: a raised exception keeps its traceback
        return known.rules

    def opt_outs(self, url: str) -> tuple[str, ...]:
        """Return the opt-outs from reuse of a page in its site's robots.txt, if that was read in this crawl."""
        known = self._known.get(urlsplit(url).netloc)
        return known.rules.opt_outs(url, self.agent) if known is not None else ()

    async def _fetch_rules(self, netloc: str, request: Request) -> _Known:
        """Return a host's robots.txt from the ledger, else from the host."""
        address = f"{urlparse_cached(request).scheme}://{netloc}/robots.txt"
        row = with_ledger(self._crawler, lambda ledger: ledger.hosts.get(netloc))
        if row is not None and row.has_robots(now_s()):
            self._crawler.stats.inc_value("webmain/robots_known")
            return _Known(RobotsRules(row.robots or b"", url=address), row.robots_until or 0.0)
        if (led_to := self._led_to.pop(netloc, None)) is not None and now_s() < led_to.until:
            return led_to
        self._crawler.stats.inc_value("robotstxt/request_count")
        robots_request = Request(
            address,
            priority=_PRIORITY,
            headers=_validators(row),
            meta={"dont_obey_robotstxt": True},
            callback=NO_CALLBACK,
        )
        try:
            response = await self._crawler.engine.download_async(robots_request)
        except RefusedAddressError as error:
            return _Known(RobotsRules(), now_s() + self._retry_s, RefusedAddressError(str(error)))
        except RobotsUnreachableError as error:
            return self._unreachable(netloc, address, str(error))
        except IgnoreRequest as error:  # too many redirects, or a redirect to nowhere
            logger.info("robots.txt of %s counts as missing: %s", netloc, error)
            return self._read_response(netloc, address, Response(address, 404), row)
        except Exception as error:  # not converted by our middlewares
            return self._unreachable(netloc, address, failure_name(error))
        self._crawler.stats.inc_value("robotstxt/response_count")
        self._crawler.stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        other = urlsplit(response.url)
        if other.netloc != netloc and other.path == "/robots.txt" and 200 <= response.status < 300:
            # another host's robots.txt, which need not be requested again
            self._led_to[other.netloc] = self._read_response(other.netloc, response.url, response, None)
        return self._read_response(netloc, address, response, row)

    def _read_response(self, netloc: str, address: str, response: Response, row: Host | None) -> _Known:
        """Return the rules for an answer, depending on its status."""
        status = response.status
        if status == 429 or status >= 500:
            return self._unreachable(netloc, address, f"status {status}")
        cache_control, age = (
            (response.headers.get(name) or b"").decode("latin-1") for name in ("Cache-Control", "Age")
        )
        etag, last_modified = validators(response)
        if status == 304 and row is not None and row.robots is not None:
            body, status = row.robots, row.robots_status or 200
            etag, last_modified = row.robots_etag, row.robots_last_modified
        else:
            body = response.body[:MAX_ROBOTS_BYTES] if 200 <= status < 300 else b""
        fresh_s = fresh_for_s(cache_control[:1_000], age)
        is_changed = with_ledger(
            self._crawler,
            lambda ledger: ledger.hosts.record_robots(
                netloc,
                site=site_key(address),
                robots=body,
                status=status,
                fresh_s=fresh_s,
                etag=etag,
                last_modified=last_modified,
            ),
        )
        if is_changed:
            self._crawler.stats.inc_value("webmain/robots_changed")
            logger.info("robots.txt of %s has changed", netloc)
        return _Known(RobotsRules(body, url=response.url), now_s() + fresh_s)

    def _unreachable(self, netloc: str, address: str, why: str) -> _Known:
        """Return the known rules; if there are none, deny everything, or allow it if so configured or after 30 days."""
        row = with_ledger(self._crawler, lambda ledger: ledger.hosts.record_no_robots(netloc, site=site_key(address)))
        until = now_s() + self._retry_s
        self._crawler.stats.inc_value("webmain/robots_unreachable")
        unresolved, unconnected = why == "dns", why in _UNCONNECTED
        reason = "the host name cannot be resolved" if unresolved else why
        message = f"robots.txt of {netloc} cannot be read now ({reason})"
        if row is not None and row.robots is not None:
            logger.info("%s: the rules that were read before hold on", message)
            return _Known(RobotsRules(row.robots, url=address), until)
        is_over = row is not None and now_s() - (row.robots_failing_since or now_s()) >= GIVEN_UP_AFTER_S
        denies = self._denies and not is_over
        logger.info("%s: %s", message, "its pages are left for later" if denies else "everything is taken as allowed")
        refusal = RobotsUnreachableError(message, unresolved=unresolved, unconnected=unconnected) if denies else None
        return _Known(RobotsRules(), until, refusal)

    def _delay(self, rules: RobotsRules, request: Request) -> None:
        """Apply a Crawl-delay to the slot of the request that asked for the rules."""
        wanted = rules.crawl_delay(self.agent)
        if not wanted or self._max_delay <= 0:
            return
        delay = min(wanted, self._max_delay)
        if key := self._delays.lengthen(request, delay):
            self._crawler.stats.inc_value("webmain/crawl_delays")
            cut = f", cut from {wanted:g} s" if delay < wanted else ""
            logger.info("Crawl-delay of %s: %g s%s", key, delay, cut)


def fresh_for_s(cache_control: str, age: str = "") -> float:
    """Return for how many seconds a robots.txt is valid, from Cache-Control and Age: an hour to a day."""
    if _NO_CACHE.search(cache_control):
        return SHORTEST_FRESH_S
    given = _MAX_AGE.search(cache_control)
    if given is None:
        return LONGEST_FRESH_S
    spent = int(age) if age.isascii() and age.isdigit() and len(age) < 10 else 0
    return max(SHORTEST_FRESH_S, min(LONGEST_FRESH_S, float(int(given[1]) - spent)))


def _validators(row: Host | None) -> dict[str, str]:
    """Return the headers for a conditional request of a known robots.txt."""
    if row is None or row.robots is None:
        return {}
    named = {"If-None-Match": row.robots_etag, "If-Modified-Since": row.robots_last_modified}
    return {name: value for name, value in named.items() if value}


def denies_unreachable(means: str) -> bool:
    """Parse WEBMAIN_ROBOTS_UNREACHABLE; return True for "deny".

    Raises
    ------
    ValueError
        It is neither "deny" nor "allow".
    """
    if means not in ("deny", "allow"):
        raise ValueError(f"WEBMAIN_ROBOTS_UNREACHABLE: got {means!r}, allowed are 'deny' and 'allow'")
    return means == "deny"
