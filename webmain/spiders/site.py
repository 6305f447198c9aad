"""One site in a crawl: what of it has been seen, and what to fetch next. Plain state, without Scrapy."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from webmain.discovery.articles import LATER_PART, UrlJudgement, UrlKind, judge_url
from webmain.discovery.frontier import UNDATED, newest_key
from webmain.discovery.pagination import stems
from webmain.items import Hints
from webmain.spiders.addresses import PathFilter, is_personal, patterns, whole_pages, without_referrer
from webmain.spiders.queues import (
    MAX_REMEMBERED,
    PRESUMED_AGE_S,
    Backlog,
    Candidate,
    Hubs,
    Limits,
    Seen,
    Where,
    hub_age_s,
    remember,
    richer,
)
from webmain.spiders.sources import Sources
from webmain.urls import normalise, site_key

MIN_LIST_LINKS: Final = 2
"""A page that is no article and has so many links to articles is a list."""

_UNNAMED_SHARE: Final = 0.1
"""Where so much of the articles was found by links alone, the sources are not complete."""

_DOUBTFUL_HUB_SCORE: Final = 0.15
"""From here a hub's address only lacks an article's signs (`/city/story-31`): the page decides."""

_NAMED: Final = (Where.SITEMAP, Where.FEED, Where.BEFORE)
"""Addresses from there are too many for a close look at each."""


class Site:
    """What has been seen of one site, and what waits.

    Parameters
    ----------
    start : str
        Address of its front page.
    paths : PathFilter
        What is wanted.
    since : datetime or None
        What is dated before it is left out, with a day's grace for zones.
    now : datetime or None
        The present.

    Attributes
    ----------
    name : str
        Its site key; that of the ledger, too.
    sources : Sources
        Where it names its articles.
    in_flight : int
        Its pages that were asked for and have not come.
    is_asking : bool
        One of its sources was asked for and has not come.
    skipped : Counter
        Addresses left out, by reason, since the caller last took them (`take_skipped`).
    backlog : Backlog
        Addresses of sitemaps that nobody has judged yet.
    n_known : int
        Articles that earlier crawls have stored.
    repeated : set of int
        Hashes of the texts on its hubs: teasers and banners, which make no article of another page.
    has_sources : bool
        Feeds or sitemaps name articles: of the links in articles only those are followed that look like articles.
    has_sitemap : bool
        A sitemap does, so that pages of tags and authors need not be walked, unless links lead to many others.
    """

    def __init__(
        self,
        start: str,
        *,
        limits: Limits | None = None,
        paths: PathFilter | None = None,
        since: datetime | None = None,
        now: datetime | None = None,
    ) -> None:
        self.start = self.front = start
        self.name = site_key(start)
        self.limits = limits or Limits()
        self.sources = Sources(max_feeds=self.limits.feeds, max_sitemaps=self.limits.sitemaps, since=since)
        self.in_flight = 0
        self.is_asking = False
        self.skipped: Counter[str] = Counter()
        self._keys = {self.name}
        self._paths = paths or PathFilter()
        self._now = now or datetime.now(UTC)
        self._oldest = (since - timedelta(days=1)).timestamp() if since else UNDATED
        self._links: dict[str, Seen | None] = {}
        self._heap: list[tuple[float, int, Candidate]] = []
        self._count = 0
        self._queued: dict[str, float] = {}  # normalised address -> its best key
        self._gone: set[str] = set()  # fetched, folded into another, or given up
        self._hints: dict[str, Hints] = {}
        self.backlog = Backlog(self.limits.frontier, self.skipped)
        self.repeated: set[int] = set()
        self.has_sources = self.has_sitemap = False
        self._articles: set[bytes] = set()
        self._lists: set[str] = set()  # what turned out to be lists, and their stems
        self._link_sets: set[int] = set()
        self._unnamed = self.n_known = 0
        self._hubs = Hubs(self.limits, self.skipped)
        self._hits: Counter[str] = Counter()
        self._misses: Counter[str] = Counter()

    def __len__(self) -> int:
        """Addresses that wait."""
        return len(self._queued)

    # ---- The site's own addresses

    def add_alias(self, url: str) -> None:
        """Take the domain of an address, to which the front page leads, for the site's own."""
        self._keys.add(site_key(url))

    def is_own(self, url: str) -> bool:
        """Return True if an address lies within the site."""
        return site_key(url) in self._keys

    def judge(self, url: str) -> UrlJudgement:
        """Judge a normalised address, from memory where it was judged before."""
        seen = self._look_up(url)
        return seen.judgement if seen else judge_url(url)

    def _look_up(self, raw: str) -> Seen | None:
        """Return normal form and judgement of a link; None where it leads off the site or is no address."""
        if raw in self._links:
            return self._links[raw]
        seen = None
        url = normalise(raw) if self.is_own(raw) else None
        if url is not None and url in self._links:
            seen = self._links[url]
        elif url is not None:
            url = without_referrer(url)
            seen = self._links.get(url) or Seen(url, judge_url(url))
        if len(self._links) >= MAX_REMEMBERED:
            self._links.clear()
        self._links[raw] = seen
        if seen is not None:
            self._links.setdefault(seen.url, seen)
        return seen

    def article_links(self, urls: Iterable[str], own: str) -> frozenset[str]:
        """Return the different addresses of the site, other than a page's own, that look like articles."""
        found = (self._look_up(raw) for raw in urls)
        return frozenset(seen.url for seen in found if seen and seen.judgement.kind is UrlKind.ARTICLE) - {own}

    # ---- Finding

    def sift(self, found: Iterable[tuple[str, Hints | None]], where: Where, *, depth: int = 0) -> Iterator[Candidate]:
        """Yield what is worth fetching among addresses, each once a crawl; `push` those that are wanted.

        Parameters
        ----------
        found : iterable of (address, hints)
            Absolute.
        where : Where
        depth : int
            Steps from the front page to the page that links there.
        """
        batch: dict[str, float] = {}
        for raw, hints in found:
            seen = self._look_up(raw)
            if seen is None:
                if where in (Where.SITEMAP, Where.FEED):
                    self.skipped["offsite"] += 1
                continue
            url = seen.url
            if url in self._gone:
                continue
            if hints is not None:
                self.note_hints(url, hints)
            candidate = self._candidate(url, seen.judgement, where, depth)
            place = batch.get(url, self._queued.get(url))
            if candidate is None or (place is not None and candidate.newest <= place):
                continue
            wholes = () if candidate.is_hub else whole_pages(url)
            if any(whole in self._queued or whole in self._gone or whole in batch for whole in wholes):
                continue  # its AMP form or a later part of it: both are found from there
            batch[url] = candidate.newest
            yield candidate

    def _candidate(self, url: str, judgement: UrlJudgement, where: Where, depth: int) -> Candidate | None:
        """Decide what an address is taken for; None where it is left out."""
        kind = judgement.kind
        is_news = where in (Where.BEFORE, Where.FEED) or self._is_news(url)
        is_list = where is Where.NEXT or (url in self._lists if where in _NAMED else self.is_list(url))
        is_ignored = kind is UrlKind.IGNORE and not (is_list and judgement.reason == LATER_PART)
        if is_ignored or self._paths.excludes(url) or url == self.front:
            return None
        is_side_way = where is Where.ARTICLE and self.has_sources  # all else is named, or on the hubs
        if is_list or (kind is UrlKind.HUB and judgement.score < _DOUBTFUL_HUB_SCORE and not is_news):
            return None if is_side_way else self._hub(url, depth + 1)
        if is_side_way and not (kind is UrlKind.ARTICLE or self._balance(url) > 0):
            return None
        if not self._paths.includes(url):
            self.skipped["not_included"] += url not in self._queued
            return None
        newest = newest_key(url, self._hints.get(url), now=self._now)
        if UNDATED < newest < self._oldest:
            self._forget(url, "too_old")
            return None
        if newest == UNDATED < self._oldest and is_side_way:
            self.skipped["undated"] += url not in self._queued
            return None
        if newest == UNDATED and where in PRESUMED_AGE_S:
            newest = self._now.timestamp() - PRESUMED_AGE_S[where] * (1 if kind is UrlKind.ARTICLE else 3)
        return Candidate(url, self.name, False, depth + 1, newest)

    def _is_news(self, url: str) -> bool:
        hints = self._hints.get(url)
        return hints is not None and hints.source in ("feed", "news-sitemap")

    def _hub(self, url: str, depth: int) -> Candidate | None:
        """Take a hub where neither its depth nor its like are against it."""
        if url in self._queued or depth > self.limits.hub_depth or not self._hubs.take(url, depth):
            return None
        return Candidate(url, self.name, True, depth, self._now.timestamp() - hub_age_s(url, depth))

    def note_hints(self, url: str, hints: Hints) -> None:
        """Remember what a feed or sitemap said of an address."""
        known = self._hints.get(url)
        self._hints[url] = hints if known is None or known == hints else richer(known, hints)

    # ---- Waiting and fetching

    def push(self, candidate: Candidate) -> None:
        """Let a candidate wait for its turn."""
        self._queued[candidate.url] = candidate.newest
        self._count += 1
        heapq.heappush(self._heap, (-candidate.newest, self._count, candidate))
        if len(self._heap) > 2 * self.limits.frontier:
            self._prune()

    def _prune(self) -> None:
        """Drop the oldest of what waits."""
        current = [entry for entry in self._heap if self._is_current(entry[2])]
        self._heap = heapq.nsmallest(self.limits.frontier, current)
        kept = {entry[2].url for entry in self._heap}
        for url in [url for url in self._queued if url not in kept]:
            self._forget(url, "frontier_full")

    def _is_current(self, candidate: Candidate) -> bool:
        """Return True if a candidate still waits, and not in a better place."""
        return self._queued.get(candidate.url) == candidate.newest

    def next(self) -> Candidate | None:
        """Take what is to be fetched next; None where nothing waits."""
        while self._heap:
            _, _, candidate = heapq.heappop(self._heap)
            if not self._is_current(candidate):
                continue
            del self._queued[candidate.url]
            self._gone.add(candidate.url)
            if candidate.is_hub and self._names_all and is_personal(candidate.url):
                self.skipped["tags_and_authors"] += 1
            elif not candidate.is_hub and not self._is_news(candidate.url) and self._is_fruitless(candidate.url):
                self.skipped["fruitless"] += 1
            else:
                return candidate
        return None

    def is_backlog_due(self) -> bool:
        """Return True if the newest of what waits is among the addresses that are not judged yet."""
        if not self.backlog:
            return False
        while self._heap and not self._is_current(self._heap[0][2]):
            heapq.heappop(self._heap)
        return not self._heap or self.backlog.newest() > -self._heap[0][0]

    def hints(self, url: str) -> Hints | None:
        """Take what feeds and sitemaps said of an address."""
        return self._hints.pop(url, None)

    def peek_hints(self, url: str) -> Hints | None:
        """Return what feeds and sitemaps said of an address, and keep it."""
        return self._hints.get(url)

    def is_gone(self, url: str) -> bool:
        """Return True if an address was fetched or folded already."""
        return url in self._gone

    def is_waiting(self, url: str) -> bool:
        """Return True if an address will be fetched."""
        return url in self._queued

    def fold(self, url: str) -> Hints | None:
        """Take an address out: the page that was fetched is the same; what was said of it is returned."""
        self._gone.add(url)
        self._queued.pop(url, None)
        return self._hints.pop(url, None)

    def _forget(self, url: str, reason: str) -> None:
        self._queued.pop(url, None)
        self._hints.pop(url, None)
        self.skipped[reason] += 1

    # ---- Learning

    def note_repeated(self, hashes: Iterable[int]) -> None:
        """Remember the texts of a hub."""
        remember(self.repeated, hashes)

    def is_repeated(self, text_hash: bytes) -> bool:
        """Return True if an article with exactly these texts was read already, under another address."""
        is_known = text_hash in self._articles
        remember(self._articles, [text_hash])
        return is_known

    def note_page(self, url: str, *, is_article: bool, is_named: bool = True) -> None:
        """Learn whether the pages of a folder are articles, and whether sources name them."""
        (self._hits if is_article else self._misses)[patterns(url)[0]] += 1
        self._unnamed += is_article and not is_named

    @property
    def n_articles(self) -> int:
        """Articles found in this crawl and in earlier ones."""
        return self._hits.total() + self.n_known

    @property
    def _names_all(self) -> bool:
        return self.has_sitemap and self._unnamed <= _UNNAMED_SHARE * self.n_articles

    def _balance(self, url: str) -> int:
        """Return by how much the articles outnumber the other pages of an address's folder."""
        folder = patterns(url)[0]
        return self._hits[folder] - self._misses[folder]

    def _is_fruitless(self, url: str) -> bool:
        folder = patterns(url)[0]
        return not self._hits[folder] and self._misses[folder] >= self.limits.misses

    def is_promising(self, url: str) -> bool:
        """Return True if an address waits for its first time, in a folder that has not given more else than articles."""
        return url not in self._queued and self._balance(url) >= 0

    def is_new_list(self, links: frozenset[str]) -> bool:
        """Return True if no page was seen that links to exactly these articles: what is missing shows the same each time."""
        mark = hash(links)
        is_known = mark in self._link_sets
        remember(self._link_sets, [mark])
        return not is_known and len(links) >= MIN_LIST_LINKS

    def note_list(self, url: str) -> None:
        """Remember that a page is a list: so are the pages that are numbered after it."""
        remember(self._lists, {url, *stems(url)})

    def is_list(self, url: str) -> bool:
        """Return True if a page was seen to be a list, or is a numbered page of one."""
        return not self._lists.isdisjoint(stems(url))

    def note_fruitful(self, url: str, *, is_article: bool) -> list[Candidate]:
        """Learn that a hub led to new articles, or was one, so that it does not count against its like; return one."""
        self._hubs.credit(url, is_article=is_article)
        free = self._hubs.pop_free()
        candidate = self._hub(*free) if free and free[0] not in self._gone else None
        return [candidate] if candidate else []

    def teased(self, teasers: Mapping[str, int], own: Collection[str | None]) -> Mapping[str, int]:
        """Return the other pages that may be articles whose links head paragraphs, and the characters of these.

        Parameters
        ----------
        teasers : mapping of address to characters
            See `webmain.discovery.look.read_teasers`.
        own : collection of str
            The page's own addresses.
        """
        found: Counter[str] = Counter()
        paths = {urlsplit(url).path for url in own if url} - {"", "/"}  # the posts of a thread differ in their query
        for raw, n_chars in teasers.items():
            seen = self._look_up(raw)
            if seen is None or seen.judgement.kind not in (UrlKind.ARTICLE, UrlKind.UNKNOWN):
                continue
            if seen.url not in own and urlsplit(seen.url).path not in paths:
                found[seen.url] += n_chars
        return found

    def take_skipped(self) -> Counter[str]:
        """Return what was left out since the last call."""
        taken = Counter(self.skipped)
        self.skipped.clear()
        return taken
