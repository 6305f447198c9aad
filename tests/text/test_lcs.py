import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.text.lcs import lcs_length, lcs_members

items = st.lists(st.integers(0, 4), max_size=40)


def by_table(first, second):
    row = [0] * (len(second) + 1)
    for one in first:
        before = 0
        for place, other in enumerate(second, start=1):
            before, row[place] = row[place], before + 1 if one == other else max(row[place], row[place - 1])
    return row[-1]


@given(items, items)
def test_length_is_that_of_the_textbook_table(first, second):
    assert lcs_length(first, second) == by_table(first, second)


@given(items, items)
def test_length_is_symmetric_and_bounded(first, second):
    length = lcs_length(first, second)
    assert length == lcs_length(second, first)
    assert 0 <= length <= min(len(first), len(second))


@given(items, items, items)
def test_a_sequence_is_a_subsequence_of_itself_with_more_around(first, before, after):
    assert lcs_length(first, before + first + after) == len(first)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("", "", 0), ("a", "", 0), ("abc", "abc", 3), ("abc", "cba", 1), ("aaa", "aa", 2), ("axb", "ab", 2)],
)
def test_length_of_small_cases(first, second, expected):
    assert lcs_length(first, second) == expected


def test_two_unlike_texts_of_five_thousand_words_are_compared_quickly():
    first = [n * n % 997 for n in range(5_000)]
    second = [n * n * n % 991 for n in range(5_000)]
    started = time.process_time()
    lcs_length(first, second)
    assert time.process_time() - started < 1  # measured 0.005; the table takes 3


def is_subsequence(one, other):
    rest = iter(other)
    return all(item in rest for item in one)


@given(items, items)
def test_members_are_a_longest_common_subsequence(first, second):
    members = lcs_members(first, second)
    chosen = [item for item, member in zip(first, members, strict=True) if member]
    assert len(chosen) == by_table(first, second)
    assert is_subsequence(chosen, second)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "a", []),
        ("abc", "", [False] * 3),
        ("xaybz", "ab", [False, True, False, True, False]),
        ("ab", "ab", [True] * 2),
    ],
)
def test_members_of_small_sequences(first, second, expected):
    assert lcs_members(first, second) == expected


def test_members_of_long_sequences_are_as_many_as_the_length():
    rng = random.Random(5)
    first, second = ([rng.randrange(500) for _ in range(3000)] for _ in range(2))
    assert sum(lcs_members(first, second)) == lcs_length(first, second)
