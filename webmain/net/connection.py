"""Connections to checked addresses only, under one deadline.

A host is resolved once, every address it has is checked, and the connection is made to a checked address: a name that
changes its address between check and connection (DNS rebinding) gains nothing. TLS still verifies the host's name.
"""

from __future__ import annotations

import io
import queue
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

from webmain.net.errors import BadAddress, PrivateAddress, Timeout, Unreachable

REFUSED_PORTS = frozenset(
    (
        *(set(range(1, 1024)) - {80, 443}),  # the classic services
        *(1433, 1521, 2049, 2375, 2376, 2379, 2380, 3128, 3306, 3389, 4190, 5060, 5061, 5432, 5672, 5900, 5984, 6000),
        *(6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 9042, 9092, 9200, 9300, 10080, 10250, 11211),
        *(15672, 26257, 27017, 50000),
    )
)
"""Ports on which something else than a web site listens: all below 1024 but 80 and 443, and databases, queues, caches,
container engines, chat and telephony above. Every other port is allowed."""

_CONNECT_SHARE_S = 5.0


class Deadline:
    """The moment at which a fetch must be over.

    Parameters
    ----------
    timeout_s : float
        Seconds from now.
    """

    def __init__(self, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._end = time.monotonic() + timeout_s

    def left_s(self, url: str) -> float:
        """Return the seconds left; raises `Timeout` if there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise Timeout(f"not done within {self.timeout_s:g} s", url)
        return left


_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NOT_GLOBAL = (IPv6Network("2001::/23"), IPv6Network("2001:db8::/32"), IPv6Network("3fff::/20"))
_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Tell whether an IP address is one of the public internet.

    Private, loopback, link-local, shared (CGNAT), multicast, reserved and documentation addresses are not; an IPv4
    address inside an IPv6 one (mapped, NAT64, 6to4) counts by itself.
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, IPv4Address):
        return _is_public_v4(ip)
    inner = _embedded(ip)
    if inner is not None:
        return _is_public_v4(inner)
    return ip in _GLOBAL_UNICAST and not any(ip in network for network in _NOT_GLOBAL)


def _is_public_v4(ip: IPv4Address) -> bool:
    special = ip.is_multicast or ip.is_reserved or ip.is_unspecified or str(ip).startswith(("192.0.0.", "192.88.99."))
    return ip.is_global and not special


def _embedded(ip: IPv6Address) -> IPv4Address | None:
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour


def _lookup(host: str, port: int, answer: queue.SimpleQueue[list[tuple[Any, ...]] | OSError]) -> None:
    try:
        answer.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except (OSError, UnicodeError) as error:
        answer.put(error if isinstance(error, OSError) else OSError(str(error)))


@dataclass(frozen=True, slots=True)
class _Endpoint:
    """One address of a host."""

    family: int
    sockaddr: tuple[Any, ...]


def _resolve(host: str, port: int, deadline: Deadline, url: str) -> list[_Endpoint]:
    """Return a host's addresses; the system's resolver knows no time limit, so it runs in a thread of its own."""
    answer: queue.SimpleQueue[list[tuple[Any, ...]] | OSError] = queue.SimpleQueue()
    threading.Thread(target=_lookup, args=(host, port, answer), daemon=True).start()
    try:
        found = answer.get(timeout=deadline.left_s(url))
    except queue.Empty:
        raise Timeout(f"not done within {deadline.timeout_s:g} s: no answer about {host}", url) from None
    if isinstance(found, OSError):
        raise Unreachable(f"no address for {host} ({found})", url)
    return [_Endpoint(family, sockaddr) for family, _, _, _, sockaddr in found]


def connect(scheme: str, host: str, port: int, *, url: str, deadline: Deadline, allow_private: bool) -> DeadlineSocket:
    """Open a connection to a host whose addresses are all public.

    Raises
    ------
    BadAddress
        The port is refused, or (`PrivateAddress`) one of the host's addresses isn't public.
    Unreachable
        No address, no connection, or TLS failed.
    Timeout
        The deadline is over.
    """
    if port in REFUSED_PORTS:
        raise BadAddress(f"port {port} is not one for web pages", url)
    endpoints = _resolve(host, port, deadline, url)
    private = [e.sockaddr[0] for e in endpoints if not is_public(str(e.sockaddr[0]))]
    if private and not allow_private:
        raise PrivateAddress(f"{host} is not on the public internet ({private[0]})", url)
    plain = _first_connection(endpoints, deadline, url)
    if scheme != "https":
        return DeadlineSocket(plain, deadline, url)
    try:
        plain.settimeout(deadline.left_s(url))
        return DeadlineSocket(_tls().wrap_socket(plain, server_hostname=host), deadline, url)
    except TimeoutError:
        plain.close()
        raise Timeout(f"not done within {deadline.timeout_s:g} s: TLS", url) from None
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError; a name that TLS cannot verify is a ValueError
        plain.close()
        raise Unreachable(f"no TLS connection to {host} ({error})", url) from error


@cache
def _tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _first_connection(endpoints: list[_Endpoint], deadline: Deadline, url: str) -> socket.socket:
    """Connect to the first address that answers."""
    problem: OSError | None = None
    for i, endpoint in enumerate(endpoints):
        left = deadline.left_s(url)
        is_last = i == len(endpoints) - 1
        sock = socket.socket(endpoint.family, socket.SOCK_STREAM)
        try:
            sock.settimeout(left if is_last else min(left, _CONNECT_SHARE_S))
            sock.connect(endpoint.sockaddr)
        except OSError as error:
            sock.close()
            problem = error
        else:
            return sock
    deadline.left_s(url)
    if isinstance(problem, TimeoutError):
        raise Timeout(f"not done within {deadline.timeout_s:g} s: no connection", url)
    raise Unreachable(f"no connection ({problem})", url)


class DeadlineSocket:
    """A socket that reads and writes under a deadline, as `http.client` wants one.

    A time limit of the socket's own would hold for each read, and a server that sends a byte now and then would never
    meet it.
    """

    def __init__(self, sock: socket.socket, deadline: Deadline, url: str) -> None:
        self._sock = sock
        self._deadline = deadline
        self._url = url

    def sendall(self, data: bytes) -> None:
        """Send everything."""
        self._sock.settimeout(self._deadline.left_s(self._url))
        self._sock.sendall(data)

    def makefile(self, mode: str = "rb") -> io.BufferedReader:
        """Return a reader whose every read keeps the deadline."""
        return io.BufferedReader(_DeadlineReader(self._sock, self._deadline, self._url), 65_536)

    def close(self) -> None:
        """Do nothing: `http.client` calls this when it still reads."""

    def hang_up(self) -> None:
        """Close the connection."""
        self._sock.close()


class _DeadlineReader(io.RawIOBase):
    """The raw end of a `DeadlineSocket`'s reader."""

    def __init__(self, sock: socket.socket, deadline: Deadline, url: str) -> None:
        super().__init__()
        self._sock = sock
        self._deadline = deadline
        self._url = url

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            self._sock.settimeout(self._deadline.left_s(self._url))
        except Timeout as error:  # a ValueError, which http.client takes for its own
            raise TimeoutError(error.message) from error
        return self._sock.recv_into(buffer)
