"""White space of a page's source, as a reader sees it."""

from __future__ import annotations

import re
from functools import cache

from webmain.text.scripts import EAST_ASIAN


@cache
def _wide() -> re.Pattern[str]:
    """Return the pattern of a character written without spaces around it: Han, kana, their punctuation, full width."""
    return re.compile(f"[{EAST_ASIAN}\u3001-\u303f\uff01-\uff60]")


def folded(text: str) -> str:
    """Return a text with each run of white space as one space, and none at its ends.

    A line end of the source between two Han characters, kana or their punctuation is nothing: so Chinese and Japanese are
    wrapped, and so CSS Text (level 3, section 4.1.3) lets browsers show it. Between Thai, Lao, Khmer and Burmese letters it
    is a space, as every browser shows one, and so does Korean, which puts spaces between words.
    """
    if text.isascii() or "\n" not in text:
        return " ".join(text.split())
    is_wide = _wide().match
    out = ""
    parts: list[str] = []
    for line in text.split("\n"):
        words = " ".join(line.split())
        if not words:
            continue
        if parts:
            parts.append("" if is_wide(out[-1]) and is_wide(words) else " ")
        parts.append(words)
        out = words
    return "".join(parts)
