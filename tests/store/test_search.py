from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import webmain
from webmain.files import (
    NotAStoreError,
    StoreDamagedError,
    StoreError,
    StoreLockedError,
    StoreSpecError,
    StoreWriteError,
)
from webmain.items import Article, ArticleBlock, Kind
from webmain.store import block_index as search
from webmain.store.block_index import TITLE, BlockIndex, block_priority
from webmain.store.query import MAX_TOKENS, QueryError, index_text
from webmain.store.search import open_index
from webmain.store.search_records import Filters, Results
from webmain.store.sqlite import SqliteStore
from webmain.store.sqlite_file import SqliteFile


def make(n: int, *blocks: tuple[str, float] | str, title: str | None = None, **other: object) -> Article:
    """An article of PAB's with blocks of given priorities (0.1 where none is given)."""
    pairs = [(block, 0.1) if isinstance(block, str) else block for block in blocks]
    values: dict[str, object] = {
        "url": f"https://news.example/{n}",
        "site": "news.example",
        "title": title,
        "text": "\n\n".join(text for text, _ in pairs),
        "blocks": tuple(
            ArticleBlock(kind=Kind.PARAGRAPH, text=text, raw=raw, score=raw / (1 + raw)) for text, raw in pairs
        ),
        "extractor": "pab",
    }
    return Article(**(values | other))  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "news.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with SqliteStore(path) as store:
        yield store


def put(store: SqliteStore, *articles: Article) -> BlockIndex:
    for article in articles:
        store.add(article)
    store.commit()
    index = store.index()
    index.update()
    return index


def urls(results: Results) -> list[str]:
    return [(hit.url or "").rpartition("/")[2] for hit in results.hits]


# --- ranking ---------------------------------------------------------------------------------------------------------


def test_block_priority_is_priority_times_keyword_density(store: SqliteStore) -> None:
    # the paper's equation 4, with priorities of its table 3.2: p+b+b 0.9, p+b 0.5
    index = put(store, make(1, ("The tide and the tide again", 0.9), ("A tide came", 0.5)))
    results = index.search("tide", per="block")
    assert [(hit.position, hit.block_priority) for hit in results.hits] == [(0, 0.9), (1, 0.5)]
    assert [hit.density for hit in results.hits] == pytest.approx([2 / 6, 1 / 3])
    assert [hit.priority for hit in results.hits] == pytest.approx([0.9 * 2 / 6, 0.5 / 3])
    assert [hit.rank for hit in results.hits] == [1, 2]


def test_title_is_a_block_of_priority_one(store: SqliteStore) -> None:
    index = put(store, make(1, "Nothing of it here.", title="Tide reaches the quay"))
    (hit,) = index.search("tide").hits
    assert (hit.position, hit.block_priority, hit.density) == (TITLE, 1.0, 0.25)
    assert hit.snippet.text == "Nothing of it here."


def test_the_title_block_is_the_title_element_as_it_stands_on_the_page(store: SqliteStore) -> None:
    page = (
        "<title>Low water at the quay | Harbour Herald</title><h1>Low water at the quay</h1><p>Nothing of it here.</p>"
    )
    article = webmain.extract(page, url="https://herald.example/1", extractor="pab")
    assert article.title == "Low water at the quay"
    index = put(store, article, make(2, "A harbour.", title="Old"))
    (hit,) = index.search("harbour herald").hits
    assert (hit.position, hit.block_priority, hit.density) == (TITLE, 1.0, 2 / 7)
    assert hit.title == "Low water at the quay"


def test_snippet_of_a_title_is_cut_from_the_best_block_below_it(store: SqliteStore) -> None:
    index = put(store, make(1, ("A tide.", 0.1), ("Tide, tide.", 0.1), title="Tide"))
    (hit,) = index.search("tide").hits
    assert hit.position == TITLE
    assert hit.snippet.pieces() == [("Tide", True), (", ", False), ("tide", True), (".", False)]
    assert hit.n_blocks == 3


def test_article_is_one_result_by_its_best_block(store: SqliteStore) -> None:
    index = put(store, make(1, ("tide one", 0.1), ("tide two", 0.9)), make(2, ("tide three", 0.5)))
    results = index.search("tide")
    assert [(hit.position, hit.n_blocks) for hit in results.hits] == [(1, 2), (0, 1)]
    assert (results.n_pages, results.n_blocks) == (2, 3)


def test_equal_priorities_are_ordered_newest_first_and_by_position(store: SqliteStore) -> None:
    index = put(store, make(1, "tide", "tide"), make(2, "tide"))
    assert [(hit.url, hit.position) for hit in index.search("tide", per="block").hits] == [
        ("https://news.example/2", 0),
        ("https://news.example/1", 0),
        ("https://news.example/1", 1),
    ]


