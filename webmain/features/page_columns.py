"""Columns of a page as a whole: whether it is built like an article or like a list of other pages.

They are not part of the blocks' matrix. The trees that classify pages use them together with the means of the blocks'
columns (`webmain.extractors.page_model.page_row`). A group is a function that returns numbers by name.
"""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

import numpy as np

from webmain import languages
from webmain.clock import once
from webmain.regex import lazy

if TYPE_CHECKING:
    from webmain.features.page_blocks import PageBlocks

    Numbers = dict[str, float]

ADDRESS: Final = tuple(
    f"page_path_{name}"
    for name in ("words", "longest", "chars", "digits", "lists", "suffix", "date", "front", "news", "article", "listed")
)
"""Columns of the page's URL; -1 for a page without one."""

MAX_URL_CHARS: Final = 2_000
MAX_SEGMENTS: Final = 12
_WORD = lazy(r"[^\W\d_]+")
_DIGITS = lazy(r"\d+")
_DATE = lazy(r"(?:19|20)\d\d[-/_.]?[01]?\d")


def page_columns(page: PageBlocks) -> dict[str, float]:
    """Return the columns of a page by name, each finite; the page has at least one block."""
    return {
        **address(page.document.url),
        **_elements(page),
        **_prose(page),
        **_containers(page),
        **_headings(page),
        **_texts(page),
    }


class _Words(NamedTuple):
    lists: frozenset[str]
    fronts: frozenset[str]
    news: frozenset[str]
    articles: frozenset[str]
    suffixes: frozenset[str]
    list_keys: frozenset[str]


@once
def _words() -> _Words:
    """Return the URL words of all languages."""

    def known(*names: str) -> frozenset[str]:
        return frozenset(word for name in names for word in languages.known().words(f"urls.{name}"))

    lists = known("authors", "categories", "tags", "lists", "shelves")
    return _Words(
        lists=lists,
        fronts=lists | known("fronts", "news", "ignored"),
        news=known("news"),
        articles=known("articles"),
        suffixes=known("page_suffixes"),
        list_keys=known("page_keys", "search_keys"),
    )


def address(url: str | None) -> Numbers:
    """Return columns of a page's URL; an article's URL mostly ends with many words or a number."""
    if not url or not url.lower().startswith(("http://", "https://")):
        return dict.fromkeys(ADDRESS, -1.0)
    words = _words()
    path, _, query = url[:MAX_URL_CHARS].partition("#")[0].partition("?")
    path = unquote(path.partition("://")[2].partition("/")[2]).lower()
    segments = [segment for segment in path.split("/") if segment][:MAX_SEGMENTS]
    last = segments[-1] if segments else ""
    stem, _, suffix = last.rpartition(".")
    is_page = bool(stem) and suffix in words.suffixes
    name = stem if is_page else last
    keys = {part.partition("=")[0].lower() for part in query.split("&")}
    found = (
        len(_WORD.findall(name)),
        max((len(_WORD.findall(segment)) for segment in segments), default=0),
        len(name),
        max(map(len, _DIGITS.findall(name)), default=0),
        sum(segment in words.lists for segment in segments),
        is_page,
        _DATE.search(path) is not None,
        not segments or name in words.fronts,
        any(segment in words.news for segment in segments[:-1]),
        any(segment in words.articles for segment in segments[:-1]),
        not keys.isdisjoint(words.list_keys),
    )
    return {name: float(min(value, 120)) for name, value in zip(ADDRESS, found, strict=True)}


# ---- elements


def _elements(page: PageBlocks) -> Numbers:
    """Return numbers of elements and buttons; lists have buttons for filters, sorting and carts."""
    n = len(page.document.elements)
    return {
        "page_n_button": log1p(page.document.elements.tags.count("button")),
        "page_n_elements": log1p(n),
        "page_chars_per_element": page.all_chars / max(n, 1),
    }


# ---- prose


