from __future__ import annotations

import pytest

from tests.web.stores import NOON, article, filled
from webmain.store.catalogue import SORTS, Order
from webmain.store.search_records import Filters
from webmain.store.sqlite import SqliteStore


def store_of(tmp_path, *articles):
    filled(tmp_path / "a.db", *articles)
    return SqliteStore(tmp_path / "a.db", read_only=True)


def ids_of(part):
    return [each.id for each in part.articles]


@pytest.mark.parametrize("by", list(SORTS))
@pytest.mark.parametrize("descending", [True, False])
def test_parts_put_together_are_the_list_forwards_and_backwards(tmp_path, by, descending):
    articles = [
        article(
            n, confidence=None if n % 3 == 0 else n % 4 / 4, published=None if n % 5 == 0 else NOON, site=f"s{n % 2}"
        )
        for n in range(23)
    ]
    with store_of(tmp_path, *articles) as store:
        catalogue, order = store.catalogue(), Order(by=by, descending=descending)
        whole = ids_of(catalogue.list_articles(order=order, limit=100))
        assert len(set(whole)) == 23
        forwards, part = [], catalogue.list_articles(order=order, limit=5)
        while True:
            forwards += ids_of(part)
            if part.after is None:
                break
            part = catalogue.list_articles(order=order, after=part.after, limit=5)
        assert forwards == whole
        backwards = ids_of(part)
        while part.before is not None:
            part = catalogue.list_articles(order=order, before=part.before, limit=5)
            backwards = ids_of(part) + backwards
        assert backwards == whole
        assert part.before is None


def test_articles_without_what_is_sorted_by_come_last(tmp_path):
    with store_of(
        tmp_path, article(1, confidence=None), article(2, confidence=0.2), article(3, confidence=0.7)
    ) as store:
        for descending, wanted in ((True, [0.7, 0.2, None]), (False, [0.2, 0.7, None])):
            part = store.catalogue().list_articles(order=Order(by="confidence", descending=descending))
            assert [each.confidence for each in part.articles] == wanted


def test_times_are_sorted_as_moments_whatever_their_zone(tmp_path):
    from datetime import datetime

    moments = [
        "2026-11-20T23:00:00-05:00",
        "2026-11-21T03:00:00+00:00",
        "2026-11-21T12:00:00+07:00",
    ]  # 04:00, 03:00, 05:00
    articles = [article(n, published=datetime.fromisoformat(moment)) for n, moment in enumerate(moments)]
    with store_of(tmp_path, *articles) as store:
        assert [each.title for each in store.catalogue().list_articles().articles] == [
            "Bridge 2",
            "Bridge 0",
            "Bridge 1",
        ]


def test_an_article_stored_meanwhile_neither_hides_nor_repeats_another(tmp_path):
    filled(tmp_path / "a.db", *(article(n) for n in range(6)))
    with SqliteStore(tmp_path / "a.db", read_only=True) as store:
        catalogue = store.catalogue()
        first = catalogue.list_articles(limit=3)
        filled(tmp_path / "a.db", article(-1))  # the newest: an offset would show an article again
        assert [each.title for each in catalogue.list_articles(after=first.after, limit=3).articles] == [
            "Bridge 3",
            "Bridge 4",
            "Bridge 5",
        ]


def test_a_key_that_is_not_there_is_an_error(tmp_path):
    with store_of(tmp_path, article()) as store, pytest.raises(KeyError):
        store.catalogue().list_articles(after=77)


def test_filters_by_confidence_and_copies_agree_with_the_articles(tmp_path):
    articles = [article(1, confidence=0.3), article(2, confidence=None), article(3, duplicate_of="x" * 16), article(4)]
    with store_of(tmp_path, *articles) as store:
        for filters, wanted in (
            (Filters(below=0.5), 1),
            (Filters(min_confidence=0.3), 3),
            (Filters(copies=True), 1),
            (Filters(since=NOON, date="fetched_at"), 4),
            (Filters(since=NOON), 0),
            (Filters(), 4),
        ):
            part = store.catalogue().list_articles(filters)
            assert len(part.articles) == store.catalogue().count(filters) == wanted
            assert {each.id for each in part.articles} == {each.id for each in store.selected(filters)}
            assert {each.id for each in store.articles() if filters.has(each)} == {each.id for each in part.articles}


def test_sites_have_their_median_and_what_is_unsure(tmp_path):
    articles = [article(n, n_words=words, confidence=c) for n, words, c in ((1, 10, 0.2), (2, 40, None), (3, 20, 0.8))]
    with store_of(tmp_path, *articles, article(4, site="other.example", n_words=7, duplicate_of="y")) as store:
        news, other = store.catalogue().sites()
        assert (news.site, news.n_articles, news.median_words, news.n_unsure) == ("news.example", 3, 20, 1)
        assert news.confidence == pytest.approx(0.5)
        assert (other.n_articles, other.n_copies) == (1, 1)
        assert store.catalogue().sites("other.example") == (other,)
        assert store.catalogue().sites("nowhere.example") == ()


def test_articles_are_counted_by_site_and_language(tmp_path):
    with store_of(tmp_path, article(1), article(2, site="tides.example"), article(3, language=None)) as store:
        assert store.tally("site") == {"news.example": 2, "tides.example": 1}
        assert store.tally("language") == {"en": 2, "": 1}


def test_copies_and_texts_of_an_article(tmp_path):
    with store_of(tmp_path, article(1), article(1, text="Another text."), article(2)) as store:
        catalogue = store.catalogue()
        one = catalogue.list_articles(Filters(), order=Order(by="words", descending=False)).articles[0]
        assert [version.number for version in catalogue.revisions(one.id)] == [2, 1]
        assert one.revision == 2
    filled(tmp_path / "a.db", article(3, duplicate_of=one.id))
    with SqliteStore(tmp_path / "a.db", read_only=True) as store:
        assert [each.title for each in store.catalogue().copies(one.id)] == ["Bridge 3"]


def test_runs_are_listed_the_last_first_and_damaged_figures_are_none(tmp_path):
    with SqliteStore(tmp_path / "a.db") as store:
        first = store.start_run({"site": "news.example"})
        store.add(article(1))
        store.commit()
        store.finish_run(first, reason="finished", stats={"webmain/pages": 3})
        second = store.start_run({})
        store._file.rows("UPDATE crawl_run SET stats = '[1', reason = x'41ff' WHERE id = ?", (second,))
    with SqliteStore(tmp_path / "a.db", read_only=True) as store:
        catalogue = store.catalogue()
        assert [run.id for run in catalogue.runs()] == [second, first]
        assert [run.id for run in catalogue.runs(before=second)] == [first]
        assert catalogue.run(second).reason == "A\ufffd"
        run = catalogue.run(first)
        assert (run.reason, run.arguments, run.stats, catalogue.n_stored(first)) == (
            "finished",
            {"site": "news.example"},
            {"webmain/pages": 3},
            1,
        )
        assert catalogue.run(second).stats == {}
        assert catalogue.run(99) is None
