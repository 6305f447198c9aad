"""The names around a page's blocks: groups of words in class names and ids, special tags, labels, repeated containers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.vocabulary import NAME_GROUPS, name_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.columns import Elements

SPECIAL: Final = (
    "article", "main", "nav", "header", "footer", "aside", "ul", "table", "form", "figure", "blockquote", "section", "dl",
)  # fmt: skip
"""Tags that say what they hold; `ol` counts as `ul`."""

_SPECIAL_BITS: Final = {**{tag: 1 << place for place, tag in enumerate(SPECIAL)}, "ol": 1 << SPECIAL.index("ul")}
_ROLES: Final = {
    role: _SPECIAL_BITS[tag]
    for role, tag in {
        "main": "main", "navigation": "nav", "banner": "header", "contentinfo": "footer", "complementary": "aside",
        "article": "article", "search": "form", "dialog": "form", "menu": "nav", "menubar": "nav",
    }.items()
}  # fmt: skip

_NO_TWINS: Final = frozenset("p h1 h2 h3 h4 h5 h6 br span a b i em strong td th dd dt html body".split())
_MIN_TWIN_CHARS: Final = 30
_TAGS_AT: Final = len(NAME_GROUPS)
"""Bits of tags stand above those of names."""


@dataclass(frozen=True)
class Surroundings:
    """What stands at and around the elements that blocks are, and the elements around those; nothing of the others.

    Attributes
    ----------
    elements : list of int
        Those elements, ascending.
    labels : dict
        For each of them its tag, with its class names as they stand.
    any_names, near_names : (n_blocks,) int64
        Groups of words (`vocabulary.NAME_GROUPS`) in the names of the block's element and all around it; of the nearest that
        has any.
    tags : (n_blocks,) int64
        Special tags and roles of the block's element and all around it, as bits.
    """

    elements: list[int]
    labels: dict[int, str]
    any_names: NDArray[np.int64]
    near_names: NDArray[np.int64]
    tags: NDArray[np.int64]


def surroundings(elements: Elements, blocks: Sequence[int]) -> Surroundings:
    """Look at the elements that blocks are, and at those around them, once each."""
    parent, tags = elements.parent, elements.tags
    wanted: set[int] = {-1}
    for element in blocks:
        while element not in wanted:
            wanted.add(element)
            element = parent[element]
    wanted.remove(-1)
    order = sorted(wanted)
    around, near = [0] * (len(tags) + 1), [0] * (len(tags) + 1)  # the last ones stand for what is around the root
    labels: dict[int, str] = {}
    known: dict[str, int] = {"": 0}
    bits_of_tag = _SPECIAL_BITS.get
    for i, attributes in zip(order, elements.attributes_of(order), strict=True):
        p, label = parent[i], tags[i]
        found, special = 0, bits_of_tag(label, 0)
        if attributes:
            text = attributes.get("class") or ""
            if text:
                label = f"{label}.{text}"
            if own := attributes.get("id"):
                text = f"{text} {own}"
            if "itemprop" in attributes:
                text = f"{text} {attributes['itemprop']}"
            if text in known:
                found = known[text]
            else:
                found = known[text] = name_bits(text)
            if "role" in attributes:
                special |= _ROLES.get(attributes["role"] or "", 0)
        labels[i] = label
        if found or special:
            around[i] = around[p] | special << _TAGS_AT | found
            near[i] = found or near[p]
        else:
            around[i], near[i] = around[p], near[p]
    both = np.array([around[i] for i in blocks], dtype=np.int64)
    nearest = np.array([near[i] for i in blocks], dtype=np.int64)
    return Surroundings(order, labels, both & ((1 << _TAGS_AT) - 1), nearest, both >> _TAGS_AT)


def twins(
    elements: Elements, seen: Surroundings, blocks: Sequence[int], chars: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each block how often the most repeated container around it stands beside its like, and its depth.

    Comments, teasers and posts of a thread are such containers: siblings of the same make with text in each. List items and
    table rows count where they hold elements of their own.
    """
    end, parent, tags, labels, depth = elements.end, elements.parent, elements.tags, seen.labels, elements.depth
    keys: dict[int, tuple[int, str]] = {}
    long = chars.tolist()
    for i in seen.elements:
        if long[i] >= _MIN_TWIN_CHARS and (tag := tags[i]) not in _NO_TWINS:
            if tag in ("li", "tr") and end[i] - i <= 2:
                continue
            keys[i] = parent[i], labels[i]
    counts = Counter(keys.values())
    found, where = [0] * (len(tags) + 1), [0] * (len(tags) + 1)
    for i in seen.elements:
        p = parent[i]
        most = found[p]
        if i in keys and (count := counts[keys[i]]) > 1 and count > most:
            found[i], where[i] = count, depth[i]
        elif most:
            found[i], where[i] = most, where[p]
        else:
            where[i] = depth[i]
    return (
        np.array([found[i] for i in blocks], dtype=np.float64),
        np.array([where[i] for i in blocks], dtype=np.float64),
    )
