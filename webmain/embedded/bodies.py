"""Walk a page's data of any structure, and collect texts that may be the article's body."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote

from webmain.embedded.rich_text import TEXT_KEYS, is_element, is_markup, type_words
from webmain.embedded.states import MAX_NODES, nested
from webmain.metadata.head import letters
from webmain.regex import lazy
from webmain.text.prose_amount import prose_chars
from webmain.urls import split_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webmain.html.document import Document
    from webmain.items import Metadata

MIN_PROSE: Final = 250.0
"""Minimum characters of prose (`prose_chars`) of a body."""

MIN_PROSE_ALONE: Final = 600.0
"""The minimum if nothing near the text has the page's title or URL."""

MIN_PROSE_UNNAMED: Final = 1_500.0
"""The minimum for a single string whose key doesn't indicate a body."""

MIN_STRING_CHARS: Final = 14
"""Minimum characters of a string that counts as prose, in any script."""

MAX_DEPTH: Final = 150
MAX_CANDIDATES: Final = 4_000
MAX_RECORDS: Final = 4


class About:
    """The titles and URLs of a page that an object about it may repeat; metadata is read on first use."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @cached_property
    def _metadata(self) -> Metadata:
        from webmain.metadata.read import read_metadata

        return read_metadata(self._document)

    @property
    def title(self) -> str:
        """The page's headline."""
        return self._metadata.title or self._document.title

    @cached_property
    def titles(self) -> list[str]:
        """The headline and the `title` element, letters and digits only."""
        return [t for t in dict.fromkeys(map(letters, (self.title, self._document.title))) if len(t) > 5]

    @cached_property
    def urls(self) -> list[str]:
        """The page's own URL and the canonical one."""
        return [u for u in (self._document.url, self._metadata.canonical_url) if u]

    @cached_property
    def slugs(self) -> set[str]:
        """The last parts of the URLs, if they could identify one article."""
        return {s for s in map(_slug, self.urls) if s}

    def has_title(self, text: str) -> bool:
        """Return True if a title is the page's own, or if one begins with the other."""
        own = letters(text[:600])
        return len(own) > 5 and any(
            t == own or (len(own) > 14 and (t.startswith(own) or own.startswith(t))) for t in self.titles
        )

    def has_address(self, text: str) -> bool:
        """Return True if a URL or a slug is the page's own."""
        return len(text) < 2000 and _slug(text) in self.slugs


def _slug(url: str) -> str:
    """Return the last part of a URL if it could identify one article; "" otherwise."""
    last = (
        unquote(split_url(url).path.rstrip("/").rpartition("/")[2]).lower().removesuffix(".html").removesuffix(".htm")
    )
    return last if len(last) > 7 and last not in ("index", "default") else ""


class Context(NamedTuple):
    """The context of a value among its ancestor objects.

    Attributes
    ----------
    distance : int
        Steps down from an object with the page's title or URL; -1 if there is none.
    foreign : bool
        Inside an object with a title and a URL of its own.
    prior : float
        Evidence for a body from the keys above it, in [0, 1].
    records : tuple of dict
        The objects above it that may be about the page, innermost first.
    """

    distance: int = -1
    foreign: bool = False
    prior: float = 1.0
    records: tuple[dict[str, Any], ...] = ()

    def below(self, promise: float) -> Context:
        """Return the context of the value under a key with this factor."""
        distance = self.distance + 1 if self.distance >= 0 else -1
        return Context(distance, self.foreign, self.prior * promise, self.records)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A string, or a tree of strings, that may be the article's body; `path` begins with where it was found."""

    value: Any
    path: tuple[str, ...]
    context: Context
    prose: float

    @property
    def score(self) -> float:
        """Amount of prose, weighted by the candidate's context."""
        return self.prose * self.factor

    @property
    def is_likely(self) -> bool:
        """Whether its context allows it to be the article's body.

        Near an object with the page's title or URL, a single string needs a key that indicates a body, or length. Elsewhere
        the keys above it must indicate an article as well.
        """
        keys = [key for key in self.path[1:] if key != "*"]
        is_body = bool(keys) and not _words(keys[-1]).isdisjoint(_BODY)
        if self.context.distance >= 0:
            is_long = self.prose >= MIN_PROSE_UNNAMED or not isinstance(self.value, str)
            return self.context.prior >= 0.05 and (is_long or is_body)
        is_enough = self.context.prior >= 0.5 and self.prose >= MIN_PROSE_ALONE
        may_be_body = is_body and is_enough and not self.context.foreign
        return may_be_body and any(not _words(key).isdisjoint(_ARTICLE) for key in keys)

    @property
    def factor(self) -> float:
        """Weight from the candidate's context."""
        near = 3.0 * 0.93**self.context.distance if self.context.distance >= 0 else 0.2 if self.context.foreign else 0.7
        last = next((p for p in reversed(self.path) if p != "*"), "")
        formed = 1.15 if not isinstance(self.value, str) or is_markup(self.value[:5000]) else 1.0
        return near * self.context.prior * formed * (1.4 if _words(last) & _BODY else 1.0)


