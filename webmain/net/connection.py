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
from typing import Any

from webmain.net.addresses import Guard
from webmain.net.errors import Timeout, Unreachable

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


def connect(url: str, *, deadline: Deadline, guard: Guard) -> DeadlineSocket:
    """Open a connection to the host of a URL, all of whose addresses the guard lets through.

    Raises
    ------
    BadAddress
        The host, its port or (`PrivateAddress`) one of its addresses is refused.
    Unreachable
        No address, no connection, or TLS failed.
    Timeout
        The deadline is over.
    """
    target = guard.check_target(url)
    host = target.host
    endpoints = _resolve(host, target.port, deadline, url)
    guard.check_addresses(target, [str(e.sockaddr[0]) for e in endpoints], url)
    plain = _first_connection(endpoints, deadline, url)
    if not url.startswith("https:"):
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
