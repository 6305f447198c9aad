"""A crawl's workers: a page is sent once and parsed once, whatever becomes of its process; and the pool below."""

import asyncio
import logging
import pickle
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest
from scrapy.settings import Settings

from tests.processes.fork_servers import fork_servers, ignore_earlier
from webmain import extraction as stages
from webmain.crawl.workers import Workers
from webmain.extractors.line_block import LineBlock
from webmain.items import Article, Hints, Page, Reason, Rejected
from webmain.processes.page_tasks import (
    MAX_DOCUMENTS,
    Compare,
    Extract,
    ExtractedArticle,
    PickledExtractor,
    Reader,
    SentPage,
)
from webmain.processes.pool import Pool, PoolClosed
from webmain.text.shingles import signature

TEXT = "The council decided that the old bridge will be closed until the spring, and nobody was surprised by it. "


@pytest.fixture(autouse=True)
def only_own_fork_servers():
    ignore_earlier()


def page(n=0, **values):
    body = f"<html><title>Bridge {n}</title><body><p>{n} {TEXT * 4}</p><a href='/next'>2</a></body></html>".encode()
    return Page(url=f"https://news.example/{n}", body=body, **values)


@pytest.fixture
def workers():
    crawler = SimpleNamespace(
        settings=Settings({"WEBMAIN_EXTRACTOR": "line_block", "WEBMAIN_PAGE_TIMEOUT_S": 10}),
        spider=SimpleNamespace(name="test"),
        get_item_pipeline=lambda kind: None,
    )
    made = Workers(crawler)
    made.n = 1
    yield made
    made.spider_closed()


def own_child():
    (server,) = fork_servers(recursive=False)
    (child,) = server.children()
    return child


def test_a_page_is_sent_once_and_again_only_where_its_process_has_died(workers, monkeypatch):
    sent = []
    give = Pool.submit
    monkeypatch.setattr(
        Pool, "submit", lambda pool, task, **o: sent.append(task.sent.page.body) or give(pool, task, **o)
    )

    async def crawl():
        summary = await workers.summarise(page())
        first = await workers.extract(page(hints=Hints(source="feed", title="T"), article_reason="why"), LineBlock())
        await workers.summarise(page())
        own_child().kill()
        again = await workers.extract(page(article_reason="why"), LineBlock())
        return summary, first, again

    summary, first, again = asyncio.run(crawl())
    assert summary.links == ("https://news.example/next",)
    assert (first.title, first.article_reason, first.text) == ("Bridge 0", "why", again.text)
    assert TEXT.strip() in first.text
    assert sent == [page().body, None, page().body, None, page().body]


def test_a_page_is_compared_and_extracted_before_the_next_ones_are_looked_at(workers, monkeypatch):
    given = []
    give = Pool.submit
    note = given.append
    monkeypatch.setattr(
        Pool, "submit", lambda pool, task, **o: note((type(task).__name__, o["next_"])) or give(pool, task, **o)
    )

    async def crawl():
        await workers.summarise(page())
        await workers.compare(page(), None)
        await workers.extract(page(), LineBlock())

    asyncio.run(crawl())
    assert given == [("SummarisePage", False), ("Compare", True), ("Extract", True)]


def test_answers_are_those_of_the_crawls_own_process(workers):
    async def both():
        there = await workers.extract(page(), LineBlock())
        workers.__dict__["_pool"], pool = None, workers.__dict__["_pool"]
        here = await workers.extract(page(), LineBlock())
        workers.__dict__["_pool"] = pool
        return there, here

    there, here = asyncio.run(both())
    assert there == here


def test_signatures_are_computed_in_the_workers(workers, monkeypatch):
    there = asyncio.run(workers.extract(page(), LineBlock(), sign=True))
    found = workers.signature(there.text)
    monkeypatch.setattr("webmain.crawl.workers.signature", lambda text: (1,))
    assert workers.signature(there.text) == found == signature(there.text)
    assert workers.signature("another text") == (1,)


def test_a_rejection_comes_back_with_its_reason_and_address(workers):
    with pytest.raises(Rejected) as told:
        asyncio.run(workers.summarise(Page(url="https://news.example/x", body=b"%PDF-1.7 \x00")))
    assert (told.value.reason, told.value.url) == (Reason.NOT_HTML, "https://news.example/x")


def test_pages_under_judgement_are_given_up_when_the_crawl_stops(workers):
    async def stop():
        waiting = [asyncio.ensure_future(workers.summarise(page(n))) for n in range(3)]
        await asyncio.sleep(0)
        workers.spider_closed()
        return await asyncio.gather(*waiting, return_exceptions=True)

    assert [type(found) for found in asyncio.run(stop())] == [PoolClosed] * 3
    with pytest.raises(PoolClosed):
        asyncio.run(workers.summarise(page()))


