"""Fitting a page model to labelled rows, and judging it on sites it was not fitted to.

One thread, a fixed seed and rounded weights: the same rows give the same file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from webmain.evaluation.metrics import words
from webmain.evaluation.tokens import TextPair
from webmain.evaluation.training.rows import N_FOLDS, Rows, fold_of
from webmain.extractors.learned import probabilities
from webmain.extractors.page_model import PageModel
from webmain.features.choice import Choice, choose, page_columns
from webmain.features.columns import names
from webmain.features.trees import Trees

if TYPE_CHECKING:
    from numpy.typing import NDArray

DECIMALS: Final = 5
"""Leaves' values are rounded to so many places."""

DIGITS: Final = 6
"""Thresholds are rounded to so many significant digits."""


MADE_UP_WEIGHT: Final = 0.5
NEWS_WEIGHT: Final = 1.5
GENERAL_SHARE: Final = {(False, False): 1.0, (False, True): 0.0, (True, False): 0.3, (True, True): 0.1}
"""Weight of a page in the general profile, by whether it is news and whether it is made up."""

EASY_CHARS: Final = 74
EASY_EVERY: Final = 5
_LINK, _LOG_CHARS = names().index("link"), names().index("log_chars")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How trees are fitted.

    Attributes
    ----------
    n_trees, n_leaves, min_leaf, depth : int
        Trees, most leaves of each, fewest rows of a leaf, most steps to one.
    learning_rate, l2, column_share : float
        Shrinkage, regularisation of the leaves, share of the columns that each split chooses from.
    n_bins : int
        Most distinct values of a column that are told apart.
    seed : int
    """

    n_trees: int = 140
    n_leaves: int = 31
    min_leaf: int = 60
    depth: int = 9
    learning_rate: float = 0.08
    l2: float = 5.0
    column_share: float = 0.4
    n_bins: int = 127
    seed: int = 1


BLOCKS: Final = Recipe()
PROFILE: Final = Recipe(n_trees=60, n_leaves=8, min_leaf=15, depth=5, learning_rate=0.1, column_share=0.2)
CONFIDENCE: Final = Recipe(n_trees=60, n_leaves=6, min_leaf=40, depth=4, learning_rate=0.08, column_share=0.7)


@dataclass(frozen=True)
class Judged:
    """What a model that never saw a page's site says of the page.

    Attributes
    ----------
    rows : Rows
    margin : (n_blocks,) float64
        Log-odds.
    news : float
        Share of the news profile.
    choice : Choice
    f1 : float
        Word F1 of the chosen text.
    """

    rows: Rows
    margin: NDArray[np.float64]
    news: float
    choice: Choice
    f1: float


def fit_trees(
    values: NDArray[np.float32],
    target: NDArray[Any],
    weights: NDArray[np.float64],
    recipe: Recipe,
    *,
    task: Literal["odds", "value"] = "odds",
) -> Trees:
    """Fit gradient-boosted trees.

    Parameters
    ----------
    values : (n_rows, n_columns) float32
    target : (n_rows,) array
        0 or 1 for log-odds; numbers for a value.
    weights : (n_rows,) float64
    """
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    machine = (HistGradientBoostingClassifier if task == "odds" else HistGradientBoostingRegressor)(
        max_iter=recipe.n_trees,
        max_leaf_nodes=recipe.n_leaves,
        min_samples_leaf=recipe.min_leaf,
        max_depth=recipe.depth,
        learning_rate=recipe.learning_rate,
        l2_regularization=recipe.l2,
        max_features=recipe.column_share,
        max_bins=recipe.n_bins,
        early_stopping=False,
        random_state=recipe.seed,
    )
    machine.fit(values, target, sample_weight=weights * (len(weights) / weights.sum()))
    return _plain_trees(machine)


def _plain_trees(machine: Any) -> Trees:
    """Take the trees out of scikit-learn's machine, values and thresholds rounded."""
    feature: list[int] = []
    threshold: list[np.float32] = []
    child: list[int] = []
    value: list[float] = []
    roots: list[int] = []
    for (predictor,) in machine._predictors:
        nodes = predictor.nodes
        root = len(feature)
        roots.append(root)
        order = _preorder(nodes)
        place = {node: root + at for at, node in enumerate(order)}
        for node in order:
            record, at = nodes[node], place[node]
            if record["is_leaf"]:
                feature.append(0)
                threshold.append(np.float32(np.inf))
                child += [at, at]
                value.append(round(float(record["value"]), DECIMALS))
            else:
                feature.append(int(record["feature_idx"]))
                threshold.append(np.float32(f"{record['num_threshold']:.{DIGITS}g}"))
                child += [place[int(record["left"])], place[int(record["right"])]]
                value.append(0.0)
    plain = Trees(
        round(float(np.ravel(machine._baseline_prediction)[0]), DECIMALS),
        np.array(roots),
        np.array(feature),
        np.array(threshold, dtype=np.float32),
        np.array(child),
        np.array(value),
        depth=0,
    )
    columns = [str(i) for i in range(machine.n_features_in_)]
    return Trees.from_plain(plain.to_plain(columns), columns)


