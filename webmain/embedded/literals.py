"""Read JavaScript literals without running code: objects, arrays, strings, and values of immediately called functions."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from webmain.regex import lazy

MAX_DEPTH: Final = 150
"""Maximum nesting depth of values."""

_ARGUMENTS = lazy(r"[\s;})]{0,20}+\(")
_RETURN = lazy(r"return\s*+(?=\{)")


@dataclass(frozen=True, slots=True)
class Literal:
    """A value, and the position after it in the source."""

    value: Any
    end: int


_DECODER: Final = json.JSONDecoder(strict=False)
_STRINGS: Final = "|".join(rf"{q}[^{q}\\]*+(?:\\.[^{q}\\]*+)*+{q}" for q in "\"'`")
_TOKEN: Final = lazy(rf"{_STRINGS}|/\*.*?(?:\*/|\Z)|//[^\n]*+|[{{}}\[\]()]", re.DOTALL)
_ESCAPES: Final = lazy(
    r"\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|([\"'`])|(\r?\n)|([ac-eg-mo-qsv-zA-Z0-9])|.)", re.DOTALL
)
_JOINED: Final = lazy(r"([\"'])\s*+\+\s*+\1")
_CALLS: Final = lazy(rf"({_STRINGS})|(?<![\w$.])(?:new\s++)?[\w$.]*+\(|(\))", re.DOTALL)
_BARE: Final = lazy(rf"{_STRINGS}|(?<=[:\[,])\s*+([\w$]++)\s*+(?=[,}}\]])", re.DOTALL)
_ARGUMENT: Final = "\x02"
"""Prefix of the strings that stand for a function's arguments until their values are known."""


def read_literal(text: str, start: int, *, names: frozenset[str] = frozenset()) -> Literal | None:
    """Return the object, array or string that begins at a position.

    Parameters
    ----------
    text : str
        A script's source.
    start : int
        Position of `{`, `[`, `(` or a quote. Calls, and anything else in parentheses, are read as a list of arguments.
    names : frozenset of str
        Bare words that are a function's parameters.

    Returns
    -------
    Literal or None
        None if it is not a literal: it contains other code, or has no end. Never raises; linear in the length read.
    """
    try:
        value, end = _DECODER.raw_decode(text, start)
        return Literal(value, end)
    except (ValueError, RecursionError):
        pass
    found = _closing(text, start)
    if found is None:
        return None
    import chompjs

    source = _CALLS.sub(lambda m: m[1] or ("]" if m[2] else "["), text[start:found])
    source = _JOINED.sub("", _ESCAPES.sub(_escape, source if source[0] in "{[" else f"[{source}]"))
    if names:
        source = _with_marks(source, names)
    try:
        value = chompjs.parse_js_object(source, loader_kwargs={"strict": False})
    except (ValueError, RecursionError):
        return None
    return Literal(value[0] if text[start] in "\"'`" else value, found)


def _closing(text: str, start: int) -> int | None:
    """Return where the bracket or quote at a position is closed; None if it is not."""
    depth = 0
    for match in _TOKEN.finditer(text, start):
        piece = match.group()
        depth += (piece in "{[(") - (piece in "}])")
        if depth <= 0:
            return match.end()
    return None


def _escape(match: re.Match[str]) -> str:
    """Return a JavaScript escape in JSON's form, and quotation marks as code points, since chompjs ends keys at them."""
    two_digits, in_braces, mark, line_end, letter = match.groups()
    if two_digits or in_braces or mark:
        point = ord(mark) if mark else int(two_digits or in_braces, 16)
        return f"\\u{point:04x}" if point < 0x80 else json.dumps(chr(point) if point < 0x110000 else "\ufffd")[1:-1]
    return "" if line_end else letter or match.group()


def _with_marks(source: str, names: frozenset[str]) -> str:
    """Return a literal's source with these bare words replaced by marked strings."""
    return _BARE.sub(lambda m: f'"{_ARGUMENT}{m[1]}"' if m[1] in names else m[0], source)


def returned(text: str, start: int, names: str) -> Literal | None:
    """Return the value of `(function(a, b) { return {...} })(1, "x")`."""
    match = _RETURN.search(text, start, start + 20_000)
    arguments = [name for name in map(str.strip, names.split(",")) if name]
    body = read_literal(text, match.end(), names=frozenset(arguments)) if match else None
    call = _ARGUMENTS.match(text, body.end) if body else None
    passed = read_literal(text, call.end() - 1) if call else None
    if body is None or passed is None:
        return body
    return Literal(_filled(body.value, dict(zip(arguments, passed.value, strict=False))), passed.end)


def _filled(value: Any, values: dict[str, Any], depth: int = 0) -> Any:
    """Return a value with a function's arguments substituted for its parameters."""
    if isinstance(value, str) and value[:1] == _ARGUMENT:
        return values.get(value[1:])
    if depth > MAX_DEPTH:
        return None
    inner = partial(_filled, values=values, depth=depth + 1)
    if isinstance(value, dict):
        return {k: inner(v) for k, v in value.items()}
    return [inner(v) for v in value] if isinstance(value, list) else value
