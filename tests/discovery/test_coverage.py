"""The estimate of coverage on made-up sites whose true size is known, and whose channels depend on each other."""

import random

import pytest

from webmain.discovery.coverage import Channel, estimate_coverage

FEED, SITEMAP, PAGES = Channel


def shares(kind, age, prominence):
    """Return the chances that feed, sitemap and pages name an article of an age (0 is new, 1 is old)."""
    if kind == "independent":
        return 0.4, 0.6, 0.5
    if kind == "feed, front page and a sitemap with gaps":  # new articles are in feed and on the front page alike
        return (0.9 if age < 0.25 else 0.03), 0.9, (0.8 if age < 0.2 else 0.05 + 0.3 * prominence)
    if kind == "sitemap of the latest":
        return (0.95 if age < 0.3 else 0.02), (0.97 if age < 0.6 else 0.3), 0.25 + 0.6 * prominence
    if kind == "what is prominent is everywhere":
        return 0.15 + 0.7 * prominence, 0.4 + 0.5 * prominence, 0.2 + 0.7 * prominence
    if kind == "new articles are everywhere, old ones hardly":
        return (0.9 if age < 0.4 else 0.05), (0.9 if age < 0.5 else 0.2), (0.8 if age < 0.5 else 0.3)
    assert kind == "no sitemap"
    return (0.9 if age < 0.4 else 0.2), 0.0, 0.3 + 0.5 * prominence


KINDS = (
    "independent", "feed, front page and a sitemap with gaps", "sitemap of the latest", "what is prominent is everywhere",
    "new articles are everywhere, old ones hardly", "no sitemap",
)  # fmt: skip


def crawled(kind, n, seed):
    """Return the age and the channels of each article that is found on a site of n."""
    draws = random.Random(f"{kind}/{seed}")
    for _ in range(n):
        age, prominence = draws.random(), draws.betavariate(2, 2)
        chances = shares(kind, age, prominence)
        channels = [c for c, chance in zip(Channel, chances, strict=True) if draws.random() < chance]
        if channels:
            yield age, Channel(sum(channels))


@pytest.mark.parametrize("n", [200, 600])
def test_the_interval_holds_the_true_number_nine_times_of_ten(n):
    held, errors = [], []
    for kind in KINDS:
        for seed in range(15):
            found = estimate_coverage(crawled(kind, n, seed), seed=seed)
            held.append(round(found.low) <= n <= round(found.high))
            errors.append(abs(found.estimate - n) / n)
    assert sum(held) / len(held) >= 0.9
    assert sorted(errors)[len(errors) // 2] < 0.06


def test_a_complete_sitemap_leaves_nothing_to_be_found():
    found = [(n, SITEMAP | (FEED | PAGES if n < 40 else PAGES if n < 60 else Channel(0))) for n in range(400)]
    coverage = estimate_coverage(found)
    assert (coverage.n_found, round(coverage.estimate), round(coverage.low)) == (400, 400, 400)
    assert str(coverage).startswith("found 400 of an estimated 400 (400\N{EN DASH}")


@pytest.mark.parametrize(
    "found",
    [
        [],
        [(1.0, FEED | PAGES)] * 49,
        [(1.0, SITEMAP)] * 500,
        [(1.0, Channel(0))] * 500,
        [(1.0, SITEMAP)] * 50 + [(1.0, FEED)] * 50 + [(1.0, PAGES)] * 50,
    ],
)
def test_nothing_is_told_of_few_articles_of_one_channel_or_of_channels_without_overlap(found):
    assert estimate_coverage(found) is None


def test_the_same_crawl_gives_the_same_estimate():
    found = list(crawled(KINDS[1], 300, 1))
    assert estimate_coverage(found) == estimate_coverage(reversed(found))
