from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.metadata.feed_dates import MAX_DATE_CHARS, date_in_url, parse_feed_date


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Fri, 17 May 2024 10:00:00 +0700", utc(2024, 5, 17, 3)),
        ("Fri, 17 May 2024 10:00:00 GMT", utc(2024, 5, 17, 10)),
        ("17 May 24 10:00 EST", utc(2024, 5, 17, 15)),
        ("Thursday, 5-Dec-2024 05:10:00 GMT", utc(2024, 12, 5, 5, 10)),
        ("Fr, 17 Mai 2024 10:00:00 MESZ", utc(2024, 5, 17, 8)),
        ("Fri May 17 10:00:00 2024", utc(2024, 5, 17, 10)),
        ("May 17, 2024 10:00 PM", utc(2024, 5, 17, 22)),
        ("May 17, 2024 12:05 AM", utc(2024, 5, 17, 0, 5)),
        ("2024", utc(2024, 1, 1)),
        ("2024-05", utc(2024, 5, 1)),
        ("2024-05-17", utc(2024, 5, 17)),
        ("2024-05-17T10:00Z", utc(2024, 5, 17, 10)),
        ("2024-05-17T10:00:00.1234567+07:00", utc(2024, 5, 17, 3, 0, 0, 123456)),
        ("2024-05-17 10:00:00", utc(2024, 5, 17, 10)),
        ("2024-05-17T24:00:00Z", utc(2024, 5, 18)),
        ("2024-05-17T10:00:00-07", utc(2024, 5, 17, 17)),
        ("20240517T100000Z", utc(2024, 5, 17, 10)),
        (" \n2024-05-17\t", utc(2024, 5, 17)),
        ("1715940000", utc(2024, 5, 17, 10)),
        ("1715940000000", utc(2024, 5, 17, 10)),
        ("17.05.2024 10:00", utc(2024, 5, 17, 10)),
        ("17/05/2024", utc(2024, 5, 17)),
        ("17 พฤษภาคม 2567 10:30", utc(2024, 5, 17, 10, 30)),
        ("2567-05-17", utc(2024, 5, 17)),
        ("17 de mayo de 2024", utc(2024, 5, 17)),
    ],
)
def test_known_formats_are_read_with_their_zone(raw, expected):
    assert parse_feed_date(raw) == expected


def test_the_written_offset_is_kept():
    parsed = parse_feed_date("2024-05-17T10:00:00+07:00")
    assert parsed is not None
    assert parsed.utcoffset() == timedelta(hours=7)


@pytest.mark.parametrize(
    "raw",
    [None, "", "  ", "yesterday", "2024-02-30", "2024-13-01", "0000-00-00 00:00:00", "05/06/2024", "12", "32 May 2024",
     "17 Foo 2024", "2024-05-17T25:00", "9" * 50, "2024-05-17 " + "x" * MAX_DATE_CHARS],
)  # fmt: skip
def test_what_is_no_date_or_ambiguous_is_none(raw):
    assert parse_feed_date(raw) is None


@given(
    st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2399, 12, 31)),
    st.integers(min_value=-14 * 60, max_value=14 * 60),
)
def test_iso_dates_make_the_round_trip(moment, minutes):
    aware = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert parse_feed_date(aware.isoformat()) == aware


@given(st.text(max_size=120))
def test_no_text_raises_and_every_answer_is_aware(text):
    found = parse_feed_date(text)
    assert found is None or found.utcoffset() is not None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://x.com/2024/05/17/slug", utc(2024, 5, 17)),
        ("https://x.com/world/2024/may/17/slug", utc(2024, 5, 17)),
        ("https://x.com/2024/5/7/slug", utc(2024, 5, 7)),
        ("https://x.com/a/20240517/b.html", utc(2024, 5, 17)),
        ("https://x.com/cnt/dmf20250202_96887132", utc(2025, 2, 2)),
        ("https://x.com/slug-20260701-p60bhj.html", utc(2026, 7, 1)),
        ("https://x.com/202405/17/c_1.htm", utc(2024, 5, 17)),
        ("https://x.com/2024/0517/12.html", utc(2024, 5, 17)),
        ("https://x.co.th/2567/05/17/a", utc(2024, 5, 17)),
        ("https://x.com/17-05-2024/a", utc(2024, 5, 17)),
        ("https://x.com/2024/05/slug", utc(2024, 5, 1)),
        ("https://x.com/2024/slug", None),
        ("https://x.com/news/20241399", None),
        ("https://x.com/1920x1080/a", None),
        ("https://x.com/news/2024051799", None),
        ("https://x.com/a?d=2024-05-17", None),
        ("http://[", None),
    ],
)
def test_day_or_month_in_a_path_is_found(url, expected):
    assert date_in_url(url) == expected
