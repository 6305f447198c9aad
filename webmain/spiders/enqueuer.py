"""Queue the addresses that a crawl of news sites finds, and send its requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from scrapy import Request

from webmain import clock
from webmain.crawl.browsing import Browsing
from webmain.crawl.known_urls import CONDITIONAL
from webmain.crawl.signals import count_for_site, is_closing
from webmain.crawl.validators import hash_of, validators
from webmain.discovery.articles import UrlKind
from webmain.discovery.entries import Entry
from webmain.discovery.pagination import next_listing
from webmain.items import Hints
from webmain.ledger.responses import ListedUrls, SavedResponse
from webmain.spiders.candidates import Candidate, FoundOn
from webmain.urls import normalise, without_credentials

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webmain.discovery.page_summary import PageSummary
    from webmain.spiders.history import CrawlHistory
    from webmain.spiders.site import Site

_CHUNK: Final = 100
"""Addresses judged at once, before other work gets a turn."""

JUDGED_AT_ONCE: Final = 2000
"""Addresses of a site's sitemaps that are judged and noted as pending before any page is fetched."""


class Enqueuer:
    """Filters the addresses that are found, and queues those that are to be fetched.

    Parameters
    ----------
    crawler : Crawler
    history : CrawlHistory
        What earlier runs recorded.
    max_pages : int or None
        The most pages to download, in all.

    Attributes
    ----------
    n_pages : int
        Pages downloaded or requested so far.
    on_claims : callable
        Called with a site, its known addresses that were found again with their hints, and the feed or sitemap, or "".
    """

    def __init__(self, crawler: Crawler, history: CrawlHistory, max_pages: int | None = None) -> None:
        self.history = history
        self.n_pages = 0
        self._crawler = crawler
        self._max_pages = max_pages
        self._unsaved: dict[str, list[SavedResponse]] = {}
        self.on_claims: Callable[[Site, list[tuple[str, Hints | None]], str], None] = lambda *_: None

    # ---- What is found

    async def enqueue_source(
        self, site: Site, found: Iterable[tuple[str, Hints | None]], found_on: FoundOn, source: str = ""
    ) -> None:
        """Queue the addresses of a feed or sitemap, in chunks so that other work can run in between."""
        entries = iter(found)
        while chunk := list(islice(entries, _CHUNK)):
            known = [
                (own.url, hints) for url, hints in chunk if (own := site.judged_url(url)) and site.is_done(own.url)
            ]
            self.on_claims(site, known, source)  # they were found elsewhere before
            self.enqueue(site, site.candidates_from(chunk, found_on), source)
            await asyncio.sleep(0)

    async def enqueue_sitemap(self, site: Site, entries: Sequence[Entry], source: str) -> None:
        """Keep part of a sitemap's addresses: news is judged at once, others when they are the newest in the queue."""
        room = max(0, JUDGED_AT_ONCE - len(site))
        news = [(entry.url, entry.hints) for entry in entries if entry.hints.source == "news-sitemap"][:room]
        await self.enqueue_source(site, news, FoundOn.SITEMAP, source)
        taken = {url for url, _ in news}
        left = [entry for entry in entries if entry.url not in taken and site.is_own(entry.url)]
        settled = self.history.settled([entry.url for entry in left])
        self.on_claims(site, [(entry.url, entry.hints) for entry in left if entry.url in settled], source)
        self._count_known(site, sum(not site.is_done(url) for url in settled))
        for entry in left:
            if entry.url in settled:
                site.mark_done(entry.url)
            elif site.date_range.is_too_new(entry.url, entry.hints):
                site.skipped["too_new"] += 1
            else:
                site.backlog.add(entry.url, entry.hints)
        self.count_skipped(site)
        self.count("webmain/skipped/offsite", len(entries) - len(taken) - len(left))
        await asyncio.sleep(0)

    async def fill_from_backlog(self, site: Site) -> None:
        """Judge the newest addresses of the backlog until enough are queued."""
        while len(site) < JUDGED_AT_ONCE and site.backlog and self.is_running():
            self.judge_backlog(site)
            await asyncio.sleep(0)

    def judge_backlog(self, site: Site) -> None:
        """Judge some addresses of the backlog, the newest first."""
        self.enqueue(site, site.candidates_from(site.backlog.pop_newest(_CHUNK), FoundOn.SITEMAP))

    def enqueue(self, site: Site, candidates: Iterable[Candidate], source: str = "") -> int:
        """Queue the candidates that are not settled yet; return how many new articles there are."""
        n_new = 0
        while candidates := list(candidates):
            settled, n_waiting = self.history.add_pending(site, candidates)
            stored = self.history.stored_hubs(candidates)
            known = settled | stored
            self.on_claims(site, [(url, site.peek_hints(url)) for url in known], source)
            for candidate in candidates:
                if candidate.url in known:
                    site.mark_done(candidate.url)
                else:
                    n_new += not candidate.is_hub and site.is_promising(candidate.url)
                    site.push(candidate)
            self._count_known(site, len(known))
            self.count("webmain/waiting_for_retry", n_waiting)
            freed = [site.credit_hub(url, is_article=True) for url in sorted(stored)]
            candidates = [candidate for each in freed for candidate in each]
        n_new += site.skipped["too_new"]  # lists of too new articles lead to older ones
        self.count_skipped(site)
        return n_new

    def follow_links(self, site: Site, summary: PageSummary, found_on: FoundOn, *, depth: int) -> int:
        """Queue a page's links, feeds and next page; return how many new articles there are."""
        is_article = found_on is FoundOn.ARTICLE
        if not is_article:
            site.add_repeated(summary.text_hashes)
        if not is_article or not site.has_sources:
            site.sources.add_feeds(summary.head.feeds)
        links = ((url, None) for url in summary.followed)
        n_new = self.enqueue(site, site.candidates_from(links, found_on, depth=depth))
        if not is_article:
            self._enqueue_next(site, next_listing(summary.url, summary.pager, summary.head.rel_next), depth)
        return n_new

    def _enqueue_next(self, site: Site, following: str | None, depth: int) -> None:
        """Queue the next page of a list."""
        if following:
            self.enqueue(site, site.candidates_from([(following, None)], FoundOn.NEXT, depth=max(0, depth - 1)))

    # ---- Conditional requests

    def unchanged_response(self, site: Site, response: Response) -> SavedResponse | None:
        """Return the address's saved response if the response is a 304 or has the same body; else None."""
        if response.request is None or CONDITIONAL not in response.request.meta:
            return None
        saved = self.history.saved_response(response.url, site.filters)
        if saved is None or (response.status != 304 and saved.content_hash != hash_of(response.body)):
            return None
        self.count("webmain/not_modified" if response.status == 304 else "webmain/identical")
        self.history.record_unchanged(saved)
        return saved

    def take_unchanged(self, site: Site, response: Response, found_on: FoundOn, *, depth: int = 0) -> bool:
        """Queue what an address listed before, if it has not changed; return False if it has."""
        saved = self.unchanged_response(site, response)
        if saved is not None:
            self._enqueue_listed(site, saved.listed, found_on, depth)
        return saved is not None

    def take_fresh(
        self, site: Site, url: str, found_on: FoundOn, *, depth: int = 0, changed_at: float | None = None
    ) -> bool:
        """Queue what an address listed before, if it need not be fetched in this run; return False if it has to be."""
        saved = self.history.fresh_response(url, site.filters, changed_at)
        if saved is not None:
            self._enqueue_listed(site, saved.listed, found_on, depth)
            self.count("webmain/resting")
        return saved is not None

    def _enqueue_listed(self, site: Site, listed: ListedUrls, found_on: FoundOn, depth: int) -> None:
        """Queue what a source listed before; its articles are already known or pending."""
        site.add_repeated(listed.hashes)
        site.sources.add_feeds(listed.feeds)
        site.sources.add_sitemaps(
            Entry(url=url, hints=Hints(source="sitemap", modified=date)) for url, date in listed.children
        )
        lists = self.history.lists(site.name) if found_on is FoundOn.FRONT else []
        links = [(url, None) for url in (*listed.links, *lists)]
        if found_on in (FoundOn.FRONT, FoundOn.HUB):
            self.enqueue(site, site.candidates_from(links, found_on, depth=depth))
        self._enqueue_next(site, listed.following, depth)
        if listed.n_articles:
            site.has_sources = True
            site.has_sitemap |= found_on is FoundOn.SITEMAP
            self._count_known(site, listed.n_articles, are_read=False)

    def save_page(self, site: Site, response: Response, kind: str, summary: PageSummary) -> None:
        """Save the response of a front page or hub; one with the same links counts as unchanged, whatever else differs."""
        found = (site.judged_url(raw) for raw in summary.followed)
        lists = [each.url for each in found if each and (each.judgement.kind is UrlKind.HUB or site.is_list(each.url))]
        listed = ListedUrls(
            links=tuple(dict.fromkeys(lists)),
            following=next_listing(summary.url, summary.pager, summary.head.rel_next),
            feeds=tuple(summary.head.feeds),
            hashes=tuple(dict.fromkeys(summary.text_hashes)),
        )
        links = "\n".join(sorted(set(summary.followed)))
        self.save_response(site, response, kind, listed, hash_of(links.encode("utf-8", "surrogatepass")))

    def save_response(self, site: Site, response: Response, kind: str, listed: ListedUrls, mark: str = "") -> None:
        """Save a response, once everything that it listed is pending.

        Parameters
        ----------
        kind : str
            "front", "hub", "feed", "sitemap".
        mark : str
            A hash of the relevant content; by default that of the body.
        """
        if response.request is None or CONDITIONAL not in response.request.meta or response.status != 200:
            return
        now, digest = clock.now_s(), hash_of(response.body)
        etag, last_modified = validators(response)
        saved = SavedResponse(
            url=without_credentials(normalise(response.url) or response.url),
            site=site.name,
            kind=kind,
            etag=etag,
            last_modified=last_modified,
            content_hash=digest,
            mark=mark or digest,
            first_at=now,
            asked_at=now,
            read_at=now,
            changed_at=now,
            filters=site.filters,
            listed=listed,
        )
        self._unsaved.setdefault(site.name, []).append(saved)
        self.flush_responses(site)

    def flush_responses(self, site: Site) -> None:
        """Save a site's responses; those of sitemaps only after all their addresses have been judged."""
        unsaved = self._unsaved.pop(site.name, [])
        all_judged = not site.backlog and not site.backlog.has_dropped
        ready = [each for each in unsaved if all_judged or each.kind != "sitemap" or not each.listed.n_articles]
        if site.backlog and len(ready) < len(unsaved):
            self._unsaved[site.name] = [each for each in unsaved if each not in ready]
        self.history.save_responses(ready)

    # ---- Requests

    def refresh_request(self, response: Response, target: str | None) -> Request | None:
        """Return the request for a page's refresh target, as for a redirect; None if there is none or it was seen before."""
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

    def probe(self, site: Site, url: str, purpose: str, **options: Any) -> Request:
        """Return a request for a page that need not be an article, "not changed" being an answer if no browser draws it."""
        meta = {"probe": True, "purpose": purpose}
        if Browsing.of(self._crawler).mode(url) == "never":
            meta[CONDITIONAL] = site.filters
        return Request(url, dont_filter=True, meta=meta, **options)

    def count_page(self, site: Site, n: int = 1) -> None:
        """Count a page that is requested, or with -1 one that was not downloaded."""
        self.n_pages += n
        site.spending.n_pages += n

    def send_for(self, site: Site, request: Request) -> None:
        """Count and schedule the request for a page."""
        site.in_flight += 1
        self.count_page(site)
        self.send(request)

    def send(self, request: Request) -> None:
        """Schedule a request without the depth and referrer of the page that was read last."""
        engine = self._crawler.engine
        if engine is not None and engine.spider is not None:
            engine.crawl(request)

    def is_running(self) -> bool:
        """Return True if the crawl goes on."""
        return not is_closing(self._crawler)

    def is_finished(self, site: Site) -> bool:
        """Return True if nothing more may be fetched from a site; note in the summary if its budget is spent."""
        what = site.spending.exhausted()
        if what:
            n_waiting = len(site) + len(site.backlog)
            message = f"{site.name}: {what}" + (f", {n_waiting:,} addresses wait" if n_waiting else "")
            self._crawler.stats.set_value(f"webmain/told/budget/{site.name}", message)
        return what is not None or (self._max_pages is not None and self.n_pages >= self._max_pages)

    # ---- Counting

    def count(self, name: str, n: int = 1, site: Site | None = None) -> None:
        """Add to the crawl's stats, and with a site to that site's figures (`webmain.ledger.runs.Figures`)."""
        if n:
            self._crawler.stats.inc_value(name, n)
            if site is not None:
                count_for_site(self._crawler, site.name, name.removeprefix("webmain/"), n)

    def _count_known(self, site: Site, n: int, *, are_read: bool = True) -> None:
        """Count known addresses, of which several unchanged sources may list the same: never more than there are.

        Those that were read in this run count as a figure of the site, too.
        """
        n = min(n, site.n_uncounted)
        site.n_uncounted -= n
        self.count("webmain/known", n, site if are_read else None)

    def count_skipped(self, site: Site) -> None:
        """Add a site's skipped addresses to the stats."""
        for reason, n in site.pop_skipped().items():
            self.count(f"webmain/skipped/{reason}", n)
