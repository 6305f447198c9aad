"""Share limits among the sites of a crawl, so that slow or large sites do not slow down the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

MAX_WAITING: Final = 1_000_000
"""Addresses that may wait, for all sites together."""

MIN_SHARE: Final = 1_000

_FOR_EACH: Final = {"CONCURRENT_REQUESTS": (5, 500), "SCRAPER_SLOT_MAX_ACTIVE_SIZE": (500_000, 200_000_000)}
"""For each setting: how much each site needs, and the maximum for all sites together.

Scrapy counts requests as active while they wait for their site's delay or for a slow answer. The few requests that are
scheduled ahead for each site, and one of its sources, must not use up the capacity of other sites. The same holds for the
bytes of pages that wait for their further parts.
"""


def widen_limits(settings: BaseSettings, n_sites: int) -> None:
    """Raise Scrapy's limits for this many sites, unless the user set them (`-s`); called in a spider's `from_crawler`."""
    for name, (each, most) in _FOR_EACH.items():
        wanted = min(most, each * n_sites)
        if settings.getint(name) < wanted:
            settings.set(name, wanted, priority="spider")


def share(limit: int, total: int, n_sites: int) -> int:
    """Return one site's share of a limit, so that all sites together stay within a total; at least `MIN_SHARE`."""
    return min(limit, max(MIN_SHARE, total // max(1, n_sites)))
