"""Pages in, articles out, through the browser's forms."""

from __future__ import annotations

import gzip
import json
import time

import pytest

from tests.web.conftest import PAGE, SENTENCE
from webmain.items import Reason, Rejected
from webmain.web.config import Limits

HOSTILE = (
    "<title></title><script>alert(1)</script>\"'><img src=x onerror=alert(1)></title>"
    f"<h1 onclick=alert(1)><script>alert(1)</script>&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;</h1><p>{SENTENCE * 5}"
    f'<meta http-equiv=refresh content="0;url=//evil.example"><base target=_top><a href="javascript:alert(1)">{SENTENCE}</a>'
)


def shown(browser, **data):
    """The result of a form, as it is shown."""
    answer = browser.extract(**data)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"], browser.get(answer.headers["location"])


def test_pasted_html_gives_its_article_and_its_blocks(browser):
    place, page = shown(browser, html=PAGE, url="https://news.example/boats")
    assert page.status_code == 200
    assert "Boats leave" in page.text
    assert SENTENCE.strip() in page.text
    frame = browser.get(f"{place}/0/page")
    assert 'data-block="' in frame.text


def test_a_file_gives_its_article(browser):
    answer = browser.send_form("/extract", {}, files={"file": ("boats.html", PAGE.encode(), "text/html")})
    assert SENTENCE.strip() in browser.get(answer.headers["location"]).text


def test_a_file_packed_with_gzip_gives_its_article(browser):
    packed = gzip.compress(PAGE.encode())
    answer = browser.send_form("/extract", {}, files={"file": ("boats.html.gz", packed, "application/gzip")})
    assert SENTENCE.strip() in browser.get(answer.headers["location"]).text
    bomb = gzip.compress(b"<p>x" * 10_000_000)
    answer = browser.send_form("/extract", {}, files={"file": ("bomb.html.gz", bomb, "application/gzip")})
    assert answer.status_code == 413


def test_a_result_can_be_loaded_again_and_not_be_guessed(browser):
    place, page = shown(browser, html=PAGE)
    assert browser.get(place).text == page.text
    assert len(place.rpartition("/")[2]) >= 16
    assert browser.get(place[:-1]).status_code == 404


@pytest.mark.parametrize(
    ("form", "kind"), [("txt", "text/plain"), ("md", "text/markdown"), ("json", "application/json")]
)
def test_an_article_is_downloaded(browser, form, kind):
    place, _ = shown(browser, html=PAGE)
    answer = browser.get(f"{place}/0/article.{form}")
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["content-disposition"] == f'attachment; filename="Boats-leave.{form}"'
    text = json.loads(answer.text)["text"] if form == "json" else answer.text
    assert SENTENCE.strip() in text


def test_what_moved_a_block_is_shown(browser):
    place, _ = shown(browser, html=PAGE)
    assert f'href="{place}/0/blocks/1"' in browser.get(place).text
    assert "Log-odds" in browser.get(f"{place}/0/blocks/1").text
    assert browser.get(f"{place}/0/blocks/999").status_code == 404
    assert browser.get(f"{place}/7/blocks/0").status_code == 404


def test_options_of_the_chosen_method_count_and_those_of_others_do_not(browser):
    data = {"extractor": "line_block", "line_block.decision": "sigma", "pab.hidden": "keep", "line_block.min_ttr": ""}
    _, page = shown(browser, html=PAGE, **data)
    assert "line_block:decision=sigma" in page.text
    assert "hidden=keep" not in page.text


def test_two_methods_are_compared(browser):
    _, page = shown(browser, html=PAGE, extractor="pab", other="eniw")
    assert page.text.count("<iframe") >= 1
    assert "pab" in page.text
    assert "eniw" in page.text


def test_a_page_is_tried_again_by_another_method(browser):
    place, _ = shown(browser, html=PAGE)
    answer = browser.send_form(place, {"extractor": "pab", "other": ""}, page=place)
    assert answer.status_code == 303
    assert "pab" in browser.get(answer.headers["location"]).text


@pytest.mark.parametrize(
    "data",
    [
        {"extractor": "os:system"},
        {"extractor": "subprocess:Popen:args=id"},
        {"extractor": "lbda:filters=/etc/passwd"},
        {"extractor": "lbda", "lbda.filters": "/etc/passwd", "lbda.share": "7"},
        {"extractor": "pab", "pab.hidden": "perhaps"},
        {"extractor": "line_block", "line_block.min_ttr": "nan"},
        {"extractor": "svm", "svm.min_pages": "1e999"},
        {"keep": "everything"},
        {},
        {"html": " \n"},
    ],
)
def test_wrong_forms_are_shown_again_with_what_is_wrong(browser, data):
    answer = browser.extract(**({"html": PAGE} | data if data and "html" not in data else data))
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text


def test_a_rejected_page_tells_why(browser):
    answer = browser.send_form("/extract", {}, files={"file": ("a.pdf", b"%PDF-1.7 " + b"x" * 99, "text/html")})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text


