"""Labels without labellers: the clusters whose text says what the pages' descriptions say are content.

References
----------
The per-site SVM's paper, module 3 and Algorithm 1.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from webmain.features.evidence import gather
from webmain.features.relevance import page_bounds, page_contents
from webmain.features.templates import content_clusters

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.site_blocks import SiteBlocks

Form = Literal["global", "local"]
FORMS = ("global", "local")

MAX_STEPS_INSIDE = 3
"""Elements between the container of an article's blocks and another block of it: `figure/figcaption/p`, `ul/li/p`."""

MIN_CONTAINER_SHARE = 0.2
"""Share of a page's content characters that stand directly in an element, for it to be a container of the article."""

MAX_LINKED = 0.5
"""Share of a block's characters in anchors above which it is a teaser and not the article's, wherever it stands."""


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
        Blocks of content clusters, and those between them in the same container.
    n_described : int
        Pages with a usable description.
    """

    content: tuple[int, ...]
    relevance: NDArray[np.float64]
    positive: NDArray[np.bool_]
    n_described: int


def label(
    blocks: SiteBlocks, clusters: NDArray[np.int32], *, form: Form = "global", between: bool = True
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
    between : bool
        Whether what stands between content blocks in the same container is content too (`between_content`).

    Returns
    -------
    Labels
        All False where no page has a usable description or no cluster has more in common with one than by chance.

    Raises
    ------
    ValueError
        The form is not known, or there is not one cluster for each block.
    """
    if form not in FORMS:
        raise ValueError(f"form: got {form!r}, allowed are {', '.join(FORMS)}")
    if len(clusters) != len(blocks):
        raise ValueError(f"{len(clusters)} cluster numbers for {len(blocks)} blocks")
    evidence = gather(blocks, clusters)
    positive = np.zeros(len(blocks), dtype=np.bool_)
    content: dict[int, None] = {}
    if form == "global":
        content = dict.fromkeys(content_clusters(evidence, np.arange(blocks.n_pages)))
        positive |= np.isin(clusters, list(content))
    else:
        bounds = page_bounds(blocks)
        for page in np.flatnonzero(evidence.described).tolist():
            of_page = content_clusters(evidence, np.array([page]))
            first, end = bounds[page]
            positive[first:end] = np.isin(clusters[first:end], of_page)
            content.update(dict.fromkeys(of_page))
    if between:
        positive |= between_content(blocks, clusters, positive)
    return Labels(
        content=tuple(content),
        relevance=evidence.relevance.sum(axis=0),
        positive=positive,
        n_described=int(evidence.described.sum()),
    )


def between_content(
    blocks: SiteBlocks, clusters: NDArray[np.int32], positive: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Find what belongs to an article though it looks different: quotes, subheadings, lists between its paragraphs.

    Parameters
    ----------
    blocks : SiteBlocks
    clusters : (n_blocks,) int32
    positive : (n_blocks,) bool
        Blocks of content clusters.

    Returns
    -------
    (n_blocks,) bool
        Blocks that stand between content blocks of their page, in or a few elements below a container of these, whose text
        is on no other page (advertisements and teaser headings are) and mostly outside of anchors; and whose cluster, where
        they have one, does so on most pages where it occurs (comments and teasers elsewhere don't).
    """
    inside = np.zeros(len(blocks), dtype=np.bool_)
    for first, end in page_bounds(blocks):
        at = first + np.flatnonzero(positive[first:end])
        if len(at) < 2:
            continue
        containers = _containers(blocks, at.tolist())
        for i in range(int(at[0]) + 1, int(at[-1])):
            inside[i] = not positive[i] and _is_below(blocks.selectors[i], containers)
    inside &= ~_repeated(blocks)
    if blocks.anchor_share is not None:
        inside &= blocks.anchor_share <= MAX_LINKED
    mostly = _mostly_inside(blocks, clusters, inside)
    found: NDArray[np.bool_] = inside & ((clusters < 0) | mostly[clusters])
    return found


def _containers(blocks: SiteBlocks, content: list[int]) -> frozenset[str]:
    """Return the elements, as selectors, that a good part of a page's content stands directly in."""
    n_chars: Counter[str] = Counter()
    for i in content:
        n_chars[blocks.selectors[i].rpartition("/")[0]] += len(blocks.texts[i])
    least = MIN_CONTAINER_SHARE * n_chars.total()
    return frozenset(place for place, n in n_chars.items() if n >= least)


def _is_below(selector: str, containers: frozenset[str]) -> bool:
    """Tell whether a block stands in one of the containers or a few elements below it."""
    for _ in range(MAX_STEPS_INSIDE):
        selector = selector.rpartition("/")[0]
        if selector in containers:
            return True
    return False


def _repeated(blocks: SiteBlocks) -> NDArray[np.bool_]:
    """Tell which texts stand on other pages too; a page that was given twice repeats nothing."""
    contents = page_contents(blocks)
    holders: defaultdict[str, set[int]] = defaultdict(set)
    for page, text in zip(blocks.page.tolist(), blocks.texts, strict=True):
        holders[text].add(contents[page])
    return np.array([len(holders[text]) > 1 for text in blocks.texts], dtype=np.bool_)


def _mostly_inside(
    blocks: SiteBlocks, clusters: NDArray[np.int32], inside: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell for each cluster whether it is inside an article on most pages where it occurs; `(n_clusters + 1,)`, last False."""
    pages_of: defaultdict[int, set[int]] = defaultdict(set)
    pages_inside: defaultdict[int, set[int]] = defaultdict(set)
    for page, number, is_inside in zip(blocks.page.tolist(), clusters.tolist(), inside.tolist(), strict=True):
        pages_of[number].add(page)
        if is_inside:
            pages_inside[number].add(page)
    mostly = np.zeros(int(clusters.max(initial=-1)) + 2, dtype=np.bool_)
    for number, pages in pages_of.items():
        mostly[number] = number >= 0 and 2 * len(pages_inside[number]) > len(pages)
    return mostly
