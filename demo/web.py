"""The made-up web as one object: give it a URL, get an answer."""

from __future__ import annotations

import gzip
import threading
from collections import Counter
from collections.abc import Mapping
from typing import ClassVar, Protocol
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from demo.courier import Courier, LaterCourier
from demo.khaosai import Khaosai
from demo.site import Site
from demo.tangle import Tangle
from demo.wire import Asked, Expected, Reply, Trap, redirect, tagged

_PACKED_HOSTS = frozenset({Courier.host, Tangle.host})
_TAGGED_HOSTS = frozenset({Courier.host, Khaosai.host})
_PACK_FROM_BYTES = 1024


class UnknownHostError(LookupError):
    """No site of this web has that host name."""


class Responder(Protocol):
    """What answers URLs: the three sites of `Web`, or the one large site of `demo.many.ManyPages`."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host name that is answered."""

    def respond(self, url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> Reply:
        """Answer one request."""


class Web:
    """Three sites under true host names.

    It remembers how often each URL was asked for, since some pages answer only at the second time of asking; apart
    from that every answer is always the same. Safe to use from several threads.

    Parameters
    ----------
    origin : str
        Where the sites stand, with `{host}` for the host; all absolute links are written accordingly.
    """

    kinds: ClassVar[tuple[type[Site], ...]] = (Courier, Khaosai, Tangle)

    def __init__(self, *, origin: str = "https://{host}") -> None:
        self.sites: tuple[Site, ...] = tuple(kind(origin) for kind in self.kinds)
        self.visits: Counter[str] = Counter()
        self._only_https = origin.startswith("https://{host}")
        self._by_host = {host: site for site in self.sites for host in site.hosts}
        self._lock = threading.Lock()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Every host name that is answered."""
        return tuple(self._by_host)

    def expected(self) -> list[Expected]:
        """Return the ground truth: each article that a crawl of all three sites must yield once."""
        return [e for site in self.sites for e in site.expected()]

    def traps(self) -> list[Trap]:
        """Return the URLs that are linked somewhere and must not become articles."""
        return [t for site in self.sites for t in site.traps()]

    def respond(self, url: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> Reply:
        """Answer one request.

        Parameters
        ----------
        url : str
            Absolute, with one of `hosts`, http or https. Where the web stands on https, http leads there.
        headers : Mapping[str, str], optional
            The request's headers, names in any case.

        Raises
        ------
        UnknownHostError
            No site has that host name.
        """
        parts = split_url(url)
        host = parts.hostname or ""
        site = self._by_host.get(host)
        if site is None:
            raise UnknownHostError(f"no such host in the made-up web: {host!r}")
        if method not in ("GET", "HEAD"):
            return Reply(405, {"Content-Type": "text/plain", "Allow": "GET, HEAD"}, b"only GET and HEAD\n")
        if parts.scheme == "http" and self._only_https:
            return redirect(parts._replace(scheme="https").geturl())
        lower = {name.lower(): value for name, value in (headers or {}).items()}
        with self._lock:
            key = parts._replace(fragment="").geturl()
            earlier = self.visits[key]
            self.visits[key] += 1
        asked = Asked(
            host=host,
            path=unquote(parts.path) or "/",
            query=dict(parse_qsl(parts.query)),
            earlier=earlier,
            headers=lower,
        )
        reply = site.answer(asked)
        if host in _TAGGED_HOSTS:
            reply = tagged(reply, lower.get("if-none-match", ""))
        if host in _PACKED_HOSTS:
            reply = _packed(reply, lower.get("accept-encoding", ""))
        return Reply(reply.status, reply.headers, b"") if method == "HEAD" else reply


class LaterWeb(Web):
    """The same sites a day later, so that a second crawl finds a changed article and a copy."""

    kinds = (LaterCourier, Khaosai, Tangle)


def split_url(url: str) -> SplitResult:
    """Take a URL apart.

    Raises
    ------
    UnknownHostError
        It is no URL at all, so that it leads nowhere.
    """
    try:
        return urlsplit(url)
    except ValueError as error:
        raise UnknownHostError(f"not a URL: {url!r}") from error


def _packed(reply: Reply, accepted: str) -> Reply:
    """Pack a text for a client that accepts gzip, as most servers do."""
    kind = reply.headers.get("Content-Type", "")
    textual = kind.startswith("text/") or "xml" in kind or "json" in kind
    if (
        "gzip" not in accepted
        or "Content-Encoding" in reply.headers
        or len(reply.body) < _PACK_FROM_BYTES
        or not textual
    ):
        return reply
    if reply.body.startswith(b"\x1f\x8b"):
        return reply
    headers = {**reply.headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Reply(reply.status, headers, gzip.compress(reply.body, 5, mtime=0))
