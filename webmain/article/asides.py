"""Drop kept text that is not running text: entry labels, ratings, nutrients, notes about senders, pull quotes."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain import languages
from webmain.clock import once
from webmain.extractors.page_types import page_type
from webmain.html.columns import HIDDEN, Elements, Flag, Leaves
from webmain.html.visible_text import CELLS, CODE, HEADINGS
from webmain.regex import lazy
from webmain.text.normal import SENTENCE_ENDS, fold_space
from webmain.urls import join, normalise, site_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from webmain.html.document import Document

MIN_ENTRIES: Final = 2
"""Minimum number of `time` elements with a few words at most that count as labels of entries."""

MAX_LABEL_CHARS: Final = 80
MAX_LABEL_WORDS: Final = 5
"""Maximum words next to the time in an entry's label."""

MAX_RATING_CHARS: Final = 160
MAX_BOX_CHARS: Final = 600
"""Maximum characters of an element with nutrients."""

MAX_BOX_LEAVES: Final = 120
MIN_NUMBERS: Final = 2
"""Minimum numbers in an element with nutrients."""

MAX_SENDER_SHARE: Final = 1 / 3
MAX_SENDER_CHARS: Final = 2_500
"""A sender's note about itself is at most this share of a text, and at most this many characters."""

DISCLOSED_WITHIN: Final = (8, 2)
MAX_DISCLOSURE_CHARS: Final = 400
"""A note that links earn money is at most this long, and among so many blocks at the beginning or at the end."""

MIN_QUOTE_LETTERS: Final = 15
MAX_QUOTE_CHARS: Final = 300
MAX_QUOTES: Final = 60
"""Maximum candidates for pull quotes; with more, none is searched for, since each costs a pass over the text."""

MIN_COPIED_SHARE: Final = 0.25
MIN_COPIED_BLOCKS: Final = 3
MIN_COPIED_CHARS: Final = 200
"""A text shown twice repeats at least this share of it, and as many blocks or characters, from one of the first blocks on."""

MAX_CAPTIONS_SHARE: Final = 1 / 3
_NAME_LETTERS: Final = 10
"""Letters of a sender's name that have to begin its note about itself."""

_NAME_WITHIN: Final = 40
_MAX_DEPTH: Final = 6
_TAGS_OF_KINDS: Final = frozenset({*CELLS, *HEADINGS, *CODE, "li", "dt", "dd", "figcaption", "caption", "blockquote"})
"""Tags that define the kind of their text."""

_APART: Final = frozenset(("aside", "figure"))
_BOLD: Final = frozenset({*HEADINGS, "b", "strong"})
_BOXES: Final = frozenset(("div", "section", "span"))
_QUOTE_MARKS: Final = frozenset('"“”„«»‹›‘‚「『')
_SENTENCE_ENDS: Final = tuple(SENTENCE_ENDS)
_NO_LETTER = lazy(r"[\W_]+")
_LEFT_OUT = lazy(r"…|\.{3}")


@dataclass(eq=False, slots=True)
class Block:
    """A paragraph of kept text: its leaves, its number of characters, and its number of characters in links."""

    runs: Leaves
    leaves: list[int]
    n_chars: int
    n_linked: int

    @property
    def text(self) -> str:
        """The text on one line."""
        return fold_space(self.runs.text(self.leaves))


Rule = Callable[["Document", list[Block]], "Iterable[list[int]]"]
"""Returns the leaves of each block to drop."""


@once
def _lines() -> re.Pattern[str]:
    """Return the pattern of lower-case lines about nutrients or ratings, or that link to the recipe on the page."""
    known = languages.known()
    ratings = rf"(?P<rating>[\W\d_]*+(?:{known.either('ratings')}[\W\d_]*+)+\Z)"
    return re.compile(rf"{ratings}|[\W_]{{0,3}}+{known.either('nutrients')}")


@once
def _disclosing() -> dict[str, list[list[str]]]:
    """Return the parts of notes that links earn money, by the last part."""
    notes: dict[str, list[list[str]]] = {}
    for note in languages.known().words("disclosures"):
        *before, last = note.split(" … ")
        notes.setdefault(last, []).append(before)
    return notes


@once
def _senders() -> re.Pattern[str]:
    known = languages.known()
    return re.compile(rf"\W{{0,3}}(?:{known.either('senders')}|{known.either('about')}(?P<name>.+))\W*")


