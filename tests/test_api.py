"""The public door: extract, extract_site, and the records."""

import json
import pickle
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import webmain
from webmain import (
    Article,
    ArticleBlock,
    Hints,
    Kind,
    Page,
    Reason,
    Rejected,
    WordCount,
    extract,
    extract_many,
    extract_site,
)
from webmain.extraction import judge, read
from webmain.extractors.base import create

SENTENCE = "The committee met on Tuesday, and after a long debate it agreed on the plan. "
PAGE = (
    "<html lang=en><head><title>Plan agreed | The Paper</title>"
    "<meta property='og:title' content='Plan agreed'><meta name=author content='Ada Moss'>"
    "<meta property='article:published_time' content='2026-11-03T09:30:00+07:00'></head><body>"
    "<nav><ul><li><a href=/a>A</a><li><a href=/b>B</a></ul></nav><article><h1>Plan agreed</h1>"
    + "".join(f"<p>{SENTENCE * 3}{i}</p>" for i in range(4))
    + "</article></body></html>"
)
URL = "https://www.example.com/2026/plan-agreed"


def test_text_and_metadata_of_a_page():
    article = extract(PAGE, url=URL)
    assert SENTENCE.strip() in article.text
    assert article.title == "Plan agreed"
    assert article.authors == ("Ada Moss",)
    assert article.published == datetime.fromisoformat("2026-11-03T09:30:00+07:00")
    assert (article.url, article.site, article.language) == (URL, "example.com", "en")
    assert len(article.id) == 16
    assert len(article.fingerprint) == 32
    assert article.text == "\n\n".join(b.text for b in article.blocks)


def test_text_alone_reads_no_metadata():
    article = extract(PAGE, url=URL, parts="text")
    assert article.text == extract(PAGE, url=URL).text
    assert (article.title, article.authors, article.language, article.id) == (None, (), None, "")


@pytest.mark.parametrize("name", ["thai_xpath", "line_block:decision=sigma", None])
def test_every_extractor_can_be_named(name):
    article = extract(PAGE, url=URL, extractor=name, parts="text")
    assert SENTENCE.strip() in article.text
    if name:
        assert article.extractor == name.partition(":")[0]


@pytest.mark.parametrize(
    ("kw", "words"),
    [
        ({"parts": "all"}, ["parts", "'all'", "article", "text"]),
        ({"timeout_s": "x"}, ["timeout_s", "'x'"]),
        ({"timeout_s": 0}, ["timeout_s", "0", "positive"]),
        ({"max_bytes": -1}, ["max_bytes", "-1", "positive"]),
        ({"extractor": "magic"}, ["magic", "pab", "line_block"]),
    ],
)
def test_wrong_options_are_named(kw, words):
    with pytest.raises(ValueError, match=words[0]) as caught:
        extract(PAGE, **kw)
    assert not isinstance(caught.value, Rejected)
    assert all(word in str(caught.value) for word in words)


@pytest.mark.parametrize("option", ["models", "sites"])
@pytest.mark.parametrize("take", [extract_site, extract_many])
def test_an_option_that_is_no_path_is_named(option, take):
    for give in (lambda **wrong: extract(PAGE, **wrong), lambda **wrong: take([], **wrong)):
        with pytest.raises(TypeError, match=f"{option}: got 5, allowed is a path"):
            give(**{option: 5})


@pytest.mark.parametrize("given", [None, ["<p>"]])
def test_a_page_must_be_text_or_bytes(given):
    with pytest.raises(TypeError, match=type(given).__name__):
        extract(given)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("", Reason.EMPTY),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" * 9, Reason.NOT_HTML),
        ("<html><body></body></html>", Reason.NO_BLOCKS),
    ],
)
def test_rejections_are_value_errors_with_a_reason(given, reason):
    with pytest.raises(ValueError, match=reason.value) as caught:
        extract(given, url=URL)
    assert isinstance(caught.value, Rejected)
    assert caught.value.reason is reason
    assert caught.value.url == URL
    assert caught.value.detail


def test_rejected_survives_pickling():
    before = Rejected(Reason.TOO_SLOW, "ten seconds", url=URL)
    after = pickle.loads(pickle.dumps(before))
    assert (after.reason, after.url, str(after)) == (Reason.TOO_SLOW, URL, "too_slow: ten seconds")
    assert str(Rejected(Reason.EMPTY)) == "empty"


def test_a_site_is_answered_one_for_one_in_order():
    pages = [Page(url=URL, html=PAGE), Page(url=URL + "2", body=b""), Page(url=URL + "3", body=PAGE.encode())]
    answers = extract_site(iter(pages), parts="text")
    assert [type(a) for a in answers] == [Article, Rejected, Article]
    assert answers[1].reason is Reason.EMPTY
    assert answers[2].url == URL + "3"
    assert extract_site([]) == []
    with pytest.raises(ValueError, match="parts"):
        extract_site([], parts="all")


