"""A page's blocks and the elements around them, counted once for all groups of columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from webmain.features.vocabulary import vocabulary
from webmain.html.columns import HIDDEN, Flag
from webmain.html.names import MAX_KNOWN
from webmain.text.characters import UNSPACED, Class, invisible_points, is_disguised, table
from webmain.text.normal import as_seen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation
    from webmain.html.names import Names

Named = dict["str | tuple[str, ...]", "float | NDArray[Any]"]
"""Columns of a page's blocks by name: `(n_blocks,)`, one number for all blocks, or several columns by all their names,
`(n_columns, n_blocks)`."""

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
"""A block's element by its function, ordered from frame to prose; 0 for others."""

SPECIAL: Final = (
    "article", "main", "nav", "header", "footer", "aside", "ul", "table", "form", "figure", "blockquote", "section", "dl",
)  # fmt: skip
"""Tags that name what they contain; `ol` counts as `ul`."""

_SPECIAL_BITS: Final = {**{tag: 1 << place for place, tag in enumerate(SPECIAL)}, "ol": 1 << SPECIAL.index("ul")}
_ROLES: Final = {
    role: _SPECIAL_BITS[tag]
    for role, tag in {
        "main": "main", "navigation": "nav", "banner": "header", "contentinfo": "footer", "complementary": "aside",
        "article": "article", "search": "form", "dialog": "form", "menu": "nav", "menubar": "nav",
    }.items()
}  # fmt: skip

MIN_PROSE: Final = 60
"""Characters from which a block counts as prose where containers are scored."""

MAX_PROSE_LINKED: Final = 0.4
MAX_PROSE_SCORE: Final = 1500.0
"""Characters of a block's prose that count for its container, at most."""

_NOT_SHOWN: Final = int(HIDDEN | Flag.EMBEDDED | Flag.IN_CONTROL)
_TERMINAL: Final = frozenset('.!?:;"”»。！？…’)」』।')
_ENDS: Final = ".!?。！？…।؟۔"
_COMMAS: Final = ",、，;；،؛:："
_UNSEEN: Final = 0b11
"""Bits of what is not seen: no character is both a letter and a digit."""

MAX_NAME_CHARS: Final = 200
"""Characters read of an element's class names and ids; utility-class style sheets write much longer ones."""

_PIECE: Final = 1 << 15
"""Characters that are counted at once: fewer than a counter of 16 bits holds, and little memory."""

_KEY_CHARS: Final = 200
"""Characters of a block's text, as it is seen, by which it is compared."""

_NAMES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


class Counts(NamedTuple):
    """Characters by what they are, an array each, of leaves or of blocks.

    `unspaced` are letters of scripts without spaces between words, `ends` end sentences, `commas` are commas and colons,
    `chars` all that is seen; of these `linked` are in anchors and `shown` are seen by readers.
    """

    letters: NDArray[np.float64]
    digits: NDArray[np.float64]
    spaces: NDArray[np.float64]
    unspaced: NDArray[np.float64]
    ends: NDArray[np.float64]
    commas: NDArray[np.float64]
    capitals: NDArray[np.float64]
    marks: NDArray[np.float64]
    chars: NDArray[np.float64]
    linked: NDArray[np.float64]
    shown: NDArray[np.float64]


class ElementCounts(NamedTuple):
    """Sums over the text below each element, `(n_elements,)` each; `linked_blocks` are mostly links."""

    chars: NDArray[np.float64]
    linked: NDArray[np.float64]
    ends: NDArray[np.float64]
    prose: NDArray[np.float64]
    blocks: NDArray[np.float64]
    linked_blocks: NDArray[np.float64]


@dataclass(frozen=True)
class Surroundings:
    """The elements that blocks are, and all their ancestors.

    Attributes
    ----------
    elements : list of int
        Ascending.
    any_names, near_names : (n_blocks,) int64
        Groups of words in the names of the block's element and all its ancestors; of the nearest that has any. A bit each, in
        the order of `Vocabulary.names`.
    tags : (n_blocks,) int64
        `SPECIAL` tags and roles of the block's element and all its ancestors, as bits.
    """

    elements: list[int]
    any_names: NDArray[np.int64]
    near_names: NDArray[np.int64]
    tags: NDArray[np.int64]


@dataclass(frozen=True)
class BestContainer:
    """The element with the most prose directly below it.

    Attributes
    ----------
    element : int
    score : (n_elements,) float64
        Prose directly below each element, less where there are links.
    inside : (n_blocks,) bool
        Blocks in the best one.
    """

    element: int
    score: NDArray[np.float64]
    inside: NDArray[np.bool_]


