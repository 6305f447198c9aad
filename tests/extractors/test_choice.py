"""The choice of the best set of blocks, against all sets of the most probable ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.extractors.page_model import CONFIDENCE_COLUMNS, LEVEL_SHIFT, LEVEL_SPREAD, choose, confidence_row, levels

PROBABILITY = st.floats(0, 1)
BLOCKS = st.lists(st.tuples(PROBABILITY, st.integers(1, 500)), min_size=1, max_size=8)


def expected_f1(probability, n, kept):
    """Return the mean F1 over levels, above which blocks are content."""
    contents = [probability > level for level in levels()]
    return np.mean([2 * n[kept & content].sum() / (n[kept].sum() + n[content].sum()) for content in contents])


@given(BLOCKS)
def test_no_other_set_of_the_most_probable_blocks_is_expected_to_be_better(blocks):
    probability = np.array([p for p, _ in blocks])
    n = np.array([length for _, length in blocks], dtype=float)
    choice = choose(probability, n)
    order = np.argsort(-probability, kind="stable")
    best = max(expected_f1(probability, n, np.isin(np.arange(len(n)), order[:k])) for k in range(1, len(n) + 1))
    assert choice.expected == pytest.approx(best, abs=1e-9)
    assert expected_f1(probability, n, choice.kept) == pytest.approx(choice.expected, abs=1e-9)
    assert choice.limit == probability[choice.kept].min()


def test_a_sure_notice_is_not_given_up_for_a_long_doubtful_table():
    choice = choose(np.array([0.95, 0.95] + [0.3] * 3000), np.array([600.0, 600.0] + [22.0] * 3000))
    assert choice.kept.sum() == 2
    assert choice.expected > 0.5


def test_levels_are_spread_wider_than_the_probabilities_say():
    odds = np.log(levels() / (1 - levels()))
    assert odds.mean() == pytest.approx(LEVEL_SHIFT)
    quartiles = np.quantile(odds, [0.25, 0.75]) - LEVEL_SHIFT
    assert quartiles == pytest.approx([-LEVEL_SPREAD * np.log(3), LEVEL_SPREAD * np.log(3)], rel=0.1)


def test_where_little_is_likely_less_likely_blocks_are_kept_too():
    """Below one half, for the whole is what counts: the limit is about half of what is expected."""
    choice = choose(np.array([0.45, 0.4, 0.01]), np.array([100.0, 100, 100]))
    assert choice.kept.tolist() == [True, True, False]


@given(BLOCKS)
def test_what_tells_how_sure_a_choice_is_is_finite(blocks):
    probability = np.array([p for p, _ in blocks])
    n = np.array([length for _, length in blocks], dtype=float)
    found = confidence_row(probability, n, choose(probability, n), 1.0)
    assert found.shape == (len(CONFIDENCE_COLUMNS),)
    assert np.isfinite(found).all()


def test_the_quantities_of_a_choice_are_what_their_names_say():
    probability, n = np.array([1.0, 1.0, 0.0]), np.array([30.0, 10.0, 60.0])
    row = dict(
        zip(CONFIDENCE_COLUMNS, confidence_row(probability, n, choose(probability, n), 1.0).tolist(), strict=True)
    )
    assert row["expected"] == 1
    assert row["kept_chars"] == pytest.approx(np.log1p(40))
    assert row["kept_share"] == pytest.approx(0.4)
    assert row["kept_blocks"] == pytest.approx(np.log1p(2))
    assert row["sure_share"] == row["mean_kept"] == row["best"] == row["weakest"] == 1
    assert row["doubt_kept"] == row["doubt_left"] == row["mean_left"] == row["spread"] == 0
