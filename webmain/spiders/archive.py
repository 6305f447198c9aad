"""The spider `archive`: reads pages from WARC files and folders of HTML files instead of the network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Final

from scrapy import Spider

from webmain.corpus.warc import ArchiveError, Skip, read_pages
from webmain.spiders.arguments import ArchiveArguments, read_archive_arguments

if TYPE_CHECKING:
    from webmain.items import Page

PAGES_AHEAD: Final = 8
"""Pages that are in the pipelines at most before the next one is read."""

_WAIT_S: Final = 0.002


class ArchiveSpider(Spider):
    """Extract articles from an archive: `scrapy crawl archive -a path=pages.warc.gz -a store=jsonl:articles.jsonl`.

    Every HTML page of status 200 goes through the same pipelines as a crawl's, whatever its address. There is no
    network, no robots.txt and no delay.

    Arguments
    ---------
    path : WARC files (.warc, .gz, .zst, .lz4), folders of HTML and WARC files, globs; several separated by commas.
    extractor, store, since, language, max_articles : as for the spider `news`.
    max_pages : pages read, in all.

    Raises
    ------
    ArgumentError
        With everything that is wrong with the arguments.
    """

    name = "archive"
    record: str | None = None

    def __init__(self, name: str | None = None, **arguments: object) -> None:
        super().__init__(name)
        self.arguments: ArchiveArguments = read_archive_arguments(arguments)
        self.extractor = self.arguments.extractor
        self.store_spec = self.arguments.store
        self.since = self.arguments.since
        self.language = self.arguments.language
        self.max_articles = self.arguments.max_articles
        self.max_pages = self.arguments.max_pages
        self.skip_known = False

    async def start(self) -> AsyncIterator[Any]:
        """Yield one page after the other, each when the pipelines have room for it."""
        for n, page in enumerate(self._pages(), 1):
            yield page
            await self._room()
            if n == self.max_pages:
                self.logger.info("stopped after %d pages, as max_pages asks", n)
                break

    def _pages(self) -> Iterator[Page]:
        """Read all paths in order; what gives no page is counted by its reason."""
        for path in self.arguments.paths:
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

    async def _room(self) -> None:
        """Give way to the pipelines, and wait until few enough pages are in them."""
        await asyncio.sleep(0)
        engine = self.crawler.engine
        while (
            engine is not None
            and engine.scraper.slot is not None
            and engine.scraper.slot.itemproc_size >= PAGES_AHEAD
            and engine.running
        ):
            await asyncio.sleep(_WAIT_S)

    def _note_skip(self, reason: Skip, url: str | None) -> None:
        self._count(f"webmain/archive/skipped/{reason.value}")
        if reason in (Skip.DAMAGED, Skip.UNREADABLE):
            self.logger.warning("%s: %s", reason.value, url)
        else:
            self.logger.debug("skipped: %s: %s", reason.value, url)

    def _count(self, name: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(name)
