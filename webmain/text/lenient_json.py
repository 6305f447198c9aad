"""A lenient parser for malformed JSON in pages."""

from __future__ import annotations

import contextlib
import html
import json
import re
from typing import Any, Final

from webmain.regex import lazy

MAX_SCRIPT_CHARS: Final = 2_000_000  # maximum characters of a script that is read: descriptions of pages are shorter

MAX_DEPTH: Final = 40
_MAX_TOKENS: Final = 60_000


def parse_json(text: str) -> list[Any]:
    """Return one script's JSON values, as far as they can be read.

    Tolerates comments, CDATA and comment marks, trailing or missing commas, control characters, single quotes, stray
    quotes inside strings, escaped entities, several values in a row and a missing end.

    `text`: the script's content. Cost is linear in it; over `MAX_SCRIPT_CHARS` nothing is read.

    Returns JSON types; empty if nothing could be read. Never raises.
    """
    if len(text) > MAX_SCRIPT_CHARS:
        return []
    text = text.strip("\ufeff \t\r\n;")
    if not text:
        return []
    if "\\ud" in text or "\\uD" in text:
        text = _LONE_SURROGATE.sub(r"\\ufffd", text)
    attempts = [text, html.unescape(text)] if "&quot;" in text and text.count('"') < 2 else [text]
    for attempt in attempts:
        with contextlib.suppress(ValueError, RecursionError):
            return [json.loads(attempt, strict=False)]
    return _Lenient(attempts[-1]).values()


_LONE_SURROGATE = lazy(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_NEXT = lazy(
    r"""
    (?P<space>[\s\x00-\x1f\ufeff;]++)
    |(?P<mark>[{}\[\]:,])
    |(?P<quote>["'“”])
    |(?P<skip>/\*|//|<!\[CDATA\[|\]\]>|<!--|-->)
    |(?P<word>[^\s{}\[\]:,"';]++)
    """,
    re.VERBOSE,
)
_STRING_END = {
    quote: re.compile(rf"{quote}(?=[\s\x00-\x1f]*+(?:[,:}}\]]|\Z|//|/\*|{quote}[\w@]+{quote}\s*+:))|\\.", re.DOTALL)
    for quote in ('"', "'")
}
_ESCAPE = lazy(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": ""}
_NUMBER = lazy(r"-?\d{1,15}(?:\.\d{1,15})?")
_CONSTANTS: Final = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}


class _Lenient:
    """A parser with a stack of open containers; tokens that don't fit are skipped."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._roots: list[Any] = []
        self._stack: list[Any] = []
        self._keys: list[str | None] = []
        self._ignored = 0  # containers open below the bound

    def values(self) -> list[Any]:
        """Return the values up to the end, or to the bounds."""
        position = 0
        for _ in range(_MAX_TOKENS):
            match = _NEXT.match(self._text, position)
            if match is not None:
                position = self._take(match)
            elif position < len(self._text):
                position += 1
            else:
                break
        return self._roots

    def _take(self, match: re.Match[str]) -> int:
        """Process one token and return the start of the next."""
        piece, end = match.group(), match.end()
        if match["quote"]:
            value, end = self._string(end, "'" if piece == "'" else '"')
            if not self._ignored:
                self._put(value)
        elif match["skip"]:
            return self._comment_end(end, piece)
        elif match["word"]:
            if not self._ignored:
                self._put(_bare(piece))
        elif piece in ("{", "["):
            if self._ignored or len(self._stack) >= MAX_DEPTH:
                self._ignored += 1
            else:
                self._open({} if piece == "{" else [])
        elif piece in ("}", "]"):
            if self._ignored:
                self._ignored -= 1
            else:
                self._close(dict if piece == "}" else list)
        elif piece == "," and self._keys and not self._ignored:
            self._keys[-1] = None
        return end

    def _string(self, start: int, quote: str) -> tuple[str, int]:
        """Return a string, up to a quote after which a value may end, and the position after it."""
        for match in _STRING_END[quote].finditer(self._text, start):
            if match.group()[0] != "\\":
                return _unescape(self._text[start : match.start()]), match.end()
        return _unescape(self._text[start : start + 2000]), len(self._text)

    def _comment_end(self, position: int, opening: str) -> int:
        mark = {"//": "\n", "/*": "*/"}.get(opening)
        if mark is None:
            return position
        end = self._text.find(mark, position)
        return len(self._text) if end < 0 else end + len(mark)

    def _open(self, container: Any) -> None:
        self._put(container)
        self._stack.append(container)
        self._keys.append(None)

    def _close(self, kind: type) -> None:
        """Close the nearest open container of the kind, and all containers open inside it."""
        for i in range(len(self._stack) - 1, -1, -1):
            if isinstance(self._stack[i], kind):
                del self._stack[i:], self._keys[i:]
                return

    def _put(self, value: Any) -> None:
        """Add a value to the innermost open container: as a key, as a key's value, or as an item."""
        if not self._stack:
            if isinstance(value, (dict, list)):
                self._roots.append(value)
            return
        top = self._stack[-1]
        if isinstance(top, list):
            top.append(value)
        elif self._keys[-1] is None:
            if isinstance(value, str):
                self._keys[-1] = value
        else:
            top[self._keys[-1]] = value
            self._keys[-1] = None


def _bare(word: str) -> Any:
    """Return the value of a word without quotes."""
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    return (float(word) if "." in word else int(word)) if _NUMBER.fullmatch(word) else word


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text

    def replace(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPES.get(code, code)

    joined = _ESCAPE.sub(replace, text)
    return joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
