"""Convert responses to pages, judge these, fetch the further parts of articles, guess other addresses of front pages."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError, IgnoreRequest, ResponseDataLossError
from scrapy.http.request import NO_CALLBACK
from scrapy.spidermiddlewares.httperror import HttpError

from webmain import clock
from webmain.crawl.browsing import Browsing
from webmain.crawl.failures import RobotsUnreachableError
from webmain.discovery.page_evidence import evidence_of, judge_page
from webmain.discovery.pagination import next_part
from webmain.extraction import errors_as_rejections
from webmain.items import Hints, Page, Rejected
from webmain.items.rendered import RenderingError
from webmain.processes.pool import PoolClosed
from webmain.urls import normalise

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from webmain.discovery.page_summary import PageSummary
    from webmain.spiders.site import Site

logger = logging.getLogger("news")

_PART_PRIORITY: Final = 100


def page_of(response: Response, *, hints: Hints | None = None) -> Page:
    """Return a response as a page, with its address normalised and its header names in lower case.

    If a recording answered, the page has its time (`meta["fetched_at"]`) and its rendering (`meta["rendering"]`).
    """
    headers = {
        name.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
        for name, values in response.headers.items()
    }
    meta = response.request.meta if response.request is not None else {}
    page = Page(
        url=normalise(response.url) or response.url,
        body=response.body,
        fetched_at=meta.get("fetched_at") or clock.now().replace(microsecond=0),
        status=response.status,
        headers=headers,
        hints=hints,
    )
    if drawn := meta.get("rendering"):
        with suppress(RenderingError):
            return page.drawn(drawn)
    return page


async def attempt(url: str, reading: Awaitable[Page | None], reject: Callable[[Rejected], object]) -> Page | None:
    """Return the page that a task reads, if any; a rejection is reported, and a page that waits at the end stays pending."""
    try:
        with errors_as_rejections(url, passing=(PoolClosed,)):
            return await reading
    except Rejected as rejected:
        reject(rejected)
    except PoolClosed:
        logger.debug("%s stays pending: the crawl is being closed", url)
    return None


def other_fronts(start: str) -> Iterator[str]:
    """Yield other possible addresses of the front page, if the given one does not answer."""
    parts = urlsplit(start)
    if parts.path not in ("", "/"):
        return
    names = [parts.netloc]
    if "." in parts.netloc and not parts.netloc.rpartition(".")[2].partition(":")[0].isdigit():
        names.append(parts.netloc.removeprefix("www.") if parts.netloc.startswith("www.") else "www." + parts.netloc)
    for scheme in dict.fromkeys((parts.scheme, "http")):
        for name in names:
            yield f"{scheme}://{name}/"


def is_answered(error: BaseException | None) -> bool:
    """Return True if a failure says that the host is there, or that it is not asked."""
    is_away = isinstance(error, RobotsUnreachableError) and (error.unresolved or error.unconnected)
    return isinstance(error, HttpError | IgnoreRequest) and not is_away


def is_passing(error: BaseException | None) -> bool:
    """Return True if a failure may be temporary, so that nobody needs to look into it."""
    if isinstance(error, HttpError):
        return error.response.status == 429 or error.response.status >= 500
    if isinstance(error, RobotsUnreachableError):
        return not error.unresolved
    return isinstance(error, (DownloadTimeoutError, DownloadFailedError, ResponseDataLossError))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a page is an article, with the evidence.

    Attributes
    ----------
    reason : str
        Names of the evidence.
    is_from_feed : bool
        The page shows hardly any of the text that its feed contains.
    links : frozenset of str
        Addresses of the site that look like articles, or have paragraphs below their links.
    """

    reason: str
    is_article: bool
    is_from_feed: bool
    links: frozenset[str]


def judge_at(site: Site, summary: PageSummary, url: str, hints: Hints | None) -> Verdict:
    """Return whether the page at an address is an article, with the evidence."""
    links = site.article_links(summary.links, url)
    teased = site.teaser_chars(summary.teasers, (url, summary.head.canonical))
    is_front = url == site.front or (urlsplit(url).path in ("", "/") and not urlsplit(url).query)
    evidence = evidence_of(
        summary,
        site.judge(url),
        hints=hints,
        n_article_links=len(links),
        teased=teased,
        is_front_page=is_front,
        repeated=site.repeated,
    )
    judged = judge_page(evidence)
    is_from_feed = bool(summary.with_feeds_text) and not is_front
    reason = f"a feed holds the whole text; {judged.reason}" if is_from_feed else judged.reason
    return Verdict(
        reason=reason,
        is_article=judged.is_article or is_from_feed,
        is_from_feed=is_from_feed,
        links=links.union(teased),
    )


async def whole_article(crawler: Crawler, page: Page, summary: PageSummary, site: Site, found: Verdict) -> Page:
    """Return an article's page with its further parts, or with its feed's text if that is the whole one."""
    if found.is_from_feed:
        page = replace(page, html=summary.with_feeds_text, body=None, rendering=None)
    return replace(page, parts=await _parts(crawler, summary, site), article_reason=found.reason)


async def _parts(crawler: Crawler, page: PageSummary, site: Site) -> tuple[Page, ...]:
    """Return the further parts of an article; if one fails, those before it.

    The parts are removed from the site's waiting addresses; its limits bound their number.
    """
    first = here = page.url
    links, rel_next = page.pager, page.head.rel_next
    parts: list[Page] = []
    while len(parts) < site.limits.parts - 1 and (links or rel_next):
        following = next_part(here, links, rel_next, first=first if parts else None)
        address = normalise(following) if following else None
        if address is None or address in {first, *(part.url for part in parts)} or not site.is_own(address):
            break
        response = await _fetch(crawler, address)
        if response is None or not site.is_own(normalise(response.url) or address):
            break
        site.mark_done(address)
        try:
            part, summary = await Browsing.of(crawler).summarise(page_of(response), response)
            here, links, rel_next = part.url or address, summary.pager, summary.head.rel_next
        except Rejected as rejected:
            logger.info("part %d of %s cannot be read: %s", len(parts) + 2, first, rejected)
            break
        parts.append(part)
    if parts:
        crawler.stats.inc_value("webmain/parts", len(parts))
    return tuple(parts)


async def _fetch(crawler: Crawler, address: str) -> Response | None:
    """Fetch one further part; None if that fails."""
    request = Request(address, callback=NO_CALLBACK, priority=_PART_PRIORITY, dont_filter=True)
    try:
        response = await crawler.engine.download_async(request)
    except Exception as error:  # the article keeps the parts before it
        why = str(error)
    else:
        if response.status == 200 and "wall" not in request.meta:
            return response
        why = str(request.meta.get("wall") or f"status {response.status}")
    logger.info("a part is missing: %s: %s", address, why)
    crawler.stats.inc_value("webmain/parts_failed")
    return None
