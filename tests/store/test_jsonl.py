from __future__ import annotations

import json
import logging
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from webmain.cli import main
from webmain.files import (
    NotAStoreError,
    StoreDamagedError,
    StoreFullError,
    StoreLockedError,
    StoreSpecError,
    StoreWriteError,
)
from webmain.items import Article
from webmain.store.jsonl import JsonlStore
from webmain.store.protocol import Outcome

Make = Callable[..., Article]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "news.jsonl"


def fill(path: Path, *articles: Article) -> bytes:
    with JsonlStore(path) as store:
        for article in articles:
            store.add(article)
    return path.read_bytes()


def test_line_is_the_record_with_revision_and_time(path: Path, make_article: Make) -> None:
    line = fill(path, make_article())
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    record = json.loads(line)
    assert list(record)[:4] == ["id", "fingerprint", "revision", "stored_at"]
    assert record["revision"] == 1
    assert record["stored_at"].endswith("+00:00")
    apart = {key: record.pop(key) for key in ("revision", "stored_at", "crc32")}
    assert record == make_article().to_dict()
    assert re.fullmatch("[0-9a-f]{8}", apart["crc32"])
    assert "สมชาย" in line.decode()


def test_changed_article_is_a_new_line_of_a_higher_revision(path: Path, make_article: Make) -> None:
    first = fill(path, make_article())
    both = fill(path, make_article(text="new"))
    assert both.startswith(first)
    assert [json.loads(line)["revision"] for line in both.splitlines()] == [1, 2]


@pytest.mark.parametrize(("before", "tail"), [(1, 0.001), (1, 0.5), (1, 0.999), (0, 0.1), (1, bytes(5000))])
def test_unfinished_last_line_is_cut_off_and_told(
    path: Path, make_article: Make, before: int, tail: float | bytes, caplog: pytest.LogCaptureFixture
) -> None:
    lines = fill(path, make_article(1), make_article(2)).splitlines(keepends=True)
    kept, part = b"".join(lines[:before]), lines[1]
    part = tail if isinstance(tail, bytes) else part[: max(1, int(len(part) * tail) - 1)]
    path.write_bytes(kept + part)
    with JsonlStore(path, read_only=True) as reader:
        assert (reader.count(), reader.damaged_lines) == (before, 0)
    with caplog.at_level(logging.INFO), JsonlStore(path) as store:
        assert (store.cut_bytes, store.count()) == (len(part), before)
        assert f"{len(part)} bytes" in caplog.text
        store.add(make_article(2))
        assert [s.outcome for s in store.commit()] == [Outcome.NEW]
    assert path.read_bytes().startswith(kept)


def test_whole_last_line_without_new_line_gets_it(path: Path, make_article: Make) -> None:
    line = fill(path, make_article())
    path.write_bytes(line[:-1])
    with JsonlStore(path) as store:
        assert (store.cut_bytes, store.count()) == (0, 1)
    assert path.read_bytes() == line


def test_damaged_line_in_the_middle_stays_and_is_counted(path: Path, make_article: Make) -> None:
    one, two = fill(path, make_article(1), make_article(2)).splitlines(keepends=True)
    whole = one + one[:200] + b"\n" + b"\xff\xfe\n" + b"\n" + b'{"a": 1}\n' + two
    path.write_bytes(whole)
    with JsonlStore(path) as store:
        assert (store.damaged_lines, store.cut_bytes, store.count()) == (3, 0, 2)
        assert [a.title for a in store.articles()] == ["Harbour 1 🚢", "Harbour 2 🚢"]
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "content",
    [
        b'{\n  "name": "package"\n}\n',
        b'{"name": "package"}',
        b'{"name": "package"}\n',
        b"text without end",
        b"[1, 2]\n{",
        b'{"id": "a", "text": "ours"}\na note by hand',
    ],
)
def test_file_of_another_kind_is_left_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(NotAStoreError, match="left as it is"):
        JsonlStore(path)
    assert path.read_bytes() == content


def test_records_of_other_hands_are_known(path: Path, make_article: Make) -> None:
    path.write_text(json.dumps(make_article().to_dict()) + "\n")  # another order of keys, ASCII, no revision
    with JsonlStore(path) as store:
        store.add(make_article())
        store.add(make_article(text="new"))
        assert [(s.outcome.value, s.revision) for s in store.commit()] == [("unchanged", 1), ("changed", 2)]


@pytest.mark.parametrize("name", ["news.jsonl.gz", "news.jsonl.ZST"])
def test_compressed_file_is_refused_before_it_is_made(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreSpecError, match="export"):
        JsonlStore(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotAStoreError, match="regular"):
        JsonlStore(tmp_path / "pipe")


def test_second_writer_is_told_and_changes_nothing(path: Path, make_article: Make) -> None:
    with JsonlStore(path) as store:
        store.add(make_article())
        store.commit()
        before = path.read_bytes()
        with pytest.raises(StoreLockedError, match="another process"):
            JsonlStore(path)
        assert path.read_bytes() == before
    JsonlStore(path).close()


def test_file_that_was_changed_behind_the_store_is_told(path: Path, make_article: Make) -> None:
    with JsonlStore(path) as store:
        store.add(make_article())
        store.commit()
        path.write_text("something else\n")
        with pytest.raises(StoreDamagedError):
            store.get(make_article().id)
        path.write_text(make_article(2).to_json() + "\n")
        with pytest.raises(StoreDamagedError):
            store.get(make_article().id)
        path.write_text("")
        assert list(store.articles()) == []


