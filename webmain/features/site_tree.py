"""The merged tag tree of a site's pages, which shows which paths and texts a page shares with the others.

Each node is a path of tags with ids and classes. It has the number of pages with that path, and for each text at the path
the number of pages with that text there. Text that most pages have at the same path is layout.

References
----------
Deepa Chandran, Anna Saro Vijendran: A Layout Based Detachment Approach for Extracting Content from Webpages, "Tag Tree
Parsing": the trees of all pages of a site are integrated into a single one with their common features.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.site_paths import (
    MAX_PAGES,
    PlainRecord,
    count_pages,
    grow,
    read_steps,
    recurring_tokens,
    text_fingerprint,
    text_runs,
    tokens,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation
    from webmain.html.document import Document

MAX_NODES: Final = 50_000
"""Limit on nodes of a site tree; those in the most pages are kept."""

MAX_TEXTS: Final = 50_000
"""Limit on texts of a site tree; those in the most pages are kept."""

MAX_MERGED: Final = 500_000
"""Limit on nodes, and on texts, while trees are merged; further new ones are ignored."""


@dataclass(frozen=True, kw_only=True)
class RunEvidence:
    """Page counts from a site tree for a page's runs of text.

    Attributes
    ----------
    n_path : (n_runs,) int32
        Pages that have the run's path; 0 for a path that is not in the tree.
    n_same : (n_runs,) int32
        Pages that have the same text at that path; 0 if no text recurs there.
    """

    n_path: NDArray[np.int32]
    n_same: NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class SiteTree(PlainRecord):
    """The merged tag trees of a site's pages; parents come before their children.

    Attributes
    ----------
    n_pages : int
        Number of pages merged.
    parents : tuple of int
        For each node its parent's index, -1 for the root.
    steps : tuple of str
        For each node its tag with recurring ids and classes, separated by spaces: "div #main .story".
    pages : tuple of int
        For each node the number of pages it is in, at least 2 (1 if a single page was merged).
    text_nodes : tuple of int
        For each text the node it is in.
    texts : tuple of str
        For each text its fingerprint, 16 hex digits.
    text_pages : tuple of int
        For each text the number of pages that have it there, at least 2.
    """

    what = "site tree"

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

    def path(self, node: int) -> str:
        """Return a node's path from the root: "html/body/div#main.story/p"."""
        steps = []
        while node >= 0:
            steps.append(self.steps[node].replace(" ", ""))
            node = self.parents[node]
        return "/".join(reversed(steps))

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
        """Return the node of each element of a page.

        Returns
        -------
        (n_elements,) int32
            -1 for elements whose path is not in the tree.
        """
        elements = document.elements
        return np.array(grow(self._children, elements.parent, read_steps(elements, self._tokens)), dtype=np.int32)

    def evidence(self, runs: Segmentation) -> RunEvidence:
        """Return the evidence for runs of text (`text_runs` of a page), looked up by path and text."""
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
        """Whether each node has an id or a class somewhere on its path."""
        named = np.zeros(len(self), dtype=np.bool_)
        for node, (parent, step) in enumerate(zip(self.parents, self.steps, strict=True)):
            named[node] = " " in step or (parent >= 0 and named[parent])
        return named

    @cached_property
    def _common_texts(self) -> frozenset[tuple[int, str]]:
        """The texts that are in more than half of the pages, with their nodes."""
        return frozenset(key for key, n in self._text_pages.items() if 2 * n > self.n_pages)

    def resemblance(self, document: Document) -> float:
        """Return the share of the site's common nodes and texts that a page has, in [0, 1].

        Notes
        -----
        Common means in more than half of the site's pages. The result is the mean of two shares: of common nodes with an id
        or a class on their path ("html/body/div/p" is in pages of any site), and of common texts. If a site has only one of
        the two, that share; if it has neither, the share of all common nodes.
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

    def check(self) -> None:
        """Raise a ValueError unless the tree is valid."""
        self.require("n_pages", int, 1)
        self.require_columns(("parents", "steps", "pages"), MAX_NODES)
        self.require_columns(("text_nodes", "texts", "text_pages"), MAX_TEXTS)
        self.require_each("parents", int, -1)
        self.require_each("steps", str)
        self.require_each("text_nodes", int, 0, len(self.steps) - 1)
        self.require_each("texts", str)
        for name in ("pages", "text_pages"):
            self.require_each(name, int, 1, self.n_pages)
        if any(parent >= node for node, parent in enumerate(self.parents)):
            raise ValueError("site tree: a node comes before its parent")


def _share(seen: NDArray[np.bool_], of: NDArray[np.bool_]) -> float:
    return float((seen & of).sum() / max(1, of.sum()))


def merge_trees(documents: Sequence[Document]) -> SiteTree:
    """Return the merged tag tree of a site's pages, with page counts.

    Parameters
    ----------
    documents : sequence of Document
        Different pages of one site (`distinct_pages`), at least one; only the first `MAX_PAGES` are used.

    Raises
    ------
    ValueError
        No page was given.

    Notes
    -----
    Siblings with the same tag, id and classes become one node with several texts. Ids and classes on one page only, or on
    less than `site_paths.MIN_TOKEN_SHARE` of the pages, are ignored ("post-12345", "category-sport"), as are those of
    `html` and `body`. The cost is linear in the pages' elements.
    """
    documents = documents[:MAX_PAGES]
    if not documents:
        raise ValueError("site tree: no page was given")
    known = recurring_tokens(
        [set(chain(*map(tokens, page.elements.attributes))) for page in documents], most=MAX_MERGED
    )
    nodes: dict[tuple[int, str], int] = {}
    of_pages = [grow(nodes, p.elements.parent, read_steps(p.elements, known), most=MAX_MERGED) for p in documents]
    node_pages = count_pages([set(of_page) - {-1} for of_page in of_pages], most=MAX_MERGED)
    texts = count_pages(map(_texts, documents, of_pages), most=MAX_MERGED)
    least = min(2, len(documents))
    recurring = [node for node in range(len(nodes)) if node_pages[node] >= least]
    kept = sorted(sorted(recurring, key=lambda node: -node_pages[node])[:MAX_NODES])  # parents have as many pages
    new = {node: number for number, node in enumerate(kept)} | {-1: -1}
    keys = list(nodes)
    known_texts = [(new[node], text, n) for (node, text), n in texts.items() if n >= 2 and node in new]
    known_texts = sorted(known_texts, key=lambda text: (-text[2], text[0], text[1]))[:MAX_TEXTS]
    return SiteTree(
        n_pages=len(documents),
        parents=tuple(new[keys[node][0]] for node in kept),
        steps=tuple(keys[node][1] for node in kept),
        pages=tuple(node_pages[node] for node in kept),
        text_nodes=tuple(node for node, _, _ in known_texts),
        texts=tuple(text for _, text, _ in known_texts),
        text_pages=tuple(n for _, _, n in known_texts),
    )


def _texts(document: Document, nodes: Sequence[int]) -> set[tuple[int, str]]:
    """Return the fingerprints of a page's texts, each with its node."""
    runs = text_runs(document)
    of_run = [nodes[element] for element in runs.element.tolist()]
    prints = map(text_fingerprint, runs.texts(range(len(runs))))
    return {(node, text) for node, text in zip(of_run, prints, strict=True) if node >= 0}
