"""Finds marks that only lead to another place on the page: those of footnotes, back from them, and of headings' addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webmain.html.columns import Flag

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from webmain.html.document import Document

MAX_MARK_CHARS = 6
"""A longer link is not a mark."""

_IN_ANCHOR = int(Flag.IN_ANCHOR)
_SIGN = re.compile(r"\[[0-9]{1,3}\]|\W*[¶#§↩↵⏎⤴↑^🔗\u200b]\W*")
_NUMBER = re.compile(r"[0-9]{1,3}")


def link_marks(
    document: Document, chosen: list[int], *, raised: Collection[int], anchor_of: Callable[[int], int]
) -> set[int]:
    """Return the leaves that are marks linked to a place on the page.

    Parameters
    ----------
    document : Document
    chosen : list of int
        Leaves, ascending.
    raised : collection of int
        Elements whose text is superscript: any short text is a mark there; elsewhere only a sign ("¶", "↩", "[1]"), or a
        number right after a word.
    anchor_of : callable
        Returns the hyperlink around a leaf, -1 for none.
    """
    leaves, elements = document.leaves, document.elements
    marks = set()
    for i in chosen:
        text = leaves.texts[i]
        if len(text) > MAX_MARK_CHARS or not leaves.flags[i] & _IN_ANCHOR:
            continue
        if leaves.element[i] not in raised and not _SIGN.fullmatch(text):
            is_apart = not i or leaves.breaks[i] or leaves.spaced[i] or leaves.texts[i - 1].endswith(("(", "["))
            if is_apart or not _NUMBER.fullmatch(text):
                continue
        anchor = anchor_of(i)
        if anchor >= 0 and (elements.attributes[anchor].get("href") or "").startswith("#"):
            marks.add(i)
    return marks
