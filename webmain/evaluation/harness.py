"""Runs systems over gold pages in processes of their own: a page that hangs or crashes a system costs that page only."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any

from webmain.evaluation.records import GoldPage, Prediction
from webmain.evaluation.systems import Mode, System
from webmain.evaluation.texts import by_site
from webmain.evaluation.worker import (
    Broken,
    Outcome,
    Ready,
    error_text,
    measure,
    meter,
    serve,
    warm_up,
    worker_environment,
)

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

Key = tuple[str, str, str]
"""System, data set, page: what a prediction is known by."""

TIMEOUT_S = 30.0
"""Seconds that a page may take unless it is said otherwise."""

MAX_STARTS = 3
"""A system whose worker dies so many times in a row before it is ready is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How systems are run.

    Attributes
    ----------
    jobs : int
        Worker processes; 0 runs everything in this process, without time limit and without shelter from crashes.
    timeout_s : float
        Wall-clock seconds for one turn of a page, from its arrival in a warm worker; the worker is killed after them.
        Pages that are taken together have as many times as much.
    start_timeout_s : float
        Seconds for a worker to import its system and get warm.
    repeat : int
        Turns for each page; the fastest counts.
    """

    jobs: int = 1
    timeout_s: float = TIMEOUT_S
    start_timeout_s: float = 300.0
    repeat: int = 1


def key(prediction: Prediction) -> Key:
    """Return what a prediction is known by."""
    return prediction.system, prediction.dataset, prediction.id


def run(
    pages: Sequence[GoldPage], systems: Sequence[System], *, done: Collection[Key] = (), limits: Limits | None = None
) -> Generator[Prediction, None, None]:
    """Run systems over pages, system after system, and yield predictions as they come.

    Parameters
    ----------
    pages : sequence of GoldPage
    systems : sequence of System
    done : collection of Key
        Predictions that are there already; these pages are left out.
    limits : Limits or None

    Notes
    -----
    Each worker process serves one system, so that no system pays or profits from what another has imported. The generator
    kills its workers when it is closed.
    """
    limits = limits or Limits()
    for system in systems:
        tasks = deque(_tasks(pages, system, frozenset(done)))
        if not tasks:
            continue
        found = _run_here(system, tasks, limits) if limits.jobs == 0 else _Crew(system, tasks, limits).run()
        with contextlib.closing(found):
            for prediction in found:
                if key(prediction) not in done:
                    yield prediction


def _tasks(pages: Sequence[GoldPage], system: System, done: Collection[Key]) -> Iterator[tuple[GoldPage, ...]]:
    """Divide pages into what a system gets at once: single pages, or all pages of a site (of one period)."""
    groups = [[place] for place in range(len(pages))] if system.mode is Mode.PAGE else by_site(pages)
    for places in groups:
        group = tuple(pages[place] for place in places)
        if any((system.name, page.dataset, page.id) not in done for page in group):
            yield group


def _predictions(system: System, pages: Sequence[GoldPage], outcomes: Sequence[Outcome]) -> Iterator[Prediction]:
    for page, outcome in zip(pages, outcomes, strict=True):
        yield Prediction(
            system=system.name,
            dataset=page.dataset,
            id=page.id,
            text=outcome.text,
            seconds=outcome.seconds,
            memory_bytes=outcome.memory_bytes,
            error=outcome.error,
            confidence=outcome.confidence,
        )


def _all_failed(system: System, pages: Sequence[GoldPage], error: str, seconds: float = 0.0) -> Iterator[Prediction]:
    outcome = Outcome(text="", seconds=seconds, memory_bytes=None, error=error)
    return _predictions(system, pages, [outcome] * len(pages))


def _run_here(system: System, tasks: deque[tuple[GoldPage, ...]], limits: Limits) -> Generator[Prediction, None, None]:
    try:
        loaded = system.load()
    except Exception as error:
        for pages in tasks:
            yield from _all_failed(system, pages, f"start: {error_text(error)}")
        return
    warm_up(loaded, together=system.mode is not Mode.PAGE)
    gauge = meter()
    for pages in tasks:
        yield from _predictions(system, pages, measure(loaded, pages, gauge, repeat=limits.repeat))


class _Worker:
    """A process that serves one system, and what the harness knows of it."""

    def __init__(self, system: System, limits: Limits) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection: Connection
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(
            target=serve, args=(theirs, system, limits.repeat, os.getpid()), daemon=True
        )
        with worker_environment():
            self.process.start()
        theirs.close()
        self.is_ready = False
        self.pages: tuple[GoldPage, ...] = ()
        self.deadline = time.monotonic() + limits.start_timeout_s

    def give(self, pages: tuple[GoldPage, ...], timeout_s: float) -> None:
        self.pages = pages
        self.deadline = time.monotonic() + timeout_s * len(pages)
        self.connection.send(pages)

    def message(self) -> Any:
        """Return what the worker says; None when it has died."""
        try:
            return self.connection.recv() if self.connection.poll(0) else None
        except (EOFError, OSError):
            return None

    def end(self) -> str:
        """Kill the process and say how it ended."""
        self.process.join(0.2 if not self.process.is_alive() else 0)
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        code = self.process.exitcode or 0
        self.process.close()
        self.connection.close()
        if code >= 0:
            return f"exit code {code}"
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
        return f"signal {-code}"


class _Crew:
    """The workers of one system."""

    def __init__(self, system: System, tasks: deque[tuple[GoldPage, ...]], limits: Limits) -> None:
        self.system = system
        self.tasks = tasks
        self.limits = limits
        self.workers: list[_Worker] = []
        self.failed_starts = 0

    def run(self) -> Generator[Prediction, None, None]:
        """Work off all tasks."""
        try:
            while self.tasks or any(worker.pages for worker in self.workers):
                self._hire()
                yield from self._turn()
        finally:
            for worker in self.workers:
                worker.end()

    def _hire(self) -> None:
        """Start as many workers as there is work for; give work to those that wait."""
        busy = sum(bool(worker.pages) for worker in self.workers)
        wanted = min(self.limits.jobs, busy + len(self.tasks))
        while len(self.workers) < wanted:
            self.workers.append(_Worker(self.system, self.limits))
        for worker in self.workers:
            if worker.is_ready and not worker.pages and self.tasks:
                pages = self.tasks.popleft()
                try:
                    worker.give(pages, self.limits.timeout_s * self.limits.repeat)
                except OSError:  # it died between two pages: `_turn` finds that out, the page is nobody's fault
                    worker.pages = ()
                    self.tasks.appendleft(pages)
                    worker.deadline = 0.0
                    worker.is_ready = False

    def _turn(self) -> Iterator[Prediction]:
        """Wait for the next thing to happen and deal with it."""
        watched: dict[Any, _Worker] = {}
        for worker in self.workers:
            watched[worker.connection] = watched[worker.process.sentinel] = worker
        deadlines = [worker.deadline for worker in self.workers if worker.pages or not worker.is_ready]
        patience = max(0.0, min(deadlines, default=time.monotonic() + 1) - time.monotonic())
        stirring = {id(watched[thing]): watched[thing] for thing in wait(list(watched), patience)}
        for worker in stirring.values():
            yield from self._hear(worker, worker.message())
        for worker in list(self.workers):
            if (worker.pages or not worker.is_ready) and worker.deadline <= time.monotonic():
                yield from self._overdue(worker)

    def _hear(self, worker: _Worker, message: Any) -> Iterator[Prediction]:
        if isinstance(message, Ready):
            worker.is_ready = True
        elif isinstance(message, Broken):
            self._dismiss(worker)
            yield from self._give_up(message.message)
        elif message is None:
            pages, was_ready = worker.pages, worker.is_ready
            how = self._dismiss(worker)
            if pages:
                yield from _all_failed(self.system, pages, f"crash: {how}")
            elif not was_ready:
                yield from self._failed_start(f"the worker died before it was ready ({how})")
        else:
            self.failed_starts = 0
            pages, worker.pages = worker.pages, ()
            yield from _predictions(self.system, pages, message)

    def _overdue(self, worker: _Worker) -> Iterator[Prediction]:
        pages = worker.pages
        self._dismiss(worker)
        if pages:
            seconds = self.limits.timeout_s
            together = f" for each of {len(pages)} pages together" if len(pages) > 1 else ""
            yield from _all_failed(self.system, pages, f"timeout: more than {seconds:g} s{together}", seconds)
        else:
            yield from self._failed_start(f"not ready within {self.limits.start_timeout_s:g} s")

    def _dismiss(self, worker: _Worker) -> str:
        self.workers.remove(worker)
        return worker.end()

    def _failed_start(self, message: str) -> Iterator[Prediction]:
        self.failed_starts += 1
        if self.failed_starts >= MAX_STARTS:
            yield from self._give_up(message)

    def _give_up(self, message: str) -> Iterator[Prediction]:
        """Let all pages that no worker has yet fail, for a system that does not start."""
        while self.tasks:
            yield from _all_failed(self.system, self.tasks.popleft(), f"start: {message}")
