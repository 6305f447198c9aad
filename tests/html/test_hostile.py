"""Pages of repeated parts: every method and the discovery read them in linear time, whatever they are made of."""

import pytest

from demo.hostile import Attack, attacks, costs_s, feed_attacks, feed_costs_s

MAX_BYTES = 300_000
ALLOWED_S = 3.0


@pytest.mark.parametrize("seed", range(6))
def test_pages_of_repeated_parts_are_read_in_bounded_time(seed):
    for attack in attacks(seed, 2):
        costs = costs_s(attack.page(max_bytes=MAX_BYTES, repeats=20_000 // max(1, attack.pieces)))
        assert max(costs.values()) < ALLOWED_S, (attack, costs)


def test_feeds_of_repeated_parts_are_read_in_bounded_time():
    for attack in feed_attacks(1, 20):
        costs = feed_costs_s(attack.page(max_bytes=MAX_BYTES))
        assert max(costs.values()) < ALLOWED_S, (attack, costs)


KNOWN = {
    "years in addresses": Attack(
        "<a href='%d/2020/20/2020/20/2020/20/2020/20/2020/20/2020/20/2020/20/2020/20/2020/20/x'>next</a>"
    ),
    "the same next page": Attack("<a href='http://a.example/2026/11/a-story-of-words?page=7'>7</a>"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_once_cost_more_is_read_in_bounded_time(name):
    costs = costs_s(KNOWN[name].page(max_bytes=MAX_BYTES, repeats=5_000))
    assert max(costs.values()) < ALLOWED_S, costs
