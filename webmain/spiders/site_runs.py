"""Write a crawl's results for each site to the ledger while it runs; `webmain status` reads them."""

from __future__ import annotations

import logging
import time
from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from scrapy.http import Request, Response
from scrapy.http.request import NO_CALLBACK

from webmain.crawl.known_urls import KnownUrls
from webmain.crawl.signals import SITE_PREFIX, Component, PeriodicCall, count_for_site
from webmain.items import Article
from webmain.ledger.file import LedgerError
from webmain.ledger.runs import FORBIDDEN, GOOD_ENDS, SHORT_CHARS, UNREACHABLE, Figures, SiteRun
from webmain.spiders.news import NewsSpider
from webmain.store.protocol import Stored
from webmain.urls import site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

EVERY_S: Final = 60.0  # seconds between writes of a running crawl, so that a killed one leaves recent figures
MAX_LENGTHS: Final = 5_000  # articles of a site from which the median length is computed


class SiteRuns(Component):
    """Counts the results of `news` for each site, and keeps them in the ledger, one row per site.

    Other components count with `webmain.crawl.signals.count_for_site`.
    """

    signals = (
        "spider_opened",
        "response_downloaded",
        "item_scraped",
        "articles_stored",
        "spider_closed",
        "engine_stopped",
    )

    def __init__(self, crawler: Crawler, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(crawler)
        self._clock = clock
        self._began = clock()
        self._started_at = 0.0
        self._site_of: dict[str, str] = {}
        self._lengths: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        self._ticks = PeriodicCall(crawler, EVERY_S, self._write)

    def spider_opened(self) -> None:
        """Record which sites are crawled, and write a first row for each."""
        spider = self._crawler.spider
        known = self._crawler.get_extension(KnownUrls)
        if not isinstance(spider, NewsSpider) or known is None or known.path == ":memory:":
            return
        has_failed = {kind: self._crawler.stats.get_value(f"webmain/{kind}_error") for kind in ("store", "ledger")}
        if has_failed["ledger"] or (has_failed["store"] and not Path(known.path).exists()):
            return  # no ledger is created beside another program's file
        try:
            self._started_at = known.ledger.clock()
        except LedgerError as error:
            known.fail(error)
            return
        self._site_of = {site_key(url): site_key(url) for url in spider.arguments.sites}
        for url, other in spider.arguments.aliases:
            self._site_of.setdefault(site_key(other), site_key(url))
        self._write()

    # ---- Counting

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Count a request by its purpose, and the bytes received."""
        site = site_key(request.url)
        count_for_site(self._crawler, site, f"requests/{_purpose(request)}")
        count_for_site(self._crawler, site, "bytes", len(response.body))
        count_for_site(self._crawler, site, "not_modified", response.status == 304)

    def item_scraped(self, item: Any) -> None:
        """Record the length of an article."""
        if isinstance(item, Article):
            site, n = site_key(item.url or ""), len(item.text)
            count_for_site(self._crawler, site, "short", n < SHORT_CHARS)
            if site in self._site_of and len(self._lengths[site]) < MAX_LENGTHS:
                self._lengths[site].append(n)

    def articles_stored(self, stored: Sequence[Stored]) -> None:
        """Count articles by outcome."""
        for each in stored:
            count_for_site(self._crawler, site_key(each.url or ""), each.outcome.value)

    # ---- Writing

    def spider_closed(self, reason: str) -> None:
        """Write the rows also of a crawl that ends before it begins: its engine is not stopped, since it never ran."""
        if not self._site_of:
            self.spider_opened()
            reason = "start_error"
        self._write(reason)

    def engine_stopped(self) -> None:
        """Write the final rows with the outcome of the crawl."""
        self._write(str(self._crawler.stats.get_value("finish_reason") or "") or None)

    def _write(self, reason: str | None = None) -> None:
        known = self._crawler.get_extension(KnownUrls)
        if not self._site_of or known is None or self._crawler.stats.get_value("webmain/ledger_error"):
            return
        now = known.ledger.clock()
        row = SiteRun(site="", started_at=self._started_at, written_at=now, finished_at=now if reason else None)
        rows = [
            replace(row, site=site, figures=found, outcome=_outcome(found, reason) if reason else None)
            for site, found in self._figures().items()
        ]
        try:
            known.ledger.runs.write(rows)
        except LedgerError as error:
            known.fail(error)

    def _figures(self) -> dict[str, Figures]:
        """Return the figures of the crawl's sites so far; a site's alias domains are included in it."""
        counts: dict[str, defaultdict[str, float]] = {site: defaultdict(int) for site in self._site_of.values()}
        for name, value in self._crawler.stats.get_stats().items():
            if name.startswith(SITE_PREFIX):
                key, _, counted = name.removeprefix(SITE_PREFIX).partition("/")
                if site := self._site_of.get(key):
                    counts[site][counted] += value
        for site, of_site in counts.items():
            lengths = [n for key, own in self._site_of.items() if own == site for n in self._lengths.get(key, ())]
            of_site["seconds"] = round(self._clock() - self._began, 1)
            if lengths:
                of_site["chars_median"] = median(lengths)
        return {site: Figures.of(of_site) for site, of_site in counts.items()}


def _purpose(request: Request) -> str:
    """Return the purpose of a request: "robots", the one in its `meta`, else "page"."""
    if request.callback is NO_CALLBACK:
        return "robots"
    return str(request.meta.get("purpose") or "page")


def _outcome(found: Figures, reason: str) -> str:
    """Return the outcome of a run for one site."""
    is_bare = not (found.articles or found.known or found.sources or found.rejected)
    if not (reason in GOOD_ENDS and found.front_failed and is_bare):
        return reason
    return FORBIDDEN if found.failed.keys() == {"robots"} else UNREACHABLE
