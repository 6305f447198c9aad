"""Crawl hosts that refuse now and then for 30 days by the crawl's own middleware, and count the requests that came too soon.

Called by benchmarks/freshness.py. Each host has outages, in which it answers 429, 503 or 403, at times with a Retry-
After. Each hour there is a run, which asks each host for up to eight pages, a second apart, as long as
`webmain.crawl.refusals` lets it; hours long before and after all outages of a host are left out. Too soon is a request
before a Retry-After of more than two minutes is over (of at most a day; shorter ones hold the slot, and are tested
elsewhere), or before nine tenths of the back-off are over that the host's refusing runs in a row have earned.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from webmain.discovery.schedule import DAY_S, FORGIVEN_AFTER_S, HOUR_S, back_off_s

START_S = 1.8e9
PAGES = 8


@dataclass(slots=True)
class Server:
    """A host, and from when on it wants to be asked again."""

    name: str
    outages: list[tuple[float, float, int, float]]
    allowed_at: float = 0.0
    n_refusing_runs: int = 0
    last_refusal: float = -np.inf

    def answer(self, at: float) -> tuple[int, float]:
        """Return a status, and the seconds of a Retry-After, or 0."""
        for start, end, status, retry_after in self.outages:
            if start <= at < end:
                return status, retry_after
        return 200, 0.0

    def is_near_trouble(self, at: float) -> bool:
        """Return True from an hour before an outage until two days after it."""
        return any(start - HOUR_S <= at < end + 2 * DAY_S for start, end, *_ in self.outages)

    def after_run(self, at: float, statuses: list[int]) -> None:
        """Draw the consequences of a run that was refused, as the back-off curve has it."""
        if statuses and all(status != 200 for status in statuses):
            self.n_refusing_runs += 1
            self.last_refusal = at
            self.allowed_at = max(self.allowed_at, at + 0.9 * back_off_s(self.n_refusing_runs))
        elif 200 in statuses and at - self.last_refusal >= FORGIVEN_AFTER_S:
            self.n_refusing_runs = 0


def servers(n: int, rng: np.random.Generator) -> list[Server]:
    """Draw hosts with outages of a few hours."""
    found = []
    for i in range(n):
        outages = []
        for begin in rng.uniform(0, 30 * DAY_S, rng.poisson(3)):
            status = int(rng.choice([429, 503, 403]))
            retry_after = float(rng.choice([0, 60, 1800, 4 * HOUR_S, 3 * DAY_S])) if status != 403 else 0.0
            outages.append((begin, begin + rng.exponential(6 * HOUR_S), status, retry_after))
        found.append(Server(f"h{i}.example", outages))
    return found


def violations(n_hosts: int, seed: int) -> tuple[int, int, int]:
    """Return the requests of 30 days, those that were refused, and those that came too soon."""
    from scrapy.http import Request, Response
    from scrapy.utils.test import get_crawler

    from webmain import clock
    from webmain.crawl.failures import LeftAloneError
    from webmain.crawl.known_urls import KnownUrls
    from webmain.crawl.refusals import Refusals

    now = [START_S]
    clock.use_clock(lambda: now[0])
    settings = {"WEBMAIN_LEDGER": "", "EXTENSIONS": {"webmain.crawl.known_urls.KnownUrls": 1}, "WEBMAIN_BACK_OFF": True}
    hosts = servers(n_hosts, np.random.default_rng(seed))
    n_requests = n_refused = n_soon = 0
    crawler = get_crawler(settings_dict=settings)
    crawler.engine = SimpleNamespace(downloader=SimpleNamespace(slots={}))  # where no request waits
    known = crawler.get_extension(KnownUrls)
    assert known is not None
    for hour in range(30 * 24):
        refusals = Refusals(crawler)
        for host in hosts:
            if not host.is_near_trouble(hour * HOUR_S):
                continue
            statuses: list[int] = []
            for page in range(PAGES):
                at = hour * HOUR_S + page
                now[0] = START_S + at
                request = Request(f"https://{host.name}/{hour}/{page}")
                try:
                    refusals.process_request(request)
                except LeftAloneError:
                    break
                n_requests += 1
                n_soon += at < host.allowed_at
                status, retry_after = host.answer(at)
                statuses.append(status)
                n_refused += status != 200
                if status != 200 and retry_after > 120:
                    host.allowed_at = max(host.allowed_at, at + min(retry_after, DAY_S))
                headers = {"Retry-After": str(int(retry_after))} if retry_after else {}
                refusals.process_response(
                    request, Response(request.url, status=status, headers=headers, body=b"<p>text</p>")
                )
            host.after_run(hour * HOUR_S, statuses)
        refusals.spider_closed()
    known.ledger.close()
    return n_requests, n_refused, n_soon
