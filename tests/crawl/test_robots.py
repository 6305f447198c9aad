"""robots.txt in a crawl: statuses, redirects and failures, and what the ledger keeps of them."""

import asyncio
import time
from types import SimpleNamespace

import pytest
from scrapy.core.downloader import Slot
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from scrapy.settings import Settings
from scrapy.signalmanager import SignalManager

from tests.crawl.fakes import Stats
from webmain import clock
from webmain.crawl.failures import RefusedAddressError, RobotsForbiddenError, RobotsUnreachableError
from webmain.crawl.robots import Robots, fresh_for_s
from webmain.ledger.ledger import Ledger

DAY_S = 24 * 3600.0


@pytest.fixture
def crawler(tmp_path):
    """A crawler with a ledger and a clock of its own, `now`."""
    made = SimpleNamespace(now=1_790_000_000.0, stats=Stats(), ledger=None, extension=None)
    made.signals = SignalManager(made)
    made.get_extension = lambda kind: made.extension
    with Ledger(tmp_path / "ledger", clock=lambda: made.now) as ledger:
        made.ledger = ledger
        clock.use_clock(lambda: made.now)
        yield made
        clock.use_clock(time.time)


def robots(crawler, answers, *, remembers=False, **settings):
    """Make the middleware; each asking for a robots.txt takes the next answer: status, body, headers, or an exception."""
    values = {"ROBOTSTXT_OBEY": True, "ROBOTSTXT_USER_AGENT": "webmain", "USER_AGENT": "webmain/1",
              "WEBMAIN_ROBOTS_UNREACHABLE": "deny", "WEBMAIN_ROBOTS_RETRY_S": 600, "WEBMAIN_MAX_CRAWL_DELAY": 60}  # fmt: skip
    crawler.settings = Settings({**values, **settings})
    crawler.asked, crawler.headers = [], []
    ledger = SimpleNamespace(ask=lambda question, _otherwise: question(crawler.ledger))
    crawler.extension = ledger if remembers else None

    async def download(request):
        crawler.asked.append(request.url)
        crawler.headers.append({name.decode(): request.headers[name].decode() for name in request.headers})
        await asyncio.sleep(0)
        answer = answers[min(len(crawler.asked), len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        status, body, *headers = answer
        given = headers[0] if headers else {}
        return Response(given.pop("Url", request.url), status, body=body, headers=given)

    crawler.engine = SimpleNamespace(
        download_async=download,
        downloader=SimpleNamespace(
            slots={"a.example": Slot(2, 0.5, 0.5)}, per_slot_settings={}, get_slot_key=lambda request: "a.example"
        ),
    )
    return Robots.from_crawler(crawler)


RULES = b"User-agent: *\nDisallow: /private/\nCrawl-delay: %s\n"


def allowed(middleware, path):
    try:
        asyncio.run(middleware.process_request(Request("https://a.example" + path)))
    except IgnoreRequest as error:
        return type(error)
    return True


@pytest.mark.parametrize(
    ("status", "body", "verdict"),
    [
        (200, RULES % b"1", RobotsForbiddenError),
        (404, RULES % b"1", True),
        (403, RULES % b"1", True),
        (429, b"", RobotsUnreachableError),
        (500, b"", RobotsUnreachableError),
        (503, RULES % b"1", RobotsUnreachableError),
        (200, b"# " + b"x" * 600_000 + b"\n" + RULES % b"1", True),
        (200, bytes(range(256)) * 40, True),
    ],
)
def test_robots_txt_means_what_its_status_says(crawler, status, body, verdict):
    middleware = robots(crawler, [(status, body)])
    assert allowed(middleware, "/private/x") is verdict
    assert crawler.asked == ["https://a.example/robots.txt"]


def test_an_unreachable_robots_txt_is_asked_for_again_after_a_while(crawler):
    middleware = robots(crawler, [(503, b""), (200, RULES % b"0")])
    assert allowed(middleware, "/x") is RobotsUnreachableError
    assert allowed(middleware, "/x") is RobotsUnreachableError
    assert len(crawler.asked) == 1
    crawler.now += 601
    assert allowed(middleware, "/x") is True
    assert len(crawler.asked) == 2


@pytest.mark.parametrize(("why", "unresolved"), [("dns", True), ("timeout", False)])
def test_a_host_name_without_an_address_is_told_from_a_host_that_does_not_answer(crawler, why, unresolved):
    middleware = robots(crawler, [RobotsUnreachableError(why)])
    for _ in range(2):
        with pytest.raises(RobotsUnreachableError) as caught:
            asyncio.run(middleware.process_request(Request("https://a.example/x")))
        assert caught.value.unresolved is unresolved


@pytest.mark.parametrize(("wanted", "delay"), [(b"7", 7.0), (b"0.7", 0.7), (b"60", 60.0), (b"3600", 60.0)])
def test_a_crawl_delay_becomes_the_slots_delay(crawler, wanted, delay):
    middleware = robots(crawler, [(200, RULES % wanted)])
    slot = crawler.engine.downloader.slots["a.example"]
    assert allowed(middleware, "/x") is True
    assert (slot.delay, slot.jitter, slot.concurrency) == (delay, 0.0, 1)
    assert crawler.engine.downloader.per_slot_settings["a.example"]["delay"] == delay
    slot.delay = 0.1  # as AutoThrottle does
    middleware._delays.response_downloaded(Request("https://a.example/x", meta={"download_slot": "a.example"}))
    assert slot.delay == delay


@pytest.mark.parametrize(("why", "n_asked"), [("refused", 2), ("connection", 2), ("timeout", 1), ("dns", 1)])
def test_a_host_that_does_not_connect_is_asked_once_over_each_scheme(crawler, why, n_asked):
    middleware = robots(crawler, [RobotsUnreachableError(why)])
    for scheme in ("https", "http", "https", "http"):
        with pytest.raises(RobotsUnreachableError):
            asyncio.run(middleware.process_request(Request(f"{scheme}://a.example/x")))
    assert crawler.asked == ["https://a.example/robots.txt", "http://a.example/robots.txt"][:n_asked]


def test_a_host_that_only_answers_http_is_crawled_by_its_rules_there(crawler):
    middleware = robots(crawler, [RobotsUnreachableError("refused"), (200, RULES % b"0")])
    with pytest.raises(RobotsUnreachableError):
        asyncio.run(middleware.process_request(Request("https://a.example/x")))
    assert asyncio.run(middleware.process_request(Request("http://a.example/x"))) is None
    with pytest.raises(RobotsForbiddenError):
        asyncio.run(middleware.process_request(Request("http://a.example/private/x")))


def test_a_crawl_delay_never_makes_the_crawl_faster(crawler):
    middleware = robots(crawler, [(200, RULES % b"0.2")], DOWNLOAD_DELAY=3)
    crawler.engine.downloader.slots["a.example"].delay = 3
    allowed(middleware, "/x")
    assert crawler.engine.downloader.slots["a.example"].delay == 3


def test_what_an_unreachable_robots_txt_means_is_checked(crawler):
    with pytest.raises(ValueError, match="WEBMAIN_ROBOTS_UNREACHABLE: got 'perhaps', allowed are 'deny' and 'allow'"):
        robots(crawler, [(200, b"")], WEBMAIN_ROBOTS_UNREACHABLE="perhaps")


def test_requests_that_wait_for_one_robots_txt_ask_once_and_all_obey(crawler):
    middleware = robots(crawler, [(200, RULES % b"0")])

    async def ask(path):
        await middleware.process_request(Request("https://a.example" + path))

    async def all_of_them():
        return await asyncio.gather(ask("/a"), ask("/private/b"), ask("/private/c"), ask("/d"), return_exceptions=True)

    got = asyncio.run(all_of_them())
    assert [type(each) for each in got] == [type(None), RobotsForbiddenError, RobotsForbiddenError, type(None)]
    assert len(crawler.asked) == 1


@pytest.mark.parametrize(
    ("failure", "verdict"),
    [
        (RobotsUnreachableError("timeout"), RobotsUnreachableError),
        (RefusedAddressError("a private address"), RefusedAddressError),
        (IgnoreRequest("too many redirects"), True),
        (OSError("a cable"), RobotsUnreachableError),
    ],
)
def test_failures_mean_what_the_rfc_says(crawler, failure, verdict):
    assert allowed(robots(crawler, [failure]), "/private/x") is verdict


def test_unreachable_may_mean_allowed(crawler):
    assert allowed(robots(crawler, [(503, b"")], WEBMAIN_ROBOTS_UNREACHABLE="allow"), "/x") is True


def test_it_is_left_out_where_it_is_not_wanted_and_for_some_requests(crawler):
    from scrapy.exceptions import NotConfigured

    with pytest.raises(NotConfigured):
        robots(crawler, [], ROBOTSTXT_OBEY=False)
    middleware = robots(crawler, [(200, b"User-agent: *\nDisallow: /")])
    for request in (Request("https://a.example/x", meta={"dont_obey_robotstxt": True}), Request("data:,x")):
        asyncio.run(middleware.process_request(request))
    assert crawler.asked == []


def test_a_redirect_to_another_hosts_robots_txt_answers_for_both(crawler):
    middleware = robots(crawler, [(200, RULES % b"0", {"Url": "https://www.a.example/robots.txt"})], remembers=True)
    assert allowed(middleware, "/private/x") is RobotsForbiddenError
    with pytest.raises(RobotsForbiddenError):
        asyncio.run(middleware.process_request(Request("https://www.a.example/private/x")))
    assert crawler.asked == ["https://a.example/robots.txt"]
    assert [host.host for host in crawler.ledger.hosts.all()] == ["a.example", "www.a.example"]
    assert crawler.stats["robotstxt/response_count"] == 1


# ---- Over runs


def test_another_run_asks_again_after_a_day_with_validators(crawler):
    validators = {"ETag": '"7"', "Last-Modified": "Fri, 21 Aug 2026 10:00:00 GMT"}
    answers = [(200, RULES % b"7" + b"Sitemap: /s.xml\n", validators), (304, b"")]
    assert allowed(robots(crawler, answers, remembers=True), "/private/x") is RobotsForbiddenError

    crawler.now += DAY_S - 1
    again = robots(crawler, [(500, b"")], remembers=True)
    assert allowed(again, "/private/x") is RobotsForbiddenError
    assert crawler.asked == []
    assert again.sitemaps == {"a.example": ("https://a.example/s.xml",)}
    assert crawler.engine.downloader.slots["a.example"].delay == 7

    crawler.now += 2
    again = robots(crawler, [(304, b"")], remembers=True)
    assert allowed(again, "/private/x") is RobotsForbiddenError
    asked = {"If-None-Match": '"7"', "If-Modified-Since": "Fri, 21 Aug 2026 10:00:00 GMT"}
    assert crawler.headers == [asked]
    assert "webmain/robots_changed" not in crawler.stats

    crawler.now += DAY_S + 1
    assert allowed(robots(crawler, [(200, b"User-agent: *\nDisallow: /x\n")], remembers=True), "/private/x") is True
    assert crawler.headers == [asked]
    assert crawler.stats["webmain/robots_changed"] == 1
    assert crawler.ledger.hosts.get("a.example").robots_changed_at == crawler.now


def test_within_a_long_run_it_is_asked_again_after_a_day(crawler):
    middleware = robots(crawler, [(404, b""), (200, RULES % b"0")])
    assert allowed(middleware, "/private/x") is True
    crawler.now += DAY_S + 1
    assert allowed(middleware, "/private/x") is RobotsForbiddenError


def test_what_was_known_holds_on_while_it_is_unreachable(crawler):
    allowed(robots(crawler, [(200, RULES % b"0")], remembers=True), "/x")
    crawler.now += 90 * DAY_S
    middleware = robots(crawler, [(503, b"")], remembers=True)
    assert allowed(middleware, "/x") is True
    assert allowed(middleware, "/private/x") is RobotsForbiddenError
    assert len(crawler.asked) == 1


def test_after_30_days_without_an_answer_everything_is_allowed(crawler):
    assert allowed(robots(crawler, [(503, b"")], remembers=True), "/x") is RobotsUnreachableError
    crawler.now += 29 * DAY_S
    assert allowed(robots(crawler, [OSError()], remembers=True), "/x") is RobotsUnreachableError
    crawler.now += DAY_S
    assert allowed(robots(crawler, [(503, b"")], remembers=True), "/x") is True
    assert allowed(robots(crawler, [(404, b"")], remembers=True), "/x") is True
    crawler.now += 2 * DAY_S
    host = crawler.ledger.hosts.get("a.example")
    assert (host.robots_failing_since, host.robots, host.robots_status) == (None, b"", 404)


def test_a_clock_that_jumped_back_asks_again(crawler):
    allowed(robots(crawler, [(200, RULES % b"0")], remembers=True), "/x")
    crawler.now -= 400 * DAY_S
    allowed(robots(crawler, [(200, RULES % b"0")], remembers=True), "/x")
    assert len(crawler.asked) == 1


def test_a_damaged_row_is_no_row(crawler):
    allowed(robots(crawler, [(200, RULES % b"0")], remembers=True), "/x")
    with crawler.ledger.transaction() as db:
        db.execute("UPDATE hosts SET robots = 'text', wait_until = x'00', n_refusals = 'many'")
    assert crawler.ledger.hosts.get("a.example") is None
    assert allowed(robots(crawler, [(200, RULES % b"0")], remembers=True), "/private/x") is RobotsForbiddenError
    assert crawler.ledger.hosts.all() == [crawler.ledger.hosts.get("a.example")]


@pytest.mark.parametrize(
    ("header", "age", "hours"),
    [
        ("", "", 24),
        ("public, max-age=7200", "", 2),
        ("max-age=7200", "3000", 1 + 10 / 60),
        ("max-age=60", "", 1),
        ("max-age=99999999", "", 24),
        ("private, no-cache", "", 1),
        ("no-store, max-age=9000", "", 1),
        ("max-age=soon", "later", 24),
    ],
)
def test_cache_control_is_kept_within_an_hour_and_a_day(header, age, hours):
    assert fresh_for_s(header, age) == hours * 3600
