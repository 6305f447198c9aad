from datetime import UTC, datetime, timedelta

import pytest

from webmain.discovery.frontier import DateRange
from webmain.items import Hints
from webmain.spiders.addresses import PathFilter, without_referrer
from webmain.spiders.candidates import FoundOn, merge_hints
from webmain.spiders.limits import Limits
from webmain.spiders.site import Site

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
FRONT = "https://example.org/"


def site(**options):
    return Site(FRONT, now=NOW, **options)


def find(here, *paths, found_on=FoundOn.HUB, depth=0, hints=None):
    found = [(path if "://" in path else FRONT + path.lstrip("/"), hints) for path in paths]
    candidates = list(here.candidates_from(found, found_on, depth=depth))
    for candidate in candidates:
        here.push(candidate)
    return candidates


def order(here):
    urls = []
    while candidate := here.next():
        urls.append(candidate.url.removeprefix(FRONT))
    return urls


def article(number, day="2026/11/20"):
    return f"{day}/five-words-make-an-article-{number}"


def test_newest_comes_first_and_each_once():
    here = site()
    find(here, article(1, "2026/11/01"), article(2, "2026/11/20"), article(3, "2026/11/10"), article(2, "2026/11/20"))
    assert order(here) == [article(2, "2026/11/20"), article(3, "2026/11/10"), article(1, "2026/11/01")]
    assert find(here, article(1, "2026/11/01")) == []


def test_a_date_that_is_learned_later_moves_an_article_forward():
    here = site()
    find(here, "news/an-article-with-many-words-a", "news/an-article-with-many-words-b", found_on=FoundOn.SITEMAP)
    find(
        here,
        "news/an-article-with-many-words-b",
        found_on=FoundOn.FEED,
        hints=Hints(source="feed", published="2026-11-21"),
    )
    assert order(here) == ["news/an-article-with-many-words-b", "news/an-article-with-many-words-a"]


def test_undated_links_of_the_front_page_stand_before_old_articles_and_after_todays():
    here = site()
    find(here, article(1, "2026/11/21"), article(2, "2019/01/01"))
    find(here, "news/undated-but-on-the-front-page", found_on=FoundOn.FRONT)
    assert order(here) == [article(1, "2026/11/21"), "news/undated-but-on-the-front-page", article(2, "2019/01/01")]


def test_other_sites_are_left_out_and_subdomains_belong_to_the_site():
    here = site()
    find(
        here,
        "https://other.net/2026/11/20/five-words-make-an-article",
        "https://blog.example.org/2026/11/20/a-b-c-d-e-f",
    )
    assert [c.url for c in iter(here.next, None)] == ["https://blog.example.org/2026/11/20/a-b-c-d-e-f"]


def test_an_alias_domain_belongs_to_the_site():
    here = site()
    here.add_alias("https://www.example.net/")
    assert len(find(here, "https://example.net/2026/11/20/five-words-make-an-article")) == 1


def test_tracking_parameters_and_referrers_do_not_make_another_article():
    here = site()
    find(here, article(1), article(1) + "?utm_source=rss", article(1) + "?ref=related", article(1) + "#comments")
    assert order(here) == [article(1)]


def test_a_referrer_is_taken_off_articles_and_stays_on_lists():
    assert without_referrer(FRONT + article(1) + "?ref=side&id=4") == FRONT + article(1) + "?id=4"
    assert without_referrer(FRONT + article(1) + "?source=4711") == FRONT + article(1) + "?source=4711"
    assert without_referrer(FRONT + "tag/x?source=agency") == FRONT + "tag/x?source=agency"


def test_what_is_dated_before_since_is_left_out_with_a_days_grace():
    here = site(date_range=DateRange(datetime(2026, 11, 10, tzinfo=UTC)))
    find(here, article(1, "2026/11/08"), article(2, "2026/11/09"), article(3, "2026/11/10"))
    assert order(here) == [article(3, "2026/11/10"), article(2, "2026/11/09")]
    assert here.pop_skipped()["too_old"] == 1


def test_articles_of_the_month_in_which_the_period_begins_are_fetched():
    here = site(date_range=DateRange(datetime(2026, 11, 10, tzinfo=UTC)))
    find(here, article(1, "2026/11"), article(2, "2026/10"))
    assert order(here) == [article(1, "2026/11")]
    assert here.pop_skipped()["too_old"] == 1


