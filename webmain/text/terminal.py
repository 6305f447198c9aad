"""Make the text of pages safe to print on a terminal.

A page may contain escape sequences, which repaint, rename or program a terminal, and marks that reverse the order of
letters. `guard_terminal` filters them from everything written to standard output and standard error.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from itertools import accumulate
from typing import Any, Final, TextIO

from webmain.regex import lazy
from webmain.text.normal import shorten

_SEQUENCE: Final = (
    r"\x1b(?:\[[0-?]{0,40}[ -/]{0,9}[@-~]?|[\]PX^_][^\x07\x1b\x9c]{0,2000}(?:\x07|\x1b\\|\x9c)?|[ -/]{0,9}[0-~])?"
    r"|\x9b[0-?]{0,40}[ -/]{0,9}[@-~]?"
)
"""Pattern of complete escape sequences (ECMA-48), so that none of their letters remain."""

_CONTROLS = lazy(rf"{_SEQUENCE}|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNSHOWN = lazy(rf"{_SEQUENCE}|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]")


def without_controls(text: str) -> str:
    """Return a text without control characters and escape sequences; tabs, line ends and direction marks stay."""
    return _CONTROLS.sub("", text.replace("\r\n", "\n"))


def printable(text: str) -> str:
    """Return a text without control characters, escape sequences and direction marks."""
    return _UNSHOWN.sub("", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return a printable text as one line, white space folded."""
    return " ".join(printable(text.replace("\r", " ").replace("\u2028", " ").replace("\u2029", " ")).split())


def cut(text: str, most: int) -> str:
    """Return a printable text as one line of at most so many characters; a longer one ends in an ellipsis."""
    return shorten(one_line(text), most)


def counted(n: int, noun: str) -> str:
    """Return a number with what is counted: "1 article", "2 articles"."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}{'es' if noun.endswith('s') else 's'}"


def display_width(text: str) -> int:
    """Return how many columns a terminal needs: marks above and below take none, wide characters take two."""
    return sum(map(_columns, text))


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """Return a text padded with spaces to a width, on the left if `right`; a longer one is cut and ends in an ellipsis."""
    text = one_line(text)
    if display_width(text) > columns:
        ends = accumulate(map(_columns, text))
        text = text[: sum(end < columns for end in ends)] + "…"
    space = " " * (columns - display_width(text))
    return space + text if right else text + space


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class PrintableStream:
    """A wrapper of a text stream that makes written text printable; all else is passed on."""

    def __init__(self, stream: TextIO) -> None:
        self.plain = stream  # the wrapped stream, for webmain's own terminal output (bold letters, a progress line)

    def write(self, text: str) -> int:
        """Write a text cleaned; return the length of the original, as streams do."""
        self.plain.write(printable(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)


_CLOSED: Final = (("stdin", os.O_RDONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w"))
"""How closed streams are opened. What is written to a file open for reading is an error, but only if there is anything."""


def guard_terminal(*, always: bool = False) -> None:
    """Filter standard output and standard error if they are a terminal, or always.

    Before that, streams that the caller has closed are opened: nothing can be read or written, and messages are discarded.
    """
    for name, flags, mode in _CLOSED:
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, PrintableStream) and (always or stream.isatty()):
            setattr(sys, name, PrintableStream(stream))


def shows_colours() -> bool:
    """Return True if standard output is a terminal, and its user wants colours (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def discard(stream: TextIO) -> None:
    """Discard what a stream has buffered and what is written to it, so that the interpreter does not complain at its exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def plain(stream: TextIO) -> TextIO:
    """Return the stream without the filter."""
    return stream.plain if isinstance(stream, PrintableStream) else stream
