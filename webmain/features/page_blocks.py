"""A page's blocks and their ancestors, with the counts that all groups of columns share."""

from __future__ import annotations

import re
from functools import cache, cached_property, lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from webmain.features.vocabulary import vocabulary
from webmain.html.columns import HIDDEN, Flag
from webmain.html.names import MAX_KNOWN
from webmain.text.characters import UNSPACED, Class, code_points, invisible_points, is_disguised, table
from webmain.text.normal import SENTENCE_ENDS, as_seen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation
    from webmain.html.names import Names

NamedColumns = dict["str | tuple[str, ...]", "float | NDArray[Any]"]
"""Columns of a page's blocks by name: `(n_blocks,)`, one number for all blocks, or under a tuple of names several columns,
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
"""Kind of a block's element by tag, ordered from page frame to prose; 0 for other tags."""

SPECIAL: Final = (
    "article", "main", "nav", "header", "footer", "aside", "ul", "table", "form", "figure", "blockquote", "section", "dl",
)  # fmt: skip
"""Tags with a semantic meaning; `ol` counts as `ul`."""

_SPECIAL_BITS: Final = {**{tag: 1 << place for place, tag in enumerate(SPECIAL)}, "ol": 1 << SPECIAL.index("ul")}
_ROLES: Final = {
    role: _SPECIAL_BITS[tag]
    for role, tag in {
        "main": "main", "navigation": "nav", "banner": "header", "contentinfo": "footer", "complementary": "aside",
        "article": "article", "search": "form", "dialog": "form", "menu": "nav", "menubar": "nav",
    }.items()
}  # fmt: skip

MIN_PROSE: Final = 60
"""Minimum characters for a block to count as prose when containers are scored."""

MAX_PROSE_LINKED: Final = 0.4
MAX_PROSE_SCORE: Final = 1500.0
"""Maximum characters of one block's prose that count for its container."""

_NOT_SHOWN: Final = int(HIDDEN | Flag.EMBEDDED | Flag.IN_CONTROL)
_TERMINAL: Final = frozenset(SENTENCE_ENDS + ':;"”»’)」』')
_COMMAS: Final = ",、，;；،؛:：፣፤፥፦՝၊"
_UNSEEN: Final = 0b11
"""Bits that mark invisible characters: no real character is both a letter and a digit."""

MAX_NAME_CHARS: Final = 200
"""Characters read of an element's class names and ids; utility-class style sheets write much longer ones."""

_PIECE: Final = 255
"""Characters of a text that are counted at once: the maximum of an 8-bit counter."""

_PIECES: Final = 1024
"""Pieces that are counted at once; bounds the memory."""

_KEY_CHARS: Final = 200
"""Characters of a block's visible text that are compared."""

_NAMES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


