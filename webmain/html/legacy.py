"""Encodings of one language: which ones its old pages use, and whether bytes read in one of them make sense."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_HEAD_BYTES: Final = 4_096
_LEAST_SHARE: Final = 0.9
_BROKEN_SHARE_LIMIT: Final = 0.01

_LANGUAGE = re.compile(
    rb"""<html\b[^>]{0,500}?\s(?:xml:)?lang\s*=\s*["']?\s*([a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,2})"""
    rb"""|<meta\b[^>]{0,200}?(?:og:locale|content-language)["']?\s[^>]{0,200}?content\s*=\s*["']?\s*"""
    rb"""([a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,2})""",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Script:
    """How a language is written, and how it was before UTF-8.

    Attributes
    ----------
    encodings : tuple of str
        In order of how common they are on old pages.
    own : re.Pattern[str]
        A letter of the language above ASCII.
    frequent : str
        Letters that most of a running text consists of; they decide between encodings that all give letters. "" where
        none do.
    """

    encodings: tuple[str, ...]
    own: re.Pattern[str]
    frequent: str = ""


def _latin(encodings: str, letters: str) -> Script:
    return Script(tuple(encodings.split()), re.compile(f"[{letters}{letters.upper()}]"), letters)


_CYRILLIC: Final = "cp1251 koi8-r koi8-u iso8859-5"
_WESTERN: Final = _latin("cp1252", "àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿœßªºšžðþ")
_ARABIC: Final = Script(("cp1256", "iso8859-6"), re.compile("[\u060c-\u06d3\u200c-\u200f]"), "البتدرسعفقكلمنهوي")
_CHINESE: Final = "的一是在不了有人我他這这個个中大來来上國国和地到以說说時时要就出會会可也對对生能而年月日市"
_HAN: Final = re.compile("[\u2e80-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uff5e]")


def _scripts() -> dict[str, Script]:
    cyrillic = Script(tuple(_CYRILLIC.split()), re.compile("[\u0400-\u0491]"), "оеаинтсрвлкмдпуіїєъ")
    central = _latin("cp1250 iso8859-2", "áâăąäćčçďéęëěíîĺľłńňóôőöŕřśšşťţúůűüýźžżđ")
    baltic = _latin("cp1257 iso8859-13", "āąčćēęėģīįķļņōõöäüšųūž")
    table = {
        "th": Script(("cp874",), re.compile("[\u0e01-\u0e5b]")),
        "ja": Script(("cp932", "euc_jp"), re.compile("[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]")),
        "ko": Script(("cp949",), re.compile("[\u3000-\u303f\u3131-\u318e\uac00-\ud7a3\u4e00-\u9fff]")),
        "zh": Script(("gb18030", "big5hkscs"), _HAN, _CHINESE),
        "zh-hant": Script(("big5hkscs", "gb18030"), _HAN, _CHINESE),
        "el": Script(("cp1253", "iso8859-7"), re.compile("[\u0384-\u03ce]")),
        "he": Script(("cp1255", "iso8859-8"), re.compile("[\u05b0-\u05f4\u200e\u200f]")),
        "tr": _latin("cp1254 iso8859-9", "çğıöşüâîûİ"),
        "vi": _latin("cp1258", "àáâãèéêìíòóôõùúýăđơư\u0300\u0301\u0303\u0309\u0323"),
    }
    groups = (
        ("ru uk be bg sr mk kk", cyrillic),
        ("ar fa ur", _ARABIC),
        ("pl cs sk hu ro hr sl sq bs", central),
        ("lt lv et", baltic),
        ("de fr es it pt nl sv da no nb nn fi is ca gl eu ga", _WESTERN),
    )
    return table | {language: script for languages, script in groups for language in languages.split()}


_SCRIPTS: Final = _scripts()
_TRADITIONAL: Final = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")


def declared_language(body: bytes) -> str:
    """Return the language that the first 4 KB declare, in lower case ("zh-tw"); "" where they declare none."""
    match = _LANGUAGE.search(body[:_HEAD_BYTES])
    return (match[1] or match[2]).decode("ascii").lower().replace("_", "-") if match else ""


def encoding_for(language: str, sample: bytes, *, guess: str | None = None) -> str | None:
    """Choose the encoding of a language in which a sample makes sense.

    Parameters
    ----------
    language : str
        As `declared_language` gives it.
    sample : bytes
        Text without markup.
    guess : str or None
        What a detector said; taken where the language knows it.

    Returns
    -------
    str or None
        None where the language is unknown, or the sample is no text of it in any of its encodings: over 1 % undecodable,
        or under 90 % of what is above ASCII in letters of the language and common signs.
    """
    key = "zh-hant" if language.startswith(_TRADITIONAL) else language.partition("-")[0]
    script = _SCRIPTS.get(key)
    if script is None:
        return None
    names = sorted(script.encodings, key=lambda name: name != guess)
    scores = {name: _sense(sample, name, script) for name in names}
    best = max(names, key=lambda name: scores[name])
    if scores[best] <= 0 or (key == "th" and not reads_as_thai(sample, is_declared=True)):
        return None
    return best


_COMMON_SIGNS: Final = "\xa0 £§©«»­®°±·½ ‘’‚“”„†‡•…‰‹›€™№–—―\x85ªº×"
_PUNCTUATION = str.maketrans("", "", _COMMON_SIGNS)


def _sense(sample: bytes, encoding: str, script: Script) -> float:
    """Return how well a sample reads in an encoding: the share of the language's letters; 0 where it does not."""
    text = sample.decode(encoding, "replace").translate(_PUNCTUATION)
    high = len(text) - len(text.encode("ascii", "ignore"))
    own = len(script.own.findall(text))
    if not high or text.count("\ufffd") > _BROKEN_SHARE_LIMIT * high or own < _LEAST_SHARE * high:
        return 0.0
    if not script.frequent:
        return own / high
    frequent = sum(map(text.count, set(script.frequent)))
    return own / high + frequent / high


_THAI = re.compile("[\u0e01-\u0e5b]")
_MARK = re.compile("[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]")
_LONE_MARK = re.compile(
    "(?<![\u0e01-\u0e2e\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]"
    "|[\u0e31\u0e34-\u0e39]{2}|[\u0e48-\u0e4b]{2}|[\u0e40-\u0e44](?![\u0e01-\u0e2e])"
    "|(?<![\u0e01-\u0e2e\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])[\u0e30\u0e32\u0e33](?<!\u0e32\u0e30)"
)
_FREQUENT_THAI: Final = "านรอกเงมยลวดทส่ัี้ปบคหแตจะิพชไข"
_LEAST_THAI: Final = 6


def reads_as_thai(sample: bytes, *, is_declared: bool = False) -> bool:
    """Tell whether bytes are Thai in windows-874: its letters, its frequent ones, and its vowels where they can stand.

    Big5, GBK and EUC-KR have letters at the same bytes, but every other one where no Thai would put it. A page that
    says it is Thai is believed with less.
    """
    text = sample.decode("cp874", "replace").translate(_PUNCTUATION)
    high = len(text) - len(text.encode("ascii", "ignore"))
    n_thai = len(_THAI.findall(text))
    if n_thai < _LEAST_SHARE * high or text.count("\ufffd") > _BROKEN_SHARE_LIMIT * high:
        return False
    frequent = sum(map(text.count, set(_FREQUENT_THAI)))
    misplaced = len(_LONE_MARK.findall(text))
    if is_declared:
        return n_thai > 0 and frequent >= 0.6 * n_thai and misplaced <= max(1, 0.1 * n_thai)
    spelt = frequent >= 0.75 * n_thai and misplaced <= max(1, 0.03 * n_thai)
    return spelt and n_thai >= _LEAST_THAI and bool(_MARK.search(text))
