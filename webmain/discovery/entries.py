"""Pages that feeds and sitemaps name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from webmain.discovery.markup import absolute_url
from webmain.items import Hints


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One page that a feed or sitemap names.

    Attributes
    ----------
    url : str
        Absolute, without fragment.
    hints : Hints
        What is said of it there; title and summary as plain text, dates unparsed. Relative addresses inside
        `content_html` stay as they are.
    """

    url: str
    hints: Hints = field(default=Hints(source="sitemap"))


class Collected:
    """Addresses in their order, each once, with what is said of them, and a count of what is left out.

    Attributes
    ----------
    limit : int
        Addresses that are kept.
    n : int
        Addresses so far, with those that were taken out.
    """

    def __init__(self, limit: int, skipped: Counter[str]) -> None:
        self.limit = limit
        self.n = 0
        self._skipped = skipped
        self._found: dict[str, Hints] = {}

    def is_full(self) -> bool:
        """Return True if there are as many as are kept."""
        return self.n >= self.limit

    def add(self, raw: str | None, base: str, hints: Hints) -> None:
        """Keep an address that is usable and new."""
        url = absolute_url(raw, base)
        if url is None:
            self._skipped["bad_url" if raw and raw.strip() else "no_url"] += 1
        elif url in self._found:
            self._skipped["duplicate"] += 1
        elif self.is_full():
            self._skipped["too_many"] += 1
        else:
            self._found[url] = hints
            self.n += 1

    def take(self) -> tuple[Entry, ...]:
        """Take out what was found since the last time."""
        found, self._found = self._found, {}
        return tuple(Entry(url=url, hints=hints) for url, hints in found.items())
