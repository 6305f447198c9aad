"""Which of a page's dates is its publication, and how precisely it is said."""

from datetime import UTC, datetime

import pytest

from webmain.html.document import Document
from webmain.items import Page
from webmain.metadata.dates import is_range, parse_date, precision
from webmain.metadata.read import read_metadata

BODY = "<p>" + "The bridge was closed for two years and is open again. " * 8 + "</p>"


def _published(head: str, body: str, *, url: str = "https://daily.example/bridge") -> str:
    html = f"<html><head><title>The bridge is open again</title>{head}</head><body>{body}{BODY}</body></html>"
    return str(read_metadata(Document(Page(url=url, html=html), html=html)).published)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2024-05-03", 0),
        ("3 May 2024", 0),
        ("2024-05-03T00:00:00+07:00", 0),
        ("2024-05-03T10:00", 1),
        ("3 May 2024, 10:00", 1),
        ("2024-05-03T10:00:00Z", 2),
        ("2024-05-03T10:00:00+00:00", 2),
        ("2024-05-03T10:00:00+0700", 2),
        ("Fri, 03 May 2024 10:00:00 GMT", 2),
        ("1714751262", 2),
    ],
)
def test_precision_of_a_date(raw: str, expected: int) -> None:
    value = parse_date(raw)
    assert value is not None
    assert precision(value, raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("17 Apr 2003 - 02 Sep 2013", True),
        ("Apr 17, 2003 – Sep 2, 2013", True),
        ("3 May 2024 to 5 May 2024", True),
        ("3 May 2024 - 3 May 2024", False),
        ("3 May 2024 - updated 5 May 2024", False),
        ("3 May 2024 - 10:30", False),
        ("2024-05-03", False),
        ("", False),
    ],
)
def test_a_span_of_days_is_no_date(raw: str, expected: bool) -> None:
    assert is_range(raw) is expected


@pytest.mark.parametrize("shown", ["17 Apr 2003 - 02 Sep 2013", "Apr 17, 2003"])
def test_banner_of_an_archive_dates_nothing(shown: str) -> None:
    toolbar = f'<div id="wm-ipp"><table><tr><td><div class="date">{shown}</div></td></tr></table></div>'
    assert _published("", toolbar + "<h1>The bridge is open again</h1>") == "None"
    dated = _published("", toolbar + "<h1>The bridge is open again</h1><p class=date>3 May 2003</p>")
    assert dated.startswith("2003-05-03")


def test_span_of_days_beside_the_headline_dates_nothing() -> None:
    assert _published("", "<h1>The bridge is open again</h1><p>17 Apr 2003 - 02 Sep 2013</p>") == "None"


def test_time_and_zone_complete_the_day_of_the_address() -> None:
    shown = '<h1>The bridge is open again</h1><p class="date">3 May 2024, 14:30 +0700</p>'
    dated = _published("", shown, url="https://daily.example/2024/05/03/bridge")
    assert dated == "2024-05-03 14:30:00+07:00"
    other_day = _published("", shown, url="https://daily.example/2024/05/02/bridge")
    assert other_day == "2024-05-02 00:00:00+00:00"


def test_another_clock_time_does_not_replace_one_without_zone() -> None:
    head = '<meta property="article:published_time" content="2024-05-03T10:00">'
    same = _published(head, '<h1>The bridge is open again</h1><time datetime="2024-05-03T10:00+07:00">x</time>')
    other = _published(head, '<h1>The bridge is open again</h1><time datetime="2024-05-03T11:00+07:00">x</time>')
    assert (same, other) == ("2024-05-03 10:00:00+07:00", "2024-05-03 10:00:00+00:00")


@pytest.mark.parametrize(
    ("modified", "expected"),
    [
        ("2024-05-03T10:00:00+07:00", "2024-05-03 10:00:00+07:00"),
        ("2024-05-03T12:00:00+07:00", "2024-05-03 10:00:00+07:00"),
        ("2024-05-03T12:00:00Z", "2024-05-03 10:00:00+00:00"),
        ("2024-05-03T09:00:00+07:00", "2024-05-03 10:00:00+00:00"),
    ],
)
def test_a_time_without_zone_is_read_in_the_zone_of_the_change(modified: str, expected: str) -> None:
    head = f'<meta property="article:modified_time" content="{modified}">'
    shown = '<h1>The bridge is open again</h1><time datetime="2024-05-03 10:00">x</time>'
    assert _published(head, shown) == expected


def test_dates_stay_aware() -> None:
    value = parse_date("3 May 2024")
    assert value == datetime(2024, 5, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("LONDON, Nov. 22, 2024 (Reuters) - The", "2024-11-22"),
        ("NEW YORK, Nov. 22, 2024 /Newswire/ -- The", "2024-11-22"),
        ("Springfield, Ill., November 22, 2024 — The", "2024-11-22"),
        ("BERLIN, 22 November 2024 - The", "2024-11-22"),
        ("SEOUL, April 19 (Agency) -- The", "None"),
        ("The bridge, built in November 1924, is open again - the", "None"),
    ],
)
def test_dateline_of_the_first_paragraph(line: str, expected: str) -> None:
    later = "<p>Another bridge was closed on 5 May 2019, and nobody opened it again.</p>"
    assert _published(
        "", f"<h1>The bridge is open again</h1><p>{line} bridge was closed for two years.</p>{later}"
    ).startswith(expected)


@pytest.mark.parametrize(
    ("changed", "published"),
    [
        ("கடைசி புதுப்பிப்பு", "வெளியிடப்பட்டது"),
        ("నవీకరణ", "ప్రచురణ"),
        ("അപ്ഡേറ്റ്", "പ്രസിദ്ധീകരണം"),
        ("ಕೊನೆಯ ನವೀಕರಣ", "ಪ್ರಕಟವಾದ"),
        ("અપડેટ", "પ્રકાશિત"),
        ("ਅੱਪਡੇਟ", "ਪ੍ਰਕਾਸ਼ਿਤ"),
        ("යාවත්කාලීන", "පළ කළ"),
        ("آخرین ویرایش", "منتشر شده"),
        ("اپ ڈیٹ", "اشاعت"),
        ("Τελευταία ενημέρωση", "Πρώτη δημοσίευση"),
        ("Змінено", "Дата публікації"),
        ("Последна промяна", "Дата на публикуване"),
        ("Последња измена", "Датум објаве"),
        ("Абноўлена", "Апублікавана"),
        ("Жаңартылған", "Жарияланған"),
        ("Шинэчилсэн", "Нийтэлсэн"),
        ("ბოლო განახლება", "გამოქვეყნდა"),
        ("Թարմացվել է", "Հրապարակվել է"),
        ("የዘመነ", "የታተመ"),
        ("ធ្វើបច្ចុប្បន្នភាព", "ផ្សាយ"),
        ("ອັບເດດ", "ເຜີຍແຜ່"),
        ("မွမ်းမံ", "ထုတ်ဝေ"),
    ],
)
def test_publication_and_change_are_told_apart_in_other_scripts(changed: str, published: str) -> None:
    body = f"<h1>The bridge is open again</h1><p>{changed}: 07.05.2024 09:10 | {published}: 03.05.2024 14:30</p>"
    assert _published("", body)[:10] == "2024-05-03"
