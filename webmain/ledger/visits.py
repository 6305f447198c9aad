"""When each article was fetched, and when its next visit is due."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from webmain.discovery.schedule import (
    HOUR_S,
    SOURCES_REST_S,
    Refresh,
    Visit,
    believes_claims,
    is_reliable,
    next_visit,
    rate_of,
)
from webmain.items import Hints
from webmain.ledger.file import LedgerFile
from webmain.ledger.rows import read_hints, written_hints
from webmain.ledger.table import Table

MISSES: Final = 2
"""A page that is missing this many times in a row counts as gone; once is enough for status 410."""

GONE_FOR_GOOD: Final = 410

BACK_FIRST_S: Final = 48 * HOUR_S
BACK_LAST_S: Final = 30 * 24 * HOUR_S
"""Time after which a page that is gone is looked for again the first time, then after twice the time; and until when."""

MAX_DUE: Final = 5_000
"""Due articles from which a run may choose; the others stay due."""

_EARLIEST_S: Final = 631_152_000.0  # 1990


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedArticle:
    """An article that was fetched and is durable.

    Attributes
    ----------
    url : str
        Its address, after redirects.
    has_changed : bool
        The store has a new revision of it.
    claimed_at : float or None
        Its latest change time according to its sources.
    """

    url: str
    site: str
    published_at: float | None = None
    has_changed: bool = False
    claimed_at: float | None = None
    hints: Hints | None = None


@dataclass(frozen=True, slots=True)
class EditStatistics:
    """How often a site's articles are edited, relative to the usual rate, and whether its sources' dates show all changes."""

    rate: float = 1.0
    reliable_dates: bool = False


USUAL_EDITS: Final = EditStatistics()


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitRecord:
    """What is known of an article's visits; times in seconds since 1970, see `webmain.discovery.schedule.Visit`.

    Attributes
    ----------
    changed_at : float or None
        When a change of it was last found.
    next_at : float or None
        When it is due; None if no visit is planned.
    n_missed : int
        How often in a row its page was missing.
    n_claims, n_true, n_silent : int
        Fetches after a source reported a change; how many of these found one; and how many changes were found although a
        source that was just read still listed the old date.
    gone_at, gone_status : float or None, int or None
        When its page was found gone, and the status.
    dated_at, dated_by : float or None, str or None
        When a feed or sitemap last listed it with a modification date, and which one.
    """

    url: str
    site: str
    published_at: float | None = None
    first_seen_at: float
    visited_at: float
    changed_at: float | None = None
    claimed_at: float | None = None
    next_at: float | None = None
    n_visits: int = 1
    n_changes: int = 0
    n_missed: int = 0
    n_claims: int = 0
    n_true: int = 0
    gone_at: float | None = None
    gone_status: int | None = None
    hints: str | None = None
    dated_at: float | None = None
    dated_by: str | None = None
    n_silent: int = 0

    def visit(self, statistics: EditStatistics) -> Visit:
        """Return the record for the schedule, with what is known of its site."""
        return Visit(
            url=self.url,
            published_at=self.published_at,
            first_seen_at=self.first_seen_at,
            visited_at=self.visited_at,
            claimed_at=self.claimed_at,
            unchanged_until=self.dated_at + SOURCES_REST_S if statistics.reliable_dates and self.dated_at else None,
            site_rate=statistics.rate,
            n_changes=self.n_changes,
        )

    def counts_as_gone(self, status: int) -> bool:
        """Return True if the page counts as gone after another miss with this status."""
        return status == GONE_FOR_GOOD or self.n_missed + 1 >= MISSES

    def read_hints(self) -> Hints | None:
        """Return the hints from its sources."""
        try:
            return read_hints(self.hints)
        except ValueError:
            return None


_ADOPT: Final = """
WITH visited AS MATERIALIZED (SELECT o.article_id FROM visits v JOIN urls o ON o.url = v.url
    WHERE v.site = ?1 AND v.first_seen_at > ?2 AND o.article_id IS NOT NULL AND v.gone_status IS NOT 301)
INSERT OR IGNORE INTO visits (url, site, published_at, first_seen_at, visited_at)
SELECT u.url, u.site, CASE WHEN u.newest BETWEEN ?3 AND u.changed_at THEN u.newest END, u.changed_at, u.changed_at
FROM urls u WHERE u.site = ?1 AND u.state = 1 AND u.article_id IS NOT NULL AND u.reason IS NULL
AND typeof(u.changed_at) = 'real' AND u.changed_at > ?2 AND u.changed_at <= ?4
AND u.article_id NOT IN visited  -- under another address, to which this one leads
AND NOT EXISTS (SELECT 1 FROM aliases a JOIN visits v ON v.url = a.url WHERE a.canonical = u.url
    AND v.gone_status IS NOT 301)
