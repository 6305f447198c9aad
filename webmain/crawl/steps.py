"""Base class of the pipelines: access to the crawler and its options, and handling of rejections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scrapy.exceptions import DropItem

from webmain import extraction as stages
from webmain.article.filters import FILTERS, check, of_declared_site
from webmain.crawl.learning import AssignedPage
from webmain.crawl.options import chosen, option, page_options
from webmain.crawl.signals import send_rejected
from webmain.extractors.base import Extraction, create
from webmain.html.blocks import Segmentation
from webmain.items import Article, Page, Rejected
from webmain.processes.pool import PoolClosed
from webmain.store.protocol import StoreError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webmain.extractors.base import Extractor

PENDING = "the crawl is being closed; the address stays pending"


class Step:
    """Base class of the pipelines: access to the crawler and its options, and handling of rejections."""

    takes: ClassVar[type[Any]] = Article

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the step."""
        return cls(crawler)

    @cached_property
    def extractor(self) -> Extractor:
        """The spider's extractor, or the one from the settings."""
        return create(option(self.crawler, "extractor", "WEBMAIN_EXTRACTOR"))

    @cached_property
    def options(self) -> stages.Options:
        """What is wanted of a page, and its limits, from the spider or the settings."""
        return page_options(self.crawler)

    def extractor_of(self, page: Page) -> Extractor:
        """Return the extractor for a page: the one learned for its site, else the crawl's."""
        return page.extractor if isinstance(page, AssignedPage) else self.extractor

    def process_item(self, item: Any) -> Any:
        """Apply the step to an item of its own type; other items pass unchanged."""
        if not isinstance(item, self.takes):
            return item
        if isinstance(item, Page):
            self.crawler.stats.inc_value("webmain/pages")
        with self.rejecting((item.document if isinstance(item, Segmentation | Extraction) else item).url):
            return self.done(item)

    def done(self, item: Any) -> Any:
        """Return the result for an item."""
        raise NotImplementedError

    @contextmanager
    def rejecting(self, url: str | None) -> Iterator[None]:
        """Turn rejections and unforeseen errors into dropped items, counted and reported."""
        try:
            with stages.errors_as_rejections(url, passing=(PoolClosed, StoreError)):
                yield
        except Rejected as rejected:
            send_rejected(self.crawler, rejected, url=url)
            raise DropItem(str(rejected), log_level="DEBUG") from rejected
        except PoolClosed as closed:
            raise DropItem(PENDING, log_level="DEBUG") from closed

    def check(self, article: Article) -> Article:
        """Return an article under its site's declared address; raise `Rejected` if a filter refuses it."""
        check(article, **{name: chosen(self.crawler, name) for name in FILTERS})
        return of_declared_site(article, getattr(self.crawler.spider, "is_one_site", None))
