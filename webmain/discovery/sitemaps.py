"""Sitemaps: indexes, URL sets (with the news extension), text lists, feeds in their place.

Nothing is kept but the answer: bytes are decompressed, decoded, cleaned and parsed in pieces without a tree.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Final

from lxml import etree

from webmain.discovery.entries import Collected, Entry
from webmain.discovery.feeds import FEED_ROOTS, NotAFeed, read_feed
from webmain.discovery.markup import (
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
"""What is read, after decompression; the protocol's own limits are 50,000 addresses and 50 MiB."""

_GZIP: Final = b"\x1f\x8b"
_MAX_GZIP_LAYERS: Final = 2  # served with Content-Encoding on top of the file's own
_PIECE: Final = 1 << 16
_MAX_TEXT_CHARS: Final = 8192
_MAX_LINES: Final = 1_000_000
_MAX_ELEMENTS: Final = 2_000_000
_MAX_DEPTH: Final = 64
_MAX_KEYWORDS: Final = 50


class NotASitemap(ValueError):  # noqa: N818 - it names what was found, like webmain.items.Rejected
    """The bytes are neither a sitemap nor a feed; the message names what they look like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitemap:
    """A sitemap that was read.

    Attributes
    ----------
    entries : tuple of Entry
        In document order, each address once; the source of their hints is "news-sitemap" where a news element gives
        title, publication date, language or keywords, else "sitemap"; `modified` is `lastmod`.
    children : tuple of Entry
        The sitemaps an index names (some URL sets mix them in), with their `lastmod`.
    skipped : Mapping[str, int]
        What was left out, by reason: "no_url", "bad_url", "duplicate", "too_many" (entries over the limit that were
        still seen), "too_large" (the rest, after `max_bytes` or
        2,000,000 elements or references, was not read), "broken_gzip" (the rest could not be).
    """

    entries: tuple[Entry, ...] = ()
    children: tuple[Entry, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)


def read_pieces(body: bytes, *, url: str, max_urls: int = MAX_URLS, max_bytes: int = MAX_BYTES) -> Iterator[Sitemap]:
    """Read a sitemap of any known kind, gzipped or not, piece by piece, in bounded time and memory.

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

    Yields
    ------
    Sitemap
        What some 64 KB of it hold; an address may come again in a later piece. The last one has what was skipped.

    Raises
    ------
    NotASitemap
        It is empty, an HTML page or anything else, or has a DOCTYPE without an end; in the end, too, where nothing was found.
    """
    reader = _Reader(url, max_urls, max_bytes)
    for _ in reader.read(body):
        piece = Sitemap(entries=reader.pages.take(), children=reader.children.take())
        if piece.entries or piece.children:
            yield piece
    yield Sitemap(entries=reader.pages.take(), children=reader.children.take(), skipped=dict(reader.skipped))


class _Reader:
    """Reads one sitemap, and collects what it names."""

    def __init__(self, url: str, max_urls: int, max_bytes: int) -> None:
        self.url = url
        self.max_bytes = max_bytes
        self.skipped: Counter[str] = Counter()
        self.pages = Collected(max_urls, self.skipped)
        self.children = Collected(max_urls, self.skipped)

    def read(self, body: bytes) -> Iterator[None]:
        """Read a sitemap of any kind; yield each time that a piece was read."""
        pieces = self._pieces(body)
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
            what = (
                f"its root element is <{target.root[:40]}>"
                if target.root
                else "it is neither XML nor a list of addresses"
            )
            raise NotASitemap(what)

    def is_full(self) -> bool:
        """Return True if there are as many entries or children as are kept."""
        return self.pages.is_full() or self.children.is_full()

    # ---- Bytes

    def _pieces(self, body: bytes) -> Iterator[bytes]:
        """Yield at most `max_bytes` of the body, decompressed, in pieces of bounded size."""
        pieces = pieces_of(body) if not body.startswith(_GZIP) else self._inflated(body)
        left = self.max_bytes
        for piece in pieces:
            if len(piece) > left:
                self.skipped["too_large"] += 1
            if left:
                yield piece[:left]
            if len(piece) > left:
                return
            left -= len(piece)

    def _inflated(self, body: bytes) -> Iterator[bytes]:
        """Decompress gzip with all its members; a broken or cut file gives what can be read."""
        file = gzip.GzipFile(fileobj=io.BytesIO(body), mode="rb")
        try:
            for _ in range(_MAX_GZIP_LAYERS - 1):
                if file.peek(2)[:2] == _GZIP:
                    file = gzip.GzipFile(fileobj=file, mode="rb")
            while piece := file.read1(8 * _PIECE):
                yield piece
        except (OSError, EOFError, zlib.error):
            self.skipped["broken_gzip"] += 1

    # ---- Markup and lines

    def _parse(self, texts: Iterator[str], target: _Target) -> Iterator[None]:
        """Parse XML piece by piece until its end or a limit; yield after each."""
        parser, cleaner = safe_parser(target), Cleaner()
        try:
            for text in texts:
                clean = cleaner.feed(text)
                if "<" in clean:  # else 64 KB without markup: no address is so long, and the parser would hold it all
                    parser.feed(clean.encode())
                if self.is_full() or target.root in FEED_ROOTS:
                    break
                if target.is_excessive() or cleaner.is_excessive():
                    self.skipped["too_large"] += 1
                    break
                yield
            else:
                parser.feed(cleaner.close().encode())
            parser.close()
        except UnsafeMarkup as error:
            raise NotASitemap(str(error)) from error
        except etree.XMLSyntaxError:
            pass  # what came before it was collected

    def _read_lines(self, texts: Iterator[str]) -> Iterator[None]:
        """Read a list of addresses, one a line."""
        rest = ""
        n_lines = 0
        for text in texts:
            *lines, rest = (rest[: 2 * _MAX_TEXT_CHARS] + text.replace("\r", "\n")).split("\n")
            for line in lines:
                self._add_line(line)
            n_lines += len(lines)
            yield
            if self.is_full() or n_lines > _MAX_LINES:
                return
        self._add_line(rest)

    def _add_line(self, line: str) -> None:
        if line.strip():
            self.pages.add(line, self.url, Hints(source="sitemap"))

    def _read_as_feed(self, body: bytes) -> None:
        """Read a feed that is in a sitemap's place."""
        try:
            feed = read_feed(b"".join(self._pieces(body)), url=self.url, max_entries=self.pages.limit)
        except NotAFeed as error:
            raise NotASitemap(str(error)) from error
        self.skipped.update(feed.skipped)
        for entry in feed.entries:
            self.pages.add(entry.url, self.url, entry.hints)


