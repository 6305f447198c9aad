"""What a page tells a crawler: where it belongs, where it leads, and whether it is an article.

`look` reads a document once and returns a plain record: one process may read pages, another decides what is fetched.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webmain.discovery.articles import UrlJudgement
from webmain.discovery.links import data_links, read_links
from webmain.discovery.page_evidence import PageEvidence
from webmain.discovery.pagination import Link
from webmain.discovery.places import find_feeds
from webmain.discovery.teasers import MIN_PARAGRAPH_CHARS, read_teasers
from webmain.embedded.articles import embedded_article
from webmain.html.blocks import default_blocks
from webmain.html.columns import HIDDEN, Flag
from webmain.items import Hints
from webmain.text.prose_amount import prose_chars
from webmain.urls import join, normalise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.html.document import Document

MAX_HEAD_ELEMENTS: Final = 2000
MAX_REFRESH_S: Final = 10
"""Seconds up to which HTML's refresh is a redirect; one that comes later shows the page first."""

MIN_LIST_LINKS: Final = 3
"""A page with so many links to articles may carry their texts as data."""

FEW_CHARS: Final = 300
"""Where a page shows fewer characters in paragraphs, the text that it carries as data is looked at."""

FEW_LINKS: Final = 30
"""Where it has fewer links besides, the addresses that it carries as data count as links."""

MAX_URL_CHARS: Final = 2083
"""Longer addresses of links are left out; Scrapy would not fetch them (`URLLENGTH_LIMIT`)."""

MIN_FURNITURE_CHARS: Final = 40
"""Shorter texts are not remembered: they stand on any page."""

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
        Attributes of the `link` elements, for finding feeds; none in a `Look`.
    is_amp : bool
        The page is an AMP form of another one.
    og_type : str
        In lower case; "" where there is none.
    has_published : bool
        A date of publication is declared.
    refresh : str or None
        Absolute address to which the page leads at once by HTML's refresh, as in a browser with scripts: not where it
        stands in `noscript`, comes later than `MAX_REFRESH_S`, or leads to the page itself.
    """

    canonical: str | None
    rel_next: str | None
    links: tuple[Mapping[str, str | None], ...]
    is_amp: bool
    og_type: str
    has_published: bool
    refresh: str | None = None


def read_head(document: Document) -> Head:
    """Read the head from the walk that was made already."""
    elements = document.elements
    links: list[Mapping[str, str | None]] = []
    canonical = rel_next = refresh = None
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
            elif (attributes.get("http-equiv") or "").strip().lower() == "refresh" and not _in_noscript(document, i):
                refresh = refresh or _refresh(document, attributes.get("content") or "")
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
        refresh=refresh,
    )


_REFRESH = re.compile(
    r"(?P<seconds>\d{1,9})[\d.]*+\s*+[;,]?\s*+(?:url\s*+=\s*+)?+(?P<url>[^\d\s.;,].*)", re.IGNORECASE | re.DOTALL
)


def _refresh(document: Document, content: str) -> str | None:
    """Return where the content of HTML's refresh leads at once; None where that is nowhere, here, or later."""
    found = _REFRESH.fullmatch(content[:4096].strip())
    if not found or int(found["seconds"]) > MAX_REFRESH_S:
        return None
    quote = found["url"][0] if found["url"][0] in "'\"" else ""
    address = found["url"][1:].partition(quote)[0] if quote else found["url"]
    target = join(document.base_url or "", address.strip())
    here = normalise(document.url or "") or document.url
    return target if target and (normalise(target) or target) != here else None


def _in_noscript(document: Document, element: int) -> bool:
    """Tell whether an element stands in `noscript`."""
    parents, tags = document.elements.parent, document.elements.tags
    while (element := parents[element]) >= 0:
        if tags[element] == "noscript":
            return True
    return False


