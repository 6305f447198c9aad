"""Chooses the clusters that are article text, for each template of a site's pages.

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
    """Thresholds of module 3, which the paper does not give; masses are in multiples of a description's length."""

    min_excess: float = 0.05
    """Minimum mean relevance above chance of a content cluster over its pages: a word or two of a description."""

    min_words: float = 3.0
    """Minimum words above chance of a content cluster over all pages."""

    max_lead_blocks: int = 2
    max_lead_mass: float = 4.0
    """A cluster within these limits of blocks per page and mass per page may be only the article's lead."""

    min_mass: float = 1.0
    """Minimum mass of a template's clusters on a page that follows the template."""

    max_description_mass: float = 1.7
    """A cluster with at most this mass contains the description and nothing else."""

    min_more: float = 3.0
    min_length_share: float = 0.4
    min_own_text: float = 0.5
    """The body after a lead has at least `min_more` times its text, in blocks of at least `min_length_share` of its length,
    and at least `min_own_text` of these blocks are on no other page and are no links."""

    lead_share: float = 0.3
    """Minimum relevance of a lead, as a share of the best cluster's."""

    tie: float = 0.1
    """Clusters whose relevance is at most this share below the highest are tied, and the one with the most text wins: a lead
    or a hidden copy of the first paragraph is no more relevant than the article itself."""

    max_steps_apart: int = 5
    max_steps_inside: int = 2
    """Maximum steps from the lowest common ancestor of lead and body down to a body block; `max_steps_inside` applies if the
    lead has more text than the description and so may be a whole short article."""

    max_shared: float = 0.5
    """Maximum share of a further template's pages that already follow another template."""


LIMITS: Final = Limits()


_HEADLINES = frozenset(("h1", "title"))
_NO_ARTICLE = frozenset(("nav", "footer", "aside"))


def content_clusters(evidence: Evidence, pages: NDArray[np.int64]) -> list[int]:
    """Return the content clusters according to the descriptions of some pages, best first.

    Parameters
    ----------
    evidence : Evidence
    pages : (n,) int64
        All pages for the global form, one page for the local.

    Notes
    -----
    The cluster with the highest relevance over all pages wins, as in Algorithm 1, with two additions:

    *Several templates.* Pages without the winner have another template; the best cluster of these pages wins next, and so on.

    *Separately styled leads.* If the winner has one or two blocks per page and little more text than a description, it may be
    the lead that the description was copied from. Then the running text that follows it nearby is the article's body.
    Conversely, a short cluster before the body that matches much of the descriptions is its lead.
    Headlines (`h1`), and clusters in a `nav`, `footer` or `aside`, are neither. A cluster with only the description, not
    followed by an article, is a breadcrumb trail or a teaser; any cluster with much more text is preferred to it.
    """
    in_scope = np.zeros(len(evidence.described), dtype=np.bool_)
    in_scope[pages] = True
    uncovered = in_scope & evidence.described
    chosen: list[int] = []
    allowed = ~np.array(list(map(_is_excluded, evidence.places)), dtype=np.bool_)
    while uncovered.any():
        covered = in_scope & evidence.described & ~uncovered
        winner = _most_relevant(evidence, uncovered, covered=covered, among=allowed)
        if winner is None:
            break
        body = _body_after(evidence, winner, uncovered) if _is_lead_like(evidence, winner, uncovered) else winner
        if body == winner and _is_description(evidence, winner, uncovered):
            allowed[winner] = False
            longer = _most_relevant(
                evidence, uncovered, covered=covered, among=allowed & _have_text(evidence, uncovered)
            )
            body = winner if longer is None else longer
        found = [body, *_leads(evidence, body, uncovered)]
        follows = uncovered & _follows(evidence, found)
        if follows.any() or not chosen:
            chosen += [cluster for cluster in found if cluster not in chosen]
        allowed[[winner, *found]] = False
        uncovered &= ~follows
    return chosen


