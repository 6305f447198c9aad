"""`webmain train` and `webmain explain --block`, as a user runs them."""

import errno
import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from webmain import cli
from webmain.cli import exits
from webmain.evaluation.training import pipeline, tables
from webmain.evaluation.training.boosting import Recipe
from webmain.extractors.page_model import read

GOLD = Path(__file__).parents[1] / "gold"
PAGE = str(GOLD / "pages" / "en_news_teasers.html")
TINY = Recipe(n_trees=4, n_leaves=4, min_leaf=30, depth=3, learning_rate=0.1)


@pytest.fixture
def tiny(monkeypatch):
    """Fit few trees, so that a test takes seconds."""
    whole = pipeline.train
    monkeypatch.setattr(pipeline, "train", lambda given, **options: whole(replace(given, recipe=TINY), **options))


def train(*options):
    return cli.main(["train", str(GOLD), "--sets", "pages", "--made-up", "5", *map(str, options)])


def test_a_model_a_report_and_a_card_are_written_and_figures_printed(tmp_path, capsys, tiny):
    card = tmp_path / "CARD.md"
    card.write_text(f"# Card\n{tables.BEGIN}\n{tables.END}\n")
    out = tmp_path / "new" / "model.json"
    assert train("--out", out, "--report", tmp_path / "report.json", "--card", card) == exits.OK
    told = capsys.readouterr()
    model = read(out.read_bytes())
    assert json.loads((tmp_path / "report.json").read_text())["model_sha256"] == model.sha256
    assert f"sha256 {model.sha256}" in card.read_text()
    for part in (model.sha256, "cross-validated", "cue words", "Line-Block: TTR", "licence not known"):
        assert part in told.out
    assert "folds: 5" in told.err
    assert "bytes; one that comes" not in told.err
    assert [p.name for p in out.parent.iterdir()] == ["model.json"]


def test_a_model_that_is_too_large_to_be_shipped_is_told(tmp_path, capsys, tiny, monkeypatch):
    monkeypatch.setattr(pipeline, "MAX_BYTES", 100)
    assert train("--out", tmp_path / "model.json") == exits.OK
    assert "at most 100" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--sets", "nothing"], "no training set 'nothing'"),
        (["--sets", ","], "each must be named once"),
        (["--check", "nowhere.jsonl.gz"], "no gold pages at nowhere.jsonl.gz"),
        (["--check", str(GOLD / "pages")], "it cannot be a check"),
        (["--check", str(GOLD / "README.md")], "no gold data in a known format"),
    ],
)
def test_data_that_can_not_be_had_is_told_before_anything_is_trained(tmp_path, capsys, options, told):
    assert train("--out", tmp_path / "model.json", *options) == exits.NOT_FOUND
    assert told in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [None, "# A card without marks"])
def test_a_card_that_can_not_be_filled_is_told_before_anything_is_trained(tmp_path, capsys, content):
    card = tmp_path / "CARD.md"
    if content is not None:
        card.write_text(content)
    assert train("--out", tmp_path / "model.json", "--card", card) == exits.USAGE
    assert "--card" in capsys.readouterr().err
    assert not (tmp_path / "model.json").exists()


def test_without_lightgbm_the_remedy_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "lightgbm", None)
    assert train("--out", tmp_path / "model.json") == exits.NOT_FOUND
    assert "pip install 'webmain[train]'" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--made-up", "-1"], ["--seed", "x"], ["--jobs", "0"], []])
def test_wrong_usage_is_told(tmp_path, options, capsys):
    with pytest.raises(SystemExit) as done:
        cli.main(["train", str(GOLD), *options, *(["--out", str(tmp_path / "m")] if options else [])])
    assert done.value.code == exits.USAGE
    assert "usage" in capsys.readouterr().err


