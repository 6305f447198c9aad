"""Fetch one page politely and within limits, for the command line and web forms.

The URL may come from anyone, so each step is guarded: HTTP only, public addresses only (also after redirects), one overall
deadline, a limit on bytes before and after decompression, robots.txt is obeyed. For the errors see `webmain.net.errors`.
Proxy settings of the environment are ignored.
"""

from __future__ import annotations

import http.client
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webmain.archive.decoding import ACCEPTED, TooLargeError, decode_body
from webmain.archive.records import joined
from webmain.items import Page
from webmain.net.addresses import Guard
from webmain.net.connection import MAX_REDIRECTS, REDIRECTS, connection_to, fetch_error, run_with_timeout
from webmain.net.errors import (
    BadAddress,
    BadResponse,
    FetchError,
    HTTPStatus,
    PrivateAddress,
    RobotsDenied,
    RobotsUnknown,
    Timeout,
    TooLarge,
    TooManyRedirects,
)
from webmain.urls import join, normalise

if TYPE_CHECKING:
    from webmain.discovery.robots import RobotsRules

USER_AGENT = "webmain"  # user agent, also for robots.txt; add a contact: `webmain (+https://example.org/bot)`

_MAX_ROBOTS_BYTES = 512_000
_READ_BYTES = 65_536
_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def fetch(
    url: str,
    *,
    user_agent: str = USER_AGENT,
    timeout_s: float = 20.0,
    max_bytes: int = 10 * 1024 * 1024,
    allow_private: bool = False,
    obey_robots: bool = True,
) -> Page:
    """Fetch one page.

    Raises FetchError: any of `webmain.net.errors`; every status other than 2xx is an `HTTPStatus`.

    The page has `body` (content coding undone), `status`, `headers` (names in lower case, repeated ones joined by
    commas), `url` after redirects, and `fetched_at` in UTC.

    Parameters
    ----------
    url : str
        An `http` or `https` URL without credentials; its fragment is not sent.
    user_agent : str
        Sent unchanged; robots.txt is asked for its first word, `webmain` of `webmain/2 (+https://...)`.
    timeout_s : float
        Seconds for everything together: name resolution, connections, robots.txt, redirects, the body.
    max_bytes : int
        Upper bound on the body, both as sent and after decompression.
    allow_private : bool
        Allow private addresses: for tests and for one's own network.
    """
    guard = Guard(allow_private=allow_private)
    visit = _Fetch(user_agent, max_bytes, guard, obey_robots, time.monotonic() + timeout_s)
    return run_with_timeout(timeout_s, lambda: visit.page(url), url=url, give_up=visit.shut_down)


