"""The spider middleware that holds pages back until their site's model is learned.

It is between the spider and the pipelines, since a pipeline returns one item per item. What is learned, and when, is decided
by `webmain.sites.learning`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from scrapy import Request, Spider, signals
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import DontCloseSpider, NotConfigured
from scrapy.settings import Settings
from scrapy.utils.project import get_project_settings

from webmain.corrections.file import CorrectionsFile
from webmain.crawl.options import chosen, option, own, site_rules
from webmain.crawl.signals import Component, PeriodicCall, close_crawl, count_for_site, send_rejected
from webmain.crawl.visiting import VISIT
from webmain.crawl.workers import Workers
from webmain.extractors.base import DEFAULT, Extractor, SiteExtractor, create
from webmain.items import Page, Rejected
from webmain.processes.page_tasks import MAX_DOCUMENTS
from webmain.processes.pool import PoolClosed
from webmain.sites.fitting import Event
from webmain.sites.held_pages import Spool
from webmain.sites.learning import Learning, PageResemblance
from webmain.sites.model_store import ModelStore
from webmain.urls import site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

SPOOL: Final = ".held"  # folder, beside the models, for held-back pages

LEARN_PAGES: Final = 20
"""Pages per site before it is learned, unless the extractor needs more or the setting differs; more pages than the
methods' minimum give better models."""

MAX_WARNINGS: Final = 10  # warnings shown in the summary; all are counted and logged

_WARNED: Final = {
    Event.UNUSABLE: "webmain/model_unusable",
    Event.LAYOUT_CHANGED: "webmain/layout_changed",
    Event.UNWATCHED: "webmain/layout_unwatched",
}
"""Events that give a warning, with their counters."""

