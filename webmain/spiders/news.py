"""The spider `news`: finds a news site's articles, newest first, and reads their pages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider

from webmain import extraction as stages
from webmain.discovery.articles import UrlKind
from webmain.discovery.ledger import LIST
from webmain.discovery.page_evidence import evidence_of, judge_page
from webmain.items import Page, Reason, Rejected
from webmain.options import site_rules
from webmain.pool import PoolClosed
from webmain.signals import tell_rejected
from webmain.sites.rules import Sites
from webmain.spiders.answers import fetch_parts, is_answer, page_of
from webmain.spiders.arguments import read_news_arguments, with_settings
from webmain.spiders.intake import Intake
from webmain.spiders.memory import Memory
from webmain.spiders.queues import Candidate, Limits, Where
from webmain.spiders.site import Site
from webmain.spiders.source_reader import SourceReader
from webmain.urls import amp_to_canonical_guess, normalise
from webmain.workers import Workers

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from webmain.discovery.look import Look
    from webmain.items import Hints


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
    include, exclude : globs over paths, several separated by commas (see `arguments.PathFilter`). Articles are at
        included paths; nothing at all is fetched from excluded ones.
    keep : what beside running text is kept: `captions,links,images,comments,no-tables,no-lists` (see `webmain.Keep`).
    require : the kind of page that is wanted, `article` for one, `any` for all; by default only pages that are certainly no
        article are rejected (see docs/crawling.md).
    record : `.warc.gz` file to which everything fetched is recorded.
    skip_known : `false` fetches again what an earlier run has settled.
    learn : `false` judges each page by itself: no page waits for others of its site, and no model of a site is used or made.
    review_below : articles whose confidence is below this are listed for review (see docs/crawling.md).
    review_only : `true` keeps them out of the store, in one beside it.

    Settings
    --------
    WEBMAIN_MAX_HUBS, WEBMAIN_MAX_HUB_DEPTH, WEBMAIN_MAX_LINK_DEPTH, WEBMAIN_MAX_ALIKE, WEBMAIN_MAX_SIBLINGS,
    WEBMAIN_MAX_MISSES, WEBMAIN_MAX_PARTS, WEBMAIN_MAX_SITEMAPS, WEBMAIN_MAX_FEEDS, WEBMAIN_MAX_FRONTIER : see
    `queues.Limits`.

    Raises
    ------
    ArgumentError
        With everything that is wrong with the arguments.
    """

    name = "news"

    def __init__(self, name: str | None = None, **arguments: object) -> None:
        super().__init__(name)
        self.arguments = read_news_arguments(arguments)
        vars(self).update(self.arguments.options(), record=self.arguments.record)
        self.named_urls = (*self.arguments.sites, *(other for _, other in self.arguments.aliases))
        self.sites: dict[str, Site] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make the spider for a crawl; store and extractor may also be settings."""
        kwargs = with_settings(kwargs, crawler.settings)
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.continue_when_idle, signals.spider_idle)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Ask for each site's front page; what an earlier run left is taken up again."""
        self.open()
        rules = site_rules(self.crawler) or Sites()
        usual = Limits()
        limits = Limits(
            **{
                each.name: self.settings.getint(f"WEBMAIN_MAX_{each.name.upper()}", getattr(usual, each.name))
                for each in fields(Limits)
            }
        )
        for address in self.arguments.sites:
            site = Site(
                address,
                limits=limits,
                paths=self.arguments.paths.with_rules(rules.of(address)),
                since=self.arguments.since,
            )
            known = self.sites.setdefault(site.name, site)
            if known is not site:
                known.push(Candidate(address, known.name, is_hub=True, depth=1, newest=float("inf")))
                continue
            for _, other in (pair for pair in self.arguments.aliases if pair[0] == address):
                site.add_alias(other)
            site.n_known = self.memory.n_articles(site.name)
            for url in self.memory.lists(site.name):
                site.note_list(url)
            for url, hints in self.memory.left_over(site.name):
                for candidate in site.sift([(url, hints)], Where.BEFORE):
                    site.push(candidate)
            yield self.reader.front_request(site, address)

    def open(self) -> None:
        """Make what the spider works with."""
        self.memory = Memory.of(self)
        self.workers = Workers.of(self.crawler)
        self.intake = Intake(self.crawler, self.memory, self.arguments.max_pages)
        self.reader = SourceReader(self.crawler, self.workers, self.intake, self._fetch)
        self._ahead = max(_REQUESTS_AHEAD, 2 * self.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"))

    def is_one_site(self, url: str, other: str) -> bool:
        """Return True if two addresses are of one site, as far as this crawl knows."""
        return any(site.is_own(url) and site.is_own(other) for site in self.sites.values())

    # ---- Requests for pages

    def _fetch(self, site: Site) -> None:
        """Keep a few requests for the site's best pages on their way."""
        if site.is_asking and not site.sources.is_settled:
            return
        while site.in_flight < self._ahead and not self.intake.is_spent():
            if site.is_backlog_due():
                if not self.intake.is_running():
                    return
                self.intake.judge(site)
                asyncio.get_running_loop().call_soon(self._fetch, site)  # other work comes in between
                break
            candidate = site.next()
            if candidate is None:
                break
            site.in_flight += 1
            self.intake.n_pages += 1
            request = Request(
                candidate.url,
                callback=self.parse_page,
                errback=self.page_failed,
                cb_kwargs={"candidate": candidate},
                dont_filter=True,  # the frontier gives each address once
                meta={"probe": True} if candidate.is_hub else None,
            )
            self.intake.send(request)
        self.intake.count_skipped(site)

    def continue_when_idle(self, spider: Spider) -> None:
        """Go on where requests were lost on their way and pages still wait."""
        if spider is not self:
            return
        before = self.intake.n_pages
        for site in self.sites.values():
            site.is_asking = False
            site.in_flight = 0
            self._fetch(site)
        is_left = not self.intake.is_spent() and any(site.backlog for site in self.sites.values())
        if self.intake.n_pages > before or is_left:
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
        if further := self.intake.refreshed(response, seen.head.refresh):
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
            teased=teased,
            is_front_page=is_front,
            repeated=site.repeated,
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
            self.intake.wait_for(site, site.note_fruitful(candidate.url, is_article=True))
        hints = self._fold(seen, candidate, site, hints)
        if site.is_repeated(seen.text_hash):
            raise Rejected(Reason.DUPLICATE, "its text was read already, under another address", url=url)
        parts = await fetch_parts(self.crawler, self.workers, seen, site)
        if candidate.depth <= site.limits.link_depth:
            self.intake.follow(site, seen, Where.ARTICLE, depth=candidate.depth)
        return replace(page, hints=hints, parts=parts, article_reason=reason)

    def _go_on(self, further: Request, candidate: Candidate, site: Site, hints: Hints | None) -> None:
        """Ask for the page to which a page's refresh leads, where it is worth reading."""
        url = normalise(further.url) or further.url
        if not self._moved(candidate, url, site):
            return
        if hints:
            site.note_hints(url, hints)
        site.in_flight += 1
        self.intake.send(further.replace(cb_kwargs={"candidate": replace(candidate, url=url)}))

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
            n_new = self.intake.follow(site, seen, Where.HUB, depth=candidate.depth)
        if candidate.is_hub and n_new:
            self.intake.wait_for(site, site.note_fruitful(candidate.url, is_article=False))
        if not (candidate.is_hub or is_list):
            raise Rejected(Reason.NOT_ARTICLE, why, url=url)
        self.intake.count("webmain/hubs")
        self.memory.settle(candidate, LIST)

    def _moved(self, candidate: Candidate, url: str, site: Site) -> bool:
        """Whether the page to which a request was redirected is worth reading."""
        if not site.is_own(url):
            self.intake.count("webmain/skipped/offsite")
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
            self.intake.count("webmain/known")
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
            self.intake.wait_for(site, site.sift([(canonical, hints)], Where.FEED if hints else Where.FRONT))
            if site.is_waiting(canonical):
                raise Rejected(Reason.DUPLICATE, f"the AMP form of {canonical}", url=url)
        if self.memory.is_known(canonical):
            raise Rejected(Reason.DUPLICATE, f"the same as {canonical}, known from an earlier run", url=url)
        more = site.fold(canonical)
        return hints or more

    def page_failed(self, failure: Failure) -> None:
        """Go on after a page that could not be fetched; the middlewares have counted it and noted it in the ledger."""
        request: Request = failure.request  # type: ignore[attr-defined]
        candidate: Candidate = request.cb_kwargs["candidate"]
        if not is_answer(failure.value):
            self.intake.n_pages -= 1  # nothing was downloaded
        if candidate.is_hub:
            self.intake.count("webmain/hubs_failed")
            self.logger.info("no hub at %s: %s", candidate.url, failure.value)
        self._release(self.sites[candidate.site])

    # ---- Counting

    def _release(self, site: Site) -> None:
        """Go on to the next page, or to the next source where one is to be asked for."""
        site.in_flight -= 1
        self._fetch(site)
        if not site.is_asking:
            self.reader.ask_next(site)

    def _reject(self, candidate: Candidate, reason: Reason, detail: str) -> None:
        """Count, log and pass on that a page gives no article; of hubs none was expected."""
        if candidate.is_hub:
            self.intake.count(f"webmain/hubs_rejected/{reason}")
        else:
            tell_rejected(self.crawler, Rejected(reason, detail, url=candidate.url))
