"""`webmain evaluate`, as a user runs it, on a made-up folder of gold pages."""

import csv
import fcntl
import io
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.crawl.forking import environment
from webmain import cli
from webmain.cli import evaluate, exits
from webmain.evaluation import predictions, systems
from webmain.evaluation.peers import PEERS
from webmain.evaluation.protocols import PROTOCOLS
from webmain.evaluation.records import Findings, Table

pytestmark = pytest.mark.usefixtures("less_garbage")
ROOT = Path(__file__).parents[2]
PARAGRAPH = "The harbour master said that the tide would reach the upper quay before noon, and so it did, twice."
FAKES = """
import os, time
def body(html, url):
    return html.split("<article>")[1].split("</article>")[0].replace("<p>", " ").replace("</p>", " ")
def slow(html, url):
    time.sleep(0.6)
    return body(html, url)
def unable(html, url):
    os._exit(4)
"""


@pytest.fixture
def gold(tmp_path, monkeypatch):
    """Make six pages with their texts, and systems by import path; work in a folder of its own."""
    folder = tmp_path / "harbour"
    folder.mkdir()
    for number in range(6):
        text = f"page {number} " + f"{PARAGRAPH} " * (number + 4)
        html = (
            f"<html><head><title>T {number}</title></head><body><nav><a href=/a>Home</a> <a href=/b>Sport</a></nav>"
            f"<article><p>page {number}</p>{f'<p>{PARAGRAPH}</p>' * (number + 4)}</article>"
            "<footer>Imprint</footer></body></html>"
        )
        (folder / f"{number}.html").write_text(html, encoding="utf-8")
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "fake_readers.py").write_text(FAKES, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(ROOT)]))
    monkeypatch.chdir(tmp_path)
    yield str(folder)
    sys.modules.pop("fake_readers", None)


def run(*arguments):
    try:
        return cli.main(["evaluate", *arguments])
    except SystemExit as stop:
        return stop.code


def test_a_table_is_printed_for_the_systems_asked_for(gold, capsys):
    assert run(gold, "-e", "line_block:decision=sigma,tkd=require,all_text", "--jobs", "0") == exits.OK
    out = capsys.readouterr().out
    assert "line_block:decision=sigma,tkd=require" in out
    assert "all_text" in out
    assert "Difference of mean F1 from that of line_block:decision=sigma,tkd=require" in out
    assert "trafilatura" not in out


def test_a_perfect_system_scores_one(gold, capsys):
    assert run(gold, "-e", "fake_readers:body", "-f", "json") == exits.OK
    table = json.loads(capsys.readouterr().out)["tables"]["overall"]
    row = dict(zip(table["columns"], table["rows"][0], strict=True))
    assert (row["system"], row["pages"], row["F1"], row["exact"]) == ("fake_readers:body", 6, 1.0, 1.0)


def test_csv_holds_every_figure_by_table_row_and_column(gold, capsys):
    assert run(gold, "-e", "fake_readers:body", "-f", "csv", "--by", "site") == exits.OK
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {r["table"] for r in rows} >= {"overall", "metrics", "by_site", "pages"}
    (f1,) = [r["value"] for r in rows if (r["table"], r["column"]) == ("overall", "F1")]
    assert float(f1) == 1


def test_a_folder_gets_predictions_tables_and_reports(gold, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(gold, "-e", "fake_readers:body,all_text", "--out", str(out), "--metrics", "all") == exits.OK
    assert {p.name for p in out.iterdir()} >= {
        "predictions.jsonl.gz",
        "overall.csv",
        "results.csv",
        "report.json",
        "report.html",
    }
    assert not [p for p in out.iterdir() if p.suffix in (".part", ".new", ".lock")]
    head, found = predictions.read(out / "predictions.jsonl.gz")
    assert len(found) == 12
    assert list(head.gold) == ["harbour"]
    assert "data:image/svg+xml" in (out / "report.html").read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO((out / "overall.csv").read_text(encoding="utf-8"))))
    assert [row["system"] for row in rows] == ["fake_readers:body", "all_text"]


def test_nothing_of_the_machine_is_saved(gold, tmp_path):
    out = tmp_path / "out"
    run(gold, "-e", "fake_readers:body", "--out", str(out))
    head, _ = predictions.read(out / "predictions.jsonl.gz")
    for content in (head.line(), (out / "report.html").read_text("utf-8"), (out / "report.json").read_text("utf-8")):
        assert str(tmp_path) not in content
        assert os.uname().nodename not in content


