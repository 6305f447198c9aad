"""Input and output of a block search: filters, days as people write them, hits, results."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from webmain import clock
from webmain.items import Article
from webmain.urls import site_key

if TYPE_CHECKING:  # the module that makes snippets is slow to import
    from webmain.store.snippets import Snippet

_AGO = re.compile(r"(\d{1,5})\s*([hdw])", re.IGNORECASE)
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_DAYS = "allowed is a date (2026-11-01), a time (2026-11-01T06:00+07:00) or a span up to now (12h, 3d, 2w)"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECONDS = "round((julianday(a.published) - 2440587.5) * 86400, 3)"
"""SQL for the date of publication in seconds since the Unix epoch."""

_COLUMNS = {"site": "site", "language": "language", "method": "extractor"}  # of filters that compare with a value
_SECONDS_OF = {"published": SECONDS, "fetched_at": SECONDS.replace("published", "fetched_at")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which articles a search covers."""

    # as stored: "bbc.co.uk", "th", "pab"
    site: str | None = None
    language: str | None = None
    method: str | None = None
    # dated at or after `since` and before `until`; time-zone aware. Articles without a date are left out.
    since: datetime | None = None
    until: datetime | None = None
    date: Literal["published", "fetched_at"] = "published"  # which date is compared
    # only articles with a confidence below `below` and of at least `min_confidence`
    below: float | None = None
    min_confidence: float | None = None
    copies: bool = False  # only articles that are copies of others

    def has(self, article: Article) -> bool:
        """Return True if a search covers the article."""
        moment: datetime | None = getattr(article, self.date)
        confidence = article.confidence
        return (
            self.site in (None, article.site)
            and self.language in (None, article.language)
            and self.method in (None, article.extractor)
            and (self.since is None or (moment is not None and moment >= self.since))
            and (self.until is None or (moment is not None and moment < self.until))
            and (self.below is None or (confidence is not None and confidence < self.below))
            and (self.min_confidence is None or (confidence is not None and confidence >= self.min_confidence))
            and (not self.copies or article.duplicate_of is not None)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A block that was found, with its article."""

    rank: int  # from 1
    priority: float  # Bp, by which results are ranked
    # Pb and Kd
    block_priority: float
    density: float
    # of the article, as stored
    id: str
    url: str | None
    title: str | None
    site: str
    language: str | None
    published: str | None
    extractor: str
    position: int  # `block.position`; `TITLE` for the title
    n_blocks: int  # number of the article's blocks that were found; 1 if each is a result of its own
    # of the block. For a title: of the best block below it, else of the page's title if only that matches, else of the
    # beginning of the text.
    snippet: Snippet


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """The results of a search."""

    hits: tuple[Hit, ...]  # the requested part, best first
    # all articles and blocks that match
    n_pages: int
    n_blocks: int
    unindexed: int  # articles that are not in the index yet, and were not searched

    def to_dict(self) -> dict[str, Any]:
        """Return the results as JSON types only."""
        hits = [
            asdict(hit) | {"snippet": hit.snippet.text, "marks": [list(mark) for mark in hit.snippet.marks]}
            for hit in self.hits
        ]
        return {"pages": self.n_pages, "blocks": self.n_blocks, "unindexed": self.unindexed, "hits": hits}


def equality_filters(filters: Filters) -> list[tuple[str, str, str]]:
    """Return name, column and value of each filter that compares with a value."""
    given = ((name, column, getattr(filters, name)) for name, column in _COLUMNS.items())
    return [(name, column, wanted) for name, column, wanted in given if wanted is not None]


def article_conditions(filters: Filters) -> tuple[list[str], list[str | float]]:
    """Return the SQL conditions on an article `a`, with their values."""
    clauses: list[str] = []
    values: list[str | float] = []
    for _, column, wanted in equality_filters(filters):
        clauses.append(f"a.{column} = ?")
        values.append(wanted)
    seconds = _SECONDS_OF[filters.date]
    limits = (
        (f"{seconds} >= ?", _since_epoch(filters.since)),
        (f"{seconds} < ?", _since_epoch(filters.until)),
        ("a.confidence < ?", filters.below),
        ("a.confidence >= ?", filters.min_confidence),
    )
    for clause, limit in limits:
        if limit is not None:
            clauses.append(clause)
            values.append(limit)
    if filters.copies:
        clauses.append("a.duplicate_of IS NOT NULL")
    return clauses, values


def _since_epoch(moment: datetime | None) -> float | None:
    return None if moment is None else (moment - _EPOCH).total_seconds()


class EmptyPeriodError(ValueError):
    """A period ends before it begins."""


@dataclass(frozen=True, slots=True)
class Day:
    """A moment in a time zone, or the whole day that begins then."""

    start: datetime
    end: datetime  # the same moment, or the end of the day


def read_site(text: str) -> str:
    """Return a site as it is stored, by its name ("BBC.co.uk", "ข่าว.example"), one of its hosts or an address."""
    return site_key(text.strip()) or text.strip().lower()


def read_day(text: str) -> Day:
    """Read a date, a time, or a number of hours, days or weeks ago: 2026-11-01, 12h, 3d, 2w; without a zone in UTC.

    Raises ValueError if it is none of these.
    """
    given = text.strip()
    if ago := _AGO.fullmatch(given):
        moment = clock.now() - timedelta(**{_UNITS[ago[2].lower()]: int(ago[1])})
        return Day(moment, moment)
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        raise ValueError(f"got {text!r}, {_DAYS}") from None
    if not MINYEAR < moment.year < MAXYEAR:  # a day more, or another zone, may exceed the range of years
        raise ValueError(f"got {text!r}, allowed are the years {MINYEAR + 1} to {MAXYEAR - 1}")
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return Day(moment, moment + timedelta(days=1) if re.fullmatch(r"\d{4}-?\d\d-?\d\d", given) else moment)


def period_of(since: Day | None, until: Day | None) -> tuple[datetime | None, datetime | None]:
    """Return the start and end of the period between two days: from the first on, and before the second.

    Raises EmptyPeriodError if the first is not earlier.
    """
    first, end = since.start if since else None, until.end if until else None
    if first and end and first >= end:
        raise EmptyPeriodError("since is not earlier than until: no article can be found")
    return first, end
