"""docs/fields.md keeps up with the record and the schema."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import fields
from pathlib import Path

import pytest

from webmain.items import SCHEMA_VERSION, Article, ArticleBlock, Image
from webmain.store import schema
from webmain.store.export import COLUMNS
from webmain.store.record import HEAD

DOCS = (Path(__file__).parents[2] / "docs" / "fields.md").read_text(encoding="utf-8")
RECORD, DATABASE = DOCS.split("## The SQLite database")


def keys(part: str) -> list[str]:
    """The first cells of the tables in a part of the page."""
    return re.findall(r"^\| `([\w.]+)` \|", part, re.MULTILINE)


@pytest.fixture
def database() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    for step in schema.MIGRATIONS:
        for statement in step:
            db.execute(statement)
    return db


def columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]


def test_every_field_of_the_record_is_described_and_nothing_else() -> None:
    article, rest = RECORD.split("An object in `blocks`:")
    block, image = rest.split("### What is kept")[0].split("An object in `images`:")
    assert sorted(keys(article)) == sorted({f.name for f in fields(Article)} | {*HEAD, "crc32"})
    assert keys(block) == [f.name for f in fields(ArticleBlock)]
    assert keys(image) == [f.name for f in fields(Image)]


def test_every_column_of_every_table_is_described(database: sqlite3.Connection) -> None:
    sections = re.split(r"^### ", DATABASE, flags=re.MULTILINE)[1:]
    names = database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"
    )
    tables = [name for (name,) in names]
    described: dict[str, list[str]] = {}
    for section in sections:
        named = re.findall(r"`(\w+)`", section.splitlines()[0])
        for key in keys(section):
            table, _, column = key.rpartition(".")
            if named:
                described.setdefault(table or named[0], []).append(column)
    assert described == {table: columns(database, table) for table in tables}
    database.close()


def test_every_view_is_described(database: sqlite3.Connection) -> None:
    views = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", DATABASE.split("### Views")[1], re.MULTILINE))
    assert {view: re.findall(r"`(\w+)`", cells) for view, cells in rows.items()} == {
        v: columns(database, v) for v in views
    }
    database.close()


def test_versions_and_columns_of_exports_are_those_of_the_program() -> None:
    assert f"The record is version {SCHEMA_VERSION} (" in DOCS
    assert f"version {schema.VERSION} (`PRAGMA user_version`)" in " ".join(DOCS.split())
    assert f"{schema.APPLICATION_ID:#x}" in DOCS
    listed = DOCS.split("`csv` is one row an article:")[1].split(";")[0]
    assert re.findall(r"`(\w+)`", listed) == list(COLUMNS)


def test_every_field_of_an_article_is_in_a_column_or_in_the_rest() -> None:
    apart = {"blocks", "words", "authors"}
    in_record = {"page_title", "canonical_claim", "tags", "opt_outs", "sources", "images", "comments", "schema_version"}
    assert set(schema.COLUMNS) | apart | in_record == {f.name for f in fields(Article)}
