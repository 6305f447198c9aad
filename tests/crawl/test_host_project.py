"""docs/scrapy.md as written: webmain's parts in a project that is not webmain's."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from subprocess import CompletedProcess

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "scrapy.md").read_text("utf-8"), re.DOTALL)

SETTINGS = """
BOT_NAME = "tide"
SPIDER_MODULES = ["tide.spiders"]
NEWSPIDER_MODULE = "tide.spiders"
USER_AGENT = "tidewatch/1 (+https://tide.example)"
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 0.05
CONCURRENT_REQUESTS_PER_DOMAIN = 1
AUTOTHROTTLE_ENABLED = False
COOKIES_ENABLED = True
RETRY_TIMES = 4
DOWNLOADER_MIDDLEWARES = {"tide.dump.Mark": 543}
EXTENSIONS = {"tide.dump.Dump": 500}
LOG_LEVEL = "INFO"
"""
DUMP = '''
import json
from scrapy import signals

ADDED = ("ITEM_PIPELINES", "EXTENSIONS", "SPIDER_MIDDLEWARES")


class Mark:
    def process_request(self, request):
        request.headers["X-Tide"] = "1"


class Dump:
    """Writes all settings, with their priorities, and the stats."""

    @classmethod
    def from_crawler(cls, crawler):
        dump = cls()
        dump.crawler = crawler
        crawler.signals.connect(dump.closed, signals.spider_closed)
        return dump

    def closed(self):
        settings = self.crawler.settings
        values = settings.copy_to_dict()
        plain = {k: [repr(v), settings.getpriority(k)] for k, v in values.items() if k not in (*ADDED, "ADDONS")}
        parts = {k: {str(path): number for path, number in settings.getdict(k).items()} for k in ADDED}
        stats = {k: v for k, v in self.crawler.stats.get_stats().items() if isinstance(v, (int, str))}
        with open("dump.json", "w") as out:
            json.dump({"plain": plain, "parts": parts, "stats": stats}, out)
'''


def block(start: str) -> str:
    """Return the document's block of code that has these words."""
    (found,) = [text for text in BLOCKS if start in text]
    return found


