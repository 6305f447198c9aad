"""The Thai segmenter breaks as PyThaiNLP's maximal matching does."""

from __future__ import annotations

import functools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webmain.text.thai import keep_pythainlp_quiet, segment

_SYLLABLES = (
    "กา",
    "ร",
    "เมือง",
    "คณะ",
    "กรรม",
    "ตา",
    "กลม",
    "ฤดู",
    "ร้อน",
    "มาก",
    "เรา",
    "พ.ศ.",
    " ",
    ".",
    "...",
    "น",
    "ำ",
    "์",
    "เก็",
    "ก้ม ๆ เงย ๆ",
)
phrases = st.lists(
    st.one_of(st.sampled_from(_SYLLABLES), st.text("กขคงชนมรลสหอาิีุูเแโใไ่้๊์็ัะำๆฯ .", max_size=5)), max_size=20
).map("".join)


@functools.cache
def peer():
    keep_pythainlp_quiet()
    from pythainlp.tokenize import word_dict_trie, word_tokenize

    return functools.partial(word_tokenize, custom_dict=word_dict_trie(), engine="newmm", join_broken_num=False)


@settings(max_examples=400, deadline=None)
@example("ตากลมมากเราการเมืองฤดูร้อนคณะกรรมการ")
@example("ก" * 300)
@example("ตากลม" * 40)
@given(phrases)
def test_breaks_are_those_of_maximal_matching(text):
    assert segment(text) == peer()(text)
    assert "".join(segment(text)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  ", ["  "]),
        ("นายกรัฐมนตรีเดินทางไปโรงเรียน", ["นายกรัฐมนตรี", "เดินทาง", "ไป", "โรงเรียน"]),
        ("ไป  โรงเรียน...", ["ไป", "  ", "โรงเรียน", "..."]),
    ],
)
def test_words_spaces_and_dots_are_segments(text, expected):
    assert segment(text) == expected


def test_a_compound_in_a_long_phrase_is_kept_whole():
    phrase = "คณะกรรมการนโยบายเศรษฐกิจ" * 12
    assert segment(phrase).count("คณะกรรมการ") == 12


def test_borders_of_clusters_come_from_the_public_function_where_the_pattern_is_not_there(monkeypatch):
    from pythainlp.tokenize import tcc_p

    from webmain.text import thai

    with_pattern = thai._borders()("นายกรัฐมนตรี เดินทาง.")
    monkeypatch.delattr(tcc_p, "_PAT_TCC")
    assert thai._borders.__wrapped__() is not thai._borders()
    monkeypatch.undo()
    assert with_pattern == [0, *sorted(tcc_p.tcc_pos("นายกรัฐมนตรี เดินทาง."))]
