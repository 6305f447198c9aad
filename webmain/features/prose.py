"""Counts that show how close a text is to prose, in any script: words, and the marks that separate phrases.

Scripts differ in how they mark phrases. European text has commas and full stops; Chinese and Japanese have their own; Thai,
Lao, Khmer and Burmese put a space where others put a comma, and none between words. If words are
counted per script and such spaces count as marks, prose has about one mark per six words in all of them.

Measured on paragraphs of 150 characters and more of two sets of gold texts (20,000 in 14 languages): half of them have .12 to
.21 marks per word, and 98 of 100 have .05 to .45, in every language.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webmain.text.characters import Class, classify, count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class ProseCounts:
    """Counts of several texts, one row each; they add up over the leaves of a block.

    Attributes
    ----------
    n_chars : (n_texts,) int32
        Unicode characters after white space is folded.
    n_words : (n_texts,) int32
        Words, estimated in scripts without spaces (`webmain.text.characters.Counts`).
    n_marks : (n_texts,) int32
        Punctuation, and each run of white space between two letters of Thai, Lao, Khmer or Burmese.
    """

    n_chars: NDArray[np.int32]
    n_words: NDArray[np.int32]
    n_marks: NDArray[np.int32]


def count_prose(texts: Sequence[str]) -> ProseCounts:
    """Return the numbers of characters, words and marks of each text.

    Parameters
    ----------
    texts : sequence of str
        For example the leaves of a page; white space folded (in preformatted text, a run of spaces still counts as one mark).
    """
    counts = count(texts)
    return ProseCounts(
        n_chars=counts.n_chars, n_words=counts.n_words, n_marks=counts.n_punctuation + _phrase_spaces(texts)
    )


def _phrase_spaces(texts: Sequence[str]) -> NDArray[np.int32]:
    """Return the number of white space runs between two letters of scripts that separate phrases by spaces."""
    spaces = np.zeros(len(texts), dtype=np.int32)
    candidates = [i for i, text in enumerate(texts) if not text.isascii()]
    if not candidates:
        return spaces
    joined = "\n".join(texts[i] for i in candidates)  # a break after each text
    classes = classify(joined)
    letter = (classes & Class.SOUTHEAST_ASIAN.value) != 0
    if not letter.any():
        return spaces
    points = np.flatnonzero((classes & Class.SPACE.value) == 0)  # what is not white space
    before, after = points[:-1], points[1:]
    parted = (after - before > 1) & letter[before] & letter[after]
    lengths = np.fromiter((len(texts[i]) + 1 for i in candidates), dtype=np.int64, count=len(candidates))
    ends = np.cumsum(lengths)
    text_of = np.searchsorted(ends, before[parted], side="right")
    same = text_of == np.searchsorted(ends, after[parted], side="right")
    spaces[candidates] = np.bincount(text_of[same], minlength=len(candidates))
    return spaces
