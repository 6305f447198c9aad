"""Bound what a page can do to the parser, in one linear look at its source before it is parsed.

Two shapes of markup make HTML5 tree building superlinear: deep nesting (the parser's time is quadratic in the depth:
100,000 nested divs take many seconds) and unclosed formatting elements (each new paragraph opens all of them anew: 15 KB
of source become 19 MB of tree). Ordinary pages pass a vectorised check that bounds both from above; the few that fail it
are rewritten by a tokenizer that drops the tags, never the text, beyond the limits.

Declarative shadow roots are shown to readers, but a parser keeps a template's content away from the tree: such templates
are renamed to a neutral element. Other templates stay and are dropped by the walk.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

MAX_DEPTH = 1000
"""Open elements; deeper ones are flattened. The deepest page of the development data has 120."""

MAX_OPEN_FORMATTING = 8
"""Open formatting elements that are kept in a page that leaves more than `SUSPECT_FORMATTING` of them open."""

SUSPECT_FORMATTING = 40

MAX_ATTRIBUTES = 500
"""Attributes of one tag; the parser's time is quadratic in them: 40,000 take seconds."""

LARGE_BYTES = 250_000
"""Smaller pages are not looked at for that: the worst of them costs the parser a second and a half."""

VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
FORMATTING = frozenset("b big code em font i s small strike strong tt u".split())
"""`a` and `nobr` are left out: each closes the one before it, so that they never pile up."""

# Start tags that close an open element of their own family, so that a long list without end tags is not deep.
_CLOSES = {
    "p": {"p"},
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "option": {"option"},
    "tr": {"tr", "td", "th"},
    "td": {"td", "th"},
    "th": {"td", "th"},
    "tbody": {"tbody", "thead", "tfoot", "tr", "td", "th"},
}

_ATTRIBUTES = (
    rb"[^>=]*+(?:=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^\s>]*+)[^>=]*+)*+(?:>|\Z)"  # quotes count after = only
)
_TOKEN = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<(script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>])" + _ATTRIBUTES + rb".*?(?=</\1|\Z)"
    rb"|<(/?)([a-zA-Z][^\s/>]*+)" + _ATTRIBUTES,
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(rb"[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?")
_MANY_ATTRIBUTES = re.compile(
    rb"<[a-zA-Z][^\s/>]*+"
    rb"(?:(?:[\s/]++|(?<=[\"']))[^\s/>=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+))?+){%d}"
    % MAX_ATTRIBUTES
)
_BEFORE_VALUE = b"= \t\n\r\f"
_START_TAG = re.compile(rb"<[a-zA-Z]")
_STEP_TIMES_BYTES = 8_000_000_000
"""A page of 1 MB is looked at in steps of 8 KB: tags of two steps cost less than the parser's time for the rest."""

_MOST_TRIES = 200
_TEMPLATE_TAG = re.compile(rb"<(/?)template(?=([\s/>][^<>]*+))", re.IGNORECASE)
_IS_SHADOW = re.compile(rb"[^<>]*?\sshadowroot(?:mode)?\s*=", re.IGNORECASE)
_SHADOW_ATTRIBUTE = re.compile(rb"\sshadowroot(?:mode)?\s*=", re.IGNORECASE)


def guard(source: bytes) -> bytes:
    """Return UTF-8 markup that the parser handles in linear time; nearly always the very same bytes.

    Parameters
    ----------
    source : bytes
        UTF-8.
    """
    if len(source) > LARGE_BYTES and any(_MANY_ATTRIBUTES.match(source, at) for at in _long_tags(source)):
        source = _shorten_tags(source)
    bounds = _upper_bounds(source)
    if any(_IS_SHADOW.match(source, at) for at in bounds.templates):
        source = _open_shadow_roots(source)
    if bounds.depth < MAX_DEPTH and bounds.formatting < SUSPECT_FORMATTING:
        return source
    return _flatten(source)


