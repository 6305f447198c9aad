"""Candidates for fetching: where their addresses were found, limits on their number, and the backlog of sitemaps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from functools import lru_cache
from typing import Final, TypeVar

from webmain.discovery.articles import UrlJudgement
from webmain.discovery.frontier import UNDATED, newest_key
from webmain.items import Hints
from webmain.spiders.addresses import is_personal, patterns
from webmain.spiders.limits import Limits


class FoundOn(IntEnum):
    """Where an address was found."""

    FRONT = 0  # on the front page
    HUB = 1  # on another page of the site
    SITEMAP = 2
    FEED = 3
    LEDGER = 4  # in the ledger, left over from an earlier run
    ARTICLE = 5  # in an article
    NEXT = 6  # on a list, as its next page


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that may be fetched: a likely article, or a hub.

    Attributes
    ----------
    url : str
        Normalised.
    site : str
        The site's name in this crawl.
    depth : int
        Steps from the front page, for hubs.
    """

    url: str
    site: str
    is_hub: bool
    depth: int
    newest: float


@dataclass(slots=True)
class KnownLink:
    """The normalised address and judgement of a link, cached so that menus are judged only once.

    Attributes
    ----------
    is_settled : bool
        Further links from articles to this address change nothing (`Site.candidates_from`).
    """

    url: str
    judgement: UrlJudgement
    is_settled: bool = False


_DAY_S: Final = 24 * 3600.0
PRESUMED_AGE_S: Final = {FoundOn.FRONT: _DAY_S, FoundOn.HUB: 7 * _DAY_S, FoundOn.ARTICLE: 30 * _DAY_S}
"""Assumed age of an undated article, by where it is linked."""

_HUB_AGES_S: Final = (2 * _DAY_S, 2 * _DAY_S, 14 * _DAY_S, 60 * _DAY_S)
"""Assumed age of hubs, by depth: a section is read after the articles of the last two days."""

_PERSONAL_AGE_S: Final = 30 * _DAY_S


def hub_age_s(url: str, depth: int) -> float:
    """Return the assumed age of a hub in seconds; pages of tags and authors come later."""
    return _HUB_AGES_S[min(depth, len(_HUB_AGES_S) - 1)] + (_PERSONAL_AGE_S if is_personal(url) else 0)


_MAX_REFUSED: Final = 5_000


class Hubs:
    """Counts a site's hubs, in all and by similar addresses.

    Parameters
    ----------
    limits : Limits
        Limits on all hubs, on similar hubs, and on hubs in one folder.
    skipped : Counter
        Where hubs refused for too many similar ones are counted, as "hubs_alike".
    """

    def __init__(self, limits: Limits, skipped: Counter[str]) -> None:
        self._limits, self._skipped = limits, skipped
        self._n = 0
        self._like: Counter[str] = Counter()
        self._refused: dict[str, int] = {}

    def admit(self, url: str, depth: int) -> bool:
        """Count a hub and return True if it is within the limits; else remember it with its depth."""
        is_alike = self._is_alike(url)
        if is_alike or self._n >= self._limits.hubs:
            if url not in self._refused and len(self._refused) < _MAX_REFUSED:
                self._skipped["hubs_alike"] += is_alike
                self._refused[url] = depth
            return False
        self._like.update(filter(None, patterns(url)))
        self._n += 1
        return True

    def credit(self, url: str, *, is_article: bool) -> None:
        """Stop counting a hub against similar ones, since it led to new articles or was one."""
        self._n -= is_article
        self._like.subtract(filter(None, patterns(url)))

    def pop_admissible(self) -> tuple[str, int] | None:
        """Remove and return the first refused hub that is within the limits now, with its depth."""
        if self._n >= self._limits.hubs:
            return None
        free = next((url for url in self._refused if not self._is_alike(url)), None)
        return None if free is None else (free, self._refused.pop(free))

    def _is_alike(self, url: str) -> bool:
        folder, numbered = patterns(url)
        return self._like[folder] >= self._limits.siblings or bool(
            numbered and self._like[numbered] >= self._limits.alike
        )


_DAY: Final = re.compile(r"(?<!\d)(?:19|20)\d\d([-/])\d\d\1\d\d(?!\d)")


class Backlog:
    """The addresses of a site's sitemaps that are not judged yet, the newest first.

    Parameters
    ----------
    limit : int
        Addresses to keep; beyond these the oldest are dropped.
    skipped : Counter
        Where dropped addresses are counted, as "frontier_full".

    Attributes
    ----------
    has_dropped : bool
        Whether any were dropped.
    """

    def __init__(self, limit: int, skipped: Counter[str]) -> None:
        self._limit, self._skipped = limit, skipped
        self._sorted: list[tuple[float, int, str, Hints | None]] = []
        self._added: list[tuple[float, int, str, Hints | None]] = []
        self._n = 0
        self.has_dropped = False

    def __len__(self) -> int:
        return len(self._sorted) + len(self._added)

    def add(self, url: str, hints: Hints | None) -> None:
        """Keep an address; of equally new ones, the first added is taken first."""
        self._n -= 1
        self._added.append((_presumed(url, hints), self._n, url, hints))
        if len(self) > 2 * self._limit:
            self._sort()

    def newest(self) -> float:
        """Return approximately when the newest article appeared, erring on the late side; `UNDATED` if there is none."""
        if self._added:
            self._sort()
        return self._sorted[-1][0] if self._sorted else UNDATED

    def pop_newest(self, n: int) -> list[tuple[str, Hints | None]]:
        """Remove and return the newest addresses."""
        if self._added:
            self._sort()
        taken = self._sorted[: -n - 1 : -1]
        del self._sorted[-n:]
        return [(url, hints) for _, _, url, hints in taken]

    def _sort(self) -> None:
        self._sorted = sorted([*self._sorted, *self._added])
        self._added = []
        dropped = max(0, len(self._sorted) - self._limit)
        del self._sorted[:dropped]
        if dropped:
            self.has_dropped = True
            self._skipped["frontier_full"] += dropped


def _presumed(url: str, hints: Hints | None) -> float:
    """Return a day after the end of the date given by the source or in the address; `UNDATED` if there is none."""
    text = (hints.published or hints.modified or "") if hints else ""
    match = _DAY.match(text) or (None if text else _DAY.search(url))
    return _end_of(match[0].replace("/", "-")) if match else newest_key(url, hints) if text else UNDATED


@lru_cache(maxsize=10_000)
def _end_of(day: str) -> float:
    try:
        return (datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days=2)).timestamp()
    except (ValueError, OverflowError):
        return UNDATED


_RANKS: Final = {"feed": 2, "news-sitemap": 1}


def merge_hints(one: Hints, other: Hints) -> Hints:
    """Merge the hints of two sources for a page; where both have a value, feeds outrank news sitemaps, and those sitemaps."""
    if _RANKS.get(other.source, 0) > _RANKS.get(one.source, 0):
        one, other = other, one
    missing = {f.name: value for f in fields(Hints) if not getattr(one, f.name) and (value := getattr(other, f.name))}
    return replace(one, **missing) if missing else one


T = TypeVar("T")


def add_within_limit(known: set[T], values: Iterable[T], limit: int) -> None:
    """Add values to a set unless it has reached its limit."""
    if len(known) < limit:
        known.update(values)
