"""Readers' comments below an article are no content, whatever the trees say of their blocks.

In forums such blocks are content. Therefore the trees, in cross-validation, kept comments on blogs of sites that they had not
seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.manual_corrections import CERTAIN
from webmain.html.threads import thread_leaves
from webmain.metadata.declared import own_types

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation

MIN_ARTICLE: Final = 0.8
"""Least probability of a page being an article at which comments are no content."""

MIN_ABOVE: Final = 20
MIN_MARGIN_ABOVE: Final = -2.2
"""Least characters of blocks above, with at least these log-odds; with less, comments may be all that the page has."""


_FORUMS: Final = frozenset(("DiscussionForumPosting", "QAPage"))


def thread_blocks(segmentation: Segmentation) -> NDArray[np.bool_]:
    """Return which blocks of a page are in threads as a whole: `(n_blocks,)`; none if its JSON-LD declares a forum."""
    owner, n = segmentation.of_unit, len(segmentation)
    inside = owner >= 0
    in_thread = thread_leaves(segmentation.document, np.where(inside, segmentation.document.leaves.n_chars, 0))
    if not in_thread.any() or not _FORUMS.isdisjoint(own_types(segmentation.document)):
        return np.zeros(n, dtype=np.bool_)
    whole: NDArray[np.bool_] = np.bincount(owner[inside & ~in_thread], minlength=n) == 0
    return whole


def effect_of_comments(
    comments: NDArray[np.bool_], margin: NDArray[np.float64], n_chars: NDArray[np.float64], article: float
) -> NDArray[np.float64]:
    """Return what is added to the log-odds of blocks because readers' comments below an article are no content: 0 or less.

    Parameters
    ----------
    comments : (n_blocks,) bool
        Blocks in threads of comments.
    margin : (n_blocks,) float64
        Log-odds of being content. Only comments below a block that may be content are changed.
    n_chars : (n_blocks,) float64
    article : float
        Probability of the page being an article.
    """
    if article < MIN_ARTICLE or not comments.any():
        return np.zeros(len(margin))
    above = np.cumsum(np.where(comments | (margin < MIN_MARGIN_ABOVE), 0.0, n_chars))
    return np.where(comments & (above >= MIN_ABOVE), np.minimum(margin, -CERTAIN) - margin, 0.0)
