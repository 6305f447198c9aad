"""The base of the spider `news` that asks for front pages, then for robots.txt, feeds and sitemaps one after the other."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

from webmain import extraction as stages
from webmain.discovery.entries import Entry
from webmain.discovery.feeds import NotAFeed, read_feed
from webmain.discovery.places import sitemaps_from_robots
from webmain.discovery.sitemaps import NotASitemap, read_pieces
from webmain.items import Rejected
from webmain.middlewares import Robots
from webmain.pool import PoolClosed
from webmain.spiders.answers import is_answer, is_passing, other_fronts, page_of
from webmain.spiders.candidates import Where
from webmain.spiders.queue_spider import JUDGED_AT_ONCE, QueueSpider
from webmain.spiders.sources import Source, SourceKind
from webmain.urls import normalise, site_key

if TYPE_CHECKING:
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from webmain.spiders.site import Site
    from webmain.workers import Workers

_SOURCE_PRIORITY: Final = 100
_SITEMAP_MAX_BYTES: Final = 64 << 20

MAX_TOLD_FRONTS: Final = 10
"""Sites whose front page could not be fetched that the summary names; all are counted and logged."""


class SourceSpider(QueueSpider):
    """Base of `news`: reads each site's front page, then its sources.

    Attributes
    ----------
    workers : Workers
        Read the front page.
    """

    workers: Workers

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name)
        self._in_flight: dict[str, int] = {}
        self._asking: set[str] = set()

    def _feed(self, site: Site) -> None:
        """Keep a few requests for the site's best pages on their way."""
        raise NotImplementedError

    # ---- The front page

    def _front_request(self, site: Site, address: str) -> Request:
        return Request(
            address,
            callback=self.parse_front,
            errback=self.front_failed,
            cb_kwargs={"site": site.name},
            priority=_SOURCE_PRIORITY,
            dont_filter=True,
            meta={"probe": True},
        )

    async def parse_front(self, response: Response, site: str) -> None:
        """Read the front page: its links, its feeds, and on which of the site's hosts it is."""
        here = self.sites[site]
        self._n_pages += 1
        url = normalise(response.url) or response.url
        if here.is_own(url):
            here.front = url
            earlier = response.request.meta.get("redirect_urls", ()) if response.request else ()
            for address in (url, *earlier):
                here.fold(normalise(address) or address)
            try:
                with stages.errors_as_rejections(url, passing=(PoolClosed,)):
                    seen = await self.workers.look(page_of(response))
                    if further := self._refreshed(response, seen.head.refresh):
                        self._send(further)
                        return
                    self._follow(here, seen, Where.FRONT, depth=0)
            except (Rejected, PoolClosed) as error:
                self.logger.warning("%s: the front page can not be read: %s", site, error)
        else:
            told = _leads_away(site, site_key(url))
            self.logger.warning("%s", told)
            self._count("webmain/front_failed")
            self.crawler.stats.set_value(f"webmain/warning/front/{site}", told)
        self.sources[site].begin(here.front, self.memory.missing)
        self._ask_next(here)

    def front_failed(self, failure: Failure) -> None:
        """Try the front page at the next likely address; without any, go on with feeds and sitemaps."""
        request: Request = failure.request  # type: ignore[attr-defined]
        here = self.sites[request.cb_kwargs["site"]]
        self.logger.info("%s: no front page at %s: %s", here.name, request.url, failure.value)
        tried = [*request.meta.get("webmain_tried", ()), request.url]
        is_there = is_answer(failure.value) or isinstance(failure.value, IgnoreRequest)
        others = [] if is_there else list(other_fronts(here.start))
        following = next((address for address in others if address not in tried), None)
        if following:
            again = self._front_request(here, following)
            again.meta["webmain_tried"] = tried
            self._send(again)
            return
        self._count("webmain/front_failed")
        level = logging.INFO if is_passing(failure.value) else logging.WARNING
        told = f"{here.name}: the front page can not be fetched: {failure.value}"
        self.logger.log(level, "%s", told)
        if self.crawler.stats.get_value("webmain/front_failed") <= MAX_TOLD_FRONTS:
            self.crawler.stats.set_value(f"webmain/unreachable/{here.name}", told)
        if is_there:
            self.sources[here.name].begin(here.start, self.memory.missing)
        self._ask_next(here)

    # ---- Feeds and sitemaps

    def _ask_next(self, site: Site) -> None:
        """Ask for the site's next source; where none is left, fetch pages."""
        self._asking.discard(site.name)
        sources = self.sources[site.name]
        is_idle = not self._in_flight[site.name] and not len(site)
        source = None if self._is_spent() else sources.next(n_articles=site.n_articles, is_idle=is_idle)
        if source is None or sources.is_settled:
            self._feed(site)
        if source is None:
            return
        self._asking.add(site.name)
        if source.kind is SourceKind.ROBOTS and self._take_robots(site, source):
            return
        meta: dict[str, Any] = {"probe": True, "download_maxsize": _SITEMAP_MAX_BYTES, "download_warnsize": 0}
        if source.kind is SourceKind.ROBOTS:
            meta["dont_obey_robotstxt"] = True
        if source.is_probe:
            meta["max_retry_times"] = 1
        request = Request(
            source.url,
            callback=self.parse_source,
            errback=self.source_failed,
            cb_kwargs={"site": site.name, "source": source},
            priority=_SOURCE_PRIORITY,
            dont_filter=True,
            meta=meta,
        )
        self._send(request)

    def _take_robots(self, site: Site, source: Source) -> bool:
        """Take the sitemaps of the robots.txt that the middleware has read already."""
        robots = self.crawler.get_downloader_middleware(Robots)
        named = robots.sitemaps.get(urlsplit(source.url).netloc) if robots else None
        if named is None:
            return False
        self.sources[site.name].add_sitemaps(Entry(url=url) for url in named)
        self._count(f"webmain/read/{source.kind}")
        self._ask_next(site)
        return True

    async def parse_source(self, response: Response, site: str, source: Source) -> None:
        """Read robots.txt, a feed or a sitemap."""
        here, sources = self.sites[site], self.sources[site]
        try:
            if source.kind is SourceKind.ROBOTS:
                text = response.body[: 500 * 1024].decode("utf-8", "replace")
                sources.add_sitemaps(Entry(url=url) for url in sitemaps_from_robots(text, url=response.url))
            elif source.kind is SourceKind.FEED:
                feed = await asyncio.to_thread(read_feed, response.body, url=response.url)
                sources.succeeded(source)
                if feed.next_url:
                    sources.add_feed_page(feed.next_url)
                here.has_sources = True
                await self._take(here, ((entry.url, entry.hints) for entry in feed.entries), Where.FEED)
            else:
                for sitemap in read_pieces(response.body, url=response.url):
                    if not self._is_running():
                        return
                    sources.add_sitemaps(sitemap.children)
                    if sitemap.entries:
                        here.has_sources = here.has_sitemap = True
                    await self._keep(here, sitemap.entries)
                sources.succeeded(source)
                while len(here) < JUDGED_AT_ONCE and here.backlog and self._is_running():
                    self._judge(here)
                    await asyncio.sleep(0)
        except (NotAFeed, NotASitemap) as error:
            if source.is_probe:
                self.memory.note_missing(source.url)
            else:
                self._count(f"webmain/broken/{source.kind}")
                self.logger.info("%s: no %s at %s: %s", site, source.kind, source.url, error)
        else:
            self._count(f"webmain/read/{source.kind}")
        finally:
            self._ask_next(here)

    def source_failed(self, failure: Failure) -> None:
        """Go on with the next source; that a usual place is empty is no error."""
        request: Request = failure.request  # type: ignore[attr-defined]
        source: Source = request.cb_kwargs["source"]
        error = failure.value
        if source.is_probe and isinstance(error, HttpError) and error.response.status in (404, 410):
            self.memory.note_missing(source.url)
        elif not source.is_probe and source.kind is not SourceKind.ROBOTS:
            self._count(f"webmain/broken/{source.kind}")
            self.logger.info("no %s at %s: %s", source.kind, source.url, failure.value)
        self._ask_next(self.sites[request.cb_kwargs["site"]])


def _leads_away(site: str, other: str) -> str:
    """Say that a front page is another site's, and what to do about it."""
    return (
        f"{site}: its front page leads to {other}, another site, which is not crawled for it; if both are one site, give"
        f" -a site={site}={other}, and to crawl the other alone -a site={other}"
    )
