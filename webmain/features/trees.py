"""Sums of decision trees as plain arrays: predicted by NumPy alone, written as plain values.

The trees are binary; a row goes left where its value is at most the threshold. All trees of a model and all rows of a page
step down a level at a time together, so that the cost is a few array operations for each level: of a few rows by looking up
the next node of each, of many as sets of bits (`webmain.features.tree_bits`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from webmain.features.tree_bits import TreeBits

MAX_NODES: Final = 200_000
MAX_TREES: Final = 2_000
MAX_DEPTH: Final = 24
MAX_NUMBER: Final = 1e30
"""Thresholds and values lie between it and its negative: sums of them stay finite."""
_MANY_ROWS: Final = 24


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
        for node in range(len(self.value) - 1, -1, -1):  # children stand behind their parents
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
            The columns that rows will have.

        Raises
        ------
        ValueError
            It is not of that form, or made for other columns.
        """
        try:
            if list(plain["columns"]) != list(names):
                raise ValueError("it was made for other columns")
            base = plain["base"]
            if not _is_number(base):
                raise ValueError("the base is no number")
            feature, threshold, child, value, roots = _read(plain["trees"], len(names))
        except (KeyError, TypeError, IndexError, OverflowError) as error:
            raise ValueError(f"no trees: {error!r}") from error
        model = cls(
            float(base),
            np.array(roots, dtype=np.int64),
            np.array(feature, dtype=np.int64),
            np.array(threshold, dtype=np.float32),
            np.array(child, dtype=np.int64),
            np.array(value, dtype=np.float64),
            depth=0,
        )
        object.__setattr__(model, "depth", _depth(model))
        return model


def _read(trees: Any, n_columns: int) -> tuple[list[int], list[float], list[int], list[float], list[int]]:
    feature: list[int] = []
    threshold: list[float] = []
    child: list[int] = []
    value: list[float] = []
    roots: list[int] = []
    for nodes in trees:
        root = len(feature)
        roots.append(root)
        if len(roots) > MAX_TREES or root + len(nodes) > MAX_NODES:
            raise ValueError(f"more than {MAX_TREES:,} trees or {MAX_NODES:,} nodes")
        _check_shape(nodes)
        for place, node in enumerate(nodes):
            at = root + place
            if len(node) == 1:
                column, limit, left, right, found = 0, math.inf, at, at, node[0]
            else:
                column, limit, offset = node
                left, right, found = at + 1, root + offset, 0.0
                if type(column) is not int or not 0 <= column < n_columns:
                    raise ValueError("a node looks at no column")
                if type(offset) is not int or not _is_number(limit):
                    raise ValueError("a threshold or the place of a child is no number")
            if not _is_number(found):
                raise ValueError("a value is no number")
            feature.append(column)
            threshold.append(limit)
            child += [left, right]
            value.append(found)
    if not roots:
        raise ValueError("no tree")
    return feature, threshold, child, value, roots


def _is_number(found: Any) -> bool:
    return type(found) in (int, float) and abs(found) <= MAX_NUMBER  # false for nan


def _check_shape(nodes: Any) -> None:
    """Refuse nodes that are no tree in preorder: each right child stands right behind all that is below the left one."""
    expected: list[int] = []
    whole = False
    for place, node in enumerate(nodes):
        if len(node) != 1:
            expected.append(node[2])
        elif place + 1 == len(nodes):
            whole = not expected
        elif not expected or expected.pop() != place + 1:
            raise ValueError("a node's child stands where it can not")
    if not whole:
        raise ValueError("a tree without all its leaves")


def _depth(model: Trees) -> int:
    """Count the steps down to the deepest leaf; bounded."""
    level = model.roots
    for depth in range(MAX_DEPTH + 1):
        inner = level[model.child[2 * level] != level]
        if not len(inner):
            return depth
        level = np.concatenate((model.child[2 * inner], model.child[2 * inner + 1]))
    raise ValueError(f"a tree is more than {MAX_DEPTH} deep")


def _shortest(number: np.float32) -> float:
    """Return the shortest decimal that is this number again."""
    return float(str(number))
