"""Clusters of similar blocks over all pages of a site: DBSCAN, its parameters read from the data.

References
----------
The per-site SVM's paper, module 2. M. Ester et al., "A density-based algorithm for discovering clusters" (KDD 1996), section
4.2: the radius from the sorted graph of distances to the k-th neighbour.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.clock import Loading
from webmain.features.block_features import (
    DEFAULT_SETS,
    MAX_LOG_LENGTH,
    check_sets,
    continuous_values,
    discrete_names,
    log_lengths,
    selector_names,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webmain.features.site_blocks import SiteBlocks

MAX_VECTORS = 4_000
"""Distinct vectors that are compared; above, continuous features are rounded more coarsely, then rare features dropped."""


STEP = 1 / (4 * MAX_LOG_LENGTH)
"""The rounding of continuous features: a quarter of a doubling."""

MAX_SCALE = 4.0
"""Continuous features are scaled up at most so much: a doubling then is a distance of 1/3."""

BRIDGED = 2.0
"""Steps of rounding that the radius bridges at least; between rounded values there is nothing, however many blocks."""


@dataclass(frozen=True)
class Vectors:
    """The distinct feature vectors of blocks.

    Attributes
    ----------
    matrix : (n_vectors, n_features) scipy CSR array of float64
    weight : (n_vectors,) int64
        Blocks with each vector.
    of_block : (n_blocks,) int64
        The vector of each block.
    step : float
        Distance of two vectors that differ by one step of a continuous feature's rounding; 0 where there is none.
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
    """Cluster the blocks of all pages.

    Parameters
    ----------
    blocks : SiteBlocks
    sets : sequence of str
        Feature sets: "length", "tag_path", "selector", "visual".
    min_samples : int or None
        Blocks that make a dense place; None is the square root of the number of pages, rounded: a cluster has to recur.
    eps : float or None
        Radius of the neighbourhood; None reads it from the data (`radius`).
    scale : float
        Factor on the radius.

    Returns
    -------
    (n_blocks,) int32
        Cluster of each block, numbered from 0 by first appearance; -1 is noise. Equal blocks are in the same cluster.

    Raises
    ------
    ValueError
        A feature set is not known.
    """
    sets = check_sets(sets)
    if not len(blocks):
        return np.zeros(0, dtype=np.int32)
    with Loading():
        from sklearn.cluster import DBSCAN

    vectors = vectorise(blocks, sets=sets)
    if not vectors.matrix.shape[1]:  # nothing by which blocks could differ
        return np.zeros(len(blocks), dtype=np.int32)
    least = max(1, round(blocks.n_pages**0.5)) if min_samples is None else min_samples
    reach = scale * (radius(vectors, k=least) if eps is None else eps)
    found = DBSCAN(eps=reach, min_samples=least, algorithm="brute").fit(vectors.matrix, sample_weight=vectors.weight)
    return _by_first_appearance(found.labels_[vectors.of_block])


def vectorise(blocks: SiteBlocks, *, sets: Sequence[str] = DEFAULT_SETS, max_vectors: int = MAX_VECTORS) -> Vectors:
    """Make numeric vectors of blocks and count the distinct ones.

    Discrete features become 0 or 1, one column for each name; names that stand on one page only say nothing of a site and are
    left out where there are more pages. Every feature set is scaled so that two blocks drawn at random have a mean squared
    distance of 1 by it: no set outweighs another by its number of columns. A set by which blocks hardly differ is not blown
    up, though.
    """
    with Loading():
        from scipy import sparse

    sets = check_sets(sets)
    kinds, kind_of_block = _kinds(blocks, sets)
    continuous = _continuous(blocks, sets)
    least = 1
    while True:
        rows, row_of_kind = _rows(kinds, kind_of_block, blocks, least=least)
        of_row = row_of_kind[kind_of_block]
        for step in (STEP, 2 * STEP, 4 * STEP, 8 * STEP, 1.0):
            columns = np.round(continuous / step) * step
            first, of_block = _distinct(of_row, columns)
            if len(first) <= max_vectors:
                break
        if len(first) <= max_vectors or least > len(blocks):
            break
        least *= 2
    weight = np.bincount(of_block, minlength=len(first)).astype(np.int64)
    parts, scales = [], [0.0]
    for where in _columns_of_sets(blocks, sets):
        part = sparse.csr_array(columns[first][:, where])
        scales.append(min(_scale(part, weight), MAX_SCALE))
        parts.append(part * scales[-1])
    chosen = [rows[i] for i in of_row[first].tolist()]
    value = steadiness(blocks) if "selector" in sets else {}
    for number in range(len(rows[0])):
        part = _one_hot([row[number] for row in chosen], value)
        parts.append(part * min(_scale(part, weight), 1.0))
    return Vectors(sparse.csr_array(sparse.hstack(parts, format="csr")), weight, of_block, step * max(scales))


_Names = tuple[str, ...]


def _kinds(blocks: SiteBlocks, sets: Sequence[str]) -> tuple[list[tuple[_Names, ...]], NDArray[np.int64]]:
    """Return the distinct blocks by their discrete features, a tuple of names for each set, and the kind of each block."""
    discrete = [name for name in sets if name != "length"]
    number: dict[tuple[str, str, Any], int] = {}
    kinds: list[tuple[_Names, ...]] = []
    of_block = np.zeros(len(blocks), dtype=np.int64)
    for i, (tag_path, selector) in enumerate(zip(blocks.tag_paths, blocks.selectors, strict=True)):
        visual = blocks.visual[i] if blocks.visual is not None and "visual" in sets else None
        styles = tuple(sorted(f"{k}:{v}" for k, v in visual.items() if isinstance(v, str))) if visual else ()
        key = (tag_path if "tag_path" in sets else "", selector if "selector" in sets else "", styles)
        if key not in number:
            number[key] = len(kinds)
            kinds.append(tuple(tuple(discrete_names((name,), tag_path, selector, visual)) for name in discrete))
        of_block[i] = number[key]
    return kinds, of_block


