"""Clusters of similar blocks over all pages of a site: DBSCAN, with parameters derived from the data.

References
----------
The per-site SVM's paper, module 2. M. Ester et al., "A density-based algorithm for discovering clusters" (KDD 1996), section
4.2: the radius from the sorted graph of distances to the k-th neighbour.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.clock import Loading
from webmain.features.block_features import (
    DEFAULT_SETS,
    LENGTH,
    MAX_LOG_LENGTH,
    check_sets,
    continuous_columns,
    discrete_rows,
    distinct,
    selector_names,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.features.site_blocks import SiteBlocks

MAX_VECTORS = 4_000
"""Limit on distinct vectors; above it, continuous features are rounded more coarsely, then rare features dropped."""

CHUNK = 500
"""Number of vectors whose distances to all others are computed at once."""

STEP = 1 / (4 * MAX_LOG_LENGTH)
"""The rounding of continuous features: a quarter of a doubling."""

MAX_SCALE = 4.0
"""Maximum scale factor of continuous features; at the maximum, a doubling is a distance of 1/3."""

BRIDGED = 2.0
"""Minimum radius in rounding steps: rounded values leave gaps, which must not split clusters."""


@dataclass(frozen=True)
class Vectors:
    """The distinct feature vectors of blocks.

    Attributes
    ----------
    matrix : (n_vectors, n_features) scipy CSR array of float64
    weight : (n_vectors,) int64
        Number of blocks with each vector.
    of_block : (n_blocks,) int64
        The vector of each block.
    step : float
        Distance of two vectors that differ by one rounding step of a continuous feature; 0 without such features.
    """

    matrix: Any
    weight: NDArray[np.int64]
    of_block: NDArray[np.int64]
    step: float


def cluster(
    blocks: SiteBlocks,
    *,
    sets: Sequence[str] = DEFAULT_SETS,
    min_samples: int | None = None,
    eps: float | None = None,
    scale: float = 1.0,
) -> NDArray[np.int32]:
    """Return the cluster of each block, over all pages.

    Parameters
    ----------
    blocks : SiteBlocks
    sets : sequence of str
        Feature sets: "length", "tag_path", "selector", "visual".
    min_samples : int or None
        Blocks within the radius that make a block a core block. None is the square root of the number of pages, rounded, so
        that a cluster has to recur.
    eps : float or None
        Radius of the neighbourhood; None derives it from the data (`radius`).
    scale : float
        Factor on the radius.

    Returns
    -------
    (n_blocks,) int32
        Cluster of each block, numbered from 0 by first appearance; -1 is noise. Equal blocks are in the same cluster.

    Raises
    ------
    ValueError
        Unknown feature set.
    """
    sets = check_sets(sets)
    if not len(blocks):
        return np.zeros(0, dtype=np.int32)
    vectors = vectorise(blocks, sets=sets)
    if not vectors.matrix.shape[1]:  # nothing by which blocks could differ
        return np.zeros(len(blocks), dtype=np.int32)
    least = max(1, round(blocks.n_pages**0.5)) if min_samples is None else min_samples
    reach = scale * (radius(vectors, k=least) if eps is None else eps)
    return _by_first_appearance(_dbscan(vectors, reach, least)[vectors.of_block])


def _dbscan(vectors: Vectors, reach: float, least: int) -> NDArray[np.int64]:
    """Return the cluster of each vector: core vectors within reach of each other, and others with the first core in reach.

    Same result as scikit-learn's DBSCAN, whose import often takes longer than clustering.
    """
    with Loading():
        from scipy.sparse import csgraph

    near = _in_reach(vectors.matrix, reach)
    core = near @ vectors.weight >= least
    inner = np.flatnonzero(core)
    _, number = csgraph.connected_components(near if len(inner) == len(core) else near[inner][:, inner], directed=False)
    labels = np.full(len(core), -1, dtype=np.int64)
    labels[inner] = number
    for i in np.flatnonzero(~core & (near @ core.astype(np.int64) > 0)).tolist():
        around = labels[near.indices[near.indptr[i] : near.indptr[i + 1]]]
        labels[i] = around[around >= 0].min()
    return labels


def _in_reach(matrix: Any, reach: float) -> Any:
    """Return which pairs of vectors are within reach, each vector and itself included, as a sparse matrix."""
    from scipy import sparse

    squares = np.bincount(
        np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), matrix.data**2, matrix.shape[0]
    )
    parts, chunks = [], [slice(start, start + CHUNK) for start in range(0, len(squares), CHUNK)]
    for part in chunks:
        products = np.hstack([matrix[part] @ matrix[other].toarray().T for other in chunks])
        apart = squares[part, None] + squares - 2 * products
        parts.append(sparse.csr_array(apart <= reach * reach))
    return parts[0] if len(parts) == 1 else sparse.vstack(parts, format="csr")


def vectorise(blocks: SiteBlocks, *, sets: Sequence[str] = DEFAULT_SETS, max_vectors: int = MAX_VECTORS) -> Vectors:
    """Return the distinct numeric feature vectors of blocks, with counts.

    Discrete features become 0 or 1, one column for each name; with several pages, names on one page only are left out. Every
    feature set is scaled so that two random blocks have a mean squared distance of 1 in it: no set outweighs another by its
    number of columns. A set in which blocks hardly differ is scaled up only to a limit. Class names that vary between pages
    are weighted by their squared share of pages (`steadiness`), squared again in a distance: a name on a third of the pages
    counts for almost nothing.
    """
    sets = check_sets(sets)
    continuous = continuous_columns(blocks, sets)
    min_blocks = 1
    while True:
        found = discrete_rows(blocks, sets, min_blocks=min_blocks)
        for step in (STEP, 2 * STEP, 4 * STEP, 8 * STEP, 1.0):
            rounded = {name: np.round(values / step) * step for name, values in continuous.items()}
            first, of_block = distinct([found.row, *rounded.values()])
            if len(first) <= max_vectors:
                break
        if len(first) <= max_vectors or min_blocks > len(blocks):
            break
        min_blocks *= 2
    weight = np.bincount(of_block, minlength=len(first)).astype(np.int64)
    share = weight / weight.sum()
    parts, scales = [np.zeros((len(first), 0))], [0.0]
    visual = [name for name in rounded if name != LENGTH]
    for together in [[LENGTH]] * (LENGTH in rounded) + [visual] * bool(visual):
        part = np.stack([rounded[name][first] for name in together], axis=1)
        scales.append(min(_scale((share @ part**2 - (share @ part) ** 2).sum()), MAX_SCALE))
        parts.append(part * scales[-1])
    values = np.concatenate(parts, axis=1)
    matrix = found.one_hot(found.row[first], values)
    steady = steadiness(blocks) if "selector" in sets and blocks.n_pages > 1 else {}
    factor = np.array([1.0] * values.shape[1] + [steady.get(name, 1.0) ** 2 for name in found.names])
    on = np.bincount(matrix.indices, np.repeat(share, np.diff(matrix.indptr)), minlength=len(factor))
    spread = (on - on * on) * factor**2
    for own in found.of_sets:
        factor[values.shape[1] + own] *= min(_scale(spread[values.shape[1] + own].sum()), 1.0)
    matrix.data *= factor[matrix.indices]
    return Vectors(matrix, weight, of_block, step * max(scales))


def steadiness(blocks: SiteBlocks) -> dict[str, float]:
    """Return for each class name (as `selector_names` writes it) the share of pages that have it, among those that could.

    A page could have it if it has an element with the same tag path; for several tag paths the highest share is used.
    Many sites write a page's category, author or number into a class name of the element around the article. Such names
    distinguish pages, not blocks: they are on few pages, at a tag path that all pages have.
    """
    pages_of_kind: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for page, tag_path, selector in zip(blocks.page.tolist(), blocks.tag_paths, blocks.selectors, strict=True):
        pages_of_kind[tag_path, selector].add(page)
    pages_of_step: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for (tag_path, selector), pages in pages_of_kind.items():
        end = -1
        for step in selector.split("/"):
            end = tag_path.find("/", end + 1)
            pages_of_step[tag_path if end < 0 else tag_path[:end], step] |= pages
    pages_of_place: defaultdict[str, set[int]] = defaultdict(set)
    pages_of_name: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for (place, step), pages in pages_of_step.items():
        pages_of_place[place] |= pages
        for name in selector_names(step):
            pages_of_name[place, name] |= pages
    shares: dict[str, float] = {}
    for (place, name), pages in pages_of_name.items():
        shares[name] = max(shares.get(name, 0.0), len(pages) / len(pages_of_place[place]))
    return shares


def _scale(variance: float) -> float:
    """Return the factor that makes the mean squared distance of two random blocks 1; 1 if all blocks are equal."""
    return float(1 / np.sqrt(2 * variance)) if 2 * variance > 1e-12 else 1.0


def radius(vectors: Vectors, *, k: int) -> float:
    """Return DBSCAN's radius: the knee of the curve of sorted distances to the k-th neighbour.

    Parameters
    ----------
    vectors : Vectors
    k : int
        Blocks within the radius that make a core block, the block itself included.

    Returns
    -------
    float
        Positive, and at least two rounding steps. Vectors shared by k blocks have distance 0 and are left out: they are core
        vectors at any radius.
    """
    least = max((BRIDGED + 0.01) * vectors.step, 1e-6)
    if k <= 1:  # every block is a core block
        return least
    distances = np.sort(kth_distances(vectors, k=k))
    distances = distances[distances > 1e-9]
    return max(float(distances[knee(distances)]), least) if len(distances) else least


def kth_distances(vectors: Vectors, *, k: int) -> NDArray[np.float64]:
    """Return each vector's distance to its k-th neighbour, counted in blocks; to the farthest one if there are fewer."""
    with Loading():
        from sklearn.neighbors import NearestNeighbors

    n = vectors.matrix.shape[0]
    searched = NearestNeighbors(n_neighbors=min(k, n), algorithm="brute").fit(vectors.matrix)
    distances, neighbours = searched.kneighbors(vectors.matrix)
    reached = np.cumsum(vectors.weight[neighbours], axis=1) >= k
    at = np.where(reached.any(axis=1), reached.argmax(axis=1), distances.shape[1] - 1)
    found: NDArray[np.float64] = distances[np.arange(n), at]
    return found


def knee(ascending: NDArray[np.float64]) -> int:
    """Return the index of the point that lies farthest below the straight line between a curve's ends."""
    n = len(ascending)
    if n < 3 or ascending[-1] <= ascending[0]:
        return n - 1
    rise = (ascending - ascending[0]) / (ascending[-1] - ascending[0])
    return int(np.argmax(np.linspace(0, 1, n) - rise))


def _by_first_appearance(labels: NDArray[np.int64]) -> NDArray[np.int32]:
    """Renumber clusters by the first block of each; noise stays -1."""
    names, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    order = [i for i in np.argsort(first).tolist() if names[i] >= 0]
    number = np.full(len(names), -1, dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return number[inverse.reshape(-1)]
