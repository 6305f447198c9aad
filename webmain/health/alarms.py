"""Alarms about a site that needs attention: each says what is wrong and what to do."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

from webmain.clock import once
from webmain.health.yields import yield_drop
from webmain.ledger.hosts import Host
from webmain.ledger.runs import CLOCK_S, FORBIDDEN, GOOD_ENDS, KILLED, RUNNING, STOPPED, UNREACHABLE, SiteRun

LAST_RUNS: Final = 3
"""The number of recent runs that are judged together."""

LEAST_PAGES: Final = 10
LEAST_ARTICLES: Final = 5
"""With fewer pages or articles, shares are not judged."""

ERROR_SHARE: Final = 0.3
BLOCKED_SHARE: Final = 0.5
SHORT_SHARE: Final = 0.8
SHRUNK_TO: Final = 1 / 3
"""Thresholds: shares of failed and refused pages, share of short articles, and length relative to the usual one."""

LATE_INTERVALS: Final = 2.5
LATE_S: Final = 2 * 3600.0
"""A run is late after this many usual intervals, and at least this many seconds beyond one interval."""

N_TREND: Final = 7
REGULAR_RUNS: Final = 6
LONG_AGO_S: Final = 24 * 3600.0
NEW_S: Final = 7 * 24 * 3600.0


class Kind(StrEnum):
    """Kind of an alarm."""

    YIELD = "yield_dropped"
    NOTHING = "no_articles"
    LAYOUT = "layout_changed"
    ERRORS = "errors"
    SHORT = "articles_short"
    ROBOTS = "robots_changed"
    FORBIDDEN = "robots_forbid"
    BLOCKED = "blocked"
    UNREACHABLE = "unreachable"
    LATE = "no_run"
    FAILED = "run_failed"
    CUT = "runs_cut"
    CLOCK = "clock_jumped"
    DAMAGED = "ledger_damaged"


@once
def advice() -> Mapping[str, str]:
    """Return what to do, by kind of alarm."""
    return tomllib.loads(Path(__file__).with_name("advice.toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """A problem that needs attention."""

    kind: Kind
    message: str

    @property
    def advice(self) -> str:
        """What to do."""
        return advice()[self.kind]


@dataclass(frozen=True)
class SiteHistory:
    """A site at the present time, from a ledger: its recorded runs, oldest first, and its hosts."""

    site: str
    recorded: Sequence[SiteRun]
    hosts: Sequence[Host]
    now: float
    ledger: str = ""

    @cached_property
    def runs(self) -> list[SiteRun]:
        """The runs that are judged: those that did not start in the future."""
        return [run for run in self.recorded if run.started_at <= self.now + CLOCK_S]

    @property
    def last(self) -> SiteRun | None:
        """Its last run."""
        return self.runs[-1] if self.runs else None

    @property
    def outcome(self) -> str:
        """Outcome of the last run, including "running" and "killed"; "" if there is none."""
        return self.last.ended(self.now) if self.last else ""

    @property
    def trend(self) -> list[int]:
        """New articles of the last runs, oldest first."""
        return [run.figures.new for run in self.runs[-N_TREND:]]

    @cached_property
    def alarms(self) -> list[Alarm]:
        """What needs attention, in the order of `Kind`."""
        found = [Alarm(kind=kind, message=message) for kind, check in _CHECKS.items() if (message := check(self))]
        if any(alarm.kind in (Kind.BLOCKED, Kind.FORBIDDEN, Kind.UNREACHABLE) for alarm in found):
            consequences = (Kind.YIELD, Kind.NOTHING, Kind.ERRORS)
            return [alarm for alarm in found if alarm.kind not in consequences]
        return found

    @property
    def ended(self) -> list[SiteRun]:
        """The runs that are over, including killed ones."""
        return [run for run in self.runs if run.ended(self.now) != RUNNING]

    @property
    def successful_runs(self) -> list[SiteRun]:
        """The runs that ended normally."""
        return [run for run in self.runs if run.outcome in GOOD_ENDS]

    @property
    def interval_s(self) -> float | None:
        """The usual seconds between the starts of two runs; None if they are irregular or too few."""
        starts = [run.started_at for run in self.runs[-21:]]
        gaps = [later - earlier for earlier, later in pairwise(starts)]
        if not gaps:
            return None
        usual = median(gaps)
        near = sum(0.5 * usual <= gap <= 1.5 * usual for gap in gaps)
        return usual if len(starts) >= REGULAR_RUNS and 2 * near >= len(gaps) else None


# ---- Checks; each returns a message, or "" if nothing is wrong


def _yield(site: SiteHistory) -> str:
    if not (drop := yield_drop(site.successful_runs)):
        return ""
    return f"{drop.found:,} new articles in {duration(site.now - drop.since)}, about {drop.expected:,.0f} were expected"


def _nothing(site: SiteHistory) -> str:
    figures = [run.figures for run in site.successful_runs]
    if len(figures) < LAST_RUNS or any(f.articles or f.known or f.not_modified for f in figures):
        return ""
    return f"no article in any of {len(figures)} runs"


def _layout(site: SiteHistory) -> str:
    changed = [run for run in site.ended[-LAST_RUNS:] if run.figures.layout_changed]
    return f"the layout of its pages changed {_ago(site, changed[0].started_at)}" if changed else ""


def _errors(site: SiteHistory) -> str:
    last, before = site.ended[-LAST_RUNS:], site.ended[:-LAST_RUNS]
    errors, n_pages = _share(last, lambda run: run.figures.errors)
    usual, ever = _share(before, lambda run: run.figures.errors)
    if (
        n_pages < LEAST_PAGES
        or errors < ERROR_SHARE * n_pages
        or (ever >= LEAST_PAGES and errors / n_pages < 2 * usual / ever)
    ):
        return ""
    return f"{errors:,} of {n_pages:,} pages could not be fetched: {_kinds(last)}"


def _short(site: SiteHistory) -> str:
    runs = [run for run in site.ended if run.figures.chars_median is not None]
    last: list[SiteRun] = []
    while runs and sum(run.figures.articles for run in last) < LEAST_ARTICLES:
        last.insert(0, runs.pop())
    n, n_before = (sum(run.figures.articles for run in some) for some in (last, runs))
    if n < LEAST_ARTICLES:
        return ""
    length = max(run.figures.chars_median or 0 for run in last)
    usual = median(run.figures.chars_median or 0 for run in runs) if runs else 0
    if n_before >= LEAST_ARTICLES and length < SHRUNK_TO * usual:
        return f"the last {n:,} articles have a median of {length:,.0f} characters; {usual:,.0f} are usual"
    short = sum(run.figures.short for run in last)
    was_short = sum(run.figures.short for run in runs)
    is_new = site.now - site.runs[0].started_at < NEW_S  # if it always was so, this is nothing new
    if short >= SHORT_SHARE * n and (is_new or was_short < SHORT_SHARE / 2 * n_before):
        return f"{short:,} of the last {n:,} articles are very short"
    return ""


def _robots(site: SiteHistory) -> str:
    since = max((run.started_at for run in site.runs[:-LAST_RUNS]), default=None)
    read = {host.host.removeprefix("www.") for host in site.hosts if host.robots is not None}
    for host in site.hosts:
        if host.robots is None and host.host.removeprefix("www.") in read:
            continue  # only guessed as another address of the front page, when that did not answer
        if host.robots_changed_at and since is not None and since <= host.robots_changed_at <= site.now + CLOCK_S:
            return f"the robots.txt of {host.host} changed {_ago(site, host.robots_changed_at)}"
        if host.robots_failing_since and site.now - host.robots_failing_since > LONG_AGO_S:
            return f"the robots.txt of {host.host} has been unreadable for {duration(site.now - host.robots_failing_since)}"
    return ""


def _forbidden(site: SiteHistory) -> str:
    last = site.ended[-LAST_RUNS:]
    if last and last[-1].outcome == FORBIDDEN:
        return "robots.txt forbids the front page, feeds and sitemaps"
    n, n_pages = _share(last, lambda run: run.figures.failed.get("robots", 0))
    return f"robots.txt forbids {n:,} of {n_pages:,} pages" if n_pages >= LEAST_PAGES and n > 0.9 * n_pages else ""


def _blocked(site: SiteHistory) -> str:
    for host in site.hosts:
        if host.blocked_at:
            why = f" ({host.refusal})" if host.refusal else ""
            if (lasts_s := site.now - host.blocked_at) < 60:  # or below 0, after a run with a wrong clock
                return f"{host.host} refuses nearly everything{why}"
            return f"{host.host} has refused nearly everything{why} for {duration(lasts_s)}"
    n, n_pages = _share(site.ended[-1:], lambda run: run.figures.rejected.get("blocked", 0))
    is_much = n >= LEAST_ARTICLES and n >= BLOCKED_SHARE * n_pages
    return f"{n:,} of {n_pages:,} pages were refused (401, 403, 429, a wall) in the last run" if is_much else ""


def _unreachable(site: SiteHistory) -> str:
    last = site.ended[-LAST_RUNS:]
    is_so = len(last) == LAST_RUNS and all(run.outcome == UNREACHABLE for run in last)
    return f"not reachable in the last {LAST_RUNS} runs or more" if is_so else ""


def _late(site: SiteHistory) -> str:
    usual = site.interval_s
    if usual is None or not site.runs:
        return ""
    times = site.runs[-1].started_at, site.runs[-1].written_at
    age = site.now - max(at for at in times if at <= site.now + CLOCK_S)
    is_late = age > max(LATE_INTERVALS * usual, usual + LATE_S)
    return f"the last run was {duration(age)} ago; the usual interval is {duration(usual)}" if is_late else ""


def _failed(site: SiteHistory) -> str:
    last = site.ended[-1:]
    if not last or (outcome := last[0].ended(site.now)) in (*GOOD_ENDS, UNREACHABLE, FORBIDDEN, STOPPED, KILLED):
        return ""
    return f"the last run ended by {outcome.replace('_', ' ')}"


def _cut(site: SiteHistory) -> str:
    last = [run.ended(site.now) for run in site.ended[-LAST_RUNS:]]
    is_so = len(last) == LAST_RUNS and all(outcome in (STOPPED, KILLED) for outcome in last)
    return f"each of the last {LAST_RUNS} runs was stopped by a signal before it finished" if is_so else ""


def _clock(site: SiteHistory) -> str:
    if n := len(site.recorded) - len(site.runs):
        have = "a run has a start time" if n == 1 else f"{n:,} runs have start times up to"
        return f"{have} {duration(site.recorded[-1].started_at - site.now)} in the future"
    if (last := site.last) is None:
        return ""
    took = (last.finished_at or last.written_at) - last.started_at
    if abs(took - last.figures.seconds) > CLOCK_S:
        return (
            f"in a run of {duration(last.figures.seconds)} the clock advanced by {duration(took)}, or the "
            "machine was suspended"
        )
    return ""


_CHECKS: Final[dict[Kind, Callable[[SiteHistory], str]]] = {
    Kind.YIELD: _yield,
    Kind.NOTHING: _nothing,
    Kind.LAYOUT: _layout,
    Kind.ERRORS: _errors,
    Kind.SHORT: _short,
    Kind.ROBOTS: _robots,
    Kind.FORBIDDEN: _forbidden,
    Kind.BLOCKED: _blocked,
    Kind.UNREACHABLE: _unreachable,
    Kind.LATE: _late,
    Kind.FAILED: _failed,
    Kind.CUT: _cut,
    Kind.CLOCK: _clock,
}


def _share(runs: Sequence[SiteRun], count: Callable[[SiteRun], int]) -> tuple[int, int]:
    """Return a count over runs, and the number of pages requested in them with a meaningful result."""
    n_pages = sum(r.figures.articles + sum(r.figures.rejected.values()) + sum(r.figures.failed.values()) for r in runs)
    return sum(map(count, runs)), n_pages


def _kinds(runs: Sequence[SiteRun]) -> str:
    """Return the most common kinds of errors."""
    counts = sum((Counter(run.figures.errors_by_kind) for run in runs), Counter[str]())
    return ", ".join(f"{n:,} {kind.replace('_', ' ')}" for kind, n in counts.most_common(3))


def _ago(site: SiteHistory, at: float) -> str:
    return f"{duration(site.now - at)} ago"


def duration(seconds: float) -> str:
    """Return a duration in its largest unit: "3 h"."""
    seconds = abs(seconds)
    for unit, length in (("d", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= (1.95 if unit == "d" else 0.98) * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
