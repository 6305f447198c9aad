"""What a crawl was told: attributes, settings, documented defaults."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from scrapy import Spider
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

import webmain
from webmain import settings as defaults
from webmain.addons import PIPELINES, Articles
from webmain.crawl.known_urls import KnownUrls
from webmain.crawl.options import chosen, option, own
from webmain.crawl.politeness import RetryAfter
from webmain.crawl.robots import Robots
from webmain.crawl.workers import Workers
from webmain.extensions import Summary
from webmain.pipelines import Cloud, Read

PACKAGE = Path(webmain.__file__).parent
DOCUMENTED = {name: value for name, value in vars(defaults).items() if name.startswith("WEBMAIN_")}


class Mine:
    """A pipeline of the project's own."""


def crawler_of(settings=None, **attributes):
    crawler = get_crawler(Spider, settings)
    crawler.spider = Spider("any")
    vars(crawler.spider).update(attributes)
    return crawler


def test_absent_settings_have_their_documented_defaults():
    found = own(Settings())
    assert {name: found.get(name) for name in found} == DOCUMENTED
    assert own(Settings({"WEBMAIN_MAX_BYTES": "9", "WEBMAIN_LEARN": "false"})).getint("WEBMAIN_MAX_BYTES") == 9
    assert own(Settings({"WEBMAIN_LEARN": "false"})).getbool("WEBMAIN_LEARN") is False
    assert own(Settings({"WEBMAIN_LEDGER": ""})).get("WEBMAIN_LEDGER") == ""


def test_every_part_works_in_a_project_without_any_setting_of_webmains():
    crawler = crawler_of()
    options = Read(crawler).options
    assert (options.max_bytes, options.timeout_s) == (10 * 1024 * 1024, 10.0)
    assert (options.stopwords, Cloud(crawler).options) == (None, options)
    assert option(crawler, "store_spec", "WEBMAIN_STORE") == "jsonl:output/articles.jsonl"
    assert Workers.from_crawler(crawler).n == 1
    assert KnownUrls(crawler).path == "output/articles.jsonl.ledger"
    assert Robots(crawler_of({"ROBOTSTXT_OBEY": True}))._max_delay == 60.0
    assert RetryAfter(crawler)._max_s == 120.0
    assert Summary.from_crawler(crawler)._ticks._every_s == 10.0


def test_every_setting_that_is_read_is_documented_and_has_its_default():
    """A crawl's own settings give None, or 0, for what a project leaves out."""
    read, raw = set(), []
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        read |= set(re.findall(r'"(WEBMAIN_[A-Z_]+)"', text))
        raw += [f"{path.name}: {m}" for m in re.findall(r'crawler\.settings\.get\w*\("WEBMAIN_\w+"\)(?! or)', text)]
    assert read <= DOCUMENTED.keys() | {"WEBMAIN_", "WEBMAIN_TOKEN"}  # the token of `serve` is of the environment
    assert raw == []


@pytest.mark.parametrize(
    ("attribute", "meant", "other"),
    [
        ("extractor", "pab", object()),
        ("keep", {"links"}, 7),
        ("since", datetime(2026, 1, 1, tzinfo=UTC), "yesterday"),
        ("language", "en", ["en", "de"]),
        ("max_articles", 7, "many"),
        ("learn", False, "a lot"),
        ("store_spec", "sqlite:x.db", {"sqlite": "x.db"}),
    ],
)
def test_an_attribute_that_holds_something_else_is_not_meant_for_webmain(attribute, meant, other):
    assert chosen(crawler_of(**{attribute: meant}), attribute) == meant
    assert chosen(crawler_of(**{attribute: other}), attribute) is None
    assert chosen(crawler_of(), attribute) is None


def test_an_attribute_goes_before_the_setting_and_that_before_the_default():
    given = {"WEBMAIN_EXTRACTOR": "lbda"}
    assert option(crawler_of(given, extractor="pab"), "extractor", "WEBMAIN_EXTRACTOR") == "pab"
    assert option(crawler_of(given), "extractor", "WEBMAIN_EXTRACTOR") == "lbda"
    assert option(crawler_of(), "extractor", "WEBMAIN_EXTRACTOR") is None


def test_the_add_on_adds_what_is_missing_and_keeps_what_the_project_names():
    project = {
        "ITEM_PIPELINES": {"tests.crawl.test_options.Mine": 300, "webmain.pipelines.Store": None},
        "DOWNLOAD_DELAY": 7,
    }
    settings = Settings(project)
    before = {name: settings.getpriority(name) for name in settings}
    Articles().update_settings(settings)
    pipelines = {getattr(p, "__name__", p): number for p, number in settings.getdict("ITEM_PIPELINES").items()}
    wanted = {path.rpartition(".")[2]: number for path, number in PIPELINES.items() if "Store" not in path}
    assert pipelines == {**wanted, "tests.crawl.test_options.Mine": 300, "webmain.pipelines.Store": None}
    assert {name: settings.getpriority(name) for name in settings} == before
    assert settings.getint("DOWNLOAD_DELAY") == 7


def test_the_add_on_names_each_setting_that_cannot_be_used():
    given = {"WEBMAIN_KEEP": "zz", "WEBMAIN_MAX_BYTES": "zz", "WEBMAIN_RESPECT": "optout", "WEBMAIN_WORKERS": "zz"}
    with pytest.raises(ValueError, match="WEBMAIN_KEEP") as caught:
        Articles().update_settings(Settings({**given, "DEPTH_LIMIT": -1}))  # Scrapy's own are left to Scrapy
    named = {line.split(":")[0] for line in str(caught.value).splitlines()}
    assert named == {f"setting {name}" for name in given}


def test_the_add_on_warns_of_settings_that_it_does_not_know(caplog):
    Articles().update_settings(Settings({"WEBMAIN_RESPEKT": "optouts"}))
    assert "did you mean WEBMAIN_RESPECT?" in caplog.text
