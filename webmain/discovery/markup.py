"""Bytes of XML from strangers, made safe to parse: decoded, without DOCTYPE and entities, in bounded pieces.

Real feeds declare one charset and use another, hold HTML's entities, bare ampersands and control characters, or begin
with a PHP warning. And hostile ones declare entities that grow or read files. So the text is cleaned before the parser
sees it: what is left has no DOCTYPE and no entity but XML's own five, and the parser is configured not to care either.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from html import unescape
from html.entities import html5
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from lxml import etree
from w3lib.encoding import read_bom, resolve_encoding

MAX_URL_CHARS: Final = 4096
"""Longer addresses are not followed; percent-encoded Thai and Chinese titles need some 2,000."""

MAX_REFERENCES: Final = 2_000_000
_PIECE: Final = 1 << 16
_HEAD_CHARS: Final = 1 << 16
_XML_ENTITIES: Final = frozenset({"amp;", "lt;", "gt;", "quot;", "apos;"})
_ENTITY_TAIL: Final = 40
_REFERENCE = re.compile(r"&(?:#(?:[xX]([0-9a-fA-F]{1,6})|([0-9]{1,7}));|([A-Za-z][A-Za-z0-9]{1,31};))?")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]+")
_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s{0,5}=\s{0,5}[\"']([A-Za-z0-9._:\-]{2,40})[\"']")
_DECLARATION = re.compile(r"<\?xml\b[^>]{0,500}>")
_ROOT = re.compile(
    r"<(?:\?xml[\s?]|(?:[A-Za-z][\w.-]{0,30}:)?(?:rss|rdf|feed|urlset|sitemapindex)[\s>/])", re.IGNORECASE
)
_HTML_START = re.compile(r"(?:<!doctype\s+html|<html|<head|<body)\b", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE\b", re.IGNORECASE)
_DOCTYPE_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|<!--.*?-->|[\[\]>]", re.DOTALL)
_SIMPLE_URL = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.-]{0,250}(?:[/?][^#\s&\\]*)?")
_TAG = re.compile(r"<(?:!--|/?[A-Za-z!?])[^<>]*>")


class UnsafeMarkup(ValueError):  # noqa: N818 - it names what was found
    """The XML's DOCTYPE can not be taken off safely, so nothing of it is parsed."""


def sniff_encoding(head: bytes, *, charset: str | None = None) -> str:
    """Name the encoding of XML: byte order mark, UTF-16 without one, valid UTF-8, then what is declared.

    Parameters
    ----------
    head : bytes
        The first bytes; the longer, the surer.
    charset : str or None
        What the HTTP header says; believed after the bytes themselves, before the XML declaration.

    Returns
    -------
    str
        A codec's name that Python knows.
    """
    bom, _ = read_bom(head)
    if bom:
        return bom
    if head[:4] in (b"<\x00?\x00", b"<\x00r\x00", b"<\x00f\x00", b"<\x00u\x00", b"<\x00s\x00"):
        return "utf-16-le"
    if head[:4] in (b"\x00<\x00?", b"\x00<\x00r", b"\x00<\x00f", b"\x00<\x00u", b"\x00<\x00s"):
        return "utf-16-be"
    declared = _DECLARED.search(head, 0, 1024)
    claims = [charset, declared[1].decode("ascii") if declared else None]
    names = [name for claim in claims if claim and (name := resolve_encoding(claim))]
    if b"\x1b$" in head and any("2022" in name for name in names):
        return next(name for name in names if "2022" in name)
    if _is_utf8(head):
        return "utf-8"
    return next((name for name in names if not name.startswith(("utf", "ascii"))), None) or _guess(head)


