"""One sweep over the element columns for everything that metadata is read from: meta, link, headings, times, bylines."""

from __future__ import annotations

import html
import re
import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain import languages
from webmain.clock import once
from webmain.html.document import Document, view

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

MAX_ELEMENTS: Final = 60_000
"""Elements looked at; what a page says of itself is before."""

MAX_VALUE_CHARS: Final = 4_000
_MAX_NAME_CHARS: Final = 300
_MAX_OF_A_KIND: Final = 200
_MAX_ANCESTORS: Final = 60

_BYLINE, _DATED, _ASIDE, _HEADLINE = 1, 2, 4, 8

_ARCHIVE_BANNERS: Final = ("wm-ipp", "wm-toolbar", "wm-disclaimer")
"""What the Wayback Machine lays over the pages it keeps."""
BY_READERS: Final = ("comment", "respon", "repl")
"""Beginnings of words in the classes of what readers wrote."""
_POST_WORDS: Final = frozenset(["post", "entry", "article", "story", "topic"])
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@once
def _named() -> dict[str, frozenset[str]]:
    """Return the words of class names that are looked for, by what they name; those that are a sign under "signs", too."""
    words = languages.known().words
    signs = ("byline", "date", "headline", "aside")
    named = {name: frozenset(words(f"classes.{name}")) for name in (*signs, "not_byline", "not_aside")}
    return named | {"signs": frozenset().union(*(named[name] for name in signs))}


def _words(names: str) -> tuple[list[str], Iterable[str]]:
    """Return the words of class names, in lower case, and each two neighbours as one word."""
    words = [word.lower() for word in _WORD.findall(names)]
    return words, map(add, words, words[1:])


@lru_cache(maxsize=50_000)
def _signs(value: str) -> int:
    """Return what a class or id names: the place of an author, of a date, or a part about other pages or people.

    Sites name things alike, so that most names are known.
    """
    if value.startswith(_ARCHIVE_BANNERS):
        return _ASIDE
    named = _named()
    found, pairs = _words(value)
    if named["signs"].isdisjoint(found) and named["signs"].isdisjoint(pairs):
        return 0  # most are so
    words = {*found, *map(add, found, found[1:])}
    aside: set[str] = set()
    for token in value.split() if words & named["aside"] else ():
        own, pairs = _words(token)
        if named["not_aside"].isdisjoint(own):
            aside |= named["aside"].intersection((*own, *pairs))
    signs = 0
    if not words.isdisjoint(named["byline"]) and words.isdisjoint(named["not_byline"]):
        signs |= _BYLINE
    if not words.isdisjoint(named["date"]):
        signs |= _DATED
    if not words.isdisjoint(named["headline"]):
        signs |= _HEADLINE
    if "footer" in aside and not words.isdisjoint(_POST_WORDS):
        aside -= {"footer"}
    if aside and not (value == "Blog1" or value.startswith("widget Blog")):  # Blogger's posts
        signs |= _ASIDE
    return signs


@once
def _meta_names() -> dict[str, tuple[str, ...]]:
    table = tomllib.loads((Path(__file__).parent / "names.toml").read_text(encoding="utf-8"))
    return {field_name: tuple(names.split()) for field_name, names in table.items()}


def meta_names(of: str) -> tuple[str, ...]:
    """Return the names of `meta` elements that a field is read from, in order of trust."""
    return _meta_names()[of]


def head_metas(document: Document, *, limit: int) -> Iterator[tuple[int, str, str]]:
    """Yield index, name and content of the `meta` elements in a page's head: a cheap view for those who need little of it.

    Parameters
    ----------
    document : Document
    limit : int
        Elements looked at.

    Yields
    ------
    int, str, str
        The element; its `property` or `name` in lower case, else "itemprop:" or "http-equiv:" and that; its `content`.
    """
    elements = document.elements
    for i, tag in enumerate(elements.tags[:limit]):
        if tag == "body":
            return
        if tag == "meta":
            attributes = elements.attributes[i]
            name = attributes.get("property") or attributes.get("name")
            for other in ("itemprop", "http-equiv"):
                if not name and (value := attributes.get(other)):
                    name = f"{other}:{value.strip()}"
            yield i, (name or "").strip().lower(), attributes.get("content") or ""


def is_byline_class(value: str) -> bool:
    """Return True if a class or id names the place of an author."""
    return bool(_signs(value[:_MAX_NAME_CHARS]) & _BYLINE)


