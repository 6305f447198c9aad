"""Results of each run for each site, one row per run and site; a killed run leaves its row unfinished."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Final

from webmain.ledger.table import Table

KEEP_RUNS: Final = 5_000
"""When a run ends, the oldest rows of its site beyond this number are removed."""

CLOCK_S: Final = 300.0
"""Clocks may differ by this much; a time further ahead is due to a wrong clock."""

LEFT_AFTER_S: Final = 300.0
"""A run that has not ended and has written nothing for this long was killed; a live one writes every minute."""

RUNNING, KILLED, UNREACHABLE, FORBIDDEN = "running", "killed", "unreachable", "forbidden"
"""Outcomes other than a crawl's finish reason: still running, killed, no answer, robots.txt forbids everything."""

STOPPED: Final = "shutdown"
GOOD_ENDS: Final = (
    "finished",
    "max_pages",
    "max_articles",
    "closespider_itemcount",
    "closespider_pagecount",
    "closespider_timeout",
    "closespider_timeout_no_item",
    "closespider_pagecount_no_item",
)
"""Finish reasons of normal ends: stopped by a signal, finished, or at a limit that the user set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Results of a run for one site.

    Each figure is counted under its name (`webmain.crawl.signals.count_for_site`), the last four under "NAME/KIND".

    Attributes
    ----------
    new, changed, unchanged : int
        Articles stored for the first time, stored with a changed text, and found unchanged.
    gone : int
        Articles whose pages are gone.
    known : int
        Addresses skipped because an earlier run has settled them.
    not_modified : int
        Answers that nothing has changed (304).
    bytes : int
        Bytes of bodies, as received.
    sources, front_failed : int
        Feeds and sitemaps that could be read; 1 if the front page could not.
    layout_changed : int
        1 if the site's pages no longer resemble those that its model was learned from.
    short, chars_median : int, float or None
        Articles of fewer than `SHORT_CHARS` characters; the median number of characters of all articles.
    seconds : float
        Duration, by a monotonic clock.
    changes, rejected, failed, requests : mapping
        Changes of articles, pages without an article, addresses that could not be fetched, and requests by purpose.
    """

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    gone: int = 0
    known: int = 0
    not_modified: int = 0
    bytes: int = 0
    sources: int = 0
    front_failed: int = 0
    layout_changed: int = 0
    short: int = 0
    chars_median: float | None = None
    seconds: float = 0.0
    changes: Mapping[str, int] = field(default_factory=dict)
    rejected: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    requests: Mapping[str, int] = field(default_factory=dict)

    @property
    def articles(self) -> int:
        """Articles that were extracted and stored, whether they were known before or not."""
        return self.new + self.changed + self.unchanged

    @property
    def errors_by_kind(self) -> Mapping[str, int]:
        """Pages that failed for other reasons than that the site forbids or refuses them."""
        faults = {kind: n for kind, n in self.rejected.items() if kind in ("http_error", "too_slow", "internal_error")}
        return faults | {kind: n for kind, n in self.failed.items() if not kind.startswith("robots")}

    @property
    def errors(self) -> int:
        """Total number of these errors."""
        return sum(self.errors_by_kind.values())

    @classmethod
    def of(cls, counts: Mapping[str, float]) -> Figures:
        """Return figures from counts by name, "new", or by name and kind, "rejected/blocked"; other counts are ignored."""
        values: dict[str, Any] = {name: value for name, value in counts.items() if name in COUNTED}
        for name, value in counts.items():
            first, _, kind = name.partition("/")
            if kind and first in COUNTED_BY_KIND:
                values.setdefault(first, {})[kind] = int(value)
        return cls(**values)

    def as_json(self) -> str:
        """Return the figures that are not zero."""
        return json.dumps({name: value for name, value in asdict(self).items() if value}, sort_keys=True)


