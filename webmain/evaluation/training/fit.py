"""Fitting a page model to labelled rows, and judging it on sites it was not fitted to.

One thread, a fixed seed and rounded weights: the same rows give the same file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from webmain.evaluation.metrics import words
from webmain.evaluation.tokens import TextPair
from webmain.evaluation.training.boosting import Recipe, boosted
from webmain.evaluation.training.rows import N_FOLDS, Rows, fold_of
from webmain.extractors.page_model import Choice, PageModel, choose, confidence_row
from webmain.features.columns import names
from webmain.features.trees import Trees, probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

MADE_UP_WEIGHT: Final = 0.7
PROFILE_WEIGHT: Final = 0.4
"""Weights of a made-up page: among blocks, and where pages are told apart."""

NEWS_PROFILE_WEIGHT: Final = 1.2
"""Weight of an article, where pages are told apart: of the two mistakes the other one does less harm."""

NEWS_SHARE: Final = {(True, False): 1.0, (True, True): 1.0, (False, False): 0.2}
GENERAL_SHARE: Final = {(False, False): 1.0, (True, False): 0.15, (True, True): 0.03}
"""Weight of a page in either profile, by whether it is an article and whether it is made up.

Both see something of the other's pages, so that they do little harm to those that they are given by mistake.
"""

EASY_CHARS: Final = 74
EASY_EVERY: Final = 5
_LINK, _LOG_CHARS = names().index("link"), names().index("log_chars")

BLOCKS: Final = Recipe()
PROFILE: Final = Recipe(n_trees=150, n_leaves=16, min_leaf=15, depth=7, learning_rate=0.08, column_share=0.5)
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
    return boosted(values, target, weights, recipe, task=task).trees


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

    The news profile sees articles and pages made up from them, the general one all others, each a little of the other's.
    """
    news, general = (
        [
            (page, share[page.is_news, page.made_up] * _page_weight(page))
            for page in rows
            if (page.is_news, page.made_up) in share
        ]
        for share in (NEWS_SHARE, GENERAL_SHARE)
    )
    return Parts(
        news=_fit_blocks(news, fit, recipe),
        general=_fit_blocks(general, fit, recipe),
        profile=fit(
            np.stack([page.means for page in rows]),
            np.array([page.is_news for page in rows]),
            np.array(
                [
                    (PROFILE_WEIGHT if page.made_up else 1.0) * (NEWS_PROFILE_WEIGHT if page.is_news else 1.0)
                    for page in rows
                ]
            ),
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


def judge_fold(
    real: Sequence[Rows],
    made_up: Sequence[Rows],
    fold: int,
    *,
    fit: Callable[..., Trees] = fit_trees,
    recipe: Recipe = BLOCKS,
) -> dict[int, Judged]:
    """Judge the real pages of a fold, by their place, by parts fitted to all other pages."""
    places = [place for place, page in enumerate(real) if fold_of(page.site) == fold]
    if not places:
        return {}
    train = [page for page in (*real, *made_up) if fold_of(page.site) != fold]
    parts = fit_parts(train, fit=fit, recipe=recipe)
    return {place: parts.judge(real[place]) for place in places}


def cross_validate(
    real: Sequence[Rows], made_up: Sequence[Rows], *, fit: Callable[..., Trees] = fit_trees, recipe: Recipe = BLOCKS
) -> list[Judged]:
    """Judge each real page by parts fitted to other sites, and to pages made up from those."""
    judged: dict[int, Judged] = {}
    for fold in range(N_FOLDS):
        judged |= judge_fold(real, made_up, fold, fit=fit, recipe=recipe)
    return [judged[place] for place in range(len(real))]


def confidence_rows(judged: Iterable[Judged]) -> NDArray[np.float32]:
    """Return what tells how sure each page's choice is, as `(n_pages, n_columns)`."""
    return np.stack([confidence_row(probabilities(j.margin), j.rows.n_chars, j.choice, j.news) for j in judged])


def fit_confidence(judged: Sequence[Judged]) -> Trees:
    """Fit the expected F1 to what pages of other sites got."""
    weights = np.array([_page_weight(j.rows) for j in judged])
    target = np.array([j.f1 for j in judged])
    return fit_trees(confidence_rows(judged), target, weights, CONFIDENCE, task="value")


def fit_model(
    real: Sequence[Rows],
    made_up: Sequence[Rows],
    judged: Sequence[Judged],
    *,
    fit: Callable[..., Trees] = fit_trees,
    recipe: Recipe = BLOCKS,
) -> PageModel:
    """Fit a page model to all pages; the confidence to what cross-validation gave."""
    parts = fit_parts([*real, *made_up], fit=fit, recipe=recipe)
    return PageModel(parts.news, parts.general, parts.profile, fit_confidence(judged))
