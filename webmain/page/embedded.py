"""An article that a page carries as data for its scripts: JSON-LD, or the state of a framework.

Such text is used where the page shows none of its own. There is no table of sites: the data is walked, strings and trees of
strings that are prose are candidates, and the best is the longest one that belongs to an object with this page's title or
address.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np

from webmain.items import HIDDEN, Flag, Kind, Page
from webmain.page.clues import letters
from webmain.page.document import Document
from webmain.page.jsonld import about_page, read_json_ld
from webmain.page.kinds import article_blocks
from webmain.page.prose import prose_chars
from webmain.page.rich_text import TEXT_KEYS, is_element, is_markup, markup, type_words
from webmain.page.states import MAX_NODES, nested, read_states

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webmain.items import ArticleBlock

MIN_PROSE: Final = 250.0
"""Characters of prose (`prose_chars`) that an embedded article has at least."""

MIN_PROSE_ALONE: Final = 600.0
"""What it has at least where nothing near it has the page's title or address."""

MAX_TRIED: Final = 12
"""Candidates that are written out to see whether they are readable."""

MAX_DEPTH: Final = 150
_MAX_CANDIDATES: Final = 4_000


@dataclass(frozen=True, eq=False)
class Embedded:
    """The article that a page's data holds.

    Attributes
    ----------
    source : str
        "json-ld", or the name of the state it was found in: "__NEXT_DATA__", "window.__INITIAL_STATE__", "data-page".
    path : str
        Where in it, positions in lists written as `*`: "props.pageProps.article.body".
    html : str
        Paragraphs, headings, lists and quotes as markup.
    is_own : bool
        It belongs to an object that has this page's title or address.
    """

    source: str
    path: str
    html: str
    is_own: bool
    title: str = ""
    url: str | None = None

    @cached_property
    def blocks(self) -> tuple[ArticleBlock, ...]:
        """The article's blocks; captions and a first heading that is the page's title are left out."""
        content = Document(Page(url=self.url, html=self.html), html=self.html)
        leaves = content.leaves
        kept = ~leaves.has(HIDDEN | Flag.EMBEDDED | Flag.IN_NOSCRIPT | Flag.IN_CONTROL)
        ones = np.ones(len(leaves))
        blocks = article_blocks(content, kept, score=ones, raw=ones, locate=False)
        own = letters(self.title)
        return tuple(
            b for i, b in enumerate(blocks) if b.kind is not Kind.CAPTION and not (i == 0 and own and letters(b.text) == own)
        )

    @cached_property
    def text(self) -> str:
        """The blocks' texts joined by blank lines."""
        return "\n\n".join(block.text for block in self.blocks)


def embedded_text(document: Document, *, states: bool = True) -> Embedded | None:
    """Find the article in what a page carries for its scripts.

    Parameters
    ----------
    document : Document
    states : bool
        Look at the data of frameworks too, not at JSON-LD alone.

    Returns
    -------
    Embedded or None
        None where there is no text of `MIN_PROSE` that may be the page's article. Never raises on what pages hold; sizes,
        depths and numbers of nodes are bounded.
    """
    about = _About(document)
    candidates = [*_of_json_ld(document, about)]
    for state in read_states(document.html, document.elements.attributes) if states else ():
        search = _Search(about)
        search.visit(state.value, (state.name,), _Place(), 0)
        candidates += search.found
    best, best_score = None, 0.0
    for candidate in _ranked(candidates):
        source, *path = candidate.path
        is_own = candidate.place.distance >= 0
        found = Embedded(source, ".".join(path), markup(candidate.value), is_own, about.title, document.url)
        score = _readable_prose(found) * candidate.factor
        if score > best_score:
            best, best_score = found, score
    return best


def _readable_prose(found: Embedded) -> float:
    """Count the prose of what was written; 0 where it is too little, or other things make up too much of it."""
    counts = [(prose_chars(block.text), len(block.text)) for block in found.blocks]
    prose, other = sum(p for p, _ in counts), sum(n for p, n in counts if not p)
    return prose if prose >= MIN_PROSE and other <= 0.6 * prose else 0.0


