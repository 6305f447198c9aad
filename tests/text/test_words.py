import os
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.text.normal import replace_surrogates, strip_unprinted
from webmain.text.words import (
    MAX_TERM_LENGTH,
    bare,
    base_language,
    pieces,
    placed_words,
    term,
    tokens,
    word_counts,
    words,
)

_TRICKY = (
    " \n\t\r\u00a0\u202f\u2028\u3000\u200b\u200d\u00ad\ufeff.,:;'\u2019\"-\u2013_/@#%&()\u00b7\u2024\u203f\u0301\u20e3"
)
_LETTERS = "abSzU\u00e9\u00df\u0130\u0131\u0149\u00b2\u00bd\u02d0\u02c2\u03b1\u0436\u05d0\u05f4\u0627\u064e\u0915\u093e"
_OTHERS = (
    "\u0e01\u0e32\u0e46\u0e40\u0e48\u4e2d\u56fd\u3042\u30ab\u30fc\ud55c\u1780\u1000\u0e81\U0001f600\U0001f1e9\ud800"
)
_WORDS = ("U.S.", "e.g", "don\u2019t", "1,000.5", "l\u00b7l", "S:t", "a_b", "\u0e1e.\u0e28.", "20\u202f000")


THAI = "นายกรัฐมนตรีเดินทางไปโรงเรียน"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Hello, world!", ["Hello", "world"]),
        ("Don’t stop; it's 3.5 km/h", ["Don’t", "stop", "it's", "3.5", "km", "h"]),
        ("the U.S. and e.g. this.", ["the", "U.S.", "and", "e.g.", "this"]),
        ("Über\u00adraschung", ["Überraschung"]),
        ("😀 a 𝒳yz b", ["a", "𝒳yz", "b"]),
        ("می‌خواهم بروم", ["می‌خواهم", "بروم"]),
        ("日本語は難しい。", ["日本語", "は", "難しい"]),
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


def test_the_digit_zero_is_a_letter_in_burmese_words():
    assert words("၀န်ကြီးချုပ် နို၀င်ဘာ ၁၀ ၂၀၂၆ ဘ၀") == ["ဝန်ကြီးချုပ်", "နိုဝင်ဘာ", "၁၀", "၂၀၂၆", "ဘဝ"]
    assert list(placed_words("၁၀ ၀န်ကြီးချုပ်")) == [("၁၀", 0, 2), ("ဝန်ကြီးချုပ်", 3, 15)]


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
        ("english", ""),
        (None, ""),
    ],
)
def test_base_language_is_the_first_part_of_a_tag(tag, expected):
    assert base_language(tag) == expected


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_words_hold_a_letter_or_digit_and_no_space(text):
    for word in words(text):
        assert any(map(str.isalnum, word))
        assert not any(c in " \n\t" for c in word)


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
        ("l’homme", "fr", "homme"),
        ("aujourd'hui", "fr", "aujourd'hui"),
        ("dell'arte", "it", "arte"),
        ("Ankara’da", "tr", "ankara"),
        ("İstanbul", "tr", "istanbul"),
        ("IŞIK", "tr", "ışık"),
        ("U.S.", "en", "u.s."),
        ("G20", "en", "g20"),
        ("محمّد", "ar", "محمد"),
        ("می\u200cخواهم", "fa", "میخواهم"),
        ("مي\u200cخواهم", "fa", "میخواهم"),
        ("في", "ar", "في"),
        ("ΛΙΜΆΝΙ", "el", "λιμανι"),
        ("Μαΐου", "el", "μαϊου"),
        ("aşa", "ro", "așa"),
        ("Ещё", "ru", "еще"),
        ("ёсць", "be", "ёсць"),
        ("aşa", "tr", "aşa"),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't_stop: 3.5!", ["don", "t", "stop", "3", "5"]),
        ("CAFÉ cafe\u0301", ["café", "café"]),
        ("日本語は難しい", ["日本語", "は", "難しい"]),
        ("abcสวัสดีครับ", ["abc", "สวัสดี", "ครับ"]),
        ("", []),
    ],
)
def test_tokens_are_letters_marks_and_digits(text, expected):
    assert tokens(text) == expected


@pytest.mark.parametrize("piece", ["กา", "ก ", "๑", "ก1", "漢", "a", "1", "a.", "é\u0301", "ำ้", " ๆ", "\u200b"])
def test_long_input_costs_no_more_than_linear_time(piece):
    words("กา")
    started = time.process_time()
    words(piece * 40_000)
    assert time.process_time() - started < 5


