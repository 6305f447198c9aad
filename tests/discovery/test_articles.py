import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.discovery.articles import THRESHOLDS, judge_url, slug_words

ADDRESSES = [
    line.split(maxsplit=1)
    for line in (Path(__file__).parent / "addresses.txt").read_text(encoding="utf-8").splitlines()
    if line
]


@pytest.mark.parametrize(("kind", "url"), ADDRESSES)
def test_an_address_is_judged_by_its_form(kind, url):
    judgement = judge_url(url)
    assert judgement.kind == kind, judgement
    assert (judgement.score >= THRESHOLDS.article_url) == (kind == "article")
    assert judgement.score == 0 or kind != "ignore"
    assert judgement.reason or kind == "unknown"


@pytest.mark.parametrize(
    ("segment", "n_words"),
    [
        ("storm-hits-the-coast", 4),
        ("storm_hits+the coast", 4),
        ("a-1234-b2b-xy", 1),
        ("", 0),
        ("ข่าวการเมือง", 4),
        ("中国新闻", 2),
        ("новости-дня", 2),
        ("wirtschaftspolitik", 2),
    ],
)
def test_words_of_a_slug_are_counted_in_every_script(segment, n_words):
    assert slug_words(segment) == n_words


def test_reasons_name_the_strongest_evidence_first():
    reason = judge_url("https://www.daily.example/2024/05/17/a-storm-hits-the-southern-coast-at-night").reason
    assert reason == "a slug of 7 words, a date"


@given(st.text(max_size=200))
def test_nothing_raises_and_scores_are_probabilities(text):
    for url in (text, "https://daily.example/" + text, "https://" + text):
        judgement = judge_url(url)
        assert 0 <= judgement.score <= 1


def test_long_addresses_cost_little():
    start = time.process_time()
    for filler in ("a-", "1", "/", "%E0", "page/", "2024/", "ก", "a=1&"):
        judge_url("https://daily.example/" + filler * 200_000)
        judge_url("https://daily.example/?" + filler * 200_000)
    assert time.process_time() - start < 5
