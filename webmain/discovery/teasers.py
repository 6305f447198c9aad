"""Teasers: paragraphs that stand below a link and tell of the page that it leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.discovery.links import read_links
from webmain.html.blocks import default_blocks
from webmain.html.columns import HIDDEN, Flag

if TYPE_CHECKING:
    from webmain.html.document import Document

MIN_PARAGRAPH_CHARS: Final = 40
"""Shorter blocks are labels and headlines."""

MIN_LINK_CHARS: Final = 12
"""Shorter links are labels of sections and buttons."""

_LEVELS: Final = {f"h{level}": level for level in range(1, 7)}


def read_teasers(document: Document) -> dict[str, int]:
    """Return for each linked address the characters of the paragraphs that stand below its link.

    Below a linked headline that is everything up to the next headline that is no subhead, or the next block that is mostly a
    link; below such a block, the next paragraph alone. The page's own title heads nothing, whatever it links to.
    """
    leaves, blocks, elements = document.leaves, default_blocks(document), document.elements
    shown = ~leaves.has(HIDDEN | Flag.IN_FORM | Flag.IN_CONTROL)
    in_block = blocks.sums(leaves.n_chars * shown)
    linked = blocks.sums(leaves.n_chars * (shown & leaves.has(Flag.IN_ANCHOR)))
    is_link = (2 * linked >= in_block) & (in_block >= MIN_LINK_CHARS)
    is_paragraph = (in_block >= MIN_PARAGRAPH_CHARS) & ~is_link
    owner, linking = blocks.of_unit.tolist(), set(np.flatnonzero(is_link).tolist())
    target: dict[int, str] = {}
    for link in read_links(document):
        for leaf in range(elements.first_leaf[link.element], elements.end_leaf[link.element]):
            if owner[leaf] in linking:
                target.setdefault(owner[leaf], link.url)
    found: dict[str, int] = {}
    head, level, title = "", 0, document.title
    n_chars = in_block.tolist()
    for block, element in enumerate(blocks.element.tolist()):
        own_level = _LEVELS.get(elements.tags[element]) or _LEVELS.get(
            elements.tags[max(0, elements.parent[element])], 0
        )
        may_be_title = MIN_LINK_CHARS <= n_chars[block] <= len(title) and (own_level or (head and block not in target))
        if may_be_title and " ".join(blocks.text(block).split()) in title:
            head = ""
        elif block in target:
            head, level = target[block], own_level
        elif own_level and n_chars[block]:
            head = head if 0 < level < own_level else ""  # a subhead
        elif is_paragraph[block] and head:
            found[head] = found.get(head, 0) + int(n_chars[block])
            head = head if level else ""
    return found
