"""The spider `archive`: reads pages from WARC files and folders of HTML files instead of the network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Final, Self

from scrapy import Request, Spider

from webmain.archive.warc import ArchiveError, Skip, read_pages
from webmain.signals import crawl_closing
from webmain.spiders.arguments import read_archive_arguments, with_settings
from webmain.workers import Workers

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from webmain.items import Page

PAGES_AT_ONCE: Final = 256
"""Pages in the pipelines at a time: no fewer than are read, which is bounded by `Workers.room`."""

MAX_WARNINGS: Final = 10
"""Damaged files that the summary names; all are counted and logged."""


class ArchiveSpider(Spider):
    """Extract articles from an archive: `scrapy crawl archive -a path=pages.warc.gz -a store=jsonl:articles.jsonl`.

    Every HTML page of status 200 goes through the same pipelines as a crawl's, whatever its address. There is no
    network, no robots.txt and no delay.

    Arguments
    ---------
    path : WARC files (.warc, .gz, .zst, .lz4), folders of HTML and WARC files, globs; several separated by commas.
    extractor, store, since, language, max_articles, learn, keep, review_below, review_only : as for the spider `news`.
    require : the kind of page that is wanted; by default all are.
    max_pages : pages read, in all.

    Raises
    ------
    ArgumentError
        With everything that is wrong with the arguments.
    """

    name = "archive"
    record: str | None = None
    custom_settings = {"CONCURRENT_ITEMS": PAGES_AT_ONCE}

    def __init__(self, name: str | None = None, **arguments: object) -> None:
        super().__init__(name)
        self.arguments = read_archive_arguments(arguments)
        vars(self).update(self.arguments.options(), skip_known=False)
        self._closing = False
        self._n_warned = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make the spider for a crawl; store and extractor may also be settings."""
        spider = super().from_crawler(crawler, *args, **with_settings(kwargs, crawler.settings))
        crawler.signals.connect(spider._close, crawl_closing)
        return spider

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Use all cores where the setting leaves it open."""
        super().update_settings(settings)
        if settings.get("WEBMAIN_WORKERS") is None:
            settings.set("WEBMAIN_WORKERS", "auto", priority="spider")

    async def start(self) -> AsyncIterator[Any]:
        """Ask for nothing, so that the pages are the output of a callback: Scrapy takes them as it has room."""
        yield Request("data:,archive", callback=self.read, dont_filter=True, meta={"probe": True})

    async def read(self, response: Response) -> AsyncIterator[Page]:
        """Yield one page after the other until the end, a limit, or the end of the crawl."""
        workers = Workers.of(self.crawler)
        for n, page in enumerate(self._pages(), 1):
            await workers.room()
            yield page
            await asyncio.sleep(0)
            if n == self.arguments.max_pages:
                self.logger.info("stopped after %d pages, as max_pages asks", n)
                return
            if self._closing or self.crawler.engine is None or not self.crawler.engine.running:
                return

    def _close(self) -> None:
        self._closing = True

    def _pages(self) -> Iterator[Page]:
        """Read all paths in order; what gives no page is counted by its reason."""
        for path in self.arguments.files:
            n = 0
            try:
                for page in read_pages(path, on_skip=self._note_skip):
                    n += 1
                    self._count("webmain/archive/pages")
                    yield page
            except ArchiveError as error:  # removed since the arguments were read
                self.logger.error("%s", error)
                self._count("webmain/archive/missing")
            self.logger.info("%s: %d pages read", path, n)

    def _note_skip(self, reason: Skip, url: str | None) -> None:
        self._count(f"webmain/archive/skipped/{reason.value}")
        if reason in (Skip.DAMAGED, Skip.UNREADABLE):
            self.logger.warning("%s: %s", reason.value, url)
            self._warn(f"{reason.value}: {url}")
        else:
            self.logger.debug("skipped: %s: %s", reason.value, url)

    def _warn(self, message: str) -> None:
        """Name it in the summary, for the first few."""
        stats = self.crawler.stats
        self._n_warned += 1
        if stats is not None and self._n_warned <= MAX_WARNINGS:
            stats.set_value(f"webmain/warning/archive{self._n_warned:02}", message)

    def _count(self, name: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(name)
