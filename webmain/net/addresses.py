"""Which addresses may be connected to: the one place that decides, for the command line and for crawls.

A host is checked twice: before it is resolved, by what it is (`Guard.check_target`), and after, by all its addresses
(`Guard.check_addresses`); the connection is then made to an address that was checked. So a name that changes its address
in between (DNS rebinding) gains nothing, and neither does a redirect, as each request passes here.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import urlsplit

from webmain.net.errors import BadAddress, PrivateAddress

PRIVATE: Final = "is not on the public internet"
"""What refusals of private addresses say."""

ALLOW_PRIVATE: Final = "WEBMAIN_ALLOW_PRIVATE"
"""Environment variable, and setting of crawls: connect to private addresses too."""

REFUSED_PORTS: Final = frozenset(
    (
        *(set(range(1, 1024)) - {80, 443}),  # the classic services
        *(1433, 1521, 2049, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 4190, 5060, 5061, 5432, 5672, 5900, 5984, 6000),
        *(6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 9200, 9300, 10080, 10250, 11211),
        *(15672, 26257, 27017, 50000),
    )
)
"""Ports on which something else than a web site listens: all below 1024 but 80 and 443, and databases, queues, caches,
container engines, chat and telephony above. Every other port is allowed."""

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NOT_GLOBAL = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
"""Inside of it: protocols (Teredo among them), documentation, 6to4."""

_NAT64 = IPv6Network("64:ff9b::/96")
_SPECIAL_V4 = tuple(map(IPv4Network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")))
"""Protocols, 6to4 relays, and a cloud's own services at a public address."""

_METADATA = tuple(map(IPv4Network, ("169.254.0.0/16", "100.100.100.0/24", "168.63.129.16/32")))
_METADATA_V6 = tuple(map(IPv6Network, ("fe80::/10", "fd00:ec2::/32")))
"""Where clouds serve a machine's credentials: a name never leads there, even one that the user has named."""


def is_public(address: str) -> bool:
    """Return True if an IP address is one of the public internet.

    Private, loopback, link-local, shared (CGNAT), multicast, reserved, benchmarking and documentation addresses are not,
    nor are IPv6 forms of IPv4 addresses (mapped, compatible, 6to4, Teredo, local NAT64). In the well-known prefix of NAT64,
    which is how a network without IPv4 reaches every IPv4 site, the IPv4 address counts.
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        if ip not in _NAT64:
            return ip in _GLOBAL_UNICAST and not any(ip in network for network in _NOT_GLOBAL)
        ip = IPv4Address(int(ip) & 0xFFFFFFFF)
    special = ip.is_multicast or ip.is_reserved or ip.is_unspecified or any(ip in network for network in _SPECIAL_V4)
    return ip.is_global and not special


def _is_metadata(address: str) -> bool:
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return True
    return any(ip in network for network in (_METADATA if isinstance(ip, IPv4Address) else _METADATA_V6))


_NUMBER = re.compile(r"(?:.*\.)?(?:0[xX][0-9a-fA-F]*|[0-9]+)\.?", re.DOTALL)


def numeric_address(host: str) -> str | None:
    """Return the IP address that a host is by itself, in its one plain form; None where it is a name.

    A host whose last label is a number is an address and no name (as in the URL standard), however it is written: decimal,
    octal, hexadecimal, in fewer parts, with a dot at its end. "" where it is such a number and no address.
    """
    bare = host.removeprefix("[").removesuffix("]").partition("%")[0]
    try:
        return str(ip_address(bare))
    except ValueError:
        if ":" in bare:
            return ""
    if not _NUMBER.fullmatch(bare):
        return None
    try:
        return socket.inet_ntoa(socket.inet_aton(bare.removesuffix(".")))
    except (OSError, UnicodeError, ValueError):
        return ""


@dataclass(frozen=True, slots=True)
class Target:
    """A host, as it is in a URL in lower case, and the port to connect to."""

    host: str
    port: int


def target_of(url: str) -> Target:
    """Return what a URL connects to.

    Raises
    ------
    BadAddress
        It is no HTTP URL, or its host or port cannot be read.
    """
    try:
        parts = urlsplit(url)
        default = {"http": 80, "https": 443}[parts.scheme]
        host = (parts.hostname or "").rstrip(".")
        port = parts.port or default
    except (ValueError, KeyError):
        raise BadAddress("not an http or https URL", url) from None
    if not host:
        raise BadAddress("no host in the URL", url)
    return Target(host, port)


class Guard:
    """Decides which hosts and addresses may be connected to.

    Parameters
    ----------
    named : iterable of str
        URLs that the user gave: their hosts, with their ports alone, may be private. Without a port in the URL both ports
        of the web are meant, and so is the same name with or without `www.`. A name that had a public address before
        may not become private, and none may lead to where clouds serve credentials.
    allow_private : bool
        Let private addresses through; ports of other services stay closed.
    """

    def __init__(self, named: Iterable[str] = (), *, allow_private: bool = False) -> None:
        self._allow_private = allow_private
        self._named = frozenset(target for url in named for target in _meant(url))
        self._public: set[str] = set()

    def check_target(self, url: str) -> Target:
        """Return what a URL connects to, unless that can be refused without resolving it.

        Raises
        ------
        BadAddress
            Not an HTTP URL, a port of another service, an address in an odd spelling, or (`PrivateAddress`) one
            that is not of the public internet.
        """
        target = target_of(url)
        if target in self._named:
            return target
        if target.port in REFUSED_PORTS:
            raise BadAddress(f"port {target.port} is not one for web pages", url)
        if self._allow_private:
            return target
        address = numeric_address(target.host)
        if target.host == "localhost" or target.host.endswith(".localhost"):
            address = "127.0.0.1"
        if address is None:
            return target
        if not is_public(address):
            raise PrivateAddress(f"{target.host} {PRIVATE}", url)
        if "." in address and address != target.host:
            raise BadAddress(f"{target.host} is an odd way to write {address}", url)
        return target

    def check_addresses(self, target: Target, addresses: Sequence[str], url: str) -> None:
        """Refuse a host one of whose addresses may not be connected to.

        Raises
        ------
        PrivateAddress
            One of them isn't public, and neither the host was named nor private addresses allowed.
        """
        private = next((address for address in addresses if not is_public(address)), None)
        if private is None:
            if len(self._public) < 100_000:
                self._public.add(target.host)
        elif not self._allow_private and not self._is_meant(target, addresses):
            raise PrivateAddress(f"{target.host} {PRIVATE} ({private})", url)

    def _is_meant(self, target: Target, addresses: Sequence[str]) -> bool:
        """Return True if private addresses are what the user must have meant by a name or address."""
        if target not in self._named or target.host in self._public:
            return False
        return numeric_address(target.host) is not None or not any(map(_is_metadata, addresses))


def _meant(url: str) -> Iterable[Target]:
    """Yield what a user means by a URL."""
    try:
        target = target_of(url)
        ports = (target.port,) if urlsplit(url).port else (80, 443)
    except ValueError:
        return
    hosts = [target.host]
    if numeric_address(target.host) is None and "." in target.host:
        bare = target.host.removeprefix("www.")
        hosts = [bare, f"www.{bare}"]
    for host in hosts:
        for port in ports:
            yield Target(host, port)


def allows_private() -> bool:
    """Return True if the environment allows private addresses (`WEBMAIN_ALLOW_PRIVATE=1`)."""
    return os.environ.get(ALLOW_PRIVATE, "").strip().lower() in ("1", "true", "yes", "on")
