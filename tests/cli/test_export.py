"""`webmain export`."""

from __future__ import annotations

import csv
import gzip
import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from webmain.cli import main
from webmain.cli.export import FORMATS
from webmain.store.export import FORMATS as ALL_FORMATS
from webmain.store.registry import open_store


@pytest.fixture
def store(tmp_path, make_article) -> str:
    spec = f"sqlite:{tmp_path}/news.db"
    with open_store(spec) as opened:
        opened.add(make_article(1, text="first"))
        opened.add(make_article(2, site="other.example", language="en", confidence=0.5))
        opened.add(make_article(3, confidence=None, published=None, fetched_at=datetime.now(UTC) - timedelta(hours=2)))
        opened.commit()
        opened.add(make_article(1, text="second"))
    return spec


def titles(path) -> list[str]:
    return [json.loads(line)["title"].split()[1] for line in path.read_text().splitlines()]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "123"),
        (["--site", "Other.example"], "2"),
        (["--site", "https://www.other.example/news"], "2"),
        (["--lang", "th"], "13"),
        (["--since", "2026-11-21"], "12"),
        (["--until", "2026-11-21"], "12"),
        (["--since", "12h", "--fetched"], "3"),
        (["--confidence", ".6"], "1"),
        (["--confidence", "0.5", "--lang", "en"], "2"),
    ],
)
def test_filters_choose_among_the_articles(store, tmp_path, options, expected) -> None:
    assert main(["export", store, "-o", str(tmp_path / "out.jsonl"), *options]) == 0
    assert titles(tmp_path / "out.jsonl") == list(expected)


@pytest.mark.parametrize("option", ["--since=2026-11-22", "--until=2026-11-20", "--site=typo.example"])
def test_what_was_exported_stays_where_nothing_is_selected(store, tmp_path, capsys, option) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("before")
    assert main(["export", store, "-o", str(path), option]) == 1
    assert "no article is selected" in capsys.readouterr().err
    assert path.read_text() == "before"


@pytest.mark.parametrize("scheme", ["sqlite", "jsonl"])
def test_filters_that_no_article_passes_are_told(store, tmp_path, capsys, scheme) -> None:
    if scheme == "jsonl":
        assert main(["export", store, "-o", str(tmp_path / "news.jsonl")]) == 0
        store = f"jsonl:{tmp_path}/news.jsonl"
    out = str(tmp_path / "out.csv")
    assert main(["export", store, "-o", out, "--lang", "thai", "--site", "other.example"]) == 1
    assert f": no article is selected: none is of language thai; {out} is left" in capsys.readouterr().err
    assert main(["export", store, "-o", out, "--site", "Typo.example", "--lang", "xx"]) == 1
    told = "no article is selected: none is of site typo.example, none of language xx; "
    assert told in capsys.readouterr().err
    assert main(["cloud", "--store", store, "--lang", "English"]) == 1
    assert capsys.readouterr().err.endswith("no article is selected: none is of language english\n")


@pytest.mark.parametrize("form", ["jsonl", "csv", "vertical", "tei"])
def test_minus_is_standard_output(store, tmp_path, monkeypatch, capsys, form) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert main(["export", store, "-o", f"../out.{form}"]) == 0
    capsys.readouterr()
    assert main(["export", store, "-o", "-", "-f", form]) == 0
    written = capsys.readouterr()
    assert (written.out, written.err) == ((tmp_path / f"out.{form}").read_text(), "")
    assert main(["export", store, "-o", "-", "-f", form, "--site", "no.example"]) == 1
    written = capsys.readouterr()
    assert written.out == ""
    assert written.err.endswith("no article is selected: none is of site no.example\n")
    assert list(folder.iterdir()) == []


