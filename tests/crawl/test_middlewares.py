import time
from datetime import UTC, datetime
from email.utils import format_datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.core.downloader import Slot
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from scrapy.http import Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager

from tests.crawl.fakes import Stats
from webmain.addons import SWITCHED, Webmain, user_agent
from webmain.archive.recording import WarcIndex
from webmain.crawl.failures import RobotsForbiddenError, RobotsUnreachableError, failure_name, is_page
from webmain.crawl.politeness import RetryAfter, delay_slot, retry_after_s
from webmain.crawl.recordings import recordings
from webmain.crawl.signals import crawl_closing, page_failed, page_rejected
from webmain.files import StoreFullError
from webmain.html.walls import Wall
from webmain.middlewares import Failures, Recorder, Redirects, Statuses

NOW = 1_790_000_000.0


@pytest.fixture
def crawler():
    made = SimpleNamespace(
        settings=Settings({"WEBMAIN_MAX_RETRY_AFTER": 100}),
        stats=Stats(),
        spider=SimpleNamespace(name="test"),
        engine=SimpleNamespace(spider=None, running=True, _slot=None, downloader=SimpleNamespace(slots={})),
        heard=[],
    )
    made.signals = SignalManager(made)
    for name, signal in (("rejected", page_rejected), ("failed", page_failed), ("closing", crawl_closing)):

        def receiver(name=name, **values):
            made.heard.append((name, values))

        made.signals.connect(receiver, signal, weak=False)
    return made


# ---- Retry-After


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        (b"", None),
        (b"120", 120),
        (" 5 ", 5),
        ("1.5", 1.5),
        ("0", 0),
        ("-5", None),
        ("soon", None),
        ("1e9", None),
        ("٣", None),
        ("9" * 200, None),
        ("Wed, 99 Foo 2026 99:99:99 GMT", None),
        ("Wed, 21 Oct 1015 07:28:00 GMT", 0),
    ],
)
def test_retry_after_is_read_or_left(header, seconds):
    assert retry_after_s(header, now=NOW) == seconds


@pytest.mark.parametrize(("ahead", "seconds"), [(90, 90), (0, 0), (-90, 0)])
def test_retry_after_may_be_a_date(ahead, seconds):
    date = datetime.fromtimestamp(NOW + ahead, UTC)
    assert retry_after_s(format_datetime(date, usegmt=True), now=NOW) == seconds


@given(st.one_of(st.text(max_size=60), st.binary(max_size=60)))
def test_no_header_whatever_raises_or_asks_for_less_than_nothing(header):
    found = retry_after_s(header, now=NOW)
    assert found is None or found >= 0


@pytest.mark.parametrize("delay", [0.0, 2.0])
def test_a_held_slot_starts_nothing_before_its_time(delay):
    slot = Slot(1, delay, 0.5)
    delay_slot(slot, 30)
    for _ in range(50):
        assert slot.download_delay() > 0  # else Scrapy would not look at the clock
        assert slot.download_delay() + slot.lastseen - time.monotonic() >= 29.9


@pytest.mark.parametrize(
    ("status", "header", "held", "gives_up"),
    [
        (429, "50", True, False),
        (503, "100", True, False),
        (503, "101", True, True),
        (429, None, False, False),
        (500, "50", False, False),
        (200, "50", False, False),
        (429, "0", False, False),
    ],
)
def test_429_and_503_hold_the_slot(crawler, status, header, held, gives_up):
    slot = crawler.engine.downloader.slots["a.example"] = Slot(1, 1.0, 0.0)
    request = Request("https://a.example/", meta={"download_slot": "a.example"})
    response = Response(request.url, status, headers={"Retry-After": header} if header else {})
    assert RetryAfter(crawler).process_response(request, response) is response
    assert (slot.lastseen > time.monotonic()) is held
    assert slot.lastseen <= time.monotonic() + 100
    assert bool(request.meta.get("dont_retry")) is gives_up


# ---- Failures and statuses


