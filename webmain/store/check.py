"""Checks that everything in a store or a recording can be read; changes nothing and takes no lock."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain
from os import SEEK_END
from pathlib import Path
from typing import Any, Final

from webmain.archive.warc import Skip, read_captures
from webmain.database import DatabaseFile, named_rows, open_to_read
from webmain.files import NotAStoreError
from webmain.items import Article, NewerSchemaError
from webmain.items.codec import UNREADABLE, clean
from webmain.store.jsonl import Line, is_ours, read_lines
from webmain.store.protocol import newer_schema
from webmain.store.sqlite_file import SqliteFile
from webmain.store.sqlite_rows import article_of
from webmain.text.normal import fingerprint

SQLITE: Final = "SQLite store"  # what a `CheckResult` calls it

_PORTION: Final = 200
_BEGIN: Final = b'{"id": "'
"""How a line of a JSONL store begins."""

CheckRow = Callable[[Sequence[Any]], str]  # returns what is wrong with a row, or "" if nothing is
CheckTable = Callable[
    [sqlite3.Connection], Iterator[tuple[str, str]]
]  # yields each row's place, and what is wrong with it


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that cannot be read."""

    place: str  # "line 17", "article row 5", "byte 1234"; "" if the whole file is meant
    reason: str  # one sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result of a check."""

    what: str  # "JSONL store", "SQLite store", "ledger", ...
    n: int  # number of pieces that can be read
    piece: str  # the name of one: "article", "address", ...
    problems: tuple[Problem, ...]  # in the order of the file


def check_jsonl(path: Path) -> CheckResult:
    """Read every line of a JSONL store; raises OSError if the system refuses, NotAStoreError if it is something else."""
    found: list[Problem] = []
    ids: set[str] = set()
    end = 0
    with path.open("rb") as file:
        first = file.readline()
        is_begun = not first.endswith(b"\n") and first.startswith(_BEGIN[: len(first)])
        if first.strip() and not is_begun and not is_ours(first):
            raise NotAStoreError("this file is something else (its first line is no article record)")
        file.seek(0)
        for line in read_lines(file):
            end = line.offset + len(line.data)
            if reason := _line_error(line):
                found.append(Problem(place=f"line {line.number}", reason=reason))
            else:
                ids.add(line.id)
        file.seek(end)
        tail = file.read()
        if tail.strip():
            reason = f"the last line is unfinished ({len(tail):,} bytes); the next crawl cuts it off"
            found.append(Problem(place=f"byte {end}", reason=reason))
    return CheckResult(what="JSONL store", n=len(ids), piece="article", problems=tuple(found))


def _line_error(line: Line) -> str:
    if line.is_damaged:
        of = f" (article {line.id})" if line.id else ""
        try:
            json.loads(line.data)
        except (ValueError, RecursionError) as error:
            return f"no JSON{of}: {error}"
        return newer_schema(line.data) or f"no article record, or not as it was written{of}"
    return _article_error(lambda: Article.from_dict(json.loads(line.data)))


def _article_error(read: Callable[[], Article], stored_as: str | None = None) -> str:
    """Return what is wrong with an article; its text must be the one that its fingerprint was made of."""
    try:
        article = read()
        if stored_as not in (None, article.id):
            return f"it is stored as article {stored_as}, and its record is that of {article.id}"
        mark = article.fingerprint
        if not mark or "\ufffd" in article.text or fingerprint(article.text) == mark:
            return ""
        return f"the text of article {article.id} does not agree with its fingerprint"
    except NewerSchemaError as error:
        return str(error)
    except UNREADABLE as error:
        return f"no article record: {error}"


def check_store(path: Path) -> CheckResult:
    """Read every article of a SQLite store, with its earlier texts; raises OSError if the system refuses."""
    return _check_database(path, SqliteFile, SQLITE, "article", (_check_articles, _check_earlier))


