"""The published methods that learn sites, in whole crawls of the made-up web."""

from collections import Counter

import pytest

from webmain.extractors.base import EXTRACTORS, SiteExtractor, create
from webmain.sites.model_store import ModelStore

SITE = "harbour-courier.example"
LEARNING = [name for name in EXTRACTORS if isinstance(create(name), SiteExtractor)]


@pytest.mark.parametrize("name", LEARNING)
def test_a_method_learns_the_made_up_web_and_knows_it_the_next_time(crawl, name):
    asked = {"site": SITE, "extractor": name, "module": "demo.settings", "skip_known": "false"}
    done = crawl("news", **asked)
    assert done.code == 0, done.log[-3000:]
    methods = Counter(article["extractor"] for article in done.articles())
    assert methods[name] >= 8
    assert sum(methods.values()) == 11
    models = ModelStore(crawl.folder / "models" / "sites").models()
    assert [(m.site, m.method) for m in models.models] == [(SITE, name)]
    assert models.errors == ()
    again = crawl("news", **asked)
    assert again.code == 0
    known = again.stats.get("webmain/sites/reused", 0) + again.stats.get("webmain/sites/retrained", 0)
    assert known == 1
    assert "webmain/layout_changed" not in again.stats
    assert "webmain/model_unusable" not in again.stats
