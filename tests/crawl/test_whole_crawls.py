import gzip
import itertools
import json
import signal
import sqlite3
import subprocess
import sys
import time
from email.utils import formatdate

import psutil
import pytest

from webmain.ledger.ledger import Ledger, State

HTML = {"Content-Type": "text/html; charset=utf-8"}
WORKER = {"WEBMAIN_WORKERS": 1}


def answer(body="", status=200, headers=HTML):
    return body, status, headers


def ledger_of(crawl):
    return Ledger(f"{crawl.store}.ledger")


def wait_until(condition, timeout_s=200.0):
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)


# ---- What comes out


def test_articles_are_stored_summed_up_and_known_to_later_runs(site, crawl):
    urls = [site.article(f"/a{i}") for i in range(4)]
    store = f"jsonl:{crawl.store},sqlite:{crawl.folder}/a.db"
    done = crawl(urls=" ".join(urls), store=store, settings=WORKER)
    assert done.code == 0
    assert {a["url"] for a in done.articles()} == set(urls)
    assert all(a["n_words"] > 0 and a["words"] for a in done.articles())
    assert "4 new" in done.out
    assert f"jsonl:{crawl.store} (4 articles)" in done.out
    with sqlite3.connect(crawl.folder / "a.db") as db:
        assert {url for (url,) in db.execute("SELECT url FROM article")} == set(urls)
        arguments, reason, stats = db.execute("SELECT arguments, reason, stats FROM crawl_run").fetchone()
    db.close()
    assert json.loads(arguments)["store_spec"].startswith("jsonl:")
    assert reason == "finished"
    assert json.loads(stats)["webmain/articles/new"] == 4
    again = crawl(urls=" ".join(urls))
    assert again.code == 0
    assert "0 new, 4 known" in again.out
    assert site.asked["/a0"] == 1
    overwritten = crawl(urls=" ".join(urls), extra=("-O", "new.jsonl"))
    lines = (crawl.folder / "new.jsonl").read_text().splitlines()
    assert len(lines) == 4
    assert overwritten.stats["webmain/articles/unchanged"] == 4
    assert "fetched again" in overwritten.log
    assert json.loads(lines[0])["text"]
    assert json.loads(lines[0])["words"]


def test_a_worker_gives_the_same_article_as_the_crawls_own_process(site, crawl):
    url = site.article("/a")
    crawl(urls=url, store=f"jsonl:{crawl.folder}/worker.jsonl", settings={"WEBMAIN_WORKERS": 2})
    crawl(urls=url, store=f"jsonl:{crawl.folder}/own.jsonl", settings={"WEBMAIN_WORKERS": 0})
    worker, own = (json.loads((crawl.folder / f"{name}.jsonl").read_text()) for name in ("worker", "own"))
    worker.pop("stored_at"), own.pop("stored_at")
    assert worker == own


def test_a_feed_on_standard_output_has_items_of_all_kinds_and_no_summary(site, crawl):
    done = crawl(urls=site.article("/item"), extra=("-o", "-:jsonl"))
    records = [json.loads(line) for line in done.out.splitlines()]
    assert {"other": 1} in records
    assert [record["url"] for record in records if "url" in record] == [site.url + "/item"]
    assert "1 new" in done.log
    assert done.code == 0


def test_a_changed_article_is_a_new_revision(site, crawl):
    url = site.article("/a")
    crawl(urls=url, settings={"WEBMAIN_LEDGER": ""})
    site.article("/a", "Everything is different now. " * 20)
    again = crawl(urls=url, settings={"WEBMAIN_LEDGER": ""})
    assert again.stats["webmain/articles/changed"] == 1
    assert [a["revision"] for a in again.articles()] == [1, 2]


# ---- Filters and limits


