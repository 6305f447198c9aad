"""Features of a block for the per-site SVM: discrete ones as names, continuous ones as numbers.

References
----------
The per-site SVM's paper, module 1: text length; tag path; CSS selectors, "decorated tag paths" with class names; all visual
CSS properties. "These features are also treated as discrete features and vectorized."
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.clock import Loading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webmain.features.site_blocks import SiteBlocks

    Names = tuple[str, ...]

FEATURE_SETS = ("length", "tag_path", "selector", "visual")
"""Names of the paper's feature sets, each of which can be switched."""

DEFAULT_SETS = ("length", "tag_path", "selector")
"""The sets that need no browser."""

LENGTH = "length"
"""Name of the one continuous feature that every block has."""

MAX_LOG_LENGTH = 12.0
"""Texts from 4,095 characters on have length 1.0."""

MAX_REMEMBERED = 1_000
"""Size of the caches of names: each tag path and selector, and each path above, is looked up several times for one page."""

_OF_CONTENT = frozenset(("top", "height"))


def check_sets(sets: Sequence[str]) -> tuple[str, ...]:
    """Return the feature sets in their own order, without repetitions.

    Raises
    ------
    ValueError
        No set is given, or an unknown one.
    """
    unknown = sorted(set(sets) - set(FEATURE_SETS))
    if unknown or not sets:
        given = "+".join(unknown) if unknown else "none"
        raise ValueError(f"feature sets: got {given}, allowed are {', '.join(FEATURE_SETS)}")
    return tuple(name for name in FEATURE_SETS if name in sets)


