"""Dates as machines and people write them."""

import time
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.metadata.calendars import from_ethiopian, from_nepali, from_solar
from webmain.metadata.dates import FIRST_YEAR, MAX_FEED_DATE_CHARS, date_in_url, parse_date, parse_feed_date

NOW = datetime(2025, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("2024-05-03T15:47:42.389Z", "2024-05-03T15:47:42.389000+00:00"),
        ("2025-02-02T19:07:46.0000000Z", "2025-02-02T19:07:46+00:00"),
        ("2024-05-03 15:47:42+02:00", "2024-05-03T15:47:42+02:00"),
        ("2024-05-03T15:47:42-0500", "2024-05-03T15:47:42-05:00"),
        ("2024-05-03T23:00Z", "2024-05-03T23:00:00+00:00"),
        ("2024-05-03", "2024-05-03T00:00:00+00:00"),
        ("2024/5/3", "2024-05-03T00:00:00+00:00"),
        ("20240503T154742Z", "2024-05-03T15:47:42+00:00"),
        ("20240503", "2024-05-03T00:00:00+00:00"),
        ("1714751262", "2024-05-03T15:47:42+00:00"),
        ("1714751262000", "2024-05-03T15:47:42+00:00"),
        ("2024-05-03T24:00:00Z", "2024-05-04T00:00:00+00:00"),
        ("Fri, 03 May 2024 15:47:42 GMT", "2024-05-03T15:47:42+00:00"),
        ("Fri, 03 May 2024 15:47:42 -0400", "2024-05-03T15:47:42-04:00"),
        ("Fri May 03 15:47:42 CEST 2024", "2024-05-03T15:47:42+02:00"),
    ],
)
def test_dates_for_machines(raw: str, iso: str) -> None:
    found = parse_date(raw, now=NOW)
    assert found is not None
    assert found.isoformat() == iso


