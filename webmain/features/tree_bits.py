"""Sums of decision trees for many rows at once: rows are bits, and each operation handles a 64-bit word of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

MAX_LEAVES: Final = 256
"""Trees with more leaves are not supported by `TreeBits`."""

_WORDS: Final = 4
"""Words of rows processed together; bounds the memory."""

_BITS: Final = 64
_BYTE: Final = 8
_CONDITIONS: Final = 1024
_ALL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


@dataclass(frozen=True)
class TreeBits:
    """Trees arranged for many rows: rows are bits, and each operation handles a 64-bit word of rows.

    Each distinct condition of the trees is tested once for all rows; the results are packed, one bit per row. The rows that
    reach a node are a set of bits: those that reach its parent and pass, or fail, the parent's condition. The leaf that a row
    reaches is read from a few such sets, one for each binary digit of the leaf's number.

    Attributes
    ----------
    column : (n_conditions,) int64
    limit : (n_conditions, 64) float32
        A condition holds if the column's value is above the limit, which is repeated for the rows of a word.
    levels : tuple of (int64 array, int64 array)
        For each level of all trees, the conditions of its inner nodes, and their positions among the children of the previous
        level (all left ones, then all right ones); on the first level, tree numbers.
    leaves : (2 ** n_digits, n_trees) int64
        For each leaf number and tree, the index of that leaf among the children of all levels; the last index, which no row
        reaches, if there is no such leaf. A group has as many trees as leaf numbers fit in a byte. The first trees of all
        groups come first; the last groups are padded with trees of one leaf.
    values : (n_groups * 2 ** n_bits,) float64
        Sums of leaf values, for each combination of one leaf per tree of a group.
    offsets : (n_groups, 1) int64
        Offset of each group's values.
    """

    column: NDArray[np.int64]
    limit: NDArray[np.float32]
    levels: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]
    leaves: NDArray[np.int64]
    values: NDArray[np.float64]
    offsets: NDArray[np.int64]

    def sums(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return each row's sum over all trees.

        Parameters
        ----------
        values : (n_rows, n_columns) float32
        """
        step = _WORDS * _BITS
        return np.concatenate([self._sums(values[at : at + step]) for at in range(0, len(values), step)])

    def _sums(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        number = np.zeros(1, dtype=np.uint8)
        for digit in self._digits(self._outcomes(values)):
            number = number + number + np.unpackbits(digit.view(np.uint8), bitorder="little")
        n_leaves, n_trees = self.leaves.shape
        first, *others = number.reshape(n_trees // len(self.offsets), len(self.offsets), -1)[..., : len(values)]
        for other in others:
            first = first * np.uint8(n_leaves) + other
        found: NDArray[np.float64] = np.add.reduce(self.values.take(first + self.offsets, mode="clip"), axis=0)
        return found

    def _outcomes(self, values: NDArray[np.float32]) -> NDArray[np.uint64]:
        """Return for each condition the set of rows for which it holds: `(n_conditions, n_words)`."""
        n_rows, n_columns = values.shape
        n_words = -(-n_rows // _BITS)
        found = np.zeros((len(self.column), n_words + (n_words == 3)), dtype=np.uint64)  # 3 words copy slower than 4
        holds = np.empty(self.limit.shape, dtype=np.bool_)
        for word in range(n_words):
            of_word = values[word * _BITS : (word + 1) * _BITS]
            rows = np.zeros((n_columns, _BITS), dtype=np.float32)
            rows[:, : len(of_word)] = of_word.T
            for at in range(0, len(holds), _CONDITIONS):  # a piece fits in the processor's cache
                piece = slice(at, at + _CONDITIONS)
                np.greater(rows.take(self.column[piece], axis=0, mode="clip"), self.limit[piece], out=holds[piece])
            found[:, word] = np.packbits(holds.ravel(), bitorder="little").view(np.uint64)
        return found

    def _digits(self, outcomes: NDArray[np.uint64]) -> Iterator[NDArray[np.uint64]]:
        """Yield, highest binary digit first, the set of rows for each tree whose leaf number has that digit set."""
        n_words = outcomes.shape[1]
        reached = np.zeros((2 * sum(len(condition) for condition, _ in self.levels) + 1, n_words), dtype=np.uint64)
        below = np.full((self.leaves.shape[1], n_words), _ALL)
        at = 0
        for condition, inner in self.levels:
            here = below.take(inner, axis=0, mode="clip")
            n = len(condition)
            below = reached[at : at + 2 * n]
            at += 2 * n
            np.bitwise_and(here, outcomes.take(condition, axis=0, mode="clip"), out=below[n:])
            np.bitwise_xor(here, below[n:], out=below[:n])
        sets = reached.take(self.leaves, axis=0, mode="clip").reshape(len(self.leaves), -1)
        while (half := len(sets) // 2) > 0:
            yield np.bitwise_or.reduce(sets[half:], axis=0)
            sets = sets[:half] | sets[half:]

    @classmethod
    def of(
        cls,
        roots: NDArray[np.int64],
        feature: NDArray[np.int64],
        threshold: NDArray[np.float32],
        child: NDArray[np.int64],
        value: NDArray[np.float64],
    ) -> Self | None:
        """Return trees, given as in `Trees`, arranged so; None if one has too many leaves, or none has an inner node."""
        n = len(feature)
        is_inner = child[::2] != np.arange(n)
        tree = np.repeat(np.arange(len(roots)), np.diff(roots, append=n))
        leaves_of = np.bincount(tree[~is_inner], minlength=len(roots))
        most = int(leaves_of.max())
        if most > MAX_LEAVES or not is_inner.any():
            return None
        split = feature[is_inner] << 32 | threshold[is_inner].view(np.uint32)  # both in one number
        conditions, numbers = np.unique(split, return_inverse=True)
        condition = np.zeros(n, dtype=np.int64)
        condition[is_inner] = numbers
        number = np.cumsum(~is_inner) - 1  # a leaf's number in its tree
        number -= (np.cumsum(leaves_of) - leaves_of)[tree]
        n_digits = max(1, (most - 1).bit_length())
        n_groups = -(-len(roots) // (_BYTE // n_digits))
        first, *others = values = np.zeros((_BYTE // n_digits, n_groups, 1 << n_digits))
        values.reshape(-1, 1 << n_digits)[tree[~is_inner], number[~is_inner]] = value[~is_inner]
        for other in others:
            first = (first[:, :, None] + other[:, None]).reshape(n_groups, -1)
        leaves = np.full((1 << n_digits, len(values) * n_groups), 2 * np.count_nonzero(is_inner))
        levels, below, n_reached = [], roots, 0
        while len(inner := np.flatnonzero(is_inner[below])):
            here = below[inner]
            levels.append((condition[here], inner))
            below = np.concatenate((child[2 * here], child[2 * here + 1]))
            ends = np.flatnonzero(~is_inner[below])
            leaves[number[below[ends]], tree[below[ends]]] = n_reached + ends
            n_reached += len(below)
        return cls(
            column=conditions >> 32,
            limit=np.repeat(conditions.astype(np.uint32).view(np.float32)[:, None], _BITS, axis=1),
            levels=tuple(levels),
            leaves=leaves,
            values=first.ravel(),
            offsets=np.arange(n_groups)[:, None] * first.shape[1],
        )
