"""Crawls from the browser: what may be asked for, watched and stopped; attacks on what starts a process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from tests.web.conftest import ORIGIN
from tests.web.stores import HOSTILE_TITLE, article, filled
from webmain.sites.rules import read_sites
from webmain.store.sqlite import SqliteStore
from webmain.web import crawling
from webmain.web.config import Config, Limits
from webmain.web.crawling import Crawl, Crawls, command, crawl_arguments, environment
from webmain.web.problems import Problem

CONFIG = Config(store="sqlite:/tmp/a.db")

WAITS = """
import json, pathlib, signal, sys, time
folder = pathlib.Path({folder!r})
def end(*_):
    print("was told to end", flush=True)
    sys.exit(4)
signal.signal(signal.SIGTERM, end)
stats = {{"webmain/articles/new": 7, "webmain/rejected/<script>": 2, "response_received_count": 31, "webmain/run": 1}}
(folder / "crawl.json").write_text(json.dumps(stats))
print("fetched <script>alert(1)</script> \\x1b[31m\\u202e https://news.example/", flush=True)
time.sleep(60)
"""


@pytest.fixture
def slow(monkeypatch):
    """Crawls that write figures and wait until they are told to end."""

    def line(wanted, config, folder):
        return [sys.executable, "-c", WAITS.format(folder=str(folder))]

    monkeypatch.setattr(crawling, "command", line)


@pytest.fixture
def client(connect, tmp_path):
    return connect(store=f"sqlite:{tmp_path / 'a.db'}", models=str(tmp_path / "models"))


def start(client, **data):
    return client.send_form("/crawls", data, page="/crawls")


def wait_for(found, timeout_s=120):
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.1)
    raise AssertionError("it did not come")


def ended(client):
    page = client.get("/crawls/now").text
    return page if "http-equiv" not in page else ""


def test_a_crawl_of_the_made_up_web_is_started_watched_and_listed(client):
    assert "No crawl has written to this store yet" in client.get("/crawls").text
    answer = start(client, where="demo", extractor="pab", max_articles="4", max_pages="40")
    assert (answer.status_code, answer.headers["location"]) == (303, "/crawls/now")
    assert 'http-equiv="refresh"' in client.get("/crawls/now").text
    page = wait_for(lambda: ended(client))
    assert "The crawl stopped at its limit of articles" in page, page
    assert "4 new" in page
    number = re.search(r'href="/crawls/(\d+)"', page)[1]
    run = client.get(f"/crawls/{number}").text
    assert "stopped at its limit of articles" in run
    assert "harbour-courier.example" in run
    assert "4 articles" in client.get("/articles").text
    assert f'href="/crawls/{number}"' in client.get("/crawls").text
    assert "WEBMAIN_" not in run


def test_a_crawl_is_stopped_and_what_was_fetched_is_stored(client, tmp_path):
    start(client, where="demo", extractor="pab")
    wait_for(lambda: re.search(r"Articles stored</dt><dd>[1-9]", client.get("/crawls/now").text))
    assert client.send_form("/crawls/now/stop", {}, page="/crawls/now").status_code == 303
    page = wait_for(lambda: ended(client))
    assert "stopped; what was fetched is stored" in page, page
    with SqliteStore(tmp_path / "a.db", read_only=True) as store:
        assert store.catalogue().runs()[0].reason == "shutdown"
        assert store.count()


def test_one_crawl_runs_at_a_time_and_its_log_is_text(client, slow):
    start(client, site="news.example")
    page = wait_for(
        lambda: (found := client.get("/crawls/now").text) and "31" in found and "fetched" in found and found
    )
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "7 new" in page
    assert "is running" in client.get("/crawls").text
    token = re.search(r'name="form_token" value="([0-9a-f]+)"', page)[1]
    again = client.post("/crawls", data={"form_token": token, "site": "b.example"}, headers={"origin": ORIGIN})
    assert again.status_code == 409
    client.send_form("/crawls/now/stop", {}, page="/crawls/now")
    assert "was told to end" in wait_for(lambda: ended(client))


def test_the_end_of_the_server_ends_the_crawl_gracefully(tmp_path, slow):
    crawls = Crawls(CONFIG)
    crawl = crawls.start({"site": "https://news.example/"})
    wait_for(lambda: crawl.stats)
    crawls.close()
    assert crawl.code == 4
    with pytest.raises(Problem):
        crawls.start({"site": "https://news.example/"})


def test_a_crawl_that_does_not_listen_is_killed(tmp_path):
    deaf = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    )
    crawl = Crawl({"site": "x"}, [sys.executable, "-c", deaf], dict(os.environ), tmp_path)
    wait_for(lambda: crawl.log)
    crawl.finish(within_s=0.5)
    assert crawl.code == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's promise is Linux'")
def test_a_crawl_ends_also_where_the_server_is_killed(tmp_path):
    child = (
        "import pathlib, signal, sys, time\n"
        "from webmain.processes.fork_server import end_with_parent\n"
        f"signal.signal(signal.SIGTERM, lambda *_: (pathlib.Path({str(tmp_path / 'ended')!r}).touch(), sys.exit(0)))\n"
        "end_with_parent(int(sys.argv[1]), by=signal.SIGTERM)\n"
        f"pathlib.Path({str(tmp_path / 'ready')!r}).touch()\n"
        "time.sleep(60)\n"
    )
    parent = (
        "import os, subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', {child!r}, str(os.getpid())], start_new_session=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", parent]) as server:
        wait_for((tmp_path / "ready").exists, 30)
        server.kill()
    wait_for((tmp_path / "ended").exists, 30)


@pytest.mark.parametrize("site", ["user:pw@bbc.com", "https://user@bbc.com/", "//user:pw@bbc.com", "'user:pw@bbc.com'"])
def test_user_names_and_passwords_of_a_site_are_refused(site):
    with pytest.raises(Problem, match="User name or password") as caught:
        crawl_arguments({"site": site}, CONFIG)
    assert (caught.value.status_code, "pw" in caught.value.detail) == (400, False)
    for address in ("bbc.com/@user", "'bbc.com/@user'", "//bbc.com/@user"):
        assert crawl_arguments({"site": address}, CONFIG)["site"] == "https://bbc.com/@user"


@pytest.mark.parametrize(
    "site",
    [
        "",
        "-a store=x",
        "--set=LOG_FILE=/tmp/x",
        "news.example -s X=1",
        "news.example\n-s",
        "a.example,b.example",
        "a.example=b.example",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "ftp://news.example/",
        "$(id).example;reboot",
        "localhost",
        "127.0.0.1",
        "http://127.1/",
        "http://0x7f000001/",
        "http://2130706433/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/latest/",
        "http://10.0.0.1/",
        "http://news.example:22/",
        "http://news.example:6379/",
        "http://x.localhost/",
        "x" * 3_000,
        "http://" + "a" * 3_000 + ".example",
    ],
)
def test_no_site_is_an_option_a_command_or_a_private_address(site):
    with pytest.raises(Problem) as caught:
        crawl_arguments({"site": site}, CONFIG)
    assert caught.value.status_code in (400, 403)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_articles", "0"),
        ("max_articles", "2001"),
        ("max_pages", "1e3"),
        ("max_pages", "-5"),
        ("max_pages", "\u0663"),
        ("extractor", "os:system"),
        ("extractor", "demo.web:Web"),
        ("extractor", "learned:model=/etc/passwd"),
        ("since", "last week"),
        ("since", "2026-11-01 -s X=1"),
        ("language", "english"),
        ("language", "en,-s"),
    ],
)
def test_no_other_value_is_one_that_is_not_allowed(name, value):
    with pytest.raises(Problem) as caught:
        crawl_arguments({"site": "news.example", name: value}, CONFIG)
    assert caught.value.status_code == 400


def test_fields_that_are_not_of_the_form_change_nothing(tmp_path):
    evil = {
        "store": "jsonl:/etc/x",
        "record": "/tmp/x",
        "sites": "/etc/passwd",
        "path": "x",
        "settings": "A=1",
        "keep": "links",
    }
    plain, with_more = (crawl_arguments({"site": "news.example"} | more, CONFIG) for more in ({}, evil))
    assert command(plain, CONFIG, tmp_path) == command(with_more, CONFIG, tmp_path)
    line = command(plain, CONFIG, tmp_path)
    assert "store=sqlite:/tmp/a.db" in line
    assert "site=https://news.example/" in line
    assert "WEBMAIN_NAMED_PRIVATE=0" in line
    assert "WEBMAIN_ALLOW_PRIVATE=0" in line
    assert "WEBMAIN_CHROMIUM_SANDBOX=1" in line
    assert [part for part in line[6:] if part.startswith("-")] == ["-a"] * line.count("-a") + ["-s"] * line.count("-s")


def test_a_crawl_has_the_servers_rules_and_corrections(tmp_path):
    rules = tmp_path / "sites.toml"
    config = replace(CONFIG, sites_file=str(rules), corrections=str(tmp_path / "c.jsonl"))
    wanted = crawl_arguments({"site": "news.example"}, config)
    assert "WEBMAIN_SITES=" in command(wanted, config, tmp_path)
    rules.write_text('["news.example"]\ndelay = 1\n')
    line = command(wanted, replace(config, sites=read_sites(rules)), tmp_path)
    assert f"WEBMAIN_SITES={rules}" in line
    assert f"WEBMAIN_CORRECTIONS={tmp_path}/c.jsonl" in line


def test_values_that_are_allowed_reach_the_spider(tmp_path):
    from webmain.spiders.arguments import read_news_arguments

    form = {
        "site": "news.example",
        "max_articles": "7",
        "extractor": "pab",
        "since": "3d",
        "language": "TH",
        "again": "1",
    }
    line = command(crawl_arguments(form, CONFIG), CONFIG, tmp_path)
    given = dict(line[i + 1].split("=", 1) for i, part in enumerate(line) if part == "-a")
    read = read_news_arguments(given)
    assert (read.max_articles, read.max_pages, read.language, read.skip_known) == (7, 200, "th", False)
    assert read.extractor.name == "pab"


def test_private_sites_are_crawled_where_the_server_allows_it(tmp_path):
    config = Config(store="sqlite:/tmp/a.db", allow_private=True)
    line = command(crawl_arguments({"site": "http://127.0.0.1:8080/"}, config), config, tmp_path)
    assert "WEBMAIN_ALLOW_PRIVATE=1" in line


def test_secrets_of_the_server_are_not_the_crawls(monkeypatch):
    monkeypatch.setenv("WEBMAIN_TOKEN", "correct horse")
    monkeypatch.setenv("WEBMAIN_ALLOW_PRIVATE", "1")
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "evil.settings")
    env = environment({"site": "https://news.example/"})
    assert "correct horse" not in env.values()
    assert "WEBMAIN_ALLOW_PRIVATE" not in env
    assert env["SCRAPY_SETTINGS_MODULE"] == "webmain.settings"


def test_pages_are_recorded_where_the_server_has_recordings(tmp_path):
    wanted = {"site": "https://news.example/"}
    for pages, record in ((tmp_path, tmp_path / "crawls.warc.gz"), (tmp_path / "b.warc.gz", tmp_path / "b.warc.gz")):
        config = Config(store="sqlite:/tmp/a.db", pages=str(pages))
        assert f"record={record}" in command(wanted, config, tmp_path)
    for pages in (None, f"{tmp_path}/*.warc.gz", f"{tmp_path}/b.warc"):
        line = command(wanted, Config(store="sqlite:/tmp/a.db", pages=pages), tmp_path)
        assert not [part for part in line if part.startswith("record=")]


@pytest.mark.parametrize("path", ["/crawls", "/crawls/now/stop"])
def test_starting_and_stopping_need_the_token_of_the_form(client, slow, path):
    client.get("/crawls")
    data = {"site": "news.example"}
    assert client.post(path, data=data, headers={"origin": ORIGIN}).status_code == 403
    assert client.post(path, data=data, headers={"origin": "http://evil.example"}).status_code == 403
    assert client.get("/crawls/now").status_code == 404
    assert client.get("/crawls/now/stop").status_code == 405


def test_what_is_wrong_with_the_form_is_told_above_it_and_the_rest_is_kept(client):
    answer = start(client, site="localhost", max_articles="9")
    assert answer.status_code == 403
    assert "not on the public internet" in answer.text
    assert 'value="9"' in answer.text
    assert 'value="localhost"' in answer.text
    answer = start(client, site=HOSTILE_TITLE)
    assert answer.status_code == 400
    assert "<script>" not in answer.text


def test_hostile_figures_and_arguments_of_a_crawl_are_text(connect, tmp_path):
    stats = {
        f"webmain/rejected/{HOSTILE_TITLE}": 1,
        f"webmain/site/{HOSTILE_TITLE}/articles": 2,
        "webmain/warning/x": HOSTILE_TITLE,
        "webmain/store_error": HOSTILE_TITLE,
        "webmain/refused_addresses": 3,
        "webmain/refused_address": HOSTILE_TITLE,
        HOSTILE_TITLE: HOSTILE_TITLE,
    }
    spec = filled(tmp_path / "a.db", article(0))
    with SqliteStore(tmp_path / "a.db") as store:
        arguments = {"sites": [HOSTILE_TITLE, 3], HOSTILE_TITLE: {"a": HOSTILE_TITLE}, "n": 3}
        store.finish_run(store.start_run(arguments), reason=HOSTILE_TITLE, stats=stats)
        store.finish_run(
            store.start_run({"sites": "odd"}),
            reason="odd",
            stats={"webmain/pages": "many", "elapsed_time_seconds": "x"},
        )
        store.start_run({"sites": 7})
    client = connect(store=spec)
    for path in ("/crawls", "/crawls/1", "/crawls/2", "/crawls/3"):
        page = client.get(path)
        assert page.status_code == 200, path
        assert "<script>" not in page.text
    assert "end not recorded" in client.get("/crawls/3").text


@pytest.mark.parametrize(
    "path", ["/crawls/9", "/crawls/99999999999999999999999", "/crawls/x", "/crawls/-1", "/crawls/now"]
)
def test_crawls_that_are_not_there_are_not_found(connect, tmp_path, path):
    assert connect(store=filled(tmp_path / "a.db", article(0))).get(path).status_code == 404


def test_many_crawls_are_cut_into_parts(connect, tmp_path):
    spec = filled(tmp_path / "a.db", article(0))
    with SqliteStore(tmp_path / "a.db") as store:
        for _ in range(70):
            store.finish_run(store.start_run({}), reason="finished")
    client = connect(store=spec)
    seen, address = [], "/crawls"
    while address:
        page = client.get(address).text
        seen += re.findall(r'<a href="/crawls/(\d+)">\d+</a>', page)
        found = re.search(r'rel="next" href="([^"]+)"', page)
        address = found[1] if found else ""
    assert seen == [str(n) for n in range(70, 0, -1)]
    assert client.get("/crawls?before=x").status_code == 400


def test_the_servers_limits_are_those_of_its_crawls(tmp_path):
    config = Config(store="sqlite:/tmp/a.db", limits=Limits(crawl_pages=5, crawl_s=60))
    with pytest.raises(Problem):
        crawl_arguments({"site": "news.example", "max_pages": "6"}, config)
    wanted = crawl_arguments({"site": "news.example", "max_pages": "5", "max_articles": "5"}, config)
    assert "CLOSESPIDER_TIMEOUT=60" in command(wanted, config, tmp_path)
