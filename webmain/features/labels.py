"""Labels without labellers: the clusters whose text says what the pages' descriptions say are content.

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
    """Which blocks of a site are content, as its descriptions tell.

    Attributes
    ----------
    content : tuple of int
        Content clusters, best first; in the local form, those that are content on any page.
    relevance : (n_clusters,) float64
        Sum over pages of the best block's relevance (Algorithm 1's similarity score).
    positive : (n_blocks,) bool
        Blocks of content clusters, and those around them that belong to the same article.
    n_described : int
        Pages with a usable description.
    """

    content: tuple[int, ...]
    relevance: NDArray[np.float64]
    positive: NDArray[np.bool_]
    n_described: int


MAX_REPEATED = 0.1
"""Share of the content clusters' blocks whose texts are on other pages too, above which they hold boilerplate."""

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
    """Cluster the blocks of a site and label them; where content and boilerplate fell together, with a smaller radius.

    Parameters
    ----------
    blocks : SiteBlocks
    sets : sequence of str
        Feature sets for the clusters.
    form, rule
        As `label` has them.
    check : callable
        Called between the steps; it may raise to end the work.

    Notes
    -----
    The curve of distances that the radius is read from has no clear knee on some sites. An article's text is not on other
    pages: where more than a few of the content clusters' blocks are, the radius was too wide, and a narrower one is tried; by
    the paper's own rule the first clusters count.
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
    """Label blocks as content or not, by the pages' descriptions.

    Parameters
    ----------
    blocks : SiteBlocks
    clusters : (n_blocks,) int32
        Cluster of each block, -1 for noise.
    form : {"global", "local"}
        "global" adds up each cluster's relevance over all pages; "local" takes each page's own best cluster, which now and
        then is its comments.
    rule : {"article", "best", "paper"}
        What is content. "paper" is Algorithm 1 as printed: the cluster with the highest relevance, all other blocks are 0.
        "best" is one cluster, too, with the deviations by which it is found (`content_clusters`): relevance is corrected for
        chance, a lead gives way to the body that follows it. "article" adds to it the clusters of further templates and
        leads, and what is between content blocks or goes on right after them (`surrounding_content`).

    Returns
    -------
    Labels
        All False where no page has a usable description or no cluster has more in common with one than by chance.

    Raises
    ------
    ValueError
        The form or the rule is not known, or there is not one cluster for each block.
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
    """Return the content clusters of some pages by a rule, best first."""
    if rule != "paper":
        found = content_clusters(evidence, pages)
        return found if rule == "article" else found[:1]
    relevance = evidence.relevance[pages].sum(axis=0)
    return [int(relevance.argmax())] if relevance.max(initial=0.0) > 0 else []
