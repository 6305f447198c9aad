"""Dates as pages write them, for machines and for people, in many languages, into aware datetimes.

Formats only, no guessing: relative dates ("two hours ago") and bare years are no dates.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final
from urllib.parse import unquote, urlsplit

from webmain import languages
from webmain.text.zones import read_zone

MAX_DATE_CHARS: Final = 200
"""What is read of a string."""

FIRST_YEAR: Final = 1990
"""No page of the web is older."""

_THAI: Final = range(0x0E00, 0x0E80)
_BUDDHIST_OFFSET: Final = 543
_DAYS_AHEAD: Final = 2

_ZONE = r"(?P<zone>[+\-−]\d{1,2}:?\d{2}(?!\d)|[+\-−]\d{2}(?!\d)|Z\b|[A-Z]{2,4}\b)"
_TIME = (
    r"(?P<hour>\d{1,2})(?::|\.|h|ʰ|時|시\s?|点)(?P<minute>\d{2})(?!\d)(?:[:.](?P<second>\d{2})(?!\d)(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"\s?(?P<half>[AaPp]\.?\s?[Mm]\b\.?)?"
)
_NAME = r"(?P<name>[^\d\s,/:;()|<>\[\]\"_]{2,24}(?:\s(?:الثاني|الأول|ثاني|أول))?)"
_YEAR4 = r"(?P<year>(?:1[39]|2[0-6])\d\d)(?!\d)"

_ISO = re.compile(
    r"(?<![\d/.-])(?P<year>(?:199|20\d|2[45]\d)\d)(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?!\d)"
    rf"(?:(?:[Tt]|,?\s{{1,3}}|\s[-–|]\s)(?:um\s)?{_TIME}(?:\s?{_ZONE})?)?"
)
_COMPACT = re.compile(
    r"(?P<year>(?:199|20\d)\d)(?P<month>\d\d)(?P<day>\d\d)"
    r"(?:[T ]?(?P<hour>\d\d):?(?P<minute>\d\d)(?::?(?P<second>\d\d))?(?:\.\d{1,9})?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
)
_EPOCH = re.compile(r"(?:/Date\()?(\d{9,10}|\d{12,13})(?:\.\d{1,6})?(?:[+-]\d{4})?(?:\)/)?")
_CJK = re.compile(
    r"(?P<year>(?:199|20\d)\d)\s?[年년]\s?(?P<month>\d{1,2})\s?[月월]\s?(?P<day>\d{1,2})\s?[日일号]?"
    r"|(?P<era>令和|平成)\s?(?P<year2>\d{1,2}|元)\s?年\s?(?P<month2>\d{1,2})\s?月\s?(?P<day2>\d{1,2})\s?日"
)
_JAVA = re.compile(
    r"(?P<name>[A-Z][a-z]{2})\s(?P<day>\d{1,2})\s(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)\s(?P<zone>[A-Z]{2,4}|[+-]\d{4})?\s?"
    + _YEAR4
)
_DAY_FIRST = re.compile(
    r"(?<![\d.:/])(?P<day>\d{1,2})(?:st|nd|rd|th|er|ère|ª|º|\.|\.º)?(?:\s{1,2}(?:de\s|del\s|of\s|d['’]|da\s|-ий\s)?|[-/‑]|\s?[-–]\s|(?=[^\W\d]))"
    rf"(?:d['’])?{_NAME}(?:\s{{1,2}}|[-/‑,]\s?|\.\s?|(?<=\.))(?:(?:de|del|of|พ\.ศ\.|ค\.ศ\.|ปี|лет|г\.)\s?)?"
    r"(?P<year>(?:199|20\d|2[45]\d)\d(?!\d)|['’]?\d{2}(?![\d:.]|\s?[hH:]))"
)
_MONTH_FIRST = re.compile(
    r"(?<![^\W\d_])(?P<name>[^\W\d_]{3,12})\.?\s{1,2}(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,\s?|\s{1,2}|\s?-\s)(?P<year>(?:199|20\d)\d)(?!\d)"
)
_YEAR_FIRST = re.compile(
    r"(?P<year>(?:199|20\d)\d)(?:\.\sgada|\sm\.|[.,])?\s(?:(?P<day2>\d{1,2})\.\s)?"
    r"(?P<name>[^\W\d_]{3,14})\.?(?:\s(?P<day>\d{1,2})(?!\d))?"
)
_DAY_FIRST_VIETNAMESE = re.compile(
    r"(?P<day>\d{1,2})\s?(?:tháng|thg)\s?(?P<month>\d{1,2}),?\s?(?:năm\s)?(?P<year>(?:199|20\d)\d)", re.I
)
_NUMBERS = re.compile(
    r"(?<![\d./-])(?P<a>\d{1,2})\.?\s?(?P<sep>[./‑-])\s?(?P<b>\d{1,2})\s?(?P=sep)\s?(?P<year>(?:199|20\d|2[45]\d)\d|\d\d)(?![\d%])"
)
_CLOCK_AFTER = re.compile(
    rf"\W{{0,4}}(?:à|às|at|um|kl\.?|a las|alle|ore|om|в|о|saat|klo|"
    rf"เวลา|ο|στις|ב|الساعة|jam|pukul|lúc|[|•·–—@,(-])?\W{{0,3}}{_TIME}"
    rf"(?:\s?(?:Uhr|น\.|hrs?|h|uur|GMT(?=[+-]))?\s?\(?{_ZONE})?"
)
_CLOCK_BEFORE = re.compile(
    rf"{_TIME}(?:\s?(?:Uhr|น\.|hrs?|h|uur))?(?:\s?{_ZONE})?[\s,|•·–—-]{{0,5}}(?:on\s|[A-Za-z]{{3,10}},?\s)?$"
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
    table |= dict.fromkeys([0x200B, 0x200E, 0x200F, 0xAD, 0x2060], "")
    table |= {0x60C: ",", 0xFF0F: "/", 0xFF1A: ":", 0xFF0C: ","}
    return table


def plain(text: str) -> str:
    """Write digits of all scripts in ASCII, on one line, cut at `MAX_DATE_CHARS`."""
    return " ".join(text[:MAX_DATE_CHARS].translate(_digits()).split())


def parse_date(
    raw: str, *, language: str = "", month_first: bool = False, now: datetime | None = None
) -> datetime | None:
    """Find the first date in a string: ISO 8601, RFC 822, seconds or milliseconds since 1970, or as people write it.

    Parameters
    ----------
    raw : str
        At most `MAX_DATE_CHARS` are read.
    language : str
        The page's language; decides month names that differ and what short Thai years mean.
    month_first : bool
        Read 05/06/2024 as the American press does; it is 5 June otherwise.
    now : datetime or None
        Later dates than two days after it are none: when the page was fetched; by default the clock's.

    Returns
    -------
    datetime or None
        Time-zone aware; a missing or unknown zone is UTC, a missing time midnight. Buddhist-era years (2400 to 2699, or
        their last two digits beside Thai) are turned into common ones. None where there is no date between
        `FIRST_YEAR` and `now`.
    """
    text = plain(raw)
    if not any(c.isdigit() for c in text):
        return None
    latest = _latest(now)
    found = _whole(text) or _search(text, language, month_first)
    return found if found and found.year >= FIRST_YEAR and found <= latest else None


def _latest(now: datetime | None) -> datetime:
    """Return the latest date that a page of that time may name."""
    now = now or datetime.now(UTC)
    try:
        return (now if now.tzinfo else now.replace(tzinfo=UTC)) + timedelta(days=_DAYS_AHEAD)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def _whole(text: str) -> datetime | None:
    """Read what is nothing but a date for machines."""
    if match := _EPOCH.fullmatch(text):
        digits = match[1]
        return datetime.fromtimestamp(int(digits) / (1000 if len(digits) > 10 else 1), UTC)
    if match := _COMPACT.fullmatch(text):
        return _build(match.groupdict(), "")
    return None


def _search(text: str, language: str, month_first: bool) -> datetime | None:
    """Try the patterns, from the unmistakable to the less so; the first that gives a real day wins."""
    for match in _ISO.finditer(text):
        if found := _build(match.groupdict(), language):
            return found
    if "月" in text or "월" in text:
        for match in _CJK.finditer(text):
            if found := _with_clock(text, match, _cjk_parts(match), language):
                return found
    java = _JAVA.search(text)
    if java and (found := _build(java.groupdict(), language)):
        return found
    for pattern in (_DAY_FIRST_VIETNAMESE, _DAY_FIRST, _MONTH_FIRST, _YEAR_FIRST):
        for match in pattern.finditer(text):
            if found := _with_clock(text, match, match.groupdict(), language):
                return found
    for match in _NUMBERS.finditer(text):
        parts = match.groupdict()
        a, b = int(parts["a"]), int(parts["b"])
        swap = b > 12 or (month_first and parts["sep"] != "." and a <= 12)
        parts["month"], parts["day"] = (parts["a"], parts["b"]) if swap else (parts["b"], parts["a"])
        if found := _with_clock(text, match, parts, language):
            return found
    return None


def _cjk_parts(match: re.Match[str]) -> dict[str, str | None]:
    parts: dict[str, str | None] = match.groupdict()
    if era := parts["era"]:
        year = 1 if parts["year2"] == "元" else int(parts["year2"] or 1)
        parts["year"] = str(year + (2018 if era == "令和" else 1988))
        parts["month"], parts["day"] = parts["month2"], parts["day2"]
    return parts


def _with_clock(text: str, match: re.Match[str], parts: dict[str, str | None], language: str) -> datetime | None:
    """Build the date with the time that stands right behind or before it."""
    clock = _CLOCK_AFTER.match(text, match.end()) or _CLOCK_BEFORE.search(
        text[max(0, match.start() - 30) : match.start()]
    )
    timed = {**parts, **clock.groupdict()} if clock else parts
    return _build(timed, language) or (_build(parts, language) if clock else None)


def _build(parts: dict[str, str | None], language: str) -> datetime | None:
    """Build the date from a pattern's named groups; None where there is no such day or time."""
    thai = language[:2] == "th"
    if name := parts.get("name"):
        number = languages.known().month(name, language)
        thai = any(ord(c) in _THAI for c in name)
    else:
        number = int(parts.get("month") or 0)
    day = parts.get("day") or parts.get("day2")
    if not number or not day:
        return None
    hour = int(parts.get("hour") or 0)
    if half := parts.get("half"):
        hour = hour % 12 + (12 if half[0] in "Pp" else 0)
    days = 1 if hour == 24 else 0
    try:
        found = datetime(
            _common_year(parts["year"] or "", thai), number, int(day), 0 if days else hour, int(parts.get("minute") or 0),
            min(59, int(parts.get("second") or 0)), int((parts.get("fraction") or "0")[:6].ljust(6, "0")),
            read_zone(parts.get("zone")),
        )  # fmt: skip
        return found + timedelta(days=days)
    except (ValueError, OverflowError):
        return None


