"""The review list: stored articles with low confidence, for a person to check.

A file of JSON lines beside the store, appended to as the JSONL store is: each line is written whole or not at all,
existing lines are never changed, and the last line of an article counts. An article is listed again only when its text
changes; when its new text is no longer in doubt, a line records that, and the article is off the list.

An article is committed to its store first, then listed, and only then reported as done. If a crawl is killed in
between, the next one fetches the page again, finds the article unchanged, and lists it.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from webmain.article.identity import content_mark, identify
from webmain.files import AppendFile, NotAStoreError, StoreError, reason_of
from webmain.items import Article
from webmain.items.codec import UNREADABLE, build, encode
from webmain.store.jsonl import JsonlStore
from webmain.store.protocol import Stored

logger = logging.getLogger(__name__)

START_CHARS = 300  # characters of the text in an entry
FEW_CHARS = 300  # a text with fewer characters is listed with its length as a reason
UNSURE_BELOW = 0.5  # kept blocks with a score below this are counted as unsure


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the list."""

    id: str  # the id that the article is stored under
    url: str | None
    confidence: float  # the extractor's, in [0, 1]
    below: float  # the threshold it was compared with: an entry whose confidence is not below it ends the doubt
    why: str  # the reasons for the doubt, in a few words
    extractor: str
    title: str | None
    n_chars: int  # Unicode characters of the text
    start: str  # the first characters of the text, at most `START_CHARS`
    fetched_at: str | None  # ISO 8601, with time zone
    fingerprint: str  # of the text: it changes with the text
    kept_out: bool = False  # whether it is in the store beside the main one instead of the main one

    @property
    def is_open(self) -> bool:
        """Whether the article is still in doubt."""
        return self.confidence < self.below

    @classmethod
    def of(cls, article: Article, *, below: float, kept_out: bool = False) -> Self:
        """Return the entry of an article that has a confidence."""
        confidence = confidence_of(article)
        if confidence is None:
            raise ValueError("the article has no confidence")
        return cls(
            id=identify(article),
            url=article.url,
            confidence=confidence,
            below=below,
            why="; ".join(review_reasons(article, below=below)),
            extractor=article.extractor,
            title=article.title,
            n_chars=len(article.text),
            start=article.text[:START_CHARS],
            fetched_at=article.fetched_at.isoformat() if article.fetched_at else None,
            fingerprint=content_mark(article),
            kept_out=kept_out,
        )

    @classmethod
    def of_line(cls, line: bytes) -> Self | None:
        """Return a line's entry, or None if it is none. Keys of a later webmain are ignored."""
        try:
            entry = build(cls, json.loads(line))
        except UNREADABLE:
            return None
        required = (entry.id, entry.why, entry.extractor, entry.start, entry.fingerprint, entry.n_chars)
        numbers = (entry.confidence, entry.below)
        return entry if None not in (*required, *numbers) and all(map(math.isfinite, numbers)) else None


def confidence_of(article: Article) -> float | None:
    """Return an article's confidence, or None if it has none or one that is not a number."""
    found = article.confidence
    return None if found is None or not math.isfinite(found) else float(found)


def review_reasons(article: Article, *, below: float) -> list[str]:
    """Return the reasons to doubt an article's text, the confidence first; empty if it is not below the threshold."""
    confidence = confidence_of(article)
    if confidence is None or not confidence < below:
        return []
    reasons = [f"confidence {confidence:.3g} is below {below:g}"]
    unsure = sum(b.score is not None and b.score < UNSURE_BELOW for b in article.blocks)
    if unsure:
        reasons.append(f"{unsure} of {len(article.blocks)} blocks score below {UNSURE_BELOW:g}")
    if len(article.text) < FEW_CHARS:
        reasons.append(f"only {len(article.text)} characters")
    if article.paywalled:
        reasons.append("paywalled")
    if article.language == "und":
        reasons.append("language not recognised")
    if article.duplicate_of:
        reasons.append(f"a copy of {article.duplicate_of}")
    return reasons


def review_path(store_path: str | Path) -> Path:
    """Return the path of the list beside a store's file: "articles.jsonl.review" for "articles.jsonl"."""
    return Path(f"{store_path}.review")


