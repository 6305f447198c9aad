"""Long runs (make soak): memory stays flat over many pages."""

import gc

import psutil
import pytest

import webmain
from demo.many import ManyPages

pytestmark = [pytest.mark.soak, pytest.mark.timeout(7200)]

N_PAGES = 20_000
WARM_UP = 2_000
ALLOWED_GROWTH_MB = 30


@pytest.mark.parametrize("extractor", ["learned", "line_block", "thai_xpath"])
def test_memory_is_flat_over_many_distinct_pages(extractor):
    web = ManyPages(n_articles=N_PAGES)
    process = psutil.Process()
    after_warm_up = 0.0
    for number, url in enumerate(web.urls()):
        webmain.extract(web.respond(url).body, url=url, extractor=extractor)
        if number == WARM_UP:
            gc.collect()
            after_warm_up = process.memory_info().rss / 1e6
    gc.collect()
    growth = process.memory_info().rss / 1e6 - after_warm_up
    print(f"{extractor}: {after_warm_up:.0f} MB after {WARM_UP} pages, {growth:+.1f} MB after {N_PAGES}")
    assert growth < ALLOWED_GROWTH_MB
