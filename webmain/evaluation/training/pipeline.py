"""Trains and evaluates a page model from a data folder: the work of `webmain train`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from webmain import __version__
from webmain.evaluation.gold import read_gold
from webmain.evaluation.metrics import SegmentCounts, segments
from webmain.evaluation.training import boosting, fit, rows, sets
from webmain.evaluation.training.boosting import Recipe, TrainingError
from webmain.evaluation.training.fit import PagePrediction
from webmain.evaluation.training.rows import N_FOLDS, Rows, all_rows, check_folds, made_up_of
from webmain.evaluation.training.sets import TrainingSet
from webmain.extractors.page_model import PageModel, read, written

MADE_UP: Final = 2_400
"""Pages synthesised from the real ones, all folds together."""

MAX_BYTES: Final = 1_000_000
"""Largest size of a model that is shipped with the program."""

N_COMPARED: Final = 50
"""Pages on which the written model is compared with the fitted one."""

UNSPACED_LANGUAGES: Final = frozenset(("zh", "ja"))
"""Languages whose characters carry more: each counts as 2.5 of other languages when lengths are compared."""

Progress = Callable[[str, int], AbstractContextManager[Callable[[], object]]]
"""Takes a label and a total, returns a context whose value is called after each step; `silent` shows nothing."""


def silent(_what: str, _total: int) -> AbstractContextManager[Callable[[], object]]:
    """Return a progress context that shows nothing."""
    return nullcontext(lambda: None)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a training run."""

    data: Path  # folder with the training sets
    sets: tuple[str, ...] | None = None  # their names, or `PERMISSIVE`; None for all known ones
    checks: tuple[Path, ...] = ()  # gold pages that the model is judged on and never trained on
    made_up: int = MADE_UP  # pages to make up
    seed: int = 1  # for the synthesised pages and the trees
    jobs: int = 1  # processes
    recipe: Recipe = fit.BLOCKS  # of the trees that judge blocks; its seed is `seed`
    left_out: bool = False  # judge the pages of each set by a model of the other sets as well


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The evaluation of one page that the model was not trained on."""

    dataset: str
    page_type: str
    id: str
    # "cross-validated": by a model of other sites; "set left out": by one of other sites and other sets; "plain": by the
    # model itself, of a set for checks
    how: str
    f1: float | None  # word F1; None if the gold has segments only
    confidence: float  # the F1 that was expected
    segments: SegmentCounts | None = None
    article: float = 1.0  # probability that the page is an article, as used if an article is required
    n_gold: int = 0  # characters of its main text; those of scripts without spaces count 2.5 times
    text: str = ""  # the extracted text


@dataclass(frozen=True, kw_only=True)
class Trained:
    """A trained model with its evaluation."""

    data: bytes  # the model's file
    model: PageModel  # as read from them
    facts: dict[str, Any]  # what must be the same to get the same file, and what it is made of
    outcomes: tuple[Outcome, ...]
    # dict of str to (n_page_columns,) float64; of "blocks", "article" and "no listing": what each column gained
    gains: dict[str, NDArray[np.float64]]


def train(options: Options, *, progress: Progress = silent) -> Trained:
    """Train a page model and evaluate it.

    Raises TrainingError: data is missing, empty or given twice; or the model cannot be fitted. Raises GoldError: data is of
    unknown format.
    """
    version = boosting.version()
    used = sets.training_sets(options.data, sets.set_names(options.sets))
    checks = _checks(options, used)
    recipe = replace(options.recipe, seed=options.seed)
    barred = _barred_sites(options)
    found, dropped = sets.pages_of(used)
    given = rows.with_sites(found)
    pages = [page for page in given if page.site not in barred]
    with progress("pages", len(pages)) as advance:
        real = all_rows(pages, jobs=options.jobs, advance=advance)
    check_folds(real)
    left_out = fit.sets_left_out(real) if options.left_out else []
    if len(left_out) == 1:
        raise TrainingError(
            "all pages are of one set, or of sets that are left out together: no others are left to fit to"
        )
    with progress("made-up pages", options.made_up) as advance:
        made_up = all_rows(
            made_up_of(pages, count=options.made_up, seed=options.seed), jobs=options.jobs, advance=advance
        )
    n_barred, n_unread = len(given) - len(pages), len(pages) - len(real)
    del found, given, pages
    with progress("folds", N_FOLDS) as advance:
        judged = fit.cross_validate(real, made_up, fit.folds(real), jobs=options.jobs, recipe=recipe, advance=advance)
    outcomes = list(_outcomes(judged, "cross-validated", by=lambda one: one.rows.fold))
    if left_out:
        with progress("sets left out", len(left_out)) as advance:
            without = fit.cross_validate(real, made_up, left_out, jobs=options.jobs, recipe=recipe, advance=advance)
        outcomes += _outcomes(without, "set left out", by=lambda one: one.rows.dataset)
    with progress("model", 1) as advance:
        fitted = fit.fit_parts([*real, *made_up], recipe)
        whole = replace(fitted.model, confidence=fit.fit_confidence(judged))
        advance()
    data = written(whole)
    model = same_after_reading(whole, data, real[:N_COMPARED])
    for one in checks:
        outcomes += _check_outcomes(one, model, jobs=options.jobs, progress=progress)
    facts = {
        "model_sha256": model.sha256,
        "model_bytes": len(data),
        "data_sha256": sets.digest_of(used),
        "sets": [one.facts for one in used],
        "checks": [one.facts for one in checks],
        "made_up": options.made_up,
        "seed": options.seed,
        "pages": len(real),
        "pages_barred": n_barred,
        "pages_unread": n_unread,
        "dropped": dropped,
        "pages_made_up": len(made_up),
        "blocks": sum(len(page.share) for page in (*real, *made_up)),
        "webmain": __version__,
        "lightgbm": version,
        "numpy": np.__version__,
    }
    return Trained(data=data, model=model, facts=facts, outcomes=tuple(outcomes), gains=fitted.gains)


def predictions(made: Trained, how: str) -> str:
    """Return the predictions made in one way (`Outcome.how`), as JSON lines of set, id and text."""
    records = ({"set": one.dataset, "id": one.id, "text": one.text} for one in made.outcomes if one.how == how)
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _barred_sites(options: Options) -> frozenset[str]:
    """Return the sites of all check sets, given and known; their pages are excluded from training."""
    known = (options.data / f"{name}.jsonl.gz" for name in sets.CHECKS)
    paths = {path.resolve() for path in (*options.checks, *known) if path.exists()}
    return frozenset(site for path in sorted(paths) for site in sets.sites_in(path))


def _checks(options: Options, used: Sequence[TrainingSet]) -> tuple[TrainingSet, ...]:
    checks = tuple(sets.check_set(path) for path in options.checks)
    trained = {one.sha256: one.name for one in used}
    for one in checks:  # checked now, not after hours of fitting
        if next(iter(read_gold(one.path)), None) is None:
            raise TrainingError(f"{one.path} contains no page with a main text or segments")
        if one.sha256 in trained:
            raise TrainingError(f"{one.path} is trained on as {trained[one.sha256]}: it cannot be a check")
    return checks


def same_after_reading(model: PageModel, data: bytes, rows: Sequence[Rows]) -> PageModel:
    """Return the model as read from its file; raises TrainingError if it does not judge as the model that was written."""
    found = read(data)
    for page in rows:
        if not np.array_equal(fit.predict(model, page).margin, fit.predict(found, page).margin):
            raise TrainingError(f"the model scores page {page.id} differently after it was written and read")
    return found


# ---- held-out pages


def _outcomes(
    judged: Sequence[PagePrediction], how: str, *, by: Callable[[PagePrediction], object]
) -> Iterator[Outcome]:
    """Yield the outcomes of held-out pages; the confidence of each is fitted to those of other groups."""
    for one, expected in zip(judged, fit.cross_validated_confidence(judged, by=by).tolist(), strict=True):
        rows = one.rows
        yield Outcome(
            dataset=rows.dataset,
            page_type=rows.page_type,
            id=rows.id,
            how=how,
            f1=one.f1,
            confidence=expected,
            article=one.shown,
            n_gold=round(len(rows.gold) * (2.5 if rows.language in UNSPACED_LANGUAGES else 1)),
            text=one.text,
        )


def _check_outcomes(one: TrainingSet, model: PageModel, *, jobs: int, progress: Progress) -> Iterator[Outcome]:
    """Yield the outcomes of the pages of a check set; an unreadable page counts as nothing found."""
    pages = list(read_gold(one.path))
    with progress(one.name, len(pages)) as advance:
        for page, labelled in zip(pages, rows.in_order(pages, jobs=jobs), strict=True):
            advance()
            text, f1, expected = "", 0.0, 0.0
            if labelled:
                judged = fit.predict(model, labelled)
                text, f1, expected = judged.text, judged.f1, model.expected_f1(judged.confidence_row)
            yield Outcome(
                dataset=one.name,
                page_type=page.page_type,
                id=page.id,
                how="plain",
                f1=f1 if page.text else None,
                confidence=expected,
                segments=segments(text, page.wanted, page.unwanted) if page.wanted or page.unwanted else None,
            )
