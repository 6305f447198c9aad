"""Bytes to text: what a body is, in which encoding it stands, and what decided that.

Servers, proxies and page authors all lie about encodings, so the bytes are asked first and the declarations last. The
order is that of `decode`; its result is always safe to store: it encodes to UTF-8 and holds no NUL character.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, resolve_encoding

_BROKEN_SHARE_LIMIT = 0.02
"""UTF-8 with at least this share of broken bytes among its non-ASCII characters is another encoding."""

_DETECTION_SAMPLE_BYTES = 65_536
_SAMPLE_BYTES = 4_096

_TEXT_ENCODING = re.compile(
    r"big5(hkscs)?|cp(437|775|8[5-7]\d|9[3-5]\d|1006|1125|125[0-8])|euc_(jp|kr|jis_2004|jisx0213)|gb18030|hz|johab"
    r"|iso2022_(jp(_[12]|_ext)?|kr)|iso8859_([2-9]|1[0-6])|koi8_[rtu]|kz1048|ptcp154|shift_jis(_2004|x0213)?"
    r"|mac_(cyrillic|greek|latin2|roman|turkish)"
)
"""Encodings a declaration may ask for. Python knows codecs that no page may choose: `unicode_escape` smuggles lone
surrogates, `punycode` is quadratic, `zip` is no text encoding. UTF-16 and UTF-32 are told by their bytes alone."""


class CharsetSource(StrEnum):
    """What decided the encoding of a body."""

    BOM = "bom"
    UTF8 = "utf-8"  # the bytes are valid UTF-8
    UTF8_REPAIRED = "utf-8-repaired"  # ... but for a few
    NULS = "nul-pattern"  # UTF-16 or UTF-32 without a byte order mark
    ESCAPES = "escapes"  # ISO 2022, seven bits
    HEADER = "header"
    META = "meta"
    LANGUAGE = "language"  # the declared language's, in which the bytes make sense
    DETECTED = "detected"  # from the frequencies of its bytes
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
        What decided.
    """

    text: str
    charset: str
    source: CharsetSource


_NO_HEADERS: Mapping[str, str] = {}


def decode(body: bytes, *, headers: Mapping[str, str] = _NO_HEADERS) -> Decoded:
    """Decode a body by what its bytes say, then by what was declared, then by a guess.

    In this order: byte order mark; the pattern of NULs that UTF-16 and UTF-32 leave; strict UTF-8; UTF-8 with
    replacements if broken bytes are under 2 % of the non-ASCII characters (or only the last character is cut); the
    `Content-Type` header, then `<meta>` or the XML declaration, decoded strictly, claims of UTF-8 (disproved by now)
    and windows-1252 (what servers say who don't know) ignored; an encoding of the declared language in which the bytes
    make sense; windows-874 where they are spelt like Thai; the frequencies of the bytes; windows-1252.

    Parameters
    ----------
    body : bytes
        After content decoding (gzip, br).
    headers : Mapping[str, str]
        Response headers; only `content-type` is looked at, in any case.

    Notes
    -----
    Valid UTF-8 costs one C-level decode and two memory scans.
    """
    marked = _by_mark(body)
    if marked is not None:
        return marked
    has_nul = b"\0" in body
    if has_nul:
        wide = _wide_encoding(body)
        if wide:
            return Decoded(scrub(body.decode(wide, "replace")), wide, CharsetSource.NULS)
    text = _strict(body, "utf-8")
    if text is not None:
        return _escaped(body) or Decoded(_without_nul(text) if has_nul else text, "utf-8", CharsetSource.UTF8)
    repaired = _repaired(body)
    if repaired is not None:
        return Decoded(_without_nul(repaired), "utf-8", CharsetSource.UTF8_REPAIRED)
    return _declared(body, _content_type(headers)) or _detected(body)


