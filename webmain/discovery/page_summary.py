"""What discovery needs of a page: its addresses, its links, and how much text of its own it has.

`summarise` reads a document once and returns a plain record, so that pages can be read in one process and judged in another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.discovery.articles import THRESHOLDS
from webmain.discovery.links import (
    Link,
    attribute_links,
    data_links,
    feed_anchors,
    frame_links,
    is_in_menu,
    pager_links,
    read_links,
)
from webmain.discovery.missing import says_missing
from webmain.discovery.places import find_feeds
from webmain.discovery.shown_text import char_weight, paragraphs_of, shown_chars
from webmain.embedded.articles import embedded_article
from webmain.html.blocks import default_blocks
from webmain.html.columns import HIDDEN, Flag
from webmain.metadata.head import HEADLINE, element_text, has_sign, head_metas, meta_names
from webmain.metadata.jsonld import declared_types
from webmain.text.prose_amount import prose_chars
from webmain.urls import join, normalise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.html.document import Document

MAX_HEAD_ELEMENTS: Final = 2000
MAX_REFRESH_S: Final = 10
"""A refresh after more seconds than this is not treated as a redirect: the page is shown first."""

MAX_SCRIPT_REFRESH_CHARS: Final = 4096
"""Longer pages are not searched for a script that leads elsewhere."""

MAX_URL_CHARS: Final = 2083
"""Links with longer addresses are left out; Scrapy would not fetch them (`URLLENGTH_LIMIT`)."""

_MAX_HEADLINES: Final = 3
_MAX_ABOVE: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What the head of a page declares.

    Attributes
    ----------
    canonical : str or None
        Normalised address of `link rel=canonical`.
    rel_next : str or None
        Absolute address of `link rel=next`.
    feeds : tuple of str
        Addresses of the feeds in `link` elements, and in anchors to files that are named like feeds.
    is_amp : bool
        The page is the AMP version of another one.
    og_type : str
        `og:type` in lower case; "" if there is none, or if an "article" has a date of change only, as WordPress gives pages.
    has_published : bool
        The head declares a publication date.
    refresh : str or None
        Absolute target of an HTML refresh that acts like a redirect, as in a browser with scripts, or of the script of a page
        that does nothing else. None if it is in `noscript`, comes later than `MAX_REFRESH_S`, or leads to the page itself.
    """

    canonical: str | None
    rel_next: str | None
    feeds: tuple[str, ...]
    is_amp: bool
    og_type: str
    has_published: bool
    refresh: str | None


def read_head(document: Document) -> Head:
    """Read the head from the document's elements."""
    elements = document.elements
    links: list[Mapping[str, str | None]] = []
    is_amp = False
    for tag, attributes in zip(elements.tags[:MAX_HEAD_ELEMENTS], elements.attributes, strict=False):
        if tag == "link":
            links.append(attributes)
        elif tag == "html":
            is_amp = "amp" in attributes or "⚡" in attributes
        elif tag == "body":
            break
    metas: dict[str, str] = {}
    refresh = None
    for i, name, content in head_metas(document, limit=MAX_HEAD_ELEMENTS):
        if content:
            metas[name.removeprefix("itemprop:")] = content
        if name == "http-equiv:refresh" and "noscript" not in map(elements.tags.__getitem__, elements.ancestors(i)):
            refresh = refresh or _refresh(document, content)
    canonical, og_type = _linked(document, links, "canonical"), metas.get("og:type", "").strip().lower()
    has_published = not metas.keys().isdisjoint(meta_names("published"))
    return Head(
        canonical=normalise(canonical) if canonical else None,
        rel_next=_linked(document, links, "next"),
        feeds=find_feeds([*links, *feed_anchors(document)], url=document.base_url or document.url or ""),
        is_amp=is_amp,
        og_type="" if og_type == "article" and "article:modified_time" in metas and not has_published else og_type,
        has_published=has_published,
        refresh=refresh or _script_refresh(document),
    )


def _linked(document: Document, links: Iterable[Mapping[str, str | None]], rel: str) -> str | None:
    """Return the absolute address of the first `link` with this relation."""
    hrefs = (link.get("href") or "" for link in links if rel in (link.get("rel") or "").lower().split())
    href = next(filter(None, hrefs), None)
    return join(document.base_url, href) if href else None