class _About:
    """What a page says of itself that an object about it may repeat."""

    def __init__(self, document: Document) -> None:
        metadata = document.metadata
        self.title = metadata.title or document.title
        self.titles = [t for t in dict.fromkeys(map(letters, (self.title, document.title))) if len(t) > 5]
        self.urls = [u for u in (document.url, metadata.canonical_url) if u]
        self.slugs = {s for s in map(_slug, self.urls) if s}
        self.description = letters(metadata.description or "")[:60]

    def has_title(self, text: str) -> bool:
        """Tell whether a title is the page's own, or begins it."""
        own = letters(text[:600])
        return len(own) > 5 and any(t == own or (len(own) > 14 and (t.startswith(own) or own.startswith(t))) for t in self.titles)

    def has_address(self, text: str) -> bool:
        """Tell whether an address or a slug is the page's own."""
        return len(text) < 2000 and _slug(text) in self.slugs


def _slug(url: str) -> str:
    """Return the last part of an address that could name one article; "" where it names none."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return ""
    last = unquote(path.rstrip("/").rpartition("/")[2]).lower().removesuffix(".html").removesuffix(".htm")
    return last if len(last) > 7 and last not in ("index", "default") else ""


class _Place(NamedTuple):
    """Where a value stands among the objects around it."""

    distance: int = -1  # steps down from an object with the page's title or address; -1 where there is none
    foreign: bool = False  # in an object with a title and an address of its own
    prior: float = 1.0  # what the keys above it promise

    def below(self, key: str) -> _Place:
        """Return the place of the value under a key."""
        return _Place(self.distance + 1 if self.distance >= 0 else -1, self.foreign, self.prior * _promise(key))


@dataclass(frozen=True, slots=True)
class _Candidate:
    value: Any
    path: tuple[str, ...]
    place: _Place
    prose: float

    @property
    def score(self) -> float:
        """Prose, weighed by what stands around it."""
        return self.prose * self.factor

    @property
    def factor(self) -> float:
        """How far what stands around it speaks for it."""
        near = 3.0 * 0.93**self.place.distance if self.place.distance >= 0 else 0.2 if self.place.foreign else 0.7
        last = next((p for p in reversed(self.path) if p != "*"), "")
        formed = 1.15 if not isinstance(self.value, str) or is_markup(self.value[:5000]) else 1.0
        return near * self.place.prior * formed * (1.4 if _words(last) & _BODY else 1.0)


_KEY_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_BODY = frozenset("body content article story post text html paragraphs blocks articlebody rendered document".split())
_ASIDE = frozenset(
    "comment comments reply replies related relateds recommended recommendation recommendations recommend trending popular "
    "latest similar next previous prev more legal author authors byline bylines "
    "bio biography footer nav navigation menu menus sidebar ad ads advertising adverts promo promos promotion newsletter "
    "subscription subscriptions subscribe paywall user users env toast modal popup "
    "banner caption captions image images photo photos media thumbnail gallery alt schema jsonld structureddata css styles style "
    "script scripts breadcrumbs feed feeds teaser teasers widgets polls transcript tooltip placeholder help features flags "
    "layout experiments testimonials team members executives productgroups products variants skus schemas subcategories categories episodes mentions reviews ratings".split()
)
_ARTICLE = frozenset("article story post blogpost articlebody bodytext news main".split())
_WORDING = frozenset(
    "i18n translation translations intl locale locales messages message labels strings dictionary consent cookie cookies gdpr "
    "cmp privacy terms policy disclaimer disclosure error errors errormap".split()
)
_SHORT = frozenset("description summary excerpt dek standfirst snippet blurb abstract intro lead seo meta og twitter faq settings config configuration".split())


def _words(key: str) -> frozenset[str]:
    return frozenset(w.lower() for w in _KEY_WORDS.findall(key[:80])) | {key.lower()}


def _promise(key: str) -> float:
    """Return the factor that a key gives to all below it."""
    words = _words(key)
    if not words.isdisjoint(_WORDING):
        return 0.001
    if not words.isdisjoint(_ASIDE):
        return 0.1
    return 0.5 if not words.isdisjoint(_SHORT) else 1.0


_TITLES: Final = ("headline", "title", "name", "heading", "pageTitle", "page_title", "headlines", "seoTitle", "question")
_ADDRESSES: Final = (
    "url", "canonical_url", "canonicalUrl", "canonical", "slug", "permalink", "link", "href", "uri", "path", "website_url",
    "@id", "webUrl", "shareUrl", "mainEntityOfPage", "fullUrl", "relativeUrl", "seoUrl", "urlPath",
)  # fmt: skip
_HEADS: Final = ("seo", "meta", "metadata", "head", "header", "hero", "openGraph", "og", "SEO", "pageMeta")
_PRICED: Final = ("price", "prices", "sku", "skuId", "productId", "product_id", "variants", "priceRange")
_SIGNED: Final = ("author", "user", "username", "userName", "commenter", "postedBy", "author_name", "authorName", "creator")


def _strings(node: dict[str, Any], keys: Iterable[str]) -> Iterator[str]:
    """Yield the strings under some keys, and those one step below."""
    for key in keys:
        value = node.get(key)
        if isinstance(value, str) and value:
            yield value
        elif isinstance(value, dict):
            yield from (v for v in list(value.values())[:20] if isinstance(v, str) and v)
        elif isinstance(value, list):
            yield from (v["text"] for v in value[:2] if isinstance(v, dict) and isinstance(v.get("text"), str))


class _Search:
    """One walk over one state, which collects candidates."""

    def __init__(self, about: _About) -> None:
        self._about = about
        self._left = MAX_NODES
        self.found: list[_Candidate] = []

    def visit(self, value: Any, path: tuple[str, ...], place: _Place, depth: int) -> float:
        """Return the prose of a value that belongs to what is around it; note what may be an article."""
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            return 0.0
        if isinstance(value, str):
            return self._string(value, path, place, depth)
        if isinstance(value, list):
            return self._list(value, path, place, depth)
        return self._object(value, path, place, depth) if isinstance(value, dict) else 0.0

    def _note(self, value: Any, path: tuple[str, ...], place: _Place, prose: float) -> None:
        if prose >= MIN_PROSE and len(self.found) < _MAX_CANDIDATES:
            self.found.append(_Candidate(value, path, place, prose))

    def _string(self, text: str, path: tuple[str, ...], place: _Place, depth: int) -> float:
        if len(text) < 14:
            return 0.0
        if len(text) >= MIN_PROSE and not isinstance(value := nested(text), str):
            return self.visit(value, path, place, depth + 1)
        prose = prose_chars(text)
        self._note(text, path, place, prose)
        return prose

    def _list(self, items: list[Any], path: tuple[str, ...], place: _Place, depth: int) -> float:
        if is_element(items):
            return self._react(items, path, place, depth)
        total = works = 0.0
        own = []
        for item in items:
            prose = self.visit(item, (*path, "*"), place.below("*"), depth + 1)
            if isinstance(item, dict) and self._is_work(item, in_list=True):
                works += prose
            else:
                total += prose
                own.append(item)
        if len(items) > 1 and total > works:
            self._note(own, path, place, total)
        return total

    def _react(self, element: list[Any], path: tuple[str, ...], place: _Place, depth: int) -> float:
        """Look into a React element: its text is one with that of the elements around it."""
        tag = str(element[1])
        if tag in ("nav", "footer", "aside", "script", "style", "head", "form", "button"):
            return 0.0
        total = 0.0
        for key, value in element[3].items():
            total += self.visit(value, path if key == "children" else (*path, key), place, depth + 1)
        if tag in ("article", "main", "section", "div"):
            self._note(element, (*path, tag), place, total)
        return total

    def _object(self, node: dict[str, Any], path: tuple[str, ...], place: _Place, depth: int) -> float:
        is_own = self._is_own(node)
        is_work = not is_own and self._is_work(node, in_list=path[-1] == "*")
        if is_own:
            place = _Place(0, False, max(place.prior, 0.4) if place.prior >= 0.05 else place.prior)
        elif is_work:
            place = _Place(-1, True, place.prior)
        total = own = 0.0
        for key, value in node.items():
            if isinstance(value, (str, dict, list)):
                inner = place.below(key)
                prose = self.visit(value, (*path, key), inner, depth + 1)
                if isinstance(value, str):
                    own = max(own, prose)  # versions of one text, or one text and its labels
                elif inner.prior >= 0.5 * place.prior:
                    total += prose
        total += own
        if _is_root(node):
            self._note(node, path, place, total)
        return 0.0 if is_own else total  # what holds the article as one thing among others is not its body

    def _is_own(self, node: dict[str, Any]) -> bool:
        """Tell whether an object has the page's title or address."""
        about = self._about
        if any(about.has_title(t) for t in _strings(node, _TITLES)) or any(
            about.has_address(a) for a in _strings(node, _ADDRESSES)
        ):
            return True
        return any(
            isinstance(head := node.get(key), dict) and any(about.has_title(t) for t in _strings(head, _TITLES))
            for key in _HEADS
        )

    def _is_work(self, node: dict[str, Any], *, in_list: bool) -> bool:
        """Tell whether an object is another article, or a comment: a title and an address, or an author."""
        if self._is_own(node):
            return False
        if in_list and any(key in node for key in _PRICED):
            return True
        if any(len(letters(t[:200])) > 9 for t in _strings(node, _TITLES)) and any(
            "/" in a.strip("/") or "-" in a for a in _strings(node, _ADDRESSES)
        ):
            return True
        return in_list and any(node.get(k) for k in _SIGNED) and any(isinstance(node.get(k), str) for k in TEXT_KEYS)


