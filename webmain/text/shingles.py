"""Shingles and MinHash signatures: what tells that two texts are nearly the same.

Words of spaced scripts give shingles of three words, letters of unspaced scripts shingles of five characters; a text of
both gives both, so that there is no threshold on the mixture to flip over. Case, punctuation and white space make no
difference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from webmain.text.normal import compose, fold_case, is_plain, strip_invisible
from webmain.text.scripts import UNSPACED, unspaced_runs

SIGNATURE_VERSION = 2
"""Raise it whenever the same text gives another signature (shingles, seed, library): store it beside the bands."""

SHINGLE_WORDS = 3
SHINGLE_CHARS = 5
N_PERMUTATIONS = 128
N_BANDS = 32
ROWS_PER_BAND = 4
SEED = 42
NEAR_DUPLICATE = 0.5
"""Estimated Jaccard similarity from which a candidate that shares a band is a near-duplicate."""

MAX_CHARS = 1_000_000
"""Characters at the start of a text that are shingled."""

Signature = tuple[int, ...]
"""`N_PERMUTATIONS` unsigned 32-bit integers; empty for a text without letters and digits."""


def shingles(text: str) -> set[str]:
    """Return a text's shingles.

    Parameters
    ----------
    text : str
        Any text; what stands beyond `MAX_CHARS` is left out.

    Returns
    -------
    set of str
        Three words joined by spaces, and five characters of unspaced scripts. A text shorter than one shingle is one
        shingle itself; without letters and digits there is none.
    """
    folded = _folded(text)
    if is_plain(folded):
        return _windows(re.findall(r"\w+", folded), SHINGLE_WORDS, " ")
    from webmain.text.characters import has_astral

    found = _windows(_spaced_words(astral=has_astral(folded)).findall(folded), SHINGLE_WORDS, " ")
    letters = "".join(unspaced_runs().findall(folded))
    return found | _windows(letters, SHINGLE_CHARS, "") if letters else found


def _folded(text: str) -> str:
    """Return what is shingled of a text, in the form in which it is compared."""
    text = text[:MAX_CHARS]
    return fold_case(text if is_plain(text) else compose(strip_invisible(text))).replace("_", " ")


def _windows(items: Sequence[str], size: int, separator: str) -> set[str]:
    """Return all runs of `size` items, or the one shorter run there is."""
    if not items:
        return set()
    if len(items) <= size:
        return {separator.join(items)}
    return set(map(separator.join, zip(*(items[start:] for start in range(size)), strict=False)))


@cache
def _spaced_words(*, astral: bool) -> re.Pattern[str]:
    from webmain.text.characters import mark_ranges

    return re.compile(rf"(?:(?![{UNSPACED}])[\w{mark_ranges(astral=astral)}])+")


def signature(text: str) -> Signature:
    """Return the MinHash signature of a text's shingles.

    Returns
    -------
    Signature
        Equal for texts with equal shingles, on every machine and in every process. A text without letters and digits
        has the empty signature, which is like no other.
    """
    from rensa import RMinHash

    from webmain.text.shinglehash import shingle_hashes

    hashes = shingle_hashes(_folded(text), words=SHINGLE_WORDS, chars=SHINGLE_CHARS)
    if not hashes.size:
        return ()
    sketch = RMinHash.digest_matrix_from_flat_token_hashes(hashes, [0, hashes.size], num_perm=N_PERMUTATIONS, seed=SEED)
    return tuple(sketch.to_rows()[0])


def bands(of: Signature) -> tuple[bytes, ...]:
    """Return the keys under which a signature is looked up: near-duplicates share at least one, most others none.

    Returns
    -------
    tuple of bytes
        `N_BANDS` keys of 17 bytes: the band's number and its `ROWS_PER_BAND` rows, big-endian; none for the empty
        signature. Two texts of similarity s share a band with probability 1 - (1 - s^4)^32: .9 at .51, .05 at .2.
    """
    return tuple(
        bytes([band]) + b"".join(row.to_bytes(4, "big") for row in of[start : start + ROWS_PER_BAND])
        for band, start in enumerate(range(0, len(of), ROWS_PER_BAND))
    )


def jaccard(first: Sequence[int], second: Sequence[int]) -> float:
    """Estimate the Jaccard similarity of two texts' shingles from their signatures.

    Returns
    -------
    float
        Share of equal rows, in [0, 1], with a standard error of at most 0.045; 0.0 when either is empty.

    Raises
    ------
    ValueError
        The signatures have different lengths.
    """
    if not first or not second:
        return 0.0
    if len(first) != len(second):
        raise ValueError(f"signatures of {len(first)} and {len(second)} rows cannot be compared")
    return sum(map(int.__eq__, first, second)) / len(first)
