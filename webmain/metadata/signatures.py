"""Read signatures: bylines whose names are between other words, as newspapers in Chinese, Japanese and Korean sign."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from webmain import languages
from webmain.regex import lazy

if TYPE_CHECKING:
    from webmain.languages import Languages

MAX_SIGNATURE_CHARS: Final = 100
"""Characters read of a text."""

_MAX_REST_CHARS: Final = 40
_ASIAN: Final = lazy("[\u0900-\u1fff\u2e80-\ud7af]")  # from Devanagari to Hangul, without punctuation marks
_REST = r"[\W_]*(?:\S{1,64}@\S{1,100}[\W_]*)?"


class Signature(NamedTuple):
    """Names, with commas between them, and whether the text is hardly more than the signature."""

    names: str
    is_whole: bool


@cache
def _patterns(words: Languages) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(rf"[\W_]*?(?:{one})") for one in words.words("bylines.signatures"))


def read_signature(text: str) -> Signature | None:
    """Return the signature that a text begins with: "（記者王小明／台北報導）", "홍길동 기자 ="; None if there is none.

    Parameters
    ----------
    text : str
        Its first `MAX_SIGNATURE_CHARS` characters are read.
    """
    start = text[:MAX_SIGNATURE_CHARS].rstrip()
    if start.isascii() or not _ASIAN.search(start):
        return None
    for pattern in _patterns(languages.known()):
        if match := pattern.match(start):
            parts = match.groupdict()
            names = parts.get("name") or ", ".join(re.split(r"[\s,、，·ㆍ・;；]+", parts["names"]))
            rest = text[match.end() : match.end() + _MAX_REST_CHARS + 1]
            return Signature(names, len(rest) <= _MAX_REST_CHARS and re.fullmatch(_REST, rest) is not None)
    return None
