"""Find captions and readers' comments around the text that an extractor kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.html.columns import HIDDEN, Flag
from webmain.html.kinds import is_caption
from webmain.html.threads import thread_leaves
from webmain.html.visible_text import HEADINGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.html.document import Document
    from webmain.html.tree import Elements, Leaves

REMOVED: Final = "webmain.article.regions"
"""Key of `Document.views`; see `removed_elements`."""

UNWANTED = HIDDEN | Flag.IN_NOSCRIPT | Flag.IN_FORM | Flag.IN_CONTROL | Flag.EMBEDDED | Flag.IN_SVG
"""Flags of text that is never a caption or a comment."""

MAX_CAPTION_CHARS = 1000
"""Maximum characters of a caption."""

MAX_GAP_CHARS = 300
"""Maximum characters not kept between a caption or picture and kept text."""

MIN_PICTURES = 4
"""Minimum sibling pictures with captions that make a gallery, if the captions are most of the text."""

MIN_GALLERY_CAPTION_CHARS = 40
GALLERY_RATIO = 2
"""A gallery's captions are at least this many times as long as the remaining text."""

MIN_COMMENT_CHARS = 30
"""If no paragraph of a thread is this long, it only has labels ("Be the first") and no comments."""

MIN_TEXT_CHARS = 200
"""If less text than this would remain without the apparent comments, they are the content."""

LINE_WINDOW_CHARS = 2_000
"""Maximum text of the tree between two matched source lines, if the second is short."""

SURE_LINE_CHARS = 40
"""Longer lines are searched for in the whole rest of the page."""


def removed_elements(document: Document) -> NDArray[np.bool_]:
    """Return the elements that the rules of the page's site remove, and all inside them, `(n_elements,) bool`."""
    found: NDArray[np.bool_] | None = document.views.get(REMOVED)
    return np.zeros(len(document.elements), dtype=np.bool_) if found is None else found


def not_removed(document: Document) -> NDArray[np.bool_]:
    """Return which leaves the rules of the page's site do not remove, `(n_leaves,) bool`."""
    return ~removed_elements(document)[document.leaves.elements]


