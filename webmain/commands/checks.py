"""What is looked at before a crawl begins: webmain's own settings, and whether its figures and feeds can be written."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from webmain import settings as defaults
from webmain.keep import Keep
from webmain.middlewares import denies_unreachable
from webmain.spiders.limits import Limits

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_PREFIX: Final = "WEBMAIN_"
_LIMITS: Final = tuple(f"WEBMAIN_MAX_{field.name.upper()}" for field in fields(Limits))
_WHOLE: Final = {
    "WEBMAIN_MAX_BYTES": 1,
    "WEBMAIN_WORKERS": 0,
    "WEBMAIN_TOP_WORDS": 0,
    "WEBMAIN_LEARN_PAGES": 1,
    "WEBMAIN_LEARN_MAX_HELD": 1,
    **dict.fromkeys(_LIMITS, 0),
}
_NUMBERS: Final = (
    "WEBMAIN_PAGE_TIMEOUT_S",
    "WEBMAIN_LEARN_HOLD_S",
    "WEBMAIN_PROGRESS_S",
    "WEBMAIN_ROBOTS_RETRY_S",
    "WEBMAIN_MAX_CRAWL_DELAY",
    "WEBMAIN_MAX_RETRY_AFTER",
)
_SHARES: Final = ("WEBMAIN_REVIEW_BELOW",)
_SWITCHES: Final = ("WEBMAIN_LEARN", "WEBMAIN_ALLOW_PRIVATE", "WEBMAIN_REVIEW_KEEP_OUT")
_TRUTHS: Final = ("0", "1", "true", "false", "True", "False")


def wrong_settings(settings: BaseSettings) -> list[str]:
    """Return a message for each setting of webmain's own whose value cannot be used."""
    problems = [
        message
        for name, least in _WHOLE.items()
        if (message := _wrong_number(name, settings.get(name), least=least, whole=True))
    ]
    problems += [message for name in _NUMBERS if (message := _wrong_number(name, settings.get(name)))]
    problems += [message for name in _SHARES if (message := _wrong_share(name, settings.get(name)))]
    for name in _SWITCHES:
        given = settings.get(name)
        if not isinstance(given, bool) and str(given) not in _TRUTHS:
            problems.append(f"setting {name}: got {given!r}, allowed are {', '.join(_TRUTHS)}")
    given = settings.get("WEBMAIN_SUMMARY")
    if not isinstance(given, bool) and str(given) not in (*_TRUTHS, "new"):
        problems.append(f"setting WEBMAIN_SUMMARY: got {given!r}, allowed are {', '.join(_TRUTHS)}, new")
    try:
        Keep.of(settings.get("WEBMAIN_KEEP"))
    except (ValueError, TypeError) as error:
        problems.append(f"setting WEBMAIN_KEEP: {str(error).removeprefix('keep: ')}")
    try:
        denies_unreachable(settings.get("WEBMAIN_ROBOTS_UNREACHABLE"))
    except ValueError as error:
        problems.append(f"setting {error}")
    return problems


def unknown_settings(names: Iterable[str]) -> list[str]:
    """Return a message for each name that begins like a setting of webmain's, and is none."""
    known = {name for name in vars(defaults) if name.startswith(_PREFIX)} | set(_LIMITS)
    messages = []
    for name in sorted(set(names) - known):
        if name.startswith(_PREFIX):
            close = get_close_matches(name, sorted(known), n=1, cutoff=0.6)
            messages.append(
                f"setting {name}: there is none of this name{f', did you mean {close[0]}?' if close else ''}"
            )
    return messages


def unwritable(settings: BaseSettings) -> list[str]:
    """Return a message for each place that a crawl would fail to write to: the folder of figures, files of feeds."""
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
    """Return a feed's file; None for other storages, and for names that are made during the crawl."""
    if "%(" in uri:
        return None
    if uri.startswith("file://"):
        return Path(unquote(urlsplit(uri).path))
    return None if "://" in uri or uri.startswith("stdout:") or uri == "-" else Path(uri)


def _why_unwritable(folder: Path) -> str | None:
    """Make a folder, as the crawl would; tell why that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return f"can not be written: {error.strerror or error}"
    return None if os.access(folder, os.W_OK | os.X_OK) else f"no permission to write in {folder}"


def _wrong_share(name: str, value: Any) -> str | None:
    """Return what is wrong with a value that is to lie between 0 and 1; None and False stand for 0."""
    try:
        is_share = 0 <= float(0 if value is None else value) <= 1
    except (TypeError, ValueError):
        is_share = False
    return None if is_share else f"setting {name}: got {value!r}, allowed are numbers from 0 to 1"


def _wrong_number(name: str, value: Any, *, least: int = 0, whole: bool = False) -> str | None:
    if value is None or value == "":
        return None if value is None else f"setting {name}: is empty, allowed are numbers from {least}"
    allowed = f"allowed are {'whole ' if whole else ''}numbers from {least}"
    try:
        number = int(value) if whole else float(value)
    except (TypeError, ValueError, OverflowError):
        return f"setting {name}: got {value!r}, {allowed}"
    if number < least or not math.isfinite(number):
        return f"setting {name}: got {value!r}, {allowed}"
    return None
