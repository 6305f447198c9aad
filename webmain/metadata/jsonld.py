"""Read the JSON-LD of a page, even if malformed, and find the object that describes the page."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from webmain.regex import lazy
from webmain.text.lenient_json import MAX_DEPTH, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_TOTAL_CHARS: Final = 4_000_000
"""Maximum characters read of all JSON-LD scripts of a page."""

MAX_NODES: Final = 5_000

_ARTICLE_TYPES: Final = frozenset(
    "article newsarticle blogposting reportagenewsarticle liveblogposting analysisnewsarticle "
    "opinionnewsarticle reviewnewsarticle backgroundnewsarticle askpublicnewsarticle advertisercontentarticle "
    "satiricalarticle scholarlyarticle medicalscholarlyarticle techarticle report socialmediaposting "
    "discussionforumposting".split()
)
_LESSER_TYPES: Final = {
    **dict.fromkeys("discussionforumposting socialmediaposting".split(), 7.0),
    **dict.fromkeys(
        "videoobject recipe podcastepisode audioobject review claimreview qapage howto medicalwebpage interview "
        "newsmediapage creativework product event course question book movie".split(),
        4.0,
    ),
    **dict.fromkeys("webpage itempage aboutpage faqpage".split(), 2.5),
}
_ASIDE_KEYS: Final = frozenset(
    "itemlistelement itemlist item mentions relatedlink significantlink isrelatedto issimilarto citation isbasedon "
    "comment comments review reviews haspart ispartof video image publisher author breadcrumb subjectof about "
    "blogpost blogposts liveblogupdate associatedmedia potentialaction creator sponsor itemreviewed".split()
)
"""Keys whose values describe something other than the page itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A typed object of the JSON-LD.

    Attributes
    ----------
    value : dict
        Unchanged.
    types : tuple of str
        Lower case, without the vocabulary's URL.
    aside : bool
        It is under a key that is not about the page: a list of other articles, an author, a comment.
    """

    value: dict[str, Any]
    types: tuple[str, ...]
    aside: bool

    @property
    def is_article(self) -> bool:
        """Whether one of the types is a kind of article."""
        return not _ARTICLE_TYPES.isdisjoint(self.types)


@dataclass(frozen=True, eq=False)
class JsonLd:
    """All typed objects of a page, in document order."""

    nodes: list[Node] = field(default_factory=list)

    @cached_property
    def by_id(self) -> dict[str, dict[str, Any]]:
        """Objects that have more than an `@id`, by that id."""
        found: dict[str, dict[str, Any]] = {}
        for node in self.nodes:
            name = node.value.get("@id")
            if isinstance(name, str) and len(node.value) > 2:
                found.setdefault(name, node.value)
        return found

    def resolve(self, value: Any) -> Any:
        """Return the object that a bare reference refers to; any other value unchanged."""
        if isinstance(value, dict) and len(value) <= 2 and isinstance(value.get("@id"), str) and "name" not in value:
            return self.by_id.get(value["@id"], value)
        return value


def read_json_ld(scripts: Sequence[str]) -> JsonLd:
    """Return the typed objects of all JSON-LD scripts of a page.

    Parameters
    ----------
    scripts : sequence of str
        Contents of the `script` elements, in document order (`Tree.data`).

    Returns
    -------
    JsonLd
        At most `MAX_NODES` objects, down to `MAX_DEPTH`; empty if nothing can be read. Never raises.
    """
    nodes: list[Node] = []
    left = MAX_TOTAL_CHARS
    for script in scripts:
        left -= len(script)
        if left < 0:
            break
        for value in parse_json(script):
            nodes.extend(_typed(value, MAX_NODES - len(nodes)))
    return JsonLd(nodes)


_DECLARED = lazy(r'"@type"\s{0,9}:\s{0,9}\[?\s{0,9}"([\w:/.]{1,80})"')


def declared_types(source: str) -> set[str]:
    """Return the types named anywhere in JSON-LD source, as written, without parsing it."""
    return set(_DECLARED.findall(source))


def _typed(root: Any, limit: int) -> Iterator[Node]:
    """Yield the typed objects under a value, parents first."""
    stack: list[tuple[Any, bool, int]] = [(root, False, 0)]
    visited = 0
    while stack and limit > 0 and visited < 20 * MAX_NODES:
        value, aside, depth = stack.pop()
        visited += 1
        if depth > MAX_DEPTH:
            continue
        if isinstance(value, list):
            stack.extend((v, aside, depth + 1) for v in reversed(value) if isinstance(v, (dict, list)))
        elif isinstance(value, dict):
            types = _types(value)
            if types or "@id" in value or "headline" in value:
                limit -= 1
                yield Node(value, types, aside)
            stack.extend(
                (v, aside or k.lower() in _ASIDE_KEYS, depth + 1)
                for k, v in reversed(value.items())
                if isinstance(v, (dict, list))
            )


def _types(value: dict[str, Any]) -> tuple[str, ...]:
    found = value.get("@type") or value.get("type")
    names = found if isinstance(found, list) else [found]
    return tuple(re.split(r"[/#:]", n)[-1].strip().lower() for n in names[:8] if isinstance(n, str))


def about_page(linked: JsonLd, *, urls: Iterable[str], titles: Iterable[str]) -> list[Node]:
    """Return the objects that may describe this page, the likeliest first.

    Parameters
    ----------
    linked : JsonLd
        All objects of the page.
    urls : iterable of str
        The page's addresses: its own, the canonical one.
    titles : iterable of str
        The page's title in other places.

    Returns
    -------
    list of Node
        Articles that are not part of a list or of another article come before other works and pages; within a kind, objects
        with the page's address or title come first. Empty if no object seems to be about the page.
    """
    addresses = {a for a in map(_address, urls) if a}
    folded = [t for t in map(_fold, titles) if len(t) > 8]
    scored = [(_score(node, addresses, folded), -i, node) for i, node in enumerate(linked.nodes)]
    ranked = sorted((s for s in scored if s[0] > 0), key=lambda s: s[:2], reverse=True)
    return [node for _, _, node in ranked[:6]]


def _score(node: Node, addresses: set[str], titles: list[str]) -> float:
    """Return an object's rank by its type, its place, its address and its title."""
    score = 10.0 if node.is_article else 0.0
    for name in node.types:
        score = _LESSER_TYPES.get(name, score)
    if not score and "headline" in node.value:
        score = 3.0
    if not score:
        return 0.0
    if node.aside:
        score -= 8.0
    own = [a for a in _own_addresses(node.value) if a]
    if own and addresses:
        score += 4.0 if not addresses.isdisjoint(own) else -2.5
    title = node.value.get("headline") or node.value.get("name")
    if isinstance(title, str) and titles:
        short = _fold(title)
        score += 3.0 if short and any(t.startswith(short[:40]) or short[:60] in t for t in titles) else 0.0
    return score + (1.0 if "datePublished" in node.value else 0.0) + (0.5 if "author" in node.value else 0.0)


