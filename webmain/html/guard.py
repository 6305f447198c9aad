"""Bounds the parser's work on a page, with one linear scan of the source before it is parsed.

HTML5 tree building is superlinear in the open elements (each tag may search all of them), in unclosed formatting elements
(each new paragraph reopens all of them: 15 KB of source become 19 MB of tree), in the attributes of one element (each
is compared with all before it), and in different names. Ordinary pages pass quick checks that bound all four from above:
tags are counted, formatting tags are examined one by one, and of the others only those that may be long. The few pages that
fail are read by a tokenizer, which drops tags beyond the limits, but never text. Pages with more pieces of markup than
`MAX_PIECES`, or more names than `MAX_NAMES`, are rejected.

The checks and the tokenizer never undercount open elements: an end tag counts only if the parser must obey it.

Declarative shadow roots are shown to readers, but the parser keeps a template's content out of the tree, so such templates
are renamed to a neutral element. Other templates stay and are dropped by the walk.

`wrong_input` recognises input that is not a page's markup: a URL, a file name, a feed, a sitemap, an SVG picture, or JSON, a
saved page in MIME format or an archive that contains the markup.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from webmain.html.flattening import (
    AFTER_NAME,
    ATTRIBUTE,
    ATTRIBUTES,
    BARRIERS,
    FORMATTING,
    MAX_ATTRIBUTES,
    MAX_PIECES,
    MAX_ROOT_TAGS,
    RAW,
    SHORT_TAG,
    TAG,
    VOID,
    open_elements,
    read_tags,
)
from webmain.items import Reason, Rejected
from webmain.regex import lazy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

MAX_STEPS = 150_000_000
"""Limit on open elements summed over all tags, for which the parser needs less than a second."""

MAX_DEPTH = 500
"""Depth beyond which tags are dropped in a page that exceeds `MAX_STEPS`; browsers allow 512."""

MAX_OPEN_FORMATTING = 8
"""Open formatting elements kept in a page that has `SUSPECT_FORMATTING` of them open."""

SUSPECT_FORMATTING = 40
MAX_REOPENED = 200_000
"""Limit on start tags times open formatting elements: the number of elements that the parser may add."""

MAX_REOPENED_BYTES = 40_000_000
"""The same, times the lengths of the formatting tags."""

MAX_ATTRIBUTE_BYTES = 5_000_000_000
"""Limit on bytes of a page times bytes of one tag: below it, attributes cost the parser at most 1.3 s."""

MAX_NAMES = 50_000
"""Limit on different names of tags and attributes, which the parser looks up in tables of a fixed size: up to it, in half a
second. The page with the most of the development data has under 1,000."""

_LAST_BYTES = 10
"""Last bytes of a page, too few for three tags, which are not examined."""

_NOTED_BYTES = 2_000
"""Distance within which a formatting element's end tag is searched."""

_NESTED = 2
"""Nesting depth of elements that may be between the two tags."""

_TRIES = 4
"""Candidates for the end of a tag that are tried before the tag is tokenized."""

_ATTRIBUTE_NAME = lazy(
    rb"([^ \t\n\r\f/>=]++)(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:\"[^\"]*+\"?|'[^']*+'?|[^ \t\n\r\f>]*+))?"
)
_TEMPLATE_TAG = lazy(rb"<(/?)template(?=([\s/>][^<>]*+))", re.IGNORECASE)
_SHADOW_ATTRIBUTE = lazy(rb"\sshadowroot(?:mode)?\s*+=", re.IGNORECASE)
_XML = lazy(r"\s*+<\?xml\s")
_EMPTY_RAW = lazy(rf"<({'|'.join(sorted(RAW))})(\s[^<>]*)?/>", re.IGNORECASE)