def log_lengths(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return each text's length, in (0, 1]: log2(1 + characters) / 12, in quarters of a doubling.

    Logarithmic because lengths matter by their ratio; rounded so that otherwise equal blocks become identical vectors, which
    are counted once.
    """
    n_chars = np.fromiter(map(len, texts), dtype=np.float64, count=len(texts))
    steps: NDArray[np.float64] = np.round(4 * np.minimum(np.log2(1 + n_chars), MAX_LOG_LENGTH)) / (4 * MAX_LOG_LENGTH)
    return steps


@lru_cache(MAX_REMEMBERED)
def path_names(tag_path: str) -> Names:
    """Return the feature names of a tag path: the block's own tag, and each prefix of the path.

    The longest prefix is the whole path, the paper's feature. Shorter prefixes show that two blocks are in the same part of
    the page: by whole paths alone, a paragraph and a quoted paragraph next to it have nothing in common.
    """
    return f"tag={tag_path.rpartition('/')[2]}", *_prefixes(tag_path)


@lru_cache(MAX_REMEMBERED)
def _prefixes(tag_path: str) -> Names:
    above = tag_path.rpartition("/")[0]
    return (*_prefixes(above), f"path={tag_path}") if above else ()


@lru_cache(MAX_REMEMBERED)
def selector_names(selector: str) -> Names:
    """Return the feature names of a selector: class names with tags, of the block's own element and of each ancestor.

    Deviation: single class names instead of whole selectors. Many sites put a page's number or its tags into a class name of
    an outer element, so that whole selectors of two pages would never match.
    """
    steps = selector.split("/")
    tag, *classes = steps[-1].split(".")
    around = dict.fromkeys(chain.from_iterable(map(_class_names, steps)))
    return *around, *[f"own={tag}.{token}" for token in classes or [""]]


@lru_cache(MAX_REMEMBERED)
def _class_names(step: str) -> Names:
    tag, *classes = step.split(".")
    return tuple([f"in={tag}.{token}" for token in classes])


def discrete_names(
    sets: Sequence[str], tag_path: str, selector: str, visual: Mapping[str, str | float] | None = None
) -> list[str]:
    """Return the names of all discrete features of one block, each once, in a fixed order."""
    names: list[str] = []
    if "tag_path" in sets:
        names += path_names(tag_path)
    if "selector" in sets:
        names += selector_names(selector)
    if "visual" in sets and visual:
        names += [f"css={key}:{value}" for key, value in visual.items() if isinstance(value, str)]
    return names


def continuous_values(sets: Sequence[str], visual: Mapping[str, str | float] | None) -> dict[str, float]:
    """Return the continuous visual features of one block: finite numbers by name, on a logarithmic scale.

    The value is sign(x) log2(1 + |x|), in quarters of a doubling. A block's top and height are left out because they depend
    on the amount of text above and in it; left edge and width depend on the layout.
    """
    if "visual" not in sets or not visual:
        return {}
    values = {}
    for key, value in visual.items():
        if not isinstance(value, str) and key not in _OF_CONTENT and math.isfinite(value):
            values[f"px={key}"] = round(4 * math.copysign(math.log2(1 + abs(value)), value)) / (4 * MAX_LOG_LENGTH)
    return values


@dataclass(frozen=True)
class DiscreteRows:
    """The distinct combinations of names that blocks have, as columns of a matrix.

    Attributes
    ----------
    names : list of str
        Sorted: the columns of the matrix, after those of continuous features.
    of_sets : list of (n,) int64 array
        The names of each discrete feature set, by number.
    rows : list of (n,) int64 array
        The names of each combination; combinations are sorted, so independent of the order of the pages.
    row : (n_blocks,) int64
        The combination of each block.
    """

    names: list[str]
    of_sets: list[NDArray[np.int64]]
    rows: list[NDArray[np.int64]]
    row: NDArray[np.int64]

    def one_hot(self, chosen: NDArray[np.int64], values: NDArray[np.float64]) -> Any:
        """Return a sparse matrix of some combinations: columns of values first, then a 0/1 column for each name.

        Parameters
        ----------
        chosen : (n_rows,) int64
        values : (n_rows, n) float64
        """
        with Loading():
            from scipy import sparse

        n = values.shape[1]
        rows = [self.rows[i] for i in chosen.tolist()]
        ends = np.cumsum([0, *(n + len(row) for row in rows)], dtype=np.int32)
        is_value = np.zeros(ends[-1], dtype=np.bool_)
        is_value[ends[:-1, None] + np.arange(n)] = True
        indices, data = np.empty(ends[-1], dtype=np.int32), np.ones(ends[-1])
        indices[is_value], data[is_value] = np.tile(np.arange(n), len(rows)), values.ravel()
        indices[~is_value] = n + np.concatenate([np.zeros(0, dtype=np.int64), *rows])
        return sparse.csr_array((data, indices, ends), shape=(len(rows), n + len(self.names)))


def discrete_rows(blocks: SiteBlocks, sets: Sequence[str], *, min_blocks: int = 1) -> DiscreteRows:
    """Return the distinct combinations of names that blocks have; computed once for the same blocks.

    Parameters
    ----------
    blocks : SiteBlocks
    sets : sequence of str
    min_blocks : int
        Names that fewer blocks have are left out. With more than two pages, so are names that occur on one page only.
    """
    found: DiscreteRows | None = blocks.views.get((*sets, min_blocks))
    if found is None:
        found = blocks.views[(*sets, min_blocks)] = _discrete_rows(blocks, sets, min_blocks)
    return found


def _discrete_rows(blocks: SiteBlocks, sets: Sequence[str], min_blocks: int) -> DiscreteRows:
    visual = blocks.visual if blocks.visual is not None and "visual" in sets else (None,) * len(blocks)
    discrete = [name for name in sets if name != "length"]
    named: dict[Any, tuple[Names, ...]] = {}
    keys = []
    for tag_path, selector, style in zip(blocks.tag_paths, blocks.selectors, visual, strict=True):
        key = tag_path, selector, tuple(style.items()) if style else None
        if key not in named:
            named[key] = tuple(tuple(discrete_names((name,), tag_path, selector, style)) for name in discrete)
        keys.append(key)
    min_pages = 2 if len(np.unique(blocks.page)) > 2 else 1
    if min_pages > 1 or min_blocks > 1:
        named = _reduced(named, keys, blocks.page, min_pages=min_pages, min_blocks=min_blocks)
    rows = sorted(set(named.values()))
    of_row = {row: i for i, row in enumerate(rows)}
    of_sets = [set().union(*of_set) for of_set in zip(*rows, strict=True)]
    names = sorted(set().union(*of_sets))
    number = {name: i for i, name in enumerate(names)}.__getitem__
    return DiscreteRows(
        names,
        [np.array(sorted(map(number, of_set)), dtype=np.int64) for of_set in of_sets],
        [np.array(list(map(number, chain.from_iterable(row))), dtype=np.int64) for row in rows],
        np.array([of_row[named[key]] for key in keys], dtype=np.int64),
    )


def _reduced(
    named: Mapping[Any, tuple[Names, ...]],
    keys: Sequence[Any],
    page: NDArray[np.int32],
    *,
    min_pages: int,
    min_blocks: int,
) -> dict[Any, tuple[Names, ...]]:
    """Return the names by key, without those on fewer than `min_pages` pages or in fewer than `min_blocks` blocks."""
    pages_of: defaultdict[str, set[int]] = defaultdict(set)
    for key, page_of_key in set(zip(keys, page.tolist(), strict=True)):
        for name in (name for names in named[key] for name in names):
            pages_of[name].add(page_of_key)
    blocks_of: Counter[str] = Counter()
    for key, n in Counter(keys).items():
        blocks_of.update({name: n for names in named[key] for name in names})
    common = {name for name, pages in pages_of.items() if len(pages) >= min_pages and blocks_of[name] >= min_blocks}
    return {key: tuple(tuple(name for name in names if name in common) for names in row) for key, row in named.items()}


def continuous_columns(blocks: SiteBlocks, sets: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Return the continuous features of blocks by name; 0, the default, where a block has no such value."""
    columns = {LENGTH: log_lengths(blocks.texts)} if "length" in sets else {}
    if "visual" in sets and blocks.visual is not None:
        values = [continuous_values(sets, visual) for visual in blocks.visual]
        for name in sorted(set().union(*values)):
            columns[name] = np.array([of_block.get(name, 0.0) for of_block in values])
    return columns


def distinct(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the index of one block per distinct combination of values (sorted), and each block's combination."""
    keys = np.stack(columns, dtype=np.float64)
    order = np.lexsort(keys[::-1])
    starts = np.ones(len(order), dtype=np.bool_)
    starts[1:] = (keys[:, order[1:]] != keys[:, order[:-1]]).any(axis=0)
    of_block = np.empty(len(order), dtype=np.int64)
    of_block[order] = np.cumsum(starts) - 1
    return order[starts], of_block