def _is_utf8(head: bytes) -> bool:
    """Whether the bytes are UTF-8, a character cut off at the end and a few broken ones (under 2 %) aside."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(head)
    n_broken = text.count("\ufffd")
    return n_broken == 0 or n_broken < 0.02 * sum(1 for character in text if character > "\x7f")


def _guess(head: bytes) -> str:
    """Guess the encoding of bytes that nobody describes rightly; Western European where there is little to go by."""
    from cchardet import detect

    if sum(1 for byte in head if byte > 0x7F) < 20:
        return "cp1252"
    found = detect(head)["encoding"]
    return (resolve_encoding(found) if found else None) or "cp1252"


def decode_pieces(pieces: Iterable[bytes], *, charset: str | None = None) -> Iterator[str]:
    """Decode bytes piece by piece; what is broken becomes U+FFFD, and the byte order mark is dropped."""
    decoder: codecs.IncrementalDecoder | None = None
    for piece in pieces:
        if decoder is None:
            decoder = codecs.getincrementaldecoder(sniff_encoding(piece, charset=charset))("replace")
            yield decoder.decode(piece).lstrip("\ufeff")
        else:
            yield decoder.decode(piece)
    if decoder is not None:
        yield decoder.decode(b"", final=True)


def pieces_of(body: bytes, *, size: int = _PIECE) -> Iterator[bytes]:
    """Cut bytes into pieces; the first is eight times as long, so that the encoding is judged on more."""
    yield body[: 8 * size]
    for start in range(8 * size, len(body), size):
        yield body[start : start + size]


def looks_like_html(head: str) -> bool:
    """Whether a document begins as an HTML page does (XHTML with an XML declaration included)."""
    start = _DECLARATION.sub("", head[:2000].lstrip(), count=1).lstrip()
    while start.startswith("<!--") and "-->" in start:
        start = start[start.index("-->") + 3 :].lstrip()
    return _HTML_START.match(start) is not None


class Cleaner:
    """Makes decoded XML fit for the parser, piece by piece, in constant memory.

    Everything before the first XML declaration or known root goes (white space, PHP warnings), then the declaration
    itself (it may lie about the encoding) and the DOCTYPE. Outside CDATA, HTML's entities become characters, bare
    ampersands and unknown entities are escaped; characters that XML forbids are dropped everywhere.
    """

    def __init__(self) -> None:
        self._rest = ""
        self._in_cdata = False
        self._begun = False
        self._n_references = 0

    def is_excessive(self) -> bool:
        """Whether there are more references than any document needs; each costs time."""
        return self._n_references > MAX_REFERENCES

    def feed(self, piece: str) -> str:
        """Return what of the text so far is ready for the parser.

        Raises
        ------
        UnsafeMarkup
            The DOCTYPE does not end within the first 65,536 characters.
        """
        text = self._rest + piece
        self._rest = ""
        if not self._begun:
            if len(text) < _HEAD_CHARS:
                self._rest = text
                return ""
            text = self._begin(text)
        return self._clean(text, last=False)

    def close(self) -> str:
        """Return what was held back.

        Raises
        ------
        UnsafeMarkup
            The DOCTYPE does not end.
        """
        text, self._rest = self._rest, ""
        return self._clean(text if self._begun else self._begin(text), last=True)

    def _begin(self, text: str) -> str:
        """Take off everything before the root element."""
        self._begun = True
        root = _ROOT.search(text, 0, _HEAD_CHARS)
        text = _DECLARATION.sub("", text[root.start() if root else 0 :].lstrip(), count=1)
        doctype = _DOCTYPE.search(text, 0, _HEAD_CHARS)
        if doctype and not re.search(r"<[A-Za-z]", text[: doctype.start()]):
            return text[: doctype.start()] + text[_doctype_end(text, doctype.end()) :]
        return text

    def _clean(self, text: str, *, last: bool) -> str:
        """Clean the text up to what may be the beginning of a reference or of CDATA."""
        out: list[str] = []
        position = 0
        while position < len(text):
            mark = text.find("]]>" if self._in_cdata else "<![CDATA[", position)
            end = mark if mark >= 0 else len(text) if last else _safe_end(text, position, in_cdata=self._in_cdata)
            part = text[position:end]
            out.append(part if self._in_cdata else self._resolved(part))
            position = end
            if mark < 0:
                break
            out.append("]]>" if self._in_cdata else "<![CDATA[")
            position += len(out[-1])
            self._in_cdata = not self._in_cdata
        self._rest = text[position:]
        return _ILLEGAL.sub("", "".join(out))

    def _resolved(self, part: str) -> str:
        """Make every reference of a part safe, and count them."""
        text, n_references = _REFERENCE.subn(_resolve, part)
        self._n_references += n_references
        return text


def _doctype_end(text: str, start: int) -> int:
    """Return where the DOCTYPE ends, its internal subset included."""
    depth = 0
    for token in _DOCTYPE_TOKEN.finditer(text, start, _HEAD_CHARS):
        if token[0] == ">" and depth == 0:
            return token.end()
        depth += {"[": 1, "]": -1}.get(token[0], 0)
    raise UnsafeMarkup("the DOCTYPE has no end")


def _safe_end(text: str, start: int, *, in_cdata: bool) -> int:
    """Return how far the text may be cleaned before its next piece is known."""
    if in_cdata:
        return max(start, len(text) - 2)
    tail = max(start, len(text) - _ENTITY_TAIL)
    marks = [at for mark in "&<" if (at := text.find(mark, tail)) >= 0]
    return min(marks, default=len(text))


def _resolve(match: re.Match[str]) -> str:
    """Return the XML-safe form of a reference, or of an ampersand that starts none."""
    hexadecimal, decimal, name = match.groups()
    if hexadecimal or decimal:
        code = int(hexadecimal, 16) if hexadecimal else int(decimal)
        if 0x80 <= code <= 0x9F:  # Windows-1252 bytes written as references
            return unescape(f"&#{code};")
        legal = code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF
        return match[0].lower() if legal else ""
    if name in _XML_ENTITIES:
        return match[0]
    if name and name in html5:
        return html5[name].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "&amp;" + match[0][1:]


def safe_parser(target: Any = None) -> etree.XMLParser:
    """Return a fresh XML parser that recovers from errors and loads nothing: no entity, no DTD, no file."""
    return etree.XMLParser(
        target=target, resolve_entities=False, no_network=True, huge_tree=False, recover=True, load_dtd=False,
        dtd_validation=False, remove_comments=True, remove_pis=True, encoding="utf-8",
    )  # fmt: skip


def parse_tree(body: bytes, *, charset: str | None = None) -> etree._Element | None:
    """Parse XML into a tree as far as it can be read; None where there is no element at all.

    Raises
    ------
    UnsafeMarkup
        The DOCTYPE has no end.
    """
    parser = safe_parser()
    cleaner = Cleaner()
    try:
        for text in decode_pieces(pieces_of(body), charset=charset):
            parser.feed(cleaner.feed(text).encode())
            if cleaner.is_excessive():
                break
        parser.feed(cleaner.close().encode())
        return parser.close()
    except etree.XMLSyntaxError:
        return None


_NAMESPACES: Final = {
    "purl.org/rss/1.0/modules/content": "content",
    "purl.org/dc/elements/1.1": "dc",
    "purl.org/dc/terms": "dcterms",
    "rssnamespace.org/feedburner/ext/1.0": "feedburner",
    "www.w3.org/2005/atom": "atom",
    "purl.org/atom/ns#": "atom",
    "search.yahoo.com/mrss": "media",
    "www.w3.org/1999/xhtml": "xhtml",
    "www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
    "www.google.com/schemas/sitemap-news/0.9": "news",
    "www.google.com/schemas/sitemap-image/1.1": "image",
    "www.google.com/schemas/sitemap-video/1.1": "video",
}


def short_name(tag: str) -> str:
    """Return a tag as "prefix:local" in lower case, by namespace and not by the document's own prefix.

    A prefix that nobody declared stays as it stands; RSS's and the sitemap protocol's own elements have none.
    """
    if not tag.startswith("{"):
        return tag.lower()
    uri, _, local = tag[1:].partition("}")
    bare = uri.strip().lower().removeprefix("https://").removeprefix("http://").rstrip("/")
    prefix = _NAMESPACES.get(bare)
    return f"{prefix}:{local.lower()}" if prefix else local.lower()


def local_name(name: str) -> str:
    """Return a short name without its prefix."""
    return name.rpartition(":")[2]


def plain_text(raw: str | None, *, max_chars: int) -> str | None:
    """Return text with tags taken off, entities resolved and white space folded; None where nothing is left."""
    if not raw:
        return None
    text = raw[: 20 * max_chars]
    if "<" in text:
        text = _TAG.sub(" ", text)
    if "&" in text:
        text = unescape(text)
        if "<" in text:
            text = _TAG.sub(" ", text)
    return " ".join(text.split())[:max_chars].rstrip() or None


def absolute_url(raw: str | None, base: str) -> str | None:
    """Return a usable absolute HTTP address, or None.

    White space inside is taken out (addresses broken over lines), `&amp;` left by double escaping is undone, and the
    fragment is dropped unless it is a "#!" route.
    """
    if not raw:
        return None
    if len(raw) <= MAX_URL_CHARS and _SIMPLE_URL.fullmatch(raw):
        return raw  # by far the commonest form, without the cost of splitting it
    text = "".join(raw[: 2 * MAX_URL_CHARS].split()) if raw.strip()[:1] else ""
    if "&amp;" in text:
        text = text.replace("&amp;", "&")
    if not text or text.startswith("#"):
        return None
    try:
        joined = urljoin(base, text)
        parts = urlsplit(joined)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_valid:
        return None
    if parts.fragment and not parts.fragment.startswith("!"):
        joined = joined.partition("#")[0]
    return joined if len(joined) <= MAX_URL_CHARS else None
