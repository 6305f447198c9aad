"""What the readers of single fields share: the page, its clues, its JSON-LD, and where its headline stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from webmain.html.columns import Flag
from webmain.items import Source
from webmain.metadata.head import Clues, clean, element_text, gather, letters, meta_names, stands_aside
from webmain.metadata.jsonld import JsonLd, Node, about_page, read_json_ld, texts
from webmain.metadata.names import MAX_PIECE_CHARS, SiteNames, in_slug, is_root, slug_words, starts_byline
from webmain.metadata.titles import pieces
from webmain.regex import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webmain.html.document import Document

MAX_RAW_CHARS = 300
_SURROGATES = lazy("[\ud800-\udfff]")
_BEFORE, _AFTER = 25, 60
_PIECE_ENDS = lazy(r"\s+[|»·•–—-]\s+")
_LONG_HEADLINE = 16  # letters; shorter ones may be a section's name
_TOP_LEAVES = 3_000
_SUBHEADS = frozenset(["h2", "h3", "h4", "h5"])
_HEADLINE_WORDS = 5  # a piece of a title with so many words is rather the headline than a name
_LOGO = lazy(r"\b(?:logo|masthead|brand|(?:site|blog)[-_]?(?:title|name))\b", re.I)


@dataclass(frozen=True, slots=True)
class Found:
    """A value with where it stood and how."""

    value: Any
    source: Source


def found(value: Any, name: str, raw: Any = None) -> Found:
    """Wrap a value, its raw string cut at `MAX_RAW_CHARS`."""
    text = raw if isinstance(raw, str) else str(value if raw is None else raw)
    return Found(value, Source(name=name, raw=_SURROGATES.sub("", text[:MAX_RAW_CHARS])))


def source_name(meta: str) -> str:
    """Return the name of a source that is a `meta` element: its own where it has a prefix."""
    return meta if ":" in meta else f"meta:{meta}"


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

    def of_meta(self, of: str) -> Iterator[tuple[str, str]]:
        """Yield name and first content of the `meta` elements of a field, in order of trust, blank ones left out."""
        for name in meta_names(of):
            if value := self.clues.meta(name):
                yield name, value

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
    def called(self) -> SiteNames:
        """What the site is called, for telling its name in titles."""
        banners = [element_text(self.document, i, limit=80) for i in self.clues.headings[:5] if i in self.banners]
        return SiteNames(
            self.site_names, self.document.site, exact=[*banners, *self.front_links, *self.document.recurring]
        )

    @cached_property
    def front_links(self) -> list[str]:
        """Short texts of links to the front page."""
        document, anchors, site = self.document, self.document.anchors[:200].tolist(), self.document.site
        linked = zip(anchors, document.elements.attributes_of(anchors), strict=True)
        fronts = [i for i, attributes in linked if is_root(attributes["href"] or "", site)]
        texts_of_links = [element_text(document, i, limit=MAX_PIECE_CHARS) for i in fronts]
        return [t for t in dict.fromkeys(texts_of_links) if t]

    @cached_property
    def slug(self) -> frozenset[str]:
        """Words of the page's address."""
        return slug_words(self.document.url)

    @cached_property
    def banners(self) -> set[int]:
        """Those `h1` that are the site's sign or a section's name, and not the page's headline."""
        return {i for i in self.clues.headings[:20] if _is_banner(self, i)}

    @cached_property
    def subheads(self) -> set[str]:
        """Runs of text in headings below `h1`, folded."""
        tags, leaves = self.document.elements.tags, self.document.leaves
        runs = zip(leaves.texts, leaves.box, strict=True)
        return {letters(t) for t, box in islice(runs, _TOP_LEAVES) if tags[box] in _SUBHEADS}

    @cached_property
    def marked_headline(self) -> str:
        """Text of the first element whose class calls it a headline and that a byline or date is at; "" if none.

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
    def shown_title(self) -> str:
        """The longest text of the page with which the `title` element begins, else one with which it ends; "" if none.

        A heading, or as long as any piece of the title: names of sections are shown, too.
        """
        document = self.document
        title, leaves = clean(document.title[:1000]), document.leaves
        longest = max(len(letters(p)) for p in pieces(title))
        best, at_end = "", ""
        texts_of_leaves = enumerate(leaves.texts[:_TOP_LEAVES])
        for i, text in [(i, t) for i, t in texts_of_leaves if title.startswith(t) or title.endswith(t)]:
            if len(best) < len(text) < len(title):
                is_heading = document.elements.tags[leaves.box[i]] in ("h2", "h3", "h4")
                if is_heading or (not leaves.flags[i] & Flag.IN_ANCHOR and len(letters(text)) >= longest):
                    if title.startswith(text):
                        best = text
                    else:
                        at_end = max(at_end, text, key=len)
        return best or at_end

    @cached_property
    def shown(self) -> str:
        """All that the page shows, in lower case."""
        return " ".join(map(str.casefold, self.document.leaves.texts))

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
        """Return True if an element stands shortly before or after the headline."""
        leaf = self.document.elements.first_leaf[element]
        at = self.headline_leaf
        return at >= 0 and at - _BEFORE <= leaf <= at + _AFTER

    def stands_aside(self, element: int) -> bool:
        """Return True if an element is in a part about other pages or by other people."""
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
    """Find the h1 that repeats what the page gives as its title elsewhere; else the first that is in the open."""
    document = reading.document
    titles = [letters(t) for t in (document.title, reading.clues.meta("og:title"), reading.text("headline")) if t]
    sites = {letters(n) for n in reading.site_names}
    best, agreed, longest = -1, -1, 0
    for i in reading.clues.headings[:20]:
        text = letters(element_text(document, i))
        if len(text) < 4 or (text in sites and len(titles) > 1) or i in reading.banners:
            continue
        if any(text in t or (len(t) > 12 and t in text) for t in titles):
            if len(text) > longest:
                agreed, longest = i, len(text)
            if longest >= _LONG_HEADLINE:
                break
        if best < 0 and not stands_aside(document, i):
            best = i
    return agreed if agreed >= 0 else best


def _is_banner(reading: Reading, heading: int) -> bool:
    """Return True if a heading is the site's sign, or a piece of the `title` element beside the headline."""
    document = reading.document
    text = element_text(document, heading, limit=200)
    own = letters(text)
    confirmed = (reading.clues.meta("og:title"), reading.clues.meta("headline"), reading.text("headline"))
    if any(letters(t).startswith(own) for t in confirmed if t and own):
        return False
    if _is_logo(document, heading):
        return True
    parts = _PIECE_ENDS.split(document.title[:1000])
    if not own or len(parts) < 2:
        return False
    title = letters(document.title)
    names = SiteNames(reading.site_names, document.site, exact=reading.front_links)
    others = [p.strip() for p in parts if letters(p) not in own]
    if title == own:
        return False
    if not (title.endswith(own) or title.startswith(own)):
        is_between = len(text.split()) < _HEADLINE_WORDS and own in map(letters, parts)
        return is_between and any(len(p.split()) >= _HEADLINE_WORDS and not names.holds(p) for p in others)
    is_last = title.endswith(own)
    rest = title.removesuffix(own) if is_last else title.removeprefix(own)
    if any(names.holds(p) for p in others):
        return False
    if names.holds(text):
        return True
    mine, theirs = in_slug(text, reading.slug), max((in_slug(p, reading.slug) for p in others), default=0)
    if max(mine, theirs) > 1 and mine != theirs:
        return theirs > mine
    if is_last and not reading.subheads.isdisjoint([rest, *map(letters, others)]):
        return True
    return is_last and len(text.split()) < _HEADLINE_WORDS <= max(len(p.split()) for p in others or [""])


