"""Addresses of large sitemaps that are not judged yet: judging one costs fifty times what keeping it costs."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from webmain.discovery.frontier import UNDATED, newest_key
from webmain.items import Hints

_DAY: Final = re.compile(r"(?<!\d)(?:19|20)\d\d([-/])\d\d\1\d\d(?!\d)")


class Backlog:
    """What a site's sitemaps name, unjudged, the newest first.

    Parameters
    ----------
    limit : int
        Addresses that are kept; beyond these the oldest are dropped.

    Attributes
    ----------
    n_dropped : int
        How many were.
    """

    def __init__(self, limit: int) -> None:
        self.n_dropped = 0
        self._limit = limit
        self._sorted: list[tuple[float, int, str, Hints | None]] = []
        self._added: list[tuple[float, int, str, Hints | None]] = []
        self._n = 0

    def __len__(self) -> int:
        return len(self._sorted) + len(self._added)

    def add(self, url: str, hints: Hints | None) -> None:
        """Keep an address; among equal ones the first is taken first."""
        self._n -= 1
        self._added.append((_presumed(url, hints), self._n, url, hints))
        if len(self) > 2 * self._limit:
            self._sort()

    def newest(self) -> float:
        """Return about when the newest article appeared, rather too late than too early; `UNDATED` where there is none."""
        if self._added:
            self._sort()
        return self._sorted[-1][0] if self._sorted else UNDATED

    def take(self, n: int) -> list[tuple[str, Hints | None]]:
        """Take the newest addresses out."""
        if self._added:
            self._sort()
        taken = self._sorted[: -n - 1 : -1]
        del self._sorted[-n:]
        return [(url, hints) for _, _, url, hints in taken]

    def _sort(self) -> None:
        self._sorted = sorted([*self._sorted, *self._added])
        self._added = []
        dropped = max(0, len(self._sorted) - self._limit)
        del self._sorted[:dropped]
        self.n_dropped += dropped


def _presumed(url: str, hints: Hints | None) -> float:
    """Return the end of the day that is told of a page, by the source or in its address."""
    text = (hints.published or hints.modified or "") if hints else ""
    match = _DAY.match(text) or (None if text else _DAY.search(url))
    return _end_of(match[0].replace("/", "-")) if match else newest_key(url, hints) if text else UNDATED


@lru_cache(maxsize=10_000)
def _end_of(day: str) -> float:
    try:
        return (datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days=2)).timestamp()
    except (ValueError, OverflowError):
        return UNDATED
