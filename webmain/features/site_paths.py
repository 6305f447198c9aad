"""Tools to compare the pages of a site: paths of tags with ids and classes, text fingerprints, counts of what recurs.

`count_pages` counts pages with a name or text, `grow` merges the paths of elements into one tree, `KnownPages` filters
repeated pages. What is learned of a site is a `PlainRecord`.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import MISSING, fields
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import numpy as np

from webmain.html.blocks import Segmentation, from_runs
from webmain.html.columns import HIDDEN, Flag
from webmain.text.normal import comparable
from webmain.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence, Set

    from webmain.html.document import Document
    from webmain.html.tree import Elements

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

MAX_TOKEN_CHARS: Final = 60
MAX_TOKENS: Final = 4
"""Ids and classes kept in one element's step."""

MIN_TOKEN_SHARE: Final = 0.2
"""An id or class on a smaller share of the pages, or on one page only, names an article or a section, not the layout."""

MAX_PAGES: Final = 500
"""Limit on pages that are compared and merged; the first ones are used."""

MIN_PROSE_CHARS: Final = 120
"""Minimum length of text runs used to compare pages; shorter ones are headings, links and labels."""

SAME_ARTICLE_CHARS: Final = 400
SAME_ARTICLE_SHARE: Final = 0.65
"""Two pages have the same article if their common long runs have at least `SAME_ARTICLE_CHARS` characters and this share of
the long runs of the page that has fewer."""

_WITHOUT_TOKENS: Final = frozenset(("html", "body"))  # their classes name the page type, and are on every path


def text_runs(document: Document) -> Segmentation:
    """Return runs of a page's shown text: text in one block-level element without another one in between.

    Inline elements don't end a run, so a name that recurs inside sentences is not a text of its own.
    """
    leaves = document.leaves
    owner = np.where(leaves.has(HIDDEN | Flag.EMBEDDED), -1, np.maximum(leaves.boxes, 0)).astype(np.int32)
    return from_runs(document, owner)


def text_fingerprint(text: str) -> str:
    """Return 16 hex digits, equal for texts that look the same to a reader apart from case and white space."""
    return _of_label(text) if len(text) < MIN_PROSE_CHARS else _digest(text)


@lru_cache(maxsize=8_192)
def _of_label(text: str) -> str:
    """Return the cached digest of a short text: menus, links and labels recur on every page of a site."""
    return _digest(text)


