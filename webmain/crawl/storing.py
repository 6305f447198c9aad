"""The pipeline that stores articles and reports them once they are durable."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from webmain.article.identity import identify
from webmain.crawl.options import arguments, chosen, option
from webmain.crawl.signals import PeriodicCall, articles_stored, close_crawl, connect, count_for_site, fail_crawl
from webmain.crawl.steps import PENDING, Step
from webmain.items import Article
from webmain.revisions.kinds import ChangeKind
from webmain.store.protocol import COMMIT_SECONDS, Stored, StoreError
from webmain.store.registry import open_stores
from webmain.store.review import ReviewedArticles
from webmain.urls import site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webmain.store.jsonl import JsonlStore
    from webmain.store.multiple_stores import Stores

logger = logging.getLogger(__name__)


class Store(Step):
    """Article to Article: buffered, committed every 50 articles or once a second, reported only when durable.

    If a store fails, the crawl ends with the reason "store_error" and uncommitted articles stay pending. Articles below the
    confidence `review_below` are listed after their commit, before they are reported; `review_only` puts them in a separate
    store.
    """

    def __init__(self, crawler: Crawler, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(crawler)
        # specification and number of articles of each store, set when the crawl has ended
        self.places: tuple[tuple[str, int], ...] = ()
        self.stores: Stores | None = None  # the open stores
        self._doubtful: ReviewedArticles | None = None
        self._clock = clock
        self._waiting: dict[str, Article] = {}
        self._accepted = 0
        self._closing = False
        self._run: int | None = None
        self._ticks = PeriodicCall(crawler, COMMIT_SECONDS / 2, self._tick)
        connect(crawler, self, "spider_closed")

    @property
    def kept_out(self) -> JsonlStore | None:
        """The store of articles that are kept out of the main stores."""
        return self._doubtful.kept_out if self._doubtful else None

    def keeps_out(self, article: Article) -> bool:
        """Return True if an article is kept out of the main stores."""
        return self._doubtful is not None and self._doubtful.keeps_out(article)

    async def open_spider(self) -> None:
        """Open the stores; if one cannot be opened, the crawl ends with a message before it begins."""
        try:
            self.stores = open_stores(option(self.crawler, "store_spec", "WEBMAIN_STORE"))
            self._open_review()
            if database := self.stores.database:
                self._run = database.start_run(arguments(self.crawler.spider))
                self.crawler.stats.set_value("webmain/run", self._run)
        except StoreError as error:
            raise fail_crawl(self.crawler, "store", error) from error

    def _open_review(self) -> None:
        """Open the review list if doubtful articles are to be listed."""
        below = float(option(self.crawler, "review_below", "WEBMAIN_REVIEW_BELOW") or 0)
        if below <= 0 or self.stores is None:
            return
        keep_out = bool(option(self.crawler, "review_only", "WEBMAIN_REVIEW_KEEP_OUT"))
        first = self.stores.stores[0].path
        self._doubtful = ReviewedArticles(first, below=below, keep_out=keep_out)
        self.crawler.stats.set_value("webmain/review/below", below)
        self.crawler.stats.set_value("webmain/review/list", str(self._doubtful.list.path))

    def process_item(self, item: Any) -> Any:
        """Buffer an article."""
        if not isinstance(item, Article):
            return item
        limit = chosen(self.crawler, "max_articles")
        if self._closing or self.stores is None or (limit and self._accepted >= limit):
            raise DropItem(PENDING, log_level="DEBUG")
        self._accepted += 1
        self._waiting[identify(item)] = item
        if self._doubtful is not None:
            self._doubtful.check(item)
        try:
            (self.kept_out if self.keeps_out(item) and self.kept_out is not None else self.stores).add(item)
        except StoreError as error:
            self.end(error)
            raise DropItem(PENDING, log_level="DEBUG") from error
        self._tick()
        if limit and self._accepted >= limit and not self._closing:
            self._closing = True
            close_crawl(self.crawler, "max_articles")
        return item

    def close_spider(self) -> None:
        """Commit the buffered articles."""
        self._commit()

    def spider_closed(self, reason: str) -> None:
        """Record how the run ended, then close the stores."""
        if self.stores is None:
            return
        with self._ending():
            if self._run is not None and (database := self.stores.database):
                database.finish_run(self._run, reason=reason, stats=dict(self.crawler.stats.get_stats()))
            self.places = (*self.stores.places(), *((store.spec, store.count()) for store in self.open_stores[1:]))
        for store in self.open_stores:
            with self._ending():
                self._report(store.close())
        self._close_review()

    def _close_review(self) -> None:
        """Close the review list; warn if no article had a confidence."""
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
    def open_stores(self) -> list[Stores | JsonlStore]:
        """The main stores, and the store of articles that are kept out of them."""
        return [store for store in (self.stores, self.kept_out) if store is not None]

    def _tick(self) -> None:
        with self._ending():
            if any(store.due(self._clock()) for store in self.open_stores):
                self._commit()

    def _commit(self) -> None:
        """Commit the buffered articles and report them; a failure ends the crawl."""
        for store in self.open_stores:
            with self._ending():
                self._report(store.commit())

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """End the crawl if a store fails."""
        try:
            yield
        except StoreError as error:
            self.end(error)

    def end(self, error: StoreError) -> None:
        """End the crawl because a store has failed."""
        self._closing = True
        fail_crawl(self.crawler, "store", error)

    def _report(self, stored: tuple[Stored, ...]) -> None:
        """List the doubtful ones among the durable articles, count all of them, and send the signal."""
        if not stored:
            return
        stats = self.crawler.stats
        if self._doubtful is not None:
            for name, n in self._doubtful.record_stored(stored).items():
                stats.inc_value(f"webmain/review/{name}", n)
        articles = {each.id: self._waiting.pop(each.id) for each in stored if each.id in self._waiting}
        for each in stored:
            stats.inc_value(f"webmain/articles/{each.outcome.value}")
            if each.change is not ChangeKind.NONE:
                stats.inc_value(f"webmain/changed/{each.change.value}")
            count_for_site(self.crawler, site_key(each.url or ""), "articles")
        for article in articles.values():
            if article.extractor:
                stats.inc_value(f"webmain/extractor/{article.extractor}")
        self.crawler.signals.send_catch_log(articles_stored, stored=stored, articles=articles)
