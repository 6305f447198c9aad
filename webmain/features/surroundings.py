"""Finds parts of an article that are styled differently: quotes, subheadings, lists, a last paragraph.

References
----------
The per-site SVM's paper, module 3, labels only the best cluster; its predecessor reports the loss on a site whose block
quotes are in another cluster. Deviation: clusters around the best one are judged by their position.
"""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from webmain.features.positions import in_column
from webmain.features.relevance import is_own_text, page_bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.site_blocks import SiteBlocks

MAX_STEPS_INSIDE = 3
"""Maximum steps from a container of the article's blocks down to another block of the article: `blockquote/div/p`."""

MIN_CONTAINER_SHARE = 0.2
"""An element with at least this share of a page's content characters directly in it is a container of the article."""

MIN_LENGTH_SHARE = 0.5
"""Minimum median block length of adjoining text, as a share of the article's."""


def surrounding_content(
    blocks: SiteBlocks, clusters: NDArray[np.int32], positive: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the blocks around content that belong to the same article.

    Parameters
    ----------
    blocks : SiteBlocks
    clusters : (n_blocks,) int32
        -1 for noise.
    positive : (n_blocks,) bool
        Blocks of content clusters.

    Returns
    -------
    (n_blocks,) bool
        Other blocks whose text is on no other page (unlike advertisements and headings of teasers), is no copy of content
        and is mostly outside anchors, and which either

        - are *between* content blocks of their page, in a container of these or a few elements below it, if their cluster
          (if any) is so on most pages where it occurs; or
        - *adjoin* them: their cluster has the tag path of the page's content and blocks about as long, has no more text than
          all content of the site, and directly precedes or follows a content block on most pages where it occurs. The same
          holds for noise, and for text directly in a container of content.

        Comments and teasers are neither. On rendered pages such blocks must also lie in the article's text column
        (`webmain.features.positions`), which excludes credits, highlights panels and captions of wide pictures.
    """
    eligible = ~positive & is_own_text(blocks) & ~_copies(blocks, positive)
    standing = in_column(blocks, positive)
    if standing is not None:
        eligible &= standing
    inside = eligible & _between(blocks, positive)
    found = inside & ((clusters < 0) | _on_most_pages(blocks, clusters, inside)[clusters])
    alike = eligible & _alike(blocks, clusters, positive)
    touching = alike & _next_to(blocks, clusters, positive | found)
    adjoining: NDArray[np.bool_] = alike & ((clusters < 0) | _on_most_pages(blocks, clusters, touching)[clusters])
    return found | (adjoining & _next_to(blocks, clusters, positive | found))


def _copies(blocks: SiteBlocks, positive: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which blocks have the same text as a content block of their page."""
    places = list(zip(blocks.page.tolist(), blocks.texts, strict=True))
    content = {place for place, is_content in zip(places, positive.tolist(), strict=True) if is_content}
    return np.array([place in content for place in places], dtype=np.bool_)


def _between(blocks: SiteBlocks, positive: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which blocks are between content blocks of their page and in the same container."""
    inside = np.zeros(len(blocks), dtype=np.bool_)
    for first, end in page_bounds(blocks):
        at = first + np.flatnonzero(positive[first:end])
        if len(at) < 2:
            continue
        containers = _containers(blocks, at.tolist())
        for i in range(int(at[0]) + 1, int(at[-1])):
            inside[i] = not positive[i] and _is_in(blocks.selectors[i], containers)
    return inside


def _containers(blocks: SiteBlocks, content: list[int]) -> frozenset[str]:
    """Return the selectors of elements that directly contain a large part of a page's content."""
    n_chars: Counter[str] = Counter()
    for i in content:
        n_chars[blocks.selectors[i].rpartition("/")[0]] += len(blocks.texts[i])
    least = MIN_CONTAINER_SHARE * n_chars.total()
    return frozenset(place for place, n in n_chars.items() if n >= least)


def _is_in(selector: str, containers: frozenset[str]) -> bool:
    """Return True if a block is in a container directly or at most `MAX_STEPS_INSIDE` elements below."""
    for _ in range(MAX_STEPS_INSIDE + 1):
        if selector in containers:
            return True
        selector = selector.rpartition("/")[0]
    return False


def _on_most_pages(blocks: SiteBlocks, clusters: NDArray[np.int32], mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return for each cluster whether it has masked blocks on most pages where it occurs; `(n_clusters + 1,)`, last False."""
    n_clusters = int(clusters.max(initial=-1)) + 1
    mostly = np.zeros(n_clusters + 1, dtype=np.bool_)
    occurs = np.zeros((blocks.n_pages, n_clusters + 1), dtype=np.bool_)
    masked = occurs.copy()
    occurs[blocks.page, clusters] = True
    masked[blocks.page[mask], clusters[mask]] = True
    mostly[:-1] = 2 * masked.sum(axis=0)[:-1] > occurs.sum(axis=0)[:-1]
    return mostly


def _alike(blocks: SiteBlocks, clusters: NDArray[np.int32], positive: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which blocks are in clusters like the article's: same tag path, blocks about as long, no more text in total."""
    n_chars = np.fromiter(map(len, blocks.texts), dtype=np.float64, count=len(blocks))
    at_home = _at_home(blocks, positive)
    least, most = MIN_LENGTH_SHARE * median(n_chars[positive & at_home].tolist()), n_chars[positive].sum()
    small = np.zeros(int(clusters.max(initial=-1)) + 2, dtype=np.bool_)
    for cluster in np.unique(clusters[at_home & (clusters >= 0)]).tolist():
        members = clusters == cluster
        small[cluster] = n_chars[members].sum() <= most and median(n_chars[members].tolist()) >= least
    noise = (clusters < 0) & (n_chars >= least)
    alike: NDArray[np.bool_] = at_home & (small[clusters] | noise)
    return alike


def _at_home(blocks: SiteBlocks, positive: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which blocks have the tag path of most of their page's content, or are directly in a container of it."""
    home = np.zeros(len(blocks), dtype=np.bool_)
    for first, end in page_bounds(blocks):
        content = (first + np.flatnonzero(positive[first:end])).tolist()
        n_chars: Counter[str] = Counter()
        for i in content:
            n_chars[blocks.tag_paths[i]] += len(blocks.texts[i])
        tag_path = min(n_chars, key=lambda path: (-n_chars[path], path), default=None)
        containers = _containers(blocks, content)
        for i in range(first, end):
            home[i] = blocks.tag_paths[i] == tag_path or blocks.selectors[i] in containers
    return home


def _next_to(blocks: SiteBlocks, clusters: NDArray[np.int32], content: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which blocks are in a run of one cluster that directly precedes or follows a content block of the page."""
    n = len(blocks)
    same_page = blocks.page[1:] == blocks.page[:-1]
    joined = same_page & (clusters[1:] == clusters[:-1])
    near = np.zeros(n, dtype=np.bool_)
    near[1:] |= same_page & content[:-1]
    near[:-1] |= same_page & content[1:]
    run = np.concatenate(([0], np.cumsum(~joined)))[:n]
    return np.isin(run, run[near])
