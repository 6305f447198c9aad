"""How much text a page shows: characters of its text runs and of its paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.discovery.articles import THRESHOLDS
from webmain.html.columns import HIDDEN, Flag
from webmain.html.document import view
from webmain.text.characters import code_points
from webmain.text.prose_amount import FIRST_WIDE, n_wide

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.html.document import Document


@view
def char_weight(document: Document) -> float:
    """Return how many characters of an alphabet one of the page's characters stands for: two if it is Chinese."""
    text = "".join(document.leaves.texts)
    return 1 + n_wide(text) / len(text) if code_points(text).max(initial=0) >= FIRST_WIDE else 1.0


@view
def shown_chars(document: Document) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the characters of each visible text run, and how many of them are in links.

    They are weighted (`char_weight`), since a Chinese, Japanese or Korean text has fewer. Text in forms counts only if it
    is more than half: ASP.NET puts the whole page in a form.
    """
    leaves = document.leaves
    chars = (leaves.n_chars * char_weight(document) * ~leaves.has(HIDDEN | Flag.IN_CONTROL)).astype(np.int32)
    in_form = chars * leaves.has(Flag.IN_FORM)
    if 2 * in_form.sum() <= chars.sum():
        chars -= in_form
    return chars, (chars * leaves.has(Flag.IN_ANCHOR)).astype(np.int32)


def paragraphs_of(of_leaf: NDArray[np.int32], chars: NDArray[Any], linked: NDArray[Any]) -> NDArray[np.float64]:
    """Return the characters of each block that is a paragraph."""
    inside = of_leaf >= 0
    in_block = np.bincount(of_leaf[inside], weights=chars[inside]).astype(np.float64)
    linked_in_block = np.bincount(of_leaf[inside], weights=linked[inside])
    return in_block[(in_block >= THRESHOLDS.paragraph_chars) & (2 * linked_in_block < in_block)]