def test_name_gives_the_format_and_the_last_revision_is_written(store, tmp_path, capsys) -> None:
    assert main(["export", store, "-o", str(tmp_path / "out.csv")]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/out.csv: 3 articles\n"
    with (tmp_path / "out.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 3
    assert main(["export", store, "-o", str(tmp_path / "texts"), "-f", "text", "--confidence", ".6"]) == 0
    assert [path.read_text() for path in (tmp_path / "texts").rglob("*.txt")] == ["second\n"]


@pytest.mark.parametrize(
    ("name", "begins"),
    [("out.vert", "<doc id="), ("out.vertical.gz", "<doc id="), ("out.xml", "<?xml "), ("out.tei.gz", "<?xml ")],
)
def test_names_give_the_formats_of_corpus_tools(store, tmp_path, name, begins) -> None:
    assert main(["export", store, "-o", str(tmp_path / name)]) == 0
    with (gzip.open if name.endswith(".gz") else open)(tmp_path / name, "rt", encoding="utf-8") as file:
        assert file.read().startswith(begins)
    assert main(["export", store, "-o", str(tmp_path / "out"), "-f", name.split(".")[1]]) == 0
    assert (tmp_path / "out").read_text().startswith(begins)


def test_every_format_is_described() -> None:
    assert tuple(FORMATS) == ALL_FORMATS


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-o", "out"], 2, "its suffix names no format; give one with -f: jsonl, csv, vertical, tei, text, parquet"),
        (["-o", "out.csv", "--since", "1d", "--until", "3d"], 2, "--since is not earlier than --until"),
        (["-o", "file/out.csv"], 4, "the output cannot be written: file/out.csv: "),
        (["-o", "."], 2, "no format"),
        (["-o", "-"], 2, "no format"),
        (["-o", "-", "-f", "parquet"], 2, "only jsonl, csv, vertical, tei can be written to standard output, not"),
        (["-o", "-", "-f", "text"], 2, "only jsonl, csv, vertical, tei can be written to standard output, not text"),
        (["-o", ".", "-f", "csv"], 4, "Is a directory"),
    ],
)
def test_what_cannot_be_written_is_said_in_a_line(
    store, tmp_path, monkeypatch, capsys, arguments, code, message
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    assert main(["export", store, *arguments]) == code
    assert message in capsys.readouterr().err
    assert not list(tmp_path.rglob("out*"))


@pytest.mark.parametrize(
    ("spec", "code"), [("news.db", 2), ("sqlite:", 2), ("sqlite:.", 3), ("sqlite:none.db", 3), ("jsonl:none.jsonl", 3)]
)
def test_store_that_cannot_be_read_is_named(tmp_path, monkeypatch, capsys, spec, code) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["export", spec, "-o", "out.jsonl"]) == code
    assert spec in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("page", "least", "code"), [("kept_block", 200, 0), ("word", 200, 0), ("text", 180, 0), ("article", 0, 3)]
)
def test_of_a_damaged_database_all_that_can_be_read_is_written(
    tmp_path, make_article, caplog, page, least, code
) -> None:
    path, out = tmp_path / "a.db", tmp_path / "saved.jsonl"
    texts = {make_article(n).id: f"The text of article {n}. {'Its words go on. ' * 20}" for n in range(200)}
    with open_store(f"sqlite:{path}") as store:
        for n, text in enumerate(texts.values()):
            store.add(make_article(n, text=text))
    whole = path.read_bytes()
    at = whole.index(b"The text of article 150.") // 4096
    if page != "text":
        with closing(sqlite3.connect(path)) as db:
            at = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (page,)).fetchone()[0] - 1
    path.write_bytes(whole[: 4096 * at] + bytes(4096) + whole[4096 * (at + 1) :])
    assert main(["export", f"sqlite:{path}", "-o", str(out)]) == code
    lines = out.read_text().splitlines() if code == 0 else []
    saved = {record["id"]: record["text"] for record in map(json.loads, lines)}
    assert saved.items() <= texts.items()
    assert least <= len(saved) == 200 - sum("passed over" in message for message in caplog.messages)
    assert any("cannot be read" in message for message in caplog.messages)


def test_texts_of_earlier_exports_are_told(store, tmp_path, capsys) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    assert main(["export", store, "-o", str(folder), "-f", "text"]) == 0
    before = sorted(folder.rglob("*.txt"))
    for path in before:
        os.utime(path, (1, 1))
    assert capsys.readouterr().err == ""
    assert main(["export", store, "-o", str(folder), "-f", "text", "--lang", "en"]) == 0
    kept = sum(path.stat().st_mtime < 2 for path in before)
    assert 0 < kept < len(before)
    assert f"{kept} text" in capsys.readouterr().err
    assert sorted(folder.rglob("*.txt")) == before
