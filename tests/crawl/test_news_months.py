"""The spider `archive` over a made-up month of Common Crawl's news archives, from a local server and from a folder."""

import shutil
import signal
import time

import pytest

from tests.crawl.news_month import FOLDER, MONTH, DataHost, member, page, warc, write_month
from webmain.ledger.ledger import Ledger

WANTED, OTHER = "harbour-news.example", "elsewhere.example"
QUICKLY = {"WEBMAIN_ARCHIVE_BACK_OFF_S": 0.05, "WEBMAIN_ARCHIVE_PIECE": 200_000}


def pages_of(host, numbers, **options):
    return [page(host, number, **options) for number in numbers]


def mixed(first, n=4):
    """Return a file of `n` wanted pages among twice as many others."""
    numbers = range(first, first + n)
    rows = zip(pages_of(WANTED, numbers), pages_of(OTHER, numbers), pages_of(f"x-{WANTED}", numbers), strict=True)
    return warc([each for row in rows for each in row])


@pytest.fixture
def mirror(tmp_path):
    """Three good files, one that is cut off within a page nobody wants, one that is damaged in its middle, one missing."""
    root = tmp_path / "mirror"
    good = {f"CC-NEWS-2026101500000{n}-0000{n}.warc.gz": mixed(10 * n) for n in range(3)}
    cut = warc([*pages_of(WANTED, [40]), *pages_of(OTHER, [41], padding=4000)])[:-900]
    whole = [member(*page(WANTED, number)) for number in (50, 51, 52)]
    damaged = whole[0] + whole[1][:200] + bytes(99) + whole[1][299:] + whole[2]
    files = good | {"CC-NEWS-20261015000004-00004.warc.gz": cut, "CC-NEWS-20261015000005-00005.warc.gz": damaged}
    listed = [f"{FOLDER}/{name}" for name in files]
    listed[2:2] = [f"{FOLDER}/CC-NEWS-20261015000009-00009.warc.gz"]
    write_month(root, files, listed=listed)
    return root


@pytest.fixture
def server(mirror):
    host = DataHost(mirror)
    yield host
    host.close()


NUMBERS = {*range(4), *range(10, 14), *range(20, 24), 40, 50, 52}
LEDGER = "articles.jsonl.ledger"


def numbers(crawled):
    """Return the numbers in the addresses of stored articles, each as often as it is stored."""
    return sorted(int(a["url"].rpartition("/")[2]) for a in crawled.articles())


def run(crawl, base, *, settings=None, **arguments):
    given = {"ccnews": MONTH, "domains": WANTED, "learn": "no", **arguments}
    return crawl("archive", base=base, settings=QUICKLY | (settings or {}), **given)


def test_a_month_is_read_over_http_and_bad_files_cost_themselves_only(crawl, server):
    second = f"/{FOLDER}/CC-NEWS-20261015000001-00001.warc.gz"
    server.before = lambda path, n: (503, {}, b"SlowDown") if path == second and n == 1 else None
    crawled = run(crawl, server.url, settings={"WEBMAIN_CONTACT": "us@paper.example"})
    assert crawled.code == 0, crawled.log
    assert set(numbers(crawled)) == NUMBERS
    assert len(crawled.articles()) == len(NUMBERS)
    stats = crawled.stats
    assert stats["webmain/archive/missing"] == 1
    assert stats["webmain/archive/skipped/damaged"] == 2
    assert stats["webmain/archive/files/read"] == 5
    assert stats["webmain/archive/retries"] == 1
    assert stats["webmain/archive/skipped/not_wanted"] > 2 * 12 * 2
    assert stats["webmain/pages"] == len(NUMBERS)  # others are never parsed
    for name in ("00009", "00004", "00005"):
        assert f"-{name}.warc.gz" in crawled.out
    assert all("us@paper.example" in agent for agent in server.agents)
    assert "/robots.txt" not in server.asked
    # a later run asks for the list, and for what was missing, alone
    before = len(server.requests)
    shutil.copy(*(server.root / FOLDER / f"CC-NEWS-2026101500000{n}-0000{n}.warc.gz" for n in (0, 9)))
    again = run(crawl, server.url)
    assert again.stats["webmain/archive/files/known"] == 5
    assert [path.rpartition("/")[2][-13:] for path, _ in server.requests[before:]] == ["warc.paths.gz", "00009.warc.gz"]
    assert "0 new, 4 unchanged" in again.out
    # another question reads them all
    assert run(crawl, server.url, domains=OTHER).stats["webmain/articles/new"] > 10


