"""A sitemap of half a million addresses in a crawl: signals are obeyed while it is read, and its newest come first."""

import gzip
import signal
import time

import pytest


@pytest.fixture
def large(site):
    """A site with such a sitemap; a few of its articles are there."""
    place = "/news/2026/{:02}/{:02}/story-about-the-harbour-number-{}"
    each = "<url><loc>{}" + place + "</loc><lastmod>2026-{:02}-{:02}</lastmod></url>"
    days = [(n % 10 + 1, n % 28 + 1) for n in range(500_000)]
    body = "".join(each.format(site.url, *day, n, *day) for n, day in enumerate(days))
    packed = gzip.compress(f"<urlset>{body}</urlset>".encode(), 1)
    site.routes["/map.xml.gz"] = (packed, 200, {"Content-Type": "application/gzip"})
    site.routes["/robots.txt"] = (f"Sitemap: {site.url}/map.xml.gz",)
    site.routes["/"] = ("<p>the front page</p>",)
    return site


@pytest.mark.soak
@pytest.mark.parametrize("after_s", [0.3, 2.0, 8.0])
def test_a_signal_is_obeyed_while_a_large_sitemap_is_read(crawl, large, after_s):
    process = crawl.start("news", site=large.url)
    ends = time.monotonic() + 60
    while not large.asked["/map.xml.gz"] and time.monotonic() < ends:
        time.sleep(0.05)
    time.sleep(after_s)
    process.send_signal(signal.SIGTERM)
    asked = time.monotonic()
    done = crawl.finish(process, "news", timeout_s=60)
    assert done.code == 4, done.log[-2000:]
    assert time.monotonic() - asked < 20
    assert "Traceback" not in done.log


@pytest.mark.soak
def test_the_newest_of_a_large_sitemap_come_first(crawl, large):
    done = crawl("news", site=large.url, max_pages=20, timeout_s=600)
    asked = [path for path in large.asked if path.startswith("/news/")]
    assert 10 <= len(asked) <= 20
    assert all(path.startswith("/news/2026/10/28/") or "/10/2" in path for path in asked), asked
    assert done.stats["memusage/max"] < 700 << 20
