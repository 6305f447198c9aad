"""White space of a page's source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.html.wrapping import folded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  a \n\t b  ", "a b"),
        ("中文\n  中文", "中文中文"),
        ("中文。\n\n「中文」", "中文。「中文」"),
        ("ｶﾅ\nかな", "ｶﾅかな"),
        ("中文\nabc\n中文", "中文 abc 中文"),
        ("中文 \u3000 中文", "中文 中文"),
        ("한국\n어", "한국 어"),
        ("ไทย\nไทย", "ไทย ไทย"),
        ("é\né", "é é"),
        (" \n ", ""),
        ("", ""),
    ],
)
def test_line_ends_are_spaces_but_between_chinese_and_japanese(text, expected):
    assert folded(text) == expected


@given(st.text(st.sampled_from("a é中かไ \n\t\u00a0。"), max_size=40))
def test_folding_changes_white_space_only(text):
    assert "".join(folded(text).split()) == "".join(text.split())
    assert folded(folded(text)) == folded(text)


@given(st.text(st.characters(max_codepoint=0x1FF), max_size=40))
def test_without_wide_characters_it_folds_all_white_space(text):
    assert folded(text) == " ".join(text.split())