def test_hostile_markup_runs_nowhere(browser):
    place, page = shown(browser, html=HOSTILE, url='https://x.example/"><script>alert(1)</script>')
    for text in (page.text, browser.get(f"{place}/0/page").text, browser.get(f"{place}/0/blocks/0").text):
        assert "<script>alert" not in text
        assert "onerror=alert" not in text.replace("&#39;", "").replace("x onerror=alert(1)&gt;", "")
        assert "<base" not in text
        assert 'http-equiv="refresh"' not in text
    assert 'sandbox=""' in page.text or "sandbox " in page.text
    frame = browser.get(f"{place}/0/page")
    policy = frame.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy
    assert "script-src" not in policy
    assert frame.headers["x-frame-options"] == "SAMEORIGIN"


def test_downloads_are_no_pages_of_this_server(browser):
    place, _ = shown(browser, html=HOSTILE)
    for form in ("txt", "md", "json"):
        answer = browser.get(f"{place}/0/article.{form}")
        assert "html" not in answer.headers["content-type"]
        assert answer.headers["content-disposition"].startswith("attachment")
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_large_pages_are_refused(connect):
    client = connect(limits=Limits(page_bytes=10_000, body_bytes=50_000))
    assert (
        client.extract(html=PAGE + "x" * 20_000).status_code == 400
        or client.extract(html="x" * 20_000).status_code == 413
    )
    big = {"file": ("big.html", b"x" * 40_000, "text/html")}
    assert client.send_form("/extract", {}, files=big).status_code == 413
    assert client.send_form("/extract", {}, files={"file": ("b.html", b"x" * 60_000)}).status_code == 413


def test_one_more_request_than_there_is_room_for_is_told_when_to_come_again(connect):
    answer = connect(limits=Limits(tasks=0)).extract(html=PAGE)
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0


def test_a_page_that_takes_too_long_is_given_up_and_others_are_not(connect):
    client = connect(limits=Limits(workers=1, page_s=0.001))
    began = time.monotonic()
    slow = client.extract(html="<table>" * 3000 + PAGE * 400)
    assert "too_slow" in client.get(slow.headers["location"]).text
    assert time.monotonic() - began < 60
    assert client.get("/").status_code == 200


def test_a_worker_that_dies_costs_its_page_only(connect, monkeypatch):
    client = connect()

    class Dying:
        def submit(self, *_, **__):
            from concurrent.futures import Future

            future = Future()
            future.set_exception(Rejected(Reason.INTERNAL_ERROR, "its process died (SIGKILL) at /some/path"))
            return future

        def start(self):
            pass

        def close(self):
            pass

    tasks = client.app.state.web.tasks
    if tasks._pool is not None:
        tasks._pool.close()
    tasks._pool = Dying()
    answer = client.extract(html=PAGE)
    assert answer.status_code == 422
    assert "/some/path" not in answer.text


def test_results_go_when_there_is_no_room_for_them():
    from webmain.items import Page
    from webmain.web.results import Result, Results
    from webmain.web.work import PageResult

    def result(place, n):
        return Result(place=place, page=Page(html="x" * n), source="", keep=None, shown=PageResult((), "", ""))

    results = Results(3, 10_000)
    for place in "abcd":
        results.add(result(place, 10))
    assert [results.get(place) is None for place in "abcd"] == [True, False, False, False]
    results.add(result("large", 20_000))
    assert results.get("large") is not None
    assert results.get("d") is None


def test_an_article_of_the_store_is_shown_on_its_page_as_it_was_recorded(tmp_path, connect):
    from tests.conftest import build
    from webmain.archive.recording import WarcWriter
    from webmain.store.sqlite import SqliteStore

    with SqliteStore(tmp_path / "articles.db") as store:
        store.add(build(1))
    with WarcWriter(tmp_path / "pages.warc.gz") as recording:
        recording.write(build(1).url, 200, {"content-type": "text/html"}, PAGE.encode())
    client = connect(store=f"sqlite:{tmp_path}/articles.db", pages=f"{tmp_path}/*.warc.gz", limits=Limits(workers=1))
    home = client.get("/").text
    assert f'value="{build(1).id}"' in home
    assert "Harbour 1" in home
    _, page = shown(client, article=build(1).id)
    assert SENTENCE.strip() in page.text
    assert client.extract(article="nowhere").status_code == 404


def test_an_article_that_was_read_from_a_folder_is_shown_on_its_page_from_there(tmp_path, connect):
    from dataclasses import replace

    from tests.conftest import build
    from webmain.store.sqlite import SqliteStore

    place = tmp_path / "pages" / "2026"
    place.mkdir(parents=True)
    (place / "boats ä.html").write_text(PAGE)
    saved = PAGE.replace("Boats leave", "Saved boats").replace(
        "<title>", "<!-- saved from url=(0024)https://a.example/boats --><title>"
    )
    (place / "saved.html.gz").write_bytes(gzip.compress(saved.encode()))
    urls = [(place / "boats ä.html").as_uri(), "https://a.example/boats", "file:///etc/hostname", None]
    with SqliteStore(tmp_path / "articles.db") as store:
        for n, url in enumerate(urls):
            store.add(replace(build(n), url=url))
    client = connect(store=f"sqlite:{tmp_path}/articles.db", pages=f"{tmp_path}/pages", limits=Limits(workers=1))
    assert SENTENCE.strip() in shown(client, article=build(0).id)[1].text
    assert "Saved boats" in shown(client, article=build(1).id)[1].text
    for n in (2, 3):
        answer = client.extract(article=build(n).id)
        assert answer.status_code == 404
        assert "--pages" in answer.text
