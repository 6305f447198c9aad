"""Duplicate detection across a crawl and its stores: repeated articles, copies, and texts that recur on a site."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property

from webmain.article.identity import identify
from webmain.files import StoreDamagedError
from webmain.items import Article, article_id
from webmain.items.rejected import Reason, Rejected
from webmain.sites.recurring import (
    SIMILARITY,
    RecurringTexts,
    TitledPage,
    boilerplate,
    figures_of,
    has_other_figures,
    is_same_title,
)
from webmain.store.multiple_stores import Stores
from webmain.store.url_variants import candidate_ids, canonical_form, is_variant
from webmain.text.near_duplicates import NearDuplicates
from webmain.text.shingles import SIGNATURE_VERSION, Signature, signature
from webmain.urls import site_key

logger = logging.getLogger(__name__)

MAX_SEEN = 50_000
"""Most ids of this crawl's articles kept in memory; the oldest are dropped first (the store still has them)."""


class DuplicateDetector:
    """Compares an article with those of this crawl and of the stores.

    `stores`: if None, only this crawl's articles are known. `signature_of`: returns a text's signature. `stored_from`:
    returns the ids of the articles that earlier came from any of some addresses, or from others that lead to them now.
    `by_date`: the pages are captures of any age, of which the latest counts, whatever their order.
    """

    def __init__(
        self,
        stores: Stores | None,
        signature_of: Callable[[str], Signature] = signature,
        stored_from: Callable[[Sequence[str]], Sequence[str]] = lambda _: (),
        *,
        by_date: bool = False,
    ) -> None:
        self._by_date = by_date
        self._stores = stores
        self._signature_of = signature_of
        self._stored_from = stored_from
        self._seen: OrderedDict[str, TitledPage] = OrderedDict()
        self._recurring = RecurringTexts()

    def as_new_article(self, article: Article) -> Article:
        """Return an article new to this crawl, under its own address if its canonical address belongs to another article."""
        article = self._as_moved(self._at_canonical(article))
        seen = self._seen.get(identify(article))
        if seen is not None:
            article = self._under_own_url(article, seen)
        if self._by_date and (place := self._place(identify(article))) and _is_later(place, _titled(article)):
            raise Rejected(Reason.DUPLICATE, f"an older capture than that of {place.address}", url=article.url)
        self._seen[identify(article)] = replace(_titled(article), address=article.url)
        if len(self._seen) > MAX_SEEN:
            self._seen.popitem(last=False)
        return article

    def _at_canonical(self, article: Article) -> Article:
        """Return a print, AMP or mobile page without a canonical address as the article stored at its ordinary address.

        That address is guessed, so the titles must agree.
        """
        url = article.url
        if not url or not article.title or article.canonical_url not in (None, url) or not is_variant(url):
            return article
        for name in candidate_ids(canonical_form(url)):
            place = self._place(name)
            if place and place.address and place.title and is_same_title(place.title, article.title):
                return replace(article, id=name, canonical_url=place.address)
        return article

    def _as_moved(self, article: Article) -> Article:
        """Return an article to which the address of a stored one leads as that article, if the texts are nearly the same."""
        names = self._stored_from([url for url in (article.url, article.canonical_url) if url])
        if not names or identify(article) in names:
            return article
        near, values = NearDuplicates(), self._signature_of(article.text)
        near.add("", values)
        for stored in filter(None, map(self._stored, names)):
            is_near = near.find(stored.id, self._signature_of(stored.text)) is not None
            if stored.fingerprint == article.fingerprint or (is_near and not _is_other_report(stored, article)):
                return moved(article, stored.id)
        return article

    def old_address(self, copy: Article) -> str | None:
        """Return the address of the article that this one is a copy of, if another crawl stored it under the same title."""
        stored = self._stored(name) if (name := copy.duplicate_of) and name not in self._seen else None
        if stored is None or not copy.title or not stored.title or not is_same_title(copy.title, stored.title):
            return None
        return None if _is_other_report(stored, copy) else stored.canonical_url or stored.url

    def _under_own_url(self, article: Article, seen: TitledPage) -> Article:
        """Compare an article with an earlier one of the same id; if they differ, the first keeps the shared address.

        Two articles differ if both title and text do. The page fetched from that very address may use it, too. If the same
        article was captured later, that is its new text.
        """
        values = self._signature_of(article.text)
        is_other = article.title and seen.title and values and not is_same_title(article.title, seen.title)
        if not article.url or not is_other or self._near.find("", values) is not None:
            if self._by_date and _is_later(_titled(article), seen):
                return article
            raise Rejected(Reason.DUPLICATE, f"the same article as {seen.address}", url=article.url)
        own = article_id(article.url)
        if own != identify(article) and own in self._seen:
            raise Rejected(Reason.DUPLICATE, f"the same article as {self._seen[own].address}", url=article.url)
        return article if own == identify(article) else replace(article, id=own, canonical_url=None)

    def find_original(self, article: Article) -> str | None:
        """Return the id of the article that this one is a copy of.

        Raises Rejected (`BOILERPLATE`). Raises StoreError if the store cannot be read.
        """
        name = identify(article)
        same = self._exact.add(name, article.fingerprint)
        values = self._signature_of(article.text)
        match = self._near.add(name, values) if values else None
        found = same or (match.cluster if match else None)
        earlier = same or (match.id if match and match.similarity >= SIMILARITY else None)
        if found is not None and earlier is not None:
            self._check_recurring(article, found, earlier)
        return None if found is None or self._is_copy_of(found, name) else found

    def _check_recurring(self, article: Article, cluster: str, earlier: str) -> None:
        """Reject a text that two other pages of the site have under other titles; log those that are already stored."""
        site = site_key(article.url or "")
        places = [self._place(earlier), _titled(article)]
        for place in places:
            others: tuple[str, ...] = ()
            if place is not None and site and site_key(place.address or "") == site:
                others = self._recurring.add((site, cluster), place)
        if others:
            logger.info("boilerplate: %s; what is stored of it: %s", article.url, ", ".join(others))
            raise boilerplate(article.url, others)

    def _place(self, name: str) -> TitledPage | None:
        """Return title and address of an article of this crawl or of the store."""
        if (seen := self._seen.get(name)) is not None:
            return seen
        stored = self._stored(name)
        return _titled(stored) if stored else None

    def _stored(self, name: str) -> Article | None:
        try:
            return self._stores.get(name) if self._stores else None
        except StoreDamagedError:
            return None

    def _is_copy_of(self, copy: str, original: str) -> bool:
        """Return True if the stored article is a copy of the other: two articles must not be copies of each other."""
        stored = self._stored(copy)
        if stored is None:
            return False
        return original in (stored.duplicate_of, article_id(stored.canonical_claim or ""))

    @cached_property
    def _exact(self) -> ExactDuplicates:
        return ExactDuplicates(self._stores.fingerprints() if self._stores else ())

    @cached_property
    def _near(self) -> NearDuplicates:
        database = self._stores.database if self._stores else None
        bands = database.bands(f"webmain-{SIGNATURE_VERSION}") if database else None
        return NearDuplicates(bands=bands)


