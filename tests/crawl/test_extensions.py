import json
import os
from collections import deque
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from scrapy.exceptions import CloseSpider
from scrapy.http import Request, Response
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager

from tests.crawl.fakes import Stats
from webmain.crawl.failures import StoppedError
from webmain.crawl.known_urls import KnownUrls
from webmain.crawl.options import overwritten_feeds
from webmain.crawl.signals import articles_stored, close_crawl, page_failed, page_rejected
from webmain.crawl.summary import exit_code
from webmain.extensions import PromptStop, Summary
from webmain.items import Article, Reason, Rejected, WordCount
from webmain.ledger.ledger import DoneUrl, LedgerError, State
from webmain.pipelines import Store
from webmain.store.protocol import Outcome, Stored
from webmain.store.registry import ledger_path

SITE = "https://news.example"


@pytest.fixture
def crawler(tmp_path):
    made = SimpleNamespace(
        settings=Settings(
            {"WEBMAIN_STORE": f"jsonl:{tmp_path}/a.jsonl", "WEBMAIN_PROGRESS_S": 0, "WEBMAIN_SUMMARY": True}
        ),
        stats=Stats(),
        spider=SimpleNamespace(name="test"),
        engine=SimpleNamespace(spider=None, running=True, _slot=None, downloader=SimpleNamespace(slots={})),
        store=None,
    )
    made.get_item_pipeline = lambda kind: made.store if kind is Store else None
    made.signals = SignalManager(made)
    return made


@pytest.fixture
def known(crawler):
    made = KnownUrls.from_crawler(crawler)
    made.spider_opened()
    yield made
    made.engine_stopped()


def stored(path, outcome=Outcome.NEW):
    return Stored(id=path.strip("/"), url=SITE + path, outcome=outcome, revision=1)


def tell_stored(crawler, *records, canonical=None):
    articles = {each.id: SimpleNamespace(canonical_url=canonical, published=None) for each in records}
    crawler.signals.send_catch_log(articles_stored, stored=records, articles=articles)


def send_rejected(crawler, path, reason, retry_after_s=None):
    rejected = Rejected(reason, "for a reason", url=SITE + path)
    crawler.signals.send_catch_log(page_rejected, rejected=rejected, url=SITE + path, retry_after_s=retry_after_s)


# ---- The ledger's place


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ("jsonl:out/a.jsonl", "out/a.jsonl.ledger"),
        ("sqlite:/data/a.db,jsonl:b.jsonl", "/data/a.db.ledger"),
        ("jsonl:odd,name.jsonl, SQLITE:b.db", "odd,name.jsonl.ledger"),
        (" jsonl: spaced.jsonl ", "spaced.jsonl.ledger"),
    ],
)
def test_the_ledger_lies_beside_the_first_store(spec, path):
    assert ledger_path(spec) == path


@pytest.mark.parametrize(
    ("setting", "path"), [(None, "{}/a.jsonl.ledger"), ("", ":memory:"), ("{}/own.db", "{}/own.db")]
)
def test_the_setting_outranks_the_place(crawler, tmp_path, setting, path):
    if setting is not None:
        crawler.settings.set("WEBMAIN_LEDGER", setting.format(tmp_path))
    assert KnownUrls(crawler).path == path.format(tmp_path)


def test_a_ledger_that_cannot_be_opened_ends_the_crawl(crawler, tmp_path):
    (tmp_path / "a.jsonl.ledger").write_text("something else, long enough to be no database at all")
    with pytest.raises(CloseSpider):
        KnownUrls(crawler).spider_opened()
    assert "a.jsonl.ledger" in crawler.stats["webmain/ledger_error"]


def test_no_ledger_is_left_where_the_store_failed(crawler, tmp_path):
    crawler.stats["webmain/store_error"] = "not a store"
    KnownUrls(crawler).spider_opened()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("n_stored", "skip_known", "warned"), [(0, True, True), (1, True, False), (0, False, False)])
def test_a_store_that_is_gone_while_its_ledger_is_there_is_told(crawler, known, n_stored, skip_known, warned):
    known.ledger.mark_done([DoneUrl(url=SITE + "/a", article_id="a")], site="news.example")
    crawler.spider.skip_known = skip_known
    store = SimpleNamespace(may_lack=False, count=lambda: n_stored, spec="jsonl:a.jsonl")
    crawler.store = SimpleNamespace(open_stores=[store])
    known.spider_opened()
    message = crawler.stats.get("webmain/warning/store_lost", "")
    assert ("a.jsonl.ledger" in message and "skip_known=false" in message) is warned


def test_articles_that_are_all_kept_out_are_not_lost(crawler, known):
    known.ledger.mark_done([DoneUrl(url=SITE + "/a", article_id="a")], site="news.example")
    store = SimpleNamespace(may_lack=False, count=lambda: 0, spec="jsonl:a.jsonl")
    crawler.store = SimpleNamespace(open_stores=[store, SimpleNamespace(count=lambda: 1)])
    known.spider_opened()
    assert "webmain/warning/store_lost" not in crawler.stats