@pytest.mark.parametrize(
    ("exception", "name"),
    [
        (CannotResolveHostError(), "dns"),
        (DownloadConnectionRefusedError(), "refused"),
        (DownloadTimeoutError(), "timeout"),
        (RobotsForbiddenError(), "robots"),
        (RobotsUnreachableError(), "robots_unreachable"),
        (IgnoreRequest(), "ignored"),
        (ZeroDivisionError(), "other"),
    ],
)
def test_each_failure_has_its_word(crawler, exception, name):
    request = Request("https://b.example/x", meta={"redirect_urls": ["https://a.example/short"]})
    assert failure_name(exception) == name
    assert Failures(crawler).process_exception(request, exception) is None
    assert crawler.stats[f"webmain/failed/{name}"] == 1
    [(kind, told)] = crawler.heard
    assert (kind, told["url"], told["reason"]) == ("failed", "https://a.example/short", name)


def test_a_body_that_is_too_large_is_a_rejection(crawler):
    Failures(crawler).process_exception(Request("https://a.example/"), DownloadCancelledError("too much"))
    assert crawler.stats["webmain/rejected/too_large"] == 1


@pytest.mark.parametrize(
    ("request_", "page"),
    [
        (Request("https://a.example/"), True),
        (Request("https://a.example/feed", meta={"probe": True}), False),
        (Request("https://a.example/part", callback=NO_CALLBACK), False),
    ],
)
def test_probes_and_inner_requests_are_no_pages(crawler, request_, page):
    assert is_page(request_) is page
    Failures(crawler).process_exception(request_, CannotResolveHostError())
    assert bool(crawler.heard) is page
    assert ("webmain/probe_failed" in crawler.stats) is not page


def test_a_robots_txt_that_cannot_be_had_raises_without_a_traceback_of_its_own(crawler):
    request = Request("https://a.example/robots.txt", callback=NO_CALLBACK, meta={"dont_obey_robotstxt": True})
    with pytest.raises(RobotsUnreachableError, match="timeout"):
        Failures(crawler).process_exception(request, DownloadTimeoutError())


def _redirected(redirects, request, target, cookie=None):
    """Send a request through the middleware, and return what follows a redirect."""
    redirects.process_request(request)
    headers = {"Location": target, **({"Set-Cookie": cookie} if cookie else {})}
    return redirects.process_response(request, Response(request.url, 302, headers=headers))


@pytest.mark.parametrize("steps", [["/story"], ["/consent?back=/story", "/story"]])
def test_a_site_that_redirects_in_a_circle_until_its_cookie_comes_back_gets_its_cookie(crawler, steps):
    redirects = Redirects.from_crawler(crawler)
    request = Request("https://www.a.example/story", callback=print)
    for target in steps:
        request = _redirected(redirects, request, target, "seen=1; Path=/; Domain=.a.example")
    redirects.process_request(request)
    assert (request.url, request.headers["Cookie"]) == ("https://www.a.example/story", b"seen=1")
    for url, cookie in (("https://a.example/other", b"seen=1"), ("https://b.example/", None)):
        other = Request(url)
        redirects.process_request(other)
        assert other.headers.get("Cookie") == cookie
    with pytest.raises(IgnoreRequest, match="circle"):
        _redirected(redirects, _redirected(redirects, request, "/again", "seen=2"), "/story")


def test_other_circles_are_failures_and_other_cookies_are_not_kept(crawler):
    redirects = Redirects.from_crawler(crawler)
    with pytest.raises(IgnoreRequest, match="circle"):
        _redirected(redirects, Request("https://a.example/", callback=print), "/")
    further = _redirected(redirects, Request("https://a.example/"), "/home", "id=7")
    redirects.process_response(further, Response(further.url, headers={"Set-Cookie": "more=8"}))
    request = Request("https://a.example/next")
    redirects.process_request(request)
    assert "Cookie" not in request.headers


@pytest.mark.parametrize(
    ("status", "reason"),
    [(401, "blocked"), (403, "blocked"), (429, "blocked"), (451, "blocked"), (503, "blocked"),
     (404, "http_error"), (410, "http_error"), (500, "http_error"), (304, "http_error")],
)  # fmt: skip
def test_a_status_is_told_with_its_reason_and_kept_from_the_spider(crawler, status, reason):
    middleware = Statuses.from_crawler(crawler)
    request = Request("https://a.example/x")
    response = Response(request.url, status, headers={"Retry-After": "7"}, request=request)
    with pytest.raises(IgnoreRequest):
        middleware.process_spider_input(response)
    assert crawler.stats[f"webmain/rejected/{reason}"] == 1
    assert crawler.heard[0][1]["retry_after_s"] == 7


