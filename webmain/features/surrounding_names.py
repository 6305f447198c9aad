"""The names around a page's blocks: groups of words in class names and ids, special tags, labels, repeated containers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.vocabulary import name_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.page.columns import Elements

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


@dataclass(frozen=True)
class Surroundings:
    """What stands at and around the elements that blocks are, and the elements around those; nothing of the others.

    Attributes
    ----------
    elements : list of int
        Those elements, ascending.
    labels : dict
        For each of them its tag, with its class names as they stand.
    any_names, near_names : (n_elements_of_page,) int64
        Groups of words (`vocabulary.NAME_GROUPS`) in the names of the element and all around it; of the nearest that has any.
    tags : (n_elements_of_page,) int64
        Special tags and roles of the element and all around it, as bits.
    """

    elements: list[int]
    labels: dict[int, str]
    any_names: NDArray[np.int64]
    near_names: NDArray[np.int64]
    tags: NDArray[np.int64]


def surroundings(elements: Elements, blocks: NDArray[np.int64]) -> Surroundings:
    """Look at the elements that blocks are, and at those around them, once each."""
    parent, tags = elements.parent, elements.tags
    wanted: set[int] = set()
    for element in set(blocks.tolist()):
        while element >= 0 and element not in wanted:
            wanted.add(element)
            element = parent[element]
    order = sorted(wanted)
    size = len(tags)
    any_names, near_names, around = [0] * size, [0] * size, [0] * size
    labels: dict[int, str] = {}
    known: dict[str, int] = {"": 0}
    attributes_of = elements.attributes
    for i in order:
        tag, p = tags[i], parent[i]
        attributes = attributes_of[i]
        found, special, label = 0, _SPECIAL_BITS.get(tag, 0), tag
        if attributes:
            name = attributes.get("class") or ""
            if name:
                label = f"{tag}.{name}"
            own = attributes.get("id")
            text = f"{name} {own}" if own else name
            if "itemprop" in attributes:
                text = f"{text} {attributes['itemprop']}"
            if text in known:
                found = known[text]
            else:
                found = known[text] = name_bits(text)
            if "role" in attributes:
                special |= _ROLES.get(attributes["role"] or "", 0)
        labels[i] = label
        if p >= 0:
            any_names[i] = found | any_names[p]
            near_names[i] = found or near_names[p]
            around[i] = special | around[p]
        else:
            any_names[i], near_names[i], around[i] = found, found, special
    return Surroundings(order, labels, np.array(any_names), np.array(near_names), np.array(around))


def twins(
    elements: Elements, seen: Surroundings, chars: NDArray[np.float64], depth: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each element how often the most repeated container around it stands beside its like, and its depth.

    Comments, teasers and posts of a thread are such containers: siblings of the same make with text in each. List items and
    table rows count where they hold elements of their own.
    """
    end, parent, tags, labels = elements.end, elements.parent, elements.tags, seen.labels
    counts: dict[tuple[int, str], int] = {}
    candidates: list[tuple[int, tuple[int, str]]] = []
    long = chars.tolist()
    for i in seen.elements:
        if long[i] >= _MIN_TWIN_CHARS and tags[i] not in _NO_TWINS:
            if tags[i] in ("li", "tr") and end[i] - i <= 2:
                continue
            key = (parent[i], labels[i])
            counts[key] = counts.get(key, 0) + 1
            candidates.append((i, key))
    found = np.zeros(len(tags))
    where = depth.copy()
    for i, key in candidates:
        count = counts[key]
        if count > 1 and count > found[i]:
            found[i : end[i]] = count
            where[i : end[i]] = depth[i]
    return found, where
