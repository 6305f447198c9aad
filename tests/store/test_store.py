"""What both stores promise."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webmain.files import NotAStoreError, StoreError, StoreLockedError, StoreSpecError, StoreWriteError
from webmain.items import Article, ArticleBlock, Kind, Source, WordCount
from webmain.items.codec import encode, plain
from webmain.revisions.kinds import ChangeKind
from webmain.store.protocol import Outcome, Store
from webmain.store.registry import open_store, open_stores


def washed(article: Article) -> Article:
    """The article as it comes back from a store: without lone surrogates and NaN."""
    return Article.from_dict(json.loads(encode(plain(article))))


Make = Callable[..., Article]
FORMS = ("jsonl", "sqlite")


@pytest.fixture(params=FORMS)
def spec(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"{request.param}:{tmp_path}/new folder/news.{request.param}"


def outcomes(store: Store) -> list[str]:
    return [s.outcome.value for s in store.commit()]


def test_article_comes_back_as_it_was(spec: str, make_article: Make) -> None:
    article = make_article()
    with open_store(spec) as store:
        store.add(article)
        (stored,) = store.commit()
        assert (stored.id, stored.url, stored.outcome, stored.revision) == (article.id, article.url, Outcome.NEW, 1)
        assert store.get(article.id) == article
    with open_store(spec) as store:
        assert list(store.articles()) == [article]
        assert list(store.fingerprints()) == [(article.id, article.fingerprint)]


def test_bare_article_comes_back_under_the_id_of_its_text(spec: str) -> None:
    with open_store(spec) as store:
        store.add(Article(text="Some text."))
        store.add(Article(text="some  TEXT."))
        first, second = store.commit()
        assert first.id == second.id
        assert len(first.id) == 16
        assert (first.outcome, second.outcome) == (Outcome.NEW, Outcome.UNCHANGED)
        found = store.get(first.id)
        assert found is not None
        assert found.text == "Some text."


def test_nothing_is_there_before_the_commit(spec: str, make_article: Make) -> None:
    with open_store(spec) as store:
        store.add(make_article())
        assert (store.pending, store.count(), list(store.articles())) == (1, 0, [])
        assert store.get(make_article().id) is None
        store.commit()
        assert (store.pending, store.count()) == (0, 1)


def test_same_text_is_not_stored_twice_and_another_text_is_a_revision(spec: str, make_article: Make) -> None:
    with open_store(spec) as store:
        store.add(make_article())
        store.add(make_article(page_title="another title"))
        store.add(make_article(text="new text"))
        assert [(s.outcome.value, s.revision) for s in store.commit()] == [("new", 1), ("unchanged", 1), ("changed", 2)]
        store.add(make_article(text="new text"))
        assert outcomes(store) == ["unchanged"]
    with open_store(spec) as store:
        store.add(make_article(text="new text"))
        store.add(make_article(text="third text", blocks=(), words=(), authors=("Else",)))
        assert [(s.outcome.value, s.revision) for s in store.commit()] == [("unchanged", 2), ("changed", 3)]
        (article,) = store.articles()
        assert article == make_article(text="third text", blocks=(), words=(), authors=("Else",))
        assert store.count() == 1


def test_earlier_texts_stay_readable(spec: str, make_article: Make) -> None:
    first, second, third = (
        make_article(),
        make_article(text="A forged text.", blocks=(), words=()),
        make_article(page_title="3"),
    )
    with open_store(spec) as store:
        for article in (
            first,
            make_article(2),
            second,
            make_article(page_title="same title and text, no revision"),
            third,
        ):
            store.add(article)
            store.commit()
        assert [(r.number, r.article.text) for r in store.revisions(first.id)] == [
            (1, first.text),
            (2, second.text),
            (3, first.text),
        ]
        assert list(store.revisions("no such id")) == []
    with open_stores(spec, read_only=True) as stores:
        found = list(stores.stores[0].revisions(first.id))
        assert [r.article for r in found[:2]] == [first, second]
        assert all(r.stored_at is not None and r.stored_at.tzinfo for r in found)
        assert stores.get(first.id) == found[-1].article
        assert [r.number for r in stores.stores[0].revisions(make_article(2).id)] == [1]


def test_closing_commits(spec: str, make_article: Make) -> None:
    store = open_store(spec)
    store.add(make_article())
    assert [s.outcome for s in store.close()] == [Outcome.NEW]
    assert store.close() == ()
    with pytest.raises(StoreError, match="closed"):
        store.add(make_article())
    with pytest.raises(StoreError, match="closed"):
        store.count()
    with open_store(spec) as again:
        assert again.count() == 1


def test_articles_come_in_the_order_in_which_they_were_stored(spec: str, make_article: Make) -> None:
    articles = [make_article(n) for n in range(230)]
    with open_store(spec) as store:
        for article in articles:
            store.add(article)
        store.commit()
        assert [a.title for a in store.articles()] == [a.title for a in articles]


def test_due_at_fifty_articles_or_after_a_second(spec: str, make_article: Make) -> None:
    with open_store(spec) as store:
        assert not store.due(time.monotonic() + 100)
        store.add(make_article())
        now = time.monotonic()
        assert not store.due(now)
        assert store.due(now + 1.0)
        for n in range(48):
            store.add(make_article(n))
        assert not store.due(now)
        store.add(make_article(49))
        assert store.due(now)
        store.commit()
        assert not store.due(time.monotonic() + 100)


def test_lone_surrogates_and_nan_do_not_stop_the_store(spec: str, make_article: Make) -> None:
    bad = make_article(
        text="broken \ud83d text",
        title="\udfff",
        authors=("x\ud800",),
        confidence=float("nan"),
        blocks=(ArticleBlock(kind=Kind.TABLE, text="\ud800", rows=(("\ud800",),), score=float("inf"), xpath="\ud800"),),
        words=(WordCount(word="\ud800", count=1),),
        sources={"title": Source(name="h1", raw="\ud800")},
    )
    with open_store(spec) as store:
        store.add(make_article(2))
        store.add(bad)
        assert outcomes(store) == ["new", "new"]
        found = store.get(bad.id)
        assert found is not None
        assert (found.text, found.title, found.confidence) == ("broken \ufffd text", "\ufffd", None)
        assert found == washed(bad)
        store.add(bad)
        assert outcomes(store) == ["unchanged"]


def test_reading_only_takes_no_lock_and_refuses_to_write(spec: str, make_article: Make) -> None:
    with open_store(spec) as store:
        store.add(make_article())
        store.commit()
        with open_store(spec, read_only=True) as reader:
            assert list(reader.articles()) == [make_article()]
            with pytest.raises(StoreWriteError, match="reading only"):
                reader.add(make_article(2))
        store.add(make_article(2))
        assert outcomes(store) == ["new"]


def test_reading_only_needs_the_file(spec: str) -> None:
    with pytest.raises(StoreWriteError):
        open_store(spec, read_only=True)


@pytest.mark.parametrize("form", FORMS)
def test_folder_is_no_store(form: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=str(tmp_path)):
        open_store(f"{form}:{tmp_path}")


@pytest.mark.parametrize("form", FORMS)
def test_file_of_another_kind_is_left_as_it_is(form: str, tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("milk\nbread, and a line without an end" * 9)
    before = path.read_bytes()
    with pytest.raises(NotAStoreError, match="left as it is"):
        open_store(f"{form}:{path}")
    assert path.read_bytes() == before


@pytest.mark.parametrize("form", FORMS)
def test_path_below_a_file_is_refused(form: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreWriteError, match="file/store"):
        open_store(f"{form}:{tmp_path}/file/store")


@pytest.mark.parametrize("given_spec", ["", "news.db", "mysql:x", "sqlite: ", ":x"])
def test_error_names_what_was_given_and_what_is_allowed(given_spec: str) -> None:
    with pytest.raises(StoreSpecError, match=r"jsonl:PATH or sqlite:PATH") as caught:
        open_store(given_spec)
    assert repr(given_spec) in str(caught.value)


def test_several_stores_get_every_article(tmp_path: Path, make_article: Make) -> None:
    with open_stores(f"jsonl:{tmp_path}/a, b.jsonl,sqlite:{tmp_path}/b.db") as stores:
        assert [s.spec for s in stores] == [f"jsonl:{tmp_path}/a, b.jsonl", f"sqlite:{tmp_path}/b.db"]
        stores.add(make_article())
        assert max(store.pending for store in stores) == 1
        assert [s.outcome for s in stores.commit()] == [Outcome.NEW]
        assert [s.count() for s in stores] == [1, 1]
        assert stores.database is stores.stores[1]
        assert stores.get(make_article().id) == make_article()


@pytest.mark.parametrize("specs", ["", " , ", "jsonl:x,sqlite:./x", "x,jsonl:y"])
def test_wrong_list_of_stores_is_refused(specs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StoreSpecError):
        open_stores(specs)


def test_article_is_told_only_when_every_store_has_it(
    tmp_path: Path, make_article: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_stores(f"jsonl:{tmp_path}/a,sqlite:{tmp_path}/b") as stores:
        second = stores.stores[1]
        stores.add(make_article())

        def fail() -> tuple[()]:
            raise StoreLockedError("busy")

        with monkeypatch.context() as patch:
            patch.setattr(second, "commit", fail)
            with pytest.raises(StoreLockedError, match="busy"):
                stores.commit()
        assert [s.count() for s in stores] == [1, 0]
        stores.add(make_article(2))
        assert [s.id for s in stores.commit()] == [make_article().id, make_article(2).id]


TEXT = st.text(max_size=40)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
NUMBER = st.none() | st.floats(allow_nan=False, allow_infinity=False)
BLOCKS = st.lists(
    st.builds(
        ArticleBlock,
        kind=st.sampled_from(Kind),
        text=TEXT,
        level=st.integers(0, 6),
        ordered=st.booleans(),
        rows=st.lists(NAMES, max_size=2).map(tuple),
        score=NUMBER,
        raw=NUMBER,
        xpath=TEXT,
    ),
    max_size=4,
).map(tuple)
ARTICLES = st.builds(
    Article,
    id=st.sampled_from(["aa", "bb", 'cc"\\', ""]),
    url=st.none() | TEXT,
    canonical_url=st.none() | TEXT,
    title=st.none() | TEXT,
    text=TEXT,
    authors=NAMES,
    tags=NAMES,
    opt_outs=NAMES,
    page_type=TEXT,
    page_type_probability=NUMBER,
    paywalled=st.none() | st.booleans(),
    published=st.none() | st.datetimes(timezones=st.timezones()).map(lambda d: type(d).fromisoformat(d.isoformat())),
    blocks=BLOCKS,
    words=st.lists(st.builds(WordCount, word=TEXT, count=st.integers(0, 2**40)), max_size=3).map(tuple),
    sources=st.dictionaries(TEXT, st.builds(Source, name=TEXT, raw=TEXT), max_size=2),
    confidence=NUMBER,
)


@pytest.mark.parametrize("form", FORMS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(articles=st.lists(ARTICLES, max_size=6), splits=st.lists(st.booleans(), min_size=6, max_size=6))
def test_store_holds_the_last_different_text_of_each_id(
    form: str, articles: list[Article], splits: list[bool], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("stores") / "x"
    expected: dict[str, Article] = {}
    told = []
    store = open_store(f"{form}:{path}")
    for article, split in zip(articles, splits, strict=False):
        store.add(article)
        if split:
            told += store.commit()
            store.close()
            store = open_store(f"{form}:{path}")
    told += store.close()
    for article, stored in zip(articles, told, strict=True):
        if stored.outcome is not Outcome.UNCHANGED:
            expected[stored.id] = washed(article)
    with open_store(f"{form}:{path}", read_only=True) as reader:
        found = {a.id: a for a in reader.articles()}
        assert {name: (a.title, a.text, a.blocks) for name, a in found.items()} == {
            name: (a.title, a.text, a.blocks) for name, a in expected.items()
        }
        assert reader.count() == len(expected)
        assert all(reader.get(name) == article for name, article in found.items())


WHEN = datetime(2026, 11, 3, 8, 30, tzinfo=UTC)


def test_a_page_that_is_gone_is_noted_and_its_text_stays(spec: str, make_article: Make) -> None:
    article = make_article()
    with open_store(spec) as store:
        store.add(article)
        store.commit()
        assert store.mark_gone(article.id, when=WHEN, status=410)
        assert store.mark_gone(f"{article.url}?utm_source=x", when=WHEN + timedelta(days=1), status=404)
        assert not store.mark_gone("https://other.example/1", when=WHEN, status=404)
        gone = store.get(article.id)
        assert (gone.gone_at, gone.gone_status) == (WHEN, 410)
        assert dataclasses.replace(gone, gone_at=None, gone_status=None) == article
    with open_store(spec) as store:
        assert [each.gone_status for each in store.articles()] == [410]
        store.add(article)
        assert [(s.outcome, s.revision) for s in store.commit()] == [(Outcome.UNCHANGED, 1)]
        assert store.get(article.id) == article
        assert [r.number for r in store.revisions(article.id)] == [1]


def test_other_metadata_are_written_without_a_revision(spec: str, make_article: Make) -> None:
    later = make_article(modified=WHEN, authors=("Someone Else",), description=None)
    with open_store(spec) as store:
        store.add(make_article())
        store.add(later)
        assert [(s.outcome, s.revision) for s in store.commit()] == [(Outcome.NEW, 1), (Outcome.UNCHANGED, 1)]
        found = store.get(later.id)
        assert (found.modified, found.authors) == (WHEN, ("Someone Else",))
        assert found.description == make_article().description
        assert found.text == later.text
        assert len(list(store.revisions(later.id))) == 1


def test_a_headline_is_a_change_and_is_told(spec: str, make_article: Make) -> None:
    with open_store(spec) as store:
        store.add(make_article())
        store.add(make_article(title="Quite another headline"))
        store.add(make_article(title="quite  another headline"))
        assert [(s.outcome, s.change) for s in store.commit()] == [
            (Outcome.NEW, ChangeKind.NONE),
            (Outcome.CHANGED, ChangeKind.HEADLINE),
            (Outcome.UNCHANGED, ChangeKind.NONE),
        ]


@pytest.mark.parametrize(
    "form", ["{}?utm_source=feed", "{}/amp", "{}?print=1", "{}/print", "http:{}", "{}?amp=1", "{}#comments"]
)
def test_an_article_is_found_by_every_form_of_its_address(spec: str, make_article: Make, form: str) -> None:
    article = make_article(url="https://news.example/1", canonical_url=None, id="")
    with open_store(spec) as store:
        store.add(article)
        (stored,) = store.commit()
        url = form.format(article.url).replace("http:https:", "http:")
        assert store.find(url) == stored.id == store.find(stored.id)
        assert store.find("https://news.example/none") is None


@pytest.mark.parametrize("form", ["{}/amp", "{}?print=1"])
def test_another_form_of_a_known_article_makes_no_revision(spec: str, make_article: Make, form: str) -> None:
    article = make_article()
    with open_store(spec) as store:
        store.add(article)
        store.add(make_article(url=form.format(article.canonical_url), text="The same in another template."))
        assert outcomes(store) == ["new", "unchanged"]
        assert store.get(article.id) == article
