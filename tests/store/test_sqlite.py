from __future__ import annotations

import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from array import array
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from webmain.cli import main
from webmain.files import (
    NewerStoreError,
    NotAStoreError,
    StoreDamagedError,
    StoreFullError,
    StoreLockedError,
    StoreWriteError,
)
from webmain.items import Article, ArticleBlock, Kind
from webmain.ledger.ledger import Ledger
from webmain.store.protocol import Outcome
from webmain.store.sqlite import SqliteStore
from webmain.store.sqlite_file import SqliteFile
from webmain.text.near_duplicates import NearDuplicates

Make = Callable[..., Article]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "news %41?#.db"


def query(path: Path, sql: str, *values: object) -> list[tuple[object, ...]]:
    db = sqlite3.connect(path)
    try:
        return db.execute(sql, values).fetchall()
    finally:
        db.close()


def fill(path: Path, *articles: Article) -> None:
    with SqliteStore(path) as store:
        for article in articles:
            store.add(article)


def test_any_tool_reads_columns_blocks_words_and_authors(path: Path, make_article: Make) -> None:
    fill(path, make_article())
    assert path.exists()
    assert query(path, "SELECT site, title, published, paywalled, revision FROM article") == [
        ("news.example", "Harbour 1 🚢", "2026-11-21T07:30:00+07:00", 0, 1)
    ]
    assert query(path, 'SELECT position, kind, level, score, raw, "rows" FROM block') == [
        (0, "heading", 2, 1.0, 3.5, None),
        (1, "list_item", 1, None, None, None),
        (2, "table", 0, 0.25, None, '[["a", "b"], ["c", "d"]]'),
    ]
    assert query(path, "SELECT word, count FROM article_words ORDER BY count DESC LIMIT 1") == [("harbour", 2)]
    assert query(path, "SELECT author FROM article_authors") == [("Jane Doe",), ("สมชาย ใจดี",)]
    assert query(path, "SELECT tag FROM article_tags") == [("harbour",), ("ships",)]
    assert query(path, "SELECT field, source FROM article_sources ORDER BY 1") == [
        ("published", "time"),
        ("title", "og:title"),
    ]
    assert query(path, "SELECT kind FROM article_blocks WHERE position = 2") == [("table",)]
    assert query(path, "SELECT language, word, count, articles FROM top_words LIMIT 1") == [("th", "harbour", 2, 1)]


def test_text_of_blocks_is_stored_once_and_read_by_any_tool(path: Path, make_article: Make) -> None:
    texts = ("Tide 🚢", "", "ราคา\ttable\nrow", "a\0b", "behind a zero", "Tide 🚢")
    blocks = tuple(ArticleBlock(kind=Kind.PARAGRAPH, text=text, xpath=f"/p[{i}]") for i, text in enumerate(texts))
    whole = make_article(text="\n\n".join(texts), blocks=blocks)
    other = make_article(2, text="another text", blocks=blocks)
    fill(path, whole, other)
    own = "SELECT text FROM kept_block WHERE article = ? ORDER BY position"
    assert query(path, own, 1) == [("",), ("",), ("",), ("a\0b",), ("behind a zero",), ("Tide 🚢",)]
    assert query(path, own, 2) == [(text,) for text in texts]
    for table in ("block", "article_blocks"):
        found = query(path, f"SELECT text FROM {table} ORDER BY {'article' if table == 'block' else 'url'}, position")
        assert found == [(text,) for text in texts] * 2
    with SqliteStore(path) as store:
        assert [article.blocks for article in store.articles()] == [blocks, blocks]


def test_change_replaces_blocks_words_and_authors(path: Path, make_article: Make) -> None:
    fill(path, make_article(), make_article(2))
    fill(path, make_article(text="new", blocks=(), words=(), authors=("Else", "Else")))
    assert query(path, "SELECT count(*) FROM block") == [(3,)]
    assert query(path, "SELECT count(*) FROM word") == [(3,)]
    assert query(path, "SELECT author FROM article_authors WHERE id = ?", make_article().id) == [("Else",), ("Else",)]


