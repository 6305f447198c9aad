import re
from datetime import UTC, datetime

import pytest

from webmain.crawl.summary import MAX_SITES, as_prometheus, headline, outcome, pages_so_far, progress, render

STATS = {
    "webmain/pages": 12,
    "webmain/articles/new": 5,
    "webmain/articles/changed": 1,
    "webmain/articles/unchanged": 2,
    "webmain/known": 248,
    "webmain/rejected/not_html": 1,
    "webmain/rejected/not_article": 3,
    "webmain/failed/timeout": 2,
    "webmain/item_errors": 1,
    "spider_exceptions/count": 1,
    "webmain/site/a.example/articles": 3,
    "webmain/site/b.example/articles": 5,
    "webmain/site/b.example/rejected": 4,
    "webmain/site/127.0.0.1:80/rejected": 1,
    "elapsed_time_seconds": 61.4,
    "finish_reason": "finished",
    "finish_time": datetime(2026, 1, 1, tzinfo=UTC),
}


def test_the_figures_are_read_from_the_stats():
    found = outcome(STATS)
    assert (found.new, found.changed, found.unchanged, found.articles) == (5, 1, 2, 8)
    assert list(found.rejected.items()) == [("not_article", 3), ("not_html", 1)]
    assert found.errors == 2
    assert list(found.sites.items()) == [("b.example", (5, 4)), ("a.example", (3, 0)), ("127.0.0.1:80", (0, 1))]


@pytest.mark.parametrize(
    ("stats", "text"),
    [
        ({"webmain/articles/new": 3}, "3 new"),
        ({"webmain/known": 248}, "0 new, 248 known"),
        ({"webmain/known": 240, "webmain/articles/unchanged": 8}, "0 new, 8 unchanged, 240 known"),
        ({"webmain/articles/changed": 1}, "0 new, 1 updated"),
        (
            {"webmain/articles/changed": 4, "webmain/changed/headline": 2, "webmain/changed/update": 2},
            "0 new, 4 updated (2 headlines, 2 texts)",
        ),
        (
            {"webmain/articles/unchanged": 2, "webmain/visits/not_modified": 3, "webmain/visits/identical": 1},
            "0 new, 6 unchanged",
        ),
        ({"webmain/visits/gone": 1}, "0 new, 1 gone"),
    ],
)
def test_the_headline_says_what_came_out(stats, text):
    assert headline(outcome(stats)) == text


def test_the_summary_says_everything():
    text = render(
        outcome(STATS), places=[("jsonl:a.jsonl", 8)], feeds=["b.csv"], words=[("ข่าว", 7)], problems=["disk full"]
    )
    for part in ("5 new, 1 changed, 2 unchanged", "248 skipped", "4: 3 not article, 1 not html", "2 timeout",
                 "0:01:01 (finished)", "jsonl:a.jsonl (8 articles)", "b.csv", "disk full", "b.example"):  # fmt: skip
        assert part in text


def test_articles_in_doubt_are_told_with_their_list():
    review = {
        "webmain/review/list": "a.jsonl.review",
        "webmain/review/below": 0.6,
        "webmain/review/doubtful": 3,
        "webmain/review/listed": 1,
    }
    text = render(outcome({**STATS, **review}))
    assert "3 of 8 articles have a confidence below 0.6, 1 new\n" in text
    assert "list: a.jsonl.review" in text
    assert "2 kept out" in render(outcome({**STATS, **review, "webmain/review/kept_out": 2}))
    assert 'webmain_review{crawl="c",outcome="doubtful"} 3' in as_prometheus({**STATS, **review}, name="c")


def test_many_sites_are_put_together():
    stats = {f"webmain/site/s{i:03}.example/articles": 1 for i in range(MAX_SITES + 5)}
    lines = render(outcome(stats)).splitlines()
    assert sum(".example" in line for line in lines) == MAX_SITES
    assert any(re.fullmatch(r"\s+5 more sites\s+5\s+0", line) for line in lines)


def test_the_progress_line():
    line = progress(outcome(STATS), pages="1,234 fetched", per_minute=61.7, queued=9)
    assert line == "1,234 fetched, 8 articles, 4 rejected, 62 pages/min, 9 queued"


def test_pages_so_far_are_the_answers_of_a_crawl_and_the_pages_of_an_archive():
    assert pages_so_far({"response_received_count": 7}) == (7, "fetched")
    assert pages_so_far({"response_received_count": 1, "webmain/archive/pages": 10_700}) == (10_700, "read")
    assert pages_so_far({"response_received_count": 1, "webmain/archive/pages": 0}) == (0, "read")


def test_prometheus_lines_are_well_formed():
    text = as_prometheus({**STATS, 'webmain/site/odd"\\\n.example/articles': 1}, name="news")
    sample = re.compile(r'webmain_[a-z_]+\{crawl="news"(,[a-z]+="([^"\\\n]|\\.)*")?\} [0-9.e+]+')
    lines = text.splitlines()
    assert all(line.startswith("# ") or sample.fullmatch(line) for line in lines)
    assert 'webmain_rejected{crawl="news",reason="not_article"} 3' in lines
    assert 'webmain_finished_timestamp_seconds{crawl="news"} 1767225600' in lines
    kinds = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(kinds) == len(set(kinds))
