"""Headers as no server should send them: each is an ordinary failure with an attempt, and none ends in a traceback."""

import gzip

from webmain.ledger.ledger import LONGEST_RETRY_S, Ledger, State

TEXT = " ".join(f"On day {n} the harbour was dredged again, as the council had promised." for n in range(30))
ARTICLE = f"<title>A story</title><article><p>{TEXT}</p></article>"
HTML = {"Content-Type": "text/html; charset=utf-8"}

LOCATIONS = {
    "bracket": "http://[::1",
    "script": "javascript:alert(1)",
    "empty": "",
    "blank": "   ",
    "long": "/" + "a" * 50_000,
    "latin": "http://ex\xe9mple\xff\xfe/\xe9",
    "control": "http://\x01\x1b[31m.example/\x00",
    "data": "data:text/html,<p>hello",
    "file": "file:///etc/passwd",
    "port": "http://example.org:99999999/",
    "host": "http:///nothing",
    "percent": "http://%zz%00/",
    "self": "SELF",
    "loop": "LOOP",
    "dots": "http://a..b/",
}
HEADERS = {
    "type": {"Content-Type": "text/html; charset=\x01\xff; charset=utf-8; =;;" + "x" * 5000},
    "length": {**HTML, "Content-Length": "-5"},
    "lengths": {**HTML, "Content-Length": "1e99"},
    "modified": {**HTML, "Last-Modified": "Fri, 99 Foo 99999 99:99:99 +9999", "Date": "\xff", "Expires": "-1"},
    "coding": {**HTML, "Content-Encoding": "gzip, \x01, br, x" + ",gzip" * 500},
    "later": {**HTML, "Refresh": "nan; url=http://[::1", "Retry-After": "9" * 90},
}


def slug(name):
    return f"/news/2026/11/20/the-{name}-of-the-harbour-was-dredged-again"


def test_bad_headers_are_failures_with_an_attempt(crawl, site):
    for name, location in LOCATIONS.items():
        named = {"SELF": slug(name), "LOOP": slug("loop") + "?again=1"}.get(location, location)
        site.routes[slug(name)] = ("", 302, {**HTML, "Location": named})
    site.routes[slug("loop") + "?again=1"] = ("", 301, {"Location": slug("loop")})
    for name, headers in HEADERS.items():
        site.routes[slug(name)] = (ARTICLE.replace("harbour", name), 200, headers)
    site.routes[slug("busy")] = ("", 503, {**HTML, "Retry-After": "9" * 60})
    site.routes[slug("never")] = ("", 429, {**HTML, "Retry-After": "Fri, 31 Dec 9999 23:59:59 GMT"})
    site.routes["/robots.txt"] = (
        "User-agent: *\nCrawl-delay: 1e99\nCrawl-delay: nan\nCrawl-delay: -7\nRequest-rate: x/y\nDisallow: %zz[*$\n",
    )
    names = [*LOCATIONS, *HEADERS, "busy", "never"]
    links = "".join(f'<a href="{slug(name)}">The {name} of the harbour</a>' for name in names)
    site.routes["/"] = (f"<html><body>{links}</body></html>",)
    settings = {"WEBMAIN_MAX_CRAWL_DELAY": "0.01", "WEBMAIN_MAX_RETRY_AFTER": "0.01", "RETRY_TIMES": 0}
    settings["WEBMAIN_BACK_OFF"] = "0"  # else the first mad Retry-After leaves the whole host alone
    done = crawl("news", site=site.url, settings=settings)
    assert done.code == 0, done.log[-3000:]
    assert "Traceback" not in done.log
    failed = {name.rpartition("/")[2]: n for name, n in done.stats.items() if name.startswith("webmain/failed/")}
    assert failed["redirect_self"] >= 1
    assert failed["redirect_loop"] == 1
    assert failed["bad_redirect"] >= 8
    with Ledger(f"{done.store}.ledger") as ledger:
        states = {name: ledger.state(site.url + slug(name)) for name in [*LOCATIONS, "busy", "never"]}
    assert set(states.values()) == {State.PENDING}, states
    with Ledger(f"{done.store}.ledger", clock=lambda: 4e9) as ledger:  # long after the longest wait
        waiting = dict(ledger.rows("SELECT url, attempts FROM urls WHERE state = 0"))
    assert all(waiting[site.url + slug(name)] == 1 for name in states), waiting


def test_no_server_can_put_an_article_off_for_more_than_a_day(tmp_path):
    now = 1e9
    with Ledger(tmp_path / "ledger", clock=lambda: now) as ledger:
        for wanted in (1e20, float("inf"), 1e9, float("nan"), -5.0):
            ledger.mark_failed(f"https://a.example/{wanted}", "http_error", retry_after_s=wanted, site="a.example")
        now += LONGEST_RETRY_S + 1
        assert len(ledger.pending("a.example", 10)) == 5


def test_a_page_whose_gzip_is_undeclared_is_unpacked(crawl, site):
    site.routes["/"] = (f'<a href="{slug("gate")}">The gate of the harbour</a>',)
    site.routes[slug("gate")] = (gzip.compress(ARTICLE.encode()), 200, HTML)
    (article,) = crawl("news", site=site.url).articles()
    assert article["text"].startswith("On day 0 the harbour")


def test_a_whole_page_with_a_wrong_length_is_accepted_and_a_cut_one_stays_pending(crawl, site):
    page = f"<html><head><title>A story</title></head><body>{ARTICLE}</body></html>"
    packed, wrong = gzip.compress(page.encode()), {**HTML, "Content-Length": "99999", "Connection": "close"}
    site.routes[slug("whole")] = (page, 200, wrong)
    site.routes[slug("packed")] = (packed, 200, {**wrong, "Content-Encoding": "gzip"})
    site.routes[slug("cut")] = (page[:900], 200, wrong)
    site.routes[slug("torn")] = (packed[:-120], 200, {**wrong, "Content-Encoding": "gzip"})
    links = "".join(
        f'<a href="{slug(name)}">The {name} of the harbour</a>' for name in ("whole", "packed", "cut", "torn")
    )
    site.routes["/"] = (f"<html><body>{links}</body></html>",)
    done = crawl("news", site=site.url, settings={"RETRY_TIMES": 1})
    assert done.code == 0, done.log[-3000:]
    assert "Traceback" not in done.log
    assert done.stats["webmain/wrong_length"] == 2
    assert done.stats["webmain/failed/data_loss"] == 2
    with Ledger(f"{done.store}.ledger") as ledger:
        states = {name: ledger.state(site.url + slug(name)) for name in ("whole", "packed", "cut", "torn")}
    assert states["cut"] == states["torn"] == State.PENDING
    assert State.PENDING not in (states["whole"], states["packed"])
