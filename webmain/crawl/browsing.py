"""Pages drawn by a browser in a crawl: which ones, the requests that they make, and which results are used."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from webmain.crawl.options import option, own, site_rules
from webmain.crawl.recordings import Recorder
from webmain.crawl.signals import Component, PeriodicCall, fail_crawl, is_closing
from webmain.crawl.workers import Workers
from webmain.discovery.articles import THRESHOLDS
from webmain.discovery.page_summary import PageSummary
from webmain.discovery.shown_text import paragraphs_of
from webmain.items import Page
from webmain.items.rendered import NoBrowserError, RenderingError
from webmain.processes.pool import PoolClosed
from webmain.rendering.chromium import problem
from webmain.rendering.page_load import FetchedResponse, PageLoad
from webmain.rendering.request_rules import MAX_ANSWER_BYTES, RequestRules, named_hosts
from webmain.sites.rules import Sites
from webmain.urls import host, join

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webmain.crawl.browser import Browser

logger = logging.getLogger(__name__)

ANSWER_S: Final = 10.0
"""Seconds for fetching one style sheet or script."""

MAX_CACHE_BYTES: Final = 32 << 20
"""Bytes of style sheets and scripts that are cached, so that a site's pages request them only once."""

PRIORITY: Final = 200

STOP_S: Final = 2.0
"""Seconds after which a stopped crawl ends its browser."""

CLOSE_S: Final = 10.0
"""Seconds in which the browser must end; else it ends with the crawl's process."""


