"""Compare two methods on one page: which leaves both keep, and which only one keeps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial

import numpy as np

from webmain.article.regions import leaves_of_lines
from webmain.explain.overlay import Mark, block_label, overlay_html
from webmain.explain.records import Explanation
from webmain.html.blocks import Unit
from webmain.items import Verdict


class Side(StrEnum):
    """Which of two methods keep a leaf."""

    BOTH = "both"
    FIRST = "only-a"
    SECOND = "only-b"
    NEITHER = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The verdicts of two methods on each leaf of a page, or on each source line if neither builds a tree."""

    first: Explanation
    second: Explanation
    names: tuple[str, ...]  # of the two methods
    unit: Unit
    sides: tuple[Side, ...]  # for each leaf (line)
    # the same for an overlay: classes `wm-both`, `wm-only-a`, `wm-only-b` and `wm-none`, with each method's verdict
    marks: tuple[Mark | None, ...]

    @property
    def n_chars(self) -> Mapping[Side, int]:
        """Number of characters of the page by side."""
        document = self.first.document
        lengths = document.leaves.n_chars if self.unit is Unit.LEAVES else document.lines.text_lengths
        return {side: int(lengths[[one is side for one in self.sides]].sum()) for side in Side}

    @property
    def runs(self) -> Iterator[tuple[Side, str]]:
        """The texts of consecutive leaves (lines) that only one of the methods keeps, in the page's order."""
        document = self.first.document
        texts = document.lines.texts
        for side, group in itertools.groupby(range(len(self.sides)), key=self.sides.__getitem__):
            if side in (Side.FIRST, Side.SECOND):
                units = list(group)
                text = document.leaves.text(units) if self.unit is Unit.LEAVES else "\n".join(texts[i] for i in units)
                yield side, text

    @property
    def overlay(self) -> str:
        """The page with differences marked, as `webmain.explain.overlay.overlay_html` writes it."""
        shown = self.first if self.first.unit is self.unit else self.second
        return overlay_html(shown, marks=self.marks)


def names_of(explained: Sequence[Explanation], specs: Sequence[str]) -> tuple[str, ...]:
    """Return the names of methods, or, if some are the same, what was asked for: their names with options."""
    names = tuple(one.name for one in explained)
    return names if len(set(names)) == len(names) else tuple(specs)


def compare(first: Explanation, second: Explanation, *, names: Sequence[str] = ()) -> Comparison:
    """Return the comparison of two methods on one document, by their names unless others are given.

    If only one method judges source lines, its lines are matched to leaves, in order. Raises ValueError if the
    explanations are of two documents: read the page once and explain that document with both methods.
    """
    if first.document is not second.document:
        raise ValueError("compare: the explanations are of different documents")
    unit = Unit.LINES if first.unit is second.unit is Unit.LINES else Unit.LEAVES
    names = tuple(names) or (first.name, second.name)
    judged = cache(partial(_judged, first, second, names))
    found = tuple(map(judged, _owners(first, unit), _owners(second, unit)))
    sides, marks = tuple(side for side, _ in found), tuple(mark for _, mark in found)
    return Comparison(first=first, second=second, names=names, unit=unit, sides=sides, marks=marks)


def _judged(
    first: Explanation, second: Explanation, names: tuple[str, ...], ours: int, theirs: int
) -> tuple[Side, Mark | None]:
    """Return which methods keep the leaves (lines) of a block of each, -1 for none, and their mark."""
    blocks = [one.blocks[i] if i >= 0 else None for one, i in ((first, ours), (second, theirs))]
    kept = [block is not None and block.verdict is Verdict.CONTENT for block in blocks]
    side = Side.BOTH if all(kept) else Side.FIRST if kept[0] else Side.SECOND if kept[1] else Side.NEITHER
    if not any(blocks):
        return side, None
    labels = [block_label(block) if block else "nothing" for block in blocks]
    label = f"{names[0]}: {labels[0]}\n{names[1]}: {labels[1]}"
    return side, Mark(ours if ours >= 0 else theirs, f"wm-{side}", label)


def _owners(explanation: Explanation, unit: Unit) -> list[int]:
    """Return for each leaf (line) the index of its block in the explanation; -1 for none."""
    document = explanation.document
    n_units = len(document.lines) if explanation.unit is Unit.LINES else len(document.leaves)
    owner = np.full(n_units, -1, dtype=np.int32)
    for number, block in enumerate(explanation.blocks):
        owner[list(block.units)] = number
    if explanation.unit is not unit:
        owner = leaves_of_lines(document, np.flatnonzero(owner >= 0), owner)
    found: list[int] = owner.tolist()
    return found
