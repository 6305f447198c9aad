"""Evidence that a page is an article: what its site says in feeds and news sitemaps, its head, its JSON-LD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webmain.html.document import Document, view
from webmain.metadata.head import clean, head_metas
from webmain.metadata.jsonld import declared_types, read_json_ld, texts
from webmain.regex import lazy

if TYPE_CHECKING:
    from webmain.metadata.jsonld import Node

MAX_HEAD_ELEMENTS: Final = 2000
MAX_DATA_CHARS: Final = 400_000
"""Characters of a page's JSON-LD that are looked at before it is parsed."""

_SOURCES: Final = frozenset(("feed", "news-sitemap"))
_TYPE = lazy(r'(?:Article|BlogPosting)"')


def article_evidence(document: Document) -> bool:
    """Return True if a feed or a news sitemap names a page, or its own data say that it is an article.

    What a crawl makes of a page's address and text (`Page.article_reason`) does not count: it holds for most threads of
    forums, too.
    """
    hints = document.page.hints
    return (hints is not None and hints.source in _SOURCES) or declares_article(document)


@view
def own_data(document: Document) -> str:
    """Return the beginning of a page's JSON-LD as it is written."""
    return "".join(document.tree.data)[:MAX_DATA_CHARS]


@view
def own_types(document: Document) -> set[str]:
    """Return the types that a page's JSON-LD names, wherever in it."""
    return declared_types(own_data(document))


@view
def declares_article(document: Document) -> bool:
    """Return True if a page says of itself that it is an article, and when it was published.

    In its head (`og:type`, `article:published_time`), or by one object of its JSON-LD that is no part of a list or of
    another object: NewsArticle, BlogPosting, ... Several such objects with different headlines make a list.
    """
    metas = {name: content.strip() for _, name, content in head_metas(document, limit=MAX_HEAD_ELEMENTS)}
    if metas.get("og:type", "").lower() == "article" and metas.get("article:published_time"):
        return True
    data = [each for each in document.tree.data if "datePublished" in each and _TYPE.search(each)]
    articles = [node for node in read_json_ld(data).nodes if _is_article(node)]
    headlines = {clean(text) for node in articles for text in texts(node.value.get("headline"))[:1]}
    return bool(articles) and len(headlines) <= 1


def _is_article(node: Node) -> bool:
    """Return True if an object is a dated article that stands for itself."""
    types = (name for name in node.types if name != "techarticle")
    return (
        not node.aside and "datePublished" in node.value and any(n.endswith(("article", "blogposting")) for n in types)
    )
