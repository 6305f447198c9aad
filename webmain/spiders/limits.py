"""Limits of the work on each site, shared among the sites so that slow or large ones do not slow down the others."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from webmain.sites.budgets import Budget, as_size

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of the work on one site; each is a setting (see `webmain.spiders.news`).

    Attributes
    ----------
    hubs : int
        Hub pages fetched.
    hub_depth : int
        Steps from the front page to a hub.
    link_depth : int
        Steps from the front page, or from a source, to an article whose links are followed.
    alike : int
        Hubs without new articles whose addresses differ only in numbers: pages of a list, months of a calendar.
    siblings : int
        Hubs without new articles in one folder, as for tags and authors.
    misses : int
        Pages of one folder that were no articles, without any that was one; then the folder is skipped.
    parts : int
        Pages of one article.
    sitemaps, feeds : int
        Sitemaps and feeds read.
    frontier : int
        Waiting addresses; beyond these the oldest are dropped.
    remembered : int
        Texts, lists and folders that are remembered, of each kind; a tenth of it for addresses in links.
    """

    hubs: int = 100
    hub_depth: int = 5
    link_depth: int = 50
    alike: int = 5
    siblings: int = 30
    misses: int = 25
    parts: int = 20
    sitemaps: int = 50
    feeds: int = 20
    frontier: int = 50_000
    remembered: int = 200_000


def site_limits(settings: BaseSettings, n_sites: int) -> Limits:
    """Return the limits for each of this many sites, as the settings have them."""
    usual = asdict(Limits()).items()
    values = {name: settings.getint(f"WEBMAIN_MAX_{name.upper()}", limit) for name, limit in usual}
    values["frontier"] = share(values["frontier"], MAX_WAITING, n_sites)
    values["remembered"] = share(values["remembered"], 2 * MAX_WAITING, n_sites)
    return Limits(**values)


def widen_limits(settings: BaseSettings, n_sites: int) -> None:
    """Raise Scrapy's limits for this many sites, unless the user set them (`-s`); called in a spider's `from_crawler`."""
    for name, (each, most) in _FOR_EACH.items():
        wanted = min(most, each * n_sites)
        if settings.getint(name) < wanted:
            settings.set(name, wanted, priority="spider")


def share(limit: int, total: int, n_sites: int) -> int:
    """Return one site's share of a limit, so that all sites together stay within a total; at least `MIN_SHARE`."""
    return min(limit, max(MIN_SHARE, total // max(1, n_sites)))


class Spending:
    """Pages, time and bytes spent on a site.

    Parameters
    ----------
    budget : Budget
    clock : callable
        A monotonic clock, in seconds.

    Attributes
    ----------
    n_pages, n_bytes : int
        Pages downloaded or requested so far; bytes of all responses.
    """

    def __init__(self, budget: Budget, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.budget = budget
        self.n_pages = self.n_bytes = 0
        self._clock = clock
        self._began_s: float | None = None

    def add_response(self, n_bytes: int) -> None:
        """Count a response; the site's time starts with the first one."""
        self.n_bytes += n_bytes
        if self._began_s is None:
            self._began_s = self._clock()

    def exhausted(self) -> str | None:
        """Return which budget is spent, as text for the summary; None if none is."""
        budget = self.budget
        if budget.pages is not None and self.n_pages >= budget.pages:
            return f"budget of {budget.pages:,} pages spent"
        if budget.size_bytes is not None and self.n_bytes >= budget.size_bytes:
            return f"budget of {as_size(budget.size_bytes)} spent"
        if budget.time_s is not None and self._began_s is not None and self._clock() - self._began_s >= budget.time_s:
            return f"budget of {timedelta(seconds=round(budget.time_s))} spent"
        return None
