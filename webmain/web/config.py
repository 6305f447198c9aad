"""Settings of `webmain serve`: locations, who may use the server, and limits for a request."""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from webmain.sites.rules import Sites

LOOPBACK_NAMES: Final = frozenset(("localhost", "127.0.0.1", "::1"))
"""Host names by which a browser on the same machine reaches the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits for a request.

    Attributes
    ----------
    page_bytes : int
        Largest page that is fetched, pasted or uploaded.
    body_bytes, body_s : int, float
        Largest body of a request, and the seconds within which it has to arrive.
    page_s : float
        CPU seconds for the work with one page.
    fetch_s : float
        Seconds for a fetch, with robots.txt and redirects.
    work_s : float
        Seconds by the clock for the work with one page.
    workers : int
        Processes that work with pages.
    tasks : int
        Pages that are being fetched or processed, or wait for it; one more is refused.
    results, results_bytes : int
        Results that are cached, and their total characters.
    connections : int
        Connections at once.
    logins : int
        Wrong tokens per minute; after that none is checked until the minute is over.
    crawl_pages, crawl_s : int, float
        Most pages, and seconds, that a crawl started in the browser may ask for.
    """

    page_bytes: int = 10 * 1024 * 1024
    body_bytes: int = 12 * 1024 * 1024
    body_s: float = 30.0
    page_s: float = 10.0
    fetch_s: float = 20.0
    work_s: float = 40.0
    workers: int = 2
    tasks: int = 8
    results: int = 40
    results_bytes: int = 64 * 1024 * 1024
    connections: int = 200
    logins: int = 10
    crawl_pages: int = 2_000
    crawl_s: float = 3_600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of one server.

    Attributes
    ----------
    host, port : str, int
        The address to listen at; port 0 is any that is free.
    names : tuple of str
        Further host names of the server, such as that of a proxy in front of it.
    token : str or None
        What users have to know; None lets everybody in who reaches the server.
    store : str
        Store of articles: `sqlite:PATH`.
    models : str
        Folder of models of sites.
    corrections : str
        File of corrected pages.
    sites : Sites or None
        Rules for single sites.
    sites_file : str
        The file of these rules, into which accepted ones are written.
    pages : str or None
        File, folder or pattern of recorded pages (WARC or HTML), for the articles of the store.
    contact : str
        Address that is sent when pages are fetched.
    allow_private : bool
        Also fetch from private and loopback addresses.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    names: tuple[str, ...] = ()
    token: str | None = field(default=None, repr=False)
    store: str = "sqlite:output/articles.db"
    models: str = "models/sites"
    corrections: str = "output/corrections.jsonl"
    sites: Sites | None = None
    sites_file: str = "sites.toml"
    pages: str | None = None
    contact: str = ""
    allow_private: bool = False
    limits: Limits = Limits()

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        address = _address(self.host)
        return self.host == "localhost" or (address is not None and address.is_loopback)

    def allows_host(self, name: str) -> bool:
        """Return True if a request may use a host name (without a port): protects against DNS rebinding.

        Beyond loopback an IP address is always allowed: nobody can make it resolve elsewhere.
        """
        name = name.lower().removesuffix(".")
        if name in LOOPBACK_NAMES or name in self.names or name == self.host:
            return True
        return not self.is_local and _address(name) is not None


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    with suppress(ValueError):
        return ipaddress.ip_address(host)
    return None
