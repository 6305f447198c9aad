"""Convert dates of the calendars of Iran and Afghanistan, of Ethiopia and of Nepal to the Gregorian one; read time zones."""

from __future__ import annotations

from datetime import UTC, date, timedelta, timezone
from functools import lru_cache
from typing import Final

_KNOWN_YEAR: Final = 1400
_ITS_FIRST_DAY: Final = date(2021, 3, 21)
_LONG_MONTHS, _LONG, _SHORT = 6, 31, 30
_ETHIOPIAN_2000: Final = date(2007, 9, 12)
_NEPALI_DAYS: Final = """
223231101011 232321110012 132321110102 223222101011 223321101011 232321110012 222322010102 223222101011
223321101011 232321110012 222322011002 223222101011 223321101011 232321110012 222322011011 223222101011
232321101011 232321110012 222322101011 223222101011 232321110011 232321110102 222322101011 223222101011
232321110011 232321110102 223222101011 223222101011 223221110111 232312110111 132321110111
"""
"""The days of each month from the year 2056 on, less 29, as Nepal's calendar committee announced them."""

_NEPALI_MONTHS: Final = tuple(29 + int(days) for days in "".join(_NEPALI_DAYS.split()))
_FIRST_NEPALI, _NEPALI_2056 = 2056, date(1999, 4, 14)


def from_solar(year: int, month: int, day: int) -> date | None:
    """Return the Gregorian date of a Solar Hijri day.

    Parameters
    ----------
    year : int
        Solar Hijri year; leap years follow the 33-year cycle, which is exact for 1343 to 1472.
    month, day : int
        From 1.

    Returns
    -------
    date or None
        None if there is no such day.
    """
    before = (month - 1) * _SHORT + min(month - 1, _LONG_MONTHS)
    n_days = _LONG if month <= _LONG_MONTHS else _SHORT if month < 12 or _is_leap(year) else _SHORT - 1
    if not (1343 <= year <= 1472 and 1 <= month <= 12 and 1 <= day <= n_days):
        return None
    between = range(min(year, _KNOWN_YEAR), max(year, _KNOWN_YEAR))
    n_leap = sum(map(_is_leap, between)) * (1 if year > _KNOWN_YEAR else -1)
    return _ITS_FIRST_DAY + timedelta(365 * (year - _KNOWN_YEAR) + n_leap + before + day - 1)


def _is_leap(year: int) -> bool:
    return (25 * year + 11) % 33 < 8


def from_ethiopian(year: int, month: int, day: int) -> date | None:
    """Return the Gregorian date of a day of the Ethiopian calendar: twelve months of 30 days, then five or six days.

    Parameters
    ----------
    year : int
        In the Ethiopian era, which is seven or eight years behind; each fourth year, 2003 or 2007, has a sixth day.
    month, day : int
        From 1; the month of five or six days is 13.

    Returns
    -------
    date or None
        None if there is no such day.
    """
    n_days = _SHORT if month <= 12 else 5 + (year % 4 == 3)
    if not (1980 <= year <= 2092 and 1 <= month <= 13 and 1 <= day <= n_days):
        return None
    return _ETHIOPIAN_2000 + timedelta(365 * (year - 2000) + year // 4 - 500 + 30 * (month - 1) + day - 1)


def from_nepali(year: int, month: int, day: int) -> date | None:
    """Return the Gregorian date of a day of Nepal's calendar, Bikram Sambat, whose months follow the sun.

    Parameters
    ----------
    year : int
        Fifty-six or fifty-seven years ahead; from 2056 to 2086.
    month, day : int
        From 1.

    Returns
    -------
    date or None
        None if there is no such day.
    """
    index = 12 * (year - _FIRST_NEPALI) + month - 1
    if not (1 <= month <= 12 and 0 <= index < len(_NEPALI_MONTHS) and 1 <= day <= _NEPALI_MONTHS[index]):
        return None
    return _NEPALI_2056 + timedelta(sum(_NEPALI_MONTHS[:index]) + day - 1)


CALENDARS: Final = {"solar": from_solar, "ethiopian": from_ethiopian, "nepali": from_nepali}
"""The functions by the name of the calendar, as in `dates.*_months` of the languages."""

_HOURS_EAST: Final = {
    "UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "MET": 1, "CEST": 2,
    "MESZ": 2, "MEST": 2, "EET": 2, "SAST": 2, "CAT": 2, "EEST": 3, "MSK": 3, "EAT": 3, "TRT": 3, "GST": 4, "PKT": 5,
    "IST": 5.5, "NPT": 5.75, "BDT": 6, "MMT": 6.5, "ICT": 7, "WIB": 7, "WITA": 8, "HKT": 8, "SGT": 8, "MYT": 8,
    "PHT": 8, "AWST": 8, "JST": 9, "KST": 9, "WIT": 9, "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12,
    "NZDT": 13, "NST": -3.5, "NDT": -2.5, "BRT": -3, "ART": -3, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4,
    "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10, "ET": -5, "PT": -8,
}  # fmt: skip
"""Hours east of UTC; ambiguous names (CST, IST, BST) are read as in RFC 822 or as in the larger press."""


@lru_cache(maxsize=1_024)
def read_zone(raw: str | None) -> timezone:
    """Return the zone of an offset ("+07:00", "-0530", "+7") or a common name ("ICT"); UTC for what is unknown."""
    if not raw:
        return UTC
    if raw[0] in "+-−":
        digits = raw[1:].replace(":", "")
        hours, minutes = (int(digits), 0) if len(digits) < 3 else (int(digits[:-2]), int(digits[-2:]))
        if hours > 15 or minutes > 59:
            return UTC
        offset = timedelta(hours=hours, minutes=minutes)
        return timezone(offset if raw[0] == "+" else -offset)
    hours_east = _HOURS_EAST.get(raw.upper(), 0)
    return timezone(timedelta(hours=hours_east)) if hours_east else UTC
