"""Sums of decision trees as plain arrays: evaluated with NumPy alone, stored as plain values.

The trees are binary; a row goes left if its value is at most the threshold. All trees of a model advance one level at a
time, which costs a few array operations per level. A few rows are evaluated one by one (`Trees`), many rows as sets of bits
(`TreeBits`).
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

from webmain.features.tree_bits import TreeBits

MAX_NODES: Final = 200_000
MAX_TREES: Final = 2_000
MAX_DEPTH: Final = 24
MAX_NUMBER: Final = 1e30
"""Limit on the absolute value of thresholds and leaf values, so that sums stay finite."""

_MANY_ROWS: Final = 5


def probabilities(margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of log-odds."""
    found: NDArray[np.float64] = 1 / (1 + np.exp(-np.minimum(np.maximum(margin, -30), 30)))
    return found


@dataclass(frozen=True)
class Trees:
    """A sum of trees.

    Attributes
    ----------
    base : float
        Added to the sum.
    roots : (n_trees,) int64
        Index of each tree's root; nodes are in preorder, tree after tree.
    feature : (n_nodes,) int64
        Column that a node tests; 0 for leaves.
    threshold : (n_nodes,) float32
        Rows with values up to it go left.
    child : (2 * n_nodes,) int64
        Left and right child of each node; a leaf is its own child.
    value : (n_nodes,) float64
        Value of a leaf; 0 for inner nodes.
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
        found = np.empty((len(self.roots), len(values)))
        for i, row in enumerate(values):
            found[:, i] = self.leaf_values(row)
        total: NDArray[np.float64] = np.add.reduce(found, axis=0) + self.base
        return total

    @cached_property
    def _bits(self) -> TreeBits | None:
        return TreeBits.of(self.roots, self.feature, self.threshold, self.child, self.value)

    def leaf_values(self, row: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the value of the leaf that a row reaches in each tree: `(n_trees,)`."""
        above = row.take(self.feature, mode="clip") > self.threshold
        step, node = np.where(above, self.child[1::2], self.child[::2]), self.roots
        for _ in range(self.depth):
            node = step.take(node, mode="clip")
        return self.value.take(node)

    def contributions(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the contribution of each column to each row's sum, accumulated down every tree.

        Each step adds the mean of the leaves below the child minus the mean of those below its parent (each leaf counts
        once). So all contributions plus the mean of a tree's leaves add up to its value.

        Parameters
        ----------
        values : (n_rows, n_columns) float32

        Returns
        -------
        (n_rows, n_columns) float64
        """
        moved = np.zeros(values.size)
        n_rows, n_columns = values.shape
        flat, means = values.ravel(), self.means
        left, right = self.child[::2], self.child[1::2]
        node = np.tile(self.roots, n_rows)
        start = np.repeat(np.arange(n_rows) * n_columns, len(self.roots))  # offset of the row in the flat array
        for _ in range(self.depth):
            inner = np.flatnonzero(left.take(node) != node)
            node, start = node.take(inner), start.take(inner)
            cell = start + self.feature.take(node)
            after = np.where(flat.take(cell) > self.threshold.take(node), right.take(node), left.take(node))
            moved += np.bincount(cell, weights=means.take(after) - means.take(node), minlength=values.size)
            node = after
        return moved.reshape(values.shape)

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """The mean of the leaves below each node."""
        total, child = self.value.tolist(), self.child.tolist()
        count = [1] * len(total)
        for node in range(len(total) - 1, -1, -1):  # children come after their parents
            left, right = child[2 * node], child[2 * node + 1]
            if left != node:
                total[node] = total[left] + total[right]
                count[node] = count[left] + count[right]
        means: NDArray[np.float64] = np.array(total) / np.array(count)
        return means

    def to_plain(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the trees as JSON values.

        A tree is a list of nodes in preorder. An inner node is a column number, a threshold and the position of the right
        child in the list (the left child is next); a leaf is a list with only its value.
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
                    # the shortest decimal form that rounds to the same float32
                    nodes.append([int(self.feature[node]), float(str(self.threshold[node])), right])
            trees.append(nodes)
        return {"base": self.base, "columns": list(names), "trees": trees}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], names: Sequence[str]) -> Self:
        """Return the trees that `to_plain` wrote.

        Parameters
        ----------
        plain : mapping
        names : sequence of str
            The columns of the rows to evaluate; the trees' columns are found among them by name.

        Raises
        ------
        ValueError
            The values do not have that form, or a column is not among `names`.
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
            is_inner, tested, places, numbers = _read_nodes(list(chain.from_iterable(trees)))
        except (KeyError, TypeError, IndexError, OverflowError) as error:
            raise ValueError(f"no trees: {error!r}") from error
        if tested.min(initial=0) < 0 or tested.max(initial=0) >= len(columns):
            raise ValueError("a node looks at no column")
        roots = np.cumsum(sizes) - sizes
        places += np.repeat(roots, sizes)
        at = np.arange(len(places))
        return cls(
            float(base),
            roots,
            np.where(is_inner, np.array(columns)[tested], 0),
            np.where(is_inner, numbers, math.inf).astype(np.float32),
            np.where(is_inner, (at + 1, places), at).T.ravel(),
            np.where(is_inner, 0.0, numbers),
            _checked_depth(roots, roots + sizes, is_inner, places),
        )


class Stack:
    """Several sums of trees for the same row, evaluated together for hardly more than the cost of one.

    Parameters
    ----------
    sums : sequence of Trees
        At least one.
    """

    def __init__(self, sums: Sequence[Trees]) -> None:
        before = np.cumsum([0, *(len(trees.feature) for trees in sums)]).tolist()
        self._starts = np.cumsum([0, *(len(trees.roots) for trees in sums[:-1])])
        self._bases = np.array([trees.base for trees in sums])
        self._trees = Trees(
            base=0.0,
            roots=np.concatenate([trees.roots + n for trees, n in zip(sums, before, strict=False)]),
            feature=np.concatenate([trees.feature for trees in sums]),
            threshold=np.concatenate([trees.threshold for trees in sums]),
            child=np.concatenate([trees.child + n for trees, n in zip(sums, before, strict=False)]),
            value=np.concatenate([trees.value for trees in sums]),
            depth=max(trees.depth for trees in sums),
        )

    def of_row(self, row: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return all sums for one row: `(n_sums,)`.

        Parameters
        ----------
        row : (n_columns,) float32
        """
        values = self._trees.leaf_values(row)
        found: NDArray[np.float64] = np.add.reduceat(values, self._starts) + self._bases
        return found


def _is_number(found: Any) -> bool:
    return type(found) in (int, float) and abs(found) <= MAX_NUMBER  # False for NaN


def _read_nodes(nodes: list[list[Any]]) -> tuple[NDArray[Any], ...]:
    """Return for each node whether it is inner, its column, its right child's position, and its threshold or value."""
    is_inner = np.array([len(node) for node in nodes]) == 3
    if not {*map(len, nodes)} <= {1, 3}:
        raise ValueError("a node is neither a leaf nor has two children")
    inner, leaves = [node for node in nodes if len(node) == 3], [node[0] for node in nodes if len(node) == 1]
    column, limit, right = zip(*inner, strict=True) if inner else ((), (), ())
    if not {*map(type, column), *map(type, right)} <= {int}:
        raise ValueError("the number of a column or the place of a child is no number")
    if not {*map(type, limit), *map(type, leaves)} <= {int, float}:
        raise ValueError("a threshold or a value is no number")
    numbers, (tested, places) = np.zeros(len(nodes)), np.zeros((2, len(nodes)), np.int64)
    numbers[is_inner], numbers[~is_inner], tested[is_inner], places[is_inner] = limit, leaves, column, right
    if not (np.abs(numbers) <= MAX_NUMBER).all():
        raise ValueError("a threshold or a value is no number, or too large")
    if np.abs(places).max(initial=0) > len(nodes):
        raise ValueError("a node's child stands where it cannot")
    return is_inner, tested, places, numbers


def _checked_depth(
    here: NDArray[np.int64], ends: NDArray[np.int64], is_inner: NDArray[np.bool_], right: NDArray[np.int64]
) -> int:
    """Return the number of steps to the deepest leaf of trees in preorder; raise a ValueError if a tree is malformed."""
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
            raise ValueError("a node's child stands where it cannot")
        here, ends = np.concatenate((here + 1, middle)), np.concatenate((middle, ends))
    raise ValueError(f"a tree is more than {MAX_DEPTH} deep")
