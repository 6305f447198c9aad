"""What recurs over a site: which of its pages are really different, and their tag trees merged into one.

References
----------
Deepa Chandran, Anna Saro Vijendran: A Layout Based Detachment Approach for Extracting Content from Webpages, "Tag Tree
Parsing": the trees of all pages of a site are integrated into a single one with their common features.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from webmain.features.site_tree import (
    MAX_NODES,
    MAX_TEXTS,
    SiteTree,
    read_steps,
    recurring_tokens,
    text_fingerprint,
    text_runs,
    tokens,
)
from webmain.urls import normalise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from webmain.html.blocks import Segmentation
    from webmain.html.document import Document

MAX_PAGES = 500
"""Pages that are compared and merged; the first ones are as good as any."""

MAX_MERGED = 500_000
"""Nodes, and texts, that are looked at while trees are merged; new ones after that are left out."""

MIN_PROSE_CHARS = 120
"""A run of text from this length on counts when pages are compared: shorter ones are headings, links and labels."""

SAME_ARTICLE_CHARS = 400
SAME_ARTICLE_SHARE = 0.65
"""Two pages have the same article if they share so many characters of long runs, and this share of the page that has
fewer of them."""


def distinct_pages(documents: Iterable[Document]) -> list[Document]:
    """Leave out pages that came before: by URL, by their whole text, or with nearly all of their long texts.

    An article that was fetched twice would look like layout to anyone who counts what recurs.

    Parameters
    ----------
    documents : iterable of Document
        Pages of one site; at most `MAX_PAGES` are returned.
    """
    known = KnownPages()
    return list(islice(filter(known.add, documents), MAX_PAGES))


class KnownPages:
    """The pages of a site that were seen, as far as is needed to know them again."""

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
        """Tell whether an earlier page has nearly all of a page's long texts, or the page nearly all of an earlier one's."""
        shared: Counter[int] = Counter()
        for name, n_chars in prose.items():
            for page in self._pages_with.get(name, ()):
                shared[page] += n_chars
        total = sum(prose.values())
        return any(
            n_chars >= SAME_ARTICLE_CHARS and n_chars >= SAME_ARTICLE_SHARE * min(total, self._totals[page])
            for page, n_chars in shared.items()
        )


def merge_trees(documents: Sequence[Document]) -> SiteTree:
    """Merge the tag trees of a site's pages into one that counts pages.

    Parameters
    ----------
    documents : sequence of Document
        Different pages of one site (`distinct_pages`), at least one; those after `MAX_PAGES` are left out.

    Raises
    ------
    ValueError
        No page was given.

    Notes
    -----
    Siblings with the same tag, id and classes are one node, with several texts. Ids and classes that stand in one page
    only, or in less than `site_tree.MIN_TOKEN_SHARE` of them, are left out ("post-12345", "category-sport"), and all of
    `html` and `body`. The cost is linear in the pages' elements.
    """
    documents = documents[:MAX_PAGES]
    if not documents:
        raise ValueError("site tree: no page was given")
    known = recurring_tokens(map(_tokens_of, documents), most=MAX_MERGED)
    merging = _Merging(known)
    for document in documents:
        merging.add(document, text_runs(document))
    return merging.tree(len(documents))


def _tokens_of(document: Document) -> set[str]:
    """Return the ids and classes of a page."""
    own: set[str] = set()
    seen: set[tuple[str | None, str | None]] = set()
    for attributes in document.elements.attributes:
        key = attributes.get("id"), attributes.get("class")
        if key not in seen:
            seen.add(key)
            own.update(tokens(attributes))
    return own


class _Merging:
    """The tree while it grows: nodes by parent and step, texts by node and fingerprint, pages of each."""

    def __init__(self, known: frozenset[str]) -> None:
        self._known = known
        self._nodes: dict[tuple[int, str], int] = {}
        self._pages: list[int] = []
        self._texts: Counter[tuple[int, str]] = Counter()

    def add(self, document: Document, runs: Segmentation) -> None:
        """Count a page's nodes and texts, each once."""
        elements, nodes, pages = document.elements, self._nodes, self._pages
        found: list[int] = []
        for parent, step in zip(elements.parent, read_steps(elements, self._known), strict=True):
            key = found[parent] if parent >= 0 else -1, step
            if (parent >= 0 and key[0] < 0) or (key not in nodes and len(nodes) >= MAX_MERGED):
                found.append(-1)
                continue
            found.append(nodes.setdefault(key, len(nodes)))
        pages.extend([0] * (len(nodes) - len(pages)))
        for node in set(found) - {-1}:
            pages[node] += 1
        of_run = [found[element] for element in runs.element.tolist()]
        names = map(text_fingerprint, runs.texts(range(len(runs))))
        texts = {(node, name) for node, name in zip(of_run, names, strict=True) if node >= 0}
        self._texts.update(texts if len(self._texts) < MAX_MERGED else texts & self._texts.keys())

    def tree(self, n_pages: int) -> SiteTree:
        """Drop what stands in one page only, and what is too much."""
        least = min(2, n_pages)
        pages = np.array(self._pages, dtype=np.int64)
        recurring = np.flatnonzero(pages >= least)
        kept = np.sort(recurring[np.argsort(-pages[recurring], kind="stable")[:MAX_NODES]])  # parents have more pages
        new = np.full(len(pages) + 1, -1, dtype=np.int64)
        new[kept] = np.arange(len(kept))
        keys = list(self._nodes)
        texts = [(new[node], name, n) for (node, name), n in self._texts.items() if n >= 2 and new[node] >= 0]
        texts.sort(key=lambda text: (-text[2], text[0], text[1]))
        texts = texts[:MAX_TEXTS]
        return SiteTree(
            n_pages=n_pages,
            parents=tuple(int(new[keys[node][0]]) for node in kept.tolist()),
            steps=tuple(keys[node][1] for node in kept.tolist()),
            pages=tuple(pages[kept].tolist()),
            text_nodes=tuple(int(node) for node, _, _ in texts),
            texts=tuple(name for _, name, _ in texts),
            text_pages=tuple(n for _, _, n in texts),
        )
