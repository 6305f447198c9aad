"""Estimate cheaply how much of a string is prose, to distinguish an article's text from code, URLs and labels."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from webmain.regex import lazy

MIN_CHARS: Final = 40
MAX_CHARS: Final = 1_000_000  # maximum characters read of one string

_TAG = lazy(r"<[a-zA-Z/!][^<>]{0,4000}+>")
_STYLE = lazy(r"<(style|script)\b[^<>]{0,1000}+>.*?(?:</\1|\Z)", re.IGNORECASE | re.DOTALL)
_END = lazy(r"[.!?…:;”\"»’)](?=\s|$|<|[\"'”»’)])|[。！？；」؟۔।॥։။៕።។]")
_CODE: Final = (*"{};=<>\\|_$", "::", "()")
_CHARS_AN_END: Final = 600
_TOKEN_CHARS: Final = 25  # maximum characters per word of prose in a spaced script

FIRST_WIDE: Final = 0x3040
"""Code point of the first character that `n_wide` may count."""

_WIDE = lazy(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_UNSPACED = lazy(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")


def n_wide(text: str) -> int:
    """Return the number of characters that count as three."""
    return 0 if text.isascii() else len(_WIDE.findall(text))


def plain(text: str) -> str:
    """Return a string without tags and without the content of scripts and styles."""
    if "<" not in text:
        return text
    return _TAG.sub(" ", _STYLE.sub(" ", text))


def prose_chars(text: str) -> float:
    """Return the characters of prose in a string, each Chinese, Japanese and Korean one counted as three.

    `text`: with or without markup.

    Returns 0 if it is not prose: short strings, code, style sheets, URLs, packed data, mostly links. A third of the length if
    text in a spaced script has no end of a sentence.
    """
    if len(text) < MIN_CHARS // 3 or (len(text) < MIN_CHARS and text.isascii()):
        return 0.0
    text = text[:MAX_CHARS]
    has_tags = "<" in text
    shown = " ".join(plain(text).split()) if has_tags else text
    n = len(shown)
    if not n or (has_tags and _linked_chars(text) > 0.5 * n):
        return 0.0
    sample = shown[:2000]
    unspaced = 0 if sample.isascii() else len(_UNSPACED.findall(sample))
    if sum(map(sample.count, _CODE)) > 0.03 * len(sample):
        return 0.0
    spaces = sample.count(" ") + sample.count("\n")
    if unspaced < 0.3 * len(sample) and len(sample) / (spaces + 1) > _TOKEN_CHARS:
        return 0.0
    wide = n_wide(shown)
    weight = float(n + 2 * wide)
    if weight < MIN_CHARS:
        return 0.0
    if unspaced < 0.3 * len(sample) and not _has_ends(sample):
        return weight / 3
    return weight


def _has_ends(sample: str) -> bool:
    """Return True if a text has at least one end of a sentence per 600 characters; most have one after a few words."""
    needed = -(-len(sample) // _CHARS_AN_END)
    return sum(1 for _ in islice(_END.finditer(sample), needed)) == needed


def _linked_chars(text: str) -> int:
    """Return the number of characters inside anchors."""
    total = position = 0
    lower = text if text.isascii() and "<A" not in text else text.replace("<A", "<a").replace("</A", "</a")
    while (start := lower.find("<a ", position)) >= 0:
        end = lower.find("</a", start)
        if end < 0:
            break
        total += len(plain(lower[start:end]).strip())
        position = end
    return total
