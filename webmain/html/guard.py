"""Bound what a page can do to the parser, in one linear look at its source before it is parsed.

HTML5 tree building is superlinear in the elements that are open at once (each tag may look through all of them), in unclosed
formatting elements (each new paragraph opens all of them anew: 15 KB of source become 19 MB of tree), and in the
attributes of one element (each is compared with all before it). Ordinary pages pass vectorised checks that bound all three
from above. The few that fail are read by a tokenizer, which drops the tags, never the text, beyond the limits. Pages of
more pieces of markup than `MAX_PIECES` are rejected.

Both the checks and the tokenizer count at least what the parser opens: an end tag counts only where the parser must obey it.

Declarative shadow roots are shown to readers, but a parser keeps a template's content away from the tree: such templates
are renamed to a neutral element. Other templates stay and are dropped by the walk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webmain.items import Reason, Rejected

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MAX_PIECES = 150_000
"""Tags, comments and declarations that are kept of one page. The largest page of the development data has 32,800."""

MAX_READ = 4 * MAX_PIECES
"""The same with those that are dropped because they are too deep."""

MAX_STEPS = 150_000_000
"""Open elements that the parser looks through, summed over all tags; so many take less than a second."""

MAX_DEPTH = 500
"""Open elements: in a page of more than `MAX_STEPS`, tags that open deeper ones are dropped; browsers allow 512."""

MAX_OPEN_FORMATTING = 8
"""Open formatting elements that are kept in a page that leaves `SUSPECT_FORMATTING` of them open."""

SUSPECT_FORMATTING = 40
MAX_REOPENED = 200_000
"""Start tags times open formatting elements: so many elements the parser may add to those of the source."""

MAX_REOPENED_BYTES = 40_000_000
"""The same times the lengths of their tags."""

MAX_ATTRIBUTES = 500
"""Attributes of one tag."""

MAX_ROOT_TAGS = 20
"""Start tags of `html` and `body`: the parser gathers the attributes of all of them."""

LARGE_BYTES = 250_000
"""Smaller pages are not looked at for attributes: the worst of them costs the parser a second and a half."""

VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
FORMATTING = frozenset("b big code em font i nobr s small strike strong tt u".split())
"""What the parser opens anew in each paragraph; `a` too, but it closes the one before it, so that they never pile up."""

_OPENED_ANEW = FORMATTING | {"a"}
_ROOTS = frozenset(("html", "head", "body"))
_ENDED_BY_PARENT = frozenset("p li dt dd option tr td th tbody thead tfoot".split())
_BARRIERS = frozenset(
    "applet caption html table td th marquee object template select svg math button foreignobject desc title".split()
)
"""An end tag of a formatting element outside of these does not reach into them."""

_AMBIGUOUS = frozenset(("svg", "math", "select"))
"""Inside of these, whether a raw element's content is raw is not known without a tree."""

_DRAWING = frozenset(
    "g path use circle rect polygon polyline line ellipse defs symbol clippath mask pattern image text tspan filter marker "
    "lineargradient radialgradient stop animate animatetransform set".split()
)

# Start tags that close an open element of their own family, so that a long list without end tags is not deep.
_CLOSES = {
    name: frozenset(closed.split())
    for name, closed in {
        "p": "p",
        "li": "li",
        "dt": "dt dd",
        "dd": "dt dd",
        "option": "option",
        "tr": "tr td th",
        "td": "td th",
        "th": "td th",
        "tbody": "tbody thead tfoot tr td th",
        "a": "a",
    }.items()
}
_SHORT_TAG, _LONG_TAG = 300, 4000
_REACH = 8
"""Innermost open elements among which an end tag's start tag is looked for."""


