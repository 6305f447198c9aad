"""Every noun that walks through webmain: plain, frozen records without behaviour beyond their own form.

A page's way: `Page` (what came) -> `webmain.html.document.Document` (read once) ->
`webmain.html.blocks.Segmentation` (blocks) -> `webmain.extractors.base.Extraction` (verdicts) -> `Article` (what is
stored). A page that cannot become an article raises, or is answered by, `Rejected`.

This file imports nothing heavy, so that `import webmain` costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Self

from webmain.items.blocks import ArticleBlock as ArticleBlock
from webmain.items.blocks import Compact
from webmain.items.blocks import Image as Image
from webmain.items.blocks import Kind as Kind
from webmain.items.blocks import TextLink as TextLink
from webmain.items.blocks import TextMark as TextMark
from webmain.items.keep import Keep as Keep
from webmain.items.page import Bytes as Bytes
from webmain.items.page import Hints as Hints
from webmain.items.page import Page as Page
from webmain.items.rejected import Reason as Reason
from webmain.items.rejected import Rejected as Rejected

SCHEMA_VERSION = 3
"""Version of the record that `Article.to_dict` writes; documented in docs/fields.md."""

PAGE_TYPES = ("article", "listing", "forum", "product", "documentation", "other")
"""The kinds of pages that are told apart; listing: a front page, a section, a collection, results of a search."""

ANY_TYPE = "any"
"""What is required where pages of every kind are wanted."""


class NewerSchemaError(ValueError):
    """An article record is of a newer schema than this version reads."""


class Verdict(StrEnum):
    """What an extractor said of a leaf or a block."""

    CONTENT = "content"
    BOILERPLATE = "boilerplate"
    DUPLICATE = "duplicate"  # informative, but the same block stands earlier on the page
    OUTSIDE = "outside"  # in no block of this method (removed or hidden beforehand)
    PRUNED = "pruned"  # ... as a part of the page that holds none of its content: a menu, a footer


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCount(Compact):
    """A word of the tag cloud in its most frequent surface form, and how often it occurs."""

    word: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Source(Compact):
    """Where a metadata value was found, and how it was written there (at most 300 characters).

    Names are "json-ld", "og:title", "meta:author", "link:canonical", "time", "h1", "headline", "byline", "url", "feed", ...
    """

    name: str
    raw: str = ""


def _iso(value: datetime | None) -> str | None:
    """Return a date with its zone: Scrapy's JSON encoder would drop it."""
    return value.isoformat() if value else None


_DATE: dict[str, Any] = {"serializer": _iso}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveEntry:
    """One entry of a live blog."""

    published: datetime = field(metadata=_DATE)
    """Its own time."""

    title: str | None = None
    """Its headline, where it has one."""

    text: str = ""
    """Its text, as plain text."""


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """What a page states about itself; None or empty where it states nothing."""

    title: str | None = None
    """The headline, without the site's name; the heading shown where it rewords what is written for search engines."""

    page_title: str | None = None
    """Text of the page's `title` element, with the site's name and all."""

    authors: tuple[str, ...] = ()
    """As they are named, in order; agencies too. The site's own name only where nobody else signed."""

    published: datetime | None = field(default=None, metadata=_DATE)
    """First publication; a date without a zone is taken as UTC."""

    modified: datetime | None = field(default=None, metadata=_DATE)
    """Last change that the page states; not the time of the crawl."""

    description: str | None = None
    """The page's own summary."""

    canonical_url: str | None = None
    """Absolute URL that the page names as its own (`link rel=canonical`, `og:url`, JSON-LD), on its own site."""

    canonical_claim: str | None = None
    """Absolute URL on another site that the page names as its original: of a syndicated article, or forged. A claim only:
    no article is identified by it."""

    site_name: str | None = None
    """What the site calls itself."""

    section: str | None = None
    """Section or category of the site."""

    tags: tuple[str, ...] = ()
    """Keywords of the page."""

    language_declared: str | None = None
    """BCP 47 tag as the page declares it, in lower case (`en-gb`)."""

    image: str | None = None
    """Absolute URL of the lead image."""

    licence: str | None = None
    """URL or name of the licence, where the page states one."""

    paywalled: bool | None = None
    """True where the page states that it is not free (`isAccessibleForFree`), null where it states nothing."""

    opt_outs: tuple[str, ...] = ()
    """Signals against reuse: `robots:noarchive`, `robots:noai`, `tdm-reservation`, in crawls also those of robots.txt
    (`robots.txt:gptbot`, `content-signal:ai-train=no`), ..."""

    entries: tuple[LiveEntry, ...] = ()
    """Of a live blog: its dated entries as its JSON-LD states them (`liveBlogUpdate`), the newest last."""

    sources: Mapping[str, Source] = field(default_factory=dict, hash=False)
    """For each metadata field that was found: `{"name": where, "raw": the string as it was written there}`."""