def _prose(page: PageBlocks) -> Numbers:
    """Return how contiguous the prose is: the longest runs without a linked block, and without any other block, between."""
    prose, is_prose = page.prose, page.prose > 0
    total = max(page.all_prose, 1.0)
    run = float(np.maximum.reduce(np.bincount((page.link > 0.5).cumsum(), prose)))
    piece = (~is_prose).cumsum()
    return {
        "page_run_prose": log1p(run),
        "page_run_share": run / total,
        "page_piece_prose": log1p(np.maximum.reduce(np.bincount(piece, prose))),
        "page_piece_blocks": log1p(np.maximum.reduce(np.bincount(piece, is_prose))),
        "page_n_prose": log1p(np.count_nonzero(is_prose)),
        "page_prose_link": float(np.add.reduce(page.counts.linked[is_prose])) / total,
        "page_prose_ends": 100 * float(np.add.reduce(page.counts.ends[is_prose])) / total,
    }


def _containers(page: PageBlocks) -> Numbers:
    """Return how far prose is spread over containers; in a list, each entry has its own container."""
    score, best, end = page.best.score, page.best.element, page.end
    top, total, squared = float(score[best]), float(np.add.reduce(score)), float(score @ score)
    other = score.copy()
    other[best : end[best]] = 0
    other[page.path(best)] = 0
    is_prose = page.prose > 0
    parents = page.parent[is_prose]
    held, n_held = np.bincount(parents, page.prose[is_prose]), np.bincount(parents)
    of_all = max(float(np.add.reduce(held)), 1.0)
    return {
        "page_best_score": log1p(top),
        "page_second_score": float(np.maximum.reduce(other)) / max(top, 1.0),
        "page_n_scores": log1p(total**2 / max(squared, 1.0)),
        "page_best_prose": log1p(page.of_elements.prose[best]),
        "page_parent_most": float(np.maximum.reduce(held, initial=0)) / of_all,
        "page_n_parents": log1p(of_all**2 / max(float(held @ held), 1.0)),
        "page_alone": np.count_nonzero(n_held == 1) / max(int(np.count_nonzero(n_held)), 1),
    }


# ---- headings and texts

_TITLE_PARTS = lazy(r"\s[-|–—:·»]\s|\s?\|\s?")
_MAX_TITLE_CHARS: Final = 300
_NEAR: Final = 10
_CURRENCIES: Final = "$€£¥₹₩₽₺฿"
_MAX_PRICE_CHARS: Final = 40


def _headings(page: PageBlocks) -> Numbers:
    """Return columns of the headings and the title, and how soon prose follows the main heading."""
    kind, link, chars, counts = page.kind, page.link, page.log_chars, page.counts
    lesser = page.is_heading & (kind != 7)
    n_lesser = np.count_nonzero(lesser)
    title = page.document.title[:_MAX_TITLE_CHARS]
    first = _TITLE_PARTS.split(title, maxsplit=1)[0]
    found = {
        "page_title_chars": float(len(title)),
        "page_title_words": float(len(first.split())),
        "page_n_headings": log1p(n_lesser),
        "page_n_linked_headings": log1p(np.count_nonzero(lesser & (link > 0.5))),
        "page_heading_chars": float(chars[lesser].mean()) if n_lesser else -1.0,
    }
    places = (kind == 7).nonzero()[0]
    if not len(places):
        names = ("chars", "words", "link", "to_prose", "prose")
        return found | {f"page_h1_{name}": -1.0 for name in names}
    h1 = int(places[0])
    prose = page.prose[h1:]
    return found | {
        "page_h1_chars": float(chars[h1]),
        "page_h1_words": float(counts.spaces[h1] + counts.unspaced[h1] / 3 + 1),
        "page_h1_link": float(link[h1]),
        "page_h1_to_prose": float(min(int(after[0]), 60)) if len(after := prose.nonzero()[0]) else -1.0,
        "page_h1_prose": log1p(np.add.reduce(prose[:_NEAR])),
    }


def _texts(page: PageBlocks) -> Numbers:
    """Return counts of links as long as headlines, short texts, repeated texts and prices."""
    chars, link = page.counts.chars, page.link
    linked, total = link > 0.9, max(page.all_chars, 1.0)
    prices = "\n".join([text for text in page.texts if len(text) < _MAX_PRICE_CHARS])
    return {
        "page_long_links": log1p(np.count_nonzero(linked & (chars >= 40))),
        "page_headline_links": float(np.add.reduce(chars[linked & (chars > 25)])) / total,
        "page_short_texts": log1p(np.count_nonzero((chars < 60) & (link < 0.3))),
        "page_repeated": 1 - len(set(page.keys)) / page.n,
        "page_prices": log1p(sum(map(prices.count, _CURRENCIES))),
    }
