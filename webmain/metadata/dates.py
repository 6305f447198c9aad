"""Parse dates of pages, feeds, sitemaps and URLs, in many languages, into aware datetimes.

Relative dates ("two hours ago") are read by `dates_shown`. The words come from the files in `languages/`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Final
from urllib.parse import unquote

from webmain import languages
from webmain.metadata.calendars import CALENDARS, from_nepali, read_zone
from webmain.metadata.date_patterns import date_patterns
from webmain.regex import lazy
from webmain.text.normal import repair_burmese
from webmain.urls import split_url

MAX_DATE_CHARS: Final = 200
"""Characters read of a string from a page."""

MAX_FEED_DATE_CHARS: Final = 100
"""Longer strings in feeds are not parsed."""

FIRST_YEAR: Final = 1990
"""Earliest year accepted: the web is not older."""

_LAST_YEAR: Final = 2099
_BUDDHIST_YEARS: Final = range(2400, 2700)
_BUDDHIST_OFFSET: Final = 543
_MINGUO_OFFSET: Final = 1911
"""Taiwan counts the years from 1912."""

_NEPALI_DECADES: Final = ("207", "208")
"""Beginnings of the years, 2013 to 2033, that numbers alone name in Nepal's calendar."""

_DAYS_AHEAD: Final = 2
_THAI: Final = range(0x0E00, 0x0E80)

