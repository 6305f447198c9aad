"""A linear classifier of blocks: fitted to labels, stored and applied as plain named weights.

References
----------
The per-site SVM's paper, module 4: "a support vector classifier with a linear kernel", class weights for the positive
examples, 4-fold cross-validation.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, repeat
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from webmain.features.block_features import (
    DEFAULT_SETS,
    LENGTH,
    check_sets,
    continuous_columns,
    continuous_values,
    discrete_names,
    discrete_rows,
    distinct,
    log_lengths,
)
from webmain.features.clusters import steadiness
from webmain.features.folds import page_folds
from webmain.features.support_vectors import fit_svm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.site_blocks import SiteBlocks

COSTS = (0.01, 0.1, 1.0, 10.0)
"""Values of the SVM's C that are tried; the weights of all training blocks sum to `TOTAL_WEIGHT`, whatever their number."""

TOTAL_WEIGHT = 1_000.0

MIN_ERROR = 0.002
"""Chosen is the smallest C whose F1 is within one standard error (over the folds), or this, of the best: automatic labels
have errors, which a large C overfits."""

N_FOLDS = 4

STEADY_SHARE = 0.5
"""Class names on a smaller share of the pages that could have them identify pages ("post-17", "category-sport")."""

MAX_PLACE_CHARS = 1_000_000
"""Limit on the total length of the known places; those on the most pages are kept."""