"""
_CONFIRM: Final = """
UPDATE visits SET dated_at = ?1, dated_by = ?2 WHERE site = ?3 AND next_at IS NOT NULL AND (dated_by = ?2 OR (
    dated_by IS NULL AND first_seen_at >= ?4 AND json_valid(hints) AND json_extract(hints, '$.modified') IS NOT NULL))
"""
_OF: Final = """
SELECT f.url, v.url FROM (SELECT value AS url FROM json_each(?1)) f
LEFT JOIN aliases a ON a.url = f.url
LEFT JOIN aliases b ON b.canonical = coalesce(a.canonical, f.url)
JOIN visits v ON v.url IN (f.url, a.canonical, b.url)
ORDER BY v.gone_status IS NOT 301
"""


class Visits(Table[VisitRecord]):
    """When each article was fetched, and when its next visit is due.

    A fetch is recorded only after the store's commit has returned, or when the page is known not to have changed.
    """

    name = "visits"
    record_type = VisitRecord

    def __init__(self, file: LedgerFile) -> None:
        super().__init__(file)
        self._statistics: dict[str, EditStatistics] = {}

    # ---- At the start of a run

    def due(self, site: str, refresh: Refresh) -> list[VisitRecord]:
        """Return the articles of a site that are due.

        Recent articles are added that earlier versions stored, or a run that was killed before it recorded them here. Times
        in the future, due to a wrong clock, are replaced by the present. Articles that are gone may be due, too: a site may
        have been broken.
        """
        if not refresh.ages_s:
            return []
        now = self._file.clock()
        self._statistics[site] = statistics = self._edit_statistics(site, now - 3 * refresh.ages_s[-1], now)
        with self._file.transaction() as db:
            db.execute(_ADOPT, (site, now - refresh.ages_s[-1], _EARLIEST_S, now))
            found = self._records(
                "site = ? AND (next_at IS NOT NULL OR (gone_at IS NULL AND first_seen_at > ?)) ORDER BY first_seen_at DESC",
                (site, now - refresh.ages_s[-1]),
            )
            planned = [_planned(row, refresh, now, statistics) for row in found]
            self._put(row for row, before in zip(planned, found, strict=True) if row != before)
        return [row for row in planned if row.next_at is not None and row.next_at <= now][:MAX_DUE]

    def _edit_statistics(self, site: str, since: float, now: float) -> EditStatistics:
        """Return how a site's articles are edited; the rate is estimated from those first seen since `since`."""
        ((n_told, n_silent),) = self._file.rows(
            "SELECT coalesce(sum(n_true), 0), coalesce(sum(n_silent), 0) FROM visits WHERE site = ?", (site,)
        )
        rows = self._records("site = ? AND first_seen_at > ?", (site, since))
        rate = rate_of((row.visit(USUAL_EDITS) for row in rows), now)
        return EditStatistics(rate, is_reliable(n_told, n_silent))

    def trusts_claims(self, site: str) -> bool:
        """Return True if the change dates in a site's sources were right often enough."""
        ((n_claims, n_true),) = self._file.rows(
            "SELECT coalesce(sum(n_claims), 0), coalesce(sum(n_true), 0) FROM visits WHERE site = ?", (site,)
        )
        return believes_claims(n_claims, n_true)

    # ---- What sources say

    def known(self, urls: Sequence[str]) -> dict[str, str]:
        """Return, for those of the articles that were fetched before, in any form of address, the address of that fetch."""
        return dict(self._file.rows(_OF, (json.dumps(list(urls)),))) if urls else {}

    def confirm(self, site: str, source: str, read_at: float) -> None:
        """Record that a feed or sitemap has not changed, so that the dates it lists for its articles still hold.

        Articles that were new when it was last read and came with such a date are assumed to be from it.
        """
        with self._file.transaction() as db:
            db.execute(_CONFIRM, (self._file.clock(), source, site, read_at))

    def record_claims(
        self, claims: Iterable[tuple[str, float, Hints]], refresh: Refresh, source: str = ""
    ) -> list[VisitRecord]:
        """Record change times that sources give for articles; return those that are due as they changed after their fetch.

        Parameters
        ----------
        source : str
            The feed or sitemap that was just read; "" for pages.
        """
        now = self._file.clock()
        moved = []
        with self._file.transaction():
            for url, claimed_at, hints in claims:
                row = self.get(url)
                if row is None:
                    continue
                is_dated = bool(source and hints.modified) and row.next_at is not None
                again = replace(row, dated_at=now, dated_by=source) if is_dated else row
                if row.claimed_at is None or claimed_at > row.claimed_at:
                    again = _claimed(again, claimed_at)
                if again == row:
                    continue
                if again.claimed_at != row.claimed_at and row.visited_at < claimed_at:
                    at = next_visit(again.visit(self._statistics.get(row.site, USUAL_EDITS)), refresh, now)
                    again = replace(again, next_at=at, hints=written_hints(hints), gone_at=None, n_missed=0)
                    if at is not None and at <= now:
                        moved.append(again)
                self._put([again])
        return moved

    # ---- Results of a visit

    def record(self, fetched: Iterable[FetchedArticle], refresh: Callable[[str], Refresh]) -> None:
        """Record that articles were fetched, and plan their next visits by their sites' schedules."""
        now = self._file.clock()
        with self._file.transaction():
            for each in fetched:
                before = self.get(each.url)
                row = _fetched_again(before, each, now) if before else _fetched_first(each, now)
                at = next_visit(row.visit(self._statistics.get(row.site, USUAL_EDITS)), refresh(each.url), now)
                hints = written_hints(each.hints) if each.hints else row.hints
                self._put([replace(row, next_at=at, hints=hints if at is not None else None)])

    def record_missing(self, url: str, status: int) -> bool:
        """Record that an article's page is missing; return True if it counts as gone from now on."""
        row = self.get(url)
        if row is None:
            return False
        now = self._file.clock()
        is_gone = row.counts_as_gone(status)
        again = replace(row, n_missed=row.n_missed + 1, next_at=now + HOUR_S)
        if is_gone:
            gone_s = now - (row.gone_at or now)
            at = now + max(gone_s, BACK_FIRST_S) if gone_s < BACK_LAST_S else None
            again = replace(again, gone_at=now - gone_s, gone_status=status, hints=None, next_at=at)
        self.save([again])
        return is_gone

    def postpone(self, url: str) -> None:
        """Postpone by an hour the next visit of an article that could not be fetched."""
        if (row := self.get(url)) is not None:
            self.save([replace(row, next_at=self._file.clock() + HOUR_S)])

    def drop(self, url: str) -> None:
        """Plan no more visits of an address that now leads to another article."""
        if (row := self.get(url)) is not None:
            self.save([replace(row, next_at=None, gone_at=self._file.clock(), gone_status=301, hints=None)])


