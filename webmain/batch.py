"""Many pages at once: worker processes take pages as they came and give articles back, in order, a bounded number ahead.

A page that hangs or crashes its process costs itself only: the process is ended, and the next page gets a new one. Workers
die with the process that started them.
"""

from __future__ import annotations

import contextlib
import os
from collections import OrderedDict, deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from webmain import extraction as stages
from webmain.extractors.base import SiteExtractor
from webmain.extractors.registry import create
from webmain.html.document import DEFAULT_MAX_BYTES
from webmain.items import Article, Page, Rejected
from webmain.keep import DEFAULT_KEEP, Keep
from webmain.pool import Pool
from webmain.sites.model_store import ModelError, Shelf, site_of

if TYPE_CHECKING:
    from webmain.extractors.base import Extractor
    from webmain.html.document import Document

AHEAD: Final = 16
"""Pages for each worker that are read before the oldest is answered."""

MAX_AHEAD_BYTES: Final = 64 << 20
"""Characters or bytes of those pages, all together, beyond which no more are read."""

MAX_SITES: Final = 100
"""Sites whose models a worker remembers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How each page is walked with.

    Attributes
    ----------
    extractor : str, Extractor or None
        As for `registry.create`; an extractor must be one that can be pickled.
    metadata, keep, max_bytes, timeout_s
        As for `stages.extract_page`.
    models : str or None
        A folder in which models of sites are looked for.
    words : bool
        The words of texts are counted.
    tells_missing : bool
        A site without a model is noted.
    """

    extractor: str | Extractor | None = None
    metadata: bool = True
    keep: Keep = DEFAULT_KEEP
    max_bytes: int = DEFAULT_MAX_BYTES
    timeout_s: float | None = stages.DEFAULT_TIMEOUT_S
    models: str | None = None
    words: bool = False
    tells_missing: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one page, and what is to be told of its site's model; "" for nothing."""

    found: Article | Rejected
    note: str = ""


def cores() -> int:
    """Return on how many cores this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def answers(pages: Iterable[Page], walk: Walk, *, jobs: int) -> Generator[Answer, None, None]:
    """Yield one answer for each page, in order; pages are taken as there is room for them.

    Parameters
    ----------
    pages : iterable of Page
        Read in the thread that asks for the answers.
    walk : Walk
    jobs : int
        Worker processes; 0 does the work in this one, without shelter from pages that hang or crash it.

    Raises
    ------
    UnknownExtractor
        The extractor can not be made.
    PoolError
        Worker processes can not be started.
    """
    create(walk.extractor)
    if jobs == 0:
        walker = Walker(walk)
        for page in pages:
            yield walker.answer(page)
        return
    with contextlib.closing(Pool(partial(_answering, walk), jobs)) as pool:
        waiting: deque[tuple[Future[Answer], int]] = deque()
        n_bytes = 0
        for page in pages:
            size = _size(page)
            while waiting and (
                len(waiting) >= AHEAD * jobs or n_bytes + size > MAX_AHEAD_BYTES or waiting[0][0].done()
            ):
                future, released = waiting.popleft()
                n_bytes -= released
                yield _result(future)
            waiting.append((pool.give(page, url=page.url, limit_s=_limit_s(page, walk)), size))
            n_bytes += size
        while waiting:
            yield _result(waiting.popleft()[0])


def _answering(walk: Walk) -> Callable[[Page], Answer]:
    """Return what answers the pages in a worker."""
    stages.warm_up(create(walk.extractor))
    return Walker(walk).answer


def _limit_s(page: Page, walk: Walk) -> float | None:
    """Return for how many CPU seconds a page and those that continue it may keep a process."""
    return None if walk.timeout_s is None else walk.timeout_s * (1 + len(page.parts))


def _result(future: Future[Answer]) -> Answer:
    try:
        return future.result()
    except Rejected as rejected:  # by the pool: its process died
        return Answer(rejected.with_traceback(None))


def _size(page: Page) -> int:
    return len(page.body or page.html or "") + sum(map(_size, page.parts))


class Walker:
    """Walks with page after page; what is wrong with one is its answer, never an error."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._extractor = create(walk.extractor)
        self._shelf = Shelf(walk.models) if walk.models is not None else None
        self._of_site: OrderedDict[str, tuple[Extractor, str]] = OrderedDict()

    def answer(self, page: Page) -> Answer:
        """Return the article of a page, or why there is none."""
        try:
            with stages.errors_as_rejections(page.url):
                return self._answer(page)
        except Rejected as rejected:
            return Answer(rejected.with_traceback(None))

    def _answer(self, page: Page) -> Answer:
        walk = self._walk
        document = stages.read(page, max_bytes=walk.max_bytes, timeout_s=walk.timeout_s)
        extractor, note = self._judge_of(document)
        try:
            article = stages.extract_document(
                document,
                extractor,
                metadata=walk.metadata,
                keep=walk.keep,
                max_bytes=walk.max_bytes,
                timeout_s=walk.timeout_s,
                words=walk.words,
            )
        except Rejected as rejected:
            return Answer(rejected.with_traceback(None), note)
        return Answer(article, note)

    def _judge_of(self, document: Document) -> tuple[Extractor, str]:
        """Return the method with what was learned of a page's site, and what is to be told."""
        own = self._extractor
        if self._shelf is None or not isinstance(own, SiteExtractor) or own.learned is not None:
            return own, ""
        site = site_of(document) or ""
        if site not in self._of_site:
            self._of_site[site] = self._found(own, site, self._shelf)
            while len(self._of_site) > MAX_SITES:
                self._of_site.popitem(last=False)
        self._of_site.move_to_end(site)
        return self._of_site[site]

    def _found(self, own: SiteExtractor, site: str, shelf: Shelf) -> tuple[Extractor, str]:
        try:
            known = shelf.load(own, site) if site else None
        except ModelError as error:
            return own, f"{error}; the page is judged without it"
        if known is not None:
            return known, ""
        told = f"{site or 'a page without an address (--url)'}: {own.name} has learned nothing of it in {shelf.folder}"
        return own, told if self._walk.tells_missing else ""
