"""Loads one page in the browser: answers or blocks each of its requests, and reads the page once it is idle."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from webmain.html.tree import BLOCK_TAGS, MAX_ELEMENTS
from webmain.items.rendered import (
    MARK,
    MAX_BOXES,
    MAX_BYTES,
    MAX_HTML_CHARS,
    MAX_STYLES,
    MAX_VALUE_CHARS,
    RenderingError,
)
from webmain.rendering.request_rules import MAX_ANSWER_BYTES, RequestRules

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page, Route

STEPS: Final = 8
"""Window heights that a page is scrolled down, so that it loads lazy content."""

POLL_S: Final = 0.1
QUIET_POLLS: Final = 3
"""A page is idle when it has not changed, and no request is pending, at this many successive checks."""

SETTLE_S: Final = 8.0
"""Seconds after which a page is read even if it is not idle."""

_STATE = """
[document.readyState == 'loading' ? 'loading' : 'there',
 scrollY + innerHeight + 2 >= document.documentElement.scrollHeight ? 'at its end' : 'above',
 document.getElementsByTagName('*').length, document.body ? document.body.textContent.length : 0].join(' ')
"""
_KEPT = re.compile(r"content-type|content-language|access-control-allow-.{1,40}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FetchedResponse:
    """A server's response, with its content encoding decoded.

    Attributes
    ----------
    location : str or None
        Absolute address to which it redirects.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    location: str | None = None


Fetch = Callable[[str, Mapping[str, str]], Awaitable[FetchedResponse | None]]
"""Fetches an address with headers, with address checks; None if there is no response."""


@dataclass
class PageLoad:
    """Renders one page whose markup has been fetched already.

    Parameters
    ----------
    url : str
        Its address.
    main : FetchedResponse
        The page itself.
    rules : RequestRules
        The requests it may make.
    fetch : Fetch
    """

    url: str
    main: FetchedResponse
    rules: RequestRules
    fetch: Fetch
    _is_begun: bool = False
    _n_pending: int = 0

    async def run(self, view: Page) -> bytes:
        """Open the page in an empty window, wait until it is idle, and read it.

        Raises
        ------
        RenderingError
            It has no body, is too large, or is not a page.
        playwright.async_api.Error
            The browser has closed it.
        """
        context = view.context
        context.on("page", lambda opened: opened.close())
        await view.unroute("**")
        await context.route("**/*", self.answer)
        await context.route_web_socket("**/*", lambda socket: socket.close())
        await view.goto(self.url, wait_until="commit")
        session = await context.new_cdp_session(view)
        await self._settle(session)
        return await read(session)

    async def answer(self, route: Route) -> None:
        """Answer a request of the page, or of a window or worker that it has opened."""
        from playwright.async_api import Error

        request = route.request
        is_document = request.resource_type == "document"
        if is_document and not self._is_begun and request.url == self.url and request.method == "GET":
            self._is_begun = True
            await _fulfil(route, self.main)
            return
        if is_document:
            self.rules.refusal(request.url, kind="document", method=request.method)
            await route.abort("aborted")  # with any other error the browser would show an error page
            return
        self._n_pending += 1
        headers = {"Accept": request.headers.get("accept", "*/*"), "Referer": urljoin(self.url, "/")}
        try:
            found = await self._found(request.url, headers, kind=request.resource_type, method=request.method)
            with suppress(Error):  # the window was closed meanwhile
                await (_fulfil(route, found) if found else route.abort())
        finally:
            self._n_pending -= 1

    async def _found(self, url: str, headers: Mapping[str, str], *, kind: str, method: str) -> FetchedResponse | None:
        """Follow redirects here, each checked: the browser would follow them without asking."""
        for _ in range(4):
            if self.rules.refusal(url, kind=kind, method=method):
                return None
            found = await self.fetch(url, headers)
            if found is None or len(found.body) > MAX_ANSWER_BYTES:
                return None
            self.rules.n_bytes += len(found.body)
            if found.location is None:
                return found
            url = found.location
        return None

    async def _settle(self, session: CDPSession) -> None:
        """Scroll down and wait until the page is idle, or for `SETTLE_S`."""
        end, n_quiet, before, step = monotonic() + SETTLE_S, 0, "", 0
        while monotonic() < end and n_quiet < QUIET_POLLS:
            step += 1
            scroll = f"scrollTo(0, {step} * innerHeight); " if step <= STEPS else ""
            now = str(await _ask(session, scroll + _STATE))
            is_quiet = now == before and not self._n_pending and (now.startswith("there at its end") or step >= STEPS)
            n_quiet, before = n_quiet + 1 if is_quiet else 0, now
            await asyncio.sleep(POLL_S)


async def _fulfil(route: Route, answer: FetchedResponse) -> None:
    """Send a response to the browser; never a redirect."""
    headers = {name: value for name, value in answer.headers.items() if _KEPT.fullmatch(name)}
    status = answer.status if not 300 <= answer.status < 400 else 404
    await route.fulfill(status=status, headers=headers, body=answer.body)


async def read(session: CDPSession) -> bytes:
    """Return the rendering of the page in its present state (raises as `PageLoad.run`)."""
    await _ask(session, "scrollTo(0, 0)")
    found = await _ask(session, _reader())
    if not isinstance(found, str) or len(found) > MAX_BYTES:
        raise RenderingError("the page cannot be read")
    if found.startswith('{"error":'):
        raise RenderingError(str(json.loads(found)["error"]))
    return found.encode("utf-8", "replace")


async def _ask(session: CDPSession, expression: str) -> Any:
    """Evaluate in an isolated world: it shares the document with the page's scripts, and nothing else."""
    frames = await session.send("Page.getFrameTree")
    world = await session.send("Page.createIsolatedWorld", {"frameId": frames["frameTree"]["frame"]["id"]})
    place = {"contextId": world["executionContextId"], "returnByValue": True, "timeout": 10_000}
    found = await session.send("Runtime.evaluate", {"expression": expression, **place})
    if "exceptionDetails" in found:
        raise RenderingError(f"the page cannot be read: {found['exceptionDetails'].get('text', '')!s:.100}")
    return found["result"].get("value")


@cache
def _reader() -> str:
    """Return the call of the script that reads a page."""
    lines = files("webmain.rendering").joinpath("blocks.js").read_text("utf-8").splitlines()
    script = "\n".join(line for line in lines if not line.lstrip().startswith("//"))
    options = {"mark": MARK, "blockTags": sorted(BLOCK_TAGS), "maxElements": MAX_ELEMENTS, "maxBoxes": MAX_BOXES}
    bounds = {"maxStyles": MAX_STYLES, "maxChars": MAX_HTML_CHARS, "maxValueChars": MAX_VALUE_CHARS}
    return f"({script})({json.dumps({**options, **bounds})})"
