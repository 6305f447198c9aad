"""State of one site in a crawl: what was found and what to fetch next, without Scrapy."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from webmain import clock
from webmain.discovery.articles import A_DATE, ARCHIVE, LATER_PART, UrlJudgement, UrlKind
from webmain.discovery.coverage import Channel, Coverage, estimate_coverage
from webmain.discovery.frontier import UNDATED, DateRange, named_period, newest_key
from webmain.discovery.pagination import stems
from webmain.discovery.url_words import url_words
from webmain.items import Hints
from webmain.ledger.responses import Filters
from webmain.sites.budgets import Budget
from webmain.spiders.addresses import PathFilter, is_personal, is_repeating, patterns, whole_pages
from webmain.spiders.candidates import (
    PRESUMED_AGE_S,
    Candidate,
    FoundOn,
    Hubs,
    KnownLink,
    add_within_limit,
    hub_age_s,
)
from webmain.spiders.limits import Limits, Spending
from webmain.spiders.own_addresses import OwnAddresses
from webmain.spiders.site_frontier import SiteFrontier
from webmain.spiders.sources import Sources
from webmain.urls import site_key

COVERAGE_DAYS: Final = 30
_CHANNELS: Final = {
    FoundOn.FEED: Channel.FEED,
    FoundOn.SITEMAP: Channel.SITEMAP,
    **dict.fromkeys((FoundOn.FRONT, FoundOn.HUB, FoundOn.NEXT, FoundOn.ARTICLE), Channel.PAGES),
}

MISSING_A_MISS: Final = 10
"""This many missing pages count as one page that is no article: their folder may still contain articles."""

MIN_LINKS: Final = 1_000
"""Minimum number of a site's links that are remembered."""

MIN_LIST_LINKS: Final = 2
"""A page that is no article and has at least this many links to articles is a list."""

_UNNAMED_SHARE: Final = 0.1
"""If more than this share of the articles was found only by links, the sources are incomplete."""

_DOUBTFUL_HUB_SCORE: Final = 0.15
"""A hub's address with at least this score only lacks signs of an article (`/city/story-31`): the page decides."""

_NAMED: Final = (FoundOn.SITEMAP, FoundOn.FEED, FoundOn.LEDGER)
"""Sources with too many addresses to check each one closely."""


