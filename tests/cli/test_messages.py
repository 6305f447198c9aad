"""What is said about names that lead nowhere, and about options that have no effect."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from webmain.archive.recording import WarcWriter
from webmain.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (
    "<title>Tides</title>"
    + "<p>The harbour master read the gauge, and the tide rose past the quay again today.</p>" * 9
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text(PAGE)
    with WarcWriter(Path("x.warc.gz")) as writer:
        writer.write("https://news.example/", 200, {}, PAGE.encode())
    return tmp_path


def code_of(line: list[str]) -> object:
    try:
        return main(line)
    except SystemExit as error:
        return error.code


@pytest.mark.parametrize(
    "line",
    [
        ["extract"],
        ["explain"],
        ["cloud"],
        ["cloud", "page.html", "--against"],
        ["learn"],
        ["check"],
        ["status"],
        ["evaluate"],
    ],
    ids=" ".join,
)
def test_an_empty_name_is_wrong_usage(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of([*line, ""]) == 2
    assert "got nothing, allowed is a name" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("explain x.warc.gz", 2, "x.warc.gz: allowed is a single page; webmain extract takes archives"),
        ("cloud x.warc.gz", 2, "x.warc.gz: allowed is a single page"),
        ("correct .", 2, ".: allowed is a single page"),
        ("explain page.html --gold none.txt", 3, "webmain: none.txt: No such file or directory\n"),
        ("cloud page.html --stopwords none", 2, "cannot be read from none: No such file or directory\n"),
        ("cloud page.html -f svg --font none", 3, "none: not a readable font (No such file or directory)\n"),
        ("extract page.html --max-bytes 10", 1, "too_large: more than 10 bytes\n"),
        ("extract page.html --require any", 0, ""),
        ("extract page.html --models none", 0, "--models none: no such folder; no model of a site is used"),
        ("extract page.html --models .", 0, ""),
        ("extract x.warc.gz", 0, "webmain: 1 article, 0 rejected\n"),
    ],
)
def test_what_is_said(line: str, code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(line.split()) == code
    told = capsys.readouterr().err
    assert message in told
    assert bool(message) == bool(told)


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        (["-f", "json", "-o", "x.txt"], "{"),
        (["-o", "x.json"], "{"),
        (["-o", "x.txt"], "learned: "),
        (["-f", "table", "-o", "x.json"], "learned: "),
        (["-o", "x.html"], "<!doctype html>"),
        (["-f", "html", "-o", "x.json"], "<!doctype html>"),
    ],
    ids=" ".join,
)
def test_an_explanation_is_written_in_the_format_asked_for(
    options: list[str], begins: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "page.html", *options]) == 0
    assert capsys.readouterr().out == ""
    text = Path(options[-1]).read_text()
    assert text.startswith(begins)
    assert begins != "{" or json.loads(text)["blocks"]


@pytest.mark.parametrize("name", ["stages.py", "explain.py", "speed.py"])
def test_benchmarks_name_the_file_that_is_not_there(name: str) -> None:
    line = [sys.executable, ROOT / "benchmarks" / name, "--data", "none.jsonl.gz"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "none.jsonl.gz: No such file or directory\n")


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (gzip.compress(PAGE.encode()), 0, ""),
        (gzip.compress(PAGE.encode())[:-9], 3, ": Compressed file ended before"),
        (b"\x1f\x8b?", 3, ": "),
        (
            gzip.compress(b"filedesc://x.arc 0.0.0.0 20200101000000 text/plain 76\n1 0 InternetArchive\n"),
            1,
            "this is an ARC file",
        ),
    ],
    ids=["whole", "cut off", "damaged", "ARC"],
)
@pytest.mark.parametrize("name", ["page.gz", "-"])
def test_a_compressed_page_is_unpacked(
    name: str,
    content: bytes,
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("page.gz").write_bytes(content)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert main(["extract", name]) == code
    out, err = capsys.readouterr()
    assert (out.startswith("The harbour"), message in err) == (code == 0, True)
    assert err.count("\n") == (code != 0)
