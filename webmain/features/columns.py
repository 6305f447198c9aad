"""A page's blocks as a float matrix with named columns: own counts, ancestors, neighbours, blocks of the same make.

All is computed from the walk's columns by prefix sums and look-ups, many columns a step; cost grows linearly with the page.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webmain.features.leaf_counts import count_leaves
from webmain.features.page_clues import PAGE_CLUES, page_clues
from webmain.features.surrounding_names import SPECIAL, surroundings, twins
from webmain.features.vocabulary import CUE_GROUPS, MAX_CUE_CHARS, NAME_GROUPS, cue_bits
from webmain.html.columns import HIDDEN, Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation

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
_WIDTHS: Final = (4, 12, 40)
_WIDEST: Final = max(_WIDTHS)
_IN_ANCHOR, _IN_FORM, _IN_CONTROL, _IN_NOSCRIPT = map(
    int, (Flag.IN_ANCHOR, Flag.IN_FORM, Flag.IN_CONTROL, Flag.IN_NOSCRIPT)
)
_NOT_SHOWN: Final = int(HIDDEN | Flag.EMBEDDED | Flag.IN_CONTROL)
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
    """One page's columns in the making: rows of one matrix, filled in the order of the names."""

    def __init__(self, segmentation: Segmentation) -> None:
        self.segmentation = segmentation
        self.document = segmentation.document
        self.leaves = self.document.leaves
        self.elements = self.document.elements
        self.element = np.maximum(segmentation.element, 0).astype(np.int64)
        self.of_block = self.element.tolist()
        self.n = len(segmentation)
        self.order = np.arange(self.n)
        self.rows = np.empty((len(names()), self.n), dtype=np.float32)
        self.filled = 0

    def columns(self) -> Columns:
        self._count()
        self._own()
        self._ancestors()
        self._containers()
        self._neighbours()
        self._makes()
        self._page()
        return Columns(self.rows.T, names(), self.make, self.keys, self.parent, self.shown, self.texts)

    def _next(self, count: int) -> NDArray[np.float32]:
        """Return the next rows to be filled."""
        first = self.filled
        self.filled += count
        return self.rows[first : self.filled]

    def _fill(self, *found: NDArray[Any] | float) -> None:
        """Fill one row after another."""
        for row, values in zip(self._next(len(found)), found, strict=True):
            row[:] = values

    # ---- counts

    def _count(self) -> None:
        """Count characters of each leaf, block and element."""
        leaves = self.leaves
        bits = leaves.bits
        self.of_leaf = of_leaf = np.empty((11, len(bits)))
        of_leaf[:9] = count_leaves(leaves.texts)
        outside = self.segmentation.of_unit < 0
        if outside.any():
            of_leaf[:9, outside] = 0
        chars = of_leaf[8]
        np.multiply(chars, (bits & _IN_ANCHOR) != 0, out=of_leaf[9])
        np.multiply(chars, (bits & _NOT_SHOWN) == 0, out=of_leaf[10])
        self.first = self.segmentation.first
        self.sums = np.add.reduceat(of_leaf, self.first, axis=1)
        self.bits = bits[self.first]
        self.n_chars = self.sums[8]
        self.chars = np.maximum(self.n_chars, 1)
        self.anchor, self.shown = self.sums[9], self.sums[10]
        self.ends = self.sums[4]
        self.link = self.anchor / self.chars
        self.log_chars = np.log1p(self.n_chars)

    # ---- a block by itself

    def _own(self) -> None:
        chars, n, bits = self.chars, self.n, self.bits
        letters, digits, spaces, unspaced, ends, commas, upper, marks = self.sums[:8]
        words = spaces + unspaced / 3 + 1
        tags, kind_of = self.elements.tags, KINDS.get
        self.kind = np.array([kind_of(tags[e], 0) for e in self.of_block], dtype=np.float64)
        self.texts = texts = self.segmentation.texts(range(n))
        self.terminal = np.array([t[-1:] in _TERMINAL for t in texts], dtype=np.float64)
        keys = [t[:200].casefold() for t in texts]
        seen = Counter(keys)
        self._fill(
            self.log_chars, self.link, np.log1p(words), marks / chars, np.minimum(ends, 20), np.minimum(commas, 20),
            ends / words, commas / words, digits / chars, upper / chars, np.minimum(chars / words, 30),
            unspaced / chars, letters / chars, self.shown / chars, self.kind, self.terminal,
            np.array([t[:1].islower() for t in texts]),
            (bits & _IN_NOSCRIPT) != 0, (bits & _IN_FORM) != 0, (bits & _IN_CONTROL) != 0, (bits & _IN_ANCHOR) != 0,
            np.minimum(np.diff(self.first, append=len(self.leaves.texts)), 30),
            np.minimum(self.elements.ends[self.element] - self.element, 60),
            np.minimum(np.array([seen[key] for key in keys]), 5),
        )  # fmt: skip
        self.clues = page_clues(self.document, keys, self.log_chars)
        self._fill(*self.clues.of_blocks.T)
        self._cues(keys)

    def _cues(self, keys: Sequence[str]) -> None:
        """Cue words of each short block, and the distance to the last heading or short line with each."""
        order, kind = self.order, self.kind
        unspaced = bool(self.sums[3].sum() > 0.2 * self.n_chars.sum())
        own = np.array([cue_bits(key, unspaced=unspaced) if len(key) < MAX_CUE_CHARS else 0 for key in keys])
        groups = np.arange(len(CUE_GROUPS))[:, None]
        bits = (own >> groups) & 1
        last = np.full((len(CUE_GROUPS), self.n + 1), -1)
        short = self.log_chars < 3.8  # 45 characters
        np.maximum.accumulate(np.where((bits == 1) & short, order, -1), axis=1, out=last[:, 1:])
        before = last[:, :-1]
        heading = (kind >= 5) & (kind <= 7)
        last_heading = np.maximum.accumulate(np.where(heading, order, -1))
        headed = last_heading >= 0
        under = np.where(headed, own[last_heading], 0)
        h1 = np.flatnonzero(kind == 7)
        self._next(len(groups))[:] = bits
        self._next(len(groups))[:] = np.where(before >= 0, np.minimum(order - before, _FAR), _FAR + 1)
        self._next(len(groups))[:] = (under >> groups) & 1
        self._fill(
            np.where(headed, np.minimum(order - last_heading, _FAR), _FAR + 1),
            np.where(headed, kind[last_heading], 0),
            np.minimum(np.maximum(order - h1[0], -100), 200) if len(h1) else -101,
        )

    # ---- ancestors

    def _ancestors(self) -> None:
        """Look at the class names and tags around a block, and count over the elements around it."""
        elements, e = self.elements, self.element
        seen = surroundings(elements, self.of_block)
        self.labels = seen.labels
        self.depth = elements.depths.astype(np.float64)
        self.depths = depths = self.depth[e]
        self.parents = parents = np.maximum(elements.parents, 0).astype(np.int64)
        self.parent = parents[e]
        groups, special = np.arange(len(NAME_GROUPS))[:, None], np.arange(len(SPECIAL))[:, None]
        for bits, places in ((seen.any_names, groups), (seen.near_names, groups), (seen.tags, special)):
            self._next(len(places))[:] = (bits >> places) & 1
        self._fill(np.minimum(depths, 40))
        self.of_element = counts = self._of_elements()
        chars, anchor, ends, prose, blocks, links = counts
        found, n_blocks = np.maximum(chars, 1), np.maximum(blocks, 1)
        ratios = np.empty((8, len(chars)), dtype=np.float32)
        for row, values in enumerate(
            (
                chars / max(chars.max(), 1), anchor / found, np.log1p(blocks), np.log1p(chars / n_blocks),
                prose / max(prose.max(), 1), prose / found, ends / found * 100, links / n_blocks,
            )
        ):  # fmt: skip
            ratios[row] = values
        repeated, repeated_depth = twins(elements, seen, self.of_block, chars)
        at = e
        for level in range(_LEVELS):
            at = parents[at]
            wanted = ratios if level != 3 else ratios[:2]
            self._next(len(wanted))[:] = wanted.take(at, axis=1)
        self._fill(np.log1p(repeated), depths - repeated_depth, np.minimum(np.maximum(e - self.parent, 0), 50))

    def _of_elements(self) -> NDArray[np.float64]:
        """Characters, linked ones, sentence ends, prose, blocks and linked blocks below each element, a row each."""
        sums = np.zeros((6, len(self.leaves.texts) + 1))
        leaf = sums[:, 1:]
        leaf[0], leaf[1], leaf[2] = self.of_leaf[8], self.of_leaf[9], self.of_leaf[4]
        prose = np.where((self.chars >= MIN_PROSE) & (self.link < MAX_PROSE_LINKED), self.shown, 0.0)
        self.prose = prose
        leaf[3, self.first] = prose
        leaf[4, self.first] = 1
        leaf[5, self.first] = self.link > 0.5
        np.cumsum(leaf, axis=1, out=leaf)
        counts: NDArray[np.float64] = sums.take(self.elements.leaf_ends, axis=1)
        counts -= sums.take(self.elements.leaf_starts, axis=1)
        return counts

    def _containers(self) -> None:
        """Where a block stands towards the element with the most prose directly below it."""
        elements, e, p1, order = self.elements, self.element, self.parent, self.order
        size = len(elements.tags)
        p2 = self.parents[p1]
        bounded = np.minimum(self.prose, _MAX_PROSE_SCORE)
        score = np.bincount(p1, weights=bounded, minlength=size) + np.bincount(p2, 0.5 * bounded, minlength=size)
        chars, anchor = self.of_element[0], self.of_element[1]
        score *= 1 - np.minimum(anchor / np.maximum(chars, 1), 1)
        best = int(np.argmax(score))
        common = np.zeros(size)
        for step in reversed(elements.ancestors(best)):  # the deepest element of the path that holds each element
            common[step : elements.end[step]] = self.depth[step]
        common = common[e]
        inside = (e >= best) & (e < elements.end[best])
        places = np.flatnonzero(inside)
        first, last = (places[0], places[-1]) if len(places) else (0, self.n - 1)
        top = max(score[best], 1)
        self.inside = inside
        self._fill(
            self.depth[best] - common, np.minimum(self.depths - common, 30), inside, score[p1] / top, score[p2] / top,
            self.of_element[3, best] / max(self.prose.sum(), 1), np.minimum(np.maximum(order - first, -50), 200),
            np.minimum(np.maximum(last - order, -50), 200),
        )  # fmt: skip

    # ---- neighbours

    def _neighbours(self) -> None:
        near = np.array((self.log_chars, self.link, self.kind, self.terminal), dtype=np.float32)
        for offset in (-2, -1, 1, 2):
            _shift(near, offset, self._next(4))
        for offset in (-3, 3):
            _shift(near[:2], offset, self._next(2))
        n, order, chars = self.n, self.order, self.n_chars
        totals = np.zeros((3, n + 1 + 2 * _WIDEST))  # before the first block and after the last one nothing is added
        body = totals[:, _WIDEST + 1 : _WIDEST + 1 + n]
        body[0], body[1], body[2] = chars, self.anchor, self.ends
        np.cumsum(body, axis=1, out=body)
        totals[:, _WIDEST + 1 + n :] = body[:, -1:]
        for width in _WIDTHS:
            for low, high in ((-width, 0), (1, width + 1)):
                start, end = _WIDEST + low, _WIDEST + high
                within, linked, ends = totals[:, end : end + n] - totals[:, start : start + n]
                found = np.maximum(within, 1)
                self._fill(np.log1p(within), linked / found, ends / found * 100)
        total = max(chars.sum(), 1)
        same = np.zeros(n + 1)
        same[1:-1] = self.parent[1:] == self.parent[:-1]
        self._fill((np.cumsum(chars) - chars) / total, np.minimum(order, 500), order / n, same[:-1], same[1:])

    # ---- blocks of the same make, and the page

    def _makes(self) -> None:
        labels, parent = self.labels, self.elements.parent
        known: dict[tuple[str, str], int] = {}
        keys: dict[str, int] = {}
        numbers = []
        for e in self.of_block:
            pair = labels[e], labels[max(parent[e], 0)]
            number = known.get(pair, -1)
            if number < 0:
                number = known[pair] = keys.setdefault("<".join(pair), len(keys))
            numbers.append(number)
        make = np.array(numbers, dtype=np.int64)
        self.make, self.keys = make, tuple(keys)
        size = len(keys)
        count = np.bincount(make, minlength=size)
        chars, anchor, ends, inside = (
            np.bincount(make, weights=column, minlength=size)
            for column in (self.n_chars, self.anchor, self.ends, self.inside)
        )
        found = np.maximum(chars, 1)
        table = np.array(
            (np.log1p(count), chars / max(chars.sum(), 1), np.log1p(chars / count), anchor / found,
             ends / found * 100, inside / count)
        )  # fmt: skip
        self._next(len(table))[:] = table.take(make, axis=1)

    def _page(self) -> None:
        chars, kind = self.n_chars, self.kind
        total = max(chars.sum(), 1)
        prose = self.prose.sum()
        row = [
            np.log1p(total), np.log1p(self.n), self.anchor.sum() / total,
            np.log1p(((kind == 11) & (chars > 80)).sum()), np.log1p((kind == 4).sum()), np.log1p((kind == 6).sum()),
            np.log1p((kind == 3).sum()), prose / total, self.sums[3].sum() / total, np.log1p(chars.max()),
            np.log1p(prose), *self.clues.of_page,
        ]  # fmt: skip
        self._next(len(row))[:] = np.array(row, dtype=np.float64)[:, None]


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
    for width in _WIDTHS:
        out += [f"{side}{width}_{name}" for side in ("before", "after") for name in ("chars", "link", "ends")]
    out += "position index index_share same_before same_after".split()
    out += [f"make_{name}" for name in ("count", "share", "mean", "link", "ends", "in_best")]
    out += [
        f"page_{name}"
        for name in ("chars", "blocks", "link", "p", "li", "h2", "td", "prose", "unspaced", "longest", "log_prose")
    ]
    return [*out, *(f"page_{clue}" for clue in PAGE_CLUES)]


def _shift(values: NDArray[np.float32], offset: int, out: NDArray[np.float32]) -> None:
    """Write each column's neighbour at an offset; -1 beyond the ends."""
    out[:] = -1
    if offset > 0:
        out[:, :-offset] = values[:, offset:]
    else:
        out[:, -offset:] = values[:, :offset]