def slowly(workers, monkeypatch, delays):
    """Let what is done with page n take so many seconds, or end with an error."""

    async def do(page, task, *, next_=False, keep=True):
        found = delays[int(page.url.rpartition("/")[2])]
        if isinstance(found, Exception):
            raise found
        await asyncio.sleep(found)
        return ExtractedArticle(Article(url=page.url, text=""))

    monkeypatch.setattr(workers, "_run_task", do)


def test_articles_and_rejections_come_in_the_order_of_their_pages(workers, monkeypatch):
    delays = [60, 0.05, Rejected(Reason.TOO_SLOW, "x"), 0.03, PoolClosed(), 0.0]
    slowly(workers, monkeypatch, delays)
    order = []

    async def one(n):
        with suppress(Rejected, PoolClosed):
            await workers.extract(page(n), LineBlock())
        order.append(n)

    async def crawl():
        tasks = [asyncio.ensure_future(one(n)) for n in range(6)]
        await asyncio.sleep(0.01)
        tasks[0].cancel()  # whoever gives up holds nobody up
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(crawl())
    assert order == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("size", "n_read"), [(1, 4), (30 << 20, 3)])
def test_as_many_pages_are_read_ahead_as_their_number_and_bytes_allow(workers, monkeypatch, size, n_read):
    slowly(workers, monkeypatch, [0.05] * 12)
    most = 0

    async def crawl():
        nonlocal most
        body, tasks = b"x" * size, []
        for n in range(12):
            await workers.room()
            tasks.append(
                asyncio.ensure_future(workers.extract(Page(url=f"https://e.example/{n}", body=body), LineBlock()))
            )
            await asyncio.sleep(0)
            most = max(most, sum(not task.done() for task in tasks))
        await asyncio.gather(*tasks)

    asyncio.run(crawl())
    assert most == n_read
    assert (workers._n_pages, workers._n_bytes) == (0, 0)


def test_few_documents_are_kept():
    reader = Reader(stages.Options())
    for n in range(40):
        reader(_Look(page(n)))
    assert len(reader._documents) == MAX_DOCUMENTS
    reader(_Look(Page(url="https://news.example/large", html="<p>" + "a" * (5 << 20))))
    assert len(reader._documents) == 1


def test_a_page_is_not_kept_beyond_its_extraction():
    reader, extractor = Reader(stages.Options()), LineBlock()
    sent, judge = SentPage(page(), 1), PickledExtractor(1, pickle.dumps(extractor))
    reader(Compare(sent, None))
    assert reader._documents
    assert reader(Extract(sent, judge, count_words=False, sign=False)).article.url == sent.page.url
    assert not reader._documents
    assert (
        reader(Extract(SentPage(Page(url=sent.page.url), 1), judge, count_words=False, sign=False)) is None
    )  # it is sent whole then


class _Look:
    def __init__(self, page):
        self.sent = SimpleNamespace(page=page, key=hash(page.url))

    def run(self, reader):
        return reader.document(self.sent)


# ---- The pool


def shouting():
    return shout


def shout(word):
    logging.getLogger("webmain.test").warning("shouting %s", word)
    if word == "fault":
        raise KeyError(word)
    return word.upper()


def slow():
    return time.sleep


def test_what_a_worker_logs_is_logged_by_the_crawl(caplog):
    pool = Pool(shouting, 1)
    assert pool.submit("hello").result() == "HELLO"
    with pytest.raises(KeyError):
        pool.submit("fault").result()
    pool.close()
    assert [r.getMessage() for r in caplog.records if r.name == "webmain.test"] == ["shouting hello", "shouting fault"]


def test_a_task_for_a_worker_waits_for_it_and_the_next_one_goes_before_the_others():
    pool = Pool(shouting, 2)
    order = []
    futures = [pool.submit(f"a{n}", worker=1) for n in range(3)] + [pool.submit("first", worker=1, next_=True)]
    for future in futures:
        future.add_done_callback(lambda done: order.append(done.result()))
    for future in futures:
        future.result()
    assert order.index("FIRST") < order.index("A2")
    assert pool.least_busy() == 0
    pool.close()
    assert [worker for worker in pool._workers if worker] == []


def test_closing_does_not_wait_for_tasks():
    pool = Pool(slow, 1)
    futures = [pool.submit(600), pool.submit(600)]
    while not futures[0].running():
        time.sleep(0.01)
    began = time.monotonic()
    pool.close()
    assert time.monotonic() - began < 60
    for future in futures:
        with pytest.raises(PoolClosed):
            future.result()


def test_warming_up_raises_nothing():
    class Broken(LineBlock):
        def judge(self, segmentation):
            raise RuntimeError("a fault")

    stages.warm_up(Broken())


def test_tasks_are_done_though_the_process_that_forks_the_workers_is_killed():
    pool = Pool(shouting, 2)
    assert pool.submit("a").result() == "A"
    for _ in range(2):
        (server,) = fork_servers(recursive=False)
        server.kill()
        assert [pool.submit(word, worker=i).result() for i, word in enumerate(("b", "c"))] == ["B", "C"]
    pool.close()
    assert not fork_servers()
