"""What sitemaps contain, as records, and how they are collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from webmain.discovery.markup import absolute_url, plain_text
from webmain.items import Hints

_MAX_KEYWORDS: Final = 50


class NotASitemap(ValueError):  # noqa: N818 - it names what was found, like webmain.items.Rejected
    """The bytes are neither a sitemap nor a feed; the message says what they look like."""


class SitemapKind(StrEnum):
    """What a sitemap is made of."""

    INDEX = "index"
    URLSET = "urlset"
    TEXT = "text"
    FEED = "feed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternate:
    """The same page in another language, or its AMP or mobile form ("" where no language is named)."""

    language: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapEntry:
    """One page that a sitemap names.

    Attributes
    ----------
    url : str
        Absolute, without fragment.
    lastmod : str or None
        As it stood there.
    hints : Hints
        Source "news-sitemap" where a news element stands with it (title, publication date, language and keywords are
        its), else "sitemap"; `modified` is `lastmod`.
    """

    url: str
    hints: Hints
    lastmod: str | None = None
    alternates: tuple[Alternate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapChild:
    """One sitemap that an index names."""

    url: str
    lastmod: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """A sitemap that was read.

    Attributes
    ----------
    entries : tuple of SitemapEntry
        In document order, each address once.
    children : tuple of SitemapChild
        The sitemaps an index names (some URL sets mix them in).
    skipped : Mapping[str, int]
        What was left out, by reason: "no_url", "bad_url", "duplicate", "too_many" (entries over the limit that were
        still seen), "too_large" (the rest, after `max_bytes` or
        2,000,000 elements or references, was not read), "broken_gzip" (the rest could not be).
    """

    kind: SitemapKind
    entries: tuple[SitemapEntry, ...] = ()
    children: tuple[SitemapChild, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Collector:
    """Keeps entries and children in their order, each address once, and counts what is left out."""

    url: str
    max_urls: int
    skipped: Counter[str] = field(default_factory=Counter)
    entries: dict[str, SitemapEntry] = field(default_factory=dict)
    children: dict[str, SitemapChild] = field(default_factory=dict)
    n_forgotten_entries: int = 0
    n_forgotten_children: int = 0

    @property
    def n_entries(self) -> int:
        """Entries so far, with those that were given away."""
        return self.n_forgotten_entries + len(self.entries)

    @property
    def n_children(self) -> int:
        """Children so far, with those that were given away."""
        return self.n_forgotten_children + len(self.children)

    def forget(self) -> None:
        """Drop what was given away."""
        self.n_forgotten_entries, self.n_forgotten_children = self.n_entries, self.n_children
        self.entries, self.children = {}, {}

    def address(self, raw: str | None, known: Mapping[str, object], n_known: int) -> str | None:
        """Return the absolute address where it is to be kept."""
        if not raw or not raw.strip():
            self.skipped["no_url"] += 1
            return None
        url = absolute_url(raw, self.url)
        if url is None:
            self.skipped["bad_url"] += 1
        elif url in known:
            self.skipped["duplicate"] += 1
        elif n_known >= self.max_urls:
            self.skipped["too_many"] += 1
        else:
            return url
        return None

    def add_entry(self, fields: Mapping[str, str], alternates: tuple[tuple[str, str], ...]) -> None:
        """Add one `url` element, its texts by path below it."""
        url = self.address(fields.get("loc"), self.entries, self.n_entries)
        if url is None:
            return
        others = ((language, absolute_url(href, self.url)) for language, href in alternates)
        self.entries[url] = SitemapEntry(
            url=url,
            lastmod=_folded(fields.get("lastmod")),
            hints=_hints(fields),
            alternates=tuple(Alternate(language=language, url=other) for language, other in others if other),
        )

    def add_child(self, fields: Mapping[str, str]) -> None:
        """Add one `sitemap` element."""
        url = self.address(fields.get("loc"), self.children, self.n_children)
        if url is not None:
            self.children[url] = SitemapChild(url=url, lastmod=_folded(fields.get("lastmod")))

    def is_full(self) -> bool:
        """Whether there are as many entries or children as are kept."""
        return max(self.n_entries, self.n_children) >= self.max_urls

    def sitemap(self, kind: SitemapKind) -> Sitemap:
        """Return what was collected since the last `forget`."""
        return Sitemap(
            kind=kind,
            entries=tuple(self.entries.values()),
            children=tuple(self.children.values()),
            skipped=dict(self.skipped),
        )


def _folded(raw: str | None) -> str | None:
    """Return a short string with white space folded; None where nothing is left."""
    return " ".join((raw or "")[:200].split()) or None


def _hints(fields: Mapping[str, str]) -> Hints:
    """Turn the texts of a `url` element into hints."""
    if fields.keys() <= {"loc", "lastmod"}:
        return Hints(source="sitemap", modified=_folded(fields.get("lastmod")))
    is_news = any(name.startswith("news/") for name in fields)
    keywords = (plain_text(word, max_chars=200) for word in fields.get("news/keywords", "").split(","))
    return Hints(
        source="news-sitemap" if is_news else "sitemap",
        title=plain_text(fields.get("news/title"), max_chars=1000),
        published=_folded(fields.get("news/publication_date")),
        modified=_folded(fields.get("lastmod")),
        tags=tuple(dict.fromkeys(word for word in keywords if word))[:_MAX_KEYWORDS],
        language=_folded(fields.get("publication/language") or fields.get("news/language")),
    )
