"""Where a site's feeds lie: what a page's head names, and the usual places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from webmain.discovery.markup import absolute_url, plain_text

MAX_TITLE_CHARS: Final = 1000

USUAL_FEED_PATHS: Final = (
    "/feed/", "/rss", "/rss.xml", "/feed.xml", "/atom.xml", "/index.xml", "/feeds/posts/default", "/feed.json",
    "/rss/", "/index.rdf", "/feed/rss/", "/rss/index.xml", "/rss/news.xml", "/news/rss", "/?feed=rss2",
)  # fmt: skip
"""Where feeds lie that nobody links to, the commonest first; relative to the site's root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedLink:
    """A feed that a page names in its head; the type in lower case, without parameters."""

    url: str
    title: str | None = None
    type: str = ""


_FEED_TYPES: Final = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json", "application/rss"}
)
_XML_TYPES: Final = frozenset({"text/xml", "application/xml"})
_NOT_WANTED_SEGMENTS: Final = frozenset(
    {"comments", "comment", "kommentare", "commentaires", "comentarios", "tag", "tags", "author", "autor", "search"}
)
_COMMENT_WORDS: Final = (
    "comment", "kommentar", "commentaire", "comentario", "comentário", "commenti", "reacties", "yorum", "коммент",
    "komentar", "σχόλια", "تعليق", "ความคิดเห็น", "ความเห็น", "评论", "評論", "コメント", "댓글", "bình luận",
)  # fmt: skip


def find_feeds(links: Iterable[Mapping[str, str | None]], *, url: str) -> tuple[FeedLink, ...]:
    """Choose the feeds worth reading among a page's `<link>` elements.

    Parameters
    ----------
    links : iterable of mappings
        Attributes of each link element, names in lower case: `rel`, `type`, `href`, `title`.
    url : str
        The page's own address (after `<base>`).

    Returns
    -------
    tuple of FeedLink
        In document order, each address once. Feeds of comments, tags, authors and searches are left out, and so is
        the feed of the page itself (WordPress's `/2024/05/slug/feed/`, which holds its comments).
    """
    found: dict[str, FeedLink] = {}
    for link in links:
        rels = (link.get("rel") or "").lower().split()
        kind = (link.get("type") or "").partition(";")[0].strip().lower()
        target = absolute_url(link.get("href"), url)
        if target is None or not ({"alternate", "feed"} & set(rels)) or "stylesheet" in rels:
            continue
        is_feed = kind in _FEED_TYPES or "feed" in rels or (kind in _XML_TYPES and _has_feed_word(target))
        if is_feed and _is_wanted(target, link.get("title") or "", url):
            title = plain_text(link.get("title"), max_chars=MAX_TITLE_CHARS)
            found.setdefault(target, FeedLink(url=target, title=title, type=kind))
    return tuple(found.values())


def _has_feed_word(target: str) -> bool:
    """Whether an address of unspecific type speaks of a feed."""
    return any(word in target.lower() for word in ("rss", "atom", "feed", ".rdf"))


def _is_wanted(target: str, title: str, page: str) -> bool:
    """Whether the feed is of articles, and of more than one tag or author."""
    if any(word in title.casefold() for word in _COMMENT_WORDS):
        return False
    parts, own = urlsplit(target), urlsplit(page)
    segments = [segment for segment in parts.path.lower().split("/") if segment]
    if _NOT_WANTED_SEGMENTS.intersection(segments) or "comments" in parts.query.lower() or "replytocom" in parts.query:
        return False
    own_path = own.path.rstrip("/")
    under_itself = parts.netloc == own.netloc and own_path.count("/") > 1 and parts.path.startswith(own_path + "/feed")
    return not under_itself
