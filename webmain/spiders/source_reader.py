"""Fetch each site's front page, then its robots.txt, feeds and sitemaps one at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.spidermiddlewares.httperror import HttpError

from webmain import extraction as stages
from webmain.crawl.browsing import Browsing
from webmain.crawl.failures import LeftAloneError, RobotsForbiddenError
from webmain.crawl.known_urls import CONDITIONAL
from webmain.crawl.robots import Robots
from webmain.discovery.entries import Entry
from webmain.discovery.feeds import NotAFeed, read_feed
from webmain.discovery.robots import RobotsRules
from webmain.discovery.sitemaps import NotASitemap, read_pieces
from webmain.items import Rejected
from webmain.ledger.responses import ListedUrls
from webmain.processes.pool import PoolClosed
from webmain.spiders.answers import is_answered, is_passing, other_fronts, page_of
from webmain.spiders.candidates import FoundOn
from webmain.spiders.sources import Source, SourceKind
from webmain.urls import normalise, site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from webmain.spiders.enqueuer import Enqueuer
    from webmain.spiders.site import Site

logger = logging.getLogger("news")

_PRIORITY: Final = 100
_SITEMAP_MAX_BYTES: Final = 64 << 20

MAX_CHILDREN: Final = 5_000
"""Sitemaps of an index that are remembered."""

_FOUND: Final = {SourceKind.FEED: FoundOn.FEED, SourceKind.SITEMAP: FoundOn.SITEMAP}

MAX_TOLD_FRONTS: Final = 10
"""Sites without a front page that the summary lists; all are counted and logged."""


class SourceReader:
    """Requests front pages and sources, and passes the addresses in them to the enqueuer.

    Parameters
    ----------
    crawler : Crawler
    enqueuer : Enqueuer
    fetch : callable
        Called with a site whose pages may be fetched.
    """

    def __init__(self, crawler: Crawler, enqueuer: Enqueuer, fetch: Callable[[Site], None]) -> None:
        self._crawler = crawler
        self._enqueuer = enqueuer
        self._fetch = fetch

    # ---- The front page

    def front_request(self, site: Site, address: str) -> Request:
        """Return the request for a front page."""
        options = {"callback": self.parse_front, "errback": self.front_failed, "cb_kwargs": {"site": site}}
        return self._enqueuer.probe(site, address, "front", priority=_PRIORITY, **options)

    async def parse_front(self, response: Response, site: Site) -> None:
        """Read the front page: its links, its feeds, and the host on which it was found."""
        self._enqueuer.count_page(site)
        url = normalise(response.url) or response.url
        if site.is_own(url):
            site.front = url
            earlier = response.request.meta.get("redirect_urls", ()) if response.request else ()
            for address in (url, *earlier):
                site.mark_done(normalise(address) or address)
            try:
                if further := await self._read_front(response, site, url):
                    self._enqueuer.send(further)
                    return
            except (Rejected, PoolClosed) as error:
                logger.warning("%s: the front page cannot be read: %s", site.name, error)
        else:
            other = site_key(url)
            message = (
                f"{site.name}: its front page leads to {other}, another site, which is not crawled for it; if both are one"
                f" site, give -a site={site.name}={other}, and to crawl the other alone -a site={other}"
            )
            logger.warning("%s", message)
            self._enqueuer.count("webmain/front_failed", site=site)
            self._crawler.stats.set_value(f"webmain/warning/front/{site.name}", message)
        site.sources.begin(site.front, self._enqueuer.history.missing)
        self.fetch_next_source(site)

    async def _read_front(self, response: Response, site: Site, url: str) -> Request | None:
        """Follow the links of a front page; return the request for its refresh target."""
        if self._enqueuer.take_unchanged(site, response, FoundOn.FRONT):
            return None
        with stages.errors_as_rejections(url, passing=(PoolClosed,)):
            _, summary = await Browsing.of(self._crawler).summarise(page_of(response), response)
            if further := self._enqueuer.refresh_request(response, summary.head.refresh):
                return further
            self._enqueuer.follow_links(site, summary, FoundOn.FRONT, depth=0)
            self._enqueuer.save_page(site, response, "front", summary)
        return None

    def front_failed(self, failure: Failure) -> None:
        """Try the next likely address of the front page; if there is none, continue with feeds and sitemaps."""
        request: Request = failure.request  # type: ignore[attr-defined]
        site: Site = request.cb_kwargs["site"]
        logger.info("%s: no front page at %s: %s", site.name, request.url, failure.value)
        tried = {**request.meta.get("webmain_tried", {}), request.url: failure.value}
        is_there = is_answered(failure.value)
        others = [*(() if is_there else other_fronts(site.start)), *site.alias_fronts]
        following = next((address for address in others if address not in tried), None)
        if following:
            again = self.front_request(site, following)
            again.meta["webmain_tried"] = tried
            self._enqueuer.send(again)
            return
        if self.check_left_alone(site, failure):
            return
        stats = self._crawler.stats
        self._enqueuer.count("webmain/front_failed", site=site)
        self._enqueuer.count("webmain/failed/robots", isinstance(failure.value, RobotsForbiddenError), site)
        why = failure.value if is_there else next(iter(tried.values()))  # the other addresses were only guessed
        level = logging.INFO if is_passing(why) else logging.WARNING
        message = f"{site.name}: the front page cannot be fetched: {why}"
        logger.log(level, "%s", message)
        if stats.get_value("webmain/front_failed") <= MAX_TOLD_FRONTS:
            stats.set_value(f"webmain/unreachable/{site.name}", message)
        if is_there:
            site.sources.begin(site.start, self._enqueuer.history.missing)
        self.fetch_next_source(site)

    def check_left_alone(self, site: Site, failure: Failure) -> bool:
        """Stop requests to a site if its own host is left alone; return True if so."""
        url = failure.request.url  # type: ignore[attr-defined]
        if isinstance(failure.value, LeftAloneError) and urlsplit(url).netloc == urlsplit(site.front).netloc:
            site.is_left_alone = True
        return site.is_left_alone

    # ---- Robots.txt, feeds and sitemaps

    def fetch_next_source(self, site: Site) -> None:
        """Request the site's next source; fetch pages if no source is left."""
        site.is_fetching_source = False
        if site.is_left_alone:
            return
        is_idle = not site.in_flight and not len(site)
        source = None
        if not self._enqueuer.is_finished(site):
            source = site.sources.next(n_articles=site.n_articles, is_idle=is_idle)
        if source is None or site.sources.is_settled:
            self._fetch(site)
        if source is None:
            return
        site.is_fetching_source = True
        if source.kind is SourceKind.ROBOTS and self._read_robots(site, source):
            return
        if self._is_fresh(site, source):
            self.fetch_next_source(site)
            return
        meta: dict[str, Any] = {"probe": True, "purpose": source.kind.value}
        meta |= {"download_maxsize": _SITEMAP_MAX_BYTES, "download_warnsize": 0}
        if source.kind is SourceKind.ROBOTS:
            meta["dont_obey_robotstxt"] = True
        else:
            meta[CONDITIONAL] = site.filters
        if source.is_probe:
            meta["max_retry_times"] = 1
        request = Request(
            source.url,
            callback=self.parse_source,
            errback=self.source_failed,
            cb_kwargs={"site": site, "source": source},
            priority=_PRIORITY,
            dont_filter=True,
            meta=meta,
        )
        self._enqueuer.send(request)

    def _read_robots(self, site: Site, source: Source) -> bool:
        """Use the sitemaps of a robots.txt that the middleware has already read; return False if it has not."""
        robots = self._crawler.get_downloader_middleware(Robots)
        named = robots.sitemaps.get(urlsplit(source.url).netloc) if robots else None
        if named is None:
            return False
        site.sources.add_sitemaps(Entry(url=url) for url in named)
        self._enqueuer.count(f"webmain/read/{source.kind}")
        self.fetch_next_source(site)
        return True

    def _is_fresh(self, site: Site, source: Source) -> bool:
        """Reuse what a source listed before, if it is not due or its index says that it has not changed."""
        if source.kind is SourceKind.ROBOTS:
            return False
        url = normalise(source.url) or source.url
        is_fresh = self._enqueuer.take_fresh(site, url, _FOUND[source.kind], changed_at=source.changed_at)
        if is_fresh:
            site.sources.succeeded(source)
        return is_fresh

    async def parse_source(self, response: Response, site: Site, source: Source) -> None:
        """Read robots.txt, a feed or a sitemap."""
        try:
            if source.kind is SourceKind.ROBOTS:
                listed = RobotsRules(response.body, url=response.url).sitemaps
                site.sources.add_sitemaps(Entry(url=url) for url in listed)
            elif self._enqueuer.take_unchanged(site, response, _FOUND[source.kind]):
                pass  # its addresses are queued
            elif source.kind is SourceKind.FEED:
                await self._read_feed(response, site)
            else:
                await self._read_sitemap(response, site)
            site.sources.succeeded(source)
            await self._enqueuer.fill_from_backlog(site)
        except (NotAFeed, NotASitemap) as error:
            if source.is_probe:
                self._enqueuer.history.record_missing(source.url)
            else:
                self._enqueuer.count(f"webmain/broken/{source.kind}")
                logger.info("%s: no %s at %s: %s", site.name, source.kind, source.url, error)
        else:
            self._enqueuer.count(f"webmain/read/{source.kind}")
            self._enqueuer.count("webmain/sources", int(source.kind is not SourceKind.ROBOTS), site)
        finally:
            self.fetch_next_source(site)

    async def _read_feed(self, response: Response, site: Site) -> None:
        feed = await asyncio.to_thread(read_feed, response.body, url=response.url)
        if feed.next_url:
            site.sources.add_feed_page(feed.next_url)
        site.has_sources = True
        url = normalise(response.url) or response.url
        await self._enqueuer.enqueue_source(
            site, ((entry.url, entry.hints) for entry in feed.entries), FoundOn.FEED, url
        )
        following = (feed.next_url,) if feed.next_url else ()
        self._enqueuer.save_response(site, response, "feed", ListedUrls(feeds=following, n_articles=len(feed.entries)))

    async def _read_sitemap(self, response: Response, site: Site) -> None:
        children: list[Entry] = []
        n = 0
        for sitemap in read_pieces(response.body, url=response.url):
            if not self._enqueuer.is_running():
                return
            site.sources.add_sitemaps(sitemap.children)
            if sitemap.entries:
                site.has_sources = site.has_sitemap = True
            await self._enqueuer.enqueue_sitemap(site, sitemap.entries, normalise(response.url) or response.url)
            children += sitemap.children
            n += len(sitemap.entries)
        named = tuple((child.url, child.hints.modified) for child in children[:MAX_CHILDREN])
        self._enqueuer.save_response(site, response, "sitemap", ListedUrls(children=named, n_articles=n))

    def source_failed(self, failure: Failure) -> None:
        """Continue with the next source; a missing guessed source is not an error."""
        request: Request = failure.request  # type: ignore[attr-defined]
        source: Source = request.cb_kwargs["source"]
        error = failure.value
        if source.is_probe and isinstance(error, HttpError) and error.response.status in (404, 410):
            self._enqueuer.history.record_missing(source.url)
        elif not source.is_probe and source.kind is not SourceKind.ROBOTS:
            self._enqueuer.count(f"webmain/broken/{source.kind}")
            logger.info("no %s at %s: %s", source.kind, source.url, error)
        self.check_left_alone(request.cb_kwargs["site"], failure)
        self.fetch_next_source(request.cb_kwargs["site"])
