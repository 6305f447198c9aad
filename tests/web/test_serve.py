"""The server as a process: its start, its end, its limits on what comes in."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager, suppress

import pytest

from webmain.cli import main
from webmain.cli.exits import INTERRUPTED, USAGE

START = [sys.executable, "-m", "webmain.cli", "serve", "--port", "0"]


@contextmanager
def running(*arguments, command=START, **other):
    process = subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True, **other)
    try:
        line = process.stdout.readline()
        yield int(re.search(r"http://127\.0\.0\.1:(\d+)/", line)[1]), process
    finally:
        process.terminate()
        process.communicate(timeout=100)


def test_the_first_page_comes_soon_and_loads_nothing_heavy():
    began = time.perf_counter()
    with running() as (port, _):
        page = urllib.request.urlopen(f"http://127.0.0.1:{port}/").read()
        took_s = time.perf_counter() - began
    assert b"Extract a page" in page
    assert took_s < 10  # a second on a machine that does nothing else: benchmarks/serve.py


def test_places_without_recordings_or_models_are_told(tmp_path):
    places = ["--pages", str(tmp_path / "none"), "--models", str(tmp_path / "nothing")]
    with running(*places, stderr=subprocess.PIPE) as (_, process):
        process.terminate()
        told = process.stderr.read()
    assert f"webmain: --models {tmp_path}/nothing: no such folder" in told
    assert f"webmain: --pages: {tmp_path}/none: no such file or folder" in told


def test_nothing_heavy_is_imported_for_the_first_page():
    code = (
        "import sys; from webmain.web.app import create_app; from webmain.web.config import Config\n"
        "create_app(Config()); heavy = 'scrapy twisted numpy scipy sklearn lxml selectolax fastwarc'.split()\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_slow_and_endless_requests_do_not_stop_others():
    with running() as (port, _):
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
        for one in slow:
            one.sendall(b"POST /logout HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nx")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=100) as answer:
            assert answer.status == 200
        for one in slow:
            one.close()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"421"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"421"),
        (b"GET /static/../app.py HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"GET /static/%2e%2e/app.py HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"GET /static//etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"POST /extract HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n", b"413"),
        (b"POST /extract HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", b"4"),
        (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"400"),
    ],
)
def test_odd_requests_are_refused(server, sent, status):
    with socket.create_connection(("127.0.0.1", server), timeout=100) as connection:
        connection.sendall(sent.replace(b"Host:", b"Connection: close\r\nHost:"))
        answer = b""
        while part := connection.recv(65_536):
            answer += part
    assert answer.split(b" ", 2)[1].startswith(status)
    assert b"root:" not in answer


def test_an_address_that_is_not_encoded_is_refused_with_what_to_do(server):
    with socket.create_connection(("127.0.0.1", server), timeout=100) as connection:
        connection.sendall("GET /api/v1/search?q=เรือ HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        answer = b""
        while part := connection.recv(65_536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"--data-urlencode" in answer


def test_heads_without_end_are_refused(server):
    with socket.create_connection(("127.0.0.1", server), timeout=100) as connection, suppress(OSError):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 3_000_000)
        assert connection.recv(100).startswith(b"HTTP/1.1 400")


def test_a_body_in_tiny_parts_is_refused_after_a_thousand_and_one_in_larger_parts_is_read(server):
    head = (
        b"POST /api/v1/extract HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    for part, status in ((b"x", b"400 Bad"), (b"x" * 512, b"415 ")):  # neither says what it is: 415 once it was read
        with socket.create_connection(("127.0.0.1", server), timeout=20) as connection:
            connection.sendall(head + b"%x\r\n%b\r\n" % (len(part), part) * 3_000 + b"0\r\n\r\n")
            assert connection.recv(100).startswith(b"HTTP/1.1 " + status)


def test_small_parts_are_counted_for_each_request(server):
    asked = (
        b"POST /none HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"1\r\nx\r\n" * 600
        + b"0\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server), timeout=20) as connection:
        connection.sendall(asked * 2 + b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        answer = b""
        while part := connection.recv(65_536):
            answer += part
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"404", b"404", b"200"]


@pytest.mark.parametrize("path", ["/", "/login", "/api/v1/extract"])
@pytest.mark.parametrize("late", [b"ZZZ\r\n", b"1\r\nx\r\n" * 1_500, None])
def test_broken_requests_leave_no_traceback_in_the_log(tmp_path, path, late):
    form = b"Content-Type: application/x-www-form-urlencoded" if path == "/login" else b"Content-Type: application/json"
    head = b"POST %b HTTP/1.1\r\nHost: localhost\r\n%b\r\nTransfer-Encoding: chunked\r\n\r\n" % (path.encode(), form)
    with (tmp_path / "log").open("wb") as log, running(stderr=log) as (port, _):
        for wait_s in (0, 0.3):  # while the answer is made, and after that
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection, suppress(OSError):
                connection.sendall(head)
                time.sleep(wait_s)
                if late is not None:
                    connection.sendall(late)
                    while connection.recv(65_536):
                        pass
        time.sleep(0.3)
    lines = (tmp_path / "log").read_text().splitlines()
    assert [line for line in lines if "Invalid HTTP request" not in line] == []


def test_who_asks_for_nothing_is_sent_away():
    """Twenty looks a second in place of one in ten."""
    code = "import webmain.web.connections as c; c.HEAD_S = .05; from webmain.cli import main; main()"
    with running(command=[sys.executable, "-c", code, "serve", "--port", "0"]) as (port, _):
        with socket.create_connection(("127.0.0.1", port), timeout=100) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: local")
            assert connection.recv(100) == b""
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
            assert answer.status == 200


@pytest.fixture(scope="module")
def server():
    with running() as (port, _):
        yield port


def test_the_token_is_in_no_log_and_in_no_answer(tmp_path):
    with (tmp_path / "log").open("wb") as log, running(stderr=log, env={"WEBMAIN_TOKEN": "s3cret-t0ken"}) as (port, _):
        asked = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"Authorization": "Bearer s3cret-t0ken"})
        with urllib.request.urlopen(asked) as answer:
            text = answer.read()
    assert b"s3cret" not in text
    assert b"s3cret" not in (tmp_path / "log").read_bytes()


def test_beyond_this_machine_a_token_is_needed(capsys, monkeypatch):
    monkeypatch.delenv("WEBMAIN_TOKEN", raising=False)
    assert main(["serve", "--host", "0.0.0.0"]) == USAGE
    assert "WEBMAIN_TOKEN" in capsys.readouterr().err


def test_a_store_that_cannot_be_browsed_is_refused_at_once(capsys):
    assert main(["serve", "--store", "jsonl:news.jsonl"]) == USAGE
    assert "only SQLite stores" in capsys.readouterr().err


def test_a_port_that_is_taken_or_is_none_is_told(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == USAGE
    assert "--port" in capsys.readouterr().err
    with pytest.raises(SystemExit, match=str(USAGE)):
        main(["serve", "--port", "99999"])
    assert "--port" in capsys.readouterr().err


@pytest.mark.parametrize("times", [1, 2])
def test_interrupts_end_it_without_a_traceback(times, tmp_path):
    with (tmp_path / "log").open("wb") as log, running(stderr=log) as (port, process):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/").read()
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        assert process.wait(timeout=100) == INTERRUPTED
    assert (tmp_path / "log").read_text() == ""
