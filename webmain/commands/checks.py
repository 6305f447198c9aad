"""Checks before a crawl begins: webmain's own settings, and whether its figures and feeds can be written."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from webmain import settings as defaults
from webmain.crawl.robots import denies_unreachable
from webmain.items.keep import Keep
from webmain.sites.rules import SitesError, read_sites
from webmain.spiders.limits import Limits

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_PREFIX: Final = "WEBMAIN_"
_LIMITS: Final = [f"MAX_{field.name.upper()}" for field in fields(Limits)]
_TRUTHS: Final = ("0", "1", "true", "false", "True", "False")


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or str(value) in _TRUTHS


_CHECKS: Final[tuple[tuple[Sequence[str], Callable[[Any], bool], str], ...]] = (
    (["MAX_BYTES", "LEARN_PAGES", "LEARN_MAX_HELD", "ARCHIVE_PIECE"], lambda n: int(n) >= 1, "whole numbers from 1"),
    (["TOP_WORDS", *_LIMITS], lambda n: int(n) >= 0, "whole numbers from 0"),
    (["WORKERS"], lambda n: n == "auto" or int(n) >= 0, "auto and whole numbers from 0"),
    (
        "PAGE_TIMEOUT_S LEARN_HOLD_S PROGRESS_S ROBOTS_RETRY_S MAX_CRAWL_DELAY MAX_RETRY_AFTER ARCHIVE_BACK_OFF_S".split(),
        lambda n: 0 <= float(n) < math.inf,
        "numbers from 0",
    ),
    (["REVIEW_BELOW"], lambda n: 0 <= float(n) <= 1, "numbers from 0 to 1"),
    (["LEARN", "ALLOW_PRIVATE", "NAMED_PRIVATE", "REVIEW_KEEP_OUT"], _is_truth, ", ".join(_TRUTHS)),
    (["SUMMARY"], lambda value: value == "new" or _is_truth(value), ", ".join((*_TRUTHS, "new"))),
)
"""Names of settings, the check of a value, and what is allowed."""


def wrong_settings(settings: BaseSettings) -> list[str]:
    """Return a message for each of webmain's own settings whose value cannot be used."""
    problems = []
    for name, is_allowed, allowed in ((n, check, allowed) for names, check, allowed in _CHECKS for n in names):
        value = settings.get(f"{_PREFIX}{name}")
        try:
            is_right = value is None or is_allowed(value)
        except (TypeError, ValueError, OverflowError):
            is_right = False
        if not is_right:
            given = "is empty" if value == "" else f"got {value!r}"
            problems.append(f"setting {_PREFIX}{name}: {given}, allowed are {allowed}")
    for name, read in (("WEBMAIN_KEEP", Keep.of), ("WEBMAIN_ROBOTS_UNREACHABLE", denies_unreachable)):
        try:
            read(settings.get(name))
        except (ValueError, TypeError) as error:
            problems.append(f"setting {name}: {str(error).removeprefix('keep: ').removeprefix(f'{name}: ')}")
    if path := settings.get("WEBMAIN_SITES"):
        try:
            read_sites(path)
        except SitesError as error:
            problems.append(f"setting WEBMAIN_SITES: {error}")
    return problems


def unknown_settings(names: Iterable[str]) -> list[str]:
    """Return a message for each setting whose name begins like webmain's but is unknown."""
    known = {name for name in vars(defaults) if name.startswith(_PREFIX)} | {_PREFIX + name for name in _LIMITS}
    messages = []
    for name in sorted(set(names) - known):
        if name.startswith(_PREFIX):
            close = get_close_matches(name, sorted(known), n=1, cutoff=0.6)
            messages.append(f"setting {name}: no such setting{f', did you mean {close[0]}?' if close else ''}")
    return messages


def unwritable(settings: BaseSettings) -> list[str]:
    """Return a message for each place that a crawl could not write to: the folder of figures, files of feeds."""
    problems = []
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
        return f"cannot be written: {error.strerror or error}"
    return None if os.access(folder, os.W_OK | os.X_OK) else f"no permission to write in {folder}"