# ---- What is skipped


@pytest.mark.parametrize(
    ("feeds", "overwritten"),
    [
        ({}, []),
        ({"a.jsonl": {"format": "jsonlines"}}, []),
        ({"a.jsonl": {"format": "jsonlines", "overwrite": False}}, []),
        ({"a.jsonl": {"overwrite": True}, "b.csv": {"format": "csv"}}, ["a.jsonl"]),
    ],
)
def test_known_addresses_are_skipped_unless_a_feed_is_overwritten(crawler, feeds, overwritten):
    crawler.settings.set("FEEDS", feeds)
    assert overwritten_feeds(crawler.settings) == overwritten
    assert KnownUrls(crawler).skip_known is not bool(overwritten)


# ---- What is marked


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        (Reason.NOT_ARTICLE, State.DONE),
        (Reason.NOT_HTML, State.DONE),
        (Reason.NO_TEXT, State.DONE),
        (Reason.TOO_LARGE, State.DONE),
        (Reason.TOO_OLD, State.DONE),
        (Reason.BLOCKED, State.PENDING),
        (Reason.HTTP_ERROR, State.PENDING),
        (Reason.TOO_SLOW, State.PENDING),
        (Reason.EMPTY, State.PENDING),
    ],
)
def test_what_may_pass_is_tried_again(crawler, known, reason, state):
    send_rejected(crawler, "/a", reason)
    assert known.ledger.state(SITE + "/a") is state


def test_a_refusal_by_a_filter_is_kept_with_the_filter(crawler, known):
    crawler.spider.since = datetime(2026, 11, 1, tzinfo=UTC)
    crawler.spider.language = "en-GB"
    send_rejected(crawler, "/old", Reason.TOO_OLD)
    send_rejected(crawler, "/thai", Reason.OTHER_LANGUAGE)
    known.reopen_filtered("news.example")
    assert known.ledger.is_known(SITE + "/old")
    assert known.ledger.is_known(SITE + "/thai")
    crawler.spider.until, crawler.spider.section, crawler.spider.undated = crawler.spider.since, "sport", "reject"
    for path, reason in (("/new", Reason.TOO_NEW), ("/city", Reason.OTHER_SECTION), ("/when", Reason.UNDATED)):
        send_rejected(crawler, path, reason)
    known.reopen_filtered("news.example")
    assert all(known.ledger.is_known(SITE + path) for path in ("/new", "/city", "/when"))
    crawler.spider.until = crawler.spider.section = crawler.spider.undated = None
    known.reopen_filtered("news.example")
    assert not any(known.ledger.is_known(SITE + path) for path in ("/new", "/city", "/when"))
    crawler.spider.since = None
    known.reopen_filtered("news.example")
    assert not known.ledger.is_known(SITE + "/old")
    assert known.ledger.is_known(SITE + "/thai")
    crawler.spider.language = None
    known.reopen_filtered("news.example")
    assert not known.ledger.is_known(SITE + "/thai")


def test_a_failure_too_often_is_given_up(crawler, known):
    for _ in range(4):
        crawler.signals.send_catch_log(page_failed, url=SITE + "/a", reason="timeout", retry_after_s=None)
    assert known.ledger.state(SITE + "/a") is State.GAVE_UP


def test_a_duplicate_waits_for_its_originals_commit(crawler, known):
    send_rejected(crawler, "/copy", Reason.DUPLICATE)
    assert known.ledger.state(SITE + "/copy") is None
    tell_stored(crawler, stored("/original"))
    assert known.ledger.is_known(SITE + "/copy")


def test_a_duplicate_is_done_at_the_end_unless_the_store_failed(crawler, known):
    send_rejected(crawler, "/copy", Reason.DUPLICATE)
    crawler.stats["webmain/store_error"] = "no space"
    known.spider_closed()
    assert known.ledger.state(SITE + "/copy") is None
    del crawler.stats["webmain/store_error"]
    known.spider_closed()
    assert known.ledger.is_known(SITE + "/copy")


def test_all_addresses_of_a_chain_of_redirects_are_done(crawler, known):
    request = Request(SITE + "/final", meta={"redirect_urls": [SITE + "/short", SITE + "/middle"]})
    known.response_received(Response(SITE + "/final", request=request))
    tell_stored(crawler, stored("/final"))
    assert all(known.ledger.is_known(SITE + path) for path in ("/final", "/short", "/middle"))


def test_the_canonical_address_is_done_with_its_article(crawler, known):
    tell_stored(crawler, stored("/a?x=1"), canonical=SITE + "/a")
    assert known.ledger.is_known(SITE + "/a")


