"""Find state objects of JavaScript frameworks in a page's source, and turn them into plain values.

No script is run. Every pass over the source is linear, and sizes, depths and counts are bounded: anything beyond the bounds
is left out.
"""

from __future__ import annotations

import html
import itertools
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from webmain.embedded.literals import MAX_DEPTH, read_literal, returned
from webmain.regex import lazy
from webmain.text.lenient_json import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Attributes = dict[str, str | None]

MAX_CHARS: Final = 2_000_000
"""Maximum total characters of scripts read; a script longer than what is left is skipped."""

MIN_CHARS: Final = 250
"""Minimum characters of scripts, strings and attributes that may contain an article."""

MAX_LITERALS: Final = 60
"""Maximum literals read per script."""

MAX_FAILURES: Final = 4
"""Maximum failed attempts to read a literal per script: each can cost a pass over the rest of it."""

MAX_FAILED_CHARS: Final = 3_000_000
"""Maximum characters per page read in such failed attempts; the last attempt may exceed it."""

MAX_NODES: Final = 300_000

_OPENING = lazy(r"<script(?=[\s/>])([^>]{0,4000}+)>", re.IGNORECASE)
_CLOSING = lazy(r"</script", re.IGNORECASE)
_TYPE = lazy(r"\stype\s*+=\s*+[\"']?+([^\"'\s>]*+)", re.IGNORECASE)
_ID = lazy(r"\s(?:id|data-hypernova-key|data-type)\s*+=\s*+[\"']?+([^\"'\s>]*+)", re.IGNORECASE)
_SCRIPT_TYPES: Final = frozenset(
    ("", "module", "text/javascript", "application/javascript", "text/ecmascript", "application/x-javascript")
)
_LITERAL = lazy(r"(?:[=(]\s*+(?=[{\[\"'`])|:(?<=data:)(?=\[[n{]))|=\s*+\(?function\s*+\((?P<names>[\w$,\s]*+)\)\s*+\{")
_NAME = lazy(r"[\w$.]++(?=[\"'\]]*+\s*+\Z)")
_ATTRIBUTE = lazy(r"=\s*+[\"']\s*+(?:[{\[]|&#)")
_PACKED = lazy(r"(?:eyJ|W3s)[A-Za-z0-9+/]*+={0,2}")


@dataclass(frozen=True, slots=True)
class State:
    """A value given to a script of the page.

    Attributes
    ----------
    name : str
        Its variable, the script's id, or the attribute that contains it; "" if it has no name.
    value : Any
        JSON types.
    """

    name: str
    value: Any


def read_states(source: str, attributes: Iterable[Attributes] = (), *, max_chars: int = MAX_CHARS) -> list[State]:
    """Return the values given to a page's scripts.

    Parameters
    ----------
    source : str
        The page's markup.
    attributes : iterable of dict
        The attributes of its elements, some of which contain JSON.
    max_chars : int
        Bound to use instead of `MAX_CHARS`.

    Returns
    -------
    list of State
        In document order, those from attributes last. JSON-LD is left out. Never raises.
    """
    states, flight, failures = list[State](), list[str](), _Failures()
    for kind, name, text in _scripts(source, max_chars):
        if "json" in kind or kind not in _SCRIPT_TYPES:
            states.extend(State(name or kind, value) for value in _data(text) if isinstance(value, (dict, list)))
            continue
        for state in _assigned(text, failures):
            if state.name.endswith("__next_f.push"):
                pushed = state.value if isinstance(state.value, list) else []
                flight.extend(piece for piece in pushed[1:2] if isinstance(piece, str))
            else:
                states.append(state)
    if flight:
        states.append(State("__next_f", read_flight("".join(flight))))
    for name, value in _of_attributes(source, attributes):
        states.extend(State(name, v) for v in parse_json(value)[:1] if isinstance(v, (dict, list)))
    return [State(s.name, linked(unpacked(s.value))) for s in states]


def stands_in_data(piece: str, source: str, attributes: Iterable[Attributes]) -> bool:
    """Return True if a piece of text is in the source that `read_states` reads, unchanged or escaped as in JSON."""
    escaped = json.dumps(piece)[1:-1]
    data = itertools.chain(_scripts(source), _of_attributes(source, attributes))
    return any(piece in text or escaped in text for *_, text in data)


def _of_attributes(source: str, attributes: Iterable[Attributes]) -> Iterator[tuple[str, str]]:
    """Yield the names and values of attributes that may be JSON (with quotes) and are long enough."""
    for of_element in attributes if _ATTRIBUTE.search(source) else ():
        for name, value in of_element.items():
            if value and len(value) >= MIN_CHARS and value.lstrip()[:1] in ("{", "["):
                yield name, value


def _scripts(source: str, left: int = MAX_CHARS) -> Iterator[tuple[str, str, str]]:
    """Yield type, id and text of each script that is long enough and not JSON-LD."""
    position = 0
    while left > 0 and (opening := _OPENING.search(source, position)):
        closing = _CLOSING.search(source, opening.end())
        end = closing.start() if closing else len(source)
        position = closing.end() if closing else len(source)
        n_chars = end - opening.end()
        found = _TYPE.search(opening[1])
        kind = html.unescape(found[1]).lower() if found else ""
        is_short = n_chars < MIN_CHARS and source.find("__next_f", opening.end(), end) < 0
        if is_short or n_chars > left or "ld+json" in kind:
            continue
        left -= n_chars
        name = _ID.search(opening[1])
        yield kind, name[1] if name else "", source[opening.end() : end]


