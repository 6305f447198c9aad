"""The spider `archive` over recordings and folders made here."""

import gzip
import signal
import time

import pytest

from demo.web import Web
from webmain.archive.recording import WarcWriter

N_MANY = 400


def article(number):
    text = (
        f"In the year {number} the harbour froze over and the {number} boats stayed at their moorings until spring. "
        * 6
    )
    head = f"<head><title>Winter {number}</title></head>"
    return f"<html>{head}<body><article><h1>Winter {number}</h1>{text}</article></body></html>".encode()


def write(path, pages):
    writer = WarcWriter(path)
    for url, status, kind, body in pages:
        writer.write(url, status, [("Content-Type", kind)], body)
    writer.close()


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "pages.warc.gz"
    html = "text/html; charset=utf-8"
    good = [(f"https://example.org/any/{n}", 200, html, article(n)) for n in range(5)]
    other = [
        ("https://example.org/404", 404, html, b"gone"),
        ("https://example.org/a.png", 200, "image/png", b"\x89PNG"),
        ("https://example.org/empty", 200, html, b" "),
    ]
    write(path, good + other)
    return path


def test_every_page_becomes_an_article_whatever_its_address(crawl, recording):
    crawled = crawl("archive", path=str(recording))
    assert crawled.code == 0
    assert {a["url"] for a in crawled.articles()} == {f"https://example.org/any/{n}" for n in range(5)}
    assert "5 new" in crawled.out


def test_what_gives_no_article_is_counted_by_its_reason(crawl, recording):
    crawled = crawl("archive", path=str(recording))
    assert crawled.stats["webmain/archive/skipped/status"] == 1
    assert crawled.stats["webmain/archive/skipped/not_html"] == 1
    assert crawled.rejected() == {"empty": 1}


@pytest.mark.parametrize(("learn", "n_requests"), [("no", 1), ("yes", 2)])
def test_nothing_is_asked_of_the_network(crawl, recording, learn, n_requests):
    crawled = crawl("archive", path=str(recording), learn=learn)
    assert crawled.stats["downloader/request_count"] == n_requests  # to itself
    assert "robotstxt/request_count" not in crawled.stats


def test_a_folder_of_pages_is_read_through(crawl, tmp_path):
    folder = tmp_path / "pages"
    (folder / "deep").mkdir(parents=True)
    (folder / "one.html").write_bytes(article(1))
    (folder / "deep" / "two.htm.gz").write_bytes(gzip.compress(article(2)))
    (folder / "notes.txt").write_text("no page")
    crawled = crawl("archive", path=str(folder))
    assert {a["title"] for a in crawled.articles()} == {"Winter 1", "Winter 2"}


def test_several_paths_and_globs_are_joined(crawl, tmp_path):
    for n in range(4):
        write(tmp_path / f"part-{n}.warc.gz", [(f"https://example.org/{n}", 200, "text/html", article(n))])
    crawled = crawl("archive", path=f"{tmp_path}/part-[01].warc.gz,{tmp_path}/part-3.warc.gz")
    assert sorted(a["url"][-1] for a in crawled.articles()) == ["0", "1", "3"]


def test_bounds_are_kept(crawl, recording, tmp_path):
    assert len(crawl("archive", path=str(recording), max_pages=2).articles()) == 2
    crawl.store = tmp_path / "others.jsonl"
    assert len(crawl("archive", path=str(recording), max_articles=3).articles()) == 3


def test_a_second_run_stores_nothing_twice(crawl, recording):
    crawl("archive", path=str(recording))
    again = crawl("archive", path=str(recording))
    assert len(again.articles()) == 5
    assert "0 new" in again.out


def test_a_damaged_archive_gives_what_stands_before_the_damage(crawl, recording, tmp_path):
    broken = tmp_path / "broken.warc.gz"
    broken.write_bytes(recording.read_bytes()[:-200])
    crawled = crawl("archive", path=str(broken))
    assert len(crawled.articles()) == 5
    assert crawled.code == 0
    assert f"warning      damaged: {broken}" in crawled.out


@pytest.mark.parametrize("body", [b"", b"hello world"])
def test_archives_of_which_none_can_be_read_end_with_3(crawl, tmp_path, body):
    (tmp_path / "fake.warc.gz").write_bytes(body)
    crawled = crawl("archive", path=str(tmp_path / "fake.warc.gz"))
    assert crawled.code == 3
    assert crawled.stats["webmain/archive/skipped/damaged"] == 1
    assert "fake.warc.gz" in crawled.out


def test_a_path_that_is_not_there_is_an_error_of_the_argument(crawl):
    crawled = crawl("archive", path="/no/such/file.warc.gz")
    assert crawled.code == 2
    assert "argument path: got '/no/such/file.warc.gz'" in crawled.log + crawled.out
    assert "Traceback" not in crawled.log


def test_a_killed_run_is_finished_by_the_next(crawl, tmp_path):
    path = tmp_path / "many.warc.gz"
    write(path, [(f"https://example.org/{n}", 200, "text/html", article(n)) for n in range(N_MANY)])
    process = crawl.start("archive", path=str(path))
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline and not (crawl.store.exists() and crawl.store.stat().st_size):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    crawled = crawl("archive", path=str(path))
    assert len(crawled.articles()) == N_MANY
    assert len({a["id"] for a in crawled.articles()}) == N_MANY


def test_a_recorded_crawl_gives_its_articles(crawl, tmp_path):
    path = tmp_path / "courier.warc.gz"
    write(
        path,
        [(e.url, 200, "text/html; charset=utf-8", Web().respond(e.url).body) for e in Web().sites[0].expected()],
    )
    crawled = crawl("archive", path=str(path))
    assert {a["title"] for a in crawled.articles()} == {e.title for e in Web().sites[0].expected()}