class Browsing(Component):
    """Reads pages, and has a browser draw some of them (`-a render=`, `render` in `sites.toml`).

    Everything a page requests while it is drawn is a request of the crawl: robots.txt, the network guard, size limits and the
    recording apply to it. The browser has no network access of its own.
    """

    signals = ("spider_opened", "spider_closed")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._browser: Browser | None = None
        self._cache: OrderedDict[str, FetchedResponse] = OrderedDict()
        self._n_cached = 0
        self._ticks: PeriodicCall | None = None
        self._ending: asyncio.Future[None] | None = None

    @classmethod
    def of(cls, crawler: Crawler) -> Browsing:
        """Return the crawl's `Browsing`; without the extension no page is drawn."""
        return crawler.get_extension(cls) or cls(crawler)

    @cached_property
    def _default(self) -> str:
        return str(option(self._crawler, "render", "WEBMAIN_RENDER") or "never")

    @cached_property
    def _sites(self) -> Sites:
        """The rules for single sites that say whether to draw pages."""
        return Sites({name: each for name, each in site_rules(self._crawler).tables.items() if each.render})

    def mode(self, url: str) -> str:
        """Return whether a page is to be drawn: "auto", "always", "never"."""
        rules = self._sites.of(url)
        return (rules and rules.render) or self._default

    def spider_opened(self) -> None:
        """End the crawl before it begins if pages are to be drawn but cannot be."""
        self._ticks = PeriodicCall(self._crawler, STOP_S / 2, self._close_if_stopped)
        settings = own(self._crawler.settings)
        modes = {self._default, *(each.render for each in self._sites.tables.values())}
        if modes == {"never"} or settings.get("WEBMAIN_REPLAY"):
            return
        sandbox = settings.getbool("WEBMAIN_CHROMIUM_SANDBOX")
        message = problem(settings.get("WEBMAIN_CHROMIUM") or "", sandbox=sandbox)
        if message:
            raise fail_crawl(self._crawler, "render", message)

    def _close_if_stopped(self) -> None:
        """End the browser soon after the crawl was stopped by a signal; pages being drawn stay pending."""
        if self._crawler.engine is not None and not self._crawler.engine.running:
            self._ending = self._ending or asyncio.ensure_future(self.spider_closed())

    async def spider_closed(self) -> None:
        """End the browser."""
        if self._browser is not None:
            browser, self._browser = self._browser, None
            try:
                await asyncio.wait_for(browser.close(), CLOSE_S)
            except Exception as error:  # it may have been ended already, as by Ctrl-C
                logger.debug("the browser was gone: %s", error)

    # ---- Pages

    async def summarise(self, page: Page, response: Response) -> tuple[Page, PageSummary]:
        """Return a page, drawn if necessary, and what discovery needs of it.

        A page that cannot be drawn continues as fetched; that is counted.

        Raises
        ------
        Rejected, PoolClosed
            As `Workers.summarise`.
        """
        workers, mode = Workers.of(self._crawler), self.mode(page.url or response.url)
        data: bytes | None = None
        try:
            if mode == "never" or page.rendering is not None or not self._can_render(page):
                return page, await workers.summarise(page)
            summary = await workers.summarise(page) if mode == "auto" else None
            if summary is not None and not shows_nothing(summary):
                return page, summary
            data = await self._render(page, response.url)
            if data is None:
                return page, summary or await workers.summarise(page)
            drawn = page.drawn(data)
            summary_drawn = await workers.summarise(drawn)
            if summary is not None and not summary_drawn.chars.sum() > summary.chars.sum():
                data = None
                return page, summary
        finally:
            recorder = self._crawler.get_downloader_middleware(Recorder)
            if recorder is not None and response.request is not None:
                recorder.settle(response.request.url, data)
        self._count("webmain/rendered")
        return drawn, summary_drawn

    def _can_render(self, page: Page) -> bool:
        """Return True if a page came from the network with an HTML content type; `Recorder` holds such pages."""
        is_replayed = own(self._crawler.settings).get("WEBMAIN_REPLAY")
        return not is_replayed and bool(page.body) and "html" in page.headers.get("content-type", "html").lower()

    async def _render(self, page: Page, url: str) -> bytes | None:
        """Return a page's rendering; None if that failed, which is counted."""
        body = page.body or b""
        rules = RequestRules(url, named_hosts(body.decode("latin-1"), url))
        headers = {"content-type": page.headers.get("content-type") or "text/html"}
        load = PageLoad(url, FetchedResponse(200, headers, body), rules, self._fetch)
        try:
            if is_closing(self._crawler):
                raise PoolClosed("the crawl ends")
            if self._browser is None:
                from webmain.crawl.browser import Browser

                self._browser = Browser(self._crawler)
            return await self._browser.render(load)
        except NoBrowserError as error:
            fail_crawl(self._crawler, "render", error)
            raise PoolClosed(str(error)) from error
        except RenderingError as error:
            if is_closing(self._crawler):  # the browser ends too; the page stays pending
                raise PoolClosed(str(error)) from error
            why = str(error).partition(":")[0].replace(" ", "_")
            logger.info("%s is not drawn: %s", page.url, error)
            self._count(f"webmain/render_failed/{why}")
            return None
        finally:
            self._count("webmain/render_requests", rules.n_requests)
            for why, n in rules.refused.items():
                self._count(f"webmain/render_refused/{why}", n)

    async def _fetch(self, url: str, headers: Mapping[str, str]) -> FetchedResponse | None:
        """Fetch a resource for a page that is drawn, as a request of the crawl; style sheets and scripts are cached."""
        if url in self._cache:
            self._cache.move_to_end(url)
            return self._cache[url]
        engine = self._crawler.engine
        assert engine is not None
        slot = f"render:{host(url)}"  # the site's own slot would delay every style sheet
        engine.downloader.per_slot_settings.setdefault(slot, {"delay": 0.0, "jitter": 0.0, "concurrency": 2})
        request = Request(
            url,
            headers=dict(headers),
            callback=NO_CALLBACK,
            dont_filter=True,
            priority=PRIORITY,
            meta={
                "download_slot": slot,
                "download_timeout": ANSWER_S,
                "download_maxsize": MAX_ANSWER_BYTES,
                "autothrottle_dont_adjust_delay": True,
                "dont_redirect": True,
                "dont_retry": True,
                "probe": True,
            },
        )
        try:
            response = await engine.download_async(request)
        except Exception as error:  # the page is drawn without it
            logger.debug("%s is not available: %s", url, error)
            return None
        answer = _answer(response)
        if answer.status == 200 and any(kind in answer.headers.get("content-type", "") for kind in ("css", "script")):
            self._keep(url, answer)
        return answer

    def _keep(self, url: str, answer: FetchedResponse) -> None:
        self._cache[url] = answer
        self._n_cached += len(answer.body)
        while self._n_cached > MAX_CACHE_BYTES:
            self._n_cached -= len(self._cache.popitem(last=False)[1].body)

    def _count(self, name: str, n: int = 1) -> None:
        if n:
            self._crawler.stats.inc_value(name, n)


def _answer(response: Response) -> FetchedResponse:
    headers = {
        name.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
        for name, values in response.headers.items()
    }
    location = headers.get("location") if 300 <= response.status < 400 else None
    target = join(response.url, location) or "about:blank" if location else None
    return FetchedResponse(response.status, headers, response.body, target)


def shows_nothing(summary: PageSummary) -> bool:
    """Return True if a page shows hardly any text and few links, and has no embedded article either."""
    few = THRESHOLDS.few_chars
    is_empty = paragraphs_of(summary.of_leaf, summary.chars, summary.linked).sum() < few
    return (
        is_empty
        and len(summary.links) < THRESHOLDS.few_links
        and sum(summary.embedded) < few
        and not summary.with_feeds_text
    )