def _check_articles(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    blocks = "kept_block" if _has_table(db, "kept_block") else "block"
    query = "SELECT key, id, record, text FROM article WHERE key > ? ORDER BY key LIMIT ?"
    last = -1 << 63
    while portion := named_rows(db, query, (last, _PORTION)):
        for row in portion:
            last = row["key"]
            parts = [
                named_rows(db, f"SELECT * FROM {table} WHERE article = ? ORDER BY position", (last,))  # noqa: S608
                for table in (blocks, "word")
            ]
            reason = _article_error(partial(article_of, row, *parts), str(row["id"]))
            yield f"article row {last}", reason or _parts_error(row, *parts)


def _parts_error(article: Mapping[str, Any], *parts: Sequence[Mapping[str, Any]]) -> str:
    """Return what is wrong with the rows of an article that can be read, first of its blocks, then of its words."""
    cells = (cell for row in chain((article,), *parts) for cell in row.values())
    if any(isinstance(cell, str) and clean(cell) != cell for cell in cells):
        return f"article {article['id']} has bytes that are no UTF-8"
    if any(row["position"] != i for rows in parts for i, row in enumerate(rows)):
        return f"blocks or words of article {article['id']} are missing"
    start = 0
    for block in parts[0]:  # as `with_positions` has written them
        if block.get("start") not in (None, start):
            return f"a block of article {article['id']} is not at its place in the text"
        start += 0 if block.get("start") is None else block["n_chars"] + len("\n\n")
    return ""


def _check_earlier(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    if _has_table(db, "earlier"):
        for row in named_rows(db, "SELECT article, revision, text, record FROM earlier"):
            place = f"revision {row['revision']} of article row {row['article']}"
            yield place, _article_error(partial(article_of, row))


def check_rows(
    path: Path, form: type[DatabaseFile], what: str, queries: Iterable[tuple[str, str, CheckRow]]
) -> CheckResult:
    """Check a database of another kind row by row.

    `form`: what opens such files. `what`: the kind of database, for messages. `queries`: the first column identifies a
    row in messages; only the first table's rows are counted.
    """
    return _check_database(path, form, what, "address", [partial(_check_table, *query) for query in queries])


def _check_table(table: str, query: str, check: CheckRow, db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    return ((f"{table} row {row[0]}", check(row[1:])) for row in db.execute(query))


def _check_database(
    path: Path, form: type[DatabaseFile], what: str, piece: str, tables: Sequence[CheckTable]
) -> CheckResult:
    """Check that a database is sound, its version known, and each row of its tables; count the rows of the first."""
    found: list[Problem] = []
    n = 0
    checks: list[CheckTable] = [_integrity_problems, partial(_version_problems, len(form.migrations)), *tables]
    try:
        db = open_to_read(path, leaves_nothing=True)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return CheckResult(what=what, n=0, piece=piece, problems=(_unread(error),))
    with closing(db):
        db.text_factory = partial(str, encoding="utf-8", errors="surrogateescape")
        for check in checks:
            try:  # each by itself: a damaged index hides no article
                for place, reason in check(db):
                    if reason:
                        found.append(Problem(place=place, reason=reason))
                    n += not reason and check is tables[0]
            except (sqlite3.Error, UnicodeDecodeError) as error:
                found += [] if (problem := _unread(error)) in found else [problem]
    return CheckResult(what=what, n=n, piece=piece, problems=tuple(found))


def _unread(error: Exception) -> Problem:
    """Return the problem of a database that cannot be read on; SQLite's own messages name what is damaged."""
    return Problem(place="", reason=f"the database cannot be read on from here: {error}")


def _has_table(db: sqlite3.Connection, name: str) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None


def _integrity_problems(db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    for (row,) in db.execute("PRAGMA integrity_check(20)"):
        yield from (("", line) for line in str(row).splitlines() if line != "ok")


def _version_problems(latest: int, db: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if not 0 <= version <= latest:
        yield "", f"the database is of version {version}; this webmain knows 0 to {latest}"


def check_recording(path: Path) -> CheckResult:
    """Read every record of a WARC file; raises OSError if the system refuses."""
    found: list[Problem] = []

    def note(skip: Skip, place: str | None) -> None:
        if skip is Skip.DAMAGED:
            found.append(Problem(place=(place or "").removeprefix(str(path)).strip(" ()"), reason="damaged"))

    with path.open("rb") as stream:
        n = sum(1 for _ in read_captures(stream, on_skip=note))
        if not stream.seek(0, SEEK_END):
            found.append(Problem(place="", reason="the file is empty"))
    return CheckResult(what="recording", n=n, piece="answer", problems=tuple(found))


def application_id(path: Path) -> int | None:
    """Return which program's SQLite database a file is, by its first bytes, or None if it is none."""
    with path.open("rb") as file:
        head = file.read(100)
    return int.from_bytes(head[68:72], "big") if head.startswith(b"SQLite format 3\0") else None
