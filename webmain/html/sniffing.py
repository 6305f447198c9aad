"""Detects the kind of a body from its bytes."""

from __future__ import annotations

import codecs
import re
import tomllib
from enum import StrEnum
from pathlib import Path

from w3lib.encoding import read_bom

from webmain.clock import once
from webmain.html.encoding import wide_encoding

_SAMPLE_BYTES = 4_096


class BodyKind(StrEnum):
    """The kind of a body, by its bytes."""

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
    "svg": BodyKind.IMAGE,
    **dict.fromkeys(("rss", "feed", "rdf"), BodyKind.FEED),
    **dict.fromkeys(("urlset", "sitemapindex", "opml"), BodyKind.XML),
}
_JSON_START = re.compile(r"\s*+(?:\{\s*+[\"}]|\[\s*+[\[{\"\]\d-])")
_CONTROLS = bytes([*range(9), 11, *range(14, 27), *range(28, 32)])


def sniff(body: bytes, content_type: str = "") -> BodyKind:
    """Return the kind of a body by its bytes, whatever its header says.

    The header decides only between kinds that look alike (markup without a known root element, text without a tag).

    Parameters
    ----------
    body : bytes
        After content decoding; only the first 4 KB (and the last bytes of JSON) are examined.
    content_type : str
        The header's value, parameters included; "" if there was none.
    """
    if not body.strip(b" \t\r\n\f\0") or body in (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return BodyKind.EMPTY
    head = body[:_SAMPLE_BYTES]
    start = head.lstrip(b" \t\r\n\xef\xbb\xbf")
    for kind, pattern in _magic().items():
        if pattern.match(start) or pattern.match(head):
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


@once
def _magic() -> dict[BodyKind, re.Pattern[bytes]]:
    """Return the patterns of `magic.toml`."""
    found = tomllib.loads(Path(__file__).with_name("magic.toml").read_text("ascii"))
    return {BodyKind(kind): re.compile(pattern.encode("ascii"), re.DOTALL) for kind, pattern in found.items()}


def _readable(head: bytes) -> str | None:
    """Return the first bytes as text without leading white space, or None if they are not text."""
    marked, mark = read_bom(head)
    if marked is None and b"\0" in head:
        marked, mark = wide_encoding(head), b""
    if marked not in (None, "utf-8"):
        return head[len(mark or b"") :].decode(str(marked), "replace").strip()
    text = head.decode("latin-1").removeprefix("ï»¿").lstrip(" \t\r\n\f\0")
    if _HTML_START.match(text) or text[:5].lower() == "<?xml":
        return text
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return None if b"\0" in head or controls > len(head) // 20 else text


def _markup_kind(text: str, declared: str) -> BodyKind:
    """Return whether markup is HTML, a feed or other XML, by the root element."""
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
