"""Parts of a page that hold none of its content, and need not be judged: menus, footers, choices, dialogs."""

from __future__ import annotations

from typing import Final

import numpy as np

from webmain.html.document import Document, view

MAX_SHARE: Final = 0.3
"""Share of a page's characters from which on such an element stays: one that is never closed contains all that follows."""

LITTLE: Final = 250
"""Where fewer characters would be left, nothing is pruned."""


@view
def pruned_elements(document: Document) -> list[int]:
    """Return the outermost elements that are pruned, ascending; those with text alone."""
    elements, names = document.elements, document.elements.names
    outside = [i for i in elements.with_text if names[i].is_outside]
    if not outside:
        return []
    total = np.concatenate(([0], np.cumsum(document.leaves.n_chars))).tolist()
    start, end = elements.first_leaf, elements.end_leaf
    found: list[int] = []
    after = -1
    for i in outside:
        if i >= after and total[end[i]] - total[start[i]] <= MAX_SHARE * total[-1]:
            found.append(i)
            after = elements.end[i]
    left = total[-1] - sum(total[end[i]] - total[start[i]] for i in found)
    return found if left >= LITTLE else []
