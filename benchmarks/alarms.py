"""How often the alarm for a dropped yield is false, and how soon it detects a drop; goals beside figures.

Made-up sites publish by the hour as Poisson processes with a day's and a week's rhythm, some of them overdispersed, and are
crawled every hour; every twelve hours of the last week the alarm is asked, as `webmain status` would.

    python benchmarks/alarms.py [--weeks 1000] [--seed 1]
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator

from common import parser

from webmain.health.yields import yield_drop
from webmain.ledger.runs import Figures, SiteRun

BEGIN = 1_790_000_000 - 1_790_000_000 % 604_800
RATES = (0.5, 2, 10, 50, 300, 1500)
"""New articles a day."""

WEEKS_BEFORE = 8
ASKED_EVERY = 12
"""The alarm is asked after each so many runs."""


def poisson(random_: random.Random, mean: float) -> int:
    """Draw a Poisson count."""
    if mean > 50:
        return max(0, round(random_.gauss(mean, math.sqrt(mean))))
    limit, n, product = math.exp(-mean), 0, random_.random()
    while product > limit:
        n, product = n + 1, product * random_.random()
    return n


def season(hour: int, weekend: float) -> float:
    """Return the rhythm of an hour of the week: hardly anything at night, less at the weekend; 1 in the mean of a weekday."""
    of_day = 1 - 0.95 * math.cos(2 * math.pi * (hour % 24 - 2) / 24)
    return of_day * (weekend if hour // 24 >= 5 else 1.0)


def history(
    random_: random.Random,
    per_day: float,
    *,
    weeks: int = WEEKS_BEFORE + 1,
    weekend: float = 0.4,
    spread: float = 0.0,
    drop_at_h: int | None = None,
    drop_to: float = 0.0,
) -> list[SiteRun]:
    """Return the runs of a made-up site; `spread` is the standard deviation of a day's level, in shares of it."""
    runs: list[SiteRun] = []
    level = 1.0
    for hour in range(weeks * 168):
        if hour % 24 == 0 and spread:
            level = random_.gammavariate(1 / spread**2, spread**2)
        mean = per_day / 24 * season(hour % 168, weekend) * level
        if drop_at_h is not None and hour >= drop_at_h:
            mean *= drop_to
        n_new = poisson(random_, mean)
        at = BEGIN + 3600.0 * hour + random_.uniform(0, 300)
        figures, ended = Figures(new=n_new if runs else 40 * n_new + 100), at + 60
        runs.append(
            SiteRun(
                site="a.example",
                started_at=at,
                written_at=ended,
                finished_at=ended,
                outcome="finished",
                figures=figures,
            )
        )
    return runs


def alarms_of_last_week(runs: list[SiteRun]) -> int:
    """Return how often the alarm is on in the last week."""
    last = runs[-1].started_at - 7 * 86_400
    ends = [n for n, run in enumerate(runs, 1) if run.started_at > last]
    return sum(yield_drop(runs[:n]) is not None for n in ends[::ASKED_EVERY])


def delay_h(runs: list[SiteRun], drop_at_h: int) -> float | None:
    """Return the hours from a drop to its alarm; None where there is none."""
    for n, run in list(enumerate(runs, 1))[::ASKED_EVERY]:
        hours = (run.started_at - BEGIN) / 3600 - drop_at_h
        if hours > 0 and yield_drop(runs[:n]):
            return hours
    return None


def false_alarms(n_weeks: int, seed: int) -> Iterator[str]:
    """Yield a line for each kind of site."""
    kinds = [("steady", {}), ("overdispersed", {"spread": 0.3}), ("quiet weekends", {"weekend": 0.05})]
    total = n_total = 0
    for name, options in kinds:
        for per_day in RATES:
            random_ = random.Random(f"{seed} {name} {per_day}")
            n = max(1, n_weeks // (len(kinds) * len(RATES)))
            n_false = sum(alarms_of_last_week(history(random_, per_day, **options)) > 0 for _ in range(n))
            total, n_total = total + n_false, n_total + n
            yield f"  {name:<16} {per_day:>7} a day  {n_false} of {n} site-weeks"
    yield f"  all: {total} of {n_total} site-weeks with a false alarm ({total / n_total:.2%}); goal: at most 1 %"


def detections(seed: int) -> Iterator[str]:
    """Yield a line for each rate and depth of a drop."""
    n, drop_at = 3, WEEKS_BEFORE * 168 - 100
    for per_day in RATES:
        for drop_to in (0.0, 0.2):
            random_ = random.Random(f"{seed} {per_day} {drop_to}")
            found = [
                delay_h(history(random_, per_day, weeks=11, drop_at_h=drop_at, drop_to=drop_to), drop_at)
                for _ in range(n)
            ]
            seen = sorted(hours for hours in found if hours is not None)
            told = f"after {seen[len(seen) // 2]:.0f} h (median), {seen[-1]:.0f} h (longest)" if seen else "never"
            yield f"  {per_day:>7} a day to {drop_to:.0%}: {len(seen)} of {n} noticed {told}"


def main() -> None:
    """Print goals and figures."""
    ap = parser(__doc__)
    ap.add_argument("--weeks", type=int, default=1000)
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()
    began = time.process_time()
    print("false alarms, hourly runs:")
    for line in false_alarms(args.weeks, args.seed):
        print(line, flush=True)
    print("drops, hourly runs, 8 weeks before:")
    for line in detections(args.seed):
        print(line, flush=True)
    print(f"{time.process_time() - began:.0f} s of CPU time")


if __name__ == "__main__":
    main()