_TICK_S: Final = 2.0
_PRIORITY: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignedPage(Page):
    """A page with the extractor assigned to it."""

    extractor: Extractor

    @classmethod
    def of(cls, page: Page, extractor: Extractor) -> Self:
        """Return a page with an extractor assigned."""
        return cls(**{each.name: getattr(page, each.name) for each in fields(Page)}, extractor=extractor)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A started comparison of a page with a model; `model` is None if there was none."""

    model: SiteExtractor | None
    found: asyncio.Future[PageResemblance]
    is_visit: bool


class SiteLearning(Component):
    """Holds a site's pages back until the spider's extractor has learned the site, then releases them.

    Disabled if the extractor does not learn, or learning is switched off. Pages from the spider wait on disk. When there
    are enough, the spider is idle, or they have waited too long, the extractor is fitted and they continue as ordinary
    items, each with its extractor (`AssignedPage`). Pages are read and sites learned by the crawl's `Workers`. Until then
    nothing is marked done: a killed or stopped crawl leaves the pages pending.

    Settings
    --------
    WEBMAIN_LEARN, WEBMAIN_MODELS, WEBMAIN_CORRECTIONS, WEBMAIN_LEARN_PAGES, WEBMAIN_LEARN_HOLD_S, WEBMAIN_LEARN_MAX_HELD
    """

    signals = ("spider_opened", "spider_idle", "spider_closed")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings, learn = own(crawler.settings), chosen(crawler, "learn")
        if not (settings.getbool("WEBMAIN_LEARN") if learn is None else learn):
            raise NotConfigured
        extractor = create(option(crawler, "extractor", "WEBMAIN_EXTRACTOR"))
        if not isinstance(extractor, SiteExtractor) or extractor.learned is not None:
            raise NotConfigured
        folder = Path(settings.get("WEBMAIN_MODELS")).expanduser()
        self._spool = Spool(folder / SPOOL)
        self._learning = Learning(
            extractor,
            models=ModelStore(folder),
            spool=self._spool,
            default=create(DEFAULT),
            pages=int(settings.get("WEBMAIN_LEARN_PAGES") or 0) or _pages(extractor, crawler),
            hold_s=_hold_s(crawler.settings),
            max_held=settings.getint("WEBMAIN_LEARN_MAX_HELD"),
            corrected=CorrectionsFile(settings.get("WEBMAIN_CORRECTIONS")).pages_of,
            report=self._report,
        )
        self._rules = site_rules(crawler)
        self._n_warned = 0
        self._held_at_idle = -1
        self._is_requested = False
        self._ticks = PeriodicCall(crawler, _TICK_S, self._tick)

    @cached_property
    def _workers(self) -> Workers:
        return Workers.of(self._crawler)

    # ---- Passing pages

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Hold pages back, and release those of sites that are ready."""
        is_visit = response.meta.get("purpose") == VISIT
        async for item, begun in self._prefetch(result, is_visit=is_visit):
            if begun is None:
                yield item
                continue
            if (passing := await self._handle_page(item, begun)) is not None:
                yield passing
            while (site := self._learning.ready()) is not None:
                async for page in self._release(site):
                    yield page

    async def _prefetch(
        self, result: AsyncIterator[Any], *, is_visit: bool = False
    ) -> AsyncIterator[tuple[Any, _Comparison | None]]:
        """Yield items in order, pages with a comparison that was started while earlier ones were processed."""
        waiting: asyncio.Queue[tuple[Any, _Comparison | None] | Exception | None] = asyncio.Queue(
            2 * self._workers.n or 1
        )

        async def read() -> None:
            try:
                async for item in result:
                    item = self._assigned(item) if isinstance(item, Page) else item
                    is_open = isinstance(item, Page) and not isinstance(item, AssignedPage)
                    await waiting.put((item, self._begin(item, is_visit=is_visit) if is_open else None))
            except Exception as error:
                await waiting.put(error)
            else:
                await waiting.put(None)

        reading = asyncio.ensure_future(read())
        try:
            while (found := await waiting.get()) is not None:
                if isinstance(found, Exception):
                    raise found
                yield found
        finally:
            reading.cancel()

    def _assigned(self, page: Page) -> Page:
        """Assign an extractor to a page whose site rules set one, so that nothing is learned for it."""
        rules = None if isinstance(page, AssignedPage) else self._rules.of(page.url)
        return AssignedPage.of(page, create(rules.extractor)) if rules and (rules.extractor or rules.body) else page

    def _begin(self, page: Page, *, is_visit: bool = False) -> _Comparison:
        """Start to compare a page with its site's current model."""
        url = page.url or ""
        site = site_key(url) if url.startswith(("http://", "https://")) else None
        return self._compare_with(page, self._model(site, is_visit=is_visit) if site is not None else None, is_visit)

    def _model(self, site: str, *, is_visit: bool) -> SiteExtractor | None:
        return self._learning.stored_model(site) if is_visit else self._learning.model(site)

    def _compare_with(self, page: Page, model: SiteExtractor | None, is_visit: bool) -> _Comparison:
        is_one_of_many = self._learning.n_held > MAX_DOCUMENTS and self._learning.is_held(site_key(page.url or ""))
        keep = model is not None or not is_one_of_many
        found = asyncio.ensure_future(self._workers.compare(page, model, keep=keep))
        found.add_done_callback(lambda done: done.cancelled() or done.exception())  # the result may never be used
        return _Comparison(model, found, is_visit)

    async def _handle_page(self, page: Page, begun: _Comparison) -> AssignedPage | None:
        """Return a page that continues at once; None if it is held back or rejected."""
        found = await self._compare(page, begun)
        if found is None:
            return None
        # On a revisit the same model is used as before if possible: a different verdict would look like an edit.
        extractor = self._learning.extractor_after(found) if begun.is_visit else self._learning.add_page(page, found)
        if extractor is None:
            self._crawler.stats.inc_value("webmain/learning/held")
            return None
        return AssignedPage.of(page, extractor)

    async def _compare(self, page: Page, begun: _Comparison) -> PageResemblance | None:
        """Return the comparison of a page with its site's current model; None if it is rejected or the crawl ends."""
        try:
            while True:
                found = await begun.found
                model = self._model(found.site, is_visit=begun.is_visit)
                if model is begun.model:  # else its site or model is new
                    return found
                begun = self._compare_with(page, model, begun.is_visit)
        except Rejected as rejected:
            self._crawler.stats.inc_value("webmain/pages")
            send_rejected(self._crawler, rejected, url=page.url)
        except PoolClosed:
            logger.debug("%s stays pending: the crawl is being closed", page.url)
        return None

    async def _release(self, site: str) -> AsyncIterator[AssignedPage]:
        """Learn a site if needed, and yield its pages."""
        if learning_task := self._learning.learning_task(site):
            logger.info("%s: %d pages waited", site, len(learning_task.pages))
            try:
                self._learning.apply_result(site, await self._workers.learn(learning_task))
            except PoolClosed:
                return
        while (page := self._learning.release(site)) is not None:
            self._crawler.stats.inc_value("webmain/learning/released")
            if (found := await self._compare(page, self._begin(page))) is not None:
                yield AssignedPage.of(page, self._learning.extractor_after(found))

    # ---- Pages that have waited long enough

    def spider_opened(self) -> None:
        """Remove the spools of killed crawls."""
        self._spool.sweep()

    def _tick(self) -> None:
        engine = self._crawler.engine
        if engine.running and engine.spider is not None and self._learning.overdue():
            self._ask(everything=False)

    def spider_idle(self, spider: Spider) -> None:
        """Release held-back pages before the spider is closed."""
        n = self._learning.n_held
        if not n or n == self._held_at_idle or not self._crawler.engine.spider_is_idle():
            return
        self._held_at_idle = n  # if nothing is released, the next idle ends the crawl
        self._is_requested = False
        self._ask(everything=True)
        raise DontCloseSpider

    def _ask(self, *, everything: bool) -> None:
        """Schedule a request that fetches nothing, whose callback yields the pages: only callbacks can yield items."""
        if self._is_requested:
            return
        self._is_requested = True
        self._crawler.engine.crawl(
            Request(
                "data:,released",
                callback=self.answer,
                errback=self.failed,
                cb_kwargs={"everything": everything},
                dont_filter=True,
                priority=_PRIORITY,
                meta={"probe": True, "download_slot": "webmain-released"},
            )
        )

    async def answer(self, response: Response, everything: bool) -> AsyncIterator[AssignedPage]:
        """Release the pages that have waited long enough, or all of them."""
        self._is_requested, self._held_at_idle = False, -1
        for site in self._learning.waiting() if everything else self._learning.overdue():
            async for page in self._release(site):
                yield page

    def failed(self, _failure: object) -> None:
        """Allow another request for held-back pages."""
        self._is_requested = False

    def spider_closed(self) -> None:
        """Remove the spool; pages still in it are fetched again by the next crawl."""
        if n := self._learning.n_held:
            self._crawler.stats.set_value("webmain/learning/left", n)
            logger.info("%d pages waited for their sites to be learned; their addresses stay pending", n)
        self._spool.close()

    # ---- Reports

    def _report(self, event: Event, site: str, detail: str) -> None:
        stats = self._crawler.stats
        message = f"{site or 'pages without a site'}: {detail}"
        if event is Event.FAILED:
            logger.error("%s", message)
            stats.set_value("webmain/learn_error", message)
        elif event in _WARNED:
            stats.inc_value(_WARNED[event])
            if event is Event.LAYOUT_CHANGED:
                count_for_site(self._crawler, site, "layout_changed")
            logger.log(logging.WARNING if event is Event.UNUSABLE else logging.INFO, "%s", message)
            self._warn(message)
        else:
            stats.inc_value(f"webmain/sites/{event.value}")
            logger.info("%s: %s: %s", site or "pages without a site", event.value.replace("_", " "), detail)

    def _warn(self, message: str) -> None:
        """Add a warning to the summary, up to a maximum number."""
        self._n_warned += 1
        if self._n_warned <= MAX_WARNINGS:
            self._crawler.stats.set_value(f"webmain/warning/learning{self._n_warned:02}", message)


