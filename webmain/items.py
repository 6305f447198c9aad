"""Every noun that walks through webmain: plain, frozen records without behaviour beyond their own form.

A page's way: `Page` (what came) -> `webmain.html.document.Document` (read once) ->
`webmain.html.blocks.Segmentation` (blocks) -> `webmain.extractors.base.Extraction` (verdicts) -> `Article` (what is
stored). A page that cannot become an article raises, or is answered by, `Rejected`.

This file imports nothing heavy, so that `import webmain` costs next to nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, Self, TypeAlias

from webmain.article_blocks import ArticleBlock as ArticleBlock
from webmain.article_blocks import Image as Image
from webmain.article_blocks import Kind as Kind
from webmain.article_blocks import TextLink as TextLink
from webmain.article_blocks import TextMark as TextMark
from webmain.rejected import Reason as Reason
from webmain.rejected import Rejected as Rejected

SCHEMA_VERSION = 3
"""Version of the record that `Article.to_dict` writes; documented in docs/fields.md."""

MAX_SHOWN_URL = 200
"""Characters of a URL that a page's `repr` shows."""

Bytes: TypeAlias = bytes | bytearray | memoryview
"""What is taken for bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a feed or a sitemap said about a page before it was fetched; strings as they stood there.

    Attributes
    ----------
    source : str
        "feed", "sitemap" or "news-sitemap".
    published, modified : str or None
        Date strings as found (RFC 822, ISO 8601, ...), unparsed.
    content_html : str or None
        The whole article as HTML where a feed carries it (`content:encoded`, Atom `content`, JSON Feed `content_html`).
    """

    source: str
    title: str | None = None
    published: str | None = None
    modified: str | None = None
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    summary: str | None = None
    content_html: str | None = field(default=None, repr=False)
    language: str | None = None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Page:
    """One fetched page, as it came: bytes (with headers, to decode) or a string that somebody has decoded already.

    Attributes
    ----------
    url : str or None
        Where it came from, after redirects. Without it no link is internal or external.
    body : bytes or None
        The body after content decoding (gzip, br), before character decoding. Exactly one of `body`, `html` is given.
    html : str or None
        The markup as text; bytes given under this name are a body.
    fetched_at : datetime or None
        Time-zone aware.
    status : int
        HTTP status.
    headers : Mapping[str, str]
        Response headers, names in lower case.
    hints : Hints or None
        What a feed or sitemap said of it.
    parts : tuple of Page
        The following pages of an article over several pages, in order.
    article_reason : str
        Why a crawl took this page for an article ("" outside crawls).

    Raises
    ------
    TypeError
        `html` is neither str nor bytes, or `body` no bytes.
    ValueError
        Bytes were given under both names.
    """

    url: str | None
    html: str | None
    body: bytes | None
    fetched_at: datetime | None
    status: int
    headers: Mapping[str, str] = field(hash=False)
    hints: Hints | None
    parts: tuple[Page, ...]
    article_reason: str

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
    ) -> None:
        if isinstance(html, Bytes):
            if body is not None:
                raise ValueError("Page: html and body are both bytes; give one of them")
            html, body = None, html
        if not isinstance(html, str | None):
            raise TypeError(f"Page: html must be str or bytes, not {type(html).__name__}")
        if not isinstance(body, Bytes | None):
            raise TypeError(f"Page: body must be bytes, not {type(body).__name__}")
        given = (url, html, None if body is None else bytes(body), fetched_at, status)
        for name, value in zip(
            self.__slots__, (*given, {} if headers is None else headers, hints, parts, article_reason), strict=True
        ):
            object.__setattr__(self, name, value)

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


class Verdict(StrEnum):
    """What an extractor said of a leaf or a block."""

    CONTENT = "content"
    BOILERPLATE = "boilerplate"
    DUPLICATE = "duplicate"  # informative, but the same block stands earlier on the page
    OUTSIDE = "outside"  # in no block of this method (removed or hidden beforehand)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCount:
    """A word of the tag cloud in its most frequent surface form, and how often it occurs."""

    word: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a metadata value was found, and how it stood there.

    Attributes
    ----------
    name : str
        "json-ld", "og:title", "meta:author", "link:canonical", "time", "h1", "headline", "byline", "url", "feed", ...
    raw : str
        The string as it stood on the page, cut at 300 characters.
    """

    name: str
    raw: str = ""


def _iso(value: datetime | None) -> str | None:
    """Write a date with its zone: Scrapy's JSON encoder would drop it."""
    return value.isoformat() if value else None


_DATE: dict[str, Any] = {"serializer": _iso}


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """What a page says of itself.

    Attributes
    ----------
    page_title : str or None
        Text of the page's `title` element, with the site's name and all.
    published, modified : datetime or None
        Time-zone aware; a date without a zone is taken as UTC, so that its day stays (see `sources[...].raw`).
    canonical_url : str or None
        Absolute URL that the page names as its own, on its own site.
    canonical_claim : str or None
        Absolute URL on another site that the page names as its original: of a syndicated article, or forged. No article is
        known by it.
    language_declared : str or None
        BCP 47 tag as the page declares it, in lower case ("en-gb").
    image : str or None
        Absolute URL of the lead image.
    paywalled : bool or None
        `isAccessibleForFree` turned round; None where the page doesn't say.
    opt_outs : tuple of str
        Signals against reuse, e.g. "robots:noarchive", "robots:noai", "tdm-reservation".
    sources : Mapping[str, Source]
        For each field that was found, where.
    """

    title: str | None = None
    page_title: str | None = None
    authors: tuple[str, ...] = ()
    published: datetime | None = field(default=None, metadata=_DATE)
    modified: datetime | None = field(default=None, metadata=_DATE)
    description: str | None = None
    canonical_url: str | None = None
    canonical_claim: str | None = None
    site_name: str | None = None
    section: str | None = None
    tags: tuple[str, ...] = ()
    language_declared: str | None = None
    image: str | None = None
    licence: str | None = None
    paywalled: bool | None = None
    opt_outs: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, kw_only=True)