def drop_asides(document: Document, kept: NDArray[np.bool_], *, others: Iterable[Rule] = ()) -> None:
    """Remove from `kept` the leaves that are not running text.

    Parameters
    ----------
    document : Document
    kept : (n_leaves,) bool
        Changed in place. A time with a few words stays if it is the only one, or in a forum; ratings stay in lists, tables
        and headings; quotes stay if marked up as quotations, or if their text is nowhere else.
    others : iterable of Rule
        Rules applied first; each rule sees what the ones before it left.
    """
    blocks = _blocks(document.leaves, kept)
    own = (_named_captions, _second_copies, _entry_labels, _ratings_and_nutrients, _disclosures, _sender, _pull_quotes)
    for rule in (_next_articles, *others, *own):
        if dropped := [i for leaves in rule(document, blocks) for i in leaves]:
            kept[dropped] = False
            gone = set(dropped)
            blocks = [block for block in blocks if block.leaves[0] not in gone]


def _blocks(leaves: Leaves, kept: NDArray[np.bool_]) -> list[Block]:
    chosen = np.flatnonzero(kept & ~leaves.has(HIDDEN))
    if not len(chosen):
        return []
    unit, n_chars = leaves.unit[chosen], leaves.n_chars[chosen]
    starts = np.concatenate(([0], np.flatnonzero(unit[1:] != unit[:-1]) + 1))
    n_linked = np.add.reduceat(n_chars * leaves.has(Flag.IN_ANCHOR)[chosen], starts).tolist()
    lengths, members, bounds = np.add.reduceat(n_chars, starts).tolist(), chosen.tolist(), starts.tolist()
    groups = itertools.pairwise([*bounds, len(members)])
    return [Block(leaves, members[a:b], n, linked) for (a, b), n, linked in zip(groups, lengths, n_linked, strict=True)]


def at_ends(blocks: list[Block], first: int, last: int) -> list[Block]:
    """Return the first blocks and the last ones, each once."""
    return blocks[:first] + blocks[first:][-last:]


def has_own_kind(document: Document, block: Block) -> bool:
    """Return True if a block is in an element whose tag defines the kind of its text."""
    return not _TAGS_OF_KINDS.isdisjoint(tags_around(document, block))


def tags_around(document: Document, block: Block, *, most: int = _MAX_DEPTH) -> list[str]:
    """Return the tags of the innermost elements that a block is in."""
    elements = document.elements
    return [elements.tags[e] for e in elements.ancestors(document.leaves.element[block.leaves[0]])[:most]]


def _next_articles(document: Document, blocks: list[Block]) -> Iterator[list[int]]:
    """Yield the leaves of articles below the page's own, as pages without an end show them.

    They are in elements alike, each with the address of its article in the same attribute: `data-url`.
    """
    own = normalise(document.url or "")
    if not own:
        return
    elements, parent, base = document.elements, document.elements.parent, document.base_url
    around: set[int] = set()
    for block in blocks:
        element = document.leaves.element[block.leaves[0]]
        while element >= 0 and element not in around:
            around.add(element)
            element = parent[element]
    end_of_own: dict[tuple[str, str], int] = {}
    others: set[int] = set()
    beyond = 0  # elements are in document order: leaves before this one are in the set if they belong there
    for index, attributes in zip(chosen := sorted(around), elements.attributes_of(chosen), strict=True):
        for name, value in attributes.items():
            if not (name.startswith("data-") and value and "/" in value and (url := join(base, value))):
                continue
            alike = (elements.tags[index], name)
            if (url := normalise(url)) == own:
                end_of_own.setdefault(alike, elements.end_leaf[index])
            elif document.site == site_key(url or "") and elements.first_leaf[index] >= end_of_own.get(alike, 1 << 30):
                others.update(range(max(elements.first_leaf[index], beyond), elements.end_leaf[index]))
                beyond = max(beyond, elements.end_leaf[index])
    yield from (block.leaves for block in blocks if block.leaves[0] in others)


def _second_copies(document: Document, blocks: list[Block]) -> Iterator[list[int]]:
    """Yield the leaves of consecutive blocks that repeat the beginning of the text: pages show it again to be printed.

    Of two blocks one may be missing in the copy.
    """
    first: dict[str, int] = {}
    copies: list[int] = []
    lengths = [block.n_chars for block in blocks]
    least = MIN_COPIED_SHARE * sum(lengths)
    if sum(lengths) - sum(set(lengths)) < least:
        return  # the common case
    for i, block in enumerate([*blocks, None]):
        at = first.setdefault(block.text, i) if block else i
        if copies:
            if at < i and 0 < at - first[blocks[copies[-1]].text] <= 2:
                copies.append(i)
                continue
            n_chars = sum(lengths[k] for k in copies)
            if n_chars >= least and (len(copies) >= MIN_COPIED_BLOCKS or n_chars >= MIN_COPIED_CHARS):
                yield from (blocks[k].leaves for k in copies)
        copies = [i] if at < min(i, MIN_COPIED_BLOCKS) else []


