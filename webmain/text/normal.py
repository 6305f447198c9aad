"""Normal forms for comparing texts; each step is linear in the text's length.

White space is defined as in `str.split`: all Unicode spaces, including no-break spaces, and the information separators. The
zero-width space is not white space; it is an invisible character that ends a word.

Scripts are written as the inside of a regular expression's character class, so that one constant serves the patterns here
and the table of `webmain.text.characters`. Source: Unicode 15 blocks and Scripts.txt.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from functools import cache

from webmain.regex import lazy

MAX_MARKS = 30
"""Maximum consecutive combining marks kept: the limit of Unicode's Stream-Safe Text Format (UAX #15, section 13).

Composing longer runs takes quadratic time: 40,000 marks took 1.2 s, 80,000 4.9 s.
"""

THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
LAO = "\u0e81-\u0eb9\u0ebb-\u0ecd\u0edc-\u0edf"
KHMER = "\u1780-\u17d3\u17d7\u17dc\u17dd"
BURMESE = "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
HAN = "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA = "\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b16f"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"

SPACED_ENDS = ".!?…।॥؟۔։።፧។៕။"
"""Marks that end a sentence and have white space after them, by any script."""

SENTENCE_ENDS = SPACED_ENDS + "。！？"
"""Marks that end a sentence."""

SOUTHEAST_ASIAN = THAI + LAO + KHMER + BURMESE
"""Scripts whose words are several syllables without a space: Thai, Lao, Khmer, Burmese."""

EAST_ASIAN = HAN + KANA  # Han characters and kana: words of one to four characters without a space

UNSPACED = SOUTHEAST_ASIAN + EAST_ASIAN
"""Letters and marks of all scripts that put no spaces between words; their digits are not among them."""

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u201b\u02b9\u02bb\u02bc\u02bd\u2032\u00b4\u0060\uff07", "'"))
_DOTTED_I = str.maketrans({"\u0130": "i", "I": "\u0131"})
_CONTROLS = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
_DISCRETIONARY = (
    "\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0001-\U000e007f"
)
_JOINERS = "\u034f\u180b-\u180d\u180f\u200b-\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
INVISIBLE = f"{_CONTROLS}{_DISCRETIONARY}{_JOINERS}"
"""Invisible characters of no width, as the inside of a character class."""

_UNPRINTED = lazy(f"[{_CONTROLS}{_DISCRETIONARY}]")  # `re` finds single characters faster than runs
_NOT_KEPT = lazy("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\ufeff\ud800-\udfff\ufffe\uffff]")
_INVISIBLE = lazy(f"[{INVISIBLE}]")
_NOT_PLAIN = lazy(
    "[^\t\n\r -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0373\u0376-\u037d\u037f-\u0386\u0388-\u0482\u048a-\u052f"
    "\u2010-\u2027\u202f-\u205e\u20a0-\u20bf\u2122]"
)
_NARROW = {0xFEE0 + code: code for code in (*range(0x41, 0x5B), *range(0x61, 0x7B))}
_LATIN = str.maketrans(
    "авсԁеһіјкмопрѕтухАВСЕНІЈКМОРЅТХΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρυ", "abcdehijkmonpstyxABCEHIJKMOPSTXABEZHIKMNOPTYXovpu"
)
LATIN_LOOKALIKES = "".join(map(chr, _LATIN))
_FULL_WIDTH = lazy("[\uff21-\uff3a\uff41-\uff5a]")
_LOOKALIKE = lazy(f"[{LATIN_LOOKALIKES}]")
_MIXED = lazy(f"[a-zA-Z][{LATIN_LOOKALIKES}]|[{LATIN_LOOKALIKES}][a-zA-Z]")
_WORD = lazy(r"[^\W\d_]+")
_WIDE = lazy(f"[{EAST_ASIAN}\u3001-\u303f\uff01-\uff60]")  # written without spaces around it
_SPACED_LETTERS = lazy(rf"[^\W\d_{UNSPACED}]+")
UNSPACED_RUN = lazy(f"[{UNSPACED}]+")  # letters and marks of the unspaced scripts
_SURROGATES = lazy("[\ud800-\udfff]")
_ZERO_FOR_WA = lazy("(?<![\u1040-\u1049.])\u1040(?=[\u1000-\u103f])|(?<=[\u1000-\u103f])\u1040(?![\u1040-\u1049.])")
_NOT_FOR_HTML = lazy("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def fold_space(text: str) -> str:
    """Return a text with each run of white space as one space, and none at its ends."""
    if text.isprintable() and "  " not in text:  # no white space but single spaces
        return text.strip()
    return " ".join(text.split())


def fold_lines(text: str) -> str:
    """Return source text with white space as a reader sees it: each run as one space, none at its ends.

    A line end between two Han characters, kana or their punctuation is removed, as CSS Text (level 3, section 4.1.3) allows,
    because Chinese and Japanese sources are wrapped without spaces. Between Thai, Lao, Khmer and Burmese letters it becomes
    a space, as in every browser, and also in Korean, which puts spaces between words.
    """
    if text.isascii() or "\n" not in text:
        return " ".join(text.split())
    is_wide = _WIDE.match
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


def fold_apostrophes(text: str) -> str:
    """Return a text with curly, modifier, full-width and grave apostrophes replaced by straight ones."""
    return text if text.isascii() and "`" not in text else text.translate(_APOSTROPHES)


def fold_case(text: str, *, language: str | None = None) -> str:
    """Return a text with case folded.

    `language`: with "tr" or "az", the dotted and the dotless i stay different letters.
    """
    if language in {"tr", "az"}:
        text = text.translate(_DOTTED_I)
    return text.lower() if text.isascii() else text.casefold()


def strip_unprinted(text: str) -> str:
    """Return a text without soft hyphens, byte order marks and control characters, which affect neither look nor words.

    Joiners, variation selectors and the zero-width space stay: they shape letters or separate words.
    """
    return text if is_plain(text) else _UNPRINTED.sub("", text)


def strip_controls(text: str) -> str:
    """Return a text without soft hyphens, byte order marks, and what XML cannot contain: controls, lone surrogates, U+FFFE.

    Tabs and line feeds stay.
    """
    return text if text.isprintable() else _NOT_KEPT.sub("", text)


def strip_invisible(text: str) -> str:
    """Return a text without any invisible character, including joiners and the zero-width space, for comparing."""
    return text if is_plain(text) else _INVISIBLE.sub("", text)


def as_seen(text: str) -> str:
    """Return a text as its words look, for judging: without invisible characters, full-width letters made narrow.

    A Cyrillic or Greek letter inside a word with Latin letters becomes the Latin letter that it looks like.
    """
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", text)
    if _FULL_WIDTH.search(text):
        text = text.translate(_NARROW)
    return _WORD.sub(_in_one_script, text) if _LOOKALIKE.search(text) and _MIXED.search(text) else text


def _in_one_script(word: re.Match[str]) -> str:
    return word[0].translate(_LATIN) if _MIXED.search(word[0]) else word[0]


def replace_surrogates(text: str) -> str:
    """Return a text with lone surrogates, which no encoding can express, replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def repair_burmese(text: str) -> str:
    """Return a text with the letter wa where Burmese has the digit zero typed for it, which looks the same."""
    return _ZERO_FOR_WA.sub("\u101d", text) if "\u1040" in text else text


