"""Columns in groups: every column has one, and shares add up."""

import numpy as np
import pytest

from webmain.evaluation.training.groups import GROUPS, IN_PAPERS, OTHER, group_of, paper_of, paper_shares, shares
from webmain.features.columns import names


def test_every_column_belongs_to_a_group_and_every_group_has_columns():
    assert [name for name in names() if group_of(name) == OTHER] == []
    assert {group_of(name) for name in names()} == set(GROUPS)


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("log_chars", "counts of the block"),
        ("log_chars+1", "neighbours"),
        ("link", "link density of the block"),
        ("link-3", "neighbours"),
        ("up2_link", "counts of ancestors"),
        ("make_in_best", "blocks of the same make"),
        ("in_best", "towards the best container"),
        ("in_title", "title, description, embedded data"),
        ("in_nav", "elements around"),
        ("near_nav", "class words around"),
        ("since_comments", "cue words"),
        ("since_heading", "headings before"),
        ("before12_link", "neighbours"),
        ("page_link", "the page"),
        ("something new", OTHER),
    ],
)
def test_a_column_is_grouped_by_what_it_looks_at(name, group):
    assert group_of(name) == group


@pytest.mark.parametrize(
    ("name", "paper"),
    [("log_chars", "TTR"), ("link", "AR"), ("in_title", "TKD"), ("kind", "PAB"), ("twins", "LBDA"), ("digits", "")],
)
def test_columns_are_told_that_look_at_what_the_papers_look_at(name, paper):
    found = paper_of(name)
    assert paper in found if paper else found == ""


def test_every_paper_has_columns():
    assert {paper_of(name) for name in names()} == {"", *IN_PAPERS}


def test_shares_of_all_groups_add_up_to_one():
    gains = np.random.default_rng(1).uniform(0, 5, len(names()))
    found = shares(names(), gains)
    assert sum(share.of_gain for share in found) == pytest.approx(1)
    assert sum(share.n_columns for share in found) == len(names())
    assert 0 < sum(share.of_gain for share in paper_shares(names(), gains)) < 1


def test_without_any_gain_all_shares_are_zero():
    assert {share.of_gain for share in shares(names(), np.zeros(len(names())))} == {0.0}
