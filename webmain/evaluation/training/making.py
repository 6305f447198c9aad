"""From a data folder to a page model with its figures: what `webmain train` does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webmain import __version__
from webmain.evaluation.metrics import SegmentCounts, segments
from webmain.evaluation.records import GoldPage
from webmain.evaluation.training import boosting
from webmain.evaluation.training.boosting import Boosted, Recipe, TrainingError, boosted
from webmain.evaluation.training.building import (
    check_folds,
    in_order,
    made_up_of,
    made_up_rows,
    real_rows,
    with_sites,
)
from webmain.evaluation.training.crossing import crossed, crossed_confidence
from webmain.evaluation.training.fit import BLOCKS, Judged, Parts, fit_model
from webmain.evaluation.training.rows import N_FOLDS, Rows, rows_of
from webmain.evaluation.training.training_sets import (
    TrainingSet,
    check_set,
    digest_of,
    gold_of,
    pages_of,
    training_sets,
)
from webmain.extractors.page_model import PageModel, read, written
from webmain.features.trees import Trees, probabilities

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
"""Given what is counted and up to what number, gives what to call after each; `silent` shows nothing."""


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
    """What came of one page that the model was not trained on.

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
    sets, checks : tuple of TrainingSet
    n_pages, n_made_up, n_blocks : int
        Pages with rows, made-up ones, and blocks of all of them.
    wish : Wish
    outcomes : tuple of Outcome
    gains : mapping of str to (n_columns,) float64
        Of "news", "general" and "profile": what each column gained.
    lightgbm : str
        Its version.
    """

    data: bytes
    model: PageModel
    sets: tuple[TrainingSet, ...]
    checks: tuple[TrainingSet, ...]
    n_pages: int
    n_made_up: int
    n_blocks: int
    wish: Wish
    outcomes: tuple[Outcome, ...]
    gains: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    lightgbm: str = ""

    @property
    def sha256(self) -> str:
        """Digest of the model's file."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def facts(self) -> dict[str, Any]:
        """What must be the same for the same file, and what it is made of, as JSON values."""
        return {
            "model_sha256": self.sha256,
            "model_bytes": len(self.data),
            "data_sha256": digest_of(self.sets),
            "sets": [_set_facts(one) for one in self.sets],
            "checks": [_set_facts(one) for one in self.checks],
            "made_up": self.wish.made_up,
            "seed": self.wish.seed,
            "pages": self.n_pages,
            "pages_made_up": self.n_made_up,
            "blocks": self.n_blocks,
            "webmain": __version__,
            "lightgbm": self.lightgbm,
            "numpy": np.__version__,
        }


def _set_facts(one: TrainingSet) -> dict[str, str]:
    return {"name": one.name, "sha256": one.sha256, "licence": one.licence.name, "credit": one.licence.credit}


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
        real = real_rows(pages, jobs=wish.jobs, advance=advance)
    check_folds(real)
    with progress("made-up pages", wish.made_up) as advance:
        invented = made_up_rows(made_up_of(pages, count=wish.made_up, seed=wish.seed), jobs=wish.jobs, advance=advance)
    del pages
    with progress("folds", N_FOLDS) as advance:
        judged = crossed(real, invented, jobs=wish.jobs, recipe=recipe, advance=advance)
    gains: list[NDArray[np.float64]] = []
    with progress("model", 1) as advance:
        model = fit_model(real, invented, judged, fit=_noting(gains), recipe=recipe)
        advance()
    data = written(model)
    model = same_after_reading(model, data, real[:N_COMPARED])
    outcomes = list(_crossed_outcomes(judged))
    known = {page.site for page in real}
    for one in checks:
        outcomes += _check_outcomes(one, model, known, jobs=wish.jobs, progress=progress)
    return Made(
        data=data,
        model=model,
        sets=sets,
        checks=checks,
        n_pages=len(real),
        n_made_up=len(invented),
        n_blocks=sum(len(page.content) for page in (*real, *invented)),
        wish=wish,
        outcomes=tuple(outcomes),
        gains=dict(zip(("news", "general", "profile"), gains, strict=False)),  # in the order of `fit_parts`
        lightgbm=version,
    )


def _checks(wish: Wish, sets: Sequence[TrainingSet]) -> tuple[TrainingSet, ...]:
    checks = tuple(check_set(path) for path in wish.checks)
    trained = {one.sha256: one.name for one in sets}
    for one in checks:  # now rather than after hours of fitting
        if not any(_is_usable(page) for page in gold_of(one)):
            raise TrainingError(f"{one.path} holds no page with a main text or segments")
        if one.sha256 in trained:
            raise TrainingError(f"{one.path} is trained on as {trained[one.sha256]}: it can not be a check")
    return checks


def _noting(gains: list[NDArray[np.float64]]) -> Callable[..., Trees]:
    """Return a way of fitting that notes what each column gained."""

    def fit(*args: Any, **kwargs: Any) -> Trees:
        found: Boosted = boosted(*args, **kwargs)
        gains.append(found.gains)
        return found.trees

    return fit


def same_after_reading(model: PageModel, data: bytes, rows: Sequence[Rows]) -> PageModel:
    """Return the model as read from its file.

    Raises
    ------
    TrainingError
        It does not judge as the model that was written.
    """
    found = read(data)
    if written(found) != data:
        raise TrainingError("the model is not the same after writing and reading")
    for page in rows:
        for one, other in ((model.news, found.news), (model.general, found.general)):
            if not np.array_equal(one.sums(page.values), other.sums(page.values)):
                raise TrainingError(f"the model judges page {page.id} differently after writing and reading")
        if not np.array_equal(model.profile.sums(page.means[None, :]), found.profile.sums(page.means[None, :])):
            raise TrainingError(f"the model sees page {page.id} differently after writing and reading")
    return found


# ---- what comes of pages that were not trained on


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
    """Judge the pages of a set for checks as they come; no page counts as nothing found."""
    pages = [page for page in gold_of(one) if _is_usable(page)]
    with progress(one.name, len(pages)) as advance:
        for page, rows in zip(pages, in_order(_rows_to_check, pages, jobs=jobs), strict=True):
            advance()
            yield _check_outcome(one, page, rows, model, known)


def _is_usable(page: GoldPage) -> bool:
    return bool(page.text or page.wanted or page.unwanted)


def _rows_to_check(page: GoldPage) -> Rows | None:
    """Return a page's rows; the labels of a page without gold text mean nothing."""
    return rows_of(page if page.text else replace(page, text="\n".join(page.wanted) or "-"))


def _check_outcome(one: TrainingSet, page: GoldPage, rows: Rows | None, model: PageModel, known: set[str]) -> Outcome:
    judged = Parts(model.news, model.general, model.profile).judge(rows) if rows else None
    text, confidence = "", 0.0
    if judged and rows:
        text = "\n".join(t for t, kept in zip(rows.texts, judged.choice.kept, strict=True) if kept)
        confidence = model.expected_f1(probabilities(judged.margin), rows.n_chars, judged.choice, judged.news)
    return Outcome(
        dataset=one.name,
        page_type=page.page_type,
        id=page.id,
        is_check=True,
        f1=None if not page.text else judged.f1 if judged else 0.0,
        confidence=confidence,
        segments=segments(text, page.wanted, page.unwanted) if page.wanted or page.unwanted else None,
        is_known_site=page.site in known,
    )