def fit_for_html(text: str) -> str:
    """Return a text with U+FFFD for what HTML cannot contain, and for marks that turn the direction of what follows."""
    return _NOT_FOR_HTML.sub("\ufffd", text)


def shorten(text: str, most: int) -> str:
    """Return a text of at most so many characters; a longer one ends in an ellipsis."""
    return text if len(text) <= most else text[: most - 1] + "…"


def is_plain(text: str) -> bool:
    """Return True if a text has only composed Latin, Greek and Cyrillic letters and common punctuation.

    Such a text is already in NFC and without invisible characters: most texts need only this one check.
    """
    return not _NOT_PLAIN.search(text)


def has_astral_marks(text: str) -> bool:
    """Return True if a text has a mark (category M) above U+FFFF."""
    if len(text.encode("utf-16-le", "surrogatepass")) == 2 * len(text):
        return False
    return any(unicodedata.category(character)[0] == "M" for character in set(text) if character > "\uffff")


@cache
def mark_ranges(*, astral: bool) -> str:
    """Return all marks (category M), which belong to words, as the inside of a character class; `re` has no class for them.

    `astral`: include marks above U+FFFF: `re` finds the others in one step, but tries these range by range.
    """
    marks = [point for point in range(0x20000 if astral else 0x10000) if unicodedata.category(chr(point))[0] == "M"]
    return _character_class([*marks, *range(0xE0100, 0xE01F0)] if astral else marks)


def _character_class(points: Iterable[int]) -> str:
    """Return ascending code points as the inside of a regular expression's character class."""
    ranges: list[list[int]] = []
    for point in points:
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


@cache
def _long_rows_of_marks(*, astral: bool) -> re.Pattern[str]:
    """Return the pattern of more than `MAX_MARKS` marks in a row."""
    marks = mark_ranges(astral=astral)
    return re.compile(
        f"([{marks}][{marks}]{{{MAX_MARKS - 1}}})[{marks}]+"
    )  # matching the first mark separately is faster


def compose(text: str) -> str:
    """Return a text in Unicode's form NFC, with runs of combining marks cut at `MAX_MARKS`.

    Returns the same object if nothing had to be changed.
    """
    if is_plain(text):
        return text
    if len(text) > MAX_MARKS:
        text = _long_rows_of_marks(astral=has_astral_marks(text)).sub(r"\1", text)
    return unicodedata.normalize("NFC", text)


def comparable(text: str) -> str:
    """Return a text folded for comparing: visible characters only, NFC, case and white space folded."""
    folded = fold_case(text if is_plain(text) else compose(strip_invisible(text)))
    return fold_space(folded if unicodedata.is_normalized("NFC", folded) else compose(folded))


def fingerprint(text: str) -> str:
    """Return the first 32 hex digits of the SHA-256 of a text after case and white space are folded.

    Composition of letters, soft hyphens, zero-width characters, case and white space make no difference; anything visible
    does.
    """
    return hashlib.sha256(comparable(text).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def is_unspaced(text: str) -> bool:
    """Return True if at least half of a text's letters belong to scripts without spaces between words.

    Such a text has to be segmented to find its words; splitting at white space is meaningless. Vowel signs of the unspaced
    scripts count as letters; a text without letters is not unspaced.
    """
    unspaced = 0 if text.isascii() else sum(map(len, UNSPACED_RUN.findall(text)))
    return unspaced > 0 and unspaced >= sum(map(len, _SPACED_LETTERS.findall(text)))
