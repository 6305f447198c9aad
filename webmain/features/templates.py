"""Which clusters are the article's text, for each template that a site's pages follow.

References
----------
The per-site SVM's paper, module 3: "Pick the cluster with the highest similarity score".
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.cluster_evidence import Evidence


@dataclass(frozen=True)
class Limits:
    """Thresholds of module 3 that the paper has none of; masses are in descriptions' lengths."""

    min_excess: float = 0.05
    """Relevance above chance that a content cluster has at least, as a mean over its pages: a word or two of a
    description."""

    min_words: float = 3.0
    """Words above chance that it has in all: less is an accident."""

    max_lead_blocks: int = 2
    max_lead_mass: float = 4.0
    """A cluster of at most so many blocks a page and so many times a description's text may be the article's lead only."""

    min_mass: float = 1.0
    """A page follows a template if it has as much text of its clusters as a description has."""

    max_description_mass: float = 1.7
    """A cluster with at most so many times a description's text holds the description and nothing else."""

    min_more: float = 3.0
    min_length_share: float = 0.4
    min_own_text: float = 0.5
    """The body that follows a lead has so many times its text, in blocks of at least such a share of its length, at least
    half of which are on no other page and are no links."""

    lead_share: float = 0.3
    """A lead beside the body text says at least this share of what the best cluster says of a description."""

    tie: float = 0.1
    """Clusters whose relevance is at most this share below the highest have said the same; the one with more text wins: a
    lead or the hidden copy of a page's first paragraph says no more than the article itself."""

    max_steps_apart: int = 5
    max_steps_inside: int = 2
    """Elements from the nearest one that a lead is in as well down to a body's block; and where the lead says more than
    the description, so that it may be the whole of a short article."""

    max_shared: float = 0.5
    """Share of a further template's pages that may follow another template already."""


LIMITS: Final = Limits()


_HEADLINES = frozenset(("h1", "title"))
_NO_ARTICLE = frozenset(("nav", "footer", "aside"))


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

    *Leads styled apart.* Where the winner holds one or two blocks a page and little more text than a description, it may be
    the lead that the description was taken from. Then the running text that follows it nearby is the article's body.
    The other way round, a short cluster that is before the body and says a good part of the descriptions is its lead.
    Headlines (`h1`), and what is in a `nav`, `footer` or `aside`, are neither. A cluster that holds the description and
    nothing else, without an article after it, is a trail or a teaser with the page's title, and gives way to any that has
    more text.
    """
    in_scope = np.zeros(len(evidence.described), dtype=np.bool_)
    in_scope[pages] = True
    uncovered = in_scope & evidence.described
    chosen: list[int] = []
    allowed = ~np.array(list(map(_is_excluded, evidence.places)), dtype=np.bool_)
    while uncovered.any():
        covered = in_scope & evidence.described & ~uncovered
        winner = _winner(evidence, uncovered, covered=covered, among=allowed)
        if winner is None:
            break
        body = _body_after(evidence, winner, uncovered) if _is_lead_like(evidence, winner, uncovered) else winner
        if body == winner and _is_description(evidence, winner, uncovered):
            allowed[winner] = False
            longer = _winner(evidence, uncovered, covered=covered, among=allowed & _have_text(evidence, uncovered))
            body = winner if longer is None else longer
        found = [body, *_leads(evidence, body, uncovered)]
        follows = uncovered & _follows(evidence, found)
        if follows.any() or not chosen:
            chosen += [cluster for cluster in found if cluster not in chosen]
        allowed[[winner, *found]] = False
        uncovered &= ~follows
    return chosen


def _follows(evidence: Evidence, found: list[int]) -> NDArray[np.bool_]:
    """Return which pages follow a template: they have its text, and it says a good part of what their best cluster says."""
    has_text = evidence.mass[:, found].sum(axis=1) >= LIMITS.min_mass
    good = evidence.excess[:, found].max(axis=1) >= LIMITS.lead_share * evidence.excess.max(axis=1)
    follows: NDArray[np.bool_] = has_text & good
    return follows


def _winner(
    evidence: Evidence, uncovered: NDArray[np.bool_], *, covered: NDArray[np.bool_], among: NDArray[np.bool_]
) -> int | None:
    """Return the cluster with the highest relevance above chance on pages that no template covers yet."""
    occurs = evidence.n_blocks > 0
    here, elsewhere = occurs[uncovered].sum(axis=0), occurs[covered].sum(axis=0)
    total = evidence.excess[uncovered].sum(axis=0)
    allowed = (
        among & (total > LIMITS.min_excess * here) & (evidence.excess_words[uncovered].sum(axis=0) >= LIMITS.min_words)
    )
    allowed &= elsewhere <= LIMITS.max_shared * (here + elsewhere)
    if not allowed.any():
        return None
    tied = allowed & (total >= (1 - LIMITS.tie) * total[allowed].max())
    return int(np.where(tied, evidence.mass[uncovered].sum(axis=0), -np.inf).argmax())


def _is_excluded(place: tuple[str, ...]) -> bool:
    """Return True if a cluster is a headline, or is in what the page itself marks as navigation, footer or aside."""
    tags = [step.partition(".")[0] for step in place]
    return bool(tags) and (tags[-1] in _HEADLINES or not _NO_ARTICLE.isdisjoint(tags))


def _is_lead_like(evidence: Evidence, cluster: int, pages: NDArray[np.bool_]) -> bool:
    """Return True if a cluster holds little more on a page than a description."""
    on = pages & (evidence.n_blocks[:, cluster] > 0)
    return (
        _median(evidence.n_blocks[on, cluster]) <= LIMITS.max_lead_blocks
        and _median(evidence.mass[on, cluster]) <= LIMITS.max_lead_mass
    )


def _is_description(evidence: Evidence, cluster: int, pages: NDArray[np.bool_]) -> bool:
    """Return True if a cluster holds a description and nothing else."""
    on = pages & (evidence.n_blocks[:, cluster] > 0)
    return _median(evidence.mass[on, cluster]) <= LIMITS.max_description_mass


def _median(values: NDArray[Any]) -> float:
    """Return the median; NumPy's takes longer for the few values of a page than to sort them."""
    return float(median(values.tolist()))


