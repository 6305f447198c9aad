"""What runs beside a crawl: the memory of addresses, the summary, and a prompt end."""

from __future__ import annotations

import logging
import resource
import sys
import time
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy.exceptions import CloseSpider
from scrapy.http import Response

from webmain.discovery.ledger import Done, Ledger, LedgerError
from webmain.failures import StoppedError
from webmain.files import replaced_whole
from webmain.items import Article, Reason, Rejected
from webmain.options import chosen, option, overwritten_feeds, own
from webmain.pipelines import Store
from webmain.signals import Ticks, close_crawl, connect
from webmain.sites.matching import matched_keys
from webmain.store.protocol import Stored
from webmain.store.registry import split_spec, split_specs
from webmain.summary import FAILING, as_json, as_prometheus, exit_code, outcome, progress, render
from webmain.text.words import base_language
from webmain.urls import normalise, same_site, site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webmain.store.jsonl import JsonlStore
    from webmain.store.several import Stores

logger = logging.getLogger(__name__)

TOP_WORDS = 20
"""Words shown in the summary."""

MAX_WORDS = 100_000
"""Different words counted for it; beyond, the rarer half is forgotten."""

MAX_REDIRECTED = 100_000
"""Redirected addresses remembered until their page is settled."""

_TRY_AGAIN = frozenset({Reason.BLOCKED, Reason.HTTP_ERROR, Reason.TOO_SLOW, Reason.INTERNAL_ERROR, Reason.EMPTY})


