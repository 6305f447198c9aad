"""The merged tag tree of a site's pages, which says of any page's text what it shares with the others.

Each node is a path of tags with ids and classes. It counts the pages it stands in, and for each text found there the pages
that have just that text. What stands in most pages with the same text is the site's layout; whoever learns from a site can
ask for both counts. `webmain.features.evidence` makes the tree.

References
----------
Deepa Chandran, Anna Saro Vijendran: A Layout Based Detachment Approach for Extracting Content from Webpages, "Tag Tree
Parsing": the trees of all pages of a site are integrated into a single one with their common features.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from webmain.html.blocks import Segmentation, from_runs
from webmain.html.columns import HIDDEN, Flag
from webmain.text.normal import comparable

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence, Set

    from numpy.typing import NDArray

    from webmain.html.document import Document
    from webmain.html.tree import Elements

MAX_NODES = 50_000
"""Nodes that a site tree holds; those that stand in the most pages stay."""

MAX_TEXTS = 50_000
"""Texts that a site tree holds; those that recur most stay."""

MAX_TOKEN_CHARS = 60
MAX_TOKENS = 4
"""Ids and classes of one element beyond these are left out of its step."""

MIN_TOKEN_SHARE = 0.2
"""An id or class that stands in fewer of the pages, or in one only, names an article or a section, no part of the layout."""

_WITHOUT_TOKENS = frozenset(("html", "body"))  # their classes tell the kind of the page, and everything is below them
_T = TypeVar("_T", int, str)


def text_runs(document: Document) -> Segmentation:
    """Divide a page's shown text into what stands in one block-level element without interruption.

    Inline elements don't interrupt, so that a name that recurs inside sentences is no text of its own.
    """
    leaves = document.leaves
    owner = np.where(leaves.has(HIDDEN | Flag.EMBEDDED), -1, np.maximum(leaves.boxes, 0)).astype(np.int32)
    return from_runs(document, owner)


def text_fingerprint(text: str) -> str:
    """Return 16 hex digits that two texts share if a reader sees the same, but for case and white space."""
    return hashlib.blake2b(comparable(text).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def tokens(attributes: Mapping[str, str | None]) -> list[str]:
    """Return an element's id and classes: "#main", ".story"; each class once, in alphabetical order."""
    found = []
    if name := attributes.get("id"):
        found.append(f"#{''.join(name.split())[:MAX_TOKEN_CHARS]}")
    if value := attributes.get("class"):
        found += sorted({f".{name[:MAX_TOKEN_CHARS]}" for name in value.split()})
    return found


def recurring_tokens(of_pages: Iterable[Set[str]], *, most: int) -> frozenset[str]:
    """Find the ids and classes that belong to the layout.

    Parameters
    ----------
    of_pages : iterable of set of str
        For each page, its own.
    most : int
        So many are counted; new ones after that are left out.
    """
    counts: Counter[str] = Counter()
    n_pages = 0
    for own in of_pages:
        n_pages += 1
        counts.update(own if len(counts) < most else own & counts.keys())
    least = max(min(2, n_pages), MIN_TOKEN_SHARE * n_pages)
    return frozenset(token for token, n in counts.items() if n >= least)


def read_steps(elements: Elements, known: Container[str]) -> Iterator[str]:
    """Write each element's tag with those of its ids and classes that are known."""
    plain: dict[tuple[str, str | None, str | None], str] = {}
    for tag, attributes in zip(elements.tags, elements.attributes, strict=True):
        key = tag, attributes.get("id"), attributes.get("class")
        if key not in plain:
            plain[key] = step(tag, tokens(attributes), known)
        yield plain[key]


def step(tag: str, names: Sequence[str], known: Container[str]) -> str:
    """Write a tag with those of its ids and classes (`tokens`) that are known: "div #main .story"."""
    kept = [] if tag in _WITHOUT_TOKENS else [name for name in names if name in known]
    return " ".join((tag[:MAX_TOKEN_CHARS], *kept[:MAX_TOKENS]))


