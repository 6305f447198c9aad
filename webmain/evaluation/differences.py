"""Two texts side by side: which words are only in one of them."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import cache

from webmain.evaluation.tokens import Unit, unit_of
from webmain.text.normal import mark_ranges

MOST_TOKENS = 900
"""Words of each text that are compared: a diff costs up to their product."""

MOST_CHARACTERS = 8_000
"""Characters of each text that are shown."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text; `differs` where the other text does not have it."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two texts in pieces, and how many characters at their ends were left out.

    Attributes
    ----------
    gold, predicted : tuple of Piece
    gold_cut, predicted_cut : int
        Characters that are not shown.
    """

    gold: tuple[Piece, ...]
    predicted: tuple[Piece, ...]
    gold_cut: int
    predicted_cut: int


def difference(gold: str, predicted: str, *, language: str = "") -> Difference:
    """Compare the beginnings of two texts by words, in unspaced scripts by letters; white space is no difference."""
    pattern = _letter_pattern() if unit_of(gold, language) is Unit.CHARACTERS else _word_pattern()
    ours = pattern.findall(gold[:MOST_CHARACTERS])[:MOST_TOKENS]
    theirs = pattern.findall(predicted[:MOST_CHARACTERS])[:MOST_TOKENS]
    matcher = difflib.SequenceMatcher(
        None, [t.strip() for t in ours], [t.strip() for t in theirs]
    )  # with autojunk: bounded
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if a < b:
            left.append(Piece("".join(ours[a:b]), tag != "equal"))
        if c < d:
            right.append(Piece("".join(theirs[c:d]), tag != "equal"))
    return Difference(
        gold=tuple(left),
        predicted=tuple(right),
        gold_cut=len(gold) - sum(len(piece.text) for piece in left),
        predicted_cut=len(predicted) - sum(len(piece.text) for piece in right),
    )


@cache
def _word_pattern() -> re.Pattern[str]:
    return re.compile(r"\s+(?=\Z)|\s*\S+\s*")


@cache
def _letter_pattern() -> re.Pattern[str]:
    """Return the pattern of a letter with its marks, or a run of Latin letters and digits, and white space after it."""
    marks = mark_ranges(astral=False)
    return re.compile(rf"\s*(?:[A-Za-z0-9]+|\S[{marks}]*)\s*|\s+")
