"""Normal forms: how two texts are made comparable, each step linear in the text's length.

White space is what `str.split` takes for it: all Unicode spaces, among them the no-break spaces, and the information
separators. The zero-width space is no white space; it is an invisible character that ends a word.

Scripts are written as the inside of a regular expression's character class, so that one constant serves the patterns here
and the table of `webmain.text.characters`. Source: Unicode 15 blocks and Scripts.txt.

The language of a text is settled by its script where that is possible, else by a model of letter sequences.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from webmain.clock import once

MAX_MARKS = 30
"""Combining marks kept in a row: the limit of Unicode's Stream-Safe Text Format (UAX #15, section 13).

Composing a longer row costs its length squared: 40,000 marks took 1.2 s, 80,000 4.9 s.
"""

THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
LAO = "\u0e81-\u0eb9\u0ebb-\u0ecd\u0edc-\u0edf"
KHMER = "\u1780-\u17d3\u17d7\u17dc\u17dd"
BURMESE = "\u1000-\u103f\u1050-\u108f\u109a-\u109d\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
HAN = "\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
KANA = "\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b16f"
HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb"

SOUTHEAST_ASIAN = THAI + LAO + KHMER + BURMESE
"""Scripts whose words are several syllables without a space: Thai, Lao, Khmer, Burmese."""

EAST_ASIAN = HAN + KANA
"""Han characters and kana: words of one to four characters without a space."""

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
"""What shows nothing and takes no place, as the inside of a character class."""

_UNPRINTED = re.compile(f"[{_CONTROLS}{_DISCRETIONARY}]+")
_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
_NOT_PLAIN = re.compile(
    "[^\t\n\r -~\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0373\u0376-\u037d\u037f-\u0386\u0388-\u0482\u048a-\u052f"
    "\u2010-\u2027\u202f-\u205e\u20a0-\u20bf\u2122]"
)
_NARROW = {0xFEE0 + code: code for code in (*range(0x41, 0x5B), *range(0x61, 0x7B))}
_LATIN = str.maketrans(
    "авсԁеһіјкмопрѕтухАВСЕНІЈКМОРЅТХΑΒΕΖΗΙΚΜΝΟΡΤΥΧονρυ", "abcdehijkmonpstyxABCEHIJKMOPSTXABEZHIKMNOPTYXovpu"
)
LATIN_LOOKALIKES = "".join(map(chr, _LATIN))
_FULL_WIDTH = re.compile("[\uff21-\uff3a\uff41-\uff5a]")
_LOOKALIKE = re.compile(f"[{LATIN_LOOKALIKES}]")
_MIXED = re.compile(f"[a-zA-Z][{LATIN_LOOKALIKES}]|[{LATIN_LOOKALIKES}][a-zA-Z]")
_WORD = re.compile(r"[^\W\d_]+")
_SURROGATES = re.compile("[\ud800-\udfff]")
_WIDE = re.compile(f"[{EAST_ASIAN}\u3001-\u303f\uff01-\uff60]")
"""A character written without spaces around it: Han, kana, their punctuation, full width."""


def fold_space(text: str) -> str:
    """Return a text with each run of white space as one space, and none at its ends."""
    return " ".join(text.split())


def fold_lines(text: str) -> str:
    """Return a text of a page's source with white space as a reader sees it: each run as one space, none at its ends.

    A line end of the source between two Han characters, kana or their punctuation is nothing: so Chinese and Japanese are
    wrapped, and so CSS Text (level 3, section 4.1.3) lets browsers show it. Between Thai, Lao, Khmer and Burmese letters it
    is a space, as every browser shows one, and so does Korean, which puts spaces between words.
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


def as_seen(text: str) -> str:
    """Return a text as its words look, for judging: nothing invisible, full-width letters as narrow ones.

    A Cyrillic or Greek letter inside a word with Latin letters is the Latin one that it looks like.
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
    """Return a text with lone surrogates, which no encoding can write, as U+FFFD."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def is_plain(text: str) -> bool:
    """Return True if a text holds composed Latin, Greek and Cyrillic letters and common marks only.

    Such a text is in NFC and without invisible characters as it is: most texts are done with this one look.
    """
    return not _NOT_PLAIN.search(text)


def has_astral(text: str) -> bool:
    """Return whether a text has a character above U+FFFF."""
    return len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text)


@cache
def mark_ranges(*, astral: bool) -> str:
    """Return all marks (category M), as a character class: they belong to words, and no class of `re` has them.

    Parameters
    ----------
    astral : bool
        Those above U+FFFF too: `re` finds the others in one step, but tries these range by range.
    """
    marks = [point for point in range(0x20000 if astral else 0x10000) if unicodedata.category(chr(point))[0] == "M"]
    return _character_class([*marks, *range(0xE0100, 0xE01F0)] if astral else marks)


def _character_class(points: Iterable[int]) -> str:
    """Write ascending code points as the inside of a regular expression's character class."""
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


@cache
def unspaced_runs() -> re.Pattern[str]:
    """Return the pattern of a run of letters and marks of the unspaced scripts."""
    return re.compile(f"[{UNSPACED}]+")


