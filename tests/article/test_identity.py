from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain import extract
from webmain.article.identity import content_mark, identify
from webmain.items import Article, ArticleBlock, Kind, article_id
from webmain.items.codec import clean, encode, plain
from webmain.text.normal import fingerprint
from webmain.urls import site_key


def test_id_is_the_beginning_of_the_sha_256_of_the_url() -> None:
    assert article_id("https://a.example/") == hashlib.sha256(b"https://a.example/").hexdigest()[:16]
    assert len(article_id("https://a.example/\ud800")) == 16


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("A b\n\nc", "a  B C", True),
        ("Straße", "STRASSE", True),
        ("a b", "ab", False),
    ],
)
def test_fingerprint_folds_case_and_white_space(first: str, second: str, same: bool) -> None:
    assert (fingerprint(first) == fingerprint(second)) is same
    assert len(fingerprint(first)) == 32


def test_id_is_taken_from_what_the_article_has() -> None:
    article = Article(id="x", url="u", canonical_url="c", text="t")
    assert identify(article) == "x"
    assert identify(replace(article, id="")) == article_id("c")
    assert identify(replace(article, id="", canonical_url=None)) == article_id("u")
    assert identify(Article(text="t")) == fingerprint("t")[:16]
    assert content_mark(Article(text="t")) == fingerprint("t")
    assert content_mark(Article(text="t", fingerprint="f")) == "f"


def test_plain_is_to_dict(make_article) -> None:  # type: ignore[no-untyped-def]
    for article in (make_article(), Article()):
        assert plain(article) == article.to_dict()
        assert list(plain(article)) == list(article.to_dict())
        assert encode(plain(article)) == article.to_json()


def test_json_has_null_for_what_is_no_number_and_no_lone_surrogate() -> None:
    block = ArticleBlock(kind=Kind.PARAGRAPH, text="t", raw=float("nan"), score=float("inf"))
    written = Article(title="x\ud800", blocks=(block,), confidence=float("nan")).to_json(indent=1)
    written.encode()
    record = json.loads(written, parse_constant=pytest.fail)
    found = (record["title"], record["confidence"], record["blocks"][0]["raw"], record["blocks"][0]["score"])
    assert found == ("x\ufffd", None, None, None)


@given(st.text(st.characters(codec=None, categories=None) | st.sampled_from("\ud800\udfff"), max_size=30))
def test_cleaned_text_can_be_encoded_and_keeps_its_length(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert len(cleaned) == len(text)


def stored_id(url: str | None, head: str) -> tuple[str, str | None, str | None]:
    """Return id, canonical address and claim of the article that a page gives."""
    html = f"<html><head><title>Tides</title>{head}</head><body><article><p>{'The tide came in. ' * 20}</p></article>"
    article = extract(html, url=url, extractor="eniw")
    return article.id, article.canonical_url, article.canonical_claim


VICTIM = "https://courier.example/2026/11/tide"
CLAIMS = (
    f'<link rel="canonical" href="{VICTIM}">',
    f'<meta property="og:url" content="{VICTIM}">',
    f'<script type="application/ld+json">{{"@type": "NewsArticle", "mainEntityOfPage": {{"@id": "{VICTIM}"}}}}</script>',
    f'<link rel="canonical" href="{VICTIM.replace("https", "HTTPS")}"><meta property="og:url" content="{VICTIM}">',
    f'<link rel="canonical" href="https://evil@courier.example/2026/11/tide"><link rel="amphtml" href="{VICTIM}">',
)


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize(
    "forger",
    [
        "https://evil.example/2026/11/tide",  # the victim's path, which was believed once
        "https://courier.example.evil.example/2026/11/tide",
        "https://google.it.com/amp/s/courier.example/2026/11/tide",  # anybody's, below a private suffix
        "https://courier.example@evil.example/2026/11/tide",
    ],
)
def test_no_page_takes_the_identity_of_another_sites_article(forger: str, claim: str) -> None:
    victim, _, _ = stored_id(VICTIM, "")
    found, canonical, said = stored_id(forger, claim)
    assert found != victim
    assert canonical is None
    assert said is not None
    assert said.lower() == VICTIM


@pytest.mark.parametrize(
    "other",
    [
        "http://courier.example/2026/11/tide",
        "https://www.courier.example/2026/11/tide?utm_source=x",
        "https://amp.courier.example/2026/11/tide",
        "https://courier-example.cdn.ampproject.org/c/s/courier.example/2026/11/tide/amp",
        "https://www.google.com/amp/s/courier.example/2026/11/tide/amp",
        "https://user:secret@courier.example/index.php?id=17",
    ],
)
def test_the_forms_of_one_sites_page_are_one_article(other: str) -> None:
    assert stored_id(other, CLAIMS[0]) == (article_id(VICTIM), VICTIM, None)


@pytest.mark.parametrize("platform", ["github.io", "blogspot.co.uk"])
def test_neighbours_on_a_platform_are_strangers(platform: str) -> None:
    victim, forger = f"https://alice.{platform}/a", f"https://mallory.{platform}/a"
    assert stored_id(forger, f'<link rel="canonical" href="{victim}">') == (article_id(forger), None, victim)
    assert site_key(f"https://www.{platform}/") == site_key(f"https://{platform}/") == platform


def test_an_own_address_counts_beside_a_foreign_claim() -> None:
    head = f'<link rel="canonical" href="{VICTIM}"><meta property="og:url" content="https://mirror.example/a">'
    own = "https://mirror.example/a"
    assert stored_id(own + "?x=1", head) == (article_id(own), own, VICTIM)


def test_an_article_without_an_id_is_not_known_by_another_sites_address() -> None:
    forged = Article(url="https://evil.example/a", canonical_url=VICTIM, text="t")
    assert identify(forged) == article_id("https://evil.example/a")
    assert identify(replace(forged, url="http://www.courier.example/a")) == article_id(VICTIM)
    assert identify(replace(forged, url=None)) == article_id(VICTIM)
    assert identify(replace(forged, url="file:///a.html")) == article_id(VICTIM)


@pytest.mark.parametrize("url", ["https://user:pass@courier.example/a", "HTTP://u@courier.example/a?b=@c#@"])
def test_credentials_are_no_part_of_an_address(url: str) -> None:
    html = f"<p>{'The tide came in. ' * 20}</p><link rel=canonical href='https://me:pw@courier.example/b'>"
    article = extract(html, url=url, extractor="eniw")
    assert article.url == url.replace("user:pass@", "").replace("u@", "", 1)
    assert article.canonical_url == "https://courier.example/b"