class ReviewList:
    """An open review list; one process writes to a file at a time.

    `path`: created, with its folders, if missing.
    Raises NotAStoreError if the file is something else; it was left as it is. Raises StoreLockedError, StoreWriteError
    (as for stores).
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file = AppendFile(self.path, label=f"review list {self.path}")
        try:
            self._file.mend_lines("entry of a review list", lambda line: Entry.of_line(line) is not None)
            # complete lines that are not entries are left in the file and ignored
            self._known, self.damaged_lines = _entries(self.path)
        except BaseException:
            self._file.close()
            raise
        if self.damaged_lines:
            logger.warning("review list %s: %d lines are no entries; left alone", self.path, self.damaged_lines)

    def __len__(self) -> int:
        """Return how many articles are on the list: in doubt by their last line."""
        return sum(known.is_open for known in self._known.values())

    def is_open(self, article_id: str) -> bool:
        """Return True if an article is on the list."""
        known = self._known.get(article_id)
        return known is not None and known.is_open

    def is_new(self, entry: Entry) -> bool:
        """Return True if an entry adds to the list: a doubt, of this text, or that an earlier doubt is gone."""
        known = self._known.get(entry.id)
        if known is None or not known.is_open:
            return entry.is_open
        return known.fingerprint != entry.fingerprint or known.kept_out != entry.kept_out

    def add(self, entries: Iterable[Entry]) -> int:
        """Append the entries that are not in the list yet; return the number of lines written.

        Raises StoreFullError, StoreWriteError: the lines before the failing one are complete.
        """
        n = 0
        for entry in entries:
            if self.is_new(entry):
                self._file.append((encode(asdict(entry)) + "\n").encode())
                self._known[entry.id] = entry
                n += 1
        return n

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._file.close()


def _entries(path: Path) -> tuple[dict[str, Entry], int]:
    """Return the last entry of each article, and the number of complete lines that are not entries."""
    last: dict[str, Entry] = {}
    n_other = 0
    with path.open("rb", buffering=1 << 20) as file:
        for line in file:
            if not line.endswith(b"\n"):
                break  # another process is writing it, or died while doing so
            if (entry := Entry.of_line(line)) is not None:
                last[entry.id] = entry
            elif line.strip():
                n_other += 1
    return last, n_other


def read_review(path: str | Path) -> list[Entry]:
    """Return the articles whose last line leaves them in doubt, the least confident first; needs no lock.

    Raises NotAStoreError if the file is something else. Raises StoreError if it cannot be read.
    """
    try:
        last, n_other = _entries(Path(path))
    except OSError as error:
        raise StoreError(f"review list {path}: {reason_of(error)}") from error
    if n_other and not last:
        raise NotAStoreError(f"{path}: this is no review list; a crawl with review_below writes one beside its store")
    return sorted((entry for entry in last.values() if entry.is_open), key=lambda entry: (entry.confidence, entry.id))


class ReviewedArticles:
    """The review list of a crawl, and the store for articles kept out.

    Raises StoreError if a file is of another kind, is locked, or cannot be written.
    `store_path`: the file of the crawl's first store; the list and the kept-out articles are stored beside it. Articles
    with a confidence below `below` are in doubt, those without a confidence are not. `keep_out`: store articles in doubt
    in a JSONL store of their own.
    """

    def __init__(self, store_path: str | Path, *, below: float, keep_out: bool = False) -> None:
        self.below = below
        self.n_with = self.n_without = 0  # articles with and without a confidence
        self._waiting: dict[str, Entry] = {}
        self.list = ReviewList(review_path(store_path))
        # the store of kept-out articles; the caller must call its `commit` and `close`
        self.kept_out: JsonlStore | None = None
        if keep_out:
            try:
                self.kept_out = JsonlStore(f"{store_path}.kept_out")
            except StoreError:
                self.list.close()
                raise

    def keeps_out(self, article: Article) -> bool:
        """Return True if an article is kept out of the crawl's store."""
        confidence = confidence_of(article)
        return self.kept_out is not None and confidence is not None and confidence < self.below

    def check(self, article: Article) -> None:
        """Remember an article's entry until the article is stored."""
        confidence = confidence_of(article)
        if confidence is None:
            self.n_without += 1
            return
        self.n_with += 1
        if confidence < self.below or self.list.is_open(identify(article)):
            entry = Entry.of(article, below=self.below, kept_out=self.keeps_out(article))
            self._waiting[entry.id] = entry

    def record_stored(self, stored: Iterable[Stored]) -> dict[str, int]:
        """List the articles in doubt among those that have been committed; return counts of them, by name in the stats.

        Raises StoreWriteError if the list cannot be written; the articles concerned must not be reported as done.
        """
        entries = [self._waiting.pop(each.id) for each in stored if each.id in self._waiting]
        doubtful = [entry for entry in entries if entry.is_open]
        return {
            "doubtful": len(doubtful),
            "listed": self.list.add(entries),
            "kept_out": sum(entry.kept_out for entry in doubtful),
        }

    def close(self) -> None:
        """Close the list."""
        self.list.close()
