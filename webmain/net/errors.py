"""Why a fetch failed.

FetchError (a ValueError)
├── BadAddress          not an HTTP URL, credentials in it, a refused port
│   └── PrivateAddress  leads into a private network, at once or after a redirect
├── Unreachable         no connection, no valid certificate
│   └── UnknownHost     the host's name has no address, or cannot be looked up
├── Timeout             the whole fetch took longer than allowed
├── RobotsDenied        the site's robots.txt forbids it
│   └── RobotsUnknown   robots.txt cannot be fetched (5xx, no connection): forbids everything for now
├── TooManyRedirects    more than allowed, or a loop
├── TooLarge            more bytes than allowed, before or after decompression
├── HTTPStatus          any answer that isn't a success
└── BadResponse         not HTTP, cut off, wrongly compressed
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class FetchError(ValueError):
    """A page could not be fetched; an ordinary, picklable exception."""

    def __init__(self, message: str, url: str) -> None:
        super().__init__(f"{message}: {url[:300]}")
        self.message = message
        self.url = url  # the address that failed; after redirects this is not the requested one

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.url)


class BadAddress(FetchError):  # noqa: N818 - the family's name says that these are errors
    """The URL must not be fetched."""


class PrivateAddress(BadAddress):
    """The address is in a private network, on this machine, or otherwise not public."""


class Unreachable(FetchError):  # noqa: N818
    """No connection to the host."""


class UnknownHost(Unreachable):
    """The host's name has no address, or cannot be looked up now."""


class Timeout(FetchError):  # noqa: N818
    """The time limit for the whole fetch is exceeded."""


class RobotsDenied(FetchError):  # noqa: N818
    """The site's robots.txt forbids this page to this user agent."""


class RobotsUnknown(RobotsDenied):
    """The site's robots.txt cannot be fetched, so nothing may be fetched for now (RFC 9309, section 2.3.1.4)."""


class TooManyRedirects(FetchError):  # noqa: N818
    """More redirects than allowed, or a loop."""


class TooLarge(FetchError):  # noqa: N818
    """More bytes than allowed."""


class BadResponse(FetchError):  # noqa: N818
    """An answer that cannot be read."""


class HTTPStatus(FetchError):  # noqa: N818
    """An answer whose status isn't a success."""

    def __init__(self, status: int, url: str, headers: Mapping[str, str]) -> None:
        super().__init__(f"HTTP status {status}", url)
        self.status = status  # the HTTP status
        self.headers = headers  # the answer's headers, names in lower case (`retry-after` for one)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, self.url, self.headers)
