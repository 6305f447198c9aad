"""Sums of trees: hand-made ones, those of a plain reader, and files that are no trees."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.features.tree_bits import MAX_LEAVES, TreeBits
from webmain.features.trees import MAX_DEPTH, MAX_NODES, MAX_NUMBER, MAX_TREES, Stack, Trees

NAMES = ["length", "links"]
HAND_MADE = {
    "base": 0.5,
    "columns": NAMES,
    "trees": [
        [[0, 10.0, 2], [-1.0], [1, 0.25, 4], [2.0], [1.0]],  # short: -1; long: 2 without links, 1 with
        [[0.125]],
    ],
}


def read(plain=HAND_MADE, names=NAMES):
    return Trees.from_plain(plain, names)


def rows(*values):
    return np.array(values, dtype=np.float32).reshape(-1, len(NAMES))


def walked(plain, row):
    """Sum as a reader of the format would: node by node."""
    total = plain["base"]
    for nodes in plain["trees"]:
        place = 0
        while len(nodes[place]) == 3:
            column, threshold, right = nodes[place]
            place = place + 1 if row[column] <= np.float32(threshold) else right
        total += nodes[place][0]
    return total


@pytest.mark.parametrize(
    ("row", "expected"),
    [((3, 0), -0.375), ((10, 0), -0.375), ((10.001, 0.25), 2.625), ((11, 0.2500001), 1.625), ((1e9, 1), 1.625)],
)
def test_a_row_goes_left_up_to_the_threshold(row, expected):
    assert read().sums(rows(row)).tolist() == [expected]


def test_columns_may_lie_in_memory_in_either_order():
    values = np.random.default_rng(2).uniform(0, 20, (9, 2)).astype(np.float32)
    assert read().sums(np.asfortranarray(values)).tolist() == read().sums(values).tolist()


def test_depth_is_the_steps_to_the_deepest_leaf():
    assert read().depth == 2
    assert read({**HAND_MADE, "trees": [[[1.0]]]}).depth == 0


def test_what_is_written_is_what_was_read():
    assert read().to_plain(NAMES) == HAND_MADE
    assert json.loads(json.dumps(read().to_plain(NAMES))) == HAND_MADE


def test_contributions_and_the_mean_of_the_leaves_add_up_to_the_sum():
    row = rows((11, 0.5))
    moved = read().contributions(row)[0]
    means = (-1 + 2 + 1) / 3 + 0.125
    assert moved.tolist() == pytest.approx([1.5 - 2 / 3, -0.5])
    assert moved.sum() + means + 0.5 == pytest.approx(read().sums(row)[0])


# ---- any tree


@st.composite
def tree(draw, depth=4):
    if depth == 0 or draw(st.booleans()):
        return [[draw(st.floats(-5, 5))]]
    left, right = draw(tree(depth=depth - 1)), draw(tree(depth=depth - 1))
    threshold = draw(st.floats(-2, 2, width=32))

    def moved(nodes, by):
        return [[n[0], n[1], n[2] + by] if len(n) == 3 else n for n in nodes]

    return [
        [draw(st.integers(0, 1)), threshold, len(left) + 1],
        *moved(left, 1),
        *moved(right, len(left) + 1),
    ]


PLAIN = st.builds(
    lambda base, trees: {"base": base, "columns": NAMES, "trees": trees},
    st.floats(-1, 1),
    st.lists(tree(), min_size=1, max_size=4),
)
ROW = st.tuples(st.floats(-3, 3, width=32), st.floats(-3, 3, width=32))


@given(PLAIN, st.lists(ROW, min_size=1, max_size=70))
def test_any_trees_sum_as_a_walk_does_and_so_after_writing_and_reading(plain, given_rows):
    trees = read(plain)
    values = rows(*given_rows)
    assert trees.sums(values).tolist() == pytest.approx([walked(plain, row) for row in values])
    again = read(trees.to_plain(NAMES))
    assert again.to_plain(NAMES) == trees.to_plain(NAMES)
    assert again.sums(values).tolist() == trees.sums(values).tolist()


@given(PLAIN, st.lists(ROW, min_size=1, max_size=9))
def test_contributions_of_any_trees_add_up(plain, given_rows):
    trees = read(plain)
    values = rows(*given_rows)
    leaves = [[node[0] for node in nodes if len(node) == 1] for nodes in plain["trees"]]
    rest = plain["base"] + sum(sum(values) / len(values) for values in leaves)
    told = (trees.contributions(values).sum(axis=1) + rest).tolist()
    assert told == pytest.approx([walked(plain, row) for row in values], abs=1e-9)


# ---- what is no tree


def with_nodes(*nodes):
    return {**HAND_MADE, "trees": [list(nodes)]}


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {**HAND_MADE, "columns": ["length"]},
        {**HAND_MADE, "base": "0"},
        {**HAND_MADE, "base": True},
        {**HAND_MADE, "trees": []},
        {**HAND_MADE, "trees": [[]]},
        {**HAND_MADE, "trees": ["ab"]},
        with_nodes([0, 1.0]),
        with_nodes([math.inf]),
        with_nodes([2, 1.0, 2], [1.0], [2.0]),  # no such column
        with_nodes([True, 1.0, 2], [1.0], [2.0]),
        with_nodes([0, math.nan, 2], [1.0], [2.0]),
        with_nodes([0, 1.0, "2"], [1.0], [2.0]),
        with_nodes([0, 1.0, 0], [1.0], [2.0]),  # a cycle
        with_nodes([0, 1.0, 3], [1.0], [2.0]),
        with_nodes([0, 1.0, 2], [1.0]),
        with_nodes([0, 1.0, 2]),
        with_nodes([1.0], [2.0]),
        with_nodes([0, 1.0, 3], [0, 1.0, 3], [1.0], [2.0], [3.0]),  # two ways to one node
        with_nodes([-2 * MAX_NUMBER]),
        with_nodes([0, 1.0, 2], [], [1.0, 2.0]),  # as many values as leaves
        {**HAND_MADE, "trees": [[[1.0]]] * (MAX_TREES + 1)},
        with_nodes(*[[1.0]] * (MAX_NODES + 1)),
    ],
)
def test_what_is_no_tree_is_refused(plain):
    with pytest.raises(ValueError, match=r"."):
        read(plain)


def balanced(n_leaves):
    """Return nodes of a balanced tree with so many leaves, each with a value of its own."""
    nodes = []

    def add(first, n):
        if n == 1:
            nodes.append([float(first)])
            return
        at = len(nodes)
        nodes.append([0, float(first + n // 2), 0])
        add(first, n // 2)
        nodes[at][2] = len(nodes)
        add(first + n // 2, n - n // 2)

    add(0, n_leaves)
    return nodes


@pytest.mark.parametrize(("n_leaves", "has_bits"), [(1, False), (2, True), (MAX_LEAVES, True), (MAX_LEAVES + 1, False)])
@pytest.mark.parametrize("n_rows", [1, 63, 65, 1025])
def test_many_rows_are_summed_as_each_alone(n_leaves, has_bits, n_rows):
    plain = with_nodes(*balanced(n_leaves))
    values = np.random.default_rng(1).uniform(-9, n_leaves + 9, (n_rows, 2)).astype(np.float32)
    values[::7] = np.inf
    assert read(plain).sums(values).tolist() == pytest.approx([walked(plain, row) for row in values])
    trees = read(plain)
    bits = TreeBits.of(trees.roots, trees.feature, trees.threshold, trees.child, trees.value)
    assert (bits is not None) is has_bits


def chain(depth):
    """Nest left children so deep."""
    nodes = [[0, 1.0, 2 * depth - place] for place in range(depth)]
    return with_nodes(*nodes, *[[float(i)] for i in range(depth + 1)])


def test_trees_are_read_down_to_a_depth():
    assert read(chain(MAX_DEPTH)).depth == MAX_DEPTH
    with pytest.raises(ValueError, match="deep"):
        read(chain(MAX_DEPTH + 1))


def test_sums_that_look_at_the_same_row_are_stacked():
    several = [read(), read({**HAND_MADE, "base": 2.0, "trees": HAND_MADE["trees"][1:]}), read()]
    for row in rows((3, 0), (11, 0.5)):
        assert Stack(several).of_row(row).tolist() == [trees.sums(rows(row))[0] for trees in several]
