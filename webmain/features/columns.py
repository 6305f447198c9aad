"""A page's blocks as a float matrix with named columns: own counts, ancestors, neighbours, blocks of the same make.

All is computed from the walk's columns by prefix sums and look-ups, many columns a step; cost grows linearly with the page.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.leaf_counts import count_leaves
from webmain.features.page_clues import PAGE_CLUES, page_clues
from webmain.features.surrounding_names import SPECIAL, surroundings, twins
from webmain.features.vocabulary import CUE_GROUPS, MAX_CUE_CHARS, NAME_GROUPS, cue_bits
from webmain.items import HIDDEN, Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.page.blocks import Segmentation

VERSION: Final = 1
"""Version of the columns; a model of another version is not used."""

KINDS: Final = {
    **dict.fromkeys("header footer nav aside form fieldset address summary details button label".split(), 1),
    **dict.fromkeys("div section article main body center span".split(), 2),
    **dict.fromkeys("td th caption".split(), 3),
    **dict.fromkeys("li dt dd".split(), 4),
    **dict.fromkeys("h4 h5 h6".split(), 5),
    **dict.fromkeys("h2 h3".split(), 6),
    "h1": 7,
    **dict.fromkeys("figcaption figure".split(), 8),
    **dict.fromkeys("pre code".split(), 9),
    **dict.fromkeys("blockquote q".split(), 10),
    "p": 11,
}
"""A block's element by what it is for, ordered from frame to prose; 0 for others."""

MIN_PROSE: Final = 60
"""Characters from which a block counts as prose where containers are scored."""

MAX_PROSE_LINKED: Final = 0.4
_MAX_PROSE_SCORE: Final = 1500.0
_FAR: Final = 60.0
_LEVELS: Final = 5
_TERMINAL: Final = frozenset('.!?:;"”»。！？…’)」』।')


@dataclass(frozen=True)
class Columns:
    """The features of a page's blocks.

    Attributes
    ----------
    values : (n_blocks, n_columns) float32
    names : tuple of str
    make : (n_blocks,) int64
        Blocks of the same make (tag and class, and those of the parent) have the same number.
    keys : tuple of str
        For each number of `make`, what it stands for: the same on every page of a site.
    parent : (n_blocks,) int64
        The parent of each block's element.
    n_chars : (n_blocks,) float64
        Characters that are shown, white space not counted.
    texts : list of str
        Each block's text.
    """

    values: NDArray[np.float32]
    names: tuple[str, ...]
    make: NDArray[np.int64]
    keys: tuple[str, ...]
    parent: NDArray[np.int64]
    n_chars: NDArray[np.float64]
    texts: list[str]


def columns(segmentation: Segmentation) -> Columns:
    """Compute the features of a page's blocks; the page has one block at least."""
    return _Page(segmentation).columns()


@cache
def names() -> tuple[str, ...]:
    """Return the names of the columns."""
    return tuple(_names())


