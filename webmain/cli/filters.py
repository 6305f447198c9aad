"""Arguments that filter stored articles: site, language and days."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from webmain.cli.exits import USAGE, Failure
from webmain.store import periods

if TYPE_CHECKING:
    from datetime import datetime


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add --site, --lang, --since and --until."""
    parser.add_argument("--site", type=_name, help="only this site: bbc.co.uk")
    parser.add_argument("--lang", type=_name, metavar="CODE", help="only this language, as detected: th")
    parser.add_argument(
        "--since", type=read_day, metavar="DATE", help="published on this day or later: 2026-11-01, 3d, 12h"
    )
    parser.add_argument("--until", type=read_day, metavar="DATE", help="published on this day or earlier")


def period(args: argparse.Namespace) -> tuple[datetime | None, datetime | None]:
    """Return the times of --since and --until: from the first on, and before the second."""
    try:
        return periods.period_of(args.since, args.until)
    except periods.EmptyPeriodError:
        raise Failure(USAGE, "--since is not earlier than --until: no article can be found") from None


def read_day(text: str) -> periods.Day:
    """Return a date, a time, or a number of days or hours ago (an argument's type)."""
    try:
        return periods.read_day(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _name(text: str) -> str:
    return text.strip().lower()
