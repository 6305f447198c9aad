"""A crawl's browser: scrapy-playwright's handler with a Chromium without network access; each page has its own window.

Imported only if pages are rendered, since it needs the extra `render`.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from playwright.async_api import Error as BrowserError
from scrapy import Request
from scrapy.http import Response
from scrapy_playwright.handler import Config, ScrapyPlaywrightDownloadHandler

from webmain.crawl.options import own
from webmain.items.rendered import NoBrowserError, RenderingError
from webmain.rendering.chromium import bounded_memory, context_options, launch_options

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page
    from scrapy import Spider
    from scrapy.crawler import Crawler

    from webmain.rendering.page_load import PageLoad

logger = logging.getLogger(__name__)

WIDTH, HEIGHT = 1280, 1024
"""Size of the window, in CSS pixels."""

CLOSE_S: Final = 5.0
"""Seconds in which a window must close; else the browser is ended, and restarted for the next page."""


class Browser(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """Draws pages; Chromium starts with the first of them."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        logging.getLogger("scrapy-playwright").setLevel(logging.ERROR)  # errors are counted
        settings = own(crawler.settings)
        sandbox = settings.getbool("WEBMAIN_CHROMIUM_SANDBOX")
        launch = launch_options(settings.get("WEBMAIN_CHROMIUM") or "", sandbox=sandbox)
        self._timeout_s = settings.getfloat("WEBMAIN_RENDER_TIMEOUT_S")
        self.config: Config = replace(
            Config.from_settings(crawler.settings),
            launch_options=dict(launch),
            max_pages_per_context=1,
            startup_context_kwargs={},
            navigation_timeout_ms=1000 * self._timeout_s,
            target_closed_max_retries=0,
        )
        self._windows = asyncio.Semaphore(max(1, settings.getint("WEBMAIN_RENDER_WINDOWS")))
        user_agent = crawler.settings.get("USER_AGENT") or "webmain"
        self._context = context_options(user_agent=user_agent, width=WIDTH, height=HEIGHT)
        self._numbers = itertools.count()
        self._is_started = False
        self._lock = asyncio.Lock()

    async def render(self, load: PageLoad) -> bytes:
        """Return a page's rendering.

        Raises
        ------
        RenderingError
            The page cannot be rendered; a short reason: "timeout", "too_large", ... `NoBrowserError`: nor can any other.
        """
        try:
            async with self._lock:
                if not self._is_started:
                    with bounded_memory():
                        await self._launch()
                    self._is_started = True
            await self._maybe_launch_browser()
        except BrowserError as error:
            raise NoBrowserError(f"Chromium does not start: {_message(error)}") from error
        name = f"page {next(self._numbers)}"
        window = {"playwright_context": name, "playwright_context_kwargs": dict(self._context)}
        request = Request(load.url, meta={"playwright": True, **window, "load": load})
        async with self._windows:
            try:
                response = await asyncio.wait_for(self.download_request(request), self._timeout_s)
            except TimeoutError:
                raise RenderingError("timeout") from None
            except BrowserError as error:
                raise RenderingError(f"browser: {_message(error)}") from error
            finally:
                await self._close_window(name)
        return bytes(response.body)

    async def _download_request_with_page(self, request: Request, page: Page, spider: Spider) -> Response:
        """Load a page, instead of what scrapy-playwright does with one."""
        load: PageLoad = request.meta["load"]
        return Response(request.url, body=await load.run(page))

    async def _close_window(self, name: str) -> None:
        """Close a page's window, whatever the page does."""
        wrapper = self.context_wrappers.get(name)
        if wrapper is None:
            return
        context: BrowserContext = wrapper.context
        try:
            await asyncio.wait_for(context.close(), CLOSE_S)
        except TimeoutError:
            logger.info("a window does not close; the browser is ended")
            browser: Any = self.browser
            with suppress(BrowserError, TimeoutError):
                await asyncio.wait_for(browser.close(), CLOSE_S)
        except BrowserError as error:
            logger.debug("a window was closed already: %s", error.message)


def _message(error: BrowserError) -> str:
    """Return the useful part of an error: its first line, and why there is no sandbox."""
    lines = [line.strip() for line in error.message.splitlines() if line.strip()]
    reasons = [line for line in lines if "sandbox" in line.lower() and "--" not in line]
    return " ".join([*lines[:1], *reasons[:1]])[:400]
