from datetime import UTC, datetime

import pytest

from webmain.discovery.entries import Entry
from webmain.discovery.frontier import UNDATED, DateRange, named_period, newest_key, order_children
from webmain.items import Hints

NOW = datetime(2024, 6, 1, tzinfo=UTC)


def key(url: str = "https://x.example/a", **hints: str) -> float:
    return newest_key(url, Hints(source="feed", **hints) if hints else None, now=NOW)


def test_publication_date_comes_before_the_address_and_modification_last():
    dated = "https://x.example/2024/05/10/a"
    assert key(dated, published="2024-05-20", modified="2024-05-30") == datetime(2024, 5, 20, tzinfo=UTC).timestamp()
    assert key(dated, modified="2024-05-30") == datetime(2024, 5, 10, tzinfo=UTC).timestamp()
    assert key(modified="2024-05-30") == datetime(2024, 5, 30, tzinfo=UTC).timestamp()
    assert key() == UNDATED


@pytest.mark.parametrize(
    ("modified", "expected"),
    [
        (None, (2024, 5, 1)),
        ("2024-04-30", (2024, 5, 1)),
        ("2024-05-20", (2024, 5, 20)),
        ("2024-06-01T12:00", (2024, 6, 1)),
    ],
)
def test_a_modification_date_orders_articles_within_the_month_of_their_address(modified, expected):
    hints = {"modified": modified} if modified else {}
    assert key("https://x.example/2024/05/a", **hints) == datetime(*expected, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("path", "hints", "is_too_old"),
    [
        ("2024/04/a", {}, True),
        ("2024/05/a", {}, False),  # may have appeared on its last day
        ("2024/05/a", {"modified": "2024-05-15"}, True),
        ("2024/05/a", {"modified": "2024-05-20"}, False),
        ("2024/04/a", {"modified": "2024-05-25"}, True),
        ("2024/05/18/a", {}, True),
        ("2024/05/19/a", {}, False),  # a day's grace for zones
        ("2024/05/a", {"published": "2024-05-10"}, True),
        ("a", {"modified": "2024-05-10"}, True),
        ("a", {}, False),
    ],
)
def test_only_what_was_certainly_published_before_the_start_is_too_old(path, hints, is_too_old):
    given = Hints(source="sitemap", **hints) if hints else None
    assert (
        DateRange(since=datetime(2024, 5, 20, tzinfo=UTC)).is_too_old("https://x.example/" + path, given, now=NOW)
        is is_too_old
    )
    assert DateRange().is_too_old("https://x.example/" + path, given, now=NOW) is False


@pytest.mark.parametrize(
    ("published", "believed"), [("2024-06-02", True), ("2024-06-04", False), ("1985-01-01", False)]
)
def test_implausible_dates_are_not_believed(published, believed):
    assert (key(published=published) != UNDATED) is believed


def children(*names: str) -> list[Entry]:
    return [Entry(url=f"https://x.example/{name}") for name in names]


def test_news_comes_first_and_images_last_and_newest_first_within():
    names = ["image-sitemap-2024.xml", "sitemap-2023-01.xml", "sitemap-2024-05.xml", "page-sitemap.xml",
             "post-sitemap.xml", "sitemap_news.xml", "author-sitemap.xml", "news-images.xml"]  # fmt: skip
    ordered = [child.url.rpartition("/")[2] for child in order_children(children(*names))]
    assert ordered == ["sitemap_news.xml", "post-sitemap.xml", "sitemap-2024-05.xml", "sitemap-2023-01.xml",
                       "page-sitemap.xml", "image-sitemap-2024.xml",
                       "author-sitemap.xml", "news-images.xml"]  # fmt: skip


def test_old_children_are_left_out_with_a_days_grace():
    since = datetime(2024, 5, 10, tzinfo=UTC)
    given = [
        Entry(url="https://x.example/1.xml", hints=Hints(source="sitemap", modified="2024-05-08T23:00:00Z")),
        Entry(url="https://x.example/2.xml", hints=Hints(source="sitemap", modified="2024-05-09T01:00:00Z")),
        *children("sitemap-2024-04.xml", "sitemap-2024-05.xml", "sitemap-2023.xml", "undated.xml"),
    ]
    given += children("s?yyyy=2024&mm=05&dd=01")
    kept = {child.url.rpartition("/")[2] for child in order_children(given, date_range=DateRange(since))}
    assert kept == {"2.xml", "sitemap-2024-05.xml", "undated.xml"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sitemap-2024-02.xml", (2024, 3, 1)),
        ("sitemap_20240531.xml", (2024, 6, 1)),
        ("2023/sitemap.xml", (2024, 1, 1)),
        ("s.xml?year=2024&month=12", (2025, 1, 1)),
        ("s.xml?yyyy=2024&mm=99", None),
        ("sitemap1.xml", None),
        ("sitemap-120240.xml", None),
    ],
)
def test_period_of_a_name_ends_where_the_next_begins(name, expected):
    period = named_period("https://x.example/" + name)
    assert (period and period.end) == (datetime(*expected, tzinfo=UTC) if expected else None)


def test_children_of_later_periods_are_left_out_and_lately_changed_ones_stay():
    given = [
        Entry(url="https://x.example/1.xml", hints=Hints(source="sitemap", modified="2026-11-20")),
        *children(
            "sitemap-2026-09.xml",
            "sitemap-2026-10.xml",
            "sitemap-2026-11.xml",
            "sitemap-2026-12.xml",
            "sitemap-2026.xml",
        ),
    ]
    october = DateRange(datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC))
    kept = {child.url.rpartition("/")[2] for child in order_children(given, date_range=october)}
    assert kept == {"1.xml", "sitemap-2026-09.xml", "sitemap-2026-10.xml", "sitemap-2026-11.xml", "sitemap-2026.xml"}


@pytest.mark.parametrize(
    ("path", "hints", "is_too_new"),
    [
        ("2026/11/01/a", None, False),  # a day's grace for zones
        ("2026/11/02/a", None, True),
        ("2026/12/a", None, True),
        ("a", Hints(source="feed", published="2026-11-03"), True),
        ("2026/11/05/a", Hints(source="feed", published="2026-10-30"), False),
        ("a", Hints(source="sitemap", modified="2026-11-20"), False),
        ("a", None, False),
    ],
)
def test_only_a_date_of_publication_makes_an_article_too_new(path, hints, is_too_new):
    assert (
        DateRange(until=datetime(2026, 11, 1, tzinfo=UTC)).is_too_new("https://x.example/" + path, hints) is is_too_new
    )
    assert DateRange().is_too_new("https://x.example/" + path, hints) is False
