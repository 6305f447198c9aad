"""A news page in each of fourteen scripts, with every box around the article: exactly the article comes out.

The words of each paper are a table in `scripts/`, its markup one of `templates/`; no model was trained on either.
"""

import itertools

import pytest

import webmain
from tests.exact.made import LANGUAGES, TEMPLATES, URL, cases, page, paragraphs, words
from webmain.article.words import cloud

N_WORDS = 12


@pytest.mark.parametrize(("language", "template"), cases(*itertools.product(LANGUAGES, TEMPLATES)))
def test_article_comes_out_word_for_word_with_its_metadata(language, template):
    w = words(language)
    article = webmain.extract(page(language, w, template), url=URL)
    assert article.text.split("\n\n") == paragraphs(w)
    assert article.title == " ".join(w["title"].split())
    assert article.authors == (w["author"],)
    assert article.published is not None
    assert str(article.published)[:10] == w["date"][:10]
    assert article.language == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_tag_cloud_has_the_words_of_the_text_as_the_language_divides_them(language):
    w = words(language)
    found = cloud("\n\n".join(paragraphs(w)), language=language, top=N_WORDS)
    assert set(w["words"]) <= {each.word for each in found.words}
    assert not {"และ", "ແລະ", "និង", "နှင့်", "და", "እና", "மற்றும்", "এবং", "और", "و", "של"} & {
        each.word for each in found.words
    }