class Counts(NamedTuple):
    """Counts of characters by class, one array per class, for leaves or for blocks.

    `unspaced` are letters of scripts without spaces between words, `ends` end sentences, `commas` are commas and colons, and
    `chars` all visible characters other than spaces. Of these, `linked` are in anchors and `shown` are in leaves that are not
    hidden, embedded or in controls.
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
    """Sums over the text in each element, `(n_elements,)` each; `linked_blocks` counts blocks that are mostly links."""

    chars: NDArray[np.float64]
    linked: NDArray[np.float64]
    ends: NDArray[np.float64]
    prose: NDArray[np.float64]
    blocks: NDArray[np.float64]
    linked_blocks: NDArray[np.float64]


class Surroundings(NamedTuple):
    """Names and tags of the blocks' ancestors as bits, `(n_blocks,)` int64 each.

    `any_names` are the groups of words in the names of the block's element and all its ancestors, `near_names` those of the
    nearest one that has any, both in the order of `Vocabulary.names`; `tags` are the `SPECIAL` tags and roles of all of them.
    """

    any_names: NDArray[np.int64]
    near_names: NDArray[np.int64]
    tags: NDArray[np.int64]


class BestContainer(NamedTuple):
    """The element with the highest prose score, and the score of every element (`PageBlocks.scores`)."""

    element: int
    score: NDArray[np.float64]


class PageBlocks:
    """The input of the groups of columns; quantities that several groups need are computed once.

    Elements here are only those of blocks and their ancestors, about a quarter of a page's, renumbered: `around` has their
    indices in the page. The root is its own parent.
    """

    def __init__(self, segmentation: Segmentation) -> None:
        self.document = segmentation.document
        self.leaves = self.document.leaves
        elements = self.document.elements
        in_page = np.maximum(segmentation.element, 0)
        before = np.zeros(len(elements) + 1, dtype=np.int64)
        before[in_page + 1] = 1
        before.cumsum(out=before)  # elements of blocks before each element
        is_around = before.take(elements.ends) > before[:-1]
        self.around = is_around.nonzero()[0]
        number = is_around.cumsum() - 1
        self.element = number.take(in_page)
        parent = elements.parent
        self.parents = number.take([0, *[parent[i] for i in self.around[1:].tolist()]])
        self.end = number.take(elements.ends.take(self.around) - 1) + 1
        self.parent = self.parents.take(self.element)
        self.grandparent = self.parents.take(self.parent)
        self.first = segmentation.first
        self.n = len(segmentation)
        self.order = np.arange(self.n)
        self.texts = segmentation.texts(range(self.n))
        starts = list(map(itemgetter(slice(_KEY_CHARS)), self.texts))
        if is_disguised(starts):
            starts = [as_seen(text[: 2 * _KEY_CHARS])[:_KEY_CHARS] for text in self.texts]
        self.keys = list(map(str.casefold, starts))
        self.bits = self.leaves.bits.take(self.first)
        self._by_leaf = self._count_leaves(segmentation.of_unit < 0)
        self.table = np.add.reduceat(self._by_leaf, self.first, axis=1)
        self.counts = Counts(*self.table)
        _, _, _, self.all_unspaced, *_, self.all_chars, self.all_linked, _ = np.add.reduce(self.table, axis=1).tolist()
        self.chars = np.maximum(self.counts.chars, 1)
        self.shares = Counts(*(self.table / self.chars))
        self.link = self.shares.linked
        self.log_chars = np.log1p(self.counts.chars)
        self.prose: NDArray[np.float64] = np.where(
            (self.chars >= MIN_PROSE) & (self.link < MAX_PROSE_LINKED), self.counts.shown, 0.0
        )
        self.all_prose = float(np.add.reduce(self.prose))

    def _count_leaves(self, outside: NDArray[np.bool_]) -> NDArray[np.float64]:
        bits = self.leaves.bits
        counts = np.empty((len(Counts._fields), len(bits)))
        counts[:9] = count_characters(self.leaves.texts, self.leaves.n_chars)
        counts[:9, outside.nonzero()[0]] = 0
        np.multiply(counts[8], (bits & int(Flag.IN_ANCHOR)) != 0, out=counts[9])
        np.multiply(counts[8], (bits & _NOT_SHOWN) == 0, out=counts[10])
        return counts

    @cached_property
    def title(self) -> str:
        """The page's visible title, case folded."""
        return " ".join(as_seen(self.document.title).casefold().split())

    @cached_property
    def names(self) -> list[Names]:
        """The names of each element."""
        return list(map(self.document.elements.names.__getitem__, self.around.tolist()))

    @cached_property
    def labels(self) -> NDArray[np.int64]:
        """A number for each element, equal for elements with the same tag and classes."""
        known: dict[str, int] = {}
        return np.array([known.setdefault(called.label, len(known)) for called in self.names])

    @cached_property
    def own_bits(self) -> list[int]:
        """The bits of each element's names (`_remember_bits`)."""
        found = list(map(_known_bits.get, self.names))
        return [
            _remember_bits(called) if bits is None else bits for called, bits in zip(self.names, found, strict=True)
        ]

    @cached_property
    def kind(self) -> NDArray[np.float64]:
        """The `KINDS` of the blocks' elements."""
        kind_of = KINDS.get
        kinds = np.array([kind_of(called.tag, 0) for called in self.names], dtype=np.float64)
        return kinds.take(self.element)

    @cached_property
    def last_heading(self) -> NDArray[np.int64]:
        """The index of the last heading at or before each block; -1 if there is none."""
        return np.maximum.accumulate(np.where(self.is_heading, self.order, -1))

    @cached_property
    def is_heading(self) -> NDArray[np.bool_]:
        """Whether a block is a heading."""
        return (self.kind >= 5) & (self.kind <= 7)

    @cached_property
    def terminal(self) -> NDArray[np.bool_]:
        """Whether a block ends like a sentence."""
        ends = map(itemgetter(slice(-1, None)), self.texts)
        return np.fromiter(map(_TERMINAL.__contains__, ends), dtype=np.bool_, count=self.n)

    @cached_property
    def depths(self) -> NDArray[np.float64]:
        """The number of ancestors of each element: the elements before it, minus those that have ended."""
        n = len(self.around)
        ended: NDArray[np.float64] = np.bincount(self.end, minlength=n)[:n].cumsum(dtype=np.float64)
        return np.arange(n) - ended

    @cached_property
    def depth(self) -> NDArray[np.float64]:
        """The number of ancestors of the blocks' elements."""
        return self.depths.take(self.element)

    def path(self, element: int) -> list[int]:
        """Return an element and its ancestors, innermost first."""
        found, parents = [element], self.parents
        while element:
            found.append(element := int(parents[element]))
        return found

    def common_depths(self, element: int) -> NDArray[np.int64]:
        """Return the depth of the deepest common ancestor of each block and an element."""
        path = self.path(element)
        begun = np.array(path[::-1]).searchsorted(self.element, side="right")
        ended = self.end[path].searchsorted(self.element, side="right")
        return np.minimum(begun, len(path) - ended) - 1

    def held_by(self, element: int) -> NDArray[np.bool_]:
        """Return which blocks are in an element."""
        inside: NDArray[np.bool_] = (self.element >= element) & (self.element < self.end[element])
        return inside

    @cached_property
    def of_elements(self) -> ElementCounts:
        """Sums over the text in each element."""
        sums, elements = np.zeros((len(ElementCounts._fields), len(self.leaves.texts) + 1)), self.document.elements
        leaf = sums[:, 1:]
        leaf[0], leaf[1], leaf[2] = self._by_leaf[8], self._by_leaf[9], self._by_leaf[4]
        leaf[3, self.first] = self.prose
        leaf[4, self.first] = 1
        leaf[5, self.first] = self.link > 0.5
        leaf.cumsum(axis=1, out=leaf)
        counts = sums.take(elements.leaf_ends.take(self.around), axis=1)
        counts -= sums.take(elements.leaf_starts.take(self.around), axis=1)
        return ElementCounts(*counts)

    def scores(self, prose: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each element the prose of its blocks plus half of its children's, times its share of unlinked text."""
        size = len(self.around)
        own, half = (
            np.bincount(self.parent, prose, minlength=size),
            np.bincount(self.grandparent, 0.5 * prose, minlength=size),
        )
        score: NDArray[np.float64] = (own + half) * self._unlinked
        return score

    @cached_property
    def _unlinked(self) -> NDArray[np.float64]:
        found: NDArray[np.float64] = 1 - np.minimum(self.of_elements.linked / np.maximum(self.of_elements.chars, 1), 1)
        return found

    @cached_property
    def best(self) -> BestContainer:
        """The element with the highest prose score."""
        score = self.scores(np.minimum(self.prose, MAX_PROSE_SCORE))
        return BestContainer(int(score.argmax()), score)

    @cached_property
    def surroundings(self) -> Surroundings:
        """The names and tags of the blocks' elements and their ancestors."""
        n_names = len(vocabulary().names)  # bits of tags are above those of names
        only_names = (1 << n_names) - 1
        around, near = [0], [0]  # for the parent of the root
        for parent, bits in zip([-1, *self.parents[1:].tolist()], self.own_bits, strict=True):
            around.append(around[parent + 1] | bits)
            near.append(bits & only_names or near[parent + 1])
        both = np.array(around, dtype=np.int64).take(self.element + 1)
        nearest = np.array(near, dtype=np.int64).take(self.element + 1)
        return Surroundings(both & only_names, nearest, both >> n_names)


@cache
def _character_bits() -> NDArray[np.uint8]:
    """Return for each code point which of the first eight `Counts` it adds to, one bit each."""
    every = np.arange(256)
    masks = ((0, Class.LETTER), (1, Class.DIGIT), (2, Class.SPACE), (3, UNSPACED), (7, Class.PUNCTUATION))
    of_class = sum(((every & mask.value) != 0) << place for place, mask in masks)
    classes = np.asarray(of_class, dtype=np.uint8).take(table())
    for place, marks in ((4, SENTENCE_ENDS), (5, _COMMAS)):
        classes[[ord(mark) for mark in marks]] |= 1 << place
    classes[[point for point in (*range(0x530), *range(0xFF21, 0xFF3B)) if chr(point).isupper()]] |= 1 << 6
    classes[invisible_points()] = _UNSEEN
    return classes


@cache
def _packed() -> NDArray[np.uint64]:
    """Return for each combination of bits the eight 8-bit counters packed into one number."""
    counters = (np.arange(256)[:, None] >> np.arange(8) & 1).astype(np.uint8)
    counters[_UNSEEN] = 0
    return counters.view(np.uint64).ravel()


def count_characters(texts: Sequence[str], lengths: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
    """Return the first nine `Counts` of non-empty texts with the given lengths: `(9, n_texts)`."""
    starts = lengths.cumsum() - lengths
    points = code_points("".join(texts))
    n_pieces = (lengths + (_PIECE - 1)) // _PIECE
    first = n_pieces.cumsum() - n_pieces
    at = (starts - _PIECE * first).repeat(n_pieces)
    at += _PIECE * np.arange(len(at))
    bits, counters = _character_bits().take(points), np.empty(len(at), dtype=np.uint64)
    for i in range(0, len(at), _PIECES):
        start, end = at[i], at[i + _PIECES] if i + _PIECES < len(at) else len(bits)
        packed = _packed().take(bits[start:end])
        np.add.reduceat(packed, at[i : i + _PIECES] - start, out=counters[i : i + _PIECES])
    out = np.empty((9, len(texts)))
    np.add.reduceat(counters.view(np.uint8).reshape(-1, 8).T.astype(np.float64), first, axis=1, out=out[:8])
    out[8] = lengths - out[2]
    if np.logical_or.reduce(unseen := bits == _UNSEEN):
        out[8] -= np.add.reduceat(unseen, starts, dtype=np.int64)
    return out


_known_bits: dict[Names, int] = {}


def _remember_bits(called: Names) -> int:
    """Return bits for the word groups in an element's names, and above them for its `SPECIAL` tag and role."""
    if len(_known_bits) > MAX_KNOWN:
        _known_bits.clear()
    special = _SPECIAL_BITS.get(called.tag, 0) | _ROLES.get(called.role, 0)
    words = " ".join(filter(None, (called.classes, called.id, called.itemprop)))
    bits = special << len(vocabulary().names) | name_bits(words)
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
    """Return the groups of the words in a part of a name; cached, because sites reuse names."""
    known = vocabulary().name_bits
    bits = 0
    for word in _NAMES.findall(part):
        bits |= known.get(word, 0)
    return bits
