"""Columns of cues: cue phrases in short lines, the distance to the last one, and elements that begin with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.cues import DATED, GROUPS, line_cues

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.page_blocks import NamedColumns, PageBlocks

MAX_LINE_CHARS: Final = 120
"""Longer blocks are not searched for cues."""

MAX_LABEL_CHARS: Final = 60
"""Longer blocks are not labels of the blocks after them."""

MAX_BOX_SHARE: Final = 0.6
"""Elements with at least this share of a page's characters do not count as labelled sections."""

AT_MOST: Final = {"labels_before": 20, "labels_after": 20, **dict.fromkeys([f"box_{group}" for group in GROUPS], 3)}
"""Upper bounds: larger values of these columns are clipped."""

_BEGINNING: Final = 28
"""Characters read from the start of blocks too long for labels."""

_SHORT: Final = 4.1
"""Log length below which a heading may be a label."""

_NO_LABEL: Final = ~(((1 << len(GROUPS)) - 1) << 2 * len(GROUPS))
_FAR: Final = 60.0
_OF_GROUPS: Final = tuple(f"{what}_{group}" for group in GROUPS for what in ("says", "past", "box"))
_STOPS: Final = [GROUPS.index(group) for group in ("comments", "related", "about")]


def line_bits(page: PageBlocks) -> NDArray[np.int64]:
    """Return the `line_cues` of each block; only cues at the start for longer blocks, none for the longest."""
    labels, begins = MAX_LABEL_CHARS, MAX_LINE_CHARS
    return np.array(
        [
            line_cues(key)
            if (n := len(key)) <= labels
            else line_cues(key[:_BEGINNING]) & _NO_LABEL
            if n <= begins
            else 0
            for key in page.keys
        ],
        dtype=np.int64,
    )


def phrases_around(page: PageBlocks) -> NamedColumns:
    """Return each block's cues, the distance to the last label of each group, and the labels of enclosing elements."""
    n_groups, order, bits = len(GROUPS), page.order, line_bits(page)
    places = np.arange(n_groups)[:, None]
    holds, begins, labels = (bits >> (places + n_groups * i) & 1 for i in range(3))
    is_short_heading = page.is_heading & (page.log_chars < _SHORT)
    heads = (labels | (begins & is_short_heading)).astype(np.bool_)
    last = np.maximum.accumulate(np.where(heads, order, -1), axis=1)
    past = np.where(last >= 0, np.minimum(order - last, _FAR), _FAR + 1)
    boxes = _boxes(page, heads)
    dated = (bits >> DATED) & 1
    dates = np.zeros(page.n + 1, dtype=np.int64)
    dated.cumsum(out=dates[1:])
    low, high = np.maximum(order - 4, 0), np.minimum(order + 5, page.n)
    stops = np.logical_or.reduce(heads.take(_STOPS, axis=0), axis=0).cumsum()
    return {
        _OF_GROUPS: np.stack((holds + begins + labels, past, boxes), axis=1, dtype=np.float32).reshape(-1, page.n),
        "dated": dated,
        "dated_near": dates[high] - dates[low],
        "labels_before": stops,
        "labels_after": stops[-1] - stops,
    }


def _boxes(page: PageBlocks, heads: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return for each group and block the number of enclosing elements that begin with a label of the group."""
    of, parent, end, first = page.of_elements, page.parents.tolist(), page.end.tolist(), page.first.tolist()
    start = page.document.elements.leaf_starts.take(page.around).tolist()
    is_part = of.chars < MAX_BOX_SHARE * of.chars[0]
    is_part[0] = False  # the root is the whole page
    may_be = np.where(is_part, 1 + (of.blocks > 1), 0).tolist()  # 2: a section; 1: one block, which may begin one
    change = np.zeros((len(GROUPS), len(end) + 1), dtype=np.int32)
    element = page.element.tolist()
    for group, block in zip(*(side.tolist() for side in np.nonzero(heads)), strict=True):
        at, box = element[block], -1
        while may_be[at] and start[at] == first[block]:
            box = at if may_be[at] == 2 else box
            at = parent[at]
        if box >= 0:
            change[group, box] += 1
            change[group, end[box]] -= 1
    return change.cumsum(axis=1, dtype=np.int32).take(page.element, axis=1)
