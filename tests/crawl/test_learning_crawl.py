"""Whole crawls with an extractor that learns sites: pages wait, are learned from, released; later crawls reuse the model."""

import json
import signal
import threading
import time
from collections import Counter

import pytest

from demo.web import Web
from webmain.archive.recording import WarcWriter
from webmain.extractors.base import DEFAULT
from webmain.ledger.ledger import Ledger
from webmain.sites.model_store import ModelStore

PLACES = "sample_learner:Places"
WORKER = {"WEBMAIN_WORKERS": 1}
STORY = "On day {n} the harbour master of {path} counted {n} boats and said that the tide would come before noon, as it did."


def page(path, n, *, old=True):
    """Make an article in the site's old or new layout."""
    story = "".join(f"<p>{STORY.format(n=n * 10 + i, path=path)}</p>" for i in range(5))
    menu = "<ul><li>Home</li><li>The whole menu of this site, with a long line that stands on every page</li></ul>"
    if old:
        body = f'<nav class="menu">{menu}</nav><div class="story">{story}</div><div class="foot"><i>Imprint</i></div>'
    else:
        story = story.replace("<p>", '<section><div class="text-b7">').replace("</p>", "</div></section>")
        body = f'<main class="wrap-a1"><h1 class="top-c3">Story {n}</h1>{story}</main><aside class="side-d9">{menu}</aside>'
    return f"<html><head><title>Story {n}</title></head><body>{body}</body></html>"


def serve(site, paths, *, old=True, delay_s=0.0):
    """Serve an article at each path; return the addresses, separated by spaces."""
    answer = type(site.routes["/robots.txt"])
    for n, path in enumerate(paths):
        site.routes[path] = answer(page(path, n, old=old), delay_s=delay_s)
    return " ".join(site.url + path for path in paths)


@pytest.fixture(autouse=True)
def six(monkeypatch, crawl):
    """Let six pages be enough, where a test says nothing else."""
    command = crawl.command

    def with_six(spider, arguments, settings):
        given = {"WEBMAIN_LEARN_PAGES": 6, **settings}
        return command(spider, arguments, {name: value for name, value in given.items() if value is not None})

    monkeypatch.setattr(crawl, "command", with_six)


def ledger_of(crawl):
    return Ledger(f"{crawl.store}.ledger")


def models_of(crawl):
    return ModelStore(crawl.folder / "models" / "sites").models()


def extractors(crawled):
    return Counter(article["extractor"] for article in crawled.articles())


def wait_until(condition, timeout_s=200.0):
    end = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


def n_waiting(spool):
    """Count the pages that wait on disk: each is its length in 8 bytes and so many bytes."""
    n = 0
    for file in spool.glob("crawl-*/*.pages"):
        data = file.read_bytes()
        while len(data) >= (end := 8 + int.from_bytes(data[:8])) > 8:
            n, data = n + 1, data[end:]
    return n


# ---- Holding, learning, releasing


def test_pages_wait_until_there_are_enough_and_are_then_judged_by_what_was_learned(site, crawl):
    answer = type(site.routes["/robots.txt"])
    site.routes["/blank"] = answer("<html><body></body></html>")
    site.routes["/pdf"] = answer(b"%PDF-1.7\n" + bytes(range(256)) * 20)
    urls = serve(site, [f"/a{i}" for i in range(9)]) + f" {site.url}/blank {site.url}/pdf"
    done = crawl(urls=urls, extractor=PLACES, settings=WORKER)
    assert done.code == 0, done.log
    assert done.rejected() == {"no_blocks": 1, "not_html": 1}
    assert extractors(done) == {"places": 9}
    assert all("harbour master" in a["text"] and "Imprint" not in a["text"] for a in done.articles())
    assert all("whole menu" not in a["text"] for a in done.articles())
    assert done.stats["webmain/learning/held"] >= 6  # more may come while it learns
    assert done.stats["webmain/sites/learned"] == 1
    assert "sites        1 learned" in done.out
    (model,) = models_of(crawl).models
    assert (model.method, model.n_pages, model.site) == ("places", 6, site.url.partition("//")[2])
    assert model.first_page == model.last_page
    assert not (crawl.folder / "models" / "sites" / ".held").exists()
    with ledger_of(crawl) as ledger:
        assert ledger.counts().articles == 9
        assert ledger.counts().pending == 0


