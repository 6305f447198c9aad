"""Opt-outs in a crawl: recorded with each article and, with `-a respect=optouts`, obeyed."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Request
from scrapy.http.request import NO_CALLBACK

from webmain.clock import now_s
from webmain.crawl.failures import OptedOutError, is_page
from webmain.crawl.options import option, site_rules
from webmain.crawl.robots import Robots, with_ledger
from webmain.crawl.signals import Component
from webmain.crawl.steps import Step
from webmain.discovery.robots import RobotsRules, path_matches
from webmain.items import Article, Reason, Rejected
from webmain.metadata.opt_outs import OUR_AGENT, obeyed
from webmain.urls import site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webmain.sites.rules import Sites

logger = logging.getLogger(__name__)

OPTOUTS: Final = "optouts"  # value of `respect` if opt-outs are obeyed

FILES: Final = {"tdmrep": "/.well-known/tdmrep.json", "ai": "/ai.txt"}
"""Files in which a site reserves its rights, besides robots.txt and its pages."""

MAX_FILE_BYTES: Final = 100 * 1024
FRESH_S: Final = 24 * 3600.0


def respects(crawler: Crawler, sites: Sites, url: str | None) -> bool:
    """Return True if opt-outs are obeyed, according to the rules for the page's site, else the crawl's setting."""
    rules = sites.of(url)
    return ((rules and rules.respect) or option(crawler, "respect", "WEBMAIN_RESPECT")) == OPTOUTS


class OptOuts(Step):
    """Article to Article: adds the opt-outs in its site's robots.txt; rejects it if one is obeyed."""

    @cached_property
    def sites(self) -> Sites:
        """The user's rules for single sites."""
        return site_rules(self.crawler)

    def done(self, item: Article) -> Article:
        """Add the opt-outs in robots.txt to those found in the page."""
        robots = self.crawler.get_downloader_middleware(Robots)
        signals = robots.opt_outs(item.url) if robots is not None and item.url else ()
        if signals:
            item = replace(item, opt_outs=tuple(sorted({*item.opt_outs, *signals})))
        if item.opt_outs and respects(self.crawler, self.sites, item.url) and (signal := obeyed(item.opt_outs)):
            raise Rejected(Reason.OPTED_OUT, signal, url=item.url)
        return item


class Reservations(Component):
    """Rejects pages before they are fetched if their site has opted out in robots.txt, tdmrep.json or ai.txt.

    The last two are requested once per host and day, and only if opt-outs are obeyed (`respect=optouts`).
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._sites = site_rules(crawler)
        of_sites = [rules.respect for rules in self._sites.tables.values()]
        if OPTOUTS not in of_sites and not respects(crawler, self._sites, None):
            raise NotConfigured  # opt-outs are only recorded
        self._files: dict[str, dict[str, str]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def process_request(self, request: Request) -> None:
        """Reject a page that may not be used."""
        if not is_page(request) or not request.url.startswith("http"):
            return
        if not respects(self._crawler, self._sites, request.url):
            return
        robots = self._crawler.get_downloader_middleware(Robots)
        signals = list(robots.opt_outs(request.url)) if robots is not None else []
        async with self._locks.setdefault(urlsplit(request.url).netloc, asyncio.Lock()):
            signals += reservations(await self._read(request), request.url)
        if signal := obeyed(signals):
            raise OptedOutError(signal)

    async def _read(self, request: Request) -> dict[str, str]:
        """Return the opt-out files of a request's host, from the ledger if they were read today."""
        parts = urlsplit(request.url)
        host = parts.netloc
        if host in self._files:
            return self._files[host]
        known = with_ledger(self._crawler, lambda ledger: ledger.hosts.get(host))
        if known is not None and known.reserved is not None and 0 <= now_s() - (known.reserved_at or 0.0) < FRESH_S:
            self._files[host] = _decoded(known.reserved)
            return self._files[host]
        files = {name: await self._ask(f"{parts.scheme}://{host}{path}") for name, path in FILES.items()}
        self._files[host] = {name: text for name, text in files.items() if text}
        if None not in files.values():
            reserved = json.dumps(self._files[host]).encode()
            with_ledger(
                self._crawler,
                lambda ledger: ledger.hosts.record_reserved(host, site=site_key(request.url), reserved=reserved),
            )
        return self._files[host]

    async def _ask(self, url: str) -> str | None:
        """Return a file's text; "" if there is no file, None if that is unknown."""
        try:
            response = await self._crawler.engine.download_async(Request(url, callback=NO_CALLBACK))
        except IgnoreRequest as error:
            logger.debug("no %s: %s", url, error)
            return ""
        except Exception as error:  # the crawl continues without this file
            logger.info("no %s: %s", url, error)
            return None
        if response.status == 200 and b"<html" not in response.body[:1_000].lower():
            return response.body[:MAX_FILE_BYTES].decode("utf-8", "replace")
        return None if response.status == 429 or response.status >= 500 else ""


def reservations(files: dict[str, str], url: str) -> Iterator[str]:
    """Yield the opt-outs from use of a page in a host's tdmrep.json and ai.txt.

    `files`: their texts by name, "tdmrep" and "ai". `url`: the page's address.
    """
    try:
        rules: Any = json.loads(files.get("tdmrep") or "[]")
    except (ValueError, RecursionError):
        rules = []
    for rule in rules[:1_000] if isinstance(rules, list) else ():
        if isinstance(rule, dict) and path_matches(str(rule.get("location") or "/"), url):  # the first match counts
            if rule.get("tdm-reservation") in (1, "1"):
                yield "tdm-reservation"
            break
    if text := files.get("ai"):
        rights = RobotsRules(text)
        forms = (url, url.partition("?")[0].rstrip("/") + ".txt")  # it lists types of files: `*.txt` means text
        if not all(rights.allows(form, OUR_AGENT) for form in forms):
            yield "ai.txt:text"


def _decoded(reserved: bytes) -> dict[str, str]:
    """Return the files as stored in the ledger."""
    try:
        files = json.loads(reserved)
    except ValueError:
        return {}
    return {name: text for name, text in files.items() if isinstance(text, str)} if isinstance(files, dict) else {}
