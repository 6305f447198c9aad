"""Sitemaps: indexes, URL sets (with news, image and alternate-language extensions), text lists, feeds in their place.

Nothing is kept but the answer: bytes are decompressed, decoded, cleaned and parsed in pieces without a tree.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from lxml import etree

from webmain.discovery.feeds import NotAFeed, read_feed
from webmain.discovery.markup import (
    Cleaner,
    UnsafeMarkup,
    decode_pieces,
    local_name,
    looks_like_html,
    pieces_of,
    safe_parser,
    short_name,
)
from webmain.discovery.sitemap_records import Collector, NotASitemap, Sitemap, SitemapEntry, SitemapKind

MAX_URLS: Final = 50_000
MAX_BYTES: Final = 50 * 1024 * 1024
"""The protocol's own limit, after decompression."""

MAX_STREAMED_URLS: Final = 1_000_000
MAX_STREAMED_BYTES: Final = 128 * 1024 * 1024
"""What is read of one that does not keep to them."""

_GZIP: Final = b"\x1f\x8b"
_MAX_GZIP_LAYERS: Final = 2  # served with Content-Encoding on top of the file's own
_MAX_GZIP_MEMBERS: Final = 10_000
_PIECE: Final = 1 << 16
_MAX_TEXT_CHARS: Final = 8192
_MAX_ALTERNATES: Final = 100
_MAX_LINES: Final = 1_000_000
_MAX_ELEMENTS: Final = 2_000_000
_MAX_DEPTH: Final = 64


def read_sitemap(
    body: bytes, *, url: str, max_urls: int = MAX_URLS, max_bytes: int = MAX_BYTES, charset: str | None = None
) -> Sitemap:
    """Read a sitemap of any known kind, gzipped or not.

    Parameters
    ----------
    body : bytes
        As it came; gzip is recognised by its first bytes, also twice over.
    url : str
        Where it came from; relative addresses are joined to it.
    max_urls : int
        Limit of entries and of children.
    max_bytes : int
        Bytes after decompression; the rest is not read.
    charset : str or None
        The HTTP header's charset; believed only where the bytes are not valid UTF-8.

    Raises
    ------
    NotASitemap
        It is empty, an HTML page or anything else, or has a DOCTYPE without an end.
    """
    collected = Collector(url=url, max_urls=max_urls)
    kinds = list(_read(body, collected, max_bytes=max_bytes, charset=charset))
    return collected.sitemap(kinds[-1] if kinds else SitemapKind.URLSET)


def read_pieces(
    body: bytes, *, url: str, max_urls: int = MAX_STREAMED_URLS, max_bytes: int = MAX_STREAMED_BYTES
) -> Iterator[Sitemap]:
    """Read a sitemap that may be far over the protocol's limits, piece by piece, in bounded time and memory.

    Yields
    ------
    Sitemap
        What some 64 KB of it hold; an address may come again in a later piece. The last one has what was skipped.

    Raises
    ------
    NotASitemap
        As `read_sitemap`; in the end, too, where nothing was found.
    """
    collected = Collector(url=url, max_urls=max_urls)
    kind = SitemapKind.URLSET
    for kind in _read(body, collected, max_bytes=max_bytes, charset=None):
        piece = collected.sitemap(kind)
        if piece.entries or piece.children:
            collected.forget()
            yield replace(piece, skipped={})
    yield collected.sitemap(kind)