@cache
def _spaced_letters() -> re.Pattern[str]:
    return re.compile(rf"[^\W\d_{UNSPACED}]+")


def is_unspaced(text: str) -> bool:
    """Return whether at least half of a text's letters belong to scripts without spaces between words.

    Such a text has to be segmented before anything is said of its words: white-space tokens mean nothing in it. Vowel signs
    of the unspaced scripts count as letters; a text without letters is not unspaced.
    """
    unspaced = 0 if text.isascii() else sum(map(len, unspaced_runs().findall(text)))
    return unspaced > 0 and unspaced >= sum(map(len, _spaced_letters().findall(text)))


MAX_CHARS = 500
"""Characters at the start of a text that are looked at: from 300 on, the model makes no errors on news."""

MIN_SCORE = 0.5
"""Probability below which the language is undetermined."""

UNDETERMINED = "und"
NO_LETTERS = "zxx"

KANA_SHARE = 0.05
"""Share of kana among Han characters and kana from which a text is Japanese; a Chinese text quotes less."""

MIN_HAN = 20
"""Han characters without any kana from which a text is Chinese: Japanese headlines can do without kana, texts can't."""

_ONE_LANGUAGE_SCRIPTS = {
    "el": "\u0370-\u03e1\u03f0-\u03ff\u1f00-\u1fff",
    "gu": "\u0a80-\u0aff",
    "hy": "\u0531-\u0587",
    "ka": "\u10a0-\u10ff\u1c90-\u1cbf",
    "km": KHMER,
    "kn": "\u0c80-\u0cff",
    "ko": HANGUL,
    "lo": LAO,
    "ml": "\u0d00-\u0d7f",
    "my": BURMESE,
    "or": "\u0b00-\u0b7f",
    "pa": "\u0a00-\u0a7f",
    "si": "\u0d80-\u0dff",
    "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f",
    "th": THAI,
}
"""Scripts that the news writes one language in, by that language's ISO 639-1 code."""

ISO_639_1 = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el
    en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu
    ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na
    nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so
    sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split()
)
"""The two-letter codes of languages; `detect` gives no others, beside `UNDETERMINED` and `NO_LETTERS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A detected language.

    Attributes
    ----------
    language : str
        ISO 639-1 code (639-3 where there is none); "und" when unsure, "zxx" when there are no letters.
    score : float
        Probability of the language that was found likeliest, in [0, 1]; 1.0 where the script settles it.
    """

    language: str
    score: float


def detect(text: str) -> Language:
    """Tell the language of a text from its first `MAX_CHARS` characters.

    Texts in a script of one language (Thai, Korean, Greek, ...) and Japanese and longer Chinese ones are reported by their
    letters; only for the others a model is loaded: 0.5 s and 76 MB, once per process, then 0.1 ms a text.

    Returns
    -------
    Language
        "und" with the best guess's score where that is below `MIN_SCORE`.
    """
    text = text.lstrip()[:MAX_CHARS]
    letters = _letters_by_script(text)
    n_letters = letters.total()
    if not n_letters:
        return Language(language=NO_LETTERS, score=1.0)
    by_script = _settled(letters, n_letters)
    if by_script:
        return Language(language=by_script, score=1.0)
    language, score = _identifier().classify(_encodable(text))
    score = float(score)
    return Language(language=language if score >= MIN_SCORE else UNDETERMINED, score=min(score, 1.0))


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _settled(letters: Counter[str], n_letters: int) -> str | None:
    """Return the language whose script has more than half of the letters, where the script settles it."""
    n_east_asian = letters["han"] + letters["kana"]
    if 2 * n_east_asian > n_letters:
        if letters["kana"] >= KANA_SHARE * n_east_asian:
            return "ja"
        return "zh" if letters["han"] >= MIN_HAN else None
    script, n = letters.most_common(1)[0]
    return script if 2 * n > n_letters and script in _ONE_LANGUAGE_SCRIPTS else None


def _letters_by_script(text: str) -> Counter[str]:
    """Count letters (and marks, in the scripts that have a name here) by script."""
    counts: Counter[str] = Counter()
    if not _named_scripts().search(text):  # a Latin, Cyrillic or Arabic text: nothing to distinguish
        counts["other"] = sum(map(str.isalpha, text))
        return counts
    for run in _script_runs().finditer(text):
        counts[run.lastgroup or ""] += run.end() - run.start()
    return counts


@cache
def _script_runs() -> re.Pattern[str]:
    """Return the pattern of a run of letters of one script, as a named group; all other scripts are "other"."""
    named = {"han": HAN, "kana": KANA, **_ONE_LANGUAGE_SCRIPTS}
    other = rf"(?P<other>[^\W\d_{''.join(named.values())}]+)"
    return re.compile("|".join([other, *(f"(?P<{name}>[{ranges}]+)" for name, ranges in named.items())]))


@cache
def _named_scripts() -> re.Pattern[str]:
    """Return the pattern of one letter of a script that has a name here."""
    return re.compile(f"[{HAN}{KANA}{''.join(_ONE_LANGUAGE_SCRIPTS.values())}]")


@once
def _identifier() -> Any:
    """Load the model that py3langid brings."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