def _data(text: str) -> list[Any]:
    """Return the values of a script that is data."""
    text = text.strip()
    if text.startswith("{&q;"):  # the escaping of older Angular versions
        for mark, character in (("&q;", '"'), ("&s;", "'"), ("&l;", "<"), ("&g;", ">"), ("&a;", "&")):
            text = text.replace(mark, character)
    if text.startswith("<!--"):
        text = text[4:].removesuffix("-->").strip()
    text = unquote(text) if text.startswith("%7B") else text
    return parse_json(text) if text[:1] in ("{", "[") or text[:6] in ("&quot;", "{&quot") else []


@dataclass(slots=True)
class _Failures:
    """Number of characters of a page's scripts read in failed attempts to read a literal."""

    n_chars: int = 0


def _assigned(text: str, of_page: _Failures) -> Iterator[State]:
    """Yield the literals that a script assigns to variables or passes to functions."""
    position = failures = 0
    for _ in range(MAX_LITERALS):
        match = _LITERAL.search(text, position)
        while match and text[match.end()] in "\"'`" and not _is_long(text, match.end()):
            match = _LITERAL.search(text, match.end() + 1)
        if match is None or failures > MAX_FAILURES or of_page.n_chars > MAX_FAILED_CHARS:
            return
        name = _NAME.search(text[max(0, match.start() - 80) : match.start()])
        label = name.group() if name else ""
        names = match["names"]
        found = read_literal(text, match.end()) if names is None else returned(text, match.end(), names)
        if found is None:
            position, failures = match.end() + 1, failures + 1
            of_page.n_chars += len(text) - position
            continue
        position = found.end
        if found.end - match.end() >= MIN_CHARS or label.endswith("__next_f.push"):
            yield State(label, found.value)


def _is_long(text: str, start: int) -> bool:
    """Return True if a quoted string is long enough to contain an article."""
    end = text.find(text[start], start + 1, start + MIN_CHARS)
    while end > 0 and text[end - 1] == "\\":
        end = text.find(text[start], end + 1, start + MIN_CHARS)
    return end < 0


def unpacked(value: Any) -> Any:
    """Return a value with its indices resolved if it is a flat list of numbered values (devalue, turbo-stream).

    A string that is JSON, plain or in Base64, is parsed; any other value is returned unchanged.
    """
    if isinstance(value, str):
        return nested(value)
    if isinstance(value, list) and len(value) > 3 and isinstance(value[0], (dict, list)) and _is_flat(value):
        return _Flat(value).resolve(0, 0)
    return _unmarked(value, 0) if isinstance(value, dict) and _is_marked(value) else value


def _is_marked(value: dict[str, Any]) -> bool:
    """Return True if each value of an object is a pair of a type mark and the value (properties of Astro's islands)."""
    return bool(value) and all(isinstance(v, list) and len(v) in (1, 2) and type(v[0]) is int for v in value.values())


def _unmarked(value: Any, depth: int) -> Any:
    """Return a value without type marks: 0 precedes a plain value or an object, 1 a list of such pairs."""
    if depth > MAX_DEPTH:
        return None
    if isinstance(value, dict):
        return {k: _unmarked(v, depth + 1) for k, v in value.items()}
    if not (isinstance(value, list) and len(value) == 2 and type(value[0]) is int):
        return value
    mark, inner = value
    if mark == 1 and isinstance(inner, list):
        return [_unmarked(v, depth + 1) for v in inner]
    return _unmarked(inner, depth + 1) if isinstance(inner, dict) else inner


def nested(text: str) -> Any:
    """Return the value of a string that is JSON; the string itself if it is not."""
    if len(text) < MIN_CHARS:
        return text
    start = text[:200].lstrip()[:8]
    try:
        if start.startswith(("eyJ", "W3s")) and _PACKED.fullmatch(text):
            import base64

            decoded = base64.b64decode(text.rstrip("=") + "===").decode("utf-8", "replace")
        elif start.startswith(("%7B", "%5B")):
            decoded = unquote(text)
        elif start.startswith(("{&quot", "[{&quot")):
            decoded = html.unescape(text)
        elif start[:1] in ("{", "["):
            decoded = text
        else:
            return text
        value = json.loads(decoded, strict=False)
    except (ValueError, RecursionError):
        return text
    return unpacked(value) if isinstance(value, list) else value


def _is_flat(values: list[Any]) -> bool:
    """Return True if the first values of a list consist of positions in it."""
    n = len(values)
    checked = 0
    for value in values[:20]:
        inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        if isinstance(value, list) and len(inner) == 2 and isinstance(inner[0], str):
            inner = inner[1:]
        if not all(type(i) is int and -10 <= i < n for i in inner):
            return False
        checked += len(inner)
    return checked > 2


