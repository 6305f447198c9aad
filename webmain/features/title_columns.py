"""Columns of the heading that is the page's title: where a block is from it, and what is between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.text.normal import as_seen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.page_blocks import Named, PageBlocks

_MIN_ALIKE: Final = 0.3
_H1_LEAD: Final = 0.25
"""How much more alike to the title another heading has to be than an `h1`."""

_READ_CHARS: Final = 160
_NEAR_BLOCKS: Final = 25.0
"""Blocks from the title to a container at which its prose counts about a third."""


def title_place(page: PageBlocks) -> Named:
    """Return where blocks are from the heading that is the title, and in the container of prose next to it."""
    order, kind, counts = page.order, page.kind, page.counts
    headings = (kind >= 5) & (kind <= 7)
    title = _title(page, headings)
    linked_heading = page.link > 0.5
    last = np.maximum.accumulate(np.where(headings, order, -1))
    chars = np.cumsum(counts.chars)
    found: Named = {
        "heading_linked": np.where(last >= 0, linked_heading[last], False),
        "heading_is_title": (last == title) & (title >= 0),
        **_shared(page),
        **_near(page, max(title, 0)),
        **_notice(page, max(title, 0), (last >= 0) & linked_heading[last]),
    }
    if title < 0:
        names = ("title_up", "title_down", "headings_since_title", "chars_since_title", "links_since_title")
        return found | {"from_title": -61, **dict.fromkeys(names, -1)}
    element = page.element_list[title]
    common = common_depths(page, element)
    since = order > title
    linked = np.cumsum(counts.linked)
    passed = np.where(since, chars - chars[title], 0)
    return found | {
        "from_title": np.clip(order - title, -60, 200),
        "title_up": page.depths[element] - common,
        "title_down": np.minimum(page.depths[page.element] - common, 30),
        "headings_since_title": np.where(since, np.minimum(np.cumsum(headings) - np.cumsum(headings)[title], 30), -1),
        "chars_since_title": np.where(since, np.log1p(passed), -1),
        "links_since_title": np.where(since, (linked - linked[title]) / np.maximum(passed, 1), -1),
    }


def common_depths(page: PageBlocks, element: int) -> NDArray[np.float64]:
    """Return the depth of the deepest common ancestor of each block and an element."""
    elements, depths = page.elements, page.depths
    common = np.zeros(len(elements))
    for step in reversed(elements.ancestors(element)):
        common[step : elements.end[step]] = depths[step]
    return common[page.element]


def _title(page: PageBlocks, headings: NDArray[np.bool_]) -> int:
    """Return the block of the heading most like the page's title; the first `h1` if none is, -1 without one."""
    wanted = _pieces(" ".join(as_seen(page.document.title).casefold().split()))
    best, where = _MIN_ALIKE, -1
    for block in np.flatnonzero(headings).tolist() if wanted else ():
        pieces = _pieces(page.keys[block][:_READ_CHARS])
        alike = 2 * len(pieces & wanted) / (len(pieces) + len(wanted)) + _H1_LEAD * (page.kind[block] == 7)
        if alike > best + (_H1_LEAD if where < 0 and page.kind[block] == 7 else 0):
            best, where = alike, block
    first = np.flatnonzero(page.kind == 7)
    return where if where >= 0 or not len(first) else int(first[0])


def _pieces(text: str) -> set[str]:
    """Return a text's words; pairs of its characters where words are not parted by spaces."""
    words = text.split()
    if not text.isascii() and len(text) > 12 * len(words):
        return {text[i : i + 2] for i in range(len(text) - 1)}
    return set(words)


def _near(page: PageBlocks, title: int) -> Named:
    """Return where blocks are from the container whose prose is much and soon after the title."""
    score, elements = page.best.score, page.elements
    places = np.searchsorted(page.first, elements.leaf_starts) - title
    after = elements.leaf_ends > page.first[title]
    weighed = score * np.exp(-np.maximum(places, 0) / _NEAR_BLOCKS) * np.where(after, 1, 0.2)
    near = int(np.argmax(weighed))
    inside = (page.element >= near) & (page.element < elements.end[near])
    of_blocks = np.flatnonzero(inside)
    first, last = (of_blocks[0], of_blocks[-1]) if len(of_blocks) else (0, page.n - 1)
    common = common_depths(page, near)
    top = max(weighed[near], 1e-9)
    parent = page.parent
    return {
        "in_near": inside,
        "near_score1": weighed[parent] / top,
        "near_score2": weighed[page.parents[parent]] / top,
        "near_score": score[near] / max(score.max(), 1),
        "from_near": np.clip(page.order - first, -50, 200),
        "to_near_end": np.clip(last - page.order, -50, 200),
        "up_to_near": page.depths[near] - common,
        "down_from_near": np.minimum(page.depths[page.element] - common, 30),
    }


def _notice(page: PageBlocks, title: int, linked: NDArray[np.bool_]) -> Named:
    """Return where blocks are from the container whose prose is soon after the title and under no linked heading."""
    size, passed = len(page.elements), page.order - title
    prose = np.minimum(page.prose, 1500.0) * np.exp(-np.maximum(passed, 0) / _NEAR_BLOCKS)
    prose *= np.where(passed < 0, 0.2, 1) * np.where(linked, 0.3, 1)
    parent, grand, of = page.parent, page.parents[page.parent], page.of_elements
    score = np.bincount(parent, prose, minlength=size) + np.bincount(grand, 0.5 * prose, minlength=size)
    score *= 1 - np.minimum(of.linked / np.maximum(of.chars, 1), 1)
    best = int(np.argmax(score))
    top = max(score[best], 1e-9)
    return {
        "in_notice": (page.element >= best) & (page.element < page.elements.end[best]),
        "notice_score1": score[parent] / top,
        "notice_score2": score[grand] / top,
        "notice_is_best": float(best == page.best.element),
    }


def _shared(page: PageBlocks) -> Named:
    """Return what else is in a block's parent, and the rank of the parent among all by their prose."""
    of, parent, counts = page.of_elements, page.parent, page.counts
    rest = np.maximum(of.chars[parent] - counts.chars, 0)
    rank = np.empty(len(page.elements), dtype=np.int64)
    rank[np.argsort(-page.best.score, kind="stable")] = np.arange(len(rank))
    grand = page.parents[parent]
    return {
        "rest_link": np.where(rest > 0, (of.linked[parent] - counts.linked) / np.maximum(rest, 1), -1),
        "rest_chars": np.log1p(rest),
        "rank": np.minimum(rank[parent], 30),
        "rank2": np.minimum(rank[grand], 30),
    }
