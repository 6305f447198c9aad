"""Articles over several pages: their further pages, fetched one after the other."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from webmain.discovery.pagination import next_part
from webmain.items import Page, Rejected
from webmain.spiders.answers import page_of
from webmain.urls import normalise

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from webmain.discovery.look import Look
    from webmain.spiders.site import Site
    from webmain.workers import Workers

logger = logging.getLogger("news")

_PRIORITY: Final = 100


async def fetch_parts(crawler: Crawler, workers: Workers, page: Look, site: Site) -> tuple[Page, ...]:
    """Fetch the following pages of an article; one that fails ends it, with what was there.

    Parameters
    ----------
    crawler : Crawler
    workers : Workers
        Read the parts.
    page : Look
        The first page.
    site : Site
        Its parts are folded out of what waits; its limits bound their number.
    """
    first = here = page.url
    links, rel_next = page.pager, page.head.rel_next
    parts: list[Page] = []
    while len(parts) < site.limits.parts - 1 and (links or rel_next):
        following = next_part(here, links, rel_next, first=first if parts else None)
        address = normalise(following) if following else None
        if address is None or address in {first, *(part.url for part in parts)} or not site.is_own(address):
            break
        part = await _fetch(crawler, address)
        if part is None or not site.is_own(part.url or address):
            break
        site.fold(address)
        try:
            seen = await workers.look(part)
            here, links, rel_next = part.url or address, seen.pager, seen.head.rel_next
        except Rejected as rejected:
            logger.info("part %d of %s can not be read: %s", len(parts) + 2, first, rejected)
            break
        parts.append(part)
    if parts:
        crawler.stats.inc_value("webmain/parts", len(parts))
    return tuple(parts)


async def _fetch(crawler: Crawler, address: str) -> Page | None:
    """Fetch one further page; None where it can not be had."""
    assert crawler.engine is not None
    request = Request(address, callback=NO_CALLBACK, priority=_PRIORITY, dont_filter=True)
    try:
        response = await crawler.engine.download_async(request)
    except Exception as error:  # whatever fails, the article goes on with what was there
        why = str(error)
    else:
        if response.status == 200:
            return page_of(response)
        why = f"status {response.status}"
    logger.info("a part is missing: %s: %s", address, why)
    crawler.stats.inc_value("webmain/parts_failed")
    return None