class Project:
    """A Scrapy project of somebody's, with the document's spider."""

    def __init__(self, folder: Path, site: str, start: Callable[..., CompletedProcess[str]]) -> None:
        self.folder, self.start = folder, start
        package = folder / "tide"
        (package / "spiders").mkdir(parents=True)
        (folder / "scrapy.cfg").write_text("[settings]\ndefault = tide.settings\n")
        for name in ("", "spiders/"):
            (package / f"{name}__init__.py").write_text("")
        (package / "dump.py").write_text(DUMP)
        (package / "pipelines.py").write_text(block("class OnlyLong"))
        self.spider = block("class Stories").replace("https://paper.example", site)
        (package / "spiders" / "stories.py").write_text(self.spider)

    def crawl(self, *lines: str, attributes: str = "") -> CompletedProcess[str]:
        """Crawl with some lines added to the settings."""
        (self.folder / "tide" / "settings.py").write_text("\n".join([SETTINGS, *lines]))
        spider = self.spider.replace("    name =", f"    {attributes}\n    name =") if attributes else self.spider
        (self.folder / "tide" / "spiders" / "stories.py").write_text(spider)
        env = {k: v for k, v in os.environ.items() if k != "SCRAPY_SETTINGS_MODULE"}
        env |= {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        return self.start("scrapy", "crawl", "stories", folder=self.folder, env=env)

    def run(self, *lines: str, attributes: str = "") -> dict[str, dict]:
        """Crawl as `crawl` does; return what the project's extension saw."""
        done = self.crawl(*lines, attributes=attributes)
        assert done.returncode == 0, done.stderr[-3000:]
        assert "Traceback" not in done.stderr, done.stderr[-3000:]
        return json.loads((self.folder / "dump.json").read_text())

    def stored(self, name: str = "output/articles.jsonl") -> list[dict]:
        path = self.folder / name
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


@pytest.fixture
def project(site, tmp_path, run_module) -> Project:
    for n in range(6):
        site.article(f"/story/{n}", None if n else "Too short a story to be kept by a pipeline that wants long ones.")
    links = "".join(f"<li><a class=story href=/story/{n}>Story {n}</a></li>" for n in range(6))
    site.routes["/"] = (f"<html><body><ul>{links}<li><a class=story href=/deep>Deep</a></li></ul></body></html>",)
    site.article("/deep")
    site.routes["/robots.txt"] = ("User-agent: *\nDisallow: /deep\n", 200, {"Content-Type": "text/plain"})
    return Project(tmp_path, site.url, run_module)


def test_one_line_gives_articles_and_leaves_the_projects_manners_alone(project, site):
    before = project.run()
    assert project.stored() == []
    site.agents.clear()
    site.times.clear()
    after = project.run(block("ADDONS"))
    assert {a["url"] for a in project.stored()} == {f"{site.url}/story/{n}" for n in range(6)}
    assert sum("happened that day" in a["text"] for a in project.stored()) == 5
    assert all(a["extractor"] == "learned" and a["words"] for a in project.stored())
    assert after["plain"] == before["plain"]
    own = {name: {p: n for p, n in parts.items() if "webmain" not in p} for name, parts in after["parts"].items()}
    assert own == before["parts"]
    assert site.agents == {"tidewatch/1 (+https://tide.example)"}
    assert "/deep" not in [path for _, path in site.times]
    times = [at for at, path in site.times if path.startswith("/story")]
    assert min(b - a for a, b in pairwise(times)) > 0.012  # at least 0.025 is between them when they are sent
    assert after["stats"]["webmain/articles/new"] == 6
    assert after["stats"]["item_scraped_count"] == 7  # with the item of the spider's own


def test_items_are_mixed_sorted_by_feeds_and_seen_by_pipelines_between(project, site):
    lines = (block("ADDONS"), block('OnlyLong": 300'), block("FEEDS"), "WEBMAIN_LEARN = False", "WEBMAIN_WORKERS = 0")
    told = project.run(*lines)
    articles = project.stored("articles.jsonl")
    assert {a["url"] for a in articles} == {f"{site.url}/story/{n}" for n in range(1, 6)}
    assert all(a["blocks"] and a["title"] for a in articles)
    with (project.folder / "lists.csv").open(newline="") as lists:
        assert list(csv.DictReader(lists)) == [{"list": f"{site.url}/", "links": "7"}]
    assert project.stored() == []
    assert told["parts"]["ITEM_PIPELINES"]["webmain.pipelines.Store"] is None


def test_pipelines_work_one_by_one_without_any_setting_of_webmains(project, site):
    single = block('"webmain.pipelines.Compose": 500')
    told = project.run(
        single.replace("}", '    "webmain.pipelines.Cloud": 600,\n    "webmain.pipelines.Store": 700,\n}')
    )
    assert {a["url"] for a in project.stored()} == {f"{site.url}/story/{n}" for n in range(6)}
    assert all(0 < len(a["words"]) <= 50 for a in project.stored())
    assert told["stats"]["webmain/pages"] == 6
    assert "dropped" not in " ".join(told["stats"])


def test_attributes_of_the_spiders_own_that_mean_something_else_are_left_alone(project, site):
    other = "extractor = keep = since = language = learn = max_articles = store_spec = scrapy.linkextractors.LinkExtractor()"
    project.run(block("ADDONS"), attributes=f"import scrapy.linkextractors\n    {other}")
    assert len(project.stored()) == 6


def test_a_setting_that_cannot_be_used_ends_the_crawl_before_it_begins(project, site):
    done = project.crawl(block("ADDONS"), "WEBMAIN_KEEP = 'zz'", "WEBMAIN_LEARN = 'zz'")
    assert done.returncode == 1
    assert "setting WEBMAIN_KEEP: got 'zz'" in done.stderr
    assert "setting WEBMAIN_LEARN: got 'zz'" in done.stderr
    assert "STOPWORDS" not in done.stderr
    assert not site.times


@pytest.mark.parametrize(("command", "code"), [("", 0), (block("COMMANDS_MODULE"), 1)])
def test_store_that_fails_ends_the_crawl_with_a_reason_and_by_our_command_with_an_exit_code(project, command, code):
    done = project.crawl(block("ADDONS"), "WEBMAIN_STORE = 'jsonl:/dev/full'", command)
    assert done.returncode == code
    assert "ERROR: The crawl ends: store jsonl:/dev/full" in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads((project.folder / "dump.json").read_text())["stats"]["finish_reason"] == "store_error"


@pytest.mark.parametrize(("command", "code"), [("", 0), (block("COMMANDS_MODULE"), 1)])
def test_store_of_the_projects_own_that_fails_at_the_end_is_told_by_stats_and_exit_code(project, command, code):
    (project.folder / "mine.py").write_text(
        "from webmain.store.protocol import Store\n\n\nclass Full(Store):\n"
        "    def commit(self):\n        raise OSError('the disk is on fire')\n\n"
        "    def articles(self):\n        return iter(())\n\n    def _release(self):\n        pass\n"
    )
    done = project.crawl(block("ADDONS"), "WEBMAIN_STORE = 'mine:Full:x'", command)
    assert done.returncode == code
    assert "ERROR: The crawl ends: store mine:Full:x: the disk is on fire" in done.stderr
    assert "Traceback" not in done.stderr
    stats = json.loads((project.folder / "dump.json").read_text())["stats"]
    assert stats["webmain/store_error"] == "store mine:Full:x: the disk is on fire"
    assert "webmain/articles/new" not in stats


def test_store_that_cannot_be_imported_ends_the_crawl_before_it_begins(project, site):
    done = project.crawl(block("ADDONS"), "WEBMAIN_STORE = 'nomod:Store:x'")
    assert done.returncode == 1
    assert "setting WEBMAIN_STORE: got 'nomod:Store:x'; No module named 'nomod'" in done.stderr
    assert not site.times


def test_pages_that_opt_out_are_rejected_if_the_project_respects_that(project, site):
    site.article("/story/1", head="<meta name=robots content=noai>")
    told = project.run(block("ADDONS"), "WEBMAIN_RESPECT = 'optouts'")
    assert told["stats"]["webmain/rejected/opted_out"] == 1
    assert {a["url"] for a in project.stored()} == {f"{site.url}/story/{n}" for n in range(6) if n != 1}


def test_the_page_is_short():
    assert len((ROOT / "docs" / "scrapy.md").read_text("utf-8").split()) < 1_200


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_of_many_pages_among_hostile_ones_none_is_lost_and_none_stops_the_project(project, site):
    links = ""
    for n in range(600):
        links += f"<a class=story href=/many/{n}>{n}</a>"
        if n % 20:
            site.article(f"/many/{n}")
        else:  # a page that says nothing, or that is long to read
            site.routes[f"/many/{n}"] = ("<p " * 100_000 if n % 40 else " ",)
    site.routes["/"] = (f"<html><body>{links}</body></html>",)
    told = project.run(block("ADDONS"), "DOWNLOAD_DELAY = 0", "CONCURRENT_REQUESTS_PER_DOMAIN = 8")
    assert {a["url"] for a in project.stored()} >= {f"{site.url}/many/{n}" for n in range(600) if n % 20}
    assert told["stats"]["webmain/articles/new"] == len(project.stored())
    assert told["stats"]["webmain/pages"] == 600