def scrub(text: str) -> str:
    """Make any string safe to store: surrogate pairs joined, lone surrogates and NULs to U+FFFD.

    For markup that comes as `str`, decoded by somebody else. A clean string is returned as it is.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _without_nul(text)


def _without_nul(text: str) -> str:
    return text.replace("\0", "\ufffd") if "\0" in text else text


def _content_type(headers: Mapping[str, str]) -> str:
    value = headers.get("content-type")
    if value is None:
        value = next((v for k, v in headers.items() if k.lower() == "content-type"), "")
    return value


_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def _by_mark(body: bytes) -> Decoded | None:
    """Decode by the byte order mark; a UTF-8 mark before bytes that are not UTF-8 decides nothing."""
    if body.startswith(codecs.BOM_UTF8):
        text = _strict(body, "utf-8")
        if text is None:
            text = _repaired(body)
        return Decoded(_without_nul(text.lstrip("\ufeff")), "utf-8", CharsetSource.BOM) if text is not None else None
    for mark, name in _MARKS:
        if body.startswith(mark):
            text = body[len(mark) :].decode(name, "replace").lstrip("\ufeff")
            return Decoded(scrub(text), name, CharsetSource.BOM)
    return None


def _wide_encoding(body: bytes) -> str | None:
    """Tell UTF-16 and UTF-32 by where the NULs of their ASCII characters stand in the first 4 KB."""
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
    """Decode seven-bit Japanese or Korean, which is valid ASCII."""
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


def _repaired(body: bytes) -> str | None:
    """Decode UTF-8 with replacements where so few bytes are broken that nothing else is likely."""
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd") - body.count(b"\xef\xbf\xbd")
    good = _non_ascii(text) - broken
    cut_only = broken == 1 and text.endswith("\ufffd") and good > 0
    return text if cut_only or broken < _BROKEN_SHARE_LIMIT * (good + broken) else None


def _strict(body: bytes, name: str) -> str | None:
    try:
        return body.decode(name)
    except (UnicodeError, ValueError):
        return None


def _strict_but_cut(body: bytes, name: str) -> str | None:
    """Decode strictly; a multi-byte character cut off at the very end is forgiven."""
    try:
        return body.decode(name)
    except UnicodeDecodeError as error:
        if error.start < max(1, len(body) - 3):
            return None
        text = _strict(body[: error.start], name)
        return None if text is None else text + "\ufffd"
    except ValueError:
        return None


_C1 = re.compile("[\x80-\x84\x86-\x9f]")
"""Control characters that no page holds; in a decoded text they disprove the encoding. U+0085 is NEL, a line end."""


def _is_text_encoding(name: str) -> bool:
    return _TEXT_ENCODING.fullmatch(name.replace("-", "_")) is not None


def _declared(body: bytes, content_type: str) -> Decoded | None:
    """Decode by the header, then by the page's own declaration, if the bytes don't disprove them."""
    claims: tuple[tuple[CharsetSource, Callable[[], str | None]], ...] = (
        (CharsetSource.HEADER, lambda: http_content_type_encoding(content_type[:1_000])),
        (CharsetSource.META, lambda: html_body_declared_encoding(body)),
    )
    for source, claim in claims:
        name = claim()
        if name is None or name == "cp1252" or not _is_text_encoding(name):
            continue
        text = _strict_but_cut(body, name)
        if text is not None and not _C1.search(text):
            return Decoded(_without_nul(text), name, source)
    return None


_TYPOGRAPHIC = bytes([0x80, 0x85, *range(0x91, 0x98), 0x99, 0xA0, 0xA3, 0xA7, 0xA9, 0xAB, 0xAE, 0xB0, 0xB7, 0xBB, 0xBD])
"""Quotes, dashes, signs: the same in nearly all Windows code pages, and all that English texts have above ASCII."""

_WESTERN_SHARE_LIMIT = 0.015
"""Texts with fewer letters above ASCII are of a language that hardly uses any: Polish has 6 %, German 2 %."""

_WINDOWS_TWINS = {
    "iso8859-2": "cp1250",
    "iso8859-7": "cp1253",
    "iso8859-8": "cp1255",
    "iso8859-9": "cp1254",
    "iso8859-13": "cp1257",
}
"""The detector knows letters; quotes and dashes stand where ISO 8859 has control characters."""

_RARE = re.compile(r"cp(?!866|874)[78]\d+|mac-(?!cyrillic)\w+|iso8859-(3|10|14|16)|johab|hz|cp1006|ptcp154")
"""What no page of our day is written in; as a detector's answer they are errors."""


