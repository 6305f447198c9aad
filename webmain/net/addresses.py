"""Decide which addresses may be connected to, for the command line and for crawls.

A host is checked twice: by its name or literal address before it is resolved (`Guard.check_target`), and by all its addresses
afterwards (`Guard.check_addresses`). The connection is then made to a checked address. A name whose address changes in
between (DNS rebinding) therefore gains nothing, and neither does a redirect, since each request is checked.
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

PRIVATE: Final = "is not on the public internet"  # phrase in error messages that refuse private addresses
ALLOW_PRIVATE: Final = "WEBMAIN_ALLOW_PRIVATE"  # environment variable and crawl setting that allow private addresses

REFUSED_PORTS: Final = frozenset(
    (
        *(set(range(1, 1024)) - {80, 443}),  # the classic services
        *(1433, 1521, 2049, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 4190, 5060, 5061, 5432, 5672, 5900, 5984, 6000),
        *(6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 9200, 9300, 10080, 10250, 11211),
        *(15672, 26257, 27017, 50000),
    )
)
"""Ports of services other than web sites: all below 1024 except 80 and 443, and those of databases, queues, caches,
container engines, chat and telephony. Every other port is allowed."""

_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NOT_GLOBAL = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
"""Parts of the global range that are not public: protocols (Teredo among them), documentation, 6to4."""

_NAT64 = IPv6Network("64:ff9b::/96")
_SPECIAL_V4 = tuple(map(IPv4Network, ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32")))
"""Protocols, 6to4 relays, and a cloud provider's internal services at a public address."""

_METADATA = tuple(map(IPv4Network, ("169.254.0.0/16", "100.100.100.0/24", "168.63.129.16/32")))
_METADATA_V6 = tuple(map(IPv6Network, ("fe80::/10", "fd00:ec2::/32")))
"""Where clouds serve a machine's credentials; no name may lead there, not even one that the user gave."""


def is_public(address: str) -> bool:
    """Return True if an IP address is on the public internet.

    Private, loopback, link-local, shared (CGNAT), multicast, reserved, benchmarking and documentation addresses are not,
    nor are IPv6 forms of IPv4 addresses (mapped, compatible, 6to4, Teredo, local NAT64). In the well-known NAT64 prefix,
    through which a network without IPv4 reaches IPv4 sites, the embedded IPv4 address decides.
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
    """Return the canonical form of the IP address that a host spells out; None if the host is a name.

    As in the URL standard, a host whose last label is a number is an address, however it is written: decimal, octal,
    hexadecimal, with fewer parts, with a final dot. Returns "" if it is such a number but not a valid address.
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
    """A host, in lower case as in its URL, and the port to connect to."""

    host: str
    port: int


def target_of(url: str) -> Target:
    """Return what a URL connects to.

    Raises BadAddress if it is not an HTTP URL, or its host or port cannot be parsed.
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

    `named`: URLs that the user gave: their hosts may be private, with their ports only. If the URL has no port, both
    web ports are included, and so is the same name with or without `www.`. A name that had a public address before may
    not become private, and no name may lead to a cloud's credential service. `allow_private`: allow private addresses;
    ports of other services stay forbidden.
    """

    def __init__(self, named: Iterable[str] = (), *, allow_private: bool = False) -> None:
        self._allow_private = allow_private
        self._named = frozenset(target for url in named for target in _named_targets(url))
        self._public: set[str] = set()

    def check_target(self, url: str) -> Target:
        """Return what a URL connects to, unless it is refused without being resolved.

        Raises BadAddress: not an HTTP URL, a port of another service, an address in a non-standard spelling, or
        (`PrivateAddress`) one that is not on the public internet.
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
        """Raise an error if any address of a host may not be connected to.

        Raises PrivateAddress if one of them is not public, the host was not given by the user, and private addresses
        are not allowed.
        """
        private = next((address for address in addresses if not is_public(address)), None)
        if private is None:
            if len(self._public) < 100_000:
                self._public.add(target.host)
        elif not self._allow_private and not self._is_named(target, addresses):
            raise PrivateAddress(f"{target.host} {PRIVATE} ({private})", url)

    def _is_named(self, target: Target, addresses: Sequence[str]) -> bool:
        """Return True if the user gave this name or address, and it may lead to private addresses."""
        if target not in self._named or target.host in self._public:
            return False
        return numeric_address(target.host) is not None or not any(map(_is_metadata, addresses))


def _named_targets(url: str) -> Iterable[Target]:
    """Yield the hosts and ports that a URL given by the user covers."""
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