def _preorder(nodes: Any) -> list[int]:
    """Return the numbers of a tree's nodes, each before its children, the left one first."""
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if not nodes[node]["is_leaf"]:
            waiting += [int(nodes[node]["right"]), int(nodes[node]["left"])]
    return order


# ---- the page model


@dataclass(frozen=True)
class Parts:
    """The trees of a page model without its confidence."""

    news: Trees
    general: Trees
    profile: Trees

    def judge(self, rows: Rows) -> Judged:
        """Judge a page as the extractor does."""
        model = PageModel(self.news, self.general, self.profile, self.profile)
        seen: Any = _Seen(rows.values, rows.n_chars)
        news = model.news_share(seen)
        margin = model.margins(seen, news)
        choice = choose(probabilities(margin), rows.n_chars)
        text = "\n".join(t for t, kept in zip(rows.texts, choice.kept, strict=True) if kept)
        return Judged(
            rows, margin, news, choice, words(TextPair(predicted=text, gold=rows.gold, language=rows.language)).f1
        )


@dataclass(frozen=True)
class _Seen:
    """Columns of a page, as far as a model looks at them."""

    values: NDArray[np.float32]
    n_chars: NDArray[np.float64]


def fit_parts(rows: Sequence[Rows], *, fit: Callable[..., Trees] = fit_trees, recipe: Recipe = BLOCKS) -> Parts:
    """Fit all but the confidence.

    The news profile sees articles only, and those made up from them; the general one sees all pages, articles for less, so
    that it does no harm to one that it is given by mistake.
    """
    news = [(page, _page_weight(page)) for page in rows if page.is_news]
    every = [(page, GENERAL_SHARE[page.is_news, page.made_up] * _page_weight(page)) for page in rows]
    return Parts(
        news=_fit_blocks(news, fit, recipe),
        general=_fit_blocks([(page, weight) for page, weight in every if weight], fit, recipe),
        profile=fit(
            np.stack([page.means for page in rows]),
            np.array([page.is_news for page in rows]),
            np.array([_page_weight(page) * (NEWS_WEIGHT if page.is_news else 1.0) for page in rows]),
            PROFILE,
        ),
    )


def _fit_blocks(pages: Sequence[tuple[Rows, float]], fit: Callable[..., Trees], recipe: Recipe) -> Trees:
    chosen = [_thinned(page) for page, _ in pages]
    return fit(
        np.concatenate([page.values[kept] for (page, _), (kept, _) in zip(pages, chosen, strict=True)]),
        np.concatenate([page.content[kept] for (page, _), (kept, _) in zip(pages, chosen, strict=True)]),
        np.concatenate([weights * weight for (_, weight), (_, weights) in zip(pages, chosen, strict=True)]),
        recipe,
    )


def _thinned(page: Rows) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Keep one of every few easy blocks, which stands for the others: short links that are no content."""
    easy = ~page.content & (page.values[:, _LINK] > 0.9) & (page.values[:, _LOG_CHARS] < np.log(EASY_CHARS))
    kept = ~easy | (np.cumsum(easy) % EASY_EVERY == 1)
    return kept, (page.weights * np.where(easy, EASY_EVERY, 1))[kept]


def _page_weight(page: Rows) -> float:
    return MADE_UP_WEIGHT if page.made_up else 2.0 if page.dataset == "fundus" else 1.0


def cross_validate(
    real: Sequence[Rows], made_up: Sequence[Rows], *, fit: Callable[..., Trees] = fit_trees, recipe: Recipe = BLOCKS
) -> list[Judged]:
    """Judge each real page by parts fitted to other sites, and to pages made up from those."""
    judged: dict[int, Judged] = {}
    for fold in range(N_FOLDS):
        train = [page for page in (*real, *made_up) if fold_of(page.site) != fold]
        parts = fit_parts(train, fit=fit, recipe=recipe)
        for number, page in enumerate(real):
            if fold_of(page.site) == fold:
                judged[number] = parts.judge(page)
    return [judged[number] for number in range(len(real))]


def fit_confidence(judged: Sequence[Judged]) -> Trees:
    """Fit the expected F1 to what pages of other sites got."""
    rows = [
        np.append(page_columns(probabilities(j.margin), j.rows.n_chars, j.choice), j.news).astype(np.float32)
        for j in judged
    ]
    weights = np.array([_page_weight(j.rows) for j in judged])
    return fit_trees(np.stack(rows), np.array([j.f1 for j in judged]), weights, CONFIDENCE, task="value")


def fit_model(real: Sequence[Rows], made_up: Sequence[Rows], judged: Sequence[Judged]) -> PageModel:
    """Fit a page model to all pages; the confidence to what cross-validation gave."""
    parts = fit_parts([*real, *made_up])
    return PageModel(parts.news, parts.general, parts.profile, fit_confidence(judged))
