from datetime import timedelta

import pytest

from webmain.metadata.calendars import read_zone


@pytest.mark.parametrize(
    ("raw", "hours"),
    [("+07:00", 7), ("-0530", -5.5), ("+7", 7), ("−03:00", -3), ("ICT", 7), ("est", -5), ("IST", 5.5), ("Z", 0)],
)
def test_offsets_and_common_names_are_read(raw, hours):
    assert read_zone(raw).utcoffset(None) == timedelta(hours=hours)


@pytest.mark.parametrize("raw", [None, "", "+99:00", "+05:77", "QQQ"])
def test_what_is_unknown_is_utc(raw):
    assert read_zone(raw).utcoffset(None) == timedelta(0)