@dataclass(slots=True)
class _Fetch:
    """The options of one fetch, the robots.txt files read for it, and the open connection."""

    user_agent: str
    max_bytes: int
    guard: Guard
    obey_robots: bool
    end: float
    robots: dict[str, RobotsRules] = field(default_factory=dict)
    connection: http.client.HTTPConnection | None = None

    def page(self, url: str) -> Page:
        """Fetch a page, following redirects."""
        answer = self.follow(request_form(url), max_bytes=self.max_bytes, asks_robots=self.obey_robots)
        if not 200 <= answer.status < 300:
            raise HTTPStatus(answer.status, answer.url or url, answer.headers)
        return answer

    def follow(self, url: str, *, max_bytes: int, asks_robots: bool) -> Page:
        """Request a URL and the URLs that it redirects to."""
        seen: set[str] = set()
        for _ in range(MAX_REDIRECTS + 1):
            if url in seen:
                raise TooManyRedirects("redirected in a circle", url)
            seen.add(url)
            self.guard.check_target(url)
            if asks_robots:
                self.ask_robots(url)
            answer = self.request(url, max_bytes=max_bytes)
            location = answer.headers.get("location")
            if answer.status not in REDIRECTS or not location:
                return answer
            target = join(url, location)
            if target is None:
                raise BadAddress(f"redirected to no web page ({location[:100]!r})", url)
            url = request_form(target)
        raise TooManyRedirects(f"more than {MAX_REDIRECTS} redirects", url)

    def ask_robots(self, url: str) -> None:
        """Raise `RobotsDenied` unless the site's robots.txt allows the URL."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self.robots:
            self.robots[origin] = self.read_robots(f"{origin}/robots.txt")
        if not self.robots[origin].allows(url, self.user_agent):
            raise RobotsDenied(f"robots.txt forbids it to {self.user_agent}", url)

    def read_robots(self, url: str) -> RobotsRules:
        """Read a robots.txt; without one, everything is allowed (RFC 9309, section 2.3.1)."""
        from webmain.discovery.robots import RobotsRules

        try:
            answer = self.follow(url, max_bytes=_MAX_ROBOTS_BYTES, asks_robots=False)
        except (PrivateAddress, Timeout):
            raise
        except FetchError as error:
            raise RobotsUnknown(f"robots.txt is not available ({error.message})", url) from error
        if answer.status >= 500 or answer.status == 429:
            raise RobotsUnknown(f"robots.txt is not available (HTTP status {answer.status})", url)
        return RobotsRules(answer.body or b"")  # empty unless the status is 2xx

    def shut_down(self) -> None:
        """Close the open connection."""
        if self.connection is not None and self.connection.sock is not None:
            with suppress(OSError):
                self.connection.sock.shutdown(socket.SHUT_RDWR)

    def request(self, url: str, *, max_bytes: int) -> Page:
        """Make one request, over its own connection."""
        self.connection = connection_to(url, guard=self.guard, end=self.end)
        try:
            return self.exchange(self.connection, url, max_bytes=max_bytes)
        except (OSError, ValueError, http.client.HTTPException) as error:
            raise fetch_error(error, url) from error
        finally:
            self.connection.close()

    def exchange(self, connection: http.client.HTTPConnection, url: str, *, max_bytes: int) -> Page:
        """Send the request and read the answer; the body is empty unless the status is 2xx."""
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        names = {"Host": parts.netloc, "User-Agent": self.user_agent}
        wanted = {"Accept": _ACCEPT, "Accept-Encoding": ACCEPTED, "Connection": "close"}
        connection.request("GET", target, headers={**names, **wanted})
        with connection.getresponse() as response:
            headers = joined(response.getheaders())
            body = b""
            if 200 <= response.status < 300:
                sent = _read(response, max_bytes=max_bytes, url=url)
                try:
                    body = decode_body(sent, content=headers.get("content-encoding", ""), max_bytes=max_bytes)
                except TooLargeError as error:
                    raise TooLarge(f"the body {error}", url) from error
        return Page(url=url, body=body, status=response.status, headers=headers, fetched_at=datetime.now(UTC))


def request_form(url: str) -> str:
    """Return a URL in the form for a request; raises BadAddress for any but HTTP URLs without credentials."""
    form = normalise(url, keep_parameters=True)
    if form is None:
        raise BadAddress("not an http or https URL", url)
    authority = (
        url.replace("\\", "/").partition("//")[2].lstrip("/").partition("/")[0].partition("?")[0].partition("#")[0]
    )
    if "@" in authority:
        raise BadAddress("user name or password in the URL", form)
    return form


def _read(response: http.client.HTTPResponse, *, max_bytes: int, url: str) -> bytes:
    """Read a body as sent."""
    expected = response.length
    if expected is not None and expected > max_bytes:
        raise TooLarge(f"{expected} bytes, more than {max_bytes}", url)
    body = bytearray()
    while chunk := response.read1(_READ_BYTES):
        body += chunk
        if len(body) > max_bytes:
            raise TooLarge(f"more than {max_bytes} bytes", url)
    if expected is not None and len(body) < expected:
        raise BadResponse(f"cut off after {len(body)} of {expected} bytes", url)
    return bytes(body)
