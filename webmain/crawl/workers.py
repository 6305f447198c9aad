"""A crawl's worker processes: pages are parsed and judged in them, so that no page can stop the crawl."""

from __future__ import annotations

import asyncio
import logging
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from scrapy.utils.datatypes import LocalCache

from webmain.crawl.options import option, own, page_options
from webmain.crawl.signals import Component, PeriodicCall, fail_crawl
from webmain.discovery.page_summary import PageSummary
from webmain.extraction import Options
from webmain.extractors.base import create
from webmain.items import Article, Page, Rejected
from webmain.processes.batch import MAX_AHEAD_BYTES, cores, size
from webmain.processes.page_tasks import (
    MAX_DOCUMENTS,
    Compare,
    Extract,
    ExtractedArticle,
    Learn,
    PickledExtractor,
    Reader,
    SentPage,
    SummarisePage,
    Task,
    reader,
)
from webmain.processes.pool import Pool, PoolClosed, PoolError
from webmain.sites.fitting import Event, LearningResult, LearningTask
from webmain.sites.learning import PageResemblance
from webmain.text.shingles import Signature, signature

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from webmain.extractors.base import Extractor, SiteExtractor

logger = logging.getLogger(__name__)

STOP_S: Final = 2.0
"""Seconds that a crawl stopped by a signal waits for the pages being judged."""

_TICK_S: Final = 0.5

PAGES_AHEAD: Final = 4
"""Pages per worker that are read ahead from an archive."""

MAX_EXTRACTORS: Final = 1_000
"""Maximum extractors whose pickled form is cached."""

MAX_SIGNATURES: Final = 16
"""Maximum texts whose signature is cached until it is requested, normally at once."""

T = TypeVar("T")


def n_workers(settings: BaseSettings) -> int:
    """Return the number of worker processes that a crawl's settings ask for."""
    given = own(settings).get("WEBMAIN_WORKERS")
    return cores() if given == "auto" else int(1 if given is None else given)


