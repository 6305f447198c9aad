"""Columns of cues: what short lines say, how long ago, and which boxes begin with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webmain.features.cues import DATED, GROUPS, line_cues

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.page_blocks import PageBlocks

    Named = dict[str, NDArray[Any]]

MAX_LINE_CHARS: Final = 120
"""Longer blocks hold no cue."""

MAX_LABEL_CHARS: Final = 60
"""Longer blocks are no label of what is after them."""

MAX_BOX_SHARE: Final = 0.6
"""Share of a page's characters from which an element is no box of it."""

_FAR: Final = 60.0
_STOPS: Final = ("comments", "related", "about")


def line_bits(page: PageBlocks) -> NDArray[np.int64]:
    """Return the `line_cues` of each block; 0 for longer ones."""
    return np.array([line_cues(key) if len(key) <= MAX_LINE_CHARS else 0 for key in page.keys], dtype=np.int64)


def phrases_around(page: PageBlocks) -> Named:
    """Return what a line says, the blocks since the last label of each group, and the labels of the boxes around it."""
    n_groups, order, bits = len(GROUPS), page.order, line_bits(page)
    holds, begins, labels = ((bits >> (n_groups * i)) & ((1 << n_groups) - 1) for i in range(3))
    places = np.arange(n_groups)[:, None]
    says = ((holds >> places) & 1) + ((begins >> places) & 1) + ((labels >> places) & 1)
    short = np.array([len(key) <= MAX_LABEL_CHARS for key in page.keys])
    heads = ((labels >> places) & 1).astype(bool) | (
        ((begins >> places) & 1).astype(bool) & (page.kind >= 5) & (page.kind <= 7)
    )
    heads &= short
    last = np.maximum.accumulate(np.where(heads, order, -1), axis=1)
    past = np.where(last >= 0, np.minimum(order - last, _FAR), _FAR + 1)
    boxes = _boxes(page, heads)
    dated = (bits >> DATED) & 1
    dates = np.concatenate(([0], np.cumsum(dated)))
    low, high = np.maximum(order - 4, 0), np.minimum(order + 5, page.n)
    stops = np.cumsum(heads[[GROUPS.index(group) for group in _STOPS]].any(axis=0))
    found: Named = {}
    for row, group in enumerate(GROUPS):
        found[f"says_{group}"] = says[row]
        found[f"past_{group}"] = past[row]
        found[f"box_{group}"] = boxes[row]
    return found | {
        "dated": dated,
        "dated_near": dates[high] - dates[low],
        "labels_before": np.minimum(stops, 20),
        "labels_after": np.minimum(stops[-1] - stops, 20),
    }


def _boxes(page: PageBlocks, heads: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return for each group and block the number of elements around it that begin with a label of the group."""
    elements, of = page.elements, page.of_elements
    parent, start = elements.parent, elements.first_leaf
    first, total = page.first.tolist(), page.of_elements.chars.max(initial=1.0)
    chars, blocks = of.chars, of.blocks
    change = np.zeros((len(GROUPS), len(elements) + 1), dtype=np.int64)
    for block in np.flatnonzero(heads.any(axis=0)).tolist():
        at = page.element_list[block]
        box = -1
        while at >= 0 and start[at] == first[block] and chars[at] < MAX_BOX_SHARE * total:
            if blocks[at] > 1:
                box = at
            at = parent[at]
        if box >= 0:
            groups = heads[:, block]
            change[groups, box] += 1
            change[groups, elements.end[box]] -= 1
    return np.minimum(np.cumsum(change, axis=1)[:, page.element], 3)