def _rows(
    kinds: Sequence[tuple[_Names, ...]], kind_of_block: NDArray[np.int64], blocks: SiteBlocks, *, least: int
) -> tuple[list[tuple[_Names, ...]], NDArray[np.int64]]:
    """Leave out rare names, and number what is then distinct in sorted order, whatever the order of the pages."""
    pages_of: defaultdict[str, set[int]] = defaultdict(set)
    blocks_of: Counter[str] = Counter()
    pairs = np.unique(np.stack((kind_of_block, blocks.page.astype(np.int64))), axis=1)
    for kind, page in pairs.T.tolist():
        for names in kinds[kind]:
            for name in names:
                pages_of[name].add(page)
    for kind, n_blocks in enumerate(np.bincount(kind_of_block, minlength=len(kinds)).tolist()):
        for names in kinds[kind]:
            blocks_of.update(dict.fromkeys(names, n_blocks))
    least_pages = 2 if len(np.unique(blocks.page)) > 2 else 1
    common = {name for name, on in pages_of.items() if len(on) >= least_pages and blocks_of[name] >= least}
    reduced = [tuple(tuple(name for name in names if name in common) for names in kind) for kind in kinds]
    rows = sorted(set(reduced))
    number = {row: i for i, row in enumerate(rows)}
    return rows, np.array([number[row] for row in reduced], dtype=np.int64)


def _continuous(blocks: SiteBlocks, sets: Sequence[str]) -> NDArray[np.float64]:
    """Return the continuous features, `(n_blocks, n)`; what a block does not have is 0, the default."""
    columns = []
    if "length" in sets:
        columns.append(log_lengths(blocks.texts))
    if "visual" in sets and blocks.visual is not None:
        values = [continuous_values(sets, visual) for visual in blocks.visual]
        columns += [np.array([v.get(key, 0.0) for v in values]) for key in sorted(set().union(*values))]
    return np.stack(columns, axis=1) if columns else np.zeros((len(blocks), 0))


def _columns_of_sets(blocks: SiteBlocks, sets: Sequence[str]) -> list[slice]:
    """Tell which continuous columns belong together."""
    n_lengths = int("length" in sets)
    found = [slice(0, 1)] if n_lengths else []
    if "visual" in sets and blocks.visual is not None:
        found.append(slice(n_lengths, None))
    return found


def _distinct(row: NDArray[np.int64], columns: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a block of each distinct vector, in sorted order, and the vector of each block."""
    keys = np.concatenate((row[:, None].astype(np.float64), columns), axis=1)
    _, first, of_block = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first, of_block.reshape(-1)


def steadiness(blocks: SiteBlocks) -> dict[str, float]:
    """Return for each class name, as `selector_names` calls it, on which share of the pages that could have it it stands.

    A page could have it if it has an element with the same tag path; of several tag paths the highest share counts.
    Many sites write a page's category, author or number into a class name of the element around the article. Such names tell
    pages apart, not blocks: they stand on a few pages only, at a place that all pages have.
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


def _one_hot(rows: Sequence[_Names], share: Mapping[str, float]) -> Any:
    """Make a sparse matrix, columns in sorted order of the names; 1, or the squared share of class names that are not steady.

    Squared twice over in a distance, a name on a third of the pages counts next to nothing.
    """
    with Loading():
        from scipy import sparse

    column_of = {name: i for i, name in enumerate(sorted({name for row in rows for name in row}))}
    indices = np.array([column_of[name] for row in rows for name in row], dtype=np.int32)
    starts = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int32)
    values = np.array([share.get(name, 1.0) for row in rows for name in row]) ** 2
    return sparse.csr_array((values, indices, starts), shape=(len(rows), len(column_of)))


def _scale(part: Any, weight: NDArray[np.int64]) -> float:
    """Return the factor by which the mean squared distance of two random blocks becomes 1; 1 where all are the same."""
    share = weight / weight.sum()
    mean = part.T @ share
    square = part.multiply(part).T @ share
    spread = 2.0 * float((square - mean * mean).sum())
    return float(1 / np.sqrt(spread)) if spread > 1e-12 else 1.0


def radius(vectors: Vectors, *, k: int) -> float:
    """Read DBSCAN's radius from the sorted distances to the k-th neighbour, at the knee of their curve.

    Parameters
    ----------
    vectors : Vectors
    k : int
        Blocks that make a dense place, the block itself among them.

    Returns
    -------
    float
        Positive. Vectors that k blocks share have distance 0 and are left out: they are dense by themselves. Two steps of
        rounding at least.
    """
    distances = np.sort(kth_distances(vectors, k=k))
    distances = distances[distances > 1e-9]
    least = max((BRIDGED + 0.01) * vectors.step, 1e-6)
    return max(float(distances[knee(distances)]), least) if len(distances) else least


def kth_distances(vectors: Vectors, *, k: int) -> NDArray[np.float64]:
    """Return each vector's distance to its k-th neighbour, counted in blocks; the farthest one's where there are fewer."""
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