class PageBlocks:
    """A page's blocks as the groups of columns see them; quantities that several groups need are computed once."""

    def __init__(self, segmentation: Segmentation) -> None:
        self.segmentation = segmentation
        self.document = segmentation.document
        self.leaves = self.document.leaves
        self.elements = self.document.elements
        self.element = np.maximum(segmentation.element, 0).astype(np.int64)
        self.element_list = self.element.tolist()
        self.first = segmentation.first
        self.n = len(segmentation)
        self.order = np.arange(self.n)
        self.texts = segmentation.texts(range(self.n))
        starts = [text[:_KEY_CHARS] for text in self.texts]
        if is_disguised(starts):
            starts = [as_seen(text[: 2 * _KEY_CHARS])[:_KEY_CHARS] for text in self.texts]
        self.keys = list(map(str.casefold, starts))
        self.bits = self.leaves.bits[self.first]
        by_leaf = self._count_leaves()
        self.of_leaf = Counts(*by_leaf)
        self.counts = Counts(*np.add.reduceat(by_leaf, self.first, axis=1))
        self.chars = np.maximum(self.counts.chars, 1)
        self.link = self.counts.linked / self.chars
        self.log_chars = np.log1p(self.counts.chars)
        self.prose = np.where((self.chars >= MIN_PROSE) & (self.link < MAX_PROSE_LINKED), self.counts.shown, 0.0)

    def _count_leaves(self) -> NDArray[np.float64]:
        bits = self.leaves.bits
        counts = np.empty((len(Counts._fields), len(bits)))
        counts[:9] = count_characters(self.leaves.texts)
        outside = self.segmentation.of_unit < 0
        if outside.any():
            counts[:9, outside] = 0
        np.multiply(counts[8], (bits & int(Flag.IN_ANCHOR)) != 0, out=counts[9])
        np.multiply(counts[8], (bits & _NOT_SHOWN) == 0, out=counts[10])
        return counts

    @cached_property
    def kind(self) -> NDArray[np.float64]:
        """The `KINDS` of the blocks' elements."""
        tags, kind_of = self.elements.tags, KINDS.get
        return np.array([kind_of(tags[e], 0) for e in self.element_list], dtype=np.float64)

    @cached_property
    def terminal(self) -> NDArray[np.float64]:
        """Whether a block ends as a sentence does."""
        return np.array([text[-1:] in _TERMINAL for text in self.texts], dtype=np.float64)

    @cached_property
    def parent(self) -> NDArray[np.int64]:
        """The parent of each block's element; the root is its own."""
        return np.maximum(self.elements.parents[self.element], 0).astype(np.int64)

    @cached_property
    def parents(self) -> NDArray[np.int64]:
        """The parent of each element; the root is its own."""
        return np.maximum(self.elements.parents, 0).astype(np.int64)

    @cached_property
    def depths(self) -> NDArray[np.float64]:
        """The number of ancestors of each element."""
        return self.elements.depths.astype(np.float64)

    @cached_property
    def of_elements(self) -> ElementCounts:
        """Sums over the text below each element."""
        sums = np.zeros((len(ElementCounts._fields), len(self.leaves.texts) + 1))
        leaf = sums[:, 1:]
        leaf[0], leaf[1], leaf[2] = self.of_leaf.chars, self.of_leaf.linked, self.of_leaf.ends
        leaf[3, self.first] = self.prose
        leaf[4, self.first] = 1
        leaf[5, self.first] = self.link > 0.5
        np.cumsum(leaf, axis=1, out=leaf)
        counts = sums.take(self.elements.leaf_ends, axis=1)
        counts -= sums.take(self.elements.leaf_starts, axis=1)
        return ElementCounts(*counts)

    @cached_property
    def best(self) -> BestContainer:
        """The element with the most prose directly below it."""
        size, e = len(self.elements), self.element
        prose = np.minimum(self.prose, MAX_PROSE_SCORE)
        score = np.zeros(size)
        score += np.bincount(self.parent, prose, minlength=size)
        score += np.bincount(self.parents[self.parent], 0.5 * prose, minlength=size)
        score *= 1 - np.minimum(self.of_elements.linked / np.maximum(self.of_elements.chars, 1), 1)
        best = int(np.argmax(score))
        return BestContainer(best, score, (e >= best) & (e < self.elements.end[best]))

    @cached_property
    def surroundings(self) -> Surroundings:
        """The names and tags of the blocks' elements and their ancestors, each element read once."""
        parent, names, blocks = self.elements.parent, self.elements.names, self.element_list
        wanted: set[int] = {-1}
        for element in blocks:
            while element not in wanted:
                wanted.add(element)
                element = parent[element]
        wanted.remove(-1)
        order = sorted(wanted)
        around, near = [0] * (len(parent) + 1), [0] * (len(parent) + 1)  # the last ones are for the parent of the root
        n_names = len(vocabulary().names)  # bits of tags are above those of names
        only_names = (1 << n_names) - 1
        known = _known_bits
        for i in order:
            p, called = parent[i], names[i]
            bits = known.get(called)
            if bits is None:
                bits = _remember_bits(called, n_names)
            around[i] = around[p] | bits
            near[i] = bits & only_names or near[p]
        both = np.array([around[i] for i in blocks], dtype=np.int64)
        nearest = np.array([near[i] for i in blocks], dtype=np.int64)
        return Surroundings(order, both & only_names, nearest, both >> n_names)


