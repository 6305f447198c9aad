"""Runs systems over gold pages in processes of their own: a page that hangs or crashes a system costs that page only."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Generator, Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from webmain.evaluation.records import GoldPage, Key, Prediction
from webmain.evaluation.systems import Mode, System
from webmain.evaluation.texts import by_site
from webmain.evaluation.worker import Meter, error_text, isolated, measure, ready
from webmain.items import Reason, Rejected
from webmain.processes.pool import Pool, PoolClosed, PoolError

Group: TypeAlias = tuple[GoldPage, ...]  # pages that are given to a system together

Answered: TypeAlias = Generator[list[Prediction], None, None]

TIMEOUT_S = 30.0  # default time limit of a page in seconds
MAX_STARTS = 3  # a system whose workers fail to start this many times in a row is given up

ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
"""Of every worker: numerical libraries use one thread (several on busy cores wait for each other), and sets have the same
order in every run (newspaper4k's texts depend on it)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Settings for running systems."""

    # worker processes; 0 runs everything in this process, without time limit, and a crash ends the run
    jobs: int = 1
    # Wall-clock seconds for one turn of a page, from its arrival in a warm worker; the worker is killed after them. For
    # a group of pages it is multiplied by their number.
    timeout_s: float = TIMEOUT_S
    repeat: int = 1  # turns for each page; the fastest counts


def run(
    pages: Sequence[GoldPage], systems: Sequence[System], *, done: Collection[Key] = (), limits: Limits | None = None
) -> Generator[Prediction, None, None]:
    """Run systems over pages, one system after the other, and yield predictions as they come, but those in `done`.

    Each worker process serves one system, so that no system pays or profits from what another has imported. A page
    whose process dies is tried once more in another. The generator ends its workers when it is closed.
    """
    limits, done = limits or Limits(), frozenset(done)
    for system in systems:
        groups = list(_groups(pages, system, done))
        answered = _in_workers(system, groups, limits) if limits.jobs else _in_this_process(system, groups, limits)
        with contextlib.closing(answered):
            for predictions in answered:
                yield from (found for found in predictions if found.key not in done)


def _groups(pages: Sequence[GoldPage], system: System, done: Collection[Key]) -> Iterator[Group]:
    """Divide pages into the groups given to a system together: single pages, or all pages of a site (of one period)."""
    for group in [[page] for page in pages] if system.mode is Mode.PAGE else by_site(pages):
        if any((system.name, page.dataset, page.id) not in done for page in group):
            yield tuple(group)


def _failed(system: System, group: Group, error: str, seconds: float = 0.0) -> list[Prediction]:
    return [Prediction.failed(system.name, page, error, seconds) for page in group]


def _in_this_process(system: System, groups: Sequence[Group], limits: Limits) -> Answered:
    try:
        loaded = ready(system)
    except Exception as error:
        for group in groups:
            yield _failed(system, group, f"start: {error_text(error)}")
        return
    meter = Meter()
    for group in groups:
        yield measure(loaded, group, meter, system=system.name, repeat=limits.repeat)


def _in_workers(system: System, groups: Sequence[Group], limits: Limits) -> Answered:
    if not groups:
        return
    n_failed_starts = 0
    with _environment(), contextlib.closing(Pool(partial(isolated, system, limits.repeat), limits.jobs)) as pool:
        futures = {pool.submit(g, wall_s=limits.timeout_s * limits.repeat * len(g)): g for g in groups}
        start_error = ""
        for future in as_completed(futures):
            group, error = futures[future], future.exception()
            if isinstance(error, PoolError):
                start_error, n_failed_starts = str(error), n_failed_starts + 1
                if n_failed_starts == MAX_STARTS:
                    pool.close()
            elif not isinstance(error, PoolClosed):
                n_failed_starts = 0
            yield _predictions(future, system, group, limits, start_error)


def _predictions(
    future: Future[list[Prediction]], system: System, group: Group, limits: Limits, start_error: str
) -> list[Prediction]:
    """Return a worker's results, or predictions saying why there are none."""
    try:
        return future.result()
    except (PoolError, PoolClosed):
        return _failed(system, group, f"start: {start_error}")
    except Rejected as rejected:
        if rejected.reason is not Reason.TOO_SLOW:
            return _failed(system, group, f"crash: {rejected.detail}")
        together = f" for each of {len(group)} pages together" if len(group) > 1 else ""
        return _failed(system, group, f"timeout: more than {limits.timeout_s:g} s{together}", limits.timeout_s)
    except Exception as error:
        return _failed(system, group, error_text(error))


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """Set the environment that processes started in the meantime inherit, then restore the old one."""
    before = dict(os.environ)
    os.environ.update(ENVIRONMENT)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