def _own_addresses(value: dict[str, Any]) -> Iterator[str]:
    for key in ("url", "mainEntityOfPage", "@id"):
        found = value.get(key)
        if isinstance(found, list) and found:
            found = found[0]
        if isinstance(found, dict):
            found = found.get("@id") or found.get("url")
        if isinstance(found, str) and found.startswith(("http", "//")):
            yield _address(found)


def _address(url: str) -> str:
    """Return a URL reduced to host without www, path and query, for comparing."""
    before = url.partition("#")[0].partition("://")[2].lower()
    return re.sub(r"^(?:www|m|amp)\.", "", before.partition("?")[0]).rstrip("/")


def _fold(text: str) -> str:
    return re.sub(r"[\W_]+", "", html.unescape(text[:400]).casefold())


_JSON_STARTS: Final = ('{"', '["', "[{", "{'", "['", "[[", "{}", "[]")


def texts(value: Any, *, limit: int = 50) -> list[str]:
    """Return the strings of a value: itself, its items, or the `name`, `@value` or `headline` of objects.

    A string that looks like JSON is parsed; it is dropped if that fails.
    """
    found: list[str] = []
    stack = [(value, 0)]
    while stack and len(found) < limit:
        item, depth = stack.pop()
        if isinstance(item, str):
            item = html.unescape(item) if "&quot;" in item[:10] else item
            if item.lstrip()[:20].replace(" ", "").startswith(_JSON_STARTS):
                stack += [(v, depth + 1) for v in reversed(parse_json(item)) if depth < 5 and not isinstance(v, str)]
            elif item.strip():
                found.append(item[:2000])
        elif depth < 5 and isinstance(item, list):
            stack.extend((v, depth + 1) for v in reversed(item[:limit]))
        elif depth < 5 and isinstance(item, dict):
            for key in ("name", "@value", "headline", "title"):
                if item.get(key):
                    stack.append((item[key], depth + 1))
                    break
    return found


def first_text(value: Any) -> str:
    """Return the first string of a value, as `texts` finds them; "" if there is none."""
    return next(iter(texts(value)), "")