@pytest.mark.parametrize("canonical", [SITE, SITE + "/", "https://other.example/a", "not a url", "https://[/"])
def test_a_false_canonical_settles_nothing_else(crawler, known, canonical):
    tell_stored(crawler, stored("/a"), canonical=canonical)
    assert known.ledger.is_known(SITE + "/a")
    assert not known.ledger.is_known(canonical)
    assert known.ledger.counts().articles == 1


def test_a_ledger_that_fails_ends_the_crawl_once(crawler, known, monkeypatch, caplog):
    def fails(*_, **__):
        raise LedgerError("a.ledger: disk I/O error")

    monkeypatch.setattr(known.ledger, "mark_done", fails)
    tell_stored(crawler, stored("/a"))
    tell_stored(crawler, stored("/b"))
    assert crawler.stats["webmain/ledger_error"] == "a.ledger: disk I/O error"
    assert caplog.text.count("disk I/O error") == 1


# ---- The summary


def test_the_summary_names_places_and_words(crawler, capsys):
    crawler.store = SimpleNamespace(places=(("jsonl:a.jsonl", 7),))
    crawler.stats.update({"webmain/articles/new": 2, "webmain/rejected/empty": 1, "finish_reason": "finished"})
    summary = Summary(crawler)
    for words in (("ice", 3), ("lake", 1)), (("ice", 4),):
        summary.item_scraped(Article(words=tuple(WordCount(word=w, count=n) for w, n in words)))
    summary.item_scraped({"another": "kind"})
    summary.engine_stopped()
    out = capsys.readouterr().out
    assert "2 new" in out
    assert "jsonl:a.jsonl (7 articles)" in out
    assert "1 empty" in out
    assert out.index("ice") < out.index("lake")
    assert [line.split() for line in out.splitlines() if "ice" in line] == [["ice", "7"]]


def test_figures_are_written_for_machines(crawler, tmp_path):
    crawler.settings.set("WEBMAIN_STATS_DIR", str(tmp_path / "figures"))
    crawler.stats.update({"webmain/articles/new": 2, "webmain/site/news.example/articles": 2})
    Summary(crawler).engine_stopped()
    assert json.loads((tmp_path / "figures" / "test.json").read_text())["webmain/articles/new"] == 2
    assert 'webmain_articles{crawl="test",outcome="new"} 2' in (tmp_path / "figures" / "test.prom").read_text()
    assert len(list((tmp_path / "figures").iterdir())) == 2  # no leftovers


def test_figures_that_cannot_be_written_harm_nothing(crawler, caplog):
    crawler.settings.set("WEBMAIN_STATS_DIR", "/dev/null/x")
    Summary(crawler).engine_stopped()
    assert "WEBMAIN_STATS_DIR" in caplog.text


# ---- The end


class Waiting:
    def __init__(self):
        self.errors = []

    def errback(self, error):
        self.errors.append(error)


@pytest.mark.parametrize("how", ["running", "signal", "asked", "closed by us"])
def test_waiting_requests_are_let_go_only_when_the_crawl_closes(crawler, how):
    waiting = [Waiting(), Waiting()]
    queue = deque((Request(SITE), w) for w in waiting)
    crawler.engine.downloader.slots["news.example"] = SimpleNamespace(queue=queue)
    stop = PromptStop.from_crawler(crawler)
    if how == "signal":
        crawler.engine.running = False
    elif how == "asked":
        stop.crawl_closing()
    elif how == "closed by us":
        close_crawl(crawler, "max_articles")
    stop._look()
    let_go = [isinstance(w.errors[0], StoppedError) for w in waiting if w.errors]
    assert let_go == ([] if how == "running" else [True, True])
    assert len(queue) == (2 if how == "running" else 0)


def test_progress_of_an_archive_counts_its_pages(crawler, caplog):
    caplog.set_level("INFO", logger="webmain.extensions")
    crawler.engine.scheduler = None
    summary = Summary.from_crawler(crawler)
    crawler.stats |= {"response_received_count": 1, "webmain/archive/pages": 1_200}
    summary._tick()
    (line,) = caplog.messages
    assert line.startswith("1,200 read, 0 articles")
    assert ", 0 pages/min" not in line


@pytest.mark.parametrize(("is_pipe", "code"), [(True, 3), (False, 1)])
def test_summary_that_cannot_be_written_ends_in_a_line_and_one_whose_reader_has_gone_in_none(
    crawler, monkeypatch, caplog, is_pipe, code
):
    reader, writer = os.pipe()
    os.close(reader)
    crawler.engine.running = False
    crawler.stats.set_value("finish_reason", "finished")
    with os.fdopen(writer if is_pipe else os.open("/dev/full", os.O_WRONLY), "w") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        Summary.from_crawler(crawler).engine_stopped()
    if not is_pipe:
        os.close(writer)
    told = "The crawl ends: the summary cannot be written: No space left on device"
    assert [record.getMessage() for record in caplog.records] == ([] if is_pipe else [told])
    assert exit_code(crawler.stats.get_stats()) == code