def _digest(text: str) -> str:
    return hashlib.blake2b(comparable(text).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def tokens(attributes: Mapping[str, str | None]) -> list[str]:
    """Return an element's id and classes: "#main", ".story"; each class once, in alphabetical order."""
    found = []
    if name := attributes.get("id"):
        found.append(f"#{''.join(name.split())[:MAX_TOKEN_CHARS]}")
    if value := attributes.get("class"):
        found += sorted({f".{name[:MAX_TOKEN_CHARS]}" for name in value.split()})
    return found


def count_pages(of_pages: Iterable[Set[K]], *, most: int) -> Counter[K]:
    """Return the number of pages with each item; once `most` items are known, new ones are ignored."""
    counts: Counter[K] = Counter()
    for own in of_pages:
        counts.update(own if len(counts) < most else own & counts.keys())
    return counts


def recurring_tokens(of_pages: Sequence[Set[str]], *, most: int) -> frozenset[str]:
    """Return the ids and classes that belong to the layout, given those of each page; at most `most` are counted."""
    least = max(min(2, len(of_pages)), MIN_TOKEN_SHARE * len(of_pages))
    return frozenset(token for token, n in count_pages(of_pages, most=most).items() if n >= least)


def step(tag: str, names: Sequence[str], known: Container[str]) -> str:
    """Return a tag with its known ids and classes (`tokens`): "div #main .story"."""
    kept = [] if tag in _WITHOUT_TOKENS else [name for name in names if name in known]
    return " ".join((tag[:MAX_TOKEN_CHARS], *kept[:MAX_TOKENS]))


def read_steps(elements: Elements, known: Container[str], at: Sequence[int] | None = None) -> list[str]:
    """Return the steps of all elements, or of those at the given indices."""
    tags, attributes = elements.tags, elements.attributes
    plain: dict[tuple[str, str | None, str | None], str] = {}
    steps = []
    for i in range(len(tags)) if at is None else at:
        own = attributes[i]
        key = tags[i], own.get("id"), own.get("class")
        if key not in plain:
            plain[key] = step(tags[i], tokens(own), known)
        steps.append(plain[key])
    return steps


def with_ancestors(elements: Elements, blocks: Iterable[int], *, most: int | None = None) -> list[int]:
    """Return elements and all their ancestors, ascending; stop after the block that exceeds `most` elements."""
    found: set[int] = set()
    for element in blocks:
        while element >= 0 and element not in found:
            found.add(element)
            element = elements.parent[element]
        if most is not None and len(found) > most:
            break
    return sorted(found)


def grow(
    nodes: dict[tuple[int, str], int], parents: Iterable[int], steps: Iterable[str], *, root: int = -1, most: int = 0
) -> list[int]:
    """Return the node of each element of a page in a tree of paths, after adding missing nodes.

    Parameters
    ----------
    nodes : dict
        Each node by its parent and its step; modified in place.
    parents, steps : iterable of int, of str
        Parent and step of each element; parents before their children, -1 for none.
    root : int
        The parent node of elements without parent.
    most : int
        Maximum number of nodes.

    Returns
    -------
    list of int
        -1 for elements whose path is not in the tree.
    """
    found: list[int] = []
    for parent, own in zip(parents, steps, strict=True):
        around = found[parent] if parent >= 0 else root
        node = -1
        if parent < 0 or around >= 0:
            key = around, own
            node = nodes.get(key, -1)
            if node < 0 and len(nodes) < most:
                node = nodes[key] = len(nodes)
        found.append(node)
    return found


class KnownPages:
    """What is needed to recognise repeated pages of a site."""

    def __init__(self) -> None:
        self._urls: set[str] = set()
        self._wholes: set[tuple[str, ...]] = set()
        self._pages_with: dict[str, list[int]] = {}
        self._totals: list[int] = []

    def add(self, document: Document) -> bool:
        """Add a page and return True, unless an earlier page has its URL, its text, or nearly all of its text."""
        url = normalise(document.url) if document.url else None
        runs = text_runs(document)
        texts = runs.texts(range(len(runs)))
        whole = tuple(map(text_fingerprint, texts))
        prose = {name: len(text) for name, text in zip(whole, texts, strict=True) if len(text) >= MIN_PROSE_CHARS}
        if (url and url in self._urls) or whole in self._wholes or self._is_known(prose):
            return False
        if url:
            self._urls.add(url)
        self._wholes.add(whole)
        for name in prose:
            self._pages_with.setdefault(name, []).append(len(self._totals))
        self._totals.append(sum(prose.values()))
        return True

    def _is_known(self, prose: dict[str, int]) -> bool:
        """Return True if a page has nearly all long texts of an earlier page, or the other way round."""
        shared: Counter[int] = Counter()
        for name, n_chars in prose.items():
            for page in self._pages_with.get(name, ()):
                shared[page] += n_chars
        total = sum(prose.values())
        return any(
            n_chars >= SAME_ARTICLE_CHARS and n_chars >= SAME_ARTICLE_SHARE * min(total, self._totals[page])
            for page, n_chars in shared.items()
        )


def distinct_pages(documents: Iterable[Document]) -> list[Document]:
    """Return the pages without repeated ones: by URL, by the whole text, or with nearly all of their long texts.

    An article fetched twice would otherwise look like layout, because its text recurs.

    Parameters
    ----------
    documents : iterable of Document
        Pages of one site; at most `MAX_PAGES` are returned.
    """
    return list(islice(filter(KnownPages().add, documents), MAX_PAGES))


class PlainRecord:
    """Base of frozen dataclasses of plain values and tuples of them; stored as JSON values, validated when read."""

    what: str = "record"
    """Name of the record in error messages."""

    def to_plain(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: self.__dict__[field.name] for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Return the record that `to_plain` wrote in this or an earlier version: fields with a default may be missing.

        Raises
        ------
        ValueError
            A field is missing, has the wrong type or length, or is out of range.
        """
        if not isinstance(plain, Mapping):
            raise ValueError(f"{cls.what}: is no mapping")
        names = [f.name for f in fields(cls) if f.name in plain or f.default is MISSING]  # type: ignore[arg-type]
        values = {name: plain.get(name) for name in names}
        found = cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})
        found.check()
        return found

    def check(self) -> None:
        """Raise a ValueError unless the fields are valid."""

    def require(self, name: str, kind: type | tuple[type, ...], low: float = -math.inf, high: float = math.inf) -> None:
        """Raise a ValueError unless a field has the type and, for numbers, is in the range."""
        self._require(name, (getattr(self, name),), kind, low, high)

    def require_each(
        self, name: str, kind: type | tuple[type, ...], low: float = -math.inf, high: float = math.inf
    ) -> None:
        """Raise a ValueError unless each value of a column has the type and, for numbers, is in the range."""
        self._require(name, getattr(self, name), kind, low, high)

    def _require(
        self, name: str, values: Sequence[Any], kind: type | tuple[type, ...], low: float, high: float
    ) -> None:
        kinds = kind if isinstance(kind, tuple) else (kind,)
        for value in values:
            if type(value) not in kinds or (kinds[0] is not str and not low <= value <= high):
                raise ValueError(f"{self.what}: {name} has {value!r:.60}")

    def require_columns(self, names: Sequence[str], most: int) -> None:
        """Raise a ValueError unless the columns are tuples of the same length, at most `most`."""
        columns = [getattr(self, name) for name in names]
        if not all(isinstance(column, tuple) for column in columns) or len({len(column) for column in columns}) != 1:
            raise ValueError(f"{self.what}: {', '.join(names)} are not columns of the same length")
        if len(columns[0]) > most:
            raise ValueError(f"{self.what}: {', '.join(names)} are too long")
