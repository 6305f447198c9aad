"""Sums of decision trees for many rows at once: rows are bits, and whole words of them walk down the trees together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_LEAVES: Final = 256
"""`TreeBits` are not made of trees with more leaves."""

_ROWS: Final = 1024
"""Rows that `TreeBits` looks at together; bounds the memory taken."""

_CONDITIONS: Final = 256
_ALL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


@dataclass(frozen=True)
class Level:
    """One step down all trees.

    Attributes
    ----------
    condition : (n,) int64
        What each inner node of the level asks.
    inner, leaves : int64 arrays
        Places of inner nodes and leaves among the children: all left ones, then all right ones.
    """

    condition: NDArray[np.int64]
    inner: NDArray[np.int64]
    leaves: NDArray[np.int64]


@dataclass(frozen=True)
class TreeBits:
    """Trees, arranged for many rows: rows are bits, and whole words of them walk down the trees together.

    Each condition that the trees ask (of which many ask the same) is tested once for all rows and packed, a bit a row. The
    rows that come to a node are a set of bits: those that come to its parent and pass, or fail, the parent's condition. Where
    a row ends up in a tree is read from a few sets again, one for each binary digit of the leaf's number.

    Attributes
    ----------
    column : (n_conditions,) int64
    limit : (n_conditions, 1) float32
        A condition holds where the column's value is above the limit.
    n_inner_roots : int
        Trees that are more than a leaf.
    levels : tuple of Level
    members, starts : int64 arrays
        For each binary digit and each tree a run of leaves: those whose number has the digit. Leaves are numbered as the
        levels come; one more is reached by no row.
    n_leaves, n_digits : int
    values : (n_trees * 2 ** n_digits,) float64
        What each leaf adds, by the leaf's number in its tree.
    offsets : (n_trees, 1) int64
        Where each tree's values begin.
    """

    column: NDArray[np.int64]
    limit: NDArray[np.float32]
    n_inner_roots: int
    levels: tuple[Level, ...]
    members: NDArray[np.int64]
    starts: NDArray[np.int64]
    n_leaves: int
    n_digits: int
    values: NDArray[np.float64]
    offsets: NDArray[np.int64]

    def sums(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return each row's sum over all trees.

        Parameters
        ----------
        values : (n_rows, n_columns) float32
        """
        parts = [self._sums(values[at : at + _ROWS]) for at in range(0, len(values), _ROWS)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _sums(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        n_rows = len(values)
        ends = self._ends(self._answers(values))
        digits = np.unpackbits(ends.view(np.uint8), axis=1, bitorder="little")
        planes = digits.reshape(self.n_digits, len(self.offsets), -1)
        number = planes[-1].copy()
        for plane in planes[-2::-1]:
            number += number
            number += plane
        found: NDArray[np.float64] = self.values.take(np.add(number, self.offsets, dtype=np.intp)).sum(axis=0)
        return found[:n_rows]

    def _answers(self, values: NDArray[np.float32]) -> NDArray[np.uint64]:
        """Return for each condition the set of the rows for which it holds."""
        n_rows, n_columns = values.shape
        rows = np.zeros((n_columns, -(-n_rows // 64) * 64), dtype=np.float32)
        rows[:, :n_rows] = values.T
        holds = np.empty((len(self.column), rows.shape[1]), dtype=np.bool_)
        for at in range(0, len(holds), _CONDITIONS):  # a piece that stays in the processor's cache
            piece = slice(at, at + _CONDITIONS)
            np.greater(rows.take(self.column[piece], axis=0), self.limit[piece], out=holds[piece])
        return np.packbits(holds, axis=1, bitorder="little").view(np.uint64)

    def _ends(self, answers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return for each digit and each tree the set of the rows whose leaf's number has the digit."""
        n_words = answers.shape[1]
        at_leaf = np.zeros((self.n_leaves + 1, n_words), dtype=np.uint64)
        here = np.full((self.n_inner_roots, n_words), _ALL)
        filled = 0
        for level in self.levels:
            n = len(level.condition)
            below = np.empty((2 * n, n_words), dtype=np.uint64)
            left, right = below[:n], below[n:]
            np.bitwise_and(here, answers.take(level.condition, axis=0), out=right)
            np.bitwise_xor(here, right, out=left)
            at_leaf[filled : filled + len(level.leaves)] = below.take(level.leaves, axis=0)
            filled += len(level.leaves)
            here = below.take(level.inner, axis=0)
        found: NDArray[np.uint64] = np.bitwise_or.reduceat(at_leaf.take(self.members, axis=0), self.starts, axis=0)
        return found

    @classmethod
    def of(
        cls,
        roots: NDArray[np.int64],
        feature: NDArray[np.int64],
        threshold: NDArray[np.float32],
        child: NDArray[np.int64],
        value: NDArray[np.float64],
    ) -> Self | None:
        """Arrange trees, given as in `Trees`; None where they have too many leaves for this, or no inner node."""
        n = len(feature)
        is_inner = child[::2] != np.arange(n)
        tree = np.repeat(np.arange(len(roots)), np.diff(roots, append=n))
        leaves_of = np.bincount(tree[~is_inner], minlength=len(roots))
        most = int(leaves_of.max())
        if most > MAX_LEAVES or not is_inner.any():
            return None
        asked = np.stack((feature[is_inner].astype(np.float64), threshold[is_inner]))
        conditions, numbers = np.unique(asked, axis=1, return_inverse=True)
        condition = np.zeros(n, dtype=np.int64)
        condition[is_inner] = numbers.ravel()
        number = np.cumsum(~is_inner) - 1  # a leaf's number in its tree
        number -= (np.cumsum(leaves_of) - leaves_of)[tree]
        n_digits = max(1, (most - 1).bit_length())
        values = np.zeros((len(roots), 1 << n_digits))
        values[tree[~is_inner], number[~is_inner]] = value[~is_inner]
        levels, order = [], []
        inner_roots = here = roots[is_inner[roots]]
        while len(here):
            below = np.concatenate((child[2 * here], child[2 * here + 1]))
            inner, leaves = np.flatnonzero(is_inner[below]), np.flatnonzero(~is_inner[below])
            levels.append(Level(condition[here], inner, leaves))
            order.append(below[leaves])
            here = below[inner]
        leaf = np.concatenate(order)
        members, starts = _runs(tree[leaf], number[leaf], len(roots), n_digits)
        return cls(
            column=conditions[0].astype(np.int64),
            limit=conditions[1].astype(np.float32)[:, None],
            n_inner_roots=len(inner_roots),
            levels=tuple(levels),
            members=members,
            starts=starts,
            n_leaves=len(leaf),
            n_digits=n_digits,
            values=values.ravel(),
            offsets=(np.arange(len(roots)) << n_digits)[:, None],
        )


def _runs(
    tree: NDArray[np.int64], number: NDArray[np.int64], n_trees: int, n_digits: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each digit and each tree its leaves with that digit, as one array and where each run begins in it.

    Each run has at least one member: the place after the last leaf.
    """
    leaf, digit = np.nonzero((number[:, None] >> np.arange(n_digits)) & 1)
    run = digit * n_trees + tree[leaf]
    runs = np.arange(n_digits * n_trees)
    every = np.concatenate((run, runs))
    members = np.concatenate((leaf, np.full(len(runs), len(tree))))[np.argsort(every, kind="stable")]
    counts = np.bincount(every)
    return members, np.cumsum(counts) - counts
