"""Read feeds: RSS 0.9x, 1.0 (RDF) and 2.0, Atom 0.3 and 1.0, JSON Feed; broken ones as far as possible."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, Final, TypeAlias

from lxml import etree

from webmain.discovery.entries import Entry, EntryCollector
from webmain.discovery.safe_xml import (
    GZIP,
    UnsafeMarkup,
    absolute_url,
    local_name,
    looks_like_html,
    parse_tree,
    plain_text,
    short_name,
)
from webmain.items import Hints

MAX_BYTES: Final = 10 << 20
"""The rest of a feed is not read: its newest entries come first."""

MAX_ENTRIES: Final = 1000
MAX_ITEMS: Final = 2000
"""Items that are read, whether they have an address or not."""
MAX_TITLE_CHARS: Final = 1000
MAX_SUMMARY_CHARS: Final = 5000
MAX_CONTENT_CHARS: Final = 1 << 20
MAX_NAMES: Final = 50

FEED_ROOTS: Final = frozenset({"rss", "rdf", "channel", "feed"})
_XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"
_XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_FULL_TEXT_CHARS: Final = 1000
_MAX_NODES: Final = 5000  # of unescaped markup inside one entry; more is a file whose elements are not closed
_WEB: Final = ("http://", "https://")


class NotAFeed(ValueError):  # noqa: N818 - it names what was found, like webmain.items.Rejected
    """The bytes are not a feed of a known kind; the message says what they look like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed that was read.

    Attributes
    ----------
    entries : tuple of Entry
        In document order, each address once.
    next_url : str or None
        The next page of an archived or paged feed (RFC 5005; `next_url` in JSON Feed).
    """

    entries: tuple[Entry, ...] = ()
    next_url: str | None = None


def read_feed(body: bytes, *, url: str, max_entries: int = MAX_ENTRIES) -> Feed:
    """Return a feed of any known kind.

    Parameters
    ----------
    body : bytes
        As received, after content decoding; gzip is recognised by its first bytes.
    url : str
        Where it came from; relative addresses are joined to it (and to `xml:base`).
    max_entries : int
        Further entries are not read.

    Raises
    ------
    NotAFeed
        The body is empty, an HTML page, another kind of XML or JSON, or has an unterminated DOCTYPE.
    """
    if body.startswith(GZIP):
        with suppress(zlib.error):
            body = zlib.decompressobj(wbits=31).decompress(body, MAX_BYTES)
    body = body[:MAX_BYTES]
    start = body[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start:
        raise NotAFeed("the body is empty")
    if start[:1] == b"{":
        return _read_json(body, url, max_entries)
    if looks_like_html(start.decode("latin-1")):
        raise NotAFeed("it is an HTML page")
    try:
        root = parse_tree(body)
    except UnsafeMarkup as error:
        raise NotAFeed(str(error)) from error
    if root is None:
        raise NotAFeed("it is neither XML nor JSON")
    name = local_name(short_name(str(root.tag)))
    if name not in FEED_ROOTS:
        raise NotAFeed(f"its root element is <{name[:40]}>")
    return _read_xml(root, url, max_entries, is_atom=name == "feed")


# ---- RSS, RDF and Atom

Children: TypeAlias = dict[str, list[etree._Element]]


def _read_xml(root: etree._Element, url: str, max_entries: int, *, is_atom: bool) -> Feed:
    """Read a feed; its items are in the channel, or beside it (RSS 0.90, 1.0), and Atom's in the root."""
    channel = root if is_atom else next(_named(root, "channel"), root)
    about = _children(channel)
    base = _base(channel, _base(root, url))
    language = root.get(_XML_LANG) or _short(about, "language", "dc:language")
    authors = plain_each(_authors(about)) if is_atom else ()
    collected = EntryCollector(max_entries)
    for item in islice(about.get("entry", ()) if is_atom else _named(root, "item"), MAX_ITEMS):
        if collected.is_full():
            break
        children = _children(item)
        hints = _hints(children, item.get(_XML_LANG) or language, authors, is_atom=is_atom)
        collected.add(_link(item, children), _base(item, base), hints)
    return Feed(entries=collected.pop_entries(), next_url=_next_url(about, base))


def _named(root: etree._Element, name: str) -> Iterator[etree._Element]:
    """Yield the elements with this local name, anywhere in the tree."""
    return (node for node in root.iter() if isinstance(node.tag, str) and local_name(short_name(node.tag)) == name)


def _children(element: etree._Element) -> Children:
    """Return an element's children by short name, in order; Atom names have no prefix, so all formats read alike."""
    found: Children = {}
    for child in element:
        if isinstance(child.tag, str):
            found.setdefault(short_name(child.tag).removeprefix("atom:"), []).append(child)
    return found


