"""Read how long ago a page was published: "54 hours ago", "vor 3 Stunden", "2 วันที่แล้ว"."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from webmain import languages
from webmain.metadata.dates import plain
from webmain.regex import lazy

MAX_AGO_CHARS: Final = 60
_NUMBER = lazy(r"(?<!\d)\d{1,3}(?!\d)")
_UNITS: Final = (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1))
"""Weeks and months are too inexact for a date."""


def read_ago(text: str, language: str, now: datetime) -> datetime | None:
    """Return when something was, by a short text that says how long ago; None if it does not.

    Parameters
    ----------
    text : str
        At most `MAX_AGO_CHARS` characters.
    language : str
        The page's language; English is read as well.
    now : datetime
        When the page was fetched, time-zone aware.

    Returns
    -------
    datetime or None
        With the precision of the text: a whole minute, a whole hour, or midnight.
    """
    folded = plain(text[: MAX_AGO_CHARS + 1]).casefold()
    numbers = _NUMBER.findall(folded)
    if not numbers or len(text) > MAX_AGO_CHARS:
        return None
    for code in dict.fromkeys((language[:2], "en")):
        pattern, units = _ages(code)
        if found := pattern.search(numbered := _NUMBER.sub("#", folded)):
            unit = units[found.group()]
            value = now - int(numbers[numbered.count("#", 0, found.end()) - 1]) * unit
            return value.replace(
                hour=0 if unit == _UNITS[2] else value.hour,
                minute=0 if unit != _UNITS[0] else value.minute,
                second=0,
                microsecond=0,
            )
    return None


@cache
def _ages(code: str) -> tuple[re.Pattern[str], dict[str, timedelta]]:
    """Return a pattern of the texts of a language that say how long ago something was, and the unit of each text."""
    words = languages.known().words
    stems = words("changing.units", code)
    units: dict[str, timedelta] = {}
    for text in words("changing.ago", code):
        for unit, stem in zip(_UNITS, stems, strict=False):
            if "#" in text and re.search(rf"(?<![^\W\d_])(?:{stem})", text.casefold()):
                units.setdefault(plain(text).casefold(), unit)
    texts = "|".join(map(re.escape, sorted(units, key=len, reverse=True)))
    return re.compile(rf"(?<![^\W_])(?:{texts})(?!\w)" if texts else r"(?!)"), units
