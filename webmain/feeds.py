"""Scrapy's feeds (`-o`, `-O`, FEEDS); a file that cannot be written is an error of the crawl."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING, Any

from scrapy.extensions.feedexport import FeedExporter

from webmain.signals import close_crawl

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.extensions.feedexport import FeedSlot

logger = logging.getLogger(__name__)


class Feeds(FeedExporter):
    """Scrapy's feed exporter; if a feed cannot be opened or written, the crawl ends with one message.

    Scrapy itself logs a traceback for each item, and counts nothing.
    """

    def open_spider(self, spider: Spider) -> None:
        """Set up the feeds."""
        try:
            super().open_spider(spider)
        except OSError as error:
            self._fail(error)

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Write an item to every feed."""
        if self.crawler.stats.get_value("webmain/feed_error"):
            return
        try:
            super().item_scraped(item, spider)
        except OSError as error:
            self._fail(error)
            close_crawl(self.crawler, "feed_error")

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        """Finish a feed; one without items is created here."""
        if self.crawler.stats.get_value("webmain/feed_error") and len(self.feeds) == 1:  # this one failed
            with contextlib.suppress(OSError, ValueError):
                if slot.file is not None:
                    slot.file.close()
            return
        try:
            await super()._close_slot(slot, spider)
        except (OSError, ValueError) as error:  # ValueError: an earlier failure closed its file
            self._fail(error, slot.uri)

    def _fail(self, error: Exception, uri: str = "") -> None:
        """Log the error once."""
        stats = self.crawler.stats
        if stats.get_value("webmain/feed_error"):
            return
        name = uri or ", ".join(self.feeds)
        message = f"feed {name}: can not be written: {error}"
        logger.error("%s", message)
        stats.set_value("webmain/feed_error", message)