def test_saved_predictions_are_scored_without_running_anything(gold, tmp_path, capsys, monkeypatch):
    saved = str(tmp_path / "p.jsonl")
    assert run(gold, "-e", "fake_readers:body,all_text", "--predictions", saved, "-f", "json") == exits.OK
    first = json.loads(capsys.readouterr().out)
    monkeypatch.setattr(systems.System, "load", lambda self: pytest.fail("a system was run"))
    (tmp_path / "fake_readers.py").unlink()
    assert run(gold, "--score", saved, "-f", "json") == exits.OK
    assert json.loads(capsys.readouterr().out)["tables"] == first["tables"]
    assert run(gold, "--score", saved, "-e", "all_text", "-f", "json") == exits.OK
    rows = json.loads(capsys.readouterr().out)["tables"]["overall"]["rows"]
    assert [row[0] for row in rows] == ["all_text"]


def test_the_sample_that_was_predicted_is_the_one_that_is_scored(gold, tmp_path, capsys):
    saved = str(tmp_path / "p.jsonl")
    options = ("-e", "fake_readers:body", "-f", "json")
    assert run(gold, *options, "--predictions", saved, "--limit", "3", "--seed", "7") == exits.OK
    first = json.loads(capsys.readouterr().out)["tables"]
    assert first["overall"]["rows"][0][1] == 3
    assert run(gold, "--score", saved, "-f", "json", "--seed", "7") == exits.OK
    assert json.loads(capsys.readouterr().out)["tables"] == first


def test_predictions_of_changed_pages_are_refused(gold, tmp_path, capsys):
    saved = str(tmp_path / "p.jsonl")
    run(gold, "-e", "fake_readers:body", "--predictions", saved)
    (Path(gold) / "1.txt").write_text("another text", encoding="utf-8")
    assert run(gold, "--score", saved) == exits.USAGE
    assert "made from other pages of harbour" in capsys.readouterr().err
    assert run(gold, "-e", "fake_readers:body", "--predictions", saved) == exits.USAGE
    assert "--fresh" in capsys.readouterr().err
    assert run(gold, "-e", "fake_readers:body", "--predictions", saved, "--fresh") == exits.OK


def test_a_report_tells_nothing_of_systems_that_it_does_not_show(gold, tmp_path, capsys):
    out = tmp_path / "out"
    page = Path(gold) / "metadata.json"
    page.write_text(json.dumps({str(n): {"site": "a.example"} for n in range(6)}), encoding="utf-8")
    assert run(gold, "-e", "fake_readers:body,lbda@site,all_text", "--out", str(out), "-f", "json") == exits.OK
    both = json.loads(capsys.readouterr().out)
    assert list(both["systems"]) == ["fake_readers:body", "lbda@site", "all_text"]
    assert "fake_readers:body" in both["facts"]["versions"]
    assert "gold" in both["facts"]["sites"]
    assert any("without the fallback to another method that a crawl has" in note for note in both["notes"])
    saved = str(out / "predictions.jsonl.gz")
    for options in (("--out", str(out)), ("--score", saved)):
        assert run(gold, "-e", "all_text", *options, "-f", "json") == exits.OK
        one = json.loads(capsys.readouterr().out)
        assert list(one["systems"]) == ["all_text"]
        assert "fake_readers" not in json.dumps(one)
        assert "sites" not in one["facts"]
        assert not any("@site" in note for note in one["notes"])


def test_a_system_whose_code_has_changed_is_run_again(gold, tmp_path, capsys):
    saved = str(tmp_path / "p.jsonl")
    run(gold, "-e", "fake_readers:body", "--predictions", saved)
    path = tmp_path / "fake_readers.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    capsys.readouterr()
    assert run(gold, "-e", "fake_readers:body", "--predictions", saved) == exits.OK
    err = capsys.readouterr().err
    assert "changed since, run again: fake_readers:body" in err
    assert "there already" not in err