_REFRESH = re.compile(
    r"(?P<seconds>\d{1,9})[\d.]*+\s*+[;,]?\s*+(?:url\s*+=\s*+)?+(?P<url>[^\d\s.;,].*)", re.IGNORECASE | re.DOTALL
)


def _refresh(document: Document, content: str) -> str | None:
    """Return the target of an HTML refresh; None if there is none, it is the page itself, or the delay is too long."""
    found = _REFRESH.fullmatch(content[:4096].strip())
    if not found or int(found["seconds"]) > MAX_REFRESH_S:
        return None
    quote = found["url"][0] if found["url"][0] in "'\"" else ""
    address = found["url"][1:].partition(quote)[0] if quote else found["url"]
    target = join(document.base_url or "", address.strip())
    here = normalise(document.url or "") or document.url
    return target if target and (normalise(target) or target) != here else None


_LOCATION = re.compile(
    r"""\blocation(?:\.href)?\s{0,9}(?:=|\.(?:replace|assign)\()\s{0,9}(?P<quote>["'])(?P<url>[^"'<>\s]{1,2000})(?P=quote)"""
)


def _script_refresh(document: Document) -> str | None:
    """Return the address that a script of a short page without any text leads to; None if there is none."""
    source = document.html
    if len(source) > MAX_SCRIPT_REFRESH_CHARS or "location" not in source or sum(document.leaves.n_chars):
        return None
    found = _LOCATION.search(source)
    return _refresh(document, f"0;url={found['url']}") if found else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PageSummary:
    """What discovery needs of a page, as arrays and plain values.

    Attributes
    ----------
    url : str
        The page's address.
    head : Head
    links : tuple of str
        Distinct absolute addresses of the links, in document order; if there are few, also those of clicks and menus, and if
        the page shows hardly any text, those in its embedded data.
    followed : tuple of str
        The links without `rel=nofollow`, repetitions included.
    pager : tuple of Link
        Links that may belong to a pager: short links to neighbouring pages, and links declared as next.
    types : frozenset of str
        Types of the objects in its JSON-LD, and of the microdata that its only `h1` belongs to, in lower case.
    has_published : bool
        A publication date is declared, in the head or the JSON-LD.
    says_missing : bool
        Its title says that the page does not exist, and no publication date is declared.
    is_in_menu : bool
        A menu of the page names the page itself.
    n_h1 : int
        Number of `h1` headlines.
    has_headline : bool
        One of them is a sentence rather than a name, and the beginning of the page's title.
    chars, linked : (n_leaves,) int32
        Characters of each visible text run, and how many of them are in links.
    of_leaf : (n_leaves,) int32
        The block of each text run; -1 for none.
    hashes : (n_leaves,) uint64
        A hash of each text run of at least 40 characters, the same in every process; 0 for shorter ones.
    text_hashes : list of int
        These hashes without the texts of whole articles that stand below their links, as on the front pages of blogs.
    text_hash : bytes
        A hash of all text runs, of the embedded article, and of the feed's text if the page lacks it.
    teasers : mapping of address to int
        For each linked address, the characters in the paragraphs below its link (see `read_teasers`).
    embedded : tuple of float
        If the page shows hardly any text: the characters of prose in each block of its embedded article.
    embedded_is_own : bool
        The embedded article has the page's title or address.
    with_feeds_text : str
        If the page shows hardly anything of its feed's text: its markup with that text as the body.
    """

    url: str
    head: Head
    links: tuple[str, ...]
    followed: tuple[str, ...]
    pager: tuple[Link, ...]
    types: frozenset[str]
    has_published: bool
    says_missing: bool
    is_in_menu: bool
    n_h1: int
    has_headline: bool
    chars: NDArray[np.int32]
    linked: NDArray[np.int32]
    of_leaf: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    text_hashes: list[int]
    text_hash: bytes
    teasers: Mapping[str, int]
    embedded: tuple[float, ...]
    embedded_is_own: bool
    with_feeds_text: str


