import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.text.characters import is_disguised
from webmain.text.normal import (
    MAX_MARKS,
    as_seen,
    compose,
    fingerprint,
    fold_apostrophes,
    fold_case,
    fold_lines,
    fold_space,
    is_unspaced,
    strip_invisible,
    strip_unprinted,
)


def test_white_space_of_every_kind_folds_to_one_space():
    assert fold_space("\n a\t\tb\u00a0\u3000c\r\n") == "a b c"


@pytest.mark.parametrize("mark", "'\u2018\u2019\u02bc\uff07`\u00b4")
def test_apostrophes_of_every_shape_become_straight(mark):
    assert fold_apostrophes(f"don{mark}t") == "don't"


def test_case_folds_letters_that_lower_case_leaves_apart():
    assert fold_case("Straße") == fold_case("STRASSE")
    assert fold_case("ΣΊΣΥΦΟΣ") == fold_case("σίσυφος")


def test_turkish_keeps_its_two_letters_i():
    assert fold_case("Iİ", language="tr") == "ıi"
    assert fold_case("I", language="en") == "i"


def test_unprinted_characters_go_and_joiners_stay():
    assert strip_unprinted("Über\u00adraschung\ufeff\u200e\x00") == "Überraschung"
    assert strip_unprinted("می\u200cخواهم") == "می\u200cخواهم"
    assert strip_invisible("می\u200cخو\u200bاهم") == "میخواهم"


def test_fingerprint_has_32_hex_digits_of_the_sha256():
    assert fingerprint("") == "e3b0c44298fc1c149afbf4c8996fb924"  # first half of SHA-256 of nothing


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("A  b\nC", "a B c"),
        ("caf\u00e9", "cafe\u0301"),
        ("Über\u00adraschung", "überraschung"),
        (" zero\u200bwidth\ufeff", "zerowidth"),
        ("Straße", "STRASSE"),
    ],
)
def test_fingerprint_ignores_what_no_reader_sees(first, second):
    assert fingerprint(first) == fingerprint(second)


@pytest.mark.parametrize(("first", "second"), [("ab", "a b"), ("don't", "dont"), ("resume", "résumé"), ("1", "2")])
def test_fingerprint_tells_different_texts_apart(first, second):
    assert fingerprint(first) != fingerprint(second)


@given(st.text())
def test_fingerprint_takes_any_text_and_case_changes_nothing_twice(text):
    assert len(fingerprint(text)) == 32
    assert fingerprint(f"  {text}\n") == fingerprint(text)


def test_rows_of_marks_are_cut_at_the_limit_and_shorter_ones_kept():
    kept = "a" + "\u0323" * MAX_MARKS
    assert compose(kept + " ") == unicodedata.normalize("NFC", kept + " ")
    assert compose(kept + "\u0323") == unicodedata.normalize("NFC", kept)


def test_alternating_marks_cost_no_quadratic_time():
    started = time.process_time()
    compose("a" + "\u0315\u0300" * 200_000)  # plain NFC: minutes
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  a \n\t b  ", "a b"),
        ("中文\n  中文", "中文中文"),
        ("中文。\n\n「中文」", "中文。「中文」"),
        ("中文\nabc\n中文", "中文 abc 中文"),
        ("한국\n어", "한국 어"),
        ("ไทย\nไทย", "ไทย ไทย"),
        ("é\né", "é é"),
        ("", ""),
    ],
)
def test_line_ends_are_spaces_but_between_chinese_and_japanese(text, expected):
    assert fold_lines(text) == expected


@given(st.text(st.sampled_from("a é中かไ \n\t\u00a0。"), max_size=40))
def test_folding_changes_white_space_only(text):
    assert "".join(fold_lines(text).split()) == "".join(text.split())
    assert fold_lines(fold_lines(text)) == fold_lines(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("123", False), ("English ไทย", False), ("ไทยรัฐ ok", True), ("漢字かな", True), ("한국어", False), ("abกข", True)],
)
def test_unspaced_is_half_of_the_letters_or_more(text, expected):
    assert is_unspaced(text) is expected


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("Plain words", "Plain words"),
        ("Re\u200bla\u00adted \ufeffstories", "Related stories"),
        ("Ｒｅｌａｔｅｄ　ｓｔｏｒｉｅｓ！", "Related　stories！"),
        ("Rеlаtеd stοries", "Related stories"),
        ("Новости компании в Telegram", "Новости компании в Telegram"),
        ("می\u200cشود", "میشود"),
        ("", ""),
    ],
)
def test_words_are_judged_as_they_are_seen(text, seen):
    assert as_seen(text) == seen
    assert is_disguised([text]) == (text != seen)
