"""Scrapy pipelines from page to stored article; each step calls one pure function and counts.

`InWorkers` turns a page into an article, in a worker process if there are any (WEBMAIN_WORKERS); `Duplicates` and `Store`
follow. Its single steps are pipelines too: Read, Segment, Extract, Merge, Compose, Cloud. A pipeline passes on items of
other types unchanged, so a spider may yield a `Page`, a finished `Article`, or items unknown to webmain.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from scrapy.exceptions import CloseSpider, DropItem

from webmain import extraction as stages
from webmain.article.words import with_words
from webmain.crawl.robots import with_ledger
from webmain.crawl.steps import PENDING, Step
from webmain.crawl.storing import Store as Store
from webmain.crawl.workers import Workers
from webmain.extractors.base import Extraction
from webmain.html.blocks import Segmentation
from webmain.html.document import Document
from webmain.items import Article, Page
from webmain.sites.matching import extractor_of
from webmain.store.duplicates import DuplicateDetector, moved
from webmain.store.protocol import StoreError
from webmain.text.stopwords import StopWordFileError

logger = logging.getLogger(__name__)


class InWorkers(Step):
    """Page to Article: all of `webmain.extract`, in a worker process (if there are any) that can be killed."""

    @cached_property
    def workers(self) -> Workers:
        """The crawl's workers."""
        return Workers.of(self.crawler)

    async def process_item(self, item: Any) -> Any:
        """Extract the article of a page."""
        if not isinstance(item, Page):
            return item
        self.crawler.stats.inc_value("webmain/pages")
        words, sign = (self.crawler.get_item_pipeline(step) is not None for step in (Cloud, Duplicates))
        with self.rejecting(item.url):
            return self.check(await self.workers.extract(item, self.extractor_of(item), count_words=words, sign=sign))


class Read(Step):
    """Page to Document: decode and parse."""

    takes = Page

    def done(self, item: Page) -> Document:
        """Read a page."""
        return stages.read(item, self.options)


class Segment(Step):
    """Document to Segmentation: the extractor's own blocks."""

    takes = Document

    def done(self, item: Document) -> Segmentation:
        """Segment a page into blocks."""
        return stages.segment(item, extractor_of(item, self.extractor_of(item.page)))


class Extract(Step):
    """Segmentation to Extraction: a score and a verdict for each block."""

    takes = Segmentation

    def done(self, item: Segmentation) -> Extraction:
        """Judge the blocks."""
        return stages.judge_segmentation(item, extractor_of(item.document, self.extractor_of(item.document.page)))


class Merge(Step):
    """Extraction to Extraction: repeated blocks are merged or marked, by the extractor's own rule."""

    takes = Extraction

    def done(self, item: Extraction) -> Extraction:
        """Merge repeated blocks."""
        return stages.merge(item)


class Compose(Step):
    """Extraction to Article: text, kinds of blocks, metadata, the further parts; then the filters."""

    takes = Extraction

    def done(self, item: Extraction) -> Article:
        """Compose the article."""
        page = item.document.page
        article = stages.compose(item, keep=self.options.keep, require=self.options.require)
        return self.check(stages.with_parts(article, page.parts, self.extractor_of(page), self.options))


class Cloud(Step):
    """Article to Article: its words and how often they occur."""

    async def open_spider(self) -> None:
        """Read the options now, so that a missing file of stop words ends the crawl before it begins.

        A coroutine, since Scrapy 2.19 does not await those of the other pipelines if a plain method raises.
        """
        try:
            _ = self.options
        except (OSError, ValueError) as error:
            setting = "WEBMAIN_STOPWORDS: " if isinstance(error, StopWordFileError) else ""
            logger.error("The crawl ends: %s%s", setting, error)
            raise CloseSpider("options_error") from error

    def done(self, item: Article) -> Article:
        """Count the words."""
        if item.n_words:
            return item
        return with_words(item, top=self.options.top_words or 0, own_stopwords=self.options.stopwords)


class Duplicates(Step):
    """Article to Article: an article that was seen before is rejected; a copy of another is marked in `duplicate_of`.

    A stored article that has moved to another address of its site stays one article. A text that recurs on pages of one site
    under different titles is rejected as boilerplate; nothing stored is deleted.
    """

    def process_item(self, item: Any) -> Any:
        """Compare the article with those of this crawl and of the store; return an awaitable if that takes a request."""
        try:
            item = super().process_item(item)
            if isinstance(item, Article) and item.duplicate_of:
                self.crawler.stats.inc_value("webmain/near_duplicates")
                has_moved = getattr(self.crawler.spider, "has_moved", None)
                if has_moved and item.url and (old := self._duplicates.old_address(item)):
                    return self._original_or_copy(item, has_moved(old, item.url))
            return item
        except StoreError as error:
            if self._store is not None:
                self._store.end(error)
            raise DropItem(PENDING, log_level="DEBUG") from error

    async def _original_or_copy(self, item: Article, has_moved: Awaitable[bool]) -> Article:
        """Return a copy as its original if that has moved to the copy's address."""
        return moved(item, item.duplicate_of or "") if await has_moved else item

    def done(self, item: Article) -> Article:
        """Mark the article if it is a copy of another."""
        item = self._duplicates.as_new_article(item)
        if self._store is not None and self._store.keeps_out(item):
            return item  # an article kept out of the store cannot be an original
        original = self._duplicates.find_original(item)
        return replace(item, duplicate_of=original) if original else item

    @cached_property
    def _store(self) -> Store | None:
        return self.crawler.get_item_pipeline(Store)

    @cached_property
    def _duplicates(self) -> DuplicateDetector:
        def stored_from(urls: Sequence[str]) -> list[str]:
            return with_ledger(self.crawler, lambda ledger: ledger.article_ids(urls)) or []

        return DuplicateDetector(
            self._store.stores if self._store else None,
            Workers.of(self.crawler).signature,
            stored_from,
            by_date=getattr(self.crawler.spider, "reads_captures", False),
        )