@pytest.mark.parametrize(
    "raw",
    [
        "May 3, 2024", "3 May 2024", "3rd of May, 2024", "Friday, May 3rd, 2024", "Published 3-May-2024",
        "Freitag, 3. Mai 2024", "03.05.2024", "Stand: 3.5.2024", "le 3 mai 2024", "3 de mayo de 2024", "3 de maio de 2024",
        "٣ أيار / مايو ٢٠٢٤",
        "3 أيار/مايو 2024", "venerdì 3 maggio 2024",
        "3 mei 2024", "3 maja 2024 r.", "3. května 2024", "2024. május 3.", "3 mai 2024",
        "den 3 maj 2024", "3. toukokuuta 2024", "3. mai 2024", "2024 m. gegužės 3 d.", "2024. gada 3. maijs",
        "3 Mayıs 2024", "3 мая 2024", "3 травня 2024", "3 май 2024", "3. svibnja 2024.", "3 Μαΐου 2024", "3 مايو 2024",
        "٣ مايو ٢٠٢٤", "3 أيار 2024", "3 במאי 2024", "3 मई 2024", "৩ মে ২০২৪", "2024年5月3日", "2024년 5월 3일",
        "令和6年5月3日", "二〇二四年五月三日", "二零二四年 五月 三日", "民國一一三年五月三日", "令和六年五月三日",
        "民國113年5月3日",
        "ថ្ងៃទី៣ ខែឧសភា ឆ្នាំ២០២៤",
        "မေ ၃၊ ၂၀၂၄",
        "၂၀၂၄ ခုနှစ် မေလ ၃ ရက်",
        "3 tháng 5, 2024", "3 Mei 2024", "3 พ.ค. 67", "3 พฤษภาคม 2567", "๓ พฤษภาคม ๒๕๖๗", "วันที่ 3 พ.ค. 2567 เวลา 14:30 น.",
        "พฤษภาคม 3, 2567", "113年5月3日", "[’24.05.03]", "ວັນທີ 3 ເດືອນ ພຶດສະພາ ປີ 2024",
        "မေလ ၃ ရက်၊ ၂၀၂၄", "2024 මැයි මස 03",
        "03 مئی ، 2024", "3 ΜΑΪΟΥ 2024", "Παρασκευή 03 Μαιου 2024", "2024 жылғы 3 мамыр", "3 майи соли 2024",
        "2024 წლის 3 მაისი", "2024-ի մայիսի 3", "እ.ኤ.አ ሜይ 3 ቀን 2024", "3 മെയ് 2024",
        "ሚያዝያ 25 ቀን 2016 ዓ.ም", "25 ሚያዚያ 2016", "वैशाख २१, २०८१", "२०८१ बैशाख २१ गते", "२१ वैशाख २०८१", "۱۴ غویی ۱۴۰۳",
        "မေလ ၃၊ ၂၀၂၄", "3 เดือนพฤษภาคม พุทธศักราช 2567", "۱۴/ثور/۱۴۰۳", "د ۱۴۰۳ د غویی ۱۴", "٣ی ئایاری ٢٠٢٤", "ሚያዝያ 25፣ 2016",
        "03/05/2567", "3 May 2024 (updated 9 May 2024)", "3 de maig de 2024",
    ],
)  # fmt: skip
def test_dates_for_people(raw: str) -> None:
    found = parse_date(raw, now=NOW)
    assert found is not None
    assert found.date().isoformat() == "2024-05-03"


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("3. Mai 2024, 15:47 Uhr", "2024-05-03T15:47:00+00:00"),
        ("3 mai 2024 à 15h47", "2024-05-03T15:47:00+00:00"),
        ("May 3, 2024 at 3:47 p.m. EST", "2024-05-03T15:47:00-05:00"),
        ("May 3, 2024 12:05 AM", "2024-05-03T00:05:00+00:00"),
        ("Published 10:30 AM EDT, Fri May 3, 2024", "2024-05-03T10:30:00-04:00"),
        ("7 มี.ค. 2568 - 14:00 น.", "2025-03-07T14:00:00+00:00"),
        ("3 मई 2024, 15:47 IST", "2024-05-03T15:47:00+05:30"),
        ("입력 2024.05.03. 오후 3:05", "2024-05-03T15:05:00+00:00"),
        ("2024-05-03(금) 14:30", "2024-05-03T14:30:00+00:00"),
        ("2024년 5월 3일 오후 3시 5분", "2024-05-03T15:05:00+00:00"),
        ("2024年5月3日（金）午前10時30分", "2024-05-03T10:30:00+00:00"),
        ("2024年5月3日上午10點30分", "2024-05-03T10:30:00+00:00"),
        ("2024/5/3 下午 03:05:07", "2024-05-03T15:05:07+00:00"),
        ("٣ مايو/أيار ٢٠٢٤ ٠٢:٣٠ م", "2024-05-03T14:30:00+00:00"),
        ("03/05/2024 02:30 مساءً", "2024-05-03T14:30:00+00:00"),
        ("3 Μαΐου 2024 στις 2:30 μ.μ.", "2024-05-03T14:30:00+00:00"),
        ("3 мая 2024 г. в 14:30", "2024-05-03T14:30:00+00:00"),
        ("14:30 / 03.05.2024", "2024-05-03T14:30:00+00:00"),
        ("3. маја 2024. у 14:30", "2024-05-03T14:30:00+00:00"),
        ("3 במאי 2024 בשעה 14:30", "2024-05-03T14:30:00+00:00"),
        ("3 Mayıs 2024 Cuma, 14:30", "2024-05-03T14:30:00+00:00"),
        ("03.05.2024, Freitag, 14.30 Uhr", "2024-05-03T14:30:00+00:00"),
        ("2024. május 3., péntek 14:30", "2024-05-03T14:30:00+00:00"),
        ("3 мая 2024, пятница, 14:30", "2024-05-03T14:30:00+00:00"),
        ("2024年5月3日 星期五 14:30", "2024-05-03T14:30:00+00:00"),
        ("2024-05-03 星期五 14:30", "2024-05-03T14:30:00+00:00"),
        ("03/05/2024 (Thứ sáu) 14:30", "2024-05-03T14:30:00+00:00"),
        ("3 พฤษภาคม พุทธศักราช 2567 (วันศุกร์) 14:30 น.", "2024-05-03T14:30:00+00:00"),
        ("৩ মে ২০২৪, ০২:৩০ পিএম", "2024-05-03T14:30:00+00:00"),
        ("০২:৩০ পিএম, ৩ মে ২০২৪ শুক্রবার", "2024-05-03T14:30:00+00:00"),
        ("៣ ឧសភា ២០២៤ ម៉ោង ២:៣០ រសៀល", "2024-05-03T14:30:00+00:00"),
        ("3 ພຶດສະພາ 2024 ເວລາ 14:30", "2024-05-03T14:30:00+00:00"),
        ("၂၀၂၄ ခုနှစ်၊ မေလ ၃ ရက် ညနေ ၂:၃၀", "2024-05-03T14:30:00+00:00"),
        ("२०८१ वैशाख २१, शुक्रबार १४:३०", "2024-05-03T14:30:00+00:00"),
        ("3 மே 2024 மாலை 2:30", "2024-05-03T14:30:00+00:00"),
        ("3 مئی 2024 شام 2:30", "2024-05-03T14:30:00+00:00"),
        ("2024.05.03 PM 2:30", "2024-05-03T14:30:00+00:00"),
        ("2024/05/03 [14:30:00]", "2024-05-03T14:30:00+00:00"),
        ("2024-05-03 HKT 14:30", "2024-05-03T14:30:00+08:00"),
        ("14h30 ngày 03/05/2024", "2024-05-03T14:30:00+00:00"),
        ("3 May 2024 Duration 14:30", "2024-05-03T00:00:00+00:00"),
    ],
)
def test_times_beside_dates(raw: str, iso: str) -> None:
    found = parse_date(raw, now=NOW)
    assert found is not None
    assert found.isoformat() == iso


