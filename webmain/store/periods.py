"""Parses days and times as people write them, to select stored articles by publication date."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta

_AGO = re.compile(r"(\d{1,5})([hd])")


class EmptyPeriodError(ValueError):
    """A period ends before it begins."""


@dataclass(frozen=True, slots=True)
class Day:
    """A moment in a time zone, or the whole day that begins then."""

    start: datetime
    is_whole: bool = False

    @property
    def end(self) -> datetime:
        """The moment, or the end of the day."""
        return self.start + timedelta(days=1) if self.is_whole else self.start


def read_day(text: str) -> Day:
    """Read a date, a time, or a number of days or hours ago: 2026-11-01, 3d, 12h.

    Raises ValueError if it is none of these.
    """
    if ago := _AGO.fullmatch(text):
        hours = int(ago[1]) * (24 if ago[2] == "d" else 1)
        return Day(datetime.now(UTC) - timedelta(hours=hours))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"got {text!r}, allowed is a date (2026-11-01), 3d or 12h") from None
    if not MINYEAR < moment.year < MAXYEAR:  # the end of the day, or another zone, may be outside of all years
        raise ValueError(f"got {text!r}, allowed are the years {MINYEAR + 1} to {MAXYEAR - 1}")
    is_whole = re.fullmatch(r"\d{4}-?\d\d-?\d\d", text) is not None
    return Day(moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment, is_whole)


def period_of(since: Day | None, until: Day | None) -> tuple[datetime | None, datetime | None]:
    """Return the start and end of the period between two days: from the first on, and before the second.

    Raises EmptyPeriodError if the first is not earlier.
    """
    first, end = since.start if since else None, until.end if until else None
    if first and end and first >= end:
        raise EmptyPeriodError("since is not earlier than until: no article can be found")
    return first, end
