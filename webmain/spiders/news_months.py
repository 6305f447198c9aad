"""Months of Common Crawl's news archives in a crawl: read in a thread; their pages are tracked until they are stored.

A file's position in the ledger is the offset of its first page that is not settled. It advances only when no article waits
to be stored. After a kill, reading resumes there; articles stored from beyond that position are not stored twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from webmain import clock
from webmain.archive.common_crawl import FOLDER, RecordFilter
from webmain.crawl.known_urls import KnownUrls
from webmain.crawl.options import own
from webmain.crawl.signals import PeriodicCall, connect, is_closing
from webmain.crawl.steps import PENDING
from webmain.items import Page, Rejected
from webmain.ledger.archives import Progress
from webmain.ledger.file import LedgerError
from webmain.net.addresses import ALLOW_PRIVATE, Guard, allows_private
from webmain.net.ranges import DataHost, StoppedReading
from webmain.pipelines import Store
from webmain.spiders.news_files import ArchiveFile, FileEvent, NewsFiles

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webmain.spiders.arguments import Arguments

logger = logging.getLogger(__name__)

AHEAD: Final = 8
"""Pages that may be read before the crawl has room for them."""

SETTLE_S: Final = 1.0
"""Seconds between two attempts to advance the positions."""


class NewsMonths:
    """Reads the archives selected by the arguments `ccnews`, `base`, `domains`, `since` and `until`.

    Parameters
    ----------
    crawler : Crawler
    arguments : Arguments
    wanted : RecordFilter
    tell : callable
        Called with a counter's name, a log message, and whether the summary should include it.
    """

    def __init__(
        self, crawler: Crawler, arguments: Arguments, wanted: RecordFilter, tell: Callable[[str, str, bool], None]
    ) -> None:
        self._crawler = crawler
        self._arguments = arguments
        self._wanted = wanted
        self._tell = tell
        self._room = threading.Semaphore(AHEAD)
        self._found: asyncio.Queue[FileEvent | BaseException | None] = asyncio.Queue()
        self._files: dict[str, ArchiveFile] = {}
        self._of_url: defaultdict[str, deque[tuple[ArchiveFile, int]]] = defaultdict(deque)
        self._settled: list[tuple[ArchiveFile, int]] = []
        self._noted: dict[str, Progress] = {}
        self._now: ArchiveFile | None = None
        connect(crawler, self, "item_scraped", "item_dropped", "item_error", "page_rejected", "articles_stored")
        connect(crawler, self, "spider_closed")
        every_s = own(crawler.settings).getfloat("WEBMAIN_PROGRESS_S")
        self._ticks = [PeriodicCall(crawler, SETTLE_S, self._tick)]
        self._ticks += [PeriodicCall(crawler, every_s, self._log)] if every_s > 0 else []

    # ---- Reading

    @cached_property
    def host(self) -> DataHost:
        """The host of the files, behind the guard; the address in `base` may be private."""
        settings, base = own(self._crawler.settings), self._arguments.base
        named = [base] if settings.getbool("WEBMAIN_NAMED_PRIVATE") else []
        allowed = settings.getbool(ALLOW_PRIVATE) or allows_private()
        return DataHost(
            user_agent=str(self._crawler.settings["USER_AGENT"]),
            guard=Guard(named, allow_private=allowed),
            chunk_bytes=max(1, settings.getint("WEBMAIN_ARCHIVE_PIECE")),
            back_off_s=settings.getfloat("WEBMAIN_ARCHIVE_BACK_OFF_S"),
            longest_wait_s=settings.getfloat("WEBMAIN_MAX_RETRY_AFTER"),
            max_bytes=self._arguments.max_bytes,
        )

    @cached_property
    def _filters(self) -> str:
        """The filters, as a part of each file's name in the ledger: a hash of the others, `since`, and `until`."""
        args = self._arguments
        filters = [sorted(args.domains), args.language, args.require, args.section, args.undated, args.respect]
        digest = hashlib.sha256(json.dumps(filters).encode()).hexdigest()[:16]
        return "&".join(
            [digest, *("" if each is None else f"{each.timestamp():.0f}" for each in (args.since, args.until))]
        )

    def _known(self) -> dict[str, Progress]:
        """Return how far each file was read with the same filters and the same or a longer period."""
        known: dict[str, Progress] = {}
        known_urls = self._crawler.get_extension(KnownUrls)
        if known_urls is None or not known_urls.skip_known:
            return known
        for month in self._arguments.months:
            for row in known_urls.ledger.archives.below(f"{FOLDER}{month}/"):
                path, _, filters = row.path.partition("?")
                if not _covers(filters, self._filters):
                    continue
                best = known.get(path)
                if best is None or (row.done_at is not None, row.position) > (best.done_at is not None, best.position):
                    known[path] = row
        return known

    async def pages(self) -> AsyncIterator[Page]:
        """Yield the wanted pages in the order of the files, until the end or `close`."""
        loop = asyncio.get_running_loop()

        def give(found: FileEvent) -> None:
            self._room.acquire()
            if self.host.stopped.is_set():
                raise StoppedReading("reading was stopped")
            loop.call_soon_threadsafe(self._found.put_nowait, found)

        files = NewsFiles(
            months=self._arguments.months,
            base=self._arguments.base,
            host=self.host,
            wanted=self._wanted,
            known=self._known(),
            max_bytes=own(self._crawler.settings).getint("WEBMAIN_MAX_BYTES"),
            tell=give,
        )

        def run() -> None:
            end: BaseException | None = None
            try:
                files.read()
            except StoppedReading:
                pass
            except BaseException as error:
                end = error
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._found.put_nowait, end)

        threading.Thread(target=run, daemon=True, name="archives").start()
        try:
            while (found := await self._found.get()) is not None:
                if isinstance(found, BaseException):
                    raise found
                self._take(found)
                if found.page is not None:
                    yield found.page
                self._room.release()
        finally:
            self.close()

    def close(self) -> None:
        """Stop reading."""
        self.host.stop()
        self._room.release()

    def _take(self, found: FileEvent) -> None:
        """Record what was found, in order."""
        if found.note is not None:
            self._tell(*found.note)
        file = found.file
        if file is None:
            return
        self._now = self._files[file.path] = file
        file.reached = max(file.reached, found.at)
        file.is_read = found.is_end
        if found.page is not None:
            file.waiting[found.at] = None
            self._of_url[found.page.url or ""].append((file, found.at))

    # ---- Results of the pages

    def item_scraped(self, item: Any) -> None:
        """Note that the stores have accepted an article."""
        self._settle(getattr(item, "url", None))

    item_error = item_scraped

    def item_dropped(self, item: Any, exception: Exception) -> None:
        """Note that a step has dropped an item, unless it stays pending or was rejected, which `page_rejected` reports."""
        if str(exception) != PENDING and not isinstance(exception.__cause__, Rejected):
            self._settle(getattr(item, "url", None))

    def page_rejected(self, url: str) -> None:
        """Note that a page gives no article."""
        self._settle(url)

    def _settle(self, url: str | None) -> None:
        places = self._of_url.get(url or "")
        if places:
            self._settled.append(places.popleft())
            if not places:
                del self._of_url[url or ""]

    def articles_stored(self) -> None:
        """Advance positions at once."""
        self._save()

    def _tick(self) -> None:
        if is_closing(self._crawler):
            self.close()
        self._save()

    def _save(self) -> None:
        """Record how far files are settled, but only if nothing waits to be stored, so that all of it is durable."""
        pipeline = self._crawler.get_item_pipeline(Store)
        stores = (pipeline.stores, pipeline.kept_out) if pipeline else ()
        if self._crawler.stats.get_value("webmain/store_error") or any(store and store.pending for store in stores):
            return
        for file, at in self._settled:
            file.waiting.pop(at, None)
        self._settled.clear()
        new = {file.path: self._progress(file) for file in self._files.values()}
        changed = [each for path, each in new.items() if self._noted.get(path) != each]
        for path in [path for path, each in new.items() if each.done_at is not None]:
            del self._files[path]
        known_urls = self._crawler.get_extension(KnownUrls)
        if not changed or known_urls is None:
            return
        try:
            known_urls.ledger.archives.save(changed)
        except LedgerError as error:
            known_urls.fail(error)
        self._noted = {path: new[path] for path in self._files}

    def _progress(self, file: ArchiveFile) -> Progress:
        first = next(iter(file.waiting), None)
        is_done = file.is_read and first is None
        return Progress(
            path=f"{file.path}?{self._filters}",
            position=file.reached if first is None else first,
            size=file.size,
            etag=file.mark,
            n_records=file.n_records,
            done_at=clock.now_s() if is_done else None,
        )

    def spider_closed(self, reason: str) -> None:
        """Record the last positions; after a complete crawl only pages that stay pending are left."""
        self.close()
        self._save()
        stats = self._crawler.stats
        stats.set_value("webmain/archive/bytes", self.host.n_bytes)
        stats.set_value("webmain/archive/retries", self.host.n_failures)

    def _log(self) -> None:
        """Log the progress of reading."""
        file = self._now
        if file is not None and not file.is_read:
            name = urlsplit(file.path).path.rpartition("/")[2]
            size = f" of {file.size / 1e6:,.1f}" if file.size else ""
            logger.info(
                "file %d of %d: %s, %.1f%s MB; %.1f MB read in all",
                *(file.number, file.of, name, file.reached / 1e6, size, self.host.n_bytes / 1e6),
            )


def _covers(filters: str, mine: str) -> bool:
    """Return True if the filters of an earlier run (see `_filters`) differ from this run's at most by a longer period."""
    try:
        theirs, since, until = filters.split("&")
        own_hash, own_since, own_until = mine.split("&")
        begins = float(since or "-inf") <= float(own_since or "-inf")
        return theirs == own_hash and begins and float(until or "inf") >= float(own_until or "inf")
    except ValueError:
        return False
