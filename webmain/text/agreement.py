"""Agreement of a predicted text with the gold text: counts that can be added, and the ratios derived from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The number of tokens that two texts have in common; the sum of two agreements is that of both pairs together."""

    n_common: int = 0  # tokens in both texts
    # tokens of the predicted and of the gold text
    n_predicted: int = 0
    n_gold: int = 0

    @property
    def precision(self) -> float:
        """Share of the predicted tokens that are in the gold text; 1.0 if both texts are empty."""
        return _share(self.n_common, self.n_predicted, other=self.n_gold)

    @property
    def recall(self) -> float:
        """Share of the gold tokens that were predicted; 1.0 if both texts are empty."""
        return _share(self.n_common, self.n_gold, other=self.n_predicted)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 1.0 if both texts are empty."""
        total = self.n_predicted + self.n_gold
        return 2 * self.n_common / total if total else 1.0

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(
            n_common=self.n_common + other.n_common,
            n_predicted=self.n_predicted + other.n_predicted,
            n_gold=self.n_gold + other.n_gold,
        )


def _share(n_common: int, n: int, *, other: int) -> float:
    return n_common / n if n else float(not other)


def overlap(predicted: Sequence[Hashable], gold: Sequence[Hashable]) -> Agreement:
    """Compare two texts as multisets of tokens: the order makes no difference, the number of occurrences does.

    `predicted, gold`: usually `webmain.text.words.tokens` of each text.
    """
    n_common = (Counter(predicted) & Counter(gold)).total()
    return Agreement(n_common=n_common, n_predicted=len(predicted), n_gold=len(gold))


def subsequence(predicted: Sequence[Hashable], gold: Sequence[Hashable]) -> Agreement:
    """Compare two texts by their longest common subsequence of tokens: only tokens in the same order are common.

    Notes
    -----
    Linear in memory; 0.3 ms for 1,000 x 1,000 tokens, 30 ms for 10,000 x 10,000, 0.9 s for 50,000 x 50,000.

    References: the Line-Block paper's evaluation. Deviation: none.
    """
    from rapidfuzz.distance import LCSseq

    return Agreement(n_common=LCSseq.similarity(predicted, gold), n_predicted=len(predicted), n_gold=len(gold))


def lcs_members(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[bool]:
    """Return for each item of the first sequence whether it is in one longest common subsequence with the second.

    Of several subsequences of the same length one is chosen, always the same for the same arguments. Memory is a bit for
    each pair of items.
    """
    from rapidfuzz.distance import LCSseq

    members = [False] * len(first)
    for block in LCSseq.opcodes(second, first).as_matching_blocks():
        members[block.b : block.b + block.size] = [True] * block.size
    return members


def matching_ratio(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return the share of the longer sequence that needs no edit: 1 - edit distance / longer length.

    Edits are insertions, deletions and replacements of one item; 1.0 for two empty sequences. It is at most the share of
    common items by the longest common subsequence, 2 LCS / (n + m), which other libraries call the ratio of two sequences.
    """
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity(first, second)
