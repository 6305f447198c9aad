"""Where a site lists its articles (robots.txt, feeds, sitemaps), and in which order to fetch these sources."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Final
from urllib.parse import urljoin

from webmain.discovery.entries import Entry
from webmain.discovery.frontier import DateRange, order_children
from webmain.discovery.places import USUAL_FEED_PATHS, USUAL_SITEMAP_PATHS
from webmain.metadata.dates import parse_feed_date
from webmain.urls import normalise

SETTLED_AFTER: Final = 12
"""After this many sources, articles are fetched even if other sources are still to be read."""

GUESSES_AT_FIRST: Final = 2
PAGES_A_GUESS: Final = 30
FEW_ARTICLES: Final = 10
"""If sources and links gave fewer articles than this, all guesses are tried."""

MAX_NAMED: Final = 2_000
"""Waiting sitemaps: the most promising ones listed in indexes."""

MAX_FEED_PAGES: Final = 3
"""Further pages of paged feeds to read, for all feeds of a site together."""


class SourceKind(StrEnum):
    """Kind of a source."""

    ROBOTS = "robots"
    FEED = "feed"
    SITEMAP = "sitemap"


@dataclass(frozen=True, slots=True)
class Source:
    """A document that may list articles.

    Attributes
    ----------
    is_probe : bool
        It is a guess at a usual path, not declared anywhere.
    changed_at : float or None
        Its last change according to the index that lists it, in seconds since 1970.
    """

    kind: SourceKind
    url: str
    is_probe: bool = False
    changed_at: float | None = None


class Sources:
    """A site's sources in order: robots.txt, the feeds, then the sitemaps, the most promising first.

    The usual paths are tried only if no declared source can be read, and only until one works: a few at first, one more for
    each `PAGES_A_GUESS` articles found by links, and all of them if nothing else is left and few articles were found.
    """

    def __init__(self, *, max_feeds: int, max_sitemaps: int, date_range: DateRange | None = None) -> None:
        self.n_asked = 0
        self.read: list[Source] = []
        self._date_range = date_range
        self._left = {SourceKind.FEED: max_feeds, SourceKind.SITEMAP: max_sitemaps}
        self._robots: str | None = None
        self._feeds: deque[str] = deque()
        self._sitemaps: list[Entry] = []
        self._guesses: deque[Source] = deque()
        self._n_guessed = 0
        self._is_through = False
        self._found: set[SourceKind] = set()
        self._seen: set[str] = set()
        self._feed_pages = MAX_FEED_PAGES

    def begin(self, origin: str, missing: Callable[[Sequence[str]], Container[str]] = lambda _: ()) -> None:
        """Start with a site's origin (scheme, host and port); `missing` returns the guesses that were recently missing."""
        self._robots = urljoin(origin, "/robots.txt")
        usual = zip_longest(
            (Source(SourceKind.SITEMAP, urljoin(origin, path), is_probe=True) for path in USUAL_SITEMAP_PATHS),
            (Source(SourceKind.FEED, urljoin(origin, path), is_probe=True) for path in USUAL_FEED_PATHS),
        )
        guesses = [guess for pair in usual for guess in pair if guess is not None]
        skipped = missing([guess.url for guess in guesses])
        self._guesses = deque(guess for guess in guesses if guess.url not in skipped)

    def add_feeds(self, urls: Iterable[str]) -> None:
        """Add feeds that a page declares."""
        for url in urls:
            if self._is_fresh(url):
                self._feeds.append(url)

    def add_feed_page(self, url: str) -> None:
        """Add the next page of a feed."""
        if self._feed_pages and self._is_fresh(url):
            self._feed_pages -= 1
            self._feeds.append(url)

    def add_sitemaps(self, children: Iterable[Entry]) -> None:
        """Add sitemaps that robots.txt or an index lists."""
        fresh = [child for child in children if len(self._seen) < 10 * MAX_NAMED and self._is_fresh(child.url)]
        if fresh:
            self._sitemaps = list(order_children([*self._sitemaps, *fresh], date_range=self._date_range))[:MAX_NAMED]

    def succeeded(self, source: Source) -> None:
        """Note that a source was valid, so that no more sources of its kind are guessed."""
        self._found.add(source.kind)
        self.read.append(source)

    def next(self, *, n_articles: int = 0, is_idle: bool = False) -> Source | None:
        """Return the source to fetch next; None if all are read.

        Parameters
        ----------
        n_articles : int
            Articles found so far.
        is_idle : bool
            There is nothing else to fetch.
        """
        source = self._next_named() or self._next_guess(n_articles, is_idle=is_idle)
        if source is None:
            self._is_through = True
        else:
            self.n_asked += 1
        return source

    def _next_named(self) -> Source | None:
        if self._robots:
            url, self._robots = self._robots, None
            return Source(SourceKind.ROBOTS, url)
        while self._feeds and self._left[SourceKind.FEED]:
            self._left[SourceKind.FEED] -= 1
            return Source(SourceKind.FEED, self._feeds.popleft())
        while self._sitemaps and self._left[SourceKind.SITEMAP]:
            self._left[SourceKind.SITEMAP] -= 1
            child = self._sitemaps.pop(0)
            changed = parse_feed_date(child.hints.modified)
            return Source(SourceKind.SITEMAP, child.url, changed_at=changed.timestamp() if changed else None)
        return None

    def _next_guess(self, n_articles: int, *, is_idle: bool) -> Source | None:
        is_all = is_idle and n_articles < FEW_ARTICLES
        while self._guesses and (is_all or self._n_guessed < GUESSES_AT_FIRST + n_articles // PAGES_A_GUESS):
            guess = self._guesses.popleft()
            if guess.kind not in self._found and self._is_fresh(guess.url):
                self._n_guessed += 1
                return guess
        return None

    @property
    def is_settled(self) -> bool:
        """Whether enough sources were read to begin with the newest articles."""
        return self._is_through or self.n_asked >= SETTLED_AFTER

    def _is_fresh(self, url: str) -> bool:
        known = normalise(url) or url
        if known in self._seen:
            return False
        self._seen.add(known)
        return True
