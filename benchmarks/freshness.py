"""Measure how fresh a crawl that comes every hour keeps a site: with the real spider, and in a simulation.

    python benchmarks/freshness.py [--days 30] [--hosts 1000] [--refresh 1h,3h,6h,12h,1d,3d,10d] [--seed 0]

`demo/living.py` is crawled each hour in this process, while a clock of its own runs. Told are, with the goal beside:

- edits caught: those that a stored revision holds by the time at which the schedule looks at the article next (a step of the
  schedule, and then the next run; a quarter of the step later where the article was just fetched);
- waste: requests answered by a whole page that had not changed since it was fetched before, of all requests; 304 answers,
  and the lists, feeds and sitemaps, which change with each article, are counted apart;
- false revisions: stored revisions between which the site has edited nothing;
- vanished articles that the store knows as gone, their text kept.

Then `freshness_simulation` compares schedules over many hosts with GDELT's two visits and with the best there could be, and
`freshness_refusals` lets a fifth as many hosts refuse.
`--days 0` or `--hosts 0` leaves one of both out.
"""

from __future__ import annotations

import logging
import pathlib
import tempfile
import time
from collections import Counter
from collections.abc import Coroutine
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from common import parser

from demo.living import START, Edit, LivingSite, Story
from webmain import clock
from webmain.discovery.schedule import Refresh

RUN_EVERY = timedelta(hours=1)
SPACING = 0.25
"""A step of the schedule waits for at most so much of its age after the last fetch (`webmain.discovery.schedule`)."""


def finish(work: Coroutine[Any, Any, None]) -> None:
    """Do something in Twisted's reactor, once in a process."""
    from twisted.internet import asyncioreactor

    asyncioreactor.install()
    from twisted.internet import reactor
    from twisted.internet.defer import Deferred

    failures = []

    def begin() -> None:
        done = Deferred.fromCoroutine(work)
        done.addErrback(failures.append)
        done.addBoth(lambda _: reactor.stop())  # type: ignore[attr-defined]

    reactor.callWhenRunning(begin)  # type: ignore[attr-defined]
    reactor.run()  # type: ignore[attr-defined]
    for failure in failures:
        failure.raiseException()


async def crawl(site: LivingSite, folder: pathlib.Path, times: list[datetime], refresh: str, now: list[float]) -> None:
    """Crawl the site at each of the times."""
    from scrapy.crawler import CrawlerRunner
    from scrapy.utils.project import get_project_settings

    for at in times:
        now[0] = at.timestamp()
        settings = get_project_settings()
        settings.setmodule("demo.settings")
        settings.setdict(
            {
                "DEMO_WEB": lambda: site,
                "WEBMAIN_WORKERS": 0,
                "WEBMAIN_MODELS": str(folder / "models"),
                "WEBMAIN_SUMMARY": False,
                "WEBMAIN_PROGRESS_S": 0,
                "LOG_LEVEL": "ERROR",
            },
            priority="cmdline",
        )
        arguments = {"site": f"https://{site.host}/", "store": f"sqlite:{folder / 'articles.db'}", "refresh": refresh}
        await CrawlerRunner(settings).crawl("news", **arguments)


def caught(
    site: LivingSite, stored: dict[str, list[tuple[datetime, object]]], refresh: Refresh, end: datetime
) -> Counter[str]:
    """Count the edits after which the schedule has looked again by the end, and those that a revision holds by then."""
    found: Counter[str] = Counter()
    for story in site.stories:
        revisions = stored.get(site.url(story), [])
        if not revisions:
            continue
        first_at = revisions[0][0]
        for when, edit in story.edits:
            step = next((s for s in refresh.ages_s if story.published + timedelta(seconds=s) >= when), None)
            if edit is Edit.GONE or when <= first_at or step is None:
                continue
            deadline = story.published + timedelta(seconds=step * (1 + SPACING)) + RUN_EVERY
            if deadline > end:
                continue
            found["due"] += 1
            found[f"due {edit}"] += 1
            if any(when < at <= deadline for at, _ in revisions):
                found["caught"] += 1
                found[f"caught {edit}"] += 1
    return found


def false_revisions(site: LivingSite, story: Story, revisions: list[tuple[datetime, object]]) -> int:
    """Count the revisions before which nothing was edited since the one before."""
    times = [at for at, _ in revisions]
    return sum(not any(before < when <= after for when, _ in story.edits) for before, after in pairwise(times))