_ATTRIBUTES = (
    rb"[^>=]*+(?:=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\s>]*+)[^>=]*+)*+(?:>|\Z)"  # quotes count after = only
)
_TOKEN = re.compile(
    rb"<(?:(/?)([a-zA-Z][^\s/>]*+)(?:>|" + _ATTRIBUTES + rb")"
    rb"|!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>|\Z))|[!?/][^>]*+(?:>|\Z))"
)
_TAG = re.compile(rb"[a-zA-Z][^\s/>]*+(?:>|" + _ATTRIBUTES + rb")")
_RAW_ENDS = {
    name.encode(): re.compile(rb"</%s(?=[\s/>])" % "".join(f"[{c}{c.upper()}]" for c in name).encode())
    for name in "script style textarea title xmp iframe noembed noframes".split()
}
_ATTRIBUTE = re.compile(rb"[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?")
_PLAIN_TAG = re.compile(
    rb"[a-zA-Z][a-zA-Z0-9]*+(?:\s++[^\s\"'<>/=]++(?:=(?:\"[^\"<]*+\"|'[^'<]*+'|[^\s\"'<>=`]++))?+)*+\s*+/?>"
)
_FORMATTING_TAG = re.compile(rb"<(?:%s)[\s/>]" % "|".join(sorted(FORMATTING)).encode(), re.IGNORECASE)
_TEMPLATE_TAG = re.compile(rb"<(/?)template(?=([\s/>][^<>]*+))", re.IGNORECASE)
_SHADOW_ATTRIBUTE = re.compile(rb"\sshadowroot(?:mode)?\s*+=", re.IGNORECASE)


def guard(source: bytes) -> bytes:
    """Return UTF-8 markup that the parser handles in linear time; nearly always the very same bytes.

    Parameters
    ----------
    source : bytes
        UTF-8.

    Raises
    ------
    Rejected
        `TOO_LARGE`: more than `MAX_PIECES` tags, comments and declarations, not counting those that are too deep.
    """
    data = np.frombuffer(source, dtype=np.uint8)
    pieces = np.flatnonzero(data == 60)
    pieces = pieces[pieces < len(data) - 10]  # the few bytes after that hold no three tags
    if not len(pieces):
        return source
    at = pieces + 1
    closing = data[at] == 47
    at = at + closing
    initial = data[at] | 32
    named = (initial >= 97) & (initial <= 122)
    key = _names(source, at)
    opening = named & ~closing
    if (key[opening] == _TEMPLATE_KEY).any() and (opened := _open_shadow_roots(source)) != source:
        return guard(opened)
    starts, key_of_start = at[opening], key[opening]
    n_starts, n_tags = len(starts), int(np.count_nonzero(named))
    allowed_formatting = MAX_REOPENED // max(1, n_starts)
    lengths = _most_lengths(data, starts)
    lengths_of_formatting = lengths[np.isin(key_of_start, _FORMATTING_KEYS)]
    n_formatting = len(lengths_of_formatting)
    if n_formatting >= allowed_formatting or lengths_of_formatting.max(initial=0) > _SHORT_TAG:
        n_formatting = _n_unpaired_formatting(source, at, key, opening, closing)
    anchors = key_of_start == _ANCHOR_KEY
    if (
        len(pieces) <= MAX_PIECES
        and n_starts * n_tags <= 2 * MAX_STEPS
        and n_formatting < allowed_formatting
        and np.count_nonzero(np.isin(key_of_start, _ROOT_KEYS)) <= MAX_ROOT_TAGS
        and n_starts * _longest(source, starts[anchors], lengths[anchors]) <= MAX_REOPENED_BYTES
        and not (len(source) > LARGE_BYTES and _may_have_many_attributes(source, starts, lengths))
    ):
        return source
    read = _read(source) if len(pieces) <= MAX_PIECES else None
    limit = min(SUSPECT_FORMATTING, allowed_formatting)
    is_deep = read is None or read.steps > MAX_STEPS
    if read is None or is_deep or read.reopened_bytes > MAX_REOPENED_BYTES or read.n_formatting >= limit:
        max_depth = MAX_DEPTH if is_deep else MAX_PIECES
        read = _read(source, max_depth=max_depth, max_formatting=min(MAX_OPEN_FORMATTING, allowed_formatting))
    return read.source


_ONE, _TOP = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_CASE = _ONE * np.uint64(32)


