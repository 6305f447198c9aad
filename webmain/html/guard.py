"""Bound what a page can do to the parser, in one linear look at its source before it is parsed.

HTML5 tree building is superlinear in the elements that are open at once (each tag may look through all of them), in unclosed
formatting elements (each new paragraph opens all of them anew: 15 KB of source become 19 MB of tree), and in the
attributes of one element (each is compared with all before it). Ordinary pages pass vectorised checks that bound all three
from above. The few that fail are read by a tokenizer, which drops the tags, never the text, beyond the limits. Pages of
more pieces of markup than `MAX_PIECES` are rejected.

Both the checks and the tokenizer count at least what the parser opens: an end tag counts only where the parser must obey it.

Declarative shadow roots are shown to readers, but a parser keeps a template's content away from the tree: such templates
are renamed to a neutral element. Other templates stay and are dropped by the walk.

`mistaken` recognises what people give in the place of markup: its address, its file's name, JSON around it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webmain.html.flattening import (
    ATTRIBUTE,
    BARRIERS,
    FORMATTING,
    MAX_ATTRIBUTES,
    MAX_PIECES,
    MAX_ROOT_TAGS,
    RAW_ENDS,
    SHORT_TAG,
    TAG,
    VOID,
    read_tags,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

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

LARGE_BYTES = 250_000
"""Smaller pages are not looked at for attributes: the worst of them costs the parser a second and a half."""

_LONG_TAG = 4 * MAX_ATTRIBUTES
"""Bytes; shorter tags have not too many attributes."""

_NESTED = 4
"""Elements around each other that are looked through for a formatting element's end tag."""

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
    pieces = _Pieces.of(source)
    if pieces is None:
        return source
    if (pieces.key[pieces.opening] == _TEMPLATE_KEY).any() and (opened := _open_shadow_roots(source)) != source:
        return guard(opened)
    key, lengths = pieces.key[pieces.opening], pieces.lengths[pieces.opening]
    n_starts = len(key)
    allowed_formatting = MAX_REOPENED // max(1, n_starts)
    longest_anchor = int(lengths[key == _ANCHOR_KEY].max(initial=0))
    if (
        len(pieces.at) <= MAX_PIECES
        and n_starts * int(np.count_nonzero(pieces.named)) <= 2 * MAX_STEPS
        and pieces.count_formatting(enough=allowed_formatting) < allowed_formatting
        and np.count_nonzero(np.isin(key, _ROOT_KEYS)) <= MAX_ROOT_TAGS
        and n_starts * longest_anchor <= MAX_REOPENED_BYTES
        and not (len(source) > LARGE_BYTES and _may_have_many_attributes(source, pieces))
    ):
        return source
    read = read_tags(source) if len(pieces.at) <= MAX_PIECES else None
    limit = min(SUSPECT_FORMATTING, allowed_formatting)
    is_deep = read is None or read.steps > MAX_STEPS
    if read is None or is_deep or read.reopened_bytes > MAX_REOPENED_BYTES or read.n_formatting >= limit:
        max_depth = MAX_DEPTH if is_deep else MAX_PIECES
        read = read_tags(source, max_depth=max_depth, max_formatting=min(MAX_OPEN_FORMATTING, allowed_formatting))
    return read.source


def _keys(names: Iterable[str]) -> NDArray[np.uint64]:
    """Return names as numbers: their first eight letters, in lower case."""
    return np.array([int.from_bytes(name.encode()[:8], "little") for name in sorted(names)], dtype=np.uint64)


_FORMATTING_KEYS, _OPENED_ANEW_KEYS = _keys(FORMATTING), _keys([*FORMATTING, "a"])
_ROOT_KEYS = _keys(("html", "body"))
_VOID_KEYS = _keys(VOID)
_OPAQUE_KEYS = _keys([*(name.decode() for name in RAW_ENDS), *BARRIERS])
_TEMPLATE_KEY, _ANCHOR_KEY = _keys(("template",))[0], _keys(("a",))[0]
_ONE, _TOP = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_CASE = _ONE * np.uint64(32)


