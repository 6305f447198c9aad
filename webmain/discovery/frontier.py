"""Order the frontier: the newest articles first; of an index, promising sitemaps before archives of images."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import parse_qs, unquote

from webmain import clock
from webmain.discovery.entries import Entry
from webmain.items import Hints
from webmain.metadata.dates import date_in_url, parse_feed_date
from webmain.urls import split_url

UNDATED: Final = float("-inf")
"""Sort key for anything without a date: it sorts after everything dated."""

_FUTURE_S: Final = 2 * 24 * 3600
_EARLIEST_S: Final = 631_152_000.0  # 1990


_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class DateRange:
    """The wanted period of publication, from `since` to before `until`; a day is added on both sides for time zones."""

    since: datetime | None = None
    until: datetime | None = None

    @property
    def oldest(self) -> float:
        """Start of the period, in seconds since 1970, minus a day; `UNDATED` if it has no start."""
        return (self.since - _DAY).timestamp() if self.since else UNDATED

    def is_too_old(self, url: str, hints: Hints | None, *, now: datetime | None = None) -> bool:
        """Return True if a page was certainly published before the start; a month in its address ends with its last day."""
        return UNDATED < _appeared(url, hints, now).latest < self.oldest

    def is_too_new(self, url: str, hints: Hints | None) -> bool:
        """Return True if a page was certainly published after the end; a later modification date proves nothing."""
        if self.until is None:
            return False
        published = (parse_feed_date(hints.published) if hints else None) or date_in_url(url, months=True)
        return published is not None and published >= self.until + _DAY

    def excludes(self, period: Period | None, changed: datetime | None = None) -> bool:
        """Return True if nothing from this period, in a sitemap or below an address, can be wanted."""
        dates = [date.timestamp() for date in (changed, period.end if period else None) if date]
        is_over = bool(dates) and min(dates) < self.oldest
        return is_over or (period is not None and self.until is not None and period.start >= self.until + _DAY)


def newest_key(url: str, hints: Hints | None = None, *, now: datetime | None = None) -> float:
    """Return when an article appeared, as far as that is known before it is fetched.

    The publication date of the feed or sitemap comes first, then the day in the URL, then the modification date
    (which some sites set to the present for every page), within the month in the URL if there is one.

    Parameters
    ----------
    url : str
        The article's address.
    hints : Hints or None
        What a feed or sitemap said.
    now : datetime or None
        The present; dates more than two days after it, or before 1990, are ignored.

    Returns
    -------
    float
        Seconds since 1970, to be sorted in descending order; `UNDATED` if there is no date.
    """
    return _appeared(url, hints, now).presumed


@dataclass(frozen=True, slots=True)
class _Appearance:
    """When an article probably appeared, and the latest possible time, in seconds since 1970."""

    presumed: float = UNDATED
    latest: float = UNDATED


def _appeared(url: str, hints: Hints | None, now: datetime | None) -> _Appearance:
    """Return when an article appeared by its most reliable plausible date."""
    latest = (now or clock.now()).timestamp() + _FUTURE_S
    for presumed, end in _appearances(url, hints):
        if _EARLIEST_S <= presumed.timestamp() <= latest:
            return _Appearance(presumed.timestamp(), end.timestamp())
    return _Appearance()


def _appearances(url: str, hints: Hints | None) -> Iterator[tuple[datetime, datetime]]:
    """Yield when an article probably appeared, and the latest possible time, by its dates, the most reliable first."""
    published, modified = (
        parse_feed_date(text) for text in ((hints.published, hints.modified) if hints else (None, None))
    )
    if published:
        yield published, published
    if day := date_in_url(url):
        yield day, day
    elif month := date_in_url(url, months=True):
        end = month + _DAY * monthrange(month.year, month.month)[1]
        if modified and month <= modified:
            end = min(modified, end)
            yield end, end
        else:
            yield month, end
    if modified:
        yield modified, modified


_PERIOD = re.compile(r"(?<!\d)(199\d|20\d\d)(?:[-_/.]?(0[1-9]|1[0-2])(?:[-_/.]?(0[1-9]|[12]\d|3[01]))?)?(?!\d)")
_YEAR_KEYS: Final = ("yyyy", "year", "y")
_MONTH_KEYS: Final = ("mm", "month", "m")
_WORD = re.compile(r"[a-z]{3,}")
_RANKS: Final = {
    **dict.fromkeys("news latest recent today googlenews".split(), 0),
    **dict.fromkeys("post posts article articles story stories content artikel".split(), 1),
    **dict.fromkeys("page pages section sections".split(), 3),
    **dict.fromkeys(
        "image images photo photos gallery video videos category categories tag tags author authors".split(), 4
    ),
    **dict.fromkeys("topic topics taxonomy product products users profile event events podcast static".split(), 4),
}
_RANK_UNKNOWN: Final = 2


def order_children(children: Iterable[Entry], *, date_range: DateRange | None = None) -> tuple[Entry, ...]:
    """Select and order the sitemaps of an index: likely news first, and within each kind the newest first.

    Parameters
    ----------
    children : iterable of Entry
        In the order of the index.
    date_range : DateRange or None
        Children are left out if their `lastmod`, or the whole year, month or day in their name, is before its start, or if
        the period in their name is after its end. Undated ones stay.

    Returns
    -------
    tuple of Entry
        By kind ("news" in the name, then posts and articles, then the rest, pages, and at the end images, videos, tags,
        categories, authors); within a kind the newest first, undated ones last in their original order.
    """
    date_range = date_range or DateRange()
    kept: list[tuple[int, float, Entry]] = []
    for child in children:
        changed, period = parse_feed_date(child.hints.modified), named_period(child.url)
        if not date_range.excludes(period, changed):
            date = period.end if period else changed
            kept.append((_rank(child.url), -(date.timestamp() if date else UNDATED), child))
    return tuple(child for *_, child in sorted(kept, key=lambda each: each[:2]))


@dataclass(frozen=True, slots=True)
class Period:
    """A year, month or day in UTC; it includes its start and excludes its end."""

    start: datetime
    end: datetime


def named_period(url: str) -> Period | None:
    """Return the year, month or day in the address of a sitemap or an archive; None if there is none."""
    parts = split_url(url)
    query = {name.lower(): values[0] for name, values in parse_qs(parts.query, max_num_fields=None).items()}
    year = next((query[name] for name in _YEAR_KEYS if name in query), "")
    month = next((query[name] for name in _MONTH_KEYS if name in query), "")
    day = query.get("dd") or query.get("day") or ""
    if not (year.isascii() and year.isdigit() and len(year) == 4):
        found = list(_PERIOD.finditer(unquote(parts.path + "?" + parts.query)))
        if not found:
            return None
        year, month, day = (part or "" for part in found[-1].groups())
    try:
        number = int(month) if month else 12
        last = int(day) if day else monthrange(int(year), number)[1]
        start = datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC)
        return Period(start, datetime(int(year), number, last, tzinfo=UTC) + _DAY)
    except (ValueError, OverflowError):
        return None


def _rank(url: str) -> int:
    """Return a sitemap's rank by the words of its path and query; kinds without articles outweigh "news"."""
    parts = split_url(url.lower())
    ranks = {_RANKS[word] for word in _WORD.findall(parts.path + " " + parts.query) if word in _RANKS} or {
        _RANK_UNKNOWN
    }
    return max(ranks) if max(ranks) >= 3 else min(ranks)
