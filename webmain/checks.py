"""Checks before a crawl begins: its settings, and whether its figures and feeds can be written."""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from webmain import settings as defaults
from webmain.crawl.recordings import recordings
from webmain.extractors.base import create
from webmain.files import reason_of
from webmain.items import ANY_TYPE, PAGE_TYPES
from webmain.items.keep import Keep
from webmain.sites.rules import RENDER, RESPECT, read_sites
from webmain.spiders.limits import Limits
from webmain.spiders.values import read_recording, read_store
from webmain.text.stopwords import read_stopwords

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

PREFIX: Final = "WEBMAIN_"
"""With it begin webmain's own settings."""

_LIMITS: Final = [f"{PREFIX}MAX_{field.name.upper()}" for field in fields(Limits)]
_TRUTHS: Final = ("0", "1", "true", "false", "True", "False")


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or str(value) in _TRUTHS


def _one_of(*words: str) -> tuple[Callable[[Any], bool], str]:
    """Return the check for some words, and the words as text."""
    return lambda value: value in words, ", ".join(word or "an empty value" for word in words)


def _unless_empty(read: Callable[[str], object]) -> Callable[[Any], object]:
    return lambda value: value == "" or read(value)


def _find_recordings(spec: str) -> None:
    for path in map(Path, recordings(spec)):
        if not path.is_file():
            raise ValueError(f"{path}: there is no such file")


_CHECKS: Final[tuple[tuple[str, Callable[[Any], object], str], ...]] = (
    ("WEBMAIN_EXTRACTOR", create, ""),
    ("WEBMAIN_KEEP", Keep.of, ""),
    ("WEBMAIN_REQUIRE", *_one_of("", *PAGE_TYPES, ANY_TYPE)),
    ("WEBMAIN_RESPECT", *_one_of("", *RESPECT)),
    ("WEBMAIN_RENDER", *_one_of(*RENDER)),
    ("WEBMAIN_ROBOTS_UNREACHABLE", *_one_of("deny", "allow")),
    ("WEBMAIN_STORE", read_store, ""),
    ("WEBMAIN_STOPWORDS", _unless_empty(read_stopwords), ""),
    ("WEBMAIN_SITES", _unless_empty(read_sites), ""),
    ("WEBMAIN_RECORD", _unless_empty(read_recording), ""),
    ("WEBMAIN_REPLAY", _find_recordings, ""),
    ("WEBMAIN_STATS_NAME", lambda name: not {"/", "\0"} & set(name), "names of files, without a slash"),
    (
        "WEBMAIN_MAX_BYTES WEBMAIN_LEARN_PAGES WEBMAIN_LEARN_MAX_HELD WEBMAIN_ARCHIVE_PIECE WEBMAIN_RENDER_WINDOWS"
        " CONCURRENT_REQUESTS CONCURRENT_ITEMS REACTOR_THREADPOOL_MAXSIZE",
        lambda n: int(n) >= 1,
        "whole numbers from 1",
    ),
    (
        f"WEBMAIN_TOP_WORDS {' '.join(_LIMITS)} CONCURRENT_REQUESTS_PER_DOMAIN DEPTH_LIMIT URLLENGTH_LIMIT RETRY_TIMES"
        " REDIRECT_MAX_TIMES DOWNLOAD_MAXSIZE DOWNLOAD_WARNSIZE CLOSESPIDER_ITEMCOUNT CLOSESPIDER_PAGECOUNT"
        " CLOSESPIDER_ERRORCOUNT CLOSESPIDER_TIMEOUT_NO_ITEM SCRAPER_SLOT_MAX_ACTIVE_SIZE MEMUSAGE_LIMIT_MB"
        " MEMUSAGE_WARNING_MB",
        lambda n: int(n) >= 0,
        "whole numbers from 0",
    ),
    ("WEBMAIN_WORKERS", lambda n: n == "auto" or int(n) >= 0, "auto and whole numbers from 0"),
    (
        "WEBMAIN_PAGE_TIMEOUT_S WEBMAIN_LEARN_HOLD_S WEBMAIN_PROGRESS_S WEBMAIN_ROBOTS_RETRY_S WEBMAIN_MAX_CRAWL_DELAY"
        " WEBMAIN_MAX_RETRY_AFTER WEBMAIN_ARCHIVE_BACK_OFF_S DOWNLOAD_DELAY DOWNLOAD_TIMEOUT DNS_TIMEOUT"
        " CLOSESPIDER_TIMEOUT AUTOTHROTTLE_START_DELAY AUTOTHROTTLE_MAX_DELAY",
        lambda n: 0 <= float(n) < math.inf,
        "numbers from 0",
    ),
    (
        "WEBMAIN_RENDER_TIMEOUT_S AUTOTHROTTLE_TARGET_CONCURRENCY",
        lambda n: 0 < float(n) < math.inf,
        "numbers above 0",
    ),
    ("WEBMAIN_REVIEW_BELOW", lambda n: 0 <= float(n) <= 1, "numbers from 0 to 1"),
    (
        "WEBMAIN_LEARN WEBMAIN_BACK_OFF WEBMAIN_ALLOW_PRIVATE WEBMAIN_NAMED_PRIVATE WEBMAIN_REVIEW_KEEP_OUT"
        " WEBMAIN_CHROMIUM_SANDBOX ROBOTSTXT_OBEY AUTOTHROTTLE_ENABLED COOKIES_ENABLED",
        _is_truth,
        ", ".join(_TRUTHS),
    ),
    ("WEBMAIN_SUMMARY", lambda value: value == "new" or _is_truth(value), ", ".join((*_TRUTHS, "new"))),
    (
        "LOG_LEVEL",
        lambda level: isinstance(level, int) or level in logging.getLevelNamesMapping(),
        "DEBUG, INFO, WARNING, ERROR, CRITICAL",
    ),
)
"""Names of settings; the check of a value, which returns False or raises an error if the value cannot be used; and what is
allowed, "" if the error says so. Webmain's other settings are free text."""


