"""Gold pages as labelled rows: what a page model is trained on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.evaluation.texts import as_page
from webmain.extraction import Options, read
from webmain.extractors.learned import LearnedExtractor
from webmain.extractors.page_model import page_means
from webmain.features.alignment import gold_shares
from webmain.features.columns import columns
from webmain.items import Rejected

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.evaluation.records import GoldPage

N_FOLDS: Final = 5
NEWS_TYPES: Final = frozenset({"article", "blog", "news", ""})
"""Types of pages with one article, to which what readers write below does not belong: the news profile is theirs."""


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
        Whether more than half of the block stands in the gold text, in order and in runs.
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
        """Weight of each block: roots of lengths, one for the page in sum."""
        roots = np.sqrt(np.maximum(self.n_chars, 4.0))
        weights: NDArray[np.float64] = roots / roots.sum()
        return weights

    @property
    def is_news(self) -> bool:
        """The page is an article, of which comments are no part."""
        return self.page_type in NEWS_TYPES


def rows_of(page: GoldPage, *, made_up: bool = False) -> Rows | None:
    """Return a gold page's rows; None where it can not be read or has no blocks."""
    try:
        segmentation = LearnedExtractor().segment(read(as_page(page), Options(timeout_s=None)))
    except Rejected:
        return None
    if not len(segmentation) or not page.text:
        return None
    seen = columns(segmentation)
    in_order, in_shingles = gold_shares(seen.texts, page.text)
    return Rows(
        id=page.id,
        dataset=page.dataset,
        site=page.site or page.id,
        page_type=page.page_type or "",
        language=page.language or "",
        gold=page.text,
        values=seen.values,
        means=page_means(seen),
        content=(in_order > 0.5) & (in_shingles > 0.5),
        n_chars=seen.n_chars,
        texts=tuple(seen.texts),
        made_up=made_up,
    )


def all_rows(pages: Iterable[GoldPage], *, made_up: bool = False) -> Iterator[Rows]:
    """Return the rows of those pages that have any."""
    return (rows for page in pages if (rows := rows_of(page, made_up=made_up)) is not None)


def fold_of(site: str) -> int:
    """Return the fold that a site's pages belong to, whatever other sites there are."""
    return int(hashlib.sha256(site.encode("utf-8", "replace")).hexdigest(), 16) % N_FOLDS
