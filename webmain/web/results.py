"""A bounded cache of results, which can be opened again under their address."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webmain.items import Page
from webmain.items.keep import Keep

if TYPE_CHECKING:
    from webmain.web.work import PageResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A page that was processed.

    Attributes
    ----------
    place : str
        The path under which it is shown; it cannot be guessed.
    page : Page
        As it came, for the next method.
    source : str
        Its source, for people.
    keep : Keep
    shown : PageResult
        The result as it is shown.
    gold : str
        The wanted text; "" if none was given.
    """

    place: str
    page: Page
    source: str
    keep: Keep
    shown: PageResult
    gold: str = ""

    @property
    def size(self) -> int:
        """Approximate size in characters and bytes."""
        shown = self.shown
        texts = [self.gold, shown.comparison, shown.overlay]
        texts += [text for one in shown.judged for text in (one.overlay, one.parts, one.parts, one.parts)]
        return len(self.page.body or self.page.html or "") + sum(map(len, texts))


class Results:
    """The most recent results; the least recently used are dropped first.

    Parameters
    ----------
    most, most_bytes : int
        How many, and how large together.
    """

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._found: OrderedDict[str, Result] = OrderedDict()

    def add(self, result: Result) -> None:
        """Keep a result."""
        self._found[result.place] = result
        while len(self._found) > 1 and (
            len(self._found) > self._most or sum(one.size for one in self._found.values()) > self._most_bytes
        ):
            self._found.popitem(last=False)

    def get(self, place: str) -> Result | None:
        """Return a result, or None if it was dropped."""
        if place not in self._found:
            return None
        self._found.move_to_end(place)
        return self._found[place]
