"""Download handlers: guarded network access, and answers from a recording."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.http import Response
from twisted.internet.address import IPv6Address
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, TCP6ClientEndpoint, wrapClientTLS
from twisted.internet.error import ConnectError, DNSLookupError
from twisted.internet.interfaces import IResolutionReceiver, IStreamClientEndpoint
from zope.interface import implementer

from webmain.crawl.failures import RefusedAddressError
from webmain.crawl.options import own
from webmain.crawl.recordings import Replay as Replay
from webmain.net.addresses import ALLOW_PRIVATE, Guard, Target, allows_private
from webmain.net.connection import CONNECT_SHARE_S
from webmain.net.errors import BadAddress

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from twisted.internet.interfaces import IAddress, IProtocol, IProtocolFactory
    from twisted.web.client import HTTPConnectionPool

logger = logging.getLogger(__name__)


class Guarded(HTTP11DownloadHandler):
    """Scrapy's handler for http and https, which connects to checked addresses only (`webmain.net.addresses`).

    It is below every middleware, so that redirects, robots.txt, sitemaps, feeds and parts of articles all pass it. Private
    addresses are allowed for the spider's `named_urls`, else its `start_urls`; for proxies; and with WEBMAIN_ALLOW_PRIVATE.
    Requests through a proxy are checked only by their URL, since the proxy resolves names.
    """

    lazy = True

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        for noisy in (HTTP11DownloadHandler.__module__, "scrapy.core.downloader.tls"):
            logging.getLogger(noisy).setLevel(logging.ERROR)  # they warn about servers; errors are counted
        named = getattr(crawler.spider, "named_urls", None) or getattr(crawler.spider, "start_urls", None) or ()
        allowed = crawler.settings.getbool(ALLOW_PRIVATE) or allows_private()
        trusts_names = own(crawler.settings).getbool("WEBMAIN_NAMED_PRIVATE")
        self._guard = Guard(named if trusts_names else (), allow_private=allowed)
        settings = crawler.settings
        self._retries = settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0
        self._pool: Any = _GuardedPool(self._pool, self._endpoint)

    async def download_request(self, request: Request) -> Response:
        """Fetch a page; raises RefusedAddressError if the guard refuses the address."""
        is_last = request.meta.get("retry_times", 0) >= self._retries
        if is_last and "download_fail_on_dataloss" not in request.meta:  # `Decompression` judges what came
            request.meta["download_fail_on_dataloss"] = False
        try:
            self._guard.check_target(request.url)
            return await super().download_request(request)
        except BadAddress as error:
            stats = self.crawler.stats
            stats.inc_value("webmain/refused_addresses")
            if not stats.get_value("webmain/refused_address"):
                stats.set_value("webmain/refused_address", error.message)
            raise RefusedAddressError(str(error)) from error

    def _endpoint(self, scheme: str, host: bytes, port: int) -> Any:
        """Return the endpoint for a direct connection to a host."""
        name = host.decode("ascii")
        url = f"{scheme}://{f'[{name}]' if ':' in name else name}:{port}/"
        timeout_s = self.crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        endpoint = cast("Any", _CheckedEndpoint(self._guard, url, timeout_s=timeout_s, bind_address=self._bind_address))
        if scheme != "https":
            return endpoint
        creator = cast("Any", self._contextFactory).creatorForNetloc(host, port)
        return wrapClientTLS(creator, endpoint)


class _GuardedPool:
    """Scrapy's connection pool, with checked endpoints for direct connections."""

    def __init__(self, pool: HTTPConnectionPool, make_endpoint: Callable[[str, bytes, int], Any]) -> None:
        self._pool = pool
        self._make_endpoint = make_endpoint
        self.persistent = pool.persistent
        self.closeCachedConnections = pool.closeCachedConnections

    def getConnection(self, key: tuple[Any, ...], endpoint: IStreamClientEndpoint) -> Deferred[Any]:  # noqa: N802
        """Return a connection; only those to and through proxies use Scrapy's own endpoints."""
        is_tunnel = isinstance(endpoint, TCP4ClientEndpoint)
        if key[0] != b"http-proxy" and not is_tunnel:
            scheme, host, port = key[:3]
            endpoint = self._make_endpoint(scheme.decode(), host, port)
        return self._pool.getConnection(key, endpoint)


@implementer(IStreamClientEndpoint)
class _CheckedEndpoint:
    """Resolves a host once, checks all its addresses, and connects to the first that answers."""

    def __init__(self, guard: Guard, url: str, *, timeout_s: float, bind_address: Any) -> None:
        self._guard = guard
        self._url = url
        self._timeout_s = timeout_s
        self._bind_address = (bind_address, 0) if isinstance(bind_address, str) else bind_address

    def connect(self, factory: IProtocolFactory) -> Deferred[IProtocol]:
        """Connect; fails with `BadAddress` if the guard refuses an address."""
        return Deferred.fromCoroutine(self._connect(factory))

    async def _connect(self, factory: IProtocolFactory) -> IProtocol:
        from twisted.internet import reactor

        target = self._guard.check_target(self._url)
        addresses = await _resolved(target)
        self._guard.check_addresses(target, [address.host for address in addresses], self._url)
        problem: Exception = DNSLookupError(f"no address for {target.host}")
        for i, address in enumerate(addresses, 1):
            kind = TCP6ClientEndpoint if isinstance(address, IPv6Address) else TCP4ClientEndpoint
            timeout_s = self._timeout_s if i == len(addresses) else min(self._timeout_s, CONNECT_SHARE_S)
            endpoint = kind(reactor, address.host, target.port, timeout_s, self._bind_address)
            try:
                return await endpoint.connect(factory)
            except ConnectError as error:
                problem = error
        raise problem


def _resolved(target: Target) -> Deferred[list[Any]]:
    """Ask the reactor's resolver (Scrapy's, with its cache and time limit) for a host's addresses."""
    from twisted.internet import reactor

    found: Deferred[list[Any]] = Deferred()
    reactor.nameResolver.resolveHostName(_Addresses(found), target.host, target.port)
    return found


@implementer(IResolutionReceiver)
class _Addresses:
    """Collects the addresses of a host."""

    def __init__(self, found: Deferred[list[Any]]) -> None:
        self._found = found
        self._addresses: list[Any] = []

    def resolutionBegan(self, resolution: object) -> None:  # noqa: N802 - Twisted's interface
        """Do nothing."""

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        """Add an address."""
        self._addresses.append(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        """Return all addresses through the deferred."""
        if not self._found.called:
            self._found.callback(self._addresses)
