"""What a crawl has spent on one site, and its budget."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

from webmain.sites.budgets import Budget, as_size


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
