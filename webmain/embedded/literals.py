"""Values of JavaScript literals: what `window.__STATE__ = {...}` assigns, read without running anything."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

MAX_DEPTH: Final = 150
MAX_TOKENS: Final = 400_000
"""Pieces of one literal that are read; the rest of it is left out."""


class Name(str):
    """A bare word that stood where a value was expected: a variable, a function."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Literal:
    """A value, and where the text after it begins."""

    value: Any
    end: int


_DECODER: Final = json.JSONDecoder(strict=False)
_STRINGS: Final = "|".join(rf"{q}[^{q}\\]*+(?:\\.[^{q}\\]*+)*+{q}" for q in "\"'`")
_TOKEN: Final = re.compile(rf"[\s;]++|(?P<string>{_STRINGS})|(?P<word>[\w$.\-]++)|/[/*]|.", re.DOTALL)
_ESCAPE: Final = re.compile(
    r"\\(u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|[0-3]?[0-7]{1,2}|\r\n|.)", re.DOTALL
)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": "", "v": "", "\n": "", "\r\n": ""}
_NUMBER: Final = re.compile(r"-?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})")
_CONSTANTS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None, "undefined": None, "NaN": None}
_CLOSING: Final = {"{": "}", "[": "]", "(": ")"}


def read_literal(text: str, start: int) -> Literal | None:
    """Read the object, array or string that begins at a position.

    Parameters
    ----------
    text : str
        A script's source.
    start : int
        Position of `{`, `[` or a quote.

    Returns
    -------
    Literal or None
        JSON is read as such. In other literals bare words are `Name`, calls are the list of their arguments, and what is no
        literal is passed over. None where nothing could be read. Never raises; the cost is linear in what is read.
    """
    try:
        value, end = _DECODER.raw_decode(text, start)
        return Literal(value, end)
    except (ValueError, RecursionError):
        pass
    if text[start] in _CLOSING:
        return _Reader(text).read(start)
    match = _TOKEN.match(text, start)
    return Literal(unescape(match["string"]), match.end()) if match and match["string"] else None


def unescape(quoted: str) -> str:
    """Return what a quoted JavaScript string says."""
    inner = quoted[1:-1]
    if "\\" not in inner:
        return inner
    joined = _ESCAPE.sub(_character, inner)
    return joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) > 2 and code[0] in "ux":
        point = int(code[1:].strip("{}"), 16)
        return chr(point) if point < 0x110000 else "\ufffd"
    if "0" <= code[0] <= "7":
        return chr(int(code, 8)) if int(code, 8) else ""
    return _ESCAPES.get(code, code)


@dataclass(slots=True)
class _Frame:
    """An open bracket: what it holds so far, and the value that is being read."""

    container: dict[str, Any] | list[Any]
    closing: str
    key: str | None = None
    value: Any = None
    filled: bool = False
    joins: bool = False  # a plus sign came before

    def take(self, value: Any) -> None:
        """Note a value; strings around a plus sign are joined."""
        if self.joins and isinstance(self.value, str) and isinstance(value, str):
            value = self.value + value
        self.value, self.filled, self.joins = value, True, False

    def colon(self) -> None:
        """Make a key of the value that was read."""
        if isinstance(self.container, dict) and self.key is None and self.filled:
            self.key, self.value, self.filled = str(self.value), None, False

    def commit(self) -> None:
        """Put the value that was read into the container."""
        if self.filled:
            if isinstance(self.container, list):
                self.container.append(self.value)
            elif self.key is not None:
                self.container[self.key] = self.value
        self.key, self.value, self.filled, self.joins = None, None, False, False


@dataclass(slots=True)
class _Reader:
    """A reader with a stack of open brackets, which puts up with whatever is no literal."""

    text: str
    frames: list[_Frame] = field(default_factory=list)
    ignored: int = 0  # brackets open below the depth that is read

    def read(self, start: int) -> Literal | None:
        """Read to the bracket that closes the first one; None where it never comes."""
        position = start
        for _ in range(MAX_TOKENS):
            match = _TOKEN.match(self.text, position)
            if match is None:
                return None
            position = match.end()
            piece = match.group()
            if piece in ("//", "/*"):
                position = self._comment_end(position, piece)
            elif piece in _CLOSING:
                self._open(piece)
            elif piece in ("}", "]", ")"):
                closed = self._close(piece)
                if closed is not None:
                    return Literal(closed.container, position)
            elif not self.ignored:
                self._take(match, piece)
        return None

    def _take(self, match: re.Match[str], piece: str) -> None:
        """Take a piece that is no bracket."""
        frame = self.frames[-1]
        if match["string"]:
            frame.take(unescape(piece))
        elif match["word"]:
            if frame.value == "!" and isinstance(frame.value, Name):
                frame.value = piece in ("0", "false")
            else:
                frame.take(_word(piece))
        elif piece == ",":
            frame.commit()
        elif piece == ":":
            frame.colon()
        elif piece == "!":
            frame.take(Name("!"))
        elif piece == "+":
            frame.joins = True

    def _comment_end(self, position: int, opening: str) -> int:
        mark = "\n" if opening == "//" else "*/"
        end = self.text.find(mark, position)
        return len(self.text) if end < 0 else end + len(mark)

    def _open(self, piece: str) -> None:
        if self.ignored or len(self.frames) >= MAX_DEPTH:
            self.ignored += 1
        else:
            self.frames.append(_Frame({} if piece == "{" else [], _CLOSING[piece]))

    def _close(self, piece: str) -> _Frame | None:
        """Close the innermost bracket if it is of this kind; return it if it was the first one."""
        if self.ignored:
            self.ignored -= 1
            return None
        if self.frames[-1].closing != piece:
            return None
        frame = self.frames.pop()
        frame.commit()
        if not self.frames:
            return frame
        self.frames[-1].take(frame.container)
        return None


def _word(word: str) -> Any:
    """Read a word without quotes."""
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    if _NUMBER.fullmatch(word):
        return float(word) if "." in word else int(word)
    return Name(word)