@pytest.mark.parametrize(
    ("text", "query", "density"),
    [
        ("new york is big", '"new york" york big', 3 / 4),
        ("ha ha ha and so on", '"ha ha"', 3 / 6),
        ("ha ha, then ha", 'ha "ha ha"', 3 / 4),
        ("l'homme et l'eau", "l'homme \"l'eau\" et", 3 / 3),
        ("l'homme et l'eau", '"l\'homme et" et', 2 / 3),
        ("l'homme et l'eau", "l homme", 3 / 3),
        ("他在北京大学读书", "北京大学 北京大学读书", None),
    ],
)
def test_word_that_several_parts_name_is_counted_once(
    store: SqliteStore, text: str, query: str, density: float | None
) -> None:
    index = put(store, make(1, (text, 1.0)), make(2, "york alone"))
    if density is None:
        density = index.search("北京大学读书").hits[0].density
    matches: tuple[Literal["all", "any"], ...] = ("all", "any")
    for match in matches:
        found = {hit.url: hit.density for hit in index.search(query, match=match).hits}
        assert found["https://news.example/1"] == pytest.approx(density)


_LETTERS = st.lists(st.sampled_from("abc"), min_size=1, max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_LETTERS, st.lists(_LETTERS.filter(lambda part: len(part) < 4), min_size=1, max_size=4))
def test_density_is_the_share_of_places_that_any_part_covers(
    store: SqliteStore, block: list[str], parts: list[list[str]]
) -> None:
    index = put(store, make(1, " ".join(block)))
    covered = {
        i + k for part in parts for i in range(len(block)) if block[i : i + len(part)] == part for k in range(len(part))
    }
    hits = index.search(" ".join(f'"{" ".join(part)}"' for part in parts), match="any").hits
    assert [hit.density for hit in hits] == ([pytest.approx(len(covered) / len(block))] if covered else [])


@pytest.mark.parametrize(
    ("extractor", "score", "raw", "priority"),
    [
        ("pab", 0.5, 1.1, 1.1),
        ("pab", 0.5, None, 0.5),
        ("line_block", 0.7, 85.0, 0.7),
        ("thai_xpath", 0.9, 0.1, 0.9),
        ("line_block", None, 85.0, 0.1),
        ("svm", -0.5, None, 0.0),
    ],
)
def test_priority_is_pabs_own_and_the_score_of_other_methods(
    extractor: str, score: float | None, raw: float | None, priority: float
) -> None:
    assert block_priority(extractor, score, raw) == priority


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Ein Müller ging", "muller"),
        ("L'homme et la mer", "homme"),
        ("วันนี้ข่าวเศรษฐกิจดีมาก", "ข่าวเศรษฐกิจ"),
        ("他在北京大学读书", "北京大学"),
        ("東京で地震がありました", "地震"),
        ("وافقت الحكومة على الميزانية", "الميزانية"),
    ],
)
def test_any_script_is_found(store: SqliteStore, text: str, query: str) -> None:
    index = put(store, make(1, text), make(2, "the harbour"))
    results = index.search(query)
    assert urls(results) == ["1"]
    assert results.hits[0].snippet.marks
    assert results.hits[0].snippet.text == text


@pytest.mark.parametrize(("text", "query"), [("กันนะ", "กิน"), ("tidetable", "tide"), ("йод", "иод"), ("中国", "美国")])
def test_other_words_are_not_found(store: SqliteStore, text: str, query: str) -> None:
    assert put(store, make(1, text)).search(query) == Results(hits=(), n_pages=0, n_blocks=0, unindexed=0)


def test_all_words_must_be_in_one_block_or_any(store: SqliteStore) -> None:
    index = put(store, make(1, "harbour tide"), make(2, "harbour", "tide"), make(3, "tide harbour harbour"))
    assert sorted(urls(index.search("tide harbour"))) == ["1", "3"]
    assert sorted(urls(index.search("tide harbour", match="any"))) == ["1", "2", "3"]
    assert urls(index.search('"tide harbour"')) == ["3"]
    assert urls(index.search('"harbour tide"')) == ["1"]
    assert urls(index.search("tide nowhere")) == []
    assert len(index.search("tide nowhere", match="any").hits) == 3


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.one_of(
        st.text(max_size=40),
        st.text(alphabet="\"'*():^-+{}[]\\%_;, NEARandornot\x00\ud800ก", max_size=40),
        st.sampled_from(
            ['" OR 1', "words:tide", "NEAR(a b)", "'; DROP TABLE article; --", "tide*", "^tide", '"a" "b', "?1"]
        ),
    )
)
def test_no_query_is_an_error_of_syntax(store: SqliteStore, query: str) -> None:
    index = put(store, make(1, "The tide"))
    try:
        assert index.search(query).n_pages in (0, 1)
        assert index.search(query, match="any").n_pages in (0, 1)
    except QueryError:
        assert not index_text(query.replace('"', " ")).tokens


