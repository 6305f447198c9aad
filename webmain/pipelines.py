"""The walk from page to stored article as Scrapy pipelines: each is thin over one pure function, and counts.

`InWorkers` makes a page into an article, in a worker process where there are any (WEBMAIN_WORKERS); `Duplicates` and
`Store` follow. Its single steps are pipelines, too: Read, Segment, Extract, Merge, Compose, Cloud. A pipeline passes on
what is not its own, so that a spider may yield a `Page`, a finished `Article`, or items that webmain knows nothing of.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scrapy.exceptions import CloseSpider, DropItem

from webmain import extraction as stages
from webmain.article.identity import identify
from webmain.article.words import with_words
from webmain.extractors.base import Extraction, create
from webmain.filters import check_age, check_language, of_declared_site
from webmain.html.blocks import Segmentation
from webmain.html.document import Document
from webmain.items import Article, Page, Rejected
from webmain.learning import Assigned
from webmain.options import arguments, chosen, option, page_options
from webmain.pool import PoolClosed
from webmain.signals import Ticks, articles_stored, close_crawl, connect, tell_rejected
from webmain.sites.matching import extractor_of
from webmain.store.copies import Copies
from webmain.store.doubtful import Doubtful
from webmain.store.protocol import COMMIT_SECONDS, Stored, StoreError
from webmain.store.registry import open_stores
from webmain.urls import site_key
from webmain.workers import Workers

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webmain.extractors.base import Extractor
    from webmain.store.jsonl import JsonlStore
    from webmain.store.several import Stores

logger = logging.getLogger(__name__)

PENDING = "the crawl is being closed; the address stays pending"


class Step:
    """What the steps share: the crawler, its options, and what becomes of a rejection."""

    takes: ClassVar[type[Any]] = Article

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the step."""
        return cls(crawler)

    @cached_property
    def extractor(self) -> Extractor:
        """The spider's extractor, or the one that the settings name."""
        return create(option(self.crawler, "extractor", "WEBMAIN_EXTRACTOR"))

    @cached_property
    def options(self) -> stages.Options:
        """What is wanted of a page, and its limits, as the spider or the settings have it."""
        return page_options(self.crawler)

    def extractor_of(self, page: Page) -> Extractor:
        """Return what a page is to be judged by: what was learned of its site, else the crawl's extractor."""
        return page.extractor if isinstance(page, Assigned) else self.extractor

    def process_item(self, item: Any) -> Any:
        """Do the step with an item of its own; any other passes."""
        if not isinstance(item, self.takes):
            return item
        if isinstance(item, Page):
            self.crawler.stats.inc_value("webmain/pages")
        with self.rejecting((item.document if isinstance(item, Segmentation | Extraction) else item).url):
            return self.done(item)

    def done(self, item: Any) -> Any:
        """Return what becomes of an item."""
        raise NotImplementedError

    @contextmanager
    def rejecting(self, url: str | None) -> Iterator[None]:
        """Count and report a rejection, and drop the item; an unforeseen error is one, too."""
        try:
            with stages.errors_as_rejections(url, passing=(PoolClosed, StoreError)):
                yield
        except Rejected as rejected:
            tell_rejected(self.crawler, rejected, url=url)
            raise DropItem(str(rejected), log_level="DEBUG") from rejected
        except PoolClosed as closed:
            raise DropItem(PENDING, log_level="DEBUG") from closed

    def check(self, article: Article) -> Article:
        """Return an article under its site's own address; raise `Rejected` where it is too old or in another language."""
        check_age(article, chosen(self.crawler, "since"))
        check_language(article, chosen(self.crawler, "language"))
        return of_declared_site(article, getattr(self.crawler.spider, "is_one_site", None))


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


