"""Checks before a crawl begins: webmain's own settings, and whether its figures and feeds can be written."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from webmain import settings as defaults
from webmain.crawl.robots import denies_unreachable
from webmain.items.keep import Keep
from webmain.sites.rules import SitesError, read_sites
from webmain.spiders.candidates import Limits

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_PREFIX: Final = "WEBMAIN_"
_LIMITS: Final = tuple(f"WEBMAIN_MAX_{field.name.upper()}" for field in fields(Limits))
_TRUTHS: Final = ("0", "1", "true", "false", "True", "False")


def _whole(value: Any, least: int) -> bool:
    return int(value) >= least


def _number(value: Any, least: int) -> bool:
    return least <= float(value) < math.inf


def _share(value: Any, least: int) -> bool:
    return least <= float(value) <= 1


def _processes(value: Any, least: int) -> bool:
    return value == "auto" or _whole(value, least)


def _switch(value: Any, _least: int) -> bool:
    return isinstance(value, bool) or str(value) in _TRUTHS


_ALLOWED: Final[dict[Callable[[Any, int], bool], str]] = {
    _whole: "whole numbers from {least}",
    _processes: "auto and whole numbers from {least}",
    _number: "numbers from {least}",
    _share: "numbers from 0 to 1",
    _switch: ", ".join(_TRUTHS),
}
_WHOLE: Final = {"MAX_BYTES": 1, "TOP_WORDS": 0, "LEARN_PAGES": 1, "LEARN_MAX_HELD": 1, "ARCHIVE_PIECE": 1}
_NUMBERS: Final = """PAGE_TIMEOUT_S LEARN_HOLD_S PROGRESS_S ROBOTS_RETRY_S MAX_CRAWL_DELAY MAX_RETRY_AFTER
    ARCHIVE_BACK_OFF_S""".split()
_SWITCHES: Final = "LEARN ALLOW_PRIVATE NAMED_PRIVATE REVIEW_KEEP_OUT".split()
_CHECKS: Final[dict[str, tuple[Callable[[Any, int], bool], int]]] = {
    **{f"{_PREFIX}{name}": (_whole, least) for name, least in _WHOLE.items()},
    **dict.fromkeys(_LIMITS, (_whole, 0)),
    **{f"{_PREFIX}{name}": (_number, 0) for name in _NUMBERS},
    **{f"{_PREFIX}{name}": (_switch, 0) for name in _SWITCHES},
    "WEBMAIN_WORKERS": (_processes, 0),
    "WEBMAIN_REVIEW_BELOW": (_share, 0),
}
"""The check of each setting, and its least value."""


def wrong_settings(settings: BaseSettings) -> list[str]:
    """Return a message for each of webmain's own settings whose value cannot be used."""
    problems = []
    for name, (check, least) in _CHECKS.items():
        value = settings.get(name)
        if value is None and check is not _switch:
            continue
        try:
            is_right = check(value, least)
        except (TypeError, ValueError, OverflowError):
            is_right = False
        if not is_right:
            given = "is empty" if value == "" else f"got {value!r}"
            problems.append(f"setting {name}: {given}, allowed are {_ALLOWED[check].format(least=least)}")
    given = settings.get("WEBMAIN_SUMMARY")
    if not _switch(given, 0) and given != "new":
        problems.append(f"setting WEBMAIN_SUMMARY: got {given!r}, allowed are {', '.join(_TRUTHS)}, new")
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
    known = {name for name in vars(defaults) if name.startswith(_PREFIX)} | set(_LIMITS)
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
