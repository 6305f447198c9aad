"""A page of each kind that is hard to draw a line around; what belongs to its text is in docs/learned.md."""

import pytest

import webmain
from tests.exact.made import KINDS, URL, cases, kind


@pytest.mark.parametrize("name", cases(*((name,) for name in KINDS)))
def test_text_is_what_a_reader_would_call_the_article(name):
    page = kind(name)
    article = webmain.extract(page.html, url=URL)
    assert article.text.split("\n\n") == page.text.split("\n\n")
    assert article.title == page.title
    assert article.authors == page.authors
