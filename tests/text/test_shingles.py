"""Signatures of near copies are alike, and those of other texts are not."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.text.shingles import N_PERMUTATIONS, jaccard, shingle_hashes, signature

SYLLABLES = ["ka", "to", "mi", "re", "su", "lon", "dar", "pel"]
THAI = "กขคงจชซดตถทนบปพฟมยรลวสหอาิีุู"


def hashes(text):
    return set(shingle_hashes(text, words=3, chars=5).tolist())


def article(seed, n_words=500):
    chance = random.Random(seed)
    return ["".join(chance.choices(SYLLABLES, k=3)) for _ in range(n_words)]


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("", 0),
        ("...!", 0),
        ("one", 1),
        ("the quick, brown fox", 2),
        ("東京 都知事選", 2),
        ("กข", 1),
        ("bbc says กขคงจ", 2),
        ("a \u4e2d", 2),
    ],
)
def test_shingles_are_three_words_or_five_unspaced_letters(text, n):
    assert len(hashes(text)) == n


def test_signature_is_the_same_everywhere():
    of = signature("The quick brown fox jumps over the lazy dog")
    assert of[:3] == (3376010312, 1526681134, 3263166262)  # when this changes, raise SIGNATURE_VERSION
    assert len(of) == N_PERMUTATIONS


def test_signature_of_nothing_is_like_no_other():
    assert signature("...") == ()
    assert jaccard((), signature("words")) == 0.0
    with pytest.raises(ValueError, match="128 and 2 rows"):
        jaccard(signature("words"), (1, 2))


@pytest.mark.parametrize("seed", range(3))
def test_near_copies_are_alike_and_other_articles_are_not(seed):
    words = article(seed)
    edited = [*words[:200], "breaking", *words[201:350]]  # one word changed, 30 % cut off
    assert jaccard(signature(" ".join(words)), signature(" ".join(edited))) >= 0.5
    assert jaccard(signature(" ".join(words)), signature(" ".join(article(seed + 100)))) < 0.1


def test_thai_near_copies_are_found_without_spaces():
    letters = random.Random(1).choices(THAI, k=2_000)
    edited = [*letters]
    edited[500:505] = "กกกกก"
    first, second = signature("".join(letters)), signature(" ".join(["".join(edited[:900]), "".join(edited[900:])]))
    assert jaccard(first, second) >= 0.9


@given(st.lists(st.sampled_from(("one", "two", "a_b", "four", "five")), min_size=3, max_size=12))
def test_punctuation_case_and_white_space_make_no_difference(parts):
    assert signature(", ".join(parts)) == signature("\n".join(parts).upper())


@pytest.mark.parametrize(
    ("first", "second"),
    [("ab c", "a bc"), ("a b", "b a"), ("ab", "ba"), ("a b", "a b b"), ("x" * 200 + "a", "x" * 200 + "b")],
)
def test_order_and_borders_of_words_make_a_difference(first, second):
    assert not hashes(first) & hashes(second)


def test_hashes_spread_over_all_bits():
    found = shingle_hashes(" ".join(f"word{i}" for i in range(4_000)), words=3, chars=5)
    assert np.unique(found).size == found.size == 3_998
    ones = np.unpackbits(found.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1).mean(axis=0)
    assert 0.45 < ones.min() <= ones.max() < 0.55
