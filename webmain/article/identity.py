"""An article's id and fingerprint.

The id comes from the canonical URL if that is on the page's own site, else from the page's URL. So pages under http and
https, `www.`, `m.`, `mobile.`, AMP forms and all other hosts of one registered domain can be one article, as their owner
declares; a page of another site cannot replace it. `webmain.urls.site_key` defines what a site is.
"""

from __future__ import annotations

from webmain.items import Article, article_id
from webmain.text.normal import fingerprint
from webmain.urls import is_web, same_site


def identify(article: Article) -> str:
    """Return the id to store an article under: its own, else one from its URL, else one from its text.

    An article extracted from a bare string has no URL.
    """
    if article.id:
        return article.id
    url, canonical = article.url, article.canonical_url
    if canonical and (url is None or not is_web(url) or same_site(url, canonical)):
        url = canonical
    return article_id(url) if url else content_mark(article)[:16]


def content_mark(article: Article) -> str:
    """Return the article's fingerprint, computing it if the record has none."""
    return article.fingerprint or fingerprint(article.text)
