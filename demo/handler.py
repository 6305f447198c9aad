"""The made-up web inside Scrapy: a download handler that needs no sockets.

Set it for both schemes in DOWNLOAD_HANDLERS; every middleware, robots.txt, redirects and decompression run as with the
real handler. The setting DEMO_WEB names what answers: a class or a callable without arguments.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from scrapy import Request, signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import CannotResolveHostError, DownloadCancelledError, StopDownload
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.misc import load_object
from twisted.python.failure import Failure

from demo.wire import Responder, UnknownHostError

DEFAULT_WEB = "demo.web.Web"


class DemoDownloadHandler(BaseDownloadHandler):
    """Answers http and https requests from the made-up web."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        make = load_object(crawler.settings.get("DEMO_WEB", DEFAULT_WEB))
        self.web: Responder = make()
        self._maxsize_bytes = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    async def download_request(self, request: Request) -> Response:
        """Answer one request.

        Raises
        ------
        CannotResolveHostError
            No site of this web has the host's name, as if DNS did not know it.
        DownloadCancelledError
            The body is larger than DOWNLOAD_MAXSIZE, or the request's `download_maxsize`.
        StopDownload
            A handler of the signals `headers_received` or `bytes_received` asked for it.
        """
        began = time.monotonic()
        try:
            reply = self.web.respond(request.url, method=request.method, headers=_plain(request.headers))
        except UnknownHostError as error:
            raise CannotResolveHostError(str(error)) from error
        if reply.delay_s:
            await asyncio.sleep(reply.delay_s)
        request.meta["download_latency"] = time.monotonic() - began
        headers = Headers({**reply.headers, "Content-Length": str(len(reply.body)), "Server": "demo"})
        limit: int = request.meta.get("download_maxsize", self._maxsize_bytes)
        if limit and len(reply.body) > limit:
            raise DownloadCancelledError(f"{request} has {len(reply.body)} bytes, more than the limit of {limit}")
        stop = self._ask(signals.headers_received, request, headers=headers, body_length=len(reply.body))
        if stop:
            return _response(request, reply.status, headers, b"", stop=stop)
        stop = self._ask(signals.bytes_received, request, data=reply.body) if reply.body else None
        return _response(request, reply.status, headers, reply.body, stop=stop)

    def _ask(self, signal: object, request: Request, **values: Any) -> StopDownload | None:
        """Send a signal; return the wish to stop, if a receiver had it."""
        answers = self.crawler.signals.send_catch_log(
            signal=signal, request=request, spider=self.crawler.spider, **values
        )
        for _, answer in answers:
            if isinstance(answer, Failure) and isinstance(answer.value, StopDownload):
                return answer.value
        return None


def _plain(headers: Headers) -> dict[str, str]:
    """Return a request's headers as plain strings."""
    return {str(name): str(value) for name, value in headers.to_unicode_dict().items()}


def _response(request: Request, status: int, headers: Headers, body: bytes, *, stop: StopDownload | None) -> Response:
    """Build the response in the class that Scrapy chooses for its headers, URL and body."""
    kind = responsetypes.from_args(headers=headers, url=request.url, body=body)
    response = kind(url=request.url, status=status, headers=headers, body=body, protocol="HTTP/1.1")
    if stop:
        response.flags.append("download_stopped")
        if stop.fail:
            stop.response = response
            raise stop
    return response
