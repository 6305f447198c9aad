"""Character classes in one table over all code points, so that array arithmetic counts many texts in one pass."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntFlag
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from webmain.clock import once
from webmain.text.normal import INVISIBLE, LATIN_LOOKALIKES

MEAN_WORD_LENGTH_SOUTHEAST_ASIAN = 4.8
"""Characters (letters and marks) in a Thai, Lao, Khmer or Burmese word: Thai news segmented by newmm has 4.8."""

MEAN_WORD_LENGTH_EAST_ASIAN = 1.7  # characters in a Chinese or Japanese word: news segmented by ICU has 1.7


class Class(IntFlag):
    """Classes of a code point; they can be combined, 0 is a symbol, a control character or unassigned."""

    LETTER = 1  # categories L and M, of any script
    DIGIT = 2  # category N
    SPACE = 4  # as in str.isspace
    PUNCTUATION = 8  # category P
    SOUTHEAST_ASIAN = 16  # a letter or mark of Thai, Lao, Khmer, Burmese
    EAST_ASIAN = 32  # a Han character or kana
    SPACED = 64  # a letter, mark or digit of a script with spaces between words
    JOINER = 128  # apostrophe or format character: between two SPACED characters, it doesn't end the word


UNSPACED = Class.SOUTHEAST_ASIAN | Class.EAST_ASIAN
_N_CODE_POINTS = 0x110000
FILE: Final = Path(__file__).with_name("characters.json")
"""The classes of all code points, as starts of runs. Made by `python tests/text/test_characters.py` from Python's Unicode
data, because computing it in each process takes too long."""


@once
def table() -> NDArray[np.uint8]:
    """Return the classes of every code point, as `(0x110000,) uint8` of `Class` bits; read once, read-only."""
    first, found = np.array(json.loads(FILE.read_bytes())["runs"]).T
    classes = np.repeat(found.astype(np.uint8), np.diff(first, append=_N_CODE_POINTS))
    classes.setflags(write=False)
    return classes


def _ranges(character_class: str) -> Iterator[tuple[int, int]]:
    """Yield the characters and ranges `a-b` in the inside of a character class."""
    for first, last in re.findall(r"(.)(?:-(.))?", character_class, re.DOTALL):
        yield ord(first), ord(last or first)


@once
def _lookalikes() -> NDArray[np.uint8]:
    """Return for each code point 1 if it is invisible or full-width, 2 for Latin letters, 4 for letters that look Latin."""
    kinds = np.zeros(_N_CODE_POINTS, dtype=np.uint8)
    kinds[invisible_points()] = 1
    for value, ranges in ((1, "\uff21-\uff3a\uff41-\uff5a"), (2, "A-Za-z"), (4, LATIN_LOOKALIKES)):
        for first, last in _ranges(ranges):
            kinds[first : last + 1] = value
    kinds.setflags(write=False)
    return kinds


def invisible_points() -> NDArray[np.int64]:
    """Return the invisible code points of no width, ascending."""
    return np.sort(np.concatenate([np.arange(first, last + 1) for first, last in _ranges(INVISIBLE)]))


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text: `(len(text),)`."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def is_disguised(texts: Sequence[str]) -> bool:
    """Return True if any text has letters that `webmain.text.normal.as_seen` changes; a hundred times faster."""
    text = "".join(texts)
    if text.isascii():
        return False
    points = code_points(text)
    if not (_lookalikes().take(points[points > 0x7F]) & 5).any():  # cheaper: most characters are ASCII
        return False
    kinds = _lookalikes().take(points)
    return bool((kinds == 1).any() or (kinds[1:] | kinds[:-1] == 6).any())


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Counts of several texts, one row each; sums over rows are the counts of the texts together.

    (But for the space that would be between two texts, and the rounding where words are estimated.)
    """

    n_chars: NDArray[np.int32]  # `(n_texts,)`, Unicode characters after white space is folded
    # `(n_texts,)`, runs of letters, marks and digits, an apostrophe inside a word not ending it; plus, for
    # scripts without spaces, an estimate: their letters divided by the mean length of a word (`MEAN_WORD_LENGTH_...`),
    # rounded, at least one if there are any. `webmain.text.words` segments them properly, at a hundred times the cost.
    n_words: NDArray[np.int32]
    n_punctuation: NDArray[np.int32]  # `(n_texts,)`, characters of Unicode's category P


def classify(text: str) -> NDArray[np.uint8]:
    """Return the class of each character of a text, as `(len(text),) uint8` of `Class` bits."""
    return table()[code_points(text)]


def count(texts: Sequence[str]) -> Counts:
    """Count characters, words and punctuation of each text.

    `texts`: the leaves of a page, say; empty texts have zeros.

    Returns three columns of `len(texts)` rows.
    """
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    columns = np.zeros((3, len(texts)), dtype=np.int32)
    filled = np.flatnonzero(lengths)
    if filled.size:
        classes = classify("".join(texts))
        starts = (np.cumsum(lengths) - lengths)[filled]
        punctuation = _total((classes & Class.PUNCTUATION.value) != 0, starts)
        columns[:, filled] = _characters(classes, starts), _words(classes, starts), punctuation
    return Counts(n_chars=columns[0], n_words=columns[1], n_punctuation=columns[2])


def _total(mask: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the number of true values of each text; `starts` are the offsets of texts that aren't empty."""
    return np.add.reduceat(mask, starts, dtype=np.int32)


def _run_starts(mask: NDArray[np.bool_], starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the first character of each run of true values; a run ends with its text."""
    before = np.zeros_like(mask)
    before[1:] = mask[:-1]
    before[starts] = False
    return mask & ~before


def _characters(classes: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the number of characters after white space is folded: all others, and one space between two runs of them."""
    visible = (classes & Class.SPACE.value) == 0
    n_gaps = _total(_run_starts(visible, starts), starts) - 1
    return _total(visible, starts) + np.maximum(n_gaps, 0)


def _words(classes: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Count the words of spaced scripts and estimate those of the others."""
    inside = (classes & Class.SPACED.value) != 0
    joined = np.zeros_like(inside)
    joined[1:-1] = ((classes[1:-1] & Class.JOINER.value) != 0) & inside[:-2] & inside[2:]
    joined[starts] = False
    joined[starts[1:] - 1] = False  # a joiner at the end of a text does not join it to the next
    n_words = _total(_run_starts(inside | joined, starts), starts)
    for script, mean_length in (
        (Class.SOUTHEAST_ASIAN.value, MEAN_WORD_LENGTH_SOUTHEAST_ASIAN),
        (Class.EAST_ASIAN.value, MEAN_WORD_LENGTH_EAST_ASIAN),
    ):
        letters = (classes & script) != 0
        if letters.any():
            n_letters = _total(letters, starts)
            n_words += np.maximum(np.rint(n_letters / mean_length), n_letters > 0).astype(np.int32)
    return n_words
