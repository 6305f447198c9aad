from datetime import UTC, datetime

from webmain.discovery.entries import Entry
from webmain.discovery.frontier import DateRange
from webmain.discovery.places import USUAL_FEED_PATHS, USUAL_SITEMAP_PATHS
from webmain.spiders.sources import (
    FEW_ARTICLES,
    GUESSES_AT_FIRST,
    MAX_FEED_PAGES,
    PAGES_A_GUESS,
    SETTLED_AFTER,
    SourceKind,
    Sources,
)

ORIGIN = "https://example.org/front"


def begun(**options):
    sources = Sources(**{"max_feeds": 5, "max_sitemaps": 5, **options})
    sources.begin(ORIGIN)
    return sources


def rest(sources):
    """Return what is asked for where each source is what it should be."""
    asked = []
    for source in iter(sources.next, None):
        sources.succeeded(source)
        asked.append(source)
    return asked


def test_robots_comes_first_then_feeds_then_sitemaps():
    sources = begun()
    sources.add_sitemaps([Entry(url="https://example.org/map.xml")])
    sources.add_feeds(["https://example.org/feed"])
    kinds = [source.kind for source in rest(sources)]
    assert kinds == [SourceKind.ROBOTS, SourceKind.FEED, SourceKind.SITEMAP]


def test_nothing_is_asked_for_before_the_site_is_known():
    assert Sources(max_feeds=5, max_sitemaps=5).next() is None


def test_the_usual_places_are_tried_where_there_is_nothing_else():
    sources = begun()
    probes = [source for source in iter(lambda: sources.next(is_idle=True), None) if source.is_probe]
    assert [s.url for s in probes if s.kind is SourceKind.FEED] == ["https://example.org" + p for p in USUAL_FEED_PATHS]
    assert len([s for s in probes if s.kind is SourceKind.SITEMAP]) == len(USUAL_SITEMAP_PATHS)


def test_where_links_give_articles_few_places_are_guessed():
    def n_guesses(n_articles, **options):
        sources = begun()
        return sum(source.is_probe for source in iter(lambda: sources.next(n_articles=n_articles, **options), None))

    assert n_guesses(0) == GUESSES_AT_FIRST
    assert n_guesses(FEW_ARTICLES, is_idle=True) == GUESSES_AT_FIRST
    assert n_guesses(3 * PAGES_A_GUESS) == GUESSES_AT_FIRST + 3


def test_places_where_nothing_was_lately_are_passed_over():
    sources = Sources(max_feeds=5, max_sitemaps=5)
    sources.begin(ORIGIN, lambda urls: {url for url in urls if "sitemap" in url})
    kinds = {source.kind for source in iter(lambda: sources.next(is_idle=True), None) if source.is_probe}
    assert kinds == {SourceKind.FEED}


def test_a_place_that_answers_ends_the_search():
    sources = begun()
    probe = next(source for source in iter(sources.next, None) if source.is_probe)
    sources.succeeded(probe)
    assert not any(source.kind is probe.kind for source in rest(sources))


def named():
    sources = begun()
    sources.add_feeds(["https://example.org/feed"])
    sources.add_sitemaps([Entry(url="https://example.org/map.xml")])
    return sources


def test_named_sources_make_the_search_needless():
    sources = named()
    for source in iter(lambda: sources.next(is_idle=True), None):
        assert not source.is_probe
        sources.succeeded(source)


def test_places_are_guessed_where_what_is_named_can_not_be_read():
    sources = named()
    kinds = [source.kind for source in iter(lambda: sources.next(is_idle=True), None) if source.is_probe]
    assert set(kinds) == {SourceKind.FEED, SourceKind.SITEMAP}


def test_each_source_is_asked_for_once_and_an_index_that_names_itself_ends():
    sources = begun()
    for _ in range(3):
        sources.add_sitemaps([Entry(url="https://example.org/map.xml")])
        sources.add_feeds(["https://example.org/feed", "https://example.org/feed#top"])
    assert len(rest(sources)) == 3


def test_numbers_are_bounded():
    sources = begun(max_feeds=2, max_sitemaps=3)
    sources.add_feeds(f"https://example.org/feed/{n}" for n in range(50))
    sources.add_sitemaps(Entry(url=f"https://example.org/map{n}.xml") for n in range(50))
    assert len(rest(sources)) == 1 + 2 + 3


def test_pages_of_a_feed_are_bounded():
    sources = begun(max_feeds=100)
    sources.add_feeds(["https://example.org/feed"])
    for n in range(20):
        sources.add_feed_page(f"https://example.org/feed?page={n}")
    assert len([s for s in rest(sources) if s.kind is SourceKind.FEED]) == 1 + MAX_FEED_PAGES


def test_news_sitemaps_go_before_others_and_old_ones_are_left_out():
    sources = begun(date_range=DateRange(datetime(2026, 11, 1, tzinfo=UTC)))
    sources.add_sitemaps(
        Entry(url=f"https://example.org/{name}.xml") for name in ("tags", "posts-2019-01", "posts-2026-11", "news")
    )
    names = [s.url.rpartition("/")[2] for s in rest(sources) if s.kind is SourceKind.SITEMAP]
    assert names == ["news.xml", "posts-2026-11.xml", "tags.xml"]


def test_articles_may_begin_after_some_sources():
    sources = begun(max_sitemaps=50)
    sources.add_sitemaps(Entry(url=f"https://example.org/map{n}.xml") for n in range(50))
    for _ in range(SETTLED_AFTER):
        assert not sources.is_settled
        sources.next()
    assert sources.is_settled