def _common_year(raw: str, thai: bool) -> int:
    """Return the year of the common era."""
    digits = raw.lstrip("'’")
    year = int(digits)
    if len(digits) == 2:
        if thai and 33 <= year <= 90:
            return 2500 + year - _BUDDHIST_OFFSET
        return year + (2000 if year < 70 else 1900)
    return year - _BUDDHIST_OFFSET if 2400 <= year < 2700 else year


_NAMED_ZERO = re.compile(r"(?:\b|\d)(?:Z|UTC?|GMT|WET|[+\-−]00:?00)\b(?!\s?[+\-−]\d)")


def precision(value: datetime, raw: str) -> int:
    """Tell how much of a parsed date was said: 0 the day only, 1 a time too, 2 its zone too.

    Parameters
    ----------
    value : datetime
        What `parse_date` or another reader made of the string. Midnight sharp is no time: machines write it for days.
    raw : str
        The string.
    """
    if not value.hour and not value.minute and not value.second:
        return 0
    text = plain(raw)
    is_zoned = bool(value.utcoffset()) or _NAMED_ZERO.search(text) or _EPOCH.fullmatch(text)
    return 2 if is_zoned else 1


_RANGE = re.compile(r"\s(?:[-–—]|to|until|bis)\s(?=[\w'’])")
_MAX_RANGE_CHARS: Final = 80