class KnownUrls:
    """The ledger of a crawl: addresses are marked done after the store's commit, rejected and failed ones at once.

    Spiders reach it by `crawler.get_extension(KnownUrls)`.

    Attributes
    ----------
    path : str
        The ledger's file; ":memory:" where nothing is remembered over runs.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._redirected: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._waiting: list[Done] = []
        self._closed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension; the file is opened at first use."""
        known = cls(crawler)
        connect(crawler, known, "spider_opened", "response_received", "articles_stored", "page_rejected", "page_failed")
        connect(crawler, known, "spider_closed", "engine_stopped")
        return known

    @cached_property
    def path(self) -> str:
        """Where the ledger lies."""
        path = own(self._crawler.settings).get("WEBMAIN_LEDGER")
        if path is None:
            return ledger_path(option(self._crawler, "store_spec", "WEBMAIN_STORE"))
        return path or ":memory:"

    @cached_property
    def ledger(self) -> Ledger:
        """The open ledger.

        Raises
        ------
        LedgerError
            The file is something else, or cannot be written.
        """
        return Ledger(self.path)

    @cached_property
    def skip_known(self) -> bool:
        """Whether addresses settled by earlier crawls are passed over.

        Not where a feed of Scrapy's is overwritten (`-O`): it would lose what it had. Not where the spider says so.
        """
        if getattr(self._crawler.spider, "skip_known", True) is False:
            return False
        if overwritten := overwritten_feeds(self._crawler.settings):
            logger.info("Known addresses are fetched again, since %s is overwritten", ", ".join(overwritten))
            return False
        return True

    def spider_opened(self) -> None:
        """Open the ledger; where that fails the crawl ends before it begins.

        Not where the store failed: no ledger is left beside a file of another program.
        """
        if self._crawler.stats.get_value("webmain/store_error"):
            return
        try:
            self._warn_of_lost_store()
            self._take_up_damaged()
        except LedgerError as error:
            self.fail(error)
            raise CloseSpider("ledger_error") from error

    @property
    def _stores(self) -> tuple[Stores | None, JsonlStore | None]:
        """The crawl's stores, and the one for articles that are kept out of them."""
        pipeline = self._crawler.get_item_pipeline(Store)
        return (pipeline.stores, pipeline.kept_out) if pipeline else (None, None)

    def _warn_of_lost_store(self) -> None:
        """Say so where the ledger knows of stored articles and the store has none: nothing of them is fetched again."""
        n_known = self.ledger.counts().articles
        stores, kept_out = self._stores
        if not n_known or stores is None or not self.skip_known or any(s.count() for s in (stores, kept_out) if s):
            return
        message = (
            f"the store {stores.spec} is empty, but the ledger {self.path} knows {n_known:,} articles as stored; they are"
            " not fetched again. If the store was removed, remove the ledger too, or give -a skip_known=false"
        )
        logger.warning("%s", message)
        self._crawler.stats.set_value("webmain/warning/store_lost", message)

    def _take_up_damaged(self) -> None:
        """Make pending again what the ledger knows as stored and a store has found damaged."""
        stores, kept_out = self._stores
        if stores is None or not stores.may_lack or not self.skip_known:
            return
        places = [store for store in (stores, kept_out) if store is not None]
        lost = [url for url, article in self.ledger.articles() if not any(place.has(article) for place in places)]
        n = sum(self.ledger.reopen(url) for url in lost)
        if n:
            message = f"{n:,} articles stood in damaged lines of the store {stores.spec} and are fetched again"
            message += " (`webmain check` tells more)"
            logger.warning("%s", message)
            self._crawler.stats.set_value("webmain/warning/store_damaged", message)

    def response_received(self, response: Response) -> None:
        """Remember under which addresses a redirected page was asked for."""
        earlier = response.request.meta.get("redirect_urls") if response.request else None
        if earlier:
            self._redirected[_key(response.url)] = tuple(earlier)
            if len(self._redirected) > MAX_REDIRECTED:
                self._redirected.popitem(last=False)

    def articles_stored(self, stored: Sequence[Stored], canonical: Mapping[str, str]) -> None:
        """Mark what is durable now."""
        done: list[Done] = self._waiting
        self._waiting = []
        for each in stored:
            if each.url:
                done += self._settled(each.url, article_id=each.id, canonical=canonical.get(each.id))
        self._mark(done)

    def page_rejected(self, rejected: Rejected, url: str, retry_after_s: float | None) -> None:
        """Mark an address that gives no article; one that may give one later is tried again."""
        if not url:
            return
        reason = rejected.reason
        if reason in _TRY_AGAIN:
            self.page_failed(url, reason.value, retry_after_s)
        elif reason is Reason.DUPLICATE:  # its original may not be durable yet
            self._waiting += self._settled(url, reason=reason.value)
        else:
            self._mark([self._with_filter(done) for done in self._settled(url, reason=reason.value)])

    def reopen_filtered(self, site: str) -> None:
        """Take up again what only a filter of an earlier run refused, as far as this run's may let it pass."""
        since, language = self._filters
        n = self.ledger.reopen_filtered(site, since=since, language=language)
        if n:
            logger.info("%s: %d addresses that an earlier run's since or language refused are looked at again", site, n)

    @property
    def _filters(self) -> tuple[float | None, str | None]:
        """What the spider asks for: `since` in seconds since 1970, and a language."""
        since: datetime | None = chosen(self._crawler, "since")
        if since is not None:
            since = since if since.tzinfo else since.replace(tzinfo=UTC)
        return since.timestamp() if since else None, base_language(chosen(self._crawler, "language")) or None

    def _with_filter(self, done: Done) -> Done:
        """Note with a rejection by a filter for which filter it holds."""
        since, language = self._filters
        if done.reason == Reason.TOO_OLD:
            return replace(done, since=since)
        return replace(done, language=language) if done.reason == Reason.OTHER_LANGUAGE else done

    def page_failed(self, url: str, reason: str, retry_after_s: float | None) -> None:
        """Note a failed attempt."""
        addresses = [*self._redirected.pop(_key(url), ()), url]
        for address in dict.fromkeys(addresses):
            try:
                self.ledger.mark_failed(address, reason, retry_after_s=retry_after_s, site=site_key(address))
            except LedgerError as error:
                self.fail(error)

    def spider_closed(self) -> None:
        """Mark what waited for a commit that has come."""
        if not self._crawler.stats.get_value("webmain/store_error"):
            waiting, self._waiting = self._waiting, []
            self._mark(waiting)

    def engine_stopped(self) -> None:
        """Close the file."""
        self._closed = True
        if "ledger" in self.__dict__:
            self.ledger.close()

    def _settled(
        self, url: str, *, article_id: str | None = None, reason: str | None = None, canonical: str | None = None
    ) -> list[Done]:
        """Return an address in all the forms in which it was asked for."""
        alias = canonical if canonical and _is_alias(url, canonical) else None
        forms = dict.fromkeys([url, normalise(url) or url, *self._redirected.pop(_key(url), ())])
        return [Done(url=form, article_id=article_id, reason=reason, canonical=alias) for form in forms]

    def _mark(self, done: Sequence[Done]) -> None:
        by_site: dict[str, list[Done]] = {}
        for each in done:
            by_site.setdefault(site_key(each.url), []).append(each)
        for site, some in by_site.items():
            try:
                self.ledger.mark_done(some, site=site)
            except LedgerError as error:
                self.fail(error)

    def fail(self, error: LedgerError) -> None:
        """Say once what is wrong, and end the crawl: without a memory it would fetch everything again."""
        stats = self._crawler.stats
        if stats.get_value("webmain/ledger_error"):
            return
        logger.error("The crawl ends: %s", error)
        stats.set_value("webmain/ledger_error", str(error))
        if self._crawler.engine.running and not self._closed:
            close_crawl(self._crawler, "ledger_error")


