"""Labels without labellers: the clusters whose text says what the pages' descriptions say are content.

References
----------
The per-site SVM's paper, module 3 and Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from webmain.features.relevance import page_bounds, relevances, usable_descriptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.features.site_blocks import SiteBlocks

Form = Literal["global", "local"]
FORMS = ("global", "local")


@dataclass(frozen=True, kw_only=True)
class Labels:
    """Which blocks of a site are content, as its descriptions tell.

    Attributes
    ----------
    content : tuple of int
        Content clusters, best first; in the local form, those that are content on any page.
    relevance : (n_clusters,) float64
        Sum over pages of the best block's relevance (Algorithm 1's similarity score).
    positive : (n_blocks,) bool
    n_described : int
        Pages with a usable description.
    """

    content: tuple[int, ...]
    relevance: NDArray[np.float64]
    positive: NDArray[np.bool_]
    n_described: int


@dataclass(frozen=True)
class _Evidence:
    """Per page and cluster; `(n_pages, n_clusters)`.

    Attributes
    ----------
    own : float64
        Relevance of the cluster's best block on the page, to the page's own description; NaN where either is missing.
    foreign : float64
        The same, to the description of another page.
    mass : float64
        Characters of the cluster on the page by those of the description there (of the site's mean one where none is).
    """

    own: NDArray[np.float64]
    foreign: NDArray[np.float64]
    mass: NDArray[np.float64]


def label(
    blocks: SiteBlocks,
    clusters: NDArray[np.int32],
    *,
    form: Form = "global",
) -> Labels:
    """Label blocks as content or not, by the pages' descriptions.

    Parameters
    ----------
    blocks : SiteBlocks
    clusters : (n_blocks,) int32
        Cluster of each block, -1 for noise.
    form : {"global", "local"}
        "global" adds up each cluster's relevance over all pages; "local" takes each page's own best cluster, which now and
        then is its comments.

    Returns
    -------
    Labels
        All False where no page has a usable description or no cluster has anything in common with one.
    """
    if form not in FORMS:
        raise ValueError(f"form: got {form!r}, allowed are {', '.join(FORMS)}")
    n_clusters = int(clusters.max(initial=-1)) + 1
    descriptions = usable_descriptions(blocks)
    described = [i for i, own in enumerate(descriptions) if own]
    evidence = _gather(blocks, clusters, descriptions, n_clusters)
    relevance = np.nansum(evidence.own, axis=0)
    positive = np.zeros(len(blocks), dtype=np.bool_)
    content: dict[int, None] = {}
    if form == "global":
        content = dict.fromkeys(_content(evidence, np.arange(blocks.n_pages)))
        positive |= np.isin(clusters, list(content))
    else:
        bounds = page_bounds(blocks)
        for page in described:
            of_page = _content(evidence, np.array([page]))
            first, end = bounds[page]
            positive[first:end] = np.isin(clusters[first:end], of_page)
            content.update(dict.fromkeys(of_page))
    positive &= clusters >= 0
    return Labels(content=tuple(content), relevance=relevance, positive=positive, n_described=len(described))


def _gather(
    blocks: SiteBlocks, clusters: NDArray[np.int32], descriptions: Sequence[Sequence[Sequence[str]]], n_clusters: int
) -> _Evidence:
    own = relevances(blocks, descriptions)
    foreign = relevances(blocks, _foreign(descriptions))
    has_foreign = [bool(words) for words in _foreign(descriptions)]
    n_chars = np.fromiter(map(len, blocks.texts), dtype=np.float64, count=len(blocks))
    lengths = np.array(
        [max((sum(map(len, d)) + len(d) for d in own_), default=0) for own_ in descriptions], dtype=np.float64
    )
    typical = lengths[lengths > 0].mean() if (lengths > 0).any() else 1.0
    lengths[lengths == 0] = typical
    shape = (blocks.n_pages, n_clusters)
    best, other, mass = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape)
    inside = np.flatnonzero(clusters >= 0)
    at = blocks.page[inside], clusters[inside]
    np.add.at(mass, at, n_chars[inside])
    for target, values, known in (
        (best, own, [bool(d) for d in descriptions]),
        (other, foreign, has_foreign),
    ):
        highest = np.full(shape, -1.0)
        np.maximum.at(highest, at, values[inside])
        usable = (highest >= 0) & np.array(known, dtype=np.bool_).reshape(-1, 1)
        target[usable] = highest[usable]
    return _Evidence(best, other, mass / lengths[:, None])


def _foreign(descriptions: Sequence[Sequence[Sequence[str]]]) -> list[Sequence[Sequence[str]]]:
    """Give each page the descriptions of the next page that has any."""
    described = [i for i, own in enumerate(descriptions) if own]
    found: list[Sequence[Sequence[str]]] = [[] for _ in descriptions]
    if len(described) > 1:
        for here, after in zip(described, described[1:] + described[:1], strict=True):
            found[here] = descriptions[after]
    elif described:
        found = [[] if i == described[0] else descriptions[described[0]] for i in range(len(descriptions))]
    return found


def _content(evidence: _Evidence, pages: NDArray[np.int64]) -> list[int]:
    """Choose the content clusters from the evidence of some pages."""
    own, foreign = evidence.own[pages], evidence.foreign
    counts = (~np.isnan(foreign)).sum(axis=0)
    chance = np.nansum(foreign, axis=0) / np.maximum(counts, 1)
    excess = np.where(np.isnan(own), 0.0, own - chance)
    total = excess.sum(axis=0)
    if not len(total) or total.max() <= 0:
        return []
    return [int(total.argmax())]
