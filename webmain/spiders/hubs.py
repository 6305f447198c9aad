"""Which lists of a site are read: bounded in number, and by what those like them led to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from webmain.spiders.addresses import patterns

_MAX_REFUSED: Final = 5_000


class Hubs:
    """Counts the hubs of a site and their like.

    Parameters
    ----------
    most : int
        Hubs in all.
    alike : int
        Hubs that led to nothing new and whose addresses differ in numbers alone.
    siblings : int
        Such hubs in one folder.

    Attributes
    ----------
    n_alike : int
        Hubs refused for their like.
    """

    def __init__(self, *, most: int, alike: int, siblings: int) -> None:
        self.n_alike = 0
        self._most, self._alike, self._siblings = most, alike, siblings
        self._n = 0
        self._like: Counter[str] = Counter()
        self._refused: dict[str, int] = {}

    def take(self, url: str, depth: int) -> bool:
        """Count a hub in, unless there are enough; one that is refused is remembered with its depth."""
        is_alike = self._is_alike(url)
        if is_alike or self._n >= self._most:
            if url not in self._refused and len(self._refused) < _MAX_REFUSED:
                self.n_alike += is_alike
                self._refused[url] = depth
            return False
        self._like.update(filter(None, patterns(url)))
        self._n += 1
        return True

    def credit(self, url: str, *, is_article: bool) -> None:
        """Take a hub that led to new articles, or was one, out of the count of its like."""
        self._n -= is_article
        self._like.subtract(filter(None, patterns(url)))

    def pop_free(self) -> Iterator[tuple[str, int]]:
        """Yield the first hub that was refused and need not be now, with its depth; it is forgotten."""
        if self._n >= self._most:
            return
        free = next((url for url in self._refused if not self._is_alike(url)), None)
        if free is not None:
            yield free, self._refused.pop(free)

    def _is_alike(self, url: str) -> bool:
        folder, numbered = patterns(url)
        return self._like[folder] >= self._siblings or bool(numbered and self._like[numbered] >= self._alike)