def test_an_idle_spider_learns_from_what_there_is_and_the_next_crawl_from_more(site, crawl):
    done = crawl(urls=serve(site, [f"/a{i}" for i in range(4)]), extractor=PLACES)
    assert extractors(done) == {"places": 4}
    assert (done.stats["webmain/pages"], done.stats["robotstxt/request_count"]) == (4, 1)
    assert models_of(crawl).models[0].n_pages == 4
    fewer = crawl(urls=serve(site, [f"/b{i}" for i in range(3)]), extractor=PLACES)
    assert fewer.stats["webmain/sites/reused"] == 1
    assert models_of(crawl).models[0].n_pages == 4
    more = crawl(urls=serve(site, [f"/c{i}" for i in range(6)]), extractor=PLACES)
    assert more.stats["webmain/sites/retrained"] == 1
    assert models_of(crawl).models[0].n_pages == 6
    assert extractors(more) == {"places": 13}


def test_a_later_crawl_reuses_the_model_and_holds_nothing(site, crawl):
    crawl(urls=serve(site, [f"/a{i}" for i in range(6)]), extractor=PLACES)
    (before,) = models_of(crawl).models
    again = crawl(urls=serve(site, [f"/b{i}" for i in range(2)]), extractor=PLACES)
    assert again.stats["webmain/sites/reused"] == 1
    assert "webmain/learning/held" not in again.stats
    assert "sites        1 reused" in again.out
    assert extractors(again) == {"places": 8}
    assert models_of(crawl).models == (before,)


def test_the_setting_says_how_many_pages_are_waited_for(site, crawl):
    urls = serve(site, [f"/a{i}" for i in range(8)])
    done = crawl(urls=urls, extractor=PLACES, settings={"WEBMAIN_LEARN_PAGES": 3, "WEBMAIN_MODELS": "elsewhere"})
    assert done.stats["webmain/learning/held"] >= 3
    assert ModelStore(crawl.folder / "elsewhere").models().models[0].n_pages == 3


def test_an_extractor_that_learns_nothing_makes_nothing_wait(site, crawl):
    done = crawl(urls=serve(site, ["/a"]), extractor="pab")
    assert done.stats["webmain/pages"] == 1
    assert not (crawl.folder / "models").exists()
    assert "sites  " not in done.out


@pytest.mark.parametrize(("name", "code"), [("unlearnable", 0), ("explode", 1)])
def test_a_site_that_cannot_be_learned_is_judged_by_the_default_method(site, crawl, name, code):
    urls = serve(site, [f"/{name}{i}" for i in range(8)])
    done = crawl(urls=urls, extractor=PLACES, settings=WORKER)
    assert done.code == code
    assert extractors(done) == {DEFAULT: 8}
    assert ("the pages hold no evidence" if code == 0 else "Traceback") in done.log
    assert models_of(crawl).models == ()
    if code == 0:
        assert done.stats["webmain/sites/not_learnable"] == 1
        assert "1 not learnable" in done.out
    else:
        assert "a fault in the method" in done.stats["webmain/learn_error"]


def test_pages_that_waited_for_too_long_are_released(site, crawl):
    slow = type(site.routes["/robots.txt"])(page("/slow", 99), delay_s=15.0)
    urls = serve(site, [f"/a{i}" for i in range(3)]) + f" {site.url}/slow"
    site.routes["/slow"] = slow
    process = crawl.start(urls=urls, extractor=PLACES, settings={"WEBMAIN_LEARN_HOLD_S": 0.5, "DOWNLOAD_TIMEOUT": 30})
    wait_until(lambda: crawl.store.exists() and crawl.store.read_bytes().count(b"\n") == 3)
    assert process.poll() is None
    done = crawl.finish(process)
    assert extractors(done) == {"places": 4}
    assert done.stats["webmain/learning/held"] >= 3


def test_a_disk_that_refuses_costs_no_page(site, crawl):
    urls = serve(site, [f"/a{i}" for i in range(4)])
    done = crawl(urls=urls, extractor=PLACES, settings={"WEBMAIN_MODELS": "/dev/null/models"})
    assert done.code == 1
    assert extractors(done) == {DEFAULT: 4}
    assert "/dev/null/models" in done.stats["webmain/learn_error"]
    assert "Traceback" not in done.log


