from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from hypothesis import settings

from tests.crawl.forking import CAN_FORK, Forked, Forker, environment
from webmain.items import Article, ArticleBlock, Image, Kind, Source, TextLink, WordCount, article_id
from webmain.text.normal import fingerprint

# How long an example takes depends on what else the machine does. `make soak` tries many more of them.
settings.register_profile("webmain", deadline=None, max_examples=50)
settings.register_profile("thorough", deadline=None, max_examples=2_000)
settings.load_profile("webmain")


def pytest_collection_finish() -> None:
    """Leave what was imported and collected out of all later garbage collections: each took a fifth of a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def less_garbage() -> None:
    """Do so with what earlier tests left, for tests of what collects garbage before each page that it measures."""
    pytest_collection_finish()


BANGKOK = timezone(timedelta(hours=7))


LINKS = (TextLink(start=0, end=3, url="https://news.example/one"),)


def build(n: int = 1, text: str | None = None, **other: object) -> Article:
    """One article with every field filled."""
    url = f"https://news.example/{n}"
    text = text if text is not None else f"ข่าวที่ {n}: the harbour opened again.\n\nA second paragraph “with quotes”."
    values: dict[str, object] = {
        "id": article_id(url),
        "url": url + "?utm_source=x",
        "canonical_url": url,
        "site": "news.example",
        "title": f"Harbour {n} 🚢",
        "authors": ("Jane Doe", "สมชาย ใจดี"),
        "published": datetime(2026, 11, 21, 7, 30, tzinfo=BANGKOK),
        "modified": datetime(2026, 11, 21, 8, 0, 0, 250000, tzinfo=UTC),
        "description": "It opened.",
        "site_name": "News",
        "section": "Local",
        "tags": ("harbour", "ships"),
        "language_declared": "th-th",
        "image": "https://news.example/i.jpg",
        "licence": "https://creativecommons.org/licenses/by/4.0/",
        "paywalled": False,
        "opt_outs": ("robots:noai",),
        "sources": {"title": Source(name="og:title", raw="Harbour | News"), "published": Source(name="time", raw="")},
        "text": text,
        "blocks": (
            ArticleBlock(kind=Kind.HEADING, text="Harbour", level=2, score=1.0, raw=3.5, xpath="/html/body/h2[1]"),
            ArticleBlock(
                kind=Kind.LIST_ITEM,
                text="one",
                level=1,
                ordered=True,
                number=3,
                continues=True,
                language="none",
                links=LINKS,
            ),
            ArticleBlock(kind=Kind.TABLE, text="a\tb\nc\td", rows=(("a", "b"), ("c", "d")), score=0.25),
        ),
        "images": (Image(url="https://news.example/i.jpg", alt="Ships", caption="Ships 🚢", after=1),),
        "comments": (ArticleBlock(kind=Kind.PARAGRAPH, text="Well said.", score=0.1),),
        "language": "th",
        "language_score": 0.98,
        "extractor": "pab",
        "confidence": 0.75,
        "fingerprint": fingerprint(text),
        "words": (
            WordCount(word="harbour", count=2),
            WordCount(word="Harbour", count=1),
            WordCount(word="ข่าว", count=1),
        ),
        "n_words": 12,
        "n_parts": 2,
        "fetched_at": datetime(2026, 11, 21, 1, 2, 3, tzinfo=UTC),
        "charset": "utf-8",
        "charset_source": "header",
        "article_reason": "url",
    }
    return Article(**(values | other))  # type: ignore[arg-type]


@pytest.fixture
def make_article() -> Callable[..., Article]:
    return build


@pytest.fixture(scope="session")
def forker() -> Iterator[Forker | None]:
    """The process from which crawls are forked; None where coverage is measured, which begins with an interpreter."""
    if not CAN_FORK or any(name.startswith("COVERAGE_PROCESS") for name in os.environ):
        yield None
        return
    forker = Forker(environment())
    yield forker
    forker.close()


@pytest.fixture(scope="session")
def run_module(tmp_path_factory: pytest.TempPathFactory, forker: Forker | None) -> Callable[..., CompletedProcess[str]]:
    """Run the command line of a module, as `python -m` does."""

    def run(module: str, *arguments: str, folder: Path, env: Mapping[str, str]) -> CompletedProcess[str]:
        if forker is None:
            command = [sys.executable, "-m", module, *arguments]
            return subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, timeout=280)
        process = Forked(forker, arguments, folder, env, tmp_path_factory.mktemp("told") / "run", module)
        out, log = process.communicate(280)
        return CompletedProcess(arguments, process.wait(), out, log)

    return run