def is_range(raw: str, *, language: str = "") -> bool:
    """Tell whether a short text is a span of two days, as archives and calendars show it, and no date."""
    text = plain(raw)
    if len(text) > _MAX_RANGE_CHARS:
        return False
    for match in list(_RANGE.finditer(text))[:3]:
        end = text[match.end() :]
        if not end[0].isdigit() and not languages.known().month(end.split()[0].rstrip(".,"), language):
            continue  # "3 May 2024 - updated 4 May 2024"
        days = [parse_date(part, language=language) for part in (text[: match.start()], end)]
        if days[0] and days[1] and days[0].date() < days[1].date():
            return True
    return False


_URL_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<!\d)(?P<year>199\d|20\d\d|25[3-9]\d)(?P<sep>[/\-_.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?!\d)",
        r"(?<!\d)(?P<year>199\d|20\d\d)/(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/(?P<day>\d{1,2})(?!\d)",
        r"(?<![\da-f])(?P<year>199\d|20\d\d)[/-]?(?P<month>\d{2})[/-]?(?P<day>\d{2})(?![\da-f])",
        r"(?<!\d)(?P<day>\d{2})(?P<sep>[\-_.])(?P<month>\d{2})(?P=sep)(?P<year>199\d|20\d\d)(?!\d)",
    )
)


def date_in_url(url: str, *, now: datetime | None = None) -> datetime | None:
    """Find the day that a URL's path names; midnight UTC. None for a month or a year only, and for no plausible day."""
    try:
        path = unquote(urlsplit(url[:2000]).path).lower()
    except ValueError:
        return None
    latest = _latest(now)
    for pattern in _URL_DATES:
        for match in pattern.finditer(path):
            found = _build(match.groupdict(), "")
            if found and found.year >= FIRST_YEAR and found <= latest:
                return found
    return None
