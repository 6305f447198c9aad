"""The download handler that answers from a recording in place of the network."""

from __future__ import annotations

import glob
import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import CloseSpider
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from webmain.corpus.recording import WarcIndex
from webmain.corpus.warc import ArchiveError
from webmain.middlewares import FAILURE_HEADER, FAILURE_STATUS, FAILURES

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

MISSING_HEADER = "X-Webmain-Replay"


class Replay(BaseDownloadHandler):
    """Answers from WARC files (setting WEBMAIN_REPLAY: paths or patterns, separated by commas); the last capture wins.

    What was not recorded is answered by a 404 that says so, and counted as `webmain/replay/missing`. `meta["fetched_at"]`
    of the request becomes the time of the recording.
    """

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._index: WarcIndex | None = None
        self._error: ArchiveError | None = None
        try:
            self._index = WarcIndex(recordings(crawler.settings.get("WEBMAIN_REPLAY") or ""))
        except ArchiveError as error:
            self._error = error
        crawler.signals.connect(self.spider_opened, signals.spider_opened)

    def spider_opened(self) -> None:
        """End the crawl before it begins where the recording cannot be read."""
        if self._error is not None:
            logger.error("The crawl ends: WEBMAIN_REPLAY: %s", self._error)
            self.crawler.stats.set_value("webmain/replay_error", str(self._error))
            raise CloseSpider("replay_error")

    async def download_request(self, request: Request) -> Response:
        """Answer a request."""
        capture = self._index.lookup(request.url) if self._index is not None else None
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
        kind_of = responsetypes.from_args(headers=headers, url=request.url, body=capture.body)
        return kind_of(url=request.url, status=capture.status, headers=headers, body=capture.body)


def recordings(spec: str) -> list[str]:
    """Return the files that a specification names, sorted within each pattern; a name that is no pattern stays."""
    found: list[str] = []
    for part in filter(None, (p.strip() for p in spec.split(","))):
        found += sorted(glob.glob(part, recursive=True)) or [part]  # noqa: PTH207 - absolute patterns too
    return found
