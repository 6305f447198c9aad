from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastwarc.stream_io import ZstdReader

from webmain.items import Article
from webmain.store.export import COLUMNS, Format, export
from webmain.store.protocol import StoreSpecError, StoreWriteError
from webmain.store.registry import open_store

Make = Callable[..., Article]


def test_jsonl_holds_the_records(tmp_path: Path, make_article: Make) -> None:
    articles = [make_article(n) for n in range(3)]
    assert export(articles, tmp_path / "new" / "a.jsonl", format=Format.JSONL) == 3
    lines = (tmp_path / "new" / "a.jsonl").read_text().splitlines()
    assert [Article.from_dict(json.loads(line)) for line in lines] == articles
    with open_store(f"jsonl:{tmp_path}/new/a.jsonl") as store:  # an export is a store again
        assert list(store.articles()) == articles


def test_suffix_compresses_and_equal_articles_give_equal_bytes(tmp_path: Path, make_article: Make) -> None:
    articles = [make_article(n) for n in range(50)]
    export(articles, tmp_path / "a.jsonl", format="jsonl")
    plain = (tmp_path / "a.jsonl").read_bytes()
    for name in ("a.jsonl.gz", "b.jsonl.gz", "a.jsonl.zst"):
        export(articles, tmp_path / name, format="jsonl")
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == plain
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
    packed = (tmp_path / "a.jsonl.zst").read_bytes()
    assert len(packed) < len(plain) / 4
    assert ZstdReader(io.BytesIO(packed)).read(len(plain) + 1) == plain


def test_csv_holds_the_metadata_and_no_formulas(tmp_path: Path, make_article: Make) -> None:
    title = '=HYPERLINK("x")\n\0next, "line"'
    export([make_article(title=title, authors=("A", "B")), Article(text="x")], tmp_path / "a.csv", format="csv")
    with (tmp_path / "a.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert list(first) == list(COLUMNS)
    assert first["title"] == '\'=HYPERLINK("x")\nnext, "line"'
    assert (first["authors"], first["paywalled"], first["published"]) == ("A; B", "0", "2026-11-21T07:30:00+07:00")
    assert len(second["id"]) == 16


def test_texts_stay_in_their_folder(tmp_path: Path, make_article: Make) -> None:
    articles = [make_article(), make_article(2, id="../../evil", site="../..", text="a\ud800")]
    articles.append(make_article(3, id="..", site=".."))
    assert export(articles, tmp_path / "out", format="text") == 3
    assert (tmp_path / "out" / "news.example" / f"{make_article().id}.txt").read_text() == make_article().text + "\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]
    assert len(list((tmp_path / "out").rglob("*.txt"))) == 3


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst"])
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
    with pytest.raises(StoreSpecError, match=r"'xml'.*jsonl, csv, text"):
        export([], tmp_path / "a", format="xml")
    with pytest.raises(StoreWriteError, match="Is a directory"):
        export([], tmp_path, format="csv")
