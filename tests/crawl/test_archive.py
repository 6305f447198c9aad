"""The spider `archive` over recordings and folders made here."""

import gzip
import re
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager

from demo.walled import CHALLENGE
from tests.extractors.test_page_types import ARTICLE, SECTION
from webmain import extract
from webmain.archive.recording import WarcWriter
from webmain.crawl.workers import Workers
from webmain.ledger.ledger import DoneUrl, Ledger
from webmain.processes.batch import cores
from webmain.spiders.archive import ArchiveSpider
from webmain.store.registry import open_stores


def article(number):
    text = (
        f"In the year {number} the harbour froze over and the {number} boats stayed at their moorings until spring. "
        * 6
    )
    head = f"<head><title>Winter {number}</title></head>"
    return f"<html>{head}<body><article><h1>Winter {number}</h1>{text}</article></body></html>".encode()


def write(path, pages):
    writer = WarcWriter(path)
    for url, status, kind, body, *when in pages:
        writer.write(url, status, [("Content-Type", kind)], body, fetched_at=when[0] if when else None)
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
        ("https://example.org/guarded", 200, html, CHALLENGE.encode()),
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
    assert crawled.rejected() == {"empty": 1, "blocked": 1}
    assert crawled.stats["downloader/request_count"] == 1  # to itself
    again = crawl("archive", path=str(recording))
    assert again.stats["downloader/request_count"] == 2
    assert "robotstxt/request_count" not in again.stats
    assert len(again.articles()) == 5
    assert "0 new" in again.out


@pytest.mark.parametrize("scheme", ["jsonl", "sqlite"])
def test_of_several_captures_the_latest_counts_whatever_their_order(crawl, tmp_path, scheme):
    def capture(day):
        body = article(10).replace(b"until spring", b"until spring, as was told on day %d" % day)
        return ("https://example.org/10", 200, "text/html", body, datetime(2026, 11, day, tzinfo=UTC))

    write(tmp_path / "one.warc.gz", [capture(day) for day in (5, 3, 9, 7)])
    write(tmp_path / "two.warc.gz", [capture(day) for day in (4, 8, 12)])
    spec = f"{scheme}:{tmp_path}/captures"
    for path, n_older, days in (("one", 2, [5, 9]), ("two", 2, [5, 9, 12]), ("one", 4, [5, 9, 12])):
        crawled = crawl("archive", path=f"{tmp_path}/{path}.warc.gz", learn="no", store=spec)
        with open_stores(spec, read_only=True) as stores:
            (last,) = stores.stores[0].articles()
            told = [revision.article.fetched_at.day for revision in stores.stores[0].revisions(last.id)]
        assert (crawled.rejected(), told) == ({"duplicate": n_older}, days)
        assert f"as was told on day {days[-1]}" in last.text
    with Ledger(f"{tmp_path}/captures.ledger") as ledger:
        assert ledger.articles() == [("https://example.org/10", last.id)]


TRACKED = [
    f"https://example.org{port}/any/10{end}" for port, end in ((":443", ""), ("", "?utm_source=a"), ("", "#top"))
]


def test_addresses_are_normalised_as_in_a_crawl(crawl, tmp_path):
    write(tmp_path / "pages.warc.gz", [(url, 200, "text/html", article(10)) for url in TRACKED])
    crawled = crawl("archive", path=f"{tmp_path}/pages.warc.gz", learn="no")
    assert [line["url"] for line in crawled.articles()] == ["https://example.org/any/10"]


def test_an_article_that_is_stored_under_another_form_of_its_address_keeps_its_id(crawl, tmp_path):
    url = TRACKED[1]
    stored = extract(article(10), url=url)
    with open_stores(f"jsonl:{crawl.store}") as stores, Ledger(f"{crawl.store}.ledger") as ledger:
        stores.add(stored)
        ledger.mark_done([DoneUrl(url=form, article_id=stored.id) for form in (url, "https://example.org/any/10")])
    body = article(10).replace(b"</article>", b" Then it thawed.</article>")
    write(tmp_path / "pages.warc.gz", [(url, 200, "text/html", body)])
    crawled = crawl("archive", path=f"{tmp_path}/pages.warc.gz", learn="no")
    assert [line["id"] for line in crawled.articles()] == [stored.id] * 2


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