def guard(source: bytes) -> bytes:
    """Return UTF-8 markup that the parser handles in linear time; nearly always the same object.

    Parameters
    ----------
    source : bytes
        UTF-8.

    Raises
    ------
    Rejected
        `TOO_LARGE`: more than `MAX_PIECES` tags, comments and declarations, not counting those that are too deep; more
        than `MAX_NAMES` names.
    """
    data = np.frombuffer(source, dtype=np.uint8)
    at = np.flatnonzero(data[:-_LAST_BYTES] == 60)
    if not len(at):
        return source
    if len(source) > _NAME_BYTES * MAX_NAMES and not _has_few_names(source, at):
        raise Rejected(Reason.TOO_LARGE, f"more than {MAX_NAMES:,} names of tags and attributes")
    kinds = _KINDS[np.ndarray((len(source) - 2,), dtype="<u2", buffer=source, offset=1, strides=(1,))[at]]
    n_starts = max(1, int(np.count_nonzero(kinds)))
    allowed_formatting = MAX_REOPENED // n_starts
    if len(at) <= MAX_PIECES:
        if _has_shadow_root(source, at[kinds == _TEMPLATE]):
            return guard(_open_shadow_roots(source))
        longest = min(MAX_REOPENED_BYTES // n_starts, MAX_ATTRIBUTE_BYTES // len(source))
        if (
            _leaves_few_open(source, at[kinds == _NOTED], allowed_formatting)
            and _tags_end_within(source, longest)
            and (n_starts * len(at) <= 2 * MAX_STEPS or open_elements(source, limit=MAX_STEPS) <= MAX_STEPS)
        ):
            return source
    limit = min(SUSPECT_FORMATTING, allowed_formatting)
    is_deep, few = len(at) > MAX_PIECES, min(MAX_OPEN_FORMATTING, allowed_formatting)
    if not is_deep:
        read = read_tags(source, max_steps=MAX_STEPS, enough_formatting=limit)
        if read.n_formatting >= limit or (read.steps <= MAX_STEPS and read.reopened_bytes > MAX_REOPENED_BYTES):
            read = read_tags(source, max_depth=MAX_PIECES, max_formatting=few, max_steps=MAX_STEPS)
        is_deep = read.steps > MAX_STEPS
    if is_deep:
        read = read_tags(source, max_depth=MAX_DEPTH, max_formatting=few)
    return read.source


_START, _NOTED, _TEMPLATE = 1, 2, 3


def _kinds() -> NDArray[np.uint8]:
    """Return the kind of markup by the two bytes after `<`: a start tag, one to examine, or a template's tag."""
    kinds = np.zeros((256, 256), dtype=np.uint8)
    kinds[_LETTERS] = _START
    for kind, names in ((_NOTED, (*FORMATTING, *_ROOTS)), (_TEMPLATE, ("template",))):
        for name in names:
            seconds = (name[1:2] + name[1:2].upper()).encode() or _AFTER_NAMES
            kinds[np.ix_(list((name[0] + name[0].upper()).encode()), list(seconds))] = kind
    return kinds.T.ravel()  # the first byte is the lower one of a number


_ROOTS = ("html", "body")
_LETTERS = list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_AFTER_NAMES = bytes((*range(33), *b"/>"))
_KINDS = _kinds()


_NAME_BYTES = 3
"""Bytes of a name and what is before it, on average at least, where there are many different ones."""

_IN_NAMES = bytes(byte not in b" \t\n\r\f/>=" for byte in range(256))
_AS_WORDS = bytes.maketrans(b"/>=\v", b"   \1")


def _has_few_names(source: bytes, at: NDArray[np.int64]) -> bool:
    """Return True if there are at most `MAX_NAMES` different names of tags and attributes.

    Wherever the parser may find a name, it is a word, or the end of one. Only if the page has too many different words, what
    would be a tag is read at each `<`.
    """
    in_names = np.frombuffer(source.translate(_IN_NAMES), dtype=np.uint8)
    if np.count_nonzero(in_names[1:] > in_names[:-1]) < MAX_NAMES:
        return True
    if len(set(source.translate(_AS_WORDS).split())) <= MAX_NAMES:
        return True
    names: set[bytes] = set()
    budget = 4 * len(source)
    for place in at.tolist():
        if tag := TAG.match(source, place + 1 + (source[place + 1] == 47)):
            names.add(tag[1])
            names.update(_ATTRIBUTE_NAME.findall(source, tag.end(1), tag.end()))
            budget -= len(tag[0])
            if budget < 0 or len(names) > MAX_NAMES:
                return False
    return True


def _has_shadow_root(source: bytes, places: NDArray[np.int64]) -> bool:
    """Return whether one of the tags at these places is that of a declarative shadow root."""
    tags = (_TEMPLATE_TAG.match(source, place) for place in places.tolist())
    return any(tag and _SHADOW_ATTRIBUTE.search(tag[2]) for tag in tags)


def _any(names: Iterable[str]) -> bytes:
    """Return a pattern of a tag's name up to its end."""
    return b"(?:%s)(?=%s)" % ("|".join(sorted(names)).encode(), AFTER_NAME)


def _nested(depth: int) -> bytes:
    """Return a pattern of text, a few void elements, and closed elements up to a nesting depth."""
    if not depth:
        return rb"[^<]*+"
    void = _any(VOID) + ATTRIBUTES + b">"
    opening = b"(?!%s)(?P<n%d>[a-z][^ \t\n\r\f/>]*+)%s>" % (_any((*VOID, *BARRIERS, *RAW)), depth, ATTRIBUTES)
    closing = b"</(?P=n%d)%s>" % (depth, ATTRIBUTES)
    return rb"[^<]*+(?:<(?:%s|%s%s%s)[^<]*+){0,20}+" % (void, opening, _nested(depth - 1), closing)


@cache
def _formatting_element() -> re.Pattern[bytes]:
    """Return the pattern of a formatting element or the tag of a root; compiled on first use."""
    names = (_any(_ROOTS), _any(FORMATTING), ATTRIBUTES, _nested(_NESTED), AFTER_NAME)
    return re.compile(b"<(?:%s|(%s)(?:%s(>)(?:%s</\\1(?=%s)(?P<closed>))?)?)" % names, re.IGNORECASE)


_OPENED_ANEW = lazy(_any((*FORMATTING, "a")), re.IGNORECASE)
_OPENED_ANEW_TAG = lazy(b"<" + _OPENED_ANEW.pattern, re.IGNORECASE)
_BEFORE_NAMES = (b" ", b"\t", b"\n", b"\r", b"\f", b"/", b'"', b"'")
"""Characters that may precede the name of an attribute."""


def _leaves_few_open(source: bytes, places: NDArray[np.int64], n: int) -> bool:
    """Return True if fewer than `n` formatting elements may be unclosed, and few roots are opened.

    An element is certainly closed if only text and a few void and nested elements are between its tags. Elements with long
    tags count more, because attributes are copied, too.
    """
    n_roots, element_at = 0, _formatting_element().match
    for place in places.tolist():
        element = element_at(source, place, place + _NOTED_BYTES)
        if element is None or element["closed"] is not None:
            continue
        if element[1] is None:
            n_roots += 1
        else:
            n -= 1 if element[2] and element.end() - place <= SHORT_TAG else MAX_ATTRIBUTES
        if n <= 0 or n_roots > MAX_ROOT_TAGS:
            return False
    return True


def _tags_end_within(source: bytes, n_bytes: int) -> bool:
    """Return True if no tag is longer, except tags of elements that are not reopened and have few attributes."""
    many = max(2 * MAX_ATTRIBUTES, MAX_ATTRIBUTE_BYTES // (4 * len(source)))
    position, looked_at, budget = 0, 0, 2 * len(source)
    while (start := source.find(b"<", position)) >= 0 and len(source) - start > n_bytes:
        position = _find_end(source, start, start + n_bytes)
        if position < 0 and start >= looked_at:
            size = n_bytes
            while position < 0 and size < len(source) - start:
                size *= 2
                position = _find_end(source, start, start + size)
            looked_at = len(source) if position < 0 else position
            piece = source[start:looked_at]
            if _OPENED_ANEW_TAG.search(piece) is None and sum(map(piece.count, _BEFORE_NAMES)) <= many:
                position = looked_at
                continue
            position = -1
        if position < 0:
            position = start + 1
            if tag := TAG.match(source, position):
                budget -= len(tag[0])
                if budget < 0 or (len(tag[0]) > n_bytes and _is_costly(tag[0], many)):
                    return False
    return True


def _find_end(source: bytes, start: int, end: int) -> int:
    """Return a late position before `end` that is not inside a tag that begins at `start` or later; -1 if none is found.

    A `>` ends a tag or is outside of tags, unless it is in a quoted value; then the last such quote before it opens the
    value and follows `=` or white space.
    """
    for _ in range(_TRIES):
        end = source.rfind(b">", start, end)
        if end < 0:
            break
        for quote in (b'"', b"'"):
            last = source.rfind(quote, start, end)
            if last >= 0 and source[last - 1] in _BEFORE_VALUES:
                end = last
                break
        else:
            return end
    return -1


_BEFORE_VALUES = frozenset((*range(33), ord("=")))


def _is_costly(tag: bytes, many: int) -> bool:
    """Return True if a long tag (without its `<`) is copied by the parser or may have many attributes."""
    return bool(_OPENED_ANEW.match(tag)) or len(ATTRIBUTE.findall(tag)) > many


def _open_shadow_roots(source: bytes) -> bytes:
    """Return the source with `<template shadowrootmode=...>` and its end tag renamed; handles nested templates."""
    is_shadow: list[bool] = []

    def rename(tag: re.Match[bytes]) -> bytes:
        if tag[1]:
            return b"</shadow-root" if is_shadow and is_shadow.pop() else tag[0]
        is_shadow.append(bool(_SHADOW_ATTRIBUTE.search(tag[2])))
        return b"<shadow-root" if is_shadow[-1] else tag[0]

    return _TEMPLATE_TAG.sub(rename, source)


def close_empty(text: str) -> str:
    """Return an XHTML page with end tags for its empty raw elements (`script` etc.); any other page unchanged.

    In XML `<script/>` is a complete element; in HTML the rest of the page would be its content.
    """
    return _EMPTY_RAW.sub(r"<\1\2></\1>", text) if _XML.match(text) else text


_MAX_NAME_CHARS = 4096
_URL = lazy(r"(?:https?|ftp|file)://\S+|www\.[^\s.]+\.\S+", re.IGNORECASE)
_PATH = lazy(
    r"(?:~|\.{1,2})?/\S*|[a-z]:[/\\][^\n]*|[^\n]*\.(?:x?html?|mhtml|php|txt|json|xml|warc(?:\.gz)?)", re.IGNORECASE
)
_JSON = lazy(r"\{\s*[\"}]|\[\s*[\[{\"\]]")
_NO_PAGE = lazy(
    r"%PDF-|<\?|<!--|<!doctype(?!\s+html)|<(?:[\w.-]+:)?(?:rss|feed|rdf|urlset|sitemapindex|opml|svg)(?=[\s/>])",
    re.IGNORECASE,
)
"""Beginnings of what may be no page, for which the kind is determined."""

_WARC = lazy(r"WARC/\d\.\d+\r?\nWARC-", re.IGNORECASE)
_MAX_HEAD_CHARS = 32_768
_HEADERS = lazy(r"(?:From [^\n]*\n)?(?:[a-z][a-z0-9-]*:[^\n]*\n(?:[ \t]+[^\s][^\n]*\n)*)+", re.IGNORECASE)
_MIME = lazy(r"^mime-version:", re.IGNORECASE | re.MULTILINE)
_MAIL = lazy(
    r"^(?:from:|subject:|received:|message-id:|content-transfer-encoding:|content-type:\s*multipart/)",
    re.IGNORECASE | re.MULTILINE,
)


def wrong_input(text: str) -> str:
    """Return a message on what was given instead of markup, and what to do; "" if it may be markup or text."""
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
    if _NO_PAGE.match(text):
        from webmain.html.sniffing import BodyKind, sniff

        kind = sniff(text[:_MAX_NAME_CHARS].encode("utf-8", "replace"))
        begins_page = kind is BodyKind.IMAGE and not text.rstrip().endswith("</svg>")  # with a picture
        if not begins_page and kind not in (BodyKind.HTML, BodyKind.BINARY):  # control characters in text are dropped
            return f"the body is {kind}"
    if text.startswith("filedesc://"):
        return "this is an ARC file, the format before WARC; convert it to WARC, as warcio does"
    if _WARC.match(text):
        return "this is a WARC file, with any number of pages; read it by its name: `webmain extract FILE`"
    headers = _HEADERS.match(text, 0, _MAX_HEAD_CHARS)
    if headers is not None and _MIME.search(headers[0]) and _MAIL.search(headers[0]):
        return "this is MHTML (a saved page or mail in MIME format); save the page as HTML"
    return ""