@pytest.mark.parametrize("n_more", [0, 1])
def test_removed_file_is_told(path: Path, make_article: Make, n_more: int) -> None:
    store = SqliteStore(path)
    store.add(make_article())
    store.commit()
    for file in path.parent.glob(f"{path.name}*"):
        file.unlink()
    for _ in range(n_more):
        store.add(make_article(2))
    with pytest.raises(StoreWriteError, match="removed while it was written to"):
        store.close()
    assert store.closed


def test_times_of_first_and_last_storing(path: Path, make_article: Make) -> None:
    from datetime import UTC, datetime

    for day, text in ((1, "a"), (2, "a"), (3, "b")):
        with SqliteStore(path, clock=lambda day=day: datetime(2026, 1, day, tzinfo=UTC)) as store:  # type: ignore[misc]
            store.add(make_article(text=text))
    assert query(path, "SELECT first_stored, last_stored, revision FROM article") == [
        ("2026-01-01T00:00:00+00:00", "2026-01-03T00:00:00+00:00", 2)
    ]


def test_write_ahead_log_and_foreign_keys_are_on(path: Path) -> None:
    with SqliteStore(path) as store:
        assert store._file.one("PRAGMA foreign_keys") == 1
        assert store._file.one("PRAGMA synchronous") == 1  # NORMAL
    assert query(path, "PRAGMA journal_mode") == [("wal",)]
    assert query(path, "PRAGMA foreign_key_check") == []
    assert query(path, "PRAGMA user_version") == [(len(SqliteFile.migrations),)]
    assert query(path, "PRAGMA application_id") == [(SqliteFile.application_id,)]


def version_1(path: Path) -> None:
    """A file as the first version left it, with one article."""
    db = sqlite3.connect(path)
    SqliteFile.migrate(db, to=1)
    record = json.dumps({"id": "aa", "title": "Old", "schema_version": 1})
    db.execute(
        """INSERT INTO article (id, site, title, text, n_words, n_parts, extractor, status, charset, charset_source,
        article_reason, fingerprint, revision, first_stored, last_stored, record)
        VALUES ('aa', 's', 'Old', 'old text', 2, 1, 'pab', 200, '', '', '', 'ff', 3, 'x', 'x', ?)""",
        (record,),
    )
    db.commit()
    db.close()


def test_file_of_the_first_version_is_brought_up_to_date(path: Path, make_article: Make) -> None:
    version_1(path)
    with SqliteStore(path) as store:
        assert [(a.title, a.text) for a in store.articles()] == [("Old", "old text")]
        store.bands("x")
        store.add(Article(id="aa", text="newer", fingerprint="00"))
        assert [(s.outcome, s.revision) for s in store.commit()] == [(Outcome.CHANGED, 4)]
        assert [(r.number, r.article.text) for r in store.revisions("aa")] == [(3, "old text"), (4, "newer")]
    assert query(path, "SELECT revision, stored, title, text FROM earlier") == [(3, "x", "Old", "old text")]
    fill(path.with_name("fresh"))
    tables = "SELECT type, name, sql FROM sqlite_master ORDER BY name"
    assert query(path, tables) == query(path.with_name("fresh"), tables)
    assert query(path, "PRAGMA user_version") == [(len(SqliteFile.migrations),)]


def test_blocks_of_an_earlier_version_keep_their_texts(path: Path) -> None:
    version_1(path)
    with closing(sqlite3.connect(path)) as db, db:
        SqliteFile.migrate(db, 1, to=7)
        columns = "article, position, kind, level, ordered, text, xpath"
        db.execute(f"INSERT INTO block ({columns}) VALUES (1, 0, 'quote', 0, 0, 'q', '')")
    with SqliteStore(path) as store:
        assert [block.text for block in store.get("aa").blocks] == ["q"]
        assert store.index().update() == 1
        assert [hit.snippet.text for hit in store.index().search("q").hits] == ["q"]
    assert query(path, "SELECT text FROM block") == query(path, "SELECT text FROM article_blocks") == [("q",)]


def test_file_of_an_earlier_version_is_not_brought_up_to_date_by_a_reader(path: Path) -> None:
    version_1(path)
    with pytest.raises(StoreWriteError, match=r"of an earlier version \(1\); `webmain index --store "):
        SqliteStore(path, read_only=True)
    assert query(path, "PRAGMA user_version") == [(1,)]


