"""Columns of repeated items: what entries of a list, teasers, comments and boxes have in common with their like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.page_blocks import PageBlocks

    Named = dict[str, NDArray[Any]]

_NO_ITEMS: Final = frozenset("p h1 h2 h3 h4 h5 h6 br span a b i em strong td th dd dt html body".split())
_PICTURES: Final = frozenset("img picture svg video".split())
_MIN_ITEMS: Final = 3


def repeated_items(page: PageBlocks) -> Named:
    """Return what is in the items beside the one that a block is in: elements with one parent, tag and class names."""
    group, n_groups = _groups(page)
    elements, of = page.elements, page.of_elements
    items = np.flatnonzero(group >= 0)
    count = np.bincount(group[items], minlength=n_groups).astype(np.float64)

    def mean(values: NDArray[Any]) -> NDArray[np.float64]:
        return np.bincount(group[items], weights=values, minlength=n_groups) / np.maximum(count, 1)

    anchors = elements.named({"a"})
    pictured = elements.named(_PICTURES)
    linked_pictures = _below(page, pictured & elements.within(anchors), items)
    chars = np.maximum(of.chars[items], 1)
    of_group = {
        "items": np.log1p(count),
        "items_chars": np.log1p(mean(of.chars[items])),
        "items_share": mean(of.chars[items]) * count / max(page.counts.chars.sum(), 1),
        "items_link": mean(of.linked[items] / chars),
        "items_ends": mean(of.ends[items] / chars) * 100,
        "items_prose": mean(of.prose[items] > 0),
        "items_pictured": mean(linked_pictures > 0),
        "items_pictures": mean(_below(page, pictured, items) > 0),
        "items_headed": mean(_below(page, _linked_headings(page), items) > 0),
        "items_links": mean(_below(page, anchors, items)),
        "items_blocks": mean(of.blocks[items]),
    }
    at, item = _repeated(page, group, count)
    found: Named = {name: np.where(at >= 0, np.append(values, 0)[at], -1) for name, values in of_group.items()}
    inside = np.append(of.chars, 0)[item]
    mean_chars = np.append(mean(of.chars[items]), 1)[at]
    found["item_size"] = np.where(at >= 0, inside / np.maximum(mean_chars, 1), -1)
    return found


def _groups(page: PageBlocks) -> tuple[NDArray[np.int64], int]:
    """Return the group of each element, -1 of those that are not repeated, and the number of groups."""
    elements, seen = page.elements, page.surroundings
    parent, tags, labels = elements.parent, elements.tags, seen.labels
    known: dict[tuple[int, str], int] = {}
    members: list[list[int]] = []
    for i in seen.elements:
        if tags[i] in _NO_ITEMS:
            continue
        key = parent[i], labels[i]
        number = known.get(key)
        if number is None:
            known[key] = len(members)
            members.append([i])
        else:
            members[number].append(i)
    group = np.full(len(tags) + 1, -1)
    n = 0
    for same in members:
        if len(same) >= _MIN_ITEMS:
            group[same] = n
            n += 1
    return group, n


def _repeated(
    page: PageBlocks, group: NDArray[np.int64], count: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each block the largest group around it, and its item of that group; -1 for none."""
    parent, of = page.elements.parent, group.tolist()
    size = [*count.tolist(), 0.0]  # of no group
    item = [-1] * (len(of) + 1)
    for i in page.surroundings.elements:
        around = item[parent[i]]
        item[i] = i if size[of[i]] > size[of[around]] else around
    items = np.array([item[i] for i in page.element_list])
    return group[items], items


def _below(page: PageBlocks, mask: NDArray[np.bool_], items: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of marked elements in the subtrees of some elements."""
    sums = np.concatenate(([0], np.cumsum(mask)))
    counts: NDArray[np.int64] = sums[page.elements.ends[items]] - sums[items]
    return counts


def _linked_headings(page: PageBlocks) -> NDArray[np.bool_]:
    """Mark the elements of headings that are links."""
    mask = np.zeros(len(page.elements), dtype=np.bool_)
    mask[page.element[(page.kind >= 5) & (page.kind <= 7) & (page.link > 0.5)]] = True
    return mask
