"""Lists the low-confidence articles of a crawl, and on request keeps them out of its store.

An article is committed to its store first, then listed, and only then reported as done. If a crawl is killed in
between, the next one fetches the page again, finds the article unchanged, and lists it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from webmain.article.identity import identify
from webmain.items import Article
from webmain.store.jsonl import JsonlStore
from webmain.store.protocol import Stored, StoreError
from webmain.store.review import Entry, ReviewList, confidence_of, kept_out_path, review_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """The result of a commit."""

    doubtful: int  # stored articles in doubt, including those already listed
    listed: int  # lines written
    kept_out: int  # articles stored in the store beside the main one


class Doubtful:
    """The review list of a crawl, and the store for articles kept out.

    Raises StoreError if a file is of another kind, is locked, or cannot be written.

    Parameters
    ----------
    store_path : str or Path
        The file of the crawl's first store; the list and the kept-out articles are stored beside it.
    below : float
        Articles with a confidence below this are in doubt; those without a confidence are not.
    keep_out : bool
        Store articles in doubt in a JSONL store of their own instead of the crawl's store.

    Attributes
    ----------
    n_without : int
        Articles without a confidence.
    n_with : int
        Articles with a confidence.
    """

    def __init__(self, store_path: str | Path, *, below: float, keep_out: bool = False) -> None:
        self.below = below
        self.n_with = self.n_without = 0
        self._waiting: dict[str, Entry] = {}
        self.list = ReviewList(review_path(store_path))
        # the store of kept-out articles; the caller must call its `commit` and `close`
        self.kept_out: JsonlStore | None = None
        if keep_out:
            try:
                self.kept_out = JsonlStore(kept_out_path(store_path))
            except StoreError:
                self.list.close()
                raise

    def keeps_out(self, article: Article) -> bool:
        """Return True if an article is kept out of the crawl's store."""
        confidence = confidence_of(article)
        return self.kept_out is not None and confidence is not None and confidence < self.below

    def take(self, article: Article) -> None:
        """Remember an article's entry until the article is stored."""
        confidence = confidence_of(article)
        if confidence is None:
            self.n_without += 1
            return
        self.n_with += 1
        if confidence < self.below or self.list.is_open(identify(article)):
            entry = Entry.of(article, below=self.below, kept_out=self.keeps_out(article))
            self._waiting[entry.id] = entry

    def note(self, stored: Iterable[Stored]) -> Noted:
        """List the articles in doubt among those that have been committed.

        Raises StoreWriteError if the list cannot be written; the articles concerned must not be reported as done.
        """
        entries = [self._waiting.pop(each.id) for each in stored if each.id in self._waiting]
        doubtful = [entry for entry in entries if entry.is_open]
        return Noted(
            doubtful=len(doubtful),
            listed=self.list.note(entries),
            kept_out=sum(entry.kept_out for entry in doubtful),
        )

    def close(self) -> None:
        """Close the list."""
        self.list.close()