@dataclass(frozen=True, kw_only=True)
class Article(Metadata):
    """What is stored: the main text of a page with its metadata and the words it is made of."""

    id: str = ""
    """First 16 hex digits of the SHA-256 of `canonical_url`, of `url` where there is none, of the text where there is
    neither; an article that has moved keeps its id; see [Which pages are one article](#which-pages-are-one-article)."""

    url: str | None = None
    """Where the page came from, after redirects. Files in a folder or pattern: the address that a browser saved in them, or a
    `file:` URL; a file given by its name has only the one of `--url`."""

    site: str = ""
    """Registered domain, private suffixes included (`bbc.co.uk`, `x.blogspot.com`)."""

    text: str = ""
    """The kept blocks joined by blank lines."""

    blocks: tuple[ArticleBlock, ...] = ()
    """The kept blocks in order, see below."""

    images: tuple[Image, ...] = ()
    """Pictures that belong to the article, see below; only on request."""

    comments: tuple[ArticleBlock, ...] = ()
    """What readers wrote below it, as `blocks`; only on request, and never part of `text` then."""

    language: str | None = None
    """Detected language, ISO 639-1; `und` when unsure, `zxx` when there are no letters."""

    language_score: float = 0.0
    """Probability of `language`, 0 to 1."""

    extractor: str = ""
    """The extractor that chose the blocks; "feed" where a feed gave the text, "embedded" where data of the page (JSON-LD,
    state of a framework) did, "fallback" where it found nothing and hidden or other text of the page was taken (its
    `confidence` is 0)."""

    confidence: float | None = None
    """Expected quality, 0 to 1, where the extractor gives one."""

    page_type: str = ""
    """What kind of page it is: `article`, `listing` (a section, a front page, a collection), `forum`, `product`,
    `documentation` or `other`; empty where it was not judged (`parts="text"`)."""

    page_type_probability: float | None = None
    """Probability of `page_type`, 0 to 1."""

    fingerprint: str = ""
    """First 32 hex digits of the SHA-256 of the text after case and white space are folded. Equal texts have equal
    fingerprints."""

    words: tuple[WordCount, ...] = ()
    """The tag cloud: `{"word": surface form, "count": integer}`, most frequent first."""

    n_words: int = 0
    """Words in the text, by the language's own segmentation. Crawls count them; `words=True` and `--words` elsewhere,
    else 0."""

    n_parts: int = 1
    """Pages that the article was stitched from."""

    fetched_at: datetime | None = field(default=None, metadata=_DATE)
    """When the page was fetched."""

    status: int = 200
    """HTTP status."""

    charset: str = ""
    """Encoding of the page's bytes."""

    charset_source: str = ""
    """What decided the encoding: a byte order mark, valid UTF-8, header, `meta`, detection."""

    article_reason: str = ""
    """Why the crawl took the page for an article."""

    duplicate_of: str | None = None
    """`id` of the stored article that this one is a copy or near copy of; marked, never deleted."""

    gone_at: datetime | None = field(default=None, metadata=_DATE)
    """When the page was found to be gone; the text is the last one that it had. Null again once the page is back."""

    gone_status: int | None = None
    """HTTP status that said so: 404 or 410."""

    schema_version: int = SCHEMA_VERSION
    """Version of this record."""

    def __repr__(self) -> str:
        return f"Article(url={self.url!r}, title={self.title!r}, {len(self.text)} characters)"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON types only, keys in declaration order (docs/fields.md)."""
        from webmain.items.codec import plain

        return plain(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the record as one JSON object, non-ASCII characters as they are."""
        from webmain.items.codec import encode

        return encode(self.to_dict(), indent=indent)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the article that `to_dict` has written; unknown keys are ignored.

        Raises ValueError if a field has the wrong form, NewerSchemaError if the record is of a newer schema.
        """
        from webmain.items.codec import build

        if not isinstance(record, Mapping):
            raise ValueError(f"an article record is a mapping, not {type(record).__name__}")
        version = record.get("schema_version", SCHEMA_VERSION)
        if not isinstance(version, int):
            raise ValueError(f"schema_version: got {version!r}, allowed is a whole number")
        if version > SCHEMA_VERSION:
            message = f"article record has schema version {version}; this webmain reads up to {SCHEMA_VERSION}"
            raise NewerSchemaError(message)
        return build(cls, record)

    def to_markdown(self) -> str:
        """Return the article as Markdown: title, then headings, lists, quotes, tables, code and images as such.

        Links and images are written where they were kept; comments follow a rule. Text that looks like markup is escaped.
        """
        from webmain.items.markdown import markdown

        return markdown(self.title or "", self.blocks, images=self.images, comments=self.comments)


def article_id(url: str) -> str:
    """Return the id of the article at a canonical URL: the first 16 hex digits of its SHA-256.

    `url`: the canonical URL, or the page's own where there is none; as it is, without further normalisation.
    """
    import hashlib

    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()[:16]
