"""Feeds: RSS 0.9x, 1.0 (RDF) and 2.0, Atom 0.3 and 1.0, JSON Feed; broken ones as far as they can be read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any, Final, TypeAlias

from lxml import etree

from webmain.discovery.feed_links import USUAL_FEED_PATHS, FeedLink, find_feeds
from webmain.discovery.markup import (
    UnsafeMarkup,
    absolute_url,
    local_name,
    looks_like_html,
    parse_tree,
    plain_text,
    short_name,
)
from webmain.items import Hints

__all__ = ["USUAL_FEED_PATHS", "Feed", "FeedEntry", "FeedKind", "FeedLink", "NotAFeed", "find_feeds", "read_feed"]

MAX_BYTES: Final = 10 << 20
"""The rest of a feed is not read: its newest entries come first."""

MAX_ENTRIES: Final = 1000
MAX_TITLE_CHARS: Final = 1000
MAX_SUMMARY_CHARS: Final = 5000
MAX_CONTENT_CHARS: Final = 1 << 20
MAX_NAMES: Final = 50

_XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_FULL_TEXT_CHARS: Final = 1000
_MAX_NODES: Final = 5000  # of unescaped markup inside one entry; more is a file whose elements are not closed


class NotAFeed(ValueError):  # noqa: N818 - it names what was found, like webmain.items.Rejected
    """The bytes are no feed of a kind that is known; the message says what they look like."""


class FeedKind(StrEnum):
    """The family of a feed."""

    RSS = "rss"
    RDF = "rdf"
    ATOM = "atom"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One article that a feed names.

    Attributes
    ----------
    url : str
        Absolute, without fragment.
    hints : Hints
        What the feed says of it (source "feed"); title and summary as plain text, dates unparsed. Relative addresses
        inside `content_html` stay as they are.
    """

    url: str
    hints: Hints


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed that was read.

    Attributes
    ----------
    next_url : str or None
        The next page of an archived or paged feed (RFC 5005, JSON Feed's `next_url`).
    skipped : Mapping[str, int]
        Entries left out, by reason: "no_url", "bad_url", "duplicate", "too_many".
    """

    title: str | None
    kind: FeedKind
    entries: tuple[FeedEntry, ...] = ()
    next_url: str | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)


def read_feed(body: bytes, *, url: str, max_entries: int = MAX_ENTRIES, charset: str | None = None) -> Feed:
    """Read a feed of any known kind.

    Parameters
    ----------
    body : bytes
        As it came, after content decoding.
    url : str
        Where it came from; relative addresses are joined to it (and to `xml:base`).
    max_entries : int
        Later entries are counted as "too_many".
    charset : str or None
        The HTTP header's charset; believed only where the bytes are not valid UTF-8.

    Raises
    ------
    NotAFeed
        It is empty, an HTML page, another kind of XML or JSON, or has a DOCTYPE without an end.
    """
    body = body[:MAX_BYTES]
    start = body[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start:
        raise NotAFeed("the body is empty")
    if start[:1] == b"{":
        return _read_json(body, url, max_entries)
    if looks_like_html(start.decode("latin-1")):
        raise NotAFeed("it is an HTML page")
    try:
        root = parse_tree(body, charset=charset)
    except UnsafeMarkup as error:
        raise NotAFeed(str(error)) from error
    if root is None:
        raise NotAFeed("it is neither XML nor JSON")
    name = local_name(short_name(str(root.tag)))
    if name in ("rss", "rdf", "channel"):
        return _read_rss(root, FeedKind.RDF if name == "rdf" else FeedKind.RSS, url, max_entries)
    if name == "feed":
        return _read_atom(root, url, max_entries)
    raise NotAFeed(f"its root element is <{name[:40]}>")


# ---- What all kinds share

Children: TypeAlias = dict[str, list[etree._Element]]


@dataclass(slots=True)
class _Collector:
    """Keeps entries in their order, each address once, and counts what is left out."""

    max_entries: int
    entries: dict[str, FeedEntry] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, raw_url: str | None, base: str, hints: Hints) -> None:
        if not raw_url or not raw_url.strip():
            self.skipped["no_url"] += 1
            return
        url = absolute_url(raw_url, base)
        if url is None:
            self.skipped["bad_url"] += 1
        elif url in self.entries:
            self.skipped["duplicate"] += 1
        else:
            self.entries[url] = FeedEntry(url=url, hints=hints)

    def is_full(self) -> bool:
        return len(self.entries) >= self.max_entries

    def feed(self, *, title: str | None, kind: FeedKind, next_url: str | None) -> Feed:
        return Feed(
            title=title, kind=kind, entries=tuple(self.entries.values()), next_url=next_url, skipped=dict(self.skipped)
        )


def _children(element: etree._Element) -> Children:
    """Group an element's children by short name, in order."""
    found: Children = {}
    for child in element:
        if isinstance(child.tag, str):
            found.setdefault(short_name(child.tag), []).append(child)
    return found


def _text(element: etree._Element) -> str:
    """Return all text inside an element; markup that should have been escaped gives its text."""
    if not len(element):
        return (element.text or "").strip()
    return "".join(str(text) for text in islice(element.itertext(), _MAX_NODES)).strip()


def _first(children: Children, *names: str) -> str | None:
    """Return the text of the first named child that has any."""
    for name in names:
        for child in children.get(name, ()):
            text = _text(child)
            if text:
                return text
    return None


def _short(children: Children, *names: str, max_chars: int = 200) -> str | None:
    """Return a short string (a date, a language) as it stood, white space folded."""
    text = _first(children, *names)
    return " ".join(text[:max_chars].split()) if text else None


def _base(element: etree._Element, base: str) -> str:
    """Return the address that relative ones inside the element are joined to."""
    declared = element.get(_XML_BASE)
    return (absolute_url(str(declared), base) or base) if declared else base


def _unique(values: Iterable[str | None]) -> tuple[str, ...]:
    """Return the values in order, each once, at most 50."""
    return tuple(dict.fromkeys(value for value in values if value))[:MAX_NAMES]


def _plain_each(raw: Iterable[str | None]) -> tuple[str, ...]:
    """Return short plain texts, each once."""
    return _unique(plain_text(value, max_chars=200) for value in raw)


def _inner_html(element: etree._Element) -> str:
    """Return an element's children as HTML (Atom's xhtml, and HTML that somebody forgot to escape)."""
    pieces = [element.text or ""]
    for original in element:
        child = deepcopy(original)
        for node in child.iter():
            if isinstance(node.tag, str) and node.tag.startswith("{"):
                node.tag = local_name(short_name(node.tag))
        etree.cleanup_namespaces(child)
        pieces.append(etree.tostring(child, encoding="unicode", method="html"))
    return "".join(pieces).strip()


def _markup(element: etree._Element | None) -> str | None:
    """Return escaped or inline HTML, bounded; None where there is none."""
    if element is None or sum(1 for _ in islice(element.iter(), _MAX_NODES)) == _MAX_NODES:
        return None
    content = _inner_html(element) if len(element) else (element.text or "").strip()
    return content if content and len(content) <= MAX_CONTENT_CHARS else None


def _is_whole_article(html: str | None) -> bool:
    """Whether a description is rather the article: long, and in several paragraphs."""
    if not html or len(html) < _FULL_TEXT_CHARS:
        return False
    lowered = html.lower()
    return (
        lowered.count("<p") + lowered.count("<br") >= 3
        and len(plain_text(html, max_chars=5000) or "") >= _FULL_TEXT_CHARS
    )


# ---- RSS and RDF


def _read_rss(root: etree._Element, kind: FeedKind, url: str, max_entries: int) -> Feed:
    """Read RSS of any version; items stand in the channel, or beside it (RSS 0.90, 1.0)."""
    channel = next((child for child in root.iter() if local_name(short_name(str(child.tag))) == "channel"), root)
    about = _children(channel)
    base = _base(channel, _base(root, url))
    language = _short(about, "language", "dc:language", max_chars=40)
    collected = _Collector(max_entries)
    for item in root.iter():
        if isinstance(item.tag, str) and local_name(short_name(item.tag)) == "item":
            if collected.is_full():
                collected.skipped["too_many"] += 1
                continue
            children = _children(item)
            item_base = _base(item, base)
            collected.add(_rss_link(item, children), item_base, _rss_hints(children, language))
    return collected.feed(
        title=plain_text(_first(about, "title"), max_chars=MAX_TITLE_CHARS),
        kind=kind,
        next_url=_next_url(about.get("atom:link", []), base),
    )


def _rss_link(item: etree._Element, children: Children) -> str | None:
    """Choose an item's address: a redirecting feed's original, link, Atom's link, permanent guid, rdf:about."""
    for name in ("feedburner:origlink", "link"):
        for link in children.get(name, ()):
            raw = _text(link) or link.get("href")
            if raw:
                return str(raw)
    atom = _atom_link(children.get("atom:link", []))
    if atom:
        return atom
    for guid in children.get("guid", ()):
        text = _text(guid)
        is_permanent = (guid.get("isPermaLink") or guid.get("ispermalink") or "true").strip().lower() != "false"
        if is_permanent and text[:8].lower().startswith(("http://", "https://")):
            return text
    nested = (
        _text(node)
        for node in islice(item.iter(), _MAX_NODES)
        if isinstance(node.tag, str) and short_name(node.tag) == "link"
    )
    about = (str(value) for key, value in item.attrib.items() if str(key).endswith("}about"))
    return next(filter(None, nested), None) or next(about, None)  # an unclosed tag swallows its followers


def _rss_hints(children: Children, language: str | None) -> Hints:
    """Read what an item says of its article."""
    encoded = _markup(next(iter(children.get("content:encoded", [])), None))
    description = _markup(next(iter(children.get("description", [])), None))
    content = encoded or (description if _is_whole_article(description) else None)
    keywords = (word for raw in children.get("media:keywords", []) for word in _text(raw).split(","))
    return Hints(
        source="feed",
        title=plain_text(_first(children, "title", "media:title", "dc:title"), max_chars=MAX_TITLE_CHARS),
        published=_short(children, "pubdate", "dcterms:issued", "dc:date", "dcterms:created", "atom:published", "date"),
        modified=_short(children, "dcterms:modified", "atom:updated", "lastmod"),
        authors=_plain_each(_rss_authors(children)),
        tags=_plain_each([*map(_text, [*children.get("category", []), *children.get("dc:subject", [])]), *keywords]),
        summary=plain_text(
            description or _first(children, "atom:summary", "itunes:summary"), max_chars=MAX_SUMMARY_CHARS
        ),
        content_html=content,
        language=_short(children, "dc:language", "language", max_chars=40) or language,
    )


def _rss_authors(children: Children) -> Iterator[str]:
    """Yield authors' names; RSS 2.0's own element is an address with the name in brackets."""
    for name in ("dc:creator", "author", "itunes:author"):
        for element in children.get(name, ()):
            text = _first(_children(element), "name", "atom:name") if len(element) else _text(element)
            if text and "@" in text:
                text = text.partition("(")[2].rpartition(")")[0] if "(" in text else None
            if text:
                yield text
        if children.get(name):
            return
    for element in children.get("atom:author", ()):
        yield _first(_children(element), "atom:name") or ""


# ---- Atom


def _read_atom(root: etree._Element, url: str, max_entries: int) -> Feed:
    """Read Atom 1.0 and 0.3, whatever its namespace is called."""
    about = _plain_names(_children(root))
    base = _base(root, url)
    authors = _atom_authors(about)
    collected = _Collector(max_entries)
    for entry in about.get("entry", []):
        if collected.is_full():
            collected.skipped["too_many"] += 1
            continue
        children = _plain_names(_children(entry))
        entry_base = _base(entry, base)
        hints = _atom_hints(children, authors, entry.get(_XML_LANG) or root.get(_XML_LANG))
        collected.add(_first(children, "feedburner:origlink") or _atom_url(children), entry_base, hints)
    return collected.feed(
        title=plain_text(_atom_text(about, "title"), max_chars=MAX_TITLE_CHARS),
        kind=FeedKind.ATOM,
        next_url=_next_url(about.get("link", []), base),
    )


def _plain_names(children: Children) -> Children:
    """Take Atom's own prefix off, so that feeds with and without a namespace read alike."""
    found: Children = {}
    for name, elements in children.items():
        found.setdefault(name.removeprefix("atom:"), []).extend(elements)
    return found


def _atom_url(children: Children) -> str | None:
    """Return an entry's page: its alternate link, else an id that is an address."""
    link = _atom_link(children.get("link", []))
    identity = _first(children, "id") or ""
    return link or (identity if identity[:8].lower().startswith(("http://", "https://")) else None)


def _atom_link(links: Iterable[etree._Element]) -> str | None:
    """Return the address of the alternate link, an HTML one before others."""
    found: list[tuple[bool, str]] = []
    for link in links:
        rel = str(link.get("rel") or "alternate").strip().lower().rpartition("/")[2]
        href = link.get("href") or _text(link)
        if rel == "alternate" and href:
            found.append(("html" not in str(link.get("type") or "text/html").lower(), str(href)))
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _atom_text(children: Children, name: str) -> str | None:
    """Return a text construct as it may hold HTML: escaped, inline, or plain."""
    for element in children.get(name, ()):
        kind = str(element.get("type") or "text").lower()
        text = _inner_html(element) if len(element) else (element.text or "").strip()
        if text:
            return text.replace("<", "&lt;") if kind in ("text", "text/plain") and not len(element) else text
    return None


def _atom_authors(children: Children) -> tuple[str, ...]:
    """Return the names of the authors (contributors aside)."""
    people = (_plain_names(_children(author)) for author in children.get("author", []))
    return _plain_each([*(_first(person, "name") for person in people), *map(_text, children.get("dc:creator", []))])


def _atom_hints(children: Children, feed_authors: tuple[str, ...], language: str | None) -> Hints:
    """Read what an entry says of its article; the feed's authors are the entry's where it names none."""
    content = next(iter(children.get("content", [])), None)
    kind = str(content.get("type") or "text").lower() if content is not None else ""
    html = _markup(content) if kind in ("html", "xhtml", "text/html", "application/xhtml+xml") else None
    if html is None and content is not None and len(content):
        html = _markup(content)
    tags = [tag.get("label") or tag.get("term") for tag in children.get("category", [])]
    return Hints(
        source="feed",
        title=plain_text(_atom_text(children, "title"), max_chars=MAX_TITLE_CHARS),
        published=_short(children, "published", "issued", "created", "dc:date", "pubdate"),
        modified=_short(children, "updated", "modified", "dcterms:modified"),
        authors=_atom_authors(children) or feed_authors,
        tags=_plain_each([*tags, *map(_text, children.get("dc:subject", []))]),
        summary=plain_text(_atom_text(children, "summary"), max_chars=MAX_SUMMARY_CHARS),
        content_html=html,
        language=str(language)[:40] if language else _short(children, "dc:language", max_chars=40),
    )


def _next_url(links: Iterable[etree._Element], base: str) -> str | None:
    """Return the address of a paged feed's next page."""
    for link in links:
        if str(link.get("rel") or "").strip().lower() in ("next", "next-archive", "prev-archive"):
            return absolute_url(link.get("href"), base)
    return None


# ---- JSON Feed


def _read_json(body: bytes, url: str, max_entries: int) -> Feed:
    """Read JSON Feed 1.0 and 1.1, and whatever has its form without naming the version."""
    try:
        data = json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise NotAFeed("it begins like JSON but is none") from error
    is_feed = isinstance(data, dict) and isinstance(data.get("items"), list)
    if not is_feed or not ("jsonfeed.org" in str(data.get("version")) or {"feed_url", "home_page_url"} & data.keys()):
        raise NotAFeed("it is JSON, but no JSON Feed")
    collected = _Collector(max_entries)
    for item in data["items"]:
        if collected.is_full():
            collected.skipped["too_many"] += 1
        elif isinstance(item, dict):
            collected.add(_json_url(item), url, _json_hints(item, data))
        else:
            collected.skipped["no_url"] += 1
    return collected.feed(
        title=plain_text(_string(data.get("title")), max_chars=MAX_TITLE_CHARS),
        kind=FeedKind.JSON,
        next_url=absolute_url(_string(data.get("next_url")), url),
    )


def _string(value: Any) -> str | None:
    """Return a string, or None for anything else."""
    return value if isinstance(value, str) and value.strip() else None


def _json_url(item: Mapping[str, Any]) -> str | None:
    """Return an item's address; its id may serve, `external_url` is somebody else's page."""
    identity = _string(item.get("id")) or ""
    return _string(item.get("url")) or (identity if identity.startswith(("http://", "https://")) else None)


def _json_hints(item: Mapping[str, Any], feed: Mapping[str, Any]) -> Hints:
    """Read what an item says of its article."""
    html = _string(item.get("content_html"))
    tags = item.get("tags")
    return Hints(
        source="feed",
        title=plain_text(_string(item.get("title")), max_chars=MAX_TITLE_CHARS),
        published=(_string(item.get("date_published")) or "")[:200] or None,
        modified=(_string(item.get("date_modified")) or "")[:200] or None,
        authors=_json_authors(item) or _json_authors(feed),
        tags=_plain_each(map(_string, tags)) if isinstance(tags, list) else (),
        summary=plain_text(_string(item.get("summary")), max_chars=MAX_SUMMARY_CHARS),
        content_html=html if html and len(html) <= MAX_CONTENT_CHARS else None,
        language=(_string(item.get("language")) or _string(feed.get("language")) or "")[:40] or None,
    )


def _json_authors(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return names from `authors` (1.1) or `author` (1.0)."""
    authors = record.get("authors")
    people = authors if isinstance(authors, list) else [record.get("author")]
    return _plain_each(_string(person.get("name")) for person in people if isinstance(person, dict))
