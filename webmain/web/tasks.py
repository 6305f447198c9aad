"""Fetches and processes pages: a bounded number at once, within limits, in processes that can be killed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, TypeVar

from webmain import __version__
from webmain.items import Page, Reason, Rejected
from webmain.net.errors import FetchError
from webmain.net.fetch import fetch
from webmain.processes.pool import Pool, PoolError
from webmain.web.config import Config
from webmain.web.problems import Problem, fetch_problem, sentence

T = TypeVar("T")

logger = logging.getLogger(__name__)

RETRY_AFTER_S: Final = 5
WARM_UP_AFTER_S: Final = 1.0
"""Seconds after the server's start before workers start, so that the first page loads quickly."""


class Tasks:
    """Runs slow tasks: at most `Limits.tasks` of them running or waiting; a further one is refused.

    Parameters
    ----------
    config : Config
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._pool: Pool | None = None
        self.n_busy = 0
        self._closed = False
        self._fetching = ThreadPoolExecutor(max(1, config.limits.tasks), "webmain-fetch")  # slow sites delay no page

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Reserve one of the places for tasks.

        Raises
        ------
        Problem
            There is none.
        """
        if self.n_busy >= self._config.limits.tasks:
            message = f"{self.n_busy} pages are being worked with."
            raise Problem(503, message, headers={"retry-after": str(RETRY_AFTER_S)})
        self.n_busy += 1
        try:
            yield
        finally:
            self.n_busy -= 1

    async def fetch(self, url: str) -> Page:
        """Fetch a page through the fetcher with address checks.

        Raises
        ------
        Problem
            Why it could not be fetched.
        """
        config = self._config
        agent = f"webmain/{__version__}" + (f" (+{config.contact})" if config.contact else "")
        fetching = partial(
            fetch,
            url,
            user_agent=agent,
            timeout_s=config.limits.fetch_s,
            max_bytes=config.limits.page_bytes,
            allow_private=config.allow_private,
        )
        try:
            return await asyncio.get_running_loop().run_in_executor(self._fetching, fetching)
        except FetchError as error:
            raise fetch_problem(error) from None

    async def run(self, work: Callable[..., T], page: Page, *, n: int = 1, **arguments: Any) -> T:
        """Call `work` in a worker with the page and further arguments; `n` is how many times it processes a page.

        Raises
        ------
        Problem
            The page is rejected, or the work with it took too long.
        """
        limits = self._config.limits
        task = partial(work, page=page, **arguments)
        future = self._workers().submit(task, url=page.url, limit_s=n * limits.page_s, wall_s=n * limits.work_s)
        try:
            answer: T = await asyncio.wrap_future(future)
            return answer
        except Rejected as rejected:
            raise _rejection(rejected) from None
        except PoolError as error:
            logger.error("No worker: %s", error)
            raise Problem(503, "No process can be started for the page.") from None

    def warm_up(self) -> None:
        """Start the workers after a delay, so that the first task need not wait for them."""
        asyncio.get_running_loop().call_later(WARM_UP_AFTER_S, self._start)

    def _start(self) -> None:
        if self._pool is None and not self._closed:  # no task has started them yet
            self._workers().start()

    async def renew(self, config: Config) -> None:
        """Use other settings for all further tasks; workers with the old settings end."""
        old, self._pool, self._config = self._pool, None, config
        if old is not None:
            await asyncio.to_thread(old.close)

    def close(self) -> None:
        """Stop all workers, even in the middle of a task."""
        self._closed = True
        self._fetching.shutdown(wait=False, cancel_futures=True)
        if self._pool is not None:
            self._pool.close()

    def _workers(self) -> Pool:
        if self._pool is None:
            from webmain.extraction import Options
            from webmain.web.work import worker

            config = self._config
            options = Options(max_bytes=config.limits.page_bytes, timeout_s=config.limits.page_s, sites=config.sites)
            self._pool = Pool(partial(worker, options, config.models), config.limits.workers)
        return self._pool


def _rejection(rejected: Rejected) -> Problem:
    """Return the problem for a rejected page."""
    if rejected.reason is Reason.INTERNAL_ERROR:
        return Problem(422, "Processing this page failed; the server's log says more.", code="internal_error")
    detail = rejected.detail or rejected.reason.value.replace("_", " ")
    status = 413 if rejected.reason is Reason.TOO_LARGE else 422
    return Problem(status, sentence(f"{detail}."), code=rejected.reason.value)
