"""What the pages of a site are compared by: paths of tags with ids and classes, fingerprints of texts, and what recurs.

Whoever learns from a site counts pages: `count_pages` counts names and texts, `grow` merges the paths of elements into one
tree, `KnownPages` leaves out pages that came before. What was learned is a `PlainRecord`.
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
"""Ids and classes of one element beyond these are left out of its step."""

MIN_TOKEN_SHARE: Final = 0.2
"""An id or class on fewer of the pages, or on one only, names an article or a section and is no part of the layout."""

MAX_PAGES: Final = 500
"""Pages that are compared and merged; the first ones are as good as any."""

MIN_PROSE_CHARS: Final = 120
"""A run of text from this length on counts when pages are compared: shorter ones are headings, links and labels."""

SAME_ARTICLE_CHARS: Final = 400
SAME_ARTICLE_SHARE: Final = 0.65
"""Two pages have the same article if they share so many characters of long runs, and this share of the page that has
fewer of them."""

_WITHOUT_TOKENS: Final = frozenset(
    ("html", "body")
)  # their classes name the kind of the page, and everything is below them


def text_runs(document: Document) -> Segmentation:
    """Divide a page's shown text into what is in one block-level element without interruption.

    Inline elements don't interrupt, so that a name that recurs inside sentences is no text of its own.
    """
    leaves = document.leaves
    owner = np.where(leaves.has(HIDDEN | Flag.EMBEDDED), -1, np.maximum(leaves.boxes, 0)).astype(np.int32)
    return from_runs(document, owner)


def text_fingerprint(text: str) -> str:
    """Return 16 hex digits that two texts share if a reader sees the same, but for case and white space."""
    return _of_label(text) if len(text) < MIN_PROSE_CHARS else _digest(text)


@lru_cache(maxsize=8_192)
def _of_label(text: str) -> str:
    """Remember what is on every page of a site: menus, links, labels."""
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
    """Count for each thing the pages that have it; new ones after the first `most` are left out."""
    counts: Counter[K] = Counter()
    for own in of_pages:
        counts.update(own if len(counts) < most else own & counts.keys())
    return counts


def recurring_tokens(of_pages: Sequence[Set[str]], *, most: int) -> frozenset[str]:
    """Return the ids and classes that belong to the layout, given those of each page; at most `most` are counted."""
    least = max(min(2, len(of_pages)), MIN_TOKEN_SHARE * len(of_pages))
    return frozenset(token for token, n in count_pages(of_pages, most=most).items() if n >= least)


def step(tag: str, names: Sequence[str], known: Container[str]) -> str:
    """Write a tag with those of its ids and classes (`tokens`) that are known: "div #main .story"."""
    kept = [] if tag in _WITHOUT_TOKENS else [name for name in names if name in known]
    return " ".join((tag[:MAX_TOKEN_CHARS], *kept[:MAX_TOKENS]))


def read_steps(elements: Elements, known: Container[str], at: Sequence[int] | None = None) -> list[str]:
    """Write the steps of elements; of some, where their indices are given."""
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
    """Return elements and all their ancestors, ascending; of the first blocks only, where `most` elements are reached."""
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
    """Find the node of each element of a page in a tree of paths, and add those that are not there yet.

    Parameters
    ----------
    nodes : dict
        Each node by its parent and its step; changed.
    parents, steps : iterable of int, of str
        Of each element; parents before their children, -1 for none.
    root : int
        The node of elements without parent; -1 where they have none.
    most : int
        No node is added to so many.

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
    """The pages of a site that came so far, as far as is needed to recognise them."""

    def __init__(self) -> None:
        self._urls: set[str] = set()
        self._wholes: set[tuple[str, ...]] = set()
        self._pages_with: dict[str, list[int]] = {}
        self._totals: list[int] = []

    def add(self, document: Document) -> bool:
        """Note a page; return whether it is a new one: no earlier page has its URL, its text, or nearly all of it."""
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
        """Return whether a page has nearly all long texts of an earlier one, or the earlier one has those of the page."""
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
    """Leave out pages that came before: by URL, by their whole text, or with nearly all of their long texts.

    An article that was fetched twice would look like layout to anyone who counts what recurs.

    Parameters
    ----------
    documents : iterable of Document
        Pages of one site; at most `MAX_PAGES` are returned.
    """
    return list(islice(filter(KnownPages().add, documents), MAX_PAGES))


class PlainRecord:
    """A frozen dataclass of plain values and columns (tuples) of them, written as JSON values and read without trust."""

    what: str = "record"
    """What it is called in errors."""

    def to_plain(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: self.__dict__[field.name] for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Read what `to_plain` wrote, by this or an earlier version: fields with a default may be missing.

        Raises
        ------
        ValueError
            A field is missing, has the wrong type or length, or lies outside of what is possible.
        """
        if not isinstance(plain, Mapping):
            raise ValueError(f"{cls.what}: is no mapping")
        names = [f.name for f in fields(cls) if f.name in plain or f.default is MISSING]  # type: ignore[arg-type]
        found = cls(**{name: _hashable(plain.get(name)) for name in names})
        found.check()
        return found

    def check(self) -> None:
        """Raise a ValueError unless the fields are what they should be."""

    def require(self, name: str, kind: type | tuple[type, ...], low: float = -math.inf, high: float = math.inf) -> None:
        """Raise a ValueError unless a field, or each value of a column, is of a type, and if it is a number, in a range."""
        values = getattr(self, name)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        for value in values if isinstance(values, tuple) else (values,):
            if type(value) not in kinds or (kinds[0] is not str and not low <= value <= high):
                raise ValueError(f"{self.what}: {name} has {value!r:.60}")

    def require_columns(self, names: Sequence[str], most: int) -> None:
        """Raise a ValueError unless columns are tuples of the same length, which is at most so much."""
        columns = [getattr(self, name) for name in names]
        if not all(isinstance(column, tuple) for column in columns) or len({len(column) for column in columns}) != 1:
            raise ValueError(f"{self.what}: {', '.join(names)} are not columns of the same length")
        if len(columns[0]) > most:
            raise ValueError(f"{self.what}: {', '.join(names)} are too long")


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