def _text(element: etree._Element) -> str:
    """Return all text inside an element, including that of markup that should have been escaped."""
    if not len(element):
        return (element.text or "").strip()
    return "".join(str(text) for text in islice(element.itertext(), _MAX_NODES)).strip()


def _first(children: Children, *names: str) -> str | None:
    """Return the text of the first of these children that has any."""
    texts = (_text(child) for name in names for child in children.get(name, ()))
    return next(filter(None, texts), None)


def short_text(raw: str | None, *, max_chars: int = 200) -> str | None:
    """Return the beginning of a text (a date, a language) with white space folded; None if nothing is left."""
    return " ".join((raw or "")[:max_chars].split()) or None


def _short(children: Children, *names: str) -> str | None:
    """Return a short string unparsed."""
    return short_text(_first(children, *names))


def _base(element: etree._Element, base: str) -> str:
    """Return the base address for relative addresses inside the element."""
    declared = element.get(_XML_BASE)
    return (absolute_url(str(declared), base) or base) if declared else base


def plain_each(raw: Iterable[str | None]) -> tuple[str, ...]:
    """Return distinct short plain texts in order, at most 50."""
    texts = (plain_text(value, max_chars=200) for value in raw)
    return tuple(dict.fromkeys(text for text in texts if text))[:MAX_NAMES]


def _inner_html(element: etree._Element) -> str:
    """Return an element's content as HTML; its children are Atom's xhtml, or HTML that was not escaped."""
    pieces = [element.text or ""]
    for original in element:
        child = deepcopy(original)
        for node in child.iter():
            if isinstance(node.tag, str) and node.tag.startswith("{"):
                node.tag = local_name(short_name(node.tag))
        etree.cleanup_namespaces(child)
        pieces.append(etree.tostring(child, encoding="unicode", method="html"))
    return "".join(pieces).strip()


def _markup(children: Children, name: str) -> str | None:
    """Return the escaped or inline HTML of the first child of this name; None if there is none, or it is unclosed."""
    element = next(iter(children.get(name, ())), None)
    if element is None:
        return None
    nodes = list(islice(element.iter(), _MAX_NODES))
    if len(nodes) == _MAX_NODES or any(str(node.tag).endswith(("item", "entry")) for node in nodes[1:]):
        return None
    content = _inner_html(element)
    return content if content and len(content) <= MAX_CONTENT_CHARS else None


def _text_construct(children: Children, name: str, *, is_atom: bool) -> str | None:
    """Return a text that may be HTML, escaped or inline; in Atom it is plain unless declared otherwise."""
    if not is_atom:
        return _first(children, name)
    for element in children.get(name, ()):
        kind = str(element.get("type") or "text").lower()
        if text := _inner_html(element):
            return text.replace("<", "&lt;") if kind in ("text", "text/plain") and not len(element) else text
    return None


def _link(item: etree._Element, children: Children) -> str | None:
    """Return an entry's address: a redirecting feed's original link, `link`, a permanent guid or id, or rdf:about."""
    links = children.get("link", ())
    named = [_first(children, "feedburner:origlink"), *(_text(link) for link in links), _alternate(links)]
    for guid in (*children.get("guid", ()), *children.get("id", ())):
        is_permanent = (guid.get("isPermaLink") or guid.get("ispermalink") or "true").strip().lower() != "false"
        if is_permanent and _text(guid).lower().startswith(_WEB):
            named.append(_text(guid))
    nested = (
        _text(node)
        for node in islice(item.iter("{*}link", "{*}Link", "{*}LINK"), MAX_NAMES)
        if short_name(str(node.tag)) == "link"
    )
    abouts = islice((key for key in item.attrib if str(key).endswith("}about")), MAX_NAMES)
    about = (str(item.get(key)) for key in abouts)
    return next(filter(None, chain(named, nested, about)), None)  # nested: an unclosed tag swallows its followers


def _alternate(links: Iterable[etree._Element]) -> str | None:
    """Return the address of the alternate link, preferring HTML."""
    found: list[tuple[bool, str]] = []
    for link in links:
        rel = str(link.get("rel") or "alternate").strip().lower().rpartition("/")[2]
        href = link.get("href")
        if rel == "alternate" and href:
            found.append(("html" not in str(link.get("type") or "text/html").lower(), str(href)))
    return min(found, key=lambda pair: pair[0])[1] if found else None


def _next_url(children: Children, base: str) -> str | None:
    """Return the address of a paged feed's next page."""
    for link in children.get("link", ()):
        if str(link.get("rel") or "").strip().lower() in ("next", "next-archive", "prev-archive"):
            return absolute_url(link.get("href"), base)
    return None


_PUBLISHED: Final = "pubdate published dcterms:issued issued dc:date dcterms:created created date".split()
_MODIFIED: Final = "dcterms:modified updated modified lastmod".split()
"""Elements of an entry's dates, in order of trust."""