@pytest.mark.parametrize(
    ("status", "wall", "told"),
    [(403, None, "403"), (403, Wall("denied"), "403"), (200, Wall("denied"), "denied"),
     (403, Wall("challenge", "cloudflare"), "cloudflare challenge"), (403, Wall("captcha"), "captcha")],
)  # fmt: skip
def test_a_refusal_is_counted_by_its_status_unless_the_page_says_more(crawler, status, wall, told):
    request = Request("https://a.example/x", meta={"wall": wall})
    with pytest.raises(IgnoreRequest):
        Statuses.from_crawler(crawler).process_spider_input(Response(request.url, status, request=request))
    assert crawler.stats[f"webmain/blocked/{told}"] == 1


# ---- Recordings


def recorder(crawler, path):
    crawler.spider.record = str(path)
    made = Recorder.from_crawler(crawler)
    made.spider_opened()
    return made


def test_answers_are_recorded_as_they_came(crawler, tmp_path):
    made = recorder(crawler, tmp_path / "r.warc.gz")
    headers = [("Content-Type", "text/html"), ("Link", "a=1"), ("Link", "b=2"), ("Content-Encoding", "gzip")]
    response = Response("https://a.example/x", 203, body=b"\x1f\x8b packed")
    for name, value in [*headers, ("Set-Cookie", "session=1")]:
        response.headers.appendlist(name, value)
    assert made.process_response(Request("https://a.example/x"), response) is response
    made.process_exception(Request("https://a.example/dead"), DownloadTimeoutError("slow"))
    made.process_exception(Request("https://a.example/odd"), ZeroDivisionError())
    made.spider_closed()
    index = WarcIndex([tmp_path / "r.warc.gz"])
    assert index.lookup("https://a.example/dead") is not None
    found = index.lookup("https://a.example/x")
    assert (found.status, found.body) == (203, b"\x1f\x8b packed")
    assert set(headers) <= set(found.headers)
    assert "Set-Cookie" not in dict(found.headers)


def test_a_recording_that_cannot_be_written_ends_the_crawl(crawler, tmp_path, monkeypatch):
    made = recorder(crawler, tmp_path / "r.warc.gz")

    def full(*_, **__):
        raise StoreFullError("warc r.warc.gz: no space is left")

    monkeypatch.setattr(made._writer, "write", full)
    request = Request("https://a.example/x")
    made.process_response(request, Response(request.url))
    made.process_response(request, Response(request.url))
    assert [(kind, told["reason"]) for kind, told in crawler.heard] == [("closing", "record_error")]


def test_recordings_may_be_patterns(tmp_path):
    for name in ("b.warc.gz", "a.warc.gz", "c.txt"):
        (tmp_path / name).touch()
    assert recordings(f"{tmp_path}/*.warc.gz") == [f"{tmp_path}/a.warc.gz", f"{tmp_path}/b.warc.gz"]
    assert recordings(f"{tmp_path}/c.txt, /nowhere/x.warc.gz") == [f"{tmp_path}/c.txt", "/nowhere/x.warc.gz"]


# ---- Settings


def test_the_user_agent_says_who_and_where():
    assert user_agent("") == user_agent("  ")
    assert user_agent("mailto:a@b.example").endswith(" (+mailto:a@b.example)")
    assert "\n" not in user_agent("x\r\nInjected: yes")


def test_a_replay_touches_no_network_and_waits_for_nothing():
    settings = Settings({"WEBMAIN_REPLAY": "x.warc.gz", "DOWNLOAD_DELAY": 5, "AUTOTHROTTLE_ENABLED": True})
    Webmain().update_settings(settings)
    assert {settings["DOWNLOAD_HANDLERS"][scheme] for scheme in ("http", "https")} == {"webmain.crawl.handlers.Replay"}
    assert settings.getfloat("DOWNLOAD_DELAY") == 0
    assert not settings.getbool("AUTOTHROTTLE_ENABLED")


@pytest.mark.parametrize("is_on", [True, False])
def test_components_of_scrapy_that_are_switched_off_are_not_even_loaded(is_on):
    settings = Settings(dict.fromkeys(SWITCHED, is_on))
    Webmain().update_settings(settings)
    left = {**settings["EXTENSIONS_BASE"], **settings["DOWNLOADER_MIDDLEWARES_BASE"]}
    assert (set(SWITCHED.values()) & left.keys()) == (set(SWITCHED.values()) if is_on else set())