FULL = Article(
    id="0123456789abcdef",
    url=URL,
    title="A title",
    authors=("A", "B"),
    published=datetime(2026, 11, 3, tzinfo=UTC),
    text="x",
    tags=("t",),
    paywalled=False,
    words=(WordCount(word="ice", count=3),),
    blocks=(
        ArticleBlock(kind=Kind.HEADING, text="Head", level=2),
        ArticleBlock(kind=Kind.TABLE, text="a\tb\n1", rows=(("a", "b|c"), ("1",))),
    ),
)


def test_records_round_trip_through_json():
    record = json.loads(FULL.to_json())
    assert Article.from_dict(record) == FULL
    assert Article.from_dict({**record, "later": 1}) == FULL
    assert record["published"] == "2026-11-03T00:00:00+00:00"
    extracted = extract(PAGE, url=URL)
    assert Article.from_dict(json.loads(extracted.to_json())) == extracted
    assert Article.from_dict({}) == Article()


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"title": 5}, "title: int"),
        ({"blocks": "abc"}, "blocks: text in the place of a list"),
        ({"blocks": [{"kind": "paragraph", "text": []}]}, "blocks: text: list"),
        ({"sources": [1]}, "sources: "),
        ({"schema_version": "x"}, "schema_version: got 'x'"),
        (None, "not NoneType"),
        ([], "not list"),
    ],
)
def test_what_is_no_record_of_an_article_is_a_value_error_that_names_the_field(record, told):
    with pytest.raises(ValueError, match=f"^{told}|{told}$"):
        Article.from_dict(record)


def test_records_of_a_newer_schema_are_refused():
    with pytest.raises(ValueError, match="schema version 99"):
        Article.from_dict({"schema_version": 99})


def test_everything_public_is_there_and_nothing_heavy_is_imported():
    assert all(hasattr(webmain, name) for name in webmain.__all__)
    assert Hints(source="feed")
    heavy = "numpy selectolax lxml sklearn scrapy nlpo3 icu4py dateparser publicsuffixlist tldextract sqlite3".split()
    code = f"import sys, webmain; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_given_as_html_of_a_page_are_its_body(kind):
    body = "<p>Ein Satz über Öl und Übermut, lang genug.</p>".encode("cp1252")
    page = Page(url=URL, html=kind(body))
    assert (page.html, page.body) == (None, body)
    assert page == Page(url=URL, body=body) == pickle.loads(pickle.dumps(page)) == replace(page, status=200)
    with_part = Page(url=URL, html=PAGE, parts=(page,))
    answers = [*extract_site([page, with_part], extractor="eniw"), *extract_many([page], extractor="eniw", jobs=0)]
    assert all("über Öl" in article.text for article in answers)
    assert "über Öl" in judge(read(page), create("eniw")).segmentation.text(0)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"html": 3}, TypeError),
        ({"body": "x"}, TypeError),
        ({"url": 5}, TypeError),
        ({"fetched_at": "2026-11-21"}, TypeError),
        ({"status": "200"}, TypeError),
        ({"headers": [("content-type", "text/html")]}, TypeError),
        ({"headers": {"content-type": b"text/html"}}, TypeError),
        ({"headers": {b"content-type": "text/html"}}, TypeError),
        ({"html": b"", "body": b""}, ValueError),
    ],
)
def test_a_page_of_something_else_is_refused_when_it_is_made(given, error):
    with pytest.raises(error, match="^Page: .*" + next(iter(given))):
        Page(**given)


def test_names_of_headers_may_be_written_in_any_case():
    page = Page(url=URL, html="<p>The tide was high.", headers={"Content-Language": "th"})
    (article,) = extract_site([page])
    assert article.language_declared == "th"


def test_repr_of_a_page_is_short_whatever_is_on_it():
    hints = Hints(source="feed", content_html="<p>x" * 10_000)
    page = Page(url="https://a.example/" + "x" * 10_000, html="<p>x" * 10_000, hints=hints, headers={"x": "y" * 1_000})
    assert len(repr(page)) < 400
    assert len(repr(hints)) < 400
    assert repr(Page(url=URL, html=b"<p>x", status=404)) == f"Page(url={URL!r}, body=4 bytes, status=404)"
    assert repr(Page(html="x" * 1_234, parts=(page,))) == "Page(url=None, html=1,234 characters, 1 parts, status=200)"


