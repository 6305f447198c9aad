"""Which signals are obeyed, and what a host's own files reserve."""

from types import SimpleNamespace

import pytest
from scrapy.settings import Settings

from webmain.crawl.opt_outs import reservations, respects
from webmain.discovery.robots import RobotsRules
from webmain.metadata.opt_outs import ai_crawlers, obeyed, read_usage
from webmain.sites.rules import Sites, read_sites


@pytest.mark.parametrize(
    ("signals", "signal"),
    [
        ((), None),
        (("robots:noarchive", "robots:nosnippet", "robots:noimageai", "tdm-policy"), None),
        (("robots:noarchive", "robots:noindex"), "robots:noindex"),
        (("robots:none",), "robots:none"),
        (("webmain:noindex",), "webmain:noindex"),
        (("googlebot:noindex", "bingbot:none"), None),
        (("gptbot:noindex",), "gptbot:noindex"),
        (("robots:noai",), "robots:noai"),
        (("tdm-reservation",), "tdm-reservation"),
        (("robots.txt:gptbot",), "robots.txt:gptbot"),
        (("content-signal:ai-train=no",), "content-signal:ai-train=no"),
        (("content-usage:train-ai=no",), "content-usage:train-ai=no"),
        (("content-usage:something-new=no",), None),
    ],
)
def test_what_is_obeyed(signals, signal):
    assert obeyed(signals) == signal


def test_usage_is_read_as_it_is_written():
    assert read_usage("search=yes, ai-train=NO,ai-input = n; use=reference, x") == {
        "search": True,
        "ai-train": False,
        "ai-input": False,
    }


def test_crawlers_for_language_models_that_are_shut_out_are_named():
    rules = RobotsRules("User-agent: GPTBot\nUser-agent: Googlebot\nDisallow: /\n\nUser-agent: CCBot\nDisallow: /x/\n")
    assert rules.opt_outs("https://a.example/1", "webmain") == ("robots.txt:gptbot",)
    assert rules.opt_outs("https://a.example/x/1", "webmain") == ("robots.txt:ccbot", "robots.txt:gptbot")
    assert {"gptbot", "ccbot", "google-extended", "claudebot"} <= ai_crawlers()
    assert "googlebot" not in ai_crawlers()


@pytest.mark.parametrize(
    ("files", "path", "signals"),
    [
        ({}, "/1", []),
        ({"tdmrep": '[{"location": "/", "tdm-reservation": 1}]'}, "/1", ["tdm-reservation"]),
        ({"tdmrep": '[{"location": "*", "tdm-reservation": "1"}]'}, "/1", ["tdm-reservation"]),
        ({"tdmrep": '[{"location": "/a", "tdm-reservation": 1}]'}, "/1", []),
        ({"tdmrep": '[{"location": "/1$", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1}]'}, "/1", []),
        ({"tdmrep": '{"location": "/"}'}, "/1", []),
        ({"tdmrep": "[" * 100_000}, "/1", []),
        ({"tdmrep": "no JSON"}, "/1", []),
        ({"ai": "User-Agent: *\nDisallow: /\n"}, "/1", ["ai.txt:text"]),
        ({"ai": "User-Agent: *\nAllow: *.jpg\nDisallow: *.txt\nDisallow: *.pdf\n"}, "/news/1/?page=2", ["ai.txt:text"]),
        ({"ai": "User-Agent: *\nDisallow: *.jpg\n"}, "/1", []),
        ({"ai": "# About this app\n\nIt shows trains.\n"}, "/1", []),
    ],
)
def test_files_of_a_host_reserve(files, path, signals):
    assert list(reservations(files, "https://a.example" + path)) == signals


@pytest.mark.parametrize(("chosen", "other"), [("optouts", True), ("no", False)])
def test_rules_for_a_site_outrank_the_choice_for_all(tmp_path, chosen, other):
    path = tmp_path / "sites.toml"
    path.write_text('["free.example"]\nrespect = "no"\n["ruled.example"]\nrespect = "optouts"\n')
    crawler = SimpleNamespace(spider=SimpleNamespace(respect=chosen), settings=Settings())
    sites = read_sites(str(path))
    assert respects(crawler, sites, "https://www.free.example/1") is False
    assert respects(crawler, sites, "https://ruled.example/1") is True
    assert respects(crawler, sites, "https://other.example/1") is other
    assert respects(crawler, Sites(), None) is other