def _long_tags(source: bytes) -> Iterator[int]:
    """Find the start tags that may be so long that their attributes could cost the parser a second, all of them together.

    A tag that covers a whole step holds each `>` in it in a quoted value. A single `>` that stands in none clears the step:
    the last quote of either kind before it is not one that opens a value, behind `=` or white space. The steps are the
    smaller, the larger the page. Where nothing clears a step, all start tags since the last `>` in no value may be long.
    """
    find, rfind = source.find, source.rfind
    step = max(2 * MAX_ATTRIBUTES, _STEP_TIMES_BYTES // len(source))
    opens = {b'"': False, b"'": False}  # whether the last quote may open a value
    looked_at, outside = 0, -1
    for start in range(0, len(source), step):
        at = find(b">", max(start, looked_at), start + step)
        for _ in range(_MOST_TRIES):
            if at < 0:
                break
            for quote in opens:
                if (last := rfind(quote, looked_at, at)) >= 0:
                    opens[quote] = source[max(0, last - 1)] in _BEFORE_VALUE
            looked_at = at
            if True not in opens.values():
                outside = at
                break
            at = find(b">", at + 1, start + step)
        if outside < start:
            for tag in _START_TAG.finditer(source, max(0, outside), start + step):
                if _goes_on(source, tag.start()):
                    yield tag.start()
            outside = start + step - 1


def _goes_on(source: bytes, start: int) -> bool:
    """Tell whether a start tag may not end at the first `>` behind it."""
    at = source.find(b">", start, start + 2 * MAX_ATTRIBUTES)
    if at < 0:
        return True
    quotes = (source.rfind(b'"', start, at), source.rfind(b"'", start, at))
    return any(quote >= 0 and source[quote - 1] in _BEFORE_VALUE for quote in quotes)


def _shorten_tags(source: bytes) -> bytes:
    """Cut the attributes of start tags beyond `MAX_ATTRIBUTES`: the parser compares each with all before it."""
    out: list[bytes] = []
    written = 0
    for token in _TOKEN.finditer(source):
        if token[3] is None or token[2] or token.end() - token.start() < 2 * MAX_ATTRIBUTES:
            continue
        for first_too_many in islice(_ATTRIBUTE.finditer(source, token.end(3), token.end()), MAX_ATTRIBUTES, None):
            out += (source[written : first_too_many.start()], b">")
            written = token.end()
            break
    return b"".join((*out, source[written:])) if written else source


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Upper bounds of the elements open at once, and of the formatting elements among them."""

    depth: int
    formatting: int
    templates: list[int]  # where their start tags are


def _upper_bounds(source: bytes) -> _Bounds:
    """Bound the open elements and the open formatting elements from above.

    Start and end tags are grouped by name; within a group the largest rise of "starts minus ends" over its running minimum
    bounds how many can be open at once; the groups' bounds are added up. Stray end tags thus cannot hide starts of
    another name. Names of eight letters and more are grouped by their first eight and their end tags do not count.
    """
    data = np.frombuffer(source, dtype=np.uint8)
    at = np.flatnonzero(data == 60)
    if len(at) < SUSPECT_FORMATTING:
        return _Bounds(len(at), len(at), [tag.end() for tag in _TEMPLATE_TAG.finditer(source)])
    at = at[at < len(data) - 10]  # the few bytes after that hold no three tags
    closing = data[at + 1] == 47
    at = at + 1 + closing
    initial = data[at] | 32
    named = (initial >= 97) & (initial <= 122)
    at, closing = at[named], closing[named]
    key, is_long = _names(source, at)
    if not len(key):
        return _Bounds(0, 0, [])
    templates = at[(key == _TEMPLATE_KEY) & ~closing].tolist()
    step = np.where(closing, np.where(is_long, 0, -1), 1)
    order = np.argsort(key, kind="stable")
    key = key[order]
    rises, starts = _largest_rises(key, step[order])
    rise_of = dict(zip(key[starts].tolist(), rises.tolist(), strict=True))
    depth = sum(rise for name, rise in rise_of.items() if name not in _VOID_KEYS)
    formatting = sum(rise_of.get(name, 0) for name in _FORMATTING_KEYS)
    return _Bounds(depth, formatting, templates)


_ONE, _TOP = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_CASE = _ONE * np.uint64(32)


def _names(source: bytes, at: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Read the tag names at these places: the first eight letters in lower case as one number; and which are longer.

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
    is_long = ends == 0
    lowest = ends & (~ends + np.uint64(1))
    before = np.where(is_long, ~np.uint64(0), (lowest - np.uint64(1)) >> np.uint64(7))
    return (word | _CASE) & before, is_long


def _largest_rises(key: NDArray[np.uint64], step: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each run of equal keys: the largest rise of the running sum over its minimum so far; and the runs' starts."""
    fresh = np.empty(len(key), dtype=bool)
    fresh[0] = True
    fresh[1:] = key[1:] != key[:-1]
    starts = np.flatnonzero(fresh)
    total = np.cumsum(step)
    base = (total - step)[starts]
    run = np.cumsum(fresh) - 1
    level = total - base[run]  # sum within the run
    far = len(key) + 1
    lowest = np.minimum.accumulate(np.minimum(level - 2 * far * run, -2 * far * run)) + 2 * far * run
    return np.maximum(np.maximum.reduceat(level - lowest, starts), 0), starts


def _key(name: str) -> int:
    return int.from_bytes(name.encode()[:8], "little")


_TEMPLATE_KEY = _key("template")
_VOID_KEYS = frozenset(map(_key, VOID))
_FORMATTING_KEYS = frozenset(map(_key, FORMATTING))


def _flatten(source: bytes) -> bytes:
    """Drop start tags beyond the limits, and the end tags that belong to them; text is never dropped."""
    out: list[bytes] = []
    open_names: list[tuple[str, bool]] = []  # name, was the tag kept
    n_open: dict[str, int] = {}
    n_formatting = n_kept = 0
    written = 0
    for token in _TOKEN.finditer(source):
        if token[3] is None:
            continue
        name = token[3].decode("ascii", "replace").lower()
        if name in VOID:
            continue
        keep = True
        if not token[2]:
            if name in _CLOSES and (place := _closed_by(name, open_names)) is not None:
                closed, was_kept = open_names.pop(place)
                n_open[closed] -= 1
                n_kept -= was_kept
            keep = n_kept < MAX_DEPTH
            if name in FORMATTING:
                keep = keep and n_formatting < MAX_OPEN_FORMATTING
                n_formatting += keep
            n_kept += keep
            open_names.append((name, keep))
            n_open[name] = n_open.get(name, 0) + 1
        elif n_open.get(name):
            while True:
                closed, keep = open_names.pop()
                n_open[closed] -= 1
                n_kept -= keep
                if closed in FORMATTING and keep and closed == name:
                    n_formatting -= 1
                if closed == name:
                    break
        if not keep:
            out.append(source[written : token.start()])
            out.append(b" ")
            written = token.end()
    out.append(source[written:])
    return b"".join(out)


def _closed_by(name: str, open_names: list[tuple[str, bool]]) -> int | None:
    """Find the open element that a start tag closes: the innermost one but for formatting elements, which live on."""
    for place in range(len(open_names) - 1, max(-1, len(open_names) - 1 - SUSPECT_FORMATTING), -1):
        if open_names[place][0] in _CLOSES[name]:
            return place
        if open_names[place][0] not in FORMATTING:
            return None
    return None


def _open_shadow_roots(source: bytes) -> bytes:
    """Rename `<template shadowrootmode=...>` and its end tag to a neutral element, minding nested templates."""
    is_shadow: list[bool] = []

    def rename(tag: re.Match[bytes]) -> bytes:
        if tag[1]:
            return b"</shadow-root" if is_shadow and is_shadow.pop() else tag[0]
        is_shadow.append(bool(_SHADOW_ATTRIBUTE.search(tag[2])))
        return b"<shadow-root" if is_shadow[-1] else tag[0]

    return _TEMPLATE_TAG.sub(rename, source)