_ENTRIES: Final = frozenset({"url", "sitemap"})
_OWN: Final = frozenset({"loc", "lastmod"})
_NEWS: Final = frozenset({"title", "publication_date", "keywords", "language"})
_short_name = lru_cache(maxsize=1000)(short_name)


class _Target:
    """Receives the parser's events; holds one entry at a time and the names of the open elements."""

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
        """Return True if there are more elements, or deeper ones, than any sitemap has."""
        return self._n_elements > _MAX_ELEMENTS or len(self._open) > _MAX_DEPTH

    def start(self, tag: str, _attributes: Mapping[str, str]) -> None:
        """Open an element; an entry that was never closed ends where the next one begins."""
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
        """Keep the text of a wanted element, up to a bound."""
        if self._wanted and len(self._text) < _MAX_TEXT_CHARS:
            self._text.append(data[:_MAX_TEXT_CHARS])

    def end(self, _tag: str) -> None:
        """Close an element; a closed `url` or `sitemap` is an entry."""
        name = self._open.pop() if self._open else ""
        if self._wanted:
            self._fields.setdefault(self._wanted, "".join(self._text)[:_MAX_TEXT_CHARS])
            self._wanted = ""
        if name in _ENTRIES:
            self._entry = name
            self._add()

    def close(self) -> None:
        """Add what was left open, where it has an address."""
        if self._fields.get("loc"):
            self._add()
        self._fields = {}

    def _add(self) -> None:
        fields, self._fields = self._fields, {}
        found = self._reader.pages if self._entry == "url" else self._reader.children
        found.add(fields.get("loc"), self._reader.url, _hints(fields))


def _hints(fields: Mapping[str, str]) -> Hints:
    """Turn the texts of an element into hints."""
    modified = _folded(fields.get("lastmod"))
    if fields.keys() <= _OWN:
        return Hints(source="sitemap", modified=modified)
    keywords = (plain_text(word, max_chars=200) for word in fields.get("keywords", "").split(","))
    return Hints(
        source="news-sitemap",
        title=plain_text(fields.get("title"), max_chars=1000),
        published=_folded(fields.get("publication_date")),
        modified=modified,
        tags=tuple(dict.fromkeys(word for word in keywords if word))[:_MAX_KEYWORDS],
        language=_folded(fields.get("language")),
    )


def _folded(raw: str | None) -> str | None:
    """Return a short string with white space folded; None where nothing is left."""
    return " ".join((raw or "")[:200].split()) or None
