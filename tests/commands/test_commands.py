import pytest
from scrapy.settings import Settings

from webmain.commands import crawl
from webmain.commands.checks import unknown_settings, unwritable, wrong_settings
from webmain.crawl.summary import ERROR, NOTHING, OK, STOPPED, USAGE, exit_code

DONE = {"finish_reason": "finished", "downloader/request_count": 9}
FETCHED = {**DONE, "downloader/response_status_count/200": 5}


@pytest.mark.parametrize(
    ("stats", "code"),
    [
        ({**FETCHED, "webmain/articles/new": 3, "webmain/pages": 3}, OK),
        ({**FETCHED, "webmain/known": 248}, OK),
        ({**DONE, "webmain/known": 248}, OK),
        (FETCHED, OK),
        ({**FETCHED, "webmain/articles/unchanged": 3}, OK),
        ({**FETCHED, "finish_reason": "max_articles"}, OK),
        ({**FETCHED, "finish_reason": "max_pages"}, OK),
        ({**FETCHED, "finish_reason": "closespider_timeout"}, OK),
        ({**FETCHED, "webmain/rejected/not_html": 9}, OK),
        ({**FETCHED, "webmain/item_errors": 1, "webmain/articles/new": 3}, ERROR),
        ({**FETCHED, "spider_exceptions/count": 1}, ERROR),
        ({**FETCHED, "webmain/store_error": "full", "finish_reason": "store_error"}, ERROR),
        ({**FETCHED, "webmain/ledger_error": "full"}, ERROR),
        ({**FETCHED, "webmain/record_error": "full"}, ERROR),
        ({**FETCHED, "webmain/feed_error": "full"}, ERROR),
        ({**FETCHED, "webmain/stats_error": "full"}, ERROR),
        ({**FETCHED, "webmain/warning/store_lost": "x"}, OK),
        ({**FETCHED, "feedexport/failed_count/FileFeedStorage": 1}, ERROR),
        ({**FETCHED, "feedexport/success_count/FileFeedStorage": 1}, OK),
        ({**FETCHED, "finish_reason": "start_error"}, ERROR),
        ({**FETCHED, "finish_reason": "memusage_exceeded"}, ERROR),
        ({**FETCHED, "finish_reason": "closespider_errorcount"}, ERROR),
        ({}, ERROR),
        ({**FETCHED, "finish_reason": "shutdown"}, STOPPED),
        ({**FETCHED, "finish_reason": "shutdown", "webmain/item_errors": 1}, ERROR),
        (DONE, NOTHING),
        ({**FETCHED, "webmain/archive/skipped/damaged": 1}, NOTHING),
        ({**FETCHED, "webmain/archive/skipped/unreadable": 1}, NOTHING),
        ({**FETCHED, "webmain/archive/skipped/damaged": 1, "webmain/pages": 1}, OK),
        ({**DONE, "downloader/response_status_count/403": 9}, NOTHING),
        ({**DONE, "downloader/response_status_count/200": 2, "robotstxt/response_status_count/200": 2}, NOTHING),
        ({**DONE, "downloader/response_status_count/200": 3, "robotstxt/response_status_count/200": 2}, OK),
        ({"finish_reason": "finished", "webmain/pages": 4, "webmain/articles/new": 4}, OK),
        ({"finish_reason": "finished"}, NOTHING),
    ],
)
def test_the_exit_code_tells_how_the_crawl_went(stats, code):
    assert exit_code(stats) == code


def test_every_code_is_documented():
    lines = {line.split()[0] for line in (crawl.__doc__ or "").splitlines() if line[:1].isdigit()}
    assert lines == {str(code) for code in (OK, ERROR, USAGE, NOTHING, STOPPED)}


# ---- What is checked before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("WEBMAIN_TOP_WORDS", "many"),
        ("WEBMAIN_TOP_WORDS", "-1"),
        ("WEBMAIN_MAX_BYTES", "0"),
        ("WEBMAIN_MAX_HUBS", "-3"),
        ("WEBMAIN_MAX_PARTS", "1.5"),
        ("WEBMAIN_MAX_CRAWL_DELAY", "-0.1"),
        ("WEBMAIN_PROGRESS_S", "nan"),
        ("WEBMAIN_PROGRESS_S", ""),
        ("WEBMAIN_SUMMARY", "perhaps"),
        ("WEBMAIN_LEARN", "no"),
        ("WEBMAIN_REVIEW_BELOW", "1.5"),
        ("WEBMAIN_REVIEW_BELOW", "-.1"),
        ("WEBMAIN_REVIEW_BELOW", "nan"),
        ("WEBMAIN_REVIEW_BELOW", ""),
        ("WEBMAIN_REVIEW_KEEP_OUT", "perhaps"),
        ("WEBMAIN_ROBOTS_UNREACHABLE", "perhaps"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_once(name, value):
    (message,) = wrong_settings(usual(**{name: value}))
    assert message.startswith(f"setting {name}: ")
    assert "allowed" in message


@pytest.mark.parametrize(
    ("name", "value"),
    [("WEBMAIN_TOP_WORDS", "0"), ("WEBMAIN_MAX_BYTES", "1"), ("WEBMAIN_MAX_FEEDS", "0"), ("WEBMAIN_SUMMARY", "0"),
     ("WEBMAIN_REVIEW_BELOW", "1"), ("WEBMAIN_REVIEW_BELOW", None), ("WEBMAIN_REVIEW_KEEP_OUT", "True"),
     ("WEBMAIN_PROGRESS_S", "0.5")],
)  # fmt: skip
def test_usual_settings_and_those_at_the_bounds_pass(name, value):
    assert wrong_settings(usual()) == []
    assert wrong_settings(usual(**{name: value})) == []


def usual(**more):
    settings = Settings()
    settings.setmodule("webmain.settings")
    settings.setdict(more, priority="cmdline")
    return settings


def test_an_unknown_setting_is_told_with_the_likeliest_name():
    (message,) = unknown_settings(["WEBMAIN_PROGRES_S", "WEBMAIN_MAX_HUBS", "LOG_LEVEL", "WEBMAIN_STORE"])
    assert message.startswith("setting WEBMAIN_PROGRES_S: ")
    assert "WEBMAIN_PROGRESS_S" in message


def test_places_that_cannot_be_written_are_told(tmp_path):
    (tmp_path / "file").write_text("x")
    feeds = {f"{tmp_path}/file/out.json": {}, f"{tmp_path}": {}, f"file://{tmp_path}/new/out.json": {}, "stdout:": {}}
    told = unwritable(usual(FEEDS=feeds, WEBMAIN_STATS_DIR=f"{tmp_path}/file"))
    assert [message.split(":")[0] for message in told] == [
        "setting WEBMAIN_STATS_DIR",
        f"feed {tmp_path}/file/out.json",
        f"feed {tmp_path}",
    ]
    assert (
        unwritable(usual(FEEDS={"%(name)s.json": {}, "s3://bucket/x": {}}, WEBMAIN_STATS_DIR=f"{tmp_path}/new")) == []
    )