_KEY_WORDS = lazy(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_BODY = frozenset("body content article story post text html paragraphs blocks articlebody rendered document".split())
_ASIDE = frozenset(
    "comment comments reply replies related relateds recommended recommendation recommendations recommend trending "
    "popular latest similar next previous prev more legal author authors byline bylines bio biography footer nav "
    "navigation menu menus sidebar ad ads advertising adverts promo promos promotion newsletter subscription "
    "subscriptions subscribe paywall user users env toast modal popup banner caption captions image images photo "
    "photos media thumbnail gallery alt schema jsonld structureddata css styles style script scripts breadcrumbs feed "
    "feeds teaser teasers widgets polls transcript tooltip placeholder help features flags layout experiments "
    "testimonials team members executives productgroups products variants skus schemas subcategories categories "
    "episodes mentions reviews ratings".split()
)
_ARTICLE = frozenset("article story post blogpost articlebody bodytext news main".split())
_WORDING = frozenset(
    "i18n translation translations intl locale locales messages message labels strings dictionary consent cookie "
    "cookies gdpr cmp privacy terms policy disclaimer disclosure error errors errormap".split()
)
_SHORT = frozenset(
    "description summary excerpt dek standfirst snippet blurb abstract intro lead seo meta og twitter faq settings "
    "config configuration".split()
)


def _words(key: str) -> frozenset[str]:
    return frozenset(w.lower() for w in _KEY_WORDS.findall(key[:80])) | {key.lower()}


@lru_cache(maxsize=4_096)
def _promise(key: str) -> float:
    """Return the factor that a key, of which the first 80 characters count, applies to all values below it."""
    words = _words(key)
    if not words.isdisjoint(_WORDING):
        return 0.001
    if not words.isdisjoint(_ASIDE):
        return 0.1
    return 0.5 if not words.isdisjoint(_SHORT) else 1.0


_TITLES: Final = frozenset("headline title name heading pageTitle page_title headlines seoTitle question".split())
_ADDRESSES: Final = frozenset(
    "url canonical_url canonicalUrl canonical slug permalink link href uri path website_url @id webUrl shareUrl "
    "mainEntityOfPage fullUrl relativeUrl seoUrl urlPath".split()
)
_HEADS: Final = frozenset(
    "seo SEO meta metadata head header hero openGraph og pageMeta frontmatter frontMatter".split()
)
_PRICED: Final = frozenset("price prices sku skuId productId product_id variants priceRange".split())
_SIGNED: Final = frozenset("author user username userName commenter postedBy author_name authorName creator".split())
_TEXTS: Final = frozenset(TEXT_KEYS)
_APART: Final = frozenset("nav footer aside script style head form button".split())
_HOLDING: Final = frozenset("article main section div".split())


def _strings(node: dict[str, Any], keys: frozenset[str]) -> Iterator[str]:
    """Yield the strings under the given keys, and those one level below."""
    for key in node.keys() & keys:
        value = node[key]
        if isinstance(value, str) and value:
            yield value
        elif isinstance(value, dict):
            yield from (v for v in islice(value.values(), 20) if isinstance(v, str) and v)
        elif isinstance(value, list):
            yield from (v["text"] for v in value[:2] if isinstance(v, dict) and isinstance(v.get("text"), str))


class Search:
    """A walk over the states of one page, which collects candidates; the states must exist as long as it does."""

    def __init__(self, about: About) -> None:
        self._about = about
        self._left = MAX_NODES
        self._proses: dict[int, float] = {}
        self._read: dict[str, tuple[Any, float]] = {}
        self.found: list[Candidate] = []

    def visit(self, value: Any, path: tuple[str, ...], context: Context, depth: int) -> float:
        """Return the prose of a value that counts as its parent's; collect candidates for the article."""
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            return 0.0
        if isinstance(value, str):
            return self._string(value, path, context, depth)
        if isinstance(value, (dict, list)) and (prose := self._prose_below(value, depth)) < MIN_PROSE:
            return prose
        if isinstance(value, list):
            return self._list(value, path, context, depth)
        return self._object(value, path, context, depth) if isinstance(value, dict) else 0.0

    def _prose_below(self, value: Any, depth: int) -> float:
        """Return the prose of all strings in a value; results are cached."""
        if isinstance(value, str):
            if len(value) < MIN_STRING_CHARS:
                return 0.0
            value, prose = self._read_string(value)
            return prose if isinstance(value, str) else self._prose_below(value, depth + 1)
        if depth > MAX_DEPTH or not isinstance(value, (dict, list)):
            return 0.0
        known = self._proses.get(id(value))
        if known is None:
            self._proses[id(value)] = known = 0.0
            for inner in value.values() if isinstance(value, dict) else value:
                if isinstance(inner, (str, dict, list)):
                    known += self._prose_below(inner, depth + 1)
            self._proses[id(value)] = known
        return known

    def _read_string(self, text: str) -> tuple[Any, float]:
        """Return a string's value, parsed if it is JSON, and its prose; cached, since data may repeat a string."""
        if text not in self._read:
            value = nested(text)
            self._read[text] = value, prose_chars(text) if isinstance(value, str) else 0.0
        return self._read[text]

    def _note(self, value: Any, path: tuple[str, ...], context: Context, prose: float) -> None:
        if prose >= MIN_PROSE and len(self.found) < MAX_CANDIDATES:
            self.found.append(Candidate(value, path, context, prose))

    def _string(self, text: str, path: tuple[str, ...], context: Context, depth: int) -> float:
        if len(text) < MIN_STRING_CHARS:
            return 0.0
        value, prose = self._read_string(text)
        if not isinstance(value, str):
            return self.visit(value, path, context, depth + 1)
        self._note(text, path, context, prose)
        return prose

    def _list(self, items: list[Any], path: tuple[str, ...], context: Context, depth: int) -> float:
        if is_element(items):
            return self._react(items, path, context, depth)
        total = works = 0.0
        own = []
        for item in items:
            prose = self.visit(item, (*path, "*"), context.below(1.0), depth + 1)
            if isinstance(item, dict) and self._is_work(item, in_list=True) and not self._is_own(item):
                works += prose
            else:
                total += prose
                own.append(item)
        if len(items) > 1 and total > works:
            self._note(own, path, context, total)
        return total

    def _react(self, element: list[Any], path: tuple[str, ...], context: Context, depth: int) -> float:
        """Visit a React element: its text belongs to that of its parent elements."""
        tag = str(element[1])
        if tag in _APART:
            return 0.0
        total = 0.0
        for key, value in element[3].items():
            total += self.visit(value, path if key == "children" else (*path, key), context, depth + 1)
        if tag in _HOLDING:
            self._note(element, (*path, tag), context, total)
        return total

    def _object(self, node: dict[str, Any], path: tuple[str, ...], context: Context, depth: int) -> float:
        is_own = self._is_own(node)
        is_work = not is_own and self._is_work(node, in_list=path[-1] == "*")
        if is_own:
            prior = max(context.prior, 0.4) if context.prior >= 0.05 else context.prior
            context = Context(0, False, prior, context.records)
        elif is_work:
            context = Context(-1, True, context.prior)
        context = context._replace(records=(node, *context.records[:MAX_RECORDS]))
        total = own = 0.0
        for key, value in node.items():
            if self._prose_below(value, depth + 1):
                inner = context.below(_promise(key[:80]))
                prose = self.visit(value, (*path, key), inner, depth + 1)
                if isinstance(value, str):
                    own = max(own, prose)  # versions of one text, or a text and its labels
                elif inner.prior >= 0.5 * context.prior:
                    total += prose
        total += own
        if _is_root(node):
            self._note(node, path, context, total)
        return 0.0 if is_own else total  # an object that contains the article among other things is not its body

    def _is_own(self, node: dict[str, Any]) -> bool:
        """Return True if an object has the page's title or URL."""
        about = self._about
        titled = [node, *(node[key] for key in node.keys() & _HEADS if isinstance(node[key], dict))]
        has_title = any(about.has_title(title) for each in titled for title in _strings(each, _TITLES))
        return has_title or any(about.has_address(address) for address in _strings(node, _ADDRESSES))

    def _is_work(self, node: dict[str, Any], *, in_list: bool) -> bool:
        """Return True if an object is another article or a comment: it has a title and a URL, or an author."""
        if in_list and not _PRICED.isdisjoint(node):
            return True
        if any(len(letters(t[:200])) > 9 for t in _strings(node, _TITLES)) and any(
            "/" in a.strip("/") or "-" in a for a in _strings(node, _ADDRESSES)
        ):
            return True
        return (
            in_list
            and any(node[k] for k in node.keys() & _SIGNED)
            and any(isinstance(node[k], str) for k in node.keys() & _TEXTS)
        )


def _is_root(node: dict[str, Any]) -> bool:
    """Return True if an object is the root of a tree of text."""
    words = type_words(node)
    if words and words[-1] in ("doc", "document", "root", "richtext"):
        return True
    return (isinstance(node.get("blocks"), list) and ("entityMap" in node or "time" in node or "version" in node)) or (
        isinstance(node.get("root"), dict) and "children" in node["root"]
    )