def _names(source: bytes, at: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Read the tag names at these places: the first eight letters in lower case as one number.

    Eight bytes are read at once and looked at together: the lowest byte that ends a name (white space, `/`, `>`) is found by
    the arithmetic that finds a zero byte in a word.
    """
    word = np.ndarray((len(source) - 7,), dtype="<u8", buffer=source, strides=(1,))[at]
    ends = np.zeros_like(word)
    for mark in (47, 62):
        other = word ^ (_ONE * np.uint64(mark))
        ends |= (other - _ONE) & ~other
    ends |= (word - _ONE * np.uint64(33)) & ~word
    ends &= _TOP
    lowest = ends & (~ends + np.uint64(1))
    before = np.where(ends == 0, ~np.uint64(0), (lowest - np.uint64(1)) >> np.uint64(7))
    return (word | _CASE) & before


def _keys(names: Iterable[str]) -> NDArray[np.uint64]:
    return np.array([int.from_bytes(name.encode()[:8], "little") for name in sorted(names)], dtype=np.uint64)


_FORMATTING_KEYS = _keys(FORMATTING)
_ROOT_KEYS = _keys(("html", "body"))
_VOID_KEYS = frozenset(_keys(VOID).tolist())
_OPAQUE_KEYS = frozenset(_keys([*(name.decode() for name in _RAW_ENDS), *_BARRIERS]).tolist())
_TEMPLATE_KEY, _ANCHOR_KEY = _keys(("template",))[0], _keys(("a",))[0]


def _n_unpaired_formatting(
    source: bytes,
    at: NDArray[np.int64],
    key: NDArray[np.uint64],
    opening: NDArray[np.bool_],
    closing: NDArray[np.bool_],
) -> int:
    """Count formatting elements that are not surely closed: with nothing but a few plain, nested tags before their end tag.

    Those of long tags count more: their attributes are copied, too.
    """
    found = np.flatnonzero(opening & np.isin(key, _FORMATTING_KEYS))
    n_unpaired = 0
    for first in found.tolist():
        names: list[int] = []
        for place in range(first, min(first + _REACH, len(at))):
            name = int(key[place])
            if closing[place]:
                if names[-1] != name:
                    break
                names.pop()
                if not names:
                    break
            elif name in _OPAQUE_KEYS or (tag := _PLAIN_TAG.match(source, at[place])) is None:
                names.append(name)
                break
            elif name not in _VOID_KEYS:
                names.append(name)
        if names:
            start = int(at[first])
            tag = _TAG.match(source, start, start + _SHORT_TAG)
            n_unpaired += 1 if tag is not None and source[tag.end() - 1] == 62 else MAX_ATTRIBUTES
    return n_unpaired


def _most_lengths(data: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many bytes the start tags at these places have at most.

    A `>` ends a tag, or stands in none, unless it stands in a quoted value: then the last quote of that kind before it opens
    the value, behind `=` or white space.
    """
    ends = np.flatnonzero(data == 62)
    in_value = np.zeros(len(ends), dtype=np.bool_)
    for quote in (34, 39):
        quotes = np.flatnonzero(data == quote)
        if len(quotes):
            last = np.searchsorted(quotes, ends) - 1
            before = data[np.maximum(quotes - 1, 0)]
            in_value |= (last >= 0) & ((before == 61) | (before <= 32))[last]
    ends = ends[~in_value]
    return np.append(ends, len(data))[np.searchsorted(ends, starts)] - starts


def _longest(source: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> int:
    """Return the length of the longest of these start tags, at least; long ones are read, as far as a page may cost."""
    is_long = lengths > _LONG_TAG
    longest, budget = int(lengths[~is_long].max(initial=0)), len(source)
    for start in starts[is_long].tolist():
        if (tag := _TAG.match(source, start)) is not None:
            longest = max(longest, tag.end() - start)
            budget -= tag.end() - start
            if budget < 0:
                return len(source)
    return longest


_IS_PART = np.isin(np.arange(256), list(b" \t\r\n\f\v\"'/"))


def _may_have_many_attributes(source: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> bool:
    """Tell whether a start tag may have more than twice `MAX_ATTRIBUTES`; long ones are read, as far as a page may cost."""
    is_long = lengths > 4 * MAX_ATTRIBUTES
    budget, end, n_parts = len(source), -1, 0
    for start, length in zip(starts[is_long].tolist(), lengths[is_long].tolist(), strict=True):
        if start + length != end:  # else it is within what the last one might have been
            end = start + length
            part = _IS_PART[np.frombuffer(source, np.uint8, length, start)]
            n_parts = int(np.count_nonzero(part[1:] & ~part[:-1]))
        if n_parts > 2 * MAX_ATTRIBUTES and (tag := _TAG.match(source, start)) is not None:
            budget -= tag.end() - start
            found = _ATTRIBUTE.finditer(source, start, tag.end())
            if budget < 0 or next(islice(found, 2 * MAX_ATTRIBUTES, None), None) is not None:
                return True
    return False


class _Open(NamedTuple):
    """A start tag that may be open: its name, whether it is kept, and its bytes if the parser opens it anew."""

    name: str
    keep: bool
    n_bytes: int


class _OpenElements:
    """The elements that the parser may have open: at least those that it has."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._loose: dict[str, list[_Open]] = {}  # formatting elements whose parent is closed
        self._n_kept = self._n_hidden = self._n_ambiguous = self._n_barriers = 0
        self._is_sure = True
        self.in_drawing = False
        """Surely: only there does a slash close an element."""
        self.n_formatting = self.reopened_bytes = 0

    @property
    def depth(self) -> int:
        return self._n_kept + self._n_hidden

    @property
    def is_ambiguous(self) -> bool:
        return self._n_ambiguous > 0

    def hide(self, content: bytes) -> None:
        """Note content that may be markup and may be not."""
        self._n_hidden += content.count(b"<")
        self.n_formatting += len(_FORMATTING_TAG.findall(content))
        self._is_sure = self._is_sure and b"<!" not in content

    def open(self, name: str, *, keep: bool, n_bytes: int) -> None:
        self.in_drawing = name in _AMBIGUOUS or (self.in_drawing and name in _DRAWING)
        if name in _CLOSES:
            self._close_before(_CLOSES[name])
        if name == "a":
            for loose in self._loose.pop(name, ()):
                self._forget(loose)
        self._open.append(_Open(name, keep, n_bytes))
        self._n_kept += keep
        self._n_ambiguous += name in _AMBIGUOUS
        self._n_barriers += name in _BARRIERS
        if keep and name in _OPENED_ANEW:
            self.n_formatting += name in FORMATTING
            self.reopened_bytes += n_bytes

    def _close_before(self, names: frozenset[str]) -> None:
        """Close what a start tag closes: one of these names, with what is in it of formatting."""
        for place in range(len(self._open) - 1, max(-1, len(self._open) - 1 - _REACH), -1):
            if self._open[place].name in names:
                while len(self._open) > place:
                    self._pop()
                return
            if self._open[place].name not in _OPENED_ANEW:
                return

    def close(self, name: str) -> bool:
        """Close what an end tag surely closes; tell whether the end tag is kept."""
        anew = name in _OPENED_ANEW
        for place in range(len(self._open) - 1, max(-1, len(self._open) - 1 - _REACH), -1):
            other = self._open[place]
            if other.name == name and self._is_sure:
                self.in_drawing = self.in_drawing and name in _DRAWING
                if anew:
                    del self._open[place]
                    self._n_kept -= other.keep
                    self._forget(other)
                else:
                    while len(self._open) > place:
                        self._pop()
                return other.keep
            if anew:
                if other.name in _BARRIERS:
                    return True
            elif self.is_ambiguous or (other.name not in _ENDED_BY_PARENT and other.name not in _OPENED_ANEW):
                return True
        if anew and self._is_sure and not self._n_barriers and self._loose.get(name):
            self._forget(self._loose[name].pop())
        return True

    def _pop(self) -> None:
        popped = self._open.pop()
        self._n_kept -= popped.keep
        self._n_ambiguous -= popped.name in _AMBIGUOUS
        self._n_barriers -= popped.name in _BARRIERS
        if popped.name in _OPENED_ANEW and popped.keep:
            self._loose.setdefault(popped.name, []).append(popped)

    def _forget(self, formatting: _Open) -> None:
        """Note that the parser won't open one anew."""
        if formatting.keep:
            self.n_formatting -= formatting.name in FORMATTING
            self.reopened_bytes -= formatting.n_bytes


@dataclass(frozen=True, slots=True)
class _Read:
    """What the tokenizer found: the source, open elements looked through, most formatting elements open at once."""

    source: bytes
    steps: int
    n_formatting: int
    reopened_bytes: int


def _read(source: bytes, *, max_depth: int | None = None, max_formatting: int = MAX_PIECES) -> _Read:
    """Drop attributes beyond the limits; where a depth is given, tags beyond it and their end tags, too."""
    out: list[bytes] = []
    model = _OpenElements()
    raw_ends: dict[bytes, int] = {}  # where the next end tag of a raw element is
    n_pieces = n_dropped = n_roots = steps = reopened_bytes = most_formatting = written = position = 0
    while (token := _TOKEN.search(source, position)) is not None:
        start, position = token.span()
        n_pieces += 1
        if n_pieces - n_dropped > MAX_PIECES or n_pieces > MAX_READ:
            raise Rejected(Reason.TOO_LARGE, f"more than {MAX_PIECES:,} tags and comments, which is the number allowed")
        if token[2] is None:
            if model.is_ambiguous and source.startswith(b"<![CDATA[", start):
                model.hide(b"<!")
            continue
        steps += model.depth
        lower = token[2].lower()
        name = lower.decode("utf-8", "replace")
        keep = True
        if token[1]:
            keep = model.close(name)
        elif name in _ROOTS:
            n_roots += 1
            keep = n_roots <= MAX_ROOT_TAGS
        elif lower in _RAW_ENDS:
            end = raw_ends.get(lower, -1)
            if end < position:
                found = _RAW_ENDS[lower].search(source, position)
                end = raw_ends[lower] = found.start() if found else len(source)
            if model.is_ambiguous and source.find(b"<", position, end) >= 0:
                keep = max_depth is None
                if keep:
                    steps += source.count(b"<", position, end) ** 2
                    model.hide(source[position:end])
            if keep:
                position = end
        elif name not in VOID or model.is_ambiguous:
            reopened_bytes += model.reopened_bytes
            if max_depth is not None:
                keep = model.depth < max_depth and (name not in FORMATTING or model.n_formatting < max_formatting)
            if not (model.in_drawing and _closes_itself(source, token)):
                model.open(name, keep=keep, n_bytes=token.end() - start)
                most_formatting = max(most_formatting, model.n_formatting)
        if not keep:
            n_dropped += 1
            out += (source[written:start], b" ")
            written = position
        elif not token[1] and token.end() - start > _SHORT_TAG:
            shorten = max_depth is not None and name in _OPENED_ANEW
            for n, attribute in enumerate(_ATTRIBUTE.finditer(source, token.end(2), token.end())):
                if n == MAX_ATTRIBUTES or (shorten and attribute.end() - start > _SHORT_TAG):
                    out += (source[written : attribute.start()], b">")
                    written = token.end()
                    break
    rewritten = b"".join((*out, source[written:])) if written else source
    return _Read(rewritten, steps, most_formatting, reopened_bytes)


def _closes_itself(source: bytes, tag: re.Match[bytes]) -> bool:
    """Tell whether a slash stands at a tag's end, not as the last character of a value without quotes."""
    slash = tag.end() - 2
    return source[slash] == 47 and (slash == tag.end(2) or source[slash - 1] in b"\"' \t\r\n\f")


def _open_shadow_roots(source: bytes) -> bytes:
    """Rename `<template shadowrootmode=...>` and its end tag to a neutral element, minding nested templates."""
    is_shadow: list[bool] = []

    def rename(tag: re.Match[bytes]) -> bytes:
        if tag[1]:
            return b"</shadow-root" if is_shadow and is_shadow.pop() else tag[0]
        is_shadow.append(bool(_SHADOW_ATTRIBUTE.search(tag[2])))
        return b"<shadow-root" if is_shadow[-1] else tag[0]

    return _TEMPLATE_TAG.sub(rename, source)
