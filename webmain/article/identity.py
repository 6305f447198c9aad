"""What an article is known by: its id and its fingerprint.

The id comes from an article's address: the canonical one, if it is of the site that the page came from, else the page's
own. So http and https, `www.`, `m.`, `mobile.`, AMP forms and all other hosts below one registered domain may name one
article, as their owner says; a page of another site cannot take its place. `webmain.urls.site_key` tells sites apart.
"""

from __future__ import annotations

import hashlib

from webmain.items import Article
from webmain.text.normal import fingerprint
from webmain.urls import is_web, same_site


def article_id(url: str) -> str:
    """Return the id of the article at a canonical URL: the first 16 hex digits of its SHA-256.

    Parameters
    ----------
    url : str
        The canonical URL, or the page's own where there is none; as it stands, without further normalisation.
    """
    return _sha256(url)[:16]


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


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
