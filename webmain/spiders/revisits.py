"""Revisit known articles: which ones, as what share of a run's pages, and what is found."""

from __future__ import annotations

import logging
from collections import defaultdict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.httperror import HttpError

from webmain import clock
from webmain.crawl.browsing import Browsing
from webmain.crawl.failures import StoppedError, failure_name
from webmain.crawl.storing import Store
from webmain.crawl.visiting import VISIT, claimed_at
from webmain.discovery.articles import UrlKind
from webmain.discovery.schedule import choose
from webmain.ledger.visits import USUAL_EDITS
from webmain.spiders.answers import attempt, judge_at, page_of, whole_article
from webmain.spiders.candidates import FoundOn
from webmain.store.protocol import StoreError
from webmain.urls import normalise

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from webmain.discovery.schedule import Refresh
    from webmain.items import Hints, Page
    from webmain.ledger.visits import VisitRecord
    from webmain.spiders.enqueuer import Enqueuer
    from webmain.spiders.site import Site

logger = logging.getLogger("news")

AT_LEAST: Final = 20
"""Due articles of a site that a run may revisit, however few new pages it fetches."""

MANY: Final = 10
"""From this many articles in one batch on, the dates are not believed if most of them are within the last hour."""

_MISSING: Final = (404, 410)


class Revisits:
    """Known articles that are due for a revisit, in order of priority.

    While new pages wait, known articles are at most a share of the fetched pages; after that, at most that share or
    `AT_LEAST`, whichever is more. The others stay due.

    Parameters
    ----------
    crawler : Crawler
    enqueuer : Enqueuer
    refresh : callable
        Returns the schedule for an address.
    release : callable
        Called with a site when a request has finished.
    """

    def __init__(
        self,
        crawler: Crawler,
        enqueuer: Enqueuer,
        refresh: Callable[[str], Refresh],
        release: Callable[[Site], None],
    ) -> None:
        self._crawler = crawler
        self._enqueuer = enqueuer
        self._refresh = refresh
        self._release = release
        self._due: dict[str, deque[VisitRecord]] = {}
        self._taken: defaultdict[str, set[str]] = defaultdict(set)
        self._believes: dict[str, bool] = {}

    def next(self, site: Site) -> VisitRecord | None:
        """Return the article to revisit next; None if none is due or a new page comes first."""
        refresh = self._refresh(site.start)
        limit = refresh.share * (site.spending.n_pages + 1)
        if not (len(site) or site.backlog):
            limit = max(limit, AT_LEAST)
        if not refresh.ages_s or len(self._taken[site.name]) + 1 > limit:
            return None
        if site.name not in self._due:
            history = self._enqueuer.history
            self._add(site, (row for key in sorted(site.keys) for row in history.due_visits(key, refresh)))
        due, taken = self._due[site.name], self._taken[site.name]
        while due:
            row = due.popleft()
            if row.url not in taken and site.allows_visit(row.url, row.published_at):
                taken.add(row.url)
                site.mark_done(row.url)
                return row
        return None

    def add_claims(self, site: Site, named: Iterable[tuple[str, Hints | None]], source: str = "") -> None:
        """Record the change times that a feed or sitemap gives for known articles; changed ones are revisited first.

        The times are ignored if most of a batch are within the last hour, or if the site's dates were wrong too often.
        """
        history, now = self._enqueuer.history, clock.now_s()
        dated = {url: hints for url, hints in named if hints is not None and (hints.modified or hints.published)}
        places = history.visited_as(list(dated)) if dated and self._refresh(site.start).ages_s else {}
        claims = [(places[url], at, dated[url]) for url in places if (at := claimed_at(dated[url])) is not None]
        n_fresh = sum(at > now - 3600 for _, at, _ in claims)
        if not claims or (len(claims) >= MANY and 2 * n_fresh > len(claims)):
            return
        if site.name not in self._believes:
            self._believes[site.name] = history.trusts_claims(site.name)
        if self._believes[site.name]:
            moved = history.record_claims(claims, self._refresh(site.start), source)
            if site.name in self._due:
                self._add(site, moved)

    def _add(self, site: Site, rows: Iterable[VisitRecord]) -> None:
        by_url = {row.url: row for row in (*self._due.get(site.name, ()), *rows)}
        chosen = choose([row.visit(USUAL_EDITS) for row in by_url.values()], clock.now_s())
        self._due[site.name] = deque(by_url[visit.url] for visit in chosen)

    def visit(self, site: Site, row: VisitRecord) -> None:
        """Request an article again."""
        options = {"callback": self.parse, "errback": self.failed, "cb_kwargs": {"row": row, "site": site}}
        self._enqueuer.send_for(site, self._enqueuer.probe(site, row.url, VISIT, **options))

    # ---- Responses

    async def parse(self, response: Response, row: VisitRecord, site: Site) -> AsyncIterator[Page]:
        """Read an article's page; yield it if it has changed."""
        reading = self._changed(response, row, site)
        try:
            page = await attempt(row.url, reading, lambda rejected: self._keep(row, f"rejected/{rejected.reason}"))
        finally:
            self._release(site)
        if page is not None:
            yield page

    async def _changed(self, response: Response, row: VisitRecord, site: Site) -> Page | None:
        """Return an article's page for extraction; None if it has not changed or is no article any more."""
        history, url = self._enqueuer.history, normalise(response.url) or response.url
        if url != row.url:
            self._follow(site, row, url)
            return None
        if self._enqueuer.unchanged_response(site, response):
            self._keep(row, "not_modified" if response.status == 304 else "identical")
            return None
        page = page_of(response, hints=row.read_hints())
        page, summary = await Browsing.of(self._crawler).summarise(page, response)
        if history.has_same_text(row.url, summary):
            self._keep(row, "identical")
            return None
        found = judge_at(site, summary, url, page.hints)
        if summary.says_missing and not found.is_article:
            self._record_failure(row, 404, found.reason)
            return None
        if not found.is_article:
            logger.info("%s gives no article any more: %s", row.url, found.reason)
            self._keep(row, "no_article")
            return None
        history.record_page(row.url, page.hints, summary, row=row)
        return await whole_article(self._crawler, page, summary, site, found)

    def _keep(self, row: VisitRecord, why: str) -> None:
        """Record that an article stays as it is."""
        self._count(why)
        self._enqueuer.history.record_unchanged_article(row, self._refresh(row.url))

    def _follow(self, site: Site, row: VisitRecord, url: str) -> None:
        """Record where an article redirects to: a list (it is missing), another article or a new address, or a wall."""
        history = self._enqueuer.history
        is_list = site.is_own(url) and (
            url == site.front
            or urlsplit(url).path in ("", "/")
            or site.judge(url).kind is UrlKind.HUB
            or site.is_list(url)
        )
        if is_list:
            self._record_failure(row, 404, f"it leads to {url}")
        elif site.is_own(url) and (history.is_known(url) or site.judge(url).kind is UrlKind.ARTICLE):
            history.record_moved(row.url, url)
            self._count("moved")
            if not history.is_known(url):
                self._enqueuer.enqueue(site, site.candidates_from([(url, row.read_hints())], FoundOn.FEED))
        else:  # perhaps a wall
            logger.info("%s leads to %s; it is looked at again later", row.url, url)
            self._count("failed/redirect")
            history.postpone(row.url)

    async def has_moved(self, old: str, new: str) -> bool:
        """Request a known article's address; return True, and record it, if that leads to another one now."""
        try:
            response = await self._crawler.engine.download_async(Request(old, callback=NO_CALLBACK, dont_filter=True))
        except Exception as error:  # then the page is an article of its own
            logger.info("%s cannot be looked at again: %s", old, error)
            return False
        if normalise(response.url) != new:
            return False
        self._enqueuer.history.record_moved(old, new)
        self._count("moved")
        return True

    def _record_failure(self, row: VisitRecord, status: int, why: str) -> None:
        """Record that an article's page is missing; if it counts as gone, mark it in the stores first."""
        history, is_gone = self._enqueuer.history, row.counts_as_gone(status)
        if is_gone:
            store, name = self._crawler.get_item_pipeline(Store), history.article_id(row.url)
            if store is not None and store.stores is not None and name:
                try:
                    store.stores.mark_gone(name, when=clock.now(), status=status)
                except StoreError as error:
                    store.end(error)
                    return
        history.record_missing_article(row.url, status)
        logger.info("%s %s: %s", row.url, "is gone" if is_gone else "is missing", why)
        self._count("gone" if is_gone and row.gone_at is None else "missing")

    def failed(self, failure: Failure) -> None:
        """Record a failed revisit: a missing page may be gone, everything else is tried again later."""
        request: Request = failure.request  # type: ignore[attr-defined]
        row: VisitRecord = request.cb_kwargs["row"]
        error = failure.value
        status = error.response.status if isinstance(error, HttpError) else 0
        if status in _MISSING:
            self._record_failure(row, status, f"status {status}")
        elif not isinstance(error, StoppedError):
            reason = f"status_{status}" if status else failure_name(error)  # type: ignore[arg-type]
            logger.info("%s cannot be looked at again: %s", row.url, error)
            self._count(f"failed/{reason}")
            self._enqueuer.history.postpone(row.url)
        self._release(request.cb_kwargs["site"])

    def _count(self, name: str) -> None:
        self._enqueuer.count(f"webmain/visits/{name}")