@pytest.mark.parametrize("make", [version_1, Path.touch])
def test_the_command_that_a_reader_is_told_brings_the_file_up_to_date(path: Path, make: Callable[[Path], None]) -> None:
    make(path)
    with pytest.raises(StoreWriteError) as refused:
        SqliteStore(path, read_only=True)
    told = re.search(r"`webmain (index --store .+)` brings", str(refused.value))
    assert main(shlex.split(told[1])) == 0
    with SqliteStore(path, read_only=True) as store:
        assert store.count() == (make is version_1)


def test_failing_migration_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version_1(path)
    before = query(path, "SELECT name FROM sqlite_master")
    wrong = path.with_name("wrong.sql")
    wrong.write_text("CREATE TABLE more (x); CREATE TABLE article (x);")
    monkeypatch.setattr(SqliteFile, "migrations", [*SqliteFile.migrations, wrong])
    with pytest.raises(ValueError, match="already exists"):
        SqliteStore(path)
    assert query(path, "SELECT name FROM sqlite_master") == before
    assert query(path, "PRAGMA user_version") == [(1,)]


def test_file_of_a_later_version_is_refused(path: Path) -> None:
    fill(path)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {len(SqliteFile.migrations) + 1}")
    db.close()
    with pytest.raises(NewerStoreError, match=f"version {len(SqliteFile.migrations) + 1}, of a later webmain"):
        SqliteStore(path)


@pytest.mark.parametrize("statement", ["CREATE TABLE t (x)", "PRAGMA user_version = 1", "PRAGMA application_id = 7"])
def test_database_of_another_program_is_left_as_it_is(path: Path, statement: str) -> None:
    db = sqlite3.connect(path)
    db.execute(statement)
    db.commit()
    db.close()
    before = path.read_bytes()
    with pytest.raises(NotAStoreError, match="another program"):
        SqliteStore(path)
    assert path.read_bytes() == before


def test_damaged_file_is_told(path: Path, make_article: Make) -> None:
    fill(path, *(make_article(n) for n in range(50)))
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StoreDamagedError, match="damaged"), SqliteStore(path, read_only=True) as store:
        list(store.articles())


def test_two_writers_take_turns(path: Path, make_article: Make) -> None:
    with SqliteStore(path) as one, SqliteStore(path) as two:
        one.add(make_article(1))
        two.add(make_article(1))
        two.add(make_article(2))
        assert [s.outcome.value for s in one.commit()] == ["new"]
        assert [s.outcome.value for s in two.commit()] == ["unchanged", "new"]
        assert one.count() == 2


def test_database_that_stays_locked_is_told_and_the_articles_wait(path: Path, make_article: Make) -> None:
    with SqliteStore(path, wait_s=0.05) as store:
        store.add(make_article())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreLockedError, match="locked for too long"):
            store.commit()
        other.close()
        assert store.pending == 1
        assert [s.outcome.value for s in store.commit()] == ["new"]


def test_full_disk_writes_nothing_and_the_articles_wait(path: Path, make_article: Make) -> None:
    with SqliteStore(path) as store:
        pages = store._file.one("PRAGMA page_count")
        store._file.db.execute(f"PRAGMA max_page_count = {pages + 2}")
        store.add(make_article(1))
        store.add(make_article(2, text="long " * 20_000))
        with pytest.raises(StoreFullError, match="no space"):
            store.commit()
        assert (store.count(), store.pending) == (0, 2)
        store._file.db.execute("PRAGMA max_page_count = 100000")
        assert [s.outcome.value for s in store.commit()] == ["new", "new"]


def test_runs_are_kept_and_articles_name_theirs(path: Path, make_article: Make) -> None:
    with SqliteStore(path) as store:
        store.add(make_article(1))
        store.commit()
        run = store.start_run({"site": "news.example", "path": Path("x"), "name": "ข่าว"})
        store.add(make_article(2))
        store.commit()
        store.finish_run(run, reason="finished", stats={"pages": 3, "reason/\ud800": 1})
    rows = query(
        path, "SELECT id, arguments, reason, json_extract(stats, '$.pages'), finished >= started FROM crawl_run"
    )
    assert rows == [(run, '{"site": "news.example", "path": "x", "name": "ข่าว"}', "finished", 3, 1)]
    assert query(path, "SELECT run FROM article ORDER BY key") == [(None,), (run,)]


