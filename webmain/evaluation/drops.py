"""Gold records that cannot be used: counted by reason, the first ones kept as examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

MAX_EXAMPLES = 5
"""Places kept for each reason."""


class DropReason(StrEnum):
    """Why a gold record is left out."""

    NOT_GOLD = "a file without gold pages"
    UNREADABLE = "a file that cannot be read"
    TOO_LARGE = "larger than the limit"
    NOT_JSON = "no JSON object"
    BAD_FIELD = "a field of the wrong type"
    NO_PAGE = "no HTML page"
    NO_GOLD = "neither a gold text nor segments"
    EMPTY_GOLD = "an empty gold text and no segments"
    DUPLICATE = "an id seen before in its data set"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What was left out of a gold data set.

    Attributes
    ----------
    counts : mapping of DropReason to int
        Records by reason, in the order in which the reasons first occurred.
    examples : mapping of DropReason to tuple of str
        Where the first `MAX_EXAMPLES` of each stand: file, line or id, and what is wrong.
    """

    counts: Mapping[DropReason, int] = field(default_factory=dict)
    examples: Mapping[DropReason, tuple[str, ...]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """All records left out."""
        return sum(self.counts.values())

    def __str__(self) -> str:
        if not self.n:
            return "nothing dropped"
        parts = (f"{n} x {reason} ({self.examples[reason][0]})" for reason, n in self.counts.items())
        return f"{self.n} dropped: " + "; ".join(parts)


class Drops:
    """Collects what one reading of the gold data leaves out."""

    def __init__(self) -> None:
        self._counts: Counter[DropReason] = Counter()
        self._examples: dict[DropReason, list[str]] = {}

    def add(self, reason: DropReason, where: str) -> None:
        """Count one record that is left out."""
        self._counts[reason] += 1
        examples = self._examples.setdefault(reason, [])
        if len(examples) < MAX_EXAMPLES:
            examples.append(where)

    def dropped(self) -> Dropped:
        """Return what was collected so far."""
        return Dropped(
            counts=dict(self._counts), examples={reason: tuple(where) for reason, where in self._examples.items()}
        )
