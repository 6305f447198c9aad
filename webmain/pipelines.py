"""The walk from page to stored article as Scrapy pipelines: each is thin over one pure function, and counts.

In order: InWorkers, Read, Segment, Extract, Merge, Compose, Cloud, Duplicates, Store. The item changes its type as it walks;
a pipeline passes on what is not its own, so that a spider may yield a `Page`, a finished `Article`, or items that webmain
knows nothing of. With worker processes (WEBMAIN_WORKERS) the first step does the work of the next six in one of them, else
each of these does its own in the crawl's process.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider, DropItem
from scrapy.utils.asyncio import create_looping_call

from webmain import extraction as stages
from webmain.article.identity import article_id, identify
from webmain.article.words import with_words
from webmain.extractors.base import Extraction
from webmain.extractors.registry import create
from webmain.filters import check_age, check_language
from webmain.html.blocks import Segmentation
from webmain.html.document import Document
from webmain.items import Article, Page, Rejected
from webmain.keep import Keep
from webmain.learning import Assigned
from webmain.options import chosen, option, own
from webmain.pool import PoolClosed
from webmain.signals import articles_stored, close_crawl, tell_rejected
from webmain.store.copies import Copies
from webmain.store.doubtful import Doubtful
from webmain.store.protocol import COMMIT_SECONDS, Stored, StoreError
from webmain.store.registry import open_stores
from webmain.text.stopwords import read_stopwords
from webmain.urls import site_key, without_credentials
from webmain.workers import Workers

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from webmain.extractors.base import Extractor
    from webmain.store.jsonl import JsonlStore
    from webmain.store.several import Stores

logger = logging.getLogger(__name__)


PENDING = "the crawl is being closed; the address stays pending"


class Step:
    """What the steps share: the crawler, and what becomes of a rejection."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the step."""
        return cls(crawler)

    def option(self, name: str, setting: str) -> Any:
        """Return a spider's attribute, or the setting that stands in for it."""
        return option(self.crawler, name, setting)

    @cached_property
    def settings(self) -> BaseSettings:
        """Webmain's settings, with the documented default of each that the project leaves out."""
        return own(self.crawler.settings)

    @cached_property
    def extractor(self) -> Extractor:
        """The spider's extractor, or the one that the settings name."""
        return create(self.option("extractor", "WEBMAIN_EXTRACTOR"))

    @cached_property
    def keep(self) -> Keep:
        """What beside running text is kept, as the spider or the settings say."""
        return Keep.of(self.option("keep", "WEBMAIN_KEEP"))

    def extractor_of(self, page: Page) -> Extractor:
        """Return what a page is to be judged by: what was learned of its site, else the crawl's extractor."""
        return page.extractor if isinstance(page, Assigned) else self.extractor

    @cached_property
    def limits(self) -> Mapping[str, Any]:
        """Bounds on one page."""
        return {
            "max_bytes": self.settings.getint("WEBMAIN_MAX_BYTES"),
            "timeout_s": self.settings.getfloat("WEBMAIN_PAGE_TIMEOUT_S") or None,
        }

    @contextmanager
    def rejecting(self, url: str | None) -> Iterator[None]:
        """Count a rejection by its reason, tell it, and drop the item; an unforeseen error is one, too."""
        try:
            with stages.errors_as_rejections(url, passing=(PoolClosed,)):
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
        return self._of_declared_site(article)

    def _of_declared_site(self, article: Article) -> Article:
        """Believe a claim to an address of a domain that the crawl was told to be of the same site."""
        is_one_site = getattr(self.crawler.spider, "is_one_site", None)
        claim = article.canonical_claim
        if is_one_site is None or not claim or article.canonical_url or not is_one_site(article.url or "", claim):
            return article
        return replace(article, id=article_id(claim), canonical_url=claim, canonical_claim=None)


class InWorkers(Step):
    """Page to Article: read, judged and composed, its words counted, in a worker process that can be killed."""

    @cached_property
    def workers(self) -> Workers:
        """The crawl's workers."""
        return Workers.of(self.crawler)

    async def process_item(self, item: Any) -> Any:
        """Make a page into an article."""
        if not isinstance(item, Page) or not self.workers.n:
            return item
        self.crawler.stats.inc_value("webmain/pages")
        with self.rejecting(item.url):
            return self.check(await self.workers.extract(item, self.extractor_of(item)))


