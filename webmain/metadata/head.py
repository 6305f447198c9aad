"""Collect in one pass over the elements what metadata is read from: meta, link, headings, times, bylines."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, compress, islice
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Final

from webmain import languages
from webmain.clock import once
from webmain.html.document import Document, view
from webmain.html.names import MAX_KNOWN, NO_NAMES, names_of
from webmain.html.visible_text import HEADINGS
from webmain.metadata.values import MAX_VALUE_CHARS, clean
from webmain.regex import lazy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webmain.html.columns import Elements
    from webmain.html.names import Names

MAX_ELEMENTS: Final = 60_000
"""Maximum elements searched; pages have their metadata before that."""

_MAX_NAME_CHARS: Final = 300
_MAX_OF_A_KIND: Final = 200
_MAX_ANCESTORS: Final = 60

BYLINE, DATED, HEADLINE = 1, 2, 4
"""Flags for what a class or id stands for."""

_ASIDE, _ELSEWHERE, _PROPERTY = 8, 16, 32
_NOTED = BYLINE | DATED | HEADLINE | _PROPERTY
_RELATIONS: Final = frozenset(("canonical", "image_src", "license", "licence"))

_ARCHIVE_BANNERS: Final = ("wm-ipp", "wm-toolbar", "wm-disclaimer")
"""Prefixes of classes and ids of the Wayback Machine's banners."""
BY_READERS: Final = ("comment", "respon", "repl")
"""Beginnings of words in class names of readers' comments."""
_POST_WORDS: Final = frozenset(["post", "entry", "article", "story", "topic", "node"])
_WORD = lazy(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@once
def _named() -> dict[str, frozenset[str]]:
    """Return cue words for class names, by what they stand for; "signs" has those of all positive lists together."""
    words = languages.known().words
    signs = ("byline", "date", "headline", "aside")
    named = {name: frozenset(words(f"classes.{name}")) for name in (*signs, "not_byline", "not_aside")}
    return named | {"signs": frozenset().union(*(named[name] for name in signs))}


def _words(names: str) -> tuple[list[str], Iterable[str]]:
    """Return the words of class names in lower case, and each two adjacent words joined."""
    words = [word.lower() for word in _WORD.findall(names)]
    return words, map(add, words, words[1:])


@lru_cache(maxsize=1 << 14)
def _signs(value: str) -> int:
    """Return flags for what a class or id names: an author, a date, a headline, or a part about other pages or people.

    The cache works well because sites use the same class names.
    """
    if value.startswith(_ARCHIVE_BANNERS):
        return _ASIDE
    named = _named()
    found, pairs = _words(value)
    if named["signs"].isdisjoint(found) and named["signs"].isdisjoint(pairs):
        return 0  # the common case
    words = {*found, *map(add, found, found[1:])}
    aside: set[str] = set()
    for token in value.split() if words & named["aside"] else ():
        own, pairs = _words(token)
        if named["not_aside"].isdisjoint(own):
            aside |= named["aside"].intersection((*own, *pairs))
    signs = 0
    if not words.isdisjoint(named["byline"]) and ("pauthor" in words or words.isdisjoint(named["not_byline"])):
        signs |= BYLINE
    if not words.isdisjoint(named["date"]):
        signs |= DATED
    if not words.isdisjoint(named["headline"]):
        signs |= HEADLINE
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
    """Yield index, name and content of the `meta` elements in a page's head, without the cost of `gather`.

    Parameters
    ----------
    document : Document
    limit : int
        Maximum elements searched.

    Yields
    ------
    int, str, str
        The element; its `property` or `name` in lower case, else "itemprop:" or "http-equiv:" with the value; its `content`.
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


def has_sign(value: str | None, sign: int) -> bool:
    """Return True if a class or id stands for an author (`BYLINE`), a date (`DATED`) or a headline (`HEADLINE`)."""
    return bool(value and _signs(value[:_MAX_NAME_CHARS]) & sign)


class _Signs(dict["Names", int]):
    """Cache of the flags of an element's class, id and tag, computed once for all elements with the same ones."""

    def __missing__(self, called: Names) -> int:
        if len(self) > MAX_KNOWN:
            self.clear()
        asides, signs = [], _PROPERTY if called.itemprop else 0
        for value in filter(None, (called.classes, called.id)):
            signs |= (found := _signs(value[:_MAX_NAME_CHARS]))
            if found & _ASIDE:
                asides.append(value.lower())
        is_footer = called.tag == "footer" and _POST_WORDS.isdisjoint(_WORD.findall(called.classes))
        is_by_readers = any(word in value for value in asides for word in BY_READERS)
        if called.tag in ("nav", "aside") or is_footer or is_by_readers:
            signs |= _ELSEWHERE
        if called.is_remembered:
            self[called] = signs
        return signs


_known_signs: Final = _Signs()


@dataclass(eq=False)
class Clues:
    """The elements that metadata is read from; indices are element indices in document order.

    Attributes
    ----------
    contents : dict of str to list of str
        Contents of `meta`, as written, by lower-case `property`, `name` or `http-equiv`; a `meta` with `itemprop` only is
        in `properties`.
    links : dict of str to str
        The first `href` of `link` by lower-case `rel` token, for the relations in `_RELATIONS`.
    properties : dict of str to list of int
        Elements by `itemprop` token, lower case.
    headings, times, author_links, bylines, dated, headlines : list of int
        `h1`; `time`; anchors with rel=author; elements whose class or id names an author, a date, or a headline (elements
        without text only if it names a date).
    licences : list of int
        Anchors with rel=license.
    language : str
        `lang` of the html element; "" without one.
    """

    contents: dict[str, list[str]] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    properties: dict[str, list[int]] = field(default_factory=dict)
    headings: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    author_links: list[int] = field(default_factory=list)
    bylines: list[int] = field(default_factory=list)
    dated: list[int] = field(default_factory=list)
    headlines: list[int] = field(default_factory=list)
    licences: list[int] = field(default_factory=list)
    language: str = ""

    def metas(self, name: str, n: int = _MAX_OF_A_KIND) -> list[str]:
        """Return the first `n` contents of a name, cleaned, including blank ones."""
        return [clean(content) for content in self.contents.get(name, ())[:n]]

    def meta(self, *names: str) -> str:
        """Return the first non-blank content, in the order of the names; "" if there is none."""
        for name in names:
            for content in self.contents.get(name, ()):
                if value := clean(content):
                    return value
        return ""

    def link(self, rel: str) -> str:
        """Return the first `href` of a `link` with this relation; "" if there is none."""
        return self.links.get(rel, "")


def gather(document: Document) -> Clues:
    """Return the clues of a page from one pass over its elements; those without text need a telling attribute."""
    clues, elements, signs = Clues(), document.elements, _known_signs
    _read_head(clues, elements)
    names, tags = elements.names[:MAX_ELEMENTS], elements.tags
    called_so = set(names)
    rest = [i for i, called in enumerate(names) if called is NO_NAMES and tags[i] not in _TELLS_NOTHING]
    of_rest = elements.attributes_of(rest)
    has_properties = any("itemprop" in each for each in of_rest) or any(called.itemprop for called in called_so)
    silent = _TELLS_NOTHING if has_properties else _NEVERDATED
    for i, attributes in zip(rest, of_rest, strict=True):
        if tags[i] not in silent and _tells(attributes) and not (tags[i] == "meta" and _name_of(attributes)):
            names[i] = names_of((tags[i],), (attributes,)).names[0]
            called_so.add(names[i])
    noted = {called for called in called_so if signs[called] & _NOTED and called.tag not in ("html", "body")}
    listed = ((BYLINE, clues.bylines), (DATED, clues.dated), (HEADLINE, clues.headlines))
    for i in compress(range(len(names)), map(noted.__contains__, names)):
        called = names[i]
        for sign, found in listed:
            if signs[called] & sign and len(found) < _MAX_OF_A_KIND:
                found.append(i)
        for token in dict.fromkeys(called.itemprop.lower().split()[:5]):
            if len(found := clues.properties.setdefault(token, [])) < _MAX_OF_A_KIND:
                found.append(i)
    return clues


_TELLS_NOTHING: Final = frozenset(
    "script style noscript template svg path g use symbol defs rect circle polygon line stop img picture source video iframe "
    "br hr wbr input button option head title base".split()
)
"""Tags that are no clue without text."""

_NEVERDATED: Final = _TELLS_NOTHING.union(
    "meta link div ul ol li section aside nav header footer main article form label figure table tr".split()
)
"""Tags that are no clue without text and without `itemprop`."""


def _tells(attributes: dict[str, str | None]) -> bool:
    """Return True if an element without text has an `itemprop`, or a class or id for a date."""
    if "itemprop" in attributes:
        return True
    named = attributes.get("class"), attributes.get("id")
    return any(has_sign(value, DATED) for value in named if value)


def _read_head(clues: Clues, elements: Elements) -> None:
    """Collect the elements whose tag alone is a clue."""

    def of(tag: str) -> Iterator[tuple[int, dict[str, str | None]]]:
        found = [i for i in elements.by_tag.get(tag, ()) if i < MAX_ELEMENTS]
        return zip(found, elements.attributes_of(found), strict=True)

    for _, attributes in of("meta"):
        if name := _name_of(attributes):
            content = attributes.get("content") or attributes.get("value") or ""
            tokens = name.lower().split()[:3]
            for token in tokens if len(tokens) == 1 else {name.strip().lower()[:80], *tokens}:
                if len(values := clues.contents.setdefault(token, [])) < _MAX_OF_A_KIND:
                    values.append(content)
    for _, attributes in of("link"):
        if (rel := attributes.get("rel")) and (href := attributes.get("href")):
            for token in _RELATIONS.intersection(rel.lower().split()):
                clues.links.setdefault(token, href.strip())
    for _, attributes in islice(of("html"), 1):
        clues.language = attributes.get("lang") or attributes.get("xml:lang") or ""
    for i, attributes in of("a"):
        if "rel" in attributes and (value := attributes["rel"]):
            tokens = value.lower().split()
            for name, found in (("author", clues.author_links), ("license", clues.licences)):
                if name in tokens and len(found) < _MAX_OF_A_KIND:
                    found.append(i)
    clues.headings.extend(elements.by_tag.get("h1", ())[:_MAX_OF_A_KIND])
    clues.times.extend(elements.by_tag.get("time", ())[:_MAX_OF_A_KIND])


def _name_of(attributes: dict[str, str | None]) -> str | None:
    """Return the name of a `meta` element, not counting `itemprop`; None if it has none."""
    return attributes.get("property") or attributes.get("name") or attributes.get("http-equiv")


def letters(text: str) -> str:
    """Return the letters and digits of a string with case folded, for comparing."""
    return _letters(text) if len(text) <= _MAX_NAME_CHARS else _letters.__wrapped__(text[:MAX_VALUE_CHARS])


@lru_cache(maxsize=1 << 12)
def _letters(text: str) -> str:
    """Return the same as `letters`; cached, since titles and names of sites and sections are compared repeatedly."""
    words = text.casefold().split()
    return "".join([word if word.isalnum() else "".join(filter(str.isalnum, word)) for word in words])


def element_text(document: Document, index: int, *, limit: int = 400) -> str:
    """Return an element's text on one line, of a `meta` its `content`; "" if it is longer than the limit."""
    elements, leaves = document.elements, document.leaves
    if elements.tags[index] == "meta":
        attributes = elements.attributes[index]
        return clean(attributes.get("content") or attributes.get("value") or "")
    first, end = elements.first_leaf[index], elements.end_leaf[index]
    texts = leaves.texts[first : min(end, first + 61)]
    if len(texts) > 60 or sum(map(len, texts)) > 2 * limit:
        return ""
    text = leaves.join(range(first, end))
    is_shown = elements.tags[index] in HEADINGS and "<" in text  # a heading's markup that readers see is meant
    text = clean(text, limit=2 * MAX_VALUE_CHARS, markup=not is_shown)
    return text if len(text) <= limit else ""


def is_aside(document: Document, index: int) -> bool:
    """Return True if an element's tag, class or id names a part about other pages or by other people.

    An element with more than half of the page's text is not such a part, unless it is comments: its class then refers to
    something next to the text.
    """
    elements = document.elements
    called = elements.names[index]
    if called is NO_NAMES:
        called = names_of(elements.tags[index : index + 1], elements.attributes_of((index,))).names[0]
    signs = _known_signs[called]
    if not signs & _ASIDE or signs & _ELSEWHERE:
        return bool(signs & _ELSEWHERE)
    before = _chars_before(document)
    return 2 * (before[elements.end_leaf[index]] - before[elements.first_leaf[index]]) <= before[-1]


@view
def _chars_before(document: Document) -> list[int]:
    """Return the number of characters before each leaf, followed by the total."""
    return [0, *accumulate(map(len, document.leaves.texts))]


def stands_aside(
    document: Document,
    index: int,
    *,
    headline_leaf: int = -1,
    is_apart: Callable[[Document, int], bool] = is_aside,
) -> bool:
    """Return True if an element is in a part about other pages or by other people: comments, teasers, menus.

    An ancestor of the headline is not such a part, whatever its class; `is_apart` decides about the others.
    """
    elements = document.elements
    for _ in range(_MAX_ANCESTORS):
        if index < 0 or elements.tags[index] in ("body", "html"):
            return False
        if elements.first_leaf[index] <= headline_leaf < elements.end_leaf[index]:
            return False
        if is_apart(document, index):
            return True
        index = elements.parent[index]
    return False


def scope_type(document: Document, index: int) -> str:
    """Return the last path segment of the `itemtype` that an `itemprop` belongs to, in lower case; "" without one."""
    above = document.elements.ancestors(document.elements.parent[index])[:_MAX_ANCESTORS]
    for attributes in map(document.elements.attributes.__getitem__, above):
        if "itemscope" in attributes or "itemtype" in attributes:
            return re.split(r"[/#]", (attributes.get("itemtype") or "").strip())[-1].lower()
    return ""
