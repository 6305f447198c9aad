"""Labelled rows of gold pages, real and synthesised: the training data of a page model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from webmain.evaluation.records import GoldPage
from webmain.evaluation.texts import as_page
from webmain.evaluation.training.boosting import TrainingError
from webmain.extraction import Options, read
from webmain.extractors.learned import LearnedExtractor
from webmain.extractors.page_model import columns, mean_weights, page_row
from webmain.features.comments import thread_blocks
from webmain.features.gold_labels import gold_shares
from webmain.html.blocks import Segmentation
from webmain.items import PAGE_TYPES, Rejected
from webmain.text.normal import fold_space
from webmain.urls import site_key

N_FOLDS: Final = 5
MIN_IN_RUNS: Final = 0.2
"""Least share of a block's word runs that must be in the gold text for the block to count as content."""

MIN_TITLE_CHARS: Final = 8
MIN_TITLE_START: Final = 15
"""Length from which a heading counts as the headline if the page's title begins with it."""

KINDS: Final = {"collection": "listing"}
"""Page types of the collections that have another name among `PAGE_TYPES`."""
_HEADLINE_TAGS: Final = frozenset(("h1", "h2", "h3"))
MADE_UP: Final = frozenset(("made_up", "stripped"))
"""Set names of pages synthesised from those of collections."""
NEWS_TYPES: Final = frozenset({"article", "blog", "news", ""})
"""Types of pages with one article, excluding readers' comments: all other types are in `PAGE_TYPES`."""


@dataclass(frozen=True)
class Rows:
    """One page's blocks with their labels."""

    id: str
    dataset: str
    site: str
    page_type: str
    language: str
    gold: str  # its main text
    values: NDArray[np.float32]  # (n_blocks, n_columns) float32
    # (n_page_columns,) float32; of the page: means over its blocks, and columns of its own (`page_names`)
    means: NDArray[np.float32]
    # (n_blocks,) float32; how much of each block is in the gold text, in order; 0 where its runs of words are not, and
    # for the page's headline, which is content in some collections and not in others
    share: NDArray[np.float32]
    n_chars: NDArray[np.float64]  # (n_blocks,) float64; shown characters
    comments: NDArray[np.bool_]  # (n_blocks,) bool; in threads of readers' comments
    texts: tuple[str, ...]

    def with_article(self, probability: float) -> NDArray[np.float32]:
        """Return the columns with one more: the probability that the page is an article."""
        return np.column_stack((self.values, np.full(len(self.values), probability, dtype=np.float32)))

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weight of each block: the root of its length, with a sum of one for the page."""
        return mean_weights(self.n_chars)

    @property
    def kind(self) -> str:
        """The page's type, one of `PAGE_TYPES`."""
        if self.page_type in NEWS_TYPES:
            return "article"
        return KINDS.get(self.page_type, self.page_type if self.page_type in PAGE_TYPES else "other")

    @property
    def made_up(self) -> bool:
        """Whether the page was synthesised from another one."""
        return self.dataset in MADE_UP

    @property
    def fold(self) -> int:
        """The fold that the page's site belongs to."""
        return fold_of(self.site)


def fold_of(site: str) -> int:
    """Return the fold of a site's pages, which does not depend on the other sites."""
    return hash_of(site) % N_FOLDS


def hash_of(text: str) -> int:
    """Return a number that depends on the text alone, for divisions that are the same in every run."""
    return int(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest(), 16)


def rows_of(page: GoldPage) -> Rows | None:
    """Return a gold page's rows, or None if it cannot be read or has no blocks.

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
    share = np.where(in_shingles > MIN_IN_RUNS, in_order, 0.0)
    share[_headlines(segmentation)] = 0.0
    return Rows(
        id=page.id,
        dataset=page.dataset,
        site=page.site or page.id,
        page_type=page.page_type or "",
        language=page.language or "",
        gold=gold,
        values=seen.values,
        means=page_row(seen),
        share=share.astype(np.float32),
        n_chars=seen.n_chars,
        comments=thread_blocks(segmentation),
        texts=tuple(seen.texts),
    )


def _headlines(segmentation: Segmentation) -> list[int]:
    """Return the blocks that are the page's headline: h1 to h3 with its title, or with the beginning of it."""
    document = segmentation.document
    title = fold_space(document.title.casefold())
    if len(title) <= MIN_TITLE_CHARS:
        return []
    tags = document.elements.tags
    headings = [block for block, e in enumerate(segmentation.element.tolist()) if e >= 0 and tags[e] in _HEADLINE_TAGS]
    keys = [fold_space(text.casefold()) for text in segmentation.texts(headings)]
    return [
        block
        for block, key in zip(headings, keys, strict=True)
        if key == title or (len(key) > MIN_TITLE_START and title.startswith(key))
    ]


def in_order(pages: Iterable[GoldPage], *, jobs: int) -> Iterator[Rows | None]:
    """Yield `rows_of` each page, made in worker processes (1: in this one); pages are read only a few ahead for each."""
    yield from Parallel(n_jobs=jobs, return_as="generator", pre_dispatch="8*n_jobs", batch_size=1)(
        map(delayed(rows_of), pages)
    )


def all_rows(pages: Iterable[GoldPage], *, jobs: int = 1, advance: Callable[[], object] = lambda: None) -> list[Rows]:
    """Return the rows of the pages that have any; `advance` is called after each page."""
    found = []
    for rows in in_order(pages, jobs=jobs):
        advance()
        if rows is not None:
            found.append(rows)
    return found


def with_sites(pages: Iterable[GoldPage]) -> list[GoldPage]:
    """Return pages whose site is the registered domain of their address; a page without one gets a site of its own."""
    return [replace(page, site=site_key(page.url or "") or page.site or f"{page.dataset}/{page.id}") for page in pages]


def made_up_of(pages: Sequence[GoldPage], *, count: int, seed: int) -> Iterator[GoldPage]:
    """Synthesise so many pages fold by fold, so that none contains anything of the pages of another fold.

    `pages` have their sites. Raises TrainingError if the modules that synthesise pages, which are not part of the installed
    package, are missing.
    """
    if not count:
        return
    try:
        from training.pages import made_up_pages
    except ImportError as error:
        raise TrainingError(
            f"synthetic pages need the folder training/ of the source checkout, and Jinja2 ({error}): run webmain train "
            "in a checkout with webmain[train] installed, or with --made-up 0"
        ) from error
    articles = [page for page in pages if page.page_type in NEWS_TYPES] or pages
    folds = [[page for page in articles if fold_of(page.site) == fold] for fold in range(N_FOLDS)]
    filled = [fold for fold in folds if fold]
    for number, fold in enumerate(filled):
        share = count // len(filled) + (number < count % len(filled))
        yield from made_up_pages(fold, count=share, seed=seed)


def check_folds(rows: Sequence[Rows]) -> None:
    """Raise TrainingError if there are no rows, or the sites of all are in one fold: they cannot be cross-validated."""
    if not rows:
        raise TrainingError("none of the pages could be read")
    if len({page.fold for page in rows}) < 2:
        raise TrainingError(
            f"{len({page.site for page in rows})} sites are too few for cross-validation by site: "
            f"give pages of at least {2 * N_FOLDS} sites"
        )
