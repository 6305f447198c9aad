"""Gradient-boosted trees fitted by LightGBM, as plain arrays: the same rows give the same trees, bit for bit.

One thread, rows scanned in one order, every seed fixed, leaves' values and thresholds rounded. The trees are read from
`Booster.dump_model()`, which is public and documented; nothing of LightGBM is needed to predict.

References
----------
Guolin Ke, Qi Meng, Thomas Finley, Taifeng Wang, Wei Chen, Weidong Ma, Qiwei Ye, Tie-Yan Liu: LightGBM: A Highly Efficient
Gradient Boosting Decision Tree (2017). Jerome Friedman: Greedy Function Approximation: A Gradient Boosting Machine (2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from webmain.features.trees import Trees

DECIMALS: Final = 5
"""Decimal places that leaf values are rounded to."""

DIGITS: Final = 6
"""Significant digits that thresholds are rounded to."""

REMEDY: Final = "pip install 'webmain[train]'; on Debian and Ubuntu also: apt-get install libgomp1"


class TrainingError(ValueError):
    """A model cannot be trained; the message says why, and what would help."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Parameters of the fit."""

    # trees, most leaves of each, fewest rows of a leaf, most steps to one
    n_trees: int = 400
    n_leaves: int = 16
    min_leaf: int = 60
    depth: int = 9
    # shrinkage, regularisation of the leaves, shares of the columns and of the rows that each tree is fitted to
    learning_rate: float = 0.06
    l2: float = 5.0
    column_share: float = 0.25
    rows_share: float = 0.8
    n_bins: int = 127  # most intervals that a column's values are divided into
    seed: int = 1


@dataclass(frozen=True)
class Boosted:
    """Fitted trees, and the gain of each column."""

    trees: Trees
    gains: NDArray[np.float64]  # (n_columns,) float64; sum of the gains of all splits on each column


def boosted(
    values: NDArray[np.float32],
    target: NDArray[Any],
    weights: NDArray[np.float64],
    recipe: Recipe,
    *,
    task: Literal["odds", "value"] = "odds",
) -> Boosted:
    """Fit gradient-boosted trees to finite values, `(n_rows, n_columns)`.

    The target, `(n_rows,)`, are shares in [0, 1] for log-odds, numbers for a value; where all are the same, the trees return
    that for every row. The weights, `(n_rows,)`, are scaled to a mean of 1. Raises TrainingError: there are no rows, or
    LightGBM cannot be used.
    """
    if not len(values):
        raise TrainingError("there are no rows to fit trees to")
    wanted = np.asarray(target, dtype=np.float64)
    if (wanted == wanted[0]).all():
        sure = float(np.log(len(wanted) + 1.0))
        value = float(wanted[0]) if task == "value" else sure if wanted[0] > 0.5 else -sure
        return plain_trees([{"tree_structure": {"leaf_value": value}}], values.shape[1])
    lightgbm, settings = _lightgbm(), _settings(recipe, task)
    data = lightgbm.Dataset(values, wanted, weight=weights * (len(weights) / weights.sum()), params=settings)
    booster = lightgbm.train(settings, data, recipe.n_trees)
    return plain_trees(booster.dump_model()["tree_info"], values.shape[1])


def version() -> str:
    """Return LightGBM's version, which the model's exact bits depend on."""
    return str(_lightgbm().__version__)


def _lightgbm() -> Any:
    """Import LightGBM: an optional dependency that needs a system library."""
    try:
        import lightgbm
    except (ImportError, OSError) as error:  # it, its library, or the system's OpenMP
        raise TrainingError(f"LightGBM, which fits the trees, cannot be loaded ({error}): {REMEDY}") from error
    return lightgbm


_SEEDS: Final = ("seed", "data_random_seed", "bagging_seed", "feature_fraction_seed", "extra_seed")
"""LightGBM derives all seeds that are not given from the first one."""


def _settings(recipe: Recipe, task: str) -> dict[str, Any]:
    return {
        "objective": "cross_entropy" if task == "odds" else "l2",
        "num_leaves": recipe.n_leaves,
        "max_depth": recipe.depth,
        "min_data_in_leaf": recipe.min_leaf,
        "learning_rate": recipe.learning_rate,
        "lambda_l2": recipe.l2,
        "feature_fraction": recipe.column_share,
        "bagging_fraction": recipe.rows_share,
        "bagging_freq": 1,
        "max_bin": recipe.n_bins,
        "use_missing": False,
        "feature_pre_filter": False,
        **dict.fromkeys(_SEEDS, recipe.seed),
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": 1,
        "verbose": -1,
    }


def plain_trees(dumped: Sequence[Mapping[str, Any]], n_columns: int) -> Boosted:
    """Return the trees of LightGBM's dump (`tree_info` of `Booster.dump_model()`), with values and thresholds rounded."""
    gains = np.zeros(n_columns)
    trees: list[list[list[float]]] = []
    for tree in dumped:
        nodes: list[list[float]] = []
        _add(nodes, tree["tree_structure"], gains)
        trees.append(nodes)
    names = [str(number) for number in range(n_columns)]
    return Boosted(Trees.from_plain({"base": 0.0, "columns": names, "trees": trees}, names), gains)


def _add(nodes: list[list[float]], node: Mapping[str, Any], gains: NDArray[np.float64]) -> None:
    """Add a node and all below it in preorder, as `Trees.to_plain` has them; add up the gains of its splits."""
    if "split_feature" not in node:
        nodes.append([round(float(node["leaf_value"]), DECIMALS)])
        return
    column = int(node["split_feature"])
    gains[column] += max(float(node["split_gain"]), 0.0)
    inner: list[float] = [column, rounded(node["threshold"]), 0]
    nodes.append(inner)
    _add(nodes, node["left_child"], gains)
    inner[2] = len(nodes)
    _add(nodes, node["right_child"], gains)


def rounded(threshold: float) -> float:
    """Return the threshold to write: a float32 with few digits."""
    return float(str(np.float32(f"{threshold:.{DIGITS}g}")))
