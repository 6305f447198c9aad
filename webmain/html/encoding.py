"""Decodes bodies: finds the encoding, and records how it was determined.

Servers, proxies and page authors all declare wrong encodings, so the bytes are examined before declarations. The order is
described at `decode`, whose result is always safe to store: it encodes to UTF-8 and has no NUL character.
"""

from __future__ import annotations

import codecs
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding

from webmain.clock import once

_BROKEN_SHARE_LIMIT = 0.02
_MIXED_SHARE_LIMIT = 1 / 3
"""Bytes with at least this share of invalid UTF-8 among the non-ASCII characters are in another encoding, with the lower
share if another is declared that fits. Text in other encodings has at least two thirds."""

_DETECTION_SAMPLE_BYTES = 65_536
_SAMPLE_BYTES = 4_096

_TEXT_ENCODING = re.compile(
    r"big5(hkscs)?|cp(437|775|8[5-7]\d|9[3-5]\d|1006|1125|125[0-8])|euc_(jp|kr|jis_2004|jisx0213)|gb18030|hz|johab"
    r"|iso2022_(jp(_[12]|_ext)?|kr)|iso8859_([2-9]|1[0-6])|koi8_[rtu]|kz1048|ptcp154|shift_jis(_2004|x0213)?"
    r"|mac_(cyrillic|greek|latin2|roman|turkish)"
)
"""Encodings that a declaration may name. Others of Python's codecs are unsafe: `unicode_escape` can produce lone
surrogates, `punycode` is quadratic, `zip` is no text encoding. UTF-16 and UTF-32 are recognised by their bytes only."""


class CharsetSource(StrEnum):
    """How the encoding of a body was determined."""

    BOM = "bom"
    UTF8 = "utf-8"  # the bytes are valid UTF-8
    UTF8_REPAIRED = "utf-8-repaired"  # ... except for a few
    NULS = "nul-pattern"  # UTF-16 or UTF-32 without a byte order mark
    ESCAPES = "escapes"  # ISO 2022, seven bits
    HEADER = "header"
    META = "meta"
    LANGUAGE = "language"  # an encoding of the declared language that fits the bytes
    DETECTED = "detected"  # from byte frequencies
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class Decoded:
    """A body as text.

    Attributes
    ----------
    text : str
        Encodable to UTF-8; NUL characters and undecodable bytes are U+FFFD; no byte order mark.
    charset : str
        Python's name of the encoding.
    source : CharsetSource
        How it was determined.
    """

    text: str
    charset: str
    source: CharsetSource


def decode(body: bytes, *, headers: Mapping[str, str] | None = None) -> Decoded:
    """Return a body as text; the encoding is found from its bytes, then from declarations, then by a guess.

    In this order: byte order mark; the pattern of NULs that UTF-16 and UTF-32 leave; strict UTF-8; UTF-8 with
    replacements if broken bytes are under 2 % of the non-ASCII characters (or only the last character is cut); the
    `Content-Type` header, then `<meta>` or the XML declaration, decoded strictly, ignoring UTF-8 and windows-1252 (a common
    default of servers); UTF-8 with replacements, if less than a third is broken; an encoding of the declared language that
    fits the bytes; windows-874 if they are spelt like Thai; byte frequencies; windows-1252.

    Parameters
    ----------
    body : bytes
        After content decoding (gzip, br).
    headers : Mapping[str, str] or None
        Response headers; only `content-type` is used, in any case.
    """
    marked = _by_byte_order_mark(body)
    if marked is not None:
        return marked
    has_nul = b"\0" in body
    wide = wide_encoding(body) if has_nul else None
    if wide:
        return Decoded(scrub(body.decode(wide, "replace")), wide, CharsetSource.NULS)
    text = _strict(body, "utf-8")
    if text is not None:
        return _escaped(body) or Decoded(_without_nul(text) if has_nul else text, "utf-8", CharsetSource.UTF8)
    text, share = _repaired(body)
    content_type = next((value for name, value in (headers or {}).items() if name.lower() == "content-type"), "")
    if share >= _BROKEN_SHARE_LIMIT and (declared := _declared(body, content_type)):
        return declared
    is_utf8 = share < _MIXED_SHARE_LIMIT
    return Decoded(_without_nul(text), "utf-8", CharsetSource.UTF8_REPAIRED) if is_utf8 else _detected(body)