def test_the_crawl_stops_at_exactly_max_articles(site, crawl):
    urls = [site.article(f"/a{i}") for i in range(30)]
    done = crawl(urls=" ".join(urls), max_articles=7, settings=WORKER)
    assert done.code == 0
    assert len(done.articles()) == 7
    assert done.stats["finish_reason"] == "max_articles"
    with ledger_of(crawl) as ledger:
        assert ledger.counts().pending == 23


def test_since_and_language_reject_with_their_reasons(site, crawl):
    old = '<meta property="article:published_time" content="2020-01-01T00:00:00+00:00">'
    new = '<meta property="article:published_time" content="2026-01-01T00:00:00+00:00">'
    thai = "นายกรัฐมนตรีกล่าวว่าเศรษฐกิจไทยในปีนี้จะเติบโตอย่างต่อเนื่อง " * 10
    english = "The council has decided that the bridge will be closed for repairs until the spring. "
    urls = [
        site.article("/old", english * 4 + "One.", head=old),
        site.article("/new", english * 4 + "Two, and the ferry goes instead.", head=new),
        site.article("/thai", thai, head=new),
    ]
    done = crawl(urls=" ".join(urls), since="2025-01-01", language="en")
    assert [a["url"] for a in done.articles()] == [urls[1]]
    assert done.rejected() == {"too_old": 1, "other_language": 1}


def test_one_article_under_two_addresses_is_stored_once(site, crawl):
    head = f'<link rel="canonical" href="{site.url}/story">'
    text = "The same story is told under several addresses of this site. " * 8
    urls = [site.article(f"/story?from={i}", text, head=head) for i in range(3)]
    done = crawl(urls=" ".join(urls))
    assert len(done.articles()) == 1
    assert done.rejected() == {"duplicate": 2}
    with ledger_of(crawl) as ledger:
        assert all(ledger.is_known(u) for u in urls)


@pytest.mark.parametrize("form", ["jsonl", "sqlite"])
def test_a_copy_is_marked_across_runs_and_never_in_a_circle(site, crawl, form):
    text = "The mayor opened the new bridge on Monday before a crowd of several thousand people who cheered. " * 6
    first, copy = site.article("/first", text), site.article("/copy", text)
    store = f"{form}:{crawl.folder}/s.{form}"
    settings = {"WEBMAIN_LEDGER": ""}
    crawl(urls=first, store=store, settings=settings)
    second = crawl(urls=copy, store=store, settings=settings)
    third = crawl(urls=first, store=store, settings=settings)
    assert second.stats["webmain/near_duplicates"] == 1
    assert "webmain/near_duplicates" not in third.stats


# ---- Hostile answers


def test_each_hostile_answer_is_counted_by_its_reason(site, crawl):
    bomb = gzip.compress(b"<p>" + b"a" * 40_000_000)
    answers = {
        "/empty": answer(""),
        "/pdf": answer(b"%PDF-1.7\n" + bytes(range(256)) * 20),
        "/bomb": answer(bomb, headers={**HTML, "Content-Encoding": "gzip"}),
        "/broken-gzip": answer(b"\x1f\x8b\x08 no gzip", headers={**HTML, "Content-Encoding": "gzip"}),
        "/large": answer(b"<p>" + b"a" * 1_500_000),
        "/403": answer("no", 403),
        "/404": answer("no", 404),
        "/500": answer("no", 500),
        "/self": answer("", 302, {"Location": "/self"}),
        "/loop1": answer("", 302, {"Location": "/loop2"}),
        "/loop2": answer("", 302, {"Location": "/loop1"}),
        "/chain0": answer("", 302, {"Location": "/chain1"}),
        **{f"/chain{i}": answer("", 302, {"Location": f"/chain{i + 1}"}) for i in range(1, 9)},
        "/blank": answer("<html><body></body></html>"),
    }
    site.routes.update(answers)
    asked = [p for p in answers if not p.startswith("/chain") and p != "/loop2"] + ["/chain0"]
    good = site.article("/good")
    settings = {"WEBMAIN_MAX_BYTES": 1_000_000, "DOWNLOAD_MAXSIZE": 2_000_000}
    done = crawl(urls=" ".join([good, *(site.url + p for p in asked)]), settings=settings)
    assert done.code == 0, done.log
    assert [a["url"] for a in done.articles()] == [good]
    assert done.rejected() == {
        "empty": 1, "not_html": 1, "too_large": 2, "blocked": 1, "http_error": 2, "no_blocks": 1
    }  # fmt: skip
    failed = {k.rpartition("/")[2]: v for k, v in done.stats.items() if k.startswith("webmain/failed/")}
    assert failed.pop("redirect_limit") == 1
    assert failed.pop("redirect_self") == 1
    assert failed.pop("redirect_loop") == 1
    assert sum(failed.values()) == 1  # the broken gzip
    assert "Traceback" not in done.log