class Workers(Component):
    """Parses and judges pages, in worker processes or, if WEBMAIN_WORKERS is 0, in this one.

    A page goes to the worker that has parsed it before. A page that takes too long, or whose process dies, raises
    `Rejected`; `PoolClosed` means that the crawl is ending and the page stays pending.

    Attributes
    ----------
    n : int
        Number of worker processes.
    """

    signals = ("spider_opened", "spider_closed")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.n = 0
        self._seen: OrderedDict[int, int] = OrderedDict()
        self._extractors = LocalCache[int, "tuple[Extractor, PickledExtractor]"](MAX_EXTRACTORS)
        self._n_extractors = 0
        self._signatures = LocalCache[str, Signature](MAX_SIGNATURES)
        self._n_pages = self._n_bytes = 0
        self._changed = asyncio.Event()
        self._last: asyncio.Event | None = None
        self._stop_at: float | None = None
        self._ticks: PeriodicCall | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the extension."""
        workers = super().from_crawler(crawler)
        workers.n = n_workers(crawler.settings)
        workers._ticks = PeriodicCall(crawler, _TICK_S, workers._close_if_stopped)
        return workers

    @classmethod
    def of(cls, crawler: Crawler) -> Workers:
        """Return a crawl's workers; if the extension is off, pages are judged in this process."""
        return crawler.get_extension(cls) or cls(crawler)

    def spider_opened(self) -> None:
        """Start the worker processes, so that they are ready when the first page comes."""
        if not self.n:
            return
        try:
            _ = self.options
        except (OSError, ValueError):  # the step that reads the stop words reports it, and ends the crawl
            self.n = 0
            return
        try:
            self._pickled(self.extractor)
        except (pickle.PickleError, AttributeError, TypeError) as error:
            name = self.extractor.name
            logger.warning("%s cannot be sent to another process (%s); pages are judged in this one", name, error)
            self.n = 0
        if self._pool is not None:
            self._pool.start()

    # ---- Tasks on pages

    async def summarise(self, page: Page) -> PageSummary:
        """Read what discovery needs of a page.

        Raises
        ------
        Rejected
            With the reason.
        PoolClosed
            The crawl ends.
        """
        found: PageSummary = await self._run_task(page, SummarisePage)
        return found

    async def extract(
        self, page: Page, extractor: Extractor, *, count_words: bool = False, sign: bool = False
    ) -> Article:
        """Return the article of a page (raises like `summarise`); articles and rejections come in the order of the pages.

        With `sign` the `signature` of its text is computed as well, and cached for a while.
        """
        task = partial(Extract, extractor=self._pickled(extractor), count_words=count_words, sign=sign)
        before, self._last = self._last, (done := asyncio.Event())
        with self._under_way(page):
            try:
                try:
                    found: ExtractedArticle = await self._run_task(page, task, next_=True, keep=False)
                finally:
                    if before is not None:
                        await before.wait()
            finally:
                done.set()  # the next page resumes after this caller's code up to its next await
        if found.signature is not None:
            self._signatures[found.article.text] = found.signature
        return found.article

    def signature(self, text: str) -> Signature:
        """Return the signature of a text: the one that its worker computed if cached, else computed here."""
        return self._signatures.get(text) or signature(text)

    async def room(self) -> None:
        """Wait until another page may be read: number and bytes of the pages in progress are bounded."""
        while self._n_pages >= PAGES_AHEAD * max(1, self.n) or self._n_bytes > MAX_AHEAD_BYTES:
            self._changed.clear()
            await self._changed.wait()

    @contextmanager
    def _under_way(self, page: Page) -> Iterator[None]:
        """Count a page and its bytes as in progress inside this context."""
        self._n_pages, self._n_bytes = self._n_pages + 1, self._n_bytes + size(page)
        try:
            yield
        finally:
            self._n_pages, self._n_bytes = self._n_pages - 1, self._n_bytes - size(page)
            self._changed.set()

    async def compare(self, page: Page, fitted: SiteExtractor | None, *, keep: bool = True) -> PageResemblance:
        """Return a page's site and its resemblance to the site's training pages (raises like `summarise`).

        Pass `keep=False` if the page is likely to be held, so that its document is not cached for the next task.
        """
        pickled = self._pickled(fitted) if fitted is not None else None
        with self._under_way(page):
            found: PageResemblance = await self._run_task(
                page, partial(Compare, extractor=pickled, keep=keep), next_=True, keep=keep
            )
        return found

    async def learn(self, learning_task: LearningTask) -> LearningResult:
        """Learn a site; nothing is learned if that takes too long or the process dies (PoolClosed as in `summarise`)."""
        task = Learn(SentPage(Page(), 0), learning_task)
        pool, limit_s = self._pool, self.options.timeout_s
        if pool is None:
            return await asyncio.to_thread(task.run, self._local_reader)
        limit_s = limit_s and limit_s * (1 + len(learning_task.pages))
        try:
            result: LearningResult = await self._answer(
                pool.submit(task, limit_s=limit_s, worker=pool.least_busy(), next_=True)
            )
        except Rejected as rejected:
            event = Event.REUSED if learning_task.known else Event.NOT_LEARNABLE
            return LearningResult(
                fitted=learning_task.known, event=event, detail=str(rejected), past=learning_task.past
            )
        return result

    async def _run_task(
        self, page: Page, task: Callable[[SentPage], Task], *, next_: bool = False, keep: bool = True
    ) -> Any:
        """Run a task in the worker that has parsed its page, if any; the body is sent only if none has."""
        key = hash((page.url, page.html if page.body is None else page.body))
        plain = {each.name: getattr(page, each.name) for each in fields(Page)}  # without the fields of subclasses
        whole = task(SentPage(Page(**plain), key))
        pool = self._pool
        if pool is None:
            return self._local_reader(whole)
        give = partial(pool.submit, url=page.url, limit_s=self.options.limit_s(page), next_=next_)
        found = None
        if (worker := self._seen.pop(key, None)) is not None:
            light = SentPage(Page(**{**plain, "body": None, "html": None, "rendering": None}), key)
            found = await self._answer(give(task(light), worker=worker))
        if worker is None or found is None:
            worker = pool.least_busy()
            found = await self._answer(give(whole, worker=worker))
        if keep:  # now, since the worker has it now, and keeps as many
            self._seen[key] = worker
            while len(self._seen) > MAX_DOCUMENTS * self.n:
                self._seen.popitem(last=False)
        return found

    async def _answer(self, future: Any) -> Any:
        try:
            return await asyncio.wrap_future(future)
        except PoolError as error:
            fail_crawl(self._crawler, "worker", error)
            raise PoolClosed from error

    def _pickled(self, extractor: Extractor) -> PickledExtractor:
        """Return an extractor pickled, with its number."""
        known = self._extractors.pop(id(extractor), None)
        if known is None:
            self._n_extractors += 1
            known = extractor, PickledExtractor(self._n_extractors, pickle.dumps(extractor, 5))
        self._extractors[id(extractor)] = known  # keeps a reference, so that its id is not reused
        return known[1]

    # ---- Options and life cycle

    @cached_property
    def extractor(self) -> Extractor:
        """The crawl's extractor."""
        return create(option(self._crawler, "extractor", "WEBMAIN_EXTRACTOR"))

    @cached_property
    def options(self) -> Options:
        """The crawl's options of extraction."""
        return page_options(self._crawler)

    @cached_property
    def _local_reader(self) -> Reader:
        return Reader(self.options)

    @cached_property
    def _pool(self) -> Pool | None:
        return Pool(partial(reader, self.extractor, self.options, self.n), self.n) if self.n else None

    def _close_if_stopped(self) -> None:
        """Cancel pages still being judged `STOP_S` seconds after a signal stopped the crawl."""
        if self._crawler.engine.running:
            return
        self._stop_at = self._stop_at or time.monotonic() + STOP_S
        if time.monotonic() > self._stop_at:
            self.spider_closed()

    def spider_closed(self) -> None:
        """End the worker processes."""
        pool: Pool | None = self.__dict__.get("_pool")
        if pool is not None:
            pool.close()