@pytest.mark.parametrize(
    ("raw", "language", "day"),
    [
        ("7 พ.ค. 68", "th", "2025-05-07"),
        ("8 ธ.ค.48", "", "2005-12-08"),
        ("7 พ.ค. 25", "th", "2025-05-07"),
        ("13/12/2548", "", "2005-12-13"),
        ("07/05/68", "th", "2025-05-07"),
        ("2568-05-07", "th", "2025-05-07"),
        ("7 May 68", "en", None),
    ],
)
def test_buddhist_years(raw: str, language: str, day: str | None) -> None:
    found = parse_date(raw, language=language, now=NOW)
    assert (found.date().isoformat() if found else None) == day


@pytest.mark.parametrize(
    ("raw", "language", "day"),
    [
        ("작성일 26-11-25 09:56", "ko", "2026-11-25"),
        ("26/11/25", "ja", "2026-11-25"),
        ("26.11.25.", "hu", "2026-11-25"),
        ("26-11-25", "zh-CN", "2026-11-25"),
        ("26.11.25", "de", "2025-11-26"),
        ("25.11.2026", "ko", "2026-11-25"),
    ],
)
def test_years_of_two_digits_come_first_in_some_languages(raw: str, language: str, day: str) -> None:
    found = parse_date(raw, language=language, now=datetime(2027, 1, 1, tzinfo=UTC))
    assert str(found)[:10] == day


@pytest.mark.parametrize(
    ("raw", "language", "iso"),
    [
        ("۱۲ تیر ۱۳۹۹", "fa", "2020-07-02T00:00:00+00:00"),
        ("دوشنبه ۲ تير ۱۳۹۹", "", "2020-06-22T00:00:00+00:00"),
        ("۱۲ مرداد ماه ۱۴۰۲ ساعت ۱۴:۳۰", "fa", "2023-08-03T14:30:00+00:00"),
        ("30 اسفند 1399", "fa", "2021-03-20T00:00:00+00:00"),
        ("30 اسفند 1400", "fa", None),
        ("15 میزان 1402", "fa", "2023-10-07T00:00:00+00:00"),
        ("۱۳۹۹/۰۴/۱۲", "fa", "2020-07-02T00:00:00+00:00"),
        ("۱۳۹۹-۰۴-۱۲", "fa", "2020-07-02T00:00:00+00:00"),
        ("1399/04/12", "", None),
        ("24 شوال 1445", "ar", None),
        ("24 شوال 1445 - 3 مايو 2024", "ar", "2024-05-03T00:00:00+00:00"),
    ],
)
def test_dates_of_the_solar_calendar(raw: str, language: str, iso: str | None) -> None:
    found = parse_date(raw, language=language, now=NOW)
    assert (found.isoformat() if found else None) == iso


