"""The spider `news`: finds a news site's articles, newest first, and reads their pages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest
from scrapy.spidermiddlewares.httperror import HttpError

from webmain import stages
from webmain.discovery.articles import UrlKind
from webmain.discovery.feeds import NotAFeed, read_feed
from webmain.discovery.ledger import LIST
from webmain.discovery.look import Look, evidence_of
from webmain.discovery.page_evidence import judge_page
from webmain.discovery.pagination import next_listing
from webmain.discovery.sitemaps import NotASitemap, SitemapChild, SitemapEntry, read_pieces, sitemaps_from_robots
from webmain.items import Hints, Page, Reason, Rejected
from webmain.middlewares import Robots
from webmain.page.urls import amp_to_canonical_guess, normalise, site_key
from webmain.pool import PoolClosed
from webmain.signals import tell_rejected
from webmain.spiders.answers import is_answer, is_passing, other_fronts, page_of
from webmain.spiders.arguments import NewsArguments, read_news_arguments, with_settings
from webmain.spiders.memory import Memory
from webmain.spiders.parts import fetch_parts
from webmain.spiders.site import Candidate, Limits, Site, Where
from webmain.spiders.sources import Source, SourceKind, Sources
from webmain.workers import Workers

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure


_SOURCE_PRIORITY: Final = 100
_SITEMAP_MAX_BYTES: Final = 64 << 20
_CHUNK: Final = 100
"""Addresses that are judged in one go, while nothing else is done."""

_JUDGED_AT_ONCE: Final = 2000
"""Addresses of a site's sitemaps that are judged, and noted as pending, before any of them is wanted."""

_REQUESTS_AHEAD: Final = 4