def test_a_model_that_was_there_stays_when_the_new_one_can_not_be_written(tmp_path, capsys, tiny, monkeypatch):
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "model.json").write_text("old")

    def full(path: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr("webmain.files._sync", full)
    assert train("--out", folder / "model.json") == exits.UNWRITTEN
    assert [path.name for path in folder.iterdir()] == ["model.json"]
    assert "cannot be written" in capsys.readouterr().err
    assert (folder / "model.json").read_text() == "old"
    assert stat.S_ISREG((folder / "model.json").stat().st_mode)


def test_a_place_where_nothing_can_be_written_is_told_before_anything_is_trained(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(pipeline, "train", lambda *args, **options: pytest.fail("trained"))
    assert train("--out", tmp_path) == exits.UNWRITTEN
    assert "Is a directory" in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert train("--out", tmp_path / "file" / "model.json") == exits.UNWRITTEN
    assert train("--out", tmp_path / "model.json", "--report", tmp_path) == exits.UNWRITTEN


@pytest.mark.parametrize("name", ["mine.jsonl", "mine.jsonl.gz", "pages/a.html", "pages/a.txt", "check/b.txt"])
@pytest.mark.parametrize("option", ["--out", "--report", "--out-of-fold"])
def test_what_is_read_is_not_written_over(tmp_path, capsys, monkeypatch, name, option):
    monkeypatch.setattr(pipeline, "train", lambda *args, **options: pytest.fail("trained"))
    place = tmp_path / name
    place.parent.mkdir(exist_ok=True)
    place.write_text("gold")
    given = ["train", str(tmp_path), "--sets", "mine,pages", "--check", str(tmp_path / "check"), option, str(place)]
    assert cli.main([*given, *(["--out", str(tmp_path / "model.json")] if option != "--out" else [])]) == exits.USAGE
    assert "belongs to what is read" in capsys.readouterr().err
    assert place.read_text() == "gold"


def test_one_file_for_two_outputs_is_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(pipeline, "train", lambda *args, **options: pytest.fail("trained"))
    one = tmp_path / "one.json"
    assert train("--out", one, "--report", tmp_path / "." / "one.json") == exits.USAGE
    left_out = ["--out-of-fold", tmp_path / "texts.json", "--leave-out", "--report", tmp_path / "texts-left-out.json"]
    assert train("--out", one, *left_out) == exits.USAGE
    assert "two outputs are one file" in capsys.readouterr().err


# ---- explain


def test_explain_tells_how_sure_the_model_is_of_the_page_and_of_blocks(capsys):
    assert cli.main(["explain", "-e", "learned", PAGE]) == exits.OK
    out = capsys.readouterr().out
    assert "confidence 0." in out
    assert "prob." in out


def test_explain_tells_what_moved_the_score_of_a_block(capsys):
    assert cli.main(["explain", "-e", "learned", PAGE, "--block", "15", "-f", "json"]) == exits.OK
    told = json.loads(capsys.readouterr().out)
    assert told["block"] == 15
    assert told["verdict"] == "content"
    moved = [abs(one["log_odds"]) for one in told["moved"]]
    assert moved == sorted(moved, reverse=True)
    assert cli.main(["explain", "-e", "learned", PAGE, "--block", "15"]) == exits.OK
    out = capsys.readouterr().out
    assert out.startswith("learned: block 15, content, probability 0.")
    assert told["moved"][0]["column"] in out
    assert f"{len(moved) - 20} more" in out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-e", "learned", "--block", "5000"], "this page has blocks 0 to"),
        (["-e", "learned", "--block", "-1"], "this page has blocks 0 to"),
        (["-e", "pab", "--block", "1"], "only learned can show what affected a score, not pab"),
        (["--block", "1", "--against", "pab"], "leave out --against"),
        (["--block", "1", "-o", "block.html"], "leave out --against, --gold and html"),
    ],
)
def test_explain_tells_where_a_block_can_not_be_explained(capsys, options, told):
    assert cli.main(["explain", PAGE, *options]) == exits.USAGE
    assert told in capsys.readouterr().err
