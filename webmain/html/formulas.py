"""Finds formulas that a page holds twice: drawn for readers, and as MathML for screen readers, as KaTeX and MathJax do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webmain.html.document import Document

_MAX_WRAPPERS = 4
"""Elements around MathML that are searched for the drawing beside it."""


def drawn_formulas(document: Document) -> set[int]:
    """Return the leaves of drawings, in `aria-hidden` elements, beside the same formula in MathML."""
    elements = document.elements
    first, end, parent = elements.first_leaf, elements.end_leaf, elements.parent
    found: set[int] = set()
    boxes: set[int] = set()
    for formula in elements.of_tags(("math",)):
        box = parent[formula]
        for _ in range(_MAX_WRAPPERS):
            if box >= 0 and (first[box], end[box]) == (first[formula], end[formula]):
                box = parent[box]
        if box in boxes or box < 0 or not (elements.tags[box] == "span" or "-" in elements.tags[box]):
            continue
        boxes.add(box)
        child = box + 1
        while child < elements.end[box]:
            if elements.attributes[child].get("aria-hidden") == "true":
                found.update(range(first[child], end[child]))
            child = elements.end[child]
    return found
