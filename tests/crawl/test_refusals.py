"""Hosts that refuse are left alone, over runs, and are forgiven; one refusal among many good pages stops nothing."""

import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy.http import Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager

from tests.crawl.fakes import Stats
from webmain import clock
from webmain.crawl.failures import LeftAloneError
from webmain.crawl.refusals import Refusals
from webmain.crawl.summary import exit_code, headline, outcome, render
from webmain.ledger.ledger import Ledger, State

SITE = "https://www.paper.example"
CHALLENGE = b"<html><title>Just a moment...</title><script>window._cf_chl_opt={}</script></html>"
PAGE = b"<html><p>A story.</p></html>"
HTML = {"Content-Type": "text/html"}


class Run:
    """One run after the other with one ledger and one clock; `ask` returns what a request meets."""

    def __init__(self, path):
        self.now = time.mktime((2026, 11, 23, 12, 0, 0, 0, 0, -1))
        self.ledger = Ledger(path, clock=lambda: self.now)
        self.start()

    def start(self, **settings):
        self.stats = Stats()
        crawler = SimpleNamespace(
            settings=Settings(settings),
            stats=self.stats,
            engine=SimpleNamespace(downloader=SimpleNamespace(slots={})),
            get_extension=lambda kind: SimpleNamespace(ask=lambda question, _otherwise: question(self.ledger)),
        )
        crawler.signals = SignalManager(crawler)
        self.middleware = Refusals.from_crawler(crawler)

    def ask(self, path, status=200, body=PAGE, headers=None, *, site=SITE, after_s=1, **meta):
        self.now += after_s
        request = Request(site + path, meta=meta)
        try:
            self.middleware.process_request(request)
        except LeftAloneError as error:
            return str(error)
        response = Response(site + path, status, body=body, headers={**HTML, **(headers or {})}, request=request)
        assert self.middleware.process_response(request, response) is response
        return request.meta.get("wall")

    def host(self, name="www.paper.example"):
        return self.ledger.hosts.get(name)

    def end(self):
        self.middleware.spider_closed()


@pytest.fixture
def run(tmp_path):
    made = Run(tmp_path / "ledger")
    clock.use_clock(lambda: made.now)
    yield made
    clock.use_clock(time.time)
    made.ledger.close()


def is_left(answer):
    return isinstance(answer, str) and "left alone" in answer


def test_five_refusals_in_a_row_are_enough_where_nothing_else_came(run):
    for n in range(5):
        assert run.ask(f"/{n}", 403) is None
    assert is_left(run.ask("/5"))
    assert run.host().blocked_at == run.now - 1
    assert 3400 < run.host().wait_until - run.now < 4300
    told = run.stats["webmain/left_alone/www.paper.example"]
    assert re.fullmatch(r"www\.paper\.example: left alone until 1[23]:\d\d \(403\)", told)
    assert run.ask("/1", site="https://other.example") is None


def test_one_page_that_is_refused_again_and_again_is_one_refusal(run):
    run.ask("/")
    for _ in range(9):
        assert run.ask("/members", 403) is None
    assert run.ask("/1") is None


def test_some_refusals_among_good_pages_stop_nothing(run):
    for n in range(60):
        assert run.ask(f"/{n}", 403 if n % 10 > 4 else 200) is None  # five in a row, ten times
    run.end()
    assert run.host() is None


def test_a_host_that_begins_to_refuse_is_left_soon(run):
    for n in range(40):
        run.ask(f"/{n}")
    refused = [n for n in range(40) if not is_left(run.ask(f"/more/{n}", 403))]
    assert len(refused) == 10


@pytest.mark.parametrize("status", [404, 410, 500])
def test_missing_guesses_and_errors_are_neither(run, status):
    for n in range(5):
        run.ask(f"/{n}", 403)
        assert n == 4 or not is_left(run.ask(f"/guess{n}", status, probe=True))
    assert is_left(run.ask("/6"))


def test_robots_txt_says_nothing_of_a_host(run):
    request = Request(SITE + "/robots.txt", meta={"dont_obey_robotstxt": True}, callback=NO_CALLBACK)
    for _ in range(9):
        run.middleware.process_response(request, Response(request.url, 403))
    assert run.ask("/1") is None


def test_challenges_with_status_200_are_walls_and_refusals(run):
    for n in range(5):
        assert str(run.ask(f"/{n}", body=CHALLENGE)) == "cloudflare challenge"
    assert is_left(run.ask("/5"))
    assert run.host().refusal == "cloudflare challenge"


def test_walls_behind_redirects(run):
    asked = {"redirect_urls": [SITE + "/story"]}
    assert str(run.ask("/?to=/story", site="https://consent.paper.example", **asked)) == "consent"
    assert run.ask("/login?to=/story", **asked) is None  # it is no article anyway
    for n in range(4):
        run.ask("/login", redirect_urls=[f"{SITE}/{n}"])
    assert is_left(run.ask("/x"))
    assert run.host().refusal == "login"


