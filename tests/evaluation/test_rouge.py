import random
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.evaluation import rouge
from webmain.evaluation.rouge import summary_level
from webmain.text.agreement import subsequence

lines = st.lists(st.lists(st.sampled_from("abcde"), max_size=9), max_size=4)


def places_by_table(gold, predicted):
    """The textbook table, read back by: a match first, else up unless the left is larger."""
    table = [[0] * (len(predicted) + 1) for _ in range(len(gold) + 1)]
    for i, one in enumerate(gold, start=1):
        for j, other in enumerate(predicted, start=1):
            table[i][j] = table[i - 1][j - 1] + 1 if one == other else max(table[i - 1][j], table[i][j - 1])
    places, i, j = set(), len(gold), len(predicted)
    while i and j:
        if gold[i - 1] == predicted[j - 1]:
            places.add(i - 1)
            i, j = i - 1, j - 1
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return places


def by_table(predicted, gold):
    united = Counter(
        line[place] for line in gold for place in set().union(*(places_by_table(line, other) for other in predicted))
    )
    return (united & Counter(token for line in predicted for token in line)).total()


@pytest.fixture(params=["packed", "long lines apart", "in small blocks"])
def _way(request, monkeypatch):
    if request.param == "long lines apart":
        monkeypatch.setattr(rouge, "_LONG_LINE", 3)
    if request.param == "in small blocks":
        monkeypatch.setattr(rouge, "_BLOCK", 2)


@pytest.mark.usefixtures("_way")
def test_count_is_that_of_the_textbook_table():
    draw = random.Random(3)
    for _ in range(400):
        alphabet = "abcdefghijklmnop"[: draw.choice([2, 4, 16])]
        predicted, gold = (
            [draw.choices(alphabet, k=draw.randint(0, 9)) for _ in range(draw.randint(0, 5))] for _ in range(2)
        )
        assert summary_level(predicted, gold).n_common == by_table(predicted, gold)


@given(lines, lines)
def test_count_of_small_texts_is_that_of_the_textbook_table(predicted, gold):
    assert summary_level(predicted, gold).n_common == by_table(predicted, gold)


@given(lines, lines, st.randoms(use_true_random=False))
def test_order_of_the_lines_makes_no_difference(predicted, gold, order):
    shuffled = summary_level(order.sample(predicted, len(predicted)), order.sample(gold, len(gold)))
    assert shuffled == summary_level(predicted, gold)


@given(st.lists(st.sampled_from("abcde"), max_size=12), st.lists(st.sampled_from("abcde"), max_size=12))
def test_one_line_each_is_the_longest_common_subsequence(predicted, gold):
    assert summary_level([predicted], [gold]) == subsequence(predicted, gold)


@given(lines, lines, st.lists(st.sampled_from("abcde"), max_size=9))
def test_another_predicted_line_never_lowers_the_count(predicted, gold, line):
    assert summary_level([*predicted, line], gold).n_common >= summary_level(predicted, gold).n_common


def test_a_token_counts_no_more_often_than_the_prediction_has_it():
    agreement = summary_level([["the", "end"]], [["the", "start"], ["the", "end"], ["the"]])
    assert (agreement.n_common, agreement.n_predicted, agreement.n_gold) == (2, 2, 5)


def test_repeated_lines_count_as_often_as_they_stand_there():
    agreement = summary_level([["a", "b"]] * 3, [["a", "b"]] * 2)
    assert (agreement.n_common, agreement.n_predicted, agreement.n_gold) == (4, 6, 4)


def test_tokens_beyond_the_bound_count_but_are_not_matched(monkeypatch):
    monkeypatch.setattr(rouge, "MAX_TOKENS", 3)
    agreement = summary_level([["x", "a", "b", "c", "d"]], [["a", "b", "c", "d"], ["c"]])
    assert (agreement.n_common, agreement.n_predicted, agreement.n_gold) == (2, 5, 5)
    assert summary_level([["a"] * 9], [["a"] * 9]).n_common == 9  # lines found as they are cost nothing


def test_five_thousand_tokens_in_unlike_lines_are_compared_quickly():
    draw = random.Random(1)
    predicted, gold = ([draw.choices(range(800), k=20) for _ in range(250)] for _ in range(2))
    started = time.process_time()
    summary_level(predicted, gold)
    assert time.process_time() - started < 1  # measured 0.03; the tables take 25
