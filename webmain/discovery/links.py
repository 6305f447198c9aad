"""A page's links, from the document that has already been read."""

from __future__ import annotations

import re
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from webmain.html.columns import Flag
from webmain.html.document import Document, view
from webmain.metadata.head import letters
from webmain.metadata.site_names import is_root
from webmain.urls import join

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from webmain.html.tree import Elements

LANDMARKS: Final = frozenset(("nav", "header", "footer", "aside", "main", "article"))
MAX_LINKS: Final = 5000
"""Further links are not read; the page with the most links in the development data has 2,900."""


class Link(NamedTuple):
    """One anchor of a page.

    Attributes
    ----------
    url : str
        Absolute, http or https, without a fragment.
    text : str
        Anchor text, white space folded.
    rel : tuple of str
        Link types, in lower case.
    zone : str
        Nearest landmark ancestor: "nav", "header", "footer", "aside", "main", "article", or "".
    element : int
        Index of the `a` element.
    """

    url: str
    text: str = ""
    rel: tuple[str, ...] = ()
    zone: str = ""
    element: int = -1


@view
def read_links(document: Document) -> tuple[Link, ...]:
    """Return the page's anchors with absolute http(s) URLs, in document order, repetitions included."""
    elements, leaves = document.elements, document.leaves
    base = document.base_url or ""
    zones = _zones(elements)
    texts, first_leaf, end_leaf = leaves.texts, elements.first_leaf, elements.end_leaf
    links = []
    urls: dict[str, str | None] = {}  # half of a page's links lead to where others do
    anchors = document.anchors.tolist()[:MAX_LINKS]
    for i, attributes in zip(anchors, elements.attributes_of(anchors), strict=True):
        href = attributes["href"] or ""
        if href not in urls:
            urls[href] = join(base, href)
        if (url := urls[href]) is None:
            continue
        first, end = first_leaf[i], end_leaf[i]
        text = texts[first] if end - first == 1 else " ".join(leaves.join(range(first, end)).split())
        rel = attributes.get("rel")
        links.append(Link(url, text, tuple(rel.lower().split()) if rel else (), zones[i], i))
    return tuple(links)


def _zones(elements: Elements) -> list[str]:
    """Return, for each element, the nearest landmark among itself and its ancestors."""
    zones: list[str] = []
    for tag, parent in zip(elements.tags, elements.parent, strict=True):
        zones.append(tag if tag in LANDMARKS else zones[parent] if parent >= 0 else "")
    return zones


_MAX_PAGER_CHARS: Final = 24


def pager_links(document: Document, links: Iterable[Link]) -> list[Link]:
    """Return links that may belong to a pager: short links to neighbouring pages, and links declared as next."""
    folder = (document.url or "").partition("?")[0].rstrip("/").rpartition("/")[0]
    return [
        link
        for link in links
        if "next" in link.rel or (len(link.text) <= _MAX_PAGER_CHARS and link.url.startswith(folder))
    ]


_MAX_MENU_LINKS: Final = 60
_MAX_MENU_WORDS: Final = 3
_MAX_MENU_CHARS: Final = 24
_MAX_NAMED: Final = 20
_MAX_PATH: Final = 2
_MAX_TITLE_CHARS: Final = 1_000


def is_in_menu(document: Document) -> bool:
    """Return True if a menu, `nav` or links in a row with one to the front page, names the page itself.

    The label is short, without digits, and repeated in the page's title or by a text that is no link. What ends a row is
    no label: paths to a page end with its title.
    """
    links, own = read_links(document), _address(document.url or "")
    labels = {
        n: _label(document, link) for n, link in enumerate(links) if own in link.url and _address(link.url) == own
    }
    repeated = _repeated(document, frozenset(filter(None, labels.values())))
    named = [n for n, label in labels.items() if label in repeated]
    return any(_stands_in_menu(document, links, n) for n in named[:_MAX_NAMED])


def _address(url: str) -> str:
    return url.partition("://")[2].partition("#")[0].removeprefix("www.").rstrip("/")


def _folder(url: str) -> str:
    return _address(url).partition("?")[0].rpartition("/")[0]


def _label(document: Document, link: Link) -> str:
    """Return the letters of a link to the page itself if it may be a menu's, else ""."""
    attributes, name = document.elements.attributes[link.element], letters(link.text)
    is_short = len(link.text) <= _MAX_MENU_CHARS and len(link.text.split()) <= _MAX_MENU_WORDS
    if not (is_short and len(name) > 1) or any(map(str.isdigit, name)):
        return ""
    is_other = "hreflang" in attributes or "#" in (href := attributes["href"] or "") or not href.strip()
    return "" if is_other else name