@pytest.fixture
def uneven(tmp_path):
    """Pages of two sites, every third long, one of them empty, one a copy."""
    path = tmp_path / "uneven.warc.gz"
    bodies = [article(n).replace(b"</article>", b"<p>It snowed. </p>" * (800 if n % 3 == 0 else 1)) for n in range(16)]
    bodies[4], bodies[7] = b" ", bodies[6]
    write(path, [(f"https://site-{n % 2}.example/{n}", 200, "text/html", body) for n, body in enumerate(bodies)])
    return path


def lines(crawled):
    """Return the lines of a store without the time at which they were written."""
    return re.sub(rb'"stored_at": "[^"]+"', b"", crawled.store.read_bytes()).splitlines()


def test_several_workers_write_the_same_lines_in_the_same_order_as_one(crawl, uneven, tmp_path):
    found = []
    for workers in (1, 3):
        crawl.store = tmp_path / f"{workers}.jsonl"
        settings = {
            "WEBMAIN_MODELS": tmp_path / f"models{workers}",
            "WEBMAIN_LEARN_PAGES": 4,
            "WEBMAIN_WORKERS": workers,
        }
        crawled = crawl("archive", path=str(uneven), settings=settings)
        found.append((lines(crawled), crawled.rejected()))
    assert found[0] == found[1]
    assert len(found[0][0]) == 15
    assert found[0][1] == {"empty": 1}


def test_articles_are_stored_in_the_order_of_the_archive_up_to_the_limit(crawl, uneven):
    crawled = crawl("archive", path=str(uneven), learn="no", max_articles=8, settings={"WEBMAIN_WORKERS": 2})
    assert [a["url"].rpartition("/")[2] for a in crawled.articles()] == ["0", "1", "2", "3", "5", "6", "7", "8"]


@pytest.mark.parametrize(("limit", "value", "n"), [("ITEMCOUNT", 3, 3), ("TIMEOUT", 0.01, 0)])
def test_scrapys_own_limits_end_a_crawl_with_several_workers_without_a_gap(crawl, uneven, limit, value, n):
    settings = {"WEBMAIN_WORKERS": 2, f"CLOSESPIDER_{limit}": value}
    crawled = crawl("archive", path=str(uneven), learn="no", settings=settings)
    stored = [a["url"].rpartition("/")[2] for a in crawled.articles()]
    assert len(stored) >= n
    assert stored == [str(number) for number in range(16) if number != 4][: len(stored)]
    assert crawled.stats.get("webmain/articles/new", 0) == len(stored)
    assert crawled.stats["finish_reason"] in ("finished", f"closespider_{limit.lower()}")


def test_a_page_that_kills_its_worker_or_hangs_rejects_only_itself_and_keeps_its_place(crawl, tmp_path):
    names = [f"a{n}" for n in range(12)]
    names[3], names[6] = "crash", "loop"
    write(
        tmp_path / "a.warc.gz", [(f"https://e.example/{x}", 200, "text/html", article(n)) for n, x in enumerate(names)]
    )
    settings = {"WEBMAIN_WORKERS": 2, "WEBMAIN_PAGE_TIMEOUT_S": 0.3}
    crawled = crawl("archive", path=f"{tmp_path}/a.warc.gz", extractor="sample_spider:Hostile", settings=settings)
    assert crawled.rejected() == {"internal_error": 1, "too_slow": 1}
    assert [a["url"].rpartition("/")[2] for a in crawled.articles()] == [x for x in names if x.startswith("a")]


def test_an_archive_is_read_on_all_cores_unless_told_otherwise():
    settings = {name: Settings({"WEBMAIN_WORKERS": given}) for name, given in (("open", None), ("given", 3))}
    for each in settings.values():
        ArchiveSpider.update_settings(each)
    crawlers = [SimpleNamespace(settings=each, signals=SignalManager()) for each in settings.values()]
    assert [Workers.from_crawler(crawler).n for crawler in crawlers] == [cores(), 3]


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
