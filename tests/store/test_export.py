from __future__ import annotations

import csv
import gzip
import json
import weakref
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from webmain.items import Article, LiveEntry
from webmain.store.export import COLUMNS, STREAMS, export
from webmain.store.protocol import StoreSpecError, StoreWriteError
from webmain.store.registry import open_store

Make = Callable[..., Article]


def test_jsonl_holds_the_records(tmp_path: Path, make_article: Make) -> None:
    articles = [make_article(n) for n in range(3)]
    assert export(articles, tmp_path / "new" / "a.jsonl", format="jsonl") == 3
    lines = (tmp_path / "new" / "a.jsonl").read_text().splitlines()
    assert [Article.from_dict(json.loads(line)) for line in lines] == articles
    with open_store(f"jsonl:{tmp_path}/new/a.jsonl") as store:  # an export is a store again
        assert list(store.articles()) == articles


def test_suffix_compresses_and_equal_articles_give_equal_bytes(tmp_path: Path, make_article: Make) -> None:
    articles = [make_article(n) for n in range(50)]
    export(articles, tmp_path / "a.jsonl", format="jsonl")
    plain = (tmp_path / "a.jsonl").read_bytes()
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        export(articles, tmp_path / name, format="jsonl")
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == plain
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_csv_holds_the_metadata_and_no_formulas(tmp_path: Path, make_article: Make) -> None:
    title = '=HYPERLINK("x")\n\0next, "line"'
    export([make_article(title=title, authors=("A", "B")), Article(text="x")], tmp_path / "a.csv", format="csv")
    with (tmp_path / "a.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert list(first) == list(COLUMNS)
    assert first["title"] == '\'=HYPERLINK("x")\nnext, "line"'
    assert (first["authors"], first["paywalled"], first["published"]) == ("A; B", "0", "2026-11-21T07:30:00+07:00")
    assert len(second["id"]) == 16


@pytest.mark.parametrize("title", ["+1", "-1", "@a", "\n=1", "＝1+1", "＋1", "－1", "＠a"])
def test_csv_has_an_apostrophe_before_what_a_spreadsheet_would_run(
    tmp_path: Path, make_article: Make, title: str
) -> None:
    export([make_article(title=title)], tmp_path / "a.csv", format="csv")
    with (tmp_path / "a.csv").open(newline="") as file:
        assert [row["title"] for row in csv.DictReader(file)] == [f"'{title}"]


def test_texts_stay_in_their_folder(tmp_path: Path, make_article: Make) -> None:
    articles = [make_article(), make_article(2, id="../../evil", site="../..", text="a\ud800")]
    articles.append(make_article(3, id="..", site=".."))
    assert export(articles, tmp_path / "out", format="text") == 3
    assert (tmp_path / "out" / "news.example" / f"{make_article().id}.txt").read_text() == make_article().text + "\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]
    assert len(list((tmp_path / "out").rglob("*.txt"))) == 3


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_failing_export_leaves_what_was_there(tmp_path: Path, make_article: Make, name: str) -> None:
    (tmp_path / name).write_text("before")

    def broken() -> Iterator[Article]:
        yield make_article()
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError):
        export(broken(), tmp_path / name, format="jsonl")
    assert [p.name for p in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "before"


def test_unknown_format_and_folder_as_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreSpecError, match=r"'xml'.*jsonl, csv, vertical, tei, text, parquet"):
        export([], tmp_path / "a", format="xml")
    with pytest.raises(StoreWriteError, match="Is a directory"):
        export([], tmp_path, format="csv")


def test_parquet_holds_all_fields_as_columns(tmp_path: Path, make_article: Make) -> None:
    articles = [make_article(n, blocks=()) if n % 2 else make_article(n) for n in range(1_200)]
    articles.append(make_article(-1, title="\ud800", published=None, paywalled=None, sources={}))
    assert export(articles, tmp_path / "a.parquet", format="parquet") == 1_201
    file = pq.ParquetFile(tmp_path / "a.parquet")
    assert file.metadata.num_row_groups == 3
    rows = file.read().to_pylist()
    expected = make_article(0).to_dict()
    assert rows[0].pop("published") == make_article(0).published
    assert dict(rows[0].pop("sources")) == expected["sources"]
    assert rows[0].pop("fetched_at").isoformat() == expected["fetched_at"]
    assert rows[0].pop("modified").isoformat() == expected["modified"]
    assert rows[0] == {key: expected[key] for key in rows[0]}
    assert (rows[-1]["title"], rows[-1]["published"], rows[-1]["paywalled"]) == ("\ufffd", None, None)


def test_parquet_holds_the_times_of_a_live_blog(tmp_path: Path, make_article: Make) -> None:
    entry = LiveEntry(published=datetime(2026, 11, 21, 7, 30, tzinfo=UTC), title="Tide", text="The tide came in.")
    export([make_article(0), make_article(1, entries=(entry,))], tmp_path / "a.parquet", format="parquet")
    assert pq.read_table(tmp_path / "a.parquet", columns=["entries"]).to_pylist() == [
        {"entries": []},
        {"entries": [{"published": entry.published, "title": "Tide", "text": "The tide came in."}]},
    ]


@pytest.mark.parametrize("form", STREAMS)
def test_export_holds_one_article_at_a_time(tmp_path: Path, make_article: Make, form: str) -> None:
    alive: list[weakref.ref[Article]] = []

    def many() -> Iterator[Article]:
        for n in range(200):
            article = make_article(n)
            alive.append(weakref.ref(article))
            yield article
            assert sum(each() is not None for each in alive) <= 3

    assert export(many(), tmp_path / "a", format=form) == 200