class Store(Step):
    """Article to Article: buffered, committed every 50 articles or once a second, told only when it is durable.

    A store that fails ends the crawl with the reason "store_error"; what was not committed stays pending. Articles in doubt
    (`review_below`) are listed after their commit and before they are reported; `review_only` keeps them in a store beside.

    Attributes
    ----------
    stores : Stores or None
        The open stores.
    places : tuple of (str, int)
        Specification and number of articles of each store, once the crawl has ended.
    """

    def __init__(self, crawler: Crawler, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(crawler)
        self.places: tuple[tuple[str, int], ...] = ()
        self.stores: Stores | None = None
        self._doubtful: Doubtful | None = None
        self._clock = clock
        self._canonical: dict[str, str] = {}
        self._extractors: dict[str, str] = {}
        self._accepted = 0
        self._closing = False
        self._run: int | None = None
        self._ticks = Ticks(crawler, COMMIT_SECONDS / 2, self._tick)
        connect(crawler, self, "spider_closed")

    @property
    def kept_out(self) -> JsonlStore | None:
        """The store of articles that are kept out of the others."""
        return self._doubtful.kept_out if self._doubtful else None

    def keeps_out(self, article: Article) -> bool:
        """Return True if an article is kept out of the stores."""
        return self._doubtful is not None and self._doubtful.keeps_out(article)

    async def open_spider(self) -> None:
        """Open the stores; where one cannot be opened the crawl ends with a message before it begins."""
        try:
            self.stores = open_stores(option(self.crawler, "store_spec", "WEBMAIN_STORE"))
            self._open_review()
            if database := self.stores.database:
                self._run = database.start_run(arguments(self.crawler.spider))
        except StoreError as error:
            self._fail(error)
            raise CloseSpider("store_error") from error

    def _open_review(self) -> None:
        """Open the review list where articles in doubt are to be listed."""
        below = float(option(self.crawler, "review_below", "WEBMAIN_REVIEW_BELOW") or 0)
        if below <= 0 or self.stores is None:
            return
        keep_out = bool(option(self.crawler, "review_only", "WEBMAIN_REVIEW_KEEP_OUT"))
        first = self.stores.stores[0].path
        self._doubtful = Doubtful(first, below=below, keep_out=keep_out)
        self.crawler.stats.set_value("webmain/review/below", below)
        self.crawler.stats.set_value("webmain/review/list", str(self._doubtful.list.path))

    def process_item(self, item: Any) -> Any:
        """Take an article."""
        if not isinstance(item, Article):
            return item
        limit = chosen(self.crawler, "max_articles")
        if self._closing or self.stores is None or (limit and self._accepted >= limit):
            raise DropItem(PENDING, log_level="DEBUG")
        self._accepted += 1
        self._extractors[identify(item)] = item.extractor
        if item.canonical_url:
            self._canonical[identify(item)] = item.canonical_url
        if self._doubtful is not None:
            self._doubtful.take(item)
        (self.kept_out if self.keeps_out(item) and self.kept_out is not None else self.stores).add(item)
        self._tick()
        if limit and self._accepted >= limit and not self._closing:
            self._closing = True
            close_crawl(self.crawler, "max_articles")
        return item

    def close_spider(self) -> None:
        """Commit what waits."""
        self._commit()

    def spider_closed(self, reason: str) -> None:
        """Note how the run ended, then close the stores."""
        if self.stores is None:
            return
        try:
            if self._run is not None and (database := self.stores.database):
                database.finish_run(self._run, reason=reason, stats=dict(self.crawler.stats.get_stats()))
            kept_out = [self.kept_out] if self.kept_out is not None else []
            self.places = tuple((store.spec, store.count()) for store in [*self.stores, *kept_out])
        except StoreError as error:
            self._fail(error)
        for holder in self._holders:
            try:
                self._tell(holder.close())
            except StoreError as error:
                self._fail(error)
        self._close_review()

    def _close_review(self) -> None:
        """Close the review list, and say so where no article could be on it."""
        if self._doubtful is None:
            return
        self._doubtful.close()
        stats = self.crawler.stats
        if self._doubtful.n_without:
            stats.set_value("webmain/review/without_confidence", self._doubtful.n_without)
        if self._doubtful.n_without and not self._doubtful.n_with:
            message = (
                f"review_below={self._doubtful.below:g}: {self.extractor.name} gives no confidence; nothing is listed"
            )
            logger.warning("%s", message)
            stats.set_value("webmain/warning/review", message)

    @property
    def _holders(self) -> list[Stores | JsonlStore]:
        return [holder for holder in (self.stores, self.kept_out) if holder is not None]

    def _tick(self) -> None:
        if any(holder.due(self._clock()) for holder in self._holders):
            self._commit()

    def _commit(self) -> None:
        """Make durable what waits, and tell it; a failure ends the crawl."""
        for holder in self._holders:
            try:
                self._tell(holder.commit())
            except StoreError as error:
                self.end(error)

    def end(self, error: StoreError) -> None:
        """End the crawl, as a store has failed."""
        self._fail(error)
        if not self._closing:
            self._closing = True
            close_crawl(self.crawler, "store_error")

    def _tell(self, stored: tuple[Stored, ...]) -> None:
        """List what is in doubt of what is durable now, count it, and pass it on."""
        if not stored:
            return
        stats = self.crawler.stats
        if self._doubtful is not None:
            noted = self._doubtful.note(stored)
            stats.inc_value("webmain/review/doubtful", noted.doubtful)
            stats.inc_value("webmain/review/listed", noted.listed)
            stats.inc_value("webmain/review/kept_out", noted.kept_out)
        canonical = {s.id: self._canonical.pop(s.id) for s in stored if s.id in self._canonical}
        for each in stored:
            stats.inc_value(f"webmain/articles/{each.outcome.value}")
            if extractor := self._extractors.pop(each.id, None):
                stats.inc_value(f"webmain/extractor/{extractor}")
            if site := site_key(each.url or ""):
                stats.inc_value(f"webmain/site/{site}/articles")
        self.crawler.signals.send_catch_log(articles_stored, stored=stored, canonical=canonical)

    def _fail(self, error: StoreError) -> None:
        """Say once what is wrong."""
        if not self.crawler.stats.get_value("webmain/store_error"):
            logger.error("The crawl ends: %s", error)
        self.crawler.stats.set_value("webmain/store_error", str(error))
