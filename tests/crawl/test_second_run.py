"""A second crawl of the same site: what has not changed is not read again, and nothing that is new is missed."""

from __future__ import annotations

import pytest

from .conftest import Answer

FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>{items}</channel></rss>"""
PAGE = {"Content-Type": "text/html; charset=utf-8"}
XML = {"Content-Type": "application/xml"}


def page(*paths, head=""):
    links = "".join(f'<li><a href="{path}">A headline for the page at {path}</a></li>' for path in paths)
    return f"<html><head><title>News</title>{head}</head><body><ul>{links}</ul></body></html>"


class Web:
    """A site with a front page, a section, a feed and a sitemap index; each answers 304 to whoever has its last version."""

    def __init__(self, site):
        self.site = site
        self.bodies = {}
        self.asked = []

    def serve(self, path, body, headers=PAGE, *, tag=None, status=None):
        self.bodies[path] = body
        tag = tag or f'"{abs(hash((path, body)))}"'

        def answer(_n):
            known = self.site.last.get("If-None-Match")
            self.asked.append((path, known))
            if status or known == tag:
                return Answer("ignored" * (status == 304), status or 304, {"ETag": tag})
            return Answer(body, headers={**headers, "ETag": tag})

        self.site.routes[path] = answer

    def full(self):
        """Return the paths that were sent whole since the last call, and forget what was asked."""
        asked, self.asked = self.asked, []
        return [path for path, known in asked if known is None], [path for path, known in asked if known is not None]


@pytest.fixture
def web(site):
    made = Web(site)
    made.serve(
        "/",
        page(
            "/world",
            "/story-of-the-front-page-today-1",
            head='<link rel="alternate" type="application/rss+xml" href="/rss">',
        ),
    )
    made.serve("/world", page("/world/story-of-the-section-today-2", "/world/story-of-the-section-today-3"))
    made.serve("/rss", FEED.format(items=f"<item><link>{site.url}/story-from-the-feed-of-today-4</link></item>"), XML)
    made.serve("/robots.txt", f"User-agent: *\nSitemap: {site.url}/index.xml\n", {"Content-Type": "text/plain"})
    made.serve("/index.xml", f"<sitemapindex><sitemap><loc>{site.url}/map.xml</loc></sitemap></sitemapindex>", XML)
    made.serve("/map.xml", f"<urlset><url><loc>{site.url}/story-from-the-sitemap-today-5</loc></url></urlset>", XML)
    for path in (
        "/story-of-the-front-page-today-1",
        "/world/story-of-the-section-today-2",
        "/world/story-of-the-section-today-3",
        "/story-from-the-feed-of-today-4",
        "/story-from-the-sitemap-today-5",
    ):
        site.article(path)
    return made


SOURCES = ["/", "/index.xml", "/map.xml", "/rss", "/world"]


def test_sources_that_have_not_changed_are_answered_without_their_bodies(site, crawl, web):
    first = crawl("news", site=site.url, learn="no")
    assert first.stats["webmain/articles/new"] == 5
    assert sorted(set(web.full()[0]) - {"/robots.txt"}) == SOURCES
    second = crawl("news", site=site.url, learn="no")
    whole, asked = web.full()
    assert (sorted(set(whole) - {"/robots.txt"}), sorted(asked)) == ([], SOURCES)
    assert second.stats["webmain/not_modified"] == 5
    assert "webmain/articles/new" not in second.stats


def test_what_an_unchanged_front_page_leads_to_is_looked_at_still(site, crawl, web):
    crawl("news", site=site.url, learn="no")
    web.serve("/world", page("/world/story-of-the-section-today-2", "/world/story-of-the-section-today-6"))
    site.article("/world/story-of-the-section-today-6")
    web.serve("/map.xml", f"<urlset><url><loc>{site.url}/story-from-the-sitemap-today-7</loc></url></urlset>", XML)
    site.article("/story-from-the-sitemap-today-7")
    second = crawl("news", site=site.url, learn="no")
    assert second.stats["webmain/articles/new"] == 2
    assert second.stats["webmain/not_modified"] == 3


def test_known_addresses_that_are_fetched_again_are_asked_for_in_full(site, crawl, web):
    crawl("news", site=site.url, learn="no")
    web.full()
    crawl("news", site=site.url, learn="no", skip_known="false")
    assert web.full()[1] == []


def test_a_recording_is_whole_and_a_replay_gives_the_same_articles(site, crawl, web):
    crawl("news", site=site.url, learn="no")
    web.full()
    crawl("news", site=site.url, learn="no", record="second.warc.gz")
    assert web.full()[1] == []
    replayed = crawl(
        "news", site=site.url, learn="no", store="jsonl:again.jsonl", settings={"WEBMAIN_REPLAY": "second.warc.gz"}
    )
    assert replayed.code == 0
    assert replayed.stats.get("webmain/not_modified") is None


def test_an_answer_read_with_a_narrower_filter_is_read_again(site, crawl, web):
    crawl("news", site=site.url, learn="no", include="/world")
    web.full()
    second = crawl("news", site=site.url, learn="no")
    assert web.full()[1] == []
    assert second.stats["webmain/articles/new"] == 3


def test_a_304_that_nobody_asked_for_is_asked_for_again_past_caches(site, crawl, web):
    web.serve("/world", "", status=304)
    first = crawl("news", site=site.url, learn="no")
    assert first.code == 0
    assert first.stats["webmain/not_modified_unasked"] == 1
    assert web.full()[0].count("/world") == 2
    assert first.stats["webmain/articles/new"] == 3


def test_a_page_that_is_the_same_under_another_tag_has_not_changed(site, crawl, web):
    crawl("news", site=site.url, learn="no")
    web.serve("/world", web.bodies["/world"], tag='"another"')
    second = crawl("news", site=site.url, learn="no")
    assert second.stats["webmain/identical"] == 1
    assert second.stats["webmain/not_modified"] == 4


def test_after_a_limit_nothing_that_was_named_is_lost(site, crawl, web):
    first = crawl("news", site=site.url, learn="no", max_pages=2)
    n_first = first.stats.get("webmain/articles/new", 0)
    second = crawl("news", site=site.url, learn="no")
    articles = {article["url"] for article in second.articles()}
    assert len(articles) == 5
    assert second.stats["webmain/articles/new"] == 5 - n_first
    assert second.stats.get("webmain/known", 0) <= n_first  # what waited is not known


def test_what_a_feed_and_a_sitemap_list_is_known_once(site, crawl, web):
    paths = [path for path in site.routes if "story" in path]
    for end in ("", "", "<!-- changed -->"):
        items = "".join(f"<item><link>{site.url}{path}</link></item>" for path in paths)
        web.serve("/rss", FEED.format(items=items) + end, XML)
        places = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in paths)
        web.serve("/map.xml", f"<urlset>{places}</urlset>{end}", XML)
        done = crawl("news", site=site.url, learn="no")
        assert done.stats.get("webmain/known", 0) == (0 if "webmain/articles/new" in done.stats else 5)