def is_aside_class(value: str) -> bool:
    """Return True if a class or id names a part of the page that is about other pages or by other people."""
    return bool(_signs(value[:_MAX_NAME_CHARS]) & _ASIDE)


@dataclass(frozen=True, eq=False)
class Clues:
    """Where the page speaks of itself; indices are element indices in document order.

    Attributes
    ----------
    metas : dict of str to list of str
        Contents of `meta` by lower-case `property`, `name` or `http-equiv`; a `meta` with `itemprop` only is in
        `properties`.
    links : dict of str to list of str
        `href` of `link` by `rel` token, lower case.
    properties : dict of str to list of int
        Elements by `itemprop` token, lower case.
    headings, times, author_links, bylines, dated, headlines : list of int
        `h1`; `time`; anchors with rel=author; elements whose class or id names an author, a date, or a headline.
    licences : list of int
        Anchors with rel=license.
    language : list of str
        `lang` of the html element; empty where there is no such element.
    """

    metas: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    links: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    properties: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    headings: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    author_links: list[int] = field(default_factory=list)
    bylines: list[int] = field(default_factory=list)
    dated: list[int] = field(default_factory=list)
    headlines: list[int] = field(default_factory=list)
    licences: list[int] = field(default_factory=list)
    language: list[str] = field(default_factory=list)

    def meta(self, *names: str) -> str:
        """Return the first content that isn't blank, in the order of the names; "" where there is none."""
        for name in names:
            for value in self.metas.get(name, ()):
                if value:
                    return value
        return ""

    def link(self, rel: str) -> str:
        """Return the first `href` of a `link` with this relation; "" where there is none."""
        return next(iter(self.links.get(rel, ())), "")


def gather(document: Document) -> Clues:
    """Sweep over the elements once."""
    clues = Clues()
    elements = document.elements
    tags = elements.tags[:MAX_ELEMENTS]
    for i, (tag, attributes) in enumerate(zip(tags, elements.attributes_of(range(len(tags))), strict=True)):
        if tag in _NOTED:
            if tag == "meta":
                _take_meta(clues, i, attributes)
                continue
            if tag == "h1":
                _add(clues.headings, i)
            elif tag == "link":
                _take_link(clues, attributes)
            elif tag == "time":
                _add(clues.times, i)
            elif tag == "html" and not clues.language:
                clues.language.append(attributes.get("lang") or attributes.get("xml:lang") or "")
                continue
            elif tag == "body":
                continue
        if not attributes:
            continue
        signs = 0
        if "class" in attributes and (value := attributes["class"]):
            signs = _signs(value[:_MAX_NAME_CHARS])
        if "id" in attributes and (value := attributes["id"]):
            signs |= _signs(value[:_MAX_NAME_CHARS])
        if signs:
            if signs & _BYLINE:
                _add(clues.bylines, i)
            if signs & _DATED:
                _add(clues.dated, i)
            if signs & _HEADLINE:
                _add(clues.headlines, i)
        if tag == "a" and "rel" in attributes and (value := attributes["rel"]):
            tokens = value.lower().split()
            if "author" in tokens:
                _add(clues.author_links, i)
            if "license" in tokens:
                _add(clues.licences, i)
        if "itemprop" in attributes and (value := attributes["itemprop"]):
            for token in value.lower().split()[:5]:
                _add(clues.properties[token], i)
    return clues


_NOTED: Final = frozenset(["meta", "h1", "link", "time", "html", "body"])


def _add(found: list[int], index: int) -> None:
    if len(found) < _MAX_OF_A_KIND and (not found or found[-1] != index):
        found.append(index)


def _take_meta(clues: Clues, index: int, attributes: dict[str, str | None]) -> None:
    name = attributes.get("property") or attributes.get("name") or attributes.get("http-equiv")
    if name:
        content = attributes.get("content") or attributes.get("value") or ""
        for token in {name.strip().lower()[:80], *name.lower().split()[:3]}:
            if len(values := clues.metas[token]) < _MAX_OF_A_KIND and len(clues.metas) < 2_000:
                values.append(clean(content))
    elif prop := attributes.get("itemprop"):
        for token in prop.lower().split()[:5]:
            _add(clues.properties[token], index)


