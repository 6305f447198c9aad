"""Where a site's feeds and sitemaps are: as declared in its pages, and at the usual paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from webmain import languages
from webmain.discovery.safe_xml import absolute_url

USUAL_FEED_PATHS: Final = (
    "/feed/", "/rss", "/rss.xml", "/feed.xml", "/atom.xml", "/index.xml", "/feeds/posts/default", "/feed.json",
    "/rss/", "/index.rdf", "/feed/rss/", "/rss/index.xml", "/rss/news.xml", "/news/rss", "/?feed=rss2",
)  # fmt: skip
"""Usual paths of feeds that no page links to, the most common first; relative to the site's root."""

USUAL_SITEMAP_PATHS: Final = (
    "/sitemap.xml", "/sitemap_index.xml", "/news-sitemap.xml", "/sitemap-news.xml", "/sitemap_news.xml",
    "/sitemap-index.xml", "/wp-sitemap.xml", "/sitemap.xml.gz", "/sitemap/sitemap.xml", "/sitemap/news.xml",
    "/sitemaps/sitemap.xml", "/sitemap.txt",
)  # fmt: skip
"""Usual paths of sitemaps that robots.txt does not list, the most common first; relative to the site's root."""

_FEED_TYPES: Final = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json", "application/rss"}
)
_XML_TYPES: Final = frozenset({"text/xml", "application/xml"})
_NOT_WANTED_SEGMENTS: Final = frozenset(
    {"comments", "comment", "kommentare", "commentaires", "comentarios", "tag", "tags", "author", "autor", "search"}
)


def find_feeds(links: Iterable[Mapping[str, str | None]], *, url: str) -> tuple[str, ...]:
    """Return the feeds worth reading among a page's `<link>` elements.

    Parameters
    ----------
    links : iterable of mappings
        Attributes of each link element, names in lower case: `rel`, `type`, `href`, `title`.
    url : str
        The page's own address (after `<base>`).

    Returns
    -------
    tuple of str
        Absolute addresses in document order, each once. Feeds of comments, tags, authors and searches are left out,
        and so is the feed of the page itself (WordPress's `/2024/05/slug/feed/`, which holds its comments).
    """
    found: dict[str, None] = {}
    for link in links:
        rels = (link.get("rel") or "").lower().split()
        kind = (link.get("type") or "").partition(";")[0].strip().lower()
        target = absolute_url(link.get("href"), url)
        if target is None or not ({"alternate", "feed"} & set(rels)) or "stylesheet" in rels:
            continue
        has_feed_word = any(word in target.lower() for word in ("rss", "atom", "feed", ".rdf"))
        is_feed = kind in _FEED_TYPES or "feed" in rels or (kind in _XML_TYPES and has_feed_word)
        if is_feed and _is_wanted(target, link.get("title") or "", url):
            found[target] = None
    return tuple(found)


def _is_wanted(target: str, title: str, page: str) -> bool:
    """Return True if the feed has articles, and is not limited to one tag or author."""
    if any(word in title.casefold() for word in languages.known().words("comments")):
        return False
    parts, own = urlsplit(target), urlsplit(page)
    segments = [segment for segment in parts.path.lower().split("/") if segment]
    if _NOT_WANTED_SEGMENTS.intersection(segments) or "comments" in parts.query.lower() or "replytocom" in parts.query:
        return False
    own_path = own.path.rstrip("/")
    under_itself = parts.netloc == own.netloc and own_path.count("/") > 1 and parts.path.startswith(own_path + "/feed")
    return not under_itself