def _fetched_first(each: FetchedArticle, now: float) -> VisitRecord:
    return VisitRecord(
        url=each.url,
        site=each.site,
        published_at=each.published_at,
        first_seen_at=now,
        visited_at=now,
        claimed_at=each.claimed_at,
    )


def _claimed(row: VisitRecord, claimed_at: float) -> VisitRecord:
    """Return a row with a later change time; if that change was already found, the source did report it, though late."""
    is_late = (
        row.claimed_at is not None and row.changed_at is not None and row.claimed_at < row.changed_at >= claimed_at
    )
    return replace(
        row,
        claimed_at=claimed_at,
        n_claims=row.n_claims + is_late,
        n_true=row.n_true + is_late,
        n_silent=max(0, row.n_silent - is_late),
    )


def _fetched_again(before: VisitRecord, each: FetchedArticle, now: float) -> VisitRecord:
    was_claimed = before.claimed_at is not None and before.claimed_at > before.visited_at
    was_dated = before.dated_at is not None and before.visited_at < before.dated_at and now - before.dated_at < HOUR_S
    return replace(
        before,
        published_at=each.published_at if before.published_at is None else before.published_at,
        visited_at=now,
        changed_at=now if each.has_changed else before.changed_at,
        n_visits=before.n_visits + 1,
        n_changes=before.n_changes + each.has_changed,
        n_missed=0,
        n_claims=before.n_claims + was_claimed,
        n_true=before.n_true + (was_claimed and each.has_changed),
        n_silent=before.n_silent + (was_dated and not was_claimed and each.has_changed),
        gone_at=None,
        gone_status=None,
    )


def _clamped(row: VisitRecord, now: float) -> VisitRecord:
    """Return a row without times in the future."""
    return replace(
        row,
        first_seen_at=min(row.first_seen_at, now),
        visited_at=min(row.visited_at, now),
        changed_at=None if row.changed_at is None or row.changed_at > now else row.changed_at,
        dated_at=None if row.dated_at is None or row.dated_at > now else row.dated_at,
    )


def _planned(row: VisitRecord, refresh: Refresh, now: float, statistics: EditStatistics) -> VisitRecord:
    """Return a row with its next visit planned by the schedule of this run."""
    row = _clamped(row, now)
    if row.gone_at is not None:
        return row if row.gone_at <= now else replace(row, gone_at=now, next_at=now)
    return replace(row, next_at=next_visit(row.visit(statistics), refresh, now))
