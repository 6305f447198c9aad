"""Cross-validation by several processes, and confidences for pages whose F1 they were not fitted to."""

from __future__ import annotations

import itertools
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.evaluation.training.boosting import Recipe, TrainingError
from webmain.evaluation.training.fit import BLOCKS, Judged, confidence_rows, fit_confidence, judge_fold
from webmain.evaluation.training.rows import N_FOLDS, Rows, fold_of

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from numpy.typing import NDArray


def crossed(
    real: Sequence[Rows],
    made_up: Sequence[Rows],
    *,
    jobs: int,
    recipe: Recipe = BLOCKS,
    advance: Callable[[], object] = lambda: None,
) -> list[Judged]:
    """Judge each real page by parts fitted to other sites, and to pages made up from those.

    Parameters
    ----------
    real, made_up : sequence of Rows
    jobs : int
        Folds at the same time, where the system can fork; each takes about as much memory as the rows.
    recipe : Recipe
        Of the blocks' trees.
    advance : callable
        Called after each fold.
    """
    judged: dict[int, Judged] = {}
    if jobs <= 1 or "fork" not in multiprocessing.get_all_start_methods():
        for fold in range(N_FOLDS):
            judged |= judge_fold(real, made_up, fold, recipe=recipe)
            advance()
    else:
        for found in _folds_by_processes(real, made_up, min(jobs, N_FOLDS), recipe):
            judged |= {place: replace(one, rows=real[place]) for place, one in found.items()}
            advance()
    return [judged[place] for place in range(len(real))]


def _folds_by_processes(
    real: Sequence[Rows], made_up: Sequence[Rows], jobs: int, recipe: Recipe
) -> Iterator[dict[int, Judged]]:
    """Give what each fold gave; rows are found by forked processes in their memory, they are too large to be sent."""
    context = multiprocessing.get_context("fork")
    running: deque[tuple[Any, Connection]] = deque()
    folds = iter(range(N_FOLDS))
    try:
        while True:
            for fold in itertools.islice(folds, jobs - len(running)):
                end, far_end = context.Pipe(duplex=False)
                process = context.Process(target=_fold, args=(far_end, real, made_up, fold, recipe), daemon=True)
                process.start()
                far_end.close()
                running.append((process, end))
            if not running:
                return
            found = _received(running[0][1])
            process, end = running.popleft()
            end.close()
            process.join()
            yield found
    finally:
        for process, end in running:
            process.terminate()
            process.join()
            end.close()


def _received(end: Connection) -> dict[int, Judged]:
    try:
        found: dict[int, Judged] | str = end.recv()
    except EOFError:
        raise TrainingError(
            "a process of the cross-validation ended at once: too little memory? Try --jobs 1"
        ) from None
    if isinstance(found, str):
        raise TrainingError(found)
    return found


def _fold(end: Connection, real: Sequence[Rows], made_up: Sequence[Rows], fold: int, recipe: Recipe) -> None:
    """Judge a fold and send what came of it, without the rows; an error's message otherwise."""
    try:
        found = judge_fold(real, made_up, fold, recipe=recipe)
    except TrainingError as error:
        end.send(str(error))
    else:
        end.send({place: replace(one, rows=None) for place, one in found.items()})  # type: ignore[arg-type]
    end.close()


def crossed_confidence(judged: Sequence[Judged]) -> NDArray[np.float64]:
    """Return for each page the F1 that is expected by what pages of other folds got."""
    expected = np.zeros(len(judged))
    folds = np.array([fold_of(one.rows.site) for one in judged])
    for fold in range(N_FOLDS):
        mine = np.flatnonzero(folds == fold)
        if len(mine):
            trees = fit_confidence([one for one, other in zip(judged, folds, strict=True) if other != fold])
            expected[mine] = trees.sums(confidence_rows(judged[place] for place in mine.tolist()))
    return np.clip(expected, 0.0, 1.0)