class Read(Step):
    """Page to Document: decode and wrap."""

    def process_item(self, item: Any) -> Any:
        """Read a page."""
        if not isinstance(item, Page):
            return item
        self.crawler.stats.inc_value("webmain/pages")
        with self.rejecting(item.url):
            return stages.read(item, **self.limits)


class Segment(Step):
    """Document to Segmentation: the method's own blocks."""

    def process_item(self, item: Any) -> Any:
        """Divide a page into blocks."""
        if not isinstance(item, Document):
            return item
        with self.rejecting(item.url):
            return self.extractor_of(item.page).segment(item)


class Extract(Step):
    """Segmentation to Extraction: a score and a verdict for each block."""

    def process_item(self, item: Any) -> Any:
        """Judge the blocks."""
        if not isinstance(item, Segmentation):
            return item
        with self.rejecting(item.document.url):
            return stages.judge_segmentation(item, self.extractor_of(item.document.page))


class Merge(Step):
    """Extraction to Extraction: repeated blocks are merged or marked, as the method says."""

    def process_item(self, item: Any) -> Any:
        """Merge repeated blocks."""
        if not isinstance(item, Extraction):
            return item
        with self.rejecting(item.document.url):
            return stages.merge(item)


class Compose(Step):
    """Extraction to Article: text, kinds of blocks, metadata, the following pages; then `since` and `language`."""

    def process_item(self, item: Any) -> Any:
        """Compose the article."""
        if not isinstance(item, Extraction):
            return item
        document = item.document
        with self.rejecting(document.url):
            article = stages.compose(item, keep=self.keep)
            if document.page.parts:
                extractor = self.extractor_of(document.page)
                article = stages.stitch_parts(article, document.page.parts, extractor, keep=self.keep, **self.limits)
            return self.check(article)


class Cloud(Step):
    """Article to Article: its words and how often they occur."""

    @cached_property
    def stopwords(self) -> Mapping[str, frozenset[str]] | None:
        """The user's stop words, where there are any."""
        path = self.settings.get("WEBMAIN_STOPWORDS")
        return read_stopwords(path) if path else None

    async def open_spider(self) -> None:
        """Read the stop words now: a missing file ends the crawl before it begins.

        A coroutine, as Scrapy 2.19 leaves those of the other pipelines unawaited where a plain method raises.
        """
        try:
            _ = self.stopwords
        except (OSError, ValueError) as error:
            logger.error("WEBMAIN_STOPWORDS: %s", error)
            raise CloseSpider("stopwords_error") from error

    def process_item(self, item: Any) -> Any:
        """Count the words."""
        if not isinstance(item, Article) or item.n_words:
            return item
        top = self.settings.getint("WEBMAIN_TOP_WORDS")
        with self.rejecting(item.url):
            return with_words(item, top=top, own_stopwords=self.stopwords)


class Duplicates(Step):
    """Article to Article: the same article a second time is rejected, a copy of another is marked in `duplicate_of`.

    A text that recurs on pages of one site under different titles is rejected as boilerplate; nothing stored is deleted.
    """

    def process_item(self, item: Any) -> Any:
        """Look the article up among this crawl's and the store's."""
        if not isinstance(item, Article):
            return item
        failure: StoreError | None = None
        with self.rejecting(item.url):
            item = self._copies.new(item)
            if self._store is not None and self._store.keeps_out(item):
                return item  # what is kept out is the original of nothing that is stored
            try:
                original = self._copies.original(item)
            except StoreError as error:
                failure = error
        if failure is not None:
            if self._store is not None:
                self._store.end(failure)
            raise DropItem(PENDING, log_level="DEBUG") from failure
        if original is None:
            return item
        self.crawler.stats.inc_value("webmain/near_duplicates")
        return replace(item, duplicate_of=original)

    @cached_property
    def _store(self) -> Store | None:
        return self.crawler.get_item_pipeline(Store)

    @cached_property
    def _copies(self) -> Copies:
        return Copies(self._store.stores if self._store else None)