def signature(*changes: int) -> array[int]:
    return array("I", [n + 1 if n in changes else n for n in range(1000, 1128)])


def test_signatures_are_written_with_the_articles(path: Path, make_article: Make) -> None:
    with SqliteStore(path) as store:
        near = NearDuplicates(bands=store.bands("test-1"))
        assert near.add("a", signature()) is None
        assert query(path, "SELECT count(*) FROM signature") == [(0,)]
        match = near.add("b", signature(1000))
        assert match is not None
        assert match.id == "a"
        store.commit()
        match = near.add("c", signature(1000))
        assert match is not None
        assert (match.id, match.cluster, match.similarity) == ("b", "a", 1.0)
    assert query(path, "SELECT id, cluster FROM signature ORDER BY id") == [("a", "a"), ("b", "a"), ("c", "a")]
    with SqliteStore(path) as store:
        match = NearDuplicates(bands=store.bands("test-1")).find("d", signature(1127))
        assert match is not None
        assert match.cluster == "a"


def test_changed_article_has_only_its_last_signature(path: Path) -> None:
    other = array("I", range(5000, 5128))
    with SqliteStore(path) as store:
        near = NearDuplicates(bands=store.bands("test-1"))
        near.add("a", signature())
        store.commit()
        near.add("a", other)
        assert near.find("b", signature()) is None
        store.commit()
        assert near.find("b", signature()) is None
        assert near.find("b", other) is not None
    assert query(path, "SELECT count(*) FROM band") == [(32,)]


def test_signatures_of_another_algorithm_are_forgotten(path: Path) -> None:
    with SqliteStore(path) as store:
        NearDuplicates(bands=store.bands("test-1")).add("a", signature())
    with SqliteStore(path) as store:
        assert NearDuplicates(bands=store.bands("test-2")).find("b", signature()) is None
    assert query(path, "SELECT count(*) FROM band") == [(0,)]


KILLED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from conftest import build
from webmain.store.registry import open_store
store = open_store({spec!r})
n = 0
while True:
    for _ in range(5):
        store.add(build(n, text=f"text {{n}} " * 500))
        n += 1
    for stored in store.commit():
        sys.stdout.write(stored.id + "\\n")
    sys.stdout.flush()
"""


@pytest.mark.parametrize("form", ["jsonl", "sqlite"])
@pytest.mark.parametrize("after", [23])
def test_killed_process_loses_nothing_that_was_committed(
    form: str, after: int, tmp_path: Path, make_article: Make
) -> None:
    from webmain.store.registry import open_store

    spec = f"{form}:{tmp_path}/store"
    code = KILLED.format(tests=str(Path(__file__).parents[1]), spec=spec)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        told = [child.stdout.readline().strip() for _ in range(after)]
        child.kill()
        told += [line.strip() for line in child.stdout if line.endswith("\n")]
    assert len(told) >= after
    if form == "jsonl":
        lines = (tmp_path / "store").read_bytes().splitlines(keepends=True)
        assert all(json.loads(line)["text"].startswith("text ") for line in lines[:-1])
    with open_store(spec) as store:
        assert set(told) <= {a.id for a in store.articles()}
        assert all(len(a.blocks) == 3 and len(a.words) == 3 for a in store.articles())
        store.add(make_article(-1))
        assert [s.outcome for s in store.commit()] == [Outcome.NEW]
    if form == "sqlite":
        assert query(tmp_path / "store", "PRAGMA integrity_check") == [("ok",)]


def test_a_name_need_not_be_utf_8(tmp_path: Path, make_article: Make, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / os.fsdecode(b"st\xe9.db")
    with SqliteStore(path) as store, Ledger(f"{path}.ledger"):
        store.add(make_article(1))
    assert path.exists()
    for command in (["check"], ["search", "harbour", "--store"], ["cloud", "--store"], ["export", "-o", f"{path}.csv"]):
        assert main([*command, f"sqlite:{path}"]) == 0, command
    assert "1 article can be read" in capsys.readouterr().out
