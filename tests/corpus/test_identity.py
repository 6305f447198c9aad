from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.corpus.identity import article_id, content_mark, identify
from webmain.corpus.record import clean, encode, plain
from webmain.items import Article
from webmain.text.normal import fingerprint


def test_id_is_the_beginning_of_the_sha_256_of_the_url() -> None:
    assert article_id("https://a.example/") == hashlib.sha256(b"https://a.example/").hexdigest()[:16]
    assert len(article_id("https://a.example/\ud800")) == 16


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("A b\n\nc", "a  B C", True),
        ("Straße", "STRASSE", True),
        ("a b", "ab", False),
        ("", " \n", True),
        ("a", "a.", False),
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


@given(st.text(st.characters(codec=None, categories=None) | st.sampled_from("\ud800\udfff"), max_size=30))
def test_cleaned_text_can_be_encoded_and_keeps_its_length(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert len(cleaned) == len(text)