def _hints(children: Children, language: str | None, feed_authors: tuple[str, ...], *, is_atom: bool) -> Hints:
    """Return an entry's hints; the feed's authors are used if the entry has none."""
    description = None if is_atom else _markup(children, "description")
    summary = _text_construct(children, "summary", is_atom=is_atom)
    title = _text_construct(children, "title", is_atom=is_atom) or _first(children, "media:title", "dc:title")
    tags = [
        category.get("label") or category.get("term") or _text(category) for category in children.get("category", ())
    ]
    tags += [_text(subject) for subject in children.get("dc:subject", ())]
    tags += [word for raw in children.get("media:keywords", ()) for word in _text(raw).split(",")]
    return Hints(
        source="feed",
        title=plain_text(title, max_chars=MAX_TITLE_CHARS),
        published=_short(children, *_PUBLISHED),
        modified=_short(children, *_MODIFIED),
        authors=plain_each(_authors(children)) or feed_authors,
        tags=plain_each(tags),
        summary=plain_text(description or summary or _first(children, "itunes:summary"), max_chars=MAX_SUMMARY_CHARS),
        content_html=_content(children, description),
        language=short_text(_first(children, "dc:language", "language") or language, max_chars=40),
    )


def _content(children: Children, description: str | None) -> str | None:
    """Return the article's HTML if the feed contains it: as content, or as a description that is long enough."""
    for content in children.get("content", ())[:1]:
        kind = str(content.get("type") or "text").lower()
        if len(content) or kind in ("html", "xhtml", "text/html", "application/xhtml+xml"):
            return _markup(children, "content")
    encoded = _markup(children, "content:encoded")
    return encoded or (description if _is_whole_article(description) else None)


def _is_whole_article(html: str | None) -> bool:
    """Return True if a description looks like a whole article: long, and in several paragraphs."""
    lowered = (html or "").lower()
    if lowered.count("<p") + lowered.count("<br") < 3:
        return False
    return len(plain_text(html, max_chars=5000) or "") >= _FULL_TEXT_CHARS


def _authors(children: Children) -> Iterator[str | None]:
    """Yield authors' names; RSS 2.0 has an address with the name in brackets."""
    for name in ("dc:creator", "author", "itunes:author"):
        for element in children.get(name, ()):
            text = _first(_children(element), "name") if len(element) else _text(element)
            if text and "@" in text:
                text = text.partition("(")[2].rpartition(")")[0]
            yield text
        if children.get(name):
            return


# ---- JSON Feed


def _read_json(body: bytes, url: str, max_entries: int) -> Feed:
    """Read JSON Feed 1.0 and 1.1, and anything of the same structure that does not declare a version."""
    try:
        data = json.loads(body.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise NotAFeed("it begins like JSON but is none") from error
    is_feed = isinstance(data, dict) and isinstance(data.get("items"), list)
    if not is_feed or not ("jsonfeed.org" in str(data.get("version")) or {"feed_url", "home_page_url"} & data.keys()):
        raise NotAFeed("it is JSON, but no JSON Feed")
    collected = EntryCollector(max_entries)
    for raw in data["items"]:
        item = raw if isinstance(raw, dict) else {}
        collected.add(_json_url(item), url, _json_hints(item, data))
    return Feed(entries=collected.pop_entries(), next_url=absolute_url(_string(data, "next_url"), url))


def _string(record: Mapping[str, Any], name: str) -> str | None:
    """Return a string field of a record; None if it has another type."""
    value = record.get(name)
    return value if isinstance(value, str) and value.strip() else None


def _json_url(item: Mapping[str, Any]) -> str | None:
    """Return an item's address; the id is a fallback, and `external_url` is not used since it is another page."""
    identity = _string(item, "id") or ""
    return _string(item, "url") or (identity if identity.startswith(_WEB) else None)


def _json_hints(item: Mapping[str, Any], feed: Mapping[str, Any]) -> Hints:
    """Read an item's hints."""
    html = _string(item, "content_html")
    tags = item.get("tags")
    return Hints(
        source="feed",
        title=plain_text(_string(item, "title"), max_chars=MAX_TITLE_CHARS),
        published=short_text(_string(item, "date_published")),
        modified=short_text(_string(item, "date_modified")),
        authors=_json_authors(item) or _json_authors(feed),
        tags=plain_each(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        summary=plain_text(_string(item, "summary"), max_chars=MAX_SUMMARY_CHARS),
        content_html=html if html and len(html) <= MAX_CONTENT_CHARS else None,
        language=short_text(_string(item, "language") or _string(feed, "language"), max_chars=40),
    )


def _json_authors(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return names from `authors` (1.1) or `author` (1.0)."""
    authors = record.get("authors")
    people = authors if isinstance(authors, list) else [record.get("author")]
    return plain_each(_string(person, "name") for person in people if isinstance(person, dict))
