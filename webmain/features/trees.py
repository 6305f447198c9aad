"""Sums of decision trees as plain arrays: predicted by NumPy alone, written as plain values.

The trees are binary; a row goes left where its value is at most the threshold. All trees of a model and all rows of a page
step down a level at a time together, so that the cost is a few array operations for each level: of a few rows by looking up
the next node of each (`Trees`), of many as sets of bits (`TreeBits`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

MAX_NODES: Final = 200_000
MAX_TREES: Final = 2_000
MAX_DEPTH: Final = 24
MAX_NUMBER: Final = 1e30
"""Thresholds and values lie between it and its negative: sums of them stay finite."""

MAX_LEAVES: Final = 256
"""`TreeBits` are not made of trees with more leaves."""

_MANY_ROWS: Final = 24
_ROWS: Final = 1024
"""Rows that `TreeBits` looks at together; bounds the memory taken."""

_CONDITIONS: Final = 256
_ALL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


def probabilities(margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of log-odds."""
    found: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(margin, -30, 30)))
    return found


@dataclass(frozen=True)
class Trees:
    """A sum of trees.

    Attributes
    ----------
    base : float
        Added to the sum.
    roots : (n_trees,) int64
        Where each tree begins; nodes follow one another in preorder, tree after tree.
    feature : (n_nodes,) int64
        Column that a node looks at; 0 at leaves.
    threshold : (n_nodes,) float32
        Rows with values up to it go left.
    child : (2 * n_nodes,) int64
        Left and right child of each node; a leaf is its own child.
    value : (n_nodes,) float64
        What a leaf adds; 0 elsewhere.
    depth : int
        Steps from a root to the deepest leaf.
    """

    base: float
    roots: NDArray[np.int64]
    feature: NDArray[np.int64]
    threshold: NDArray[np.float32]
    child: NDArray[np.int64]
    value: NDArray[np.float64]
    depth: int

    def sums(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return each row's sum over all trees.

        Parameters
        ----------
        values : (n_rows, n_columns) float32

        Returns
        -------
        (n_rows,) float64
        """
        if len(values) >= _MANY_ROWS and (bits := self._bits) is not None:
            return bits.sums(values) + self.base
        leaf = self._leaves(values)
        total: NDArray[np.float64] = self.value.take(leaf).sum(axis=0) + self.base
        return total

    @cached_property
    def _bits(self) -> TreeBits | None:
        return TreeBits.of(self)

    def _leaves(self, values: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the leaf of each tree that each row falls into, as `(n_trees, n_rows)`."""
        n_rows = len(values)
        flat = np.ascontiguousarray(values.T).ravel()
        start = self.feature * n_rows
        row = np.arange(n_rows)
        node = np.repeat(self.roots, n_rows).reshape(len(self.roots), n_rows)
        for _ in range(self.depth):
            seen = flat.take(start.take(node) + row)
            node = self.child.take(2 * node + (seen > self.threshold.take(node)))
        return node

    def contributions(self, row: NDArray[np.float32], n_columns: int) -> NDArray[np.float64]:
        """Return how much each column moved one row's sum, step by step down every tree.

        A step adds the difference between the mean of the leaves below the node it leads to and below the one it leaves
        (each leaf counted once), so that all contributions and the mean of a tree's leaves add up to its value.
        """
        mean = self._means()
        moved = np.zeros(n_columns)
        for root in self.roots.tolist():
            node = root
            while self.child[2 * node] != node:
                after = int(self.child[2 * node + (row[self.feature[node]] > self.threshold[node])])
                moved[self.feature[node]] += mean[after] - mean[node]
                node = after
        return moved

    def _means(self) -> NDArray[np.float64]:
        total, count = self.value.copy(), np.ones(len(self.value))
        for node in range(len(self.value) - 1, -1, -1):  # children come after their parents
            left, right = int(self.child[2 * node]), int(self.child[2 * node + 1])
            if left != node:
                total[node] = total[left] + total[right]
                count[node] = count[left] + count[right]
        return total / count

    def to_plain(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the trees as JSON values.

        A tree is a list of nodes in preorder. An inner node is the number of a column, its threshold and the place of the
        right child in the list (the left one follows at once); a leaf is a list of its value alone.
        """
        ends = [*self.roots.tolist()[1:], len(self.feature)]
        trees = []
        for root, end in zip(self.roots.tolist(), ends, strict=True):
            nodes: list[list[float]] = []
            for node in range(root, end):
                if self.child[2 * node] == node:
                    nodes.append([float(self.value[node])])
                else:
                    right = int(self.child[2 * node + 1]) - root
                    nodes.append([int(self.feature[node]), _shortest(self.threshold[node]), right])
            trees.append(nodes)
        return {"base": self.base, "columns": list(names), "trees": trees}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], names: Sequence[str]) -> Self:
        """Read what `to_plain` wrote.

        Parameters
        ----------
        plain : mapping
        names : sequence of str
            The columns that rows will have; the trees' own columns are found among them by name.

        Raises
        ------
        ValueError
            It is not of that form, or has a column that is not among these.
        """
        try:
            place = {name: i for i, name in enumerate(names)}
            if unknown := [name for name in plain["columns"] if name not in place]:
                raise ValueError(f"it was made for other columns: {unknown[0]!r:.60}")
            columns, base, trees = [place[name] for name in plain["columns"]], plain["base"], plain["trees"]
            if not _is_number(base):
                raise ValueError("the base is no number")
            if not trees or not columns:
                raise ValueError("no tree, or no column")
            if len(trees) > MAX_TREES or sum(map(len, trees)) > MAX_NODES:
                raise ValueError(f"more than {MAX_TREES:,} trees or {MAX_NODES:,} nodes")
            sizes = np.array([len(nodes) for nodes in trees])
            nodes = list(chain.from_iterable(trees))
            is_inner = np.array([len(node) for node in nodes]) == 3
            if not {*map(len, nodes)} <= {1, 3}:
                raise ValueError("a node is neither a leaf nor has two children")
            column, limit, right = (
                zip(*(node for node in nodes if len(node) != 1), strict=True) if is_inner.any() else ((),) * 3
            )
            leaves = [value for node in nodes if len(node) != 3 for value in node]
            if not {*map(type, column), *map(type, right)} <= {int}:
                raise ValueError("the number of a column or the place of a child is no number")
            if not {*map(type, limit), *map(type, leaves)} <= {int, float}:
                raise ValueError("a threshold or a value is no number")
            numbers = np.zeros(len(nodes))
            asked, places = np.zeros((2, len(nodes)), np.int64)
            numbers[is_inner], numbers[~is_inner], asked[is_inner], places[is_inner] = limit, leaves, column, right
        except (KeyError, TypeError, IndexError, OverflowError) as error:
            raise ValueError(f"no trees: {error!r}") from error
        if not (np.abs(numbers) <= MAX_NUMBER).all():
            raise ValueError("a threshold or a value is no number, or too large")
        if asked.min(initial=0) < 0 or asked.max(initial=0) >= len(columns):
            raise ValueError("a node looks at no column")
        roots = np.cumsum(sizes) - sizes
        if np.abs(places).max(initial=0) > len(nodes):
            raise ValueError("a node's child stands where it can not")
        places += np.repeat(roots, sizes)
        at = np.arange(len(nodes))
        return cls(
            float(base),
            roots,
            np.where(is_inner, np.array(columns)[asked], 0),
            np.where(is_inner, numbers, math.inf).astype(np.float32),
            np.where(is_inner, (at + 1, places), at).T.ravel(),
            np.where(is_inner, 0.0, numbers),
            _checked_depth(roots, roots + sizes, is_inner, places),
        )


def _is_number(found: Any) -> bool:
    return type(found) in (int, float) and abs(found) <= MAX_NUMBER  # false for nan


def _checked_depth(
    here: NDArray[np.int64], ends: NDArray[np.int64], is_inner: NDArray[np.bool_], right: NDArray[np.int64]
) -> int:
    """Return the steps to the deepest leaf of trees in preorder, from where each begins to where it ends."""
    if not (ends > here).all():
        raise ValueError("a tree without nodes")
    for depth in range(MAX_DEPTH + 1):
        inner = is_inner[here]
        if not (ends[~inner] == here[~inner] + 1).all():
            raise ValueError("a node that is no other's child")
        here, ends = here[inner], ends[inner]
        if not len(here):
            return depth
        middle = right[here]
        if not ((here + 1 < middle) & (middle < ends)).all():
            raise ValueError("a node's child stands where it can not")
        here, ends = np.concatenate((here + 1, middle)), np.concatenate((middle, ends))
    raise ValueError(f"a tree is more than {MAX_DEPTH} deep")


def _shortest(number: np.float32) -> float:
    """Return the shortest decimal that is this number again."""
    return float(str(number))


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
    def of(cls, trees: Trees) -> Self | None:
        """Arrange trees; None where they have too many leaves for this, or no inner node."""
        n, roots = len(trees.feature), trees.roots
        is_inner = trees.child[::2] != np.arange(n)
        tree = np.repeat(np.arange(len(roots)), np.diff(roots, append=n))
        leaves_of = np.bincount(tree[~is_inner], minlength=len(roots))
        most = int(leaves_of.max())
        if most > MAX_LEAVES or not is_inner.any():
            return None
        asked = np.stack((trees.feature[is_inner].astype(np.float64), trees.threshold[is_inner]))
        conditions, numbers = np.unique(asked, axis=1, return_inverse=True)
        condition = np.zeros(n, dtype=np.int64)
        condition[is_inner] = numbers.ravel()
        number = np.cumsum(~is_inner) - 1  # a leaf's number in its tree
        number -= (np.cumsum(leaves_of) - leaves_of)[tree]
        n_digits = max(1, (most - 1).bit_length())
        values = np.zeros((len(roots), 1 << n_digits))
        values[tree[~is_inner], number[~is_inner]] = trees.value[~is_inner]
        levels, order = [], []
        inner_roots = here = roots[is_inner[roots]]
        while len(here):
            below = np.concatenate((trees.child[2 * here], trees.child[2 * here + 1]))
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
