"""Columns relative to the page's title heading and to the containers of prose near it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.page_blocks import MAX_PROSE_SCORE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.page_blocks import NamedColumns, PageBlocks

_MIN_ALIKE: Final = 0.3
_H1_LEAD: Final = 0.25
"""Bonus of an `h1` in similarity to the title over other headings."""

_READ_CHARS: Final = 160
_NEAR_BLOCKS: Final = 25.0
"""Distance in blocks from the title at which a container's prose is weighted by 1/e."""


AT_MOST: Final = {
    **dict.fromkeys(("down_from_best", "down_from_near", "title_down", "headings_since_title", "rank", "rank2"), 30),
    **dict.fromkeys(("from_best", "from_near", "to_best_end", "to_near_end"), 200),
}
AT_LEAST: Final = dict.fromkeys(("from_best", "from_near", "to_best_end", "to_near_end"), -50)
"""Lower bounds (`AT_MOST`: upper bounds) to which these columns are clipped."""


def best_container(page: PageBlocks) -> NamedColumns:
    """Return each block's position relative to the element with the highest prose score."""
    (best, score), common = page.best, page.common_depths(page.best.element)
    inside, most = page.held_by(best), max(score[best], 1)
    return {
        "up_to_best": page.depths[best] - common,
        "down_from_best": page.depth - common,
        "in_best": inside,
        "best_score1": score.take(page.parent) / most,
        "best_score2": score.take(page.grandparent) / most,
        "best_share": page.of_elements.prose[best] / max(page.all_prose, 1),
        "from_best": page.order - inside.argmax(),
        "to_best_end": page.n - 1 - inside[::-1].argmax() - page.order,
    }


def title_place(page: PageBlocks) -> NamedColumns:
    """Return each block's position relative to the title heading and to the containers of prose near it.

    There are two containers: "near" has much prose soon after the title; "notice" is scored by prose soon after the title
    that is not under a linked heading.
    """
    order, counts, last = page.order, page.counts, page.last_heading
    title = _title(page)
    linked = (page.link > 0.5).take(last, mode="wrap") & (last >= 0)
    scores = np.array([_near(page, max(title, 0)), _notice(page, max(title, 0), linked)])
    near, notice = scores.argmax(axis=1).tolist()
    most = np.maximum(np.maximum.reduce(scores, axis=1), 1e-9)[:, None]
    score1, score2 = (scores.take(at, axis=1) / most for at in (page.parent, page.grandparent))
    inside, common = page.held_by(near), page.common_depths(near)
    found: NamedColumns = {
        "heading_linked": linked,
        "heading_is_title": (last == title) & (title >= 0),
        **_shared(page),
        "in_near": inside,
        "near_score1": score1[0],
        "near_score2": score2[0],
        "near_score": page.best.score[near] / max(page.best.score[page.best.element], 1),
        "from_near": order - inside.argmax(),
        "to_near_end": page.n - 1 - inside[::-1].argmax() - order,
        "up_to_near": page.depths[near] - common,
        "down_from_near": page.depth - common,
        "in_notice": page.held_by(notice),
        "notice_score1": score1[1],
        "notice_score2": score2[1],
        "notice_is_best": float(notice == page.best.element),
    }
    if title < 0:
        names = ("title_up", "title_down", "headings_since_title", "chars_since_title", "links_since_title")
        return found | {"from_title": -61, **dict.fromkeys(names, -1)}
    element, since = int(page.element[title]), order > title
    common = page.common_depths(element)
    sums: NDArray[np.float64] = np.array((page.is_heading, counts.chars, counts.linked)).cumsum(axis=1)
    headings, chars, linked_chars = np.maximum(sums - sums[:, title, None], 0)
    return found | {
        "from_title": np.minimum(np.maximum(order - title, -60), 200),
        "title_up": page.depths[element] - common,
        "title_down": page.depth - common,
        "headings_since_title": np.where(since, headings, -1),
        "chars_since_title": np.where(since, np.log1p(chars), -1),
        "links_since_title": np.where(since, linked_chars / np.maximum(chars, 1), -1),
    }


def _title(page: PageBlocks) -> int:
    """Return the block of the heading most like the page's title; the first `h1` if none is similar; -1 without an `h1`."""
    wanted, kind = _pieces(page.title), page.kind.tolist()
    best, where = _MIN_ALIKE, -1
    for block in page.is_heading.nonzero()[0].tolist() if wanted else ():
        pieces = _pieces(page.keys[block][:_READ_CHARS])
        if not pieces.isdisjoint(wanted):
            lead = _H1_LEAD if kind[block] == 7 else 0.0
            alike = 2 * len(pieces & wanted) / (len(pieces) + len(wanted)) + lead
            if alike > (best if where >= 0 else best + lead):
                best, where = alike, block
    return where if where >= 0 or 7 not in kind else kind.index(7)


def _pieces(text: str) -> set[str]:
    """Return a text's words, or its character bigrams in scripts without spaces between words."""
    words = text.split()
    if not text.isascii() and len(text) > 12 * len(words):
        return {text[i : i + 2] for i in range(len(text) - 1)}
    return set(words)


def _near(page: PageBlocks, title: int) -> NDArray[np.float64]:
    """Return the elements' scores, reduced for elements before the title or long after it."""
    score, elements = page.best.score, page.document.elements
    scored = score.nonzero()[0]
    in_page = page.around.take(scored)
    passed = np.maximum(page.first.searchsorted(elements.leaf_starts.take(in_page)) - title, 0)
    after = elements.leaf_ends.take(in_page) > page.first[title]
    weighed = np.zeros(len(score))
    weighed[scored] = score.take(scored) * np.exp(-passed / _NEAR_BLOCKS) * np.where(after, 1, 0.2)
    return weighed


def _notice(page: PageBlocks, title: int, linked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the elements' scores with prose weighted less before the title, long after it, and under linked headings."""
    passed = page.order - title
    prose = np.minimum(page.prose, MAX_PROSE_SCORE) * np.exp(-np.maximum(passed, 0) / _NEAR_BLOCKS)
    return page.scores(prose * (np.where(passed < 0, 0.2, 1) * np.where(linked, 0.3, 1)))


def _shared(page: PageBlocks) -> NamedColumns:
    """Return statistics of the rest of a block's parent, and the parent's rank by prose score."""
    of, parent, counts, score = page.of_elements, page.parent, page.counts, page.best.score
    rest = np.maximum(of.chars.take(parent) - counts.chars, 0)
    scored = score.nonzero()[0]
    rank = page.around + len(scored) - (score > 0).cumsum()  # elements without prose come last, in page order
    rank[scored[(-score.take(scored)).argsort(kind="stable")]] = np.arange(len(scored))
    return {
        "rest_link": np.where(rest > 0, (of.linked.take(parent) - counts.linked) / np.maximum(rest, 1), -1),
        "rest_chars": np.log1p(rest),
        "rank": rank.take(parent),
        "rank2": rank.take(page.grandparent),
    }
