"""Convert dates of the calendars of Iran and Afghanistan, of Ethiopia and of Nepal to the Gregorian calendar."""

from __future__ import annotations

from datetime import date, timedelta
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