def _repeated(document: Document, labels: frozenset[str]) -> frozenset[str]:
    """Return the labels that the page's title or a text that is no link repeats; all texts are read once at most."""
    title, leaves = letters(document.title[:_MAX_TITLE_CHARS]), document.leaves
    in_title = frozenset(label for label in labels if label in title or (len(title) > 3 and title in label))
    if in_title == labels:
        return labels
    shown = (text for text, flags in zip(leaves.texts, leaves.flags, strict=True) if not flags & Flag.IN_ANCHOR)
    return in_title | labels.intersection(map(letters, shown))


def _stands_in_menu(document: Document, links: Sequence[Link], n: int) -> bool:
    """Return True if the link is in a menu, and not at its end unless others before it lead to the same folder."""
    elements, at = document.elements, links[n].element
    while (at := elements.parent[at]) >= 0:
        first, end = at, elements.end[at]
        row = [link for link in links[max(0, n - _MAX_MENU_LINKS) : n + _MAX_MENU_LINKS] if first < link.element < end]
        if len(row) > 2:
            is_menu = links[n].zone == "nav" or any(is_root(link.url, document.site) for link in row)
            n_alike = sum(_folder(link.url) == _folder(links[n].url) for link in row)
            return is_menu and len(row) <= _MAX_MENU_LINKS and (row[-1] != links[n] or n_alike > _MAX_PATH)
    return False


MAX_FRAMES: Final = 20
MAX_DATA_LINKS: Final = 500


def _absolute(document: Document, hrefs: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct absolute addresses that these lead to, at most `MAX_DATA_LINKS`."""
    base = document.base_url or ""
    return tuple(dict.fromkeys(filter(None, (join(base, href) for href in hrefs if href))))[:MAX_DATA_LINKS]


def frame_links(document: Document) -> tuple[str, ...]:
    """Return the absolute addresses of the documents in the page's frames."""
    elements = document.elements
    frames = elements.of_tags(("frame", "iframe"))[:MAX_FRAMES]
    sources = (each.get("src") for each in elements.attributes_of(frames))
    return _absolute(document, ((source or "").partition("#")[0] for source in sources))


_IN_DATA = re.compile(
    r"""\\?"(?:url|href|path|link|uri|permalink|(?:web|page|canonical|article|story)_?url)\\?"\s*+:\s*+\\?"""
    r""""(?P<url>(?:https?:)?+(?:\\{0,3}+/[^"\\/\s<>{}]{0,500}+){1,30}+)\\?\"""",
    re.IGNORECASE,
)


_IN_ATTRIBUTES = re.compile(
    r"""(?:\blocation(?:\.href)?\s{0,3}=\s{0,3}|\blocation\.(?:assign|replace)\(|\bdata-href=|"""
    r"""<option\s[^<>]{0,200}?value=)(?:["']|&quot;|&#39;){1,2}(?P<url>[^"'<>\s\\]{1,500})""",
    re.IGNORECASE,
)


def attribute_links(document: Document) -> tuple[str, ...]:
    """Return the distinct absolute addresses that clicks and choices from menus lead to, for pages with few links."""
    matches = islice(_IN_ATTRIBUTES.finditer(document.html), 4 * MAX_DATA_LINKS)
    return _absolute(document, (unescape(match["url"].removesuffix("&quot;")) for match in matches))


_FEED_WORDS: Final = ("rss", "feed", "atom", "rdf", "backend")
"""All names that `_FEED_NAME` matches contain one of these."""

_FEED_NAME = re.compile(
    r"/(?:[\w.-]{0,40}(?:rss|feed|atom)[\w.-]{0,40}\.(?:xml|rss|rdf|atom|json)|index\.(?:rdf|rss|atom)"
    r"|(?:rss|feed|atom|backend)\.(?:php|aspx?|jsp|cfm))(?:\?|$)",
    re.IGNORECASE,
)


def feed_anchors(document: Document) -> tuple[Mapping[str, str], ...]:
    """Return anchors to feeds on the page's host, by the names of files, as the `link` elements that they replace."""
    urls = dict.fromkeys(link.url for link in read_links(document))
    folded = "\n".join(urls).casefold()
    if not any(word in folded for word in _FEED_WORDS):
        return ()  # the common case
    here = urlsplit(document.base_url or "").netloc
    feeds = filter(_FEED_NAME.search, urls)
    return tuple({"rel": "feed", "href": url} for url in feeds if urlsplit(url).netloc == here)


def data_links(document: Document) -> tuple[str, ...]:
    """Return the distinct absolute addresses in the page's script data, under the usual keys.

    For pages without visible links, where a script would build the links from this data.
    """
    matches = islice(_IN_DATA.finditer(document.html), 4 * MAX_DATA_LINKS)
    return _absolute(document, (match["url"].replace("\\", "") for match in matches))