def test_twenty_pages_are_waited_for_where_nothing_is_said(crawl, tmp_path):
    path = tmp_path / "pages.warc.gz"
    with WarcWriter(path) as writer:
        for n in range(25):
            writer.write(f"https://a.example/{n}", 200, {"Content-Type": "text/html"}, page("/", n).encode())
    settings = {"WEBMAIN_LEARN_PAGES": ""}
    done = crawl("archive", path=str(path), extractor=PLACES, settings=settings)
    assert done.code == 2  # given, it must be a number
    settings = {"WEBMAIN_LEARN_PAGES": None}
    done = crawl("archive", path=str(path), extractor=PLACES, settings=settings)
    assert models_of(crawl).models[0].n_pages == 20


# ---- Models that are no longer right


def test_a_model_that_cannot_be_used_is_kept_aside_and_learned_anew(site, crawl):
    crawl(urls=serve(site, [f"/a{i}" for i in range(6)]), extractor=PLACES)
    path = models_of(crawl).models[0].path
    path.write_bytes(path.read_bytes().replace(b'"p"', b'"q"'))
    broken = path.read_bytes()
    done = crawl(urls=serve(site, [f"/b{i}" for i in range(6)]), extractor=PLACES)
    assert done.code == 0
    assert done.stats["webmain/model_unusable"] == 1
    assert done.stats["webmain/sites/retrained"] == 1
    assert "is learned again" in done.out
    assert models_of(crawl).models[0].n_pages == 6
    assert [p.read_bytes() for p in path.parent.glob(f"{path.name}.*")] == [broken]


def test_a_model_of_other_options_is_replaced(site, crawl):
    crawl(urls=serve(site, [f"/a{i}" for i in range(6)]), extractor=PLACES)
    done = crawl(urls=serve(site, [f"/b{i}" for i in range(6)]), extractor=f"{PLACES}:long=50")
    assert done.stats["webmain/model_unusable"] == 1
    assert models_of(crawl).models[0].options == {"long": 50}


def test_a_changed_layout_is_noticed_and_learned_anew_without_a_page_misjudged(site, crawl):
    crawl(urls=serve(site, [f"/a{i}" for i in range(6)]), extractor=PLACES)
    done = crawl(urls=serve(site, [f"/b{i}" for i in range(12)], old=False), extractor=PLACES, day=2, settings=WORKER)
    assert done.code == 0
    assert done.stats["webmain/layout_changed"] == 1
    assert done.stats["webmain/sites/retrained"] == 1
    assert "its last 5 pages resemble" in done.out
    fresh = [a for a in done.articles() if "/b" in a["url"]]
    assert len(fresh) == 12
    assert all(a["extractor"] == "places" and "harbour master" in a["text"] for a in fresh)
    assert all("whole menu" not in a["text"] for a in fresh)
    folder = crawl.folder / "models" / "sites"
    assert [p.suffix for p in folder.iterdir()] == [".json"]
    again = crawl(urls=serve(site, [f"/c{i}" for i in range(6)], old=False), extractor=PLACES, day=3)
    assert "webmain/layout_changed" not in again.stats


def test_a_gallery_among_articles_changes_nothing_and_is_judged_by_the_default_method(site, crawl):
    crawl(urls=serve(site, [f"/a{i}" for i in range(6)]), extractor=PLACES)
    paths = [f"/b{i}" for i in range(10)]
    urls = serve(site, paths)
    serve(site, paths[3:5], old=False)
    done = crawl(urls=urls, extractor=PLACES, day=2, settings={"CONCURRENT_REQUESTS": 1})
    assert "webmain/layout_changed" not in done.stats
    assert done.stats["webmain/pages"] == 10
    fresh = [a for a in done.articles() if "/b" in a["url"]]
    assert Counter(a["extractor"] for a in fresh) == {"places": 8, DEFAULT: 2}
    assert all("harbour master" in a["text"] for a in fresh)


# ---- Several sites


def test_each_site_is_learned_by_itself(crawl, tmp_path):
    path = tmp_path / "mixed.warc.gz"
    with WarcWriter(path) as writer:
        for n in range(8):
            for host, old in (("one.example", True), ("two.example", False), ("three.example", True)):
                if host != "three.example" or n < 2:
                    url = f"https://{host}/{n}"
                    writer.write(url, 200, {"Content-Type": "text/html"}, page(host, n, old=old).encode())
    done = crawl("archive", path=str(path), extractor=PLACES)
    assert done.code == 0, done.log
    assert extractors(done) == {"places": 18}
    assert all("harbour master" in a["text"] and "whole menu" not in a["text"] for a in done.articles())
    assert done.stats["webmain/sites/learned"] == 3
    assert [(m.site, m.n_pages) for m in models_of(crawl).models] == [
        ("one.example", 6), ("three.example", 2), ("two.example", 6)
    ]  # fmt: skip
    again = crawl("archive", path=str(path), extractor=PLACES)
    assert "0 new" in again.out
    assert again.stats["webmain/sites/reused"] == 3