def test_query_of_the_most_tokens_is_answered_and_a_longer_one_refused(store: SqliteStore) -> None:
    index = put(store, make(1, "a " * 600), make(2, "一二三四五六七八九十" * 100))
    assert index.search("a-" * MAX_TOKENS).n_pages == 1
    with pytest.raises(QueryError, match="allowed are 400"):
        index.search("一二三四五六七八九十" * 100)


# --- filters, portions -----------------------------------------------------------------------------------------------


def test_filters_choose_among_the_articles(store: SqliteStore) -> None:
    def at(day: int, hour: int = 0) -> datetime:
        return datetime(2026, 11, day, hour, tzinfo=UTC)

    index = put(
        store,
        make(1, "tide", language="en", published=at(1)),
        make(2, "tide", language="de", site="other.example", published=at(2, 12)),
        make(3, "tide", language="en", extractor="line_block", published=at(3)),
        make(4, "tide"),
    )

    def found(**wanted: object) -> list[str]:
        results = index.search("tide", filters=Filters(**wanted))  # type: ignore[arg-type]
        assert results.n_pages == len(results.hits)
        return sorted(urls(results))

    assert found() == ["1", "2", "3", "4"]
    assert found(site="other.example") == ["2"]
    assert found(language="en") == ["1", "3"]
    assert found(method="pab") == ["1", "2", "4"]
    assert found(since=at(2, 12)) == ["2", "3"]
    assert found(since=at(2, 13)) == ["3"]
    assert found(until=at(2, 12)) == ["1"]
    assert found(until=at(2, 13)) == ["1", "2"]
    assert found(since=at(1), until=at(3), language="en") == ["1"]
    assert found(site="'; --") == []


def test_filters_that_no_article_passes_are_named(store: SqliteStore) -> None:
    index = put(store, make(1, "tide", language="en"))
    assert index.absent(Filters()) == {}
    assert index.absent(Filters(site="news.example", language="en", method="pab")) == {}
    assert index.absent(Filters(site="other.example", language="de", method="svm")) == {
        "site": "other.example",
        "language": "de",
        "method": "svm",
    }


def test_moments_at_the_ends_of_all_years_are_limits_like_others(store: SqliteStore) -> None:
    east, west = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))
    first, last = datetime.min.replace(tzinfo=east), datetime.max.replace(tzinfo=west)
    index = put(store, make(1, "tide", published=datetime(2026, 11, 22, tzinfo=UTC)))
    assert index.search("tide", filters=Filters(since=first, until=last)).n_pages == 1
    assert index.search("tide", filters=Filters(since=last)).n_pages == 0


def test_results_come_in_portions_with_the_same_totals(store: SqliteStore) -> None:
    index = put(store, *(make(n, ("tide " + "word " * n, 1.0)) for n in range(7)))
    assert urls(index.search("tide", limit=3)) == ["0", "1", "2"]
    second = index.search("tide", limit=3, offset=3)
    assert (urls(second), [hit.rank for hit in second.hits]) == (["3", "4", "5"], [4, 5, 6])
    for results in (
        second,
        index.search("tide", limit=0),
        index.search("tide", offset=9),
        index.search("tide", offset=2**70),
    ):
        assert (results.n_pages, results.n_blocks) == (7, 7)
    with pytest.raises(ValueError, match="at least 0"):
        index.search("tide", limit=-1)


# --- keeping up ------------------------------------------------------------------------------------------------------


def test_what_is_stored_is_found_after_the_next_update(store: SqliteStore) -> None:
    index = put(store, make(1, "tide"))
    store.add(make(2, "tide"))
    store.commit()
    results = index.search("tide")
    assert (urls(results), results.unindexed) == (["1"], 1)
    assert index.update() == 1
    assert sorted(urls(index.search("tide"))) == ["1", "2"]
    assert index.update() == 0


def test_revised_article_is_not_answered_from_its_older_revision(store: SqliteStore) -> None:
    index = put(store, make(1, "tide"), make(2, "tide"))
    store.add(make(1, "harbour"))
    store.commit()
    assert urls(index.search("tide")) == ["2"]
    assert index.search("tide").unindexed == 1
    store.add(make(2, "tide"))
    store.commit()
    assert index.update() == 1
    assert urls(index.search("tide")) == ["2"]
    assert urls(index.search("harbour")) == ["1"]


