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
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_DEPTH = 1000
"""Open elements; deeper ones are flattened. The deepest page of the development data has 120."""

MAX_OPEN_FORMATTING = 8
"""Open formatting elements that are kept in a page that leaves more than `SUSPECT_FORMATTING` of them open."""

SUSPECT_FORMATTING = 40

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

_ATTRIBUTES = rb"(?:[^>\"']++|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+(?:>|\Z)"
_TOKEN = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<(script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>])" + _ATTRIBUTES + rb".*?(?=</\1|\Z)"
    rb"|<(/?)([a-zA-Z][^\s/>]*+)" + _ATTRIBUTES,
    re.DOTALL | re.IGNORECASE,
)
_TEMPLATE_TAG = re.compile(rb"<(/?)template(?=([\s/>][^<>]*+))", re.IGNORECASE)
_SHADOW_ATTRIBUTE = re.compile(rb"\sshadowroot(?:mode)?\s*=", re.IGNORECASE)


def guard(source: bytes) -> bytes:
    """Return UTF-8 markup that the parser handles in linear time; nearly always the very same bytes.

    Parameters
    ----------
    source : bytes
        UTF-8.
    """
    if b"shadowroot" in source:
        source = _open_shadow_roots(source)
    depth, formatting = _upper_bounds(source)
    if depth < MAX_DEPTH and formatting < SUSPECT_FORMATTING:
        return source
    return _flatten(source)


def _upper_bounds(source: bytes) -> tuple[int, int]:
    """Bound the open elements and the open formatting elements from above.

    Start and end tags are grouped by name; within a group the largest rise of "starts minus ends" over its running minimum
    bounds how many can be open at once; the groups' bounds are added up. Stray end tags thus cannot hide starts of
    another name. Names of eight letters and more are grouped by their first eight and their end tags do not count.
    """
    data = np.frombuffer(source, dtype=np.uint8)
    at = np.flatnonzero(data == 60)
    if len(at) < SUSPECT_FORMATTING:
        return len(at), 0
    at = at[at < len(data) - 10]  # the few bytes after that hold no three tags
    closing = data[at + 1] == 47
    at = at + 1 + closing
    initial = data[at] | 32
    named = (initial >= 97) & (initial <= 122)
    at, closing = at[named], closing[named]
    letters = data[at[:, None] + np.arange(8)]
    live = np.logical_and.accumulate((letters > 32) & (letters != 47) & (letters != 62), axis=1)
    key = np.where(live, letters | 32, 0).astype(np.uint8, copy=False).view(np.uint64)[:, 0]
    step = np.where(closing, np.where(live[:, 7], 0, -1), 1)
    counts = ~np.isin(key, _VOID_KEYS)
    key, step = key[counts], step[counts]
    if not len(key):
        return 0, 0
    order = np.argsort(key, kind="stable")
    key = key[order]
    rises, starts = _largest_rises(key, step[order])
    formatting = rises[np.isin(key[starts], _FORMATTING_KEYS)].sum()
    return int(rises.sum()), int(formatting)


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


def _keys(names: frozenset[str]) -> NDArray[np.uint64]:
    letters = b"".join(name.encode().ljust(8, b"\0")[:8] for name in sorted(names))
    return np.frombuffer(letters, dtype=np.uint64)


_VOID_KEYS = _keys(VOID)
_FORMATTING_KEYS = _keys(FORMATTING)


def _flatten(source: bytes) -> bytes:
    """Drop start tags beyond the limits, and the end tags that belong to them; text is never dropped."""
    out: list[bytes] = []
    open_names: list[tuple[str, bool]] = []  # name, was the tag kept
    n_open: dict[str, int] = {}
    n_formatting = 0
    written = 0
    for token in _TOKEN.finditer(source):
        if token[3] is None:
            continue
        name = token[3].decode("ascii", "replace").lower()
        if name in VOID:
            continue
        keep = True
        if not token[2]:
            if name in _CLOSES and open_names and open_names[-1][0] in _CLOSES[name]:
                closed, _ = open_names.pop()
                n_open[closed] -= 1
            keep = len(open_names) < MAX_DEPTH
            if name in FORMATTING:
                keep = keep and n_formatting < MAX_OPEN_FORMATTING
                n_formatting += keep
            open_names.append((name, keep))
            n_open[name] = n_open.get(name, 0) + 1
        elif n_open.get(name):
            while True:
                closed, keep = open_names.pop()
                n_open[closed] -= 1
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


def _open_shadow_roots(source: bytes) -> bytes:
    """Rename `<template shadowrootmode=...>` and its end tag to a neutral element, minding nested templates."""
    is_shadow: list[bool] = []

    def rename(tag: re.Match[bytes]) -> bytes:
        if tag[1]:
            return b"</shadow-root" if is_shadow and is_shadow.pop() else tag[0]
        is_shadow.append(bool(_SHADOW_ATTRIBUTE.search(tag[2])))
        return b"<shadow-root" if is_shadow[-1] else tag[0]

    return _TEMPLATE_TAG.sub(rename, source)
