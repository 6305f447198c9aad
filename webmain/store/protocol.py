"""What every store can do, what it answers, and how it fails.

StoreError (a ValueError)
├── StoreSpecError    the words given name no store
├── NotAStoreError    the file is there, and is something else
├── NewerStoreError   written by a later webmain
├── StoreLockedError  another process writes to it
├── StoreDamagedError the file is ours, and broken
└── StoreWriteError   permission, full disk, failing device
    └── StoreFullError    no space left, or a quota is used up
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

from webmain.items import Article
from webmain.store.dedup import Bands

COMMIT_ITEMS = 50
"""A store is due for a commit when so many articles wait."""

COMMIT_SECONDS = 1.0
"""... or when the first of them has waited for so long."""


FULL = "free some and start again: nothing that was stored is lost"
"""What the message of a full disk advises."""


class StoreError(ValueError):
    """A store cannot do what it was asked; the message names the path and says what to do."""


class StoreSpecError(StoreError):
    """The specification names no store."""


class NotAStoreError(StoreError):
    """The file exists, and is no store of webmain's; it was left as it is."""


class NewerStoreError(StoreError):
    """The store was written by a later webmain."""


class StoreLockedError(StoreError):
    """Another process writes to this store."""


class StoreDamagedError(StoreError):
    """The store's own file is broken."""


class StoreWriteError(StoreError):
    """The system refused to open or to write: permission, read-only or failing device."""


class StoreFullError(StoreWriteError):
    """No space is left on the device, or a quota is used up."""


class Outcome(StrEnum):
    """What a commit did with an article."""

    NEW = "new"  # this id was not there
    CHANGED = "changed"  # it was, with another text: a new revision
    UNCHANGED = "unchanged"  # it was, with this text: nothing was written


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One article that is now durable.

    Attributes
    ----------
    id : str
        The id it is stored under.
    url : str or None
        `Article.url`, for the ledger.
    outcome : Outcome
        What the commit did.
    revision : int
        1 for a new article, one more with each change.
    """

    id: str
    url: str | None
    outcome: Outcome
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One of the texts that an article has had.

    Attributes
    ----------
    number : int
        1 for the first.
    stored_at : datetime or None
        When it was stored; None where a line of other hands doesn't say.
    article : Article
        The article as it was.
    """

    number: int
    stored_at: datetime | None
    article: Article


class Store(Protocol):
    """A place for articles: `add` buffers, `commit` makes durable and says what became of each.

    Reading (`get`, `articles`, `count`, `fingerprints`) sees what is committed, each article in its last revision. A
    store is used by one thread. Leaving the `with` block commits and closes.
    """

    @property
    def spec(self) -> str:
        """The specification that opens this store again."""

    @property
    def pending(self) -> int:
        """Number of articles added and not yet committed."""

    def due(self, now: float) -> bool:
        """Tell whether 50 articles wait, or one has waited for a second (`now`: time.monotonic())."""

    def add(self, article: Article) -> None:
        """Take an article into the buffer."""

    def commit(self) -> tuple[Stored, ...]:
        """Write the buffer; once this returns, a killed process loses none of what it names."""

    def get(self, article_id: str) -> Article | None:
        """Return a committed article."""

    @property
    def may_lack(self) -> bool:
        """Whether something was found damaged on opening, so that articles may be missing."""

    def has(self, article_id: str) -> bool:
        """Tell whether an article is committed, in its last revision."""

    def revisions(self, article_id: str) -> Iterator[Revision]:
        """Yield all committed texts of an article, the earliest first; nothing where there is no such article."""

    def articles(self) -> Iterator[Article]:
        """Yield the committed articles, in the order in which they were stored."""

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        """Yield (id, fingerprint) of the committed articles without reading their texts."""

    def count(self) -> int:
        """Return the number of committed articles."""

    def close(self) -> tuple[Stored, ...]:
        """Commit, then close; a second call does nothing."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


@runtime_checkable
class Database(Protocol):
    """A store that also keeps the crawler's runs and the signatures of near-duplicates."""

    def start_run(self, arguments: Mapping[str, Any]) -> int:
        """Note that a crawl begins; return its number."""

    def finish_run(self, run: int, *, reason: str, stats: Mapping[str, Any] | None = None) -> None:
        """Note how it ended."""

    def bands(self, algorithm: str) -> Bands:
        """Return the place for signatures made by an algorithm."""


class Buffer:
    """The articles that wait for a commit, with the time since which the first of them waits."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._articles: list[Article] = []
        self._since = 0.0
        self._clock = clock

    def __len__(self) -> int:
        return len(self._articles)

    def add(self, article: Article) -> None:
        """Append an article."""
        if not self._articles:
            self._since = self._clock()
        self._articles.append(article)

    def peek(self) -> tuple[Article, ...]:
        """Return what waits, in order."""
        return tuple(self._articles)

    def drop(self, n: int) -> None:
        """Forget the first `n`, which are durable now."""
        del self._articles[:n]

    def due(self, now: float) -> bool:
        """Tell whether 50 wait, or the first has waited for a second."""
        waiting = len(self._articles)
        return waiting >= COMMIT_ITEMS or (waiting > 0 and now - self._since >= COMMIT_SECONDS)


class BufferedStore(ABC):
    """What the stores of one file share: the buffer, and who may use it when.

    Attributes
    ----------
    scheme : str
        What stands before the colon in the store's specification.
    """

    scheme: ClassVar[str]

    def __init__(self, path: str | Path, *, read_only: bool) -> None:
        self.path = Path(path)
        self._read_only = read_only
        self._buffer = Buffer()

    @property
    def spec(self) -> str:
        """The specification that opens this store again."""
        return f"{self.scheme}:{self.path}"

    @property
    def pending(self) -> int:
        """Number of articles added and not yet committed."""
        return len(self._buffer)

    @property
    @abstractmethod
    def closed(self) -> bool:
        """Whether the store has been closed."""

    def due(self, now: float) -> bool:
        """Tell whether 50 articles wait, or one has waited for a second (`now`: time.monotonic())."""
        return self._buffer.due(now)

    def add(self, article: Article) -> None:
        """Take an article into the buffer."""
        self._check_usable(writing=True)
        self._buffer.add(article)

    @abstractmethod
    def close(self) -> tuple[Stored, ...]:
        """Commit, then close; a second call does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_usable(self, *, writing: bool = False) -> None:
        """Raise where the store is closed, or open for reading only."""
        if self.closed:
            raise StoreError(f"store {self.spec} is closed")
        if writing and self._read_only:
            raise StoreWriteError(f"store {self.spec} is open for reading only")


def utc_now() -> datetime:
    """Return the time in UTC, to the second, as stores write it."""
    return datetime.now(UTC).replace(microsecond=0)
