import os
import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webmain.text.words import (
    MAX_TERM_LENGTH,
    bare,
    base_language,
    is_unspaced,
    term,
    terms,
    tokens,
    unspaced_share,
    words,
)

THAI = "นายกรัฐมนตรีเดินทางไปโรงเรียน"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t ... !", []),
        ("Hello, world!", ["Hello", "world"]),
        ("Don’t stop; it's 3.5 km/h", ["Don’t", "stop", "it's", "3.5", "km", "h"]),
        ("the U.S. and e.g. this.", ["the", "U.S.", "and", "e.g.", "this"]),
        ("Über\u00adraschung", ["Überraschung"]),
        ("😀 a 𝒳yz b", ["a", "𝒳yz", "b"]),
        ("हिन्दी समाचार", ["हिन्दी", "समाचार"]),
        ("می‌خواهم بروم", ["می‌خواهم", "بروم"]),
        ("한국어 뉴스", ["한국어", "뉴스"]),
        ("日本語は難しい。", ["日本語", "は", "難しい"]),
        ("今天宣布", ["今天", "宣布"]),
        ("ສະບາຍດີ ຊາວໂລກ", ["ສະບາຍດີ", "ຊາວໂລກ"]),
        (THAI, ["นายกรัฐมนตรี", "เดินทาง", "ไป", "โรงเรียน"]),
        ("ไทยรัฐ says สวัสดีครับ 12 ก.พ. 2567", ["ไทยรัฐ", "says", "สวัสดี", "ครับ", "12", "ก.พ.", "2567"]),
        ("The word “โรงเรียน” means school", ["The", "word", "โรงเรียน", "means", "school"]),
        ("\ud800abc", ["abc"]),
    ],
)
def test_words_of_every_script(text, expected):
    assert words(text) == expected


@pytest.mark.parametrize(
    ("typed", "right"),
    [("นํ้า", "น้ำ"), ("เเละ", "และ"), ("น้้ำ", "น้ำ"), ("ต่าง ๆ", "ต่างๆ")],
)
def test_thai_typing_habits_are_repaired(typed, right):
    assert words(typed) == [right]


def test_thai_sign_of_repetition_is_no_word():
    assert words("นานา ๆ") == ["นานา"]


def test_thai_longer_than_a_piece_is_segmented_the_same():
    once = words(THAI + " ")
    assert words((THAI + " ") * 100) == once * 100
    assert "".join(words(THAI * 100)) == THAI * 100


@pytest.mark.parametrize("language", [None, "", "en", "en-GB", "zz", "x" * 1000, "../..", "日本", "th_TH"])
def test_any_language_tag_is_taken(language):
    assert words("Hello world", language=language) == ["Hello", "world"]


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("EN", "en"),
        ("en-GB", "en"),
        ("zh_Hant_TW", "zh"),
        ("fil", "fil"),
        ("english", ""),
        ("", ""),
        (None, ""),
        ("e", ""),
    ],
)
def test_base_language_is_the_first_part_of_a_tag(tag, expected):
    assert base_language(tag) == expected


@settings(deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_words_hold_a_letter_or_digit_and_no_space(text):
    for word in words(text):
        assert any(map(str.isalnum, word))
        assert not any(c in " \n\t" for c in word)


@settings(deadline=None)
@given(st.text(alphabet="กขคงาีเแำ้๑๒ abc.12ๆฯ\n", max_size=80))
def test_no_letter_of_a_mixed_text_is_lost(text):
    if not any(odd in text for odd in ("เเ", "ำ้", "าา", "้้", "ีี", "ๆ")):
        letters = [c for c in text if c.isalnum()]
        assert [c for word in words(text) for c in word if c.isalnum()] == letters


@pytest.mark.parametrize(
    ("word", "language", "expected"),
    [
        ("Hello", "en", "hello"),
        ("Trump’s", "en", "trump"),
        ("Trump's", "de", "trump's"),
        ("Don’t", "en", "don't"),
        ("l’homme", "fr", "homme"),
        ("aujourd'hui", "fr", "aujourd'hui"),
        ("L’Italia", "it", "italia"),
        ("dell'arte", "it", "arte"),
        ("Ankara’da", "tr", "ankara"),
        ("İstanbul", "tr", "istanbul"),
        ("IŞIK", "tr", "ışık"),
        ("м'яч", "uk", "м'яч"),
        ("U.S.", "en", "u.s."),
        ("G20", "en", "g20"),
        ("5G", "en", "5g"),
        ("محمّد", "ar", "محمد"),
        ("می\u200cخواهم", "fa", "میخواهم"),
        ("ปี", "th", "ปี"),
        ("人", "ja", "人"),
        ("x" * MAX_TERM_LENGTH, "en", "x" * MAX_TERM_LENGTH),
    ],
)
def test_term_is_the_folded_form(word, language, expected):
    assert term(word, language=language) == expected


@pytest.mark.parametrize(
    "word",
    ["2026", "1,000.50", "๒๕๖๗", "20th", "1990s", "10am", "a", "é", "ก", "น.", "た", "x" * (MAX_TERM_LENGTH + 1), ""],
)
def test_what_is_not_worth_counting_has_no_term(word):
    assert term(word, language="en") == ""
    assert bare(word, language="en") == ""


def test_terms_keep_the_order_and_the_repetitions():
    assert terms("A dog’s dog, 3 Dogs.", "en") == ["dog", "dog", "dogs"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't_stop: 3.5!", ["don", "t", "stop", "3", "5"]),
        ("CAFÉ cafe\u0301", ["café", "café"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("日本語は難しい", ["日本語", "は", "難しい"]),
        ("abcสวัสดีครับ", ["abc", "สวัสดี", "ครับ"]),
        ("", []),
    ],
)
def test_tokens_are_letters_marks_and_digits(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("123", False),
        ("English ไทย", False),
        ("ไทยรัฐ ok", True),
        ("漢字かな", True),
        ("한국어", False),
        ("abกข", True),
    ],
)
def test_unspaced_is_half_of_the_letters_or_more(text, expected):
    assert is_unspaced(text) is expected


def test_unspaced_share_counts_letters_only():
    assert unspaced_share("กข 12 ab, c") == pytest.approx(0.4)


@pytest.mark.parametrize("piece", ["กา", "ก ", "๑", "ก1", "漢", "a", "1", "a.", "é\u0301", "ำ้", " ๆ", "\u200b"])
def test_long_input_costs_no_more_than_linear_time(piece):
    words("กา")
    started = time.process_time()
    words(piece * 40_000)
    assert time.process_time() - started < 5


def test_thai_makes_no_folder_in_the_home_and_loads_nothing_early(tmp_path):
    script = (
        "import sys, webmain.text.words as w, webmain.text.stopwords as s;"
        "assert not {'numpy', 'icu4py', 'pythainlp', 'stopwordsiso'} & set(sys.modules), 'loaded early';"
        "assert w.words('โรงเรียน') and s.stopwords('th')"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHAINLP")} | {"HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
