"""Positions of blocks on rendered pages: inside the article's column or beside it.

References
----------
The predecessor of the per-site SVM (Zhou and Mashuq 2013, "Future directions") proposes a bounding box around the best
cluster, to find block quotes and headings that are styled differently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webmain.features.relevance import page_bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.features.site_blocks import SiteBlocks

OUTLIERS = 0.1
"""Share of an article's characters that may lie left of its column's left edge, and right of its right edge."""

SLACK = 0.1
"""Share of the column's width by which a block may extend beyond it."""

MIN_WIDTH = 0.4
"""A block narrower than this share of the column is an inset: a highlights panel, a credit, a button."""


def columns(blocks: SiteBlocks, content: NDArray[np.bool_]) -> NDArray[np.float64] | None:
    """Return the left and right edge of each page's article.

    Parameters
    ----------
    blocks : SiteBlocks
    content : (n_blocks,) bool
        Blocks of the article's running text.

    Returns
    -------
    (n_pages, 2) float64 or None
        CSS pixels; NaN for pages without content blocks. None where blocks have no rectangles.
    """
    edges = _edges(blocks)
    if edges is None:
        return None
    n_chars = np.fromiter(map(len, blocks.texts), dtype=np.float64, count=len(blocks))
    found = np.full((blocks.n_pages, 2), np.nan)
    for page, (first, end) in enumerate(page_bounds(blocks)):
        own = first + np.flatnonzero(content[first:end])
        if len(own):
            left = _quantile(edges[own, 0], n_chars[own], OUTLIERS)
            right = _quantile(edges[own, 1], n_chars[own], 1 - OUTLIERS)
            found[page] = min(left, right), max(left, right)
    return found


def in_column(blocks: SiteBlocks, content: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Return which blocks lie in their page's text column and have about its width.

    Parameters
    ----------
    blocks : SiteBlocks
    content : (n_blocks,) bool
        Blocks of the article's running text.

    Returns
    -------
    (n_blocks,) bool or None
        False on pages without content. None where blocks have no rectangles.
    """
    edges, of_page = _edges(blocks), columns(blocks, content)
    if edges is None or of_page is None:
        return None
    column = of_page[blocks.page]
    width = column[:, 1] - column[:, 0]
    found: NDArray[np.bool_] = (
        (edges[:, 0] >= column[:, 0] - SLACK * width)
        & (edges[:, 1] <= column[:, 1] + SLACK * width)
        & (edges[:, 1] - edges[:, 0] >= MIN_WIDTH * width)
    )
    return found


def without_asides(blocks: SiteBlocks, clusters: NDArray[np.int32], content: Sequence[int]) -> list[int]:
    """Return the content clusters that are not beside the article, as captions of wide pictures and highlights panels are.

    Parameters
    ----------
    blocks : SiteBlocks
    clusters : (n_blocks,) int32
    content : sequence of int
        Content clusters.

    Returns
    -------
    list of int
        Clusters that, on most of their pages, have the most content or lie in the column of the one that has; all clusters if
        blocks have no rectangles.
    """
    running = _running_text(blocks, clusters, content)
    standing = in_column(blocks, running)
    if standing is None:
        return list(content)
    kept = []
    for cluster in content:
        own = clusters == cluster
        on_pages = np.bincount(blocks.page[own], minlength=blocks.n_pages) > 0
        good = np.bincount(blocks.page[own & (running | standing)], minlength=blocks.n_pages) > 0
        if 2 * good.sum() > on_pages.sum():
            kept.append(cluster)
    return kept


def _running_text(blocks: SiteBlocks, clusters: NDArray[np.int32], content: Sequence[int]) -> NDArray[np.bool_]:
    """Return which blocks belong to the content cluster with the most characters on their page."""
    listed = np.array(sorted(content), dtype=np.int64)
    running = np.zeros(len(blocks), dtype=np.bool_)
    at = np.flatnonzero(np.isin(clusters, listed))
    if not len(at):
        return running
    mass = np.zeros((blocks.n_pages, len(listed)))
    number = np.searchsorted(listed, clusters[at])
    np.add.at(mass, (blocks.page[at], number), [len(blocks.texts[i]) for i in at.tolist()])
    running[at] = mass.argmax(axis=1)[blocks.page[at]] == number
    return running


def _edges(blocks: SiteBlocks) -> NDArray[np.float64] | None:
    """Return the left and right edge of each block, `(n_blocks, 2)`; NaN for one without rectangle, None if none has one."""
    if blocks.visual is None:
        return None
    edges = np.full((len(blocks), 2), np.nan)
    for i, visual in enumerate(blocks.visual):
        left, width = visual.get("left"), visual.get("width")
        if isinstance(left, float) and isinstance(width, float):
            edges[i] = left, left + width
    return None if np.isnan(edges).all() else edges


def _quantile(values: NDArray[np.float64], weights: NDArray[np.float64], share: float) -> float:
    """Return the weighted quantile: the smallest value at or below which lies at least a share of the weight."""
    known = ~np.isnan(values)
    if not known.any():
        return float("nan")
    order = np.argsort(values[known], kind="stable")
    weight = np.cumsum(weights[known][order])
    return float(values[known][order][np.searchsorted(weight, share * weight[-1])])
