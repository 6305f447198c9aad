"""From a data folder to a page model with its figures: what `webmain train` does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webmain import __version__
from webmain.evaluation.metrics import SegmentCounts, segments
from webmain.evaluation.records import GoldPage
from webmain.evaluation.training import boosting
from webmain.evaluation.training.boosting import Recipe, TrainingError
from webmain.evaluation.training.fit import BLOCKS, Judged, cross_validate, crossed_confidence, fit_model, judge
from webmain.evaluation.training.rows import (
    N_FOLDS,
    Rows,
    all_rows,
    check_folds,
    in_order,
    made_up_of,
    rows_of,
    with_sites,
)
from webmain.evaluation.training.sets import TrainingSet, check_set, digest_of, pages_of, training_sets
from webmain.extractors.page_model import PageModel, read, written
from webmain.features.trees import probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

DEFAULT_SETS: Final = ("wcxb_dev", "fundus")
MADE_UP: Final = 3_000
"""Pages that are made up from the real ones, all folds together."""

MAX_BYTES: Final = 3_000_000
"""A model that comes with the program is smaller."""

N_COMPARED: Final = 50
"""Pages on which the written model is compared with the fitted one."""

Progress = Callable[[str, int], AbstractContextManager[Callable[[], object]]]
"""Given what is counted and up to what number, returns what to call after each; `silent` shows nothing."""


def silent(_what: str, _total: int) -> AbstractContextManager[Callable[[], object]]:
    """Show no progress."""
    return nullcontext(lambda: None)


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What is to be trained, and how.

    Attributes
    ----------
    data : Path
        Folder with the training sets.
    sets : tuple of str
        Their names.
    checks : tuple of Path
        Gold pages that the model is judged on and never trained on.
    made_up : int
        Pages to make up.
    seed : int
        Of the made-up pages and of the trees.
    jobs : int
        Processes.
    recipe : Recipe
        Of the blocks' trees; its seed is `seed`.
    """

    data: Path
    sets: tuple[str, ...] = DEFAULT_SETS
    checks: tuple[Path, ...] = ()
    made_up: int = MADE_UP
    seed: int = 1
    jobs: int = 1
    recipe: Recipe = BLOCKS


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The judgement of one page that the model was not trained on.

    Attributes
    ----------
    dataset, page_type, id : str
    is_check : bool
        Of a set for checks; cross-validated otherwise.
    f1 : float or None
        Word F1; None where the gold is segments only.
    confidence : float
        The F1 that was expected.
    segments : SegmentCounts or None
    is_known_site : bool
        The model was trained on other pages of its site: only on sets for checks.
    """

    dataset: str
    page_type: str
    id: str
    is_check: bool
    f1: float | None
    confidence: float
    segments: SegmentCounts | None = None
    is_known_site: bool = False


@dataclass(frozen=True, kw_only=True)
class Made:
    """A trained model and what is known of it.

    Attributes
    ----------
    data : bytes
        The model's file.
    model : PageModel
        As read from them.
    facts : dict of str to JSON values
        What must be the same for the same file, and what it is made of.
    outcomes : tuple of Outcome
    gains : dict of str to (n_columns,) float64
        Of "news", "general" and "profile": what each column gained.
    """

    data: bytes
    model: PageModel
    facts: dict[str, Any]
    outcomes: tuple[Outcome, ...]
    gains: dict[str, NDArray[np.float64]]


def make(wish: Wish, *, progress: Progress = silent) -> Made:
    """Train a page model and judge it.

    Raises
    ------
    TrainingError
        Data is missing, empty, in no known format or given twice; or the fitting can not be done.
    """
    version = boosting.version()
    sets = training_sets(wish.data, wish.sets)
    checks = _checks(wish, sets)
    recipe = replace(wish.recipe, seed=wish.seed)
    pages = with_sites(pages_of(sets))
    with progress("pages", len(pages)) as advance:
        real = all_rows(pages, jobs=wish.jobs, advance=advance)
    check_folds(real)
    with progress("made-up pages", wish.made_up) as advance:
        made_up = all_rows(made_up_of(pages, count=wish.made_up, seed=wish.seed), jobs=wish.jobs, advance=advance)
    made_up = [replace(rows, made_up=True) for rows in made_up]
    del pages
    with progress("folds", N_FOLDS) as advance:
        judged = cross_validate(real, made_up, jobs=wish.jobs, recipe=recipe, advance=advance)
    with progress("model", 1) as advance:
        fitted = fit_model(real, made_up, judged, recipe)
        advance()
    data = written(fitted.model)
    model = same_after_reading(fitted.model, data, real[:N_COMPARED])
    outcomes = list(_crossed_outcomes(judged))
    for one in checks:
        outcomes += _check_outcomes(one, model, {page.site for page in real}, jobs=wish.jobs, progress=progress)
    facts = {
        "model_sha256": model.sha256,
        "model_bytes": len(data),
        "data_sha256": digest_of(sets),
        "sets": [one.facts for one in sets],
        "checks": [one.facts for one in checks],
        "made_up": wish.made_up,
        "seed": wish.seed,
        "pages": len(real),
        "pages_made_up": len(made_up),
        "blocks": sum(len(page.content) for page in (*real, *made_up)),
        "webmain": __version__,
        "lightgbm": version,
        "numpy": np.__version__,
    }
    return Made(data=data, model=model, facts=facts, outcomes=tuple(outcomes), gains=fitted.gains)


def _checks(wish: Wish, sets: Sequence[TrainingSet]) -> tuple[TrainingSet, ...]:
    checks = tuple(check_set(path) for path in wish.checks)
    trained = {one.sha256: one.name for one in sets}
    for one in checks:  # now rather than after hours of fitting
        if not any(_is_usable(page) for page in one.gold()):
            raise TrainingError(f"{one.path} holds no page with a main text or segments")
        if one.sha256 in trained:
            raise TrainingError(f"{one.path} is trained on as {trained[one.sha256]}: it can not be a check")
    return checks


def same_after_reading(model: PageModel, data: bytes, rows: Sequence[Rows]) -> PageModel:
    """Return the model as read from its file.

    Raises
    ------
    TrainingError
        It does not judge as the model that was written.
    """
    found = read(data)
    for page in rows:
        for one, other in ((model.news, found.news), (model.general, found.general), (model.profile, found.profile)):
            if not np.array_equal(one.sums(page.values), other.sums(page.values)):
                raise TrainingError(f"the model judges page {page.id} differently after writing and reading")
    return found


# ---- pages that were not trained on


def _crossed_outcomes(judged: Sequence[Judged]) -> Iterator[Outcome]:
    for one, confidence in zip(judged, crossed_confidence(judged).tolist(), strict=True):
        rows = one.rows
        yield Outcome(
            dataset=rows.dataset,
            page_type=rows.page_type,
            id=rows.id,
            is_check=False,
            f1=one.f1,
            confidence=confidence,
        )


def _check_outcomes(
    one: TrainingSet, model: PageModel, known: set[str], *, jobs: int, progress: Progress
) -> Iterator[Outcome]:
    """Judge the pages of a set for checks as they come; a page that can not be read counts as nothing found."""
    pages = [page for page in one.gold() if _is_usable(page)]
    with progress(one.name, len(pages)) as advance:
        for page, rows in zip(pages, in_order(rows_of, pages, jobs=jobs), strict=True):
            advance()
            judged = judge(model, rows) if rows else None
            text, f1, confidence = "", 0.0, 0.0
            if judged and rows:
                text, f1 = judged.text, judged.f1
                confidence = model.expected_f1(probabilities(judged.margin), rows.n_chars, judged.choice, judged.news)
            yield Outcome(
                dataset=one.name,
                page_type=page.page_type,
                id=page.id,
                is_check=True,
                f1=f1 if page.text else None,
                confidence=confidence,
                segments=segments(text, page.wanted, page.unwanted) if page.wanted or page.unwanted else None,
                is_known_site=page.site in known,
            )


def _is_usable(page: GoldPage) -> bool:
    return bool(page.text or page.wanted or page.unwanted)
