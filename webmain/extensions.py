"""Extensions of a crawl: the summary, a quick end after Ctrl-C, and Scrapy's feeds (`-o`, `-O`, FEEDS)."""

from __future__ import annotations

import contextlib
import logging
import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.extensions.feedexport import FeedExporter

from webmain.crawl.failures import StoppedError
from webmain.crawl.options import own
from webmain.crawl.signals import Component, PeriodicCall, fail_crawl
from webmain.crawl.storing import Store
from webmain.crawl.summary import (
    FAILING,
    as_json,
    as_prometheus,
    exit_code,
    notes,
    outcome,
    pages_so_far,
    progress,
    render,
)
from webmain.files import reason_of, replaced_whole
from webmain.items import Article
from webmain.sites.matching import matched_keys
from webmain.text.terminal import discard

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.extensions.feedexport import FeedSlot


logger = logging.getLogger(__name__)

TOP_WORDS = 20  # words shown in the summary
MAX_WORDS = 100_000  # distinct words counted for it; beyond these, the rarer half is dropped


class Summary(Component):
    """Logs progress while a crawl runs, prints a summary at its end, and writes figures for machines."""

    signals = ("item_scraped", "item_error", "engine_stopped")

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = own(crawler.settings)
        self._only_news = str(settings.get("WEBMAIN_SUMMARY")).lower() == "new"
        self._prints = self._only_news or settings.getbool("WEBMAIN_SUMMARY")
        self._folder = settings.get("WEBMAIN_STATS_DIR") or ""
        self._words: Counter[str] = Counter()
        self._rules: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        self._before = (time.monotonic(), 0)
        every_s = settings.getfloat("WEBMAIN_PROGRESS_S")
        self._ticks = PeriodicCall(crawler, every_s, self._tick) if every_s > 0 else None

    def item_scraped(self, item: Any) -> None:
        """Count an article's words, and the site rules that matched its page."""
        if isinstance(item, Article):
            for key, has_matched in matched_keys(item).items():
                self._rules[item.site, key][not has_matched] += 1
            for word in item.words:
                self._words[word.word] += word.count
            if len(self._words) > MAX_WORDS:
                self._words = Counter(dict(self._words.most_common(MAX_WORDS // 2)))

    def item_error(self) -> None:
        """Count an unexpected exception in a pipeline: Scrapy logs it, but its exit code does not show it."""
        self._crawler.stats.inc_value("webmain/item_errors")

    def engine_stopped(self) -> None:
        """Print the summary and write the figures."""
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        self._crawler.stats.set_value("webmain/cpu_seconds", round(sum(u.ru_utime + u.ru_stime for u in used), 2))
        for n, ((site, key), (n_matched, n_missed)) in enumerate(sorted(self._rules.items())):
            if not n_matched:
                message = f"{site}: the rule {key} of WEBMAIN_SITES matched nothing on {n_missed} pages"
                self._crawler.stats.set_value(f"webmain/warning/rules{n:03}", message)
        self._write_figures()
        if not self._prints:
            return
        stats = self._crawler.stats.get_stats()
        store = self._crawler.get_item_pipeline(Store)
        feeds = [str(uri) for uri in self._crawler.settings.getdict("FEEDS")]
        problems = [str(stats[name]) for kind in FAILING if (name := f"webmain/{kind}_error") in stats]
        warnings = [str(value) for name, value in sorted(stats.items()) if name.startswith("webmain/warning/")]
        found = outcome(stats)
        if self._only_news and not (found.new or found.changed or warnings or exit_code(stats)):
            return
        warnings += [str(value) for name, value in sorted(stats.items()) if name.startswith("webmain/unreachable/")]
        words = sorted(self._words.items(), key=lambda each: (-each[1], each[0]))[:TOP_WORDS]
        places = store.places if store else ()
        text = render(
            found, places=places, feeds=feeds, words=words, labelled=notes(stats), problems=problems, warnings=warnings
        )
        stream = sys.stderr if any(uri == "-" or uri.startswith("stdout:") for uri in feeds) else sys.stdout
        encoding = getattr(stream, "encoding", None) or "utf-8"
        try:
            stream.write("\n" + text.encode(encoding, "replace").decode(encoding))
            stream.flush()
        except OSError as error:
            discard(stream)
            if not isinstance(error, BrokenPipeError):  # then the reader of a pipe has gone: not our error
                fail_crawl(self._crawler, "summary", f"the summary cannot be written: {reason_of(error)}")

    def _tick(self) -> None:
        stats = self._crawler.stats.get_stats()
        n, verb = pages_so_far(stats)
        now = time.monotonic()
        per_minute = 60 * (n - self._before[1]) / max(now - self._before[0], 0.001)
        self._before = now, n
        queued = len(scheduler) if isinstance(scheduler := self._crawler.engine.scheduler, Sized) else 0
        logger.info("%s", progress(outcome(stats), pages=f"{n:,} {verb}", per_minute=per_minute, queued=queued))
        self._write_figures()

    def _write_figures(self) -> None:
        if not self._folder:
            return
        stats = self._crawler.stats.get_stats()
        spider = self._crawler.spider
        name = own(self._crawler.settings).get("WEBMAIN_STATS_NAME") or (spider.name if spider else "crawl")
        folder = Path(self._folder)
        try:
            for kind, text in (("json", as_json(stats)), ("prom", as_prometheus(stats, name=name))):
                with replaced_whole(folder / f"{name}.{kind}") as part:
                    part.write_text(text, encoding="utf-8")
        except OSError as error:
            if not self._crawler.stats.get_value("webmain/stats_error"):
                logger.error("WEBMAIN_STATS_DIR: %s", error)
            self._crawler.stats.set_value("webmain/stats_error", f"WEBMAIN_STATS_DIR: {error}")


class PromptStop(Component):
    """Drops requests that wait in a site's slot once the crawl is closing, so that Ctrl-C takes effect quickly.

    Scrapy finishes all requests that have left the scheduler, one per delay of the slot; with a long Crawl-delay or
    Retry-After that takes minutes. Requests already sent are finished; the dropped ones stay pending.
    """

    signals = ("crawl_closing",)

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._closing = False
        self._ticks = PeriodicCall(crawler, 0.5, self._look)

    def crawl_closing(self) -> None:
        """Note that the crawl is closing."""
        self._closing = True

    def _look(self) -> None:
        engine = self._crawler.engine
        if engine.running and not self._closing:
            return
        for slot in engine.downloader.slots.values():
            while slot.queue:
                _, waiting = slot.queue.popleft()
                waiting.errback(StoppedError("the crawl is being closed"))
                self._crawler.stats.inc_value("webmain/let_go")


class Feeds(FeedExporter):
    """Scrapy's feed exporter; if a feed cannot be opened or written, the crawl ends with one message.

    Scrapy itself logs a traceback for each item, and counts nothing.
    """

    def open_spider(self, spider: Spider) -> None:
        """Set up the feeds."""
        try:
            super().open_spider(spider)
        except OSError as error:
            self._fail(error)

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Write an item to every feed."""
        if self.crawler.stats.get_value("webmain/feed_error"):
            return
        try:
            super().item_scraped(item, spider)
        except OSError as error:
            self._fail(error)

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        """Finish a feed; one without items is created here."""
        if self.crawler.stats.get_value("webmain/feed_error") and len(self.feeds) == 1:  # this one failed
            with contextlib.suppress(OSError, ValueError):
                if slot.file is not None:
                    slot.file.close()
            return
        try:
            await super()._close_slot(slot, spider)
        except (OSError, ValueError) as error:  # ValueError: an earlier failure closed its file
            self._fail(error, slot.uri)

    def _fail(self, error: Exception, uri: str = "") -> None:
        """Report the error once, and end the crawl."""
        fail_crawl(self.crawler, "feed", f"feed {uri or ', '.join(self.feeds)}: cannot be written: {error}")