@dataclass(frozen=True, kw_only=True)
class LinearModel:
    """Named weights of a linear decision.

    Attributes
    ----------
    sets : tuple of str
        Feature sets that it uses.
    weights : mapping of str to float
        Weight of each column, in sorted order of the names. Discrete columns count 1 where a block has the feature.
    bias : float
    cost : float
        The SVM's C that was chosen.
    quality : float or None
        Cross-validated F1 against the training labels; None if no page could be held out.
    places : tuple of str
        Places of the training blocks, sorted: selectors without class names that identify pages; tag paths if the feature
        sets have no selectors; empty if they have neither.
    """

    sets: tuple[str, ...]
    weights: Mapping[str, float] = field(repr=False)
    bias: float
    cost: float
    quality: float | None
    places: tuple[str, ...] = field(default=(), repr=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in the order of the weights."""
        return tuple(self.weights)

    def margins(self, blocks: SiteBlocks) -> NDArray[np.float64]:
        """Return each block's signed distance to the decision, in units of the margin: `(n_blocks,) float64`."""
        margins: NDArray[np.float64] = self.bias + self.parts(blocks).sum(axis=1)
        return margins

    def parts(self, blocks: SiteBlocks) -> NDArray[np.float64]:
        """Return each feature set's contribution to each block's margin, without the bias: `(n_blocks, n_sets) float64`."""
        weight = self.weights.get
        found = np.zeros((len(blocks), len(self.sets)))
        for number, name in enumerate(self.sets):
            if name == "length":
                found[:, number] = weight(LENGTH, 0.0) * log_lengths(blocks.texts)
            elif name != "visual":
                places = blocks.tag_paths if name == "tag_path" else blocks.selectors
                known = {p: math.fsum(map(weight, discrete_names((name,), p, p), repeat(0.0))) for p in set(places)}
                found[:, number] = [known[place] for place in places]
            elif blocks.visual is not None:
                found[:, number] = [self._of_style(visual) for visual in blocks.visual]
        return found

    def _of_style(self, visual: Mapping[str, str | float]) -> float:
        values = dict.fromkeys(discrete_names(("visual",), "", "", visual), 1.0) | continuous_values(
            ("visual",), visual
        )
        return math.fsum(self.weights.get(name, 0.0) * value for name, value in values.items())

    def knows(self, tag_path: str, selector: str) -> bool:
        """Return True if a training block was at this place, as far as the model's feature sets distinguish places.

        Class names that identify pages, or were not in the training pages, are ignored. Without them, places of another
        layout become bare tag paths, which are known only if the site's own places have no class names.
        """
        if "selector" in self.sets:
            return _reduced(selector, self._class_names) in self._places
        return "tag_path" not in self.sets or tag_path in self._places

    @cached_property
    def _places(self) -> frozenset[str]:
        return frozenset(self.places)

    @cached_property
    def _class_names(self) -> frozenset[str]:
        return frozenset(name for place in self.places for step in place.split("/") for name in _class_names(step))

    def to_plain(self) -> dict[str, Any]:
        """Return the model as JSON values; weights in the order of `columns`."""
        return {
            "sets": list(self.sets),
            "columns": list(self.weights),
            "weights": list(self.weights.values()),
            "bias": self.bias,
            "cost": self.cost,
            "quality": self.quality,
            "places": list(self.places),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Return the model that `to_plain` wrote.

        Raises
        ------
        ValueError
            The values do not have that form.
        """
        try:
            columns, values, places = list(plain["columns"]), list(plain["weights"]), list(plain["places"])
            quality = plain["quality"]
            numbers = [*values, plain["bias"], plain["cost"], *([] if quality is None else [quality])]
            if len(columns) != len(values) or len(set(columns)) != len(columns):
                raise ValueError("not one weight for each column")
            if not all(isinstance(name, str) for name in (*columns, *places)):
                raise ValueError("the name of a column or a place is no string")
            if not all(type(n) in (int, float) and math.isfinite(n) for n in numbers):
                raise ValueError("a weight is no finite number")
            return cls(
                sets=check_sets(plain["sets"]),
                weights=dict(zip(columns, map(float, values), strict=True)),
                bias=float(plain["bias"]),
                cost=float(plain["cost"]),
                quality=None if quality is None else float(quality),
                places=tuple(places),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"no linear model: {error!r}") from error
        except ValueError as error:
            raise ValueError(f"no linear model: {error}") from error


def learn(
    blocks: SiteBlocks,
    positive: NDArray[np.bool_],
    *,
    sets: Sequence[str] = DEFAULT_SETS,
    seed: int = 0,
    with_places: bool = True,
    check: Callable[[], object] = lambda: None,
) -> LinearModel:
    """Return a class-weighted linear SVM fitted to labelled blocks.

    Parameters
    ----------
    blocks : SiteBlocks
    positive : (n_blocks,) bool
        Whether each block is content.
    sets : sequence of str
        Feature sets.
    seed : int
        Seed of the folds used to choose C.
    with_places : bool
        Store the places of the blocks, to compare later pages with; a model of a single page needs none.
    check : callable
        Called between the steps; it may raise to end the work.

    Returns
    -------
    LinearModel
        Without weights if there is only one class, which it then always predicts. Also without weights if the feature sets
        yield no columns; it then predicts no content.

    Raises
    ------
    ValueError
        No blocks, a missing label, or an unknown feature set.
    """
    sets = check_sets(sets)
    if not len(blocks) or len(positive) != len(blocks):
        raise ValueError(
            f"{len(positive)} labels for {len(blocks)} blocks: one for each, of one block at least, is needed"
        )
    rows = _Rows.of(blocks, np.asarray(positive, dtype=np.bool_), sets)
    everything = np.arange(blocks.n_pages)
    folds = page_folds(blocks.n_pages, N_FOLDS, seed=seed)
    check()
    cost, quality = _choose_cost(rows, folds, check)
    columns, weights, bias = rows.fit(everything, cost)
    return LinearModel(
        sets=sets,
        weights=dict(sorted(zip(columns, weights.tolist(), strict=True))),
        bias=bias,
        cost=cost,
        quality=quality,
        places=_places(blocks, sets, columns) if with_places else (),
    )


def _choose_cost(
    rows: _Rows, folds: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]], check: Callable[[], object]
) -> tuple[float, float | None]:
    """Return the C chosen by cross-validation, and its F1 on held-out pages, pooled over the folds."""
    if not folds or not rows.has_both_classes:
        return 1.0, None
    found = []
    for cost in COSTS:
        found.append([rows.counts(test, *rows.fit(train, cost)[1:]) for train, test in folds])
        check()
    counts = np.array(found)
    pooled, of_folds = _f1(counts.sum(axis=1)), _f1(counts)
    best = int(pooled.argmax())
    error = float(of_folds[best].std() / len(folds) ** 0.5)
    chosen = int((pooled >= pooled[best] - max(error, MIN_ERROR)).argmax())
    return COSTS[chosen], float(pooled[chosen])


def _f1(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return F1 from common, predicted and wanted counts along the last axis; 1 if nothing was wanted or predicted."""
    common, both = counts[..., 0], counts[..., 1] + counts[..., 2]
    found: NDArray[np.float64] = np.where(both > 0, 2 * common / np.maximum(both, 1), 1.0)
    return found


@dataclass(frozen=True)
class _Rows:
    """Distinct labelled blocks as a sparse matrix, and the matrix row of each block.

    Attributes
    ----------
    columns : list of str
    matrix : (n_rows, n_columns) CSR
    positive : (n_rows,) bool
    row, page : (n_blocks,) int
    """

    columns: list[str]
    matrix: Any
    positive: NDArray[np.bool_]
    row: NDArray[np.int64]
    page: NDArray[np.int32]

    @classmethod
    def of(cls, blocks: SiteBlocks, positive: NDArray[np.bool_], sets: Sequence[str]) -> Self:
        discrete = discrete_rows(blocks, sets)
        continuous = continuous_columns(blocks, sets)
        first, of_block = distinct([discrete.row, *continuous.values(), positive])
        values = np.array([column[first] for column in continuous.values()]).reshape(len(continuous), len(first)).T
        matrix = discrete.one_hot(discrete.row[first], values)
        return cls([*continuous, *discrete.names], matrix, positive[first], of_block, blocks.page)

    @property
    def has_both_classes(self) -> bool:
        return bool(self.positive.any() and not self.positive.all())

    def fit(self, pages: NDArray[np.int64], cost: float) -> tuple[list[str], NDArray[np.float64], float]:
        """Return columns, weights and bias fitted to the blocks of some pages.

        Content has the same total weight as boilerplate, and within each class all pages weigh the same, so that one page
        with thousands of blocks does not dominate.
        """
        if not self.columns:
            return [], np.zeros(0), -1.0
        chosen = np.isin(self.page, pages)
        row, page = self.row[chosen], self.page[chosen]
        content = self.positive[row]
        if content.all() or not content.any():
            return [], np.zeros(0), 1.0 if content.any() else -1.0
        weight = np.zeros(len(self.positive))
        for of_class in (content, ~content):
            shares = 1 / np.bincount(page[of_class])[page[of_class]]
            sums = np.bincount(row[of_class], shares, len(weight)).round(12)  # independent of the order of pages
            weight += 0.5 * TOTAL_WEIGHT / sums.sum() * sums
        used = np.flatnonzero(weight)
        weights, bias = fit_svm(self.matrix[used], self.positive[used], cost * weight[used])
        return self.columns, weights, bias

    def counts(self, pages: NDArray[np.int64], weights: NDArray[np.float64], bias: float) -> NDArray[np.float64]:
        """Return the numbers of blocks of some pages that are predicted and wanted, predicted, and wanted."""
        row = self.row[np.isin(self.page, pages)]
        kept = self.matrix @ weights + bias > 0 if len(weights) else np.full(len(self.positive), bias > 0)
        kept, wanted = kept[row], self.positive[row]
        return np.array([(kept & wanted).sum(), kept.sum(), wanted.sum()], dtype=np.float64)


def _places(blocks: SiteBlocks, sets: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Return the distinct places of blocks, sorted, without class names that identify pages."""
    if "selector" in sets:
        share = steadiness(blocks)
        names = frozenset(name[3:] for name in columns if name[:3] == "in=" and share[name] >= STEADY_SHARE)
        reduced = {selector: _reduced(selector, names) for selector in dict.fromkeys(blocks.selectors)}
        places = [reduced[selector] for selector in blocks.selectors]
    elif "tag_path" in sets:
        places = list(blocks.tag_paths)
    else:
        return ()
    n_pages = Counter(place for _, place in set(zip(blocks.page.tolist(), places, strict=True)))
    ranked = sorted(n_pages, key=lambda place: (-n_pages[place], place))
    n_chars = accumulate(map(len, ranked))
    return tuple(sorted(place for place, n in zip(ranked, n_chars, strict=True) if n <= MAX_PLACE_CHARS))


def _class_names(step: str) -> list[str]:
    """Return a step's class names with its tag: "div.story"."""
    tag, *classes = step.split(".")
    return [f"{tag}.{token}" for token in classes]


def _reduced(selector: str, names: frozenset[str]) -> str:
    """Return a selector without class names other than these."""
    return "/".join(
        step if "." not in step else ".".join([tag, *(t for t in rest.split(".") if f"{tag}.{t}" in names)])
        for step in selector.split("/")
        for tag, _, rest in [step.partition(".")]
    )
