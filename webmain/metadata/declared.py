"""Declared evidence that a page is an article: from feeds and news sitemaps, its head, and its JSON-LD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from webmain.html.document import Document, view
from webmain.metadata.head import head_metas
from webmain.metadata.jsonld import declared_types, read_json_ld, texts
from webmain.metadata.values import clean
from webmain.regex import lazy
from webmain.text.normal import as_seen

if TYPE_CHECKING:
    from webmain.metadata.jsonld import JsonLd, Node

MAX_HEAD_ELEMENTS: Final = 2000
MAX_CLAIMING_ELEMENTS: Final = 600
MIN_DESCRIPTION_CHARS: Final = 25
MAX_DATA_CHARS: Final = 400_000
"""Characters of a page's JSON-LD that are searched before it is parsed."""

_OPEN_GRAPH_KIND = lazy(r"article|product|\A\s*video(?!\.tv)")
_SOURCES: Final = frozenset(("feed", "news-sitemap"))
_TYPE = lazy(r'(?:Article|BlogPosting)"')


class HeadClaims(NamedTuple):
    """What a page's head claims of it: its descriptions, case folded, and a kind, "article", "product", "video" or ""."""

    descriptions: list[str]
    kind: str


@view
def head_claims(document: Document) -> HeadClaims:
    """Return the distinct descriptions of a page, and the kind in its `og:type`."""
    found: list[str] = []
    kind = ""
    for _, name, content in head_metas(document, limit=MAX_CLAIMING_ELEMENTS):
        if name in ("description", "og:description", "twitter:description"):
            text = " ".join(as_seen(content).casefold().split())
            if len(text) >= MIN_DESCRIPTION_CHARS and text not in found:
                found.append(text)
        elif name == "og:type":
            known = _OPEN_GRAPH_KIND.search(content.lower())
            kind = known[0].strip() if known else ""
    return HeadClaims(found[:6], kind)


def article_evidence(document: Document) -> bool:
    """Return True if a feed or a news sitemap lists a page, or its own data declares it an article.

    A crawl's guess from URL and text (`Page.article_reason`) does not count: it holds for most forum threads, too.
    """
    hints = document.page.hints
    return (hints is not None and hints.source in _SOURCES) or declares_article(document)


@view
def json_ld(document: Document) -> JsonLd:
    """Return the typed objects of a page's JSON-LD."""
    return read_json_ld(document.tree.data)


@view
def own_data(document: Document) -> str:
    """Return the beginning of a page's JSON-LD source."""
    return "".join(document.tree.data)[:MAX_DATA_CHARS]


@view
def own_types(document: Document) -> set[str]:
    """Return all types named anywhere in a page's JSON-LD."""
    return declared_types(own_data(document))


@view
def declares_article(document: Document) -> bool:
    """Return True if a page declares that it is an article and when it was published.

    Either in its head (`og:type`, `article:published_time`) or with one top-level object of its JSON-LD: NewsArticle,
    BlogPosting, ... Several such objects with different headlines are a list, and don't count.
    """
    metas = {name: content.strip() for _, name, content in head_metas(document, limit=MAX_HEAD_ELEMENTS)}
    if metas.get("og:type", "").lower() == "article" and metas.get("article:published_time"):
        return True
    data = [each for each in document.tree.data if "datePublished" in each and _TYPE.search(each)]
    articles = [node for node in read_json_ld(data).nodes if _is_article(node)]
    headlines = {clean(text) for node in articles for text in texts(node.value.get("headline"))[:1]}
    return bool(articles) and len(headlines) <= 1


def _is_article(node: Node) -> bool:
    """Return True if an object is a dated article and not part of another object."""
    types = (name for name in node.types if name != "techarticle")
    return (
        not node.aside and "datePublished" in node.value and any(n.endswith(("article", "blogposting")) for n in types)
    )
