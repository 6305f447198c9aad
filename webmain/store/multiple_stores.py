"""Several stores that are written to together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Self

from webmain.items import Article
from webmain.store.protocol import Outcome, Store, Stored, StoreError, StoreSpecError

if TYPE_CHECKING:
    from webmain.store.sqlite import SqliteStore


class Stores:
    """Writes to several stores together; reads from the first.

    An article counts as stored when every store has it. Where their outcomes differ (a new database beside an old
    file), the one that changed most is returned: new, then changed, then unchanged.
    """

    def __init__(self, stores: Sequence[Store]) -> None:
        if not stores:
            raise StoreSpecError("no store is named")
        self.stores = tuple(stores)
        self._answers: list[list[Stored]] = [[] for _ in stores]

    def __iter__(self) -> Iterator[Store]:
        return iter(self.stores)

    @property
    def spec(self) -> str:
        """The specifications, separated by commas."""
        return ",".join(store.spec for store in self.stores)

    @property
    def pending(self) -> int:
        """Number of articles that wait in some store."""
        return max(store.pending for store in self.stores)

    @property
    def database(self) -> SqliteStore | None:
        """The first SQLite store, which keeps runs and near-duplicates."""
        from webmain.store.sqlite import SqliteStore

        return next((store for store in self.stores if isinstance(store, SqliteStore)), None)

    def due(self, now: float) -> bool:
        """Return True if a store is due for a commit."""
        return any(store.due(now) for store in self.stores)

    def add(self, article: Article) -> None:
        """Add an article to every store's buffer."""
        for store in self.stores:
            store.add(article)

    def commit(self) -> tuple[Stored, ...]:
        """Commit every store, even if one fails; return what all of them have committed, in this call or the next.

        Raises StoreError: the first failure. The articles concerned still wait in the store that failed.
        """
        return self._all([store.commit for store in self.stores])

    def get(self, article_id: str) -> Article | None:
        """Return a committed article from the first store."""
        return self.stores[0].get(article_id)

    @property
    def may_lack(self) -> bool:
        """Whether some store was found damaged on opening."""
        return any(store.may_lack for store in self.stores)

    def has(self, article_id: str) -> bool:
        """Return True if an article is in every store that was found damaged."""
        return all(store.has(article_id) for store in self.stores if store.may_lack)

    def mark_gone(self, name: str, *, when: datetime, status: int) -> bool:
        """Record in every store that an article's page is gone (`Store.mark_gone`); return whether the first has it."""
        answers = [store.mark_gone(name, when=when, status=status) for store in self.stores]
        return answers[0]

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        """Yield (id, fingerprint) of the committed articles of the first store."""
        return self.stores[0].fingerprints()

    def count(self) -> int:
        """Return the number of committed articles in the first store."""
        return self.stores[0].count()

    def close(self) -> tuple[Stored, ...]:
        """Commit and close every store, even if one fails."""
        return self._all([store.close for store in self.stores])

    def _all(self, calls: Iterable[Callable[[], tuple[Stored, ...]]]) -> tuple[Stored, ...]:
        failures: list[StoreError] = []
        for answers, call in zip(self._answers, calls, strict=True):
            try:
                answers.extend(call())
            except StoreError as error:
                failures.append(error)
        if failures:
            raise failures[0]
        n = min(map(len, self._answers))  # stores answer in the order of `add`: the same position, the same article
        order = list(Outcome)
        rows = zip(*(answers[:n] for answers in self._answers), strict=True)
        stored = tuple(min(row, key=lambda answer: order.index(answer.outcome)) for row in rows)
        for answers in self._answers:
            del answers[:n]
        return stored

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
