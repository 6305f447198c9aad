"""Crawls that begin on damaged files."""

import sqlite3

from webmain.health.status import as_table, status_of


def test_what_stood_in_a_damaged_line_is_fetched_again(site, crawl):
    urls = [site.article(f"/story-{n}") for n in range(3)]
    crawl(urls=" ".join(urls))
    lines = crawl.store.read_bytes().splitlines(keepends=True)
    lost = next(n for n, line in enumerate(lines) if b"/story-1 is told" in line)
    lines[lost] = lines[lost].replace(b"is told", b"is tolx", 1)
    crawl.store.write_bytes(b"".join(lines))
    again = crawl(urls=" ".join(urls))
    assert again.code == 0
    assert [site.asked[f"/story-{n}"] for n in range(3)] == [1, 2, 1]
    assert f"count as not stored: {lost + 1};" in again.log
    assert "1 articles stood in damaged lines" in again.out
    assert crawl.store.read_bytes().startswith(b"".join(lines))
    assert len(crawl.store.read_bytes().splitlines()) == 4
    third = crawl(urls=" ".join(urls))
    assert site.asked["/story-1"] == 2
    assert third.stats.get("webmain/articles/new", 0) == 0


def test_a_damaged_ledger_ends_no_start_with_a_traceback(site, crawl):
    site.routes["/"] = "<a href=/2026/11/one-story>One story of the town and its harbour</a>"
    crawl("news", site=site.url)
    with sqlite3.connect(f"{crawl.store}.ledger") as db:
        db.execute(
            "INSERT INTO urls (url, site, state, newest, added_at, changed_at, attempts, hints)"
            " VALUES (?, ?, 0, 'soon', x'00', 0, 'many', '{\"published\": [2026]}')",
            (f"{site.url}/2026/11/two-story", site.url.partition("//")[2]),
        )
    db.close()
    done = crawl("news", site=site.url)
    assert done.code in (0, 3)
    assert "Traceback" not in done.log
    assert "damaged rows count as not known" in done.log
    path = crawl.folder / "articles.jsonl.ledger"
    data = bytearray(path.read_bytes())
    data[4096 * 1 :] = bytes(len(data) - 4096)
    path.write_bytes(data)
    done = crawl("news", site=site.url)
    assert done.code == 1
    assert "Traceback" not in done.log
    assert "webmain check" in done.log


def test_the_advice_on_a_damaged_ledger_is_true(site, crawl):
    urls = [site.article(f"/story-{n}") for n in range(3)]
    crawl(urls=" ".join(urls))
    ledger = crawl.folder / "articles.jsonl.ledger"
    ledger.write_bytes(ledger.read_bytes()[:4096] + bytes(ledger.stat().st_size - 4096))
    assert crawl(urls=" ".join(urls)).code == 1
    assert "if crawls end with an error of it, move it away" in as_table(status_of([ledger]))
    ledger.rename(crawl.folder / "old")
    done = crawl(urls=" ".join(urls))
    assert done.code == 0
    assert [site.asked[f"/story-{n}"] for n in range(3)] == [2, 2, 2]
    assert len(done.articles()) == 3
