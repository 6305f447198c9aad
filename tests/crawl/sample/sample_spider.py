"""A spider for tests: fetches what it is told to and yields pages as they come."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass
from datetime import UTC, datetime

import scrapy
from scrapy.core.scheduler import Scheduler

from webmain.crawl.known_urls import KnownUrls
from webmain.crawl.signals import send_rejected
from webmain.extractors.base import create
from webmain.extractors.line_block import LineBlock
from webmain.items import Page, Reason, Rejected
from webmain.ledger.ledger import FoundUrl


class NoScheduler(Scheduler):
    """Cannot be opened, as one whose database does not answer."""

    def open(self, spider):
        raise ConnectionError("the database does not answer")


@dataclass(frozen=True)
class Broken(LineBlock):
    """Fails on some pages as a program with a fault does."""

    def judge(self, segmentation):
        if "broken" in segmentation.document.url:
            raise ZeroDivisionError("a fault in the extractor")
        return super().judge(segmentation)


@dataclass(frozen=True)
class Hostile(LineBlock):
    """Does not come to an end on some pages, in C or in Python, or crashes its process."""

    def judge(self, segmentation):
        url = segmentation.document.url
        if "regex" in url:
            re.match("(a|a)*b", "a" * 80)
        while "loop" in url:
            pass
        if "crash" in url:
            os.kill(os.getpid(), signal.SIGSEGV)
        return super().judge(segmentation)


class SampleSpider(scrapy.Spider):
    """Takes urls (separated by spaces), store, fail (raise where the URL holds it), ..."""

    name = "sample"

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        if "wrong" in kwargs:
            raise ValueError(f"wrong: got {kwargs['wrong']!r}, allowed is nothing")
        return super().from_crawler(crawler, *args, **kwargs)

    def __init__(
        self, urls="", store=None, extractor="line_block", max_articles=None, since=None, language=None, **kwargs
    ):
        super().__init__(**kwargs)
        self.urls = urls.split()
        self.named_urls = self.urls
        if store:
            self.store_spec = store
        self.extractor = create(extractor)
        self.max_articles = int(max_articles) if max_articles else None
        self.since = datetime.fromisoformat(since) if since else None
        self.language = language

    async def start(self):
        known = self.crawler.get_extension(KnownUrls)
        known.ledger.add_pending([FoundUrl(url=u) for u in self.urls], site="test")
        wanted = known.ledger.unknown(self.urls) if known.skip_known else self.urls
        self.crawler.stats.inc_value("webmain/known", len(self.urls) - len(wanted))
        for url in wanted:
            yield scrapy.Request(url, errback=self.failed)

    def parse(self, response):
        if getattr(self, "fail", None) and self.fail in response.url:  # type: ignore[attr-defined]
            raise RuntimeError("the spider has a fault")
        if "hub" in response.url:
            send_rejected(self.crawler, Rejected(Reason.NOT_ARTICLE, "a hub", url=response.url))
            return
        headers = {k.decode().lower(): v[-1].decode() for k, v in response.headers.items()}
        page = Page(
            url=response.url,
            body=response.body,
            status=response.status,
            headers=headers,
            fetched_at=datetime(2026, 1, int(getattr(self, "day", 1)), tzinfo=UTC),
        )
        if "item" in response.url:
            yield {"other": 1}
        yield page

    def failed(self, failure):
        self.crawler.stats.inc_value("sample/errback")
