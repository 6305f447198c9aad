"""Cues: phrases of short lines that are no prose, in the words of all languages.

A line is read folded: without accents, zero-width characters and variants of letters, so that no spelling disguises a cue.
The words are the `cues` of `webmain.languages`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from webmain import languages
from webmain.clock import once

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

GROUPS: Final = ("comments", "related", "share", "subscribe", "byline", "legal", "about", "service")
"""The groups of cues, as in the files of languages."""

DATED: Final = 3 * len(GROUPS)
"""Bit of a line with a date or a time of day."""

READ_CHARS: Final = 64
"""Characters of a line that are read."""

_MAX_WORDS: Final = 8
_LABEL_SHARE: Final = 0.55
_MONTH: Final = 1 << len(GROUPS)
_VARIANTS: Final = str.maketrans(
    {
        **dict.fromkeys([*range(0x300, 0x370), *range(0x64B, 0x653), 0x670, 0x93C, 0x9BC, 0xA3C, 0xABC], None),
        **dict.fromkeys([0xAD, 0x34F, 0x61C, 0x640, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F)], None),
        **dict.fromkeys([*range(0x2060, 0x2070), *range(0xFE00, 0xFE10), 0xFEFF, 0x27, 0x2019, 0x2BC], None),
        0x131: "i",
        0xDF: "ss",
        0xF8: "o",
        0x142: "l",
        0x111: "d",
        0x649: "ي",
        0x6CC: "ي",
        0x6A9: "ك",
        0x6C1: "ه",
    }
)
_WORD = re.compile(r"[^\s\d!-&(-/:-@\[-`{-¨ª-¿‐-‧‰-⁞←-⯿、-〿।॥،؛؟۔٠-٩۰-۹०-९๐-๙᠀-᠊]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_DATE = re.compile(
    r"\d{1,4}[./-]\s?\d{1,2}[./-]\s?\d{2,4}|\b\d{1,2}[:.hH]\d{2}\b(?!%)|\d\s?[年月日时時分년월일시]|\b20[0-3]\d\b",
)
_DIGIT = re.compile(r"\d")


def folded(text: str) -> str:
    """Return a case-folded text as its cues are looked up; the same for all spellings of a cue."""
    return text.replace("'", "") if text.isascii() else unicodedata.normalize("NFKD", text).translate(_VARIANTS)


class Continued:
    """Words that begin phrases.

    Attributes
    ----------
    bits : int
        Groups of the phrase that these words are; 0 where they are none.
    after : dict of str to Continued
        What they are with one more word.
    """

    __slots__ = ("after", "bits")

    def __init__(self) -> None:
        self.bits = 0
        self.after: dict[str, Continued] = {}


@dataclass(frozen=True)
class Phrases:
    """The phrases of all groups, folded.

    Attributes
    ----------
    first : mapping of str to Continued
        All phrases, by their first words.
    unspaced : mapping of str to tuple of (str, int)
        Phrases in scripts without spaces between words and their groups, longer ones first, by their first two characters.
    """

    first: Mapping[str, Continued]
    unspaced: Mapping[str, tuple[tuple[str, int], ...]]


@once
def phrases() -> Phrases:
    """Return the phrases of all languages, with names of months as a group beside the others."""
    words = languages.known().words
    root = Continued()
    unspaced: dict[str, dict[str, Continued]] = {}
    lists = {1 << place: words(f"cues.{group}") for place, group in enumerate(GROUPS)}
    lists[_MONTH] = tuple(name for names in words("months") for name in names.split() if len(name) > 2)
    for bit, of_group in lists.items():
        for written in of_group:
            tokens = _WORD.findall(folded(written.casefold()))
            if not tokens:
                continue
            found = root
            for token in tokens:
                found = found.after.setdefault(token, Continued())
            found.bits |= bit
            phrase = " ".join(tokens)
            if len(phrase) > 1 and _UNSPACED.match(phrase):
                unspaced.setdefault(phrase[:2], {})[phrase] = found
    by_start = {
        start: tuple((phrase, of[phrase].bits) for phrase in sorted(of, key=lambda p: (-len(p), p)))
        for start, of in unspaced.items()
    }
    return Phrases(root.after, by_start)


@lru_cache(maxsize=1 << 14)
def line_cues(line: str) -> int:
    """Return the cues of a short line as bits: sites repeat their lines, so most are cached.

    Parameters
    ----------
    line : str
        Case folded; its first `READ_CHARS` characters are read.

    Returns
    -------
    int
        For each group in the order of `GROUPS` one bit: the line holds a cue of the group; after these one bit for each: the
        line begins with one; then: the line is hardly more than one. Then `DATED`.
    """
    known, line = phrases(), line[:READ_CHARS]
    text = folded(line)
    tokens = _WORD.findall(text)
    found: list[tuple[int, int, bool]] = []  # bits, length, whether at the beginning
    if not known.first.keys().isdisjoint(tokens):
        found = _phrases(tokens[:_MAX_WORDS], known)
    if not text.isascii() and _UNSPACED.search(text):
        found += _unspaced(" ".join(tokens), known)
    bits = 0
    if found:
        least, only, n_groups = _LABEL_SHARE * sum(map(len, tokens)), _MONTH - 1, len(GROUPS)
        for of_phrase, length, is_first in found:
            groups = of_phrase & only
            bits |= groups | is_first * groups << n_groups | (length >= least) * groups << 2 * n_groups
    if _DIGIT.search(line) and (any(b & _MONTH for b, _, _ in found) or _DATE.search(line)):
        bits |= 1 << DATED
    return bits


def _phrases(tokens: list[str], known: Phrases) -> list[tuple[int, int, bool]]:
    """Find the phrases among some words, the longest where several begin with a word."""
    found = []
    free, end = 0, len(tokens)
    for at, token in enumerate(tokens):
        so_far = known.first.get(token)
        if so_far is None or at < free:
            continue
        bits, next_one = 0, at
        while so_far is not None:
            next_one += 1
            if so_far.bits:
                bits, free = so_far.bits, next_one
            so_far = so_far.after.get(tokens[next_one]) if so_far.after and next_one < end else None
        if bits:
            found.append((bits, sum(map(len, tokens[at:free])) + free - at - 1, at == 0))
    return found


def _unspaced(text: str, known: Phrases) -> Iterator[tuple[int, int, bool]]:
    """Find phrases anywhere in a text, the longest at each place."""
    for place in range(len(text) - 1):
        for phrase, bits in known.unspaced.get(text[place : place + 2], ()):
            if text.startswith(phrase, place):
                yield bits, len(phrase), place == 0
                break
