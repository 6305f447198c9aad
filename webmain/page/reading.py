"""What the readers of single fields share: the page, its clues, its JSON-LD, and where its headline stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from webmain.items import Source
from webmain.page.bylines import starts_byline
from webmain.page.clues import Clues, clean, element_text, gather, letters, stands_aside
from webmain.page.jsonld import JsonLd, Node, about_page, read_json_ld, texts

if TYPE_CHECKING:
    from webmain.page.document import Document

MAX_RAW_CHARS = 300
_SURROGATES = re.compile("[\ud800-\udfff]")
_BEFORE, _AFTER = 25, 60
_PIECE_ENDS = re.compile(r"\s+[|»·•–—-]\s+")
_LONG_HEADLINE = 16  # letters; shorter ones may be a section's name


@dataclass(frozen=True, slots=True)
class Found:
    """A value with where it stood and how."""

    value: Any
    source: Source


def found(value: Any, name: str, raw: Any = None) -> Found:
    """Wrap a value, its raw string cut at `MAX_RAW_CHARS`."""
    text = raw if isinstance(raw, str) else str(value if raw is None else raw)
    return Found(value, Source(name=name, raw=_SURROGATES.sub("", text[:MAX_RAW_CHARS])))


@dataclass(frozen=True, eq=False)
class Reading:
    """One page being read for its metadata; everything in it is made once."""

    document: Document
    clues: Clues
    linked: JsonLd
    nodes: list[Node] = field(default_factory=list)

    def values(self, *keys: str, all_nodes: bool = True) -> list[Any]:
        """Return the values of the first of the keys that each object about the page has, likeliest object first."""
        out = []
        for node in self.nodes if all_nodes else self.nodes[:1]:
            for key in keys:
                value = node.value.get(key)
                if value is not None and value not in ("", [], {}):
                    out.append(value)
                    break
        return out

    def text(self, *keys: str) -> str:
        """Return the first string under one of the keys; "" where there is none."""
        for value in self.values(*keys):
            for text in texts(self.linked.resolve(value)):
                if cleaned := clean(text):
                    return cleaned
        return ""

    @property
    def declared_language(self) -> str:
        """`lang` of the html element; "" without one."""
        return self.clues.language[0] if self.clues.language else ""

    @cached_property
    def language(self) -> str:
        """Primary subtag of what the page declares first."""
        declared = self.declared_language or self.clues.meta("og:locale", "content-language", "language")
        return declared.replace("_", "-").strip().lower().partition("-")[0][:3]

    @cached_property
    def site_names(self) -> list[str]:
        """What the site calls itself, and its domain with and without suffix."""
        names = [self.clues.meta("og:site_name"), self.clues.meta("application-name"), self.clues.meta("site_name"),
                 self.clues.meta("apple-mobile-web-app-title"), self.clues.meta("publisher", "dc.publisher"),
                 self.text("publisher")]  # fmt: skip
        for node in self.linked.nodes:
            if "website" in node.types or "newsmediaorganization" in node.types:
                names += texts(node.value.get("name"))[:1] + texts(node.value.get("alternateName"))[:1]
        site = self.document.site
        if site:
            names += [site, site.partition(".")[0]]
        return [n for n in dict.fromkeys(names) if n and len(n) <= 80]

    @cached_property
    def banners(self) -> list[str]:
        """Headings that the `title` element ends with, behind a headline of several words: names of the site."""
        title = self.document.title
        others = {letters(t) for t in (self.clues.meta("og:title"), self.text("headline")) if t}
        names = {letters(n) for n in self.site_names}
        found_names = []
        for i in self.clues.headings[:5]:
            text = element_text(self.document, i, limit=80)
            if text and letters(text) not in others and _is_banner(letters(text), title):
                head = _PIECE_ENDS.split(title[:1000])[0]
                if len(head.split()) > 1 and letters(head) not in names:
                    found_names.append(text)
        return found_names

    @cached_property
    def marked_headline(self) -> str:
        """Text of the first element whose class calls it a headline and that a byline or date stands at; "" if none.

        Only asked for where there is no `h1`.
        """
        first, texts_of_leaves = self.document.elements.first_leaf, self.document.leaves.texts
        signs = [first[i] for i in (*self.clues.bylines, *self.clues.dated)]
        for i in self.clues.headlines[:20]:
            text = element_text(self.document, i, limit=200)
            at = first[i]
            if len(letters(text)) < 12 or stands_aside(self.document, i):
                continue
            if any(at - 4 <= s <= at + 6 for s in signs) or any(
                starts_byline(t) for t in texts_of_leaves[at + 1 : at + 5]
            ):
                return text
        return ""

    @cached_property
    def link_labels(self) -> set[str]:
        """Short texts of the first links, folded: names of sections."""
        document = self.document
        texts_of_links = (element_text(document, i, limit=30) for i in document.anchors[:200].tolist())
        return {letters(t) for t in texts_of_links if t} - {""}

    @cached_property
    def headline(self) -> int:
        """Element that holds the headline: the first `h1` on which the title agrees, else the only one; -1 if none."""
        return _headline(self)

    @cached_property
    def headline_leaf(self) -> int:
        """Index of the headline's first leaf; -1 where no headline was found."""
        return self.document.elements.first_leaf[self.headline] if self.headline >= 0 else _title_leaf(self)

    def is_near(self, element: int) -> bool:
        """Tell whether an element stands shortly before or after the headline."""
        leaf = self.document.elements.first_leaf[element]
        at = self.headline_leaf
        return at >= 0 and at - _BEFORE <= leaf <= at + _AFTER

    def stands_aside(self, element: int) -> bool:
        """Tell whether an element stands in a part about other pages or by other people."""
        return stands_aside(self.document, element, headline_leaf=self.headline_leaf)

    def in_view(self, elements: list[int]) -> list[int]:
        """Order elements: those after the headline first, then those before it; leave out what stands aside."""
        at = self.headline_leaf
        kept = [i for i in elements[:60] if not self.stands_aside(i)]
        if at < 0:
            return kept
        first = self.document.elements.first_leaf
        return sorted(kept, key=lambda i: first[i] - at if first[i] >= at else 3 * (at - first[i]))


