"""Columns of what stands in an article's own container and is none of it: pull quotes, promotion, boxes of authors."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from webmain.features.page_blocks import MAX_PROSE_LINKED
from webmain.html.columns import Flag
from webmain.metadata.head import head_metas, meta_names
from webmain.text.normal import as_seen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.features.page_blocks import PageBlocks
    from webmain.html.document import Document

    Named = dict[str, NDArray[Any]]

_FAR: Final = 60

_MARKS: Final = {"separators": "|•·/»›>→", "quotes": '"“”„«»「」', "exclaims": "!！"}
_MOST_MARKS: Final = 10
_FIELD: Final = 21
"""Bits of a counter: those of all groups of marks are added up at once."""

_MIN_CHARS: Final = 25
_MAX_QUOTED: Final = 300
_MAX_BLOCKS: Final = 1_000
_MAX_QUOTES: Final = 200
_MAX_CHARS: Final = 40_000
"""Characters of the longest blocks in which others are looked for."""

_PIECE: Final = 24
_UNSPACED_PIECE: Final = 10

_MAX_DATA: Final = 400_000
_MAX_HEAD_ELEMENTS: Final = 600
_MAX_AUTHORS: Final = 10
_MAX_NAME_CHARS: Final = 60
_NO_NAME = re.compile(r"[\d/]")
_AUTHOR = re.compile(r'"author"\s*+:\s*+(?:\[\s*+)?(?:\{[^{}]{0,400}?"name"\s*+:\s*+)?"([^"\\]{2,60})"')


def links_and_rules(page: PageBlocks) -> Named:
    """Return whether a rule stands before a block, and the links in it: "Read also: ..." ends with one."""
    leaves, tags = page.leaves, page.elements.tags
    rules = [page.elements.first_leaf[i] for i, tag in enumerate(tags) if tag == "hr"] if "hr" in tags else []
    passed = np.append(0, np.cumsum(np.bincount(rules, minlength=len(leaves) + 1)))
    ends_before = np.append(0, page.segmentation.end[:-1])
    linked = (leaves.bits & int(Flag.IN_ANCHOR)) != 0
    return {
        "rule_before": passed[page.first + 1] > passed[ends_before],
        "anchor_last": linked[page.segmentation.end - 1],
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
    """Return how much of a shorter block is in longer ones: a pull quote, or a summary, repeats the article.

    Two pieces of it are looked for, in the longest blocks of running text.
    """
    share = np.zeros(page.n)
    lengths = np.where(page.link < MAX_PROSE_LINKED, page.counts.chars, 0)
    longest = np.argsort(-lengths, kind="stable")[:_MAX_BLOCKS]
    longest = longest[lengths[longest] >= _MIN_CHARS]
    texts = [page.texts[block][:_MAX_CHARS].casefold() for block in longest.tolist()]
    all_text, end, n_quotes = "\n".join(texts)[:_MAX_CHARS], 0, 0
    for block, text in zip(longest.tolist(), texts, strict=True):
        n = len(text)
        width = _PIECE if " " in text else _UNSPACED_PIECE
        if width <= n < _MAX_QUOTED and n_quotes < _MAX_QUOTES:
            n_quotes += 1
            pieces = (text[at : at + width] for at in ((n - width) // 4, (n - width) * 3 // 4))
            share[block] = sum(all_text.find(piece, 0, end) >= 0 for piece in pieces) / 2
        end += n + 1
    return {"said_before": share}


def since_author(page: PageBlocks) -> Named:
    """Return the number of blocks since one that holds a name of the page's authors, as the page's data have them."""
    named = np.zeros(page.n, dtype=np.bool_)
    for name in _authors(page.document):
        named |= [name in key for key in page.keys]
    last = np.maximum.accumulate(np.where(named, page.order, -1))
    return {"since_author": np.where(last >= 0, np.minimum(page.order - last, _FAR), _FAR + 1)}


def _authors(document: Document) -> list[str]:
    """Return the names of authors in a page's head and data, case folded."""
    wanted = meta_names("authors")
    found = [content for _, name, content in head_metas(document, limit=_MAX_HEAD_ELEMENTS) if name in wanted]
    data, at = "".join(document.tree.data)[:_MAX_DATA], -1
    for _ in range(_MAX_AUTHORS):
        at = data.find('"author"', at + 1)
        if at < 0:
            break
        if match := _AUTHOR.match(data, at):
            found.append(match[1])
    names = [" ".join(as_seen(name).casefold().split()) for name in found[:_MAX_AUTHORS] if not _NO_NAME.search(name)]
    return sorted({name for name in names if (4 if name.isascii() else 1) < len(name) <= _MAX_NAME_CHARS})
