"""Shingles and MinHash signatures, for finding nearly identical texts.

Words of spaced scripts give shingles of three words, letters of unspaced scripts shingles of five characters; a text of
both gives both, so that no threshold on the mixture is needed. Case, punctuation and white space make no difference.

All shingles of a text are hashed at once, by array arithmetic over its code points. A word's hash is the sum of its mixed
code points, each times a number that depends on its position in the word; a shingle's hash is made of its words' hashes in
the same way. Unsigned 64-bit arithmetic makes the results the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from webmain.text.characters import UNSPACED, Class, code_points, table
from webmain.text.normal import compose, fold_case, is_plain, strip_invisible

SIGNATURE_VERSION = 2
"""Increase it whenever the same text gives another signature (shingles, seed, library); it is stored with the bands."""

SHINGLE_WORDS = 3
SHINGLE_CHARS = 5
N_PERMUTATIONS = 128
SEED = 42
MAX_CHARS = 1_000_000  # characters at the start of a text that are shingled
_MAX_PLACES = 64  # number of positions in a word with different factors; the factors then repeat

_LENGTH = 5_000_000  # above all code points: marks the number of items in a shingle that is too short

_Hashes = NDArray[np.uint64]

Signature = tuple[int, ...]  # `N_PERMUTATIONS` unsigned 32-bit integers; empty for a text without letters and digits


def _folded(text: str) -> str:
    """Return the part of a text that is shingled, folded for comparing."""
    text = text[:MAX_CHARS]
    return fold_case(text if is_plain(text) else compose(strip_invisible(text))).replace("_", " ")


def signature(text: str) -> Signature:
    """Return the MinHash signature of a text's shingles.

    Signatures are equal for texts with equal shingles, on every machine and in every process. A text without letters
    and digits has the empty signature, which matches no other.
    """
    from rensa import RMinHash

    hashes = shingle_hashes(_folded(text), words=SHINGLE_WORDS, chars=SHINGLE_CHARS)
    if not hashes.size:
        return ()
    sketch = RMinHash.digest_matrix_from_flat_token_hashes(hashes, [0, hashes.size], num_perm=N_PERMUTATIONS, seed=SEED)
    return tuple(sketch.to_rows()[0])


def jaccard(first: Sequence[int], second: Sequence[int]) -> float:
    """Estimate the Jaccard similarity of two texts' shingles from their signatures.

    Raises ValueError if the signatures have different lengths.

    Returns the share of equal positions, in [0, 1], with a standard error of at most 0.045; 0.0 if either is empty.
    """
    if not first or not second:
        return 0.0
    if len(first) != len(second):
        raise ValueError(f"signatures of {len(first)} and {len(second)} rows cannot be compared")
    return sum(map(int.__eq__, first, second)) / len(first)


def shingle_hashes(folded: str, *, words: int, chars: int) -> _Hashes:
    """Return the hash of each shingle of a text.

    `folded`: a text whose case is folded already, in NFC. `words, chars`: length of the shingles in spaced scripts, in
    words, and in unspaced ones, in letters.

    Returns `(n_shingles,) uint64`, with repetitions: shingles of words first, in the order of the text. Empty for a text
    without letters and digits.
    """
    points = code_points(folded)
    classes = table()[points]
    return np.concatenate(
        (
            _windows(_word_hashes(points, (classes & Class.SPACED.value) != 0), words, salt=1),
            _windows(_mix(points[(classes & UNSPACED.value) != 0].astype(np.uint64)), chars, salt=2),
        )
    )


def _word_hashes(points: NDArray[np.uint32], inside: NDArray[np.bool_]) -> _Hashes:
    """Return the hash of each run of characters inside words."""
    places = inside.nonzero()[0]
    if not places.size:
        return np.empty(0, dtype=np.uint64)
    begins = np.ones(places.size, dtype=np.bool_)
    np.not_equal(places[1:], places[:-1] + 1, out=begins[1:])
    first = begins.nonzero()[0]  # of each word, among the places
    in_word = np.arange(places.size) - first[begins.cumsum() - 1]
    weighted = _mix(points[places].astype(np.uint64)) * _weights()[in_word % _MAX_PLACES]
    return _mix(np.add.reduceat(weighted, first))


def _windows(items: _Hashes, size: int, *, salt: int) -> _Hashes:
    """Return the hash of each run of `size` items, or of all items if there are fewer."""
    if not items.size:
        return items
    actual = min(size, items.size)
    n_windows = items.size - actual + 1
    total = np.full(n_windows, _LENGTH * salt + actual, dtype=np.uint64)
    for place in range(actual):
        total += items[place : place + n_windows] * _weights()[place]
    return _mix(total)


@cache
def _weights() -> _Hashes:
    """Return odd factors, one for each position in a word."""
    return _mix(np.arange(1, _MAX_PLACES + 1, dtype=np.uint64)) | np.uint64(1)


_MIXING = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)


def _mix(values: _Hashes) -> _Hashes:
    """Spread each number over all 64 bits (the finalizer of splitmix64: Steele, Lea and Flood 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in _MIXING:
        values ^= values >> shift
        values *= factor
    values ^= values >> np.uint64(31)
    return values
