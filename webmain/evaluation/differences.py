"""Two texts side by side: which words are only in one of them."""

from __future__ import annotations

from dataclasses import dataclass

from webmain.evaluation.metrics import words
from webmain.evaluation.tokens import TextPair
from webmain.revisions.kinds import Span
from webmain.revisions.spans import spans
from webmain.text.agreement import Agreement

MOST_CHARACTERS = 20_000  # most characters of each text that are compared and shown
MAX_CELLS = 300_000  # maximum table cells for comparing words


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two texts in runs that both or only one have, and how many characters at their ends were not compared."""

    gold: tuple[Span, ...]
    predicted: tuple[Span, ...]
    gold_cut: int
    predicted_cut: int


def difference(gold: str, predicted: str) -> Difference:
    """Compare the beginnings of two texts by words; white space is ignored."""
    found = spans(gold[:MOST_CHARACTERS], predicted[:MOST_CHARACTERS], cells=MAX_CELLS, fold=str.strip)
    gold_runs = _compared(found.before, is_other_cut=len(predicted) > MOST_CHARACTERS)
    predicted_runs = _compared(found.after, is_other_cut=len(gold) > MOST_CHARACTERS)
    return Difference(
        gold=gold_runs,
        predicted=predicted_runs,
        gold_cut=len(gold) - sum(len(run.text) for run in gold_runs),
        predicted_cut=len(predicted) - sum(len(run.text) for run in predicted_runs),
    )


def _compared(runs: tuple[Span, ...], *, is_other_cut: bool) -> tuple[Span, ...]:
    """Leave out a last run that only one text has if the other text goes on: it may have that, too."""
    return runs[:-1] if is_other_cut and len(runs) > 1 and runs[-1].differs else runs


@dataclass(frozen=True, slots=True, kw_only=True)
class TextComparison:
    """Two texts with their differences marked."""

    # their names: "the right text", or a method
    left: str
    right: str
    difference: Difference  # the left one as `gold`
    agreement: Agreement  # of the words of the right text, measured by the left one
    unit: str  # the kind of token compared
    language: str

    @property
    def is_same(self) -> bool:
        """Whether the texts are the same."""
        pieces = (*self.difference.gold, *self.difference.predicted)
        cut = self.difference.gold_cut or self.difference.predicted_cut
        return self.agreement.f1 == 1 and not cut and not any(piece.differs for piece in pieces)


def compare_texts(left: str, left_text: str, right: str, right_text: str, language: str) -> TextComparison:
    """Compare two texts; the left one is measured against the right one."""
    pair = TextPair(predicted=right_text, gold=left_text, language=language)
    return TextComparison(
        left=left,
        right=right,
        difference=difference(left_text, right_text),
        agreement=words(pair),
        unit=pair.unit.value,
        language=language,
    )