@cache
def _character_bits() -> NDArray[np.uint8]:
    """Return for each code point the first eight `Counts` that it adds to, a bit each."""
    every = np.arange(256)
    masks = ((0, Class.LETTER), (1, Class.DIGIT), (2, Class.SPACE), (3, UNSPACED), (7, Class.PUNCTUATION))
    of_class = sum(((every & mask.value) != 0) << place for place, mask in masks)
    classes = np.asarray(of_class, dtype=np.uint8).take(table())
    for place, marks in ((4, _ENDS), (5, _COMMAS)):
        classes[[ord(mark) for mark in marks]] |= 1 << place
    classes[[point for point in (*range(0x530), *range(0xFF21, 0xFF3B)) if chr(point).isupper()]] |= 1 << 6
    classes[invisible_points()] = _UNSEEN
    return classes


@cache
def _packed() -> NDArray[np.uint64]:
    """Return for each combination of bits its eight counters of 16 bits, four to a number: `(256, 2)`."""
    counters = (np.arange(256)[:, None] >> np.arange(8) & 1).astype("<u2")
    counters[_UNSEEN] = 0
    return counters.view(np.uint64)


def count_characters(texts: Sequence[str]) -> NDArray[np.float64]:
    """Count the characters of each text, none of which is empty: `(9, n_texts)`, the first nine of `Counts`."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    starts = lengths.cumsum() - lengths
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    pieces = np.arange(0, len(points), _PIECE)
    ends = starts.searchsorted(pieces + _PIECE).tolist()
    bits_of, packed = _character_bits(), _packed()
    out = np.zeros((len(texts), 9))
    for at, first, end in zip(pieces.tolist(), (starts.searchsorted(pieces, "right") - 1).tolist(), ends, strict=True):
        bits = bits_of.take(points[at : at + _PIECE])
        own = np.maximum(starts[first:end] - at, 0)
        out[first:end, :8] += np.add.reduceat(packed.take(bits, axis=0), own, axis=0).view("<u2")
        if (unseen := bits == _UNSEEN).any():
            out[first:end, 8] -= np.add.reduceat(unseen, own, dtype=np.int64)
    out[:, 8] += lengths - out[:, 2]
    return out.T


_known_bits: dict[Names, int] = {}


def _remember_bits(called: Names, n_names: int) -> int:
    """Return the groups of the words in what an element is called, and above them its `SPECIAL` tags and role, as bits."""
    if len(_known_bits) > MAX_KNOWN:
        _known_bits.clear()
    special = _SPECIAL_BITS.get(called.tag, 0) | _ROLES.get(called.role, 0)
    words = " ".join(filter(None, (called.classes, called.id, called.itemprop)))
    bits = special << n_names | name_bits(words)
    if called.is_remembered:
        _known_bits[called] = bits
    return bits


def name_bits(name: str) -> int:
    """Return the groups (bits in the order of `Vocabulary.names`) of the words in class names and ids."""
    bits = 0
    for part in name[:MAX_NAME_CHARS].replace("-", " ").replace("_", " ").split():
        bits |= _part_bits(part)
    return bits


@lru_cache(maxsize=1 << 14)
def _part_bits(part: str) -> int:
    """Return the groups of the words in a part of a name; sites reuse names, so most are cached."""
    known = vocabulary().name_bits
    bits = 0
    for word in _NAMES.findall(part):
        bits |= known.get(word, 0)
    return bits