def _take_link(clues: Clues, attributes: dict[str, str | None]) -> None:
    rel, href = attributes.get("rel"), attributes.get("href")
    if rel and href:
        for token in rel.lower().split()[:5]:
            if len(values := clues.links[token]) < 20:
                values.append(href.strip())


_INVISIBLE = dict.fromkeys(
    [0xAD, 0x200B, 0x2060, 0xFEFF, 0xB6, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0xE000, 0xE010)]
)
_CONTROL = dict.fromkeys([*range(32), 127, 133, 8232, 8233], " ")
_DROPPED = str.maketrans(_INVISIBLE | _CONTROL)
_MARKUP = re.compile(r"<(?:/?[a-zA-Z][a-zA-Z0-9]{0,15}(?:\s[^<>]{0,300})?/?)>")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def clean(text: str, *, limit: int = MAX_VALUE_CHARS) -> str:
    """Make one line of a value: entities that were escaped twice, tags, soft hyphens and white space undone."""
    text = text[:limit]
    for _ in range(3):
        if "&" not in text or not _ENTITY.search(text):
            break
        text = html.unescape(text)
    if "<" in text:
        text = _MARKUP.sub(" ", text)
    return " ".join(text.translate(_DROPPED).split())


_NO_LETTER = re.compile(r"[\W_]+")


def letters(text: str) -> str:
    """Reduce a string to letters and digits, case ignored, to compare it with another."""
    return _NO_LETTER.sub("", text[:MAX_VALUE_CHARS].casefold())


def element_text(document: Document, index: int, *, limit: int = 400) -> str:
    """Return an element's text on one line; its `content` where it is a `meta`. "" where it is longer than the limit."""
    elements, leaves = document.elements, document.leaves
    if elements.tags[index] == "meta":
        attributes = elements.attributes[index]
        return clean(attributes.get("content") or attributes.get("value") or "")
    first, end = elements.first_leaf[index], elements.end_leaf[index]
    texts = leaves.texts[first : min(end, first + 61)]
    if len(texts) > 60 or sum(map(len, texts)) > 2 * limit:
        return ""
    text = clean(leaves.join(range(first, end)), limit=2 * MAX_VALUE_CHARS)
    return text if len(text) <= limit else ""


def is_aside(document: Document, index: int) -> bool:
    """Return True if an element's tag, class or id names a part about other pages or by other people.

    What has more than half of the page's text is no such part, unless it is comments: its class says what is beside it.
    """
    tag, attributes = document.elements.tags[index], document.elements.attributes[index]
    if tag in ("nav", "aside"):
        return True
    if tag == "footer" and not _POST_WORDS & set(_WORD.findall(attributes.get("class") or "")):
        return True
    named = [value for name in ("class", "id") if (value := attributes.get(name)) and is_aside_class(value)]
    if not named or any(word in value.lower() for value in named for word in BY_READERS):
        return bool(named)
    before = _chars_before(document)
    first, end = document.elements.first_leaf[index], document.elements.end_leaf[index]
    return 2 * int(before[end] - before[first]) <= int(before[-1])


@view
def _chars_before(document: Document) -> NDArray[np.int64]:
    """Return the number of characters before each leaf, and last that of all."""
    return np.concatenate(([0], np.cumsum(document.leaves.n_chars, dtype=np.int64)))


def stands_aside(document: Document, index: int, *, headline_leaf: int = -1) -> bool:
    """Return True if an element is in a part about other pages or by other people: comments, teasers, menus.

    What holds the headline as well is no such part, whatever its class.
    """
    elements = document.elements
    for _ in range(_MAX_ANCESTORS):
        if index < 0:
            return False
        if elements.tags[index] in ("body", "html"):
            return False
        if elements.first_leaf[index] <= headline_leaf < elements.end_leaf[index]:
            return False
        if is_aside(document, index):
            return True
        index = elements.parent[index]
    return False


def scope_type(document: Document, index: int) -> str:
    """Return the last word of the `itemtype` that an `itemprop` belongs to, in lower case; "" without one."""
    elements = document.elements
    index = elements.parent[index]
    for _ in range(_MAX_ANCESTORS):
        if index < 0:
            break
        attributes = elements.attributes[index]
        if "itemscope" in attributes or "itemtype" in attributes:
            return re.split(r"[/#]", (attributes.get("itemtype") or "").strip())[-1].lower()
        index = elements.parent[index]
    return ""
