"""Convert dates of the Solar Hijri calendar, used in Iran and Afghanistan, to the Gregorian calendar."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

_KNOWN_YEAR: Final = 1400
_ITS_FIRST_DAY: Final = date(2021, 3, 21)
_LONG_MONTHS, _LONG, _SHORT = 6, 31, 30


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