def wrong_settings(settings: BaseSettings, prefix: str = "") -> list[str]:
    """Return a message for each setting, webmain's own or a common one of Scrapy's, whose value cannot be used.

    With `prefix`, only settings whose names begin with it are checked.
    """
    problems = []
    for name, check, allowed in ((n, check, allowed) for names, check, allowed in _CHECKS for n in names.split()):
        value = settings.get(name)
        why = ""
        try:
            if not name.startswith(prefix) or value is None or check(value) is not False:
                continue
        except (TypeError, ValueError, OverflowError, AttributeError, OSError) as error:
            why = str(error).removeprefix("keep: ").removeprefix("extractor: ")
        given = "is empty" if value == "" else f"got {value!r}"
        if allowed:
            why = f"{given}, allowed are {allowed}"
        elif str(value) not in why or not value:
            why = f"{given}; {why}"
        problems.append(f"setting {name}: {why}")
    return problems


def warnings_of(settings: BaseSettings) -> list[str]:
    """Return a message for each setting that has no effect: an unknown name, a missing file of corrections."""
    messages = unknown_settings(settings)
    path = settings.get("WEBMAIN_CORRECTIONS")
    if path and path != defaults.WEBMAIN_CORRECTIONS and not Path(path).exists():
        messages.append(f"setting WEBMAIN_CORRECTIONS: {path}: there is no such file, so no page is corrected")
    return messages


def unknown_settings(names: Iterable[str]) -> list[str]:
    """Return a message for each setting whose name begins like webmain's but is unknown."""
    known = {name for name in vars(defaults) if name.startswith(PREFIX)} | set(_LIMITS)
    words = sorted(name.removeprefix(PREFIX) for name in known)
    messages = []
    for name in sorted(set(names) - known):
        if name.startswith(PREFIX):
            close = get_close_matches(name.removeprefix(PREFIX), words, n=1, cutoff=0.6)
            hint = f", did you mean {PREFIX}{close[0]}?" if close else ""
            messages.append(f"setting {name}: no such setting{hint}")
    return messages


def unwritable(settings: BaseSettings) -> list[str]:
    """Return a message for each place that a crawl could not write to: the log, the folder of figures, files of feeds.

    An empty line is written to the log.
    """
    problems = []
    if log := settings.get("LOG_FILE"):
        try:
            with Path(log).open("a") as stream:
                stream.write("\n")
        except OSError as error:
            problems.append(f"setting LOG_FILE: {log}: cannot be written: {reason_of(error)}")
    if (folder := settings.get("WEBMAIN_STATS_DIR")) and (why := _why_unwritable(Path(folder))):
        problems.append(f"setting WEBMAIN_STATS_DIR: {folder}: {why}")
    feeds: Mapping[Any, Any] = settings.getdict("FEEDS")
    for uri in map(str, feeds):
        file = _file_of(uri)
        if file is None:
            continue
        why = "this is a folder" if file.is_dir() else _why_unwritable(file.parent)
        if not why and file.exists() and not os.access(file, os.W_OK):
            why = "no permission to write it"
        if why:
            problems.append(f"feed {uri}: {why}")
    return problems


def _file_of(uri: str) -> Path | None:
    """Return a feed's file; None for other storages, and for names that are set during the crawl."""
    if "%(" in uri:
        return None
    if uri.startswith("file://"):
        return Path(unquote(urlsplit(uri).path))
    return None if "://" in uri or uri.startswith("stdout:") or uri == "-" else Path(uri)


def _why_unwritable(folder: Path) -> str | None:
    """Create a folder as the crawl would; return why that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"cannot be written: {reason_of(error)}"
    return None if os.access(folder, os.W_OK | os.X_OK) else f"no permission to write in {folder}"