def summarise(document: Document) -> PageSummary:
    """Return what discovery needs of a page."""
    head = read_head(document)
    leaves, hints, blocks = document.leaves, document.page.hints, default_blocks(document)
    chars, linked = shown_chars(document)
    links = [link for link in read_links(document) if len(link.url) <= MAX_URL_CHARS]
    shows_little = paragraphs_of(blocks.of_unit, chars, linked).sum() < THRESHOLDS.few_chars
    embedded = embedded_article(document) if shows_little else None
    if shows_little and embedded is None and head.og_type == "article":  # a script makes it visible
        unseen = leaves.has(Flag.HIDDEN_VISIBILITY) & ~leaves.has(HIDDEN & ~Flag.HIDDEN_VISIBILITY)
        chars = chars + (leaves.n_chars * char_weight(document) * unseen).astype(np.int32)
    shown_links = tuple(dict.fromkeys(link.url for link in links))
    carried: tuple[str, ...] = ()
    if len(shown_links) < THRESHOLDS.few_links:
        of_data = (*frame_links(document), *data_links(document)) if shows_little else ()
        carried = (*of_data, *attribute_links(document))
    has_published = head.has_published or any('"datePublished"' in data for data in document.tree.data)
    data_types = (found for data in document.tree.data for found in declared_types(data))
    content = hints.content_html if hints and hints.content_html and lacks_text(document, hints.content_html) else ""
    carried_texts = [embedded.html if embedded else "", content]
    hashes = np.array([hash_of(text) for text in leaves.texts], dtype=np.uint64)
    teasers = read_teasers(document)
    whole = [block for teaser in teasers.values() if teaser.chars >= THRESHOLDS.whole_chars for block in teaser.blocks]
    return PageSummary(
        url=document.url or "",
        head=head,
        links=tuple(dict.fromkeys(shown_links + carried)),
        followed=(*(link.url for link in links if "nofollow" not in link.rel), *carried),
        pager=tuple(pager_links(document, links)),
        types=frozenset(found.rpartition("/")[2].lower() for found in (*data_types, *_headline_types(document))),
        has_published=has_published,
        says_missing=not has_published and says_missing(document),
        is_in_menu=is_in_menu(document),
        n_h1=len(document.elements.of_tags(("h1",))),
        has_headline=_has_headline(document),
        chars=chars,
        linked=linked,
        of_leaf=blocks.of_unit.astype(np.int32),
        hashes=hashes,
        text_hashes=hashes[(hashes > 0) & ~np.isin(blocks.of_unit, whole)].tolist(),
        text_hash=_digest([*leaves.texts, *filter(None, carried_texts)], size=16),
        teasers={url: teaser.chars for url, teaser in teasers.items()},
        embedded=tuple(prose_chars(block.text) for block in embedded.blocks) if embedded else (),
        embedded_is_own=embedded is not None and embedded.is_own,
        with_feeds_text=_with_text(document, content, (hints and hints.title) or "") if content else "",
    )


def _has_headline(document: Document) -> bool:
    """Return True if an `h1` is a sentence rather than a name, and the beginning of the page's title."""
    title = " ".join(document.title.split())
    texts = (element_text(document, i) for i in document.elements.of_tags(("h1",))[:_MAX_HEADLINES])
    return any(
        len(text) * char_weight(document) >= THRESHOLDS.headline_chars and title.startswith(text) for text in texts
    )


def _headline_types(document: Document) -> list[str]:
    """Return the microdata type of the nearest element with one around the only `h1`; none with several."""
    elements, headlines = document.elements, document.elements.of_tags(("h1",))
    around = elements.ancestors(headlines[0])[:_MAX_ABOVE] if len(headlines) == 1 else []
    return [found for each in elements.attributes_of(around) if (found := each.get("itemtype"))][:1]


def hash_of(text: str) -> int:
    """Return a text's hash, the same in every process; 0 if it is too short."""
    if len(text) < THRESHOLDS.paragraph_chars:
        return 0
    return int.from_bytes(_digest((text,), size=8), "little") or 1


def _digest(texts: Iterable[str], *, size: int) -> bytes:
    return blake2b("\n".join(texts).encode("utf-8", "surrogatepass"), digest_size=size).digest()


