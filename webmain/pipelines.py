"""The walk from page to stored article as Scrapy pipelines: each is thin over one pure function, and counts.

`InWorkers` makes a page into an article, in a worker process where there are any (WEBMAIN_WORKERS); `Duplicates` and
`Store` follow. Its single steps are pipelines, too: Read, Segment, Extract, Merge, Compose, Cloud. A pipeline passes on
what is not its own, so that a spider may yield a `Page`, a finished `Article`, or items that webmain knows nothing of.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cached_property
from typing import Any

from scrapy.exceptions import CloseSpider, DropItem

from webmain import extraction as stages
from webmain.article.words import with_words
from webmain.extractors.base import Extraction
from webmain.html.blocks import Segmentation
from webmain.html.document import Document
from webmain.items import Article, Page
from webmain.sites.matching import extractor_of
from webmain.steps import PENDING, Step
from webmain.store.copies import Copies
from webmain.store.protocol import StoreError
from webmain.storing import Store as Store
from webmain.workers import Workers

logger = logging.getLogger(__name__)


class InWorkers(Step):
    """Page to Article: all that `webmain.extract` does, in a worker process that can be killed, where there are any."""

    @cached_property
    def workers(self) -> Workers:
        """The crawl's workers."""
        return Workers.of(self.crawler)

    async def process_item(self, item: Any) -> Any:
        """Make a page into an article."""
        if not isinstance(item, Page):
            return item
        self.crawler.stats.inc_value("webmain/pages")
        words, sign = (self.crawler.get_item_pipeline(step) is not None for step in (Cloud, Duplicates))
        with self.rejecting(item.url):
            return self.check(await self.workers.extract(item, self.extractor_of(item), count_words=words, sign=sign))


class Read(Step):
    """Page to Document: decode and wrap."""

    takes = Page

    def done(self, item: Page) -> Document:
        """Read a page."""
        return stages.read(item, self.options)


class Segment(Step):
    """Document to Segmentation: the method's own blocks."""

    takes = Document

    def done(self, item: Document) -> Segmentation:
        """Divide a page into blocks."""
        return stages.segment(item, extractor_of(item, self.extractor_of(item.page)))


class Extract(Step):
    """Segmentation to Extraction: a score and a verdict for each block."""

    takes = Segmentation

    def done(self, item: Segmentation) -> Extraction:
        """Judge the blocks."""
        return stages.judge_segmentation(item, extractor_of(item.document, self.extractor_of(item.document.page)))


class Merge(Step):
    """Extraction to Extraction: repeated blocks are merged or marked, by the method's own rule."""

    takes = Extraction

    def done(self, item: Extraction) -> Extraction:
        """Merge repeated blocks."""
        return stages.merge(item)


class Compose(Step):
    """Extraction to Article: text, kinds of blocks, metadata, the following pages; then `since` and `language`."""

    takes = Extraction

    def done(self, item: Extraction) -> Article:
        """Compose the article."""
        page = item.document.page
        article = stages.compose(item, keep=self.options.keep, require=self.options.require)
        return self.check(stages.with_parts(article, page.parts, self.extractor_of(page), self.options))


class Cloud(Step):
    """Article to Article: its words and how often they occur."""

    async def open_spider(self) -> None:
        """Read the stop words now: a missing file ends the crawl before it begins.

        A coroutine, as Scrapy 2.19 leaves those of the other pipelines unawaited where a plain method raises.
        """
        try:
            _ = self.options
        except (OSError, ValueError) as error:
            logger.error("WEBMAIN_STOPWORDS: %s", error)
            raise CloseSpider("stopwords_error") from error

    def done(self, item: Article) -> Article:
        """Count the words."""
        if item.n_words:
            return item
        return with_words(item, top=self.options.top_words or 0, own_stopwords=self.options.stopwords)


class Duplicates(Step):
    """Article to Article: the same article a second time is rejected, a copy of another is marked in `duplicate_of`.

    A text that recurs on pages of one site under different titles is rejected as boilerplate; nothing stored is deleted.
    """

    def process_item(self, item: Any) -> Any:
        """Look the article up among this crawl's and the store's."""
        try:
            return super().process_item(item)
        except StoreError as error:
            if self._store is not None:
                self._store.end(error)
            raise DropItem(PENDING, log_level="DEBUG") from error

    def done(self, item: Article) -> Article:
        """Mark a copy of another article."""
        item = self._copies.new(item)
        if self._store is not None and self._store.keeps_out(item):
            return item  # what is kept out is the original of nothing that is stored
        original = self._copies.original(item)
        if original is None:
            return item
        self.crawler.stats.inc_value("webmain/near_duplicates")
        return replace(item, duplicate_of=original)

    @cached_property
    def _store(self) -> Store | None:
        return self.crawler.get_item_pipeline(Store)

    @cached_property
    def _copies(self) -> Copies:
        return Copies(self._store.stores if self._store else None, Workers.of(self.crawler).signature)
