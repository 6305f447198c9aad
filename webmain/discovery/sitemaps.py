"""Read sitemaps: indexes, URL sets (with the news extension), text lists, and feeds served as sitemaps.

Memory is bounded: bytes are decompressed, decoded, cleaned and parsed in pieces, without building a tree.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from lxml import etree

from webmain.discovery.entries import Entry, EntryCollector
from webmain.discovery.feeds import FEED_ROOTS, MAX_TITLE_CHARS, NotAFeed, plain_each, read_feed, short_text
from webmain.discovery.feeds import MAX_BYTES as MAX_FEED_BYTES
from webmain.discovery.safe_xml import (
    GZIP,
    Cleaner,
    UnsafeMarkup,
    decode_pieces,
    local_name,
    looks_like_html,
    pieces_of,
    plain_text,
    safe_parser,
    short_name,
)
from webmain.items import Hints

MAX_URLS: Final = 1_000_000
MAX_BYTES: Final = 128 * 1024 * 1024
"""Bytes that are read, after decompression; the protocol's own limits are 50,000 addresses and 50 MiB."""

_MAX_GZIP_LAYERS: Final = 2  # Content-Encoding on top of a gzipped file
_PIECE: Final = 1 << 16
_MAX_TEXT_CHARS: Final = 8192
_MAX_LINES: Final = 1_000_000
_MAX_ELEMENTS: Final = 2_000_000
_MAX_DEPTH: Final = 64


_PAGE_SITEMAP: Final = re.compile(
    r"/(?:pages?-sitemap\d*|sitemap-pages|sitemap-pt-page\b[\w-]*|wp-sitemap-posts-page-\d+)\.xml", re.IGNORECASE
)
"""Names that WordPress, Ghost and Wix give sitemaps of static pages."""


class NotASitemap(ValueError):  # noqa: N818 - it names what was found, like webmain.items.Rejected
    """The bytes are neither a sitemap nor a feed; the message says what they look like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """A sitemap that was read.

    Attributes
    ----------
    entries : tuple of Entry
        In document order, distinct; the source of their hints is "news-sitemap" if a news element has a
        title, publication date, language or keywords, else "page-sitemap" if the sitemap is named as one of static
        pages, else "sitemap"; `modified` is `lastmod`.
    children : tuple of Entry
        The sitemaps listed in an index (some URL sets contain them too), with their `lastmod`.
    """

    entries: tuple[Entry, ...] = ()
    children: tuple[Entry, ...] = ()


def read_pieces(body: bytes, *, url: str) -> Iterator[Sitemap]:
    """Yield the contents of a sitemap of any known kind, gzipped or not, piece by piece, in bounded time and memory.

    Parameters
    ----------
    body : bytes
        As received; gzip is recognised by its first bytes, also if applied twice.
    url : str
        Where it came from, as the base of relative addresses.

    Yields
    ------
    Sitemap
        The contents of about 64 KB, never empty; later pieces may repeat addresses. At most `MAX_URLS` entries, and as many
        children, are returned; what comes after `MAX_BYTES`, 2,000,000 elements or references, or broken gzip is not read.

    Raises
    ------
    NotASitemap
        The body is empty, an HTML page or something else, has an unterminated DOCTYPE, or nothing was found up to its end.
    """
    reader = _Reader(url)
    for _ in chain(reader.read(body), (None,)):
        piece = Sitemap(entries=reader.pages.pop_entries(), children=reader.children.pop_entries())
        if piece.entries or piece.children:
            yield piece


def _pieces(body: bytes) -> Iterator[bytes]:
    """Yield at most `MAX_BYTES` of the body, decompressed, in pieces of bounded size."""
    left = MAX_BYTES
    for piece in _inflated(body) if body.startswith(GZIP) else pieces_of(body):
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


def _inflated(body: bytes) -> Iterator[bytes]:
    """Decompress gzip with all its members; from a broken or truncated file, yield what can be read."""
    file = gzip.GzipFile(fileobj=io.BytesIO(body), mode="rb")
    with suppress(OSError, EOFError, zlib.error):
        for _ in range(_MAX_GZIP_LAYERS - 1):
            if file.peek(2)[:2] == GZIP:
                file = gzip.GzipFile(fileobj=file, mode="rb")
        while piece := file.read1(8 * _PIECE):
            yield piece


class _Reader:
    """Reads one sitemap and collects its entries."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.source = "page-sitemap" if _PAGE_SITEMAP.search(url) else "sitemap"
        self.pages = EntryCollector(MAX_URLS)
        self.children = EntryCollector(MAX_URLS)

    def read(self, body: bytes) -> Iterator[None]:
        """Read a sitemap of any kind; yield after each piece."""
        pieces = _pieces(body)
        first = next(pieces, b"")
        if not first.strip(b"\xef\xbb\xbf \t\r\n"):
            raise NotASitemap("the body is empty")
        texts = decode_pieces(chain([first], pieces))
        head = next(texts).lstrip()
        texts = chain([head], texts)
        if head[:8].lower().startswith(("http://", "https://")):
            yield from self._read_lines(texts)
            return
        if looks_like_html(head):
            raise NotASitemap("it is an HTML page")
        target = _Target(self)
        yield from self._parse(texts, target)
        if target.root in FEED_ROOTS:
            self._read_as_feed(body)
        elif target.root not in ("urlset", "sitemapindex") and not (self.pages.n or self.children.n):
            raise NotASitemap(
                f"its root element is <{target.root[:40]}>"
                if target.root
                else "it is neither XML nor a list of addresses"
            )

    def is_full(self) -> bool:
        """Return True if the limit of entries or of children is reached."""
        return self.pages.is_full() or self.children.is_full()

    def _parse(self, texts: Iterator[str], target: _Target) -> Iterator[None]:
        """Parse XML piece by piece until its end or a limit; yield after each."""
        parser, cleaner = safe_parser(target), Cleaner()
        try:
            for text in texts:
                clean = cleaner.feed(text)
                if "<" in clean:  # no address is 64 KB long, and the parser would buffer text without markup
                    parser.feed(clean.encode())
                is_excessive = target.is_excessive() or cleaner.is_excessive()
                if is_excessive or self.is_full() or target.root in FEED_ROOTS:
                    break
                yield
            else:
                parser.feed(cleaner.close().encode())
            parser.close()
        except UnsafeMarkup as error:
            raise NotASitemap(str(error)) from error
        except etree.XMLSyntaxError:
            pass  # entries before the error are kept

    def _read_lines(self, texts: Iterator[str]) -> Iterator[None]:
        """Read a list of addresses, one per line."""
        rest, n_lines, hints = "", 0, Hints(source="sitemap")
        for text in chain(texts, "\n"):
            *lines, rest = (rest[: 2 * _MAX_TEXT_CHARS] + text.replace("\r", "\n")).split("\n")
            for line in lines:
                self.pages.add(line, self.url, hints)
            n_lines += len(lines)
            yield
            if self.is_full() or n_lines > _MAX_LINES:
                return

    def _read_as_feed(self, body: bytes) -> None:
        """Read a feed that is served as a sitemap."""
        try:
            whole = bytearray()
            for piece in _pieces(body):
                whole += piece
                if len(whole) >= MAX_FEED_BYTES:
                    break
            feed = read_feed(bytes(whole), url=self.url, max_entries=self.pages.limit)
        except NotAFeed as error:
            raise NotASitemap(str(error)) from error
        for entry in feed.entries:
            self.pages.add(entry.url, self.url, entry.hints)


