"""Record a crawl to WARC, and answer a crawl from such recordings instead of the network."""

from __future__ import annotations

import glob
from collections import OrderedDict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import NotConfigured
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from webmain.archive.recording import WarcIndex, WarcWriter
from webmain.archive.warc import ArchiveError
from webmain.crawl.failures import FAILURE_HEADER, FAILURE_STATUS, FAILURES
from webmain.crawl.options import option, site_rules
from webmain.crawl.signals import Component, connect, fail_crawl
from webmain.store.protocol import StoreError
from webmain.urls import without_credentials

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

MISSING_HEADER = "X-Webmain-Replay"

MAX_WAITING_BYTES = 64 << 20
"""Bytes of pages that wait for their rendering; beyond these, the oldest is recorded without one."""


class _Recorded(NamedTuple):
    """An answer to be recorded."""

    url: str
    status: int
    headers: list[tuple[str, str]]
    body: bytes
    fetched_at: datetime


class Recorder(Component):
    """Appends each answer, as received, to a WARC file (setting WEBMAIN_RECORD, or the spider's `record`).

    Placed below decompression and redirects, so that a replay repeats the same steps. If there was no answer, the exception's
    name is recorded as an answer of status 599. The recorded time is set as the request's `meta["fetched_at"]`. In a crawl
    that may render pages, an HTML page waits until that is decided: its rendering is the next record.
    """

    signals = ("spider_opened", "spider_closed")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._path = option(crawler, "record", "WEBMAIN_RECORD")
        if not self._path:
            raise NotConfigured
        self._writer: WarcWriter | None = None
        self._waits = False
        self._waiting: OrderedDict[str, _Recorded] = OrderedDict()

    def spider_opened(self) -> None:
        """Open the file; if that fails, the crawl ends before it begins."""
        modes = [each.render for each in site_rules(self._crawler).tables.values()]
        self._waits = {option(self._crawler, "render", "WEBMAIN_RENDER"), *modes} - {"never", None} != set()
        try:
            self._writer = WarcWriter(self._path)
        except StoreError as error:
            raise fail_crawl(self._crawler, "record", error) from error

    def process_response(self, request: Request, response: Response) -> Response:
        """Record an answer."""
        if request.url.startswith("http") and "cached" not in response.flags:
            pairs = [
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, values in response.headers.items()
                for value in values
            ]
            now = datetime.now(UTC).replace(microsecond=0)
            request.meta["fetched_at"] = now  # as in a replay, so that both give the same articles
            recorded = _Recorded(request.url, response.status, pairs, response.body, now)
            kind = (response.headers.get("Content-Type") or b"html").lower()
            if self._waits and response.status == 200 and b"html" in kind:
                self.settle(request.url)
                self._waiting[request.url] = recorded
                while sum(len(each.body) for each in self._waiting.values()) > MAX_WAITING_BYTES:
                    self.settle(next(iter(self._waiting)))
            else:
                self._write(recorded)
        return response

    def settle(self, url: str, rendering: bytes | None = None) -> None:
        """Record a waiting page with its rendering; do nothing if the page does not wait."""
        recorded = self._waiting.pop(url, None)
        if recorded is not None:
            self._write(recorded, rendering)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Record the failure of a request without an answer."""
        name = next((kind.__name__ for kind in FAILURES.values() if isinstance(exception, kind)), None)
        if name and request.url.startswith("http"):
            why = without_credentials(str(exception)).encode()
            self._write(_Recorded(request.url, FAILURE_STATUS, [(FAILURE_HEADER, name)], why, datetime.now(UTC)))

    def spider_closed(self) -> None:
        """Close the file."""
        for url in list(self._waiting):
            self.settle(url)
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _write(self, recorded: _Recorded, rendering: bytes | None = None) -> None:
        if self._writer is None:
            return
        try:
            self._writer.write(*recorded, rendering=rendering)
            self._crawler.stats.inc_value("webmain/recorded")
        except StoreError as error:
            self._waiting.clear()
            self.spider_closed()
            fail_crawl(self._crawler, "record", error)


class Replay(BaseDownloadHandler):
    """Answers from WARC files (setting WEBMAIN_REPLAY: paths or globs, separated by commas); the last capture counts.

    A page that was not recorded gets a 404 that says so, and is counted as `webmain/replay/missing`. The request's
    `meta["fetched_at"]` is set to the time of the recording.
    """

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        connect(crawler, self, "spider_opened")

    def spider_opened(self) -> None:
        """Read the index of the recording; if that fails, the crawl ends before it begins."""
        try:
            self._index = WarcIndex(recordings(self.crawler.settings.get("WEBMAIN_REPLAY") or ""))
        except ArchiveError as error:
            raise fail_crawl(self.crawler, "replay", f"WEBMAIN_REPLAY: {error}") from error

    async def download_request(self, request: Request) -> Response:
        """Answer a request."""
        capture = self._index.lookup(request.url)
        if capture is None:
            self.crawler.stats.inc_value("webmain/replay/missing")
            return Response(request.url, 404, {MISSING_HEADER: "missing"}, b"not in the recording\n")
        self.crawler.stats.inc_value("webmain/replay/answered")
        headers = Headers()
        for name, value in capture.headers:
            headers.appendlist(name, value)
        if capture.status == FAILURE_STATUS:
            failure = FAILURES.get((headers.get(FAILURE_HEADER) or b"").decode("latin-1"))
            if failure is not None:
                raise failure(capture.body.decode("utf-8", "replace"))
        request.meta["fetched_at"] = capture.fetched_at
        request.meta["rendering"] = capture.rendering
        kind_of = responsetypes.from_args(headers=headers, url=request.url, body=capture.body)
        return kind_of(url=request.url, status=capture.status, headers=headers, body=capture.body)


def recordings(spec: str) -> list[str]:
    """Return the files of a specification, sorted within each glob; a part without a match is kept as it is."""
    found: list[str] = []
    for part in filter(None, (p.strip() for p in spec.split(","))):
        found += sorted(glob.glob(part, recursive=True)) or [part]  # noqa: PTH207 - absolute patterns too
    return found
