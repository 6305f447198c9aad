"""Rows of many pages, by several processes, in the order of the pages."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import replace
from typing import Final, TypeVar

from webmain.evaluation.records import GoldPage
from webmain.evaluation.training.boosting import TrainingError
from webmain.evaluation.training.rows import N_FOLDS, NEWS_TYPES, Rows, fold_of, rows_of

Given = TypeVar("Given")
Made = TypeVar("Made")

AHEAD: Final = 8
"""Pages for each process that are handed out and not yet taken back: what bounds the memory."""


def in_order(work: Callable[[Given], Made], given: Iterable[Given], *, jobs: int) -> Iterator[Made]:
    """Do some work for each of many, by processes of their own, and give the results in the order of what was given.

    Parameters
    ----------
    work : callable
        A function of a module.
    given : iterable
        Read as far ahead as processes can be kept busy, no further.
    jobs : int
        Processes; 1 does all in this one.
    """
    if jobs <= 1:
        yield from map(work, given)
        return
    waiting: deque[Future[Made]] = deque()
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            for one in given:
                waiting.append(pool.submit(work, one))
                if len(waiting) >= AHEAD * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def with_sites(pages: Iterable[GoldPage]) -> list[GoldPage]:
    """Return pages that all have a site: those of which none is known are sites of their own."""
    return [page if page.site else replace(page, site=f"{page.dataset}/{page.id}") for page in pages]


def made_up_of(pages: Sequence[GoldPage], *, count: int, seed: int) -> Iterator[GoldPage]:
    """Make up pages fold by fold, so that none holds anything of the pages of another fold.

    Parameters
    ----------
    pages : sequence of GoldPage
        With their sites.
    count : int
        Of all together, each fold its part.
    seed : int

    Raises
    ------
    TrainingError
        Pages are to be made up, and their makers, which are no part of the installed package, are not there.
    """
    if not count:
        return
    try:
        from training.pages import made_up_pages
    except ImportError as error:
        raise TrainingError(
            f"pages are made up by the folder training/ of the source checkout and by Jinja2 ({error}): run webmain train "
            "in a checkout with webmain[train] installed, or with --made-up 0"
        ) from error
    articles = [page for page in pages if page.page_type in NEWS_TYPES] or pages
    folds = [[page for page in articles if fold_of(page.site) == fold] for fold in range(N_FOLDS)]
    filled = [fold for fold in folds if fold]
    for number, fold in enumerate(filled):
        share = count // len(filled) + (number < count % len(filled))
        yield from made_up_pages(fold, count=share, seed=seed)


def real_rows(pages: Iterable[GoldPage], *, jobs: int, advance: Callable[[], object]) -> list[Rows]:
    """Return the rows of those pages that have any; `advance` is called after each page."""
    return _rows(rows_of, pages, jobs, advance)


def made_up_rows(pages: Iterable[GoldPage], *, jobs: int, advance: Callable[[], object]) -> list[Rows]:
    """Return the rows of made-up pages; `advance` is called after each page."""
    return _rows(_rows_of_made_up, pages, jobs, advance)


def _rows_of_made_up(page: GoldPage) -> Rows | None:
    return rows_of(page, made_up=True)


def _rows(
    work: Callable[[GoldPage], Rows | None], pages: Iterable[GoldPage], jobs: int, advance: Callable[[], object]
) -> list[Rows]:
    found = []
    for rows in in_order(work, pages, jobs=jobs):
        advance()
        if rows is not None:
            found.append(rows)
    return found


def check_folds(rows: Sequence[Rows]) -> None:
    """Refuse rows that can not be cross-validated.

    Raises
    ------
    TrainingError
        There are none, or the sites of all fall into one fold.
    """
    if not rows:
        raise TrainingError("none of the pages could be read")
    if len({fold_of(page.site) for page in rows}) < 2:
        raise TrainingError(
            f"{len({page.site for page in rows})} sites are too few to judge pages by what other sites teach: "
            f"give pages of {2 * N_FOLDS} sites or more"
        )
