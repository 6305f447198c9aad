"""Hashes of shingles are as equal and as different as the shingles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webmain.text.shinglehash import shingle_hashes
from webmain.text.shingles import shingles, signature

texts = st.text("ab\u00e9 \n.'_-1\u0436\u0301\u0e01\u0e32\u4e2d\u3042\U0001f600\U00020000\ud800", max_size=40)


def hashes(text):
    return set(shingle_hashes(text.lower().replace("_", " "), words=3, chars=5).tolist())


@settings(max_examples=300, deadline=None)
@given(texts)
def test_there_are_as_many_hashes_as_shingles(text):
    assert bool(signature(text)) == bool(shingles(text))
    folded = text.lower().replace("_", " ")
    if shingles(folded) == shingles(text):
        assert len(hashes(text)) == len(shingles(text)) or "\u0301" in text


@settings(max_examples=300, deadline=None)
@given(texts, texts)
def test_signatures_are_equal_where_shingles_are(first, second):
    assert (signature(first) == signature(second)) == (shingles(first) == shingles(second))


@given(st.lists(st.sampled_from(("one", "two", "three", "four", "five")), min_size=3, max_size=12))
def test_punctuation_case_and_white_space_make_no_difference(parts):
    assert signature(", ".join(parts)) == signature("\n".join(parts).upper())


@pytest.mark.parametrize(
    ("first", "second"), [("ab c", "a bc"), ("a b", "b a"), ("ab", "ba"), ("a", "aa"), ("a b", "a b b")]
)
def test_order_and_borders_of_words_make_a_difference(first, second):
    assert not hashes(first) & hashes(second)


def test_a_word_and_an_unspaced_letter_of_the_same_number_are_two_shingles():
    assert len(hashes("a \u4e2d")) == 2


def test_words_longer_than_the_weights_differ_at_their_end():
    assert not hashes("x" * 200 + "a") & hashes("x" * 200 + "b")


def test_hashes_are_the_same_on_every_machine_and_spread_over_all_bits():
    found = shingle_hashes(" ".join(f"word{i}" for i in range(4_000)), words=3, chars=5)
    assert found.dtype == np.uint64
    assert np.unique(found).size == found.size == 3_998
    ones = np.unpackbits(found.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
    assert ones.min() > 0.45
    assert ones.max() < 0.55
