import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.evaluation.tokens import Unit, tokens, unit_of
from webmain.text.words import spaced_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't stop, 3 times!", ["don", "t", "stop", "3", "times"]),
        ("snake_case and e-mail", ["snake", "case", "and", "e", "mail"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("cafe\u0301 CAFÉ", ["café", "café"]),
        ("be\u00adlieb\u00adte \ufeffMarke", ["beliebte", "marke"]),
        ("…—!", []),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_marks_and_digits(text, expected):
    assert spaced_words(text) == expected


def test_thai_is_cut_into_four_characters_marks_among_them():
    assert tokens("ที่ นี่", Unit.CHARACTERS) == ["ที่น", "ี่นี", "่นี่"]


@pytest.mark.parametrize(("text", "expected"), [("日本", ["日本"]), ("日本国民", ["日本国民"]), ("。", []), ("", [])])
def test_a_text_of_up_to_four_characters_is_one_token(text, expected):
    assert tokens(text, Unit.CHARACTERS) == expected


@pytest.mark.parametrize(
    ("gold", "language", "unit"),
    [
        ("English words", "th", Unit.CHARACTERS),
        ("ข่าววันนี้", "en", Unit.WORDS),
        ("新闻", "zh-CN", Unit.CHARACTERS),
        ("ข่าววันนี้", "", Unit.CHARACTERS),
        ("ข่าววันนี้", "und", Unit.CHARACTERS),
        ("English words", "", Unit.WORDS),
        ("한국어 기사", "", Unit.WORDS),
        ("日本ab", "", Unit.CHARACTERS),
        ("日本abc", "", Unit.WORDS),
        ("", "", Unit.WORDS),
    ],
)
def test_the_language_decides_the_unit_and_the_gold_script_where_it_is_unknown(gold, language, unit):
    assert unit_of(gold, language) is unit


@given(st.text(max_size=60))
def test_four_grams_cover_all_characters_of_the_words(text):
    joined = "".join(spaced_words(text))
    grams = tokens(text, Unit.CHARACTERS)
    assert "".join(gram[0] for gram in grams[:-1]) + "".join(grams[-1:]) == joined


@given(st.text(max_size=60))
def test_punctuation_and_white_space_between_words_make_no_difference(text):
    assert spaced_words(" … ".join(spaced_words(text))) == spaced_words(text)
