"""The review list: whole lines only, one for each text in doubt, and nothing that was there is changed."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webmain.files import NotAStoreError, StoreError, StoreLockedError
from webmain.items import Article, ArticleBlock, Kind
from webmain.store.review import FEW_CHARS, START_CHARS, Entry, ReviewList, read_review, review_reasons

Make = Callable[..., Article]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.jsonl.review"


def entry(name: str = "a", confidence: float = 0.2, **other: object) -> Entry:
    values = {
        "id": name,
        "url": f"https://news.example/{name}",
        "confidence": confidence,
        "below": 0.6,
        "why": "for a reason",
        "extractor": "learned",
        "title": "Harbour 🚢",
        "n_chars": 12,
        "start": "ข่าว\n\ud800",
        "fetched_at": "2026-11-21T01:02:03+00:00",
        "fingerprint": "0" * 32,
        "kept_out": False,
    }
    return Entry(**{**values, **other})  # type: ignore[arg-type]


def noted(path: Path, *entries: Entry) -> int:
    made = ReviewList(path)
    try:
        return made.add(entries)
    finally:
        made.close()


def test_an_entry_says_what_a_reviewer_wants_to_know(make_article: Make) -> None:
    article = make_article(confidence=0.5)
    found = Entry.of(article, below=0.6)
    assert (found.id, found.url, found.extractor) == (article.id, article.url, "pab")
    assert (found.n_chars, found.start) == (len(article.text), article.text[:START_CHARS])
    assert found.fetched_at == "2026-11-21T01:02:03+00:00"
    assert found.is_open


@pytest.mark.parametrize(("confidence", "is_open"), [(0.59, True), (0.6, False), (0.0, True), (1.0, False)])
def test_the_threshold_is_the_first_value_without_doubt(make_article: Make, confidence: float, is_open: bool) -> None:
    article = make_article(confidence=confidence)
    assert Entry.of(article, below=0.6).is_open is is_open
    assert bool(review_reasons(article, below=0.6)) is is_open


@pytest.mark.parametrize("confidence", [None, float("nan")])
def test_an_article_without_confidence_is_in_no_doubt(make_article: Make, confidence: float | None) -> None:
    assert review_reasons(make_article(confidence=confidence), below=1.0) == []


def test_all_that_speaks_against_a_text_is_told() -> None:
    blocks = tuple(ArticleBlock(kind=Kind.PARAGRAPH, text="t", score=s) for s in (0.1, 0.49, 0.5, None))
    article = Article(
        text="t" * (FEW_CHARS - 1), blocks=blocks, confidence=0.25, paywalled=True, language="und", duplicate_of="ff"
    )
    assert review_reasons(article, below=0.6) == [
        "confidence 0.25 is below 0.6",
        "2 of 4 blocks score below 0.5",
        "only 299 characters",
        "paywalled",
        "language not recognised",
        "a copy of ff",
    ]
    longer = replace(article, text="t" * FEW_CHARS, blocks=(), paywalled=None, language="en", duplicate_of=None)
    assert review_reasons(longer, below=0.6) == ["confidence 0.25 is below 0.6"]


def test_entries_come_back_the_least_confident_first(path: Path) -> None:
    assert noted(path, entry("a", 0.5), entry("b", 0.1), entry("c", 0.7)) == 2
    found = read_review(path)
    assert [e.id for e in found] == ["b", "a"]
    assert found[1] == replace(entry("a", 0.5), start="ข่าว\n\ufffd")


def test_the_same_text_is_listed_once_and_another_again(path: Path) -> None:
    assert noted(path, entry(), entry(), entry(confidence=0.1)) == 1
    assert noted(path, entry()) == 0
    assert noted(path, entry(fingerprint="1" * 32, confidence=0.4)) == 1
    assert [e.confidence for e in read_review(path)] == [0.4]


def test_an_article_without_doubt_is_named_only_if_there_was_one(path: Path) -> None:
    assert noted(path, entry("never", 0.9)) == 0
    noted(path, entry("once", 0.1))
    assert noted(path, entry("once", 0.9, fingerprint="1" * 32)) == 1
    assert read_review(path) == []
    assert noted(path, entry("once", 0.95, fingerprint="2" * 32)) == 0
    assert noted(path, entry("once", 0.95, fingerprint="1" * 32, below=0.99)) == 1
    made = ReviewList(path)
    assert (len(made), made.is_open("once"), made.is_open("never")) == (1, True, False)
    made.close()


@pytest.mark.parametrize(
    "content", [b"no end", b'{"id": "x", "fingerprint": "0", "text": "a store"}\n', b'{"id": 3}\n']
)
def test_a_file_that_is_something_else_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(NotAStoreError):
        ReviewList(path)
    assert path.read_bytes() == content
    if content.endswith(b"\n"):
        with pytest.raises(NotAStoreError):
            read_review(path)


def test_damaged_lines_in_the_middle_stay_and_are_counted(path: Path) -> None:
    noted(path, entry("a"), entry("b"))
    one, _ = path.read_bytes().splitlines(keepends=True)
    later = json.dumps({**asdict(entry("b")), "start": "", "mood": "gloomy"}).encode() + b"\n"
    bad = json.dumps({**asdict(entry("c")), "start": "", "confidence": "high"}).encode() + b"\n"
    whole = one + one[:50] + b"\n" + b"\n" + bad + later
    path.write_bytes(whole)
    made = ReviewList(path)
    assert (made.damaged_lines, len(made)) == (2, 2)
    made.close()
    assert path.read_bytes() == whole
    assert [e.id for e in read_review(path)] == ["a", "b"]


def test_two_crawls_cannot_write_one_list_and_readers_need_no_lock(path: Path) -> None:
    made = ReviewList(path)
    made.add([entry()])
    with pytest.raises(StoreLockedError):
        ReviewList(path)
    assert len(read_review(path)) == 1
    made.close()
    made.close()


def test_a_list_that_is_not_there_is_told(path: Path) -> None:
    with pytest.raises(StoreError, match="No such file"):
        read_review(path)


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("01"), st.floats(0, 1), st.booleans()),
        min_size=1,
        max_size=30,
    )
)
def test_the_list_says_the_same_opened_once_or_for_each_entry(
    tmp_path_factory: pytest.TempPathFactory, given_entries: list[tuple[str, str, float, bool]]
) -> None:
    folder = tmp_path_factory.mktemp("lists")
    entries = [entry(i, c, fingerprint=f * 32, kept_out=k) for i, f, c, k in given_entries]
    noted(folder / "once", *entries)
    for each in entries:
        noted(folder / "each", each)
    assert (folder / "once").read_bytes() == (folder / "each").read_bytes()
    listed = {e.id for e in read_review(folder / "once")}
    never = {e.id for e in entries} - {e.id for e in entries if e.is_open}
    assert not listed & never
