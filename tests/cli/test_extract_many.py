"""`webmain extract` over archives, folders and many files."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from webmain import cli
from webmain.cli import exits
from webmain.processes.pool import Pool, PoolError

ROOT = Path(__file__).parents[2]
SAID = "On day {n} the harbour master counted {n} boats and said that the tide would come before noon, as it did. "


def markup(n):
    return f"<html><head><title>Day {n}</title></head><body><p>{SAID.format(n=n) * 4}</p></body></html>"


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "pages"
    place.mkdir()
    for n in range(12):
        (place / f"{n:02}.html").write_text(markup(n), "utf-8")
    return place


def record(n, body):
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    block = head + body
    return (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{n:012}>\r\n"
        f"WARC-Target-URI: https://courier.example/{n}\r\nWARC-Date: 2026-11-20T08:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    ).encode() + (block + b"\r\n\r\n")


@pytest.fixture
def warc(tmp_path):
    path = tmp_path / "pages.warc"
    path.write_bytes(
        b"".join(record(n, b"<html><body></body></html>" if n == 3 else markup(n).encode()) for n in range(6))
    )
    return path


def records(capsys):
    shown = capsys.readouterr()
    return [json.loads(line) for line in shown.out.splitlines()], shown.err


@pytest.mark.parametrize("jobs", ["0", "2"])
def test_a_folder_gives_a_record_a_line_in_the_order_of_its_names(folder, jobs, capsys):
    assert cli.main(["extract", "-f", "json", "-j", jobs, str(folder)]) == exits.OK
    found, told = records(capsys)
    assert [f"On day {n} " in article["text"] for n, article in enumerate(found)] == [True] * 12
    assert told == "webmain: 12 articles, 0 rejected\n"


def test_an_archive_and_a_file_are_taken_one_after_the_other(warc, folder, capsys):
    code = cli.main(["extract", "-f", "json", "--jobs", "1", str(folder / "07.html"), str(warc)])
    found, told = records(capsys)
    assert code == exits.REJECTED
    assert [article["title"] for article in found] == ["Day 7", *(f"Day {n}" for n in (0, 1, 2, 4, 5))]
    assert found[1]["url"] == "https://courier.example/0"
    assert "webmain: https://courier.example/3: rejected: no_blocks: the method learned finds no block of text" in told
    assert "webmain: 6 articles, 1 rejected (1 no_blocks)" in told


def test_an_archive_that_is_cut_off_gives_what_stands_before_and_is_told(warc, capsys):
    warc.write_bytes(warc.read_bytes()[:-600])
    assert cli.main(["extract", "-f", "json", "-j", "0", str(warc)]) == exits.NOT_FOUND
    found, told = records(capsys)
    assert len(found) == 4
    assert f"webmain: {warc} (at or after the record of https://courier.example/5 at byte " in told
    assert "): damaged\n" in told


def test_a_pattern_or_folder_without_pages_is_told(tmp_path, capsys):
    assert cli.main(["extract", "-j", "0", str(tmp_path / "*.warc.gz")]) == exits.NOT_FOUND
    (tmp_path / "empty").mkdir()
    assert cli.main(["extract", "-j", "0", str(tmp_path / "empty")]) == exits.NOT_FOUND
    told = capsys.readouterr().err
    assert "*.warc.gz" in told
    assert f"webmain: {tmp_path / 'empty'}" in told


def test_texts_of_several_pages_are_divided_by_a_line(folder, capsys):
    (folder / "00.html").write_text("<html><body></body></html>", "utf-8")
    assert cli.main(["extract", *(str(folder / f"{n:02}.html") for n in range(3))]) == exits.REJECTED
    shown = capsys.readouterr()
    assert shown.out.count("-" * 72) == 1
    assert shown.out.startswith("On day 1 ")
    assert "articles" not in shown.err  # counts are told of archives and folders


def test_workers_that_cannot_start_are_told(folder, capsys, monkeypatch):
    def refuse(*_, **__):
        raise PoolError("a worker process cannot start")

    monkeypatch.setattr(Pool, "submit", refuse)
    assert cli.main(["extract", str(folder), "--jobs", "1"]) == exits.NOT_FOUND
    assert "webmain: a worker process cannot start\n" in capsys.readouterr().err


def test_other_files_of_a_folder_are_told(folder, capsys):
    for name in ("notes.txt", "noext"):
        (folder / name).write_text("no page")
    assert cli.main(["extract", "-f", "json", "-j", "0", str(folder)]) == exits.OK
    found, told = records(capsys)
    assert len(found) == 12
    assert f"webmain: {folder}: 2 other files without the name of a page (such as .html) passed over\n" in told


@pytest.mark.parametrize("jobs", ["-1", "many", "1.5"])
def test_a_wrong_number_of_jobs_is_refused(folder, jobs, capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(["extract", f"--jobs={jobs}", str(folder)])
    assert caught.value.code == exits.USAGE
    assert "--jobs" in capsys.readouterr().err


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_command_and_its_workers_without_a_traceback(folder, sign, tmp_path):
    for n in range(12, 4_000):
        os.link(folder / f"{n % 12:02}.html", folder / f"{n:04}.html")
    command = [sys.executable, "-m", "webmain.cli", "extract", "--jobs", "2", "-f", "json", str(folder)]
    with (tmp_path / "told").open("wb") as told:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=told, start_new_session=True, env=os.environ
        )
        process.stdout.readline()
        workers = psutil.Process(process.pid).children(recursive=True)
        assert len(workers) >= 2
        os.killpg(process.pid, sign)  # as a terminal does it
        process.stdout.close()
        code = process.wait(200)
    assert code == (exits.INTERRUPTED if sign == signal.SIGINT else -signal.SIGTERM)
    _gone, alive = psutil.wait_procs(workers, timeout=60)
    assert not alive
    assert "Traceback" not in (tmp_path / "told").read_text("utf-8")
