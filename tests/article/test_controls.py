"""Characters that XML and many programs cannot read are in no field of an article."""

from __future__ import annotations

import json
import re

import pytest

import webmain
from webmain.items import Hints
from webmain.urls import join

RAW = "\x01\x07\x0b\x0c\x1b[31m\x7f\x9b\ufffe\uffff&#1;&#27;\ud800"
ESCAPED = "\\u0001\\u0008\\u001b\\u007f\\ufffe\\ud800"
UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
SENTENCE = "The harbour was closed on Monday{}, because of a storm, and the ferries stayed out."

SHOWN = f"""<html lang=en><head><title>A har{RAW}bour</title><meta name=author content="Jane{RAW} Doe">
<meta name=description content="Storm{RAW}s"><meta property=og:site_name content="Pa{RAW}per">
<link rel=canonical href="https://a.example/x{RAW}y"></head><body><article><h1>A har{RAW}bour</h1>
<p>{SENTENCE.format(RAW)}<p>{SENTENCE.format(RAW) * 2}<pre>co{RAW}de\n\tx</pre>
<figure><img src="/a{RAW}.jpg" alt="al{RAW}t"><figcaption>Cap{RAW}tion</figcaption></figure>
<p><a href="/x{RAW}">Link{RAW}ed</a> {SENTENCE.format("")}<table><tr><td>a{RAW}b<td>c<tr><td>d<td>e</table></article>"""

EMBEDDED = f"""<html><script type="application/ld+json">{{"@type": "NewsArticle", "headline": "A har{ESCAPED}bour",
"author": {{"name": "Jane{ESCAPED} Doe"}}, "image": "https://a.example/a{ESCAPED}.jpg",
"articleBody": "{(SENTENCE.format(ESCAPED) + " ") * 9}"}}</script><body>"""


@pytest.mark.parametrize(
    ("page", "extractor"),
    [(page, name) for page in (SHOWN, SHOWN.encode("utf-8", "replace")) for name in ("learned", "line_block", "pab")]
    + [(EMBEDDED, "learned")],  # only the default method reads texts that pages carry as data
    ids=[f"{kind}-{name}" for kind in ("text", "bytes") for name in ("learned", "line_block", "pab")] + ["embedded"],
)
def test_no_field_has_characters_that_xml_cannot_contain(page: str | bytes, extractor: str) -> None:
    article = webmain.extract(page, url="https://a.example/", extractor=extractor, keep="links,images")
    written = json.dumps(article.to_dict(), ensure_ascii=False).replace("\\n", " ").replace("\\t", " ")
    assert not UNREADABLE.search(written)
    assert not re.search(r"\\u", written)
    assert article.text
    assert article.title is None or "bour" in article.title


def test_controls_inside_an_address_are_encoded() -> None:
    assert join("https://a.example/", "/a\x01\x7f\x9b\tb\n") == "https://a.example/a%01%7F%C2%9Bb"


def test_what_a_feed_stated_has_no_lone_surrogates_and_no_controls() -> None:
    hints = Hints(source="feed", title="T\ud800\x01", summary="S\udc00", tags=("a\x02",), language="th\ud800")
    page = webmain.Page(url="https://a.example/\ud800", html="<p>" + "The tide is in. " * 9, hints=hints)
    (article,) = webmain.extract_site([page], extractor="pab")
    assert (article.title, article.description, article.tags) == ("T", "S", ("a",))
    assert webmain.Article.from_dict(json.loads(article.to_json())) == article


def test_links_relative_to_an_address_with_a_lone_surrogate_have_none() -> None:
    page = f'<article><p>{SENTENCE.format("") * 4} <a href="?page=2">More of it</a> {SENTENCE.format("")}</article>'
    article = webmain.extract(page, url="https://a.example/\ud800", extractor="line_block", keep="links")
    assert [link.url for block in article.blocks for link in block.links] == ["https://a.example/\ufffd?page=2"]
    assert webmain.Article.from_dict(json.loads(article.to_json())) == article