def lacks_text(document: Document, content_html: str) -> bool:
    """Return True if a page shows hardly anything of the text in its feed, as an empty page that a script fills does.

    A page with at least the first fifth of it, as before a paywall, has a text of its own; so has one with as much prose.
    """
    from webmain.html.tree import read_tree

    leaves = read_tree(content_html[: 1 << 20].encode("utf-8", "replace"), deadline=document.deadline).leaves
    wanted = [text for text in leaves.texts if len(text) >= THRESHOLDS.paragraph_chars]
    total = sum(map(len, wanted))
    if total < THRESHOLDS.feed_chars:
        return False
    if paragraphs_of(default_blocks(document).of_unit, *shown_chars(document)).sum() >= total:
        return False
    shown = "\n".join(document.leaves.texts)
    return sum(len(text) for text in wanted if text in shown) < THRESHOLDS.shown_share * total


_BODY = re.compile(r"<body\b", re.IGNORECASE)


def _with_text(document: Document, content_html: str, title: str) -> str:
    """Return the page's head with the headline and article from the feed as the body."""
    head = document.html[: body.start()] if (body := _BODY.search(document.html)) else ""
    return f"{head}<body><article><h1>{escape(title)}</h1>{content_html}</article></body></html>"


# ---- Teasers

_LEVELS: Final = {f"h{level}": level for level in range(1, 7)}


@dataclass(slots=True)
class Teaser:
    """The paragraphs below a link: their characters, and their blocks."""

    chars: int = 0
    blocks: list[int] = field(default_factory=list)


def read_teasers(document: Document) -> dict[str, Teaser]:
    """Return, for each linked address, the paragraphs below its link.

    Below a linked headline, these are all paragraphs up to the next headline that is not a subhead, or the next block that is
    mostly a link; below such a block, only the next paragraph. The page's own title is not counted, whatever it links to.
    A block that begins with a line that is a link is both.
    """
    blocks, elements = default_blocks(document), document.elements
    in_block, linked = (blocks.sums(chars) for chars in shown_chars(document))
    is_link = (2 * linked >= in_block) & (in_block >= THRESHOLDS.link_chars)
    is_paragraph = (in_block >= THRESHOLDS.paragraph_chars) & ~is_link
    owner, linking = blocks.of_unit.tolist(), set(np.flatnonzero(is_link).tolist())
    target: dict[int, str] = {}
    found: dict[str, Teaser] = {}
    first_leaf, end_leaf = elements.first_leaf, elements.end_leaf
    for url, text, _, _, element in read_links(document):
        first, end = first_leaf[element], end_leaf[element]
        for block in owner[first:end]:
            if block in linking:
                target.setdefault(block, url)
        if end < len(owner) and 0 <= (block := owner[first]) == owner[end] and document.leaves.breaks[end]:
            is_first = (first == 0 or owner[first - 1] != block) and len(text) >= THRESHOLDS.link_chars
            if is_first and in_block[block] - linked[block] >= THRESHOLDS.paragraph_chars:
                found[url] = Teaser(int(in_block[block]), [block])
    opening = {block for teaser in found.values() for block in teaser.blocks}
    head, level, title = "", 0, document.title
    level_of = {i: _LEVELS[elements.tags[i]] for i in elements.of_tags(_LEVELS)}
    is_as_long = (in_block >= THRESHOLDS.link_chars) & (in_block <= len(title) * char_weight(document))
    as_long = np.flatnonzero(is_as_long).tolist()
    titles = {
        block for block, text in zip(as_long, blocks.texts(as_long), strict=True) if " ".join(text.split()) in title
    }
    each = zip(blocks.element.tolist(), in_block.tolist(), is_paragraph.tolist(), strict=True)
    for block, (element, n_chars, has_prose) in enumerate(each):
        own_level = level_of.get(element) or level_of.get(elements.parent[element], 0)
        if not own_level and block in target and has_sign(elements.attributes[element].get("class"), HEADLINE):
            own_level = _LEVELS["h2"]
        if block in titles and (own_level or (head and block not in target)):
            head = ""
        elif block in target:
            head, level = target[block], own_level
        elif own_level and n_chars:
            head = head if 0 < level < own_level else ""  # a subhead
        elif has_prose and head and block not in opening:
            teaser = found.setdefault(head, Teaser())
            teaser.chars += int(n_chars)
            teaser.blocks.append(block)
            head = head if level else ""
    return found
