"""Fits a page model to labelled rows, and evaluates it on sites that it was not fitted to.

One thread for each fit, a fixed seed and rounded weights: the same rows give the same file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from webmain.evaluation.metrics import words
from webmain.evaluation.tokens import TextPair
from webmain.evaluation.training.boosting import Recipe, boosted
from webmain.evaluation.training.rows import N_FOLDS, Rows, hash_of
from webmain.extractors import page_model
from webmain.extractors.page_model import Choice, PageModel, names, page_names
from webmain.features.comments import effect_of_comments
from webmain.features.trees import Trees, probabilities

# Weights of each kind of page, found by cross-validation on the training sets.
LISTING_WEIGHT: Final = 2.0  # of a listing, where listings are separated from articles
# of a page of some sets: of Fundus, whose gold is that of the publishers' own parsers; of those with many pages of few
# sites; of synthesised pages
SET_WEIGHTS: Final = {"fundus": 2.0, "big9": 0.5, "cleanportaleval": 0.5, "made_up": 0.2, "stripped": 0.4}
# one in `EASY_EVERY` easy blocks is fitted to and counts for all: links of fewer characters that are not content
EASY_EVERY: Final = 5
EASY_CHARS: Final = 74

BLOCKS: Final = Recipe()
PAGES: Final = Recipe(n_trees=150, n_leaves=12, min_leaf=15, depth=7, learning_rate=0.06, column_share=0.4, n_bins=63)
CONFIDENCE: Final = Recipe(n_trees=60, n_leaves=6, min_leaf=40, depth=4, learning_rate=0.08, column_share=0.7)
LISTINGS: Final = Recipe(n_trees=200, n_leaves=8, min_leaf=10, depth=7, learning_rate=0.04, column_share=0.2, n_bins=63)
KINDS: Final = Recipe(n_trees=40, n_leaves=8, min_leaf=10, depth=6, learning_rate=0.08, column_share=0.3, n_bins=63)
FEW_PAGES: Final = 150
"""Sets with fewer pages are held out together."""

N_INNER: Final = 4
"""Parts that the sites are divided into; a page's probability of being an article comes from a fit to the other parts."""

NO_ADDRESS: Final = 10
"""One in this many pages loses its address when the page-type trees are fitted, since some pages have none."""

_LINK, _LOG_CHARS = names().index("link"), names().index("log_chars")


def _weight(page: Rows) -> float:
    return SET_WEIGHTS.get(page.dataset, 1.0)


@dataclass(frozen=True)
class PagePrediction:
    """The predictions of a model that never saw a page's site."""

    rows: Rows
    margin: NDArray[np.float64]  # (n_blocks,) float64; log-odds
    article: float  # probability of the page being one with an article, by which its blocks were judged
    shown: float  # the same where an article is wanted: less if it is like a listing
    choice: Choice
    text: str  # the chosen text
    f1: float  # its word F1

    @property
    def confidence_row(self) -> NDArray[np.float32]:
        """The row from which the expected F1 is predicted."""
        return page_model.confidence_row(probabilities(self.margin), self.rows.n_chars, self.choice, self.article)


def predict(model: PageModel, rows: Rows) -> PagePrediction:
    """Predict a page as the extractor does."""
    seen: Any = rows  # whose values and lengths are those of its columns
    article = model.article_share(rows.means)
    margin = model.margins(seen, article)
    margin += effect_of_comments(rows.comments, margin, rows.n_chars, article)
    choice = page_model.choose(probabilities(margin), rows.n_chars)
    text = "\n".join(t for t, kept in zip(rows.texts, choice.kept, strict=True) if kept)
    f1 = words(TextPair(predicted=text, gold=rows.gold, language=rows.language)).f1
    return PagePrediction(rows, margin, article, model.page_types(rows.means)["article"], choice, text, f1)


# ---- the page model


@dataclass(frozen=True)
class Fitted:
    """A page model, and the gain of each column in its parts."""

    model: PageModel
    # dict of str to (n_page_columns,) float64; of "blocks", "article" and "no listing"
    gains: dict[str, NDArray[np.float64]]


def fit_parts(rows: Sequence[Rows], recipe: Recipe) -> Fitted:
    """Fit all parts but the confidence; the article trees are put there as a placeholder."""
    article, listings = _fit_article(rows), _fit_no_listing(rows)
    shares = _cross_validated_articles(rows)
    blocks = _fit_blocks(rows, shares, recipe)
    model = PageModel(
        article=article.trees,
        kinds=_fit_kinds([page for page in rows if page.kind != "article"] or rows),
        blocks=blocks.trees,
        confidence=article.trees,
        no_listing=listings.trees,
    )
    of_blocks = np.zeros(len(page_names()))
    of_blocks[: len(names())] = blocks.gains[: len(names())]
    return Fitted(model, {"blocks": of_blocks, "article": article.gains, "no listing": listings.gains})


def _page_rows(rows: Sequence[Rows]) -> NDArray[np.float32]:
    """Return a row for each page, without the address for one page in `NO_ADDRESS`."""
    values = np.stack([page.means for page in rows])
    hidden = [hash_of(page.id) % NO_ADDRESS == 0 for page in rows]
    values[np.outer(hidden, [name.startswith("page_path_") for name in page_names()])] = -1
    return values


def _fit_no_listing(rows: Sequence[Rows]) -> Any:
    """Fit the log-odds of being an article to articles and listings, using page-level columns only.

    Means of the blocks' columns, and other page types, make listings harder to separate: many articles look like a service.
    """
    own = [page for page in rows if not page.made_up and page.kind in ("article", "listing")] or rows
    of_page = np.array([name.startswith("page_") for name in page_names()])
    is_article = np.array([page.kind == "article" for page in own])
    return boosted(_page_rows(own) * of_page, is_article, np.where(is_article, 1.0, LISTING_WEIGHT), LISTINGS)


