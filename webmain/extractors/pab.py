"""Priority Assignment: blocks opened by tags that matter to search engines, scored by these tags' priorities.

References
----------
Rasel Kabir, Shaily Kabir, Shamiul Amin: Isolating Informative Blocks from Large Web Pages Using HTML Tag Priority
Assignment Based Approach, section 3.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from webmain.extractors.base import NOT_SHOWN, CheckedOptions, Extraction, body_index, range_sums, within
from webmain.html.blocks import Segmentation, from_elements
from webmain.html.document import Document, view

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.html.tree import Elements

IRRELEVANT = frozenset(("script", "style", "iframe", "object", "form"))
"""Removed with all their content (section 3.1.1 and algorithm 3.2.1, step 2a)."""

PRIORITY = MappingProxyType({
    "title": 1.0, "h1": 1.0, "h2": 0.9, "h3": 0.8, "h4": 0.7, "h5": 0.6, "h6": 0.5,
    "b": 0.4, "strong": 0.4, "img": 0.3, "a": 0.2, "i": 0.2, "em": 0.2, "p": 0.1,
})  # fmt: skip
"""Table 3.1. An `img` counts only with an alternative text, an `a` only if it is a hyperlink."""

DELIMITERS = frozenset(("table", "ul", "ol", "dl", "dir", "menu"))
"""Medium-level tags (section 3.1.1): tables and lists open a block and have no priority of their own."""

_TENTHS = {tag: round(10 * priority) for tag, priority in PRIORITY.items()}
_OPENS, _HYPERLINK, _IMAGE, _IRRELEVANT = 16, 32, 64, 128
_KINDS: dict[str, int] = {
    **{tag: tenths | _OPENS for tag, tenths in _TENTHS.items() if tag != "title"},
    **dict.fromkeys(DELIMITERS, _OPENS),
    **dict.fromkeys(IRRELEVANT, _IRRELEVANT),
}
_KINDS["a"] |= _HYPERLINK
_KINDS["img"] |= _IMAGE
_PAGE = ("/", "https://", "http://")
_NO_PAGE = re.compile(r"[\x00-\x20]*(?:#|(?!https?:)[a-z][a-z0-9+.-]{0,30}:)", re.IGNORECASE).match
"""Matches links within the page, and links with other schemes: mail, telephone, scripts, data."""

_WHY = ("no priority", "priority > 0", "more outer links than allowed", "title", "whole page, no tag of the table")


@dataclass(frozen=True)
class PAB(CheckedOptions):
    """Sums the priorities of a block's tags; drops blocks without any, and blocks whose links mostly leave the site.

    Parameters
    ----------
    max_outer_share : float
        A block is noisy if more than this share of its hyperlinks leads to other sites; exactly this share stays
        (section 3.1.2, algorithm 3.2.2 step 3).
    same_host : bool
        Whether links to another host of the same site also count as outer.
    hidden : {"drop", "keep"}
        Whether hidden text, and fallback text of frames and players, is excluded from blocks. Deviation: the paper does not
        consider hidden text; "keep" follows it exactly.

    Notes
    -----
    The first block is the page's title, with priority 1.0; it is stored for search and is not part of the article's text.
    In the body, the outermost tags of table 3.1 and delimiters are the blocks; text between them is in no block, and tags
    without text make none. If no tag makes a block, the body is one block with the priority of a `p`.

    Hyperlinks are `a` elements whose `href` leads to a page: not `#...`, `mailto:`, `javascript:` etc. Outer means another
    registered domain. Without the page's URL no link is outer.

    The score is P / (1 + P) for a priority P.
    """

    name: ClassVar[str] = "pab"
    max_outer_share: float = field(default=0.5, metadata=within(0, 1))
    same_host: bool = False
    hidden: Literal["drop", "keep"] = "drop"

    def segment(self, document: Document) -> Segmentation:
        """Return the title and the outermost important or delimiting tags as blocks (section 3.1.1)."""
        elements, leaves = document.elements, document.leaves
        kinds = _kinds(document)
        member = kinds[leaves.elements] >= 0
        if self.hidden == "drop":
            member &= ~leaves.has(NOT_SHOWN)
        body = body_index(elements.tags)
        member &= leaves.elements >= body
        openers = np.flatnonzero(kinds >= _OPENS)
        openers = openers[openers > body]
        farthest = np.maximum.accumulate(elements.ends[openers])
        outermost = np.ones(len(openers), dtype=bool)
        outermost[1:] = openers[1:] >= farthest[:-1]
        title = [_title(elements)] if document.title else []
        made = from_elements(document, np.concatenate((title, openers[outermost])).astype(np.int64), member=member)
        if len(made) > len(title):
            return made
        return from_elements(document, np.array([*title, body], dtype=np.int64), member=member)

    def judge(self, segmentation: Segmentation) -> Extraction:
        """Return the priorities of blocks, and keep all with a positive one (sections 3.1.2 and 3.1.3)."""
        document = segmentation.document
        kinds = np.maximum(_kinds(document), 0)
        element, end = segmentation.element, document.elements.ends[segmentation.element]
        tenths = range_sums(kinds & (_OPENS - 1), element, end)
        rule = (tenths > 0).astype(np.int64)
        hyperlinks = np.flatnonzero(kinds & _HYPERLINK)
        noisy = self._noisy(document, hyperlinks, element, end)
        tenths[noisy], rule[noisy] = 0, 2
        for i in range(min(len(element), 2)):
            tag = document.elements.tags[element[i]]
            if tag == "title":
                tenths[i], rule[i] = _TENTHS["title"], 3
            elif tag == "body":
                tenths[i], rule[i] = (0, 2) if noisy[i] else (_TENTHS["p"], 4)
        priority = tenths / 10
        return Extraction(
            segmentation,
            self.name,
            score=priority / (1 + priority),
            raw=priority,
            kept=tenths > 0,
            why=tuple(map(_WHY.__getitem__, rule.tolist())),
            merges_duplicates=True,
        )

    def _noisy(
        self, document: Document, hyperlinks: NDArray[np.int64], element: NDArray[np.int32], end: NDArray[np.int32]
    ) -> NDArray[np.bool_]:
        """Return for each block whether too many of its hyperlinks are outer (algorithm 3.2.2, step 3)."""
        from webmain.urls import is_outer

        if not document.url:
            return np.zeros(len(element), dtype=bool)
        url, site, same_host = document.url, document.site, self.same_host
        links: list[int] = []
        outer: list[int] = []
        found = hyperlinks.tolist()
        for i, attributes in zip(found, document.elements.attributes_of(found), strict=True):
            href = attributes["href"] or ""
            if href.startswith(_PAGE) or not _NO_PAGE(href):
                links.append(i)
                if ("//" in href or "\\" in href) and is_outer(href, url, site, same_host):
                    outer.append(i)
        n_elements = len(document.elements)
        n_links, n_outer = (
            range_sums(np.bincount(np.array(each, dtype=np.int64), minlength=n_elements), element, end)
            for each in (links, outer)
        )
        return n_outer > self.max_outer_share * n_links


@view
def _kinds(document: Document) -> NDArray[np.int16]:
    """Return for each element its priority in tenths combined with its flags; -1 inside irrelevant tags."""
    elements = document.elements
    known = _KINDS.get
    kinds = np.array([known(tag, 0) for tag in elements.tags], dtype=np.int16)
    links, images = np.flatnonzero(kinds & _HYPERLINK), np.flatnonzero(kinds & _IMAGE)
    kinds[links] *= np.array(["href" in of for of in elements.attributes_of(links.tolist())], dtype=bool)
    kinds[images] *= np.array(
        [bool((of.get("alt") or "").strip()) for of in elements.attributes_of(images.tolist())], dtype=bool
    )
    irrelevant = kinds == _IRRELEVANT
    if irrelevant.any():
        kinds[elements.within(irrelevant)] = -1
    return kinds


def _title(elements: Elements) -> int:
    """Return the index of the page's `title`, which is the first one outside SVG."""
    first = elements.tags.index("title")
    if "svg" not in elements.tags[:first]:
        return first
    drawings = elements.of_tags(("svg",))
    ends = [0, *np.maximum.accumulate(elements.ends[drawings]).tolist()]  # the largest end of a number of drawings
    return next(i for i in elements.of_tags(("title",)) if ends[bisect_left(drawings, i)] <= i)
