"""What the readers of single fields share: the page, its clues, its JSON-LD, and its headline."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from webmain.html.columns import Flag
from webmain.items import Source
from webmain.metadata.declared import json_ld
from webmain.metadata.head import Clues, element_text, gather, letters, meta_names, stands_aside
from webmain.metadata.jsonld import JsonLd, Node, about_page, first_text, texts
from webmain.metadata.site_names import MAX_PIECE_CHARS, SiteNames, in_slug, is_root, slug_words
from webmain.metadata.titles import pieces, size
from webmain.metadata.values import clean
from webmain.regex import lazy
from webmain.text.normal import strip_controls
from webmain.text.prose_amount import n_wide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webmain.html.document import Document

MAX_RAW_CHARS = 300
_BEFORE, _AFTER = 25, 60
_PIECE_ENDS = lazy(r"\s+[|»·•–—-]\s+")
_LONG_HEADLINE = 16  # letters; shorter ones may be a section's name
_TOP_LEAVES = 3_000
_MOST_SUBHEADS = 5
_SUBHEADS = frozenset(["h2", "h3", "h4", "h5"])
_MIN_SHARED = 8  # letters that a headline shares with the page's title
_HEADLINE_WORDS = 5  # a piece of a title with this many words is more likely the headline than a name
_LOGO_ELEMENTS = 6
_OUTSIDE = int(Flag.IN_CONTROL | Flag.EMBEDDED | Flag.IN_NOSCRIPT)
_LOGO = lazy(r"\b(?:logo|masthead|brand|(?:site|blog)[-_]?(?:title|name))\b", re.I)


@dataclass(frozen=True, slots=True)
class Found:
    """A value with its source and the raw string."""

    value: Any
    source: Source


def found(value: Any, name: str, raw: str) -> Found:
    """Return a value with its source, the raw string cut at `MAX_RAW_CHARS`."""
    return Found(value, Source(name=name, raw=strip_controls(raw[:MAX_RAW_CHARS])))


def first(places: Iterable[tuple[str, str]], parse: Callable[[str], Any] = str) -> Found | None:
    """Return the first value among raw strings, each behind the name of its place, that are not empty once parsed."""
    return next((found(value, name, raw) for name, raw in places if raw and (value := parse(raw))), None)


def source_name(meta: str) -> str:
    """Return the source name for a `meta` element; names with a prefix stay unchanged."""
    return meta if ":" in meta else f"meta:{meta}"


@dataclass(frozen=True, eq=False)
class Reading:
    """The state shared while one page's metadata is read; each property is computed once."""

    document: Document
    clues: Clues
    linked: JsonLd
    nodes: list[Node]

    def values(self, *keys: str, all_nodes: bool = True) -> list[Any]:
        """Return from each object about the page the value of the first key it has, likeliest object first."""
        first_values = []
        for node in self.nodes if all_nodes else self.nodes[:1]:
            given = (node.value.get(key) for key in keys)
            first_values += [value for value in given if value not in (None, "", [], {})][:1]
        return first_values

    def of_meta(self, of: str) -> Iterator[tuple[str, str]]:
        """Yield source and first content of the `meta` elements of a field, in order of trust, blank ones left out."""
        for name in meta_names(of):
            if value := self.clues.meta(name):
                yield source_name(name), value

    def text(self, *keys: str) -> str:
        """Return the first string under one of the keys; "" if there is none."""
        found_texts = (text for value in self.values(*keys) for text in texts(self.linked.resolve(value)))
        return next(filter(None, map(clean, found_texts)), "")

    @cached_property
    def language(self) -> str:
        """Primary subtag of the first language that the page declares."""
        declared = self.clues.language or self.clues.meta("og:locale", "content-language", "language")
        return declared.replace("_", "-").strip().lower().partition("-")[0][:3]

    @cached_property
    def site_names(self) -> list[str]:
        """Names that the site gives itself, and its domain with and without suffix."""
        of_meta = ("og:site_name", "application-name", "site_name", "apple-mobile-web-app-title")
        names = [*map(self.clues.meta, of_meta), self.clues.meta("publisher", "dc.publisher"), self.text("publisher")]
        paper, *portal = self.clues.meta("og:article:author").split(" | ")  # Naver's: "Daily News | Naver"
        names += [paper, *portal] if portal else []
        for node in self.linked.nodes:
            if "website" in node.types or "newsmediaorganization" in node.types:
                names += [first_text(node.value.get(key)) for key in ("name", "alternateName")]
        site = self.document.site
        if site:
            names += [site, site.partition(".")[0]]
        return [n for n in dict.fromkeys(names) if n and len(n) <= 80]

    @cached_property
    def called(self) -> SiteNames:
        """The site's names, for recognising them in titles."""
        banners = [element_text(self.document, i, limit=80) for i in self.clues.headings[:5] if i in self.banners]
        return SiteNames(
            self.site_names, self.document.site, exact=[*banners, *self.front_links, *self.document.recurring]
        )

    @cached_property
    def front_links(self) -> list[str]:
        """Short texts of links to the front page, and of pictures in them."""
        document, anchors, site = self.document, self.document.anchors[:200].tolist(), self.document.site
        linked = zip(anchors, document.elements.attributes_of(anchors), strict=True)
        fronts = [i for i, attributes in linked if is_root(attributes["href"] or "", site)]
        tags, end = document.elements.tags, document.elements.end
        pictures = [e for i in fronts for e in range(i + 1, min(end[i], i + _LOGO_ELEMENTS)) if tags[e] == "img"]
        named = [clean(each.get("alt") or "") for each in document.elements.attributes_of(pictures)]
        texts_of_links = [element_text(document, i, limit=MAX_PIECE_CHARS) for i in fronts]
        return [t for t in dict.fromkeys((*texts_of_links, *named)) if 0 < len(t) <= MAX_PIECE_CHARS]

    @cached_property
    def slug(self) -> frozenset[str]:
        """Words of the page's URL."""
        return slug_words(self.document.url)

    @cached_property
    def banners(self) -> set[int]:
        """The `h1` elements that are the site's logo or a section's name rather than the headline."""
        return {i for i in self.clues.headings[:20] if _is_banner(self, i)}

    @cached_property
    def subheads(self) -> set[str]:
        """Runs of text in headings below `h1`, folded."""
        tags, leaves = self.document.elements.tags, self.document.leaves
        runs = zip(leaves.texts, leaves.box, strict=True)
        return {letters(t) for t, box in islice(runs, _TOP_LEAVES) if tags[box] in _SUBHEADS}

    @cached_property
    def shown(self) -> str:
        """All text of the page, case folded."""
        return " ".join(map(str.casefold, self.document.leaves.texts))

    @cached_property
    def link_labels(self) -> set[str]:
        """Folded short texts of the first links: mostly names of sections."""
        document = self.document
        texts_of_links = (element_text(document, i, limit=30) for i in document.anchors[:200].tolist())
        return {letters(t) for t in texts_of_links if t} - {""}

    @cached_property
    def headline(self) -> int:
        """Index of the headline's element: the first `h1` that agrees with the title, else the only one; -1 if none."""
        return _headline(self)

    @cached_property
    def headline_leaf(self) -> int:
        """Index of the headline's first leaf; -1 if no headline was found."""
        return self.document.elements.first_leaf[self.headline] if self.headline >= 0 else _title_leaf(self)

    @cached_property
    def first_subhead(self) -> int:
        """The first `h2` or `h3` that is long enough for a headline, outside parts about other pages; -1 if none."""
        headings = self.document.elements.of_tags(("h2", "h3"))
        of_body = islice((i for i in headings if not stands_aside(self.document, i)), _MOST_SUBHEADS)
        return next((i for i in of_body if size(element_text(self.document, i)) >= _LONG_HEADLINE), -1)

    def is_near(self, element: int) -> bool:
        """Return True if an element stands shortly before or after the headline."""
        leaf = self.document.elements.first_leaf[element]
        at = self.headline_leaf
        return at >= 0 and at - _BEFORE <= leaf <= at + _AFTER

    def around_headline(self, before: int, after: int) -> range:
        """Return the leaves from so many before the headline to so many after it; none without a headline."""
        at = self.headline_leaf
        return range(max(0, at - before), min(len(self.document.leaves), at + after)) if at >= 0 else range(0)

    def far(self, leaf: int) -> int:
        """Return a leaf's distance from the headline; before it, leaves count three times."""
        return max(leaf - self.headline_leaf, 3 * (self.headline_leaf - leaf))

    def stands_aside(self, element: int) -> bool:
        """Return True if an element is in a part about other pages or by other people."""
        return stands_aside(self.document, element, headline_leaf=self.headline_leaf)

    def is_outside(self, leaf: int) -> bool:
        """Return True if a leaf is of no article: in a control or `noscript`, embedded, or standing aside."""
        leaves = self.document.leaves
        return bool(leaves.flags[leaf] & _OUTSIDE) or self.stands_aside(leaves.element[leaf])

    def in_view(self, elements: list[int], is_apart: Callable[[int], bool] | None = None) -> list[int]:
        """Return elements by their distance from the headline, without those in parts about other pages."""
        first, is_apart = self.document.elements.first_leaf, is_apart or self.stands_aside
        kept = [i for i in elements[:60] if not is_apart(i)]
        return sorted(kept, key=lambda i: self.far(first[i])) if self.headline_leaf >= 0 else kept


