"""Checks that everything in a store or a recording can be read; changes nothing and takes no lock."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from webmain.archive.warc import Skip, read_captures
from webmain.database import named_rows
from webmain.items import Article
from webmain.items.codec import UNREADABLE
from webmain.store.jsonl import Line, read_lines
from webmain.store.sqlite_rows import article_of
from webmain.text.normal import fingerprint

_PORTION: Final = 200

Rows = Iterable[Mapping[str, Any]]

CheckRow = Callable[[Sequence[Any]], str]  # returns what is wrong with a row, or "" if nothing is


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
    pieces: str  # their name: "articles", "addresses", ...
    problems: tuple[Problem, ...]  # in the order of the file


def check_jsonl(path: Path) -> CheckResult:
    """Read every line of a JSONL store; raises OSError if the system refuses."""
    found: list[Problem] = []
    ids: set[str] = set()
    end = 0
    with path.open("rb") as lines, path.open("rb") as file:
        for line in read_lines(lines):
            end = line.offset + line.size
            file.seek(line.offset)
            data = file.read(line.size)
            if reason := _line_error(line, data):
                found.append(Problem(place=f"line {line.number}", reason=reason))
            else:
                ids.add(line.id)
        file.seek(end)
        tail = file.read()
        if tail.strip():
            reason = f"the last line is unfinished ({len(tail):,} bytes); the next crawl cuts it off"
            found.append(Problem(place=f"byte {end}", reason=reason))
    return CheckResult(what="JSONL store", n=len(ids), pieces="articles", problems=tuple(found))


def _line_error(line: Line, data: bytes) -> str:
    if line.is_damaged:
        of = f" (article {line.id})" if line.id else ""
        try:
            json.loads(data)
        except (ValueError, RecursionError) as error:
            return f"no JSON{of}: {error}"
        return f"no article record, or not as it was written{of}"
    try:
        return _text_error(Article.from_dict(json.loads(data)))
    except UNREADABLE as error:
        return f"no article record: {error}"


def _text_error(article: Article) -> str:
    """Return what is wrong with a text if it differs from the one that its fingerprint was made of."""
    if not article.fingerprint or "\ufffd" in article.text or fingerprint(article.text) == article.fingerprint:
        return ""
    return f"the text of article {article.id} does not agree with its fingerprint"


def check_store(path: Path) -> CheckResult:
    """Read every article of a SQLite store, with its earlier texts; raises OSError if the system refuses."""
    found: list[Problem] = []
    n = 0
    with _collect_errors(found), closing(_open_read_only(path)) as db:
        found += _integrity_problems(db)
        last = -1 << 63
        blocks = "kept_block" if _has_table(db, "kept_block") else "block"
        query = "SELECT key, id, record, text FROM article WHERE key > ? ORDER BY key LIMIT ?"
        while portion := named_rows(db, query, (last, _PORTION)):
            for row in portion:
                last = row["key"]
                parts = (
                    named_rows(db, f"SELECT * FROM {table} WHERE article = ? ORDER BY position", (last,))  # noqa: S608
                    for table in (blocks, "word")
                )
                if reason := _record_error(row, *parts):
                    found.append(Problem(place=f"article row {last}", reason=reason))
                n += not reason
        if _has_table(db, "earlier"):
            for row in named_rows(db, "SELECT article, revision, text, record FROM earlier"):
                if reason := _record_error(row, None, None):
                    place = f"revision {row['revision']} of article row {row['article']}"
                    found.append(Problem(place=place, reason=reason))
    return CheckResult(what="SQLite store", n=n, pieces="articles", problems=tuple(found))


def _record_error(row: Mapping[str, Any], blocks: Rows | None, words: Rows | None) -> str:
    """Return what is wrong with a row; an earlier revision has its blocks and words in its record."""
    try:
        if blocks is None or words is None:
            article = Article.from_dict(json.loads(row["record"]) | {"text": row["text"]})
        else:
            article = article_of(row, blocks, words)
        if row.get("id", article.id) != article.id:
            return f"it is stored as article {row['id']}, and its record is that of {article.id}"
        return _text_error(article)
    except UNREADABLE as error:
        return f"no article record: {error}"


def check_rows(path: Path, what: str, queries: Iterable[tuple[str, str, CheckRow]]) -> CheckResult:
    """Check a database of another kind row by row.

    `what`: the kind of database, for messages. `queries`: the first column identifies a row in messages; only the first
    table's rows are counted.
    """
    found: list[Problem] = []
    n, counted = 0, ""
    with _collect_errors(found), closing(_open_read_only(path)) as db:
        found += _integrity_problems(db)
        for table, query, check in queries:
            counted = counted or table
            for row in db.execute(query):
                if reason := check(row[1:]):
                    found.append(Problem(place=f"{table} row {row[0]}", reason=reason))
                n += not reason and table == counted
    return CheckResult(what=what, n=n, pieces="addresses", problems=tuple(found))


@contextmanager
def _collect_errors(found: list[Problem]) -> Iterator[None]:
    """Return a problem made from SQLite's error."""
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's own messages name what is damaged
        found.append(Problem(place="", reason=f"the database cannot be read on from here: {error}"))


def _open_read_only(path: Path) -> sqlite3.Connection:
    """Open a database for reading only.

    A file whose write-ahead log is empty is opened as immutable: otherwise even a reader would leave files beside it.
    """
    log = path.with_name(path.name + "-wal")
    quiet = "" if log.exists() and log.stat().st_size else "&immutable=1"
    db = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro{quiet}", uri=True)
    db.text_factory = lambda text: text.decode("utf-8", "replace")
    return db


def _has_table(db: sqlite3.Connection, name: str) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None


def _integrity_problems(db: sqlite3.Connection) -> Iterator[Problem]:
    for (row,) in db.execute("PRAGMA integrity_check(20)"):
        yield from (Problem(place="", reason=line) for line in str(row).splitlines() if line != "ok")


def check_recording(path: Path) -> CheckResult:
    """Read every record of a WARC file; raises OSError if the system refuses."""
    found: list[Problem] = []

    def note(skip: Skip, place: str | None) -> None:
        if skip is Skip.DAMAGED:
            found.append(Problem(place=(place or "").removeprefix(f"{path} (").removesuffix(")"), reason="damaged"))

    with path.open("rb") as stream:
        n = sum(1 for _ in read_captures(stream, on_skip=note))
    return CheckResult(what="recording", n=n, pieces="answers", problems=tuple(found))


def application_id(path: Path) -> int | None:
    """Return which program's SQLite database a file is, by its first bytes, or None if it is none."""
    with path.open("rb") as file:
        head = file.read(100)
    return int.from_bytes(head[68:72], "big") if head.startswith(b"SQLite format 3\0") else None
