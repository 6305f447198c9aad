"""Labels for a page's blocks, computed from its gold text: for training, and for accuracy over blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webmain.text.agreement import lcs_members
from webmain.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SHINGLE = 3
MAX_TOKENS = 60_000
"""Tokens of a page, and of its gold text, that are aligned; later tokens count as not content."""


def gold_shares(texts: Sequence[str], gold: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how much of each block is in the gold text.

    Parameters
    ----------
    texts : sequence of str
        The texts of a page's blocks in document order.
    gold : str
        The page's main text.

    Returns
    -------
    in_order : (n_blocks,) float64
        Share of the block's tokens in the longest common subsequence of the whole page and the gold text.
    in_shingles : (n_blocks,) float64
        Share of the block's runs of three tokens that are in the gold text anywhere; of its tokens where it has fewer.
    """
    blocks = [tokens(text) for text in texts]
    wanted = tokens(gold)[:MAX_TOKENS]
    page = [token for block in blocks for token in block][:MAX_TOKENS]
    members = np.zeros(sum(map(len, blocks)) + 1)
    members[1 : len(page) + 1] = lcs_members(page, wanted)
    ends = np.cumsum([0, *map(len, blocks)])
    found = np.diff(np.cumsum(members)[ends])
    in_order = found / np.maximum(np.diff(ends), 1)
    known = {n: set(_runs(wanted, n)) for n in range(1, SHINGLE + 1)}
    in_shingles = [_share(block, known[min(len(block), SHINGLE)]) if block else 0.0 for block in blocks]
    return in_order, np.array(in_shingles, dtype=np.float64)


def _runs(items: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(items[i : i + n]) for i in range(len(items) - n + 1)]


def _share(block: Sequence[str], known: set[tuple[str, ...]]) -> float:
    runs = _runs(block, min(len(block), SHINGLE))
    return sum(run in known for run in runs) / len(runs)


def gold_content(texts: Sequence[str], gold: str) -> NDArray[np.bool_]:
    """Return for each block whether it is content: more than half of it is in the gold text, both in order and in runs.

    The first test excludes blocks that merely repeat words of the article (teasers, tags), the second excludes blocks that
    align only by scattered words.
    """
    in_order, in_shingles = gold_shares(texts, gold)
    return (in_order > 0.5) & (in_shingles > 0.5)
