"""Several stores that are written to together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Self, TypeVar

from webmain.items import Article
from webmain.store.protocol import Outcome, Store, Stored, StoreError, StoreSpecError, errors_as_store_errors

if TYPE_CHECKING:
    from webmain.store.sqlite import SqliteStore

T = TypeVar("T")


class Stores:
    """Writes to several stores together; reads from the first.

    An article counts as stored when every store has it. Where their outcomes differ (a new database beside an old
    file), the one that changed most is returned: new, then changed, then unchanged.

    Each method raises StoreError, whatever exception a store raises.
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
        return any(self._each(lambda store: store.due(now)))

    def add(self, article: Article) -> None:
        """Add an article to every store's buffer."""
        for _ in self._each(lambda store: store.add(article)):
            pass

    def commit(self) -> tuple[Stored, ...]:
        """Commit every store, even if one fails; return what all of them have committed, in this call or the next.

        Raises StoreError: the first failure. The articles concerned still wait in the store that failed.
        """
        return self._all(lambda store: store.commit())

    def get(self, article_id: str) -> Article | None:
        """Return a committed article from the first store."""
        return next(self._each(lambda store: store.get(article_id)))

    @property
    def may_lack(self) -> bool:
        """Whether some store was found damaged on opening."""
        return any(self._each(lambda store: store.may_lack))

    def has(self, article_id: str) -> bool:
        """Return True if an article is in every store that was found damaged."""
        return all(self._each(lambda store: not store.may_lack or store.has(article_id)))

    def mark_gone(self, name: str, *, when: datetime, status: int) -> bool:
        """Record in every store that an article's page is gone (`Store.mark_gone`); return whether the first has it."""
        answer, *_ = self._each(lambda store: store.mark_gone(name, when=when, status=status))
        return answer

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        """Yield (id, fingerprint) of the committed articles of the first store."""
        with errors_as_store_errors(self.stores[0].spec):
            yield from self.stores[0].fingerprints()

    def count(self) -> int:
        """Return the number of committed articles in the first store."""
        return next(self._each(lambda store: store.count()))

    def places(self) -> tuple[tuple[str, int], ...]:
        """Return the specification of each store, and its number of committed articles."""
        return tuple(self._each(lambda store: (store.spec, store.count())))

    def close(self) -> tuple[Stored, ...]:
        """Commit and close every store, even if one fails."""
        return self._all(lambda store: store.close())

    def _each(self, ask: Callable[[Store], T]) -> Iterator[T]:
        for store in self.stores:
            with errors_as_store_errors(store.spec):
                answer = ask(store)
            yield answer

    def _all(self, call: Callable[[Store], tuple[Stored, ...]]) -> tuple[Stored, ...]:
        failures: list[StoreError] = []
        for answers, store in zip(self._answers, self.stores, strict=True):
            try:
                with errors_as_store_errors(store.spec):
                    answers.extend(call(store))
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
