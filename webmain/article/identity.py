"""What an article is known by: its id and its fingerprint.

The id comes from an article's address: the canonical one, if it is of the site that the page came from, else the page's
own. So http and https, `www.`, `m.`, `mobile.`, AMP forms and all other hosts below one registered domain may name one
article, as their owner says; a page of another site cannot take its place. `webmain.urls.site_key` tells sites apart.
"""

from __future__ import annotations

from webmain.items import Article, article_id
from webmain.text.normal import fingerprint
from webmain.urls import is_web, same_site


def identify(article: Article) -> str:
    """Return the id to store an article under: its own, else its URL's, else its text's.

    An article extracted from a bare string has no URL; its text is then all it can be known by.
    """
    if article.id:
        return article.id
    url, canonical = article.url, article.canonical_url
    if canonical and (url is None or not is_web(url) or same_site(url, canonical)):
        url = canonical
    return article_id(url) if url else content_mark(article)[:16]


def content_mark(article: Article) -> str:
    """Return the article's fingerprint, computed where the record has none."""
    return article.fingerprint or fingerprint(article.text)
