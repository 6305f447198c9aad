"""Pages listed in feeds and sitemaps."""

from __future__ import annotations

from dataclasses import dataclass, field

from webmain.discovery.safe_xml import absolute_url
from webmain.items import Hints


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A page listed in a feed or sitemap.

    Attributes
    ----------
    url : str
        Absolute, without fragment.
    hints : Hints
        What the source says about the page; title and summary as plain text, dates unparsed. Relative addresses inside
        `content_html` are left as they are.
    """

    url: str
    hints: Hints = field(default=Hints(source="sitemap"))


class EntryCollector:
    """Distinct addresses in order, with their hints.

    Attributes
    ----------
    limit : int
        The most addresses that are kept.
    n : int
        Addresses kept so far, including those already taken out.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.n = 0
        self._found: dict[str, Hints] = {}

    def is_full(self) -> bool:
        """Return True if the limit is reached."""
        return self.n >= self.limit

    def add(self, raw: str | None, base: str, hints: Hints) -> None:
        """Keep an address if it is usable and new, and the limit is not reached."""
        url = absolute_url(raw, base)
        if url is not None and url not in self._found and not self.is_full():
            self._found[url] = hints
            self.n += 1

    def pop_entries(self) -> tuple[Entry, ...]:
        """Return the entries found since the last call, and remove them."""
        found, self._found = self._found, {}
        return tuple(Entry(url=url, hints=hints) for url, hints in found.items())
