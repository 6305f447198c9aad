"""Detect that a site gives fewer new articles than usual, beyond chance, nights and weekends.

A run's expected yield comes from earlier runs at about the same hour of the week, over at least three weeks. Counts are
modelled as overdispersed Poisson, and the uncertainty of the expectation is added to their variance. Windows that end with
the last run, of a few hours to two weeks, are tested: a site with two articles a day needs ten days of silence to be
reported, one with three hundred a day some hours. `benchmarks/alarms.py` counts the false alarms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import fmean
from typing import Final, NamedTuple

from webmain.ledger.runs import SiteRun

IMPROBABLE: Final = 1e-6
"""A window with a smaller probability is reported; small, since many windows are tested after each run."""

DROPPED_TO: Final = 0.5
"""A yield above this share of the expected one is not a drop."""

RECENT_DAYS: Final = 14
BASELINE_DAYS: Final = 42
"""Length of the longest window, and of the period before it that it is compared with."""

LEAST_HOURS: Final = 6.0
"""A shorter window is not reported."""

WEEKS: Final = 3
"""An hour of the week needs runs from this many different weeks for an expectation of its own."""

YOUNG_HOURS: Final = 72.0
YOUNG_DROPPED_TO: Final = 0.1
"""If there are fewer, weekends are unknown: only a nearly complete silence that is longer than this counts."""

LEAST_BASELINE: Final = 8
"""With fewer runs there is no expectation."""

LONGER_THAN_EVER: Final = 3.0
LEAST_FOUND: Final = 20
"""A silence this many times as long as any before, with at least this many runs with new articles, is also reported."""

_HOURS_A_WEEK: Final = 168
_LONGEST_GAP_H: Final = 72.0
_MOST_SPREAD: Final = 25.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """A yield that is too low: new articles found and expected since a time, and the probability of so few."""

    found: int
    expected: float
    since: float
    probability: float


class _Yield(NamedTuple):
    """New articles of a run, the hours since the run before, and its hour of the week, day and week."""

    at: float
    new: float
    hours: float
    slot: int
    day: int
    week: int

    @classmethod
    def of(cls, before: SiteRun, run: SiteRun) -> _Yield:
        """Return the yield of a run."""
        at, hour = run.started_at, int(run.started_at // 3600)
        hours = min((at - before.started_at) / 3600, _LONGEST_GAP_H)
        return cls(at, run.figures.new, hours, hour % _HOURS_A_WEEK, hour // 24, hour // _HOURS_A_WEEK)


@dataclass(frozen=True, slots=True)
class _Expected:
    """Expected yield of a run: the mean, the variance of the mean, and whether it is specific to this hour of the week."""

    mean: float
    variance: float
    is_seasonal: bool


def yield_drop(runs: Sequence[SiteRun]) -> Drop | None:
    """Return by how much a site's yield has dropped; None if it has not, or too little is known.

    `runs` are those that ended normally, oldest first.
    """
    yields = [_Yield.of(before, run) for before, run in pairwise(runs)]  # the first run finds years of articles
    if len(yields) < LEAST_BASELINE + 1:
        return None
    last = yields[-1].at
    begin = max(last - RECENT_DAYS * 86_400, yields[2 * len(yields) // 3].at)
    recent = [each for each in yields if each.at >= begin]
    before = [each for each in yields if begin - BASELINE_DAYS * 86_400 <= each.at < begin]
    if len(before) < LEAST_BASELINE or not any(each.new for each in before):
        return None
    return _worst_window(recent, _Baseline(before)) or _silence(yields)


def _silence(yields: Sequence[_Yield]) -> Drop | None:
    """Return a silence several times as long as any before, for sites with too few articles for windows."""
    found = [each.at for each in yields if each.new]
    if len(found) < LEAST_FOUND or yields[-1].new:
        return None
    longest = max(later - earlier for earlier, later in pairwise(found))
    lasts = yields[-1].at - found[-1]
    if lasts < max(LONGER_THAN_EVER * longest, 7 * 86_400.0):
        return None
    total = sum(each.new for each in yields)
    expected = total * lasts / max(found[-1] - found[0], 1.0)
    return Drop(found=0, expected=expected, since=found[-1], probability=len(found) ** -LONGER_THAN_EVER)


def _worst_window(recent: Sequence[_Yield], baseline: _Baseline) -> Drop | None:
    """Return the least probable of the windows that end with the last run, if it is a drop."""
    worst: Drop | None = None
    hours = mean = variance = unseasonal = found = 0.0
    days: dict[int, float] = {}
    of_days = 0.0
    for n, each in enumerate(reversed(recent), 1):
        expected = baseline.expected(each)
        hours, found = hours + each.hours, found + each.new
        mean, variance = mean + expected.mean, variance + expected.variance
        of_day = days.get(each.day, 0.0)
        days[each.day] = of_day + expected.mean
        of_days += days[each.day] ** 2 - of_day**2  # the runs of one day vary together
        unseasonal += 0.0 if expected.is_seasonal else expected.mean
        if hours < LEAST_HOURS or mean <= 0 or (n > 32 and n % 4 and n < len(recent)):
            continue
        is_young = unseasonal > 0.2 * mean
        if found >= (YOUNG_DROPPED_TO if is_young else DROPPED_TO) * mean or (is_young and hours < YOUNG_HOURS):
            continue
        probability = probability_of_at_most(
            int(found), mean, baseline.spread * mean + baseline.spread_of_days * of_days + variance
        )
        if probability < IMPROBABLE and (worst is None or probability < worst.probability):
            since = each.at - each.hours * 3600
            worst = Drop(found=int(found), expected=mean, since=since, probability=probability)
    return worst


class _Baseline:
    """The yields that recent ones are compared with; outliers are limited to a maximum for their hour."""

    def __init__(self, yields: Sequence[_Yield]) -> None:
        self._slots: dict[int, list[_Yield]] = {}
        for each in yields:
            self._slots.setdefault(each.slot, []).append(each)
        self._all = list(yields)
        self._rate = cache(self._measured_rate)
        self.spread = 1.0
        self.spread, self.spread_of_days = self._spreads()

    def expected(self, run: _Yield) -> _Expected:
        """Return the expected yield of a run."""
        total, hours, is_seasonal = self._rate(run.slot)
        mean = total / hours * run.hours
        # neighbouring hours share runs: the errors of three of them are correlated
        return _Expected(mean, 3 * self.spread * mean * mean / (total + 0.5), is_seasonal)

    def _measured_rate(self, slot: int) -> tuple[float, float, bool]:
        """Return articles and hours of earlier runs at about an hour, and whether they are from the same hour of the week."""
        near = [each for offset in (-1, 0, 1) for each in self._slots.get((slot + offset) % _HOURS_A_WEEK, ())]
        is_seasonal = len({each.week for each in near}) >= WEEKS
        if not is_seasonal:
            hours = {(slot + offset) % 24 for offset in (-1, 0, 1)}
            near = [each for each in self._all if each.slot % 24 in hours]
        near = near if len(near) >= WEEKS else self._all
        rates = sorted(each.new / max(each.hours, 1e-3) for each in near)
        usual = rates[len(rates) // 2]
        cut = [min(each.new, usual * each.hours + 4 * math.sqrt(usual * each.hours + 1)) for each in near]
        return sum(cut), max(sum(each.hours for each in near), 1e-3), is_seasonal

    def _spreads(self) -> tuple[float, float]:
        """Return the variance of runs over their mean (1 if Poisson), and the squared variation between days beyond that."""
        days: dict[int, list[tuple[float, float]]] = {}
        for each in self._all:
            total, hours, _ = self._rate(each.slot)
            days.setdefault(each.day, []).append((each.new, total / hours * each.hours))
        terms = [min((x - m) ** 2 / m, 100.0) for pairs in days.values() for x, m in pairs if m > 0]
        sums = [(sum(x for x, _ in pairs), sum(m for _, m in pairs)) for pairs in days.values()]
        beyond = sum((min(x, 3 * m) - m) ** 2 - m for x, m in sums)
        squares = sum(m * m for _, m in sums) or 1.0
        return min(_MOST_SPREAD, max(1.0, fmean(terms) if terms else 1.0)), max(0.0, beyond / squares)


def probability_of_at_most(n: int, mean: float, variance: float) -> float:
    """Return the probability of at most n events: negative binomial, or Poisson where the variance is not larger."""
    if variance <= mean * (1 + 1e-9):
        terms = (k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(n + 1))
    else:
        size = mean * mean / (variance - mean)
        share = math.log(size / (size + mean)), math.log(mean / (size + mean))
        terms = (
            math.lgamma(k + size) - math.lgamma(size) - math.lgamma(k + 1) + size * share[0] + k * share[1]
            for k in range(n + 1)
        )
    return min(1.0, sum(map(math.exp, terms)))
