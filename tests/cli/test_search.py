"""`webmain search` and `webmain index`, as a user runs them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from webmain import cli
from webmain.cli import exits
from webmain.items import Article, ArticleBlock, Kind
from webmain.ledger.ledger import Ledger
from webmain.store.sqlite import SqliteStore

LAST_CHANGES = "its last changes cannot be read without permission to write to"


def article(n: int, text: str, **other: object) -> Article:
    values: dict[str, object] = {
        "url": f"https://news.example/{n}",
        "site": "news.example",
        "title": f"Story {n}",
        "text": text,
        "blocks": (ArticleBlock(kind=Kind.PARAGRAPH, text=text, raw=0.5, score=0.3),),
        "extractor": "pab",
        "language": "en",
        "published": datetime(2026, 11, n, 12, tzinfo=UTC),
    }
    return Article(**(values | other))  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> str:
    with SqliteStore(tmp_path / "news.db") as store:
        store.add(article(1, "The tide reached the quay."))
        store.add(article(2, "A tide of tide, tide again."))
        store.add(article(3, "วันนี้ข่าวเศรษฐกิจดีมาก", language="th", extractor="thai_xpath"))
    return f"sqlite:{tmp_path / 'news.db'}"


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = cli.main(list(args))
    out, err = capsys.readouterr()
    return code, out, err


def test_results_show_rank_priority_title_url_and_snippet(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "search", "tide", "--store", store)
    assert (code, err) == (exits.OK, "")
    assert out.splitlines() == [
        "  1. 0.2500  Story 2",
        "     https://news.example/2  (en · 2026-11-02 · pab)",
        "     A [tide] of [tide], [tide] again.",
        "",
        "  2. 0.1000  Story 1",
        "     https://news.example/1  (en · 2026-11-01 · pab)",
        "     The [tide] reached the quay.",
        "",
        "results 1-2; found: 2 articles, 2 blocks",
    ]


def test_json_gives_the_same_with_numbers_and_marks(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "search", "เศรษฐกิจ", "--store", store, "-f", "json")
    record = json.loads(out)
    assert code == exits.OK
    assert (record["query"], record["pages"], record["blocks"], record["unindexed"]) == ("เศรษฐกิจ", 1, 1, 0)
    (hit,) = record["hits"]
    assert (hit["rank"], hit["url"], hit["block_priority"]) == (1, "https://news.example/3", 0.3)
    ((start, end),) = hit["marks"]
    assert hit["snippet"][start:end] == "เศรษฐกิจ"


@pytest.mark.parametrize(
    ("args", "found"),
    [
        (["tide"], [2, 1]),
        (["tide", "-n", "1"], [2]),
        (["tide", "--offset", "1"], [1]),
        (["quay", "again", "--any"], [1, 2]),
        (["story", "--lang", "TH"], [3]),
        (["story", "--method", "pab"], [2, 1]),
        (["story", "--site", "News.example"], [3, 2, 1]),
        (["story", "--since", "2026-11-02"], [3, 2]),
        (["story", "--until", "2026-11-02"], [2, 1]),
        (["story", "--since", "2026-11-02T12:00:01", "--until", "2026-11-03T12:00+00:00"], []),
        (["story", "--since", "0002-01-01T00:00+14:00", "--until", "9998-12-31"], [3, 2, 1]),
        (["tide", "--blocks"], [2, 1]),
        (["tide", "-n", "9" * 30], [2, 1]),
    ],
)
def test_options_choose_the_results(
    store: str, capsys: pytest.CaptureFixture[str], args: list[str], found: list[int]
) -> None:
    code, out, _ = run(capsys, "search", *args, "--store", store, "-f", "json")
    assert code == exits.OK
    assert [int(hit["url"][-1]) for hit in json.loads(out)["hits"]] == found


def test_a_portion_after_the_last_result_is_told_from_nothing_found(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = "no result after the first 2; found: 2 articles, 2 blocks\n"
    assert run(capsys, "search", "tide", "--offset", "2", "--store", store) == (exits.OK, "", told)
    assert run(capsys, "search", "tide", "--offset", "1", "--store", store)[2] == ""
    assert run(capsys, "search", "nowhere", "--offset", "2", "--store", store)[2] == "nothing found\n"


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--site", "other.example"], ["site other.example"]),
        (["--site", "x\x1b[2j", "--lang", "en"], ["site x"]),
        (["--lang", "xx", "--method", "magic"], ["language xx", "method magic"]),
        (["--lang", "th", "--method", "pab"], []),
    ],
)
def test_a_filter_that_no_stored_article_passes_is_named(
    store: str, capsys: pytest.CaptureFixture[str], args: list[str], told: list[str]
) -> None:
    lines = [f"webmain: no article of {what} in this store" for what in told]
    code, out, err = run(capsys, "search", "tide", *args, "--store", store)
    assert (code, out, err.splitlines()) == (exits.OK, "", [*lines, "nothing found"])
    assert run(capsys, "search", "tide", *args, "--store", store, "-f", "json")[2].splitlines() == lines


@pytest.mark.parametrize("until", ["2026-11-02", "2026-11-03T00:00", "9999d"])
def test_a_time_that_ends_before_it_begins_is_wrong_usage(
    store: str, capsys: pytest.CaptureFixture[str], until: str
) -> None:
    code, out, err = run(capsys, "search", "tide", "--since", "2026-11-03", "--until", until, "--store", store)
    assert (code, out) == (exits.USAGE, "")
    assert "--since is not earlier than --until" in err
    assert run(capsys, "search", "story", "--since", "2026-11-03", "--until", "2026-11-03", "--store", store)[0] == 0


def test_articles_left_out_of_the_index_are_told(store: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "search", "tide", "--store", store, "--no-update")
    assert (code, out) == (exits.OK, "")
    assert "3 articles not in the index yet" in err
    assert run(capsys, "index", "--store", store) == (exits.OK, "3 articles added to the index\n", "")
    assert "2 articles" in run(capsys, "search", "tide", "--store", store, "--no-update")[1]
    assert run(capsys, "index", "--store", store, "--rebuild")[1] == "3 articles added to the index\n"
    assert run(capsys, "index", "--store", store)[1] == "0 articles added to the index\n"


def test_a_locked_store_is_searched_as_it_is(
    store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(capsys, "index", "--store", store)
    path = store.removeprefix("sqlite:")
    with SqliteStore(path) as other:
        other.add(article(4, "tide"))
    waiting = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: waiting(*args, **(options | {"timeout": 0.05})))
    writer = waiting(path, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    code, out, err = run(capsys, "search", "tide", "--store", store)
    writer.close()
    assert code == exits.OK
    assert "found: 2 articles, 2 blocks" in out
    assert "the index was not updated" in err
    assert "1 article not in the index yet" in err


@pytest.mark.parametrize("is_written", [False, True])
def test_reader_who_may_write_no_files_beside_a_database_reads_it(
    store: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, is_written: bool
) -> None:
    run(capsys, "index", "--store", store)
    place = tmp_path / "shared"
    place.mkdir()
    (place / "news.db-shm").symlink_to("nowhere")  # SQLite cannot open it, whoever runs this
    with SqliteStore(tmp_path / "news.db") as writer, Ledger(tmp_path / "news.db.ledger"):
        if is_written:
            writer.add(article(4, "tide"))
            writer.commit()
        for path in [*tmp_path.glob("*.db"), *tmp_path.glob("*.db-wal")]:
            shutil.copy(path, place)
    shutil.copy(tmp_path / "news.db.ledger", place)
    (place / "news.db.ledger-shm").symlink_to("nowhere")
    shared = f"sqlite:{place}/news.db"
    for args, found in (
        (["search", "tide", "--store", shared], "found: 2 articles"),
        (["export", shared, "-f", "jsonl", "-o", "-"], '"The tide reached the quay."'),
        (["cloud", "--store", shared, "-f", "table"], "3 articles"),
        (["revisions", "https://news.example/1", "--store", shared], "first text"),
        (["check", shared], "3 articles can be read"),
        (["status", "--store", shared], "nothing needs attention"),
    ):
        caplog.clear()
        code, out, _ = run(capsys, *args)
        assert (code, found in out) == (exits.OK, True)
        told = is_written and args[0] != "status"
        assert caplog.messages == told * [f"{place}/news.db: {LAST_CHANGES} {place}"]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["search", "tide", "--store", "jsonl:a.jsonl"], exits.USAGE, "only SQLite stores"),
        (["search", "tide", "--store", "news.db"], exits.USAGE, "did you mean sqlite:news.db?"),
        (["search", "tide"], exits.NOT_FOUND, "output/articles.db"),
        (["search", "'--", "--store", "x"], exits.USAGE, "names no word"),
        (["index", "--store", "sqlite:.."], exits.NOT_FOUND, "this is a folder"),
        (["index", "--store", "sqlite:none.db"], exits.NOT_FOUND, "no such file"),
    ],
)
def test_what_cannot_be_searched_is_told_in_a_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    args: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    given, out, err = run(capsys, *args)
    assert (given, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "option",
    [
        ["--since", "soon"],
        ["--since", "0001-01-01T00:00+14:00"],
        ["--until", "9999-12-31"],
        ["--until", "9999-12-31T23:59-14:00"],
        ["-n", "0"],
        ["--offset", "-1"],
        ["-f", "xml"],
    ],
)
def test_wrong_options_are_refused(store: str, capsys: pytest.CaptureFixture[str], option: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(["search", "tide", "--store", store, *option])
    assert stopped.value.code == exits.USAGE
    assert f"argument {option[0]}" in capsys.readouterr().err.replace("-n/--limit", "-n").replace("-f/--format", "-f")


def test_stored_controls_do_not_reach_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SqliteStore(tmp_path / "evil.db") as store:
        store.add(article(1, "The tide \x1b[2J\x1b]0;owned\x07 \u202ecame", title="\x1b[31mred", url="x:\x9b1m"))
    code, out, _ = run(capsys, "search", "tide", "--store", f"sqlite:{tmp_path / 'evil.db'}")
    assert code == exits.OK
    assert not set("\x1b\x07\x9b\u202e") & set(out)
    assert "[tide]" in out


def test_marks_stand_in_bold_on_a_terminal(
    store: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[1mtide\x1b[0m" in run(capsys, "search", "tide", "--store", store)[1]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "[tide]" in run(capsys, "search", "tide", "--store", store)[1]
