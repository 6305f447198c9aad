"""What a crawl writes down of each site, also where it is killed."""

import time
from types import SimpleNamespace

import pytest
from scrapy.signalmanager import SignalManager

from tests.crawl.conftest import LocalSite
from tests.crawl.fakes import Stats
from webmain.ledger.ledger import Ledger, LedgerError
from webmain.ledger.runs import COUNTED, COUNTED_BY_KIND, Figures
from webmain.spiders.news import NewsSpider
from webmain.spiders.site_runs import SiteRuns


def runs_of(crawl):
    with Ledger(f"{crawl.store}.ledger") as ledger:
        return ledger.runs.read().of


def counted(stats, site):
    prefix = f"webmain/site/{site}/"
    return {name.removeprefix(prefix) for name in stats if name.startswith(prefix)}


def test_each_run_leaves_its_figures(crawl):
    arguments = {"module": "demo.settings", "site": "harbour-courier.example,no-such-site.example"}
    done = crawl("news", **arguments)
    again = crawl("news", **arguments)
    assert (done.code, again.code) == (0, 0)
    found = runs_of(crawl)
    first, second = found["harbour-courier.example"]
    assert (first.outcome, first.figures.new, second.figures.new) == ("finished", len(done.articles()), 0)
    assert second.figures.known + second.figures.not_modified > 10
    assert first.finished_at > first.started_at
    assert first.figures.requests["page"] >= first.figures.new
    assert first.figures.requests["front"] == 2  # the bare domain leads to its www.
    assert {"robots", "feed", "sitemap", "hub"} <= first.figures.requests.keys()
    assert first.figures.sources > 2
    assert first.figures.bytes > 50_000
    assert 500 < first.figures.chars_median < 10_000
    assert [r.outcome for r in found["no-such-site.example"]] == ["unreachable", "unreachable"]


def test_site_that_robots_txt_forbids_is_not_unreachable(crawl, site):
    site.routes["/robots.txt"] = ("User-agent: *\nDisallow: /\n",)
    done = crawl("news", site=site.url, settings={"WEBMAIN_ALLOW_PRIVATE": "1"})
    ((found,),) = runs_of(crawl).values()
    assert (done.code, found.outcome, found.figures.failed) == (3, "forbidden", {"robots": 1})


def test_every_figure_of_a_site_has_its_place(crawl):
    done = crawl("news", module="demo.settings", site="the-tangle.example")
    names = counted(done.stats, "the-tangle.example") - {"articles", "rejected"}  # totals of what is counted by kind
    assert {name for name in names if name.partition("/")[0] not in (*COUNTED, *COUNTED_BY_KIND)} == set()
    (found,) = runs_of(crawl)["the-tangle.example"]
    assert found.figures.rejected == done.rejected()
    assert found.figures.failed["robots_unreachable"] == 1


@pytest.mark.parametrize("answer", [None, 404, 403])
def test_site_whose_old_domain_is_gone_is_read_at_its_new_one(crawl, site, answer):
    old = LocalSite()
    old.routes["/"] = ("no", answer)
    if not answer:
        old.close()
    site.routes["/"] = (f"<a href='{site.article('/2026/11/20/a-story-of-the-day')}'>a story of the day</a>",)
    for n_new in (1, None):
        done = crawl("news", site=f"{old.url}={site.url}", settings={"WEBMAIN_ALLOW_PRIVATE": "1"})
        assert (done.code, done.stats.get("webmain/articles/new")) == (0, n_new)
        assert "the front page cannot be fetched" not in done.out
    old.close()
    (found,) = runs_of(crawl).values()
    assert [run.outcome for run in found] == ["finished", "finished"]


STARTS = {
    "store_error": {},
    "record_error": {"WEBMAIN_RECORD": "/proc/none.warc.gz"},
    "start_error": {"SCHEDULER": "sample_spider.NoScheduler"},
}


@pytest.mark.parametrize("outcome", STARTS)
def test_run_that_fails_at_its_start_is_recorded(crawl, outcome):
    Ledger(f"{crawl.store}.ledger").close()
    if outcome == "store_error":
        crawl.store.write_text("no database")
    done = crawl("news", site="a.example", settings={"WEBMAIN_STORE": f"sqlite:{crawl.store}", **STARTS[outcome]})
    ((found,),) = runs_of(crawl).values()
    assert (done.code, found.outcome, found.finished_at) == (1, outcome, found.written_at)


def test_killed_run_leaves_a_row_without_an_end(crawl, site):
    site.routes["/"] = lambda _n: (f"<a href='{site.article('/2026/11/20/a-story-that-is-slow', delay_s=20)}'>a</a>",)
    process = crawl.start("news", site=site.url, settings={"WEBMAIN_ALLOW_PRIVATE": "1"})
    deadline = time.monotonic() + 200
    while not site.asked["/"] and time.monotonic() < deadline:
        time.sleep(0.1)
    process.kill()
    process.communicate(timeout=200)
    ((found,),) = runs_of(crawl).values()
    assert (found.finished_at, found.outcome, found.figures.new) == (None, None, 0)
    assert found.figures == Figures(seconds=found.figures.seconds)


def test_a_ledger_that_cannot_be_opened_ends_the_crawl():
    class Known:
        path, problems = "a.ledger", []

        @property
        def ledger(self):
            raise LedgerError("damaged")

        def fail(self, error):
            self.problems.append(str(error))

    known = Known()
    spider = NewsSpider.__new__(NewsSpider)
    runs = SiteRuns(
        SimpleNamespace(spider=spider, stats=Stats(), signals=SignalManager(), get_extension=lambda _: known)
    )
    runs.spider_opened()
    runs.engine_stopped()
    assert known.problems == ["damaged"]
