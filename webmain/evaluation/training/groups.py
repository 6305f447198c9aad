"""The columns by what they look at, and by the papers that look at the same: what each contributes to a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.page_blocks import SPECIAL

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COUNTS: Final = (
    "log_chars log_words marks ends commas ends_per_word commas_per_word digits upper word_length unspaced letters "
    "terminal starts_lower n_leaves inner repeats"
).replace(" ", "|")

GROUPS: Final = {
    "counts of the block": rf"({_COUNTS})$",
    "link density of the block": r"(link|anchor_first)$",
    "element and state of the block": r"(kind|shown|noscript|(in_)?form|(in_)?control)$",
    "title, description, embedded data": r"(in_title|has_description|in_data|heads_title)$",
    "cue words": r"(cue_|under_|since_(?!heading$))",
    "headings before": r"(since_heading|heading_level|from_h1)$",
    "class words around": r"(any|near)_",
    "elements around": rf"(in_({'|'.join(SPECIAL)})|depth)$",
    "counts of ancestors": r"up\d+_",
    "repeated containers": r"(twins|below_twins|child)$",
    "blocks of the same make": r"make_",
    "towards the best container": r"(.*_best(_end|_score\d)?|best_\w+)$",
    "neighbours": r"(\w+[+-]\d+|(before|after)\d+_\w+|same_(before|after))$",
    "position": r"(position|index|index_share)$",
    "the page": r"page_",
}
"""Patterns of columns' names, by what they look at; the first that matches holds."""

OTHER: Final = "others"

IN_PAPERS: Final = {
    "text per tag (Line-Block: TTR)": r"(log_chars|n_leaves|inner|up\d+_mean|make_mean|log_chars[+-]\d+)$",
    "anchor ratio (Line-Block: ATTR; Thai XPath: AR)": (
        r"(link|anchor_first|up\d+_links?|make_link|page_link|(before|after)\d+_link|link[+-]\d+)$"
    ),
    "title keywords (Line-Block: TKD)": r"(in_title|heads_title)$",
    "tag priority and repeated blocks (PAB)": r"(kind|kind[+-]\d+|heading_level|from_h1|repeats)$",
    "degree and gathering nodes (LBDA)": r"(twins|below_twins|child|up\d+_blocks|same_(before|after))$",
    "description, templates (SVM)": r"(has_description|make_(count|share|ends|in_best))$",
    "depth and path (Thai XPath, LBDA)": r"(depth|up_to_best|down_from_best|in_best|in_\w+)$",
}
"""Patterns of columns that look at what the published methods look at; a column may belong to one only."""


@dataclass(frozen=True)
class Share:
    """What a group of columns contributes to a model.

    Attributes
    ----------
    group : str
    n_columns : int
    of_gain : float
        Share of the gain of all splits, in [0, 1].
    """

    group: str
    n_columns: int
    of_gain: float


def group_of(name: str) -> str:
    """Return the group of a column."""
    return next((group for group, pattern in GROUPS.items() if re.match(pattern, name)), OTHER)


def paper_of(name: str) -> str:
    """Return which published quantity a column is like; "" if none."""
    return next((paper for paper, pattern in IN_PAPERS.items() if re.match(pattern, name)), "")


def shares(names: Sequence[str], gains: NDArray[np.float64]) -> list[Share]:
    """Return what each group contributes, in the order of `GROUPS`; all add up to 1 where there is any gain."""
    return _shares([group_of(name) for name in names], gains, (*GROUPS, OTHER))


def paper_shares(names: Sequence[str], gains: NDArray[np.float64]) -> list[Share]:
    """Return what the columns that are like published quantities contribute, in the order of `IN_PAPERS`."""
    return _shares([paper_of(name) for name in names], gains, tuple(IN_PAPERS))


def _shares(of: Sequence[str], gains: NDArray[np.float64], groups: Sequence[str]) -> list[Share]:
    total = float(gains.sum()) or 1.0
    found = []
    for group in groups:
        mine = np.array([name == group for name in of], dtype=np.bool_)
        if mine.any():
            found.append(Share(group, int(mine.sum()), float(gains[mine].sum()) / total))
    return found
