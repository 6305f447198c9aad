from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.text.agreement import Agreement, overlap, subsequence

tokens = st.lists(st.sampled_from("abcdef"), max_size=20)


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


@given(tokens, tokens)
def test_order_can_only_lower_agreement(first, second):
    assert subsequence(first, second).n_common <= overlap(first, second).n_common


def test_agreements_add_up():
    total = overlap("ab", "abc") + overlap("x", "y")
    assert total == Agreement(n_common=2, n_predicted=3, n_gold=4)
