"""Zero-width characters, soft hyphens and letters that look like others change no judgement, and stay in the text."""

import unicodedata
from collections.abc import Callable
from functools import cache

import pytest

import webmain
from tests.exact.made import LANGUAGES, TEMPLATES, URL, Words, changed, page, paragraphs, words
from webmain.items import Article
from webmain.text.normal import strip_invisible

OF_THE_ARTICLE = ("title", "author", "lead", "body")
CYRILLIC = str.maketrans("aceopxyACEHKMOPTX", "асеорхуАСЕНКМОРТХ")
FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F) if chr(code).isalpha()}


def every(mark: str, n: int) -> Callable[[str], str]:
    """Return a change that puts a character inside words, `n` letters apart."""

    def change(text: str) -> str:
        out, since = [], 0
        for character in text:
            if since >= n and unicodedata.category(character)[0] == "L":
                out.append(mark)
                since = 0
            out.append(character)
            since = since + 1 if unicodedata.category(character)[0] in "LM" else 0
        return "".join(out)

    return change


def in_boxes(w: Words, change: Callable[[str], str]) -> Words:
    return {key: value if key in OF_THE_ARTICLE else changed({key: value}, change)[key] for key, value in w.items()}


@cache
def unchanged(language: str, template: str) -> Article:
    return webmain.extract(page(language, words(language), template), url=URL)


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("mark", ["\u200b", "\u2060", "\u200c"], ids=["space", "joiner", "non-joiner"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_zero_width_characters_change_nothing_and_are_kept(language, mark, template):
    clean = words(language)
    w = changed(clean, every(mark, 3))
    article = webmain.extract(page(language, w, template), url=URL)
    plain = unchanged(language, template)
    assert strip_invisible(article.text) == strip_invisible(plain.text)
    assert article.text.count(mark) > plain.text.count(mark)
    assert strip_invisible(article.title) == strip_invisible(" ".join(clean["title"].split()))
    assert article.language == language
    boxes = webmain.extract(page(language, in_boxes(clean, every(mark, 2)), template), url=URL)
    assert strip_invisible(boxes.text) == strip_invisible(plain.text)


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_soft_hyphens_are_no_characters(language, template):
    w = words(language)
    hyphenated = changed(w, every("\u00ad", 4))
    article = webmain.extract(page(language, hyphenated, template), url=URL)
    assert article.text == unchanged(language, template).text
    assert article.title == " ".join(w["title"].split())


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("letters", [CYRILLIC, FULL_WIDTH], ids=["Cyrillic", "full width"])
def test_letters_that_look_like_others_change_nothing_and_are_kept(letters, template):
    w = changed(words("en"), lambda text: text.translate(letters))
    article = webmain.extract(page("en", w, template), url=URL)
    assert article.text.split("\n\n") == paragraphs(w)
    assert article.title == w["title"]
    boxes = webmain.extract(page("en", in_boxes(words("en"), lambda text: text.translate(letters)), template), url=URL)
    assert boxes.text.split("\n\n") == paragraphs(words("en"))
