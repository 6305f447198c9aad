"""`webmain check` as a user calls it."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from fastwarc import stream_io

from webmain.archive.recording import WarcWriter
from webmain.cli import main
from webmain.files import StoreDamagedError
from webmain.items import Article, Hints
from webmain.ledger.ledger import FoundUrl, Ledger
from webmain.store.jsonl import _CRC_LENGTH, _checksum
from webmain.store.registry import open_store


def code_of(line: list[str]) -> object:
    try:
        return main(line)
    except SystemExit as error:
        return error.code


def stored(spec: str) -> None:
    with open_store(spec) as store:
        for n in range(3):
            store.add(Article(id=f"{n}", url=f"https://news.example/{n}", text=f"Text {n}."))


def listing(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_whole_files_can_be_read_and_stay_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(f"jsonl:{tmp_path}/a.jsonl")
    stored(f"sqlite:{tmp_path}/a.db")
    Ledger(tmp_path / "a.ledger").close()
    with WarcWriter(tmp_path / "a.warc.gz") as writer:
        writer.write("https://news.example/", 200, {}, b"<p>")
    before = listing(tmp_path)
    names = ["a.jsonl", "a.db", "a.ledger", "a.warc.gz"]
    assert main(["check", f"sqlite:{tmp_path}/a.db", *(f"{tmp_path}/{name}" for name in names)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[2] for line in out[1:]] == [
        "JSONL store, 3 articles can be read",
        "SQLite store, 3 articles can be read",
        "ledger, 0 addresses can be read",
        "recording, 1 answer can be read",
    ]
    assert listing(tmp_path) == before


@pytest.mark.parametrize("packed", ["GzipWriter", "ZstdWriter", "Lz4Writer", ""])
@pytest.mark.parametrize("is_named", [True, False])
def test_recordings_of_every_form_are_recognised(
    tmp_path: Path, packed: str, is_named: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with WarcWriter(tmp_path / "made.warc.gz") as writer:
        writer.write("https://news.example/", 200, {}, b"<p>")
    data = gzip.decompress((tmp_path / "made.warc.gz").read_bytes())
    ending = {"GzipWriter": ".gz", "ZstdWriter": ".zst", "Lz4Writer": ".lz4"}.get(packed, "")
    path = tmp_path / (f"a.WARC{ending}" if is_named else "recording")
    with path.open("wb") as file:
        if packed:
            with getattr(stream_io, packed)(file) as stream:
                stream.write(data)
        else:
            file.write(data)
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: recording, 1 answer can be read\n"


@pytest.mark.parametrize("form", ["jsonl", "sqlite"])
def test_a_store_that_is_being_written_can_be_checked(
    tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(spec := f"{form}:{tmp_path}/a")
    with open_store(spec) as store:
        store.add(Article(id="new", text="Just now."))
        store.commit()
        assert main(["check", spec]) == 0
        assert "4 articles can be read" in capsys.readouterr().out
        store.add(Article(id="newer", text="A moment later."))


def test_what_can_not_be_read_is_named_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(f"jsonl:{tmp_path}/a.jsonl")
    text = (tmp_path / "a.jsonl").read_text()
    (tmp_path / "a.jsonl").write_text(
        text.replace("Text 1.", "Test 1.").replace('"text": "Text 2', '"text": Text 2') + "{"
    )
    stored(f"sqlite:{tmp_path}/a.db")
    with Ledger(tmp_path / "a.ledger") as ledger:
        hints = Hints(source="feed", title="T")
        ledger.add_pending(
            [FoundUrl(url=f"https://news.example/{n}", hints=hints) for n in range(4)], site="news.example"
        )
    for name, changes in {
        "a.db": [
            "UPDATE article SET text = 'Test 1.' WHERE id = '1'",
            "UPDATE article SET record = '{' WHERE id = '2'",
        ],
        "a.ledger": [
            "UPDATE urls SET hints = '{\"title\": 7}' WHERE url LIKE '%/1'",
            "UPDATE urls SET state = 'x' WHERE url LIKE '%/2'",
            "UPDATE urls SET newest = 'soon' WHERE url LIKE '%/3'",
        ],
    }.items():
        db = sqlite3.connect(tmp_path / name)
        for change in changes:
            db.execute(change)
        db.commit()
        db.close()
    assert main(["check", *(f"{tmp_path}/{name}" for name in ("a.jsonl", "a.db", "a.ledger"))]) == 1
    out = capsys.readouterr().out.replace(f"{tmp_path}/", "")
    for line in (
        "a.jsonl: line 2: no article record, or not as it was written (article 1)",
        "a.jsonl: line 3: no JSON (article 2): Expecting value",
        "the last line is unfinished (1 bytes)",
        "a.jsonl: JSONL store, 1 article can be read, 3 cannot be",
        "a.db: article row 2: the text of article 1 does not agree with its fingerprint",
        "a.db: article row 3: no article record",
        "a.db: SQLite store, 1 article can be read, 2 cannot be",
        "a.ledger: urls row 2: https://news.example/1: the hints' title is of a wrong type",
        "a.ledger: urls row 3: https://news.example/2: no state ('x')",
        "a.ledger: urls row 4: https://news.example/3: no time in newest: 'soon'",
        "a.ledger: ledger, 1 address can be read, 3 cannot be",
    ):
        assert line in out


NEWER = "article record has schema version 99; this webmain reads up to 3"


def of_newer_schema(folder: Path, form: str) -> str:
    """Return a store whose second record is of a newer schema; `plain`: a JSONL file of another program."""
    stored(f"{'sqlite' if form == 'sqlite' else 'jsonl'}:{folder}/a")
    if form == "sqlite":
        db = sqlite3.connect(folder / "a")
        db.execute("UPDATE article SET record = json_set(record, '$.schema_version', 99) WHERE id = '1'")
        db.commit()
        db.close()
        return f"sqlite:{folder}/a"
    lines = (folder / "a").read_bytes().splitlines()
    if form == "plain":
        lines = [json.dumps({"url": "u", "text": "Text 1.", "schema_version": 3}).encode() for _ in lines]
    lines[1] = lines[1].replace(b'"schema_version": 3', b'"schema_version": 99')
    if form == "jsonl":
        body = lines[1][:-_CRC_LENGTH]
        lines[1] = body + _checksum(body)
    if form == "plain":
        lines[0] = lines[1]
    (folder / "a").write_bytes(b"\n".join(lines) + b"\n")
    return f"jsonl:{folder}/a"


@pytest.mark.parametrize("form", ["sqlite", "jsonl", "jsonl without checksum", "plain"])
def test_records_of_a_newer_schema_are_told_as_such(
    tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    spec = of_newer_schema(tmp_path, form)
    assert main(["check", spec]) == 1
    out = capsys.readouterr().out
    assert NEWER in out
    assert "no article record" not in out
    assert main(["export", spec, "-o", f"{tmp_path}/out.csv"]) == 0
    assert any(NEWER in message for message in caplog.messages)
    if form in ("sqlite", "jsonl"):
        with open_store(spec, read_only=True) as store, pytest.raises(StoreDamagedError, match=NEWER):
            store.get("1")


def test_a_damaged_database_is_told_with_the_command_that_saves_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(spec := f"sqlite:{tmp_path}/a.db")
    data = bytearray((tmp_path / "a.db").read_bytes())
    data[4096 * 2 : 4096 * 6] = bytes(4096 * 4)
    (tmp_path / "a.db").write_bytes(data)
    assert main(["check", spec]) == 1
    assert "a.db: " in capsys.readouterr().out
    with pytest.raises(StoreDamagedError, match=r"webmain export '?sqlite:.*a\.db'? -o '?.*a\.db\.jsonl"):
        read_all(spec)


def test_what_is_no_database_any_more_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(spec := f"sqlite:{tmp_path}/a.db")
    data = (tmp_path / "a.db").read_bytes()
    (tmp_path / "a.db").write_bytes(bytes(range(16)) + data[16:])
    assert main(["check", spec]) == 1
    told = capsys.readouterr().out
    assert told.count("file is not a database") == 1
    assert "0 articles can be read, 1 cannot be" in told


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE article SET text = CAST(x'54e27874' AS TEXT) WHERE id = '1'", "the text of article 1 does not agree"),
        ("UPDATE article SET record = CAST(replace(record, 'Jane', x'4a61ff65') AS TEXT)", "1 has bytes that are no UTF-8"),
        ("UPDATE kept_block SET n_chars = 3 WHERE position = 0", "a block of article 1 is not at its place in the text"),
        ("DELETE FROM kept_block WHERE position = 0", "blocks or words of article 1 are missing"),
        ("DELETE FROM word WHERE position = 0", "blocks or words of article 1 are missing"),
        ("SELECT 1", ""),
    ],
)  # fmt: skip
def test_damage_that_can_be_read_is_found_too(
    tmp_path: Path, make_article: Callable[..., Article], capsys: pytest.CaptureFixture[str], change: str, told: str
) -> None:
    with open_store(f"sqlite:{tmp_path}/a.db") as store:
        blocks = make_article(1).blocks
        text = "\n\n".join(block.text for block in blocks)
        store.add(replace(make_article(1, text=text), id="1"))
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        db.execute(change)
        db.commit()
    assert main(["check", f"{tmp_path}/a.db"]) == (told != "")
    assert told in capsys.readouterr().out


def test_a_damaged_index_hides_no_article(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(spec := f"sqlite:{tmp_path}/a.db")
    with closing(sqlite3.connect(tmp_path / "a.db")) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'article_url'").fetchone()
    data = bytearray((tmp_path / "a.db").read_bytes())
    data[4096 * (root - 1) : 4096 * root] = bytes(4096)
    (tmp_path / "a.db").write_bytes(data)
    assert main(["check", spec]) == 1
    told = capsys.readouterr()
    assert "a.db: SQLite store, 3 articles can be read, 1 cannot be" in told.out
    assert "`webmain export sqlite:" in told.err


def read_all(spec: str) -> None:
    with open_store(spec) as store:
        list(store.articles())
        list(store.fingerprints())


def test_what_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(f"jsonl:{tmp_path}/a.jsonl")
    assert main(["check", f"{tmp_path}/none.jsonl", f"{tmp_path}/a.jsonl"]) == 3
    told = capsys.readouterr()
    assert "none.jsonl: No such file" in told.err
    assert "3 articles can be read" in told.out


@pytest.mark.parametrize("form", ["mine:Folder:", "mysql:"])
def test_kinds_that_can_be_checked_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    assert code_of(["check", f"{form}{tmp_path}/none"]) == 2
    told = capsys.readouterr().err
    assert "allowed are jsonl:PATH, sqlite:PATH, and the path of a store" in told
    assert "or corrections" in told


def test_every_mistake_in_rules_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "sites.toml"
    rules.write_text('["a.example"]\ndelay = 5\n["b.example"]\nmax_pages = 20\n')
    assert main(["check", str(rules)]) == 0
    assert capsys.readouterr().out == f"{rules}: rules for sites, 2 tables can be read\n"
    rules.write_text('["a.example"]\ndelay = -5\n["b.example"]\nmax_pages = "x"\n')
    assert main(["check", str(rules)]) == 1
    out = capsys.readouterr().out
    assert f"\n{rules}:4: b.example: max_pages: got 'x'" in out
    assert out.startswith(f"{rules}:2: a.example: delay: got -5")
    assert out.count(str(rules)) == 3
    assert main(["check", f"{tmp_path}/none.toml"]) == 3


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("sqlite:", 2, "it has no path"),
        ("", 2, "got nothing"),
        ("sqlite:.", 3, "Is a directory"),
        ("jsonl:a.db", 1, "this file is something else (its first line is no article record)"),
        ("pages", 1, "a folder without models of sites"),
        ("model.json", 1, "this file is something else"),
        ("later.db", 1, "the database is of version 99; this webmain knows 0 to "),
        ("later.ledger", 1, "the database is of version 99; this webmain knows 0 to "),
        ("empty.warc.gz", 1, "the file is empty"),
        ("begun.warc.gz", 1, "begun.warc.gz: at or after the record of https://news.example/ at byte "),
        ("first.warc.gz", 1, "first.warc.gz: damaged"),
    ],
)
def test_what_is_not_fine_is_not_called_fine(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    stored("sqlite:a.db")
    stored("sqlite:later.db")
    Ledger("later.ledger").close()
    for later in ("later.db", "later.ledger"):
        db = sqlite3.connect(later)
        db.execute("PRAGMA user_version = 99")
        db.close()
    Path("pages").mkdir()
    Path("pages/a.html").write_text("<p>")
    Path("model.json").write_text('{\n"version": 1\n}\n')
    Path("empty.warc.gz").touch()
    with WarcWriter(Path("whole.warc.gz")) as writer:
        writer.write("https://news.example/", 200, {}, b"<p>")
    whole = Path("whole.warc.gz").read_bytes()
    Path("begun.warc.gz").write_bytes(whole + whole[:20])
    Path("first.warc.gz").write_bytes(whole[:20] + whole)
    assert code_of(["check", name]) == code
    told = capsys.readouterr()
    assert message in told.out + told.err