COUNTED_BY_KIND: Final = ("changes", "rejected", "failed", "requests")
COUNTED: Final = tuple(each.name for each in fields(Figures) if each.name not in COUNTED_BY_KIND)
"""The names of figures that are plain numbers; those above are counted by kind."""

SHORT_CHARS: Final = 250
"""Articles with fewer characters count as short."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRun:
    """One run's results for one site; times are in seconds since 1970.

    Attributes
    ----------
    written_at : float
        When the figures were last written.
    finished_at, outcome : float or None, str or None
        None if the run was killed or is still running; else its finish reason, `UNREACHABLE` or `FORBIDDEN`.
    """

    site: str
    started_at: float
    written_at: float
    finished_at: float | None = None
    outcome: str | None = None
    figures: Figures = field(default_factory=Figures)

    def ended(self, now: float) -> str:
        """Return the outcome; for a run without one, whether it is running or was killed."""
        if self.outcome is not None:
            return self.outcome
        return RUNNING if abs(now - self.written_at) <= LEFT_AFTER_S else KILLED


@dataclass(frozen=True, slots=True, kw_only=True)
class Histories:
    """The last runs of sites, oldest first, and the number of unreadable rows."""

    of: Mapping[str, Sequence[SiteRun]]
    n_damaged: int = 0


class Runs(Table[SiteRun]):
    """The table of runs."""

    name = "site_runs"
    record_type = SiteRun
    others: ClassVar = {"figures": str}

    def write(self, runs: Iterable[SiteRun]) -> None:
        """Insert or replace rows; for runs that have ended, remove old and damaged rows of their sites.

        Rows from the future are removed too, unless most are: then it is this run's clock that is wrong.
        """
        rows = list(runs)
        with self._file.transaction() as db:
            self._put(rows)
            ended = [run for run in rows if run.finished_at is not None]
            now = max((max(run.started_at, run.written_at) for run in ended), default=0.0)
            db.executemany(
                """DELETE FROM site_runs WHERE site = ?1 AND (NOT json_valid(figures) OR (started_at > ?2
                   AND (SELECT avg(started_at > ?2) FROM site_runs WHERE site = ?1) < 0.5) OR started_at < (
                   SELECT started_at FROM site_runs WHERE site = ?1 ORDER BY started_at DESC LIMIT 1 OFFSET ?3))""",
                [(run.site, now + CLOCK_S, KEEP_RUNS - 1) for run in ended],
            )

    def read(self, sites: Iterable[str] = (), *, last: int = KEEP_RUNS) -> Histories:
        """Return the last runs of these sites, or of all."""
        wanted = list(sites) or self._file.column("SELECT DISTINCT site FROM site_runs")
        found: dict[str, list[SiteRun]] = {}
        n_damaged = 0
        for site in sorted(wanted):
            rows = self._rows("site = ? ORDER BY started_at DESC LIMIT ?", (site, last))
            runs = [run for run in reversed(rows) if run is not None]
            n_damaged += len(rows) - len(runs)
            if rows:
                found[site] = runs
        return Histories(of=found, n_damaged=n_damaged)

    def _built(self, values: dict[str, Any]) -> SiteRun | None:
        try:
            figures = json.loads(values.pop("figures"))
            counts: dict[str, Any] = {name: value for name, value in figures.items() if name in COUNTED}
            kinds: dict[str, Any] = {name: dict(value) for name, value in figures.items() if name in COUNTED_BY_KIND}
            whole = [n for name, n in counts.items() if name not in ("seconds", "chars_median")]
            whole += [n for by_kind in kinds.values() for n in by_kind.values()]
            floats = float(counts.get("seconds", 0.0)), float(counts.get("chars_median", 0.0))
            if not all(isinstance(n, int) for n in whole) or not all(map(math.isfinite, floats)):
                return None
        except (ValueError, TypeError, AttributeError, RecursionError):
            return None
        return SiteRun(**values, figures=Figures(**counts, **kinds))

    def _other_values(self, run: SiteRun) -> tuple[Any, ...]:
        return (run.figures.as_json(),)
