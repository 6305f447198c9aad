"""Find texts that recur on pages of a site under different titles: boilerplate, not articles.

A link footer or a notice that an extractor took for the article is on many pages. An article may have several addresses, but
under one title or with one canonical address. So a text counts as boilerplate once three pages with different titles and
different addresses have it. Reports in the same words with other figures (of the weather, of prices) are articles.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from webmain.items import Article, Reason, Rejected
from webmain.metadata.head import letters
from webmain.regex import lazy
from webmain.text.near_duplicates import NearDuplicates
from webmain.text.shingles import signature
from webmain.urls import join

if TYPE_CHECKING:
    from webmain.html.document import Document

logger = logging.getLogger(__name__)

SIMILARITY: Final = 0.9  # minimum estimated Jaccard similarity of the shingles of two texts that count as the same

MIN_PAGES: Final = 3
HEAD_ELEMENTS: Final = 2_000  # number of first elements of a page that are searched for its canonical address

MAX_GROUPS: Final = 50_000

MAX_FIGURES_CHARS: Final = 120
MIN_OTHER_FIGURES: Final = 3
"""Numbers that only one of two texts has, from which they report different things: a counter or a date changes two."""

_NUMBER = lazy(r"\d+")


@dataclass(frozen=True, slots=True)
class TitledPage:
    """Where a text was seen: the page's title and its canonical or own address."""

    title: str | None
    address: str | None
    figures: str = ""  # the first distinct numbers in the text, with spaces between
    fetched_at: datetime | None = field(default=None, compare=False)


def figures_of(text: str) -> str:
    """Return the first distinct numbers in a text."""
    return " ".join(dict.fromkeys(_NUMBER.findall(text)))[:MAX_FIGURES_CHARS]


def titled_page(document: Document) -> TitledPage:
    """Return a page's `title` and its canonical or own address, as far as they can be read; reads no other metadata."""
    try:
        elements = document.elements
        for tag, attributes in zip(elements.tags[:HEAD_ELEMENTS], elements.attributes, strict=False):
            if tag == "link" and "canonical" in (attributes.get("rel") or "").lower().split():
                return TitledPage(document.title, join(document.base_url, attributes.get("href") or "") or document.url)
        return TitledPage(document.title, document.url)
    except Exception as error:  # the page already has its article
        if not isinstance(error, Rejected):
            logger.exception("Unforeseen error at %s", document.url)
        return TitledPage(None, document.url)


class RecurringTexts:
    """The places at which each text was seen; the oldest texts are forgotten first."""

    def __init__(self) -> None:
        self._groups: OrderedDict[Hashable, list[TitledPage]] = OrderedDict()

    def add(self, text: Hashable, place: TitledPage) -> tuple[str, ...]:
        """Add a place of a text; return the addresses of its other places if it is boilerplate by now, else ()."""
        group = self._groups.setdefault(text, [])
        if any(has_other_figures(place, other) for other in group):
            return ()
        if len(group) < MIN_PAGES and place.title and not any(_is_same(place, other) for other in group):
            group.append(place)
        if len(self._groups) > MAX_GROUPS:
            self._groups.popitem(last=False)
        if len(group) < MIN_PAGES:
            return ()
        return tuple(other.address or "a page without an address" for other in group if other != place)


def _is_same(one: TitledPage, other: TitledPage) -> bool:
    """Return True if two pages may be the same article: same address, or one title contains the other."""
    if one.address is not None and one.address == other.address:
        return True
    return is_same_title(one.title or "", other.title or "")


def has_other_figures(one: TitledPage, other: TitledPage) -> bool:
    """Return True if the texts of two pages, in the same words, report different things."""
    return len(set(one.figures.split()) ^ set(other.figures.split())) >= MIN_OTHER_FIGURES


def is_same_title(one: str, other: str) -> bool:
    """Return True if one of two titles contains the other, comparing letters and digits only."""
    first, second = letters(one), letters(other)
    return first in second or second in first


def boilerplate(url: str | None, others: Sequence[str]) -> Rejected:
    """Return the rejection of a page whose text is also at other addresses."""
    detail = f"nearly the same text, under other titles, is at {' and '.join(others[:2])}"
    return Rejected(Reason.BOILERPLATE, detail, url=url)


def without_recurring(results: Sequence[Article | Rejected], places: Sequence[TitledPage]) -> list[Article | Rejected]:
    """Return the results for a site's pages, at these places, with recurring texts replaced by rejections."""
    if len(results) < MIN_PAGES:
        return list(results)
    near = NearDuplicates(threshold=SIMILARITY)
    texts, recurring = RecurringTexts(), dict[str, tuple[TitledPage, tuple[str, ...]]]()
    found: dict[int, tuple[str, TitledPage]] = {}
    for n, (result, place) in enumerate(zip(results, places, strict=True)):
        if not isinstance(result, Article) or not (values := signature(result.text)):
            continue
        match = near.add(str(n), values)
        cluster, own = match.cluster if match else str(n), replace(place, figures=figures_of(result.text))
        found[n] = cluster, own
        if others := texts.add(cluster, own):
            recurring[cluster] = own, others
    kept = list(results)
    for n, (cluster, own) in found.items():
        last, others = recurring.get(cluster, (None, ()))
        if last is not None and not has_other_figures(own, last):
            kept[n] = boilerplate(results[n].url, others)
    return kept
