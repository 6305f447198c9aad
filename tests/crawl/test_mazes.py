"""Traps: crawls of sites with endless addresses end, within few requests, with every article once."""

import re
from collections import Counter

import pytest

from demo.mazes import N_ARTICLES, SITES, article_path
from webmain.urls import normalise

MAZES = pytest.StashKey()
MOST_WASTED = {
    "facets": 60, "endless": 60, "lost": 130, "mirror": 60, "loops": 50, "tongues": 30, "sessions": 30, "deep": 60
}  # fmt: skip
"""Requests beyond those for the articles: robots.txt, sources and their usual places, lists, and what is given up."""


@pytest.fixture
def mazes(crawl, request):
    """One crawl of all mazes, for all tests."""
    stash = request.node.parent.stash
    if MAZES not in stash:
        settings = {"DEMO_WEB": "demo.mazes.Mazes", "LOG_LEVEL": "DEBUG", "WEBMAIN_LEARN": 0, "WEBMAIN_WORKERS": 1}
        sites = ",".join(f"{name}.example" for name in SITES)
        done = crawl("news", site=sites, module="demo.settings", settings=settings, timeout_s=240)
        asked = Counter(re.findall(r"Crawled \(\d+\) <GET https://(?:\w+\.)?(\w+)\.example", done.log))
        stash[MAZES] = done, asked
    return stash[MAZES]


@pytest.mark.parametrize("name", SITES)
def test_each_article_is_found_once_and_few_requests_are_wasted(mazes, name):
    done, asked = mazes
    assert done.code == 0
    paths = [
        article["url"].partition(".example")[2] for article in done.articles() if f"{name}.example/" in article["url"]
    ]
    assert sorted(normalise(f"https://x.example{path}").partition(".example")[2] for path in paths) == sorted(
        article_path(n) for n in range(N_ARTICLES)
    )
    assert asked[name] - N_ARTICLES <= MOST_WASTED[name]
