"""Characters of a page's leaves by what they are: one pass over one table, nine counts a leaf."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from webmain.text.characters import UNSPACED, Class, table

_ENDS: Final = ".!?。！？…।؟۔"
_COMMAS: Final = ",、，;；،؛:："
_FIELD: Final = 21
"""Bits of a counter; three stand in a number, so that three counts cost one addition."""


@cache
def _classes() -> NDArray[np.uint8]:
    """Return for each code point the bits of what it counts for (in the order of `_COUNTS`, but the last)."""
    base = table()
    classes = np.zeros(len(base), dtype=np.uint8)
    for place, mask in enumerate((Class.LETTER, Class.DIGIT, Class.SPACE, UNSPACED)):
        classes |= ((base & mask.value) != 0).astype(np.uint8) << place
    for place, marks in ((4, _ENDS), (5, _COMMAS)):
        classes[[ord(mark) for mark in marks]] |= 1 << place
    capitals = [point for point in range(0x530) if chr(point).isupper()]
    classes[capitals] |= 1 << 6
    classes |= ((base & Class.PUNCTUATION.value) != 0).astype(np.uint8) << 7
    return classes


@cache
def _packed() -> NDArray[np.uint64]:
    """Return for each combination of bits three numbers of three counters each, 21 bits a counter."""
    bits = np.arange(256)
    counters = np.column_stack([(bits >> place) & 1 for place in range(8)] + [(bits >> 2 & 1) ^ 1]).astype(np.uint64)
    shifts = np.array([0, _FIELD, 2 * _FIELD], dtype=np.uint64)
    packed: NDArray[np.uint64] = (counters.reshape(256, 3, 3) << shifts).sum(axis=2, dtype=np.uint64).T.copy()
    return packed


def count_leaves(texts: Sequence[str]) -> NDArray[np.float64]:
    """Count characters of each text by what they are; none is empty.

    Returns
    -------
    (9, n_texts) float64
        Letters, digits, white space, letters of scripts without spaces, sentence ends, commas and colons, capitals,
        punctuation, and characters that are no white space.
    """
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    starts = np.cumsum(lengths) - lengths
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    classes = _classes().take(points)
    mask = np.uint64((1 << _FIELD) - 1)
    out = np.empty((9, len(texts)))
    for group, packed in enumerate(_packed()):
        sums = np.add.reduceat(packed.take(classes), starts)
        for place in range(3):
            out[3 * group + place] = (sums >> np.uint64(place * _FIELD)) & mask
    return out
