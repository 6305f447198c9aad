import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.text.edits import edit_distance, matching_ratio
from webmain.text.lcs import lcs_length

SHORT = st.lists(st.sampled_from("abc"), max_size=14)


def by_table(first, second):
    """Wagner and Fischer's table, row by row."""
    row = list(range(len(second) + 1))
    for i, item in enumerate(first, 1):
        fresh = [i]
        for j, other in enumerate(second, 1):
            fresh.append(min(row[j - 1] + (item != other), row[j] + 1, fresh[j - 1] + 1))
        row = fresh
    return row[-1]


@pytest.mark.parametrize(
    ("first", "second", "distance"),
    [
        ("", "", 0),
        ("abc", "", 3),
        ("kitten", "sitting", 3),
        ("saturday", "sunday", 3),
        ("abcdef", "abcdef", 0),
        ("abc", "xyz", 3),
        ("ab", "ba", 2),
    ],
)
def test_distance_of_known_pairs(first, second, distance):
    assert edit_distance(first, second) == distance
    assert edit_distance(second, first) == distance


@given(SHORT, SHORT)
def test_distance_agrees_with_the_table(first, second):
    assert edit_distance(first, second) == by_table(first, second)


@given(st.lists(st.integers(0, 40), max_size=200), st.lists(st.integers(0, 40), max_size=200))
def test_distance_of_sequences_longer_than_a_machine_word_agrees_with_the_table(first, second):
    assert edit_distance(first, second) == by_table(first, second)


@given(SHORT, SHORT, SHORT)
def test_going_through_a_third_sequence_is_never_shorter(first, second, third):
    assert edit_distance(first, third) <= edit_distance(first, second) + edit_distance(second, third)


def test_matching_ratio_of_words_counts_a_replacement_once():
    reference = "the quick brown fox jumps".split()
    assert matching_ratio("the quick red fox jumps".split(), reference) == pytest.approx(4 / 5)
    assert matching_ratio("the fox jumps".split(), reference) == pytest.approx(3 / 5)
    assert matching_ratio([*reference, "share", "this", "page"], reference) == pytest.approx(5 / 8)


def test_matching_ratio_of_empty_sequences():
    assert matching_ratio([], []) == 1.0
    assert matching_ratio([], ["a"]) == 0.0


@given(SHORT, SHORT)
def test_matching_ratio_is_never_above_the_share_of_common_items(first, second):
    total = len(first) + len(second)
    assert 0.0 <= matching_ratio(first, second) <= (2 * lcs_length(first, second) / total if total else 1.0) + 1e-12


def test_order_of_blocks_counts():
    words = list(string.ascii_lowercase)
    assert matching_ratio(words[13:] + words[:13], words) < 0.1