def comment_leaves(document: Document, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which leaves are readers' comments, by the class and id of their ancestors.

    Parameters
    ----------
    document : Document
    kept : (n_leaves,) bool
        What an extractor kept. An element with half of it is the article's own, unless its name clearly means a thread; and
        if little would remain of the text, what was kept stays.

    Returns
    -------
    (n_leaves,) bool
        Shown text of comment threads, kept or not, except units that are all links ("Reply", "3 comments").
    """
    elements, leaves = document.elements, document.leaves
    length = np.where(kept, leaves.n_chars, 0)
    found = thread_leaves(document, length)
    if length[~found].sum() < MIN_TEXT_CHARS:
        found &= ~kept
    n_unlinked = np.bincount(leaves.unit, weights=~leaves.has(Flag.IN_ANCHOR), minlength=1)
    in_heading = elements.within(elements.has_tag(HEADINGS))[leaves.elements]
    found &= ~leaves.has(UNWANTED) & (n_unlinked[leaves.unit] > 0) & ~in_heading
    longest = np.bincount(leaves.unit[found], weights=leaves.n_chars[found]).max(initial=0)
    return found if longest >= MIN_COMMENT_CHARS else np.zeros_like(found)


def with_captions(document: Document, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return `kept` with the captions of pictures and tables inside or next to the kept text.

    Parameters
    ----------
    document : Document
    kept : (n_leaves,) bool
    """
    elements, leaves = document.elements, document.leaves
    chosen = np.flatnonzero(kept)
    if not len(chosen):
        return kept
    near = reach(leaves, kept)
    first, end = region(elements, leaves, kept)
    out = kept.copy()
    unwanted = leaves.has(UNWANTED)
    for i in range(first, end):
        if elements.tags[i] not in ("figcaption", "caption") and not is_caption(elements.attributes[i].get("class")):
            continue
        members = np.arange(elements.first_leaf[i], elements.end_leaf[i])
        members = members[~unwanted[members]]
        if len(members) and near[members[0]] and leaves.n_chars[members].sum() <= MAX_CAPTION_CHARS:
            out[members] = True
    return out


def with_gallery(document: Document, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return `kept` with the captions, and nothing else, of a gallery's figures, if the page is a gallery.

    Parameters
    ----------
    document : Document
    kept : (n_leaves,) bool
        Returned unchanged if the page is not a gallery: fewer than `MIN_PICTURES` siblings are a `figure`, their captions
        are links, or more than half their length is kept outside the figures.
    """
    elements, leaves = document.elements, document.leaves
    found = elements.of_tags(("figcaption",))
    if len(found) < MIN_PICTURES:
        return kept
    linked = leaves.has(UNWANTED | Flag.IN_ANCHOR)
    captions: dict[int, list[tuple[int, int]]] = {}
    for i in found:
        figure = elements.parent[i]
        if figure < 0 or elements.tags[figure] != "figure":
            continue
        members = slice(elements.first_leaf[i], elements.end_leaf[i])
        if not linked[members].any() and leaves.n_chars[members].sum() >= MIN_GALLERY_CAPTION_CHARS:
            captions.setdefault(_row(elements, figure), []).append((figure, i))
    row = max(captions.values(), key=len, default=[])
    if len(row) < MIN_PICTURES:
        return kept
    rest, of_captions = kept.copy(), np.zeros_like(kept)
    for figure, caption in row:
        rest[elements.first_leaf[figure] : elements.end_leaf[figure]] = False
        of_captions[elements.first_leaf[caption] : elements.end_leaf[caption]] = True
    is_gallery = leaves.n_chars[of_captions].sum() >= GALLERY_RATIO * leaves.n_chars[rest].sum()
    return rest | of_captions if is_gallery else kept


def _row(elements: Elements, figure: int) -> int:
    """Return the ancestor that a picture shares with its sibling pictures, each possibly in a wrapper of its own."""
    first, end, parent = elements.first_leaf, elements.end_leaf, elements.parent[figure]
    while parent > 0 and (first[parent], end[parent]) == (first[figure], end[figure]):
        parent = elements.parent[parent]
    return parent


def region(elements: Elements, leaves: Leaves, kept: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the half-open element range of the lowest element with nine tenths of the kept characters."""
    before = np.concatenate(([0], np.cumsum(np.where(kept, leaves.n_chars, 0))))
    wanted = 0.9 * before[-1]
    index, last = 0, len(elements)
    inside = 0
    while inside < last:
        held = before[elements.end_leaf[inside]] - before[elements.first_leaf[inside]]
        if held >= wanted:
            index, last = inside, elements.end[inside]
            inside += 1
        else:
            inside = elements.end[inside]
    return index, last


def reach(leaves: Leaves, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for the position before each leaf, and at the end, whether kept text is at most `MAX_GAP_CHARS` away.

    Returns
    -------
    (n_leaves + 1,) bool
    """
    n = len(leaves)
    left = np.concatenate(([0], np.cumsum(np.where(kept | leaves.has(HIDDEN), 0, leaves.n_chars))))
    chosen = np.flatnonzero(kept)
    places = np.arange(n + 1)
    at = np.searchsorted(chosen, places)
    previous = np.where(at > 0, left[places] - left[np.minimum(chosen[np.maximum(at - 1, 0)] + 1, n)], np.inf)
    following = np.where(at < len(chosen), left[chosen[np.minimum(at, len(chosen) - 1)]] - left[places], np.inf)
    near: NDArray[np.bool_] = np.minimum(previous, following) <= MAX_GAP_CHARS
    return near


def leaves_of_lines(document: Document, lines: NDArray[np.int64], owner: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the block of each leaf, by matching the text of source lines in order.

    Parameters
    ----------
    document : Document
    lines : (n,) int64
        Ascending.
    owner : (n_lines,) int32
        The block of each line.

    Returns
    -------
    (n_leaves,) int32
        The block of the line that contains the leaf, -1 for leaves in none of the lines.
    """
    leaves, wanted = document.leaves, set(lines.tolist())
    squeezed = ["".join(text.split()) for text in leaves.texts]
    page = "".join(squeezed)
    starts = np.cumsum([0, *map(len, squeezed)])
    of_leaf = np.full(len(leaves), -1, dtype=np.int32)
    at = 0
    for line, folded in enumerate(document.lines.texts):
        text = "".join(folded.split())
        found = page.find(text, at, at + len(text) + LINE_WINDOW_CHARS)
        if found < 0 and len(text) > SURE_LINE_CHARS:
            found = page.find(text, at)
        if not text or found < 0:
            continue
        at = found + len(text)
        if line in wanted:
            first = int(np.searchsorted(starts, found, side="right")) - 1
            of_leaf[first : int(np.searchsorted(starts, at, side="left"))] = owner[line]
    return of_leaf