class _Page:
    """One page's columns in the making: groups of columns as matrices, stacked at the end."""

    def __init__(self, segmentation: Segmentation) -> None:
        self.segmentation = segmentation
        self.document = segmentation.document
        self.leaves = self.document.leaves
        self.elements = self.document.elements
        self.groups: list[NDArray[np.float64]] = []
        self.element = np.maximum(segmentation.element, 0).astype(np.int64)
        self.n = len(segmentation)

    def columns(self) -> Columns:
        self._count()
        self._own()
        self._ancestors()
        self._containers()
        self._neighbours()
        self._makes()
        self._page()
        values = np.concatenate(self.groups, axis=1, dtype=np.float32)
        return Columns(values, names(), self.make, self.keys, self.parent, self.shown, self.texts)

    # ---- counts

    def _count(self) -> None:
        """Count characters of each leaf, block and element."""
        leaves = self.leaves
        of_leaf = count_leaves(leaves.texts) * (self.segmentation.of_unit >= 0)[:, None]
        bits = leaves.bits
        chars = of_leaf[:, 8]
        anchor = chars * ((bits & int(Flag.IN_ANCHOR)) != 0)
        shown = chars * ((bits & int(HIDDEN | Flag.EMBEDDED | Flag.IN_CONTROL)) == 0)
        self.of_leaf = np.column_stack((of_leaf, anchor, shown))
        self.first = self.segmentation.first
        self.sums = np.add.reduceat(self.of_leaf, self.first, axis=0)
        self.bits = bits[self.first]
        self.chars = np.maximum(self.sums[:, 8], 1)
        self.anchor, self.shown = self.sums[:, 9], self.sums[:, 10]
        self.ends = self.sums[:, 4]
        self.link = self.anchor / self.chars
        self.log_chars = np.log1p(self.sums[:, 8])

    # ---- a block by itself

    def _own(self) -> None:
        sums, chars, n = self.sums, self.chars, self.n
        letters, digits, spaces, unspaced, ends, commas, upper, marks = sums[:, :8].T
        words = spaces + unspaced / 3 + 1
        self.kind = np.array([KINDS.get(tag, 0) for tag in self.elements.tags], dtype=np.float64)[self.element]
        self.texts = texts = self.segmentation.texts(range(n))
        self.terminal = np.fromiter((t[-1:] in _TERMINAL for t in texts), dtype=np.float64, count=n)
        bits = self.bits
        counted = [
            self.log_chars, self.link, np.log1p(words), marks / chars, np.minimum(ends, 20), np.minimum(commas, 20),
            ends / words, commas / words, digits / chars, upper / chars, np.minimum(chars / words, 30),
            unspaced / chars, letters / chars, self.shown / chars, self.kind, self.terminal,
            np.fromiter((t[:1].islower() for t in texts), dtype=np.float64, count=n),
            (bits & int(Flag.IN_NOSCRIPT)) != 0, (bits & int(Flag.IN_FORM)) != 0, (bits & int(Flag.IN_CONTROL)) != 0,
            (bits & int(Flag.IN_ANCHOR)) != 0,
            np.minimum(np.diff(np.append(self.first, len(self.leaves.texts))), 30),
            np.minimum(self.elements.ends[self.element] - self.element, 60),
        ]  # fmt: skip
        keys = [t[:200].casefold() for t in texts]
        seen: dict[str, int] = {}
        for key in keys:
            seen[key] = seen.get(key, 0) + 1
        counted.append(np.minimum(np.fromiter((seen[k] for k in keys), dtype=np.float64, count=n), 5))
        self.groups.append(np.column_stack(counted))
        self.clues = page_clues(self.document, keys, self.log_chars)
        self.groups.append(self.clues.of_blocks)
        self._cues(keys)

    def _cues(self, keys: Sequence[str]) -> None:
        """Cue words of each short block, and the distance to the last heading or short line with each."""
        n = self.n
        unspaced = bool(self.sums[:, 3].sum() > 0.2 * self.sums[:, 8].sum())
        own = np.fromiter(
            (cue_bits(key, unspaced=unspaced) if len(key) < MAX_CUE_CHARS else 0 for key in keys), np.int64, n
        )
        bits = (own[:, None] >> np.arange(len(CUE_GROUPS))) & 1
        short = (self.log_chars < 3.8)[:, None]  # 45 characters
        at = np.arange(n)[:, None]
        last = np.maximum.accumulate(np.where((bits == 1) & short, at, -1), axis=0)
        last = np.concatenate((np.full((1, bits.shape[1]), -1), last[:-1]))
        distance = np.where(last >= 0, np.minimum(at - last, _FAR), _FAR + 1)
        heading = (self.kind >= 5) & (self.kind <= 7)
        last_heading = np.maximum.accumulate(np.where(heading, np.arange(n), -1))
        since = np.where(last_heading >= 0, np.minimum(np.arange(n) - last_heading, _FAR), _FAR + 1)
        under = np.where((last_heading >= 0), own[last_heading], 0)
        level = np.where(last_heading >= 0, self.kind[last_heading], 0)
        h1 = np.flatnonzero(self.kind == 7)
        from_h1 = np.clip(np.arange(n) - h1[0], -100, 200) if len(h1) else np.full(n, -101)
        governed = (under[:, None] >> np.arange(len(CUE_GROUPS))) & 1
        self.groups.append(np.column_stack((bits, distance, governed, since, level, from_h1)).astype(np.float64))

    # ---- ancestors

    def _ancestors(self) -> None:
        """Look at the class names and tags around a block, and count over the elements around it."""
        elements, e = self.elements, self.element
        seen = surroundings(elements, e)
        self.labels = seen.labels
        groups = np.arange(len(NAME_GROUPS))
        near = (seen.near_names[e][:, None] >> groups) & 1
        any_ = (seen.any_names[e][:, None] >> groups) & 1
        tags = (seen.tags[e][:, None] >> np.arange(len(SPECIAL))) & 1
        parents = np.maximum(elements.parents, 0).astype(np.int64)
        self.depth = np.array(elements.depth, dtype=np.float64)
        self.parent = parents[e]
        self.groups.append(np.column_stack((any_, near, tags, np.minimum(self.depth[e], 40))).astype(np.float64))
        self.of_element = counts = self._of_elements()
        chars, anchor, ends, prose, blocks, links = counts.T
        ratios = np.column_stack(
            (
                chars / max(chars.max(), 1), anchor / np.maximum(chars, 1), np.log1p(blocks),
                np.log1p(chars / np.maximum(blocks, 1)), prose / max(prose.max(), 1), prose / np.maximum(chars, 1),
                ends / np.maximum(chars, 1) * 100, links / np.maximum(blocks, 1),
            )
        )  # fmt: skip
        repeated, repeated_depth = twins(elements, seen, chars, self.depth)
        at = e
        for level in range(_LEVELS):
            at = parents[at]
            self.groups.append(ratios[at] if level != 3 else ratios[at][:, :2])
        self.groups.append(
            np.column_stack((np.log1p(repeated[e]), self.depth[e] - repeated_depth[e], np.clip(e - self.parent, 0, 50)))
        )

    def _of_elements(self) -> NDArray[np.float64]:
        """Characters, linked ones, sentence ends, prose, blocks and linked blocks below each element."""
        leaf = np.zeros((len(self.leaves.texts), 6))
        leaf[:, :3] = self.of_leaf[:, [8, 9, 4]]
        prose = np.where((self.chars >= MIN_PROSE) & (self.link < MAX_PROSE_LINKED), self.shown, 0.0)
        self.prose = prose
        leaf[self.first, 3] = prose
        leaf[self.first, 4] = 1
        leaf[self.first, 5] = self.link > 0.5
        sums = np.concatenate((np.zeros((1, 6)), np.cumsum(leaf, axis=0)))
        counts: NDArray[np.float64] = sums[self.elements.leaf_ends] - sums[self.elements.leaf_starts]
        return counts

    def _containers(self) -> None:
        """Where a block stands towards the element with the most prose directly below it."""
        elements, e, p1 = self.elements, self.element, self.parent
        size = len(elements.tags)
        p2 = np.maximum(elements.parents, 0)[p1]
        bounded = np.minimum(self.prose, _MAX_PROSE_SCORE)
        score = np.bincount(p1, weights=bounded, minlength=size) + np.bincount(p2, 0.5 * bounded, minlength=size)
        chars, anchor = self.of_element[:, 0], self.of_element[:, 1]
        score *= 1 - np.minimum(anchor / np.maximum(chars, 1), 1)
        best = int(np.argmax(score))
        path = elements.ancestors(best)
        common = np.zeros(size)
        for step in reversed(path):  # the deepest element of the path that holds each element
            common[step : elements.end[step]] = self.depth[step]
        common = common[e]
        n = self.n
        order = np.arange(n)
        inside = (e >= best) & (e < elements.end[best])
        places = np.flatnonzero(inside)
        first, last = (places[0], places[-1]) if len(places) else (0, n - 1)
        top = max(score[best], 1)
        self.inside = inside
        self.groups.append(
            np.column_stack(
                (
                    self.depth[best] - common, np.minimum(self.depth[e] - common, 30), inside, score[p1] / top,
                    score[p2] / top, np.full(n, self.of_element[best, 3] / max(self.prose.sum(), 1)),
                    np.clip(order - first, -50, 200), np.clip(last - order, -50, 200),
                )
            ).astype(np.float64)
        )  # fmt: skip

    # ---- neighbours

    def _neighbours(self) -> None:
        near = np.column_stack((self.log_chars, self.link, self.kind, self.terminal))
        for offset in (-2, -1, 1, 2):
            self.groups.append(_shifted(near, offset))
        for offset in (-3, 3):
            self.groups.append(_shifted(near[:, :2], offset))
        n = self.n
        chars = self.sums[:, 8]
        totals = np.concatenate((np.zeros((1, 3)), np.cumsum(np.column_stack((chars, self.anchor, self.ends)), axis=0)))
        at = np.arange(n)
        for width in (4, 12, 40):
            for low, high in ((-width, 0), (1, width + 1)):
                window = totals[np.clip(at + high, 0, n)] - totals[np.clip(at + low, 0, n)]
                found = np.maximum(window[:, 0], 1)
                self.groups.append(
                    np.column_stack((np.log1p(window[:, 0]), window[:, 1] / found, window[:, 2] / found * 100))
                )
        total = max(chars.sum(), 1)
        same = (self.parent[1:] == self.parent[:-1]).astype(np.float64)
        self.groups.append(
            np.column_stack(
                (
                    (np.cumsum(chars) - chars) / total, np.minimum(at, 500), at / n,
                    np.append(0.0, same), np.append(same, 0.0),
                )
            )
        )  # fmt: skip

    # ---- blocks of the same make, and the page

    def _makes(self) -> None:
        labels, parent = self.labels, self.elements.parent
        known: dict[str, int] = {}
        numbers = []
        for e in self.element.tolist():
            key = f"{labels[e]}<{labels[max(parent[e], 0)]}"
            numbers.append(known.setdefault(key, len(known)))
        make = np.array(numbers, dtype=np.int64)
        self.make, self.keys = make, tuple(known)
        size = len(known)
        count = np.bincount(make, minlength=size)
        chars, anchor, ends, inside = (
            np.bincount(make, weights=column, minlength=size)
            for column in (self.sums[:, 8], self.anchor, self.ends, self.inside)
        )
        found = np.maximum(chars, 1)
        table_ = np.column_stack(
            (np.log1p(count), chars / max(chars.sum(), 1), np.log1p(chars / count), anchor / found,
             ends / found * 100, inside / count)
        )  # fmt: skip
        self.groups.append(table_[make])

    def _page(self) -> None:
        chars, kind, n = self.sums[:, 8], self.kind, self.n
        total = max(chars.sum(), 1)
        row = [
            np.log1p(total), np.log1p(n), self.anchor.sum() / total, np.log1p(((kind == 11) & (chars > 80)).sum()),
            np.log1p((kind == 4).sum()), np.log1p((kind == 6).sum()), np.log1p((kind == 3).sum()),
            self.prose.sum() / total, self.sums[:, 3].sum() / total, np.log1p(chars.max()),
            np.log1p(self.prose.sum()), *self.clues.of_page,
        ]  # fmt: skip
        self.groups.append(np.broadcast_to(np.array(row, dtype=np.float64), (n, len(row))))


