"""A log that people can read."""

import logging
import re
from types import SimpleNamespace

import pytest
from scrapy.signalmanager import SignalManager

from webmain.crawl.logs import LISTS, MAX_KINDS, MAX_SIMILAR, ReadableLog, hide_lists

LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d{4} \[[\w.-]+\] [A-Z]+: .+")


def record(message, *arguments, name="news", level=logging.INFO):
    return logging.LogRecord(name, level, __file__, 1, message, arguments, None)


def test_lines_that_differ_in_addresses_and_numbers_are_alike():
    log = ReadableLog()
    passed = [
        log.filter(record("no hub at %s: status %d", f"https://a.example/{n}", 400 + n)) for n in range(MAX_SIMILAR + 5)
    ]
    assert passed == [True] * MAX_SIMILAR + [False] * 5
    assert log._more == {"no hub at https://a.example/0: status 400": 5}
    assert log.filter(record("another line"))
    assert log.filter(record("no hub at %s: status %d", "https://a.example/", 1, level=logging.WARNING))


@pytest.mark.parametrize(
    ("name", "level", "n"), [("webmain", logging.INFO, 40), ("webmain", logging.WARNING, MAX_SIMILAR)]
)
def test_a_page_without_an_article_always_has_its_line_but_no_warning_does(name, level, n):
    log = ReadableLog()
    assert sum(log.filter(record("Rejected empty %d", k, name=name, level=level)) for k in range(40)) == n


def test_kinds_of_lines_are_bounded():
    log = ReadableLog()
    for n in range(3 * MAX_KINDS):
        word = "".join(chr(97 + int(digit)) for digit in str(n))
        assert log.filter(record(f"line {word}"))
    assert len(log._counts) == MAX_KINDS


def test_what_was_left_out_is_told_in_the_end(caplog):
    logger = logging.getLogger("news")
    with caplog.at_level(logging.INFO):
        log = ReadableLog.from_crawler(SimpleNamespace(signals=SignalManager()))
        for n in range(MAX_SIMILAR + 1234):
            logger.warning("no answer from %s", f"https://a.example/{n}\n")
        log.engine_stopped()
        logger.warning("no answer from %s", "https://a.example/x")
    assert len(caplog.messages) == MAX_SIMILAR + 2
    assert caplog.messages[MAX_SIMILAR] == "1,234 more lines like: no answer from https://a.example/0"


@pytest.fixture
def lists():
    yield
    hide_lists("DEBUG")


def test_lists_of_parts_are_for_debugging(lists, caplog):
    with caplog.at_level(logging.INFO):
        for level in ("INFO", "DEBUG"):
            hide_lists(level)
            for name in LISTS:
                logging.getLogger(name).info("Enabled %s:\n%s", "parts", ["a"])
                logging.getLogger(name).warning("two\nlines")
    assert caplog.messages.count("two\nlines") == 2 * len(LISTS)
    assert len(caplog.messages) == 3 * len(LISTS)
