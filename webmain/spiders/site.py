"""One site in a crawl: what of it has been seen, and what to fetch next. Plain state, without Scrapy."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Final

from webmain.discovery.articles import LATER_PART, UrlJudgement, UrlKind, judge_url
from webmain.discovery.frontier import UNDATED, newest_key
from webmain.discovery.pagination import stems
from webmain.items import Hints
from webmain.spiders.addresses import is_personal, path_of, patterns, whole_pages, without_referrer
from webmain.spiders.arguments import PathFilter
from webmain.spiders.backlog import Backlog
from webmain.spiders.candidates import Candidate, Where
from webmain.spiders.hubs import Hubs
from webmain.spiders.limits import Limits
from webmain.urls import normalise, site_key

_DAY_S: Final = 24 * 3600.0
_MAX_REMEMBERED: Final = 200_000
MIN_LIST_LINKS: Final = 2
"""A page that is no article and has so many links to articles is a list."""

_UNNAMED_SHARE: Final = 0.1
"""Where so much of the articles was found by links alone, the sources are not complete."""

_DOUBTFUL_HUB_SCORE: Final = 0.15
"""From here a hub's address only lacks an article's signs (`/city/story-31`): the page must tell."""


_PRESUMED_AGE_S: Final = {Where.FRONT: _DAY_S, Where.HUB: 7 * _DAY_S, Where.ARTICLE: 30 * _DAY_S}
"""How old an article is taken to be that nothing dates, by where it is linked."""

_HUB_AGES_S: Final = (2 * _DAY_S, 2 * _DAY_S, 14 * _DAY_S, 60 * _DAY_S)
"""The place of hubs among articles, by depth: a section is read after the articles of the last two days."""

_PERSONAL_AGE_S: Final = 30 * _DAY_S


@dataclass(frozen=True, slots=True)
class _Seen:
    """What is known of a link's address as it stands in pages, so that menus are judged once."""

    url: str
    judgement: UrlJudgement


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
    skipped : Counter
        Addresses left out, by reason, since the caller last took them (`take_skipped`).
    backlog : Backlog
        Addresses of sitemaps that nobody has judged yet.
    n_known : int
        Articles that earlier crawls have stored.
    furniture : set of int
        Hashes of the texts on its hubs.
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
        self.skipped: Counter[str] = Counter()
        self._keys = {self.name}
        self._paths = paths or PathFilter()
        self._now = now or datetime.now(UTC)
        self._oldest = (since - timedelta(days=1)).timestamp() if since else UNDATED
        self._links: dict[str, _Seen | None] = {}
        self._heap: list[tuple[float, int, Candidate]] = []
        self._count = 0
        self._queued: dict[str, float] = {}  # normalised address -> its best key
        self._gone: set[str] = set()  # fetched, folded into another, or given up
        self._hints: dict[str, Hints] = {}
        self.backlog = Backlog(self.limits.frontier)
        self.furniture: set[int] = set()
        self.has_sources = self.has_sitemap = False
        self._articles: set[bytes] = set()
        self._lists: set[str] = set()  # what turned out to be lists, and their stems
        self._link_sets: set[int] = set()
        self._unnamed = self.n_known = 0
        self._hubs = Hubs(most=self.limits.hubs, alike=self.limits.alike, siblings=self.limits.siblings)
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
        """Whether an address lies within the site."""
        return site_key(url) in self._keys

    def judge(self, url: str) -> UrlJudgement:
        """Judge a normalised address, from memory where it was judged before."""
        seen = self._look_up(url)
        return seen.judgement if seen else judge_url(url)

    def _look_up(self, raw: str) -> _Seen | None:
        """Return normal form and judgement of a link; None where it leads off the site or is no address."""
        if raw in self._links:
            return self._links[raw]
        seen = None
        if self.is_own(raw):
            url = normalise(raw)
            if url is not None and url != raw and url in self._links:
                seen = self._links[url]
            elif url is not None:
                url = without_referrer(url)
                seen = self._links.get(url) or _Seen(url, judge_url(url))
        if len(self._links) >= _MAX_REMEMBERED:
            self._links.clear()
        self._links[raw] = seen
        if seen is not None:
            self._links.setdefault(seen.url, seen)
        return seen

    def article_links(self, urls: Iterable[str], own: str) -> frozenset[str]:
        """Return the different addresses of the site, other than a page's own, that look like articles."""
        found = set()
        for raw in urls:
            seen = self._look_up(raw)
            if seen is not None and seen.judgement.kind is UrlKind.ARTICLE:
                found.add(seen.url)
        found.discard(own)
        return frozenset(found)

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
            if not candidate.is_hub and any(self._is_expected(other, batch) for other in whole_pages(url)):
                continue  # its AMP form or a later part of it: both are found from there
            batch[url] = candidate.newest
            yield candidate

    def _is_expected(self, url: str, batch: dict[str, float]) -> bool:
        return url in self._queued or url in self._gone or url in batch

    def _candidate(self, url: str, judgement: UrlJudgement, where: Where, depth: int) -> Candidate | None:
        """Decide what an address is taken for; None where it is left out."""
        kind = judgement.kind
        is_named = where is Where.BEFORE or where is Where.FEED or self._is_news(url)
        is_linked = where not in (
            Where.SITEMAP,
            Where.FEED,
            Where.BEFORE,
        )  # of these there are too many for a close look
        is_list = where is Where.NEXT or (self.is_list(url) if is_linked else url in self._lists)
        is_ignored = kind is UrlKind.IGNORE and not (is_list and judgement.reason == LATER_PART)
        if is_ignored or self._paths.excludes(url) or url == self.front:
            return None
        is_side_way = where is Where.ARTICLE and self.has_sources  # all else is named, or on the hubs
        if is_list or (kind is UrlKind.HUB and judgement.score < _DOUBTFUL_HUB_SCORE and not is_named):
            return None if is_side_way else self._hub(url, depth + 1)
        if is_side_way and not (kind is UrlKind.ARTICLE or self._is_like_articles(url)):
            return None
        if not self._paths.includes(url):
            self.skipped["not_included"] += url not in self._queued
            return None
        hints = self._hints.get(url)
        newest = newest_key(url, hints, now=self._now)
        if UNDATED < newest < self._oldest:
            self._forget(url)
            self.skipped["too_old"] += 1
            return None
        if newest == UNDATED < self._oldest and is_side_way:
            self.skipped["undated"] += url not in self._queued
            return None
        if newest == UNDATED and where in _PRESUMED_AGE_S:
            newest = self._now.timestamp() - _PRESUMED_AGE_S[where] * (1 if kind is UrlKind.ARTICLE else 3)
        return Candidate(url, self.name, False, depth + 1, newest)

    def _is_news(self, url: str) -> bool:
        hints = self._hints.get(url)
        return hints is not None and hints.source in ("feed", "news-sitemap")

    def _hub(self, url: str, depth: int) -> Candidate | None:
        """Take a hub where neither its depth nor its like speak against it."""
        if url in self._queued or depth > self.limits.hub_depth or not self._hubs.take(url, depth):
            return None
        age = _HUB_AGES_S[min(depth, len(_HUB_AGES_S) - 1)]
        if is_personal(url):
            age += _PERSONAL_AGE_S
        return Candidate(url, self.name, True, depth, self._now.timestamp() - age)

    def note_hints(self, url: str, hints: Hints) -> None:
        """Remember what a feed or sitemap said of an address."""
        known = self._hints.get(url)
        if known is None:
            self._hints[url] = hints
        elif known != hints:
            self._hints[url] = richer(known, hints)

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
        current = [entry for entry in self._heap if self._queued.get(entry[2].url) == entry[2].newest]
        self._heap = heapq.nsmallest(self.limits.frontier, current)
        kept = {entry[2].url for entry in self._heap}
        for url in [url for url in self._queued if url not in kept]:
            self._forget(url)
            self.skipped["frontier_full"] += 1

    def next(self) -> Candidate | None:
        """Take what is to be fetched next; None where nothing waits."""
        while self._heap:
            _, _, candidate = heapq.heappop(self._heap)
            if self._queued.get(candidate.url) != candidate.newest:
                continue  # fetched, folded, or waiting in a better place
            del self._queued[candidate.url]
            self._gone.add(candidate.url)
            if candidate.is_hub and self._names_all and is_personal(candidate.url):
                self.skipped["tags_and_authors"] += 1
                continue
            if not candidate.is_hub and not self._is_news(candidate.url) and self._is_fruitless(candidate.url):
                self.skipped["fruitless"] += 1
                continue
            return candidate
        return None

    def is_backlog_due(self) -> bool:
        """Whether the newest of what waits is among the addresses that are not judged yet."""
        if not self.backlog:
            return False
        while self._heap and self._queued.get(self._heap[0][2].url) != self._heap[0][2].newest:
            heapq.heappop(self._heap)
        return not self._heap or self.backlog.newest() > -self._heap[0][0]

    def hints(self, url: str) -> Hints | None:
        """Take what feeds and sitemaps said of an address."""
        return self._hints.pop(url, None)

    def peek_hints(self, url: str) -> Hints | None:
        """Return what feeds and sitemaps said of an address, and keep it."""
        return self._hints.get(url)

    def is_gone(self, url: str) -> bool:
        """Whether an address was fetched or folded already."""
        return url in self._gone

    def is_waiting(self, url: str) -> bool:
        """Whether an address will be fetched."""
        return url in self._queued

    def fold(self, url: str) -> Hints | None:
        """Take an address out: the page that was fetched is the same; what was said of it is returned."""
        self._gone.add(url)
        self._queued.pop(url, None)
        return self._hints.pop(url, None)

    def _forget(self, url: str) -> None:
        self._queued.pop(url, None)
        self._hints.pop(url, None)

    # ---- Learning

    def note_furniture(self, hashes: Iterable[int]) -> None:
        """Remember what stands on hubs: teasers and banners, which make no article of another page."""
        if len(self.furniture) < _MAX_REMEMBERED:
            self.furniture.update(hashes)

    def is_repeated(self, text_hash: bytes) -> bool:
        """Whether an article with exactly these texts was read already, under another address."""
        if text_hash in self._articles:
            return True
        if len(self._articles) < _MAX_REMEMBERED:
            self._articles.add(text_hash)
        return False

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

    def _is_like_articles(self, url: str) -> bool:
        """Whether most pages of an address's folder were articles."""
        folder = patterns(url)[0]
        return self._hits[folder] > self._misses[folder]

    def is_promising(self, url: str) -> bool:
        """Whether an address waits for its first time, in a folder that has not given more else than articles."""
        folder = patterns(url)[0]
        return url not in self._queued and self._hits[folder] >= self._misses[folder]

    def is_new_list(self, links: frozenset[str]) -> bool:
        """Whether no page was seen that links to exactly these articles: what is missing shows the same teasers each time."""
        mark = hash(links)
        if mark in self._link_sets:
            return False
        if len(self._link_sets) < _MAX_REMEMBERED:
            self._link_sets.add(mark)
        return len(links) >= MIN_LIST_LINKS

    def note_list(self, url: str) -> None:
        """Remember that a page is a list: so are the pages that are numbered after it."""
        if len(self._lists) < _MAX_REMEMBERED:
            self._lists |= {url, *stems(url)}

    def is_list(self, url: str) -> bool:
        """Whether a page was seen to be a list, or is a numbered page of one."""
        return not self._lists.isdisjoint(stems(url))

    def note_fruitful(self, url: str, *, is_article: bool) -> Iterator[Candidate]:
        """Learn that a hub led to new articles, or was one, so that it does not count against its like; yield one of them."""
        self._hubs.credit(url, is_article=is_article)
        for other, depth in self._hubs.pop_free():
            candidate = None if other in self._gone else self._hub(other, depth)
            yield from [candidate] if candidate else ()

    def teased(self, teasers: Mapping[str, int], own: Collection[str | None]) -> Mapping[str, int]:
        """Return the other pages that may be articles whose links head paragraphs, and the characters of these.

        Parameters
        ----------
        teasers : mapping of address to characters
            See `webmain.discovery.teasers`.
        own : collection of str
            The page's own addresses.
        """
        found: Counter[str] = Counter()
        paths = {path_of(url) for url in own if url} - {"", "/"}  # the posts of a thread differ in their query
        for raw, n_chars in teasers.items():
            seen = self._look_up(raw)
            is_article = seen is not None and seen.judgement.kind in (UrlKind.ARTICLE, UrlKind.UNKNOWN)
            if seen is not None and is_article and seen.url not in own and path_of(seen.url) not in paths:
                found[seen.url] += n_chars
        return found

    def _is_fruitless(self, url: str) -> bool:
        folder = patterns(url)[0]
        return not self._hits[folder] and self._misses[folder] >= self.limits.misses

    def take_skipped(self) -> Counter[str]:
        """Return what was left out since the last call."""
        skipped, self.skipped = self.skipped, Counter()
        if self._hubs.n_alike:
            skipped["hubs_alike"] += self._hubs.n_alike
            self._hubs.n_alike = 0
        if self.backlog.n_dropped:
            skipped["frontier_full"] += self.backlog.n_dropped
            self.backlog.n_dropped = 0
        return skipped


_RANKS: Final = {"feed": 2, "news-sitemap": 1}


def richer(one: Hints, other: Hints) -> Hints:
    """Join what two sources said of a page; where both speak, a feed outranks a news sitemap, and that a sitemap."""
    if _RANKS.get(other.source, 0) > _RANKS.get(one.source, 0):
        one, other = other, one
    missing = {f.name: value for f in fields(Hints) if not getattr(one, f.name) and (value := getattr(other, f.name))}
    return replace(one, **missing) if missing else one
