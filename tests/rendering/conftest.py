"""What the tests of rendering share: the fixtures of whole crawls, and a browser without a crawl."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from threading import Thread

import pytest

from tests.crawl.conftest import crawl, site
from webmain.items.rendered import decode
from webmain.rendering.page_load import FetchedResponse, PageLoad
from webmain.rendering.request_rules import RequestRules, named_hosts

URL = "https://paper.example/news/one"


class Drawn:
    """What came of a page that was drawn."""

    def __init__(self, data: bytes, rules: RequestRules, asked: list[str]) -> None:
        self.data, self.rules, self.asked = data, rules, asked
        self.html, self.rendering = decode(data)

    def box(self, part: str):
        """Return the properties and the rectangle of the block whose text begins with some words."""
        before = self.html[: self.html.index(">" + part)]
        return self.rendering.visual(before.rpartition('data-webmain-box="')[2].partition('"')[0])


Answers = Mapping[str, FetchedResponse] | Callable[[str], FetchedResponse | None]


@pytest.fixture(scope="session")
def loop():
    """Run the event loop that the reactor is bound to, in a thread: the main one may have Playwright's, of other tests."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
def draw(loop):
    """Draw pages in a browser, in which nothing but the given answers can be had; pages one after the other."""

    def draw(
        *pages: str, answers: Answers | None = None, url: str = URL, **settings: object
    ) -> list[Drawn | Exception]:
        return asyncio.run_coroutine_threadsafe(_draw(pages, answers or {}, url, settings), loop).result()

    return draw


async def _draw(pages, answers, url, settings):
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.settings import Settings
    from scrapy.utils.reactor import install_reactor, is_reactor_installed

    if not is_reactor_installed():
        install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from webmain.crawl.browser import Browser

    own = Settings()
    own.setmodule("webmain.settings")
    own.update(settings, priority="cmdline")
    crawler = Crawler(Spider, own)
    crawler._apply_settings()
    browser = Browser(crawler)
    found: list[Drawn | Exception] = []
    try:
        for markup in pages:
            asked: list[str] = []

            async def fetch(address, headers, asked=asked):
                asked.append(address)
                return answers(address) if callable(answers) else answers.get(address)

            rules = RequestRules(url, named_hosts(markup, url))
            main = FetchedResponse(200, {"content-type": "text/html; charset=utf-8"}, markup.encode())
            try:
                found.append(Drawn(await browser.render(PageLoad(url, main, rules, fetch)), rules, asked))
            except Exception as error:
                found.append(error)
    finally:
        await browser.close()
    return found


__all__ = ["crawl", "draw", "loop", "site"]