class Store(Step):
    """Article to Article: buffered, committed every 50 articles or once a second, told only when it is durable.

    A store that fails ends the crawl with the reason "store_error"; what was not committed stays pending. Articles in doubt
    (`review_below`) are listed after their commit and before they are told; `review_only` keeps them in a store beside.

    Attributes
    ----------
    places : tuple of (str, int)
        Specification and number of articles of each store, once the crawl has ended.
    """

    def __init__(self, crawler: Crawler, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(crawler)
        self.places: tuple[tuple[str, int], ...] = ()
        self._stores: Stores | None = None
        self._doubtful: Doubtful | None = None
        self._clock = clock
        self._canonical: dict[str, str] = {}
        self._extractors: dict[str, str] = {}
        self._accepted = 0
        self._closing = False
        self._run: int | None = None
        self._ticks: Any = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the step; it ends the run in the database when the spider is closed."""
        step = cls(crawler)
        crawler.signals.connect(step.spider_closed, signals.spider_closed)
        return step

    @property
    def stores(self) -> Stores | None:
        """The open stores."""
        return self._stores

    @property
    def kept_out(self) -> JsonlStore | None:
        """The store of articles that are kept out of the others."""
        return self._doubtful.kept_out if self._doubtful else None

    def keeps_out(self, article: Article) -> bool:
        """Tell whether an article is kept out of the stores."""
        return self._doubtful is not None and self._doubtful.keeps_out(article)

    async def open_spider(self) -> None:
        """Open the stores (a coroutine for the reason that `Cloud.open_spider` gives)."""
        self.open()

    def open(self) -> None:
        """Open the stores; where one cannot be opened the crawl ends with a message before it begins."""
        spec = self.option("store_spec", "WEBMAIN_STORE")
        try:
            self._stores = open_stores(spec)
            self._open_review()
            if database := self._stores.database:
                self._run = database.start_run(arguments(self.crawler.spider))
        except StoreError as error:
            self._fail(error)
            raise CloseSpider("store_error") from error
        self._ticks = create_looping_call(self._tick)
        self._ticks.start(COMMIT_SECONDS / 2, now=False)

    def _open_review(self) -> None:
        """Open the review list where articles in doubt are to be listed."""
        below = float(self.option("review_below", "WEBMAIN_REVIEW_BELOW") or 0)
        if below <= 0 or self._stores is None:
            return
        keep_out = bool(self.option("review_only", "WEBMAIN_REVIEW_KEEP_OUT"))
        first = self._stores.stores[0].spec.partition(":")[2]
        self._doubtful = Doubtful(first, below=below, keep_out=keep_out)
        self.crawler.stats.set_value("webmain/review/below", below)
        self.crawler.stats.set_value("webmain/review/list", str(self._doubtful.list.path))

    def process_item(self, item: Any) -> Any:
        """Take an article."""
        if not isinstance(item, Article):
            return item
        limit = chosen(self.crawler, "max_articles")
        if self._closing or self._stores is None or (limit and self._accepted >= limit):
            raise DropItem(PENDING, log_level="DEBUG")
        self._accepted += 1
        self._extractors[identify(item)] = item.extractor
        if item.canonical_url:
            self._canonical[identify(item)] = item.canonical_url
        if self._doubtful is not None:
            self._doubtful.take(item)
        (self.kept_out if self.keeps_out(item) and self.kept_out is not None else self._stores).add(item)
        self._tick()
        if limit and self._accepted >= limit and not self._closing:
            self._closing = True
            close_crawl(self.crawler, "max_articles")
        return item

    def close_spider(self) -> None:
        """Commit what waits."""
        if self._ticks is not None and self._ticks.running:
            self._ticks.stop()
        self._commit()

    def spider_closed(self, reason: str) -> None:
        """Note how the run ended, then close the stores."""
        if self._stores is None:
            return
        try:
            if self._run is not None and (database := self._stores.database):
                database.finish_run(self._run, reason=reason, stats=dict(self.crawler.stats.get_stats()))
            kept_out = [self.kept_out] if self.kept_out is not None else []
            self.places = tuple((store.spec, store.count()) for store in [*self._stores, *kept_out])
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
        return [holder for holder in (self._stores, self.kept_out) if holder is not None]

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


def arguments(spider: Spider | None) -> dict[str, Any]:
    """Return what a spider was called with, as far as it can be written down."""
    plain = (str, int, float, bool, datetime)
    values = {k: v for k, v in vars(spider).items() if isinstance(v, plain) and not k.startswith("_")} if spider else {}
    values = {k: without_credentials(v) if isinstance(v, str) else v for k, v in values.items()}
    values.setdefault("name", getattr(spider, "name", ""))
    extractor = getattr(spider, "extractor", None)
    if extractor is not None:
        values["extractor"] = str(extractor)
    return values
