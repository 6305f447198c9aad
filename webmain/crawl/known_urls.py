"""The extension for a crawl's ledger, in which addresses are marked after the store's commit."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import urlsplit

from scrapy.http import Response
from scrapy.utils.datatypes import LocalCache

from webmain.article.filters import FILTERS
from webmain.clock import now_s
from webmain.crawl.options import chosen, option, overwritten_feeds, own, refresh_of
from webmain.crawl.signals import Component, fail_crawl
from webmain.crawl.storing import Store
from webmain.crawl.visiting import Visiting, key_of
from webmain.items import Article, Reason, Rejected
from webmain.ledger.ledger import DoneUrl, Ledger, LedgerError
from webmain.ledger.responses import ARTICLE, Filters, SavedResponse
from webmain.ledger.visits import FetchedArticle
from webmain.store.protocol import Stored, StoreError
from webmain.store.registry import ledger_path
from webmain.text.words import base_language
from webmain.urls import normalise, same_site, site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webmain.store.jsonl import JsonlStore
    from webmain.store.multiple_stores import Stores

logger = logging.getLogger(__name__)

T = TypeVar("T")

CONDITIONAL: Final = "again"  # key in a request's meta that allows conditions; its value is the run's `Filters`
MAX_REDIRECTED = 100_000  # redirected addresses remembered until their page is settled

_TRY_AGAIN = frozenset({Reason.BLOCKED, Reason.HTTP_ERROR, Reason.TOO_SLOW, Reason.INTERNAL_ERROR, Reason.EMPTY})

_FILTERS: Final[Mapping[str, str]] = {
    Reason.TOO_OLD: "since",
    Reason.TOO_NEW: "until",
    Reason.OTHER_LANGUAGE: "language",
    Reason.OTHER_SECTION: "section",
}
"""The spider's filter for each reason with which it rejects articles, if the ledger keeps the filter's value."""


class KnownUrls(Component):
    """The ledger of a crawl: addresses are marked done after the store's commit, rejected and failed ones at once.

    Spiders get it with `crawler.get_extension(KnownUrls)`.
    """

    signals = (
        *("spider_opened", "response_received", "articles_stored", "page_rejected", "page_failed"),
        *("spider_closed", "engine_stopped"),
    )

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._redirected = LocalCache[str, tuple[str, ...]](MAX_REDIRECTED)
        self._waiting: list[DoneUrl] = []
        self._reliable: dict[str, bool] = {}
        self.visiting = Visiting()  # pages whose articles are not durable yet

    @cached_property
    def path(self) -> str:
        """Path of the ledger."""
        path = own(self._crawler.settings).get("WEBMAIN_LEDGER")
        if path is None:
            return ledger_path(option(self._crawler, "store_spec", "WEBMAIN_STORE"))
        return path or ":memory:"

    @cached_property
    def ledger(self) -> Ledger:
        """The open ledger; raises LedgerError if the file is not a ledger, or cannot be written."""
        return Ledger(self.path)

    @cached_property
    def skip_known(self) -> bool:
        """Whether addresses settled by earlier crawls are skipped.

        False if one of Scrapy's feeds is overwritten (`-O`), which would lose its old items, or if the spider says so.
        """
        if getattr(self._crawler.spider, "skip_known", True) is False:
            return False
        if overwritten := overwritten_feeds(self._crawler.settings):
            logger.info("Known addresses are fetched again, since %s is overwritten", ", ".join(overwritten))
            return False
        return True

    @cached_property
    def uses_conditional_requests(self) -> bool:
        """Whether conditional requests are made for addresses that were read before.

        False if known addresses are fetched again, if a recording is made (it has to be complete), or if a recording answers.
        """
        is_recorded = option(self._crawler, "record", "WEBMAIN_RECORD") or own(self._crawler.settings).get(
            "WEBMAIN_REPLAY"
        )
        return self.skip_known and not is_recorded

    def saved_response(self, url: str, filters: Filters) -> SavedResponse | None:
        """Return the saved response of an address if it was read with filters at least as wide as this run's; else None."""
        if not self.uses_conditional_requests or self._crawler.stats.get_value("webmain/ledger_error"):
            return None
        saved = self.ask(lambda ledger: ledger.responses.get(key_of(url)), None)
        is_of_use = saved is not None and (saved.kind == ARTICLE or saved.filters.covers(filters))
        return saved if is_of_use else None

    def has_validators(self, saved: SavedResponse) -> bool:
        """Return True if a conditional request is possible for a saved response."""
        if saved.kind == ARTICLE and saved.site not in self._reliable:
            self._reliable[saved.site] = self.ask(
                lambda ledger: ledger.responses.validators_are_reliable(saved.site), False
            )
        return saved.has_validators(now_s(), are_reliable=saved.kind == ARTICLE and self._reliable[saved.site])

    def spider_opened(self) -> None:
        """Open the ledger; if that fails, the crawl ends before it begins.

        Not done if the store failed, so that no ledger is created beside another program's file.
        """
        if self._crawler.stats.get_value("webmain/store_error"):
            return
        try:
            self._warn_of_lost_store()
            self._reopen_damaged()
        except LedgerError as error:
            raise fail_crawl(self._crawler, "ledger", error) from error
        except StoreError as error:
            raise fail_crawl(self._crawler, "store", error) from error

    @property
    def _stores(self) -> list[Stores | JsonlStore]:
        """The crawl's stores; none if known addresses are fetched again in any case."""
        pipeline = self._crawler.get_item_pipeline(Store)
        return pipeline.open_stores if pipeline and self.skip_known else []

    def _warn_of_lost_store(self) -> None:
        """Warn if the ledger has stored articles but the store is empty, since these are not fetched again."""
        n_known, stores = self.ledger.counts().articles, self._stores
        if not n_known or not stores or any(store.count() for store in stores):
            return
        message = (
            f"the store {stores[0].spec} is empty, but the ledger {self.path} knows {n_known:,} articles as stored; they are"
            " not fetched again. If the store was removed, remove the ledger too, or give -a skip_known=false"
        )
        logger.warning("%s", message)
        self._crawler.stats.set_value("webmain/warning/store_lost", message)

    def _reopen_damaged(self) -> None:
        """Make addresses pending again whose articles were found damaged in the store."""
        stores = self._stores
        if not stores or not stores[0].may_lack:
            return
        lost = [url for url, article in self.ledger.articles() if not any(store.has(article) for store in stores)]
        n = sum(self.ledger.reopen(url) for url in lost)
        if n:
            message = f"{n:,} articles stood in damaged lines of the store {stores[0].spec} and are fetched again"
            message += " (`webmain check` shows more)"
            logger.warning("%s", message)
            self._crawler.stats.set_value("webmain/warning/store_damaged", message)

    def response_received(self, response: Response) -> None:
        """Remember a page's validators, and the addresses that redirected to it."""
        self.visiting.record_response(response)
        earlier = response.request.meta.get("redirect_urls") if response.request else None
        if earlier:
            self._redirected[key_of(response.url)] = tuple(earlier)

    def articles_stored(self, stored: Sequence[Stored], articles: Mapping[str, Article]) -> None:
        """Mark the addresses of articles that are durable now."""
        done: list[DoneUrl] = self._waiting
        self._waiting = []
        for each in stored:
            if each.url:
                canonical = articles[each.id].canonical_url if each.id in articles else None
                done += self._settled(each.url, article_id=each.id, canonical=canonical)
        self._mark(done)
        responses, fetched = self.visiting.pop_stored(stored, articles)
        self.ask(lambda ledger: ledger.responses.save(responses), None)
        self.ask(lambda ledger: ledger.visits.record(fetched, refresh_of(self._crawler)), None)

    def ask(self, question: Callable[[Ledger], T], otherwise: T) -> T:
        """Return the ledger's answer, or `otherwise` if the ledger fails, which ends the crawl."""
        try:
            return question(self.ledger)
        except LedgerError as error:
            self.fail(error)
            return otherwise

    def _record_visit(self, url: str) -> bool:
        """If the page was a revisit, record that the known article stays unchanged; return False for other pages."""
        visited = self.visiting.visited(url)
        if visited:
            self.visiting.drop(url)
            fetched = FetchedArticle(url=visited, site=site_key(visited))
            self.ask(lambda ledger: ledger.visits.record([fetched], refresh_of(self._crawler)), None)
        return bool(visited)

    def page_rejected(self, rejected: Rejected, url: str, retry_after_s: float | None) -> None:
        """Mark an address without an article; if the reason may pass, the address is tried again later."""
        if not url or self._record_visit(url):
            return
        reason = rejected.reason
        if reason in _TRY_AGAIN:
            self.page_failed(url, reason.value, retry_after_s)
        elif reason is Reason.DUPLICATE:  # its original may not be durable yet
            self._waiting += self._settled(url, reason=reason.value)
        else:
            self._mark([self._with_filter(done) for done in self._settled(url, reason=reason.value)])

    def reopen_filtered(self, site: str) -> None:
        """Make pages pending again that only a filter of an earlier run rejected and this run's may accept."""
        n = self.ledger.reopen_filtered(site, **self._filters)
        if n:
            logger.info("%s: %d addresses that a filter of an earlier run refused are looked at again", site, n)

    @property
    def _filters(self) -> dict[str, Any]:
        """The spider's filters, with `since` and `until` in seconds since 1970."""
        found = {name: chosen(self._crawler, name) for name in FILTERS}
        for name in ("since", "until"):
            if moment := found[name]:
                found[name] = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        return {**found, "language": base_language(found["language"]) or None}

    def _with_filter(self, done: DoneUrl) -> DoneUrl:
        """Add the filter's value to a rejection by a filter."""
        name = _FILTERS.get(done.reason or "")
        return replace(done, limit=self._filters[name]) if name else done

    def page_failed(self, url: str, reason: str, retry_after_s: float | None) -> None:
        """Record a failed attempt."""
        addresses = [*self._redirected.pop(key_of(url), ()), url]
        for address in dict.fromkeys(addresses):
            self.ask(partial(Ledger.mark_failed, url=address, reason=reason, retry_after_s=retry_after_s), None)

    def spider_closed(self) -> None:
        """Mark the addresses that waited for a commit."""
        if not self._crawler.stats.get_value("webmain/store_error"):
            waiting, self._waiting = self._waiting, []
            self._mark(waiting)

    def engine_stopped(self) -> None:
        """Close the file."""
        if "ledger" in self.__dict__:
            self.ledger.close()

    def _settled(
        self, url: str, *, article_id: str | None = None, reason: str | None = None, canonical: str | None = None
    ) -> list[DoneUrl]:
        """Return the settled forms of an address: as given, normalised, and those that redirected to it."""
        alias = canonical if canonical and same_site(url, canonical) and urlsplit(canonical).path.strip("/") else None
        forms = dict.fromkeys([url, normalise(url) or url, *self._redirected.pop(key_of(url), ())])
        return [DoneUrl(url=form, article_id=article_id, reason=reason, canonical=alias) for form in forms]

    def _mark(self, done: Sequence[DoneUrl]) -> None:
        self.ask(lambda ledger: ledger.mark_done(done), None)

    def fail(self, error: LedgerError) -> None:
        """End the crawl: without a ledger it would fetch everything again."""
        fail_crawl(self._crawler, "ledger", error)