def test_a_folder_in_the_same_layout_and_a_server_without_ranges_give_the_same(crawl, mirror, server, tmp_path):
    found = []
    server.ranges = False
    for base in (str(mirror), server.url):
        crawl.store = tmp_path / f"{len(found)}.jsonl"
        crawled = run(crawl, base)
        assert crawled.code == 0, crawled.log
        found.append(([a["url"] for a in crawled.articles()], crawled.stats["webmain/archive/missing"]))
    assert found[0] == found[1]
    assert len(found[0][0]) == len(NUMBERS)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_run_goes_on_inside_the_file_and_nothing_is_lost_or_stored_twice(crawl, server, tmp_path, workers):
    pages = [*pages_of(WANTED, range(100, 160), padding=40_000), *pages_of(OTHER, range(100, 160), padding=40_000)]
    name = "CC-NEWS-20260901000000-00000.warc.gz"
    write_month(server.root, {name: warc(sorted(pages, key=lambda each: each[0][-3:]))}, month="2026/09")
    server.pause_s = 0.3  # .2 MB a second: articles are stored each second, and a kill is seen long before the end
    settings = {"WEBMAIN_PROGRESS_S": 0.2, "WEBMAIN_WORKERS": workers}
    positions = []
    for _ in range(2):
        process = crawl.start(
            "archive", ccnews="2026/09", base=server.url, domains=WANTED, learn="no", settings=QUICKLY | settings
        )
        n_before, end = crawl.store.read_bytes().count(b"\n") if crawl.store.exists() else 0, time.monotonic() + 200
        while not (crawl.store.exists() and crawl.store.read_bytes().count(b"\n") > n_before + 8):
            assert time.monotonic() < end
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGKILL)
        _, log = process.communicate()
        with Ledger(tmp_path / LEDGER) as ledger:
            positions += [row.position for row in ledger.archives.below("crawl-data/CC-NEWS/2026/09/")]
    size = (server.root / "crawl-data/CC-NEWS/2026/09" / name).stat().st_size
    assert 0 < positions[0] < positions[1] < size, log[-3000:]
    begun = len(server.requests)
    server.pause_s = 0
    crawled = run(crawl, server.url, ccnews="2026/09")
    assert f"bytes={positions[1]}-" in server.requests[begun + 1][1]
    assert crawled.code == 0
    assert numbers(crawled) == list(range(100, 160))
    assert crawled.stats["webmain/pages"] < 60
    with Ledger(tmp_path / LEDGER) as ledger:
        (row,) = ledger.archives.below("crawl-data/CC-NEWS/2026/09/")
    assert (row.position, row.size, row.done_at is not None) == (size, size, True)


def test_a_file_that_was_replaced_is_read_from_its_begin_and_a_failing_host_costs_no_position(crawl, server, tmp_path):
    def position():
        with Ledger(tmp_path / LEDGER) as ledger:
            return [row.position for row in ledger.archives.below("crawl-data/CC-NEWS/2026/09/")]

    name = "CC-NEWS-20260901000000-00000.warc.gz"
    write_month(server.root, {name: warc(pages_of(WANTED, range(6)))}, month="2026/09")
    assert len(run(crawl, server.url, ccnews="2026/09", max_articles=3).articles()) == 3
    (before,) = position()
    assert before > 0
    server.before = lambda path, n: None if path.endswith("paths.gz") else (503, {"Retry-After": "3600"}, b"")
    assert run(crawl, server.url, ccnews="2026/09").code == 3
    assert position() == [before]
    server.before = lambda path, n: None
    write_month(server.root, {name: warc(pages_of(WANTED, range(8)))}, month="2026/09")
    assert numbers(run(crawl, server.url, ccnews="2026/09")) == list(range(8))