def _hold_s(settings: BaseSettings) -> float:
    """Return how long pages may be held back: less than a user's time limit, or no crawl would ever release them."""
    limits = [settings.getfloat(name) for name in ("CLOSESPIDER_TIMEOUT", "CLOSESPIDER_TIMEOUT_NO_ITEM")]
    given = [own(settings).getfloat("WEBMAIN_LEARN_HOLD_S"), *(limit / 2 for limit in limits)]
    return min(filter(None, given), default=0.0)


def _pages(extractor: SiteExtractor, crawler: Crawler) -> int:
    """Return how many pages to wait for; in a small crawl, no more than the articles wanted."""
    most = chosen(crawler, "max_articles") or LEARN_PAGES
    return max(extractor.min_pages, min(LEARN_PAGES, most))


def gather(sites: Sequence[str], spool: Spool, *, max_pages: int, contact: str = "") -> bool:
    """Crawl sites and spool the pages of their articles; nothing is stored and no model is made.

    Returns False if the crawl was stopped by a signal.

    Parameters
    ----------
    sites : sequence of str
        Domains or addresses.
    max_pages : int
        Articles per site; at most about twice as many pages are fetched.
    contact : str
        Contact address for the user agent.
    """
    process = CrawlerProcess(bare_settings(**({"WEBMAIN_CONTACT": contact} if contact else {})))
    crawler = process.create_crawler("news")
    wanted = {site_key(site) for site in sites}

    def keep(item: Any) -> None:
        site = site_key(item.url or "") if isinstance(item, Page) else ""
        if site and spool.count(site) < max_pages:
            spool.put(site, item)
        if wanted and all(spool.count(each) >= max_pages for each in wanted):
            wanted.clear()
            close_crawl(crawler, "max_articles")

    crawler.signals.connect(keep, signals.item_scraped)
    process.crawl(crawler, site=",".join(sites), max_pages=len(sites) * (2 * max_pages + 20), extractor=DEFAULT)
    process.start()
    return bool(crawler.stats.get_value("finish_reason") != "shutdown")


def bare_settings(**values: Any) -> Settings:
    """Return the project's settings, or webmain's own, plus these values, for a crawl that stores nothing."""
    settings = get_project_settings()
    if settings.get("WEBMAIN_MODELS") is None:
        settings = Settings()
        settings.setmodule("webmain.settings", priority="project")
    bare: dict[str, Any] = {
        "ITEM_PIPELINES": {},
        "WEBMAIN_LEDGER": "",
        "WEBMAIN_LEARN": False,
        "WEBMAIN_SUMMARY": False,
        "WEBMAIN_PROGRESS_S": 0,
        "WEBMAIN_STATS_DIR": "",
        "FEEDS": {},
        "LOG_LEVEL": "WARNING",
    }
    settings.update({**bare, **values}, priority="cmdline")
    return settings
