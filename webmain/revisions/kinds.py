"""Records of a comparison of two texts of an article: kind, rows, counts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

FEW_WORDS: Final = 10
FEW_SHARE: Final = 0.05
"""A change of at most this many words, or this share of the text's words, is small."""


class ChangeKind(StrEnum):
    """The kind of change found by a revisit: the first of these that applies.

    Normal forms are compared (`webmain.revisions.volatile`), without advertisements, counters, times of change and the like.
    A sentence counts as edited if it shares at least 40 % of its words with its replacement, otherwise as one deleted and
    one added; a sentence found elsewhere is moved.
    """

    NONE = "none"  # title and text have the same normal form as before
    HEADLINE = "headline"  # the title alone
    CORRECTION = (
        "correction"  # a correction note was added; or sentences were edited by few words, and none added or deleted
    )
    REWRITE = (
        "rewrite"  # sentences were edited by more than few words; or half of the words deleted and half as many added
    )
    REFACTOR = "refactor"  # no sentence was added, deleted or edited, only their order changed
    REMOVAL = "removal"  # more words were deleted with their sentences than added
    UPDATE = "update"  # at least as many words were added with new sentences as deleted


class RowKind(StrEnum):
    """The change of a paragraph."""

    KEPT = "kept"
    ADDED = "added"
    DELETED = "deleted"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Span:
    """A run of a paragraph's text; `differs` if the other text does not have it."""

    text: str
    differs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A paragraph in two texts.

    Attributes
    ----------
    kind : RowKind
    before, after : tuple of Span
        Joined, they are the paragraph; empty for the text without it.
    is_moved : bool
        Deleted here and added elsewhere, or the other way round.
    """

    kind: RowKind
    before: tuple[Span, ...] = ()
    after: tuple[Span, ...] = ()
    is_moved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The numbers of sentences or paragraphs that were added, deleted, edited or moved.

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
    """The comparison of two texts of an article.

    Attributes
    ----------
    kind : ChangeKind
    is_headline : bool
        The title was changed, whether or not the text was.
    rows : tuple of Row
        The paragraphs of both texts in order, without those that change at every visit.
    sentences, paragraphs : Counts
    """

    kind: ChangeKind
    is_headline: bool = False
    rows: tuple[Row, ...] = ()
    sentences: Counts = Counts()
    paragraphs: Counts = Counts()
