"""docs/fields.md keeps up with the records and the database; `python tests/store/test_fields.py` writes its tables anew."""

from __future__ import annotations

import ast
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from webmain import items
from webmain.items import blocks
from webmain.items.codec import coders
from webmain.store.export import COLUMNS
from webmain.store.sqlite_file import SqliteFile

PAGE = Path(__file__).parents[2] / "docs" / "fields.md"
RECORDS = {"Article": (items.Metadata, items.Article), "ArticleBlock": (items.ArticleBlock,), "Image": (items.Image,)}
WORDS = {"str": "string", "bool": "boolean", "int": "integer", "float": "number", "datetime": "time", "Kind": "string"}
OWN = " Written by the store; not part of `Article`."
LINES = (
    f"| `revision` | integer | 1, and one more with each change of title or text.{OWN} |",
    f"| `stored_at` | time | When the line was written, UTC.{OWN} |",
    f"| `crc32` | string | Checksum of the line but for `stored_at`, 8 hex digits.{OWN} |",
)


def type_word(annotation: str) -> str:
    """A type as the page names it."""
    inner = annotation.removesuffix(" | None")
    if inner.startswith("tuple["):
        item = type_word(inner.removeprefix("tuple[").removesuffix(", ...]"))
        return f"list of lists{item[4:]}" if item.startswith("list") else f"list of {item}s"
    return WORDS.get(inner, "object")


def described(record: type) -> Iterator[tuple[str, str, str]]:
    """Name, type and documentation of the fields that a class declares."""
    source = Path(blocks.__file__ if record.__module__ == blocks.__name__ else items.__file__)
    (found,) = (
        n for n in ast.parse(source.read_text()).body if isinstance(n, ast.ClassDef) and n.name == record.__name__
    )
    for declared, text in zip(found.body, found.body[1:], strict=False):
        if isinstance(declared, ast.AnnAssign) and isinstance(declared.target, ast.Name):
            assert isinstance(text, ast.Expr), f"{record.__name__}.{declared.target.id} has no documentation under it"
            assert isinstance(text.value, ast.Constant)
            yield (
                declared.target.id,
                type_word(ast.unparse(declared.annotation)),
                " ".join(str(text.value.value).split()),
            )


def table_of(name: str) -> str:
    rows = [f"| `{field}` | {kind} | {text} |" for record in RECORDS[name] for field, kind, text in described(record)]
    rows += LINES if name == "Article" else ()
    return "\n".join(["", "| Key | Type | Meaning |", "|---|---|---|", *rows, ""])


def shared_columns(name: str) -> str:
    """The columns of a table that are fields of a record."""
    record: type = {"article": items.Article, "block": items.ArticleBlock, "word": items.WordCount}[name]
    with database() as db:
        return ", ".join(f"`{column}`" for column in columns(db, name) if column in coders(record))


MAKERS: dict[str, Callable[[str], str]] = {"fields": table_of, "columns": shared_columns}


def generated(page: str) -> str:
    """The page with the parts between its markers made anew."""

    def part(match: re.Match[str]) -> str:
        return f"{match[1]}\n{MAKERS[match[2]](match[3])}\n{match[4]}"

    return re.sub(r"(<!-- (fields|columns) of (\w+) -->)\n.*?\n(<!-- end -->)", part, page, flags=re.DOTALL)


@contextmanager
def database() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as db:
        SqliteFile.migrate(db)
        yield db


def columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]


def test_tables_are_made_of_the_records() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == generated(page), "run: python tests/store/test_fields.py"
    assert page.count("<!-- fields of ") == len(RECORDS)


@pytest.mark.parametrize("kind", ["table", "view"])
def test_every_column_of_every_table_and_view_is_described(kind: str) -> None:
    query = "SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite^_%' ESCAPE '^'"
    with database() as db:
        expected = {name: sorted(columns(db, name)) for (name,) in db.execute(query, (kind,))}
    tables, views = PAGE.read_text(encoding="utf-8").split("## The SQLite database")[1].split("### Views")
    found: dict[str, list[str]] = {}
    if kind == "view":
        rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", views, re.MULTILINE)
        found = {view: sorted(re.findall(r"`(\w+)`", cells)) for view, cells in rows}
    for section in re.split(r"^### ", tables, flags=re.MULTILINE)[1:]:
        named = re.findall(r"`(\w+)`", section.splitlines()[0])
        shared = re.findall(r"<!-- columns of \w+ -->\n(.*)\n", section)
        for key in re.findall(r"^\| `([\w.]+)` \|", section, re.MULTILINE) + re.findall(r"`(\w+)`", "".join(shared)):
            table, _, column = key.rpartition(".")
            if named and kind == "table":
                found.setdefault(table or named[0], []).append(column)
    assert {name: sorted(found[name]) for name in found} == expected
    db.close()


def test_versions_and_columns_of_exports_are_those_of_the_program() -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"The record is version {items.SCHEMA_VERSION} (" in page
    assert f"version {len(SqliteFile.migrations)} (`PRAGMA user_version`)" in page
    assert f"{SqliteFile.application_id:#x}" in page
    listed = page.split("`csv` has one row per article:")[1].split(";")[0]
    assert re.findall(r"`(\w+)`", listed) == list(COLUMNS)


if __name__ == "__main__":
    PAGE.write_text(generated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
