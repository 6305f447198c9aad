"""Crawls that go on from the files of an earlier version (`tests/files`)."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

FILES = Path(__file__).parents[1] / "files" / "2026_11"
SITE = "khaosaiklang.example"


@pytest.fixture
def earlier(tmp_path):
    """Stores, ledger and models in the crawl's folder, and the settings that name them."""
    for name in ("news.db", "news.jsonl", "news.db.ledger"):
        (tmp_path / name).write_bytes(gzip.decompress((FILES / f"{name}.gz").read_bytes()))
    shutil.copytree(FILES / "models", tmp_path / "models")
    return {"WEBMAIN_REPLAY": FILES / "crawl.warc.gz", "WEBMAIN_MODELS": "models"}


def test_second_run_finds_nothing_new(crawl, earlier):
    stores = {"WEBMAIN_STORE": "sqlite:news.db,jsonl:news.jsonl"}
    crawled = crawl("news", site=SITE, settings=earlier | stores)
    assert crawled.code == 0
    assert "webmain: 0 new" in crawled.out
    assert crawled.stats.get("webmain/articles/changed", 0) == 0


def test_site_model_of_an_earlier_version_is_refitted_with_one_line(crawl, earlier):
    crawled = crawl("news", site=SITE, extractor="svm", settings=earlier)
    assert crawled.code == 0
    assert "webmain: 9 new" in crawled.out
    lines = [line for line in crawled.log.splitlines() if "the site is learned again" in line]
    assert len(lines) == 1
    assert f"{SITE}.svm.json" in lines[0]