def _is_root(node: dict[str, Any]) -> bool:
    """Tell whether an object is the root of a tree of text."""
    words = type_words(node)
    if words and words[-1] in ("doc", "document", "root", "richtext"):
        return True
    return (isinstance(node.get("blocks"), list) and ("entityMap" in node or "time" in node or "version" in node)) or (
        isinstance(node.get("root"), dict) and "children" in node["root"]
    )


NEEDED_PROSE: Final = 200.0
"""A page that shows less prose than this shows nothing of its article."""

FEW_PROSE: Final = 1_000.0
"""Below this, a page may show the beginning of its article only: the data of frameworks is looked at too."""

ENOUGH_PROSE: Final = 3_000.0
"""A text with so much prose is no beginning of another one."""

LARGEST_SHARE: Final = 0.5
"""What a page shows of its article is at most this share of the embedded text, where that is used instead."""

LEAST_FOUND: Final = 0.4
"""So much of the text that is shown stands in the embedded one too."""

_NOTICE_CHARS: Final = 1_500
_CHUNK_LETTERS: Final = 24
_MAX_CHUNKS: Final = 60
_NO_LETTER = re.compile(r"[\W_]+")
_NOTICE = re.compile(
    r"\b(?:enable|activate|turn on|requires?|aktivieren|aktiviere|activez|activer|habilit\w{1,9}|activ[ae]r?|abilita\w{0,4}|włącz\w{0,4}"
    r"|включите|schakel|aktiver\w{0,4})\b[^.!?]{0,60}\bjavascript\b"
    r"|\bjavascript\b[^.!?]{0,60}\b(?:enabled?|disabled|required|not supported|aktivier\w{0,4}|deaktiviert|désactivé|activé|"
    r"desactivado|habilitado|disabilitato|wyłączon\w{0,3}|отключ\w{1,4}|uitgeschakeld)\b"
    r"|javascript[^。]{0,20}(?:有効|無効|启用|禁用|啟用|停用)|(?:启用|開啟|打开)[^。]{0,10}javascript",
    re.IGNORECASE,
)


