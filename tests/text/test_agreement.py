import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.text.agreement import Agreement, lcs_members, matching_ratio, overlap, subsequence

tokens = st.lists(st.sampled_from("abcdef"), max_size=20)


def by_table(first, second):
    row = [0] * (len(second) + 1)
    for one in first:
        before = 0
        for place, other in enumerate(second, start=1):
            before, row[place] = row[place], before + 1 if one == other else max(row[place], row[place - 1])
    return row[-1]


def test_line_block_paper_example():
    gold = ["Title", "Some", "text", "in", "the", "body"]
    extract = ["Title", "Copyright", "Some", "text", "in"]
    agreement = subsequence(extract, gold)
    assert agreement.n_common == 4
    assert agreement.recall == pytest.approx(float(Fraction(4, 6)))
    assert agreement.precision == pytest.approx(float(Fraction(4, 5)))
    assert agreement.f1 == pytest.approx(float(Fraction(8, 11)))


def test_overlap_counts_repetitions_and_ignores_order():
    assert overlap(["b", "a", "a"], ["a", "c", "a", "a", "b"]) == Agreement(n_common=3, n_predicted=3, n_gold=5)


@pytest.mark.parametrize(
    ("predicted", "gold", "precision", "recall", "f1"),
    [("", "", 1, 1, 1), ("a", "", 0, 0, 0), ("", "a", 0, 0, 0), ("a", "b", 0, 0, 0), ("ab", "ab", 1, 1, 1)],
)
def test_ratios_at_the_ends(predicted, gold, precision, recall, f1):
    for agreement in (overlap(predicted, gold), subsequence(predicted, gold)):
        assert (agreement.precision, agreement.recall, agreement.f1) == (precision, recall, f1)


@given(tokens, tokens)
def test_swapping_the_texts_swaps_precision_and_recall(first, second):
    for compare in (overlap, subsequence):
        one, other = compare(first, second), compare(second, first)
        assert (one.precision, one.recall, one.f1) == (other.recall, other.precision, other.f1)


def test_agreements_add_up():
    total = overlap("ab", "abc") + overlap("x", "y")
    assert total == Agreement(n_common=2, n_predicted=3, n_gold=4)


@given(tokens, tokens)
def test_common_subsequence_is_that_of_the_textbook_table(first, second):
    assert subsequence(first, second).n_common == by_table(first, second)


@given(tokens, tokens)
def test_members_are_a_longest_common_subsequence(first, second):
    chosen = [item for item, member in zip(first, lcs_members(first, second), strict=True) if member]
    rest = iter(second)
    assert len(chosen) == by_table(first, second)
    assert all(item in rest for item in chosen)


def test_members_of_long_sequences_are_as_many_as_the_length():
    rng = random.Random(5)
    first, second = ([rng.randrange(500) for _ in range(3000)] for _ in range(2))
    assert sum(lcs_members(first, second)) == subsequence(first, second).n_common


@pytest.mark.parametrize(
    ("predicted", "ratio"),
    [
        ("the quick red fox jumps", 4 / 5),
        ("the fox jumps", 3 / 5),
        ("the quick brown fox jumps share this page", 5 / 8),
    ],
)
def test_matching_ratio_of_words_counts_a_replacement_once(predicted, ratio):
    assert matching_ratio(predicted.split(), "the quick brown fox jumps".split()) == pytest.approx(ratio)


def test_matching_ratio_of_empty_sequences():
    assert matching_ratio([], []) == 1.0
    assert matching_ratio([], ["a"]) == 0.0
