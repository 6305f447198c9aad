import pytest

from webmain.commands import crawl
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
        ({**FETCHED, "webmain/archive/pages": 0}, NOTHING),
        ({**FETCHED, "webmain/archive/pages": 0, "webmain/archive/skipped/not_response": 9}, NOTHING),
        ({**FETCHED, "webmain/archive/pages": 0, "webmain/archive/skipped/not_wanted": 9}, OK),
        ({**FETCHED, "webmain/archive/pages": 0, "webmain/archive/files/known": 9}, OK),
        ({**FETCHED, "webmain/archive/pages": 0, "webmain/archive/bytes": 9}, OK),
        ({**FETCHED, "webmain/archive/pages": 9, "webmain/rejected/blocked": 9}, OK),
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
