"""Fitting a page model to labelled rows, and judging it on sites it was not fitted to.

One thread for each fold, a fixed seed and rounded weights: the same rows give the same file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from joblib import Parallel, delayed

from webmain.evaluation.metrics import words
from webmain.evaluation.tokens import TextPair
from webmain.evaluation.training.boosting import Boosted, Recipe, boosted
from webmain.evaluation.training.rows import N_FOLDS, Rows
from webmain.extractors.page_model import Choice, PageModel, choose, confidence_row, names
from webmain.features.trees import Trees, probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Weights:
    """How much each kind of page counts; found by cross-validation on the sets that the shipped model is trained on.

    Attributes
    ----------
    made_up, profile : float
        Of a made-up page: among blocks, and where the profile is chosen.
    fundus : float
        Of a page of Fundus, whose gold is that of the publisher's own parser.
    news_page : float
        Of an article, where the profile is chosen: of the two mistakes the other one does less harm.
    news, general : mapping of (bool, bool) to float
        Of a page in either profile, by whether it is an article and whether it is made up. Both have some of the other's
        pages, so that they do little harm to those that they are given by mistake.
    easy_every, easy_chars : int
        Of so many easy blocks one is kept and counts for all: shorter links that are no content.
    """

    made_up: float = 0.7
    profile: float = 0.4
    fundus: float = 2.0
    news_page: float = 1.2
    news: Mapping[tuple[bool, bool], float] = field(
        default_factory=lambda: {(True, False): 1.0, (True, True): 1.0, (False, False): 0.2}
    )
    general: Mapping[tuple[bool, bool], float] = field(
        default_factory=lambda: {(False, False): 1.0, (True, False): 0.15, (True, True): 0.03}
    )
    easy_every: int = 5
    easy_chars: int = 74

    def of(self, page: Rows) -> float:
        """Return the weight of a page among blocks."""
        return self.made_up if page.made_up else self.fundus if page.dataset == "fundus" else 1.0

    def as_profile(self, page: Rows) -> float:
        """Return the weight of a page where the profile is chosen."""
        return (self.profile if page.made_up else 1.0) * (self.news_page if page.is_news else 1.0)


WEIGHTS: Final = Weights()
BLOCKS: Final = Recipe()
PROFILE: Final = Recipe(n_trees=150, n_leaves=16, min_leaf=15, depth=7, learning_rate=0.08, column_share=0.5)
CONFIDENCE: Final = Recipe(n_trees=60, n_leaves=6, min_leaf=40, depth=4, learning_rate=0.08, column_share=0.7)
_LINK, _LOG_CHARS = names().index("link"), names().index("log_chars")


@dataclass(frozen=True)
class Judged:
    """The judgement of a model that never saw a page's site.

    Attributes
    ----------
    rows : Rows
    margin : (n_blocks,) float64
        Log-odds.
    news : float
        Share of the news profile.
    choice : Choice
    text : str
        The chosen text.
    f1 : float
        Its word F1.
    """

    rows: Rows
    margin: NDArray[np.float64]
    news: float
    choice: Choice
    text: str
    f1: float


def judge(model: PageModel, rows: Rows) -> Judged:
    """Judge a page as the extractor does."""
    seen: Any = rows  # whose values and lengths are those of its columns
    news = model.news_share(seen)
    margin = model.margins(seen, news)
    choice = choose(probabilities(margin), rows.n_chars)
    text = "\n".join(t for t, kept in zip(rows.texts, choice.kept, strict=True) if kept)
    f1 = words(TextPair(predicted=text, gold=rows.gold, language=rows.language)).f1
    return Judged(rows, margin, news, choice, text, f1)


# ---- the page model


@dataclass(frozen=True)
class Fitted:
    """A page model, and what each column gained in its parts.

    Attributes
    ----------
    model : PageModel
    gains : dict of str to (n_columns,) float64
        Of "news", "general" and "profile".
    """

    model: PageModel
    gains: dict[str, NDArray[np.float64]]


def fit_parts(rows: Sequence[Rows], recipe: Recipe = BLOCKS) -> Fitted:
    """Fit all but the confidence, in whose place the profile's trees are.

    The news profile is fitted to articles and pages made up from them, the general one to all others, each to a little of
    the other's.
    """
    parts = {
        "news": _fit_blocks(rows, WEIGHTS.news, recipe),
        "general": _fit_blocks(rows, WEIGHTS.general, recipe),
        "profile": boosted(
            np.stack([page.means for page in rows]),
            np.array([page.is_news for page in rows]),
            np.array([WEIGHTS.as_profile(page) for page in rows]),
            PROFILE,
        ),
    }
    news, general, profile = (part.trees for part in parts.values())
    return Fitted(PageModel(news, general, profile, profile), {name: part.gains for name, part in parts.items()})


def _fit_blocks(rows: Sequence[Rows], shares: Mapping[tuple[bool, bool], float], recipe: Recipe) -> Boosted:
    pages = [page for page in rows if (page.is_news, page.made_up) in shares]
    kept = [_without_most_easy(page) for page in pages]
    weights = [shares[page.is_news, page.made_up] * WEIGHTS.of(page) for page in pages]
    return boosted(
        np.concatenate([page.values[one.kept] for page, one in zip(pages, kept, strict=True)]),
        np.concatenate([page.content[one.kept] for page, one in zip(pages, kept, strict=True)]),
        np.concatenate([one.weights * weight for one, weight in zip(kept, weights, strict=True)]),
        recipe,
    )


@dataclass(frozen=True)
class _Kept:
    """The blocks of a page that are fitted to, and the weight of each."""

    kept: NDArray[np.bool_]
    weights: NDArray[np.float64]


def _without_most_easy(page: Rows) -> _Kept:
    """Keep one of every few easy blocks, which counts for the others: short links that are no content."""
    is_short = page.values[:, _LOG_CHARS] < np.log(WEIGHTS.easy_chars)
    easy = ~page.content & (page.values[:, _LINK] > 0.9) & is_short
    kept = ~easy | (np.cumsum(easy) % WEIGHTS.easy_every == 1)
    return _Kept(kept, (page.weights * np.where(easy, WEIGHTS.easy_every, 1))[kept])


# ---- cross-validation


def cross_validate(
    real: Sequence[Rows],
    made_up: Sequence[Rows],
    *,
    jobs: int = 1,
    recipe: Recipe = BLOCKS,
    advance: Callable[[], object] = lambda: None,
) -> list[Judged]:
    """Judge each real page by parts fitted to other sites, and to pages made up from those.

    Parameters
    ----------
    real, made_up : sequence of Rows
    jobs : int
        Folds at the same time, as threads: LightGBM fits outside of Python's lock, and rows are too large to be sent.
    recipe : Recipe
        Of the blocks' trees.
    advance : callable
        Called after each fold.
    """

    def judge_fold(fold: int) -> dict[int, Judged]:
        places = [place for place, page in enumerate(real) if page.fold == fold]
        if not places:
            return {}
        model = fit_parts([page for page in (*real, *made_up) if page.fold != fold], recipe).model
        return {place: judge(model, real[place]) for place in places}

    judged: dict[int, Judged] = {}
    folds = Parallel(n_jobs=jobs, require="sharedmem", return_as="generator")
    for found in folds(delayed(judge_fold)(fold) for fold in range(N_FOLDS)):
        judged |= found
        advance()
    return [judged[place] for place in range(len(real))]


def crossed_confidence(judged: Sequence[Judged]) -> NDArray[np.float64]:
    """Return for each page the F1 that is expected by what pages of other folds got."""
    expected = np.zeros(len(judged))
    folds = np.array([one.rows.fold for one in judged])
    for fold in set(folds.tolist()):
        trees = fit_confidence([one for one, other in zip(judged, folds, strict=True) if other != fold])
        expected[folds == fold] = trees.sums(_confidence_rows(one for one in judged if one.rows.fold == fold))
    return np.clip(expected, 0.0, 1.0)


def _confidence_rows(judged: Iterable[Judged]) -> NDArray[np.float32]:
    return np.stack([confidence_row(probabilities(j.margin), j.rows.n_chars, j.choice, j.news) for j in judged])


def fit_confidence(judged: Sequence[Judged]) -> Trees:
    """Fit the expected F1 to what pages of other sites got."""
    weights = np.array([WEIGHTS.of(j.rows) for j in judged])
    target = np.array([j.f1 for j in judged])
    return boosted(_confidence_rows(judged), target, weights, CONFIDENCE, task="value").trees


def fit_model(
    real: Sequence[Rows], made_up: Sequence[Rows], judged: Sequence[Judged], recipe: Recipe = BLOCKS
) -> Fitted:
    """Fit a page model to all pages; the confidence to what cross-validation gave."""
    fitted = fit_parts([*real, *made_up], recipe)
    return replace(fitted, model=replace(fitted.model, confidence=fit_confidence(judged)))
