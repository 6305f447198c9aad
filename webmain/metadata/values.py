"""Clean a value of a page's metadata: one line, decoded, without markup."""

from __future__ import annotations

import html
import re
from typing import Final

from webmain.regex import lazy

MAX_VALUE_CHARS: Final = 4_000

_INVISIBLE = dict.fromkeys(
    [0xAD, 0x200B, 0x2060, 0xFEFF, 0xB6, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0xD800, 0xE010), 0xFFFE, 0xFFFF]
)  # with lone surrogates
_CONTROL = dict.fromkeys([*range(32), *range(127, 160), 8232, 8233], " ")
_DROPPED = str.maketrans(_INVISIBLE | _CONTROL)
_TAG = lazy(r"<(/?)([a-zA-Z][a-zA-Z0-9]{0,15})(\s[^<>]{0,300})?/?>")
_ENTITY = lazy(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def clean(text: str, *, limit: int = MAX_VALUE_CHARS, markup: bool = True) -> str:
    """Return a value on one line, without double-escaped entities and soft hyphens, white space folded.

    With `markup`, without tags of elements that are closed, tags with attributes, `br`, and a `p` that opens a sentence; the
    name of a tag stays ("How to use the <div> element").
    """
    text = text[:limit]
    for _ in range(3):
        if "&" not in text or not _ENTITY.search(text):
            break
        text = html.unescape(text)
    if markup and "<" in text:
        text = _without_tags(text)
    if not text.isprintable() or "\xb6" in text:
        text = text.translate(_DROPPED)
    return " ".join(text.split())


def _without_tags(text: str) -> str:
    named = {(tag[1], tag[2].lower()) for tag in _TAG.finditer(text)}

    def replaced(tag: re.Match[str]) -> str:
        name = tag[2].lower()
        is_markup = {("", name), ("/", name)} <= named or name == "br" or "=" in (tag[3] or "")
        return " " if is_markup or (name == "p" and not text[: tag.start()].rstrip()[-1:].isalnum()) else tag[0]

    return _TAG.sub(replaced, text)