@pytest.mark.parametrize(
    ("year", "month", "day", "common"),
    [(1357, 11, 22, "1979-02-11"), (1379, 1, 1, "2000-03-20"), (1400, 1, 1, "2021-03-21"), (1403, 12, 30, "2025-03-20"),
     (1404, 1, 1, "2025-03-21"), (1402, 13, 1, None), (1402, 7, 31, None)],
)  # fmt: skip
def test_days_of_the_solar_calendar(year: int, month: int, day: int, common: str | None) -> None:
    found = from_solar(year, month, day)
    assert (found.isoformat() if found else None) == common


@pytest.mark.parametrize(
    ("found", "common"),
    [
        (from_ethiopian(2000, 1, 1), "2007-09-12"),
        (from_ethiopian(2015, 13, 6), "2023-09-11"),
        (from_ethiopian(2016, 13, 6), None),
        (from_nepali(2081, 1, 1), "2024-04-13"),
        (from_nepali(2080, 12, 30), "2024-04-12"),
        (from_nepali(2080, 12, 31), None),
        (from_nepali(2087, 1, 1), None),
    ],
)
def test_days_of_the_calendars_of_ethiopia_and_nepal(found: date | None, common: str | None) -> None:
    assert (found.isoformat() if found else None) == common


@pytest.mark.parametrize(
    ("raw", "language", "day"),
    [
        ("२०८१/०१/२१", "ne", "2024-05-03"),
        ("2081-01-21", "ne", "2024-05-03"),
        ("2024-05-03", "ne", "2024-05-03"),
        ("2081-01-21", "hi", None),
    ],
)
def test_numbers_alone_are_of_nepals_calendar_in_nepali(raw: str, language: str, day: str | None) -> None:
    found = parse_date(raw, language=language, now=NOW)
    assert (found.date().isoformat() if found else None) == day


@pytest.mark.parametrize(
    ("raw", "day"),
    [
        ("3 يوليوز 2023", "2023-07-03"),
        ("3 غشت 2023", "2023-08-03"),
        ("3 تشرين ثاني 2023", "2023-11-03"),
        ("3 كانون أول 2023", "2023-12-03"),
        ("နို၀င်ဘာ ၃၊ ၂၀၂၃", "2023-11-03"),
        ("3 تشرینی دووەم 2023", "2023-11-03"),
        ("3ی کانوونی یەکەمی 2023", "2023-12-03"),
    ],
)
def test_other_names_of_months(raw: str, day: str) -> None:
    found = parse_date(raw, now=NOW)
    assert str(found)[:10] == day


def test_numbers_are_read_day_first_unless_told_otherwise() -> None:
    assert parse_date("05/06/2024", now=NOW) == datetime(2024, 6, 5, tzinfo=UTC)
    assert parse_date("05/06/2024", month_first=True, now=NOW) == datetime(2024, 5, 6, tzinfo=UTC)
    assert parse_date("25/06/2024", month_first=True, now=NOW) == datetime(2024, 6, 25, tzinfo=UTC)
    assert parse_date("05.06.2024", month_first=True, now=NOW) == datetime(2024, 6, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "raw",
    ["", "today", "2 hours ago", "2024", "May 2024", "31.02.2024", "1.2.3.4", "1989-12-31", "2025-06-04", "99/99/9999",
     "+1 555 0100", "12:30", "version 3.11.7", "0000-00-00", "² of ³"],
)  # fmt: skip
def test_what_is_no_plausible_date(raw: str) -> None:
    assert parse_date(raw, now=NOW) is None


def test_plausible_dates_reach_from_the_first_year_to_two_days_ahead() -> None:
    assert parse_date(f"{FIRST_YEAR}-01-01", now=NOW)
    assert parse_date(f"{FIRST_YEAR - 1}-12-31", now=NOW) is None
    assert parse_date("2025-06-03", now=NOW)
    assert parse_date("2025-06-03T00:00:01Z", now=NOW) is None


@given(st.text(max_size=80))
def test_nothing_raises(raw: str) -> None:
    found = parse_date(raw)
    assert found is None or found.tzinfo is not None


@given(st.datetimes(min_value=datetime(FIRST_YEAR, 1, 1), max_value=datetime(2025, 5, 30), timezones=st.just(UTC)))
def test_iso_dates_come_back(value: datetime) -> None:
    assert parse_date(value.isoformat(), now=NOW) == value