def scrub(text: str) -> str:
    """Return a string safe to store: surrogate pairs joined, lone surrogates and NULs replaced by U+FFFD.

    For markup given as `str`, decoded by the caller. A clean string is returned unchanged.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _without_nul(text)


def _without_nul(text: str) -> str:
    return text.replace("\0", "\ufffd")


def _by_byte_order_mark(body: bytes) -> Decoded | None:
    """Return the body decoded by its byte order mark; None without one, or if a UTF-8 mark precedes other bytes."""
    name, mark = read_bom(body)
    if name is None or mark is None:
        return None
    if name == "utf-8":
        text = _strict(body, name)
        repaired, share = _repaired(body) if text is None else (text, 0.0)
        text = repaired if share < _MIXED_SHARE_LIMIT else None
    else:
        text = body[len(mark) :].decode(name, "replace")
    return None if text is None else Decoded(scrub(text.lstrip("\ufeff")), name, CharsetSource.BOM)


def wide_encoding(body: bytes) -> str | None:
    """Return the UTF-16 or UTF-32 variant, from the positions of NULs in the first 4 KB; None if it is neither."""
    sample = body[: min(_SAMPLE_BYTES, len(body) // 4 * 4)]
    n = len(sample) // 4
    if n < 2:
        return None
    nul = [sample[i::4].count(0) / n for i in range(4)]
    if min(nul[2:]) > 0.9 and nul[0] < 0.1:
        return "utf-32-le"
    if min(nul[:2]) > 0.9 and nul[3] < 0.1:
        return "utf-32-be"
    even, odd = (nul[0] + nul[2]) / 2, (nul[1] + nul[3]) / 2
    if odd > 0.2 and even < odd / 10:
        return "utf-16-le"
    if even > 0.2 and odd < even / 10:
        return "utf-16-be"
    return None


_ISO2022 = re.compile(rb"\x1b(?:\$[@B]|\(J|\$\([DOQ])")


def _escaped(body: bytes) -> Decoded | None:
    """Return seven-bit Japanese or Korean (ISO 2022), which is valid ASCII, decoded; None if it is neither."""
    if b"\x1b" not in body or b"\x1b$" not in body:  # the first test is one memory scan
        return None
    name = "iso2022_kr" if b"\x1b$)C" in body else "iso2022_jp_2" if _ISO2022.search(body) else None
    if name is None:
        return None
    text = body.decode(name, "replace")
    if text.count("\ufffd") > _BROKEN_SHARE_LIMIT * _non_ascii(text):
        return None
    return Decoded(_without_nul(text), codecs.lookup(name).name, CharsetSource.ESCAPES)


def _non_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _repaired(body: bytes) -> tuple[str, float]:
    """Return the body decoded as UTF-8 with replacements, and the share of invalid bytes; 0 if only the end is cut off."""
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd") - body.count(b"\xef\xbf\xbd")
    cut_only = broken == 1 and text.endswith("\ufffd") and _non_ascii(text) > 1
    return text, 0.0 if cut_only else broken / _non_ascii(text)


def _strict(body: bytes, name: str, *, forgive_cut: bool = False) -> str | None:
    """Return the body decoded strictly, or None; `forgive_cut` allows a truncated last character."""
    try:
        return body.decode(name)
    except UnicodeDecodeError as error:
        if not forgive_cut or error.start < max(1, len(body) - 3):
            return None
        text = _strict(body[: error.start], name)
        return None if text is None else text + "\ufffd"
    except ValueError:
        return None


_C1 = re.compile("[\x80-\x84\x86-\x9f]")
"""Control characters that no page contains; in a decoded text they disprove the encoding. U+0085 is NEL, a line end."""


def _is_text_encoding(name: str) -> bool:
    return _TEXT_ENCODING.fullmatch(name.replace("-", "_")) is not None


def _declared(body: bytes, content_type: str) -> Decoded | None:
    """Return the body decoded as declared by the header, or else by the page, unless the bytes disprove both."""
    claims = (
        (CharsetSource.HEADER, http_content_type_encoding(content_type[:1_000])),
        (CharsetSource.META, html_body_declared_encoding(body)),
    )
    for source, name in claims:
        if name is None or name == "cp1252" or not _is_text_encoding(name):
            continue
        text = _strict(body, name, forgive_cut=True)
        if text is not None and not _C1.search(text):
            return Decoded(_without_nul(text), name, source)
    return None


_TYPOGRAPHIC = bytes([0x80, 0x85, *range(0x91, 0x98), 0x99, 0xA0, 0xA3, 0xA7, 0xA9, 0xAB, 0xAE, 0xB0, 0xB7, 0xBB, 0xBD])
"""Quotes, dashes, signs: equal in nearly all Windows code pages, and the only non-ASCII bytes of English texts."""

_WESTERN_SHARE_LIMIT = 0.015
"""Minimum share of non-ASCII letters for detection: Polish has 6 %, German 2 %."""

_WINDOWS_OF_ISO = {
    "iso8859-2": "cp1250",
    "iso8859-7": "cp1253",
    "iso8859-8": "cp1255",
    "iso8859-9": "cp1254",
    "iso8859-13": "cp1257",
}
"""Windows supersets of ISO 8859, used if the text has C1 control characters: the detector only considers letters."""

_RARE = re.compile(r"cp(?!866|874)[78]\d+|mac-(?!cyrillic)\w+|iso8859-(3|10|14|16)|johab|hz|cp1006|ptcp154")
"""Encodings that today's pages do not use; if the detector returns one, it is wrong."""


