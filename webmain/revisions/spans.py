"""Compare two paragraphs by words: the words that only one has, and the share in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from os.path import commonprefix
from typing import Final

from webmain.revisions.aligning import align
from webmain.revisions.kinds import Span
from webmain.revisions.volatile import folded
from webmain.text.normal import UNSPACED, UNSPACED_RUN, mark_ranges
from webmain.text.words import words

MAX_SEGMENTED: Final = 4_000
"""Maximum characters of a paragraph in an unspaced script that is divided into words; longer ones into letters."""


MAX_COMPARED: Final = 40_000
"""Maximum characters of two paragraphs that are compared by words."""

MAX_COUNTED: Final = 20_000
"""Maximum characters of a paragraph or sentence whose words are counted; for longer ones they are estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """Two paragraphs divided into runs of words that both or only one have; joined, each is the paragraph.

    Attributes
    ----------
    before, after : tuple of Span
    n_cells : int
        Product of the numbers of words.
    """

    before: tuple[Span, ...]
    after: tuple[Span, ...]
    n_cells: int


def spans(before: str, after: str, *, cells: int, fold: Callable[[str], str] = folded) -> Spans:
    """Return two texts compared by words, equal if `fold` makes them so.

    In very long texts all between the equal ends counts as different. `cells` bounds the cost (`align`).
    """
    if len(before) + len(after) > MAX_COMPARED:
        return _between_ends(before, after)
    ours, theirs = list(_pieces(before)), list(_pieces(after))
    forms = {piece: fold(piece) for piece in {*ours, *theirs}}
    our_forms, their_forms = [forms[p] for p in ours], [forms[p] for p in theirs]
    matches = align(our_forms, their_forms, cells=cells)
    return Spans(
        before=_runs(ours, _with_late_runs(our_forms, {i for i, _ in matches})),
        after=_runs(theirs, _with_late_runs(their_forms, {j for _, j in matches})),
        n_cells=len(ours) * len(theirs),
    )


def _between_ends(before: str, after: str) -> Spans:
    head = len(commonprefix([before, after]))  # noqa: RUF071 - characters are to be compared
    tail = len(commonprefix([before[head:][::-1], after[head:][::-1]]))  # noqa: RUF071
    sides = []
    for text in (before, after):
        cuts = text[:head], text[head : len(text) - tail], text[len(text) - tail :]
        sides.append(tuple(Span(cut, i == 1) for i, cut in enumerate(cuts) if cut))
    return Spans(before=sides[0], after=sides[1], n_cells=0)


def _with_late_runs(forms: list[str], common: set[int]) -> set[int]:
    """Return `common` with each run of other pieces as late as it can be: ". [One more.]", not "[. One more]."."""
    moved: set[int] = set()
    start = 0  # of the run of other pieces
    for i, form in enumerate(forms):
        if i in common:
            same = start if forms[start] == form else i
            moved.add(same)
            start = same + 1
    return moved


def _runs(pieces: list[str], common: set[int]) -> tuple[Span, ...]:
    runs = groupby(enumerate(pieces), key=lambda numbered: numbered[0] not in common)
    return tuple(Span("".join(piece for _, piece in run), differs) for differs, run in runs)


@cache
def _units() -> re.Pattern[str]:
    """Return the pattern of a run of an unspaced script, a word or a punctuation mark, each with trailing white space."""
    marks = mark_ranges(astral=False)
    return re.compile(rf"(?:[{UNSPACED}]+|(?:(?![{UNSPACED}])[\w{marks}])+|[^\w\s])\s*|\s+")


@cache
def _letters() -> re.Pattern[str]:
    return re.compile(rf"\S[{mark_ranges(astral=False)}]*\s*|\s+")


def _pieces(text: str) -> Iterator[str]:
    """Yield the words and punctuation marks of a paragraph; joined, they are the paragraph."""
    for unit in _units().findall(text):
        yield from _divided(unit) if UNSPACED_RUN.match(unit) else (unit,)


def _divided(run: str) -> Iterator[str]:
    """Yield the words of a run of an unspaced script, or its letters if the run is long."""
    if len(run) > MAX_SEGMENTED:
        yield from _letters().findall(run)
        return
    start = 0
    for word in words(run):
        end = run.find(word, start)
        if end < 0:
            break
        end += len(word)
        yield run[start:end]
        start = end
    if start < len(run):
        yield run[start:]


def bag(text: str) -> Counter[str]:
    """Return the counts of the words of a text in lower case; for unspaced scripts, of pairs of letters."""
    found: Counter[str] = Counter()
    for unit in _units().findall(text[:MAX_COUNTED].casefold()):
        word = unit.rstrip()
        if UNSPACED_RUN.match(word):
            found.update(map("".join, zip(word, word[1:] or " ", strict=False)))
        elif word and (word[0].isalnum() or len(word) > 1):
            found[word] += 1
    return found


def size(words_of: Counter[str]) -> float:
    """Return the number of words in a bag; about three letters of an unspaced script count as one word."""
    n_pairs = sum(n for word, n in words_of.items() if UNSPACED_RUN.match(word))
    return words_of.total() - n_pairs * 2 / 3


def amount(text: str) -> float:
    """Return the number of words of a text."""
    return size(bag(text)) * max(1.0, len(text) / MAX_COUNTED)


def likeness(ours: Counter[str], theirs: Counter[str]) -> float:
    """Return the share of words that two bags have in common, 0 to 1 (Dice)."""
    total = ours.total() + theirs.total()
    if len(ours) > len(theirs):
        ours, theirs = theirs, ours
    return 2 * sum(min(n, theirs[word]) for word, n in ours.items() if word in theirs) / total if total else 0.0
