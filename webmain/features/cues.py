"""Cues: phrases that mark short lines as boilerplate ("share this", "related"), in all languages.

Lines are folded first: accents, zero-width characters and letter variants are removed, so that all spellings match.
The phrases are the `cues` of `webmain.languages`.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from webmain import languages
from webmain.clock import once
from webmain.regex import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

GROUPS: Final = ("comments", "related", "share", "subscribe", "byline", "legal", "about", "service")
"""The groups of cues, as named in the language files."""

DATED: Final = 3 * len(GROUPS)
"""Bit of a line with a date or a time of day."""

READ_CHARS: Final = 64
"""Characters read of a line."""

_MAX_WORDS: Final = 8
_LABEL_SHARE: Final = 0.55
_MONTH: Final = 1 << len(GROUPS)
_NO_LETTERS: Final = (
    "\u0300-\u036f\u064b-\u0652\u0670\u093c\u09bc\u0a3c\u0abc"
    "\xad\u034f\u061c\u0640\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff'\u2019\u02bc"
)
_DROPPED = lazy(f"[{_NO_LETTERS}]+")
_VARIANTS: Final = {"ı": "i", "ß": "ss", "ø": "o", "ł": "l", "đ": "d", "ى": "ي", "ی": "ي", "ک": "ك", "ہ": "ه"}
_NO_WORD: Final = r"\d!-&(-/:-@\[-`{-¨ª-¿‐-‧‰-⁞←-⯿、-〿।॥،؛؟۔٠-٩۰-۹०-९๐-๙᠀-᠊"
_WORD = lazy(rf"[^\s{_NO_WORD}]+")
_SPACES: Final = bytes(point if point > 127 or _WORD.match(chr(point)) else 32 for point in range(256))
_BETWEEN = lazy(f"[ {_NO_WORD}]+")
_UNSPACED = lazy(  # a class of few ranges is compiled much faster
    r"[\u0e00-\u9fff](?<![\u0f00-\u0fff\u10a0-\u177f])(?<![\u1800-\u303f\u3100-\u33ff])"
)
_DATE = lazy(  # begins with a digit, which the engine finds fast
    r"\d(?:[./-]\s?\d{1,2}[./-]\s?\d\d|(?<=\b\d)\d?[:.hH]\d{2}\b(?!%)|\s?[年月日时時分년월일시]|(?<=\b2)0[0-3]\d\b)",
)
_DIGIT = lazy(r"\d")


def folded(text: str) -> str:
    """Return a case-folded text in the form used to look up cues, which is the same for all spellings."""
    if text.isascii():
        return text.replace("'", "")
    text = _DROPPED.sub("", unicodedata.normalize("NFKD", text))
    for variant, letter in _VARIANTS.items():
        text = text.replace(variant, letter)
    return text


@dataclass(frozen=True)
class Phrases:
    """The phrases of all groups, folded.

    Attributes
    ----------
    bits : mapping of str to int
        The groups of each phrase.
    n_words : mapping of str to tuple of int
        By first word, the lengths in words of the phrases that begin with it, longest first.
    beginnings : set of str
        The phrases of one word, and the first two words of others.
    unspaced : mapping of str to tuple of str
        Phrases in scripts without spaces between words, by their first two characters, longest first.
    """

    bits: Mapping[str, int]
    n_words: Mapping[str, tuple[int, ...]]
    beginnings: frozenset[str]
    unspaced: Mapping[str, tuple[str, ...]]


@once
def phrases() -> Phrases:
    """Return the phrases of all languages, with names of months as an extra group."""
    words = languages.known().words
    lists = [words(f"cues.{group}") for group in GROUPS]
    lists.append(tuple(name for names in words("months") for name in names.split() if len(name) > 2))
    text = _BETWEEN.sub(" ", folded("\n\0\n".join(map("\n".join, lists)).casefold()))  # all phrases at once
    bits: dict[str, int] = {}
    for place, lines in enumerate(text.replace("\n ", "\n").replace(" \n", "\n").split("\n\0\n")):
        for phrase in lines.split("\n"):
            bits[phrase] = bits.get(phrase, 0) | 1 << place
    bits.pop("", None)
    n_words_of: dict[str, tuple[int, ...]] = dict.fromkeys([phrase for phrase in bits if " " not in phrase], (1,))
    longer: dict[str, set[int]] = {}
    beginnings = set(n_words_of)
    for phrase in [phrase for phrase in bits if " " in phrase]:
        space = phrase.index(" ")
        second = phrase.find(" ", space + 1)
        beginnings.add(phrase if second < 0 else phrase[:second])
        longer.setdefault(phrase[:space], set()).add(phrase.count(" ") + 1)
    for first, found in longer.items():
        n_words_of[first] = (*sorted(found, reverse=True), *n_words_of.get(first, ()))
    unspaced: dict[str, list[str]] = {}
    for phrase in [phrase for phrase in bits if phrase[0] > "\u0dff"]:
        if len(phrase) > 1 and _UNSPACED.match(phrase):
            unspaced.setdefault(phrase[:2], []).append(phrase)
    by_start = {start: tuple(sorted(names, key=lambda p: (-len(p), p))) for start, names in unspaced.items()}
    return Phrases(bits, n_words_of, frozenset(beginnings), by_start)


@lru_cache(maxsize=1 << 14)
def line_cues(line: str) -> int:
    """Return the cues of a short line as bits; cached, because sites repeat their lines.

    Parameters
    ----------
    line : str
        Case folded; its first `READ_CHARS` characters are read.

    Returns
    -------
    int
        Three sets of bits, each in the order of `GROUPS`: the line contains a cue of the group; it begins with one; it is
        hardly more than one. Then `DATED`.
    """
    known, line = phrases(), line[:READ_CHARS]
    text = line if line.isascii() else folded(line)
    is_ascii = text.isascii()
    tokens = text.encode("ascii").translate(_SPACES, b"'").decode("ascii").split() if is_ascii else _WORD.findall(text)
    found = _phrases(tokens[:_MAX_WORDS], known)
    if not is_ascii and _UNSPACED.search(text):
        found += _unspaced(" ".join(tokens), known)
    bits = 0
    has_month = False
    if found:
        least, n_groups = _LABEL_SHARE * len("".join(tokens)), len(GROUPS)
        for of_phrase, length, is_first in found:
            groups = of_phrase & (_MONTH - 1)
            bits |= groups | is_first * groups << n_groups | (length >= least) * groups << 2 * n_groups
            has_month |= groups != of_phrase
    if _DATE.search(line) or (has_month and _DIGIT.search(line)):
        bits |= 1 << DATED
    return bits


def _phrases(tokens: list[str], known: Phrases) -> list[tuple[int, int, bool]]:
    """Return the phrases among some words: bits, length, and whether it comes first; of several from a word, the longest."""
    found, free, n_words, beginnings, bits = [], 0, known.n_words, known.beginnings, known.bits
    for at, token in enumerate(tokens):
        if token not in n_words or at < free:
            continue
        if token not in beginnings and " ".join(tokens[at : at + 2]) not in beginnings:
            continue
        for n in n_words[token]:
            phrase = " ".join(tokens[at : at + n])  # shorter at the end of the line
            if phrase in bits:
                found.append((bits[phrase], len(phrase), at == 0))
                free = at + n
                break
    return found


def _unspaced(text: str, known: Phrases) -> Iterator[tuple[int, int, bool]]:
    """Yield phrases anywhere in a text, the longest at each position."""
    for place in range(len(text) - 1):
        for phrase in known.unspaced.get(text[place : place + 2], ()):
            if text.startswith(phrase, place):
                yield known.bits[phrase], len(phrase), place == 0
                break
