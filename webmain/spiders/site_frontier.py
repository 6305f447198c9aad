"""The frontier of one site: the newest addresses first, each once per crawl, with the hints of feeds and sitemaps."""

from __future__ import annotations

import heapq
from collections import Counter

from webmain.items import Hints
from webmain.spiders.candidates import Backlog, Candidate, merge_hints


class SiteFrontier:
    """Candidates by age, and the addresses that are already done.

    Parameters
    ----------
    limit : int
        SiteFrontier candidates to keep; when there are twice as many, the oldest are dropped.

    Attributes
    ----------
    skipped : Counter
        Addresses left out, by reason, since the last call of `pop_skipped`.
    backlog : Backlog
        Addresses from sitemaps that are not judged yet.
    """

    def __init__(self, limit: int) -> None:
        self.skipped: Counter[str] = Counter()
        self.backlog = Backlog(limit, self.skipped)
        self._limit = limit
        self._heap: list[tuple[float, int, Candidate]] = []
        self._count = 0
        self._queued: dict[str, float] = {}  # normalised address -> its newest key
        self._done: set[int] = set()  # hashes of addresses fetched, merged into another, or given up
        self._hints: dict[str, Hints] = {}

    def __len__(self) -> int:
        """Return the number of waiting addresses."""
        return len(self._queued)

    def push(self, candidate: Candidate) -> None:
        """Queue a candidate."""
        self._queued[candidate.url] = candidate.newest
        self._count += 1
        heapq.heappush(self._heap, (-candidate.newest, self._count, candidate))
        if len(self._heap) > 2 * self._limit:
            self._prune()

    def _prune(self) -> None:
        """Drop the oldest waiting candidates."""
        current = [entry for entry in self._heap if self._is_current(entry[2])]
        self._heap = heapq.nsmallest(self._limit, current)
        kept = {entry[2].url for entry in self._heap}
        for url in [url for url in self._queued if url not in kept]:
            self.drop(url, "frontier_full")

    def _is_current(self, candidate: Candidate) -> bool:
        """Return True if a candidate still waits, and was not queued again with a newer key."""
        return self._queued.get(candidate.url) == candidate.newest

    def pop(self) -> Candidate | None:
        """Remove and return the newest candidate; None if nothing waits."""
        while self._heap:
            _, _, candidate = heapq.heappop(self._heap)
            if self._is_current(candidate):
                del self._queued[candidate.url]
                self._done.add(hash(candidate.url))
                return candidate
        return None

    def is_backlog_due(self) -> bool:
        """Return True if the newest waiting address is in the backlog."""
        if not self.backlog:
            return False
        while self._heap and not self._is_current(self._heap[0][2]):
            heapq.heappop(self._heap)
        return not self._heap or self.backlog.newest() > -self._heap[0][0]

    def pop_hints(self, url: str) -> Hints | None:
        """Remove and return the hints for an address."""
        return self._hints.pop(url, None)

    def peek_hints(self, url: str) -> Hints | None:
        """Return the hints for an address, and keep them."""
        return self._hints.get(url)

    def is_done(self, url: str) -> bool:
        """Return True if an address was already fetched or merged into another."""
        return hash(url) in self._done

    def is_queued(self, url: str) -> bool:
        """Return True if an address is queued."""
        return url in self._queued

    def mark_done(self, url: str) -> Hints | None:
        """Remove an address whose page was fetched under another one; return its hints."""
        self._done.add(hash(url))
        self._queued.pop(url, None)
        return self._hints.pop(url, None)

    def drop(self, url: str, reason: str) -> None:
        """Leave out an address, and count the reason."""
        self._queued.pop(url, None)
        self._hints.pop(url, None)
        self.skipped[reason] += 1

    def add_hints(self, url: str, hints: Hints) -> None:
        """Remember a source's hints for an address."""
        known = self._hints.get(url)
        self._hints[url] = hints if known is None or known == hints else merge_hints(known, hints)

    def pop_skipped(self) -> Counter[str]:
        """Return the counts of addresses left out since the last call, and reset them."""
        taken = Counter(self.skipped)
        self.skipped.clear()
        return taken
