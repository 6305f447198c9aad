"""Compare two texts of an article, paragraph by paragraph and sentence by sentence.

The cost is bounded for any texts: linear, apart from tables with a fixed number of cells (`aligning`, `MAX_PAIRS`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from webmain.items import Article
from webmain.languages import known
from webmain.revisions.aligning import align, best_pairs
from webmain.revisions.kinds import FEW_SHARE, FEW_WORDS, ChangeKind, Changes, Counts, Row, RowKind, Span
from webmain.revisions.spans import amount, bag, likeness, size, spans
from webmain.revisions.volatile import Paragraph, folded, paragraphs
from webmain.text.normal import SPACED_ENDS, UNSPACED, is_unspaced

LEAST_LIKENESS: Final = 0.4
"""Minimum share of common words for a paragraph or sentence to count as edited."""

MAX_PAIRS: Final = 2_000
"""Maximum pairs of paragraphs, and of sentences, compared by their words where several are in one gap."""

MAX_SENTENCES: Final = 20_000
"""Maximum sentences of a text that are compared; beyond that, whole paragraphs are."""

MAX_ROW_CELLS: Final = 20_000
MAX_SPAN_CELLS: Final = 1_000_000
"""Maximum table cells for comparing words, per paragraph and in total."""

MAX_NOTE: Final = 600
"""Maximum characters of a correction note."""

_ENDS: Final = re.compile(rf"(?<=[{SPACED_ENDS}])[\"'”’»)\]]{{0,3}}\s+|(?<=[。！？])[」』”）]{{0,3}}")
_CLAUSES: Final = re.compile(rf"(?<=[{UNSPACED}])\s+(?=[{UNSPACED}])")
_ALPHANUMERIC: Final = re.compile(r"\W+")


def changes(before: Article, after: Article) -> Changes:
    """Return the changes between two texts of an article; the kinds are defined in `ChangeKind`."""
    is_headline = bool(before.title and after.title and folded(before.title) != folded(after.title))
    same = Changes(kind=ChangeKind.HEADLINE if is_headline else ChangeKind.NONE, is_headline=is_headline)
    if before.text == after.text:
        return same
    language = after.language or before.language
    old, new = paragraphs(before, language), paragraphs(after, language)
    if "".join(p.key for p in old) == "".join(p.key for p in new):
        return same
    notes = set(_notes(old, new, language))
    by_paragraph = _pairs(
        [_Unit(p.text, p.key, p.is_doubtful) for p in old],
        [_Unit(p.text, p.key, p.is_doubtful and p not in notes) for p in new],
    )
    if all(kind is RowKind.KEPT for kind, _, _, _ in by_paragraph):
        return same
    by_sentence = _pairs(*(list(_sentences(by_paragraph, side)) for side in (0, 1)))
    return Changes(
        kind=_kind(by_sentence, old, has_note=bool(notes)),
        is_headline=is_headline,
        rows=tuple(_rows(by_paragraph)),
        sentences=_counts(by_sentence),
        paragraphs=_counts(by_paragraph),
    )


@dataclass(frozen=True)
class _Unit(Paragraph):
    """A paragraph or a sentence, with the words that are counted when they are needed."""

    @cached_property
    def bag(self) -> Counter[str]:
        return bag(self.text)

    @cached_property
    def amount(self) -> float:
        return amount(self.text)


_Pair = tuple[RowKind, "_Unit | None", "_Unit | None", bool]
"""A kind, the unit before and after, and whether the unit was moved."""


def _pairs(old: Sequence[_Unit], new: Sequence[_Unit]) -> list[_Pair]:
    """Return the change of each unit, in order; changed units that may be advertisements are left out."""
    matches = align([unit.key for unit in old], [unit.key for unit in new])
    kept = {i for i, _ in matches}, {j for _, j in matches}
    left = Counter(unit.key for i, unit in enumerate(old) if i not in kept[0])
    appeared = Counter(unit.key for j, unit in enumerate(new) if j not in kept[1])
    moved_from, moved_to = left & appeared, left & appeared
    found: list[_Pair] = []
    i = j = 0
    budget = MAX_PAIRS
    for i_end, j_end in [*matches, (len(old), len(new))]:
        removed = [(unit, _take_one(moved_from, unit.key)) for unit in old[i:i_end]]
        added = [(unit, _take_one(moved_to, unit.key)) for unit in new[j:j_end]]
        edited = _edited([u for u, moved in removed if not moved], [u for u, moved in added if not moved], budget)
        budget -= min(budget, len(removed) * len(added))
        found += _in_order(removed, added, edited)
        if i_end < len(old):
            found.append((RowKind.KEPT, old[i_end], new[j_end], False))
        i, j = i_end + 1, j_end + 1
    return found


def _take_one(keys: Counter[str], key: str) -> bool:
    if keys[key] <= 0:
        return False
    keys[key] -= 1
    return True


def _edited(old: Sequence[_Unit], new: Sequence[_Unit], budget: int) -> dict[int, _Unit]:
    """Return the edited form of earlier units, by their `id`; the order of the units is preserved."""
    if not old or not new:
        return {}
    if len(old) * len(new) > budget:
        near = ((i, i) for i in range(min(len(old), len(new), budget)))
        return {id(old[i]): new[j] for i, j in near if likeness(old[i].bag, new[j].bag) >= LEAST_LIKENESS}
    alike = [[likeness(one.bag, other.bag) for other in new] for one in old]
    weights = [[share if share >= LEAST_LIKENESS else 0.0 for share in row] for row in alike]
    return {id(old[i]): new[j] for i, j in best_pairs(weights)}


def _in_order(
    removed: Sequence[tuple[_Unit, bool]], added: Sequence[tuple[_Unit, bool]], edited: dict[int, _Unit]
) -> Iterator[_Pair]:
    """Yield the rows of a gap in order: units deleted, edited and added."""
    places = {id(unit): place for place, (unit, _) in enumerate(added)}
    start = 0
    for unit, is_moved in removed:
        target = edited.get(id(unit))
        if target is not None:
            end = places[id(target)]
            yield from _added(added[start:end])
            yield RowKind.CHANGED, unit, target, False
            start = end + 1
        elif is_moved or not unit.is_doubtful:
            yield RowKind.DELETED, unit, None, is_moved
    yield from _added(added[start:])


def _added(units: Sequence[tuple[_Unit, bool]]) -> Iterator[_Pair]:
    for unit, is_moved in units:
        if is_moved or not unit.is_doubtful:
            yield RowKind.ADDED, None, unit, is_moved


def _sentences(by_paragraph: Sequence[_Pair], side: int) -> Iterator[_Unit]:
    """Yield the sentences of one text; an unchanged paragraph counts as one."""
    n = 0
    for kind, before, after, _ in by_paragraph:
        unit = (before, after)[side]
        if unit is None:
            continue
        parts = [unit.text] if kind is RowKind.KEPT or n >= MAX_SENTENCES else _ENDS.split(unit.text, MAX_SENTENCES)
        if len(parts) == 1 and kind is not RowKind.KEPT and is_unspaced(unit.text):
            parts = _CLAUSES.split(unit.text)
        n += len(parts)
        for part in parts:
            key = unit.key if part is unit.text else folded(part)
            if _ALPHANUMERIC.sub("", key):
                yield _Unit(part, key)


def _rows(by_paragraph: Sequence[_Pair]) -> Iterator[Row]:
    cells = MAX_SPAN_CELLS
    for kind, before, after, is_moved in by_paragraph:
        if kind is RowKind.CHANGED and before and after:
            found = spans(before.text, after.text, cells=min(cells, MAX_ROW_CELLS))
            cells -= min(cells, MAX_ROW_CELLS, found.n_cells)
            yield Row(kind=kind, before=found.before, after=found.after)
            continue
        differs = kind is not RowKind.KEPT
        sides = [(Span(unit.text, differs),) if unit else () for unit in (before, after)]
        yield Row(kind=kind, before=sides[0], after=sides[1], is_moved=is_moved)


def _counts(pairs: Sequence[_Pair]) -> Counts:
    n = Counter((kind, is_moved) for kind, _, _, is_moved in pairs)
    return Counts(
        additions=n[RowKind.ADDED, False],
        deletions=n[RowKind.DELETED, False],
        edits=n[RowKind.CHANGED, False],
        refactors=n[RowKind.ADDED, True],
    )


def _kind(by_sentence: Sequence[_Pair], old: Sequence[Paragraph], *, has_note: bool) -> ChangeKind:
    """Return the kind of change; see `ChangeKind`."""
    added = sum(after.amount for kind, _, after, moved in by_sentence if kind is RowKind.ADDED and after and not moved)
    deleted = sum(one.amount for kind, one, _, moved in by_sentence if kind is RowKind.DELETED and one and not moved)
    edits = [(one, other) for kind, one, other, _ in by_sentence if kind is RowKind.CHANGED and one and other]
    if has_note:
        return ChangeKind.CORRECTION
    if not added and not deleted and not edits:
        return ChangeKind.REFACTOR
    total = sum(amount(paragraph.text) for paragraph in old)
    if not added and not deleted:
        edited = sum(max(size(one.bag - other.bag), size(other.bag - one.bag)) for one, other in edits)
        return ChangeKind.CORRECTION if edited <= max(FEW_WORDS, FEW_SHARE * total) else ChangeKind.REWRITE
    if deleted >= total / 2 and added >= deleted / 2:
        return ChangeKind.REWRITE
    return ChangeKind.REMOVAL if deleted > added else ChangeKind.UPDATE


def _notes(old: Sequence[Paragraph], new: Sequence[Paragraph], language: str | None) -> Iterator[Paragraph]:
    """Yield the correction notes that only the later text has."""
    had = {paragraph.key for paragraph in old}
    code = (language or "").partition("-")[0]
    words = {name: known().words(f"changing.{name}", code) for name in ("corrections", "corrected")}
    for paragraph in new:
        if paragraph.key not in had and len(paragraph.text) <= MAX_NOTE:
            line = " ".join(paragraph.text.casefold().replace("’", "'").split()).lstrip("*([【〔-–— ")
            if any(_begins(line, word) for word in words["corrections"]) or any(w in line for w in words["corrected"]):
                yield paragraph


def _begins(line: str, word: str) -> bool:
    """Return True if a line begins with a label that is alone, before punctuation, or a phrase of several words."""
    if not line.startswith(word):
        return False
    rest = line[len(word) :].lstrip()
    return not rest or not (rest[0].isalnum()) or (" " in word and not line[len(word)].isalnum())
