"""The interface of every store, the records it returns, and code shared by stores that live at a path."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from webmain import clock
from webmain.files import StoreError as StoreError
from webmain.files import StoreFaultError, reason_of
from webmain.files import StoreLockedError as StoreLockedError
from webmain.files import StoreSpecError as StoreSpecError
from webmain.files import StoreWriteError as StoreWriteError
from webmain.items import Article, NewerSchemaError
from webmain.items.codec import UNREADABLE
from webmain.revisions.kinds import ChangeKind
from webmain.store.url_variants import is_article_at

if TYPE_CHECKING:
    from webmain.store.search_records import Filters

COMMIT_ITEMS = 50  # a store is due for a commit when this many articles wait
COMMIT_SECONDS = 1.0  # ... or when the first of them has waited for this many seconds


class Outcome(StrEnum):
    """What a commit did with an article."""

    NEW = "new"  # the id was not stored yet
    CHANGED = "changed"  # it was stored with another title or text: a new revision
    UNCHANGED = "unchanged"  # same title and text; only metadata were written, or that the page is back


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A committed article: its id, its URL for the ledger, its revision (from 1), and what changed.

    `change` is NONE unless the outcome is CHANGED.
    """

    id: str
    url: str | None
    outcome: Outcome
    revision: int
    change: ChangeKind = ChangeKind.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One of the texts that an article has had, numbered from 1; the time is None if the store has none."""

    number: int
    stored_at: datetime | None
    article: Article


class Store(ABC):
    """A place for articles: `add` buffers, `commit` writes durably and returns what happened to each article.

    Reading (`get`, `articles`, `count`, `fingerprints`) sees only committed articles, each in its last revision. A
    store is used by one thread. Leaving the `with` block commits and closes.

    To write your own store, subclass this in any module: `package.module:Class:ADDRESS` instead of `sqlite:PATH` makes
    `Class(ADDRESS, read_only=...)`. `commit`, `articles` and `_release` are required. The other methods for reading go
    through all articles, so a large store should override them. Raise `StoreError` or a subclass
    (`webmain.files`) for every error that users can fix; any other exception ends a crawl, too, with its traceback.

    `path`: the address. `read_only`: take no lock, change nothing, refuse to add.
    """

    scheme: ClassVar[str] = ""  # the specification up to the last colon before the address; "": the class's import path

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path).expanduser()  # the address, as a path
        self._read_only = read_only
        self._buffer: list[Article] = []
        self._since = 0.0
        self._closed = False

    @property
    def spec(self) -> str:
        """The specification that opens this store again."""
        return f"{self.scheme or f'{type(self).__module__}:{type(self).__qualname__}'}:{self.path}"

    @property
    def pending(self) -> int:
        """Number of articles added and not yet committed."""
        return len(self._buffer)

    @property
    def may_lack(self) -> bool:
        """Whether damage was found on opening, so that articles may be missing."""
        return False

    @property
    def closed(self) -> bool:
        """Whether the store has been closed."""
        return self._closed

    def due(self, now: float) -> bool:
        """Return True if 50 articles wait, or one has waited for a second (`now`: time.monotonic())."""
        waiting = len(self._buffer)
        return waiting >= COMMIT_ITEMS or (waiting > 0 and now - self._since >= COMMIT_SECONDS)

    def add(self, article: Article) -> None:
        """Add an article to the buffer."""
        self._check_usable(writing=True)
        if not self._buffer:
            self._since = time.monotonic()
        self._buffer.append(article)

    @abstractmethod
    def commit(self) -> tuple[Stored, ...]:
        """Write the buffer and return what was written; a process killed after this returns loses none of it."""

    @abstractmethod
    def articles(self) -> Iterator[Article]:
        """Yield the committed articles, in the order in which they were stored."""

    def selected(self, filters: Filters) -> Iterator[Article]:
        """Yield the committed articles that pass the filters."""
        return filter(filters.has, self.articles())

    def get(self, article_id: str) -> Article | None:
        """Return a committed article."""
        return next((article for article in self.articles() if article.id == article_id), None)

    def has(self, article_id: str) -> bool:
        """Return True if an article is committed."""
        return self.get(article_id) is not None

    def mark_gone(self, name: str, *, when: datetime, status: int) -> bool:
        """Record durably that a committed article's page is gone; its text stays as it is.

        Only the first call counts, until the page is stored again, which clears the record. A store that cannot record it
        returns False.

        Returns True if the store has this article.

        `name`: the article's id, or its URL in any form (`find`). `when`: time-zone aware. `status`: 404 or 410.
        """
        self._check_usable(writing=True)
        return False

    def find(self, name: str) -> str | None:
        """Return the id of the committed article with an id, or at a URL in any known form: tracked, print, AMP, mobile."""
        return next((article.id for article in self.articles() if is_article_at(article, name)), None)

    def revisions(self, article_id: str) -> Iterator[Revision]:
        """Yield the committed article, preceded by its earlier texts in a store that keeps them."""
        if (article := self.get(article_id)) is not None:
            yield Revision(number=1, stored_at=None, article=article)

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        """Yield (id, fingerprint) of the committed articles."""
        return ((article.id, article.fingerprint) for article in self.articles())

    def count(self) -> int:
        """Return the number of committed articles."""
        return sum(1 for _ in self.fingerprints())

    def close(self) -> tuple[Stored, ...]:
        """Commit, then close; a second call does nothing."""
        if self.closed:
            return ()
        try:
            return () if self._read_only else self.commit()
        finally:
            self._closed = True
            self._release()

    @abstractmethod
    def _release(self) -> None:
        """Release open resources."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _check_usable(self, *, writing: bool = False) -> None:
        """Raise if the store is closed or was opened for reading only."""
        if self.closed:
            raise StoreError(f"store {self.spec} is closed")
        if writing and self._read_only:
            raise StoreWriteError(f"store {self.spec} is open for reading only")


@contextmanager
def errors_as_store_errors(spec: str) -> Iterator[None]:
    """Turn any other exception of a store into StoreError, with the store's specification in its message."""
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(f"store {spec}: {reason_of(error)}") from error
    except Exception as error:
        raise StoreFaultError(f"store {spec}: {type(error).__name__}: {error}") from error


def utc_now() -> datetime:
    """Return the time in UTC, to the second, in the format that stores write."""
    return clock.now().replace(microsecond=0)


def read_time(text: Any) -> datetime | None:
    """Return a time in the format that stores write, or None if there is none."""
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def newer_schema(record: str | bytes) -> str:
    """Return the message about an article record, as JSON, of a newer schema; "" for anything else."""
    try:
        Article.from_dict(json.loads(record))
    except NewerSchemaError as error:
        return str(error)
    except UNREADABLE:
        pass
    return ""