def test_thai_makes_no_folder_in_the_home_and_loads_nothing_early(tmp_path):
    script = (
        "import sys, webmain.text.words as w, webmain.text.stopwords as s;"
        "assert not {'numpy', 'icu4py', 'nlpo3', 'stopwordsiso'} & set(sys.modules), 'loaded early';"
        "assert w.words('โรงเรียน') and s.stopwords('th')"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHAINLP")} | {"HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


texts = st.lists(
    st.one_of(st.text(_TRICKY + _LETTERS + _OTHERS + "019", max_size=6), st.sampled_from((*_WORDS, " ", "\n"))),
    max_size=25,
).map("".join)


@given(texts, st.sampled_from((None, "en", "sv", "fi", "tr", "th", "ja")))
def test_counts_are_those_of_the_words_in_order(text, language):
    assert +word_counts(text, language=language) == Counter(words(text, language=language))
    assert all(n > 0 for n in word_counts(text, language=language).values())


@pytest.mark.parametrize(
    "around", ["{}", "ab{}", "{}ab", "ab{}ab", "9{}", "{}9", "9{}9", "ab{}9", "ab\u2019{}b", "({}\u2019\u00bb"]
)
@pytest.mark.parametrize("language", ["en", "sv"])
def test_every_character_of_the_basic_plane_is_counted_as_it_is_segmented(around, language):
    # Chunks are looked at one by one: a space between them makes one text of all.
    text = " ".join(around.format(chr(point)) for point in range(0x21, 0x3100) if not 0x0E00 <= point < 0x0E80)
    assert word_counts(text, language=language) == Counter(words(text, language=language))


def test_repeated_chunks_count_as_often_as_they_occur():
    text = "The well-known U.S. policy, the well-known U.S. policy. 1,5 1,5 \u0e01\u0e32\u0e23\u0e40\u0e21\u0e37\u0e2d\u0e07"
    counts = word_counts(text, language="en")
    assert (counts["well"], counts["U.S."], counts["1,5"], counts["the"], counts["policy"]) == (2, 2, 2, 1, 2)
    assert counts == Counter(words(text, language="en"))


def test_the_first_text_of_a_process_is_segmented_as_all_later_ones():
    code = "from webmain.text.words import words; print(words('ーあ') == words('ーあ') == ['ー', 'あ'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


def test_thai_words_that_the_segmenter_divides_wrongly_are_divided_rightly():
    assert words("เขาบอกว่าจะมา") == ["เขา", "บอก", "ว่า", "จะ", "มา"]
    assert words("กล่าวอีกว่าไม่จริง") == ["กล่าว", "อีก", "ว่า", "ไม่", "จริง"]
    assert words("ดีกว่าเดิม") == ["ดีกว่า", "เดิม"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't, e.g. in the U.S.  3.5", "I| |don't|,| |e.g.| |in| |the| |U.S.|  |3.5"),
        ("มาก ๆ เเละน้ํา..ไป", "มาก| |ๆ| |เเละ|น้ํา|..|ไป"),
        ("เขาบอกว่า พ.ศ. 2567", "เขา|บอก|ว่า| |พ.ศ.| |2567"),
        ("東京都に行きました。", "東京|都|に|行き|ま|した|。"),
        ("ذهبَ الولدُ، ثمّ", "ذهبَ| |الولدُ|،| |ثمّ"),
        ("1\u202f000 Über\u00adraschung\ud800", "1|\u202f|000| |Überraschung|\ufffd"),
    ],
)
def test_pieces_are_written_as_in_the_text(text, expected):
    assert pieces(text) == expected.split("|")


@given(st.one_of(texts, st.text("กขเแำํ้่ัาๆ. ว่บอกa", max_size=60)), st.sampled_from((None, "en", "sv", "th", "ja")))
def test_pieces_joined_are_the_text(text, language):
    found = pieces(text, language=language)
    assert "".join(found) == replace_surrogates(strip_unprinted(text))
    assert all(piece.isspace() or len(piece.split()) == 1 for piece in found)


@given(st.lists(st.sampled_from(("ตา", "กลม", "เขา", "บอกว่า", "และ", "มาก ๆ", " ", ".", "พ.ศ.", "2567", "U.S."))))
def test_pieces_are_divided_as_words_are(parts):
    text = "".join(parts)
    assert [piece for piece in pieces(text) if any(map(str.isalnum, piece)) and piece != "ๆ"] == words(text)


@given(st.one_of(texts, st.text("กขเแำํ้่ัาๆ. ว่บอกa", max_size=60)), st.sampled_from((None, "en", "th", "ja")))
def test_placed_words_are_the_words_and_where_they_are_written(text, language):
    found = list(placed_words(text, language=language))
    assert [word.rstrip(".") for word, _, _ in found] == [word.rstrip(".") for word in words(text, language=language)]
    assert all(0 <= start < end <= len(text) for _, start, end in found)
    assert all(end <= start for (_, _, end), (_, start, _) in pairwise(found))


def test_pieces_of_a_long_thai_text_take_linear_time():
    def seconds(n: int) -> float:
        start = time.process_time()  # not the time of other programs
        pieces("เเละเขาบอกว่ามาก ๆ " * n)
        return time.process_time() - start

    seconds(1)
    few, many = (min(seconds(n) for _ in range(3)) for n in (1_000, 20_000))
    assert many < 40 * few