def _detected(body: bytes) -> Decoded:
    """Return the body decoded by language or byte frequencies, or else as windows-1252."""
    import cchardet

    sample = _foreign_text(body)
    letters = sample.translate(None, _TYPOGRAPHIC)
    n_foreign = len(letters) - len(letters.translate(None, bytes(range(128, 256))))
    if n_foreign >= _WESTERN_SHARE_LIMIT * len(letters):
        found = cchardet.detect(sample)["encoding"]
        guess = resolve_encoding(found) if found else None
        name = encoding_for(declared_language(body), sample, guess=guess)
        if name is not None:
            return Decoded(_without_nul(body.decode(name, "replace")), name, CharsetSource.LANGUAGE)
        name = "cp874" if reads_as_thai(sample) else guess
        if name is not None and _is_text_encoding(name) and not _RARE.fullmatch(name):
            text = body.decode(name, "replace")
            if name in _WINDOWS_OF_ISO and _C1.search(text):
                text = body.decode(name := _WINDOWS_OF_ISO[name], "replace")
            return Decoded(_without_nul(text), name, CharsetSource.DETECTED)
    return Decoded(_without_nul(body.decode("cp1252", "replace")), "cp1252", CharsetSource.FALLBACK)


_CODE = re.compile(rb"<(?:script|style)\b[^<]*+(?:<(?!/(?:script|style))[^<]*+)*+", re.I)


def _foreign_text(body: bytes) -> bytes:
    """Return the text runs outside scripts that have non-ASCII bytes, up to 64 KB: the sample for detection."""
    runs: list[bytes] = []
    size = 0
    for run in re.split(rb"[<>\n]+", _CODE.sub(b"", body)):
        if not run.isascii():
            runs.append(run)
            size += len(run)
            if size > _DETECTION_SAMPLE_BYTES:
                break
    return b"\n".join(runs)


_LEAST_SHARE = 0.9
_UNDECODABLE_SHARE_LIMIT = 0.01
_LANGUAGE = re.compile(
    rb"""<html\b[^>]{0,500}?\s(?:xml:)?lang\s*=\s*["']?\s*([a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,2})"""
    rb"""|<meta\b[^>]{0,200}?(?:og:locale|content-language)["']?\s[^>]{0,200}?content\s*=\s*["']?\s*"""
    rb"""([a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,2})""",
    re.I,
)
_TRADITIONAL = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")