def asks_for_scripts(text: str) -> bool:
    """Tell whether a short text is a notice that the page needs JavaScript."""
    return len(text) <= _NOTICE_CHARS and _NOTICE.search(text) is not None


def embedded_instead(document: Document, text: str) -> Embedded | None:
    """Return the article that a page carries as data, where the text that it shows had better be replaced by it.

    Parameters
    ----------
    document : Document
    text : str
        What a method made of what the page shows, blocks separated by blank lines; "" where it found nothing.

    Returns
    -------
    Embedded or None
        Where the page shows hardly any prose (`NEEDED_PROSE`), or a notice that it needs JavaScript: what is embedded. Where
        it may show the beginning of an article only: the embedded text if it is twice as long (`LARGEST_SHARE`) and either
        has most of what is shown (`LEAST_FOUND`), or JSON-LD gives it as the body and little is shown (`FEW_PROSE`). None
        otherwise.

    Notes
    -----
    Nothing is read where the text has `ENOUGH_PROSE`, or where neither JSON-LD has a body nor a piece of the text stands in the
    source a second time.
    """
    if len(text) >= 2 * ENOUGH_PROSE:
        return None
    paragraphs = [p for p in text.split("\n\n") if prose_chars(p)]
    prose = sum(map(prose_chars, paragraphs))
    if prose < NEEDED_PROSE or asks_for_scripts(text):
        return embedded_text(document)
    states = prose < FEW_PROSE and _stands_twice(document.html, paragraphs)
    if prose >= ENOUGH_PROSE or not (states or any("articleBody" in script for script in document.tree.data)):
        return None
    found = embedded_text(document, states=states)
    if found is None or not found.is_own or prose > LARGEST_SHARE * sum(prose_chars(b.text) for b in found.blocks):
        return None
    if found.source == "json-ld" and prose < FEW_PROSE:
        return found
    return found if _share_within("\n\n".join(paragraphs), found.text) >= LEAST_FOUND else None