def _read(body: bytes, collected: Collector, *, max_bytes: int, charset: str | None) -> Iterator[SitemapKind]:
    """Read a sitemap of any kind; yield each time that a piece was read."""
    pieces = _bounded(_gunzipped(body, collected.skipped), max_bytes, collected.skipped)
    first = next(pieces, b"")
    if not first.strip(b"\xef\xbb\xbf \t\r\n"):
        raise NotASitemap("the body is empty")
    texts = decode_pieces(_chained(first, pieces), charset=charset)
    head = next(texts).lstrip()
    if head[:8].lower().startswith(("http://", "https://")):
        yield from _read_lines(head, texts, collected)
        return
    if looks_like_html(head):
        raise NotASitemap("it is an HTML page")
    root = ""
    for root in _parse(head, texts, collected):
        yield SitemapKind.INDEX if root == "sitemapindex" else SitemapKind.URLSET
    if root in ("rss", "rdf", "channel", "feed"):
        _read_as_feed(body, collected, max_bytes=max_bytes)
        yield SitemapKind.FEED
    elif root not in ("urlset", "sitemapindex") and not (collected.n_entries or collected.n_children):
        raise NotASitemap(f"its root element is <{root[:40]}>" if root else "it is neither XML nor a list of addresses")


# ---- Bytes


