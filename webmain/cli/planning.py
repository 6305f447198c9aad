"""Preview of a crawl: runs the spider itself, but only for front page, robots.txt, feeds and sitemaps.

Nothing is stored; it uses a copy of the ledger, which is then deleted. Requests are made as in every crawl: robots.txt,
delays and the network guard apply.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import DontCloseSpider

from webmain.clock import now_s
from webmain.crawl.learning import bare_settings
from webmain.crawl.options import own, site_rules
from webmain.crawl.signals import SITE_PREFIX
from webmain.discovery.frontier import UNDATED, newest_key
from webmain.discovery.robots import RobotsRules
from webmain.ledger.file import LedgerFile, copy_ledger
from webmain.ledger.hosts import Host, Hosts
from webmain.sites.rules import SiteRules
from webmain.spiders.candidates import Candidate
from webmain.spiders.news import NewsSpider
from webmain.spiders.site import Site
from webmain.spiders.sources import SourceKind

DAY_S: Final = 86_400.0
N_FIRST: Final = 10  # addresses shown that a run would fetch first
MAX_JUDGED: Final = 50_000  # addresses of a site's sitemaps that are judged; the others are counted as unread


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run would find on one site now."""

    site: str
    # the front page after redirects; why it cannot be read, or ""
    front: str
    problem: str
    # "allowed", "forbidden", "none" (there is no robots.txt), "unreadable", "ignored" (ROBOTSTXT_OBEY is off); its
    # Crawl-delay
    robots: str
    crawl_delay_s: float | None
    left_alone_s: float  # seconds for which the site's host is left alone after refusals
    # sources that could be read; lists of articles that the front page links to
    feeds: tuple[str, ...]
    sitemaps: tuple[str, ...]
    sections: tuple[str, ...]
    known: int  # addresses found that an earlier run has settled
    # addresses that would be fetched: all of them, and those by date from their source or address
    new: int
    last_day: int
    last_week: int
    undated: int
    unread: int  # addresses of sitemaps that were not judged
    forbidden: int  # new ones that robots.txt forbids; they are not in `new`
    # minimum number of pages in a run, seconds between two requests, and duration of a run in seconds
    n_requests: int
    delay_s: float
    takes_s: float
    first: tuple[str, ...]  # the addresses to be fetched first


class PlanSpider(NewsSpider):
    """The spider `news`, limited to front pages and sources."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.waiting: dict[str, list[tuple[Candidate, float]]] = {}  # candidates in order, each with its date if known

    def _fetch(self, site: Site) -> None:
        """Do nothing, since no pages are fetched."""

    def continue_when_idle(self, spider: Spider) -> None:
        """Judge the addresses of sitemaps, in chunks."""
        if spider is not self:
            return
        for site in self.sites.values():
            if site.backlog and len(site) < MAX_JUDGED and self.enqueuer.is_running():
                self.enqueuer.judge_backlog(site)
                raise DontCloseSpider

    def closed(self, reason: str) -> None:
        """Collect the candidates in the order in which they would be fetched."""
        for site in self.sites.values():
            waiting = self.waiting[site.name] = []
            while (candidate := site.next()) is not None:
                waiting.append((candidate, newest_key(candidate.url, site.peek_hints(candidate.url))))

    def plan(self, site: Site, hosts: Hosts) -> Plan:
        """Return a site's plan, after the crawl."""
        settings, stats = self.crawler.settings, self.crawler.stats.get_stats()
        agent = str(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"] or "*")
        of_site = site_rules(self.crawler).of(site.front) or SiteRules(site=site.name, place="")
        host = hosts.get(urlsplit(site.front).netloc) or Host(host="", site=site.name)
        robots = RobotsRules(host.robots or b"", url=site.front)
        waiting = self.waiting.get(site.name, [])
        allowed = [(each, at) for each, at in waiting if robots.allows(each.url, agent)]
        ages = [now_s() - at if at > UNDATED else None for each, at in allowed if not each.is_hub]
        crawl_delay = robots.crawl_delay(agent)
        longest_s = own(settings).getfloat("WEBMAIN_MAX_CRAWL_DELAY")
        delay_s = max(settings.getfloat("DOWNLOAD_DELAY"), min(crawl_delay or 0.0, longest_s), of_site.delay or 0.0)
        n = len(allowed) + len(site.backlog)
        n = min(n, of_site.max_pages or n)
        return Plan(
            site=site.name,
            front=site.front,
            problem=_problem(site.name, stats),
            robots=_verdict(
                host, is_allowed=robots.allows(site.front, agent), is_obeyed=settings.getbool("ROBOTSTXT_OBEY")
            ),
            crawl_delay_s=crawl_delay,
            left_alone_s=max(0.0, (host.left_alone_until(now_s()) or 0.0) - now_s()),
            feeds=_urls(site, SourceKind.FEED),
            sitemaps=_urls(site, SourceKind.SITEMAP),
            sections=tuple(each.url for each, _ in allowed if each.is_hub),
            known=int(stats.get(f"{SITE_PREFIX}{site.name}/known") or 0),
            new=len(ages),
            last_day=sum(age is not None and age <= DAY_S for age in ages),
            last_week=sum(age is not None and age <= 7 * DAY_S for age in ages),
            undated=ages.count(None),
            unread=len(site.backlog),
            forbidden=len(waiting) - len(allowed),
            n_requests=n,
            delay_s=delay_s,
            takes_s=min(n * delay_s, 60.0 * (of_site.max_minutes or math.inf)),
            first=tuple(each.url for each, _ in allowed[:N_FIRST]),
        )


def plan(arguments: Mapping[str, Any], settings: Mapping[str, Any], ledger: Path) -> list[Plan]:
    """Return a plan for each site that a crawl with these arguments would visit; none if the crawl could not start.

    Raises LedgerError if it cannot be read.
    `arguments` are those of the spider `news`, `settings` are in addition to the project's. `ledger`: of earlier runs; it is
    not changed, and may be missing.
    """
    with tempfile.TemporaryDirectory(prefix="webmain-plan-") as folder:
        copy = Path(folder) / "copy.ledger"
        if ledger.exists():
            copy_ledger(ledger, copy)
            with LedgerFile(copy) as file, file.transaction() as db:
                db.execute("DELETE FROM answers")  # so that unchanged sources are read in full
        given = bare_settings(WEBMAIN_LEDGER=str(copy), LOG_LEVEL="ERROR", **settings)
        process = CrawlerProcess(given)
        crawler = process.create_crawler(PlanSpider)
        process.crawl(crawler, **arguments)
        process.start()
        spider = crawler.spider
        if not isinstance(spider, PlanSpider) or not copy.exists():
            return []
        with LedgerFile(copy) as file:
            hosts = Hosts(file)
            return [spider.plan(site, hosts) for site in spider.sites.values()]


def _verdict(host: Host, *, is_allowed: bool, is_obeyed: bool) -> str:
    """Return one word for what robots.txt says."""
    if not is_obeyed:
        return "ignored"
    if host.robots is None:
        return "unreadable"
    if not host.robots.strip():
        return "none"
    return "allowed" if is_allowed else "forbidden"


def _problem(site: str, stats: Mapping[str, Any]) -> str:
    """Return why the front page could not be read; "" if it could."""
    names = (f"webmain/unreachable/{site}", f"webmain/warning/front/{site}")
    reason = next((str(stats[name]) for name in names if name in stats), "")
    return reason.removeprefix(f"{site}: ")


def _urls(site: Site, kind: SourceKind) -> tuple[str, ...]:
    return tuple(source.url for source in site.sources.read if source.kind is kind)