def test_the_pages_that_wait_are_bounded(crawl, tmp_path):
    path = tmp_path / "many.warc.gz"
    with WarcWriter(path) as writer:
        for n in range(2):
            for host in range(12):
                url = f"https://site{host}.example/{n}"
                writer.write(url, 200, {"Content-Type": "text/html"}, page(url, n).encode())
    done = crawl("archive", path=str(path), extractor=PLACES, settings={"WEBMAIN_LEARN_MAX_HELD": 5})
    assert len(done.articles()) == 24
    assert done.stats["webmain/sites/not_learnable"] > 0  # one page is not enough


# ---- Ends and crashes


def test_ctrl_c_leaves_waiting_pages_pending(site, crawl):
    urls = serve(site, [f"/a{i}" for i in range(4)]) + f" {site.url}/slow"
    may_answer = threading.Event()
    site.routes["/slow"] = lambda _n: ("",) if may_answer.wait(60) else ("late",)
    process = crawl.start(urls=urls, extractor=PLACES, settings={**WORKER, "DOWNLOAD_TIMEOUT": 60})
    wait_until(lambda: n_waiting(crawl.folder / "models" / "sites" / ".held") == 4)
    process.send_signal(signal.SIGINT)
    time.sleep(1)  # it is closing, and waits for what is on the wire
    may_answer.set()
    done = crawl.finish(process)
    assert done.code == 4
    assert done.articles() == []
    assert done.stats["webmain/learning/left"] == 4
    with ledger_of(crawl) as ledger:
        assert ledger.counts().pending == 5
    assert not (crawl.folder / "models" / "sites" / ".held").exists()


def test_kill_9_while_pages_wait_loses_nothing_and_stores_nothing_twice(site, crawl):
    extractor = PLACES
    paths = [f"/a{i}" for i in range(40)]
    urls = serve(site, paths, delay_s=0.05)
    settings = {**WORKER, "WEBMAIN_LEARN_PAGES": 12, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    spool = crawl.folder / "models" / "sites" / ".held"
    process = crawl.start(urls=urls, extractor=extractor, settings=settings)
    wait_until(lambda: sum(site.asked.values()) > 6 and list(spool.glob("crawl-*/*.pages")))
    process.kill()
    process.communicate()
    assert list(spool.glob("crawl-*"))
    with ledger_of(crawl) as ledger:
        assert ledger.counts().articles == 0
    process = crawl.start(urls=urls, extractor=extractor, settings=settings)
    wait_until(lambda: crawl.store.exists() and crawl.store.read_bytes().count(b"\n") >= 12)
    process.kill()
    process.communicate()
    stored = {json.loads(line)["url"] for line in crawl.store.read_text().splitlines() if line.endswith("}")}
    with ledger_of(crawl) as ledger:
        assert all(site.url + path in stored for path in paths if ledger.is_known(site.url + path))
    done = crawl(urls=urls, extractor=extractor, settings=settings)
    assert done.code == 0
    assert Counter(a["url"] for a in done.articles()) == Counter(urls.split())
    assert not spool.exists()


def test_the_largest_number_of_articles_is_kept_when_pages_are_released_together(site, crawl):
    done = crawl(urls=serve(site, [f"/a{i}" for i in range(9)]), extractor=PLACES, max_articles=4)
    assert done.code == 0
    assert len(done.articles()) == 4
    with ledger_of(crawl) as ledger:
        assert ledger.counts().pending == 5


# ---- The spider of news


def test_the_news_spider_learns_the_sites_of_the_made_up_web(crawl):
    sites = "harbour-courier.example,khaosaiklang.example,the-tangle.example"
    done = crawl("news", site=sites, extractor=PLACES, module="demo.settings")
    assert done.code == 0, done.log[-3000:]
    assert {m.site for m in models_of(crawl).models} == set(sites.split(","))
    lost = done.rejected().get("no_text", 0) + done.rejected().get("no_blocks", 0)
    assert len(done.articles()) >= len(Web().expected()) - lost
    parts = {a["n_parts"] for a in done.articles()}
    assert parts == {1, 2, 3}
