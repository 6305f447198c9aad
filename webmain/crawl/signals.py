"""Signals of a crawl beside Scrapy's own, and the one way in which a page's rejection is reported.

`articles_stored(stored, articles)`
    Sent after a store's commit has returned, never before: the `Stored` records, and the articles by their ids.
`page_rejected(rejected, url, retry_after_s)`
    A page gives no article. `url` is the address that was asked for, `retry_after_s` what the server asks to wait.
`page_failed(url, reason, retry_after_s)`
    An address could not be fetched; it stays pending.
`crawl_closing(reason)`
    A component of ours has asked for the end of the crawl.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider
from scrapy.utils.asyncio import create_looping_call
from scrapy.utils.defer import deferred_from_coro

from webmain.files import StoreFaultError
from webmain.urls import site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webmain.items import Rejected

articles_stored = object()
page_rejected = object()
page_failed = object()
crawl_closing = object()

SITE_PREFIX: Final = "webmain/site/"
"""With it begin the stats of single sites: webmain/site/SITE/NAME."""

logger = logging.getLogger("webmain")


def connect(crawler: Crawler, component: object, *names: str) -> None:
    """Connect methods of a component to the signals, Scrapy's or those above, of the same names."""
    for name in names:
        crawler.signals.connect(getattr(component, name), globals().get(name) or getattr(signals, name))


class Component:
    """Base class of extensions and middlewares; `signals` names the signals that are connected to methods of these names."""

    signals: ClassVar[tuple[str, ...]] = ()

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the component, and connect it to its signals."""
        component = cls(crawler)
        connect(crawler, component, *cls.signals)
        return component


class PeriodicCall:
    """Calls a function every few seconds, from the start of a crawl's engine until its spider is closed.

    Keep it: signals hold their receivers by weak references.
    """

    def __init__(self, crawler: Crawler, every_s: float, call: Callable[[], object]) -> None:
        self._every_s, self._call = every_s, call
        self._loop: Any = None
        connect(crawler, self, "engine_started", "spider_closed")

    def engine_started(self) -> None:
        """Begin."""
        self._loop = create_looping_call(self._call)
        self._loop.start(self._every_s, now=False)

    def spider_closed(self) -> None:
        """End."""
        if self._loop is not None and self._loop.running:
            self._loop.stop()


def count_for_site(crawler: Crawler, site: str, name: str, n: int = 1) -> None:
    """Count what a run gives of one site, under a name of `webmain.ledger.runs.Figures`, which the ledger keeps."""
    if site and n:
        crawler.stats.inc_value(f"{SITE_PREFIX}{site}/{name}", n)


def send_rejected(
    crawler: Crawler, rejected: Rejected, *, url: str | None = None, retry_after_s: float | None = None
) -> None:
    """Count, log and pass on that a page gives no article.

    Parameters
    ----------
    crawler : Crawler
    rejected : Rejected
    url : str or None
        The address, where the rejection does not name it.
    retry_after_s : float or None
        Seconds after which the server allows another try.
    """
    address = rejected.url or url or ""
    stats = crawler.stats
    stats.inc_value(f"webmain/rejected/{rejected.reason.value}")
    for name in ("rejected", f"rejected/{rejected.reason.value}"):
        count_for_site(crawler, site_key(address), name)
    logger.info("Rejected %s (%s) %s", rejected.reason.value, rejected.detail, address)
    crawler.signals.send_catch_log(page_rejected, rejected=rejected, url=address, retry_after_s=retry_after_s)


def send_failed(crawler: Crawler, url: str, reason: str) -> None:
    """Count, log and pass on that an address could not be fetched."""
    crawler.stats.inc_value(f"webmain/failed/{reason}")
    count_for_site(crawler, site_key(url), f"failed/{reason}")
    logger.info("Failed %s %s", reason, url)
    crawler.signals.send_catch_log(page_failed, url=url, reason=reason, retry_after_s=None)


def close_crawl(crawler: Crawler, reason: str) -> None:
    """Ask for the end of the crawl: what is under way is finished, what waits is left for the next run."""
    crawler.signals.send_catch_log(crawl_closing, reason=reason)
    if crawler.engine.spider is not None:
        deferred_from_coro(crawler.engine.close_spider_async(reason=reason))


def fail_crawl(crawler: Crawler, part: str, error: object) -> CloseSpider:
    """Report, once, that a part of a crawl has failed (`webmain/PART_error` in the stats), and end the crawl.

    The returned exception, raised while the spider is opened, ends the crawl before it begins.
    """
    name = f"webmain/{part}_error"
    if crawler.stats.get_value(name) is None:
        trace = error.__cause__ if isinstance(error, StoreFaultError) else None
        logger.error("The crawl ends: %s", error, exc_info=trace)
        crawler.stats.set_value(name, str(error))
        if not is_closing(crawler):
            close_crawl(crawler, f"{part}_error")
    return CloseSpider(f"{part}_error")


def is_closing(crawler: Crawler) -> bool:
    """Return True if a crawl is to end, or has: by a signal, a limit of Scrapy's own, or a component of ours."""
    engine = crawler.engine
    return engine is None or not engine.running or (engine._slot is not None and engine._slot.closing is not None)
