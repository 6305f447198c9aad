"""Texts of our own extractors for gold pages, for the papers' experiments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import ParamSpec, TypeVar

from webmain import Page, Rejected, extract_many
from webmain.evaluation.records import GoldPage
from webmain.extraction import Options

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
Params = ParamSpec("Params")

UNTIMED = Options(timeout_s=None)  # no timeout: measurements must not be cut short


def texts_of(gold: Sequence[GoldPage], extractor: str) -> list[str]:
    """Return the text extracted from each page by itself; "" if it is rejected."""
    answers = extract_many(map(as_page, gold), jobs=0, extractor=extractor, parts="text", timeout_s=None)
    return ["" if isinstance(answer, Rejected) else answer.text for answer in answers]


def unless_rejected(step: Callable[Params, T], *args: Params.args, **options: Params.kwargs) -> T | None:
    """Return what a step returns, or None if it rejects the page."""
    try:
        return step(*args, **options)
    except Rejected:
        return None


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return items by a key, groups in the order of their first items."""
    groups: defaultdict[K, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def by_site(gold: Sequence[GoldPage]) -> list[list[GoldPage]]:
    """Return the pages of each site and period; a page of unknown site is a group of its own."""
    groups = grouped(gold, lambda page: (page.dataset, page.site, page.period, "" if page.site else page.id))
    return list(groups.values())


def as_page(page: GoldPage) -> Page:
    """Return the gold page as the page that extractors take."""
    if isinstance(page.html, bytes):
        return Page(url=page.url, body=page.html)
    return Page(url=page.url, html=page.html)


def n_bytes(content: str | bytes) -> int:
    """Return the size in bytes, text as UTF-8."""
    return len(content.encode("utf-8", "replace")) if isinstance(content, str) else len(content)
