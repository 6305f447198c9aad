"""The current time, and the CPU time spent on a page, excluding what is loaded once per process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from typing import TypeVar

T = TypeVar("T")


_present: list[Callable[[], float]] = [time.time]


def now_s() -> float:
    """Return the current time in seconds since 1970, from the clock in use."""
    return _present[0]()


def now() -> datetime:
    """Return the current time in UTC, from the clock in use."""
    return datetime.fromtimestamp(now_s(), UTC)


def use_clock(clock: Callable[[], float]) -> None:
    """Make crawls, ledger and stores of this process read the time from another clock, as simulations do."""
    _present[0] = clock


class _Loaded(threading.local):
    total_s = 0.0


_loaded = _Loaded()


def once(load: Callable[[], T]) -> Callable[[], T]:
    """Cache a function's result for the process, across threads; the time of its call counts for no page."""
    found: list[T] = []
    lock = threading.RLock()

    @wraps(load)
    def loaded() -> T:
        if not found:
            with lock, Loading():
                if not found:
                    found.append(load())
        return found[0]

    return loaded


class Loading:
    """Context whose CPU time counts for no page, for loading models, dictionaries and libraries; may be nested."""

    def __enter__(self) -> None:
        self._total_s, self._began_s = _loaded.total_s, time.thread_time()

    def __exit__(self, *_: object) -> None:
        _loaded.total_s = self._total_s + time.thread_time() - self._began_s


class Deadline:
    """A stopwatch for the CPU seconds spent on one page, with a limit; it runs inside `with deadline:`.

    It does not run while other pages are processed or the process waits. May be nested; a second thread that enters it
    while it runs is not counted.

    `limit_s`: CPU seconds; None for no limit.
    """

    def __init__(self, limit_s: float | None = None) -> None:
        self.limit_s = limit_s
        self._spent_s = 0.0
        self._since_s = 0.0
        self._depth = 0
        self._thread = 0

    def __enter__(self) -> None:
        if not self._depth:
            self._thread, self._since_s = threading.get_ident(), _now_s()
        if self._thread == threading.get_ident():
            self._depth += 1

    def __exit__(self, *_error: object) -> None:
        if self._depth and self._thread == threading.get_ident():
            self._depth -= 1
            if not self._depth:
                self._spent_s += _now_s() - self._since_s

    @property
    def spent_s(self) -> float:
        """CPU seconds so far."""
        is_running = self._depth and self._thread == threading.get_ident()
        return self._spent_s + (_now_s() - self._since_s if is_running else 0.0)

    def has_passed(self) -> bool:
        """Return True if the page has used up its time."""
        return self.limit_s is not None and self.spent_s > self.limit_s


def _now_s() -> float:
    """Return the CPU seconds of this thread, excluding loading."""
    return time.thread_time() - _loaded.total_s
