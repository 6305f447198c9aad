"""Recognise, normalise and judge the addresses that belong to one site."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, urlsplit

from webmain.discovery.articles import UrlJudgement, UrlKind, judge_url
from webmain.spiders.addresses import without_referrer
from webmain.spiders.candidates import KnownLink
from webmain.urls import normalise, site_key


@lru_cache(maxsize=10_000)
def _shared(judgement: UrlJudgement) -> UrlJudgement:
    """Return the judgement, the same object for equal ones: one is kept for each address, and few differ."""
    return judgement


_FIRST_NUMBER = re.compile(r"\d+")


def _is_post_of(url: SplitResult, page: SplitResult) -> bool:
    """Return True if an address has a page's path, and its query other keys or the same number: a post of a thread."""
    is_numbered = _FIRST_NUMBER.search(f"{page.path}?{page.query}")  # a thread is, the list of all pages is not
    if url.path != page.path or url.path in ("", "/") or not is_numbered:
        return False
    keys = [sorted(key for key, _ in parse_qsl(parts.query, keep_blank_values=True)) for parts in (url, page)]
    numbers = [_FIRST_NUMBER.findall(parts.query)[:1] for parts in (url, page)]
    return keys[0] != keys[1] or numbers[0] == numbers[1]


class OwnAddresses:
    """Recognises a site's own addresses, and judges each of them once.

    Parameters
    ----------
    name : str
        The site's key.
    limit : int
        Links to remember; beyond these all are forgotten (frequent ones are soon remembered again).

    Attributes
    ----------
    keys : set of str
        The site keys of its domains.
    """

    def __init__(self, name: str, limit: int) -> None:
        self._limit_links = limit
        self.name = name
        self.keys = {name}
        self.alias_fronts: list[str] = []
        self._links: dict[str, KnownLink | None] = {}

    def add_alias(self, url: str) -> None:
        """Treat the domain of an address as the site's own, and the address as another possible front page."""
        self.keys.add(site_key(url))
        self.alias_fronts.append(url)

    def is_own(self, url: str) -> bool:
        """Return True if an address belongs to the site."""
        return site_key(url) in self.keys

    def judge(self, url: str) -> UrlJudgement:
        """Return the judgement of a normalised address, cached if possible."""
        link = self.judged_url(url)
        return link.judgement if link else judge_url(url)

    def judged_url(self, raw: str) -> KnownLink | None:
        """Return the normalised form and judgement of a link; None if it leads off the site or is not an address."""
        if raw in self._links:
            return self._links[raw]
        link = None
        url = normalise(raw) if self.is_own(raw) else None
        if url is not None and url in self._links:
            link = self._links[url]
        elif url is not None:
            url = without_referrer(url)
            link = self._links.get(url) or KnownLink(url, _shared(judge_url(url)))
        if len(self._links) >= self._limit_links:
            self._links.clear()
        self._links[raw] = link
        if link is not None:
            self._links.setdefault(link.url, link)
        return link

    def article_links(self, urls: Iterable[str], own: str) -> frozenset[str]:
        """Return the distinct addresses of the site, other than the page's own, that look like articles."""
        known = self._links
        found = [known.get(raw) or self.judged_url(raw) for raw in urls]
        return frozenset([link.url for link in found if link and link.judgement.kind is UrlKind.ARTICLE]) - {own}

    def teaser_chars(self, teasers: Mapping[str, int], own: Collection[str | None]) -> Mapping[str, int]:
        """Return the other possible articles with paragraphs below their links, and the characters in those paragraphs.

        Parameters
        ----------
        teasers : mapping of address to characters
            See `webmain.discovery.page_summary.read_teasers`.
        own : collection of str
            The page's own addresses.
        """
        found: Counter[str] = Counter()
        own_parts = [urlsplit(url) for url in own if url]
        for raw, n_chars in teasers.items():
            link = self.judged_url(raw)
            if link is None or link.judgement.kind not in (UrlKind.ARTICLE, UrlKind.UNKNOWN):
                continue
            if link.url in own:
                continue
            if not any(page.path in link.url and _is_post_of(urlsplit(link.url), page) for page in own_parts):
                found[link.url] += n_chars
        return found
