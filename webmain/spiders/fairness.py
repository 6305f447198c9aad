"""How a crawl of many sites shares what all of them need, so that slow or large sites take nothing from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

MAX_WAITING: Final = 1_000_000
"""Addresses that wait, of all sites together."""

MIN_SHARE: Final = 1_000

_FOR_EACH: Final = {"CONCURRENT_REQUESTS": (5, 500), "SCRAPER_SLOT_MAX_ACTIVE_SIZE": (500_000, 200_000_000)}
"""What each site needs of a setting, and the most of it for all.

Requests that wait for their site's delay, or for a slow answer, are counted by Scrapy as under way: the few that are asked
for ahead of each site, and one of its sources, must not use up what others need. The same holds for the bytes of pages whose
further parts are waited for.
"""


def widen(settings: BaseSettings, n_sites: int) -> None:
    """Let enough be under way for so many sites, unless the user has chosen (`-s`); a spider does so in `from_crawler`."""
    for name, (each, most) in _FOR_EACH.items():
        wanted = min(most, each * n_sites)
        if settings.getint(name) < wanted:
            settings.set(name, wanted, priority="spider")


def share(limit: int, total: int, n_sites: int) -> int:
    """Return a limit for one site of many, so that all of them together have no more than a total, or `MIN_SHARE` each."""
    return min(limit, max(MIN_SHARE, total // max(1, n_sites)))
