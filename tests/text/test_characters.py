"""Classes and counts of characters; `python tests/text/test_characters.py` makes the table of classes anew."""

import json
import re
import time
import unicodedata
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.text.characters import FILE, Class, classify, count, table
from webmain.text.normal import EAST_ASIAN, SOUTHEAST_ASIAN, fold_space

OF_CATEGORY = {
    "L": Class.LETTER | Class.SPACED,
    "M": Class.LETTER | Class.SPACED,
    "N": Class.DIGIT | Class.SPACED,
    "P": Class.PUNCTUATION,
}

SCRIPTS = re.compile(f"([{EAST_ASIAN}])|[{SOUTHEAST_ASIAN}]")


def class_of(character):
    """What Unicode says of a character."""
    category = unicodedata.category(character)
    found = Class.SPACE if character.isspace() else OF_CATEGORY.get(category[0], Class(0))
    if script := SCRIPTS.match(character):
        found = Class.LETTER | (Class.EAST_ASIAN if script[1] else Class.SOUTHEAST_ASIAN)
    if (category == "Cf" and character < "\U00020000") or character in "'\u2019\uff07":  # tags join nothing
        found |= Class.JOINER
    return Class(0) if character == "\u200b" else found


def made():
    """Return the file of classes."""
    runs, at = [], 0
    for found, run in groupby(map(class_of, map(chr, range(0x110000)))):
        runs.append([at, found.value])
        at += sum(1 for _ in run)
    return json.dumps({"unicode": unicodedata.unidata_version, "runs": runs}, separators=(",", ":")) + "\n"


def test_table_is_what_unicode_says():
    version = json.loads(FILE.read_text())["unicode"]
    if version != unicodedata.unidata_version:
        pytest.skip(f"this Python knows another Unicode than {version}")
    assert FILE.read_text() == made()


def words_of(text):
    return int(count([text]).n_words[0])


@pytest.mark.parametrize(
    ("character", "expected"),
    [
        ("a", Class.LETTER | Class.SPACED),
        ("\u0301", Class.LETTER | Class.SPACED),
        ("7", Class.DIGIT | Class.SPACED),
        (" ", Class.SPACE),
        (",", Class.PUNCTUATION),
        ("'", Class.PUNCTUATION | Class.JOINER),
        ("\u200d", Class.JOINER),
        ("\u200b", Class(0)),
        ("😀", Class(0)),
        ("ก", Class.LETTER | Class.SOUTHEAST_ASIAN),
        ("漢", Class.LETTER | Class.EAST_ASIAN),
        ("𠀀", Class.LETTER | Class.EAST_ASIAN),
        ("한", Class.LETTER | Class.SPACED),
    ],
)
def test_class_of_a_character(character, expected):
    assert Class(int(classify(character)[0])) == expected


def test_table_covers_every_code_point_and_cannot_be_changed():
    assert table().shape == (0x110000,)
    with pytest.raises(ValueError, match="read-only"):
        table()[0] = 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("Don't stop.", 2),
        ("don’t", 1),
        ("'quoted'", 1),
        ("Über\u00adraschung", 1),
        ("zero\u200bwidth", 2),
        ("می‌خواهم", 1),
        ("हिन्दी में", 2),
        ("ก", 1),
        ("日本語です", 3),
    ],
)
def test_words_are_counted(text, expected):
    assert words_of(text) == expected


def test_thai_words_are_estimated_within_a_quarter_of_the_true_number():
    text = "นายกรัฐมนตรีกล่าวว่ารัฐบาลจะเร่งแก้ไขปัญหาน้ำท่วมในภาคเหนืออย่างเร่งด่วน"
    assert words_of(text) == pytest.approx(15, rel=0.25)


def test_texts_do_not_run_into_each_other():
    counts = count(["ab", "cd", "it'", "s", "", "x "])
    assert counts.n_words.tolist() == [1, 1, 1, 1, 0, 1]
    assert counts.n_chars.tolist() == [2, 2, 3, 1, 0, 1]
    assert counts.n_punctuation.tolist() == [0, 0, 1, 0, 0, 0]


@given(st.lists(st.text(max_size=30), max_size=8))
def test_characters_are_those_of_the_folded_text(texts):
    assert count(texts).n_chars.tolist() == [len(fold_space(text)) for text in texts]


@given(st.lists(st.text(max_size=30), min_size=1, max_size=8))
def test_a_text_counts_the_same_alone_and_among_others(texts):
    together = count(texts)
    for place, text in enumerate(texts):
        alone = count([text])
        assert together.n_words[place] == alone.n_words[0]
        assert together.n_punctuation[place] == alone.n_punctuation[0]


def test_lone_surrogates_are_counted_as_characters():
    assert count(["a\ud800"]).n_chars.tolist() == [2]


def test_a_page_is_counted_in_far_less_than_a_walk():
    leaves = ["The quick brown fox, it's said, jumps over the lazy dog and ran."] * 300
    count(leaves)
    started = time.process_time()
    for _ in range(20):
        count(leaves)
    assert (time.process_time() - started) / 20 < 0.003  # measured 0.0002


if __name__ == "__main__":
    FILE.write_text(made())
