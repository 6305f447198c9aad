"""Normal forms: how two texts are made comparable, each step linear in the text's length.

White space is what `str.split` takes for it: all Unicode spaces, among them the no-break spaces, and the information
separators. The zero-width space is no white space; it is an invisible character that ends a word.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cache

MAX_MARKS = 30
"""Combining marks kept in a row: the limit of Unicode's Stream-Safe Text Format (UAX #15, section 13).

Composing a longer row costs its length squared: 40,000 marks took 1.2 s, 80,000 4.9 s.
"""

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u201b\u02b9\u02bb\u02bc\u02bd\u2032\u00b4\u0060\uff07", "'"))
_DOTTED_I = str.maketrans({"\u0130": "i", "I": "\u0131"})
_CONTROLS = "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
_DISCRETIONARY = (
    "\u00ad\u061c\u180e\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0001-\U000e007f"
)
_JOINERS = "\u034f\u180b-\u180d\u180f\u200b-\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
_UNPRINTED = re.compile(f"[{_CONTROLS}{_DISCRETIONARY}]+")
_INVISIBLE = re.compile(f"[{_CONTROLS}{_DISCRETIONARY}{_JOINERS}]+")
_NOT_PLAIN = re.compile(
    "[^\t\n\r -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0373\u0376-\u037d\u037f-\u0386\u0388-\u0482\u048a-\u052f"
    "\u2010-\u2027\u202f-\u205e\u20a0-\u20bf\u2122]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")


def fold_space(text: str) -> str:
    """Return a text with each run of white space as one space, and none at its ends."""
    return " ".join(text.split())


def fold_apostrophes(text: str) -> str:
    """Return a text with curly, modifier, full-width and grave apostrophes as the straight one."""
    return text if text.isascii() and "`" not in text else text.translate(_APOSTROPHES)


def fold_case(text: str, *, language: str | None = None) -> str:
    """Return a text in the form that is the same for all cases of its letters.

    Parameters
    ----------
    language : str or None
        With "tr" or "az", the dotted and the dotless i stay two letters.
    """
    if language in {"tr", "az"}:
        text = text.translate(_DOTTED_I)
    return text.lower() if text.isascii() else text.casefold()


def strip_unprinted(text: str) -> str:
    """Return a text without what changes neither its look nor its words: soft hyphens, byte order marks, controls.

    Joiners, variation selectors and the zero-width space stay: they shape letters or part words.
    """
    return text if is_plain(text) else _UNPRINTED.sub("", text)


def strip_invisible(text: str) -> str:
    """Return a text without any invisible character, joiners and the zero-width space among them, for comparing."""
    return text if is_plain(text) else _INVISIBLE.sub("", text)


def replace_surrogates(text: str) -> str:
    """Return a text with lone surrogates, which no encoding can write, as U+FFFD."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def is_plain(text: str) -> bool:
    """Tell whether a text holds composed Latin, Greek and Cyrillic letters and common marks only.

    Such a text is in NFC and without invisible characters as it is: most texts are done with this one look.
    """
    return not _NOT_PLAIN.search(text)


@cache
def _long_rows_of_marks(*, astral: bool) -> re.Pattern[str]:
    """Return the pattern of more than `MAX_MARKS` combining marks in a row."""
    from webmain.text.characters import combining_ranges

    marks = combining_ranges(astral=astral)
    return re.compile(f"([{marks}]{{{MAX_MARKS}}})[{marks}]+")


def compose(text: str) -> str:
    """Return a text in Unicode's form NFC, rows of combining marks cut at `MAX_MARKS`.

    Returns
    -------
    str
        The same object where nothing was to be done.
    """
    if is_plain(text):
        return text
    if len(text) > MAX_MARKS:
        from webmain.text.characters import has_astral

        text = _long_rows_of_marks(astral=has_astral(text)).sub(r"\1", text)
    return unicodedata.normalize("NFC", text)


def comparable(text: str) -> str:
    """Return a text folded for comparing: visible characters only, NFC, case and white space folded."""
    plain = is_plain(text)
    folded = fold_case(text if plain else compose(strip_invisible(text)))
    return fold_space(folded if plain and folded.isascii() else compose(folded))


def fingerprint(text: str) -> str:
    """Return the first 32 hex digits of the SHA-256 of a text after case and white space are folded.

    Composed and decomposed letters, soft hyphens, zero-width characters, case and white space make no difference;
    anything a reader sees does.
    """
    return hashlib.sha256(comparable(text).encode("utf-8", "surrogatepass")).hexdigest()[:32]
