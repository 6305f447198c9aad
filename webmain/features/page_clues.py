"""What a page's head and embedded data tell of its blocks: titles, descriptions, article bodies, kinds of page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.document import Document

PAGE_CLUES: Final = (
    "says_article",
    "says_product",
    "says_forum",
    "says_list",
    "articles",
    "main",
    "data_body",
    "path_depth",
)
"""Names of the columns that are the same for all blocks of a page."""

_MIN_CHARS: Final = 25
_PROBE: Final = 50
_MAX_DATA: Final = 400_000
_TYPES = re.compile(r'"@type"\s*:\s*\[?\s*"([A-Za-z]{1,40})"')
_BODY_KEYS: Final = ('"articleBody"', '"text"', '"description"', '"reviewBody"')
_BODY = re.compile(r'"[A-Za-z]+"\s*:\s*"([^"\\]*+(?:\\.[^"\\]*+)*+)"')
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)")
_KINDS: Final = {
    "says_article": frozenset(
        "Article NewsArticle BlogPosting ReportageNewsArticle TechArticle OpinionNewsArticle".split()
    ),
    "says_product": frozenset("Product ProductGroup Offer AggregateOffer Vehicle".split()),
    "says_forum": frozenset("DiscussionForumPosting QAPage Question Comment".split()),
    "says_list": frozenset("CollectionPage ItemList SearchResultsPage OfferCatalog".split()),
}


@dataclass(frozen=True)
class PageClues:
    """Columns from the head and the data of a page.

    Attributes
    ----------
    of_blocks : (n_blocks, 4) float64
        In the title; holds the description; stands in embedded data; holds the title's beginning.
    of_page : tuple of float
        In the order of `PAGE_CLUES`.
    """

    of_blocks: NDArray[np.float64]
    of_page: tuple[float, ...]


def page_clues(document: Document, keys: Sequence[str], log_chars: NDArray[np.float64]) -> PageClues:
    """Look up a page's blocks in its head and its embedded data.

    Parameters
    ----------
    document : Document
    keys : sequence of str
        The blocks' texts, case folded.
    log_chars : (n_blocks,) float64
        Logarithm of their lengths.
    """
    title = " ".join(document.title.casefold().split())
    described, kind = _head(document)
    data = "".join(document.tree.data)[:_MAX_DATA]
    types = set(_TYPES.findall(data)) if data else set()
    bodies = _bodies(data)
    n = len(keys)
    found = np.zeros((4, n))
    long = np.flatnonzero(log_chars > np.log(_MIN_CHARS)).tolist()
    starts, descriptions = [d[:_PROBE] for d in described], "\0".join(described)
    words = set(bodies.split())  # the first and the last word of a probe may be pieces of words
    for i in long if described or bodies else ():
        key = keys[i]
        probe = key[:_PROBE]
        if probe in descriptions:
            found[1, i] = 1
        else:
            for start in starts:
                if start in key:
                    found[1, i] = 1
        if bodies and words.issuperset(probe.split()[1:-1]):
            found[2, i] = probe in bodies
    if title:
        head = title[:24]
        found[0] = [len(k) > 3 and k in title for k in keys]
        found[3] = [head in k for k in keys]
    tags = document.elements.tags
    page = [float(bool(types & names) or kind == clue) for clue, names in _KINDS.items()]
    path = (document.url or "").split("?")[0].rstrip("/")
    page += [
        min(tags.count("article"), 20),
        float("main" in tags),
        np.log1p(len(bodies)),
        min(max(path.count("/") - 2, 0), 8) if path.startswith("http") else -1.0,
    ]
    return PageClues(found.T, tuple(page))


def _head(document: Document) -> tuple[list[str], str]:
    """Return the descriptions in the page's head, case folded, and the kind of page it says it is."""
    elements = document.elements
    described: list[str] = []
    kind = ""
    for i, tag in enumerate(elements.tags[:600]):
        if tag == "body":
            break
        if tag != "meta":
            continue
        attributes = elements.attributes[i]
        name = (attributes.get("property") or attributes.get("name") or "").lower()
        if name in ("description", "og:description", "twitter:description"):
            text = " ".join((attributes.get("content") or "").casefold().split())
            if len(text) >= _MIN_CHARS and text not in described:
                described.append(text)
        elif name == "og:type":
            value = (attributes.get("content") or "").lower()
            kind = "says_article" if "article" in value else "says_product" if "product" in value else ""
    return described[:6], kind


def _bodies(data: str) -> str:
    """Return the long strings of embedded data, case folded, white space folded."""
    if not data:
        return ""
    places = []
    for key in _BODY_KEYS:
        at = data.find(key)
        while at >= 0:
            places.append(at)
            at = data.find(key, at + 1)
    bodies, end = [], 0
    for at in sorted(places):
        if at >= end and (match := _BODY.match(data, at)):
            bodies.append(match[1])
            end = match.end()
    bodies = [body for body in bodies if len(body) > 200]
    if not bodies:
        return ""
    text = _ESCAPE.sub(_unescaped, "\n".join(bodies))
    return " ".join(text.casefold().split())


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return {"n": " ", "t": " ", "r": " "}.get(match[2], match[2])