def test_the_back_off_grows_over_runs_and_is_forgiven(run):
    waits = []
    for _ in range(4):
        for n in range(5):
            run.ask(f"/{n}", 503)
        waits.append(run.host().wait_until - run.now)
        run.end()
        run.start()
        assert is_left(run.ask("/", after_s=0))
        assert run.stats["webmain/left_alone"] == 1
        run.now = run.host().wait_until
    assert [round(wait / 60) for wait in waits[:3]] == [1, 2, 4]
    assert 6.9 < waits[3] / 60 < 9.1
    run.start()
    assert run.ask("/", after_s=60) is None
    assert run.host().n_refusals == 4  # too soon
    run.ask("/1", after_s=1800)
    assert (run.host().n_refusals, run.host().wait_until, run.host().blocked_at) == (0, None, None)


def test_a_refusal_with_the_clock_far_ahead_is_forgiven(run):
    right = run.now
    run.now += 365 * 86_400
    for n in range(5):
        run.ask(f"/{n}", 403)
    run.now = right
    run.start()
    for n in range(5):
        run.ask(f"/{n}", 403)
    assert run.host().blocked_at == run.now
    run.ledger.hosts.save([replace(run.host(), refused_at=right + 365 * 86_400, wait_until=right + 366 * 86_400)])
    run.start()
    assert run.ask("/") is None
    assert (run.host().n_refusals, run.host().blocked_at) == (0, None)


def test_times_are_told(run):
    for _ in range(3):
        for n in range(5):
            run.ask(f"/{n}", 429)
        run.now = run.host().wait_until
        run.start()
    run.now -= 60
    assert run.ask("/").endswith("(429, third time)")


@pytest.mark.parametrize(("asked", "waits_s"), [("121", 121), ("7200", 7200), ("999999", 24 * 3600)])
def test_a_long_retry_after_is_kept_over_runs(run, asked, waits_s):
    run.ask("/")
    run.ask("/1", 429, headers={"Retry-After": asked})
    assert is_left(run.ask("/2", after_s=0))
    run.end()
    run.start()
    assert is_left(run.ask("/2", after_s=waits_s - 1))
    assert run.ask("/2", after_s=1) is None


def test_a_short_one_is_waited_for(run):
    run.ask("/")
    run.ask("/1", 429, headers={"Retry-After": "7"})
    assert run.ask("/2") is None
    run.end()
    assert run.host() is None


@pytest.mark.parametrize(("status", "wait_s"), [(503, 60), (403, 64 * 60)])
def test_a_run_that_only_met_refusals_is_followed_by_a_wait(run, status, wait_s):
    run.ask("/", status)
    run.end()
    assert run.host().blocked_at is None  # a single page
    run.start()
    assert is_left(run.ask("/", after_s=0.85 * wait_s))
    assert run.ask("/", after_s=0.3 * wait_s) is None


def test_pages_of_a_host_that_refuses_keep_their_chances(run):
    for n in range(5):
        run.ledger.mark_failed(f"{SITE}/{n}", "blocked", site="paper.example")
        run.ask(f"/{n}", 403)
    run.ledger.mark_failed(f"{SITE}/other", "http_error", site="paper.example")
    run.end()
    run.now = run.host().wait_until
    waiting = dict(run.ledger.rows("SELECT url, attempts FROM urls WHERE state = 0"))
    assert waiting == {**{f"{SITE}/{n}": 0 for n in range(5)}, f"{SITE}/other": 1}
    assert run.ledger.state(f"{SITE}/0") is State.PENDING


def test_nobody_is_left_alone_where_that_is_switched_off(run):
    run.start(WEBMAIN_BACK_OFF=False)
    for n in range(9):
        assert not is_left(run.ask(f"/{n}", 403))
    assert str(run.ask("/9", body=CHALLENGE)) == "cloudflare challenge"
    assert run.host() is None


def test_a_clock_that_jumped_leaves_nobody_alone_for_years(run):
    for n in range(5):
        run.ask(f"/{n}", 503)
    run.now -= 3 * 365 * 24 * 3600
    run.start()
    assert run.ask("/") is None


def test_the_summary_tells_and_the_exit_code_is_good():
    stats = {
        "finish_reason": "finished",
        "webmain/blocked/403": 2,
        "webmain/blocked/cloudflare challenge": 1,
        "webmain/rejected/blocked": 3,
        "webmain/left_alone": 1,
        "webmain/left_alone/paper.example": "paper.example: left alone until 14:05 (429, third time)",
    }
    found = outcome(stats)
    assert headline(found) == "0 new, 3 blocked (403, cloudflare challenge)"
    assert "paper.example: left alone until 14:05 (429, third time)" in render(found)
    assert exit_code(stats) == 0


def test_in_a_month_of_outages_no_request_comes_too_soon():
    code = "from freshness_refusals import violations; print(*violations(1, 0))"
    line, folder = [sys.executable, "-c", code], Path(__file__).parents[2] / "benchmarks"
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=True)
    n_requests, n_refused, n_soon = map(int, done.stdout.split())
    assert n_requests > n_refused > 0
    assert n_soon == 0
