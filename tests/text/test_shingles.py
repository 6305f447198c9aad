import random

import pytest

from webmain.text.shingles import N_BANDS, N_PERMUTATIONS, NEAR_DUPLICATE, bands, jaccard, shingles, signature

SYLLABLES = ["ka", "to", "mi", "re", "su", "lon", "dar", "pel"]
THAI = "กขคงจชซดตถทนบปพฟมยรลวสหอาิีุู"


def article(seed, n_words=500):
    chance = random.Random(seed)
    return ["".join(chance.choices(SYLLABLES, k=3)) for _ in range(n_words)]


def test_shingles_are_three_words_folded():
    assert shingles("The QUICK, brown fox!") == {"the quick brown", "quick brown fox"}


def test_shingles_of_unspaced_scripts_are_five_characters_across_spaces():
    assert shingles("東京 都知事選") == {"東京都知事", "京都知事選"}


def test_a_mixed_text_has_shingles_of_both_kinds():
    assert shingles("BBC says กขคงจ") == {"bbc says", "กขคงจ"}


@pytest.mark.parametrize(
    ("text", "expected"), [("", set()), ("...!", set()), ("One", {"one"}), ("a_b", {"a b"}), ("กข", {"กข"})]
)
def test_shingles_of_short_texts(text, expected):
    assert shingles(text) == expected


def test_signature_is_the_same_everywhere():
    of = signature("The quick brown fox jumps over the lazy dog")
    assert of[:3] == (3376010312, 1526681134, 3263166262)  # when this changes, raise SIGNATURE_VERSION
    assert len(of) == N_PERMUTATIONS


def test_signature_of_nothing_is_like_no_other():
    assert signature("...") == ()
    assert bands(()) == ()
    assert jaccard((), ()) == 0.0
    assert jaccard((), signature("words")) == 0.0


def test_signatures_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="128 and 2 rows"):
        jaccard(signature("words"), (1, 2))


def test_bands_are_unlike_each_other_even_with_equal_rows():
    assert len(set(bands((0,) * N_PERMUTATIONS))) == N_BANDS


@pytest.mark.parametrize("seed", range(5))
def test_near_duplicates_share_a_band_and_are_verified(seed):
    words = article(seed)
    edited = [*words[:200], "breaking", *words[201:350]]  # one word changed, 30 % cut off
    first, second = signature(" ".join(words)), signature(" ".join(edited))
    assert set(bands(first)) & set(bands(second))
    assert jaccard(first, second) >= NEAR_DUPLICATE


@pytest.mark.parametrize("seed", range(5))
def test_thai_near_duplicates_are_found_without_spaces(seed):
    letters = random.Random(seed).choices(THAI, k=2_000)
    edited = [*letters]
    edited[500:505] = "กกกกก"
    first, second = signature("".join(letters)), signature(" ".join(["".join(edited[:900]), "".join(edited[900:])]))
    assert jaccard(first, second) >= 0.9


def test_other_articles_share_no_band():
    found = [set(bands(signature(" ".join(article(seed))))) for seed in range(20)]
    assert not any(found[i] & found[j] for i in range(20) for j in range(i))