def ledger_path(store_spec: str) -> str:
    """Return the ledger's file beside the first store: "jsonl:news.jsonl,sqlite:x.db" gives "news.jsonl.ledger"."""
    address = split_spec(split_specs(store_spec)[0])[1]
    return str(Path(address).expanduser()) + ".ledger"


def _key(url: str) -> str:
    return normalise(url) or url


def _is_alias(url: str, canonical: str) -> bool:
    """Return True if a page's canonical URL may be settled with it: never a front page, nor one of another site."""
    return same_site(url, canonical) and len(urlsplit(canonical).path.strip("/")) > 0


class Summary:
    """A line of progress while a crawl runs, a summary on standard output at its end, and figures for machines."""

    def __init__(self, crawler: Crawler, clock: Callable[[], float] = time.monotonic) -> None:
        settings = own(crawler.settings)
        self._crawler = crawler
        self._clock = clock
        self._only_news = str(settings.get("WEBMAIN_SUMMARY")).lower() == "new"
        self._prints = self._only_news or settings.getbool("WEBMAIN_SUMMARY")
        self._folder = settings.get("WEBMAIN_STATS_DIR") or ""
        self._words: Counter[str] = Counter()
        self._rules: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        self._before = (clock(), 0)
        self._ticks: Ticks | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension."""
        summary = cls(crawler)
        connect(crawler, summary, "item_scraped", "item_error", "engine_stopped")
        every_s = own(crawler.settings).getfloat("WEBMAIN_PROGRESS_S")
        summary._ticks = Ticks(crawler, every_s, summary._tick) if every_s > 0 else None
        return summary

    def item_scraped(self, item: Any) -> None:
        """Count an article's words, and which rules for its site matched its page."""
        if isinstance(item, Article):
            for key, has_matched in matched_keys(item).items():
                self._rules[item.site, key][not has_matched] += 1
            for word in item.words:
                self._words[word.word] += word.count
            if len(self._words) > MAX_WORDS:
                self._words = Counter(dict(self._words.most_common(MAX_WORDS // 2)))

    def item_error(self) -> None:
        """Count an unexpected exception in a pipeline: Scrapy logs it, but its exit code says nothing."""
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
        told = [str(value) for name, value in sorted(stats.items()) if name.startswith("webmain/warning/")]
        found = outcome(stats)
        if self._only_news and not (found.new or found.changed or told or exit_code(stats)):
            return
        told += [str(value) for name, value in sorted(stats.items()) if name.startswith("webmain/unreachable/")]
        words = sorted(self._words.items(), key=lambda each: (-each[1], each[0]))[:TOP_WORDS]
        places = store.places if store else ()
        text = render(found, places=places, feeds=feeds, words=words, problems=problems, warnings=told)
        stream = sys.stderr if any(uri == "-" or uri.startswith("stdout:") for uri in feeds) else sys.stdout
        encoding = getattr(stream, "encoding", None) or "utf-8"
        stream.write("\n" + text.encode(encoding, "replace").decode(encoding))
        stream.flush()

    def _tick(self) -> None:
        stats = self._crawler.stats.get_stats()
        responses = int(stats.get("response_received_count", 0))
        now = self._clock()
        per_minute = 60 * (responses - self._before[1]) / max(now - self._before[0], 0.001)
        self._before = now, responses
        queued = len(scheduler) if isinstance(scheduler := self._crawler.engine.scheduler, Sized) else 0
        logger.info("%s", progress(outcome(stats), responses=responses, per_minute=per_minute, queued=queued))
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


class PromptStop:
    """Lets go of requests that wait in a site's slot once the crawl is closing, so that Ctrl-C need not wait for them.

    Scrapy finishes everything that has left the scheduler, one request in each delay of the slot; with a long Crawl-delay
    or Retry-After that takes minutes. Requests on the wire are finished; what is let go stays pending.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._closing = False
        self._ticks = Ticks(crawler, 0.5, self._look)
        connect(crawler, self, "crawl_closing")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension."""
        return cls(crawler)

    def crawl_closing(self) -> None:
        """Note that the end was asked for."""
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
