"""Trees fitted by LightGBM: their sums are its own, the same each time, and it need not be there to predict."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from webmain.evaluation.training import boosting
from webmain.evaluation.training.boosting import Recipe, TrainingError, boosted, plain_trees, rounded

ROOT = Path(__file__).parents[3]
SMALL = Recipe(n_trees=12, n_leaves=6, min_leaf=5, depth=4, column_share=0.8)


def sample(n=400, n_columns=7, seed=3):
    """Draw rows of few digits, so that no value lies within the rounding of a threshold."""
    draw = np.random.default_rng(seed)
    values = draw.normal(size=(n, n_columns)).round(3).astype(np.float32)
    values[:, 2] = draw.integers(0, 3, n)
    target = (values[:, 0] + values[:, 2] * values[:, 1] + draw.normal(scale=0.3, size=n)) > 0.5
    return values, target, draw.uniform(0.5, 2, n)


@pytest.mark.parametrize("task", ["odds", "value"])
def test_trees_predict_what_lightgbm_predicts(task):
    import lightgbm

    values, target, weights = sample()
    weight = weights * (len(weights) / weights.sum())
    settings = boosting._settings(SMALL, task)
    data = lightgbm.Dataset(values, target.astype(float), weight=weight, params=settings)
    booster = lightgbm.train(settings, data, SMALL.n_trees)
    expected = booster.predict(values, raw_score=True, num_threads=1)
    found = boosted(values, target, 64 * weights, SMALL, task=task)  # whose scale is of no matter
    assert np.abs(found.trees.sums(values) - expected).max() < SMALL.n_trees * 10.0**-boosting.DECIMALS
    assert len(found.trees.roots) == SMALL.n_trees
    assert set(np.argsort(-found.gains)[:3].tolist()) == {0, 1, 2}


def test_the_same_rows_give_the_same_trees_and_another_seed_others():
    values, target, weights = sample()
    names = [str(i) for i in range(7)]
    plain = [
        boosted(values, target, weights, recipe).trees.to_plain(names)
        for recipe in (SMALL, SMALL, replace(SMALL, seed=2))
    ]
    assert plain[0] == plain[1]
    assert plain[0] != plain[2]


@pytest.mark.parametrize(
    ("target", "task", "sign"), [(np.ones(30), "odds", 1), (np.zeros(30), "odds", -1), (np.full(30, 0.25), "value", 1)]
)
def test_where_all_rows_are_alike_the_trees_are_constant(target, task, sign):
    values = np.random.default_rng(1).normal(size=(30, 3)).astype(np.float32)
    found = boosted(values, target, np.ones(30), SMALL, task=task)
    assert len(set(found.trees.sums(values).tolist())) == 1
    assert np.sign(found.trees.sums(values)[0]) == sign
    assert not found.gains.any()
    if task == "value":
        assert found.trees.sums(values)[0] == 0.25


def test_no_rows_are_refused():
    with pytest.raises(TrainingError, match="no rows"):
        boosted(np.zeros((0, 3), dtype=np.float32), np.zeros(0), np.zeros(0), SMALL)


def test_a_dumped_tree_is_read_in_preorder_with_rounded_numbers():
    leaf = [{"leaf_index": i, "leaf_value": 0.123456789 * (i + 1)} for i in range(3)]
    inner = {
        "split_feature": 1,
        "split_gain": 4.0,
        "threshold": 0.333333343,
        "left_child": leaf[1],
        "right_child": leaf[2],
    }
    root = {"split_feature": 0, "split_gain": 2.5, "threshold": 7.5, "left_child": leaf[0], "right_child": inner}
    found = plain_trees([{"tree_structure": root}, {"tree_structure": {"leaf_value": 1.0}}], 2)
    assert found.trees.to_plain(["a", "b"])["trees"] == [
        [[0, 7.5, 2], [0.12346], [1, 0.333333, 4], [0.24691], [0.37037]],
        [[1.0]],
    ]
    assert found.gains.tolist() == [2.5, 4.0]


@pytest.mark.parametrize("threshold", [0.1, 123456.7, 1.0000000180025095e-35])
def test_a_rounded_threshold_is_a_short_float32(threshold):
    found = rounded(threshold)
    assert float(np.float32(found)) == pytest.approx(threshold, rel=5e-6)
    assert float(str(np.float32(found))) == found


@pytest.mark.parametrize(
    ("error", "told"), [(ImportError("none"), "cannot be loaded"), (OSError("libgomp.so.1"), "libgomp")]
)
def test_where_lightgbm_can_not_be_used_the_remedy_is_named(monkeypatch, error, told):
    import builtins

    real = builtins.__import__

    def failing(name, *args, **kwargs):
        if name == "lightgbm":
            raise error
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", failing)
    with pytest.raises(TrainingError, match=told) as found:
        boosting.version()
    assert "webmain[train]" in str(found.value)
    assert "libgomp1" in str(found.value)


def test_extraction_loads_neither_lightgbm_nor_scikit_learn():
    code = (
        "import sys, webmain; webmain.extract('<p>' + 'Some words, and more. ' * 30, extractor='learned');"
        "print([m for m in ('lightgbm', 'sklearn') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
