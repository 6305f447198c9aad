"""Which clusters are the article's text, for each template that a site's pages follow.

References
----------
The per-site SVM's paper, module 3: "Pick the cluster with the highest similarity score".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.evidence import Evidence

MIN_EXCESS = 0.05
"""Relevance above chance that a content cluster has at least, as a mean over its pages: a word or two of a description."""

MAX_LEAD_BLOCKS = 2
MAX_LEAD_MASS = 4.0
"""A cluster of at most so many blocks a page and so many times a description's text may be no more than the article's lead."""

LEAD_SHARE = 0.3
"""A lead beside the body text says at least this share of what the best cluster says of a description."""

MAX_SHARED = 0.5
"""Share of a further template's pages that may follow another template already."""

_HEADLINES = frozenset(("h1", "title"))


def content_clusters(evidence: Evidence, pages: NDArray[np.int64]) -> list[int]:
    """Choose the content clusters by the descriptions of some pages, best first.

    Parameters
    ----------
    evidence : Evidence
    pages : (n,) int64
        All pages for the global form, one page for the local.

    Notes
    -----
    The cluster with the highest relevance over all pages wins, as in Algorithm 1. Two things are added:

    *Several templates.* Pages on which the winner does not occur have another template; among them the best cluster wins
    again, and so on.

    *Leads styled apart.* Where the winner holds one or two blocks a page and little more text than a description, it may be the
    lead that the description was taken from. Then the cluster of running text that follows it nearby is the article's body.
    The other way round, a short cluster that stands before the body and says a good part of the descriptions is its lead.
    Headlines (`h1`) are neither.
    """
    in_scope = np.zeros(len(evidence.described), dtype=np.bool_)
    in_scope[pages] = True
    uncovered = in_scope & evidence.described
    chosen: list[int] = []
    while uncovered.any():
        winner = _winner(evidence, uncovered, covered=in_scope & evidence.described & ~uncovered)
        if winner is None:
            break
        body = _body_after(evidence, winner, uncovered) if _is_lead_like(evidence, winner, uncovered) else winner
        found = [body, *_leads(evidence, body, uncovered)]
        chosen += [cluster for cluster in found if cluster not in chosen]
        has_text = (evidence.n_blocks[:, found] > 0).any(axis=1)
        uncovered &= ~has_text
    return chosen


def _winner(evidence: Evidence, uncovered: NDArray[np.bool_], *, covered: NDArray[np.bool_]) -> int | None:
    """Return the cluster with the highest relevance above chance on pages that no template covers yet."""
    occurs = evidence.n_blocks > 0
    here, elsewhere = occurs[uncovered].sum(axis=0), occurs[covered].sum(axis=0)
    total = evidence.excess[uncovered].sum(axis=0)
    allowed = (total > MIN_EXCESS * here) & (elsewhere <= MAX_SHARED * (here + elsewhere)) & ~_are_headlines(evidence)
    if not allowed.any():
        return None
    return int(np.where(allowed, total, -np.inf).argmax())


def _are_headlines(evidence: Evidence) -> NDArray[np.bool_]:
    return np.array([bool(place) and place[-1].split(".")[0] in _HEADLINES for place in evidence.places], dtype=np.bool_)


def _is_lead_like(evidence: Evidence, cluster: int, pages: NDArray[np.bool_]) -> bool:
    """Tell whether a cluster holds little more on a page than a description."""
    on = pages & (evidence.n_blocks[:, cluster] > 0)
    return bool(
        np.median(evidence.n_blocks[on, cluster]) <= MAX_LEAD_BLOCKS
        and np.median(evidence.mass[on, cluster]) <= MAX_LEAD_MASS
    )


def _body_after(evidence: Evidence, lead: int, pages: NDArray[np.bool_]) -> int:
    """Return the cluster of running text that a lead belongs to: after it, nearby in the tree, more text; or itself."""
    on = pages & (evidence.n_blocks[:, lead] > 0)
    best, body = (0, 0.0), lead
    for cluster in range(evidence.n_blocks.shape[1]):
        both = on & (evidence.n_blocks[:, cluster] > 0)
        n_both = int(both.sum())
        if cluster == lead or 2 * n_both < int(on.sum()):
            continue
        after = evidence.first[both, cluster] > evidence.first[both, lead]
        more = evidence.mass[both, cluster] > evidence.mass[both, lead]
        excess = float(evidence.excess[both, cluster].mean())
        if excess < MIN_EXCESS or 2 * after.sum() < n_both or 2 * more.sum() < n_both:
            continue
        rank = (_common_steps(evidence.places[lead], evidence.places[cluster]), excess)
        if rank > best:
            best, body = rank, cluster
    return body


def _leads(evidence: Evidence, body: int, pages: NDArray[np.bool_]) -> list[int]:
    """Return the short clusters before the body that say a good part of what it, or the best of them, says."""
    on = pages & (evidence.n_blocks[:, body] > 0)
    headlines = _are_headlines(evidence)
    means = {}
    for cluster in range(evidence.n_blocks.shape[1]):
        both = on & (evidence.n_blocks[:, cluster] > 0)
        if cluster == body or headlines[cluster] or 4 * both.sum() < on.sum():
            continue
        before = evidence.first[both, cluster] < evidence.first[both, body]
        if 2 * before.sum() > both.sum() and _is_lead_like(evidence, cluster, both):
            means[cluster] = float(evidence.excess[both, cluster].mean())
    own = float(evidence.excess[on, body].mean())
    least = max(LEAD_SHARE * max([own, *means.values()]), MIN_EXCESS)
    return [cluster for cluster, mean in sorted(means.items(), key=lambda item: (-item[1], item[0])) if mean >= least]


def _common_steps(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many steps from the root two places have in common."""
    n = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        n += 1
    return n
