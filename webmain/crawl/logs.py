"""Readable logs: repeated lines are counted after a few, and Scrapy's lists of components are hidden."""

from __future__ import annotations

import logging
import re
from collections import Counter
from typing import TYPE_CHECKING, Final, Self

from webmain.crawl.signals import connect
from webmain.text.terminal import one_line

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

MAX_SIMILAR: Final = 10  # similar lines that are logged; lines are similar if they differ only in addresses and numbers
MAX_KINDS: Final = 1_000  # kinds of lines that are counted; lines of further kinds are always logged

SINGLE: Final = frozenset({"webmain", "webmain.extensions", "scrapy.core.engine", __name__})
"""Loggers whose lines below WARNING are always logged: a line for each page without an article, and progress."""

LISTS: Final = ("scrapy.middleware", "scrapy.addons", "scrapy.crawler", "scrapy.utils.log")
"""Loggers that list versions, settings and components, dozens of lines per run; shown only with LOG_LEVEL=DEBUG."""

_DECISION: Final = "webmain_is_told"
_PARTICULAR: Final = re.compile(r"""\b[a-z][a-z0-9+.-]{1,10}://[^\s>)'"]+|\d+(?:[.,]\d+)*""", re.IGNORECASE)


class ReadableLog(logging.Filter):
    """Passes the first lines of each kind in a crawl's log, and counts the others."""

    def __init__(self) -> None:
        super().__init__()
        root = logging.getLogger()
        self._level, self._handlers = root.level, list(root.handlers)
        self._more: Counter[str] = Counter()  # number of suppressed lines, by the first line of their kind
        self._counts: Counter[tuple[str, int, str]] = Counter()
        self._first: dict[tuple[str, int, str], str] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the extension, and filter what all handlers log."""
        log = cls()
        for handler in log._handlers:
            handler.addFilter(log)
        lowest = min((handler.level for handler in log._handlers), default=log._level)
        logging.getLogger().setLevel(max(log._level, lowest))  # saves making records that no handler passes on
        connect(crawler, log, "engine_stopped")
        return log

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if a line is to be logged; each line is counted once, though every handler calls this."""
        if _DECISION not in record.__dict__:
            record.__dict__[_DECISION] = self._passes(record)
        return bool(record.__dict__[_DECISION])

    def _passes(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING and record.name in SINGLE:
            return True
        message = record.getMessage()
        kind = record.name, record.levelno, _PARTICULAR.sub("*", message[:1_000])
        if kind not in self._counts and len(self._counts) >= MAX_KINDS:
            return True
        self._counts[kind] += 1
        first = self._first.setdefault(kind, message)
        if self._counts[kind] <= MAX_SIMILAR:
            return True
        self._more[first] += 1
        return False

    def engine_stopped(self) -> None:
        """Log the counts of suppressed lines, and stop suppressing."""
        for handler in self._handlers:
            handler.removeFilter(self)
        logging.getLogger().setLevel(self._level)
        for first, n in self._more.most_common():
            logger.info("%s more line%s like: %s", f"{n:,}", "" if n == 1 else "s", one_line(first)[:200])


def hide_lists(level: str | int) -> None:
    """Hide lists of Scrapy's components, unless everything is logged."""
    for name in LISTS:
        logging.getLogger(name).removeFilter(_is_no_list)
        if str(level).upper() not in ("DEBUG", "10", "NOTSET", "0"):
            logging.getLogger(name).addFilter(_is_no_list)  # Scrapy would reset their levels


def _is_no_list(record: logging.LogRecord) -> bool:
    return record.levelno > logging.INFO or "\n" not in record.getMessage()