def _is_logo(document: Document, element: int) -> bool:
    """Return True if an element's class or id says that it is the site's sign, or all of it leads to the front page."""
    elements = document.elements
    attributes = elements.attributes[element]
    if any(_LOGO.search((attributes.get(name) or "")[:200]) for name in ("class", "id")):
        return True
    first, end = elements.first_leaf[element], elements.end_leaf[element]
    for i in (*range(element + 1, min(elements.end[element], element + 4)), *_parents(elements.parent, element)):
        if elements.tags[i] == "a" and elements.first_leaf[i] <= first and elements.end_leaf[i] >= end:
            return is_root(elements.attributes[i].get("href") or "", document.site)
    return False


def _parents(parent: list[int], element: int) -> list[int]:
    above = [parent[element]]
    above += [parent[above[0]]] if above[0] >= 0 else []
    return [i for i in above if i >= 0]


def _title_leaf(reading: Reading) -> int:
    """Find a leaf that begins what the page gives as its title, on pages without h1."""
    titles = [letters(t) for t in (reading.clues.meta("og:title"), reading.document.title) if t]
    for i, text in enumerate(reading.document.leaves.texts[:3000]):
        if titles and 12 <= len(text) <= 300:
            short = letters(text)
            if len(short) >= 8 and any(short in t or t in short for t in titles):
                return i
    return -1
