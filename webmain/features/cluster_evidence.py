"""Evidence that a cluster of blocks is content: overlap with the descriptions, amount of text, position.

References
----------
The per-site SVM's paper, module 3 and Algorithm 1.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webmain.features.relevance import block_words, is_own_text, relevances, usable_descriptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webmain.features.site_blocks import SiteBlocks


N_FOREIGN = 3
"""Number of other pages' descriptions that each page is compared with, to estimate overlap by chance."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Evidence for each cluster on each page; arrays are `(n_pages, n_clusters)` unless said otherwise.

    Attributes
    ----------
    described : (n_pages,) bool
        The page has a usable description.
    relevance : float64
        Relevance of the cluster's best block to the page's description; 0 where either is missing (Algorithm 1).
    excess : float64
        The same, corrected for chance: (relevance - chance) / (1 - chance), where chance is the mean relevance of the
        cluster's best block to descriptions of other pages.
    excess_words : float64
        The excess in words.
    n_blocks : int64
        Blocks of the cluster on the page.
    mass : float64
        Characters of the cluster on the page, divided by those of a description.
    first : float64
        Index of the cluster's first block on the page; NaN where it has none.
    places : (n_clusters,) tuple of tuple of str
        The steps of each cluster's most frequent selector.
    own_text : (n_clusters,) float64
        Share of the cluster's blocks that are text of this page only: not on other pages, and mostly outside anchors.
    """

    described: NDArray[np.bool_]
    relevance: NDArray[np.float64]
    excess: NDArray[np.float64]
    excess_words: NDArray[np.float64]
    n_blocks: NDArray[np.int64]
    mass: NDArray[np.float64]
    first: NDArray[np.float64]
    places: tuple[tuple[str, ...], ...]
    own_text: NDArray[np.float64]


def gather(blocks: SiteBlocks, clusters: NDArray[np.int32]) -> Evidence:
    """Return the evidence for every cluster from the descriptions of the pages.

    Parameters
    ----------
    blocks : SiteBlocks
    clusters : (n_blocks,) int32
        -1 for noise, which has no evidence.

    Notes
    -----
    Deviation: the paper compares descriptions with whole clusters and adds up the common subsequences. A long text contains
    nearly all letters and many short words of any description. So each block is compared on its own, by words, and the
    result is corrected by the same cluster's relevance to descriptions of *other* pages, as Cohen's kappa corrects agreement.
    A cluster that is merely long, or that repeats over the site, scores about 0; one that contains the whole description
    keeps its full score, long or short.
    """
    descriptions = usable_descriptions(blocks)
    described = np.array([bool(own) for own in descriptions], dtype=np.bool_)
    shape = blocks.n_pages, int(clusters.max(initial=-1)) + 1
    inside = np.flatnonzero(clusters >= 0)
    at = blocks.page[inside], clusters[inside]

    words = block_words(blocks)
    relevance = np.zeros(shape)
    np.maximum.at(relevance, at, relevances(blocks, words, descriptions)[inside])
    n_blocks = np.zeros(shape, dtype=np.int64)
    np.add.at(n_blocks, at, 1)
    n_chars = np.zeros(shape)
    np.add.at(n_chars, at, np.fromiter(map(len, blocks.texts), dtype=np.float64, count=len(blocks))[inside])
    first = np.full(shape, np.inf)
    np.minimum.at(first, at, inside.astype(np.float64))

    occurs = n_blocks > 0
    by_chance, n_compared = np.zeros(shape[1]), np.zeros(shape[1])
    for others in _of_other_pages(descriptions):
        compared = np.array([bool(other) for other in others], dtype=np.bool_)
        best = np.zeros(shape)
        np.maximum.at(best, at, relevances(blocks, words, others)[inside])
        by_chance += best[compared].sum(axis=0)
        n_compared += (occurs & compared[:, None]).sum(axis=0)
    chance = by_chance / np.maximum(n_compared, 1)
    corrected = (relevance - chance) / np.maximum(1 - chance, 0.05)
    excess = np.where(occurs & described[:, None], corrected, 0.0)
    n_words = np.array([max(map(len, own), default=0) for own in descriptions], dtype=np.float64)
    return Evidence(
        described=described,
        relevance=relevance,
        excess=excess,
        excess_words=excess * n_words[:, None],
        n_blocks=n_blocks,
        mass=n_chars / _description_lengths(descriptions)[:, None],
        first=np.where(occurs, first, np.nan),
        places=_places(blocks, clusters, shape[1]),
        own_text=np.bincount(clusters[inside], weights=is_own_text(blocks)[inside], minlength=shape[1])
        / np.maximum(n_blocks.sum(axis=0), 1),
    )


def _of_other_pages(descriptions: Sequence[Sequence[Sequence[str]]]) -> Iterator[list[Sequence[Sequence[str]]]]:
    """Yield, `N_FOREIGN` times, another page's descriptions for each page that has some: the next page's, then the one after.

    If only one page has descriptions, all other pages are compared with them.
    """
    described = [i for i, own in enumerate(descriptions) if own]
    if len(described) == 1:
        yield [[] if own else descriptions[described[0]] for own in descriptions]
    for step in range(1, min(N_FOREIGN + 1, len(described))):
        found: list[Sequence[Sequence[str]]] = [[] for _ in descriptions]
        for here, other in zip(described, described[step:] + described[:step], strict=True):
            found[here] = [words for words in descriptions[other] if words not in descriptions[here]]
        yield found


def _description_lengths(descriptions: Sequence[Sequence[Sequence[str]]]) -> NDArray[np.float64]:
    """Return the length of each page's longest description, the mean length for pages without one; at least 1."""
    lengths = np.array(
        [max((len(" ".join(words)) for words in own), default=0) for own in descriptions], dtype=np.float64
    )
    known = lengths[lengths > 0]
    lengths[lengths == 0] = known.mean() if len(known) else 1.0
    return lengths


def _places(blocks: SiteBlocks, clusters: NDArray[np.int32], n_clusters: int) -> tuple[tuple[str, ...], ...]:
    """Return the steps of each cluster's most frequent selector, the first in order of several."""
    counts = Counter(zip(clusters.tolist(), blocks.selectors, strict=True))
    found: dict[int, tuple[int, str]] = {}
    for (number, selector), n in counts.items():
        found[number] = min(found.get(number, (0, "")), (-n, selector))
    return tuple(tuple(found[i][1].split("/")) if i in found else () for i in range(n_clusters))