@dataclass(frozen=True, slots=True)
class Script:
    """Letters and legacy encodings of a language: an entry of `encodings.toml`.

    Attributes
    ----------
    encodings : tuple of str
        Most common on old pages first.
    own : re.Pattern[str]
        Matches a non-ASCII letter of the language.
    frequent : str
        The most frequent letters in running text; "" if `own` suffices.
    """

    encodings: tuple[str, ...]
    own: re.Pattern[str]
    frequent: str


@once
def _scripts() -> dict[str, Script]:
    """Return the entries of `encodings.toml` by language."""
    found: dict[str, Script] = {}
    for entry in tomllib.loads(Path(__file__).with_name("encodings.toml").read_text("utf-8"))["scripts"]:
        frequent = entry.get("frequent", "")
        letters = entry.get("letters", frequent + frequent.upper())
        script = Script(tuple(entry["encodings"].split()), re.compile(f"[{letters}]"), frequent)
        found |= dict.fromkeys(entry["languages"].split(), script)
    return found


def declared_language(body: bytes) -> str:
    """Return the language declared in the first 4 KB, in lower case ("zh-tw"); "" if none is."""
    match = _LANGUAGE.search(body[:_SAMPLE_BYTES])
    return (match[1] or match[2]).decode("ascii").lower().replace("_", "-") if match else ""


def encoding_for(language: str, sample: bytes, *, guess: str | None = None) -> str | None:
    """Return the encoding of a language that fits a sample best.

    Parameters
    ----------
    language : str
        As returned by `declared_language`.
    sample : bytes
        Text without markup.
    guess : str or None
        The detector's result; preferred if it is an encoding of the language.

    Returns
    -------
    str or None
        None if the language is unknown, or the sample fits none of its encodings: over 1 % undecodable, or under 90 % of
        the non-ASCII characters are letters of the language or common signs.
    """
    key = "zh-hant" if language.startswith(_TRADITIONAL) else language.partition("-")[0]
    script = _scripts().get(key)
    if script is None:
        return None
    scores = {
        name: _plausibility(sample, name, script) for name in sorted(script.encodings, key=lambda name: name != guess)
    }
    best = max(scores, key=lambda name: scores[name])
    if scores[best] <= 0 or (key == "th" and not reads_as_thai(sample, is_declared=True)):
        return None
    return best


_COMMON_SIGNS = "\xa0 £§©«»­®°±·½ ‘’‚“”„†‡•…‰‹›€™№–—―\x85ªº×"
_PUNCTUATION = str.maketrans("", "", _COMMON_SIGNS)


def _plausibility(sample: bytes, encoding: str, script: Script) -> float:
    """Return how well a sample fits an encoding: the share of the language's letters; 0 if it does not fit."""
    text = sample.decode(encoding, "replace").translate(_PUNCTUATION)
    high = len(text) - len(text.encode("ascii", "ignore"))
    own = len(script.own.findall(text))
    if not high or text.count("\ufffd") > _UNDECODABLE_SHARE_LIMIT * high or own < _LEAST_SHARE * high:
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
_FREQUENT_THAI = "านรอกเงมยลวดทส่ัี้ปบคหแตจะิพชไข"
_LEAST_THAI = 6


def reads_as_thai(sample: bytes, *, is_declared: bool = False) -> bool:
    """Return True if bytes are Thai in windows-874: Thai letters, frequent ones among them, and vowels in valid positions.

    Big5, GBK and EUC-KR use the same bytes, but the result is invalid Thai spelling. The limits are lower for pages that
    declare Thai.
    """
    text = sample.decode("cp874", "replace").translate(_PUNCTUATION)
    high = len(text) - len(text.encode("ascii", "ignore"))
    n_thai = len(_THAI.findall(text))
    if n_thai < _LEAST_SHARE * high or text.count("\ufffd") > _UNDECODABLE_SHARE_LIMIT * high:
        return False
    frequent = sum(map(text.count, set(_FREQUENT_THAI)))
    misplaced = len(_LONE_MARK.findall(text))
    if is_declared:
        return n_thai > 0 and frequent >= 0.6 * n_thai and misplaced <= max(1, 0.1 * n_thai)
    spelt = frequent >= 0.75 * n_thai and misplaced <= max(1, 0.03 * n_thai)
    return spelt and n_thai >= _LEAST_THAI and bool(_MARK.search(text))
