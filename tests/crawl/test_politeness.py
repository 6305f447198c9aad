"""Crawls of sites that refuse: nothing that stands in an article's place is stored, and the next run leaves them alone."""

import sqlite3
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest

from demo.server import serve
from demo.walled import AskFirst, HalfDoor, TollGate, WalledWeb
from webmain.ledger.ledger import Ledger


@pytest.fixture
def web():
    return WalledWeb("http://{host}")


@pytest.fixture
def run(crawl, web, monkeypatch):
    """Crawl the walled web over sockets; return what came of it, and which addresses of each host were asked for."""

    def crawled(**options):
        web.visits.clear()
        with serve(web=web) as base_url:
            monkeypatch.setenv("http_proxy", base_url)
            done = crawl("news", site=",".join(f"http://{host}" for host in web.hosts), timeout_s=240, **options)
        asked = {host: [] for host in web.hosts}
        for url, n in web.visits.items():
            asked[urlsplit(url).hostname] += [urlsplit(url).path] * n
        return done, asked

    return crawled


def test_walls_are_never_stored_and_hosts_that_refuse_are_left_alone_over_runs(run, web):
    done, asked = run(learn="false")
    assert done.code == 0, done.log[-3000:]
    articles = done.articles()
    found = {article["url"] for article in articles}
    expected = {each.url for each in web.expected() if each.site == "halfdoor.example"}
    assert {url for url in found if HalfDoor.host in url} == expected
    assert len([url for url in found if TollGate.host in url]) == TollGate.n_open
    assert not [url for url in found if AskFirst.host in url]
    assert not [article for article in articles if "Enable JavaScript" in article["text"]]
    blocked = {name: n for name, n in done.stats.items() if name.startswith("webmain/blocked/")}
    assert blocked["webmain/blocked/403"] == blocked["webmain/blocked/captcha"] == 1
    assert blocked["webmain/blocked/cloudflare challenge"] >= 6
    for host in (TollGate.host, AskFirst.host):
        assert f"{host}: left alone until" in done.out
    assert HalfDoor.host not in done.out.partition("host")[2]
    assert len(asked[AskFirst.host]) <= 2 * 12
    assert len(asked[TollGate.host]) < 25 + 1
    with Ledger(f"{done.store}.ledger") as ledger:
        assert {host.host: bool(host.blocked_at) for host in ledger.hosts.all()} == {
            TollGate.host: True,
            AskFirst.host: True,
            HalfDoor.host: False,
        }
        pending = dict(ledger.rows("SELECT url, attempts FROM urls WHERE state = 0 AND site = 'tollgate.example'"))

    again, asked = run(learn="false")
    assert again.code == 0, again.log[-3000:]
    assert asked[TollGate.host] == asked[AskFirst.host] == []
    assert "/robots.txt" not in asked[HalfDoor.host]
    assert f"{TollGate.host}: left alone until" in again.out

    with closing(sqlite3.connect(f"{done.store}.ledger")) as db, db:  # two hours later
        db.execute("UPDATE hosts SET refused_at = refused_at - 7200, wait_until = wait_until - 7200")
        db.execute("UPDATE urls SET retry_after = retry_after - 7200")
    web.sites[0].n_open = 1000
    later, asked = run(learn="false")
    assert later.code == 0, later.log[-3000:]
    stored = {article["url"] for article in later.articles()}
    assert pending.keys() <= stored
    assert len([url for url in stored if TollGate.host in url]) == 25
    assert asked[AskFirst.host]
    with Ledger(f"{done.store}.ledger") as ledger:
        assert ledger.hosts.get(TollGate.host).n_refusals == 0
        assert ledger.hosts.get(AskFirst.host).n_refusals == 2


def test_a_long_retry_after_is_kept_by_the_next_run(site, crawl):
    site.routes["/"] = ("<a href='/1'>One</a>", 429, {"Retry-After": "3600", "Content-Type": "text/html"})
    done = crawl("news", site=site.url)
    host = site.url.removeprefix("http://")
    assert done.code == 0, done.log[-3000:]
    assert f"{host}: left alone until" in done.out
    n_asked = sum(site.asked.values())
    again = crawl("news", site=site.url)
    assert again.code == 0
    assert sum(site.asked.values()) == n_asked
    assert "(429)" in again.out


def test_pages_that_wait_behind_a_long_retry_after_are_left_for_later_runs(site, crawl):
    paths = [f"/2026/story-of-the-harbour-and-the-town-{n}" for n in range(6)]
    for path in paths:
        site.article(path)
    site.routes[paths[2]] = ("busy", 429, {"Retry-After": "3600", "Content-Type": "text/html"})
    places = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in paths)
    site.routes["/sitemap.xml"] = (f"<urlset>{places}</urlset>", 200, {"Content-Type": "application/xml"})
    done = crawl("news", site=site.url, learn="no", settings={"DOWNLOAD_DELAY": 0.2, "WEBMAIN_MAX_RETRY_AFTER": 20})
    asked = [path for _, path in site.times]
    assert (done.code, asked[-1]) == (0, paths[2]), done.log[-3000:]  # at once, not after the longest wait
    with closing(sqlite3.connect(f"{done.store}.ledger")) as db:
        pending = {
            url.removeprefix(site.url) for (url,) in db.execute("SELECT url FROM urls WHERE state = 0 AND attempts = 0")
        }
    assert pending == set(paths) - set(asked[: asked.index(paths[2])])


