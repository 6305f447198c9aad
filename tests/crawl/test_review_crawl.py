"""Whole crawls that list articles in doubt for review."""

from __future__ import annotations

import json
import time
from pathlib import Path

from webmain.ledger.ledger import Ledger
from webmain.store.review import read_review

UNSURE = {"extractor": "unsure:Unsure"}
REVIEW = {"WEBMAIN_REVIEW_BELOW": 0.6}


def lines(path: str | Path) -> list[dict]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def test_articles_in_doubt_are_stored_listed_and_told(site, crawl):
    urls = [site.article(f"/sure{n}-story") for n in (20, 59, 60, 95)] + [site.article("/plain")]
    done = crawl(urls=" ".join(urls), settings=REVIEW, **UNSURE)
    assert done.code == 0, done.log
    assert {a["url"] for a in done.articles()} == set(urls)
    found = read_review(f"{crawl.store}.review")
    assert [(e.url, e.confidence) for e in found] == [(urls[0], 0.2), (urls[1], 0.59)]
    assert found[0].start.startswith("The story at /sure20-story") or "/sure20-story" in found[0].start
    assert "2 of 5 articles have a confidence below 0.6, 2 new" in done.out
    assert f"list: {crawl.store}.review" in done.out
    assert done.stats["webmain/review/without_confidence"] == 1


def test_a_second_run_lists_nothing_twice_and_a_changed_text_again(site, crawl):
    url = site.article("/sure20-story")
    crawl(urls=url, settings=REVIEW, **UNSURE)
    again = crawl(urls=url, settings=REVIEW, extra=("-O", "feed.jsonl"), **UNSURE)  # known addresses are fetched again
    assert "1 of 1 articles have a confidence below 0.6, 0 new" in again.out
    assert len(lines(f"{crawl.store}.review")) == 1
    site.article("/sure20-story", "Another story is told now. " * 30)
    crawl(urls=url, settings=REVIEW, extra=("-O", "feed.jsonl"), **UNSURE)
    assert [e["start"][:7] for e in lines(f"{crawl.store}.review")][1:] == ["Another"]


def test_what_is_kept_out_is_done_and_not_fetched_again(site, crawl):
    urls = [site.article(f"/sure{n}-story") for n in (20, 95)]
    settings = {**REVIEW, "WEBMAIN_REVIEW_KEEP_OUT": True}
    done = crawl(urls=" ".join(urls), settings=settings, **UNSURE)
    assert done.code == 0, done.log
    assert [a["url"] for a in done.articles()] == [urls[1]]
    assert [a["url"] for a in lines(f"{crawl.store}.kept_out")] == [urls[0]]
    assert "2 new" in done.out
    assert "1 kept out" in done.out
    assert f"jsonl:{crawl.store}.kept_out (1 articles)" in done.out
    again = crawl(urls=" ".join(urls), settings=settings, **UNSURE)
    assert "0 new, 2 known" in again.out
    assert site.asked["/sure20-story"] == 1
    with Ledger(f"{crawl.store}.ledger") as ledger:
        assert ledger.counts().articles == 2


def test_the_spiders_arguments_say_it_too(crawl, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "sure10.html").write_text(
        "<html><head><link rel=canonical href='https://news.example/sure10'></head><body><p>"
        + "The tide came in before noon, and nobody was surprised by it. " * 20
        + "</p></body></html>"
    )
    done = crawl("archive", path=str(folder), review_below=".6", review_only="true", **UNSURE)
    assert done.code == 0, done.log
    assert done.stats["webmain/review/below"] == 0.6
    wrong = crawl("archive", path=str(folder), review_below="6")
    assert wrong.code == 2
    assert "argument review_below: got '6'" in wrong.log + wrong.out


def test_kill_9_loses_no_line_of_the_list(site, crawl):
    urls = [site.article(f"/sure{10 + n}-story{n}", delay_s=0.02) for n in range(40)]
    process = crawl.start(
        urls=" ".join(urls), settings={**REVIEW, "WEBMAIN_WORKERS": 1, "CONCURRENT_REQUESTS": 2}, **UNSURE
    )
    end = time.monotonic() + 200
    while time.monotonic() < end and not (crawl.store.exists() and crawl.store.stat().st_size):
        time.sleep(0.01)
    process.kill()
    process.communicate()
    after = crawl(urls=" ".join(urls), settings=REVIEW, **UNSURE)
    assert after.code == 0, after.log
    assert {a["url"] for a in after.articles()} == set(urls)
    listed = [e["url"] for e in lines(f"{crawl.store}.review")]
    assert sorted(listed) == sorted(urls)
