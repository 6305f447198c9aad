"""Parts of a page that hold none of its content, and need not be judged: menus, footers, choices, dialogs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.html.document import Document, view

if TYPE_CHECKING:
    pass

MAX_SHARE: Final = 0.3
"""Share of a page's characters from which on such an element stays: one that is never closed contains all that follows."""

_PRUNED_TAGS: Final = frozenset(("nav", "footer", "select", "datalist", "dialog"))
_PRUNED_ROLES: Final = frozenset(("navigation", "contentinfo"))
_KEPT_TAGS: Final = frozenset(("html", "body", "main", "article"))


LITTLE: Final = 250
"""Where fewer characters would be left, nothing is pruned."""


@view
def pruned_elements(document: Document) -> list[int]:
    """Return the outermost elements that are pruned, ascending; those with text alone."""
    elements, total = document.elements, np.concatenate(([0], np.cumsum(document.leaves.n_chars))).tolist()
    names, start, end = elements.names, elements.first_leaf, elements.end_leaf
    most, after = MAX_SHARE * total[-1], -1
    found = []
    for i in elements.with_text:
        if i < after:
            continue
        tag = names[i].tag
        is_named = tag in _PRUNED_TAGS or (names[i].role in _PRUNED_ROLES and tag not in _KEPT_TAGS)
        if is_named and total[end[i]] - total[start[i]] <= most:
            found.append(i)
            after = elements.end[i]
    left = total[-1] - sum(total[end[i]] - total[start[i]] for i in found)
    return found if left >= LITTLE else []
