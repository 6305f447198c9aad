"""What a comparison of two texts of an article gives: its kind, its rows, its counts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

FEW_WORDS: Final = 10
FEW_SHARE: Final = 0.05
"""So many words, or this share of the text's, are few."""


class ChangeKind(StrEnum):
    """What a visit found changed, as one word; the first of these that is true.

    What is compared are normal forms (`webmain.revisions.volatile`): advertisements, counters, times of change and their
    like are left out. A sentence is edited where at least 40 % of its words are in the sentence that takes its place, else
    one went and another came; one that stands elsewhere is moved.
    """

    NONE = "none"  # title and text have the normal form that they had
    HEADLINE = "headline"  # the title alone
    CORRECTION = (
        "correction"  # a note of a correction came; or sentences were edited, no others came or went: few words
    )
    REWRITE = (
        "rewrite"  # sentences were edited by more than few words; or half of the words went, and half as many came
    )
    REFACTOR = "refactor"  # no sentence came, went or was edited: they are in another order
    REMOVAL = "removal"  # more words went with their sentences than came
    UPDATE = "update"  # as many words came with new sentences as went, or more


class RowKind(StrEnum):
    """What became of a paragraph."""

    KEPT = "kept"
    ADDED = "added"
    DELETED = "deleted"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Span:
    """A run of a paragraph's text; `differs` where the other text does not have it."""

    text: str
    differs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A paragraph of two texts.

    Attributes
    ----------
    kind : RowKind
    before, after : tuple of Span
        Joined they are the paragraph; empty in the text that has no such paragraph.
    is_moved : bool
        Deleted here and added elsewhere, or the other way round.
    """

    kind: RowKind
    before: tuple[Span, ...] = ()
    after: tuple[Span, ...] = ()
    is_moved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many sentences or paragraphs came, went, were edited or moved.

    References
    ----------
    Spangher, Ren, May, Peng: NewsEdits: A News Article Revision Dataset and a Document-Level Reasoning Challenge (NAACL
    2022), section 3: addition, deletion, edit, refactor. Deviation: sentences are matched by words in common, not by
    embeddings; a moved sentence counts once.
    """

    additions: int = 0
    deletions: int = 0
    edits: int = 0
    refactors: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Two texts of an article compared.

    Attributes
    ----------
    kind : ChangeKind
    is_headline : bool
        The title was changed, the text or not.
    rows : tuple of Row
        The paragraphs of both texts in order, without those that change at each visit.
    sentences, paragraphs : Counts
    """

    kind: ChangeKind
    is_headline: bool = False
    rows: tuple[Row, ...] = ()
    sentences: Counts = Counts()
    paragraphs: Counts = Counts()
