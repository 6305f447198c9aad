"""Simulate when articles of many hosts are looked at again, against GDELT's two visits and the best there could be.

Called by benchmarks/freshness.py. The edits are drawn so that 15 % of articles have changed a day and 18 % a week after they
were fetched first, as GDELT saw in 88 million: the rate of edits falls with age, and differs from article to article (gamma).

An edit is seen at the first look after it; it is worth exp(-delay / 12 h). Two schedules are the best there could be for the
same number of requests. One is that of a crawler which learns: at each look it has the gamma's posterior from the changes
it has seen, and chooses the next look, or none, by dynamic programming over a grid of hours, at one price for a request
(Lagrange). The other knows each article's true rate beforehand, which no crawler can.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import numpy as np

from webmain.discovery.schedule import DAY_S, HOUR_S, Refresh, Visit, choose, next_visit

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Table = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

FIRST_H: Final = 0.5
"""Mean age at the first fetch, in hours, of a crawl each hour."""

_YOUNGEST_H, _SHAPE, _POWER, _TOTAL = 0.25, 0.5, 0.14, 0.4065
"""Cumulative rate of edits at age a: TOTAL * (1 - (YOUNGEST / a) ** POWER), times a gamma variable of that shape, mean 1."""

WORTH_H: Final = 12.0
HORIZON_H: Final = 240
_MOST_LOOKS: Final = 16
_MOST_CHANGES: Final = 8


def cumulative(age_h: Floats | float) -> Floats:
    """Return how many edits an average article has had at an age."""
    age = np.maximum(np.asarray(age_h, dtype=float), _YOUNGEST_H)
    return np.asarray(_TOTAL * (1 - (_YOUNGEST_H / age) ** _POWER))


def ages_of_edits(n: int, rng: np.random.Generator) -> tuple[list[Floats], Floats]:
    """Draw the ages, in hours, at which each of n articles is edited in its first ten days, and the articles' rates."""
    rates = rng.gamma(_SHAPE, 1 / _SHAPE, n)
    top = float(cumulative(HORIZON_H))
    counts = rng.poisson(rates * top)
    levels = rng.uniform(0, top, int(counts.sum()))
    ages = _YOUNGEST_H * (1 - levels / _TOTAL) ** (-1 / _POWER)
    return [np.sort(part) for part in np.split(ages, np.cumsum(counts)[:-1])], rates


# ---- What the best schedule is worth


_GRID: Final = FIRST_H + np.arange(HORIZON_H + 1, dtype=float)


@cache
def _gains() -> Floats:
    """Return what a look at one age of the grid is worth after the last one at another, for an article of rate 1."""
    fine = np.linspace(FIRST_H, _GRID[-1], 24 * HORIZON_H + 1)
    steps = np.diff(cumulative(fine)) * np.exp((fine[1:] - HORIZON_H) / WORTH_H)
    at = np.interp(_GRID, fine, np.concatenate([[0.0], np.cumsum(steps)]))
    gain = (at[None, :] - at[:, None]) * np.exp((HORIZON_H - _GRID[None, :]) / WORTH_H)
    gain[np.tril_indices(len(_GRID))] = -np.inf
    return np.asarray(gain)


def best_values() -> Floats:
    """Return the value of the best schedule with 0, 1, 2, ... looks, for an article of rate 1."""
    gain = _gains()
    best, values = gain[0], [0.0, float(gain[0].max())]
    for _ in range(_MOST_LOOKS - 1):
        best = (best[:, None] + gain).max(axis=0)
        values.append(float(best.max()))
    return np.maximum.accumulate(np.array(values))


@cache
def learned(price: float, steps_h: tuple[float, ...] = ()) -> Table:
    """Return the best next look of a crawler that learns: by changes seen and last look, -1 for none.

    A look costs `price`; the ages `steps_h` are not passed over as long as no change was seen.
    """
    gain, n = _gains(), len(_GRID)
    forced = [int(np.searchsorted(_GRID, step, side="left")) for step in steps_h]
    exposed = cumulative(_GRID) - cumulative(FIRST_H)
    worth, following = np.zeros((_MOST_CHANGES + 1, n)), np.full((_MOST_CHANGES + 1, n), -1)
    for i in range(n - 2, -1, -1):
        for seen in range(_MOST_CHANGES + 1):
            calm = ((_SHAPE + exposed[i]) / (_SHAPE + exposed[i + 1 :])) ** (_SHAPE + seen)
            after = calm * worth[seen, i + 1 :] + (1 - calm) * worth[min(seen + 1, _MOST_CHANGES), i + 1 :]
            values = (_SHAPE + seen) / (_SHAPE + exposed[i]) * gain[i, i + 1 :] - price + after
            bound = next((step for step in forced if i < step < n), None) if not seen else None
            if (best := int(values[: bound and bound - i].argmax())) >= 0 and (bound or values[best] > 0):
                worth[seen, i], following[seen, i] = values[best], i + 1 + best
    return following


def learned_looks(following: Table, edits: Sequence[Floats], firsts: Sequence[float]) -> list[list[float]]:
    """Return the ages at which a crawler that learns looks at articles with these edits, first fetched at these ages."""
    found = []
    for ages, first in zip(edits, firsts, strict=True):
        visits, i, seen = [first], 0, 0
        while (i := int(following[seen, i])) >= 0:
            if len(ages):
                seen = min(_MOST_CHANGES, seen + bool(np.any((ages > visits[-1]) & (ages <= first + i))))
            visits.append(first + i)
        found.append(visits)
    return found


