"""Finds readers' comments: the text in elements whose class or id names a thread of comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webmain.html.names import SURE_THREAD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.html.document import Document


def thread_leaves(document: Document, n_chars: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which leaves are in threads of readers' comments.

    Parameters
    ----------
    document : Document
    n_chars : (n_leaves,) int32
        Lengths of the leaves that may be the page's own text, 0 for others. An element with half of it is no thread, unless
        its name clearly means one; an element with the first `h1` never is.
    """
    elements, names = document.elements, document.elements.names
    found = np.zeros(len(n_chars), dtype=np.bool_)
    named = [i for i in elements.with_text if names[i].thread]
    if not named:
        return found
    before = np.concatenate(([0], np.cumsum(n_chars))).tolist()
    headline, beyond = (elements.of_tags(("h1",)) or [-1])[0], 0
    for i in named:
        first, last, end = elements.first_leaf[i], elements.end_leaf[i], elements.end[i]
        if i < beyond or i < headline < end:
            continue
        if names[i].thread == SURE_THREAD or 2 * (before[last] - before[first]) < max(1, before[-1]):
            found[first:last] = True
            beyond = end
    return found
