import math

import pytest

from webmain.cloud.counting import Counting
from webmain.cloud.keyness import MIN_COUNT, keyness, typical
from webmain.cloud.records import CloudError


def test_log_likelihood_is_that_computed_by_hand():
    # 10 of 1,000 words against 5 of 2,000: 5 and 10 are expected; 2 (10 ln 2 + 5 ln .5) = 10 ln 2
    found = keyness(10, 1_000, 5, 2_000)
    assert found.log_likelihood == pytest.approx(10 * math.log(2))
    assert found.log_ratio == pytest.approx(2)
    assert found.count_against == 5


def test_an_absent_word_counts_as_half_an_occurrence():
    # 8 of 1,000 against 0 of 1,000: 4 are expected; 2 * 8 ln 2; ratio 8 / .5
    found = keyness(8, 1_000, 0, 1_000)
    assert found.log_likelihood == pytest.approx(16 * math.log(2))
    assert found.log_ratio == pytest.approx(4)


def test_equal_shares_are_typical_of_nothing():
    found = keyness(3, 300, 7, 700)
    assert (found.log_likelihood, found.log_ratio) == (pytest.approx(0, abs=1e-12), pytest.approx(0, abs=1e-12))


def test_sides_differ_in_sign_only():
    one, other = keyness(9, 500, 2, 900), keyness(2, 900, 9, 500)
    assert one.log_likelihood == pytest.approx(other.log_likelihood)
    assert one.log_ratio == pytest.approx(-other.log_ratio)


def counts(*texts):
    counting = Counting()
    for text in texts:
        counting.add(text, language="en")
    return counting.counts()


TIDES = counts("tide " * 12 + "quay " * 10 + "boat " * 10)
GARDENS = counts("rose " * 12 + "quay " * 10 + "boat " * 10 + "tide")


def test_over_and_underuse_are_told_apart():
    assert [one.word for one in typical(TIDES, GARDENS, top=5).words] == ["tide"]
    under = typical(TIDES, GARDENS, top=5, under=True).words
    assert [(one.word, one.count, one.keyness.count_against) for one in under] == [("rose", 0, 12)]
    assert under[0].keyness.log_ratio < 0


def test_weights_are_shares_of_the_greatest_log_likelihood():
    found = typical(counts("tide " * 30 + "moon " * 15), counts("rose " * 45), top=5).words
    assert [one.word for one in found] == ["tide", "moon"]
    assert found[0].weight == 1
    assert found[1].weight == pytest.approx(found[1].keyness.log_likelihood / found[0].keyness.log_likelihood)


def test_rare_words_are_typical_of_nothing():
    few = counts("tide " * (MIN_COUNT - 1))
    assert typical(few, GARDENS, top=5).words == ()


def test_among_many_articles_a_word_of_one_is_typical_of_that_one():
    many = counts("moon " * 50, *["tide quay boat " * 4] * 5)
    assert "moon" not in {one.word for one in typical(many, counts("rose " * 99), top=9).words}
    assert "tide" in {one.word for one in typical(many, counts("rose " * 99), top=9).words}


@pytest.mark.parametrize(("one", "other"), [(counts(), GARDENS), (TIDES, counts())])
def test_nothing_is_compared_with_nothing(one, other):
    with pytest.raises(CloudError, match="nothing to compare"):
        typical(one, other, top=5)
