"""What a crawl of news sites does with the addresses that it finds, and how it sends its requests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from webmain.discovery.pagination import next_listing
from webmain.spiders.queues import Candidate, Where

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webmain.discovery.entries import Entry
    from webmain.discovery.look import Look
    from webmain.items import Hints
    from webmain.spiders.memory import Memory
    from webmain.spiders.site import Site

_CHUNK: Final = 100
"""Addresses that are judged in one go, while nothing else is done."""

JUDGED_AT_ONCE: Final = 2000
"""Addresses of a site's sitemaps that are judged, and noted as pending, before any of them is wanted."""


class Intake:
    """Sifts the addresses that are found, and lets those wait that need fetching.

    Parameters
    ----------
    crawler : Crawler
    memory : Memory
        What earlier runs know.
    max_pages : int or None
        Pages downloaded, in all.

    Attributes
    ----------
    n_pages : int
        Pages downloaded so far, or on their way.
    """

    def __init__(self, crawler: Crawler, memory: Memory, max_pages: int | None = None) -> None:
        self.memory = memory
        self.n_pages = 0
        self._crawler = crawler
        self._max_pages = max_pages

    # ---- What is found

    async def take(self, site: Site, found: Iterable[tuple[str, Hints | None]], where: Where) -> None:
        """Take over the addresses of a feed or sitemap, leaving room for other work in between."""
        entries = iter(found)
        while chunk := list(islice(entries, _CHUNK)):
            self.wait_for(site, site.sift(chunk, where))
            await asyncio.sleep(0)

    async def keep(self, site: Site, entries: Sequence[Entry]) -> None:
        """Keep the addresses of a piece of a sitemap: news are judged at once, others when they are the newest that wait."""
        room = max(0, JUDGED_AT_ONCE - len(site))
        news = [(entry.url, entry.hints) for entry in entries if entry.hints.source != "sitemap"][:room]
        await self.take(site, news, Where.SITEMAP)
        taken = {url for url, _ in news}
        left = [entry for entry in entries if entry.url not in taken and site.is_own(entry.url)]
        settled = self.memory.settled([entry.url for entry in left])
        for entry in left:
            if entry.url in settled:
                site.fold(entry.url)
                site.n_known += 1
            else:
                site.backlog.add(entry.url, entry.hints)
        self.count("webmain/known", len(settled))
        self.count("webmain/skipped/offsite", len(entries) - len(taken) - len(left))
        await asyncio.sleep(0)

    async def judge_first(self, site: Site) -> None:
        """Judge the newest of the addresses that were only kept, until enough of them wait."""
        while len(site) < JUDGED_AT_ONCE and site.backlog and self.is_running():
            self.judge(site)
            await asyncio.sleep(0)

    def judge(self, site: Site) -> None:
        """Judge some of the addresses that were only kept, the newest first."""
        self.wait_for(site, site.sift(site.backlog.take(_CHUNK), Where.SITEMAP))

    def wait_for(self, site: Site, candidates: Iterable[Candidate]) -> int:
        """Let candidates wait for their turn, except those that are settled; return how many articles are new."""
        n_new = 0
        while candidates := list(candidates):
            verdict, stored = self.memory.sort(site, candidates), self.memory.stored(candidates)
            known = verdict.known | stored
            for candidate in candidates:
                if candidate.url in known:
                    site.fold(candidate.url)
                else:
                    n_new += not candidate.is_hub and site.is_promising(candidate.url)
                    site.push(candidate)
            self.count("webmain/known", len(known))
            self.count("webmain/waiting_for_retry", verdict.n_waiting)
            freed = [site.note_fruitful(url, is_article=True) for url in sorted(stored)]
            candidates = [candidate for each in freed for candidate in each]
        self.count_skipped(site)
        return n_new

    def follow(self, site: Site, seen: Look, where: Where, *, depth: int) -> int:
        """Take over the links, the feeds and the next page of a page; return how many articles are new."""
        if where is not Where.ARTICLE:
            site.note_repeated(seen.text_hashes)
        if where is not Where.ARTICLE or not site.has_sources:
            site.sources.add_feeds(seen.head.feeds)
        n_new = self.wait_for(site, site.sift(((url, None) for url in seen.followed), where, depth=depth))
        following = None if where is Where.ARTICLE else next_listing(seen.url, seen.pager, seen.head.rel_next)
        if following:
            self.wait_for(site, site.sift([(following, None)], Where.NEXT, depth=max(0, depth - 1)))
        return n_new

    # ---- Requests

    def refreshed(self, response: Response, target: str | None) -> Request | None:
        """Return the request to which a page's refresh leads, as a redirect would; None where it leads nowhere new."""
        request = response.request
        if target is None or request is None:
            return None
        earlier = [*request.meta.get("redirect_urls", ()), response.url]
        if len(earlier) > self._crawler.settings.getint("REDIRECT_MAX_TIMES") or target in earlier:
            self.count("webmain/refresh_ended")
            return None
        self.count("webmain/refreshed")
        meta = {"redirect_urls": earlier, "redirect_times": len(earlier)}
        return request.replace(url=target, meta={**request.meta, **meta})

    def send(self, request: Request) -> None:
        """Schedule a request without the depth and the referrer of the page that happened to be read last."""
        engine = self._crawler.engine
        if engine is not None and engine.spider is not None:
            engine.crawl(request)

    def is_running(self) -> bool:
        """Return True if the crawl goes on."""
        engine = self._crawler.engine
        return engine is not None and engine.running and not (engine._slot is not None and engine._slot.closing)

    def is_spent(self) -> bool:
        """Return True if as many pages were downloaded as are wanted."""
        return self._max_pages is not None and self.n_pages >= self._max_pages

    # ---- Counting

    def count(self, name: str, n: int = 1) -> None:
        """Count in the crawl's stats."""
        if n and self._crawler.stats is not None:
            self._crawler.stats.inc_value(name, n)

    def count_skipped(self, site: Site) -> None:
        """Count what a site has left out."""
        for reason, n in site.take_skipped().items():
            self.count(f"webmain/skipped/{reason}", n)
