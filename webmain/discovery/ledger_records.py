"""What the ledger is told and answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from webmain.items import Hints
from webmain.urls import without_credentials


class LedgerError(RuntimeError):
    """The file is no ledger, is of a newer webmain, or can not be read or written; the message names the file."""


class State(IntEnum):
    """What is known of an address."""

    PENDING = 0  # to be fetched, or to be tried again
    DONE = 1  # stored, or rejected for good; `reason` tells
    GAVE_UP = 2  # failed too often


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An address that discovery came upon, with what was said of it."""

    url: str
    hints: Hints | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", without_credentials(self.url))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """An address to fetch, and how often it was tried before."""

    url: str
    hints: Hints | None
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """An address that is settled: either the id of its stored article, or the reason why there is none.

    With "too_old" and "other_language" goes what was asked for: `since`, in seconds since 1970, or `language`.
    """

    url: str
    article_id: str | None = None
    reason: str | None = None
    canonical: str | None = None
    since: float | None = None
    language: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", without_credentials(self.url))
        object.__setattr__(self, "canonical", without_credentials(self.canonical) if self.canonical else None)

    @property
    def asked(self) -> tuple[float | None, str | None]:
        """What the run asked for that refused the page."""
        return self.since, self.language


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """How many addresses were new, and how many the ledger knew."""

    new: int
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many addresses are in which state; articles and rejected together are those done."""

    pending: int = 0
    articles: int = 0
    rejected: int = 0
    gave_up: int = 0