def test_what_is_dated_after_until_is_left_out_and_archives_of_other_months_are_not_read():
    here = site(date_range=DateRange(datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC)))
    find(here, article(1, "2026/10/31"), article(2, "2026/11/01"), article(3, "2026/11/02"), article(4, "2026/09/29"))
    find(here, "2026/10/", "2026/12/", "2026/08/", "2026/")
    assert set(order(here)) == {article(2, "2026/11/01"), article(1, "2026/10/31"), "2026/10/", "2026/"}
    assert here.pop_skipped() == {"too_new": 1, "too_old": 1, "other_period": 2}


def test_included_paths_bound_articles_and_not_hubs_and_excluded_ones_both():
    here = site(paths=PathFilter(include=("/2026",), exclude=("/live",)))
    found = find(here, article(1), "2025/11/20/five-words-make-an-article-2", "section/sport/", "live/")
    assert [c.url.removeprefix(FRONT) for c in found] == [article(1), "section/sport/"]


def test_hubs_are_bounded_in_depth_and_number():
    here = site(limits=Limits(hubs=2, hub_depth=2))
    assert find(here, "section/a/", depth=2) == []
    assert len(find(here, "section/b/", "section/c/", "section/d/", depth=1)) == 2


def test_a_calendar_without_end_ends():
    here = site(limits=Limits(alike=3))
    months = [f"calendar/{year}/{month:02}/" for year in range(2000, 2026) for month in range(1, 13)]
    assert len([c for c in find(here, *months) if c.is_hub]) == 3
    assert here.pop_skipped()["hubs_alike"] == len(months) - 3


def test_pages_of_a_list_are_bounded_and_other_lists_are_not_hurt():
    here = site(limits=Limits(alike=3))
    assert len(find(here, *(f"section/sport/?page={n}" for n in range(2, 20)))) == 3
    assert len(find(here, "section/culture/")) == 1


def test_tags_and_authors_are_walked_only_where_nothing_names_the_articles():
    here = site()
    find(here, "tag/harbour/", "author/ann-lee/", "section/sport/")
    here.has_sources = here.has_sitemap = True
    assert order(here) == ["section/sport/"]
    assert here.pop_skipped()["tags_and_authors"] == 2


def test_a_folder_without_articles_is_left_alone_after_a_while():
    here = site(limits=Limits(misses=5))
    urls = [f"things/some-page-with-a-long-name-{n}" for n in range(10)]
    find(here, *urls)
    for _ in range(5):
        here.record_page(here.next().url, is_article=False)
    assert here.next() is None
    assert here.pop_skipped()["fruitless"] == 5


def test_one_article_keeps_its_folder_alive():
    here = site(limits=Limits(misses=5))
    find(here, *(f"things/some-page-with-a-long-name-{n}" for n in range(10)))
    here.record_page(here.next().url, is_article=True)
    for _ in range(7):
        here.record_page(here.next().url, is_article=False)
    assert here.next() is not None


def test_the_oldest_drop_out_of_a_full_frontier():
    here = site(limits=Limits(frontier=10))
    days = [(NOW - timedelta(days=n)).strftime("%Y/%m/%d") for n in range(40)]
    find(here, *(article(n, day) for n, day in enumerate(days)))
    urls = order(here)
    assert urls[:10] == [article(n, day) for n, day in enumerate(days[:10])]
    assert len(urls) <= 21
    assert here.pop_skipped()["frontier_full"] >= 19


def test_what_feeds_name_is_wanted_even_at_a_hubs_address():
    here = site()
    assert find(here, "section/sport/", found_on=FoundOn.FEED, hints=Hints(source="feed", title="A"))[0].is_hub is False


def test_a_folded_address_is_not_fetched_and_gives_its_hints():
    here = site()
    hints = Hints(source="feed", title="The title")
    find(here, article(1), found_on=FoundOn.FEED, hints=hints)
    assert here.mark_done(FRONT + article(1)) == hints
    assert here.next() is None
    assert find(here, article(1)) == []


def test_what_a_feed_lists_below_the_word_of_a_shop_is_a_candidate():
    here, hints = site(), Hints(source="feed", title="The title")
    assert find(here, "products/the-old-bridge-is-closed") == []
    assert find(here, "products/the-old-bridge-is-closed", found_on=FoundOn.FEED, hints=hints)
    assert find(here, "gallery/the-old-bridge-is-closed", found_on=FoundOn.FEED, hints=hints) == []


def test_amp_links_are_left_out_where_their_page_is_known():
    here = site()
    find(here, article(1), "amp/" + article(1))
    assert order(here) == [article(1)]


