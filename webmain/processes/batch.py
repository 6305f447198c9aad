"""Extract many pages in worker processes: articles come in the order of the pages, with bounded read-ahead.

A page that hangs or crashes its process loses only itself: the process is ended, and the next page gets a new one. Workers
die with the process that started them.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from webmain.extraction import DEFAULTS, Options, errors_as_rejections, extract_page, read, warm_up
from webmain.extractors.base import create
from webmain.items import Article, Page, Rejected
from webmain.processes.pool import Pool
from webmain.sites.model_store import ModelStore, SiteModels

if TYPE_CHECKING:
    from webmain.extractors.base import Extractor

AHEAD: Final = 16
"""Pages per worker that are read ahead of the oldest unanswered one."""

MAX_AHEAD_BYTES: Final = 64 << 20
"""Total size of the pages read ahead, in characters or bytes, beyond which no more are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """How each page is extracted.

    Attributes
    ----------
    extractor : str, Extractor or None
        As for `webmain.extractors.base.create`; an extractor must be picklable.
    options : Options
    models : str or None
        Folder of the model store.
    notes_missing : bool
        Add a note to results of sites without a model.
    """

    extractor: str | Extractor | None = None
    options: Options = DEFAULTS
    models: str | None = None
    notes_missing: bool = False


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The article or rejection of one page, and a note on its site's model; "" for none."""

    found: Article | Rejected
    note: str = ""


def cores() -> int:
    """Return the number of cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_batch(pages: Iterable[Page], batch: BatchOptions, *, jobs: int) -> Generator[BatchResult, None, None]:
    """Yield one answer for each page, in order, reading a bounded number of pages ahead.

    Parameters
    ----------
    pages : iterable of Page
        Iterated in the thread that consumes the results.
    batch : BatchOptions
    jobs : int
        Number of worker processes; 0 works in this process, without protection from pages that hang or crash it.

    Raises
    ------
    UnknownExtractor
        The extractor cannot be created.
    PoolError
        Worker processes cannot be started.
    Exception
        What `pages` raises, after the answers for the pages before.
    """
    create(batch.extractor)
    if jobs == 0:
        yield from map(_extractor_function(batch, jobs), pages)
        return
    with contextlib.closing(Pool(partial(_extractor_function, batch, jobs), jobs)) as pool:
        waiting: deque[tuple[Future[BatchResult], int]] = deque()
        n_bytes = 0
        errors: list[Exception] = []
        for page in _until_error(pages, errors):
            n = size(page)
            while waiting and (len(waiting) >= AHEAD * jobs or n_bytes + n > MAX_AHEAD_BYTES or waiting[0][0].done()):
                future, released = waiting.popleft()
                n_bytes -= released
                yield _result(future)
            waiting.append((pool.submit(page, url=page.url, limit_s=batch.options.limit_s(page)), n))
            n_bytes += n
        while waiting:
            yield _result(waiting.popleft()[0])
        if errors:
            raise errors.pop()


def _until_error(pages: Iterable[Page], errors: list[Exception]) -> Iterator[Page]:
    """Yield pages to their end, or until their source raises an exception, which is added to the errors."""
    try:
        yield from pages
    except Exception as error:
        errors.append(error)


def _extractor_function(batch: BatchOptions, jobs: int) -> Callable[[Page], BatchResult]:
    """Return the function that extracts pages, in a worker with everything loaded; it returns rejections."""
    extractor = create(batch.extractor)
    if jobs:
        warm_up(extractor, n_processes=jobs)
    store = ModelStore(batch.models) if batch.models is not None else None
    models = SiteModels(extractor, store, notes_missing=batch.notes_missing)

    def answer(page: Page) -> BatchResult:
        note = ""
        try:
            with errors_as_rejections(page.url):
                document = read(page, batch.options)
                choice = models.choose(document)
                note = choice.note
            return BatchResult(extract_page(document, choice.extractor, batch.options), note)
        except Rejected as rejected:
            return BatchResult(rejected.with_traceback(None), note)

    return answer


def _result(future: Future[BatchResult]) -> BatchResult:
    try:
        return future.result()
    except Rejected as rejected:  # raised by the pool: too slow, or the process died
        return BatchResult(rejected.with_traceback(None))


def size(page: Page) -> int:
    """Return the size of a page and its continuation pages, in bytes or characters."""
    return len(page.body or page.html or "") + sum(map(size, page.parts))
