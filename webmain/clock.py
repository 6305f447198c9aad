"""The present, and the time that a page takes: CPU seconds of the work with it, without what is loaded once in a process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from types import TracebackType
from typing import TypeVar

T = TypeVar("T")


_present: list[Callable[[], float]] = [time.time]


def now_s() -> float:
    """Return the present in seconds since 1970, as the clock in use has it."""
    return _present[0]()


def now() -> datetime:
    """Return the present in UTC, as the clock in use has it."""
    return datetime.fromtimestamp(now_s(), UTC)


def use_clock(clock: Callable[[], float]) -> None:
    """Let crawls, ledger and stores of this process take the present from another clock, as simulations do."""
    _present[0] = clock


class _Loaded(threading.local):
    total_s = 0.0


_loaded = _Loaded()


def once(load: Callable[[], T]) -> Callable[[], T]:
    """Let a function be called once in a process, whichever threads ask; its time counts as no page's."""
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
    """What happens inside counts as no page's time: a model, a dictionary, a library is loaded; may be nested."""

    def __enter__(self) -> None:
        self._total_s, self._began_s = _loaded.total_s, time.thread_time()

    def __exit__(self, *_: object) -> None:
        _loaded.total_s = self._total_s + time.thread_time() - self._began_s


class Deadline:
    """A stopwatch of CPU seconds for the work with one page, with a limit; it runs inside `with deadline:`.

    It stands still while other pages are worked with, or nothing is done. May be nested; a thread that finds it running in
    another one is not counted.

    Parameters
    ----------
    limit_s : float or None
        CPU seconds; None for no limit.
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
    """Return the CPU seconds of this thread but those for what it has loaded."""
    return time.thread_time() - _loaded.total_s