def read(document: Document) -> Reading:
    """Gather what the fields are read from."""
    clues = gather(document)
    linked = read_json_ld(document.tree.data)
    urls = [document.url or "", clues.link("canonical"), clues.meta("og:url")]
    titles = [document.title, clues.meta("og:title"), clues.meta("twitter:title")]
    titles += [t for i in clues.headings[:3] if (t := element_text(document, i))]
    return Reading(document, clues, linked, about_page(linked, urls=urls, titles=titles))


def _headline(reading: Reading) -> int:
    """Find the h1 that repeats what the page gives as its title elsewhere; else the first that stands in the open."""
    document = reading.document
    titles = [letters(t) for t in (document.title, reading.clues.meta("og:title"), reading.text("headline")) if t]
    sites = {letters(n) for n in reading.site_names}
    best, agreed, longest = -1, -1, 0
    for i in reading.clues.headings[:20]:
        text = letters(element_text(document, i))
        if (
            len(text) < 4
            or (text in sites and len(titles) > 1)
            or _is_banner(text, document.title)
            or _is_logo(document, i)
        ):
            continue
        if any(text in t or (len(t) > 12 and t in text) for t in titles):
            if len(text) > longest:
                agreed, longest = i, len(text)
            if longest >= _LONG_HEADLINE:
                break
        if best < 0 and not stands_aside(document, i):
            best = i
    return agreed if agreed >= 0 else best


_LOGO = re.compile(r"\b(?:logo|masthead|brand|(?:site|blog)[-_]?(?:title|name))\b", re.I)


def _is_logo(document: Document, element: int) -> bool:
    """Tell whether an element's class or id says that it is the site's sign."""
    attributes = document.elements.attributes[element]
    return any(_LOGO.search((attributes.get(name) or "")[:200]) for name in ("class", "id"))


def _is_banner(folded: str, title: str) -> bool:
    """Tell whether a heading is the last piece of the `title` element: the site's name, not the headline."""
    pieces = _PIECE_ENDS.split(title[:1000])
    return len(pieces) > 1 and letters(pieces[-1]) == folded


def _title_leaf(reading: Reading) -> int:
    """Find a leaf that begins what the page gives as its title, on pages without h1."""
    titles = [letters(t) for t in (reading.clues.meta("og:title"), reading.document.title) if t]
    for i, text in enumerate(reading.document.leaves.texts[:3000]):
        if titles and 12 <= len(text) <= 300:
            short = letters(text)
            if len(short) >= 8 and any(short in t or t in short for t in titles):
                return i
    return -1
