"""Automatic labels: clusters of blocks whose text matches the pages' descriptions are content.

References
----------
The per-site SVM's paper, module 3 and Algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from webmain.features.block_features import DEFAULT_SETS
from webmain.features.cluster_evidence import gather
from webmain.features.clusters import cluster
from webmain.features.positions import without_asides
from webmain.features.relevance import page_bounds, repeated
from webmain.features.surroundings import surrounding_content
from webmain.features.templates import content_clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from webmain.features.cluster_evidence import Evidence
    from webmain.features.site_blocks import SiteBlocks

Form = Literal["global", "local"]
FORMS = ("global", "local")

Rule = Literal["article", "best", "paper"]
RULES = ("article", "best", "paper")


@dataclass(frozen=True, kw_only=True)
class Labels:
    """Labels of a site's blocks, derived from the pages' descriptions.

    Attributes
    ----------
    content : tuple of int
        Content clusters, best first; in the local form, all clusters that are content on some page.
    relevance : (n_clusters,) float64
        Sum over pages of the best block's relevance (Algorithm 1's similarity score).
    positive : (n_blocks,) bool
        Blocks of content clusters, and neighbouring blocks of the same article.
    n_described : int
        Pages with a usable description.
    """

    content: tuple[int, ...]
    relevance: NDArray[np.float64]
    positive: NDArray[np.bool_]
    n_described: int


MAX_REPEATED = 0.1
"""If a larger share of the content clusters' blocks has text that is on other pages, the clusters contain boilerplate."""

NARROWER = 0.75
MAX_NARROWINGS = 6


def label_site(
    blocks: SiteBlocks,
    *,
    sets: Sequence[str] = DEFAULT_SETS,
    form: Form = "global",
    rule: Rule = "article",
    check: Callable[[], object] = lambda: None,
) -> Labels:
    """Return labels of a site's blocks by clustering; retry with a smaller radius if content and boilerplate share clusters.

    Parameters
    ----------
    blocks : SiteBlocks
    sets : sequence of str
        Feature sets for the clusters.
    form, rule
        As in `label`.
    check : callable
        Called between the steps; it may raise to end the work.

    Notes
    -----
    On some sites the curve of distances has no clear knee. An article's text is not on other pages: if more than
    `MAX_REPEATED` of the content clusters' blocks are, the radius was too large and a smaller one is tried. With
    `rule="paper"` the first clusters are used.
    """
    is_repeated = repeated(blocks)
    widest: Labels | None = None
    scale = 1.0
    for _ in range(MAX_NARROWINGS):
        clusters = cluster(blocks, sets=sets, scale=scale)
        check()
        labels = label(blocks, clusters, form=form, rule=rule)
        check()
        if rule == "paper":
            return labels
        if widest is None:
            widest = labels
        chosen = np.isin(clusters, labels.content)
        if not chosen.any() or is_repeated[chosen].mean() <= MAX_REPEATED:
            return labels
        scale *= NARROWER
    assert widest is not None
    return widest


def label(blocks: SiteBlocks, clusters: NDArray[np.int32], *, form: Form = "global", rule: Rule = "article") -> Labels:
    """Return which blocks are content, judged by the pages' descriptions.

    Parameters
    ----------
    blocks : SiteBlocks
    clusters : (n_blocks,) int32
        Cluster of each block, -1 for noise.
    form : {"global", "local"}
        "global" sums each cluster's relevance over all pages; "local" takes each page's own best cluster, which is sometimes
        the comments.
    rule : {"article", "best", "paper"}
        What is content. "paper" is Algorithm 1 as printed: the cluster with the highest relevance; all other blocks are 0.
        "best" is also one cluster, chosen with deviations (`content_clusters`): relevance is corrected for chance, and a lead
        is replaced by the body that follows it. "article" adds clusters of further templates, leads, and blocks between or
        adjoining content blocks (`surrounding_content`).

    Returns
    -------
    Labels
        All False if no page has a usable description, or no cluster matches one better than by chance.

    Raises
    ------
    ValueError
        Unknown form or rule, or the number of clusters differs from the number of blocks.
    """
    for name, given, allowed in (("form", form, FORMS), ("rule", rule, RULES)):
        if given not in allowed:
            raise ValueError(f"{name}: got {given!r}, allowed are {', '.join(allowed)}")
    if len(clusters) != len(blocks):
        raise ValueError(f"{len(clusters)} cluster numbers for {len(blocks)} blocks")
    evidence = gather(blocks, clusters)
    positive = np.zeros(len(blocks), dtype=np.bool_)
    content: dict[int, None] = {}
    if form == "global":
        found = _chosen(evidence, np.arange(blocks.n_pages), rule)
        content = dict.fromkeys(without_asides(blocks, clusters, found) if rule == "article" else found)
        positive |= np.isin(clusters, list(content))
    else:
        bounds = page_bounds(blocks)
        for page in np.flatnonzero(evidence.described).tolist():
            of_page = _chosen(evidence, np.array([page]), rule)
            first, end = bounds[page]
            positive[first:end] = np.isin(clusters[first:end], of_page)
            content.update(dict.fromkeys(of_page))
    if rule == "article" and positive.any():
        positive |= surrounding_content(blocks, clusters, positive)
    return Labels(
        content=tuple(content),
        relevance=evidence.relevance.sum(axis=0),
        positive=positive,
        n_described=int(evidence.described.sum()),
    )


def _chosen(evidence: Evidence, pages: NDArray[np.int64], rule: Rule) -> list[int]:
    """Return the content clusters of some pages according to a rule, best first."""
    if rule != "paper":
        found = content_clusters(evidence, pages)
        return found if rule == "article" else found[:1]
    relevance = evidence.relevance[pages].sum(axis=0)
    return [int(relevance.argmax())] if relevance.max(initial=0.0) > 0 else []
