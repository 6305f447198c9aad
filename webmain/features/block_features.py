"""What a block's features are called: discrete ones as names, continuous ones as numbers.

References
----------
The per-site SVM's paper, module 1: text length; tag path; CSS selectors, "decorated tag paths" with class names; all visual
CSS properties. "These features are also treated as discrete features and vectorized."
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray


FEATURE_SETS = ("length", "tag_path", "selector", "visual")
"""Names of the paper's feature sets, each of which can be switched."""

DEFAULT_SETS = ("length", "tag_path", "selector")
"""What can be had without a browser."""

LENGTH = "length"
"""Name of the one continuous feature that every block has."""

MAX_LOG_LENGTH = 12.0
"""Texts from 4,095 characters on have length 1.0."""


_OF_CONTENT = frozenset(("top", "height"))


def check_sets(sets: Sequence[str]) -> tuple[str, ...]:
    """Return the feature sets in their own order, without repetitions.

    Raises
    ------
    ValueError
        None is given, or one that is not known.
    """
    unknown = sorted(set(sets) - set(FEATURE_SETS))
    if unknown or not sets:
        given = "+".join(unknown) if unknown else "none"
        raise ValueError(f"feature sets: got {given}, allowed are {', '.join(FEATURE_SETS)}")
    return tuple(name for name in FEATURE_SETS if name in sets)


def log_lengths(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return each text's length, in (0, 1]: log2(1 + characters) / 12, in quarters of a doubling.

    Lengths are felt by their ratio; in steps, so that blocks alike in all else become equal and are counted, not compared.
    """
    n_chars = np.fromiter(map(len, texts), dtype=np.float64, count=len(texts))
    steps: NDArray[np.float64] = np.round(4 * np.minimum(np.log2(1 + n_chars), MAX_LOG_LENGTH)) / (4 * MAX_LOG_LENGTH)
    return steps


def path_names(tag_path: str) -> Iterator[str]:
    """Name a tag path's features: the block's own tag, and the path down to each of its elements.

    The last of these is the whole path, the paper's feature. Its beginnings tell that two blocks stand in the same part of
    the page: in whole paths a paragraph and one in a quote beside it have nothing in common.
    """
    yield f"tag={tag_path.rpartition('/')[2]}"
    end = tag_path.find("/")
    while end >= 0:
        end = tag_path.find("/", end + 1)
        yield f"path={tag_path if end < 0 else tag_path[:end]}"


def selector_names(selector: str) -> Iterator[str]:
    """Name a selector's features: the block's own class names with its tag, and those of each element around it.

    Deviation: class names one by one and not whole selectors, since many sites write a page's number or its tags into one
    class name of an outer element, which makes whole selectors of two pages differ everywhere.
    """
    steps = selector.split("/")
    for step in steps:
        tag, *classes = step.split(".")
        for token in classes:
            yield f"in={tag}.{token}"
    tag, *classes = steps[-1].split(".")
    for token in classes or [""]:
        yield f"own={tag}.{token}"


def discrete_names(
    sets: Sequence[str], tag_path: str, selector: str, visual: Mapping[str, str | float] | None = None
) -> list[str]:
    """Name all discrete features of one block, without repetitions, in a fixed order."""
    names: dict[str, None] = {}
    if "tag_path" in sets:
        names.update(dict.fromkeys(path_names(tag_path)))
    if "selector" in sets:
        names.update(dict.fromkeys(selector_names(selector)))
    if "visual" in sets and visual:
        names.update({f"css={key}:{value}": None for key, value in visual.items() if isinstance(value, str)})
    return list(names)


def continuous_values(sets: Sequence[str], visual: Mapping[str, str | float] | None) -> dict[str, float]:
    """Return the continuous visual features of one block: finite numbers by name, on a scale of ratios.

    Sizes and positions are felt by their ratio as well: sign(x) log2(1 + |x|), in quarters of a doubling. A block's top and
    height are left out: they follow from how much text there is above and in it; left edge and width are of the layout.
    """
    if "visual" not in sets or not visual:
        return {}
    values = {}
    for key, value in visual.items():
        if not isinstance(value, str) and key not in _OF_CONTENT and math.isfinite(value):
            values[f"px={key}"] = round(4 * math.copysign(math.log2(1 + abs(value)), value)) / (4 * MAX_LOG_LENGTH)
    return values