def test_a_redirected_address_is_settled_with_its_page(site, crawl):
    target = site.article("/target")
    site.routes["/short"] = answer("", 301, {"Location": "/target"})
    done = crawl(urls=site.url + "/short")
    assert [a["url"] for a in done.articles()] == [target]
    with ledger_of(crawl) as ledger:
        assert ledger.state(site.url + "/short") is State.DONE
        assert ledger.counts().pending == 0


# ---- Manners


def test_robots_txt_is_obeyed_by_each_request_that_waits_for_it(site, crawl):
    site.routes["/robots.txt"] = ("User-agent: *\nDisallow: /private/\n", 200, {"Content-Type": "text/plain"}, 0.5)
    urls = [site.article("/open"), *(site.article(f"/private/{i}") for i in range(12))]
    done = crawl(urls=" ".join(urls), settings={"WEBMAIN_CONTACT": "mailto:editor@news.example"})
    assert set(site.asked) == {"/robots.txt", "/open"}
    assert [a["url"] for a in done.articles()] == urls[:1]
    assert done.stats["webmain/failed/robots"] == 12
    assert all("webmain/" in a and "(+mailto:editor@news.example)" in a for a in site.agents)


@pytest.mark.parametrize(("means", "n", "code"), [("deny", 0, 3), ("allow", 1, 0)])
def test_a_robots_txt_that_fails_denies_unless_told_otherwise(site, crawl, means, n, code):
    site.routes["/robots.txt"] = answer("oops", 503)
    done = crawl(urls=site.article("/a"), settings={"WEBMAIN_ROBOTS_UNREACHABLE": means})
    assert (len(done.articles()), done.code) == (n, code)
    with ledger_of(crawl) as ledger:
        assert ledger.counts().pending == 1 - n


def test_the_rules_in_a_404_page_do_not_count(site, crawl):
    site.routes["/robots.txt"] = answer("User-agent: *\nDisallow: /\n", 404)
    assert len(crawl(urls=site.article("/a")).articles()) == 1