def test_a_system_that_cannot_start_gives_exit_code_one(gold, capsys):
    assert run(gold, "-e", "fake_readers:unable") == exits.REJECTED
    assert "fake_readers:unable could not be run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-e", "nope"), "got 'nope', allowed are"),
        (("-e", "pab@site"), "learns nothing from a site"),
        (("-e", ","), "no system"),
        (("--metrics", "wrods", "-e", "pab"), "metric: got 'wrods'"),
        (("--metrics", ",", "-e", "pab"), "no metric"),
        (("--by", "colour", "-e", "pab"), "by: got 'colour'"),
        (("--baseline", "eniw", "-e", "pab"), "baseline: got 'eniw', allowed are pab"),
        (("--protocol", "nope"), "protocol: got 'nope'"),
        (("--rendered", "r.jsonl"), "is only for --protocol svm_visual"),
        (("--protocol", "line_block_sizes", "--rendered", "r.jsonl"), "does not use rendered pages"),
        (("--protocol", "line_block_sizes", "-e", "pab"), "cannot be combined with --systems"),
        (("--protocol", "line_block_sizes", "--score", "p.jsonl"), "cannot be combined with --score"),
        (
            ("--protocol", "line_block_sizes", "--predictions", "p.jsonl", "--fresh"),
            "combined with --predictions, --fresh",
        ),
        (
            ("--protocol", "line_block_sizes", "--jobs", "2", "--timeout", "3", "--repeat", "2"),
            "--jobs, --timeout, --rep",
        ),
        (("--protocol", "line_block_sizes", "--metrics", "all", "--by", "site"), "combined with --metrics, --by"),
        (("--protocol", "line_block_sizes", "--baseline", "pab"), "combined with --baseline"),
        (("--predictions", "p.csv", "-e", "pab"), "got 'p.csv', its name must end in .jsonl or .jsonl.gz"),
        (("--score", "missing.jsonl", "--predictions", "p.jsonl"), "leave out --predictions"),
        (("--jobs", "-1"), "allowed is 0 to 256"),
        (("--timeout", "0"), "positive"),
        (("--limit", "0"), "positive"),
        (("--seed", "-1"), "allowed is a whole number from 0"),
        (("--format", "pdf"), "invalid choice"),
    ],
)
def test_wrong_usage_is_told_with_what_is_allowed(gold, capsys, options, message):
    assert run(gold, *options) == exits.USAGE
    assert message in capsys.readouterr().err


def test_rendered_pages_need_no_gold(tmp_path, capsys):
    path = tmp_path / "rendered.jsonl"
    blocks = [
        {
            "text": [PARAGRAPH],
            "path": ["p"],
            "selector": [{"name": "p", "classes": []}],
            "computed": {"color": "red"},
            "bound": {"left": 0, "top": 0, "width": 9, "height": 9},
        }
    ]
    records = [
        {"id": str(n), "site": "a.example", "descriptions": [PARAGRAPH], "ref": PARAGRAPH, "blocks": blocks}
        for n in range(4)
    ]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert run("--protocol", "svm_visual", "--rendered", str(path), "--out", str(tmp_path / "o")) == exits.OK
    assert "a.example" in capsys.readouterr().out
    assert "svm_visual_accuracy.csv" in {file.name for file in (tmp_path / "o").iterdir()}
    assert run("--protocol", "svm_visual", "--rendered", str(path), "--limit", "2") == exits.USAGE
    assert "--limit samples GOLD" in capsys.readouterr().err


@pytest.mark.parametrize("protocol", ["svm_sites"])
@pytest.mark.parametrize("content", [b"{}\n", b"", b"{broken", None])
def test_rendered_pages_of_which_none_can_be_used_are_no_data(tmp_path, capsys, protocol, content):
    path = tmp_path / "rendered.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert run("--protocol", protocol, "--rendered", str(path)) == exits.NOT_FOUND
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"webmain: protocol {protocol}: ")
    if content is None:
        assert "rendered.jsonl: cannot read" in shown.err
    elif content:
        assert "dropped 1: " in shown.err


def test_a_protocol_of_rendered_pages_without_any_names_the_option(gold, capsys):
    for arguments in ((gold,), ()):
        assert run(*arguments, "--protocol", "svm_visual") == exits.NOT_FOUND
        assert "--rendered FILE" in capsys.readouterr().err
    assert run("--protocol", "line_block_sizes") == exits.USAGE
    assert "no gold data was given" in capsys.readouterr().err


@pytest.mark.parametrize("protocol", ["svm_sites", "pab_classes"])
def test_gold_of_which_a_protocol_can_use_no_page_is_no_data(gold, capsys, protocol):
    assert run(gold, "--protocol", protocol) == exits.NOT_FOUND
    assert f"protocol {protocol}: no page can be used\n- " in capsys.readouterr().err