def _stands_twice(source: str, paragraphs: list[str]) -> bool:
    """Tell whether one of the longest paragraphs stands in a page's source a second time, as a piece of it tells."""
    for paragraph in sorted(paragraphs, key=len, reverse=True)[:3]:
        piece = paragraph[10 : 10 + _CHUNK_LETTERS]
        if source.count(piece) > 1 or (not piece.isascii() and json.dumps(piece)[1:-1] in source):
            return True
    return False


def _share_within(part: str, whole: str) -> float:
    """Return the share of a text's pieces, of two dozen letters each, that another one has too."""
    letters_of_part, letters_of_whole = (_NO_LETTER.sub("", t.casefold()) for t in (part, whole))
    pieces = [letters_of_part[i : i + _CHUNK_LETTERS] for i in range(0, len(letters_of_part), _CHUNK_LETTERS)]
    pieces = pieces[:: 1 + len(pieces) // _MAX_CHUNKS]
    return sum(piece in letters_of_whole for piece in pieces) / max(1, len(pieces))


def _of_json_ld(document: Document, about: _About) -> Iterator[_Candidate]:
    """Yield the bodies of the JSON-LD objects that describe the page, the likeliest first."""
    linked = read_json_ld(document.tree.data)
    for rank, node in enumerate(about_page(linked, urls=about.urls, titles=[about.title, document.title])):
        place = _Place(rank, foreign=node.aside)
        for key in ("articleBody", "reviewBody", "text"):
            value = node.value.get(key)
            if isinstance(value, list):
                value = "\n\n".join(v for v in value if isinstance(v, str))
            if isinstance(value, str):
                posts = [value, *_posts(node.value)]
                if (prose := sum(map(prose_chars, posts))) >= MIN_PROSE:
                    yield _Candidate(posts, ("json-ld", node.types[0] if node.types else "", key), place, prose)
                    break
        updates = node.value.get("liveBlogUpdate")
        if isinstance(updates, list):
            pieces = [u[k] for u in updates if isinstance(u, dict) for k in ("headline", "articleBody") if isinstance(u.get(k), str)]
            if (prose := sum(map(prose_chars, pieces))) >= MIN_PROSE:
                yield _Candidate(pieces, ("json-ld", "liveblogposting", "liveBlogUpdate"), place, prose)


def _posts(node: dict[str, Any]) -> list[str]:
    """Return the answers to a question and the posts of a thread; none for articles, whose comments are no part of them."""
    if not _THREADS.isdisjoint(type_words({"type": str(node.get("@type"))})[:1]):
        found = [node.get(k) for k in ("acceptedAnswer", "suggestedAnswer", "comment")]
        listed = [post for value in found for post in (value if isinstance(value, list) else [value])[:200]]
        return [p["text"] for p in listed if isinstance(p, dict) and isinstance(p.get("text"), str)]
    return []


_THREADS: Final = frozenset(("question", "forumposting"))


def _ranked(candidates: list[_Candidate]) -> list[_Candidate]:
    """Return the candidates that may be the article, the best first; of one inside another with the same prose, the inner."""
    allowed = [c for c in candidates if c.place.distance >= 0 or _may_stand_alone(c)]
    allowed.sort(key=lambda c: -c.score)
    ranked: list[_Candidate] = []
    known: set[tuple[float, str]] = set()
    for candidate in allowed:
        likeness = (candidate.prose, candidate.path[-1])
        if likeness in known or len(known) == MAX_TRIED:
            continue
        known.add(likeness)
        n = len(candidate.path)
        inner = [c for c in allowed if len(c.path) > n and c.path[:n] == candidate.path and c.prose >= 0.95 * candidate.prose]
        for c in (*sorted(inner, key=lambda c: -len(c.path))[:1], candidate):
            if c not in ranked:
                ranked.append(c)
    return ranked


def _may_stand_alone(candidate: _Candidate) -> bool:
    """Tell whether a text may be the article's although no object near it has the page's title or address."""
    if candidate.place.foreign or candidate.place.prior < 0.5 or candidate.prose < MIN_PROSE_ALONE:
        return False
    keys = [p for p in candidate.path[1:] if p != "*"]
    if not keys or _words(keys[-1]).isdisjoint(_BODY):
        return False
    return any(not _words(key).isdisjoint(_ARTICLE) for key in keys)
