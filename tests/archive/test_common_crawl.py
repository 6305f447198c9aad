"""Lists of months, and which records are wanted."""

import gzip
import time
from datetime import UTC, datetime

import pytest

from tests.crawl.news_month import member, page, write_month
from webmain.archive.common_crawl import MAX_FILES, RecordFilter, list_of, read_list
from webmain.archive.decoding import TooLargeError
from webmain.net.addresses import Guard
from webmain.net.ranges import DataHost
from webmain.spiders.news_files import NewsFiles

MONTH = "2026/10"
FOLDER = "crawl-data/CC-NEWS/2026/10/"


def listed(text):
    return read_list(gzip.compress(text.encode() if isinstance(text, str) else text), MONTH)


def test_a_list_names_files_of_its_own_month_and_nothing_else():
    good = [f"{FOLDER}CC-NEWS-20261001001122-0000{n}.warc.gz" for n in range(3)]
    bad = [
        *("../../../etc/passwd", "/etc/passwd", "http://evil.example/a.warc.gz", "//evil.example/a.warc.gz"),
        *(
            f"{FOLDER}../../../x.warc.gz",
            f"{FOLDER}a/../../b.warc.gz",
            f"{FOLDER}a%2e%2e.warc.gz",
            f"{FOLDER}a.warc.gz?x",
        ),
        *("crawl-data/CC-NEWS/2026/09/a.warc.gz", f"{FOLDER}.warc.gz", f"{FOLDER}..warc.gz", f"{FOLDER}a.txt"),
        *(f"{FOLDER}a@evil.example/b.warc.gz", f"{FOLDER}a\\b.warc.gz", f"{FOLDER}a\0.warc.gz", FOLDER + "a" * 5000),
    ]
    found = listed("\r\n".join([*good, *bad, good[0], ""]))
    assert found.paths == tuple(good)
    assert found.n_refused == len(bad)
    assert list_of(MONTH) == FOLDER + "warc.paths.gz"


@pytest.mark.parametrize("body", [b"", b"\n\n", b"not packed", bytes(1000)])
def test_what_is_no_list_names_nothing(body):
    assert read_list(body, MONTH).paths == ()


def test_a_list_of_a_million_lines_and_one_that_unpacks_without_end_are_bounded():
    began = time.process_time()
    found = listed("".join(f"{FOLDER}{n}.warc.gz\n" for n in range(400_000)))
    assert len(found.paths) == MAX_FILES
    assert found.n_refused == MAX_FILES
    with pytest.raises(TooLargeError):
        listed(b"x\n" * (40 << 20))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("url", "is_wanted"),
    [
        *(
            (f"{start}{end}", True)
            for start in ("http://", "https://www.", "HTTPS://a.b.")
            for end in ("bbc.com/x", "BBC.com")
        ),
        ("https://bbc.com:8443/x", True),
        ("https://bbc.com./x", True),
        ("https://user:pw@bbc.com/x", True),
        *(
            (url, False)
            for url in ("https://xbbc.com/", "https://bbc.com.evil.example/", "https://evil.example/bbc.com")
        ),
        *(
            (url, False)
            for url in ("https://bbc.com@evil.example/", "", None, "dns:bbc.com", "https://" + "a." * 5000 + "bbc.com")
        ),
    ],
)
def test_a_domain_means_its_host_and_those_below(url, is_wanted):
    assert RecordFilter(["bbc.com"])(0, url, None) is is_wanted
    assert RecordFilter()(0, url, None)


def test_records_before_since_and_long_after_until_are_not_wanted():
    wanted = RecordFilter(since=datetime(2026, 10, 5, tzinfo=UTC), until=datetime(2026, 10, 6, tzinfo=UTC))
    days = [day for day in range(1, 29) if wanted(0, "http://a.example/", datetime(2026, 10, day, 12, tzinfo=UTC))]
    assert days == list(range(5, 13))
    assert wanted(0, "http://a.example/", None)
    assert wanted.n_passed == 20


def read(tmp_path, body, domains=("bbc.example",)):
    """Return the addresses of pages found in a file, why others gave none, and how many records were looked at."""
    write_month(tmp_path, {"a.warc.gz": body})
    host = DataHost(user_agent="webmain", guard=Guard())
    found = []
    options = {"months": (MONTH,), "base": str(tmp_path), "host": host, "known": {}, "max_bytes": 1 << 20}
    NewsFiles(wanted=RecordFilter(domains), tell=found.append, **options).read()
    reasons = [each.note[0].removeprefix("skipped/") for each in found if each.note and not each.is_end]
    return [each.page.url for each in found if each.page], reasons, found[-1].file.n_records


GOOD = [member(*page("bbc.example", n)) for n in range(3)]
HOSTILE = {
    "a long header": lambda: member("https://x.example/", b"", extra="X-Long: " + "y" * (8 << 20) + "\r\n"),
    "many headers": lambda: member("https://x.example/", b"", extra="X-Many: y\r\n" * 200_000),
    "many targets": lambda: member(
        "https://x.example/", b"", extra="WARC-Target-URI: https://bbc.example/forged\r\n" * 3
    ),
    "a bomb of another site": lambda: member("https://x.example/bomb", b"<p>" + bytes(60 << 20)),
    "a bomb of the site": lambda: member("https://bbc.example/bomb", b"<p>" + bytes(60 << 20)),
    "junk behind a record": lambda: gzip.compress(
        gzip.decompress(member("https://x.example/", b"x")) + bytes(30 << 20), 1
    ),
    "no end of a head": lambda: gzip.compress(
        b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://bbc.example/"
    ),
    "a negative length": lambda: gzip.compress(
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: -5\r\n\r\nabc\r\n\r\n"
    ),
    "a huge length": lambda: gzip.compress(
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 99999999999\r\n\r\nabc\r\n\r\n"
    ),
    "a record within a page": lambda: member(
        "https://x.example/", bytes(99) + b"\r\n\r\n" + gzip.decompress(GOOD[0]) * 3
    ),
    "an archive as a page": lambda: member(
        "https://x.example/", b"".join(member(f"https://bbc.example/{n}", b"<p>forged") for n in range(9))
    ),
    "a line break in a target": lambda: member("https://bbc.example/a\r\nWARC-Type: warcinfo", b"<p>x"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_record_costs_itself_only(tmp_path, what):
    began = time.process_time()
    urls, _, _ = read(tmp_path, GOOD[0] + HOSTILE[what]() + GOOD[1] + GOOD[2])
    assert time.process_time() - began < 5
    wanted = [page("bbc.example", n)[0] for n in range(3)]
    assert [url for url in urls if url in wanted] == wanted
    assert not [url for url in urls if "x.example" not in url and url not in wanted and "bomb" not in url]