@pytest.mark.parametrize("options", [("-e", "pab"), ("--protocol", "line_block_sizes")])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.jsonl", b""),
        ("x.jsonl", b"{broken\n"),
        ("x.jsonl.gz", b"no gzip at all"),
        ("x.jsonl.gz", b"\x1f\x8b\x08cut"),
    ],
)
def test_a_file_without_usable_pages_is_no_data(tmp_path, capsys, options, name, content):
    (tmp_path / name).write_bytes(content)
    assert run(str(tmp_path / name), *options) == exits.NOT_FOUND
    assert "the gold data holds no usable page" in capsys.readouterr().err


@pytest.mark.parametrize("options", [("-e", "pab"), ("--protocol", "line_block_sizes")])
def test_a_folder_that_may_not_be_read_is_no_data_and_named(gold, capsys, monkeypatch, options):
    def refuse(self):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert run(gold, *options) == exits.NOT_FOUND
    assert f"the gold data at {gold} cannot be read: Permission denied" in capsys.readouterr().err


def test_no_gold_is_wrong_usage_and_missing_gold_is_not_found(gold, tmp_path, capsys):
    assert run(gold, "--score", "missing.jsonl") == exits.NOT_FOUND
    assert "missing.jsonl: No such file" in capsys.readouterr().err
    assert run() == exits.USAGE
    assert run(str(tmp_path / "none"), "-e", "pab") == exits.NOT_FOUND
    (tmp_path / "empty").mkdir()
    assert run(str(tmp_path / "empty"), "-e", "pab") == exits.NOT_FOUND
    assert "gold data" in capsys.readouterr().err


def test_the_same_pages_given_twice_are_refused(gold, tmp_path, capsys):
    assert run(gold, gold, "-e", "pab") == exits.USAGE
    assert "two gold sets are called harbour" in capsys.readouterr().err


def test_a_file_that_is_no_folder_is_not_written(gold, tmp_path, capsys):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert run(gold, "-e", "pab", "--jobs", "0", "--out", str(tmp_path / "file")) == exits.UNWRITTEN
    assert f"the output cannot be written: {tmp_path / 'file'}" in capsys.readouterr().err


def test_a_failure_inside_a_protocol_is_told_with_its_file(gold, capsys, monkeypatch):
    class Full(Protocol):
        @staticmethod
        def run(gold, *, seed):
            raise OSError(28, "No space left on device", "/somewhere/blocks.db")

    monkeypatch.setattr(evaluate, "_module", lambda name: Full)
    assert run(gold, "--protocol", "made_up") == exits.UNWRITTEN
    err = capsys.readouterr().err
    assert "/somewhere/blocks.db: No space left on device" in err
    assert "None" not in err


def test_the_list_names_systems_metrics_protocols_and_formats(capsys):
    assert run("--list") == exits.OK
    out = capsys.readouterr().out
    for name in PROTOCOLS:
        assert callable(evaluate._module(name).run)
        assert re.search(rf"^  {name} +\S+", out, flags=re.MULTILINE)
    for word in ("line_block", "trafilatura", "all_text", "same_words", "protocols", "cleaneval", "html"):
        assert word in out


def test_the_list_says_which_systems_are_not_installed(capsys, monkeypatch):
    monkeypatch.setattr(systems, "is_installed", lambda name: name != "goose3")
    run("--list")
    assert "goose3 (not installed: pip install webmain[peers])" in capsys.readouterr().out


def test_systems_that_are_not_installed_are_left_out_of_all_with_a_word(gold, capsys, monkeypatch):
    monkeypatch.setattr(systems, "is_installed", lambda name: name not in PEERS)
    assert run(gold, "-e", "peers,pab", "--jobs", "0") == exits.OK
    shown = capsys.readouterr()
    assert "not installed, left out: trafilatura" in shown.err
    assert "pab" in shown.out


class Protocol:
    """A made-up experiment.

    More about it.
    """

    @staticmethod
    def run(gold, *, seed):
        n = len(gold)
        if seed == 13:
            raise ValueError("no page has a category")
        table = Table(
            name="sizes", title="Sizes", columns=("what", "paper", "ours"), rows=(("pages", None, n), ("seed", 2, seed))
        )
        return Findings(protocol="made_up", tables=(table,), notes=("The paper's pages cannot be had.",))