def wasted(site: LivingSite) -> Counter[str]:
    """Count the requests: all, for articles, 304, and whole answers that were as the last whole one."""
    last: dict[str, int] = {}
    found: Counter[str] = Counter()
    for asked in site.log:
        found["requests"] += 1
        found["304"] += asked.status == 304
        if asked.version and asked.status in (200, 304):
            found["articles"] += 1
            if asked.status == 200:
                found["whole, unchanged"] += last.get(asked.path) == asked.version
                last[asked.path] = asked.version
        elif asked.status == 200:
            found["lists and sources"] += 1
    return found


def run(days: float, refresh: str, seed: int) -> None:
    """Run the days, and print the figures."""
    from webmain.store.sqlite import SqliteStore

    now = [START.timestamp()]
    clock.use_clock(lambda: now[0])
    site = LivingSite(lambda: now[0], n_days=int(days) + 1, seed=seed)
    times = [START + n * RUN_EVERY for n in range(round(days * 24))]
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    began = time.process_time()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        finish(crawl(site, folder, times, refresh, now))
        with SqliteStore(folder / "articles.db", read_only=True) as store:
            articles = list(store.articles())
            stored = {
                article.url: [(each.stored_at, each.article) for each in store.revisions(article.id) if each.stored_at]
                for article in articles
                if article.url
            }
    by_url = {site.url(story): story for story in site.stories}
    n_false = sum(false_revisions(site, by_url[url], revisions) for url, revisions in stored.items() if url in by_url)
    edits = caught(site, stored, Refresh.of(refresh), times[-1])
    requests = wasted(site)
    appeared = [s for s in site.stories if START <= s.published <= times[-1] - RUN_EVERY]
    gone = {
        site.url(s) for s in site.stories for w, e in s.edits if e is Edit.GONE and w <= times[-1] - timedelta(days=4)
    }
    known_gone = {article.url for article in articles if article.gone_at}
    n_found = sum(site.url(story) in stored for story in appeared)
    print(
        f"{len(times)} runs in {time.process_time() - began:.0f} CPU seconds, {requests['requests']:,} requests:",
        dict(requests),
    )
    print(f"articles found     {n_found / max(1, len(appeared)):.3f}   of {len(appeared)}")
    print(f"edits caught       {edits['caught'] / max(1, edits['due']):.3f}   of {edits['due']}   goal at least .95")
    for edit in Edit:
        if edits[f"due {edit}"]:
            print(f"  {edit:16} {edits[f'caught {edit}']} of {edits[f'due {edit}']}")
    waste = requests["whole, unchanged"] / max(1, requests["requests"])
    print(f"waste              {waste:.3f}   goal at most .15")
    print(f"false revisions    {n_false}       goal 0")
    print(
        f"known as gone      {len(known_gone & gone)} of {len(gone & set(stored))}; of others {len(known_gone - gone)}"
    )


def simulated(n_hosts: int, refresh: str, seed: int) -> None:
    """Print what schedules give over many hosts."""
    from freshness_simulation import simulate

    print(
        f"\n{n_hosts:,} hosts x 30 days; looks an article after its first fetch, of the edits that GDELT sees (1d,7d) those"
    )
    print(
        "seen (goal .98 at no more looks), median delay, value of the best with these steps, for a crawler that learns"
    )
    print("(goal .95), of all")
    for schedule in dict.fromkeys(("8d", "1d,7d", "12h,8d", "1h,6h,1d,3d,10d", refresh)):
        found, best = simulate(n_hosts, schedule, seed)
        print(
            f"{schedule:20} looks {found.looks:.2f}   seen {found.seen:.3f}   delay {found.delay_h:5.1f} h"
            f"   value {found.value / best.with_steps:.3f} {found.value / best.learnable:.3f} {found.value / best.of_all:.3f}"
        )


def refused(n_hosts: int, seed: int) -> None:
    """Print how hosts that refuse are treated."""
    from freshness_refusals import violations

    n_requests, n_refused, n_soon = violations(n_hosts, seed)
    print(f"\n{n_hosts:,} hosts x 30 days with outages: {n_requests:,} requests, {n_refused:,} refused")
    print(f"too soon, by Retry-After or back-off   {n_soon}   goal 0")


def main() -> None:
    """Print the figures."""
    ap = parser(__doc__)
    ap.add_argument("--days", type=float, default=30)
    ap.add_argument("--hosts", type=int, default=1000)
    ap.add_argument("--refresh", default="1h,3h,6h,12h,1d,3d,10d")
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    if args.days:
        run(args.days, args.refresh, args.seed)
    if args.hosts:
        simulated(args.hosts, args.refresh, args.seed)
        refused(max(1, args.hosts // 5), args.seed)


if __name__ == "__main__":
    main()
