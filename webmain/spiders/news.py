"""The spider `news`: finds a news site's articles, newest first, and reads their pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import astuple, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Self

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.spidermiddlewares.httperror import HttpError

from webmain.crawl.browsing import Browsing
from webmain.crawl.known_urls import KnownUrls
from webmain.crawl.options import refresh_of, site_rules
from webmain.crawl.signals import send_rejected
from webmain.discovery.articles import UrlKind
from webmain.discovery.frontier import DateRange
from webmain.discovery.missing import MISSING
from webmain.items import Page, Reason, Rejected
from webmain.ledger.ledger import LIST
from webmain.spiders.answers import attempt, judge_at, page_of, whole_article
from webmain.spiders.arguments import read_news_arguments, with_settings
from webmain.spiders.candidates import Candidate, FoundOn
from webmain.spiders.enqueuer import Enqueuer
from webmain.spiders.history import MAX_LEFT_OVER, CrawlHistory
from webmain.spiders.limits import MAX_WAITING, share, site_limits, widen_limits
from webmain.spiders.revisits import Revisits
from webmain.spiders.site import COVERAGE_DAYS, Site
from webmain.spiders.source_reader import SourceReader
from webmain.urls import amp_to_canonical_guess, normalise, site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from webmain.discovery.page_summary import PageSummary
    from webmain.items import Hints


_REQUESTS_AHEAD: Final = 4


class NewsSpider(Spider):
    """Crawl news sites: `scrapy crawl news -a site=bbc.com -a store=sqlite:bbc.db -a since=3d`.

    Arguments
    ---------
    site : domains or addresses, several separated by commas. An address is used as the front page; `old.com=new.com` is
        one site with two domains.
    sites : a file with one domain or address per line; `#` starts a comment.
    extractor : name, with options: `pab`, `line_block:decision=sigma`, `package.module:Class`.
    store : `jsonl:PATH` or `sqlite:PATH`, several separated by commas; `jsonl:output/articles.jsonl` by default.
    max_pages : total articles and hubs to download; the further parts of an article count as part of it.
    max_articles : total articles to store.
    since, until : only articles published in this period: `2026-11-20` (that whole day), `3d`, `12h`, `2w`.
    undated : `reject` rejects articles without a date, `keep` keeps them.
    language : only articles in this language (ISO 639-1).
    section : only articles whose page names one of these sections, several separated by commas.
    site_pages, site_time, site_bytes : limits for each site: `200`, `30m`, `50MB`.
    include, exclude : globs over paths, several separated by commas (see `arguments.PathFilter`). Articles are at
        included paths; nothing at all is fetched from excluded ones.
    keep : what is kept besides running text: `captions,links,images,comments,no-tables,no-lists` (see `webmain.Keep`).
    require : the kind of page that is wanted, such as `article`, or `any` for all; by default only pages that are
        certainly no article are rejected (see docs/crawling.md).
    record : `.warc.gz` file to which everything fetched is recorded.
    render : which pages a browser draws: `auto` (those with hardly any text without scripts), `always`, `never`.
    skip_known : `false` fetches addresses again that an earlier run has settled.
    learn : `false` judges each page on its own: pages do not wait for others of their site; no site model is used or made.
    respect : `optouts` rejects pages that opt out of reuse (noindex, reserved text and data mining, no machine learning).
    review_below : articles whose confidence is below this are listed for review (see docs/crawling.md).
    refresh : ages after publication at which an article is revisited, `1h,3h,6h,12h,1d,3d,10d`; `no` for never.
    review_only : `true` puts those articles into a separate store instead of the main one.

    Settings
    --------
    WEBMAIN_MAX_HUBS, WEBMAIN_MAX_HUB_DEPTH, WEBMAIN_MAX_LINK_DEPTH, WEBMAIN_MAX_ALIKE, WEBMAIN_MAX_SIBLINGS,
    WEBMAIN_MAX_MISSES, WEBMAIN_MAX_PARTS, WEBMAIN_MAX_SITEMAPS, WEBMAIN_MAX_FEEDS, WEBMAIN_MAX_FRONTIER : see
    `limits.Limits`.

    Raises
    ------
    ArgumentError
        Lists everything that is wrong with the arguments.
    """

    name = "news"

    def __init__(self, name: str | None = None, **arguments: object) -> None:
        super().__init__(name)
        self.arguments = read_news_arguments(arguments)
        vars(self).update(self.arguments.options())
        self.named_urls = (*self.arguments.sites, *(other for _, other in self.arguments.aliases))
        self.sites: dict[str, Site] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Create the spider for a crawl; store and extractor may also come from settings."""
        kwargs = with_settings(kwargs, crawler.settings)
        spider = super().from_crawler(crawler, *args, **kwargs)
        widen_limits(crawler.settings, len(spider.arguments.sites))
        crawler.signals.connect(spider.continue_when_idle, signals.spider_idle)
        crawler.signals.connect(spider.report_coverage, signals.spider_closed)
        crawler.signals.connect(spider.record_response, signals.response_downloaded)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Request each site's front page, after queueing what earlier runs left over."""
        self.open()
        rules = site_rules(self.crawler)
        n_sites = len(self.arguments.sites)
        limits = site_limits(self.settings, n_sites)
        for address in self.arguments.sites:
            site = Site(
                address,
                limits=limits,
                paths=self.arguments.paths.with_rules(own := rules.of(address)),
                budget=own.budget.or_else(self.arguments.budget) if own else self.arguments.budget,
                date_range=DateRange(self.arguments.since, self.arguments.until),
            )
            known = self.sites.setdefault(site.name, site)
            if known is not site:
                known.push(Candidate(address, known.name, is_hub=True, depth=1, newest=float("inf")))
                continue
            for _, other in (pair for pair in self.arguments.aliases if pair[0] == address):
                site.add_alias(other)
            for url in self.history.lists(site.name):
                site.add_list(url)
            left_over = self.history.leftover_urls(site.name, share(MAX_LEFT_OVER, MAX_WAITING // 5, n_sites))
            counts = self.history.counts(site.name)
            site.n_known = counts.articles
            site.n_uncounted = sum(astuple(counts)) - counts.pending
            for candidate in site.candidates_from(left_over, FoundOn.LEDGER):
                site.push(candidate)
            yield self.reader.front_request(site, address)

    def open(self) -> None:
        """Create the objects that the spider works with."""
        self.history = CrawlHistory(self.crawler.get_extension(KnownUrls))
        self.browsing = Browsing.of(self.crawler)
        self.enqueuer = Enqueuer(self.crawler, self.history, self.arguments.max_pages)
        self.revisits = Revisits(self.crawler, self.enqueuer, refresh_of(self.crawler), self._release)
        self.enqueuer.on_claims = self.revisits.add_claims
        self.reader = SourceReader(self.crawler, self.enqueuer, self._fetch)
        self._ahead = max(_REQUESTS_AHEAD, 2 * self.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))

    def is_one_site(self, url: str, other: str) -> bool:
        """Return True if two addresses belong to one site, as far as this crawl knows."""
        return any(site.is_own(url) and site.is_own(other) for site in self.sites.values())

    async def has_moved(self, old: str, new: str) -> bool:
        """Return True if an address, requested again, leads to another one of the same site."""
        return self.is_one_site(old, new) and await self.revisits.has_moved(old, new)

    # ---- Requests for pages

    def _fetch(self, site: Site) -> None:
        """Keep a few requests for the site's best pages active."""
        if site.is_left_alone or (site.is_fetching_source and not site.sources.is_settled):
            return
        while site.in_flight < self._ahead and not self.enqueuer.is_finished(site):
            if site.is_backlog_due():
                if not self.enqueuer.is_running():
                    return
                self.enqueuer.judge_backlog(site)
                asyncio.get_running_loop().call_soon(self._fetch, site)  # other work runs in between
                break
            if (row := self.revisits.next(site)) is not None:
                self.revisits.visit(site, row)
                continue
            candidate = site.next()
            if candidate is None:
                break
            is_hub, depth = candidate.is_hub, candidate.depth
            if is_hub and self.enqueuer.take_fresh(site, candidate.url, FoundOn.HUB, depth=depth):
                continue
            options: dict[str, Any] = {"callback": self.parse_page, "errback": self.page_failed}
            options["cb_kwargs"] = {"candidate": candidate}
            if is_hub:
                request = self.enqueuer.probe(site, candidate.url, "hub", **options)
            else:  # the frontier returns each address once
                request = Request(candidate.url, dont_filter=True, **options)
            self.enqueuer.send_for(site, request)
        self.enqueuer.count_skipped(site)

    def continue_when_idle(self, spider: Spider) -> None:
        """Continue if requests were lost and pages still wait."""
        if spider is not self:
            return
        before = self.enqueuer.n_pages
        for site in self.sites.values():
            site.is_fetching_source = False
            site.in_flight = 0
            self._fetch(site)
        open_sites = (site for site in self.sites.values() if site.backlog and not site.is_left_alone)
        if self.enqueuer.n_pages > before or not all(map(self.enqueuer.is_finished, open_sites)):
            raise DontCloseSpider

    def report_coverage(self) -> None:
        """Report the estimated share of recent articles that were found."""
        for site in self.sites.values():
            if coverage := site.coverage():
                message = f"{site.name}: {coverage} articles of the last {COVERAGE_DAYS} days"
                self.crawler.stats.set_value(f"webmain/told/coverage/{site.name}", message)
                for name in ("n_found", "estimate", "low", "high"):
                    self.crawler.stats.set_value(f"webmain/coverage/{name}/{site.name}", round(getattr(coverage, name)))

    def record_response(self, response: Response) -> None:
        """Add a response of any kind, as received, to its site's spending."""
        site = self.sites.get(site_key(response.url))
        if site is not None:
            site.spending.add_response(len(response.body))

    # ---- Pages

    async def parse_page(self, response: Response, candidate: Candidate) -> AsyncIterator[Any]:
        """Read a page once: yield it if it is an article, follow its links if it is a hub."""
        site = self.sites[candidate.site]
        reading = self._article(response, candidate, site)
        try:
            article = await attempt(candidate.url, reading, partial(self._reject, candidate))
        finally:
            self._release(site)
        if article is not None:
            yield article

    async def _article(self, response: Response, candidate: Candidate, site: Site) -> Page | None:
        """Return the page with all its parts if it is an article; else follow its links and return None."""
        hints = site.pop_hints(candidate.url)
        page = page_of(response, hints=hints)
        url = page.url or response.url
        if url != candidate.url and not self._accepts_redirect(candidate, url, site):
            return None
        if candidate.is_hub and self.enqueuer.take_unchanged(site, response, FoundOn.HUB, depth=candidate.depth):
            self.enqueuer.count("webmain/hubs")
            return None
        page, summary = await self.browsing.summarise(page, response)
        if further := self.enqueuer.refresh_request(response, summary.head.refresh):
            self._follow_refresh(further, candidate, site, hints)
            return None
        found = judge_at(site, summary, url, hints)
        named, newest = hints is not None, candidate.newest
        texts = MISSING if summary.says_missing else summary.text_hash
        site.record_page(candidate.url, texts, is_article=found.is_article, is_named=named, newest=newest)
        if not found.is_article:
            is_list = site.is_new_list(found.links)
            self._read_list(site, summary, candidate, is_list=is_list, why=found.reason)
            if candidate.is_hub:
                self.enqueuer.save_page(site, response, "hub", summary)
            return None
        if candidate.is_hub:
            self.enqueuer.enqueue(site, site.credit_hub(candidate.url, is_article=True))
        hints = self._merge_canonical(summary, candidate, site, hints)
        if site.is_repeated(summary.text_hash):
            raise Rejected(Reason.DUPLICATE, "its text was read already, under another address", url=url)
        self.history.record_page(url, hints, summary)
        page = await whole_article(self.crawler, page, summary, site, found)
        if candidate.depth <= site.limits.link_depth:
            self.enqueuer.follow_links(site, summary, FoundOn.ARTICLE, depth=candidate.depth)
        return replace(page, hints=hints)

    def _follow_refresh(self, further: Request, candidate: Candidate, site: Site, hints: Hints | None) -> None:
        """Request the target of a page's refresh, if it is worth reading."""
        url = normalise(further.url) or further.url
        if not self._accepts_redirect(candidate, url, site):
            return
        if hints:
            site.add_hints(url, hints)
        site.in_flight += 1
        self.enqueuer.send(further.replace(cb_kwargs={"candidate": replace(candidate, url=url)}))

    def _read_list(self, site: Site, summary: PageSummary, candidate: Candidate, *, is_list: bool, why: str) -> None:
        """Follow the links of a page that is not an article.

        Raises
        ------
        Rejected
            `NOT_ARTICLE` if it is not a list either.
        """
        url = summary.url or candidate.url
        if candidate.is_hub or is_list:
            site.add_list(url)
        n_new = 0
        if candidate.is_hub or candidate.depth <= site.limits.hub_depth:
            n_new = self.enqueuer.follow_links(site, summary, FoundOn.HUB, depth=candidate.depth)
        if candidate.is_hub and n_new:
            self.enqueuer.enqueue(site, site.credit_hub(candidate.url, is_article=False))
        if not (candidate.is_hub or is_list):
            raise Rejected(Reason.NOT_ARTICLE, why, url=url)
        self.enqueuer.count("webmain/hubs")
        self.history.mark_done(candidate, LIST)

    def _accepts_redirect(self, candidate: Candidate, url: str, site: Site) -> bool:
        """Return True if the page to which a request was redirected is worth reading."""
        if not site.is_own(url):
            self.enqueuer.count("webmain/skipped/offsite")
            self.logger.info("%s leads off the site to %s", candidate.url, url)
            self.history.mark_done(candidate, "offsite")
            return False
        self.history.record_alias(candidate, url)
        if site.is_done(url):
            reason = Reason.NOT_ARTICLE if url == site.front else Reason.DUPLICATE
            self._reject(candidate, Rejected(reason, f"it leads to {url}"))
            return False
        site.mark_done(url)
        if not candidate.is_hub and self.history.is_known(url):
            self.enqueuer.count("webmain/known", site=site)
            self.history.mark_done(candidate, "moved")
            return False
        return True

    def _merge_canonical(
        self, page: PageSummary, candidate: Candidate, site: Site, hints: Hints | None
    ) -> Hints | None:
        """Merge a page's address with its canonical one, which is then not fetched as well; return all hints.

        Raises
        ------
        Rejected
            `DUPLICATE` if the canonical page was fetched already, or will be fetched instead of its AMP version.
        """
        url = page.url or candidate.url
        canonical = page.head.canonical
        if canonical is None or canonical == url or not site.is_own(canonical) or canonical == site.front:
            return hints
        if site.judge(canonical).kind in (UrlKind.HUB, UrlKind.IGNORE) and site.judge(url).kind is UrlKind.ARTICLE:
            return hints  # some sites set a section as the canonical URL
        self.history.record_alias(candidate, canonical)
        if site.is_done(canonical):
            raise Rejected(Reason.DUPLICATE, f"the same as {canonical}", url=url)
        if page.head.is_amp or amp_to_canonical_guess(url) != url:
            found_on = FoundOn.FEED if hints else FoundOn.FRONT
            self.enqueuer.enqueue(site, site.candidates_from([(canonical, hints)], found_on))
            if site.is_queued(canonical):
                raise Rejected(Reason.DUPLICATE, f"the AMP form of {canonical}", url=url)
        if self.history.is_known(canonical):
            raise Rejected(Reason.DUPLICATE, f"the same as {canonical}, known from an earlier run", url=url)
        more = site.mark_done(canonical)
        return hints or more

    def page_failed(self, failure: Failure) -> None:
        """Continue after a page that could not be fetched; the middlewares have counted and recorded it."""
        request: Request = failure.request  # type: ignore[attr-defined]
        candidate: Candidate = request.cb_kwargs["candidate"]
        site = self.sites[candidate.site]
        if not isinstance(failure.value, HttpError):  # nothing was downloaded
            self.enqueuer.count_page(site, -1)
        if candidate.is_hub:
            self.enqueuer.count("webmain/hubs_failed")
            self.logger.info("no hub at %s: %s", candidate.url, failure.value)
        self.reader.check_left_alone(site, failure)
        self._release(site)

    # ---- Counting

    def _release(self, site: Site) -> None:
        """Continue with the next page, or with the next source if one is to be fetched."""
        site.in_flight -= 1
        self._fetch(site)
        self.enqueuer.flush_responses(site)
        if not site.is_fetching_source:
            self.reader.fetch_next_source(site)

    def _reject(self, candidate: Candidate, rejected: Rejected) -> None:
        """Count and report a page without an article; for hubs, only count it, since no article was expected."""
        if candidate.is_hub:
            self.enqueuer.count(f"webmain/hubs_rejected/{rejected.reason}")
        else:
            send_rejected(self.crawler, Rejected(rejected.reason, rejected.detail, url=candidate.url))
