"""How the addresses of one site wait: the newest first, each once a crawl, with what feeds and sitemaps said of them."""

from __future__ import annotations

import heapq
from collections import Counter

from webmain.items import Hints
from webmain.spiders.queues import Backlog, Candidate, richer


class Waiting:
    """Candidates by age, and the addresses that had their turn.

    Parameters
    ----------
    limit : int
        Candidates that wait; beyond twice as many the oldest are dropped.

    Attributes
    ----------
    skipped : Counter
        Addresses left out, by reason, since the caller last took them (`take_skipped`).
    backlog : Backlog
        Addresses of sitemaps that nobody has judged yet.
    """

    def __init__(self, limit: int) -> None:
        self.skipped: Counter[str] = Counter()
        self.backlog = Backlog(limit, self.skipped)
        self._limit = limit
        self._heap: list[tuple[float, int, Candidate]] = []
        self._count = 0
        self._queued: dict[str, float] = {}  # normalised address -> its best key
        self._gone: set[int] = set()  # hashes of what was fetched, folded into another, or given up
        self._hints: dict[str, Hints] = {}

    def __len__(self) -> int:
        """Addresses that wait."""
        return len(self._queued)

    def push(self, candidate: Candidate) -> None:
        """Let a candidate wait for its turn."""
        self._queued[candidate.url] = candidate.newest
        self._count += 1
        heapq.heappush(self._heap, (-candidate.newest, self._count, candidate))
        if len(self._heap) > 2 * self._limit:
            self._prune()

    def _prune(self) -> None:
        """Drop the oldest of what waits."""
        current = [entry for entry in self._heap if self._is_current(entry[2])]
        self._heap = heapq.nsmallest(self._limit, current)
        kept = {entry[2].url for entry in self._heap}
        for url in [url for url in self._queued if url not in kept]:
            self.forget(url, "frontier_full")

    def _is_current(self, candidate: Candidate) -> bool:
        """Return True if a candidate still waits, and not in a better place."""
        return self._queued.get(candidate.url) == candidate.newest

    def pop(self) -> Candidate | None:
        """Take the newest candidate; None where nothing waits."""
        while self._heap:
            _, _, candidate = heapq.heappop(self._heap)
            if self._is_current(candidate):
                del self._queued[candidate.url]
                self._gone.add(hash(candidate.url))
                return candidate
        return None

    def is_backlog_due(self) -> bool:
        """Return True if the newest of what waits is among the addresses that are not judged yet."""
        if not self.backlog:
            return False
        while self._heap and not self._is_current(self._heap[0][2]):
            heapq.heappop(self._heap)
        return not self._heap or self.backlog.newest() > -self._heap[0][0]

    def hints(self, url: str) -> Hints | None:
        """Take what feeds and sitemaps said of an address."""
        return self._hints.pop(url, None)

    def peek_hints(self, url: str) -> Hints | None:
        """Return what feeds and sitemaps said of an address, and keep it."""
        return self._hints.get(url)

    def is_gone(self, url: str) -> bool:
        """Return True if an address was fetched or folded already."""
        return hash(url) in self._gone

    def is_waiting(self, url: str) -> bool:
        """Return True if an address will be fetched."""
        return url in self._queued

    def fold(self, url: str) -> Hints | None:
        """Take an address out: the page that was fetched is the same; what was said of it is returned."""
        self._gone.add(hash(url))
        self._queued.pop(url, None)
        return self._hints.pop(url, None)

    def forget(self, url: str, reason: str) -> None:
        """Leave an address out, for this reason."""
        self._queued.pop(url, None)
        self._hints.pop(url, None)
        self.skipped[reason] += 1

    def note_hints(self, url: str, hints: Hints) -> None:
        """Remember what a feed or sitemap said of an address."""
        known = self._hints.get(url)
        self._hints[url] = hints if known is None or known == hints else richer(known, hints)

    def take_skipped(self) -> Counter[str]:
        """Return what was left out since the last call."""
        taken = Counter(self.skipped)
        self.skipped.clear()
        return taken
