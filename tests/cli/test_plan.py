"""`webmain plan`: what a crawl would do, by the spider itself, without an article."""

import json
from functools import partial

import pytest

from tests.crawl.conftest import Answer, LocalSite
from tests.crawl.forking import environment
from webmain.ledger.ledger import DoneUrl, Ledger


@pytest.fixture
def site():
    server = LocalSite()
    yield server
    server.close()


@pytest.fixture
def started(tmp_path, run_module):
    def run(name, *arguments, module="webmain.settings"):
        env = {**environment(), "SCRAPY_SETTINGS_MODULE": module}
        return run_module(name, *arguments, folder=tmp_path, env=env)

    return run


@pytest.fixture
def plan(started):
    return partial(started, "webmain.cli", "plan")


def serve(site):
    """A site with robots.txt, a feed, a section, and articles of which one is forbidden."""
    stories = [f"/2026/11/20/story-number-{n}-is-told" for n in range(3)] + ["/2026/11/20/secret/story-four-is-told"]
    for path in stories:
        site.article(path)
    links = "".join(f"<a href='{path}'>A headline of this story {path}</a> " for path in stories)
    site.routes["/"] = Answer(
        f"<link rel=alternate type=application/rss+xml href=/feed.xml><a href=/sport/>S</a>{links}"
    )
    items = "".join(f"<item><link>{site.url}{path}</link><title>t</title></item>" for path in stories)
    site.routes["/feed.xml"] = Answer(
        f"<rss version='2.0'><channel><title>t</title>{items}</channel></rss>", 200, {"Content-Type": "text/xml"}
    )
    site.routes["/robots.txt"] = Answer("User-agent: *\nCrawl-delay: 2\nDisallow: /2026/11/20/secret\n")
    return stories


def test_plan_asks_for_no_article_and_writes_nothing(site, plan, tmp_path):
    stories = serve(site)
    ledger = tmp_path / "news.db.ledger"
    with Ledger(ledger) as file:
        file.mark_done([DoneUrl(url=site.url + stories[0], article_id="a")], site=site.url.partition("://")[2])
    before = ledger.read_bytes()
    done = plan(
        site.url, "--store", "sqlite:news.db", "--json", "-s", "WEBMAIN_ALLOW_PRIVATE=1", "-s", "AUTOTHROTTLE_ENABLED=0"
    )
    assert (done.returncode, done.stderr) == (0, "")
    (found,) = json.loads(done.stdout)
    assert not [path for path in site.asked if "story" in path]
    assert site.asked["/robots.txt"] == 1
    assert ledger.read_bytes() == before
    assert {p.name for p in tmp_path.iterdir()} <= {"news.db.ledger", "news.db.ledger-shm", "news.db.ledger-wal"}
    assert (found["robots"], found["crawl_delay_s"], found["delay_s"]) == ("allowed", 2.0, 2.0)
    assert found["feeds"] == [f"{site.url}/feed.xml"]
    assert found["sections"] == [f"{site.url}/sport/"]
    assert (found["new"], found["known"], found["forbidden"]) == (2, 1, 1)
    assert (found["n_requests"], found["takes_s"]) == (3, 6.0)
    assert set(found["first"]) == {site.url + path for path in (stories[1], stories[2], "/sport/")}


def test_plan_is_written_for_people(plan):
    done = plan("harbour-courier.example", "no-such-site.example", "-s", "DOWNLOAD_DELAY=.5", module="demo.settings")
    assert done.returncode == 1
    courier, missing = done.stdout.split("\n\n")
    assert "robots.txt  allows the front page\n" in courier
    assert "  feeds       1: /feed/atom.xml\n" in courier
    assert "11 new (" in courier
    assert "a run       about 10 s at a request every 0.5 s: 20 pages" in courier
    assert "  first       https://www.harbour-courier.example/" in courier
    assert "cannot be read now: nothing is fetched" in missing
    assert done.stderr == ""


def test_what_a_run_has_settled_is_known(plan, started):
    crawl = ["crawl", "news", "-a", "site=harbour-courier.example", "-a", "store=jsonl:a.jsonl"]
    assert started("scrapy", *crawl, module="demo.settings").returncode == 0
    done = plan("harbour-courier.example", "--store", "jsonl:a.jsonl", "--json", module="demo.settings")
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    assert found["new"] == 0
    assert found["known"] >= 11
    assert len(found["sitemaps"]) == 4


def test_site_that_forbids_all_is_told(site, plan):
    serve(site)
    site.routes["/robots.txt"] = Answer("User-agent: webmain\nDisallow: /\n")
    done = plan(site.url, "-s", "WEBMAIN_ALLOW_PRIVATE=1", "-s", "DOWNLOAD_DELAY=0")
    assert done.returncode == 3
    assert "forbids the front page" in done.stdout
    assert set(site.asked) == {"/robots.txt"}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("not a site",), "argument site"),
        (("a.example", "-a", "since=yesterdy"), "argument since"),
        (("a.example", "-a", "site=b.example"), "-a site: name it before the options"),
        (("a.example", "-s", "nonsense"), "-s nonsense: allowed is NAME=VALUE"),
        (("a.example", "-s", "WEBMAIN_SITES=none.toml"), "none.toml: cannot be read"),
    ],
)
def test_wrong_arguments_are_told(plan, arguments, told):
    done = plan(*arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_damaged_ledger_is_told(plan, tmp_path):
    (tmp_path / "a.ledger").write_bytes(b"no database " * 900)
    done = plan("a.example", "-s", "WEBMAIN_LEDGER=a.ledger")
    assert done.returncode == 3
    assert "a.ledger" in done.stderr
    assert "Traceback" not in done.stderr
