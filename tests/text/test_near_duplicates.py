from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from webmain.text import near_duplicates
from webmain.text.near_duplicates import Entry, MemoryBands, NearDuplicates, band_hashes

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
    near = NearDuplicates()
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
    near = NearDuplicates()
    near.add("a", values(changed=0))
    assert (near.find("b", values(changed=changed)) is not None) is found


def test_without_a_common_band_nothing_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_duplicates, "jaccard", lambda a, b: pytest.fail("compared"))
    near = NearDuplicates()
    near.add("a", list(range(128)))
    assert near.find("b", [n + 1000 * (n % 4 == 0) for n in range(128)]) is None


def test_article_is_no_copy_of_itself_and_its_new_signature_takes_the_place_of_the_old() -> None:
    near = NearDuplicates()
    near.add("a", values(changed=0))
    assert near.add("a", values(changed=4)) is None
    assert near.add("a", list(range(5000, 5128))) is None
    assert near.find("b", values(changed=0)) is None


def test_most_similar_is_told_and_the_first_of_its_cluster() -> None:
    near = NearDuplicates()
    near.add("a", values(changed=0))
    second = near.add("b", values(changed=40))
    third = near.add("c", values(changed=72))
    assert second is not None
    assert third is not None
    assert (second.id, second.cluster) == ("a", "a")
    assert (third.id, third.cluster) == ("b", "a")


def test_signature_of_an_empty_text_matches_nothing() -> None:
    near = NearDuplicates()
    empty = minhash(set())
    assert near.add("a", empty) is None
    assert near.add("b", empty) is None


@pytest.mark.parametrize("wrong", [list(range(127)), list(range(129))])
def test_signature_of_another_length_is_refused(wrong: list[int]) -> None:
    with pytest.raises(ValueError, match="128"):
        NearDuplicates().add("a", wrong)


def test_memory_is_bounded_and_the_oldest_are_forgotten() -> None:
    bands = MemoryBands(max_entries=3)
    near = NearDuplicates(bands=bands)
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


@pytest.mark.parametrize("every", [1, 3, 7, 1_000])
def test_candidates_are_those_that_share_a_hash_however_often_hashes_are_sorted(
    every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(near_duplicates, "SORTED_AFTER", every)
    chance, bands, known = random.Random(3), MemoryBands(max_entries=20), dict[str, tuple[int, ...]]()
    for _ in range(200):
        name, hashes = f"a{chance.randrange(40)}", tuple(chance.randrange(-30, 30) for _ in range(4))
        wanted = {other for other, its in known.items() if not set(its).isdisjoint(hashes)}
        found = [entry.id for entry in bands.candidates(hashes)]
        assert len(found) == len(set(found))
        assert wanted <= set(found) <= known.keys()
        known.pop(name, None)
        known[name] = hashes
        bands.add(Entry(id=name, cluster=name, signature=[]), hashes)
        if len(known) > 20:
            del known[next(iter(known))]
        assert list(bands.entries) == list(known)


def test_page_published_a_thousand_times_is_compared_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def count(a: Sequence[int], b: Sequence[int]) -> float:
        nonlocal calls
        calls += 1
        return 0.6

    monkeypatch.setattr(near_duplicates, "jaccard", count)
    near = NearDuplicates()
    for n in range(300):
        near.add(str(n), values(changed=0))
    calls = 0
    near.find("x", values(changed=0))
    assert calls == near_duplicates.MAX_CANDIDATES


def test_bands_have_different_hashes_in_different_places() -> None:
    hashes = band_hashes([1, 2, 3, 4] * 32)
    assert len(set(hashes)) == 32
    assert all(-(1 << 63) <= h < 1 << 63 for h in hashes)
    assert hashes == band_hashes(tuple([1, 2, 3, 4] * 32))