def _entry_labels(document: Document, blocks: list[Block]) -> list[list[int]]:
    """Return the leaves of each entry label, a `time` with a few words at most above some text, if there are several."""
    elements, texts = document.elements, document.leaves.texts
    times = elements.of_tags(("time",))
    if len(times) < MIN_ENTRIES:
        return []
    points = [i for i in times if not (elements.attributes[i].get("datetime") or "").startswith("P")]  # no durations
    timed = {leaf for span in _spans(elements, points) for leaf in range(*span)}
    found = set()
    for i, block in enumerate(blocks):
        if block.n_chars <= MAX_LABEL_CHARS and not timed.isdisjoint(block.leaves):
            n_words = sum(len(texts[k].split()) for k in block.leaves if k not in timed)
            if n_words <= MAX_LABEL_WORDS and not has_own_kind(document, block):
                found.add(i)
    labels = [blocks[i].leaves for i in sorted(found) if i + 1 < len(blocks) and i + 1 not in found]
    if len(labels) < MIN_ENTRIES:  # count those that were not kept, too
        labels = [label for label in labels if _times_alike(document, label) >= MIN_ENTRIES]
    return labels if labels and page_type(document).name != "forum" else []


def _times_alike(document: Document, label: list[int]) -> int:
    """Return how many `time` elements have the same classes, and parents' classes, as that of an entry's label."""
    elements = document.elements
    times = {
        i: tuple(elements.attributes[e].get("class") for e in (i, elements.parent[i]) if e >= 0)
        for i in elements.of_tags(("time",))
    }
    counts = Counter(name for name in times.values() if any(name))
    return max((counts[times[e]] for k in label if (e := document.leaves.element[k]) in times), default=0)


def _ratings_and_nutrients(document: Document, blocks: list[Block]) -> Iterator[list[int]]:
    """Yield the leaves of lines about ratings, and of elements that begin with a word for nutrients and contain numbers."""
    texts = document.leaves.texts
    for block in blocks:
        if block.n_chars > MAX_RATING_CHARS or not (line := _lines().match(block.text.lower())):
            continue
        if line["rating"]:
            if not has_own_kind(document, block):
                yield block.leaves
        elif block.n_chars <= MAX_LABEL_CHARS:
            first, end = _box_below(document, block)
            if not 0 < end - first <= MAX_BOX_LEAVES or sum(map(len, texts[first:end])) > MAX_BOX_CHARS:
                continue
            if len(re.findall(r"\d+", " ".join(texts[block.leaves[-1] + 1 : end]))) >= MIN_NUMBERS:
                yield list(range(first, end))


def _box_below(document: Document, block: Block) -> tuple[int, int]:
    """Return the range of leaves of the lowest element that begins with a block and contains more."""
    elements, element = document.elements, document.leaves.element[block.leaves[0]]
    while element >= 0 and elements.end_leaf[element] <= block.leaves[-1] + 1:
        element = elements.parent[element]
    if element < 0 or elements.first_leaf[element] != block.leaves[0]:
        return 0, 0
    return elements.first_leaf[element], elements.end_leaf[element]


def _disclosures(document: Document, blocks: list[Block]) -> Iterator[list[int]]:
    """Yield the leaves of notes that links earn money: "This post contains affiliate links"."""
    for block in at_ends(blocks, *DISCLOSED_WITHIN):
        text = block.text.lower() if block.n_chars <= MAX_DISCLOSURE_CHARS else ""
        ends = [end for end in _disclosing() if end in text]
        if any(_is_in_order((*before, end), text) for end in ends for before in _disclosing()[end]):
            yield block.leaves


def _is_in_order(parts: Iterable[str], text: str) -> bool:
    for part in parts:
        _, found, text = text.partition(part)
        if not found:
            return False
    return True