OPTED_OUT: dict[str, dict[str, Any]] = {
    "/2026/noindex-everywhere-in-the-county": {"head": '<meta name="robots" content="noindex, follow">'},
    "/2026/we-alone-are-not-wanted-here": {"headers": {"X-Robots-Tag": "webmain: noindex"}},
    "/2026/mining-is-reserved-by-its-header": {"headers": {"tdm-reservation": "1"}},
    "/2026/training-is-refused-by-its-header": {"headers": {"Content-Usage": "train-ai=n"}},
    "/ai/2026/gptbot-is-shut-out-of-this-one": {},
    "/signal/2026/no-training-says-robots-txt": {},
    "/mine/2026/the-file-at-the-origin-reserves": {},
    "/2026/googlebot-must-not-show-this-one": {"head": '<meta name="googlebot" content="noindex">', "is_kept": True},
    "/2026/pictures-only-are-not-for-machines": {"head": '<meta name="robots" content="noimageai">', "is_kept": True},
    "/2026/nothing-is-said-of-this-one-at-all": {"is_kept": True},
}
RESERVED = (
    "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /ai/\n\n"
    "User-agent: *\nContent-Signal: /signal/ search=yes, ai-train=no\nDisallow:\n"
)
MINING = '[{"location": "/mine/free/*", "tdm-reservation": 0}, {"location": "/mine/", "tdm-reservation": 1}, 7]'


def test_opt_outs_are_recorded_and_obeyed_where_that_is_asked_for(site, crawl):
    site.routes["/robots.txt"] = (RESERVED, 200, {"Content-Type": "text/plain"})
    site.routes["/.well-known/tdmrep.json"] = (MINING, 200, {"Content-Type": "application/json"})
    for path, given in OPTED_OUT.items():
        site.article(path, head=given.get("head", ""))
        site.routes[path].headers = {**site.routes[path].headers, **given.get("headers", {})}
    site.routes["/"] = ("".join(f"<a href='{path}'>{path[1:].replace('-', ' ')}</a>" for path in OPTED_OUT),)
    done = crawl("news", site=site.url, learn="false", respect="optouts")
    kept = {path for path, given in OPTED_OUT.items() if given.get("is_kept")}
    assert {article["url"].removeprefix(site.url) for article in done.articles()} == kept
    assert done.stats["webmain/rejected/opted_out"] == len(OPTED_OUT) - len(kept)
    assert site.asked["/.well-known/tdmrep.json"] == site.asked["/ai.txt"] == site.asked["/robots.txt"] == 1
    unasked = [path for path in OPTED_OUT if not site.asked[path]]
    assert sorted(path.split("/")[1] for path in unasked) == ["ai", "mine", "signal"]
    assert "7 opted out" in done.out

    site.asked.clear()
    crawl.store.unlink()
    all_of_them = crawl("news", site=site.url, learn="false", skip_known="false")
    signals = {article["url"].removeprefix(site.url): article["opt_outs"] for article in all_of_them.articles()}
    assert signals.keys() == OPTED_OUT.keys()
    assert signals["/ai/2026/gptbot-is-shut-out-of-this-one"] == ["robots.txt:ccbot", "robots.txt:gptbot"]
    assert signals["/signal/2026/no-training-says-robots-txt"] == ["content-signal:ai-train=no"]
    assert not site.asked["/ai.txt"] + site.asked["/.well-known/tdmrep.json"] + site.asked["/robots.txt"]


def test_a_robots_txt_that_was_read_yesterday_is_asked_for_once_with_its_validators(site, crawl):
    site.routes["/robots.txt"] = lambda n: (
        ("User-agent: *\nDisallow: /p/\n", 200, {"ETag": '"7"'}) if n == 1 else ("", 304)
    )
    site.routes["/"] = ("<a href='/p/2026/forbidden-story-of-the-county'>A forbidden story of the county</a>",)
    assert crawl("news", site=site.url).stats["webmain/failed/robots"] == 1
    with closing(sqlite3.connect(f"{crawl.store}.ledger")) as db, db:
        db.execute("UPDATE hosts SET robots_at = robots_at - 90000, robots_until = robots_until - 90000")
    again = crawl("news", site=site.url)
    assert site.asked["/robots.txt"] == 2
    assert again.stats["robotstxt/response_status_count/304"] == 1
    assert not site.asked["/p/2026/forbidden-story-of-the-county"]
