"""Settings and places that are checked before a crawl begins."""

import re
from pathlib import Path

import pytest
from scrapy.settings import Settings

from webmain import settings as defaults
from webmain.checks import unknown_settings, unwritable, warnings_of, wrong_settings

FREE = {
    "WEBMAIN_CHROMIUM",
    "WEBMAIN_CONTACT",
    "WEBMAIN_CORRECTIONS",
    "WEBMAIN_LEDGER",
    "WEBMAIN_MODELS",
    "WEBMAIN_STATS_DIR",
}
"""Settings with any text: paths and names that are looked up when the crawl needs them."""

CHECKED = sorted(name for name in vars(defaults) if name.startswith("WEBMAIN_") and name not in FREE)


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
        ("WEBMAIN_RESPECT", "optout"),
        ("WEBMAIN_RESPECT", "Optouts"),
        ("WEBMAIN_RENDER", ""),
        ("WEBMAIN_RENDER_TIMEOUT_S", "0"),
        ("WEBMAIN_RENDER_WINDOWS", "0"),
        ("WEBMAIN_RECORD", "a.warc"),
        ("DOWNLOAD_DELAY", "-1"),
        ("CONCURRENT_REQUESTS", "0"),
        ("CLOSESPIDER_TIMEOUT", "1h"),
        ("RETRY_TIMES", "2.5"),
        ("ROBOTSTXT_OBEY", "no"),
        ("LOG_LEVEL", "loud"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_once(name, value):
    (message,) = wrong_settings(usual(**{name: value}))
    assert message.startswith(f"setting {name}: ")
    assert "allowed" in message


def test_every_setting_is_documented():
    pages = "".join(path.read_text("utf-8") for path in (Path(__file__).parents[1] / "docs").glob("*.md"))
    assert [name for name in vars(defaults) if name.startswith("WEBMAIN_") and not re.search(rf"{name}\b", pages)] == []


@pytest.mark.parametrize("name", CHECKED)
def test_every_setting_of_webmains_is_checked_unless_its_text_is_free(name):
    (message,) = wrong_settings(usual(**{name: "no/such"}))
    assert message.startswith(f"setting {name}: ")
    assert "no/such" in message


@pytest.mark.parametrize(
    ("name", "value"),
    [("WEBMAIN_TOP_WORDS", "0"), ("WEBMAIN_MAX_BYTES", "1"), ("WEBMAIN_MAX_FEEDS", "0"), ("WEBMAIN_SUMMARY", "0"),
     ("WEBMAIN_REVIEW_BELOW", "1"), ("WEBMAIN_REVIEW_BELOW", None), ("WEBMAIN_REVIEW_KEEP_OUT", "True"),
     ("WEBMAIN_PROGRESS_S", "0.5"), ("WEBMAIN_RESPECT", "optouts"), ("WEBMAIN_RESPECT", "no"), ("WEBMAIN_RENDER", "auto"),
     ("WEBMAIN_REPLAY", __file__), ("WEBMAIN_REPLAY", f"{__file__}*, {__file__}"), ("WEBMAIN_STOPWORDS", ""),
     ("DOWNLOAD_DELAY", "0"), ("LOG_LEVEL", "ERROR"), ("LOG_LEVEL", 10), ("AUTOTHROTTLE_ENABLED", 0)],
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


def test_a_setting_unlike_all_others_has_no_hint():
    assert unknown_settings(["WEBMAIN_NONSENSE"]) == ["setting WEBMAIN_NONSENSE: no such setting"]


def test_a_file_of_corrections_that_is_missing_is_told_unless_it_is_the_default(tmp_path):
    (message,) = warnings_of(usual(WEBMAIN_CORRECTIONS=f"{tmp_path}/zz"))
    assert message == f"setting WEBMAIN_CORRECTIONS: {tmp_path}/zz: there is no such file, so no page is corrected"
    (tmp_path / "zz").touch()
    assert warnings_of(usual(WEBMAIN_CORRECTIONS=f"{tmp_path}/zz")) == warnings_of(usual()) == []


def test_places_that_cannot_be_written_are_told(tmp_path):
    (tmp_path / "file").write_text("x")
    feeds = {f"{tmp_path}/file/out.json": {}, f"{tmp_path}": {}, f"file://{tmp_path}/new/out.json": {}, "stdout:": {}}
    told = unwritable(usual(FEEDS=feeds, WEBMAIN_STATS_DIR=f"{tmp_path}/file", LOG_FILE="/dev/full"))
    assert [message.split(":")[0] for message in told] == [
        "setting LOG_FILE",
        "setting WEBMAIN_STATS_DIR",
        f"feed {tmp_path}/file/out.json",
        f"feed {tmp_path}",
    ]
    assert (
        unwritable(usual(FEEDS={"%(name)s.json": {}, "s3://bucket/x": {}}, WEBMAIN_STATS_DIR=f"{tmp_path}/new")) == []
    )