@pytest.mark.parametrize(
    ("whole", "other"),
    [
        ("news/the-old-bridge-is-closed", "print/news/the-old-bridge-is-closed"),
        ("news/the-old-bridge-is-closed", "news/the-old-bridge-is-closed?print=1"),
        ("news/view?id=1234", "news/view?id=1234&page=all"),
    ],
)
def test_views_for_printing_and_of_all_parts_are_left_out_where_their_page_is_known(whole, other):
    here = site()
    assert [candidate.url for candidate in find(here, other)] == [FRONT + other]
    here = site()
    find(here, whole, other)
    assert order(here) == [whole]


def test_the_front_page_is_no_candidate():
    assert find(site(), FRONT) == []


def test_hints_are_joined_and_the_feed_outranks_the_sitemap():
    feed = Hints(source="feed", title="Feed", content_html="<p>all</p>")
    news = Hints(source="news-sitemap", title="News", published="2026-11-21")
    for joined in (merge_hints(feed, news), merge_hints(news, feed)):
        assert (joined.source, joined.title, joined.published) == ("feed", "Feed", "2026-11-21")
        assert joined.content_html == "<p>all</p>"


def test_article_links_are_counted_once_each_and_without_the_page_itself():
    urls = [
        FRONT + article(1),
        FRONT + article(1) + "#c",
        FRONT + article(2),
        FRONT + "tag/x/",
        "https://other.net/2026/11/1/a-b-c-d-e-f",
    ]
    assert site().article_links(urls, FRONT + article(1)) == {FRONT + article(2)}


def test_repeated_texts_are_told():
    here = site()
    assert not here.is_repeated(b"ab")
    assert here.is_repeated(b"ab")
    assert not here.is_repeated(b"ac")


def test_later_parts_are_left_out_where_their_article_is_known():
    here = site()
    find(here, article(1), article(1) + "?page=2", article(1) + "/3", article(1) + "/page/4/", article(2) + "?page=2")
    assert sorted(order(here)) == [article(1), article(2) + "?page=2"]


def test_addresses_that_only_lack_an_articles_signs_are_left_for_the_page_to_tell():
    here = site(limits=Limits(alike=2, siblings=2))
    assert [c.is_hub for c in find(here, *(f"city/story-{n}" for n in range(6)))] == [False] * 6


def test_a_refused_hub_is_an_article_where_a_feed_names_it():
    here = site(limits=Limits(alike=1))
    find(here, "section/1/", "section/2/")
    (candidate,) = find(here, "section/2/", found_on=FoundOn.FEED, hints=Hints(source="feed"))
    assert not candidate.is_hub


def test_what_was_seen_to_be_a_list_is_one_and_so_are_its_pages():
    here = site()
    slug = "letters-from-the-far-islands"
    assert [c.is_hub for c in find(here, slug + "/", slug + "/page/2/", slug + "/?page=3")] == [False]
    here.add_list(FRONT + slug + "/")
    paths = (slug + "/page/2/", slug + "/?page=3", slug + "/seite-4.html")
    assert [c.is_hub for c in find(here, *paths)] == [True] * 3
    assert [
        c.is_hub for c in find(here, "another-slug-of-many-words/page/2/", slug + "/an-article-of-the-section")
    ] == [False]


def test_a_list_is_one_where_a_sitemap_names_it():
    here = site()
    here.add_list(FRONT + "letters-from-the-far-islands/")
    (candidate,) = find(here, "letters-from-the-far-islands/", found_on=FoundOn.SITEMAP, hints=Hints(source="sitemap"))
    assert candidate.is_hub


def test_the_front_pages_list_makes_no_list_of_numbered_articles():
    here = site()
    here.add_list(FRONT + "?paged=2")
    here.add_list(FRONT + "?p=2")
    assert [c.is_hub for c in find(here, "?p=123", "?p=4711")] == [False, False]


def test_a_next_page_is_a_hub_whatever_its_address():
    (candidate,) = find(site(), "a-slug-of-many-words/page/2/", found_on=FoundOn.NEXT)
    assert candidate.is_hub
    assert find(site(paths=PathFilter(exclude=("/x",))), "x/2", found_on=FoundOn.NEXT) == []


def test_a_list_that_leads_to_new_articles_makes_room_for_its_like():
    here = site(limits=Limits(alike=2))
    pages = [f"section/sport/?page={n}" for n in range(2, 7)]
    assert len(find(here, *pages)) == 2
    released = []
    for _ in range(9):
        released += [c.url for c in here.credit_hub(FRONT + pages[0], is_article=False)]
    assert released == [FRONT + page for page in pages[2:]]