def _have_text(evidence: Evidence, pages: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which clusters have much more text than a description, on average over the pages where they occur."""
    n_pages = (evidence.n_blocks[pages] > 0).sum(axis=0)
    have: NDArray[np.bool_] = evidence.mass[pages].sum(axis=0) >= LIMITS.min_more * np.maximum(n_pages, 1)
    return have


def _body_after(evidence: Evidence, lead: int, pages: NDArray[np.bool_]) -> int:
    """Return the cluster of running text that a lead belongs to: the next one after it with much more text; or itself."""
    on = pages & (evidence.n_blocks[:, lead] > 0)
    apart = LIMITS.max_steps_apart if _is_description(evidence, lead, pages) else LIMITS.max_steps_inside
    nearest, body = np.inf, lead
    on_both = (evidence.n_blocks > 0) & on[:, None]
    candidates = (2 * on_both.sum(axis=0) >= on.sum()) & (evidence.own_text >= LIMITS.min_own_text)
    for cluster in np.flatnonzero(candidates).tolist():
        both = on_both[:, cluster]
        if cluster == lead or not _is_near(evidence.places[cluster], evidence.places[lead], apart=apart):
            continue
        distance = _median(evidence.first[both, cluster] - evidence.first[both, lead])
        if not 0 < distance < nearest:
            continue
        more = _median(evidence.mass[both, cluster] / evidence.mass[both, lead])
        longer = _median(more * evidence.n_blocks[both, lead] / evidence.n_blocks[both, cluster])
        if more >= LIMITS.min_more and longer >= LIMITS.min_length_share:
            nearest, body = distance, cluster
    return body


def _leads(evidence: Evidence, body: int, pages: NDArray[np.bool_]) -> list[int]:
    """Return the short clusters before the body that say a good part of what it, or the best of them, says."""
    occurs = evidence.n_blocks > 0
    on = pages & occurs[:, body]
    on_both = occurs & on[:, None]
    n_before = (on_both & (evidence.first < evidence.first[:, [body]])).sum(axis=0)
    n_both = on_both.sum(axis=0)
    means = {}
    for cluster in np.flatnonzero((4 * n_both >= on.sum()) & (2 * n_before > n_both)).tolist():
        if not _is_near(evidence.places[body], evidence.places[cluster], apart=LIMITS.max_steps_apart):
            continue
        both = on_both[:, cluster]
        if not _is_excluded(evidence.places[cluster]) and _is_lead_like(evidence, cluster, both):
            always = evidence.described & occurs[:, cluster]
            means[cluster] = min(float(evidence.excess[where, cluster].mean()) for where in (both, always))
    own = float(evidence.excess[on, body].mean())
    least = max(LIMITS.lead_share * max([own, *means.values()]), LIMITS.min_excess)
    return [cluster for cluster, mean in sorted(means.items(), key=lambda item: (-item[1], item[0])) if mean >= least]


def _is_near(body: tuple[str, ...], lead: tuple[str, ...], *, apart: int) -> bool:
    """Return True if a lead is in the same part of the page as a body: below the page's `body` and not far off."""
    common = _common_steps(body, lead)
    return common > 2 and len(body) - common <= apart


def _common_steps(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many steps from the root two places have in common: the same tag, and a class name if both have any."""
    n = 0
    for a, b in zip(one, other, strict=False):
        (tag, *classes), (other_tag, *other_classes) = a.split("."), b.split(".")
        if tag != other_tag:
            break
        if tag != "body" and (classes or other_classes) and set(classes).isdisjoint(other_classes):
            break
        n += 1
    return n
