"""The made-up web as one object: give it a URL, get an answer."""

from __future__ import annotations

import gzip
from typing import ClassVar

from demo.courier import Courier, LaterCourier
from demo.khaosai import Khaosai
from demo.site import Site
from demo.tangle import Tangle
from demo.wire import Expected, Request, Responder, Response, Trap, tagged

_PACKED_HOSTS = frozenset({Courier.host, Tangle.host})
_TAGGED_HOSTS = frozenset({Courier.host, Khaosai.host})
_PACK_FROM_BYTES = 1024


class Web(Responder):
    """Three sites under true host names.

    Some pages answer only at the second time of asking; apart from that every answer is always the same.

    Parameters
    ----------
    origin : str
        Where the sites stand, with `{host}` for the host; all absolute links are written accordingly.
    """

    kinds: ClassVar[tuple[type[Site], ...]] = (Courier, Khaosai, Tangle)

    def __init__(self, *, origin: str = "https://{host}") -> None:
        self.sites: tuple[Site, ...] = tuple(kind(origin) for kind in self.kinds)
        self._by_host = {host: site for site in self.sites for host in site.hosts}
        super().__init__(self._by_host, only_https=origin.startswith("https://{host}"))

    def expected(self) -> list[Expected]:
        """Return the ground truth: each article that a crawl of all three sites must yield once."""
        return [e for site in self.sites for e in site.expected()]

    def traps(self) -> list[Trap]:
        """Return the URLs that are linked somewhere and must not become articles."""
        return [t for site in self.sites for t in site.traps()]

    def answer(self, request: Request) -> Response:
        """Answer one request; some hosts give their pages a tag, or pack them."""
        response = self._by_host[request.host].answer(request)
        if request.host in _TAGGED_HOSTS:
            response = tagged(response, request.headers.get("if-none-match", ""))
        if request.host in _PACKED_HOSTS:
            response = _packed(response, request.headers.get("accept-encoding", ""))
        return response


class LaterWeb(Web):
    """The same sites a day later, so that a second crawl finds a changed article and a copy."""

    kinds = (LaterCourier, Khaosai, Tangle)


def _packed(response: Response, accepted: str) -> Response:
    """Pack a text for a client that accepts gzip, as most servers do."""
    kind = response.headers.get("Content-Type", "")
    textual = kind.startswith("text/") or "xml" in kind or "json" in kind
    if (
        "gzip" not in accepted
        or "Content-Encoding" in response.headers
        or len(response.body) < _PACK_FROM_BYTES
        or not textual
        or response.body.startswith(b"\x1f\x8b")
    ):
        return response
    headers = {**response.headers, "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(response.status, headers, gzip.compress(response.body, 5, mtime=0))