_EPOCH = lazy(r"(?:/Date\()?(\d{9,10}|\d{12,13})(?:\.\d{1,6})?(?:[+-]\d{4})?(?:\)/)?")
_COMPACT = lazy(
    r"(?P<year>(?:199|20\d)\d)(?P<month>\d\d)(?P<day>\d\d)"
    r"(?:[T ]?(?P<hour>\d\d):?(?P<minute>\d\d)(?::?(?P<second>\d\d))?(?:\.\d{1,9})?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
_YEAR_OR_MONTH = lazy(r"(?P<year>\d{4})(?:-(?P<month>\d{1,2}))?")
_JAVA = lazy(
    r"(?P<name>[A-Z][a-z]{2})\s(?P<day>\d{1,2})\s(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)\s"
    r"(?:(?P<zone>[A-Z]{2,4}|[+-]\d{4})\s)?(?P<year>(?:1[39]|2[0-6])\d\d)(?!\d)"
)
_NUMBERS = lazy(
    r"(?<![\d./-])(?P<a>\d{1,2})\.?\s?(?P<sep>[./‑-])\s?(?P<b>\d{1,2})\s?(?P=sep)\s?(?P<year>(?:199|20\d|2[45]\d)\d|\d\d)(?![\d%])"
)


@cache
def _digits() -> dict[int, str]:
    """Map the digits of other scripts to ASCII, and unusual spaces and marks to plain ones."""
    table: dict[int, str] = {}
    for zero in (0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xE50, 0xED0,
                 0xF20, 0x1040, 0x17E0, 0xFF10):  # fmt: skip
        for i in range(10):
            table[zero + i] = str(unicodedata.digit(chr(zero + i)))
    table |= dict.fromkeys([0xA0, 0x2009, 0x202F, 0x3000, 9, 10, 13], " ")
    table |= dict.fromkeys([0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0xAD, 0x2060], "")
    table |= {0x60C: ",", 0x104A: ",", 0xFF0F: "/", 0xFF1A: ":", 0xFF0C: ","}
    return table


_HAN_DIGITS: Final = "〇一二三四五六七八九"
_HAN_DATE = lazy(rf"[○零{_HAN_DIGITS}十]{{1,4}}年\s?[{_HAN_DIGITS}十]{{1,3}}月\s?[{_HAN_DIGITS}十廿]{{1,4}}日")
_HAN_NUMBER = lazy(rf"[{_HAN_DIGITS}十]+")


def plain(text: str) -> str:
    """Return a text on one line with ASCII digits, cut at `MAX_DATE_CHARS`."""
    text = " ".join(repair_burmese(text[:MAX_DATE_CHARS]).translate(_digits()).split())
    return _HAN_DATE.sub(_in_digits, text) if "年" in text else text


def _in_digits(date: re.Match[str]) -> str:
    """Return a date in Chinese characters with ASCII digits: "二〇二四年五月十三日"."""
    return _HAN_NUMBER.sub(_han_number, date[0].translate({ord("○"): "〇", ord("零"): "〇", ord("廿"): "二十"}))


def _han_number(number: re.Match[str]) -> str:
    """Return a number below 100, or one written digit by digit."""
    tens, ten, ones = number[0].partition("十")
    digits = "".join(str(_HAN_DIGITS.index(c)) for c in tens or "一"[: len(ten)])
    return digits + ("".join(str(_HAN_DIGITS.index(c)) for c in ones if c != "十") or "0" if ten else "")


def parse_date(
    raw: str, *, language: str = "", month_first: bool = False, now: datetime | None = None
) -> datetime | None:
    """Return the first date in a string: ISO 8601, RFC 822, seconds or milliseconds since 1970, or as people write it.

    Parameters
    ----------
    raw : str
        At most `MAX_DATE_CHARS` are read.
    language : str
        The page's language; decides between conflicting month names, the meaning of two-digit Thai years, and the order
        of 26-11-25.
    month_first : bool
        Read 05/06/2024 as 6 May, the American way; otherwise as 5 June.
    now : datetime or None
        When the page was fetched, by default the current time; dates more than two days later are ignored.

    Returns
    -------
    datetime or None
        Time-zone aware; a missing or unknown zone is UTC, a missing time midnight. Buddhist-era years (2400 to 2699, or
        their last two digits next to Thai) are converted. None if there is no date between `FIRST_YEAR` and `now`.
    """
    text = plain(raw)
    if not any(c.isdigit() for c in text):
        return None
    found = _whole(text) or next(_search(text, language, month_first=month_first), None)
    return found if found and is_plausible(found, now) else None


def is_plausible(date: datetime, now: datetime | None) -> bool:
    """Return True if a page fetched at `now` (None: at present) may have a date: not before 1990, at most two days ahead."""
    return date.year >= FIRST_YEAR and date <= latest(now)


def parse_feed_date(raw: str | None) -> datetime | None:
    """Return a date of a feed or sitemap: RFC 822 and variants, ISO 8601 of any precision, or seconds since 1970.

    Parameters
    ----------
    raw : str or None
        The original string. A missing month or day is the first, a missing time midnight, a missing or unknown zone UTC.
        Buddhist-era years (2400 to 2699) are converted.

    Returns
    -------
    datetime or None
        Time-zone aware; None if the string has no such date, no existing day, or an ambiguous one (05/06/2024). The caller
        has to check whether the date is plausible (`is_plausible`).
    """
    text = " ".join(raw[: MAX_FEED_DATE_CHARS + 1].split()) if raw else ""
    if not text or len(text) > MAX_FEED_DATE_CHARS:
        return None
    if found := _whole(text):
        return found
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        if match := _YEAR_OR_MONTH.fullmatch(text):
            return _build({"month": "1", **{k: v for k, v in match.groupdict().items() if v}, "day": "1"}, "")
        return next(_search(plain(text), "", month_first=None), None)
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    return found.replace(year=found.year - _BUDDHIST_OFFSET) if found.year in _BUDDHIST_YEARS else found


def latest(now: datetime | None) -> datetime:
    """Return the latest date accepted from a page fetched at `now`; None stands for the current time."""
    now = now or datetime.now(UTC)
    try:
        return (now if now.tzinfo else now.replace(tzinfo=UTC)) + timedelta(days=_DAYS_AHEAD)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def _whole(text: str) -> datetime | None:
    """Return the date if a text is only a machine-readable date, else None."""
    if match := _EPOCH.fullmatch(text):
        digits = match[1]
        return datetime.fromtimestamp(int(digits) / (1000 if len(digits) > 10 else 1), UTC)
    if match := _COMPACT.fullmatch(text):
        return _build(match.groupdict(), "")
    return None


def _search(text: str, language: str, *, month_first: bool | None) -> Iterator[datetime]:
    """Yield the existing days that the patterns find, from the least to the most ambiguous pattern."""
    patterns = date_patterns()
    for pattern in (patterns.iso, *patterns.of_languages, _JAVA, *patterns.named, _NUMBERS):
        for match in pattern.finditer(text):
            parts = match.groupdict()
            if pattern is _NUMBERS:
                parts |= _in_order(parts, month_first, language)
            is_timed = pattern in (patterns.iso, _JAVA)
            if found := _build(parts, language) if is_timed else _with_clock(text, match, parts, language):
                yield found


def _in_order(parts: dict[str, str], month_first: bool | None, language: str = "") -> dict[str, str]:
    """Return the parts with day and month in the right order; empty if ambiguous and `month_first` is None."""
    if len(parts["year"]) == 2 and languages.known().words("dates.year_first", language[:2]):
        return {"year": parts["a"], "month": parts["b"], "day": parts["year"]}
    a, b, dotted = int(parts["a"]), int(parts["b"]), parts["sep"] == "."
    if month_first is None and not (dotted or a > 12 or b > 12 or a == b):
        return {}
    swap = b > 12 or (month_first and not dotted and a <= 12)
    return {"month": parts["a"], "day": parts["b"]} if swap else {"month": parts["b"], "day": parts["a"]}


def _with_clock(text: str, match: re.Match[str], parts: dict[str, str], language: str) -> datetime | None:
    """Return the date with the time directly after or before it."""
    patterns = date_patterns()
    before = text[max(0, match.start() - 30) : match.start()]
    clock = patterns.clock_after.match(text, match.end()) or patterns.clock_before.search(before)
    timed = {**parts, **clock.groupdict()} if clock else parts
    return _build(timed, language) or (_build(parts, language) if clock else None)


def _build(parts: dict[str, str], language: str) -> datetime | None:
    """Return the date of a pattern's named groups; None if there is no such day or time."""
    thai = language[:2] == "th"
    for calendar, to_common in CALENDARS.items():
        if name := parts.get(calendar):
            if name.isdigit() and language[:2] != "fa":
                return None
            number = int(name) if name.isdigit() else date_patterns().calendars[calendar][name]
            parts = _parts_of(to_common(int(parts["year"]), number, int(parts["day"])), parts)
            break
    if language[:2] == "ne" and parts.get("month") and parts["year"].startswith(_NEPALI_DECADES):
        parts = _parts_of(from_nepali(int(parts["year"]), int(parts["month"]), int(parts["day"])), parts)
    month: int | None
    if name := parts.get("name"):
        month = languages.known().month(name, language)
        thai = any(ord(c) in _THAI for c in name)
    else:
        month = int(parts.get("month") or 0)
    day = parts.get("day") or parts.get("day2")
    if not month or not day:
        return None
    hour = int(parts.get("hour") or 0)
    if half := parts.get("half") or parts.get("part"):
        hour = hour % 12 + (12 if date_patterns().afternoon.match(half) else 0)
    days = 1 if hour == 24 else 0
    try:
        found = datetime(
            _common_year(parts, thai), month, int(day), 0 if days else hour, int(parts.get("minute") or 0),
            min(59, int(parts.get("second") or 0)), int((parts.get("fraction") or "0")[:6].ljust(6, "0")),
            read_zone(parts.get("zone") or parts.get("zone2")),
        )  # fmt: skip
        return found + timedelta(days=days)
    except (ValueError, OverflowError):
        return None


def _parts_of(day: date | None, parts: dict[str, str]) -> dict[str, str]:
    """Return the parts with those of a date of the common era; none if there is no such day."""
    return {**parts, "year": f"{day:%Y}", "month": f"{day:%m}", "day": f"{day:%d}"} if day else {}


def _common_year(parts: dict[str, str], thai: bool) -> int:
    """Return the year of the common era."""
    digits = parts["year"].lstrip("'’")
    if era := parts.get("era"):
        return date_patterns().eras[era] + (int(digits) if digits.isdigit() else 1)
    year = int(digits)
    if len(digits) == 3:
        return year + _MINGUO_OFFSET
    if len(digits) == 2:
        if thai and 33 <= year <= 90:
            return 2500 + year - _BUDDHIST_OFFSET
        return year + (2000 if year < 70 else 1900)
    return year - _BUDDHIST_OFFSET if year in _BUDDHIST_YEARS else year


_NAMED_ZERO = lazy(r"(?:\b|\d)(?:Z|UTC?|GMT|WET|[+\-−]00:?00)\b(?!\s?[+\-−]\d)")


def precision(value: datetime, raw: str) -> int:
    """Return the precision of a parsed date: 0 only the day, 1 also a time, 2 also its zone.

    Parameters
    ----------
    value : datetime
        The string as parsed by `parse_date` or another reader. Exactly midnight is no time: machines write it for days.
    raw : str
        The string.
    """
    if not value.hour and not value.minute and not value.second:
        return 0
    text = plain(raw)
    is_zoned = bool(value.utcoffset()) or _NAMED_ZERO.search(text) or _EPOCH.fullmatch(text)
    return 2 if is_zoned else 1


def is_ambiguous(raw: str) -> bool:
    """Return True if either of a date's numbers may be the day: 05/06/2024."""
    match = _NUMBERS.search(plain(raw))
    return match is not None and not _in_order(match.groupdict(), None)


def is_month_first(raw: str) -> bool | None:
    """Return whether the month comes first in an unambiguous numeric date; None if there is no such date."""
    match = _NUMBERS.search(plain(raw))
    if match is None or match["sep"] == "." or (int(match["a"]) > 12) == (int(match["b"]) > 12):
        return None
    return int(match["b"]) > 12


_MAX_RANGE_CHARS: Final = 80


def is_range(raw: str, *, language: str = "") -> bool:
    """Return True if a short text is a range of two days, as in archives and calendars, rather than a date."""
    text = plain(raw)
    if len(text) > _MAX_RANGE_CHARS:
        return False
    for match in list(date_patterns().span.finditer(text))[:3]:
        end = text[match.end() :]
        if not end[0].isdigit() and not languages.known().month(end.split()[0].rstrip(".,"), language):
            continue  # "3 May 2024 - updated 4 May 2024"
        days = [parse_date(part, language=language) for part in (text[: match.start()], end)]
        if days[0] and days[1] and days[0].date() < days[1].date():
            return True
    return False


_URL_YEAR: Final = r"(?P<year>199\d|20\d\d|25[3-9]\d)"
_URL_HAS_YEAR: Final = lazy(_URL_YEAR)
_URL_DATES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<!\d){_URL_YEAR}(?P<sep>[/\-_.])(?P<month>\d{{1,2}})(?P=sep)(?P<day>\d{{1,2}})(?!\d|(?<=/[1-9])-|(?<=/[1-3]\d)-)",
        rf"(?<!\d){_URL_YEAR}/(?P<name>[a-z]{{3,9}})/(?P<day>\d{{1,2}})(?!\d)",
        rf"(?<!\d)(?<![\da-f]{{2}}){_URL_YEAR}[/-]?(?P<month>\d{{2}})[/-]?(?P<day>\d{{2}})(?![\da-f]|(?<=/[1-3]\d)-)",
        rf"(?<!\d)(?P<day>\d{{2}})(?P<sep>[\-_.])(?P<month>\d{{2}})(?P=sep){_URL_YEAR}(?!\d)",
    )
)
_URL_MONTH: Final = lazy(rf"(?<=/){_URL_YEAR}[/\-_]?(?P<month>\d{{2}}|(?<=/)\d)(?=[/\-_.]|$)")


def date_in_url(url: str, *, months: bool = False) -> datetime | None:
    """Return the day in a URL's path, as many news URLs have one.

    Parameters
    ----------
    url : str
        Absolute or relative; only the path is read, from its first 2,000 characters.
    months : bool
        Accept a month without a day, as its first day.

    Returns
    -------
    datetime or None
        Midnight UTC. None for a bare year, for numbers that are not a day, and for years outside 1990 to 2099 (Buddhist-era
        years are converted).
    """
    path = unquote(split_url(url[:2000]).path).lower()
    if not _URL_HAS_YEAR.search(path):
        return None
    for pattern in (*_URL_DATES, _URL_MONTH)[: len(_URL_DATES) + months]:
        for match in pattern.finditer(path):
            found = _build({"day": "1", **match.groupdict()}, "")
            if found and FIRST_YEAR <= found.year <= _LAST_YEAR:
                return found
    return None
