"""Dates as feeds, sitemaps and URLs write them, into aware datetimes; fixed formats only, no guessing.

Whether a date is plausible (an article of 1970, or of next year) is the caller's question.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final
from urllib.parse import unquote, urlsplit

from webmain.text.zones import read_zone

MAX_DATE_CHARS: Final = 100
"""Longer strings are no dates."""

_BUDDHIST_YEARS: Final = range(2400, 2700)
_BUDDHIST_OFFSET: Final = 543

_MONTH_NAMES: Final = (
    "jan januar january janvier enero ene gennaio gen janeiro januari styczeń sty ม.ค. มกราคม",
    "feb februar february février févr fév febrero febbraio fevereiro fev februari luty lut ก.พ. กุมภาพันธ์",
    "mar mär märz mrz march mars marzo março maart mrt marzec มี.ค. มีนาคม",
    "apr april avril avr abril abr aprile kwiecień kwi เม.ย. เมษายน",
    "may mai mayo maggio mag maio mei maj พ.ค. พฤษภาคม",
    "jun june juni juin junio giugno giu junho czerwiec cze มิ.ย. มิถุนายน",
    "jul july juli juillet juil julio luglio lug julho lipiec lip ก.ค. กรกฎาคม",
    "aug august août agosto ago augustus augusti sierpień sie ส.ค. สิงหาคม",
    "sep sept september septembre septiembre settembre set setembro wrzesień wrz ก.ย. กันยายน",
    "oct okt october oktober octobre octubre ottobre ott outubro out październik paź ต.ค. ตุลาคม",
    "nov november novembre noviembre novembro listopad lis พ.ย. พฤศจิกายน",
    "dec dez december dezember décembre déc diciembre dic dicembre dezembro grudzień gru ธ.ค. ธันวาคม",
)
_MONTHS: Final = {
    name.rstrip("."): number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()
}  # fmt: skip

_CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,9}))?)?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_ZONE = r"(?P<zone>[+\-−]\d{1,2}:?\d{2}|[+\-−]\d{2}|[A-Za-z]{1,5})(?:\s*\(.{0,40}\))?"
_ISO = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2}))?|/(?P<month2>\d{1,2})/(?P<day2>\d{1,2})"
    r"|(?P<month3>\d{2})(?P<day3>\d{2}))?"
    rf"(?:(?:\s*[Tt]\s*|\s+)(?:{_CLOCK}|(?P<hour2>\d{{2}})(?P<minute2>\d{{2}})(?P<second2>\d{{2}})?)?"
    rf"(?:\s*{_ZONE})?)?"
)
_DAY_FIRST = re.compile(
    r"(?:[^\W\d]{2,12}\.?,?\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+(?:de\s+)?(?P<name>[^\W\d][^\s\d,]{1,14})"
    rf"[\s,-]+(?:de\s+)?(?P<year>\d{{4}}|\d{{2}})(?:,?\s+(?:{_CLOCK})?(?:\s*{_ZONE})?)?"
)
_MONTH_FIRST = re.compile(
    r"(?:[^\W\d]{2,12}\.?,?\s+)?(?P<name>[^\W\d][^\s\d,]{1,14})\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    rf"(?:,?\s+(?P<year>\d{{4}})(?:,?\s+(?:{_CLOCK})?(?:\s*{_ZONE})?)?"
    r"|\s+(?P<hour2>\d{2}):(?P<minute2>\d{2}):(?P<second2>\d{2})\s+(?:[A-Z]{3,4}\s+)?(?P<year2>\d{4}))"
)
_NUMBERS = re.compile(
    rf"(?P<a>\d{{1,2}})(?P<sep>[./])(?P<b>\d{{1,2}})(?P=sep)(?P<year>\d{{4}})(?:,?\s+{_CLOCK}(?:\s*{_ZONE})?)?"
)
_EPOCH = re.compile(r"(?:/Date\()?(\d{9,10}|\d{12,13})(?:\.\d{1,6})?(?:[+-]\d{4})?(?:\)/)?")


def parse_feed_date(raw: str | None) -> datetime | None:
    """Parse a date of a feed or sitemap: RFC 822 and its dialects, ISO 8601 of any precision, or seconds since 1970.

    Parameters
    ----------
    raw : str or None
        The string as it stood there. A missing month or day is the first, a missing time midnight, a missing or
        unknown zone UTC. Buddhist-era years (2400 to 2699) are turned into common ones.

    Returns
    -------
    datetime or None
        Time-zone aware; None where the string is none of these, or no real day.
    """
    if not raw:
        return None
    text = " ".join(raw[: MAX_DATE_CHARS + 1].split())
    if not text or len(text) > MAX_DATE_CHARS:
        return None
    epoch = _EPOCH.fullmatch(text)
    if epoch:
        digits = epoch[1]
        return datetime.fromtimestamp(int(digits) / (1000 if len(digits) > 10 else 1), UTC)
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST, _NUMBERS):
        match = pattern.fullmatch(text)
        if match:
            return _from_parts({name: part for name, part in match.groupdict().items() if part is not None})
    return None


def _from_parts(parts: dict[str, str]) -> datetime | None:
    """Build the date from the named groups of a pattern; None where there is no such day or time."""
    for name in ("year", "month", "day", "hour", "minute", "second"):
        for twin in (f"{name}2", f"{name}3"):
            if twin in parts:
                parts[name] = parts[twin]
    if "name" in parts:
        month = _MONTHS.get(parts["name"].casefold().rstrip("."))
    elif "a" in parts:
        month, parts["day"] = _day_or_month_first(parts)
    else:
        month = int(parts.get("month", 1))
    if not month:
        return None
    hour = int(parts.get("hour", 0))
    if "half" in parts:
        hour = hour % 12 + (12 if parts["half"] in "Pp" else 0)
    days = 1 if hour == 24 else 0
    microsecond = int(parts.get("fraction", "0")[:6].ljust(6, "0"))
    try:
        found = datetime(
            _common_year(parts["year"]), month, int(parts.get("day", 1)), 0 if days else hour,
            int(parts.get("minute", 0)), min(59, int(parts.get("second", 0))), microsecond, read_zone(parts.get("zone")),
        )  # fmt: skip
        return found + timedelta(days=days)
    except (ValueError, OverflowError):
        return None


def _day_or_month_first(parts: dict[str, str]) -> tuple[int | None, str]:
    """Read 17.05.2024 and unambiguous slashes; 05/06/2024 is anybody's guess, so it is nobody's."""
    a, b = int(parts["a"]), int(parts["b"])
    if parts["sep"] == "." or a > 12 or a == b:
        return b, parts["a"]
    return (a, parts["b"]) if b > 12 else (None, "1")


def _common_year(raw: str) -> int:
    """Return the year of the common era; two digits as RFC 2822 reads them."""
    year = int(raw)
    if len(raw) == 2:
        return year + (2000 if year < 50 else 1900)
    return year - _BUDDHIST_OFFSET if year in _BUDDHIST_YEARS else year


_FIRST_YEAR: Final = 1990
_LAST_YEAR: Final = 2099
_YEAR = r"(?P<year>199\d|20\d\d|25[3-9]\d)"
_MONTH_WORD = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)"
_URL_DATES = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<!\d){_YEAR}(?P<sep>[/\-_.])(?P<month>\d{{1,2}})(?P=sep)(?P<day>\d{{1,2}})(?!\d)",
        rf"(?<!\d){_YEAR}/{_MONTH_WORD}/(?P<day>\d{{1,2}})(?!\d)",
        rf"(?<!\d){_YEAR}[/-]?(?P<month>\d{{2}})[/-]?(?P<day>\d{{2}})(?!\d)",
        rf"(?<!\d)(?P<day>\d{{2}})(?P<sep>[\-_.])(?P<month>\d{{2}})(?P=sep){_YEAR}(?!\d)",
        rf"(?<=/){_YEAR}[/\-_]?(?P<month>\d{{2}})(?=[/\-_.]|$)",
    )
)


def date_in_url(url: str) -> datetime | None:
    """Find the day or month that a URL's path names, as most news URLs do.

    Parameters
    ----------
    url : str
        Absolute or relative; only the path is read, from its first 2,000 characters.

    Returns
    -------
    datetime or None
        Midnight UTC of the day, or of the month's first day. None for a bare year, for numbers that are no day, and
        for years outside 1990 to 2099 (Buddhist-era years are turned into common ones).
    """
    try:
        path = unquote(urlsplit(url[:2000]).path).lower()
    except ValueError:
        return None
    for pattern in _URL_DATES:
        for match in pattern.finditer(path):
            parts = match.groupdict()
            month = _MONTHS[parts["name"]] if parts.get("name") else int(parts["month"])
            year = _common_year(parts["year"])
            if _FIRST_YEAR <= year <= _LAST_YEAR and _is_day(year, month, int(parts.get("day") or 1)):
                return datetime(year, month, int(parts.get("day") or 1), tzinfo=UTC)
    return None


def _is_day(year: int, month: int, day: int) -> bool:
    """Whether the calendar has this day."""
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