def test_deleted_article_is_not_found_nor_is_one_that_gets_its_key(path: Path) -> None:
    with SqliteStore(path) as store:
        put(store, make(1, "tide"))
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DELETE FROM article")
    db.execute("DELETE FROM kept_block")
    db.close()
    with SqliteStore(path) as store:
        index = store.index()
        assert index.search("tide").n_pages == 0
        put(store, make(2, "harbour"))
        assert index.search("tide").n_pages == 0
        assert urls(index.search("harbour")) == ["2"]


def test_articles_are_indexed_in_portions_and_progress_is_told(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "BATCH", 2)
    for n in range(5):
        store.add(make(n, "tide"))
    store.commit()
    told: list[tuple[int, int]] = []
    assert store.index().update(lambda done, total: told.append((done, total))) == 5
    assert told == [(2, 5), (4, 5), (5, 5)]
    assert store.index().search("tide").n_pages == 5


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE article SET record = '{' WHERE key = 1",
        "UPDATE article SET record = json_remove(record, '$.page_title'), title = x'ff00' WHERE key = 1",
        "UPDATE article SET url = x'ff00', site = x'ff00', published = x'' WHERE key = 1",
        "UPDATE kept_block SET score = x'ff00', raw = x'ff00' WHERE article = 1",
    ],
)
def test_a_damaged_row_hides_no_other_from_a_search(path: Path, damage: str) -> None:
    with SqliteStore(path) as store:
        for n in (1, 2):
            store.add(make(n, "A boat in the harbour.", title="A boat", page_title="A boat"))
        store.commit()
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(damage)
    with open_index(f"sqlite:{path}") as index:
        index.update()
        assert "2" in urls(index.search("harbour"))
        assert index.pending() == 0