def _read_keys(source: bytes, at: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Read the tag names at these places, as `_keys` writes them.

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


@dataclass(frozen=True, slots=True)
class _Pieces:
    """All places where a tag, a comment or a declaration may begin, as columns.

    Attributes
    ----------
    at : (n,) int64
        Where the name begins, after `<` or `</`.
    named, opening, closing : (n,) bool
        A letter follows; without or with a slash before it.
    key : (n,) uint64
        The name, see `_keys`.
    lengths : (n,) int64
        Bytes from the name of a start tag to its end, at most.
    """

    at: NDArray[np.int64]
    named: NDArray[np.bool_]
    opening: NDArray[np.bool_]
    closing: NDArray[np.bool_]
    key: NDArray[np.uint64]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, source: bytes) -> _Pieces | None:
        """Read the pieces of a source; None where it has none. The last ten bytes hold no three tags."""
        data = np.frombuffer(source, dtype=np.uint8)
        at = np.flatnonzero(data == 60) + 1
        at = at[at < len(data) - 9]
        if not len(at):
            return None
        closing = data[at] == 47
        at = at + closing
        initial = data[at] | 32
        named = (initial >= 97) & (initial <= 122)
        opening = named & ~closing
        lengths = np.zeros_like(at)
        key = _read_keys(source, at)
        lengths[opening] = _lengths(source, at[opening], np.isin(key[opening], _OPENED_ANEW_KEYS))
        return cls(at, named, opening, named & closing, key, lengths)

    def count_formatting(self, *, enough: int) -> int:
        """Count formatting elements that are not surely closed; those of long tags count more: attributes are copied, too.

        Surely closed is one between whose tags is nothing but a few void and nested elements. As soon as fewer than `enough`
        are left, no more are looked at.
        """
        is_formatting = self.opening & np.isin(self.key, _FORMATTING_KEYS)
        weights = np.where(self.lengths > SHORT_TAG, MAX_ATTRIBUTES, 1)
        ends_first = self.at + self.lengths < np.append(self.at[1:], 0)  # before the next piece
        left = np.flatnonzero(~(self.opening & ends_first & np.isin(self.key, _VOID_KEYS)))
        can_close = self.opening & ends_first & ~np.isin(self.key, _OPAQUE_KEYS)
        for _ in range(_NESTED):
            n_open = int(weights[left][is_formatting[left]].sum())
            if n_open < enough:
                break
            first, second = left[:-1], left[1:]
            pairs = np.flatnonzero(can_close[first] & self.closing[second] & (self.key[first] == self.key[second]))
            left = np.delete(left, np.append(pairs, pairs + 1))
        return int(weights[left][is_formatting[left]].sum())


def _lengths(source: bytes, starts: NDArray[np.int64], opened_anew: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many bytes the tags at these places have at most.

    A `>` ends a tag, or is in none, unless it is in a quoted value: then the last quote of that kind before it opens
    the value, behind `=` or white space. Tags that seem too long are read, as far as a page may cost.
    """
    data = np.frombuffer(source, dtype=np.uint8)
    ends = np.flatnonzero(data == 62)
    in_value = np.zeros(len(ends), dtype=np.bool_)
    for quote in (34, 39):
        quotes = np.flatnonzero(data == quote)
        if len(quotes):
            last = np.searchsorted(quotes, ends) - 1
            before = data[np.maximum(quotes - 1, 0)]
            in_value |= (last >= 0) & ((before == 61) | (before <= 32))[last]
    lengths = np.append(ends[~in_value], len(data))[np.searchsorted(ends[~in_value], starts)] - starts
    budget = len(source)
    for i in np.flatnonzero(lengths > np.where(opened_anew, SHORT_TAG, _LONG_TAG)).tolist():
        start = int(starts[i])
        tag = TAG.match(source, start)
        if tag is None or budget < 0:
            break
        lengths[i] = tag.end() - start
        budget -= tag.end() - start
    return lengths


def _may_have_many_attributes(source: bytes, pieces: _Pieces) -> bool:
    """Return whether a start tag may have more than twice `MAX_ATTRIBUTES`; long tags are read, as far as a page may cost."""
    is_long = pieces.opening & (pieces.lengths > _LONG_TAG)
    starts = pieces.at[is_long]
    budget = 2 * len(source)
    for start, end in zip(starts.tolist(), (starts + pieces.lengths[is_long]).tolist(), strict=True):
        tag = source[start:end]
        budget -= len(tag)
        n_parts = len(tag.split()) + sum(map(tag.count, (b'"', b"'", b"/")))
        if budget < 0 or (n_parts > 2 * MAX_ATTRIBUTES and len(ATTRIBUTE.findall(tag)) > 2 * MAX_ATTRIBUTES):
            return True
    return False


def _open_shadow_roots(source: bytes) -> bytes:
    """Rename `<template shadowrootmode=...>` and its end tag to a neutral element, minding nested templates."""
    is_shadow: list[bool] = []

    def rename(tag: re.Match[bytes]) -> bytes:
        if tag[1]:
            return b"</shadow-root" if is_shadow and is_shadow.pop() else tag[0]
        is_shadow.append(bool(_SHADOW_ATTRIBUTE.search(tag[2])))
        return b"<shadow-root" if is_shadow[-1] else tag[0]

    return _TEMPLATE_TAG.sub(rename, source)


_MAX_NAME_CHARS = 4096
_URL = re.compile(r"(?:https?|ftp|file)://\S+|www\.[^\s.]+\.\S+", re.IGNORECASE)
_PATH = re.compile(
    r"(?:~|\.{1,2})?/\S*|[a-z]:[/\\][^\n]*|[^\n]*\.(?:x?html?|mhtml|php|txt|json|xml|warc(?:\.gz)?)", re.IGNORECASE
)
_JSON = re.compile(r"\{\s*[\"}]|\[\s*[\[{\"\]]")


def mistaken(text: str) -> str:
    """Return what was given instead of markup, and what to do; "" where it may be markup or text."""
    if "<" not in text[:_MAX_NAME_CHARS]:
        name = text[: _MAX_NAME_CHARS + 1].strip()
        if len(name) <= _MAX_NAME_CHARS and _URL.fullmatch(name):
            return "this is a URL; fetch it first, or `webmain extract URL`"
        if len(name) <= _MAX_NAME_CHARS and _PATH.fullmatch(name):
            return "this is a file's name; read the file first, or `webmain extract FILE`"
    text = text.lstrip("\ufeff \t\r\n")
    if _JSON.match(text):
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return ""
        return "this is JSON; give the HTML that it holds"
    return ""
