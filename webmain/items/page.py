"""What is fetched: a page as it came, and what a feed or a sitemap said of it before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from webmain.items.rendered import Rendering, decode

MAX_SHOWN_URL = 200  # characters of a URL that a page's `repr` shows
Bytes: TypeAlias = bytes | bytearray | memoryview  # what is taken for bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a feed or a sitemap said about a page before it was fetched; strings as they stood there."""

    source: str  # "feed", "sitemap", "news-sitemap" or "page-sitemap"
    title: str | None = None
    # date strings as found (RFC 822, ISO 8601, ...), unparsed
    published: str | None = None
    modified: str | None = None
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    summary: str | None = None
    # the whole article as HTML where a feed carries it (`content:encoded`, Atom `content`, JSON Feed `content_html`)
    content_html: str | None = field(default=None, repr=False)
    language: str | None = None


def is_gold_record(record: object) -> bool:
    """Return True if a JSON value is the record of a gold page (docs/evaluate.md): an object with a page's markup."""
    return isinstance(record, dict) and ("html" in record or "html_b64" in record)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Page:
    """One fetched page, as it came: bytes (with headers, to decode) or a string that somebody has decoded already.

    Raises TypeError: `html` is neither str nor bytes, `body` no bytes, or another value not of its type. Raises ValueError:
    bytes were given under both names.
    """

    url: str | None  # where it came from, after redirects. Without it no link is internal or external.
    html: str | None  # the markup as text; bytes given under this name are a body
    # the body after content decoding (gzip, br), before character decoding. Exactly one of `body`, `html` is given.
    body: bytes | None
    fetched_at: datetime | None  # time-zone aware
    status: int  # HTTP status
    headers: Mapping[str, str] = field(hash=False)  # response headers; their names are made lower case
    hints: Hints | None  # what a feed or sitemap said of it
    parts: tuple[Page, ...]  # the following pages of an article over several pages, in order
    article_reason: str  # why a crawl took this page for an article ("" outside crawls)
    rendering: Rendering | None  # how a browser has drawn it; `html` is then the browser's document

    def __init__(
        self,
        *,
        url: str | None = None,
        html: str | Bytes | None = None,
        body: Bytes | None = None,
        fetched_at: datetime | None = None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        hints: Hints | None = None,
        parts: tuple[Page, ...] = (),
        article_reason: str = "",
        rendering: Rendering | None = None,
    ) -> None:
        if isinstance(html, Bytes):
            if body is not None:
                raise ValueError("Page: html and body are both bytes; give one of them")
            html, body = None, html
        if not isinstance(html, str | None):
            raise TypeError(f"Page: html must be str or bytes, not {type(html).__name__}")
        if not isinstance(body, Bytes | None):
            raise TypeError(f"Page: body must be bytes, not {type(body).__name__}")
        if not isinstance(url, str | None):
            raise TypeError(f"Page: url must be str, not {type(url).__name__}")
        if not isinstance(fetched_at, datetime | None):
            raise TypeError(f"Page: fetched_at must be datetime, not {type(fetched_at).__name__}")
        if not isinstance(status, int):
            raise TypeError(f"Page: status must be int, not {type(status).__name__}")
        given = (url, html, None if body is None else bytes(body), fetched_at, status)
        others = (_lower({} if headers is None else headers), hints, parts, article_reason, rendering)
        for name, value in zip(self.__slots__, (*given, *others), strict=True):
            object.__setattr__(self, name, value)

    def drawn(self, data: bytes) -> Page:
        """Return this page as a browser has drawn it.

        Raises RenderingError if the bytes are no rendering (`webmain.items.rendered`).
        """
        html, rendering = decode(data)
        return replace(self, body=None, html=html, rendering=rendering)

    def __repr__(self) -> str:
        url = self.url if self.url is None or len(self.url) <= MAX_SHOWN_URL else self.url[:MAX_SHOWN_URL] + "…"
        shown = [f"url={url!r}"]
        if self.html is not None:
            shown.append(f"html={len(self.html):,} characters")
        if self.body is not None:
            shown.append(f"body={len(self.body):,} bytes")
        if self.parts:
            shown.append(f"{len(self.parts)} parts")
        return f"Page({', '.join(shown)}, status={self.status})"


def _lower(headers: Mapping[str, str]) -> Mapping[str, str]:
    """Return headers with their names in lower case; raises TypeError if they are none."""
    if not isinstance(headers, Mapping):
        raise TypeError(f"Page: headers must map names to values, not {type(headers).__name__}: dict(headers)")
    for part in (part for header in headers.items() for part in header):
        if not isinstance(part, str):
            raise TypeError(f"Page: names and values of headers must be str, not {type(part).__name__}")
    return {name.lower(): value for name, value in headers.items()}
