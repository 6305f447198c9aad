from datetime import UTC, datetime

import pytest

from webmain.article.compose import with_hints
from webmain.html.document import Document
from webmain.items import Hints, Metadata, Page, Source
from webmain.metadata.dates_shown import read_ago
from webmain.metadata.read import read_metadata

NOW = datetime(2026, 11, 24, 19, 7, 33, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "54 hours ago", datetime(2026, 11, 22, 13, tzinfo=UTC)),
        ("en", "4 min read · 3 hours ago", datetime(2026, 11, 24, 16, tzinfo=UTC)),
        ("en", "12m ago", datetime(2026, 11, 24, 18, 55, tzinfo=UTC)),
        ("de", "vor 2 Tagen", datetime(2026, 11, 22, tzinfo=UTC)),
        ("th", "20 ชั่วโมงที่แล้ว", datetime(2026, 11, 23, 23, tzinfo=UTC)),
        ("ar", "منذ ١٢ ساعة", datetime(2026, 11, 24, 7, tzinfo=UTC)),
        ("zh", "发布于 5小时前", datetime(2026, 11, 24, 14, tzinfo=UTC)),
        ("ko", "3시간 전", datetime(2026, 11, 24, 16, tzinfo=UTC)),
        ("ka", "3 hours ago", datetime(2026, 11, 24, 16, tzinfo=UTC)),
        ("en", "2 weeks ago", None),
        ("en", "4 min read", None),
        ("en", "just now", None),
        ("en", "He left 3 hours ago, as the harbour master told us on Monday, and returned", None),
    ],
)
def test_short_texts_that_say_how_long_ago(language, text, expected):
    assert read_ago(text, language, NOW) == expected


def _published(line, *, fetched_at=NOW):
    text = "<p>The harbour master said on Monday that the bridge would stay closed to all traffic.</p>" * 5
    title = "The bridge stays closed"
    html = f"<html lang=en><head><title>{title}</title></head><body><h1>{title}</h1>{line}{text}"
    metadata = read_metadata(Document(Page(url="https://a.example/story", html=html, fetched_at=fetched_at), html=html))
    return metadata.published, metadata.sources["published"].name if metadata.published else ""


def test_an_age_beside_the_headline_is_a_date_if_the_page_shows_no_other():
    assert _published("<span>3 hours ago</span>") == (datetime(2026, 11, 24, 16, tzinfo=UTC), "ago")
    assert _published("<span>3 hours ago</span>", fetched_at=None) == (None, "")
    assert _published("<span>Updated 3 hours ago</span>") == (None, "")
    assert _published("<p><a href=/other>3 hours ago</a></p>") == (None, "")
    assert _published("<span>3 hours ago</span><span>20 November 2026</span>")[0] == datetime(2026, 11, 20, tzinfo=UTC)


@pytest.mark.parametrize(("source", "taken"), [("text", True), ("script", True), ("ago", True), ("byline", False)])
def test_a_feeds_date_is_preferred_to_a_guessed_one(source, taken):
    own, hinted = datetime(2026, 3, 5, tzinfo=UTC), "Tue, 03 Nov 2026 10:00:00 +0700"
    metadata = Metadata(published=own, sources={"published": Source(name=source, raw="5 March 2026")})
    found = with_hints(metadata, Hints(source="feed", published=hinted))
    assert (found.sources["published"].name == "feed") is taken
