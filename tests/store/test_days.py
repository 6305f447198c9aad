"""Days, times and sites as people write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from webmain.store.search_records import Day, read_day, read_site

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start", "length"),
    [
        ("12h", NOW - timedelta(hours=12), timedelta(0)),
        ("3d", NOW - timedelta(days=3), timedelta(0)),
        ("2w", NOW - timedelta(weeks=2), timedelta(0)),
        (" 2 W ", NOW - timedelta(weeks=2), timedelta(0)),
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=UTC), timedelta(days=1)),
        ("2026-11-01T06:00+06:00", datetime(2026, 11, 1, tzinfo=UTC), timedelta(0)),
    ],
)
def test_days_are_read(monkeypatch: pytest.MonkeyPatch, text: str, start: datetime, length: timedelta) -> None:
    monkeypatch.setattr("webmain.clock.now", lambda: NOW)
    assert read_day(text) == Day(start, start + length)


@pytest.mark.parametrize("text", ["", "2m", "yesterday", "2026-13-01", "999999w"])
def test_anything_else_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"allowed is a date \(2026-11-01\), a time .* or a span up to now \(12h, 3d, 2w\)"
    ):
        read_day(text)


@pytest.mark.parametrize(
    ("text", "site"),
    [
        ("BBC.co.uk ", "bbc.co.uk"),
        ("www.bbc.co.uk", "bbc.co.uk"),
        ("https://news.bbc.co.uk/world", "bbc.co.uk"),
        ("ข่าวเด่น.example", "xn--22c0bp8cwcve7be.example"),
        ("localhost:8902", "localhost:8902"),
        ("?", "?"),
    ],
)
def test_a_site_is_read_from_its_name_a_host_or_an_address(text, site):
    assert read_site(text) == site