def test_killed_indexing_leaves_no_article_out_and_none_twice(path: Path, tmp_path: Path) -> None:
    with SqliteStore(path) as store:
        for n in range(60):
            store.add(make(n, *(f"tide {n} " + "word " * 40 for _ in range(5))))
    script = tmp_path / "index.py"
    script.write_text(
        "import os, sys\nfrom webmain.store import block_index, search\nblock_index.BATCH = 10\n"
        "with search.open_index(sys.argv[1]) as index:\n"
        "    index.update(lambda done, total: os._exit(9) if done >= 30 else None)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    killed = subprocess.run([sys.executable, str(script), f"sqlite:{path}"], env=environment, check=False)
    assert killed.returncode == 9
    with SqliteStore(path) as store:
        index = store.index()
        assert index.pending() == 30
        assert index.search("tide").n_pages == 30
        index.update()
        results = index.search("tide")
        assert (results.n_pages, results.n_blocks, results.unindexed) == (60, 300, 0)


def test_article_revised_while_it_is_indexed_stays_on_the_list(
    path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(make(1, "tide"))
    store.commit()
    index, load = store.index(), BlockIndex._load
    loaded: list[object] = []

    def overtaken(self: BlockIndex, key: int) -> object:
        found = load(self, key)
        if not loaded:
            with SqliteStore(path) as other:
                other.add(make(1, "harbour"))
        loaded.append(found)
        return found

    monkeypatch.setattr(BlockIndex, "_load", overtaken)
    assert index.update() == 1
    assert len(loaded) == 2
    assert (index.search("tide").n_pages, index.search("harbour").n_pages) == (0, 1)


def test_rebuilding_gives_the_same_answers_without_the_rows_of_old_revisions(store: SqliteStore) -> None:
    index = put(store, make(1, "tide"), make(2, "tide tide"))
    for round_ in range(3):
        put(store, make(1, f"tide {round_}"))
    before = index.search("tide")
    entries = "SELECT count(*) FROM temp.search_term"
    assert store._file.one(entries) > 4
    assert index.rebuild() == 2
    assert index.search("tide") == before
    assert store._file.one(entries) == 4


def test_index_of_another_version_is_made_anew(path: Path, store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, make(1, "tide"))
    monkeypatch.setattr(search, "_VERSION", "webmain-999")
    index = store.index()
    assert index.pending() == 1
    assert (index.search("tide").n_pages, index.search("tide").unindexed) == (0, 1)
    assert index.update() == 1
    assert index.search("tide").n_pages == 1


# --- stores that cannot be searched ----------------------------------------------------------------------------------


def test_store_that_cannot_be_searched_is_told_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("This is a text of some length, and no database.")
    foreign = sqlite3.connect(tmp_path / "foreign.db")
    foreign.execute("CREATE TABLE t (x)")
    foreign.close()
    for spec, error, message in (
        (f"jsonl:{tmp_path}/a.jsonl", StoreSpecError, "only SQLite stores can be searched"),
        ("news.db", StoreSpecError, "did you mean sqlite:news.db"),
        ("sqlite:", StoreSpecError, "it has no path"),
        (f"sqlite:{tmp_path}/none.db", StoreError, "no such file; a crawl with -a store="),
        (f"sqlite:{tmp_path}", StoreError, "is a folder"),
        (f"sqlite:{tmp_path}/text.db", NotAStoreError, "no SQLite database"),
        (f"sqlite:{tmp_path}/foreign.db", NotAStoreError, "another program's database"),
    ):
        with pytest.raises(error, match=message), open_index(spec):
            pass
    assert not (tmp_path / "none.db").exists()


def test_reader_searches_what_is_indexed_and_changes_nothing(path: Path) -> None:
    with SqliteStore(path) as store:
        put(store, make(1, "tide"))
        store.add(make(2, "tide"))
    before = path.read_bytes()
    with open_index(f"sqlite:{path}", read_only=True) as index:
        results = index.search("tide")
        assert (urls(results), results.unindexed) == (["1"], 1)
        with pytest.raises(StoreWriteError, match="reading only"):
            index.update()
        with pytest.raises(StoreWriteError, match="reading only"):
            index.rebuild()
    assert path.read_bytes() == before


def test_file_that_cannot_be_written_is_searched_as_it_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqliteStore(path) as store:
        put(store, make(1, "tide"))
        store.add(make(2, "tide"))
    prepare = SqliteFile._prepare

    def refusing(self: SqliteFile, wait_s: float) -> None:
        prepare(self, wait_s)
        if not self.read_only:
            raise StoreWriteError("attempt to write a readonly database")

    monkeypatch.setattr(SqliteFile, "_prepare", refusing)
    with open_index(f"sqlite:{path}") as index:
        assert index.search("tide").n_pages == 1
        with pytest.raises(StoreWriteError, match="reading only"):
            index.update()


def test_reader_of_a_store_that_was_never_indexed_finds_nothing_and_says_so(path: Path) -> None:
    with SqliteStore(path) as store:
        store.add(make(1, "tide"))
    with open_index(f"sqlite:{path}", read_only=True) as index:
        assert index.search("tide") == Results(hits=(), n_pages=0, n_blocks=0, unindexed=1)
        with pytest.raises(StoreWriteError, match="reading only"):
            index.update()


def test_search_goes_on_while_another_process_writes(path: Path) -> None:
    with SqliteStore(path, wait_s=0.1) as store:
        index = put(store, make(1, "tide"))
        store.add(make(2, "tide"))
        store.commit()
        writer = sqlite3.connect(path, isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreLockedError):
            index.update()
        assert (index.search("tide").n_pages, index.search("tide").unindexed) == (1, 1)
        writer.execute("ROLLBACK")
        writer.close()
        assert index.update() == 1


def test_damaged_index_is_told_and_made_anew(path: Path) -> None:
    with SqliteStore(path) as store:
        put(store, *(make(n, "tide " + " ".join(f"w{n}x{i}" for i in range(200))) for n in range(20)))
    db = sqlite3.connect(path)
    db.execute("UPDATE search_text_data SET block = x'00' WHERE id > 1000")
    db.commit()
    db.close()
    with SqliteStore(path) as store:
        with pytest.raises(StoreDamagedError):
            store.index().search("tide")
        assert store.index().rebuild() == 20
        assert store.index().search("tide").n_pages == 20


def test_python_without_fts5_is_told(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_TABLE", "CREATE VIRTUAL TABLE search_text USING fts5_is_missing (words)")
    with pytest.raises(StoreError, match="built without FTS5"):
        store.index().update()


def test_index_of_a_closed_store_is_told(path: Path) -> None:
    store = SqliteStore(path)
    index = put(store, make(1, "tide"))
    store.close()
    with pytest.raises(StoreError):
        index.search("tide")
    with pytest.raises(StoreError, match="is closed"):
        store.index()


def test_the_example_in_the_documentation_prints_what_is_found(
    store: SqliteStore, path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (Path(__file__).parents[2] / "docs" / "search.md").read_text("utf-8")
    example = text.split("```python\n")[1].split("```")[0]
    put(store, make(1, "The harbour master reads the tide", language="en"))
    monkeypatch.chdir(path.parent)
    exec(example, {})
    assert "The [harbour master] reads the [tide]" in capsys.readouterr().out
