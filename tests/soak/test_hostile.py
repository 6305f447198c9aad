"""Long runs (make soak): hundreds of pages and feeds of repeated parts, 2 MB each, under 3 s of CPU time for each reader."""

import pytest

from demo.hostile import attacks, costs_s, feed_attacks, feed_costs_s

pytestmark = [pytest.mark.soak, pytest.mark.timeout(7200)]

ALLOWED_S = 3.0
MOST_PIECES = 39_000
"""Tags and comments of a page that is read to its end; full pages are mostly rejected for their number."""


@pytest.mark.parametrize("seed", range(100, 130))
def test_pages_of_repeated_parts_are_read_in_three_seconds(seed):
    for attack in attacks(seed, 10):
        for repeats in (100_000, MOST_PIECES // max(1, attack.pieces)):
            costs = costs_s(attack.page(repeats=repeats))
            assert max(costs.values()) < ALLOWED_S, (attack, repeats, costs)


@pytest.mark.parametrize("seed", range(100, 110))
def test_feeds_of_repeated_parts_are_read_in_three_seconds(seed):
    for attack in feed_attacks(seed, 20):
        costs = feed_costs_s(attack.page())
        assert max(costs.values()) < ALLOWED_S, (attack, costs)