def learnable_value(
    edits: Sequence[Floats], firsts: Sequence[float], looks: float, steps_h: tuple[float, ...] = ()
) -> float:
    """Return the mean value of these articles under the best schedule of a crawler that learns, with so many looks."""
    found = [
        score(edits, learned_looks(learned(float(price), steps_h), edits, firsts))
        for price in np.geomspace(0.002, 0.12, 16)
    ]
    points = sorted((each.looks, each.value) for each in found)
    return float(np.interp(looks, [each[0] for each in points], [each[1] for each in points]))


def best_value(rates: Floats, looks: float) -> float:
    """Return the mean value of an article under the best schedule that spends so many looks on average."""
    values = best_values()
    low, high = 0.0, 10.0
    for _ in range(60):
        price = (low + high) / 2
        chosen = (rates[:, None] * values[None, :] - price * np.arange(len(values))[None, :]).argmax(axis=1)
        low, high = (price, high) if chosen.mean() > looks else (low, price)
    return float((rates * values[chosen]).mean())


# ---- What a policy gives


@dataclass(frozen=True, slots=True)
class Result:
    """Means over articles: looks after the first fetch, value; and what was seen of the edits that GDELT sees."""

    looks: float
    value: float
    seen: float
    delay_h: float


def score(edits: Sequence[Floats], looks: Sequence[Sequence[float]]) -> Result:
    """Judge a policy by the ages, in hours, at which it has looked at each article (the first fetch first)."""
    value = 0.0
    delays: list[float] = []
    n_gdelt = n_both = n_looks = 0
    for ages, visits in zip(edits, looks, strict=True):
        n_looks += len(visits) - 1
        for age in ages[ages > visits[0]] if len(ages) else ():
            seen_at = next((visit for visit in visits if visit >= age), None)
            if seen_at is not None:
                value += float(np.exp(-(seen_at - age) / WORTH_H))
                delays.append(seen_at - age)
            if age <= 7 * 24:
                n_gdelt += 1
                n_both += seen_at is not None
    return Result(
        n_looks / len(edits), value / len(edits), n_both / max(1, n_gdelt), float(np.median(delays)) if delays else 0.0
    )


def looked_at(edits: Sequence[Floats], refresh: Refresh, rng: np.random.Generator) -> Iterator[list[float]]:
    """Yield the ages at which each article of one host is looked at by a crawl each hour, by `next_visit` and `choose`.

    The articles appear evenly in 30 days; a run may look at all that are due.
    """
    published = np.sort(rng.uniform(0, 30 * 24, len(edits)))
    visits: list[list[float]] = [[] for _ in edits]
    state: list[Visit | None] = [None] * len(edits)
    due: list[tuple[float, int]] = []
    new = 0

    def look(i: int, hour: int, visit: Visit) -> None:
        """Note a look at an article, and when the next one is due."""
        visits[i].append(hour - float(published[i]))
        state[i] = visit
        if (next_at := next_visit(visit, refresh, hour * HOUR_S)) is not None:
            heapq.heappush(due, (next_at, i))

    for hour in range(30 * 24 + HORIZON_H + 24):
        now = hour * HOUR_S
        while new < len(edits) and published[new] <= hour:
            at = float(published[new]) * HOUR_S
            look(new, hour, Visit(url=str(new), published_at=at, first_seen_at=now, visited_at=now))
            new += 1
        waiting: list[int] = []
        while due and due[0][0] <= now:
            waiting.append(heapq.heappop(due)[1])
        known = [visit for i in waiting if (visit := state[i]) is not None]
        chosen = choose(known, now)
        for visit in chosen:
            i = int(visit.url)
            age = hour - float(published[i])
            has_changed = bool(np.any((edits[i] > visits[i][-1]) & (edits[i] <= age)))
            look(i, hour, replace(visit, visited_at=now, n_changes=visit.n_changes + has_changed))
        taken = {visit.url for visit in chosen}
        for i in waiting:
            if str(i) not in taken and now - published[i] * HOUR_S < 10 * DAY_S:
                heapq.heappush(due, (now + HOUR_S, i))
    yield from visits


@dataclass(frozen=True, slots=True)
class Best:
    """The value of the best schedules with as many looks: for a crawler that learns, with the given steps or free; of all."""

    with_steps: float
    learnable: float
    of_all: float


def simulate(n_hosts: int, schedule: str, seed: int) -> tuple[Result, Best]:
    """Return what a schedule gives over hosts of different sizes, and the value of the best ones with as many looks."""
    rng = np.random.default_rng(seed)
    sizes = np.clip(rng.lognormal(np.log(60), 1.0, n_hosts), 5, 1500).astype(int)
    edits, visits, rates = [], [], []
    for size in sizes:
        ages, rate = ages_of_edits(int(size), rng)
        visits += list(looked_at(ages, Refresh.of(schedule), rng))
        edits += ages
        rates.append(rate)
    found = score(edits, visits)
    firsts = [each[0] for each in visits]
    steps_h = tuple(age_s / HOUR_S for age_s in Refresh.of(schedule).ages_s)
    return found, Best(
        learnable_value(edits, firsts, found.looks, steps_h),
        learnable_value(edits, firsts, found.looks),
        best_value(np.concatenate(rates), found.looks),
    )
