"""Gold pages, real and made up, as labelled rows: what a page model is trained on."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from joblib import Parallel, delayed

from webmain.evaluation.records import GoldPage
from webmain.evaluation.texts import as_page
from webmain.evaluation.training.boosting import TrainingError
from webmain.extraction import Options, read
from webmain.extractors.learned import LearnedExtractor
from webmain.extractors.page_model import columns, page_means
from webmain.features.alignment import gold_shares
from webmain.items import Rejected

if TYPE_CHECKING:
    from numpy.typing import NDArray

Given = TypeVar("Given")
Made = TypeVar("Made")

N_FOLDS: Final = 5
NEWS_TYPES: Final = frozenset({"article", "blog", "news", ""})
"""Types of pages with one article, of which readers' comments are no part: the news profile is theirs."""


@dataclass(frozen=True)
class Rows:
    """One page's blocks with their labels.

    Attributes
    ----------
    id, dataset, site, page_type, language : str
        Of the page.
    gold : str
        Its main text.
    values : (n_blocks, n_columns) float32
    means : (n_columns,) float32
        Means over the page.
    content : (n_blocks,) bool
        Whether more than half of the block is in the gold text, in order and in runs.
    n_chars : (n_blocks,) float64
        Shown characters.
    texts : tuple of str
    made_up : bool
        The page was made from another one.
    """

    id: str
    dataset: str
    site: str
    page_type: str
    language: str
    gold: str
    values: NDArray[np.float32]
    means: NDArray[np.float32]
    content: NDArray[np.bool_]
    n_chars: NDArray[np.float64]
    texts: tuple[str, ...]
    made_up: bool = False

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each block: roots of lengths, with a sum of one for the page."""
        roots = np.sqrt(np.maximum(self.n_chars, 4.0))
        weights: NDArray[np.float64] = roots / roots.sum()
        return weights

    @property
    def is_news(self) -> bool:
        """The page is an article, of which comments are no part."""
        return self.page_type in NEWS_TYPES

    @property
    def fold(self) -> int:
        """The fold that the page's site belongs to."""
        return fold_of(self.site)


def fold_of(site: str) -> int:
    """Return the fold that a site's pages belong to, whatever other sites there are."""
    return int(hashlib.sha256(site.encode("utf-8", "replace")).hexdigest(), 16) % N_FOLDS


def rows_of(page: GoldPage) -> Rows | None:
    """Return a gold page's rows; None where it can not be read or has no blocks.

    A page of which only segments are known has the segments as its text: its labels mean nothing.
    """
    gold = page.text or "\n".join(page.wanted) or ("-" if page.unwanted else "")
    try:
        segmentation = LearnedExtractor().segment(read(as_page(page), Options(timeout_s=None)))
    except Rejected:
        return None
    if not len(segmentation) or not gold:
        return None
    seen = columns(segmentation)
    in_order, in_shingles = gold_shares(seen.texts, gold)
    return Rows(
        id=page.id,
        dataset=page.dataset,
        site=page.site or page.id,
        page_type=page.page_type or "",
        language=page.language or "",
        gold=gold,
        values=seen.values,
        means=page_means(seen),
        content=(in_order > 0.5) & (in_shingles > 0.5),
        n_chars=seen.n_chars,
        texts=tuple(seen.texts),
    )


def in_order(work: Callable[[Given], Made], given: Iterable[Given], *, jobs: int) -> Iterator[Made]:
    """Yield the results of some work, done by processes of their own, in the order of what was given.

    Parameters
    ----------
    work : callable
        A function of a module.
    given : iterable
        Read only a few ahead for each process.
    jobs : int
        Processes; 1 does all in this one.
    """
    yield from Parallel(n_jobs=jobs, return_as="generator", pre_dispatch="8*n_jobs", batch_size=1)(
        delayed(work)(one) for one in given
    )


def all_rows(pages: Iterable[GoldPage], *, jobs: int = 1, advance: Callable[[], object] = lambda: None) -> list[Rows]:
    """Return the rows of those pages that have any; `advance` is called after each page."""
    found = []
    for rows in in_order(rows_of, pages, jobs=jobs):
        advance()
        if rows is not None:
            found.append(rows)
    return found


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


def check_folds(rows: Sequence[Rows]) -> None:
    """Refuse rows that can not be cross-validated.

    Raises
    ------
    TrainingError
        There are none, or the sites of all are in one fold.
    """
    if not rows:
        raise TrainingError("none of the pages could be read")
    if len({page.fold for page in rows}) < 2:
        raise TrainingError(
            f"{len({page.site for page in rows})} sites are too few to judge pages by what other sites teach: "
            f"give pages of {2 * N_FOLDS} sites or more"
        )