def _chained(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _gunzipped(body: bytes, skipped: Counter[str]) -> Iterator[bytes]:
    """Yield the body decompressed, in pieces of bounded size."""
    pieces = pieces_of(body)
    for _ in range(_MAX_GZIP_LAYERS):
        first = next(pieces, b"")
        pieces = _chained(first, pieces)
        if not first.startswith(_GZIP):
            break
        pieces = _inflated(pieces, skipped)
    return pieces


def _inflated(pieces: Iterator[bytes], skipped: Counter[str]) -> Iterator[bytes]:
    """Decompress one layer of gzip with all its members; a broken or cut file gives what can be read."""
    inflate = zlib.decompressobj(wbits=31)
    n_members = 1
    for piece in pieces:
        data = piece
        while data:
            if inflate.eof:
                if not data.startswith(_GZIP) or n_members >= _MAX_GZIP_MEMBERS:
                    return  # padding after the end
                inflate = zlib.decompressobj(wbits=31)
                n_members += 1
            try:
                text = inflate.decompress(data, 8 * _PIECE)
            except zlib.error:
                skipped["broken_gzip"] += 1
                return
            data = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
            if text:
                yield text
    if not inflate.eof:
        skipped["broken_gzip"] += 1


def _bounded(pieces: Iterator[bytes], max_bytes: int, skipped: Counter[str]) -> Iterator[bytes]:
    """Yield at most so many bytes, and count that there was more."""
    left = max_bytes
    for piece in pieces:
        if len(piece) > left:
            skipped["too_large"] += 1
            if left:
                yield piece[:left]
            return
        left -= len(piece)
        yield piece


# ---- Markup and lines


_WANTED: Final = frozenset(
    {"loc", "lastmod", "news/title", "news/publication_date", "news/keywords", "news/language", "publication/language"}
)


class _Target:
    """Receives the parser's events; holds one entry at a time and the names of the open elements."""

    def __init__(self, collected: Collector) -> None:
        self.root = ""
        self._collected = collected
        self._names: dict[str, str] = {}
        self._open: list[str] = []
        self._fields: dict[str, str] = {}
        self._alternates: list[tuple[str, str]] = []
        self._text: list[str] | None = None
        self._n_chars = 0
        self._n_elements = 0

    def is_excessive(self) -> bool:
        """Whether there are more elements, or deeper ones, than any sitemap has."""
        return self._n_elements > _MAX_ELEMENTS or len(self._open) > _MAX_DEPTH

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Open an element."""
        name = self._names.get(tag)
        if name is None:
            name = short_name(tag)
            if len(self._names) < 1000:
                self._names[tag] = name
        if not self._open:
            self.root = self.root or local_name(name)
        parent = self._open[-1] if self._open else ""
        self._open.append(name)
        self._n_elements += 1
        if name in ("url", "sitemap"):
            self._finish()
        elif name in ("xhtml:link", "link") and parent == "url":
            href = attributes.get("href")
            if href and attributes.get("rel", "alternate") == "alternate" and len(self._alternates) < _MAX_ALTERNATES:
                self._alternates.append((attributes.get("hreflang", "")[:40].lower(), href))
        self._text = [] if self._key(parent, name) in _WANTED else None
        self._n_chars = 0

    def data(self, data: str) -> None:
        """Keep the text of a wanted element, up to a bound."""
        if self._text is not None and self._n_chars < _MAX_TEXT_CHARS:
            self._text.append(data[:_MAX_TEXT_CHARS])
            self._n_chars += len(data)

    def end(self, tag: str) -> None:
        """Close an element; a closed `url` or `sitemap` is an entry."""
        name = self._open.pop() if self._open else ""
        parent = self._open[-1] if self._open else ""
        if self._text is not None:
            self._fields.setdefault(self._key(parent, name), "".join(self._text))
            self._text = None
        if name in ("url", "sitemap"):
            self._add(name)

    def close(self) -> str:
        """Add what a cut file left open, and return the root's name."""
        for name in reversed(self._open):
            if name in ("url", "sitemap") and self._fields.get("loc"):
                self._add(name)
                break
        return self.root

    @staticmethod
    def _key(parent: str, name: str) -> str:
        """Name a text by its place: an image's `loc` is not the page's."""
        if name in ("loc", "lastmod") and parent in ("url", "sitemap"):
            return name
        return f"{local_name(parent)}/{local_name(name)}" if parent.startswith("news:") or parent == "news" else ""

    def _finish(self) -> None:
        """Begin a new entry; one that was never closed is kept."""
        if self._fields.get("loc"):
            self._add(next((name for name in self._open[-2::-1] if name in ("url", "sitemap")), "url"))
        self._fields, self._alternates = {}, []

    def _add(self, name: str) -> None:
        if name == "url":
            self._collected.add_entry(self._fields, tuple(self._alternates))
        else:
            self._collected.add_child(self._fields)
        self._fields, self._alternates = {}, []


def _parse(head: str, texts: Iterator[str], collected: Collector) -> Iterator[str]:
    """Parse XML piece by piece until its end or the limit, and yield the root's name after each."""
    target = _Target(collected)
    parser = safe_parser(target)
    cleaner = Cleaner()
    try:
        parser.feed(cleaner.feed(head).encode())
        for text in texts:
            yield target.root
            clean = cleaner.feed(text)
            if "<" in clean:  # else 64 KB without markup: no address is so long, and the parser would hold it all
                parser.feed(clean.encode())
            if collected.is_full() or target.root in ("rss", "rdf", "feed", "channel"):
                break
            if target.is_excessive() or cleaner.is_excessive():
                collected.skipped["too_large"] += 1
                break
        else:
            parser.feed(cleaner.close().encode())
        parser.close()
    except UnsafeMarkup as error:
        raise NotASitemap(str(error)) from error
    except etree.XMLSyntaxError:
        pass  # what came before it was collected
    yield target.root


def _read_lines(head: str, texts: Iterator[str], collected: Collector) -> Iterator[SitemapKind]:
    """Read a list of addresses, one a line."""
    rest = head
    n_lines = 0
    while not collected.is_full() and n_lines < _MAX_LINES:
        following = next(texts, None)
        *lines, rest_of_line = rest.splitlines() or [""]
        if following is None or rest.endswith(("\n", "\r")):
            lines, rest_of_line = [*lines, rest_of_line], ""
        n_lines += len(lines)
        for line in lines:
            if line.strip():
                collected.add_entry({"loc": line}, ())
        yield SitemapKind.TEXT
        if following is None:
            break
        rest = rest_of_line[: 2 * _MAX_TEXT_CHARS] + following


def _read_as_feed(body: bytes, collected: Collector, *, max_bytes: int) -> None:
    """Read a feed that stands in a sitemap's place."""
    whole = b"".join(_bounded(_gunzipped(body, Counter()), max_bytes, collected.skipped))
    try:
        feed = read_feed(whole, url=collected.url, max_entries=collected.max_urls)
    except NotAFeed as error:
        raise NotASitemap(str(error)) from error
    collected.skipped.update(feed.skipped)
    for entry in feed.entries:
        lastmod = entry.hints.modified or entry.hints.published
        collected.entries[entry.url] = SitemapEntry(url=entry.url, lastmod=lastmod, hints=entry.hints)