def _detected(body: bytes) -> Decoded:
    """Decode by the frequencies of the bytes, at last as windows-1252."""
    import cchardet

    from webmain.html.legacy import declared_language, encoding_for, reads_as_thai

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
            if name in _WINDOWS_TWINS and _C1.search(text):
                name = _WINDOWS_TWINS[name]
                text = body.decode(name, "replace")
            return Decoded(_without_nul(text), name, CharsetSource.DETECTED)
    return Decoded(_without_nul(body.decode("cp1252", "replace")), "cp1252", CharsetSource.FALLBACK)


_CODE = re.compile(rb"<(?:script|style)\b[^<]*+(?:<(?!/(?:script|style))[^<]*+)*+", re.I)


def _foreign_text(body: bytes) -> bytes:
    """Return the runs between tags, not in scripts, that hold non-ASCII bytes, up to 64 KB: what can be learnt from."""
    runs: list[bytes] = []
    size = 0
    for run in re.split(rb"[<>\n]+", _CODE.sub(b"", body)):
        if not run.isascii():
            runs.append(run)
            size += len(run)
            if size > _DETECTION_SAMPLE_BYTES:
                break
    return b"\n".join(runs)


class BodyKind(StrEnum):
    """What a body is, by its own bytes."""

    HTML = "html"  # XHTML too
    FEED = "feed"  # RSS, Atom, RDF
    XML = "xml"  # sitemaps and every other XML
    JSON = "json"  # JSON Feed too
    TEXT = "text"  # plain text, scripts, style sheets
    PDF = "pdf"
    IMAGE = "image"  # SVG too
    MEDIA = "media"  # sound, film, fonts
    GZIP = "gzip"
    ZIP = "zip"  # office documents and e-books too
    BINARY = "binary"
    EMPTY = "empty"


_MAGIC = (
    (b"%PDF-", BodyKind.PDF),
    (b"\x89PNG\r\n\x1a\n", BodyKind.IMAGE),
    (b"\xff\xd8\xff", BodyKind.IMAGE),
    (b"GIF87a", BodyKind.IMAGE),
    (b"GIF89a", BodyKind.IMAGE),
    (b"II*\0", BodyKind.IMAGE),
    (b"MM\0*", BodyKind.IMAGE),
    (b"\0\0\1\0", BodyKind.IMAGE),
    (b"8BPS\0", BodyKind.IMAGE),
    (b"\xff\x0a", BodyKind.IMAGE),
    (b"\0\0\0\x0cJXL ", BodyKind.IMAGE),
    (b"\x1f\x8b", BodyKind.GZIP),
    (b"PK\3\4", BodyKind.ZIP),
    (b"PK\5\6", BodyKind.ZIP),
    (b"ID3", BodyKind.MEDIA),
    (b"OggS", BodyKind.MEDIA),
    (b"fLaC", BodyKind.MEDIA),
    (b"\x1a\x45\xdf\xa3", BodyKind.MEDIA),
    (b"FLV\1", BodyKind.MEDIA),
    (b"wOFF", BodyKind.MEDIA),
    (b"wOF2", BodyKind.MEDIA),
    (b"OTTO\0", BodyKind.MEDIA),
    (b"\0\1\0\0\0", BodyKind.MEDIA),
    (b"BZh", BodyKind.BINARY),
    (b"\xfd7zXZ\0", BodyKind.BINARY),
    (b"\x28\xb5\x2f\xfd", BodyKind.BINARY),
    (b"Rar!\x1a\7", BodyKind.BINARY),
    (b"7z\xbc\xaf\x27\x1c", BodyKind.BINARY),
    (b"\x7fELF", BodyKind.BINARY),
    (b"\xd0\xcf\x11\xe0", BodyKind.BINARY),
    (b"{\\rtf", BodyKind.BINARY),
    (b"%!PS", BodyKind.BINARY),
    (b"SQLite format 3\0", BodyKind.BINARY),
)
_RIFF = {b"WEBP": BodyKind.IMAGE, b"WAVE": BodyKind.MEDIA, b"AVI ": BodyKind.MEDIA}
_IMAGE_BRANDS = frozenset((b"avif", b"avis", b"heic", b"heix", b"mif1", b"msf1"))
_PROLOGUE = re.compile(
    r"\s*+(?:<!--.*?-->\s*+|<\?[^>]*+>\s*+|<!doctype(?!\s+html)[^>\[]*+(?:\[[^\]]*+\])?\s*+>\s*+)*+", re.I | re.S
)
_HTML_START = re.compile(
    r"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|div|p|h[1-6]|table|br|a|b|article|section|main|span|font"
    r"|center|iframe|ul|ol|img|form|noscript)(?=[\s/>])|<!--",
    re.I,
)
_ROOT = re.compile(r"<(?:[\w.-]+:)?([a-z][\w.-]*)", re.I)
_ANY_TAG = re.compile(r"</?[a-z][a-z0-9]*(?:\s[^<>]{0,500})?/?>", re.I)
_ROOT_KINDS = {
    "html": BodyKind.HTML,
    "rss": BodyKind.FEED,
    "feed": BodyKind.FEED,
    "rdf": BodyKind.FEED,
    "urlset": BodyKind.XML,
    "sitemapindex": BodyKind.XML,
    "opml": BodyKind.XML,
    "svg": BodyKind.IMAGE,
}
_JSON_START = re.compile(r"\s*+(?:\{\s*+[\"}]|\[\s*+[\[{\"\]\d-])")


