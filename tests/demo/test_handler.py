from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import CannotResolveHostError, DownloadCancelledError
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from demo.handler import DemoDownloadHandler
from demo.web import Web

ROOT = Path(__file__).parents[2]


def download(request: Request, **settings: Any) -> Response:
    crawler = get_crawler(settings_dict=settings)
    handler = DemoDownloadHandler.from_crawler(crawler)
    return asyncio.run(handler.download_request(request))


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


def test_the_setting_chooses_another_web() -> None:
    crawler = get_crawler(settings_dict={"DEMO_WEB": "demo.many.default"})
    handler = DemoDownloadHandler.from_crawler(crawler)
    assert asyncio.run(handler.download_request(Request("https://www.many-pages.example/"))).status == 200
