"""Many pages at once: worker processes take pages as they came and give articles back, in order, a bounded number ahead.

A page that hangs or crashes its process costs itself only: the process is ended, and the next page gets a new one. Workers
die with the process that started them.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import OrderedDict, deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from webmain import stages
from webmain.extractors.base import SiteExtractor
from webmain.extractors.registry import create
from webmain.extractors.shelf import ModelError, Shelf, site_of
from webmain.items import Article, Page, Reason, Rejected
from webmain.keep import DEFAULT_KEEP, Keep
from webmain.lifeline import die_with
from webmain.page.document import DEFAULT_MAX_BYTES

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from webmain.extractors.base import Extractor
    from webmain.page.document import Document

AHEAD: Final = 16
"""Pages for each worker that are read before the oldest is answered."""

MAX_AHEAD_BYTES: Final = 64 << 20
"""Characters or bytes of those pages, all together, beyond which no more are read."""

GRACE_S: Final = 5.0
"""Seconds that a page gets beyond its time limit, which is minded between steps, before its process is ended."""

MAX_SITES: Final = 100
"""Sites whose models a worker remembers."""

_START_S: Final = 120.0
_TURNS: Final = 2
"""Times a page is tried whose process dies: the first death may have had another cause."""

_ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class BatchError(RuntimeError):
    """Worker processes can not be started."""


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
    tells_missing : bool
        A site without a model is noted.
    """

    extractor: str | Extractor | None = None
    metadata: bool = True
    keep: Keep = DEFAULT_KEEP
    max_bytes: int = DEFAULT_MAX_BYTES
    timeout_s: float | None = stages.DEFAULT_TIMEOUT_S
    models: str | None = None
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
    BatchError
        Worker processes can not be started.
    """
    create(walk.extractor)
    if jobs == 0:
        walker = Walker(walk)
        for page in pages:
            yield walker.answer(page)
        return
    with contextlib.closing(_Crew(walk, jobs)) as crew:
        waiting: deque[tuple[Future[Answer], int]] = deque()
        n_bytes = 0
        for page in pages:
            size = _size(page)
            while waiting and (
                len(waiting) >= AHEAD * jobs or n_bytes + size > MAX_AHEAD_BYTES or waiting[0][0].done()
            ):
                future, released = waiting.popleft()
                n_bytes -= released
                yield future.result()
            waiting.append((crew.give(page), size))
            n_bytes += size
        while waiting:
            yield waiting.popleft()[0].result()


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


# ---- In the process that asks


class _Crew:
    """As many threads as workers; each hands pages to its own process and waits for the answers."""

    def __init__(self, walk: Walk, jobs: int) -> None:
        self._walk = walk
        self._own = threading.local()
        self._lock = threading.Lock()
        self._workers: list[_Worker] = []
        self._is_closed = False
        self._threads = ThreadPoolExecutor(jobs, "webmain-batch", initializer=_block_interrupts)

    def give(self, page: Page) -> Future[Answer]:
        """Let a page be walked with as soon as a worker is free."""
        return self._threads.submit(self._answer, page)

    def _answer(self, page: Page) -> Answer:
        how = ""
        for _ in range(_TURNS):
            worker = self._worker()
            try:
                found = worker.answer(page)
            except (EOFError, OSError):
                how = self._dismiss(worker)
                continue
            if found is not None:
                return found
            self._dismiss(worker)
            limit = f"{worker.limit_s(page):g} seconds, and its process was ended"
            return Answer(Rejected(Reason.TOO_SLOW, f"more than {limit}", url=page.url))
        return Answer(Rejected(Reason.INTERNAL_ERROR, f"its process died ({how})", url=page.url))

    def _worker(self) -> _Worker:
        """Return this thread's worker, started if there is none."""
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            with self._lock:
                if self._is_closed:
                    raise BatchError("closed")
                self._own.worker = worker = _Worker(self._walk)
                self._workers.append(worker)
            worker.greet()
        return worker

    def _dismiss(self, worker: _Worker) -> str:
        """End a worker and say how it ended; this thread gets a new one with its next page."""
        self._own.worker = None
        with self._lock:
            self._workers.remove(worker)
        return worker.end()

    def close(self) -> None:
        """End all workers, also in the midst of their pages."""
        with self._lock:
            self._is_closed = True
            for worker in self._workers:
                worker.kill()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._workers:
            worker.end()


class _Worker:
    """A process that walks with pages, and what the asking process knows of it."""

    def __init__(self, walk: Walk) -> None:
        self._timeout_s = walk.timeout_s
        self._walk = walk
        context = multiprocessing.get_context("spawn")
        self._connection: Connection
        self._connection, theirs = context.Pipe()
        self._process: SpawnProcess = context.Process(target=_serve, args=(theirs, os.getpid()), daemon=True)
        self._process.start()
        theirs.close()

    def greet(self) -> None:
        """Tell the process what to do, and wait until it can."""
        try:
            self._connection.send(self._walk)
            if not self._connection.poll(_START_S):
                raise BatchError(f"a worker process was not ready within {_START_S:g} s")
            problem = self._connection.recv()
        except (EOFError, OSError) as error:
            raise BatchError(
                "a worker process died as it started (a script has to ask for several jobs under "
                "`if __name__ == '__main__':`, since its workers import it)"
            ) from error
        if problem:
            raise BatchError(f"a worker process can not start: {problem}")

    def limit_s(self, page: Page) -> float | None:
        """Return for how many seconds a page and those that continue it may keep the process."""
        return None if self._timeout_s is None else self._timeout_s * (1 + len(page.parts)) + GRACE_S

    def answer(self, page: Page) -> Answer | None:
        """Return what came of a page; None past its time limit. EOFError or OSError where the process dies."""
        self._connection.send(page)
        if not self._connection.poll(self.limit_s(page)):
            return None
        found: Answer = self._connection.recv()
        return found

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def end(self) -> str:
        """End the process, and say how it ended."""
        self._process.join(0.2)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        code = self._process.exitcode or 0
        self._process.close()
        self._connection.close()
        if code >= 0:
            return f"exit code {code}"
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
        return f"signal {-code}"


def _block_interrupts() -> None:
    """Let Ctrl-C reach the asking process alone: what a thread blocks is blocked in the processes that it starts."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


# ---- In the worker


def _serve(connection: Connection, parent: int) -> None:
    """Answer pages until the connection is closed: a worker's main function."""
    die_with(parent)
    for name in _ONE_THREAD:  # before numerical libraries are loaded: as many threads as cores wait for each other
        os.environ.setdefault(name, "1")
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        try:
            walker = Walker(connection.recv())
        except Exception as error:
            connection.send(f"{type(error).__name__}: {error}")
            return
        connection.send("")
        while True:
            connection.send(_sendable(walker.answer(connection.recv())))


def _sendable(answer: Answer) -> Answer:
    """Return an answer without what errors carry along."""
    if isinstance(answer.found, Rejected):
        answer.found.__cause__ = answer.found.__context__ = None
    return answer
