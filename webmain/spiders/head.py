"""What a page's head and its text tell a crawler: where it belongs, where it leads, and whether it is an article."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.discovery.articles import UrlJudgement
from webmain.discovery.page_evidence import PageEvidence
from webmain.items import HIDDEN, Flag, Hints
from webmain.page.urls import join, normalise

if TYPE_CHECKING:
    from webmain.page.document import Document

MAX_HEAD_ELEMENTS: Final = 2000
MIN_PARAGRAPH_CHARS: Final = 40
"""Shorter blocks are labels and headlines."""

_PUBLISHED_NAMES: Final = frozenset(
    """
    article:published_time og:article:published_time datepublished date dc.date dc.date.issued dcterms.created
    dcterms.issued pubdate publishdate publish-date publish_date parsely-pub-date sailthru.date article.published
    date.issued cxenseparse:recs:publishtime article_date_original
    """.split()
)
_TYPE = re.compile(r'"@type"\s{0,9}:\s{0,9}\[?\s{0,9}"(?:https?://schema\.org/)?(\w{1,60})"')
_COLLECTIONS: Final = frozenset(
    {"CollectionPage", "SearchResultsPage", "ProfilePage", "Product", "ContactPage", "AboutPage", "CheckoutPage"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What stands above a page's body.

    Attributes
    ----------
    canonical : str or None
        Normalised address of `link rel=canonical`.
    rel_next : str or None
        Absolute address of `link rel=next`.
    links : tuple of mappings
        Attributes of the `link` elements, for finding feeds.
    is_amp : bool
        The page is an AMP form of another one.
    og_type : str
        In lower case; "" where there is none.
    has_published : bool
        A date of publication is declared.
    """

    canonical: str | None
    rel_next: str | None
    links: tuple[Mapping[str, str | None], ...]
    is_amp: bool
    og_type: str
    has_published: bool


def read_head(document: Document) -> Head:
    """Read the head from the walk that was made already."""
    elements = document.elements
    links: list[Mapping[str, str | None]] = []
    canonical = rel_next = None
    og_type, has_published, is_amp = "", False, False
    for i, tag in enumerate(elements.tags[:MAX_HEAD_ELEMENTS]):
        attributes = elements.attributes[i]
        if tag == "link":
            links.append(attributes)
            rel = (attributes.get("rel") or "").lower().split()
            if "canonical" in rel and canonical is None:
                canonical = _absolute(document, attributes.get("href"))
            elif "next" in rel and rel_next is None:
                rel_next = join(document.base_url, attributes.get("href") or "")
        elif tag == "meta":
            name = (attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or "").lower()
            if name == "og:type":
                og_type = (attributes.get("content") or "").strip().lower()
            elif name in _PUBLISHED_NAMES and attributes.get("content"):
                has_published = True
        elif tag == "html":
            is_amp = "amp" in attributes or "⚡" in attributes
        elif tag == "body":
            break
    return Head(
        canonical=canonical,
        rel_next=rel_next,
        links=tuple(links),
        is_amp=is_amp,
        og_type=og_type,
        has_published=has_published or any('"datePublished"' in data for data in document.tree.data),
    )


def _absolute(document: Document, href: str | None) -> str | None:
    joined = join(document.base_url, href) if href else None
    return normalise(joined) if joined else None


def read_evidence(
    document: Document,
    head: Head,
    url: UrlJudgement,
    *,
    hints: Hints | None,
    n_article_links: int,
    is_front_page: bool = False,
    furniture: Collection[int] = frozenset(),
) -> PageEvidence:
    """Gather what a page says of its kind.

    Parameters
    ----------
    document : Document
    head : Head
        Its head.
    url : UrlJudgement
        What its address tells.
    hints : Hints or None
        What a feed or sitemap said of it.
    n_article_links : int
        Links to other addresses of the site that look like articles.
    furniture : collection of int
        Hashes of texts that stand on the site's hubs. They are not counted where nothing else tells of an article: a
        page for what is missing shows teasers only.
    """
    leaves = document.leaves
    shown = ~leaves.has(HIDDEN | Flag.IN_FORM | Flag.IN_CONTROL)
    chars = leaves.n_chars * shown
    linked = chars * leaves.has(Flag.IN_ANCHOR)
    types = {found for data in document.tree.data for found in _TYPE.findall(data)}
    is_collection = bool(_COLLECTIONS & types)
    is_article = any(found.endswith(("Article", "BlogPosting", "NewsReport")) for found in types)
    has_article_type = (is_article and not is_collection) or head.og_type == "article"
    total, n_linked = int(chars.sum()), int(linked.sum())
    if furniture and not (has_article_type or head.has_published or hints):
        own = np.fromiter((hash(text) not in furniture for text in leaves.texts), dtype=bool, count=len(leaves))
        chars, linked = chars * own, linked * own
    blocks = document.blocks
    in_block, linked_in_block = blocks.sums(chars), blocks.sums(linked)
    is_paragraph = (in_block >= MIN_PARAGRAPH_CHARS) & (2 * linked_in_block < in_block)
    paragraphs = in_block[is_paragraph]
    return PageEvidence(
        url=url,
        has_article_type=has_article_type,
        has_other_type=is_collection or ("ItemList" in types and not is_article),
        has_published=head.has_published,
        paragraph_chars=int(paragraphs.sum()),
        longest_paragraph=int(paragraphs.max(initial=0)),
        link_density=n_linked / total if total else 0.0,
        n_links=len(np.unique(leaves.elements[leaves.has(Flag.IN_ANCHOR)])),
        n_article_links=n_article_links,
        has_h1=document.elements.tags.count("h1") == 1,
        in_feed=hints is not None and hints.source == "feed",
        in_news_sitemap=hints is not None and hints.source == "news-sitemap",
        is_front_page=is_front_page,
    )


MIN_FEED_CHARS: Final = 200
"""A feed's content of so many characters can make the article of a page without text."""

MIN_SHARE_ON_PAGE: Final = 0.2


def lacks_text(document: Document, content_html: str) -> bool:
    """Tell whether a page shows hardly anything of the text that a feed holds: a shell that a script would fill.

    A page with the first fifth of it, as before a paywall, has a text of its own.
    """
    from webmain.page.tree import read_tree

    leaves = read_tree(content_html[: 1 << 20].encode("utf-8", "replace"), deadline=document.deadline).leaves
    wanted = [text for text in leaves.texts if len(text) >= MIN_PARAGRAPH_CHARS]
    total = sum(map(len, wanted))
    if total < MIN_FEED_CHARS:
        return False
    shown = "\n".join(document.leaves.texts)
    return sum(len(text) for text in wanted if text in shown) < MIN_SHARE_ON_PAGE * total


_BODY = re.compile(r"<body\b", re.IGNORECASE)


def with_text(document: Document, content_html: str) -> Document:
    """Return a page whose body is an article that a feed holds, under the head of the page that shows nothing of it."""
    from webmain.page.document import Document

    body = _BODY.search(document.html)
    head = document.html[: body.start()] if body else ""
    return Document(
        document.page,
        html=f"{head}<body><article>{content_html}</article></body></html>",
        charset=document.charset,
        charset_source=document.charset_source,
        deadline=document.deadline,
    )