@pytest.mark.parametrize("n_more", [0, 1])
def test_removed_file_is_told_and_a_renamed_one_is_written_to(path: Path, make_article: Make, n_more: int) -> None:
    old = path.with_suffix(".old")
    with JsonlStore(path) as store:
        path.rename(old)
        store.add(make_article())
    assert len(old.read_bytes().splitlines()) == 1
    store = JsonlStore(path)
    path.unlink()
    for n in range(n_more):
        store.add(make_article(n))
    with pytest.raises(StoreWriteError, match="removed while it was written to"):
        store.close()
    assert store.closed


def test_full_disk_leaves_whole_lines_and_the_rest_waits(path: Path, make_article: Make) -> None:
    size = len(fill(path, make_article(1)))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = JsonlStore(path)
    try:
        store.add(make_article(2))
        store.add(make_article(3))
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(size * 2.5), hard))
        with pytest.raises(StoreFullError, match=r"news\.jsonl"):
            store.commit()
        assert store.pending == 1
        assert path.stat().st_size == 2 * size
        assert path.read_bytes().endswith(b"}\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, ignored)
    assert [s.id for s in store.close()] == [make_article(2).id, make_article(3).id]
    assert path.read_bytes().count(b"\n") == 3


def test_short_writes_are_completed(path: Path, make_article: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = fill(path, make_article())
    path.unlink()
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[:100]))
    assert len(fill(path, make_article())) == len(whole)
    assert json.loads(path.read_bytes())["title"] == make_article().title


def test_importing_the_door_imports_nothing_heavy() -> None:
    code = (
        "import sys, webmain.store.registry; print(sorted({'numpy', 'fastwarc', 'lxml', 'scrapy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("place", ["quote", "id", "line end", "utf-8"])
def test_a_damaged_line_is_named_and_does_not_count(
    path: Path, make_article: Make, place: str, caplog: pytest.LogCaptureFixture
) -> None:
    fill(path, *(make_article(n) for n in range(4)))
    lines = path.read_bytes().splitlines(keepends=True)
    before = {
        "quote": (b'", "site": "', b'", "site: "'),
        "id": (make_article(1).id.encode(), b"0" * 16),
        "line end": (b"}\n", b"}*"),
        "utf-8": (b"harbour opened", b"harb\xeeur opened"),
    }[place]
    lines[1] = lines[1].replace(*before, 1)
    path.write_bytes(b"".join(lines))
    store = JsonlStore(path)
    with store:
        assert store.damaged_lines == 1
        assert "count as not stored: 2;" in caplog.text
        assert [store.has(make_article(n).id) for n in range(4)] == [True, False, True, True]
        assert [a.id for a in store.articles()] == [make_article(n).id for n in (0, 2, 3)]
        store.add(make_article(1))
        assert [s.outcome for s in store.commit()] == [Outcome.NEW]
        assert store.get(make_article(1).id) == make_article(1)
    assert path.read_bytes().startswith(b"".join(lines))


def test_zero_bytes_in_the_place_of_a_file_s_beginning_are_damage(
    path: Path, make_article: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    length = len(fill(path, *(make_article(n) for n in range(4)))) // 4
    for n in (500, length + 500):
        data = path.read_bytes()
        path.write_bytes(bytes(n) + data[n:])
        assert main(["check", f"jsonl:{path}"]) == 1
        assert "line 1: no JSON" in capsys.readouterr().out
        with JsonlStore(path) as store:
            assert store.damaged_lines == 1
            assert store.count() == 3 - n // length


def test_a_damaged_revision_does_not_hide_the_one_before(path: Path, make_article: Make) -> None:
    fill(path, make_article(1), make_article(2), make_article(1, text="A second text."))
    path.write_bytes(path.read_bytes().replace(b"A second text", b"A secoNd text", 1))
    with JsonlStore(path) as store:
        assert store.get(make_article(1).id) == make_article(1)
        assert not store.has(make_article(1).id)
        store.add(make_article(1, text="A second text."))
        assert [(s.outcome, s.revision) for s in store.commit()] == [(Outcome.CHANGED, 2)]
        assert store.has(make_article(1).id)
    with JsonlStore(path) as store:
        assert store.has(make_article(1).id)
        assert [r.article.text for r in store.revisions(make_article(1).id)][1:] == ["A second text."]


def test_lines_without_a_checksum_are_taken_as_they_are(path: Path, make_article: Make) -> None:
    record = make_article(1).to_dict() | {"text": "changed by hand"}
    path.write_text(json.dumps(record) + "\n" + json.dumps(make_article(2).to_dict(), separators=(",", ":")) + "\n")
    with JsonlStore(path) as store:
        assert (store.count(), store.damaged_lines) == (2, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"fingerprint": 1},
        {"confidence": 10**400},
        {"title": ["a"]},
        {"authors": "Jane"},
        {"n_words": "9"},
        {"blocks": [{"text": 1}]},
    ],
)
def test_a_line_of_other_types_is_damaged(path: Path, make_article: Make, wrong: dict[str, object]) -> None:
    records = [make_article(1).to_dict(), make_article(2).to_dict() | wrong]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    with JsonlStore(path) as store:
        assert (store.count(), store.damaged_lines) == (1, 1)


@pytest.mark.parametrize("name", ['quo"te', "back\\slash", "x" * 300, "\ud800", "ข่าว"])
def test_odd_ids_are_known_again(path: Path, make_article: Make, name: str) -> None:
    fill(path, make_article(1, id=name, fingerprint="odd"))
    with JsonlStore(path) as store:
        assert (store.count(), store.damaged_lines) == (1, 0)
