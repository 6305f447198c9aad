"""Arguments that choose among stored articles: site, language and days."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta

_AGO = re.compile(r"(\d{1,5})([hd])")


class EmptyPeriodError(ValueError):
    """A period ends before it begins."""


@dataclass(frozen=True, slots=True)
class Day:
    """A moment in a time zone, or the whole day that begins with it."""

    start: datetime
    is_whole: bool = False

    @property
    def end(self) -> datetime:
        """The moment, or the end of the day."""
        return self.start + timedelta(days=1) if self.is_whole else self.start


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add --site, --lang, --since and --until."""
    parser.add_argument("--site", type=_name, help="only this site: bbc.co.uk")
    parser.add_argument("--lang", type=_name, metavar="CODE", help="only this language, as detected: th")
    parser.add_argument(
        "--since", type=read_day, metavar="DATE", help="published on this day or later: 2026-11-01, 3d, 12h"
    )
    parser.add_argument("--until", type=read_day, metavar="DATE", help="published on this day or earlier")


def period(args: argparse.Namespace) -> tuple[datetime | None, datetime | None]:
    """Return the moments that --since and --until mean: from the first on, and before the second.

    Raises
    ------
    EmptyPeriodError
        The first is not earlier.
    """
    since, until = args.since and args.since.start, args.until and args.until.end
    if since and until and since >= until:
        raise EmptyPeriodError("--since is not earlier than --until: no article can be found")
    return since, until


def read_day(text: str) -> Day:
    """Read a date, a time, or a number of days or hours ago (an argument's type)."""
    if ago := _AGO.fullmatch(text):
        hours = int(ago[1]) * (24 if ago[2] == "d" else 1)
        return Day(datetime.now(UTC) - timedelta(hours=hours))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"got {text!r}, allowed is a date (2026-11-01), 3d or 12h") from None
    if not MINYEAR < moment.year < MAXYEAR:  # another zone, or the day's end, may lie outside of all years
        raise argparse.ArgumentTypeError(f"got {text!r}, allowed are the years {MINYEAR + 1} to {MAXYEAR - 1}")
    is_whole = re.fullmatch(r"\d{4}-?\d\d-?\d\d", text) is not None
    return Day(moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment, is_whole)


def _name(text: str) -> str:
    return text.strip().lower()