def _fit_article(rows: Sequence[Rows]) -> Any:
    return boosted(
        _page_rows(rows),
        np.array([page.kind == "article" for page in rows]),
        np.array([_weight(page) for page in rows]),
        PAGES,
    )


def _fit_kinds(rows: Sequence[Rows]) -> dict[str, Trees]:
    """Fit the log-odds of each page type to pages that are not articles."""
    means, same = _page_rows(rows), np.ones(len(rows))
    return {
        name: boosted(means, np.array([page.kind == name for page in rows]), same, KINDS).trees
        for name in page_model.OTHER_TYPES
    }


def _cross_validated_articles(rows: Sequence[Rows]) -> list[float]:
    """Return for each page its probability of being an article, predicted from the pages of other sites.

    The trees for blocks thus see it as they will on new pages, with the same certainty and errors.
    """
    parts = np.array([hash_of(f"inner {page.site}") % N_INNER for page in rows])
    shares = np.full(len(rows), 0.5)
    for part in range(N_INNER):
        inner = [page for page, own in zip(rows, parts, strict=True) if own != part]
        places = np.flatnonzero(parts == part).tolist()
        if inner and places:
            trees = _fit_article(inner).trees
            shares[places] = probabilities(trees.sums(np.stack([rows[place].means for place in places])))
    return shares.tolist()


def _fit_blocks(rows: Sequence[Rows], shares: Sequence[float], recipe: Recipe) -> Any:
    values, target, weights = [], [], []
    for page, probability in zip(rows, shares, strict=True):
        kept, own = _without_most_easy(page)
        values.append(page.with_article(probability)[kept])
        target.append(page.share[kept])
        weights.append(own * _weight(page))
    return boosted(np.concatenate(values), np.concatenate(target), np.concatenate(weights), recipe)


def _without_most_easy(page: Rows) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which blocks are used, one in every few easy ones (short links that are not content), and their weights."""
    is_short = page.values[:, _LOG_CHARS] < np.log(EASY_CHARS)
    easy = (page.share < 0.1) & (page.values[:, _LINK] > 0.9) & is_short
    kept = ~easy | (np.cumsum(easy) % EASY_EVERY == 1)
    return kept, (page.weights * np.where(easy, EASY_EVERY, 1))[kept]


# ---- held-out pages


def cross_validate(
    real: Sequence[Rows],
    made_up: Sequence[Rows],
    parts: Sequence[Sequence[Rows]],
    *,
    recipe: Recipe,
    jobs: int = 1,
    advance: Callable[[], object] = lambda: None,
) -> list[PagePrediction]:
    """Predict each real page by a model fitted to other sites, and to pages synthesised from those; in the order of `real`.

    `parts` are the real pages: `folds`, or `sets_left_out`. A model judges the pages of one part, and is fitted to those
    pages of the others that are of none of its sites. `recipe` is that of the trees that judge blocks. `jobs` parts run at
    the same time, as threads: fits work outside of Python's lock, and rows are too large to be sent. `advance` is called
    after each part.
    """

    def predict_part(part: Sequence[Rows]) -> list[PagePrediction]:
        sites = {page.site for page in part}
        others = [page for page in (*real, *made_up) if page.site not in sites]
        model = fit_parts(others, recipe).model
        return [predict(model, page) for page in part]

    judged: dict[tuple[str, str], PagePrediction] = {}
    for found in Parallel(n_jobs=jobs, require="sharedmem", return_as="generator")(map(delayed(predict_part), parts)):
        judged |= {(one.rows.dataset, one.rows.id): one for one in found}
        advance()
    return [judged[page.dataset, page.id] for page in real]


def folds(real: Sequence[Rows]) -> list[list[Rows]]:
    """Return the pages of each fold."""
    parts = [[page for page in real if page.fold == fold] for fold in range(N_FOLDS)]
    return [part for part in parts if part]


def sets_left_out(real: Sequence[Rows]) -> list[list[Rows]]:
    """Return the pages of each set, those of sets of fewer than `FEW_PAGES` pages together."""
    counts = Counter(page.dataset for page in real)
    large = sorted(name for name, n in counts.items() if n >= FEW_PAGES)
    parts = [[page for page in real if page.dataset == name] for name in large]
    return [part for part in (*parts, [page for page in real if page.dataset not in large]) if part]


def cross_validated_confidence(
    judged: Sequence[PagePrediction], *, by: Callable[[PagePrediction], object]
) -> NDArray[np.float64]:
    """Return for each page the expected F1, fitted to the F1 of pages of other groups; 0 if there is only one group.

    `by` returns the group of a page: its fold, or its set.
    """
    expected = np.zeros(len(judged))
    groups = [by(one) for one in judged]
    for group in dict.fromkeys(groups):
        rest = [one for one, other in zip(judged, groups, strict=True) if other != group]
        places = [place for place, other in enumerate(groups) if other == group]
        if rest:
            rows = np.stack([judged[place].confidence_row for place in places])
            expected[places] = fit_confidence(rest).sums(rows)
    return np.clip(expected, 0.0, 1.0)


def fit_confidence(judged: Sequence[PagePrediction]) -> Trees:
    """Fit the expected F1 to the F1 reached on other sites."""
    rows = np.stack([one.confidence_row for one in judged])
    f1, weights = np.array([one.f1 for one in judged]), np.array([_weight(one.rows) for one in judged])
    return boosted(rows, f1, weights, CONFIDENCE, task="value").trees