def read(document: Document) -> Reading:
    """Return what the fields of a page are read from."""
    clues = gather(document)
    linked = json_ld(document)
    urls = [document.url or "", clues.link("canonical"), clues.meta("og:url")]
    titles = [document.title, clues.meta("og:title"), clues.meta("twitter:title")]
    titles += [t for i in clues.headings[:3] if (t := element_text(document, i))]
    return Reading(document, clues, linked, about_page(linked, urls=urls, titles=titles))


def _headline(reading: Reading) -> int:
    """Return the `h1` that repeats the title given elsewhere, else the first one outside parts about other pages."""
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
    """Return True if a heading is the site's logo, or a piece of the `title` element other than the headline."""
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
        ends_label = any(letters(p).endswith(own) for p in parts) and not reading.subheads.isdisjoint(
            map(letters, others)
        )
        is_between = len(text.split()) < _HEADLINE_WORDS and (own in map(letters, parts) or ends_label)
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
    return is_last and _n_words(text) < _HEADLINE_WORDS <= max(map(_n_words, others or [""]))


def _n_words(text: str) -> int:
    """Return the number of words; of Chinese, Japanese and Korean characters, three count as one."""
    return len(text.split()) + n_wide(text) // 3


def _is_logo(document: Document, element: int) -> bool:
    """Return True if an element's class or id names a logo, or all of its text links to the front page."""
    elements = document.elements
    attributes = elements.attributes[element]
    if any(_LOGO.search((attributes.get(name) or "")[:200]) for name in ("class", "id")):
        return True
    first, end = elements.first_leaf[element], elements.end_leaf[element]
    within = range(element + 1, min(elements.end[element], element + 4))
    for i in (*within, *elements.ancestors(element)[1:3]):
        if elements.tags[i] == "a" and elements.first_leaf[i] <= first and elements.end_leaf[i] >= end:
            return is_root(elements.attributes[i].get("href") or "", document.site)
    return False


def _title_leaf(reading: Reading) -> int:
    """Return the leaf with most of the page's title, else that of the element marked as headline, for pages without `h1`.

    If only the site is named by the title, it is the leaf of the first `h2` or `h3`.
    """
    title = clean(reading.document.title[:1000])
    titles = [letters(t) for t in (reading.clues.meta("og:title"), title) if t]
    titles += [letters(p) for p in pieces(title) if size(p) >= _LONG_HEADLINE and not reading.called.holds(p)]
    best, most = -1, _MIN_SHARED - 1
    for i, text in enumerate(reading.document.leaves.texts[:3000] if titles else ()):
        if 12 <= len(text) <= 300:
            short = letters(text)
            shared = max((min(len(short), len(t)) for t in titles if short in t or t in short), default=0)
            if shared > most and not reading.called.holds(text):
                best, most = i, shared
    if best < 0:
        subhead = reading.first_subhead if not title or reading.called.holds(title) else -1
        marked = (*reading.clues.properties.get("headline", ()), subhead)[0]
        best = reading.document.elements.first_leaf[marked] if marked >= 0 else best
    return best