class Article(Metadata):
    """What is stored: the text people went to the page for, with its metadata and the words it is made of.

    Attributes
    ----------
    id : str
        First 16 hex digits of the SHA-256 of the canonical URL (of the URL where there is none), so that no page takes the
        place of another site's article.
    url : str or None
        Where the page came from.
    site : str
        The site key: registered domain, private suffixes included ("bbc.co.uk", "x.blogspot.com").
    text : str
        The kept blocks joined by blank lines.
    images : tuple of Image
        Pictures that belong to the article, in order; only if they were asked for.
    comments : tuple of ArticleBlock
        What readers wrote below it, in order; only if it was asked for.
    language : str or None
        Detected language, ISO 639-1; "und" when unsure, "zxx" when there are no letters.
    language_score : float
        Probability of `language`, in [0, 1].
    confidence : float or None
        Expected quality in [0, 1] where the extractor gives one.
    fingerprint : str
        SHA-256 of the text after case and white space are folded, 32 hex digits.
    words : tuple of WordCount
        Most frequent first.
    n_words : int
        Words in the text, by the language's own segmentation; 0 until the cloud stage has run.
    n_parts : int
        Pages that this article was stitched from.
    charset, charset_source : str
        Encoding of the bytes and what decided it.
    article_reason : str
        Why a crawl took the page for an article.
    duplicate_of : str or None
        Id of the stored article this one is a near copy of.
    """

    id: str = ""
    url: str | None = None
    site: str = ""
    text: str = ""
    blocks: tuple[ArticleBlock, ...] = ()
    images: tuple[Image, ...] = ()
    comments: tuple[ArticleBlock, ...] = ()
    language: str | None = None
    language_score: float = 0.0
    extractor: str = ""
    confidence: float | None = None
    fingerprint: str = ""
    words: tuple[WordCount, ...] = ()
    n_words: int = 0
    n_parts: int = 1
    fetched_at: datetime | None = field(default=None, metadata=_DATE)
    status: int = 200
    charset: str = ""
    charset_source: str = ""
    article_reason: str = ""
    duplicate_of: str | None = None
    schema_version: int = SCHEMA_VERSION

    def __repr__(self) -> str:
        return f"Article(url={self.url!r}, title={self.title!r}, {len(self.text)} characters)"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON types only, keys in declaration order (docs/fields.md)."""
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self)}

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the record as one JSON object, non-ASCII characters as they are."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote; unknown keys are ignored.

        Raises
        ------
        ValueError
            A field has the wrong form, or the record is of a newer schema.
        """
        version = record.get("schema_version", SCHEMA_VERSION)
        if version > SCHEMA_VERSION:
            raise ValueError(f"article record has schema version {version}; this webmain reads up to {SCHEMA_VERSION}")
        known = {f.name for f in fields(cls)}
        values = {k: v for k, v in record.items() if k in known}
        for name in ("published", "modified", "fetched_at"):
            if values.get(name):
                values[name] = datetime.fromisoformat(values[name])
        for name in ("authors", "tags", "opt_outs"):
            values[name] = tuple(values.get(name) or ())
        values["sources"] = {k: Source(**v) for k, v in (values.get("sources") or {}).items()}
        values["words"] = tuple(WordCount(**w) for w in values.get("words") or ())
        values["images"] = tuple(Image(**i) for i in values.get("images") or ())
        for name in ("blocks", "comments"):
            values[name] = tuple(map(_block, values.get(name) or ()))
        return cls(**values)

    def to_markdown(self) -> str:
        """Return the article as Markdown: title, then headings, lists, quotes, tables, code and images as such.

        Links and images are written where they were kept; comments follow a rule. Text that looks like markup is escaped.
        """
        from webmain.markdown import markdown

        return markdown(self.title or "", self.blocks, images=self.images, comments=self.comments)


_BLOCK_FIELDS = frozenset(f.name for f in fields(ArticleBlock))


def _block(record: Mapping[str, Any]) -> ArticleBlock:
    """Read a block's record; unknown keys are ignored."""
    values = {k: v for k, v in record.items() if k in _BLOCK_FIELDS}
    values["kind"] = Kind(values["kind"])
    values["rows"] = tuple(map(tuple, values.get("rows") or ()))
    values["links"] = tuple(TextLink(**link) for link in values.get("links") or ())
    values["marks"] = tuple(TextMark(**mark) for mark in values.get("marks") or ())
    values["align"] = tuple(values.get("align") or ())
    return ArticleBlock(**values)


def _plain(value: Any) -> Any:
    """Turn records, tuples, enums and dates into JSON types."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if hasattr(value, "__dataclass_fields__"):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    return value
