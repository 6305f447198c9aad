"""Made-up histories of runs."""

import random

from webmain.ledger.runs import Figures, SiteRun

NOW = 1_800_000_000.0
HOUR = 3600.0


def run(hours_ago, *, outcome="finished", took_s=60.0, **figures):
    at = NOW - hours_ago * HOUR
    ended = {} if outcome is None else {"finished_at": at + took_s, "outcome": outcome}
    figures.setdefault("seconds", took_s)
    return SiteRun(site="a.example", started_at=at, written_at=at + took_s, figures=Figures(**figures), **ended)


def usual(n=30, *, every_h=1.0, until_h=0.5, **figures):
    """Runs as they should be: regular, each with a few articles."""
    figures = {"new": 3, "chars_median": 2000.0, **figures}
    return [run(until_h + every_h * k, **figures) for k in range(n)][::-1]


def seasonal(per_hour, *, weeks=9, drop_h=0, drop_to=0.0, seed=1):
    """Hourly runs with a day's rhythm, Poisson yields, the last hours of them dropped."""
    random_ = random.Random(seed)
    runs = []
    for hours_ago in range(weeks * 168, 0, -1):
        of_day = 1.8 if int((NOW / HOUR - hours_ago) % 24) in range(6, 20) else 0.1
        mean = per_hour * of_day * (drop_to if hours_ago <= drop_h else 1.0)
        runs.append(run(hours_ago, new=sum(random_.random() < mean / 50 for _ in range(50))))
    return runs
