"""A crawl's budget for one site (pages, time and bytes), and reading and writing such amounts."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Final

from webmain.discovery.schedule import span_s

_SIZE: Final = re.compile(r"(\d{1,12}(?:\.\d{1,3})?)\s*(kB|MB|GB|B)?", re.IGNORECASE)
_BYTES: Final = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits on what a run fetches from one site; None for no limit."""

    pages: int | None = None  # articles and lists; an article's continuation pages are not counted
    time_s: float | None = None  # seconds since the site's first answer
    size_bytes: int | None = None  # bytes of all responses as received, compressed or not

    def or_else(self, other: Budget) -> Budget:
        """Return this budget with missing limits filled in from another."""
        return Budget(**{**asdict(other), **{name: n for name, n in asdict(self).items() if n is not None}})


def read_span(text: str) -> float:
    """Return a time span ("90s", "30m", "2h") in seconds; raises ValueError."""
    seconds = span_s(text)
    if seconds <= 0:
        raise ValueError("allowed are spans of time such as 90s, 30m, 2h")
    return seconds


def read_size(text: str) -> int:
    """Return a size ("500000", "500kB", "20MB", "1.5GB") in bytes, 1 kB being 1,000; raises ValueError."""
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * _BYTES[(match[2] or "").lower()]) if match else 0
    if size <= 0:
        raise ValueError("allowed are sizes such as 500kB, 20MB, 1.5GB")
    return size


def as_size(n_bytes: float) -> str:
    """Return a number of bytes in human-readable form."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes:.0f} bytes"