def moved(article: Article, name: str) -> Article:
    """Return an article from a new address as the stored article with this id."""
    return replace(article, id=name, canonical_url=article.canonical_url or article.url, duplicate_of=None)


def _is_other_report(one: Article, other: Article) -> bool:
    return has_other_figures(_titled(one), _titled(other))


def _titled(article: Article) -> TitledPage:
    address = article.canonical_url or article.url
    return TitledPage(article.title, address, figures_of(article.text), article.fetched_at)


def _is_later(one: TitledPage, other: TitledPage) -> bool:
    return bool(one.fetched_at and other.fetched_at and one.fetched_at > other.fetched_at)


class ExactDuplicates:
    """Finds the earlier article with the same fingerprint.

    `known`: (id, fingerprint) of the articles already stored (`Store.fingerprints`).
    """

    def __init__(self, known: Iterable[tuple[str, str]] = ()) -> None:
        self._first: dict[int, str] = {}  # by the hash of the fingerprint, which takes a third of the memory
        self._mark: dict[str, int] = {}
        for name, fingerprint in known:
            self.add(name, fingerprint)

    def add(self, name: str, fingerprint: str) -> str | None:
        """Return the id of another article that had this text first, and record the text.

        The article's previous text is released. Returns None if no other article has the text, or if it is empty.
        """
        before, mark = self._mark.get(name), hash(fingerprint)
        if before is not None and before != mark and self._first.get(before) == name:
            del self._first[before]
        if not fingerprint:
            return None
        self._mark[name] = mark
        first = self._first.setdefault(mark, name)
        return first if first != name else None
