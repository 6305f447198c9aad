"""The spider `archive` over recordings and folders made here."""

import gzip

import pytest

from tests.extractors.test_page_types import ARTICLE, SECTION
from webmain.archive.recording import WarcWriter


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


def test_every_page_becomes_an_article_once_whatever_its_address_and_without_the_network(crawl, recording):
    crawled = crawl("archive", path=str(recording), learn="no")
    assert crawled.code == 0
    assert {a["url"] for a in crawled.articles()} == {f"https://example.org/any/{n}" for n in range(5)}
    assert "5 new" in crawled.out
    assert crawled.stats["webmain/archive/skipped/status"] == 1
    assert crawled.stats["webmain/archive/skipped/not_html"] == 1
    assert crawled.rejected() == {"empty": 1}
    assert crawled.stats["downloader/request_count"] == 1  # to itself
    again = crawl("archive", path=str(recording))
    assert again.stats["downloader/request_count"] == 2
    assert "robotstxt/request_count" not in again.stats
    assert len(again.articles()) == 5
    assert "0 new" in again.out


def test_folders_paths_and_globs_are_joined(crawl, tmp_path):
    folder = tmp_path / "pages"
    (folder / "deep").mkdir(parents=True)
    (folder / "one.html").write_bytes(article(10))
    (folder / "deep" / "two.htm.gz").write_bytes(gzip.compress(article(20)))
    (folder / "notes.txt").write_text("no page")
    for n in range(4):
        write(tmp_path / f"part-{n}.warc.gz", [(f"https://example.org/{n}", 200, "text/html", article(n))])
    crawled = crawl("archive", path=f"{tmp_path}/part-[01].warc.gz,{tmp_path}/part-3.warc.gz,{folder}")
    assert {a["title"] for a in crawled.articles()} == {f"Winter {n}" for n in (0, 1, 3, 10, 20)}


def test_pages_of_another_kind_than_is_wanted_are_rejected_and_counted(crawl, tmp_path):
    pages = [(f"https://example.org/{n}", 200, "text/html", html.encode()) for n, html in enumerate((ARTICLE, SECTION))]
    write(tmp_path / "pages.warc.gz", pages)
    crawled = crawl("archive", path=f"{tmp_path}/pages.warc.gz", require="article", learn="no")
    assert [(a["url"], a["page_type"]) for a in crawled.articles()] == [("https://example.org/0", "article")]
    assert crawled.rejected() == {"not_article": 1}
    assert "rejected     1 not article" in crawled.out
    assert crawl("archive", path=f"{tmp_path}/pages.warc.gz", settings={"WEBMAIN_REQUIRE": "news"}).code == 2


def test_the_number_of_pages_is_bounded(crawl, recording):
    assert len(crawl("archive", path=str(recording), max_pages=2).articles()) == 2


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