@pytest.mark.parametrize("how", ["max_bytes", "timeout", "sigterm", "max_articles"])
def test_limits_and_signals_end_reading_and_the_next_run_goes_on(crawl, server, how):
    name = "CC-NEWS-20260901000000-00000.warc.gz"
    write_month(server.root, {name: warc(pages_of(WANTED, range(60), padding=40_000))}, month="2026/09")
    server.pause_s = 0.8 if how == "timeout" else 0.1
    settings = {"CLOSESPIDER_TIMEOUT": 15} if how == "timeout" else {}
    limits = {"max_bytes": {"max_bytes": "600kB"}, "max_articles": {"max_articles": 7}}.get(how, {})
    given = {"ccnews": "2026/09", "base": server.url, "domains": WANTED, "learn": "no", **limits}
    process = crawl.start("archive", settings=QUICKLY | settings, **given)
    if how == "sigterm":
        end = time.monotonic() + 200
        while not crawl.store.exists() or b"\n" not in crawl.store.read_bytes():
            assert time.monotonic() < end
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    crawled = crawl.finish(process, "archive")
    assert time.monotonic() - began < 100
    assert crawled.code == (4 if how == "sigterm" else 0), crawled.log
    n = len(crawled.articles())
    assert 0 < n < 60
    server.pause_s = 0
    again = run(crawl, server.url, ccnews="2026/09")
    assert numbers(again) == list(range(60))
    assert again.stats["webmain/articles/new"] == 60 - n


def test_dates_of_fetching_narrow_what_is_read_and_a_wider_time_is_not_thought_read(crawl, mirror):
    dates = [f"2026-09-{day:02}T12:00:00Z" for day in range(1, 29)]
    file = b"".join(member(*page(WANTED, n), date=date) for n, date in enumerate(dates))
    write_month(mirror, {"CC-NEWS-20260901000000-00000.warc.gz": file}, month="2026/09")
    crawled = run(crawl, str(mirror), ccnews="2026/09", since="2026-09-10", until="2026-09-12")
    assert crawled.stats["webmain/archive/skipped/not_wanted"] == 9 + 9  # before; and later than a week after
    narrower = run(crawl, str(mirror), ccnews="2026/09", since="2026-09-11", until="2026-09-12")
    assert narrower.stats["webmain/archive/files/known"] == 1
    wider = run(crawl, str(mirror), ccnews="2026/09", since="2026-09-05", until="2026-09-12")
    assert "webmain/archive/files/known" not in wider.stats


def test_learned_sites_and_pages_that_give_no_article_do_not_keep_a_file_from_being_done(crawl, mirror, tmp_path):
    pages = [*pages_of(WANTED, range(8)), ("https://www.harbour-news.example/empty", b" "), *pages_of(WANTED, range(3))]
    write_month(mirror, {"CC-NEWS-20260901000000-00000.warc.gz": warc(pages)}, month="2026/09")
    crawled = run(crawl, str(mirror), ccnews="2026/09", learn="yes", settings={"WEBMAIN_LEARN_PAGES": 5})
    assert crawled.rejected() == {"empty": 1, "duplicate": 3}
    assert numbers(crawled) == list(range(8))
    with Ledger(tmp_path / LEDGER) as ledger:
        (row,) = ledger.archives.below("crawl-data/CC-NEWS/2026/09/")
    assert row.done_at is not None


def test_a_host_that_does_not_answer_ends_the_run_after_three_files(crawl, server):
    server.before = lambda path, n: None if path.endswith("paths.gz") else (503, {"Retry-After": "3600"}, b"")
    crawled = run(crawl, server.url)
    assert crawled.code == 3
    assert len(server.requests) == 4
    assert "3 files in a row could not be fetched" in crawled.out


def test_a_month_that_is_not_there_is_told(crawl, server):
    crawled = run(crawl, server.url, ccnews="2026/01-2026/02")
    assert crawled.code == 3
    assert crawled.stats["webmain/archive/missing"] == 2
    assert "2026/02/warc.paths.gz" in crawled.out


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        *(("ccnews", value) for value in ("2026", "2026/13", "2026/10-2026/08", "2031/01", "2026/1", "../../etc")),
        *(("domains", value) for value in ("com", "bbc.com,x", "https://bbc.com/news")),
        *(("base", value) for value in ("/no/such/folder", "ftp://x.example/", "http://x.example/?a=b")),
        *(("max_bytes", value) for value in ("0", "-1", "5 lightyears")),
    ],
)
def test_wrong_arguments_are_named_before_anything_is_read(argument, value):
    from webmain.spiders.arguments import ArgumentError, read_archive_arguments

    with pytest.raises(ArgumentError, match=f"argument {argument}: got"):
        read_archive_arguments({"ccnews": MONTH, argument: value})