def test_equal_records_have_equal_hashes():
    one, two = extract(PAGE, url=URL), extract(PAGE, url=URL)
    assert one is not two
    assert len({one, two, Article.from_dict(one.to_dict())}) == 1
    assert one.sources
    assert len({Page(url=URL, html=PAGE, headers={"a": "b"}), Page(url=URL, html=PAGE, headers={"a": "b"})}) == 1
    assert hash(FULL) != hash(one)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("https://example.org/2026/11/tides", "`webmain extract URL`"),
        ("file:///srv/pages/page.html", "`webmain extract URL`"),
        ("/srv/pages/page", "`webmain extract FILE`"),
        ('{"html": "<p>The tide</p>", "n": 3}', "JSON"),
        ('\ufeff <?xml version="1.0"?><!-- a --><rss><channel><title>The tide</title></channel></rss>', "is feed"),
        ('<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:title>The tide</a:title></a:feed>', "is feed"),
        ("<urlset><url><loc>https://example.org/2026/11/tides</loc></url></urlset>", "is xml"),
        ('<?xml version="1.0"?><!DOCTYPE svg><svg><text>The tide</text></svg>', "is image"),
        ("%PDF-1.7\n1 0 obj << /Title (The tide) >> endobj", "is pdf"),
    ],
)
def test_what_is_no_page_is_rejected_with_a_word_on_what_to_do(given, told):
    for form in (given, given.encode()):
        with pytest.raises(Rejected, match=told) as caught:
            extract(form, extractor="eniw")
        assert caught.value.reason is Reason.NOT_HTML


@pytest.mark.parametrize(
    "text",
    [
        "The tide is high at https://example.org/tides today.",
        "[1] A note.",
        "a\nb.html",
    ],
)
def test_plain_text_is_still_a_page(text):
    assert extract(text, extractor="eniw", parts="text").text.split() == text.split()


@pytest.mark.parametrize(
    "before",
    [
        "<!-- <rss> --><?xml version='1.0'?><html>",
        "<!doctype\nhtml><svg></svg>",
        "<svg><title>a</title></svg>",
        "<?php 1 ?><my-page>",
    ],
)
def test_what_begins_like_no_page_may_be_one(before):
    assert (
        extract(f"{before}<p>The tide is high today.", extractor="eniw", parts="text").text == "The tide is high today."
    )


def test_wrong_types_are_told_what_to_give():
    with pytest.raises(TypeError, match=r"path\.read_bytes"):
        extract(Path("page.html"))
    with pytest.raises(TypeError, match="extract_site"):
        extract(Page(html=PAGE))
    for given in ("https://example.org/", PAGE.encode(), Page(html=PAGE)):
        with pytest.raises(TypeError, match=r"iterable of webmain\.Page"):
            extract_site(given)
    with pytest.raises(TypeError, match=r"pages\[1\] .*Page\(url="):
        extract_site([Page(html="<p>x</p>"), "<p>y</p>"])


@pytest.mark.parametrize("parts", ["article", "text"])
def test_words_are_counted_when_asked_wherever_an_article_is_made(parts):
    page = Page(url=URL, html=PAGE)
    plain = extract(PAGE, url=URL, parts=parts)
    assert (plain.words, plain.n_words) == ((), 0)
    counted = extract(PAGE, url=URL, parts=parts, words=True)
    assert counted.words[:2] == (WordCount(word="agreed", count=12), WordCount(word="committee", count=12))
    assert counted.n_words > 150
    assert replace(counted, words=(), n_words=0) == plain
    assert extract_site([page], parts=parts, words=True) == [counted]
    assert list(extract_many([page], parts=parts, words=True, jobs=0)) == [counted]
    assert list(extract_many([page], parts=parts, words=True, jobs=1)) == [counted]


def test_words_are_those_of_all_parts():
    part = Page(html="<p>" + "Zeppelin after zeppelin flew over the harbour that night. " * 10)
    (article,) = extract_site([Page(url=URL, html=PAGE, parts=(part,))], words=True)
    assert "zeppelin" in {w.word.lower() for w in article.words}


def test_a_saved_page_is_known_by_the_canonical_url_it_names():
    html = (
        '<html><head><link rel="canonical" href="https://courier.example/tide"></head><body>'
        + "<p>The tide came in before noon, as it had been said that it would.</p>" * 5
    )
    saved = extract(html, url="file:///tmp/a.html", extractor="eniw")
    assert (saved.site, saved.id) == (
        "courier.example",
        extract(html, url="https://courier.example/tide", extractor="eniw").id,
    )


def test_language_is_that_of_the_longest_blocks():
    junk = "".join(f"<p>{word}</p>" for word in ("Αρχική", "Νέα", "Σπορ", "Καιρός", "Ζώδια", "Τηλεόραση") * 12)
    text = "<p>The harbour master said that the tide would reach the upper quay before noon, and so it did.</p>" * 4
    assert extract(junk + text, extractor="eniw").language == "en"
