"""Two texts side by side: which words are only in one of them."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import cache

from webmain.evaluation.metrics import words
from webmain.evaluation.tokens import TextPair, Unit, unit_of
from webmain.text.normal import mark_ranges

MOST_TOKENS = 900  # most words of each text that are compared: a diff costs up to their product
MOST_CHARACTERS = 8_000  # most characters of each text that are shown


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text; `differs` if the other text does not have it."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two texts in pieces, and how many characters were cut off at their ends."""

    gold: tuple[Piece, ...]
    predicted: tuple[Piece, ...]
    gold_cut: int
    predicted_cut: int


def difference(gold: str, predicted: str, *, language: str = "") -> Difference:
    """Compare the beginnings of two texts by words, or by letters in unspaced scripts; white space is ignored."""
    pattern = _letter_pattern() if unit_of(gold, language) is Unit.CHARACTERS else _WORD
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TextComparison:
    """Two texts with their differences marked."""

    # their names: "the right text", or a method
    left: str
    right: str
    difference: Difference  # the left one as `gold`
    # of the words of the right text, measured by the left one
    precision: float
    recall: float
    f1: float
    unit: str  # the kind of token compared
    language: str

    @property
    def is_same(self) -> bool:
        """Whether the texts are the same."""
        pieces = (*self.difference.gold, *self.difference.predicted)
        cut = self.difference.gold_cut or self.difference.predicted_cut
        return self.f1 == 1 and not cut and not any(piece.differs for piece in pieces)


def compare_texts(left: str, left_text: str, right: str, right_text: str, language: str) -> TextComparison:
    """Compare two texts; the left one is measured against the right one."""
    pair = TextPair(predicted=right_text, gold=left_text, language=language)
    agreement = words(pair)
    return TextComparison(
        left=left,
        right=right,
        difference=difference(left_text, right_text, language=language),
        precision=agreement.precision,
        recall=agreement.recall,
        f1=agreement.f1,
        unit=pair.unit.value,
        language=language,
    )


_WORD = re.compile(r"\s+(?=\Z)|\s*\S+\s*")


@cache
def _letter_pattern() -> re.Pattern[str]:
    """Return the pattern of a letter with its marks, or a run of Latin letters and digits, and white space after it."""
    marks = mark_ranges(astral=False)
    return re.compile(rf"\s*(?:[A-Za-z0-9]+|\S[{marks}]*)\s*|\s+")
