"""Connect only to checked addresses, within one deadline.

A host is resolved once, all its addresses are checked, and the connection is made to a checked address. A name whose
address changes in between (DNS rebinding) gains nothing. TLS still verifies the host's name.
"""

from __future__ import annotations

import http.client
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

from webmain.net.addresses import Guard
from webmain.net.errors import BadResponse, FetchError, Timeout, UnknownHost, Unreachable

MAX_REDIRECTS = 5  # each target is checked like the first URL
REDIRECTS = frozenset((301, 302, 303, 307, 308))

CONNECT_SHARE_S = 5.0  # seconds to try one address of a host that has others

T = TypeVar("T")


def run_with_timeout(timeout_s: float, work: Callable[[], T], *, url: str, give_up: Callable[[], None]) -> T:
    """Return the result of `work`, which runs in its own thread; at the deadline, call `give_up` to end it.

    A thread is needed because neither the system's resolver nor a slowly sending server respects a time limit.

    Raises Timeout: the work did not finish in time.
    """
    answer: queue.SimpleQueue[T | BaseException] = queue.SimpleQueue()

    def run() -> None:
        try:
            answer.put(work())
        except BaseException as error:
            answer.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        found = answer.get(timeout=max(0.0, timeout_s))
    except queue.Empty:
        give_up()
        raise Timeout(f"not done within {timeout_s:g} s", url) from None
    if isinstance(found, BaseException):
        raise found
    return found


def connection_to(url: str, *, guard: Guard, end: float) -> http.client.HTTPConnection:
    """Return a connection to the host of a URL; it connects to a checked address when it is first used.

    Its request raises `BadAddress` if the guard refuses the host, its port or one of its addresses, and `TimeoutError`
    after `end`, in seconds of the monotonic clock.
    """
    target = guard.check_target(url)
    kind: Any = http.client.HTTPConnection
    if urlsplit(url).scheme == "https":
        kind = partial(http.client.HTTPSConnection, context=_tls())
    connection: http.client.HTTPConnection = kind(target.host, target.port, timeout=max(0.001, end - time.monotonic()))
    connection._create_connection = partial(_checked, url, guard, end)  # type: ignore[attr-defined]
    return connection


@cache
def _tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    return context


def _checked(url: str, guard: Guard, end: float, *_address_and_limits: object) -> socket.socket:
    """Resolve a host once, check all its addresses, and connect to the first that answers."""
    target = guard.check_target(url)
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UnknownHost(f"no address for {target.host} ({reason})", url) from error
    guard.check_addresses(target, [str(address[0]) for *_, address in found], url)
    problem: OSError | None = None
    for i, (family, *_, address) in enumerate(found, 1):
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.settimeout(left if i == len(found) else min(left, CONNECT_SHARE_S))
        try:
            sock.connect(address)
        except OSError as error:
            sock.close()
            problem = error
        else:
            sock.settimeout(left)
            return sock
    raise Unreachable(f"no connection ({problem})", url)


def fetch_error(error: Exception, url: str) -> FetchError:
    """Return the `FetchError` for an error of a connection to a URL."""
    if isinstance(error, FetchError):
        return error
    if isinstance(error, http.client.HTTPException):
        return BadResponse(f"not a complete HTTP answer ({type(error).__name__})", url)
    if isinstance(error, TimeoutError):
        return Timeout("no answer in time", url)
    if isinstance(error, ssl.SSLError | ValueError):  # ValueError: a name that TLS cannot verify
        return Unreachable(f"no TLS connection to {urlsplit(url).hostname} ({error})", url)
    return Unreachable(f"the connection broke ({error})", url)