@pytest.mark.parametrize("piece", ["1 ", "1.", "1/", "a ", "1 a ", "2024-", "2024年", "12:", " ", "1 de "])
def test_long_strings_cost_little(piece: str) -> None:
    started = time.process_time()
    parse_date(piece * 100_000)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("https://x.example/2024/05/03/title", "2024-05-03"),
        ("https://x.example/2024/5/3/title", "2024-05-03"),
        ("https://x.example/2024-05-03-title.html", "2024-05-03"),
        ("https://x.example/news/dmf20240503_96887132", "2024-05-03"),
        ("https://x.example/slug-20240503-p60bhj.html", "2024-05-03"),
        ("https://x.example/2024/0503/12.html", "2024-05-03"),
        ("https://x.example/2024/may/03/a", "2024-05-03"),
        ("https://x.example/a-03.05.2024", "2024-05-03"),
        ("https://x.example/2567/05/03/a", "2024-05-03"),
        ("https://x.example/2024/05/a", "2024-05-01"),
        ("https://x.example/2024/05/10-things-to-do", "2024-05-01"),
        ("https://x.example/2024/05/03-title", "2024-05-03"),
        ("https://x.example/2024/a", None),
        ("https://x.example/2024/13/03/a", None),
        ("https://x.example/article120240503123", None),
        ("https://x.example/ab20240503cd", None),
        ("https://x.example/?d=2024-05-03", None),
        ("https://[", None),
    ],
)
def test_dates_in_urls(url: str, day: str | None) -> None:
    found = date_in_url(url, months=True)
    assert (found.date().isoformat() if found else None) == day
    if day == "2024-05-01":
        assert date_in_url(url) is None


@pytest.mark.parametrize(
    ("raw", "iso"),
    [
        ("Fri, 17 May 2024 10:00:00 +0700", "2024-05-17T10:00:00+07:00"),
        ("17 May 24 10:00 EST", "2024-05-17T10:00:00-05:00"),
        ("Thursday, 5-Dec-2024 05:10:00 GMT", "2024-12-05T05:10:00+00:00"),
        ("Fr, 17 Mai 2024 10:00:00 MESZ", "2024-05-17T10:00:00+02:00"),
        ("Fri May 17 10:00:00 2024", "2024-05-17T10:00:00+00:00"),
        ("May 17, 2024 12:05 AM", "2024-05-17T00:05:00+00:00"),
        ("2024", "2024-01-01T00:00:00+00:00"),
        ("2024-05", "2024-05-01T00:00:00+00:00"),
        (" \n2024-05-17\t", "2024-05-17T00:00:00+00:00"),
        ("2024-05-17T10:00:00.1234567+07:00", "2024-05-17T10:00:00.123456+07:00"),
        ("2024-05-17T24:00:00Z", "2024-05-18T00:00:00+00:00"),
        ("20240517T100000Z", "2024-05-17T10:00:00+00:00"),
        ("1715940000000", "2024-05-17T10:00:00+00:00"),
        ("17.05.2024 10:00", "2024-05-17T10:00:00+00:00"),
        ("17/05/2024", "2024-05-17T00:00:00+00:00"),
        ("17 พฤษภาคม 2567 10:30", "2024-05-17T10:30:00+00:00"),
        ("2567-05-17", "2024-05-17T00:00:00+00:00"),
    ],
)
def test_dates_of_feeds_keep_their_zone(raw: str, iso: str) -> None:
    found = parse_feed_date(raw)
    assert found is not None
    assert found.isoformat() == iso


@pytest.mark.parametrize(
    "raw",
    [None, "", "  ", "yesterday", "2024-02-30", "2024-13", "0000-00-00 00:00:00", "05/06/2024", "12", "32 May 2024",
     "17 Foo 2024", "2024-05-17T25:00", "9" * 50, "2024-05-17 " + "x" * MAX_FEED_DATE_CHARS],
)  # fmt: skip
def test_what_is_no_date_of_a_feed_or_an_ambiguous_one_is_none(raw: str | None) -> None:
    assert parse_feed_date(raw) is None


@given(st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2399, 12, 31)), st.integers(-14 * 60, 14 * 60))
def test_iso_dates_of_feeds_make_the_round_trip(moment: datetime, minutes: int) -> None:
    aware = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert parse_feed_date(aware.isoformat()) == aware


@given(st.text(max_size=120))
def test_no_text_of_a_feed_raises_and_every_date_has_a_zone(text: str) -> None:
    found = parse_feed_date(text)
    assert found is None or found.utcoffset() is not None