def _absolute(document: Document, href: str | None) -> str | None:
    joined = join(document.base_url, href) if href else None
    return normalise(joined) if joined else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Look:
    """What discovery needs of a page; arrays and plain values.

    Attributes
    ----------
    url : str
        The page's address.
    head : Head
    links : tuple of str
        Absolute addresses of the links, in document order, each as often as it occurs; where the page shows hardly any text
        and few links, those that it carries as data too.
    followed : tuple of str
        Those of them without `rel=nofollow`.
    pager : tuple of Link
        Links that a pager may be made of: short ones to neighbours, and what is declared as next.
    feeds : tuple of str
        Addresses of the feeds that the head names.
    types : frozenset of str
        `@type` values of its JSON-LD.
    n_links : int
        Links with text.
    n_h1 : int
        Main headlines.
    chars, linked : (n_leaves,) int32
        Characters of each text run that is shown, and those of them that are in links.
    of_leaf : (n_leaves,) int32
        The block that each text run is in; -1 for none.
    hashes : (n_leaves,) uint64
        A hash of each text run of `MIN_FURNITURE_CHARS` characters and more, the same in every process; 0 for shorter ones.
    text_hash : bytes
        A hash of all text runs, and of the embedded article.
    teasers : mapping of address to int
        For each linked address the characters of the paragraphs below its link (see `webmain.discovery.teasers`).
    embedded : tuple of float
        Where the page shows hardly any text: the prose of each block of the article that it carries as data.
    embedded_is_own : bool
        That article has the page's title or address.
    with_feeds_text : str
        Where the page shows hardly anything of the text that its feed holds: its markup with that text in place of its body.
    """

    url: str
    head: Head
    links: tuple[str, ...]
    followed: tuple[str, ...]
    pager: tuple[Link, ...]
    feeds: tuple[str, ...]
    types: frozenset[str]
    n_links: int
    n_h1: int
    chars: NDArray[np.int32]
    linked: NDArray[np.int32]
    of_leaf: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    text_hash: bytes
    teasers: Mapping[str, int]
    embedded: tuple[float, ...]
    embedded_is_own: bool
    with_feeds_text: str

    @property
    def furniture(self) -> list[int]:
        """Hashes of its texts that are long enough to be remembered."""
        return [each for each in self.hashes.tolist() if each]


def look(document: Document) -> Look:
    """Read what discovery needs of a page."""
    head = read_head(document)
    leaves, hints = document.leaves, document.page.hints
    shown = ~leaves.has(HIDDEN | Flag.IN_FORM | Flag.IN_CONTROL)
    chars = (leaves.n_chars * shown).astype(np.int32)
    links = [link for link in read_links(document) if len(link.url) <= MAX_URL_CHARS]
    content = hints.content_html if hints else None
    linked, blocks = (chars * leaves.has(Flag.IN_ANCHOR)).astype(np.int32), default_blocks(document)
    shows_little = _paragraphs(blocks.of_unit, chars, linked).sum() < FEW_CHARS
    embedded = embedded_article(document) if shows_little else None
    shown_links = tuple(link.url for link in links)
    data = data_links(document) if shows_little and len(set(shown_links)) < FEW_LINKS else ()
    return Look(
        url=document.url or "",
        head=replace(head, links=()),
        links=shown_links + data,
        followed=(*(link.url for link in links if "nofollow" not in link.rel), *data),
        pager=tuple(pager_links(document)),
        feeds=find_feeds(head.links, url=document.base_url or document.url or ""),
        types=frozenset(found for data in document.tree.data for found in _TYPE.findall(data)),
        n_links=len(np.unique(leaves.elements[leaves.has(Flag.IN_ANCHOR)])),
        n_h1=document.elements.tags.count("h1"),
        chars=chars,
        linked=linked,
        of_leaf=blocks.of_unit.astype(np.int32),
        hashes=np.array([hash_of(text) for text in leaves.texts], dtype=np.uint64),
        text_hash=_digest([*leaves.texts, embedded.html] if embedded else leaves.texts, size=16),
        teasers=read_teasers(document),
        embedded=tuple(prose_chars(block.text) for block in embedded.blocks) if embedded else (),
        embedded_is_own=embedded is not None and embedded.is_own,
        with_feeds_text=with_text(document, content) if content and lacks_text(document, content) else "",
    )


def _paragraphs(of_leaf: NDArray[np.int32], chars: NDArray[Any], linked: NDArray[Any]) -> NDArray[np.float64]:
    """Return the characters of each block that is a paragraph."""
    inside = of_leaf >= 0
    in_block = np.bincount(of_leaf[inside], weights=chars[inside]).astype(np.float64)
    linked_in_block = np.bincount(of_leaf[inside], weights=linked[inside])
    return in_block[(in_block >= MIN_PARAGRAPH_CHARS) & (2 * linked_in_block < in_block)]