def test_hubs_that_were_articles_do_not_count_as_hubs():
    here = site(limits=Limits(hubs=1, alike=1))
    (hub,) = find(here, "browse.php?id=1", "browse.php?id=2")
    (other,) = here.credit_hub(hub.url, is_article=True)
    assert other.url == FRONT + "browse.php?id=2"


def test_with_sources_only_what_looks_like_an_article_is_followed_from_articles():
    here = site()
    here.has_sources = True
    links = ("section/sport/", "town/a-short-name", article(1), "news/undated-slug-of-many-words")
    assert [c.url for c in find(here, *links, found_on=FoundOn.ARTICLE)] == [FRONT + links[2], FRONT + links[3]]
    here.record_page(FRONT + "town/another", is_article=True)
    assert [c.url for c in find(here, "town/a-short-name", found_on=FoundOn.ARTICLE)] == [FRONT + "town/a-short-name"]


def test_without_sources_all_links_of_articles_are_followed():
    links = ("section/sport/", "town/a-short-name", article(1))
    assert len(find(site(), *links, found_on=FoundOn.ARTICLE)) == 3


def test_undated_links_in_articles_are_not_followed_where_only_the_latest_are_wanted_and_sources_name_them():
    here = site(date_range=DateRange(datetime(2026, 11, 10, tzinfo=UTC)))
    here.has_sources = True
    links = ("news/undated-slug-of-many-words", article(1))
    assert [c.url for c in find(here, *links, found_on=FoundOn.ARTICLE)] == [FRONT + article(1)]
    assert here.pop_skipped()["undated"] == 1


def test_tags_and_authors_are_walked_where_many_articles_are_in_no_source():
    here = site()
    find(here, "tag/harbour/", "category/sport/")
    here.has_sources = here.has_sitemap = True
    for n in range(4):
        here.record_page(FRONT + article(n), is_article=True, is_named=n > 0)
    assert set(order(here)) == {"tag/harbour/", "category/sport/"}


def test_the_same_teasers_make_one_list_only():
    here, links = site(), frozenset({FRONT + article(1), FRONT + article(2)})
    assert here.is_new_list(links)
    assert not here.is_new_list(links)
    assert not here.is_new_list(frozenset({FRONT + article(3)}))


def test_teasers_of_other_pages_are_counted_once_each():
    here = site()
    teasers = {FRONT + article(1): 80, FRONT + article(1) + "#more": 20, FRONT + article(2): 50, FRONT + "tag/x/": 90}
    assert here.teaser_chars(teasers, (FRONT + article(2), None)) == {FRONT + article(1): 100}
    posts = {FRONT + f"viewtopic.php?post=47{n}": 500 for n in range(9)}
    assert here.teaser_chars(posts, (FRONT + "viewtopic.php?thread=4711",)) == {}
    assert here.teaser_chars({FRONT + "?p=471": 500}, (FRONT + "?paged=2",)) == {FRONT + "?p=471": 500}
    entry = {FRONT + "index.php?cID=120": 500}
    assert here.teaser_chars(entry, (FRONT + "index.php?cID=127",)) == entry
    assert here.teaser_chars(entry, (FRONT + "index.php",)) == entry


def test_folders_of_numbers_count_as_one():
    here = site(limits=Limits(misses=3))
    urls = [f"calendar/{year}/{month}/{day}/7" for year in (1, 2) for month in (1, 2) for day in (1, 2)]
    find(here, *urls, found_on=FoundOn.LEDGER)
    for _ in range(3):
        here.record_page(here.next().url, is_article=False)
    assert here.next() is None


def test_pages_that_show_what_is_missing_do_not_close_a_folder_that_may_hold_articles():
    here = site()
    for n in range(100):
        here.record_page(FRONT + article(n), b"nothing here", is_article=False)
    find(here, article(200))
    assert order(here) == [article(200)]
    for n in range(300):
        here.record_page(FRONT + article(n), b"nothing here", is_article=False)
    find(here, article(201))
    assert order(here) == []


@pytest.mark.parametrize(
    ("path", "is_wanted"),
    [
        ("a/b/a/b/a/the-harbour-opens-again-today", False),
        ("news/news/the-harbour-opens-again-today", True),
        ("2026/11/11/11/11/the-harbour-opens-again-today", True),
    ],
)
def test_relative_links_that_lead_ever_deeper_are_left_out(path, is_wanted):
    here = site()
    assert bool(find(here, path)) is is_wanted
    assert here.pop_skipped()["repeating"] == (not is_wanted)
