"""Folds within and between sites."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.features.folds import page_folds, site_folds


@given(n=st.integers(2, 60), k=st.integers(2, 8), seed=st.integers(0, 5))
def test_each_page_is_tested_once_and_never_trained_on_then(n, k, seed):
    folds = page_folds(n, k, seed=seed)
    assert len(folds) == min(n, k)
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(n))
    for train, test in folds:
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(n))
        assert len(train) >= 1
    sizes = [len(test) for _, test in folds]
    assert max(sizes) - min(sizes) <= 1


def test_pages_are_shuffled_by_the_seed_alone():
    def first(seed: int) -> list[int]:
        return page_folds(40, seed=seed)[0][1].tolist()

    assert first(1) == first(1)
    assert first(1) != first(2)
    assert first(1) != list(range(10))


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_can_be_held_back_of_one_page(n):
    assert page_folds(n, seed=0) == []


@given(st.lists(st.sampled_from("abcdefg"), max_size=40), st.integers(2, 5), st.integers(0, 3))
def test_no_site_is_on_both_sides(sites, k, seed):
    folds = site_folds(sites, k, seed=seed)
    if len(set(sites)) < 2:
        assert folds == []
        return
    assert len(folds) == min(k, len(set(sites)))
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(len(sites)))
    for train, test in folds:
        assert {sites[i] for i in train}.isdisjoint({sites[i] for i in test})
        assert len(test)


@pytest.mark.parametrize("k", [1, 0, -2])
def test_fewer_than_two_folds_are_an_error(k):
    with pytest.raises(ValueError, match=f"k={k}"):
        page_folds(10, k, seed=0)
    with pytest.raises(ValueError, match=f"k={k}"):
        site_folds(["a", "b"], k, seed=0)