def test_crawl_delay_spaces_the_requests(site, crawl):
    site.routes["/robots.txt"] = answer("User-agent: *\nCrawl-delay: 0.6\n")
    urls = [site.article(f"/a{i}") for i in range(4)]
    done = crawl(urls=" ".join(urls), settings={"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.1})
    assert len(done.articles()) == 4
    pages = [at for at, path in site.times if path != "/robots.txt"]
    assert min(b - a for a, b in itertools.pairwise(pages)) > 0.5


def test_a_long_crawl_delay_is_cut(site, crawl):
    site.routes["/robots.txt"] = answer("User-agent: *\nCrawl-delay: 3600\n")
    urls = " ".join(site.article(f"/a{i}") for i in range(2))
    done = crawl(urls=urls, settings={"WEBMAIN_MAX_CRAWL_DELAY": 0.2}, timeout_s=100)
    assert len(done.articles()) == 2


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_waited_for(site, crawl, form):
    article = site.article("/a")
    page = site.routes["/a"]

    def busy_once(n):
        wait = "2" if form == "seconds" else formatdate(time.time() + 3, usegmt=True)
        return answer("busy", 429, {"Retry-After": wait}) if n == 1 else page

    site.routes["/a"] = busy_once
    done = crawl(urls=article)
    assert len(done.articles()) == 1
    first, second = [at for at, path in site.times if path == "/a"]
    assert second - first >= 1.9


def test_a_site_that_asks_for_too_long_a_wait_is_left_for_later(site, crawl):
    site.routes["/a"] = answer("busy", 503, {"Retry-After": "7200"})
    done = crawl(urls=site.url + "/a", settings={"WEBMAIN_MAX_RETRY_AFTER": 0.5})
    assert site.asked["/a"] == 1
    assert done.rejected() == {"blocked": 1}
    with ledger_of(crawl) as ledger:
        assert ledger.state(site.url + "/a") is State.PENDING
        assert ledger.pending("test", 10) == []  # not before two hours


# ---- Exit codes, ends and crashes


def test_wrong_arguments_end_with_2_and_one_line(site, crawl):
    done = crawl(wrong="x")
    assert done.code == 2
    assert "wrong: got 'x', allowed is nothing" in done.log
    assert len(done.log.splitlines()) == 1


def test_settings_are_checked_before_anything_is_fetched(site, crawl):
    settings = {"WEBMAIN_TOP_WORDS": "many", "WEBMAIN_STOR": "x", "WEBMAIN_ROBOTS_UNREACHABLE": "perhaps"}
    done = crawl(urls=site.article("/a"), settings=settings)
    assert done.code == 2
    assert len(done.log.splitlines()) == 3
    assert "warning: setting WEBMAIN_STOR" in done.log
    assert "setting WEBMAIN_TOP_WORDS: " in done.log
    assert "allowed are deny, allow" in done.log
    assert site.asked["/a"] == 0


def test_a_feed_that_cannot_be_written_ends_with_1(site, crawl):
    done = crawl(urls=site.article("/a"), extra=("-O", "/dev/full:json"))
    assert done.code == 1
    assert "No space left" in done.stats["webmain/feed_error"]
    assert "Traceback" not in done.log
    done = crawl(urls=site.article("/b"), extra=("-O", "/dev/null/out.json"))
    assert done.code == 1
    assert site.asked["/b"] == 0


def test_a_file_of_another_program_is_left_alone(site, crawl):
    crawl.store.write_text("something else\n")
    done = crawl(urls=site.article("/a"))
    assert done.code == 1
    assert "never awaited" not in done.log
    assert not crawl.store.with_name(crawl.store.name + ".ledger").exists()


def test_an_unknown_spider_ends_with_2(crawl):
    done = crawl(spider="nosuch", settings={"SPIDER_MODULES": "sample_spider"})
    assert done.code == 2
    assert "there are sample" in done.log


def test_nothing_reachable_ends_with_3(crawl):
    done = crawl(urls="http://127.0.0.1:9/a")
    assert done.code == 3
    assert "Traceback" not in done.log


@pytest.mark.parametrize("settings", [{"WEBMAIN_STORE": "jsonl:/dev/null/x.jsonl", "WEBMAIN_LEDGER": ""},
                                      {"WEBMAIN_LEDGER": "/dev/null/x"}])  # fmt: skip
def test_what_cannot_be_opened_ends_the_crawl_before_it_begins(site, crawl, settings):
    done = crawl(urls=site.article("/a"), settings=settings)
    assert done.code == 1
    assert site.asked["/a"] == 0
    assert "Traceback" not in done.log


@pytest.mark.parametrize("settings", [{"WEBMAIN_RESPECT": "optout"},
                                      {"WEBMAIN_REPLAY": "/nowhere.warc.gz"},
                                      {"WEBMAIN_RECORD": "x.txt"},
                                      {"WEBMAIN_STOPWORDS": "/nowhere"},
                                      {"WEBMAIN_RENDER": "zz", "WEBMAIN_CHROMIUM_SANDBOX": "zz"},
                                      {"CONCURRENT_REQUESTS": "zz", "DOWNLOAD_DELAY": "zz", "LOG_LEVEL": "zz"}])  # fmt: skip
def test_settings_that_cannot_be_used_end_the_crawl_with_2_and_are_named(site, crawl, settings):
    done = crawl(urls=site.article("/a"), settings=settings)
    assert done.code == 2
    assert site.asked["/a"] == 0
    assert "Traceback" not in done.log
    assert all(f"setting {name}: " in done.log for name in settings)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_fault_on_one_page_is_a_rejection_with_its_traceback(site, crawl, workers):
    urls = [site.article("/a"), site.article("/broken"), site.article("/b")]
    done = crawl(urls=" ".join(urls), extractor="sample_spider:Broken", settings={"WEBMAIN_WORKERS": workers})
    assert done.code == 0
    assert len(done.articles()) == 2
    assert done.rejected() == {"internal_error": 1}
    assert "ZeroDivisionError: a fault in the extractor" in done.log
    assert f"Unforeseen error at {urls[1]}" in done.log
    with ledger_of(crawl) as ledger:
        assert ledger.state(urls[1]) is State.PENDING


def test_pages_that_hang_or_crash_cost_themselves_only(site, crawl):
    urls = [site.article(path) for path in ("/a", "/regex", "/b", "/loop", "/c", "/crash", "/d")]
    done = crawl(
        urls=" ".join(urls), extractor="sample_spider:Hostile", settings={**WORKER, "WEBMAIN_PAGE_TIMEOUT_S": 0.2}
    )
    assert done.code == 0
    assert {a["url"] for a in done.articles()} == {url for url in urls if len(url.rpartition("/")[2]) == 1}
    assert done.rejected() == {"too_slow": 2, "internal_error": 1}
    assert "SIGSEGV" in done.log
    assert done.stats["webmain/cpu_seconds"] > 3
    with ledger_of(crawl) as ledger:
        assert {ledger.state(url) for url in (urls[1], urls[3], urls[5])} == {State.PENDING}


def test_a_signal_is_obeyed_whatever_a_page_does(site, crawl):
    urls = [site.article("/a"), site.article("/regex"), site.article("/b")]
    patient = {**WORKER, "WEBMAIN_PAGE_TIMEOUT_S": 200}
    process = crawl.start(urls=" ".join(urls), extractor="sample_spider:Hostile", settings=patient)
    wait_until(lambda: site.asked["/b"] and len(psutil.Process(process.pid).children(recursive=True)) == 2)
    workers = psutil.Process(process.pid).children(recursive=True)  # and what forks them
    wait_until(lambda: workers[1].cpu_times().user > 0.3)  # it is at the page that does not end
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    done = crawl.finish(process)
    assert time.monotonic() - began < 60
    assert done.code == 4
    assert not done.rejected()
    assert "Traceback" not in done.log
    assert not any(each.is_running() for each in workers)
    with ledger_of(crawl) as ledger:
        assert ledger.rows("SELECT attempts FROM urls WHERE state = 0 AND url = ?", (urls[1],)) == [(0,)]


def test_a_fault_in_the_spider_ends_with_1(site, crawl):
    done = crawl(urls=f"{site.article('/a')} {site.article('/bad')}", fail="bad")
    assert done.code == 1
    assert len(done.articles()) == 1


def test_ctrl_c_once_ends_soon_with_everything_committed(site, crawl):
    urls = [site.article(f"/a{i}") for i in range(50)]
    site.routes["/robots.txt"] = answer("User-agent: *\nCrawl-delay: 1\n")
    process = crawl.start(urls=" ".join(urls), settings=WORKER)
    wait_until(lambda: site.asked["/a3"])
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    done = crawl.finish(process)
    assert time.monotonic() - began < 30
    assert done.code == 4
    fetched = [p for p in site.asked if p.startswith("/a")]
    stored = {a["url"] for a in done.articles()}
    assert len(stored) == len(fetched) > 0
    with ledger_of(crawl) as ledger:
        assert ledger.counts().articles == len(stored)
        assert ledger.counts().pending == 50 - len(stored)


def test_kill_9_loses_nothing_that_is_marked_done(site, crawl):
    urls = [site.article(f"/a{i}", delay_s=0.02) for i in range(150)]
    process = crawl.start(urls=" ".join(urls), settings=WORKER)
    wait_until(lambda: crawl.store.exists() and crawl.store.read_bytes().count(b"\n") >= 50)
    process.kill()
    process.communicate()
    stored = {json.loads(line)["url"] for line in crawl.store.read_text().splitlines() if line.endswith("}")}
    with ledger_of(crawl) as ledger:
        assert all(url in stored for url in urls if ledger.is_known(url))
    done = crawl(urls=" ".join(urls))
    assert done.code == 0
    assert {a["url"] for a in done.articles()} == set(urls)
    assert len(done.articles()) == len(urls)


# ---- Recordings


def test_a_recorded_crawl_is_replayed_with_identical_articles(site, crawl):
    site.routes["/robots.txt"] = answer("User-agent: *\nDisallow: /private/\n")
    packed = gzip.compress(f"<title>Packed</title><p>{'This page came packed over the wire. ' * 9}</p>".encode())
    site.routes["/packed"] = answer(packed, headers={**HTML, "Content-Encoding": "gzip"})
    site.routes["/short"] = answer("", 301, {"Location": "/a0"})
    site.routes["/gone"] = answer("no", 410)
    urls = [*[site.article(f"/a{i}") for i in range(3)][1:], site.article("/private/x")]
    urls += [site.url + p for p in ("/packed", "/short", "/gone")] + ["http://127.0.0.1:9/dead"]
    first = crawl(urls=" ".join(urls), record="crawl.warc.gz", store="jsonl:first.jsonl")
    asked = dict(site.asked)
    began = time.monotonic()
    again = crawl(urls=" ".join(urls), store="jsonl:again.jsonl", settings={"WEBMAIN_REPLAY": "crawl.warc.gz"})
    assert time.monotonic() - began < 100
    assert dict(site.asked) == asked

    def records(name):
        found = [json.loads(line) for line in (crawl.folder / name).read_text().splitlines()]
        return sorted(({**r, "stored_at": ""} for r in found), key=lambda r: r["url"])

    assert len(records("first.jsonl")) == 4
    assert records("again.jsonl") == records("first.jsonl")
    assert again.rejected() == first.rejected() == {"http_error": 1}
    for name in ("webmain/failed/robots", "webmain/failed/robots_unreachable"):
        assert again.stats[name] == first.stats[name] == 1
    assert "webmain/replay/missing" not in again.stats


def test_what_was_not_recorded_is_answered_by_a_404_and_counted(site, crawl):
    url = site.article("/a")
    crawl(urls=url, record="crawl.warc.gz", store="jsonl:first.jsonl")
    done = crawl(urls=site.url + "/other", settings={"WEBMAIN_REPLAY": "crawl.warc.gz"})
    assert done.stats["webmain/replay/missing"] == 1
    assert done.rejected() == {"http_error": 1}
    assert site.asked["/other"] == 0


def test_a_signal_in_the_first_second_ends_with_4_and_says_so(site, crawl):
    process = crawl.start(urls=site.article("/a"), anew=True)
    first = process.stderr.readline()  # Scrapy has started, the crawl has not begun
    process.send_signal(signal.SIGINT)
    done = crawl.finish(process)
    assert "started" in first
    assert done.code == 4
    assert "Traceback" not in done.log
    assert "0 new" in done.out + done.log


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_modules_are_loaded_ends_with_4_and_says_so(number):
    source = f"import sys, os; sys.argv[1:] = ['crawl', 'news']; import webmain.commands; os.kill(os.getpid(), {int(number)})"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (4, "webmain: 0 new; stopped by a signal before the crawl began\n")
