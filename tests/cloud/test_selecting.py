from dataclasses import replace
from datetime import UTC, datetime

import pytest

from webmain.cloud import selecting
from webmain.cloud.records import CloudError
from webmain.cloud.selecting import REST, Scope, articles_of, cloud_for
from webmain.items import Article, ArticleBlock, Kind
from webmain.store.protocol import StoreError
from webmain.store.query import QueryError
from webmain.store.registry import open_store
from webmain.store.search_records import Filters


def article(n: int, text: str, **other: object) -> Article:
    values: dict[str, object] = {
        "id": f"id{n}",
        "url": f"https://news.example/{n}",
        "site": "news.example",
        "title": f"Story {n}",
        "text": text,
        "blocks": (ArticleBlock(kind=Kind.PARAGRAPH, text=text),),
        "extractor": "pab",
        "language": "en",
        "published": datetime(2026, 11, n, 12, tzinfo=UTC),
    }
    return Article(**(values | other))  # type: ignore[arg-type]


ARTICLES = (
    article(1, "tide " * 16 + "quay", site="tides.example"),
    article(2, "rose " * 15 + "garden " * 9),
    article(3, "ตลาดน้ำ ตลาดน้ำ ตลาดน้ำ ตลาดน้ำ", language="th"),
    article(4, "tide quay quay", published=None, extractor="eniw"),
)


@pytest.fixture(params=["sqlite", "jsonl"])
def store(request, tmp_path):
    spec = f"{request.param}:{tmp_path / 'news'}"
    with open_store(spec) as opened:
        for one in ARTICLES:
            opened.add(one)
    return spec


@pytest.mark.parametrize(
    ("filters", "chosen"),
    [
        (Filters(), "1234"),
        (Filters(site="tides.example"), "1"),
        (Filters(language="th"), "3"),
        (Filters(method="eniw"), "4"),
        (Filters(since=datetime(2026, 11, 2, 12, tzinfo=UTC)), "23"),
        (Filters(until=datetime(2026, 11, 2, 12, tzinfo=UTC)), "1"),
        (Filters(site="news.example", language="en", since=datetime(2026, 1, 1, tzinfo=UTC)), "2"),
        (Filters(site="nowhere.example"), ""),
    ],
)
def test_filters_select_articles_of_every_store(store, filters, chosen):
    assert [one.id[2:] for one in articles_of(Scope(store=store, filters=filters))] == list(chosen)


def test_a_cloud_of_a_store_has_its_filters_as_title(store):
    found = cloud_for(Scope(store=store, filters=Filters(site="news.example", language="en")), top=2)
    assert [(one.word, one.count) for one in found.words] == [("rose", 15), ("garden", 9)]
    assert (found.title, found.n_articles) == ("news.example · en", 2)


def test_a_cloud_of_one_article_has_its_title(store):
    found = cloud_for(Scope(store=store, article="id1"))
    assert (found.title, found.words[0].word, found.n_articles) == ("Story 1", "tide", 1)
    with pytest.raises(CloudError, match="no article id9"):
        cloud_for(Scope(store=store, article="id9"))


def test_the_rest_of_a_store_is_what_is_not_selected_in_the_same_language(store):
    found = cloud_for(Scope(store=store, filters=Filters(site="tides.example")), against=REST)
    (tide,) = found.words
    assert (tide.word, tide.count, tide.keyness.count_against) == ("tide", 16, 1)  # of articles 2 and 4, not of 3


def test_one_period_is_compared_with_another(store):
    day = datetime(2026, 11, 2, tzinfo=UTC)
    scope, before = (Scope(store=store, filters=one) for one in (Filters(since=day, language="en"), Filters(until=day)))
    assert [one.word for one in cloud_for(scope, against=before).words] == ["rose", "garden"]
    assert [one.word for one in cloud_for(scope, against=before, under=True).words] == ["tide"]


def test_no_more_is_counted_after_so_many_characters(store):
    assert cloud_for(Scope(store=store), max_chars=len(ARTICLES[0].text) + 1).n_articles == 2
    assert cloud_for(Scope(store=store), max_chars=10**6).n_articles == 4


@pytest.mark.parametrize("against", [Scope(store="", filters=Filters(site="nowhere.example")), REST])
def test_stores_are_closed_when_the_answer_comes_even_if_it_is_an_error(store, against, monkeypatch):
    opened = []

    def open_noted(*given, **named):
        opened.append(open_store(*given, **named))
        return opened[-1]

    monkeypatch.setattr(selecting, "open_store", open_noted)
    if against != REST:
        against = replace(against, store=store)
    with pytest.raises(CloudError, match="nothing to compare with") as refused:
        cloud_for(Scope(store=store, filters=Filters(language="en")), against=against, max_chars=1)
    assert [one.closed for one in opened] == [True, True], refused  # whoever has the error has what it refers to


def test_a_query_selects_articles_and_leaves_a_rest(tmp_path):
    spec = f"sqlite:{tmp_path / 'news.db'}"
    with open_store(spec) as opened:
        for one in ARTICLES:
            opened.add(one)
    scope = Scope(store=spec, query="tide")
    assert sorted(one.id for one in articles_of(scope)) == ["id1", "id4"]
    assert [one.word for one in cloud_for(scope, against=REST).words] == ["tide"]
    assert cloud_for(Scope(store=spec, query="ตลาดน้ำ")).words[0].word == "ตลาดน้ำ"
    with pytest.raises(QueryError):
        cloud_for(Scope(store=spec, query="!!"))
    with pytest.raises(StoreError, match="there is no such file"):
        cloud_for(Scope(store="sqlite:/nowhere.db", query="tide"))


def test_what_was_counted_already_has_no_rest(store):
    from webmain.cloud.counting import count

    with pytest.raises(CloudError, match="rest"):
        cloud_for(count(ARTICLES), against=REST)
