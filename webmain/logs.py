"""A log that people can read: what repeats is told a few times and then counted, and no lists of Scrapy's parts."""

from __future__ import annotations

import logging
import re
from collections import Counter
from typing import TYPE_CHECKING, Final, Self

from webmain.signals import connect
from webmain.text.terminal import one_line

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

TOLD: Final = 10
"""Lines alike that are written; two are alike that differ in addresses and numbers alone."""

MAX_KINDS: Final = 1_000
"""Kinds of lines that are counted; all others are written."""

SINGLE: Final = frozenset({"webmain", "webmain.extensions", "scrapy.core.engine", __name__})
"""Loggers whose lines are all written below WARNING: a line for each page without an article, and the progress."""

LISTS: Final = ("scrapy.middleware", "scrapy.addons", "scrapy.crawler", "scrapy.utils.log")
"""Loggers that list versions, settings and parts, dozens of lines a run: they are for LOG_LEVEL=DEBUG."""

_TOLD_BEFORE: Final = "webmain_is_told"
_PARTICULAR: Final = re.compile(r"""\b[a-z][a-z0-9+.-]{1,10}://[^\s>)'"]+|\d+(?:[.,]\d+)*""", re.IGNORECASE)


class Repeated(logging.Filter):
    """Lets the first lines of a kind pass, and counts the others.

    Attributes
    ----------
    more : Counter
        How many lines were left out, by the first of their kind.
    """

    def __init__(self) -> None:
        super().__init__()
        self.more: Counter[str] = Counter()
        self._counts: Counter[tuple[str, int, str]] = Counter()
        self._first: dict[tuple[str, int, str], str] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if a line is to be written; asked for each handler, it is counted once."""
        if _TOLD_BEFORE not in record.__dict__:
            record.__dict__[_TOLD_BEFORE] = self._is_told(record)
        return bool(record.__dict__[_TOLD_BEFORE])

    def _is_told(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING and record.name in SINGLE:
            return True
        message = record.getMessage()
        kind = record.name, record.levelno, _PARTICULAR.sub("*", message[:1_000])
        if kind not in self._counts and len(self._counts) >= MAX_KINDS:
            return True
        self._counts[kind] += 1
        first = self._first.setdefault(kind, message)
        if self._counts[kind] <= TOLD:
            return True
        self.more[first] += 1
        return False


class ReadableLog:
    """Collapses what repeats in a crawl's log."""

    def __init__(self) -> None:
        self._repeated = Repeated()
        self._handlers = list(logging.getLogger().handlers)
        for handler in self._handlers:
            handler.addFilter(self._repeated)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension."""
        log = cls()
        connect(crawler, log, "engine_stopped")
        return log

    def engine_stopped(self) -> None:
        """Say what was counted, and let everything pass again."""
        for handler in self._handlers:
            handler.removeFilter(self._repeated)
        for first, n in self._repeated.more.most_common():
            logger.info("%s more line%s like: %s", f"{n:,}", "" if n == 1 else "s", one_line(first)[:200])


def hide_lists(level: str | int) -> None:
    """Leave out what lists Scrapy's parts, unless everything is to be logged."""
    for name in LISTS:
        logging.getLogger(name).removeFilter(_is_no_list)
        if str(level).upper() not in ("DEBUG", "10", "NOTSET", "0"):
            logging.getLogger(name).addFilter(_is_no_list)  # their levels are set anew by Scrapy


def _is_no_list(record: logging.LogRecord) -> bool:
    return record.levelno > logging.INFO or "\n" not in record.getMessage()
