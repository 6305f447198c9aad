"""Make untrusted XML safe to parse: decode it in bounded pieces and remove DOCTYPE and entities.

Real feeds declare one charset and use another, contain HTML entities, bare ampersands and control characters, or begin
with a PHP warning. Hostile ones declare entities that expand or read files. The text is therefore cleaned before it is
parsed: no DOCTYPE is left and no entities but XML's own five. The parser is also configured to load nothing.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from html import escape, unescape
from html.entities import html5
from typing import Any, Final

from lxml import etree

from webmain.html.encoding import decode
from webmain.urls import MAX_URL_CHARS, join

GZIP: Final = b"\x1f\x8b"
MAX_REFERENCES: Final = 2_000_000
_PIECE: Final = 1 << 16
_HEAD_CHARS: Final = 1 << 16
_LONGEST_MARK: Final = 40
_CDATA: Final = "<![CDATA["
_MARK = re.compile(r"<!\[CDATA\[|\]\]>|&(?:#(?:[xX]([0-9a-fA-F]{1,6})|([0-9]{1,7}));|([A-Za-z][A-Za-z0-9]{1,31};))?")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]+")
_DECLARATION = re.compile(r"<\?xml\b[^>]{0,500}>")
_ROOT = re.compile(
    r"<(?:\?xml[\s?]|(?:[A-Za-z][\w.-]{0,30}:)?(?:rss|rdf|feed|urlset|sitemapindex)[\s>/])", re.IGNORECASE
)
_HTML_START = re.compile(r"(?:<!doctype\s+html|<html|<head|<body)\b", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE\b", re.IGNORECASE)
_DOCTYPE_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|<!--.*?(?:-->|\Z)|[\[\]>]", re.DOTALL)
_TAG = re.compile(r"<(?:!--|/?[A-Za-z!?])[^<>]*>")


class UnsafeMarkup(ValueError):  # noqa: N818 - it names what was found
    """The DOCTYPE cannot be removed safely, so nothing is parsed."""


def decode_pieces(pieces: Iterable[bytes]) -> Iterator[str]:
    """Decode bytes piece by piece; invalid bytes become U+FFFD, and the byte order mark is dropped.

    The encoding is detected from the first piece; a longer piece makes this more reliable.
    """
    decoder: codecs.IncrementalDecoder | None = None
    for piece in pieces:
        if decoder is None:
            decoder = codecs.getincrementaldecoder(decode(piece).charset)("replace")
            yield decoder.decode(piece).lstrip("\ufeff")
        else:
            yield decoder.decode(piece)
    if decoder is not None:
        yield decoder.decode(b"", final=True)


def pieces_of(body: bytes) -> Iterator[bytes]:
    """Yield bytes in pieces; the first is eight times as long, to detect the encoding from more data."""
    yield body[: 8 * _PIECE]
    for start in range(8 * _PIECE, len(body), _PIECE):
        yield body[start : start + _PIECE]


def looks_like_html(head: str) -> bool:
    """Return True if a document begins like an HTML page (XHTML with an XML declaration included)."""
    start = _DECLARATION.sub("", head[:2000].lstrip(), count=1).lstrip()
    while start.startswith("<!--") and "-->" in start:
        start = start[start.index("-->") + 3 :].lstrip()
    return _HTML_START.match(start) is not None


class Cleaner:
    """Makes decoded XML fit for the parser, piece by piece, in constant memory.

    Everything before the first XML declaration or known root is removed (white space, PHP warnings), then the declaration
    itself (its encoding may be wrong) and the DOCTYPE. Outside CDATA, HTML entities become characters, and bare
    ampersands and unknown entities are escaped. Characters that XML forbids are dropped everywhere.
    """

    def __init__(self) -> None:
        self._rest = ""
        self._in_cdata = False
        self._begun = False
        self._n_marks = 0

    def is_excessive(self) -> bool:
        """Return True if there are more references than any real document needs; each takes time to resolve."""
        return self._n_marks > MAX_REFERENCES

    def feed(self, piece: str) -> str:
        """Return the part of the text so far that is ready for the parser.

        Raises
        ------
        UnsafeMarkup
            The DOCTYPE does not end within the first 65,536 characters.
        """
        text = self._rest + piece
        if not self._begun and len(text) < _HEAD_CHARS:
            self._rest = text
            return ""
        text = self._without_head(text)
        tail = max(0, len(text) - _LONGEST_MARK)
        end = min((at for mark in "&<]" if (at := text.find(mark, tail)) >= 0), default=len(text))
        self._rest = text[end:]
        return self._clean(text[:end])

    def close(self) -> str:
        """Return the text that was held back.

        Raises
        ------
        UnsafeMarkup
            The DOCTYPE is unterminated.
        """
        text, self._rest = self._rest, ""
        return self._clean(self._without_head(text))

    def _without_head(self, text: str) -> str:
        """Remove everything before the root element, once."""
        if self._begun:
            return text
        self._begun = True
        root = _ROOT.search(text, 0, _HEAD_CHARS)
        text = _DECLARATION.sub("", text[root.start() if root else 0 :].lstrip(), count=1)
        doctype = _DOCTYPE.search(text, 0, _HEAD_CHARS)
        if doctype and not re.search(r"<[A-Za-z]", text[: doctype.start()]):
            return text[: doctype.start()] + text[_doctype_end(text, doctype.end()) :]
        return text

    def _clean(self, text: str) -> str:
        text, n_marks = _MARK.subn(self._replace, text)
        self._n_marks += n_marks
        return _ILLEGAL.sub("", text)

    def _replace(self, mark: re.Match[str]) -> str:
        """Return a safe form of a reference, and track where CDATA begins and ends."""
        if mark[0] == _CDATA:
            self._in_cdata = True
        elif mark[0] == "]]>":
            self._in_cdata = False
        return mark[0] if self._in_cdata or not mark[0].startswith("&") else _resolve(*mark.groups())


def _doctype_end(text: str, start: int) -> int:
    """Return the end of the DOCTYPE, including its internal subset."""
    depth = 0
    for token in _DOCTYPE_TOKEN.finditer(text, start, _HEAD_CHARS):
        if token[0] == ">" and depth == 0:
            return token.end()
        depth += {"[": 1, "]": -1}.get(token[0], 0)
    raise UnsafeMarkup("the DOCTYPE has no end")


def _resolve(hexadecimal: str | None, decimal: str | None, name: str | None) -> str:
    """Return the XML-safe form of a reference, or of an ampersand that does not start one."""
    if hexadecimal or decimal:
        code = int(hexadecimal, 16) if hexadecimal else int(decimal or "")
        if 0x80 <= code <= 0x9F:  # Windows-1252 bytes written as references
            return unescape(f"&#{code};")
        legal = code in (9, 10, 13) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF
        return f"&#{code};" if legal else ""
    return escape(html5[name]) if name in html5 else f"&amp;{name or ''}"


def safe_parser(target: Any = None) -> etree.XMLParser:
    """Return a new XML parser that recovers from errors and loads no entity, DTD or file."""
    return etree.XMLParser(
        target=target, resolve_entities=False, no_network=True, huge_tree=False, recover=True, load_dtd=False,
        dtd_validation=False, remove_comments=True, remove_pis=True, encoding="utf-8",
    )  # fmt: skip


def parse_tree(body: bytes) -> etree._Element | None:
    """Return XML as a tree, as far as it can be read; None if there is no element at all.

    Raises
    ------
    UnsafeMarkup
        The DOCTYPE is unterminated.
    """
    parser = safe_parser()
    cleaner = Cleaner()
    try:
        for text in decode_pieces(pieces_of(body)):
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
    """Return a tag as "prefix:local" in lower case; the prefix depends on the namespace, not on the document's own prefix.

    An undeclared prefix is kept; the elements of RSS and of the sitemap protocol have no prefix.
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
    """Return text without tags, with entities resolved and white space folded; None if nothing is left."""
    text = _TAG.sub(" ", (raw or "")[: 20 * max_chars])
    if "&" in text:
        text = _TAG.sub(" ", unescape(text))
    return " ".join(text.split())[:max_chars].rstrip() or None


def absolute_url(raw: str | None, base: str) -> str | None:
    """Return a usable absolute HTTP address, or None.

    White space inside is removed (addresses broken over lines), `&amp;` left by double escaping is undone, and the
    fragment is dropped unless it is a "#!" route.
    """
    text = "".join((raw or "")[: 2 * MAX_URL_CHARS].split()).replace("&amp;", "&")
    if not text or text.startswith("#"):
        return None
    joined = join(base, text)
    if joined and "#" in joined and "#!" not in joined:
        joined = joined.partition("#")[0]
    return joined