@pytest.mark.parametrize("form", evaluate.FORMATS)
def test_a_protocol_prints_its_tables_and_notes(gold, capsys, monkeypatch, form):
    monkeypatch.setattr(evaluate, "_module", lambda name: Protocol)
    assert run(gold, "--protocol", "made_up", "-f", form, "--seed", "5") == exits.OK
    out = capsys.readouterr().out
    assert "sizes" in out.lower()
    if form != "csv":
        assert "The paper&#39;s pages" in out or "The paper's pages" in out
    if form == "json":
        assert json.loads(out)["tables"]["sizes"]["rows"] == [["pages", None, 6], ["seed", 2, 5]]


def test_a_protocol_writes_its_files(gold, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(evaluate, "_module", lambda name: Protocol)
    assert run(gold, "--protocol", "made_up", "--out", str(tmp_path / "o")) == exits.OK
    assert sorted(p.name for p in (tmp_path / "o").iterdir()) == ["made_up.html", "made_up.json", "made_up_sizes.csv"]


@pytest.mark.parametrize(
    ("protocol", "table", "name"),
    [
        ("svm_sites", "svm_sites_news_own", "svm_sites_news_own"),
        ("lbda_steps", "lbda_recall", "lbda_recall"),
        ("made_up", "sizes", "made_up_sizes"),
    ],
)
def test_a_tables_file_names_its_protocol_once(protocol, table, name):
    assert evaluate._file_name(protocol, table) == name


def test_gold_that_a_protocol_cannot_use_is_told(gold, capsys, monkeypatch):
    monkeypatch.setattr(evaluate, "_module", lambda name: Protocol)
    assert run(gold, "--protocol", "made_up", "--seed", "13") == exits.NOT_FOUND
    assert "protocol made_up: no page has a category" in capsys.readouterr().err


def test_interrupted_it_says_how_to_go_on(gold, tmp_path):
    saved = tmp_path / "p.jsonl"
    command = [
        sys.executable,
        "-m",
        "webmain.cli",
        "evaluate",
        gold,
        "-e",
        "fake_readers:slow",
        "--predictions",
        str(saved),
    ]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    part = tmp_path / "p.jsonl.part"
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline and not (part.exists() and part.read_bytes().count(b"\n") > 1):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as the terminal does: to the workers too
    _, err = process.communicate(timeout=200)
    assert process.returncode == exits.INTERRUPTED
    assert "the same command goes on from" in err
    assert "Traceback" not in err
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == exits.OK
    assert "predictions are there already" in again.stderr
    assert not part.exists()


def test_no_progress_bar_is_drawn_where_there_is_no_terminal(gold, run_module):
    done = run_module("webmain.cli", "evaluate", gold, "-e", "pab", folder=ROOT, env=environment())
    assert done.returncode == exits.OK
    assert done.stderr == ""


def test_a_progress_bar_is_drawn_on_a_terminal_and_only_on_standard_error(gold):
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    command = [sys.executable, "-m", "webmain.cli", "evaluate", gold, "-e", "fake_readers:slow", "-f", "json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, check=False)
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert done.returncode == exits.OK
    assert "predictions" in shown
    assert "6/6" in shown
    assert json.loads(done.stdout)


def test_the_documentation_names_every_option_and_no_other(capsys):
    text = (ROOT / "docs" / "evaluate.md").read_text(encoding="utf-8")
    run("--help")
    offered = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help", "--systems"}
    assert offered == set(re.findall(r"--[a-z]+", text))


def test_the_documentation_names_every_system():
    text = (ROOT / "docs" / "evaluate.md").read_text(encoding="utf-8")
    assert [name for name in ("all_text", *PEERS) if f"`{name}`" not in text] == []


WITHOUT_TRAIN = """
import sys
for name in ("jinja2", "lightgbm", "matplotlib", "rapidfuzz"):
    sys.modules[name] = None
from webmain.cli import main
sys.exit(main(["evaluate", *sys.argv[1:]]))
"""


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--list"], exits.OK, "formats of reports: table, csv, json, html"),
        (["gold"], exits.USAGE, "evaluate needs jinja2, matplotlib, rapidfuzz: pip install 'webmain[train]'"),
    ],
)
def test_without_the_extra_train_the_lists_are_printed_and_the_rest_names_it(arguments, code, told):
    command = [sys.executable, "-c", WITHOUT_TRAIN, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (code, told if code == 0 else f"webmain: {told}"), (
        done.stdout
    )


def test_the_systems_in_the_help_can_be_run(capsys):
    with pytest.raises(SystemExit):
        cli.main(["evaluate", "--help"])
    (option,) = re.findall(r"pab:[a-z_]+=\w+", capsys.readouterr().out)
    assert systems.describe(option).name == option