class _Flat:
    """A list of values that refer to each other by position."""

    def __init__(self, values: list[Any]) -> None:
        self._values = values
        self._known: dict[int, Any] = {}

    def resolve(self, index: Any, depth: int) -> Any:
        """Return the value at a position with everything it refers to; None if the position is invalid."""
        if type(index) is not int or not 0 <= index < len(self._values) or depth > MAX_DEPTH:
            return None
        if index in self._known:
            return self._known[index]
        value = self._values[index]
        if isinstance(value, dict):
            made: dict[str, Any] = {}
            self._known[index] = made
            for key, inner in value.items():
                made[self._key(key)] = self.resolve(inner, depth + 1)
            return made
        if isinstance(value, list):
            if value and isinstance(value[0], str):  # a mark for the value's type
                return self.resolve(value[1], depth + 1) if len(value) == 2 else None
            items: list[Any] = []
            self._known[index] = items
            items.extend(self.resolve(inner, depth + 1) for inner in value)
            return items
        return value

    def _key(self, key: str) -> str:
        """Return a key that may itself be a position ("_12")."""
        if key[:1] == "_" and key[1:].isdecimal() and len(key) < 9 and int(key[1:]) < len(self._values):
            named = self._values[int(key[1:])]
            return named if isinstance(named, str) else key
        return key


def linked(value: Any) -> Any:
    """Return a value with references replaced by the objects of its normalised store, or the rows of its flight stream.

    Parameters
    ----------
    value : Any
        JSON types. References are `{"__ref": KEY}`, `{"type": "id", "id": KEY}` and, in a flight stream, the string `$ID`.

    Returns
    -------
    Any
        The value itself if it has no references. Objects may occur in it more than once, but never inside themselves.
    """
    is_store = isinstance(value, dict) and any(":" in k or k[:1] == "$" for k in value)
    targets = value if is_store else _entities(value)
    return _Linking(targets).put(value, 0) if targets else value


def _entities(value: Any) -> dict[str, Any]:
    """Return the objects of a normalised store: values of the first object with several keys like `Post:12`."""
    level = [value]
    for _ in range(5):
        inner: list[Any] = []
        for node in level[:500]:
            if isinstance(node, dict) and sum(":" in k and isinstance(v, dict) for k, v in node.items()) > 2:
                return node
            inner.extend(v for v in (node.values() if isinstance(node, dict) else ()) if isinstance(v, dict))
        level = inner
    return {}


class _Linking:
    """Replaces references; each target is resolved once, and circular references are left out."""

    def __init__(self, targets: dict[str, Any]) -> None:
        self._targets = targets
        self._made: dict[str, Any] = {}
        self._left = MAX_NODES

    def put(self, value: Any, depth: int) -> Any:
        """Return a value with its references replaced."""
        self._left -= 1
        if depth > MAX_DEPTH or self._left < 0:
            return None
        if isinstance(value, str):
            if value[:1] != "$" or len(value) > 12:
                return value
            name = "$" + value[1:].lstrip("L@") if value not in self._targets else value
            return self._target(name, depth) if name in self._targets else value
        if isinstance(value, dict):
            key = value.get("__ref") or value.get("__refs") or (value.get("id") if value.get("type") == "id" else None)
            if isinstance(key, str) and key in self._targets:
                return self._target(key, depth)
            if isinstance(key, list):
                return [self._target(k, depth) for k in key if isinstance(k, str) and k in self._targets]
            return {k: self.put(v, depth + 1) for k, v in value.items()}
        if isinstance(value, list):
            return [self.put(v, depth + 1) for v in value]
        return value

    def _target(self, name: str, depth: int) -> Any:
        if name not in self._made:
            self._made[name] = None
            self._made[name] = self.put(self._targets[name], depth + 1)
        return self._made[name]


_ROW = lazy(rb"([0-9a-f]{1,8}):")
_TEXT_ROW = lazy(rb"([0-9a-f]{1,8}):T([0-9a-f]{1,8}),")


def read_flight(text: str) -> dict[str, Any]:
    """Return the rows of a React flight stream.

    Parameters
    ----------
    text : str
        `ID:JSON` by line, or `ID:T` with a length in hexadecimal bytes and that much text.

    Returns
    -------
    dict
        Values by `$` and the row's id, the form in which rows refer to each other.
    """
    data = text.encode("utf-8", "replace")
    rows, position = dict[str, Any](), 0
    while position < len(data):
        if text_row := _TEXT_ROW.match(data, position):
            position = text_row.end() + int(text_row[2], 16)
            rows["$" + text_row[1].decode()] = data[text_row.end() : position].decode("utf-8", "replace")
            continue
        match = _ROW.match(data, position)
        end = data.find(b"\n", position)
        end = len(data) if end < 0 else end
        position = end + 1
        if match is None:
            continue
        name, start = "$" + match[1].decode(), match.end()
        try:
            rows[name] = json.loads(data[start:end].decode("utf-8", "replace").lstrip("ABCDEFGHIJKLMNOPQRSUVWXYZ"))
        except (ValueError, RecursionError):
            continue
    return rows
