"""Why a fetch failed.

FetchError (a ValueError)
├── BadAddress          not an HTTP URL, credentials in it, a refused port
│   └── PrivateAddress  leads into a private network, at once or after a redirect
├── Unreachable         no such host, no connection, no valid certificate
├── Timeout             the whole fetch took longer than allowed
├── RobotsDenied        the site's robots.txt forbids it
│   └── RobotsUnknown   robots.txt cannot be had (5xx, no connection): that forbids everything for now
├── TooManyRedirects    more than allowed, or in a circle
├── TooLarge            more bytes than allowed, before or after decompression
├── HTTPStatus          any answer that isn't a success
└── BadResponse         not HTTP, cut off, wrongly compressed
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class FetchError(ValueError):
    """A page that could not be fetched; an ordinary, picklable exception.

    Attributes
    ----------
    url : str
        The address that failed: after redirects not the one asked for.
    """

    def __init__(self, message: str, url: str) -> None:
        super().__init__(f"{message}: {url[:300]}")
        self.message = message
        self.url = url

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.url)


class BadAddress(FetchError):  # noqa: N818 - the family's name says that these are errors
    """Not an address to fetch from."""


class PrivateAddress(BadAddress):
    """An address inside a private network, of this machine, or of no use on the internet."""


class Unreachable(FetchError):  # noqa: N818
    """No connection to the host."""


class Timeout(FetchError):  # noqa: N818
    """The time allowed for the whole fetch is over."""


class RobotsDenied(FetchError):  # noqa: N818
    """The site's robots.txt forbids this page to this user agent."""


class RobotsUnknown(RobotsDenied):
    """The site's robots.txt cannot be had, so nothing may be fetched for now (RFC 9309, section 2.3.1.4)."""


class TooManyRedirects(FetchError):  # noqa: N818
    """More redirects than allowed, or a circle."""


class TooLarge(FetchError):  # noqa: N818
    """More bytes than allowed."""


class BadResponse(FetchError):  # noqa: N818
    """An answer that cannot be read."""


class HTTPStatus(FetchError):  # noqa: N818
    """An answer whose status isn't a success.

    Attributes
    ----------
    status : int
        The HTTP status.
    headers : Mapping[str, str]
        The answer's headers, names in lower case (`retry-after` for one).
    """

    def __init__(self, status: int, url: str, headers: Mapping[str, str]) -> None:
        super().__init__(f"HTTP status {status}", url)
        self.status = status
        self.headers = headers

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, self.url, self.headers)
