"""The spider `archive`: reads pages from WARC files, folders of HTML files, and Common Crawl's news archives."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Self

from scrapy import Request, Spider

from webmain.archive.common_crawl import RecordFilter
from webmain.archive.warc import ArchiveError, Skip, read_pages
from webmain.crawl.signals import crawl_closing, is_closing, send_rejected
from webmain.crawl.workers import PAGES_AHEAD, Workers, n_workers
from webmain.html.walls import wall_of
from webmain.items import Reason, Rejected
from webmain.spiders.arguments import read_archive_arguments, with_settings
from webmain.spiders.news_months import NewsMonths
from webmain.urls import normalise

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from webmain.items import Page

MAX_WARNINGS: Final = 10
"""Damaged files listed in the summary; all are counted and logged."""


class ArchiveSpider(Spider):
    """Extract articles from an archive: `scrapy crawl archive -a path=pages.warc.gz -a store=jsonl:articles.jsonl`.

    Every HTML page of status 200 goes through the same pipelines as in a crawl, whatever its address. There is no
    robots.txt, no delay, and no network access except for `ccnews`.

    Arguments
    ---------
    path : WARC files (.warc, .gz, .zst, .lz4), folders of HTML and WARC files, globs; several separated by commas.
    ccnews : months of Common Crawl's news archives: 2026/10, 2026/08-2026/10, several separated by commas.
    base : where these archives are: a URL, or a folder with the same layout.
    domains : only records of these hosts and their subdomains are read, several separated by commas.
    max_bytes : total bytes of these archives to read: 500000000, 500MB, 20GB; not of the files in `path`.
    skip_known : `false` reads files of these archives again that an earlier run has finished.
    extractor, store, since, until, undated, language, section, max_articles, learn, keep, review_below, review_only : as for
        the spider `news`.
    require : the kind of page that is wanted; all kinds by default.
    max_pages : total pages to read.

    Raises
    ------
    ArgumentError
        Lists everything that is wrong with the arguments.
    """

    name = "archive"
    reads_captures = True
    """Pages are of any age: the latest capture of an address counts, not the one that is read last."""

    def __init__(self, name: str | None = None, **arguments: object) -> None:
        super().__init__(name)
        self.arguments = read_archive_arguments(arguments)
        vars(self).update(self.arguments.options())
        self.skip_known = self.arguments.skip_known and bool(self.arguments.months)
        self._months: NewsMonths | None = None
        self._wanted = RecordFilter(self.arguments.domains, since=self.arguments.since, until=self.arguments.until)
        self._closing = False
        self._n_warned = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Create the spider for a crawl; store and extractor may also come from settings."""
        spider = super().from_crawler(crawler, *args, **with_settings(kwargs, crawler.settings))
        crawler.signals.connect(spider._close, crawl_closing)
        if spider.arguments.months:
            spider._months = NewsMonths(crawler, spider.arguments, spider._wanted, spider._note)
        return spider

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Use all cores unless the setting says otherwise; Scrapy keeps `CONCURRENT_ITEMS` pages in memory."""
        super().update_settings(settings)
        if settings.get("WEBMAIN_WORKERS") is None:
            settings.set("WEBMAIN_WORKERS", "auto", priority="spider")
        settings.set("CONCURRENT_ITEMS", PAGES_AHEAD * max(2, n_workers(settings)), priority="spider")

    async def start(self) -> AsyncIterator[Any]:
        """Make a request that fetches nothing, so that pages come from a callback: Scrapy takes those only as it has room."""
        yield Request("data:,archive", callback=self.read, dont_filter=True, meta={"probe": True})

    async def read(self, response: Response) -> AsyncIterator[Page]:
        """Yield pages one by one until the end, a limit, or the end of the crawl."""
        workers = Workers.of(self.crawler)
        n = 0
        self.crawler.stats.set_value("webmain/archive/pages", 0)
        pages = self._pages()
        try:
            async for page in pages:
                await workers.room()
                if self._closing or is_closing(self.crawler):
                    return
                self._count("webmain/archive/pages")
                if wall := wall_of(page):
                    self._count(f"webmain/blocked/{wall}")
                    send_rejected(self.crawler, Rejected(Reason.BLOCKED, str(wall), url=page.url))
                    continue
                yield replace(page, url=normalise(page.url or "") or page.url)  # as in a crawl of the web
                n += 1
                await asyncio.sleep(0)
                if n == self.arguments.max_pages:
                    self.logger.info("stopped after %d pages, as max_pages asks", n)
                    return
        finally:
            await pages.aclose()
            self._count("webmain/archive/skipped/not_wanted", self._wanted.n_passed)

    def _close(self) -> None:
        self._closing = True
        if self._months is not None:
            self._months.close()

    async def _pages(self) -> AsyncGenerator[Page, None]:
        """Yield the pages of all months and all paths in order; count records without a page by reason."""
        if self._months is not None:
            async for page in self._months.pages():
                yield page
        for path in self.arguments.files:
            for page in self._pages_below(path):
                yield page

    def _pages_below(self, path: str) -> Iterator[Page]:
        """Yield the pages of a file, folder or glob."""
        n = n_other = 0

        def skip(reason: Skip, url: str | None) -> None:
            nonlocal n_other
            n_other += reason is Skip.OTHER_FILE
            self._count_skip(reason, url)

        try:
            for page in read_pages(path, on_skip=skip, is_wanted=self._wanted):
                n += 1
                yield page
        except ArchiveError as error:  # removed since the arguments were read
            self._note("missing", str(error), True)
        others = f", {n_other} other files passed over" if n_other else ""
        self.logger.info("%s: %d pages read%s", path, n, others)

    def _count_skip(self, reason: Skip, url: str | None) -> None:
        self._note(f"skipped/{reason.value}", f"{reason.value}: {url}", reason in (Skip.DAMAGED, Skip.UNREADABLE))

    def _note(self, name: str, message: str, is_warning: bool) -> None:
        """Count and log a record or file without a page; the first few warnings go into the summary."""
        self._count(f"webmain/archive/{name}")
        self.logger.log(logging.WARNING if is_warning else logging.DEBUG, "%s", message)
        self._n_warned += is_warning
        if is_warning and self._n_warned <= MAX_WARNINGS:
            self.crawler.stats.set_value(f"webmain/warning/archive{self._n_warned:02}", message)

    def _count(self, name: str, n: int = 1) -> None:
        if n:
            self.crawler.stats.inc_value(name, n)