_ENTRIES: Final = frozenset({"url", "sitemap"})
_OWN: Final = frozenset({"loc", "lastmod"})
_NEWS: Final = frozenset({"title", "publication_date", "keywords", "language"})
_short_name = lru_cache(maxsize=1000)(short_name)


class _Target:
    """Receives the parser's events; holds only one entry and the names of the open elements."""

    def __init__(self, reader: _Reader) -> None:
        self.root = ""
        self._reader = reader
        self._open: list[str] = []
        self._entry = ""
        self._fields: dict[str, str] = {}
        self._wanted = ""
        self._text: list[str] = []
        self._n_elements = 0

    def is_excessive(self) -> bool:
        """Return True if there are more, or more deeply nested, elements than in any real sitemap."""
        return self._n_elements > _MAX_ELEMENTS or len(self._open) > _MAX_DEPTH

    def start(self, tag: str, _attributes: Mapping[str, str]) -> None:
        """Open an element; an unclosed entry ends where the next one begins."""
        name = _short_name(tag)
        self.root = self.root or local_name(name)
        parent = self._open[-1] if self._open else ""
        self._open.append(name)
        self._n_elements += 1
        if name in _ENTRIES:
            self.close()
            self._entry = name
        is_news = parent.startswith("news:") or parent == "news"
        local = local_name(name) if is_news else name
        self._wanted = local if local in (_NEWS if is_news else _OWN if parent in _ENTRIES else ()) else ""
        self._text = []

    def data(self, data: str) -> None:
        """Append to the text of a wanted element, up to a bound."""
        if self._wanted and len(self._text) < _MAX_TEXT_CHARS:
            self._text.append(data[:_MAX_TEXT_CHARS])

    def end(self, _tag: str) -> None:
        """Close an element; a closed `url` or `sitemap` completes an entry."""
        name = self._open.pop() if self._open else ""
        if self._wanted:
            self._fields.setdefault(self._wanted, "".join(self._text)[:_MAX_TEXT_CHARS])
            self._wanted = ""
        if name in _ENTRIES:
            self._entry = name
            self.close()

    def close(self) -> None:
        """Add the open entry, if it has an address."""
        fields, self._fields = self._fields, {}
        if address := fields.get("loc"):
            found = self._reader.pages if self._entry == "url" else self._reader.children
            found.add(address, self._reader.url, _hints(fields, self._reader.source))


def _hints(fields: Mapping[str, str], source: str) -> Hints:
    """Return the texts of an element as hints, of the sitemap's own source unless it is about news."""
    modified = short_text(fields.get("lastmod"))
    if fields.keys() <= _OWN:
        return Hints(source=source, modified=modified)
    return Hints(
        source="news-sitemap",
        title=plain_text(fields.get("title"), max_chars=MAX_TITLE_CHARS),
        published=short_text(fields.get("publication_date")),
        modified=modified,
        tags=plain_each(fields.get("keywords", "").split(",")),
        language=short_text(fields.get("language")),
    )