def _follows(evidence: Evidence, found: list[int]) -> NDArray[np.bool_]:
    """Return which pages follow a template: they have its text, and it is nearly as relevant as their best cluster."""
    has_text = evidence.mass[:, found].sum(axis=1) >= LIMITS.min_mass
    good = evidence.excess[:, found].max(axis=1) >= LIMITS.lead_share * evidence.excess.max(axis=1)
    follows: NDArray[np.bool_] = has_text & good
    return follows


def _most_relevant(
    evidence: Evidence, uncovered: NDArray[np.bool_], *, covered: NDArray[np.bool_], among: NDArray[np.bool_]
) -> int | None:
    """Return the cluster with the highest relevance above chance on pages that no template covers yet; None without one."""
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
    """Return True if a cluster is a headline, or is in a `nav`, `footer` or `aside`."""
    tags = [step.partition(".")[0] for step in place]
    return bool(tags) and (tags[-1] in _HEADLINES or not _NO_ARTICLE.isdisjoint(tags))


def _is_lead_like(evidence: Evidence, cluster: int, pages: NDArray[np.bool_]) -> bool:
    """Return True if a cluster has little more text per page than a description."""
    on = pages & (evidence.n_blocks[:, cluster] > 0)
    return (
        _median(evidence.n_blocks[on, cluster]) <= LIMITS.max_lead_blocks
        and _median(evidence.mass[on, cluster]) <= LIMITS.max_lead_mass
    )


def _is_description(evidence: Evidence, cluster: int, pages: NDArray[np.bool_]) -> bool:
    """Return True if a cluster contains a description and nothing else."""
    on = pages & (evidence.n_blocks[:, cluster] > 0)
    return _median(evidence.mass[on, cluster]) <= LIMITS.max_description_mass


def _median(values: NDArray[Any]) -> float:
    """Return the median; for the few values of a page this is faster than NumPy's."""
    return float(median(values.tolist()))


def _have_text(evidence: Evidence, pages: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which clusters have much more text than a description, on average over the pages where they occur."""
    n_pages = (evidence.n_blocks[pages] > 0).sum(axis=0)
    have: NDArray[np.bool_] = evidence.mass[pages].sum(axis=0) >= LIMITS.min_more * np.maximum(n_pages, 1)
    return have


def _body_after(evidence: Evidence, lead: int, pages: NDArray[np.bool_]) -> int:
    """Return the cluster of running text that a lead belongs to: the next one with much more text, or the lead itself."""
    on = pages & (evidence.n_blocks[:, lead] > 0)
    apart = LIMITS.max_steps_apart if _is_description(evidence, lead, pages) else LIMITS.max_steps_inside
    nearest, body = np.inf, lead
    on_both = (evidence.n_blocks > 0) & on[:, None]
    candidates = (2 * on_both.sum(axis=0) >= on.sum()) & (evidence.own_text >= LIMITS.min_own_text)
    candidates &= evidence.mass.max(axis=0) > evidence.mass[on, lead].min()
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
    """Return the short clusters before the body whose relevance is near that of the body or of the best of them."""
    occurs = evidence.n_blocks > 0
    on = pages & occurs[:, body]
    on_both = occurs & on[:, None]
    n_before = (on_both & (evidence.first < evidence.first[:, [body]])).sum(axis=0)
    n_both = on_both.sum(axis=0)
    relevant = evidence.excess.max(axis=0) >= LIMITS.min_excess
    means = {}
    for cluster in np.flatnonzero(relevant & (4 * n_both >= on.sum()) & (2 * n_before > n_both)).tolist():
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
    """Return True if lead and body share an ancestor below the `body` element, at most `apart` steps above the body text."""
    common = _common_steps(body, lead)
    return common > 2 and len(body) - common <= apart


def _common_steps(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return the number of common steps of two places from the root: same tag, and a common class if either has any."""
    n = 0
    for a, b in zip(one, other, strict=False):
        if a == b:
            n += 1
            continue
        (tag, *classes), (other_tag, *other_classes) = a.split("."), b.split(".")
        if tag != other_tag:
            break
        if tag != "body" and (classes or other_classes) and set(classes).isdisjoint(other_classes):
            break
        n += 1
    return n