def _sender(document: Document, blocks: list[Block]) -> Iterator[list[int]]:
    """Yield the leaves at the end of a press release, from the sender's note about itself on.

    It begins with a heading or bold line for the press, or "About NAME" above a paragraph that begins with the name.
    """
    limit = min(MAX_SENDER_CHARS, MAX_SENDER_SHARE * sum(block.n_chars for block in blocks))
    n_chars, start = 0, len(blocks)
    for i in range(len(blocks) - 1, 0, -1):
        n_chars += blocks[i].n_chars
        if n_chars > limit:
            break
        leaves, breaks = blocks[i].leaves, document.leaves.breaks
        first = next((k for k in range(1, len(leaves)) if breaks[leaves[k]]), len(leaves))  # leaves of the first line
        label = fold_space(document.leaves.text(leaves[:first])) if first <= _MAX_DEPTH else ""
        if not label or len(label) > MAX_LABEL_CHARS or label.endswith(_SENTENCE_ENDS):
            continue
        found = _senders().fullmatch(label.lower())
        if found and not _BOLD.isdisjoint(tags_around(document, blocks[i])):
            name = _letters(found["name"] or "")[:_NAME_LETTERS]
            below = leaves[first:] or (blocks[i + 1].leaves if i + 1 < len(blocks) else [])
            following = document.leaves.text(below[:_MAX_DEPTH])[:_NAME_WITHIN]
            if not found["name"] or (name and name in _letters(following)):
                start = i
    yield from (block.leaves for block in blocks[start:])


def _named_captions(document: Document, blocks: list[Block]) -> list[list[int]]:
    """Return captions of Naver and Sina if they are a small part; a style sheet puts them on lines of their own."""
    names, leaves = document.elements.names, document.leaves
    named = [i for block in blocks for i in block.leaves if "img_desc" in names[leaves.element[i]].classes]
    most = MAX_CAPTIONS_SHARE * sum(block.n_chars for block in blocks) if named else 0
    return [named] if leaves.n_chars[named].sum() <= most else []


def _pull_quotes(document: Document, blocks: list[Block]) -> Iterator[list[int]]:
    """Yield the leaves of short blocks set apart from the text whose words all occur, in order, in one block of the text."""
    short = [
        i
        for i in _quote_candidates(document, blocks)
        if blocks[i].n_chars <= MAX_QUOTE_CHARS and _is_set_apart(document, blocks[i])
    ]
    if not 0 < len(short) <= MAX_QUOTES:
        return
    apart = set(short)
    text = "\n".join(_letters(document.leaves.text(b.leaves)) for i, b in enumerate(blocks) if i not in apart)
    for i in short:
        parts = [part for part in map(_letters, _LEFT_OUT.split(blocks[i].text)) if part]
        if sum(map(len, parts)) >= MIN_QUOTE_LETTERS and _are_in(text, parts):
            yield blocks[i].leaves


def _quote_candidates(document: Document, blocks: list[Block]) -> list[int]:
    """Return the ascending indices of blocks after the first in an aside or figure or beginning with a quotation mark."""
    elements, texts = document.elements, document.leaves.texts
    starts = [block.leaves[0] for block in blocks]
    found = {i for i, leaf in enumerate(starts) if texts[leaf].lstrip()[:1] in _QUOTE_MARKS}
    for first, end in _spans(elements, elements.of_tags(_APART)):
        found.update(range(bisect_left(starts, first), bisect_left(starts, end)))
    return sorted(found - {0})


def _spans(elements: Elements, chosen: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the half-open leaf ranges of the given elements, ascending, without elements inside other given ones."""
    end = 0
    for i in chosen:
        if elements.end_leaf[i] > end:
            end = elements.end_leaf[i]
            yield elements.first_leaf[i], end


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text).casefold()


def _are_in(text: str, parts: list[str]) -> bool:
    """Return True if a line of a text contains the parts in order, and more; only the first match of `parts[0]` is tried."""
    before, found, after = text.partition(parts[0])
    first, rest = before.rpartition("\n")[2], after.partition("\n")[0]
    n_more = len(first) + len(rest)
    for part in parts[1:]:
        _, same, rest = rest.partition(part)
        if not same:
            return False
    return bool(found) and n_more > sum(map(len, parts[1:]))


def _is_set_apart(document: Document, block: Block) -> bool:
    """Return True if a block is set apart: in an aside or a figure, or in quotation marks in its own block element."""
    if has_own_kind(document, block):
        return False
    if not _APART.isdisjoint(tags_around(document, block)):
        return True
    elements, leaves = document.elements, document.leaves
    box = leaves.box[block.leaves[0]]
    if elements.tags[box] == "p":
        box = elements.parent[box]
    is_own = box >= 0 and (elements.first_leaf[box], elements.end_leaf[box]) == (block.leaves[0], block.leaves[-1] + 1)
    return is_own and elements.tags[box] in _BOXES and block.text[:1] in _QUOTE_MARKS
