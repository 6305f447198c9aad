from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from webmain.store.dedup import ExactDuplicates, MemoryBands, NearDuplicates, band_hashes
from webmain.text.shingles import jaccard

PRIME = (1 << 61) - 1


def minhash(items: set[str]) -> list[int]:
    """A plain MinHash for these tests."""
    draw = random.Random(7)
    factors = [(draw.randrange(1, PRIME), draw.randrange(PRIME)) for _ in range(128)]
    hashes = [int.from_bytes(item.encode().ljust(8)[:8], "big") * 31 + sum(item.encode()) for item in items]
    return [min(((a * h + b) % PRIME & 0xFFFFFFFF for h in hashes), default=0xFFFFFFFF) for a, b in factors]


def shingles(words: Sequence[str]) -> set[str]:
    return {f"{a}{b}" for a, b in pairwise(words)}


WORDS = [f"w{n}" for n in range(400)]


def test_copy_and_near_copy_are_found_and_others_are_not() -> None:
    near = NearDuplicates(jaccard)
    assert near.add("a", minhash(shingles(WORDS))) is None
    assert near.add("x", minhash(shingles([f"v{n}" for n in range(400)]))) is None
    match = near.find("b", minhash(shingles([*WORDS[:200], "new", *WORDS[201:]])))
    assert match is not None
    assert match.id == "a"
    assert match.similarity > 0.9
    copy = near.add("c", minhash(shingles(WORDS)))
    assert copy is not None
    assert copy.similarity == 1.0


def values(*, changed: int) -> list[int]:
    """A signature that differs from `values(changed=0)` in so many places, whole bands first."""
    return [n + (1 << 20 if n < changed else 0) for n in range(128)]


@pytest.mark.parametrize(("changed", "found"), [(0, True), (64, True), (65, False), (124, False)])
def test_threshold_is_half_of_the_places(changed: int, found: bool) -> None:
    near = NearDuplicates(jaccard)
    near.add("a", values(changed=0))
    assert (near.find("b", values(changed=changed)) is not None) is found


def test_without_a_common_band_nothing_is_compared() -> None:
    near = NearDuplicates(lambda a, b: pytest.fail("compared"))
    near.add("a", list(range(128)))
    assert near.find("b", [n + 1000 * (n % 4 == 0) for n in range(128)]) is None


def test_article_is_no_copy_of_itself_and_its_new_signature_takes_the_place_of_the_old() -> None:
    near = NearDuplicates(jaccard)
    near.add("a", values(changed=0))
    assert near.add("a", values(changed=4)) is None
    assert near.add("a", list(range(5000, 5128))) is None
    assert near.find("b", values(changed=0)) is None


def test_most_similar_is_told_and_the_first_of_its_cluster() -> None:
    near = NearDuplicates(jaccard)
    near.add("a", values(changed=0))
    second = near.add("b", values(changed=40))
    third = near.add("c", values(changed=72))
    assert second is not None
    assert third is not None
    assert (second.id, second.cluster) == ("a", "a")
    assert (third.id, third.cluster) == ("b", "a")


def test_signature_of_an_empty_text_matches_nothing() -> None:
    near = NearDuplicates(jaccard)
    empty = minhash(set())
    assert near.add("a", empty) is None
    assert near.add("b", empty) is None


@pytest.mark.parametrize("wrong", [[], [1, 2, 3], list(range(127)), list(range(129))])
def test_signature_of_another_length_is_refused(wrong: list[int]) -> None:
    with pytest.raises(ValueError, match="128"):
        NearDuplicates(jaccard).add("a", wrong)


@pytest.mark.parametrize("threshold", [0, -1, 1.1])
def test_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        NearDuplicates(jaccard, threshold=threshold)


def test_memory_is_bounded_and_the_oldest_are_forgotten() -> None:
    bands = MemoryBands(max_entries=3)
    near = NearDuplicates(jaccard, bands=bands)
    for n in range(5):
        near.add(str(n), list(range(n * 1000, n * 1000 + 128)))
    assert len(bands) == 3
    assert [near.find("x", list(range(n * 1000, n * 1000 + 128))) is not None for n in range(5)] == [
        False,
        False,
        True,
        True,
        True,
    ]


def test_page_published_a_thousand_times_is_compared_a_bounded_number_of_times() -> None:
    calls = 0

    def count(a: Sequence[int], b: Sequence[int]) -> float:
        nonlocal calls
        calls += 1
        return 0.6

    near = NearDuplicates(count, max_candidates=20)
    for n in range(300):
        near.add(str(n), values(changed=0))
    calls = 0
    near.find("x", values(changed=0))
    assert calls == 20


def test_bands_have_different_hashes_in_different_places() -> None:
    hashes = band_hashes([1, 2, 3, 4] * 32)
    assert len(set(hashes)) == 32
    assert all(-(1 << 63) <= h < 1 << 63 for h in hashes)
    assert hashes == band_hashes(tuple([1, 2, 3, 4] * 32))


def test_exact_duplicates_name_the_first_and_never_oneself() -> None:
    exact = ExactDuplicates([("a", "f1"), ("b", "f2")])
    assert exact.find("c", "f1") == "a"
    assert exact.find("a", "f1") is None
    assert exact.find("c", "f3") is None
    assert exact.add("c", "f3") is None
    assert exact.add("d", "f3") == "c"
    assert exact.add("e", "") is None
    assert exact.add("f", "") is None


def test_text_that_an_article_has_no_more_is_free() -> None:
    exact = ExactDuplicates([("a", "f1")])
    exact.add("a", "f2")
    assert exact.find("b", "f1") is None
    assert exact.find("b", "f2") == "a"
