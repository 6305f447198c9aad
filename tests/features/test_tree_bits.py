"""Trees walked by whole words of rows give what trees walked row by row give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webmain.features.trees import MAX_LEAVES, TreeBits, Trees

NAMES = ("a", "b", "c")


def grown(rng: np.random.Generator, depth: int) -> list[list[float]]:
    """Return a tree's nodes in preorder; few thresholds, so that trees ask the same."""
    if depth == 0 or rng.random() < 0.2:
        return [[float(rng.normal())]]
    left, right = grown(rng, depth - 1), grown(rng, depth - 1)
    moved = [[node[0], node[1], node[2] + 1] if len(node) == 3 else node for node in left]
    after = 1 + len(left)
    rest = [[node[0], node[1], node[2] + after] if len(node) == 3 else node for node in right]
    return [[int(rng.integers(3)), float(rng.integers(-2, 3)), after], *moved, *rest]


def trees(*nodes: list[list[float]], base: float = 0.5) -> Trees:
    plain: dict[str, Any] = {"base": base, "columns": list(NAMES), "trees": list(nodes)}
    return Trees.from_plain(plain, NAMES)


def by_hand(model: Trees, row: np.ndarray) -> float:
    total = model.base
    for root in model.roots.tolist():
        node = root
        while model.child[2 * node] != node:
            node = int(model.child[2 * node + (row[model.feature[node]] > model.threshold[node])])
        total += float(model.value[node])
    return total


@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.integers(0, 7))
@settings(max_examples=60, deadline=None)
def test_sums_are_those_of_single_rows(seed: int, n_rows: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    model = trees(*(grown(rng, depth) for _ in range(5)))
    values = rng.integers(-3, 4, (n_rows, 3)).astype(np.float32)
    values[rng.random(values.shape) < 0.05] = np.inf
    expected = [by_hand(model, row) for row in values]
    assert model.sums(values) == pytest.approx(expected, abs=1e-9)
    if (bits := TreeBits.of(model)) is not None:
        assert bits.sums(values) + model.base == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 1023, 1024, 1025, 2500])
def test_rows_around_a_word_and_a_piece_are_all_there(n_rows: int) -> None:
    model = trees([[0, 0.0, 2], [1.0], [2.0]], [[4.0]])
    values = np.zeros((n_rows, 3), dtype=np.float32)
    values[::3, 0] = 1
    bits = TreeBits.of(model)
    assert bits is not None
    assert np.array_equal(bits.sums(values), 5.0 + (values[:, 0] > 0))


def test_the_order_of_the_matrix_in_memory_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    model = trees(*(grown(rng, 6) for _ in range(9)))
    values = rng.normal(size=(100, 3)).astype(np.float32)
    assert np.array_equal(model.sums(values), model.sums(np.asfortranarray(values)))


def test_a_row_on_the_threshold_goes_left() -> None:
    model = trees([[1, 0.25, 2], [1.0], [2.0]])
    values = np.full((80, 3), 0.25, dtype=np.float32)
    assert (model.sums(values) == 1.5).all()


def test_trees_of_leaves_alone_and_trees_with_very_many_leaves_are_left_to_the_other_way() -> None:
    def chain(n_leaves: int) -> list[list[float]]:
        nodes: list[list[float]] = []
        level = [0]

        def add(n: int) -> None:
            if n == 1:
                nodes.append([float(level[0])])
                level[0] += 1
                return
            at = len(nodes)
            nodes.append([0, float(n), 0])
            add(n // 2)
            nodes[at][2] = len(nodes)
            add(n - n // 2)

        add(n_leaves)
        return nodes

    assert TreeBits.of(trees([[1.0]])) is None
    assert TreeBits.of(trees(chain(MAX_LEAVES))) is not None
    many = trees(chain(MAX_LEAVES + 1))
    assert TreeBits.of(many) is None
    values = np.arange(900, dtype=np.float32).reshape(300, 3)
    assert many.sums(values) == pytest.approx([by_hand(many, row) for row in values])