def hash_of(text: str) -> int:
    """Return a text's hash, the same in every process; 0 where it is too short to be remembered."""
    if len(text) < MIN_FURNITURE_CHARS:
        return 0
    return int.from_bytes(_digest((text,), size=8), "little") or 1


def _digest(texts: Iterable[str], *, size: int) -> bytes:
    return blake2b("\n".join(texts).encode("utf-8", "surrogatepass"), digest_size=size).digest()


_MAX_PAGER_CHARS: Final = 24


def pager_links(document: Document) -> list[Link]:
    """Choose the links that a pager may be made of: short ones to neighbours, and what is declared as next."""
    url = (document.url or "").partition("?")[0].rstrip("/")
    folder = url.rsplit("/", 1)[0]
    return [
        Link(url=link.url, text=link.text, rel=link.rel, in_nav=link.zone == "nav")
        for link in read_links(document)
        if len(link.url) <= MAX_URL_CHARS
        and ("next" in link.rel or (len(link.text) <= _MAX_PAGER_CHARS and link.url.startswith(folder)))
    ]


def evidence_of(
    page: Look,
    url: UrlJudgement,
    *,
    hints: Hints | None,
    n_article_links: int,
    n_teasers: int = 0,
    teaser_chars: int = 0,
    is_front_page: bool = False,
    furniture: Collection[int] = frozenset(),
) -> PageEvidence:
    """Return what a page says of its kind.

    Parameters
    ----------
    page : Look
    url : UrlJudgement
        What its address tells.
    hints : Hints or None
        What a feed or sitemap said of it.
    n_article_links : int
        Links to other addresses of the site that look like articles.
    n_teasers, teaser_chars : int
        How many of them head paragraphs, and the characters of these.
    furniture : collection of int
        Hashes of texts that stand on the site's hubs. They are not counted where nothing else tells of an article: a
        page for what is missing shows teasers only.
    """
    head, chars, linked = page.head, page.chars, page.linked
    is_collection = bool(_COLLECTIONS & page.types)
    is_article = any(found.endswith(("Article", "BlogPosting", "NewsReport")) for found in page.types)
    has_article_type = (is_article and not is_collection) or head.og_type == "article"
    total, n_linked = int(chars.sum()), int(linked.sum())
    if furniture and not (has_article_type or head.has_published or hints):
        own = np.array([each not in furniture for each in page.hashes.tolist()], dtype=bool)
        chars, linked = chars * own, linked * own
    paragraphs = _paragraphs(page.of_leaf, chars, linked)
    if page.embedded and (page.embedded_is_own or n_article_links < MIN_LIST_LINKS):  # lists carry others' texts
        paragraphs, total = np.concatenate((paragraphs, page.embedded)), total + int(sum(page.embedded))
    return PageEvidence(
        url=url,
        has_article_type=has_article_type,
        has_other_type=is_collection or ("ItemList" in page.types and not is_article),
        has_published=head.has_published,
        paragraph_chars=int(paragraphs.sum()),
        longest_paragraph=int(paragraphs.max(initial=0)),
        link_density=n_linked / total if total else 0.0,
        n_links=page.n_links,
        n_article_links=n_article_links,
        n_teasers=n_teasers,
        teaser_chars=teaser_chars,
        has_h1=page.n_h1 == 1,
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
    from webmain.html.tree import read_tree

    leaves = read_tree(content_html[: 1 << 20].encode("utf-8", "replace"), deadline=document.deadline).leaves
    wanted = [text for text in leaves.texts if len(text) >= MIN_PARAGRAPH_CHARS]
    total = sum(map(len, wanted))
    if total < MIN_FEED_CHARS:
        return False
    shown = "\n".join(document.leaves.texts)
    return sum(len(text) for text in wanted if text in shown) < MIN_SHARE_ON_PAGE * total


_BODY = re.compile(r"<body\b", re.IGNORECASE)


def with_text(document: Document, content_html: str) -> str:
    """Return markup whose body is an article that a feed holds, under the head of the page that shows nothing of it."""
    body = _BODY.search(document.html)
    head = document.html[: body.start()] if body else ""
    return f"{head}<body><article>{content_html}</article></body></html>"
