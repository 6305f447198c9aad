"""Finds parts of a page that are never content and need not be judged: menus, footers, selects, dialogs."""

from __future__ import annotations

from typing import Final

import numpy as np

from webmain.html.document import Document, view

MAX_SHARE: Final = 0.3
"""Elements with a larger share of a page's characters are kept: an unclosed one contains everything after it."""

MAX_CHOICE_CHARS: Final = 200
"""A `select` with only shorter choices is pruned whatever its share."""

_CHOICES: Final = frozenset(("select", "option", "optgroup", "hr"))

LITTLE: Final = 250
"""If fewer characters would be left, nothing is pruned."""


@view
def pruned_elements(document: Document) -> list[int]:
    """Return the outermost elements to prune, ascending; only those with text."""
    elements, names = document.elements, document.elements.names
    outside = [i for i in elements.with_text if names[i].is_outside]
    if not outside:
        return []
    total = np.concatenate(([0], np.cumsum(document.leaves.n_chars))).tolist()
    start, end = elements.first_leaf, elements.end_leaf
    found: list[int] = []
    after = -1
    for i in outside:
        is_small = total[end[i]] - total[start[i]] <= MAX_SHARE * total[-1]
        if i >= after and (is_small or _has_only_choices(document, i)):
            found.append(i)
            after = elements.end[i]
    left = total[-1] - sum(total[end[i]] - total[start[i]] for i in found)
    return found if left >= LITTLE else []


def _has_only_choices(document: Document, element: int) -> bool:
    """Return True for a `select` of nothing but short choices; an unclosed one has the rest of the page in it."""
    elements, texts = document.elements, document.leaves.texts
    inside = texts[elements.first_leaf[element] : elements.end_leaf[element]]
    is_plain = _CHOICES.issuperset(elements.tags[element : elements.end[element]])
    return elements.tags[element] == "select" and is_plain and max(map(len, inside)) <= MAX_CHOICE_CHARS