@dataclass(frozen=True, kw_only=True)
class RunEvidence:
    """What a site tree knows of a page's runs of text.

    Attributes
    ----------
    n_path : (n_runs,) int32
        Pages in which the run's path stands; 0 for a path the tree doesn't know.
    n_same : (n_runs,) int32
        Pages in which the same text stands at that path; 0 where it recurs nowhere.
    """

    n_path: NDArray[np.int32]
    n_same: NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class SiteTree:
    """The merged tag trees of a site's pages; parents stand before their children.

    Attributes
    ----------
    n_pages : int
        Pages that were merged.
    parents : tuple of int
        For each node its parent's index, -1 for the root.
    steps : tuple of str
        For each node its tag with id and classes, parted by spaces: "div #main .story"; only ids and classes that recur.
    pages : tuple of int
        For each node the pages it stands in, at least 2 (1 if a single page was merged).
    text_nodes : tuple of int
        For each text the node it stands in.
    texts : tuple of str
        For each text its fingerprint, 16 hex digits.
    text_pages : tuple of int
        For each text the pages that have it there, at least 2.
    """

    n_pages: int
    parents: tuple[int, ...]
    steps: tuple[str, ...]
    pages: tuple[int, ...]
    text_nodes: tuple[int, ...]
    texts: tuple[str, ...]
    text_pages: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.steps)

    def __repr__(self) -> str:
        return f"SiteTree({len(self)} nodes and {len(self.texts)} texts of {self.n_pages} pages)"

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: self.__dict__[field.name] for field in fields(self)}  # views are made anew

    def path(self, node: int) -> str:
        """Return a node's path from the root: "html/body/div#main.story/p"."""
        steps = []
        while node >= 0:
            steps.append(self.steps[node].replace(" ", ""))
            node = self.parents[node]
        return "/".join(reversed(steps))

    @cached_property
    def same(self) -> NDArray[np.int32]:
        """For each node, in how many pages its text is the same: those of its most frequent text; 0 if none recurs."""
        most = np.zeros(len(self), dtype=np.int32)
        np.maximum.at(most, np.array(self.text_nodes, dtype=np.int64), np.array(self.text_pages, dtype=np.int32))
        return most

    @cached_property
    def _tokens(self) -> frozenset[str]:
        return frozenset(token for step in self.steps for token in step.split(" ")[1:])

    @cached_property
    def _children(self) -> dict[tuple[int, str], int]:
        return {key: node for node, key in enumerate(zip(self.parents, self.steps, strict=True))}

    @cached_property
    def _text_pages(self) -> dict[tuple[int, str], int]:
        keys = zip(self.text_nodes, self.texts, strict=True)
        return dict(zip(keys, self.text_pages, strict=True))

    def nodes(self, document: Document) -> NDArray[np.int32]:
        """Find the node of each element of a page.

        Returns
        -------
        (n_elements,) int32
            -1 for elements whose path the tree doesn't know.
        """
        elements, find = document.elements, self._children.get
        found: list[int] = []
        add = found.append
        for parent, step in zip(elements.parent, read_steps(elements, self._tokens), strict=True):
            above = found[parent] if parent >= 0 else -1
            add(find((above, step), -1) if above >= 0 or parent < 0 else -1)
        return np.array(found, dtype=np.int32)

    def evidence(self, runs: Segmentation) -> RunEvidence:
        """Look up runs of text (`text_runs` of a page) by path and text."""
        nodes = self.nodes(runs.document)[runs.element]
        n_path = np.append(np.array(self.pages, dtype=np.int32), np.int32(0))[nodes]
        n_same = np.zeros(len(runs), dtype=np.int32)
        known = np.flatnonzero(nodes >= 0).tolist()
        fingerprints = map(text_fingerprint, runs.texts(known))
        for run, node, text in zip(known, nodes[known].tolist(), fingerprints, strict=True):
            n_same[run] = self._text_pages.get((node, text), 0)
        return RunEvidence(n_path=n_path, n_same=n_same)

    @cached_property
    def _named(self) -> NDArray[np.bool_]:
        """Tell the nodes with an id or a class somewhere on their path."""
        named = np.zeros(len(self), dtype=np.bool_)
        for node, (parent, step) in enumerate(zip(self.parents, self.steps, strict=True)):
            named[node] = " " in step or (parent >= 0 and named[parent])
        return named

    @cached_property
    def _common_texts(self) -> frozenset[tuple[int, str]]:
        """The texts that stand in more than half of the pages, with their nodes."""
        return frozenset(key for key, n in self._text_pages.items() if 2 * n > self.n_pages)

    def resemblance(self, document: Document) -> float:
        """Return which share of what is common to the site's pages stands in a page, in [0, 1].

        Notes
        -----
        The mean of two shares: of the nodes in more than half of the pages that have an id or a class somewhere on their
        path ("html/body/div/p" stands in pages of any site), and of the texts in more than half of the pages at their
        path. Where a site has only one of both, that one; where it has neither, the share of all common nodes.
        """
        nodes = self.nodes(document)
        seen = np.zeros(len(self), dtype=np.bool_)
        seen[nodes[nodes >= 0]] = True
        shares = []
        common = 2 * np.array(self.pages, dtype=np.int64) > self.n_pages
        if (common & self._named).any():
            shares.append(_share(seen, common & self._named))
        if self._common_texts:
            runs = text_runs(document)
            at = nodes[runs.element].tolist()
            own = set(zip(at, map(text_fingerprint, runs.texts(range(len(runs)))), strict=True))
            shares.append(len(own & self._common_texts) / len(self._common_texts))
        return float(np.mean(shares)) if shares else _share(seen, common)

    def to_plain(self) -> dict[str, Any]:
        """Return the tree as JSON values, columns by name."""
        return {
            "n_pages": self.n_pages,
            "parents": list(self.parents),
            "steps": list(self.steps),
            "pages": list(self.pages),
            "text_nodes": list(self.text_nodes),
            "texts": list(self.texts),
            "text_pages": list(self.text_pages),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """Read what `to_plain` wrote.

        Raises
        ------
        ValueError
            A column is missing, has the wrong type or length, or points nowhere.
        """
        n_pages = plain.get("n_pages") if isinstance(plain, Mapping) else None
        if type(n_pages) is not int or n_pages < 1:
            raise ValueError("site tree: n_pages is not a positive number")
        parents, pages, text_nodes, text_pages = (
            _column(plain, name, int) for name in ("parents", "pages", "text_nodes", "text_pages")
        )
        steps, texts = _column(plain, "steps", str), _column(plain, "texts", str)
        if not len(parents) == len(steps) == len(pages) <= MAX_NODES:
            raise ValueError("site tree: columns of nodes differ in length, or are too long")
        if not len(text_nodes) == len(texts) == len(text_pages) <= MAX_TEXTS:
            raise ValueError("site tree: columns of texts differ in length, or are too long")
        if any(not -1 <= parent < node for node, parent in enumerate(parents)):
            raise ValueError("site tree: a node stands before its parent")
        if any(not 0 <= node < len(steps) for node in text_nodes):
            raise ValueError("site tree: a text belongs to no node")
        if any(not 1 <= n <= n_pages for n in (*pages, *text_pages)):
            raise ValueError(f"site tree: a count lies outside the {n_pages} pages")
        return cls(
            n_pages=n_pages,
            parents=parents,
            steps=steps,
            pages=pages,
            text_nodes=text_nodes,
            texts=texts,
            text_pages=text_pages,
        )


def _share(seen: NDArray[np.bool_], of: NDArray[np.bool_]) -> float:
    return float((seen & of).sum() / max(1, of.sum()))


def _column(plain: Mapping[str, Any], name: str, kind: type[_T]) -> tuple[_T, ...]:
    values = plain.get(name)
    if not isinstance(values, (list, tuple)) or any(type(value) is not kind for value in values):
        raise ValueError(f"site tree: {name} is not a list of {kind.__name__}")
    return tuple(values)
