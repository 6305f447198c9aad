"""What pages hold is shown by a terminal and never obeyed."""

import io
import json
import os
import pty
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.forking import environment
from webmain.text.terminal import PrintableStream, display_width, one_line, pad, printable, without_controls

HOSTILE = [
    "\x1b]0;title\x07x",
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x9b2J",
    "\x1b",
    "a\rb",
    "\x00\x07\x7f\x85",
    "\u202egnp.exe",
    "\x1b(0",
]


def is_safe(text):
    return not any(
        (ord(c) < 32 and c not in "\t\n") or 0x7F <= ord(c) < 0xA0 or c in "\u202a\u202b\u202d\u202e\u2066\u2067"
        for c in text
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_made_safe(text):
    for safe in (printable(f"before {text} after"), one_line(f"before {text} after")):
        assert is_safe(safe)
        assert safe.startswith("before ")
        assert safe.endswith("fter")  # an escape may take what follows it


@given(st.text(alphabet=st.characters() | st.sampled_from("\x1b[]\x9b\x07;0m\\\u202e\r\n"), max_size=60))
def test_nothing_that_a_terminal_obeys_is_left(text):
    assert is_safe(printable(text))
    assert printable(printable(text)) == printable(text)
    assert "\n" not in one_line(text)
    assert "\x1b" not in without_controls(text)


@pytest.mark.parametrize(
    "text", ["ข่าววันนี้", "日本語の記事\n\tzwei", "क्\u200dष", "👩\u200d👩", "café – “q”", "می\u200cخواهم"]
)
def test_texts_of_all_scripts_stay_as_they_are(text):
    assert printable(text) == text == without_controls(text)


def test_marks_of_direction_stay_in_texts_that_are_not_shown():
    assert without_controls("שלום\u200f!") == "שלום\u200f!"


def test_a_stream_cleans_what_is_written_and_is_else_the_same():
    inner = io.StringIO()
    stream = PrintableStream(inner)
    print("a\x1b[2Jb", "c", file=stream)
    stream.writelines(["\x07", "d"])
    assert inner.getvalue() == "ab c\nd"
    assert not stream.isatty()
    assert stream.plain is inner


def on_terminal(*command):
    """Run a command whose standard output and error are a terminal; return what it showed."""
    master, slave = pty.openpty()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(master)
    process.wait(30)
    return shown.decode("utf-8", "replace").replace("\r\n", "\n")


def test_commands_show_a_hostile_page_and_json_stays_exact(tmp_path, run_module):
    page = tmp_path / "page.html"
    words = " ".join(f"word{n}" for n in range(80))
    page.write_text(
        f"<html><head><title>T\x9b2J&#27;[31m</title></head><body><article><h1>T\x9b2J</h1><p>{words} &#27;]0;evil&#7; "
        f"\u202egnp\u202c \x9b31m {words}</p></article></body></html>"
    )
    command = [sys.executable, "-m", "webmain.cli", "extract", str(page)]
    for form in ("markdown", "json"):
        shown = on_terminal(*command, "-f", form)
        assert "word79" in shown
        assert is_safe(shown), repr(shown[:300])
    assert is_safe(on_terminal(sys.executable, "-m", "webmain.cli", "explain", str(page)))
    piped = run_module("webmain.cli", "extract", str(page), "-f", "json", folder=tmp_path, env=environment())
    assert "\u202e" in json.loads(piped.stdout)["text"]
    piped = run_module("webmain.cli", "extract", str(page), "-f", "text", folder=tmp_path, env=environment())
    assert "\x1b" not in piped.stdout
    assert "\u202e" in piped.stdout
    shown = on_terminal(*command, str(page), str(page))
    assert "/3 [" in shown  # the progress
    assert shown.count("word79") == 6
    assert is_safe(shown.replace("\r", "\n")), repr(shown[:300])


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("ice", 3), ("ข่าว", 3), ("ที่นี่", 2), ("นำ้", 2), ("日本", 4), ("한국", 4), ("e\u0301", 1), ("a\u200bb", 2)],
)
def test_the_width_on_a_terminal(text, width):
    assert display_width(text) == width


@given(st.text(max_size=40), st.integers(1, 30))
def test_a_padded_text_has_its_width(text, columns):
    padded = pad(text, columns)
    assert display_width(padded) == columns
    assert padded.isprintable() or any(not c.isprintable() for c in text)
    assert "\n" not in padded
    assert "\x1b" not in padded
