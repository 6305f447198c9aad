"""A page's links, taken from the walk that was made already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webmain.page.urls import join

if TYPE_CHECKING:
    from webmain.page.document import Document

LANDMARKS = {
    "nav": "nav",
    "header": "header",
    "footer": "footer",
    "aside": "aside",
    "main": "main",
    "article": "article",
}

MAX_LINKS = 5000
"""Links beyond these are not read; the busiest page of the development data has 2,900."""


@dataclass(frozen=True, slots=True)
class Link:
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
        Nearest landmark element around it: "nav", "header", "footer", "aside", "main", "article", or "".
    element : int
        Index of the `a` element.
    """

    url: str
    text: str
    rel: tuple[str, ...]
    zone: str
    element: int


def read_links(document: Document) -> tuple[Link, ...]:
    """Return the page's anchors with absolute http(s) URLs, in document order, each URL as often as it occurs."""
    elements, leaves = document.elements, document.leaves
    base = document.base_url or ""
    zones: dict[int, str] = {}
    links = []
    for i in document.anchors.tolist()[:MAX_LINKS]:
        attributes = elements.attributes[i]
        url = join(base, attributes["href"] or "")
        if url is None:
            continue
        text = leaves.join(range(elements.first_leaf[i], elements.end_leaf[i]))
        rel = tuple((attributes.get("rel") or "").lower().split())
        links.append(Link(url, " ".join(text.split()), rel, _zone(elements.parent[i], document, zones), i))
    return tuple(links)


def _zone(element: int, document: Document, known: dict[int, str]) -> str:
    """Find the nearest landmark at or above an element; what is found is remembered for all elements passed."""
    elements = document.elements
    passed = []
    zone = ""
    while element >= 0:
        if element in known:
            zone = known[element]
            break
        passed.append(element)
        if elements.tags[element] in LANDMARKS:
            zone = LANDMARKS[elements.tags[element]]
            break
        element = elements.parent[element]
    known.update(dict.fromkeys(passed, zone))
    return zone