class NewsSpider(Spider):
    """Crawl news sites: `scrapy crawl news -a site=bbc.com -a store=sqlite:bbc.db -a since=3d`.

    Arguments
    ---------
    site : domains or addresses, several separated by commas. An address is taken for the front page; `old.com=new.com` is
        one site with two domains.
    sites : a file with one domain or address a line; `#` starts a comment.
    extractor : name, with options: `pab`, `line_block:decision=sigma`, `package.module:Class`.
    store : `jsonl:PATH` or `sqlite:PATH`, several separated by commas; `jsonl:output/articles.jsonl` by default.
    max_pages : articles and hubs downloaded, in all; the further pages of an article belong to it.
    max_articles : articles stored, in all.
    since : only what was published since: `2026-11-20`, `3d`, `12h`, `2w`.
    language : only articles in this language (ISO 639-1).
    include, exclude : globs over paths, several separated by commas (see `arguments.PathFilter`). Articles stand at
        included paths; nothing at all is fetched from excluded ones.
    keep : what beside running text is kept: `captions,links,images,comments,no-tables,no-lists` (see `webmain.Keep`).
    record : `.warc.gz` file to which everything fetched is recorded.
    skip_known : `false` fetches again what an earlier run has settled.
    learn : `false` judges each page by itself: no page waits for others of its site, and no model of a site is used or made.
    review_below : articles whose confidence is below this are listed for review (see docs/crawling.md).
    review_only : `true` keeps them out of the store, in one beside it.

    Settings
    --------
    WEBMAIN_MAX_HUBS, WEBMAIN_MAX_HUB_DEPTH, WEBMAIN_MAX_LINK_DEPTH, WEBMAIN_MAX_ALIKE, WEBMAIN_MAX_SIBLINGS,
    WEBMAIN_MAX_MISSES, WEBMAIN_MAX_PARTS, WEBMAIN_MAX_SITEMAPS, WEBMAIN_MAX_FEEDS, WEBMAIN_MAX_FRONTIER : see `site.Limits`.

    Raises
    ------
    ArgumentError
        With everything that is wrong with the arguments.
    """

    name = "news"
    needs_network: ClassVar[bool] = True

    def __init__(self, name: str | None = None, **arguments: object) -> None:
        super().__init__(name)
        self.arguments: NewsArguments = read_news_arguments(arguments)
        self.named_urls = (*self.arguments.sites, *(other for _, other in self.arguments.aliases))
        self.extractor = self.arguments.extractor
        self.store_spec = self.arguments.store
        self.since = self.arguments.since
        self.language = self.arguments.language
        self.keep = self.arguments.keep
        self.max_articles = self.arguments.max_articles
        self.max_pages = self.arguments.max_pages
        self.review_below = self.arguments.review_below
        self.review_only = self.arguments.review_only
        self.skip_known = self.arguments.skip_known
        self.learn = self.arguments.learn
        self.record = self.arguments.record
        self.sites: dict[str, Site] = {}
        self.sources: dict[str, Sources] = {}
        self._in_flight: dict[str, int] = {}
        self._asking: set[str] = set()
        self._n_pages = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make the spider for a crawl; store and extractor may also be settings."""
        kwargs = with_settings(kwargs, crawler.settings)
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.continue_when_idle, signals.spider_idle)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Ask for each site's front page; what an earlier run left is taken up again."""
        settings = self.settings
        self.memory = Memory.of(self)
        self.workers = Workers.of(self.crawler)
        limits = Limits(
            **{
                field: settings.getint(f"WEBMAIN_MAX_{field.upper()}", default)
                for field, default in zip(Limits.__dataclass_fields__, _defaults(), strict=True)
            }
        )
        self._ahead = max(_REQUESTS_AHEAD, 2 * settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))
        for address in self.arguments.sites:
            site = Site(address, limits=limits, paths=self.arguments.paths, since=self.since)
            known = self.sites.setdefault(site.name, site)
            if known is not site:
                known.push(Candidate(address, known.name, is_hub=True, depth=1, newest=float("inf")))
                continue
            for _, other in (pair for pair in self.arguments.aliases if pair[0] == address):
                site.add_alias(other)
            self.sources[site.name] = Sources(max_feeds=limits.feeds, max_sitemaps=limits.sitemaps, since=self.since)
            self._in_flight[site.name] = 0
            site.n_known = self.memory.n_articles(site.name)
            for url in self.memory.lists(site.name):
                site.note_list(url)
            for url, hints in self.memory.left_over(site.name):
                for candidate in site.sift([(url, hints)], Where.BEFORE):
                    site.push(candidate)
            yield self._front_request(site, address)

    def is_one_site(self, url: str, other: str) -> bool:
        """Tell whether two addresses are of one site, as far as this crawl was told."""
        return any(site.is_own(url) and site.is_own(other) for site in self.sites.values())

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

    def _refreshed(self, response: Response, target: str | None) -> Request | None:
        """Return the request to which a page's refresh leads, as a redirect would; None where it leads nowhere new."""
        request = response.request
        if target is None or request is None:
            return None
        earlier = [*request.meta.get("redirect_urls", ()), response.url]
        if len(earlier) > self.settings.getint("REDIRECT_MAX_TIMES") or target in earlier:
            self._count("webmain/refresh_ended")
            return None
        self._count("webmain/refreshed")
        meta = {"redirect_urls": earlier, "redirect_times": len(earlier)}
        return request.replace(url=target, meta={**request.meta, **meta})

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
        self.logger.log(level, "%s: the front page can not be fetched: %s", here.name, failure.value)
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
        self.sources[site.name].add_sitemaps(SitemapChild(url=url) for url in named)
        self._count(f"webmain/read/{source.kind}")
        self._ask_next(site)
        return True

    async def parse_source(self, response: Response, site: str, source: Source) -> None:
        """Read robots.txt, a feed or a sitemap."""
        here, sources = self.sites[site], self.sources[site]
        try:
            if source.kind is SourceKind.ROBOTS:
                text = response.body[: 500 * 1024].decode("utf-8", "replace")
                sources.add_sitemaps(SitemapChild(url=url) for url in sitemaps_from_robots(text, url=response.url))
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
                while len(here) < _JUDGED_AT_ONCE and here.backlog and self._is_running():
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

    # ---- The frontier

    async def _take(self, site: Site, found: Iterable[tuple[str, Hints | None]], where: Where) -> None:
        """Take over the addresses of a feed or sitemap, leaving room for other work in between."""
        entries = iter(found)
        while chunk := list(islice(entries, _CHUNK)):
            self._wait_for(site, site.sift(chunk, where))
            await asyncio.sleep(0)

    async def _keep(self, site: Site, entries: Sequence[SitemapEntry]) -> None:
        """Keep the addresses of a piece of a sitemap: news are judged at once, others when they are the newest that wait."""
        room = max(0, _JUDGED_AT_ONCE - len(site))
        news = [(entry.url, entry.hints) for entry in entries if entry.hints.source != "sitemap"][:room]
        await self._take(site, news, Where.SITEMAP)
        taken = {url for url, _ in news}
        left = [entry for entry in entries if entry.url not in taken and site.is_own(entry.url)]
        settled = self.memory.settled([entry.url for entry in left])
        for entry in left:
            if entry.url in settled:
                site.fold(entry.url)
                site.n_known += 1
            else:
                site.backlog.add(entry.url, entry.hints)
        self._count("webmain/known", len(settled))
        self._count("webmain/skipped/offsite", len(entries) - len(taken) - len(left))
        await asyncio.sleep(0)

    def _judge(self, site: Site) -> None:
        """Judge the newest of the addresses that were only kept."""
        self._wait_for(site, site.sift(site.backlog.take(_CHUNK), Where.SITEMAP))

    def _is_running(self) -> bool:
        engine = self.crawler.engine
        slot = getattr(engine, "_slot", None)
        return engine is not None and engine.running and not (slot is not None and slot.closing)

    def _wait_for(self, site: Site, candidates: Iterable[Candidate]) -> int:
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
            self._count("webmain/known", len(known))
            self._count("webmain/waiting_for_retry", verdict.n_waiting)
            freed = [site.note_fruitful(url, is_article=True) for url in sorted(stored)]
            candidates = [candidate for each in freed for candidate in each]
        self._count_skipped(site)
        return n_new

    def _feed(self, site: Site) -> None:
        """Keep a few requests for the site's best pages on their way."""
        name = site.name
        if name in self._asking and not self.sources[name].is_settled:
            return
        while self._in_flight[name] < self._ahead and not self._is_spent():
            if site.is_backlog_due():
                if not self._is_running():
                    return
                self._judge(site)
                asyncio.get_running_loop().call_soon(self._feed, site)  # other work comes in between
                break
            candidate = site.next()
            if candidate is None:
                break
            self._in_flight[name] += 1
            self._n_pages += 1
            request = Request(
                candidate.url,
                callback=self.parse_page,
                errback=self.page_failed,
                cb_kwargs={"candidate": candidate},
                dont_filter=True,  # the frontier gives each address once
                meta={"probe": True} if candidate.is_hub else None,
            )
            self._send(request)
        self._count_skipped(site)

    def _send(self, request: Request) -> None:
        """Schedule a request without the depth and the referrer of the page that happened to be read last."""
        engine = self.crawler.engine
        if engine is not None and engine.spider is not None:
            engine.crawl(request)

    def _is_spent(self) -> bool:
        return self.max_pages is not None and self._n_pages >= self.max_pages

    def continue_when_idle(self, spider: Spider) -> None:
        """Go on where requests were lost on their way and pages still wait."""
        if spider is not self:
            return
        before = self._n_pages
        self._asking.clear()
        for site in self.sites.values():
            self._in_flight[site.name] = 0
            self._feed(site)
        if self._n_pages > before or (not self._is_spent() and any(site.backlog for site in self.sites.values())):
            raise DontCloseSpider

    # ---- Pages

    async def parse_page(self, response: Response, candidate: Candidate) -> AsyncIterator[Any]:
        """Look at a page once: an article is yielded, a hub's links are followed."""
        site = self.sites[candidate.site]
        article = None
        try:
            with stages.errors_as_rejections(candidate.url, passing=(PoolClosed,)):
                article = await self._article(response, candidate, site)
        except Rejected as rejected:
            self._reject(candidate, rejected.reason, rejected.detail)
        except PoolClosed:
            self.logger.debug("%s stays pending: the crawl is being closed", candidate.url)
        finally:
            self._release(site)
        if article is not None:
            yield article

    async def _article(self, response: Response, candidate: Candidate, site: Site) -> Page | None:
        """Return the page as an article with all its parts, or follow it as a hub and return None."""
        hints = site.hints(candidate.url)
        page = page_of(response, hints=hints)
        url = page.url or response.url
        if url != candidate.url and not self._moved(candidate, url, site):
            return None
        seen = await self.workers.look(page)
        if further := self._refreshed(response, seen.head.refresh):
            self._go_on(further, candidate, site, hints)
            return None
        links = site.article_links(seen.links, url)
        teased = site.teased(seen.teasers, (url, seen.head.canonical))
        is_front = url == site.front or (urlsplit(url).path in ("", "/") and not urlsplit(url).query)
        evidence = evidence_of(
            seen,
            site.judge(url),
            hints=hints,
            n_article_links=len(links),
            n_teasers=len(teased),
            teaser_chars=sum(teased.values()),
            is_front_page=is_front,
            furniture=site.furniture,
        )
        judged = judge_page(evidence)
        reason, is_article = judged.reason, judged.is_article
        if seen.with_feeds_text and not is_front:
            reason, is_article = f"a feed holds the whole text; {judged.reason}", True
            page = replace(page, html=seen.with_feeds_text, body=None)
        site.note_page(candidate.url, is_article=is_article, is_named=hints is not None)
        if not is_article:
            self._read_list(site, seen, candidate, is_list=site.is_new_list(links.union(teased)), why=judged.reason)
            return None
        if candidate.is_hub:
            self._wait_for(site, site.note_fruitful(candidate.url, is_article=True))
        hints = self._fold(seen, candidate, site, hints)
        if site.is_repeated(seen.text_hash):
            raise Rejected(Reason.DUPLICATE, "its text was read already, under another address", url=url)
        parts = await fetch_parts(self.crawler, self.workers, seen, site)
        if candidate.depth <= site.limits.link_depth:
            self._follow(site, seen, Where.ARTICLE, depth=candidate.depth)
        return replace(page, hints=hints, parts=parts, article_reason=reason)

    def _go_on(self, further: Request, candidate: Candidate, site: Site, hints: Hints | None) -> None:
        """Ask for the page to which a page's refresh leads, where it is worth reading."""
        url = normalise(further.url) or further.url
        if not self._moved(candidate, url, site):
            return
        if hints:
            site.note_hints(url, hints)
        self._in_flight[site.name] += 1
        self._send(further.replace(cb_kwargs={"candidate": replace(candidate, url=url)}))

    def _read_list(self, site: Site, seen: Look, candidate: Candidate, *, is_list: bool, why: str) -> None:
        """Follow the links of a page that is no article.

        Raises
        ------
        Rejected
            `NOT_ARTICLE` where it is no list either.
        """
        url = seen.url or candidate.url
        if candidate.is_hub or is_list:
            site.note_list(url)
        n_new = 0
        if candidate.is_hub or candidate.depth <= site.limits.hub_depth:
            n_new = self._follow(site, seen, Where.HUB, depth=candidate.depth)
        if candidate.is_hub and n_new:
            self._wait_for(site, site.note_fruitful(candidate.url, is_article=False))
        if not (candidate.is_hub or is_list):
            raise Rejected(Reason.NOT_ARTICLE, why, url=url)
        self._count("webmain/hubs")
        self.memory.settle(candidate, LIST)

    def _moved(self, candidate: Candidate, url: str, site: Site) -> bool:
        """Whether the page to which a request was redirected is worth reading."""
        if not site.is_own(url):
            self._count("webmain/skipped/offsite")
            self.logger.info("%s leads off the site to %s", candidate.url, url)
            self.memory.settle(candidate, "offsite")
            return False
        self.memory.alias(candidate, url)
        if site.is_gone(url):
            reason = Reason.NOT_ARTICLE if url == site.front else Reason.DUPLICATE
            self._reject(candidate, reason, f"it leads to {url}")
            return False
        site.fold(url)
        if not candidate.is_hub and self.memory.is_known(url):
            self._count("webmain/known")
            self.memory.settle(candidate, "moved")
            return False
        return True

    def _fold(self, seen: Look, candidate: Candidate, site: Site, hints: Hints | None) -> Hints | None:
        """Make one of a page's addresses: its canonical one is not fetched as well; return all hints.

        Raises
        ------
        Rejected
            `DUPLICATE` where the canonical page was fetched already, or will be instead of its AMP form.
        """
        url = seen.url or candidate.url
        canonical = seen.head.canonical
        if canonical is None or canonical == url or not site.is_own(canonical) or canonical == site.front:
            return hints
        if site.judge(canonical).kind in (UrlKind.HUB, UrlKind.IGNORE) and site.judge(url).kind is UrlKind.ARTICLE:
            return hints  # every page of some sites names the front page or a section
        self.memory.alias(candidate, canonical)
        if site.is_gone(canonical):
            raise Rejected(Reason.DUPLICATE, f"the same as {canonical}", url=url)
        if seen.head.is_amp or amp_to_canonical_guess(url) != url:
            self._wait_for(site, site.sift([(canonical, hints)], Where.FEED if hints else Where.FRONT))
            if site.is_waiting(canonical):
                raise Rejected(Reason.DUPLICATE, f"the AMP form of {canonical}", url=url)
        if self.memory.is_known(canonical):
            raise Rejected(Reason.DUPLICATE, f"the same as {canonical}, known from an earlier run", url=url)
        more = site.fold(canonical)
        return hints or more

    def _follow(self, site: Site, seen: Look, where: Where, *, depth: int) -> int:
        """Take over the links, the feeds and the next page of a page; return how many articles are new."""
        if where is not Where.ARTICLE:
            site.note_furniture(seen.furniture)
        if where is not Where.ARTICLE or not site.has_sources:
            self.sources[site.name].add_feeds(seen.feeds)
        n_new = self._wait_for(site, site.sift(((url, None) for url in seen.followed), where, depth=depth))
        following = None if where is Where.ARTICLE else next_listing(seen.url, seen.pager, seen.head.rel_next)
        if following:
            self._wait_for(site, site.sift([(following, None)], Where.NEXT, depth=max(0, depth - 1)))
        return n_new

    def page_failed(self, failure: Failure) -> None:
        """Go on after a page that could not be fetched; the middlewares have counted it and told the ledger."""
        request: Request = failure.request  # type: ignore[attr-defined]
        candidate: Candidate = request.cb_kwargs["candidate"]
        if not is_answer(failure.value):
            self._n_pages -= 1  # nothing was downloaded
        if candidate.is_hub:
            self._count("webmain/hubs_failed")
            self.logger.info("no hub at %s: %s", candidate.url, failure.value)
        self._release(self.sites[candidate.site])

    # ---- Counting

    def _release(self, site: Site) -> None:
        """Go on to the next page, or to the next source where one is to be asked for."""
        self._in_flight[site.name] -= 1
        self._feed(site)
        if site.name not in self._asking:
            self._ask_next(site)

    def _reject(self, candidate: Candidate, reason: Reason, detail: str) -> None:
        """Count, log and pass on that a page gives no article; of hubs none was expected."""
        if candidate.is_hub:
            self._count(f"webmain/hubs_rejected/{reason}")
        else:
            tell_rejected(self.crawler, Rejected(reason, detail, url=candidate.url))

    def _count(self, name: str, n: int = 1) -> None:
        if n and self.crawler.stats is not None:
            self.crawler.stats.inc_value(name, n)

    def _count_skipped(self, site: Site) -> None:
        for reason, n in site.take_skipped().items():
            self._count(f"webmain/skipped/{reason}", n)


def _defaults() -> Iterator[int]:
    """Yield the default of each limit, in order."""
    limits = Limits()
    return (getattr(limits, field) for field in Limits.__dataclass_fields__)


def _leads_away(site: str, other: str) -> str:
    """Say that a front page is another site's, and what to do about it."""
    return (
        f"{site}: its front page leads to {other}, another site, which is not crawled for it; if both are one site, give"
        f" -a site={site}={other}, and to crawl the other alone -a site={other}"
    )
