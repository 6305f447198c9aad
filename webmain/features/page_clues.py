"""Groups of columns from a page's head and embedded data: its title, descriptions, article bodies, and kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.metadata.head import head_metas
from webmain.metadata.jsonld import declared_types

if TYPE_CHECKING:
    from webmain.features.block_columns import Named
    from webmain.features.page_blocks import PageBlocks
    from webmain.html.document import Document

_MIN_CHARS: Final = 25
_PROBE: Final = 50
_MAX_HEAD_ELEMENTS: Final = 600
_MAX_DATA: Final = 400_000
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


def head_and_data(page: PageBlocks) -> Named:
    """Return which blocks repeat what the head or the data contain, and what kind of page these declare."""
    document, n, keys = page.document, page.n, page.keys
    title = " ".join(document.title.casefold().split())
    described, kind = _head(document)
    data = "".join(document.tree.data)[:_MAX_DATA]
    bodies = _bodies(data)
    has_description, in_data = np.zeros(n), np.zeros(n)
    starts, descriptions = [text[:_PROBE] for text in described], "\0".join(described)
    words = set(bodies.split())  # the first and the last word of a probe may be pieces of words
    long = np.flatnonzero(page.log_chars > np.log(_MIN_CHARS)).tolist()
    for i in long if described or bodies else ():
        probe = keys[i][:_PROBE]
        has_description[i] = probe in descriptions or (bool(starts) and any(start in keys[i] for start in starts))
        if bodies and words.issuperset(probe.split()[1:-1]):
            in_data[i] = probe in bodies
    types = declared_types(data)
    tags = page.elements.tags
    path = (document.url or "").split("?")[0].rstrip("/")
    of_page = {
        **{f"page_{name}": float(bool(types & of) or kind == name) for name, of in _KINDS.items()},
        "page_articles": min(tags.count("article"), 20),
        "page_main": float("main" in tags),
        "page_data_body": np.log1p(len(bodies)),
        "page_path_depth": min(max(path.count("/") - 2, 0), 8) if path.startswith("http") else -1.0,
    }
    return {
        "in_title": np.array([len(key) > 3 and key in title for key in keys]),
        "has_description": has_description,
        "in_data": in_data,
        "heads_title": np.array([title[:24] in key for key in keys]) if title else page.same(0),
        **{name: page.same(value) for name, value in of_page.items()},
    }


def _head(document: Document) -> tuple[list[str], str]:
    """Return the descriptions in the page's head, case folded, and the kind of page it says it is."""
    described: list[str] = []
    kind = ""
    for _, name, content in head_metas(document, limit=_MAX_HEAD_ELEMENTS):
        if name in ("description", "og:description", "twitter:description"):
            text = " ".join(content.casefold().split())
            if len(text) >= _MIN_CHARS and text not in described:
                described.append(text)
        elif name == "og:type":
            value = content.lower()
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
