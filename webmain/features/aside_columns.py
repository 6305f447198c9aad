"""Columns of what stands in an article's own container and is none of it: pull quotes, promotion, boxes of authors."""

from __future__ import annotations

import re
from functools import cache
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webmain.features.page_blocks import MAX_PROSE_LINKED
from webmain.html.columns import Flag
from webmain.metadata.head import head_metas
from webmain.text.normal import as_seen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.page_blocks import PageBlocks
    from webmain.html.document import Document

    Named = dict[str, NDArray[Any]]

_BETWEEN: Final = {"img": 0, "picture": 0, "figure": 0, "svg": 0, "hr": 1, "script": 2, "ins": 2}
_FAR: Final = 60

_MARKS: Final = {"separators": "|•·/»›>→", "quotes": '"“”„«»「」', "exclaims": "!！"}
_MOST_MARKS: Final = 10
_FIELD: Final = 21
"""Bits of a counter: those of all groups of marks are added up at once."""

_MIN_CHARS: Final = 25
_MAX_QUOTED: Final = 300
_MAX_BLOCKS: Final = 2_000
_MAX_CHARS: Final = 20_000
"""Characters of a block, and blocks of a page, that are looked for in shorter blocks."""

_RUN_WORDS: Final = 4
_RUN_CHARS: Final = 10

_MAX_DATA: Final = 400_000
_MAX_HEAD_ELEMENTS: Final = 600
_MAX_AUTHORS: Final = 10
_MAX_NAME_CHARS: Final = 60
_AUTHOR_METAS: Final = frozenset(("author", "article:author", "parsely-author", "sailthru.author", "dc.creator", "byl"))
_AUTHOR = re.compile(r'"author"\s*+:\s*+(?:\[\s*+)?(?:\{[^{}]{0,400}?"name"\s*+:\s*+)?"([^"\\]{2,60})"')


def between(page: PageBlocks) -> Named:
    """Return the pictures, rules and scripts between a block and its neighbours, and whether a block ends with a link."""
    leaves, elements, segmentation = page.leaves, page.elements, page.segmentation
    starts: tuple[list[int], ...] = ([], [], [])
    for element in compress(range(len(elements)), map(_BETWEEN.__contains__, elements.tags)):
        starts[_BETWEEN[elements.tags[element]]].append(elements.first_leaf[element])
    ends_before = np.append(0, segmentation.end[:-1])
    found: Named = {}
    for name, of_leaf in zip(("picture", "rule", "script"), starts, strict=True):
        passed = np.append(0, np.cumsum(np.bincount(of_leaf, minlength=len(leaves) + 1)))
        found[f"{name}_before"] = np.clip(passed[page.first + 1] - passed[ends_before], 0, 3)
    found["picture_after"] = np.append(found["picture_before"][1:], 0)
    linked = (leaves.bits & int(Flag.IN_ANCHOR)) != 0
    return found | {
        "anchor_last": linked[segmentation.end - 1],
        "linked_leaves": np.minimum(np.add.reduceat(linked, page.first, dtype=np.int64), 20),
        "unlinked": np.log1p(page.counts.chars - page.counts.linked),
    }


def marks(page: PageBlocks) -> Named:
    """Return the marks that running text has few of, and whether there is an address of mail or a handle (@)."""
    texts = page.texts
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=page.n) + 1
    points = np.frombuffer("\n".join([*texts, ""]).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    packed = _packed_marks().take(np.minimum(points, 0xFFFF))
    sums = np.add.reduceat(packed, np.cumsum(lengths) - lengths)
    mask = np.uint64((1 << _FIELD) - 1)
    return {
        name: np.minimum((sums >> np.uint64(place * _FIELD)) & mask, _MOST_MARKS) for place, name in enumerate(_MARKS)
    } | {"has_at": np.array(["@" in key for key in page.keys])}


@cache
def _packed_marks() -> NDArray[np.uint64]:
    """Return for each code point what it adds to the counters."""
    packed = np.zeros(0x10000, dtype=np.uint64)
    for place, characters in enumerate(_MARKS.values()):
        packed[[ord(character) for character in characters]] += np.uint64(1 << place * _FIELD)
    return packed


def said_before(page: PageBlocks) -> Named:
    """Return how much of a block, of its runs of words, is in longer ones: a pull quote, or a summary, repeats the article.

    Of the longer ones every fourth run is known, so that a quoted block has about a fourth of its own among them.
    """
    share = np.zeros(page.n)
    known: set[object] = set()
    lengths = np.where(page.link < MAX_PROSE_LINKED, page.counts.chars, 0)
    longest = np.argsort(-lengths, kind="stable")[:_MAX_BLOCKS]
    for block in longest[lengths[longest] >= _MIN_CHARS].tolist():
        text = page.texts[block][:_MAX_CHARS].casefold()
        units: list[str] | str = text.split()
        width = _RUN_WORDS
        if len(text) > 12 * len(units):  # no spaces between words
            units, width = text, _RUN_CHARS
        n_runs = len(units) - width + 1
        if n_runs > 0 and len(text) < _MAX_QUOTED:
            runs = zip(*(units[i:] for i in range(width)))  # noqa: B905
            share[block] = width * len(known.intersection(runs)) / n_runs
        known.update(zip(*(units[i::width] for i in range(width))))  # noqa: B905
    return {"said_before": np.minimum(share, 1)}


def since_author(page: PageBlocks) -> Named:
    """Return the number of blocks since one that holds a name of the page's authors, as the page's data have them."""
    named = np.zeros(page.n, dtype=np.bool_)
    for name in _authors(page.document):
        named |= [name in key for key in page.keys]
    last = np.maximum.accumulate(np.where(named, page.order, -1))
    return {"since_author": np.where(last >= 0, np.minimum(page.order - last, _FAR), _FAR + 1)}


def _authors(document: Document) -> list[str]:
    """Return the names of authors in a page's head and data, case folded."""
    found = [content for _, name, content in head_metas(document, limit=_MAX_HEAD_ELEMENTS) if name in _AUTHOR_METAS]
    data, at = "".join(document.tree.data)[:_MAX_DATA], -1
    for _ in range(_MAX_AUTHORS):
        at = data.find('"author"', at + 1)
        if at < 0:
            break
        if match := _AUTHOR.match(data, at):
            found.append(match[1])
    names = [" ".join(as_seen(name).casefold().split()) for name in found[:_MAX_AUTHORS] if "/" not in name]
    return sorted({name for name in names if (4 if name.isascii() else 1) < len(name) <= _MAX_NAME_CHARS})
