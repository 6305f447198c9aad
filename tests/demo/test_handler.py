from __future__ import annotations

import asyncio
import json
import runpy
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, signals
from scrapy.exceptions import CannotResolveHostError, DownloadCancelledError, StopDownload
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.test import get_crawler

from demo.handler import DemoDownloadHandler
from demo.web import Web

ROOT = Path(__file__).parents[2]

CRAWL = """
import json, logging, sys
from urllib.parse import urlsplit
import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from demo.web import Web

class Walker(scrapy.Spider):
    name = "walker"
    custom_settings = {
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), "demo.handler.DemoDownloadHandler"),
        "REMOTE_CONTROL_ENABLED": False, "TELNETCONSOLE_ENABLED": False, "LOG_LEVEL": "CRITICAL",
        "ROBOTSTXT_OBEY": True, "DEPTH_LIMIT": 2, "DOWNLOAD_MAXSIZE": 10 * 2**20, "DOWNLOAD_DELAY": 0,
        "REDIRECT_MAX_TIMES": 5, "RETRY_TIMES": 1, "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    }
    got = {}

    async def start(self):
        for host in ("harbour-courier.example", "khaosaiklang.example", "the-tangle.example"):
            yield scrapy.Request(f"http://{host}/", errback=self.failed)

    def parse(self, response):
        self.got[response.url] = [response.status, type(response).__name__, len(response.body)]
        if hasattr(response, "css") and "html" in type(response).__name__.lower():
            for href in response.css("a::attr(href)").getall():
                url = response.urljoin(href)
                if url.startswith("http") and (urlsplit(url).hostname or "").endswith(".example"):
                    yield scrapy.Request(url, errback=self.failed)

    def failed(self, failure):
        self.crawler.stats.inc_value("failed/" + type(failure.value).__name__)

process = AsyncCrawlerProcess()
crawler = process.create_crawler(Walker)
process.crawl(crawler)
process.start()
stats = {k: v for k, v in crawler.stats.get_stats().items() if isinstance(v, (int, str))}
print(json.dumps({"got": Walker.got, "stats": stats}))
"""


def download(request: Request, **settings: Any) -> Response:
    crawler = get_crawler(settings_dict=settings)
    handler = DemoDownloadHandler.from_crawler(crawler)
    return asyncio.run(handler.download_request(request))


def test_a_page_comes_in_the_class_that_scrapy_chooses() -> None:
    page = download(Request("https://khaosaiklang.example/news/1204331"))
    assert isinstance(page, HtmlResponse)
    assert "ตลาดเช้าริมคลองบางไผ่" in page.text
    assert page.headers["Content-Length"] == str(len(page.body)).encode()
    pdf = download(Request("https://the-tangle.example/p/bada55bb"))
    assert isinstance(pdf, TextResponse)
    picture = download(Request("https://khaosaiklang.example/img/logo.svg"))
    assert picture.headers["Content-Type"] == b"image/svg+xml"


def test_the_response_is_still_packed_and_latency_is_noted() -> None:
    request = Request("https://www.harbour-courier.example/", headers={"Accept-Encoding": "gzip"})
    response = download(request)
    assert response.headers["Content-Encoding"] == b"gzip"
    assert response.body.startswith(b"\x1f\x8b")
    assert request.meta["download_latency"] >= 0


def test_an_unknown_host_is_a_name_that_cannot_be_resolved() -> None:
    with pytest.raises(CannotResolveHostError, match="nowhere"):
        download(Request("https://nowhere.example/"))


def test_the_size_limit_has_two_sides() -> None:
    url = "https://the-tangle.example/p/7c1f9e2b"
    size = len(Web().respond(url).body)
    assert len(download(Request(url), DOWNLOAD_MAXSIZE=size).body) == size
    with pytest.raises(DownloadCancelledError):
        download(Request(url), DOWNLOAD_MAXSIZE=size - 1)
    assert download(Request(url, meta={"download_maxsize": 0}), DOWNLOAD_MAXSIZE=1).status == 200
    with pytest.raises(DownloadCancelledError):
        download(Request(url, meta={"download_maxsize": 1}))


@pytest.mark.parametrize(("signal", "size"), [(signals.headers_received, 0), (signals.bytes_received, 100)])
def test_a_receiver_of_signals_may_stop_a_download(signal: object, size: int) -> None:
    crawler = get_crawler()
    handler = DemoDownloadHandler.from_crawler(crawler)

    def stop() -> None:
        raise StopDownload(fail=False)

    crawler.signals.connect(stop, signal, weak=False)
    response = asyncio.run(handler.download_request(Request("https://khaosaiklang.example/")))
    assert "download_stopped" in response.flags
    assert len(response.body) >= size


def test_the_setting_chooses_another_web() -> None:
    crawler = get_crawler(settings_dict={"DEMO_WEB": "demo.many.default"})
    handler = DemoDownloadHandler.from_crawler(crawler)
    assert asyncio.run(handler.download_request(Request("https://www.many-pages.example/"))).status == 200


def test_settings_take_webmains_own_and_leave_the_network_out(monkeypatch: pytest.MonkeyPatch) -> None:
    own = types.ModuleType("webmain.settings")
    own.BOT_NAME, own.DOWNLOAD_DELAY, own.AUTOTHROTTLE_ENABLED = "own", 1.0, True  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "webmain.settings", own)
    settings = runpy.run_path(str(ROOT / "demo" / "settings.py"))
    assert settings["BOT_NAME"] == "own"
    assert settings["DOWNLOAD_DELAY"] == 0
    assert settings["AUTOTHROTTLE_ENABLED"] is False
    assert set(settings["DOWNLOAD_HANDLERS"]) == {"http", "https"}


def test_sites_are_hosts_of_the_web() -> None:
    lines = (ROOT / "demo" / "sites.txt").read_text("utf-8").splitlines()
    sites = [line for line in lines if line and not line.startswith("#")]
    assert len(sites) == 3
    assert set(sites) <= set(Web().hosts)


def test_a_whole_crawl_with_all_middlewares_finds_every_linked_article() -> None:
    run = subprocess.run(
        [sys.executable, "-c", CRAWL], cwd=ROOT, capture_output=True, text=True, timeout=100, check=True
    )
    record = json.loads(run.stdout.splitlines()[-1])
    got, stats = record["got"], record["stats"]
    bare = {url.split("?")[0].split("#")[0] for url, (status, _, _) in got.items() if status == 200}
    expected = {e.url for e in Web().expected()}
    assert expected - bare == set()
    assert stats["httpcompression/response_count"] > 20
    assert stats["downloader/response_status_count/429"] >= 2
    assert stats["downloader/response_status_count/503"] >= 2
    assert stats["robotstxt/forbidden"] >= 5
    assert stats["failed/CannotResolveHostError"] >= 1
    assert not [url for url in got if "/print/2026" in url or "/cgi/" in url or "/p/b0b0b0b0" in url]
    assert got["https://the-tangle.example/p/00000000"][2] == 0