class Site(OwnAddresses, SiteFrontier):
    """The state of one site, and its frontier.

    Parameters
    ----------
    start : str
        Address of its front page.
    paths : PathFilter
        Which paths are wanted.
    budget : Budget or None
        The most that may be spent on it.
    date_range : DateRange or None
        The wanted period of publication; addresses that are certainly outside it are left out.
    now : datetime or None
        The current time.

    Attributes
    ----------
    name : str
        Its site key, also used in the ledger.
    sources : Sources
        Its feeds and sitemaps.
    spending : Spending
        Pages, time and bytes spent so far.
    in_flight : int
        Requests for its pages that have not been answered yet.
    is_fetching_source : bool
        A request for one of its sources has not been answered yet.
    is_left_alone : bool
        It refuses requests and is left alone for the rest of this run; waiting addresses stay pending.
    n_known : int
        Articles that earlier crawls stored.
    n_uncounted : int
        Addresses that earlier crawls settled and that this one has not counted as known yet.
    filters : Filters
        This run's filters; responses that were read with narrower filters are incomplete.
    repeated : set of int
        Hashes of the texts on its hubs, teasers and banners, which are no evidence that another page is an article.
    has_sources : bool
        Feeds or sitemaps list articles, so that links in articles are followed only if they look like articles.
    has_sitemap : bool
        A sitemap lists articles, so that pages of tags and authors are skipped unless links lead to many other articles.
    """

    def __init__(
        self,
        start: str,
        *,
        limits: Limits | None = None,
        paths: PathFilter | None = None,
        date_range: DateRange | None = None,
        budget: Budget | None = None,
        now: datetime | None = None,
    ) -> None:
        self.start = self.front = start
        self.limits = limits or Limits()
        OwnAddresses.__init__(self, site_key(start), max(MIN_LINKS, self.limits.remembered // 10))
        SiteFrontier.__init__(self, self.limits.frontier)
        self.date_range = date_range or DateRange()
        self.sources = Sources(
            max_feeds=self.limits.feeds, max_sitemaps=self.limits.sitemaps, date_range=self.date_range
        )
        self.spending = Spending(budget or Budget())
        self.in_flight = 0
        self.is_fetching_source = self.is_left_alone = False
        self._paths = paths or PathFilter()
        since, until = self.date_range.since, self.date_range.until
        self.filters = Filters(
            since=since.timestamp() if since else None, others=f"{self._paths} {until or ''}".strip()
        )
        self._now = now or clock.now()
        self.repeated: set[int] = set()
        self.has_sources = self.has_sitemap = False
        self._articles: set[bytes] = set()
        self._lists: set[str] = set()  # addresses of lists, and their stems
        self._link_sets: set[int] = set()
        self._unnamed = self.n_known = self.n_uncounted = 0
        self._hubs = Hubs(self.limits, self.skipped)
        self._hits: Counter[str] = Counter()
        self._misses: Counter[str] = Counter()
        self._missing: Counter[str] = Counter()  # pages of status 200 with the same texts as others
        self._others: set[bytes] = set()
        self._n_hits = 0
        self._channels: dict[int, int] = {}  # keyed by the hash of an address
        self._ages = array("d")  # when articles appeared, and the hashes of their addresses: 16 bytes each, not 140
        self._aged = array("q")

    # ---- Finding

    def candidates_from(
        self, found: Iterable[tuple[str, Hints | None]], found_on: FoundOn, *, depth: int = 0
    ) -> Iterator[Candidate]:
        """Yield the addresses that are worth fetching, each once per crawl; the caller has to `push` those it wants.

        Parameters
        ----------
        found : iterable of (address, hints)
            Absolute.
        found_on : FoundOn
        depth : int
            Steps from the front page to the page that links there.
        """
        batch: dict[str, float] = {}
        channel = int(_CHANNELS.get(found_on, 0))
        for raw, hints in found:
            link = self.judged_url(raw)
            if link is None:
                if found_on in (FoundOn.SITEMAP, FoundOn.FEED):
                    self.skipped["offsite"] += 1
                continue
            if found_on is FoundOn.ARTICLE and link.is_settled:
                continue
            url = link.url
            self._record_channel(hash(url), channel)
            if found_on is FoundOn.ARTICLE:
                link.is_settled = self._is_settled(link)
                if link.is_settled or self._queued.get(url, UNDATED) > UNDATED:
                    continue  # a link in an article cannot improve its place
            elif self.is_done(url):
                continue
            if hints is not None:
                self.add_hints(url, hints)
            candidate = self._candidate(url, link.judgement, found_on, depth)
            place = batch.get(url, self._queued.get(url))
            if candidate is None and place is None:
                self._hints.pop(url, None)
            if candidate is None or (place is not None and candidate.newest <= place):
                continue
            wholes = () if candidate.is_hub and "/print/" not in url else whole_pages(url)
            if any(whole in self._queued or self.is_done(whole) or whole in batch for whole in wholes):
                continue  # another view or a later part: both are found from the main page
            batch[url] = candidate.newest
            yield candidate

    def _is_settled(self, link: KnownLink) -> bool:
        """Return True if no link from an article will ever make a candidate of an address."""
        judged = link.judgement
        is_ignored = judged.kind is UrlKind.IGNORE and judged.reason != LATER_PART
        is_side_hub = self.has_sources and judged.kind is UrlKind.HUB and judged.score < _DOUBTFUL_HUB_SCORE
        return is_ignored or is_side_hub or self.is_done(link.url)

    def _candidate(self, url: str, judgement: UrlJudgement, found_on: FoundOn, depth: int) -> Candidate | None:
        """Return the candidate for an address; None if it is left out."""
        kind = judgement.kind
        is_side_way = found_on is FoundOn.ARTICLE and self.has_sources  # everything else is in sources or on hubs
        is_news = found_on in (FoundOn.LEDGER, FoundOn.FEED) or self._is_news(url)
        is_list = found_on is FoundOn.NEXT or (url in self._lists if found_on in _NAMED else self.is_list(url))
        is_goods = found_on is FoundOn.FEED and judgement.reason.removeprefix("below /") in url_words("shelves")
        is_ignored = kind is UrlKind.IGNORE and not (is_goods or (is_list and judgement.reason == LATER_PART))
        if is_ignored or self._paths.excludes(url) or url == self.front:
            return None
        if is_repeating(url):
            self.skipped["repeating"] += 1
            return None
        if is_list or (kind is UrlKind.HUB and judgement.score < _DOUBTFUL_HUB_SCORE and not is_news):
            return None if is_side_way or self._is_other_archive(url, judgement) else self._hub(url, depth + 1)
        if is_side_way and not (kind is UrlKind.ARTICLE or self._balance(url) > 0):
            return None
        if not self._paths.includes(url):
            self.skipped["not_included"] += url not in self._queued
            return None
        known = self._hints.get(url)
        newest = newest_key(url, known, now=self._now)
        if newest < self.date_range.oldest and self.date_range.is_too_old(url, known, now=self._now):
            self.drop(url, "too_old")
            return None
        if self.date_range.is_too_new(url, known):
            self.drop(url, "too_new")
            return None
        if newest == UNDATED < self.date_range.oldest and is_side_way:
            self.skipped["undated"] += url not in self._queued
            return None
        if newest == UNDATED and found_on in PRESUMED_AGE_S:
            newest = self._now.timestamp() - PRESUMED_AGE_S[found_on] * (1 if kind is UrlKind.ARTICLE else 3)
        return Candidate(url, self.name, False, depth + 1, newest)

    def _is_other_archive(self, url: str, judgement: UrlJudgement) -> bool:
        """Return True if an address is the archive of a year, month or day outside the wanted period."""
        is_archive = judgement.reason == ARCHIVE and self.date_range.excludes(named_period(url))
        self.skipped["other_period"] += is_archive
        return is_archive

    def allows_visit(self, url: str, published_at: float | None) -> bool:
        """Return True if the filters allow a revisit of a known article."""
        is_old = published_at is not None and published_at < self.date_range.oldest
        return self._paths.includes(url) and not is_old and not self.date_range.is_too_new(url, None)

    def _is_news(self, url: str) -> bool:
        hints = self._hints.get(url)
        return hints is not None and hints.source in ("feed", "news-sitemap")

    def _hub(self, url: str, depth: int) -> Candidate | None:
        """Return a candidate for a hub, unless it is too deep or there are too many similar ones."""
        if url in self._queued or depth > self.limits.hub_depth or not self._hubs.admit(url, depth):
            return None
        return Candidate(url, self.name, True, depth, self._now.timestamp() - hub_age_s(url, depth))

    def next(self) -> Candidate | None:
        """Remove and return the next candidate to fetch; None if nothing waits."""
        while candidate := self.pop():
            if candidate.is_hub and self._lists_nearly_all and is_personal(candidate.url):
                self.skipped["tags_and_authors"] += 1
            elif not candidate.is_hub and not self._is_news(candidate.url) and self._is_unproductive(candidate.url):
                self.skipped["fruitless"] += 1
            else:
                return candidate
        return None

    # ---- Learning

    def add_repeated(self, hashes: Iterable[int]) -> None:
        """Remember the texts of a hub."""
        add_within_limit(self.repeated, hashes, self.limits.remembered)

    def is_repeated(self, text_hash: bytes) -> bool:
        """Return True if an article with exactly these texts was already read under another address."""
        is_known = text_hash in self._articles
        add_within_limit(self._articles, [text_hash], self.limits.remembered)
        return is_known

    def record_page(
        self, url: str, text: bytes = b"", *, is_article: bool, is_named: bool = True, newest: float = UNDATED
    ) -> None:
        """Record whether a page of a folder is an article, and whether a source lists it.

        Parameters
        ----------
        text : bytes
            Hash of its texts: error pages with status 200 show the same texts each time, and say little about their folder.
        newest : float
            When the article appeared (`newest_key`).
        """
        counts = self._hits if is_article else self._misses
        if text and not is_article:
            judged = self.judge(url)
            is_missing = text in self._others and judged.kind is UrlKind.ARTICLE and judged.reason != A_DATE
            add_within_limit(self._others, [text], self.limits.remembered)
            counts = self._missing if is_missing else counts
            self.skipped["missing"] += is_missing
        counts[patterns(url)[0]] += 1
        if len(counts) > self.limits.remembered // 10:
            for folder, _ in counts.most_common()[len(counts) // 2 :]:
                del counts[folder]
        self._n_hits += is_article
        self._unnamed += is_article and not is_named
        if is_article and newest > UNDATED and len(self._ages) < self.limits.remembered:
            self._ages.append(newest)
            self._aged.append(hash(url))

    def _record_channel(self, key: int, channel: int) -> None:
        """Record the channel through which an address, by its hash, was found."""
        known = self._channels.get(key, 0)
        if known | channel != known and (known or len(self._channels) < self.limits.remembered):
            self._channels[key] = known | channel

    def coverage(self) -> Coverage | None:
        """Return an estimate of the number of recent articles; None if some still wait or there is too little data."""
        since = self._now.timestamp() - COVERAGE_DAYS * 24 * 3600
        oldest = max(since, self.date_range.oldest)
        if self.backlog.newest() >= oldest or any(newest >= oldest for newest in self._queued.values()):
            return None
        ages = dict(zip(self._aged, self._ages, strict=True))
        recent = ((age, Channel(self._channels.get(key, 0))) for key, age in ages.items() if age >= oldest)
        return estimate_coverage(recent)

    @property
    def n_articles(self) -> int:
        """Articles found in this crawl and in earlier ones."""
        return self._n_hits + self.n_known

    @property
    def _lists_nearly_all(self) -> bool:
        return self.has_sitemap and self._unnamed <= _UNNAMED_SHARE * self.n_articles

    def _balance(self, url: str) -> int:
        """Return the number of articles minus the number of other pages in an address's folder."""
        folder = patterns(url)[0]
        return self._hits[folder] - self._misses[folder]

    def _is_unproductive(self, url: str) -> bool:
        folder = patterns(url)[0]
        n_misses = self._misses[folder] + self._missing[folder] // MISSING_A_MISS
        return not self._hits[folder] and n_misses >= self.limits.misses

    def is_promising(self, url: str) -> bool:
        """Return True if an address is not queued yet, and its folder has no more other pages than articles."""
        return url not in self._queued and self._balance(url) >= 0

    def is_new_list(self, links: frozenset[str]) -> bool:
        """Return True if no earlier page links to exactly these articles (error pages repeat the same links)."""
        mark = hash(links)
        is_known = mark in self._link_sets
        add_within_limit(self._link_sets, [mark], self.limits.remembered)
        return not is_known and len(links) >= MIN_LIST_LINKS

    def add_list(self, url: str) -> None:
        """Remember that a page is a list, and so are its further numbered pages."""
        add_within_limit(self._lists, {url, *stems(url)}, self.limits.remembered)

    def is_list(self, url: str) -> bool:
        """Return True if a page is a known list, or a numbered page of one."""
        return not self._lists.isdisjoint(stems(url))

    def credit_hub(self, url: str, *, is_article: bool) -> list[Candidate]:
        """Stop counting a hub against similar ones, as it gave new articles or was one; return a hub that this allows."""
        self._hubs.credit(url, is_article=is_article)
        free = self._hubs.pop_admissible()
        candidate = self._hub(*free) if free and not self.is_done(free[0]) else None
        return [candidate] if candidate else []