def _names() -> list[str]:
    own = (
        "log_chars link log_words marks ends commas ends_per_word commas_per_word digits upper word_length unspaced "
        "letters shown kind terminal starts_lower noscript form control anchor_first n_leaves inner repeats"
    ).split()
    out = [*own, "in_title", "has_description", "in_data", "heads_title"]
    out += [f"{prefix}_{cue}" for prefix in ("cue", "since", "under") for cue in CUE_GROUPS]
    out += ["since_heading", "heading_level", "from_h1"]
    out += [f"{prefix}_{group}" for prefix in ("any", "near") for group in NAME_GROUPS]
    out += [*(f"in_{tag}" for tag in SPECIAL), "depth"]
    ratios = "share link blocks mean prose prose_share ends links".split()
    for level in range(1, _LEVELS + 1):
        out += [f"up{level}_{ratio}" for ratio in (ratios if level != 4 else ratios[:2])]
    out += ["twins", "below_twins", "child"]
    out += "up_to_best down_from_best in_best best_score1 best_score2 best_share from_best to_best_end".split()
    near = "log_chars link kind terminal".split()
    out += [f"{name}{offset:+d}" for offset in (-2, -1, 1, 2) for name in near]
    out += [f"{name}{offset:+d}" for offset in (-3, 3) for name in near[:2]]
    for width in (4, 12, 40):
        out += [f"{side}{width}_{name}" for side in ("before", "after") for name in ("chars", "link", "ends")]
    out += "position index index_share same_before same_after".split()
    out += [f"make_{name}" for name in ("count", "share", "mean", "link", "ends", "in_best")]
    out += [
        f"page_{name}"
        for name in ("chars", "blocks", "link", "p", "li", "h2", "td", "prose", "unspaced", "longest", "log_prose")
    ]
    return [*out, *(f"page_{clue}" for clue in PAGE_CLUES)]


# ---- neighbours


def _shifted(values: NDArray[np.float64], offset: int) -> NDArray[np.float64]:
    """Return each row's neighbour at an offset; -1 beyond the ends."""
    out = np.full(values.shape, -1.0)
    if offset > 0:
        out[:-offset] = values[offset:]
    else:
        out[-offset:] = values[:offset]
    return out