def sniff(body: bytes, content_type: str = "") -> BodyKind:
    """Tell what a body is by its bytes, whatever its header says.

    The header decides only between kinds that look alike (markup without a known root element, text without a tag).

    Parameters
    ----------
    body : bytes
        After content decoding; the first 4 KB (and the last bytes of JSON) are looked at.
    content_type : str
        The header's value, parameters included; "" where there was none.
    """
    if not body.strip(b" \t\r\n\f\0") or body in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return BodyKind.EMPTY
    head = body[:_SAMPLE_BYTES]
    kind = _by_magic(head)
    if kind is not None:
        return kind
    text = _readable(head)
    declared = content_type.partition(";")[0].strip().lower()
    if text is None:
        return BodyKind.BINARY
    if text.startswith("<"):
        return _markup_kind(text, declared)
    tail = body[-64:].rstrip(b" \t\r\n\0")[-1:]
    if _JSON_START.match(text) and (tail in (b"}", b"]") or declared.endswith("json")):
        return BodyKind.JSON
    if declared.endswith("html") or not declared or _ANY_TAG.search(text):
        return BodyKind.HTML
    return BodyKind.JSON if declared.endswith("json") else BodyKind.TEXT


def _by_magic(head: bytes) -> BodyKind | None:
    """Tell a binary format by its first bytes."""
    start = head.lstrip(b" \t\r\n\xef\xbb\xbf")[:32]
    for magic, kind in _MAGIC:
        if start.startswith(magic) or head.startswith(magic):
            return kind
    if head.startswith(b"RIFF"):
        return _RIFF.get(head[8:12])
    if head[4:8] == b"ftyp":
        return BodyKind.IMAGE if head[8:12] in _IMAGE_BRANDS else BodyKind.MEDIA
    if head.startswith((b"BM", b"MZ")) and b"\0" in head[:64]:
        return BodyKind.IMAGE if head.startswith(b"BM") else BodyKind.BINARY
    return None


_CONTROLS = bytes([*range(9), 11, *range(14, 27), *range(28, 32)])


def _readable(head: bytes) -> str | None:
    """Return the first characters without white space before them, or None if these bytes are no text."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return head[len(mark) :].decode(name, "replace").strip()
    wide = _wide_encoding(head) if b"\0" in head else None
    if wide:
        return head.decode(wide, "replace").strip()
    text = head.decode("latin-1").removeprefix("ï»¿").lstrip(" \t\r\n\f\0")
    if _HTML_START.match(text) or text[:5].lower() == "<?xml":
        return text
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return None if b"\0" in head or controls > len(head) // 20 else text


def _markup_kind(text: str, declared: str) -> BodyKind:
    """Tell HTML, feeds and other XML by the root element."""
    prologue = _PROLOGUE.match(text)
    rest = text[prologue.end() if prologue else 0 :]
    root = _ROOT.match(rest)
    kind = _ROOT_KINDS.get(root[1].lower()) if root else None
    if kind is not None:
        return kind
    if rest.startswith("<!") or _HTML_START.match(rest):
        return BodyKind.HTML
    is_xml = text[:5].lower() == "<?xml" or (declared.endswith("xml") and "html" not in declared)
    return BodyKind.XML if is_xml else BodyKind.HTML
