"""Blocks of many pages as columns: the input of the methods that learn from a site."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from webmain.features.manual_corrections import correction_signs
from webmain.html.blocks import from_runs
from webmain.html.columns import HIDDEN, Break, Flag
from webmain.items.rendered import MARK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation
    from webmain.html.document import Document
    from webmain.html.names import Names

_NOT_SHOWN = HIDDEN | Flag.EMBEDDED


@dataclass(frozen=True, kw_only=True)
class SiteBlocks:
    """Blocks of several pages, page by page, in document order within each page.

    Attributes
    ----------
    page : (n_blocks,) int32
        The page of each block, ascending from 0; pages without blocks leave gaps.
    texts : tuple of str
        Text of each block.
    tag_paths : tuple of str
        Element names from the root, joined by "/": "html/body/div/p".
    selectors : tuple of str
        The tag path with class names: "html/body/div.story/p".
    visual : tuple of mapping or None
        CSS properties that differ from the body's, size and position; None unless a browser has rendered the pages.
    descriptions : tuple of tuple of str
        For each page the descriptions in its head (`meta name=description`, `og:description`, ...), unique, best first.
    sites : tuple of str
        The site of each page; usually all the same.
    anchor_share : (n_blocks,) float64 or None
        Share of each block's characters that are in anchors; None if unknown.
    corrections : (n_blocks,) int8 or None
        Manual corrections: positive for content, negative for not content, 2 and -2 where that changed a method's verdict,
        0 for uncorrected blocks. None if no page was corrected.
    views : dict
        What has been computed of the blocks.
    """

    page: NDArray[np.int32]
    texts: tuple[str, ...]
    tag_paths: tuple[str, ...]
    selectors: tuple[str, ...]
    visual: tuple[Mapping[str, str | float], ...] | None = None
    descriptions: tuple[tuple[str, ...], ...]
    sites: tuple[str, ...]
    anchor_share: NDArray[np.float64] | None = None
    corrections: NDArray[np.int8] | None = None
    views: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def n_pages(self) -> int:
        """Number of pages, including those without blocks."""
        return len(self.descriptions)

    def select_pages(self, pages: NDArray[np.int64]) -> SiteBlocks:
        """Return the blocks of some pages, renumbered from 0.

        Parameters
        ----------
        pages : (n,) int64
            Ascending, without repetitions.
        """
        number = np.full(self.n_pages, -1, dtype=np.int32)
        number[pages] = np.arange(len(pages), dtype=np.int32)
        at = np.flatnonzero(number[self.page] >= 0)
        return replace(
            self.select(at),
            page=number[self.page[at]],
            descriptions=tuple(self.descriptions[i] for i in pages.tolist()),
            sites=tuple(self.sites[i] for i in pages.tolist()),
        )

    def first_of_pages(self, n: int) -> SiteBlocks:
        """Return the first `n` blocks of each page."""
        if len(self) <= n:
            return self
        starts = np.searchsorted(self.page, self.page)
        return self.select(np.flatnonzero(np.arange(len(self)) - starts < n))

    def select(self, at: NDArray[np.int64]) -> SiteBlocks:
        """Return the blocks at some positions."""
        kept = at.tolist()
        return replace(
            self,
            page=self.page[at],
            texts=tuple(self.texts[i] for i in kept),
            tag_paths=tuple(self.tag_paths[i] for i in kept),
            selectors=tuple(self.selectors[i] for i in kept),
            visual=None if self.visual is None else tuple(self.visual[i] for i in kept),
            anchor_share=None if self.anchor_share is None else self.anchor_share[at],
            corrections=None if self.corrections is None else self.corrections[at],
        )


MAX_OUTER_STEPS, MAX_INNER_STEPS = 32, 16
"""Steps of a path that are kept, after the root and before the block; deeper paths lose the steps between."""

MAX_CLASSES = 12
"""Class names of one element that are kept."""

MAX_NAME_CHARS = 60
"""Characters of one tag's name, or of a class name, that are kept."""

MAX_PAGE_CHARS = 4_000_000
"""Limit on the total length of a page's distinct paths and selectors; beyond it, blocks get the place of an ancestor."""

MAX_DESCRIPTIONS = 8
"""Descriptions of one page that are kept."""

_DESCRIPTION_NAMES = ("description", "og:description", "twitter:description", "dc.description", "dcterms.description",
                      "sailthru.description")  # fmt: skip


def shown_blocks(document: Document) -> Segmentation:
    """Return the default segmentation of a page, without text that is not shown.

    Parameters
    ----------
    document : Document

    Returns
    -------
    Segmentation
        Hidden leaves, and fallback text of frames and players, are in no block.
    """
    leaves = document.leaves
    owner = np.where(leaves.has(_NOT_SHOWN), -1, np.maximum(leaves.boxes, 0)).astype(np.int32)
    # A paragraph break before a hidden leaf applies to the next shown one.
    breaks = np.cumsum(leaves.gaps >= int(Break.BR_BR))
    shown = np.flatnonzero(owner >= 0)
    fresh = np.zeros(len(owner), dtype=np.bool_)
    fresh[shown[1:]] = breaks[shown[1:]] > breaks[shown[:-1]]
    return from_runs(document, owner, fresh=fresh)


def read_documents(documents: Sequence[Document]) -> SiteBlocks:
    """Return the blocks of several pages as columns.

    Parameters
    ----------
    documents : sequence of Document
        Pages of one site or of several.

    Returns
    -------
    SiteBlocks
        Blocks of `shown_blocks`, with descriptions, and with visual properties if a browser has rendered all pages.
    """
    descriptions = [read_descriptions(document) for document in documents]
    return read_segmentations([shown_blocks(document) for document in documents], descriptions=descriptions)


def read_segmentations(
    segmentations: Sequence[Segmentation], *, descriptions: Sequence[tuple[str, ...]] | None = None
) -> SiteBlocks:
    """Return the blocks of segmented pages as columns.

    Parameters
    ----------
    segmentations : sequence of Segmentation
        One for each page.
    descriptions : sequence of tuple of str or None
        Each page's descriptions of itself; None if they aren't needed.
    """
    pages = [np.zeros(0, dtype=np.int32)]
    texts: list[str] = []
    places: list[tuple[str, str]] = []
    linked = [np.zeros(0)]
    visual: list[Mapping[str, str | float]] = []
    for number, segmentation in enumerate(segmentations):
        pages.append(np.full(len(segmentation), number, dtype=np.int32))
        texts += segmentation.texts(range(len(segmentation)))
        places += paths(segmentation.document, segmentation.element.tolist())
        leaves = segmentation.document.leaves
        n_chars, n_linked = (segmentation.sums(leaves.n_chars * of) for of in (1, leaves.has(Flag.IN_ANCHOR)))
        linked.append(n_linked / n_chars)
        visual += _visual(segmentation)
    return SiteBlocks(
        page=np.concatenate(pages),
        texts=tuple(texts),
        tag_paths=tuple(tag_path for tag_path, _ in places),
        selectors=tuple(selector for _, selector in places),
        visual=tuple(visual) if all(each.document.page.rendering for each in segmentations) else None,
        descriptions=tuple(descriptions) if descriptions is not None else ((),) * len(segmentations),
        sites=tuple(segmentation.document.site for segmentation in segmentations),
        anchor_share=np.concatenate(linked),
        corrections=correction_signs(segmentations),
    )


def _visual(segmentation: Segmentation) -> list[Mapping[str, str | float]]:
    """Return the visual properties of each block of a rendered page: its own, or the nearest ancestor's."""
    rendering, elements = segmentation.document.page.rendering, segmentation.document.elements
    if rendering is None:
        return []
    known: dict[int, Mapping[str, str | float]] = {-1: {}}
    for element in segmentation.element.tolist():
        climbed, index = [], element
        while index not in known and (found := rendering.visual(elements.attributes[index].get(MARK))) is None:
            climbed.append(index)
            index = elements.parent[index]
        if index not in known:
            assert found is not None
            known[index] = found
        known.update(dict.fromkeys(climbed, known[index]))
    return [known[element] for element in segmentation.element.tolist()]


def concatenate(parts: Sequence[SiteBlocks]) -> SiteBlocks:
    """Return the blocks of several page sets as one; visual properties and anchor shares only if all parts have them."""
    offsets = np.cumsum([0, *(part.n_pages for part in parts)]).tolist()
    pages = [part.page + np.int32(offset) for part, offset in zip(parts, offsets[:-1], strict=True)]
    visual = [part.visual for part in parts if part.visual is not None]
    shares = [part.anchor_share for part in parts if part.anchor_share is not None]
    return SiteBlocks(
        page=np.concatenate([np.zeros(0, dtype=np.int32), *pages]),
        texts=tuple(text for part in parts for text in part.texts),
        tag_paths=tuple(path for part in parts for path in part.tag_paths),
        selectors=tuple(selector for part in parts for selector in part.selectors),
        visual=tuple(v for of_part in visual for v in of_part) if parts and len(visual) == len(parts) else None,
        descriptions=tuple(texts for part in parts for texts in part.descriptions),
        sites=tuple(site for part in parts for site in part.sites),
        anchor_share=np.concatenate([np.zeros(0), *shares]) if len(shares) == len(parts) else None,
        corrections=np.concatenate(
            [np.zeros(len(p), np.int8) if p.corrections is None else p.corrections for p in parts]
        )
        if any(part.corrections is not None for part in parts)
        else None,
    )


def paths(document: Document, elements: Sequence[int]) -> list[tuple[str, str]]:
    """Return the tag path and the selector of each of some elements.

    Parameters
    ----------
    document : Document
    elements : sequence of int
        Elements with text below them.

    Returns
    -------
    list of (str, str)
        "html/body/div/p" and "html/body/div.story/p". Class names are sorted, "/" and "." in them replaced by "_". Cost is
        linear in the elements, however deep they are.
    """
    places = _Places(document)
    return [places.of(element) for element in elements]


class _Places:
    """The tag paths and selectors of a page's elements; equal ones are built once, and their total length is bounded."""

    def __init__(self, document: Document) -> None:
        self._names, self._parent = document.elements.names, document.elements.parent
        self._steps: dict[Names, tuple[str, str]] = {}
        self._known: dict[int, tuple[int, tuple[str, str]]] = {-1: (0, ("", ""))}  # by element: depth, outer steps
        self._below: dict[tuple[tuple[str, str], Sequence[Names]], tuple[str, str]] = {}
        self._left = MAX_PAGE_CHARS

    def of(self, element: int) -> tuple[str, str]:
        """Return an element's tag path and selector."""
        known, parent, names = self._known, self._parent, self._names
        climbed, index = [], element
        while index not in known:
            climbed.append(index)
            index = parent[index]
        depth, place = known[index]
        for index in reversed(climbed):
            if depth < MAX_OUTER_STEPS:
                place = self._extended(place, (names[index],))
            depth += 1
            known[index] = depth, place
        if depth <= MAX_OUTER_STEPS:
            return place
        inner, index = [], element
        for _ in range(min(depth - MAX_OUTER_STEPS, MAX_INNER_STEPS)):
            inner.append(names[index])
            index = parent[index]
        return self._extended(place, tuple(reversed(inner)))

    def _extended(self, place: tuple[str, str], names: Sequence[Names]) -> tuple[str, str]:
        """Return a place extended by some steps; once the page's limit is reached, only if that place was built before."""
        found = self._below.get((place, names))
        if found is None:
            path, selector = place
            for tag, step in map(self._step, names):
                path, selector = (f"{path}/{tag}", f"{selector}/{step}") if path else (tag, step)
            self._left -= len(path) + len(selector)
            if self._left < 0:
                return place
            found = self._below[place, names] = path, selector
        return found

    def _step(self, names: Names) -> tuple[str, str]:
        step = self._steps.get(names)
        if step is None:
            step = self._steps[names] = _step(names.tag, names.classes)
        return step


def _step(tag: str, classes: str) -> tuple[str, str]:
    """Return one step of a tag path and of a selector."""
    tag = _cut(tag)
    tokens = classes.split(None, MAX_CLASSES)[:MAX_CLASSES]
    return tag, ".".join([tag, *sorted(set(map(_cut, tokens)))]) if tokens else tag


def _cut(name: str) -> str:
    return name[:MAX_NAME_CHARS].replace("/", "_").replace(".", "_")


def read_descriptions(document: Document) -> tuple[str, ...]:
    """Return the distinct descriptions in a page's head: meta, Open Graph, Twitter, Dublin Core, JSON-LD."""
    from webmain.metadata.jsonld import texts as texts_of
    from webmain.metadata.reading import read
    from webmain.metadata.values import clean

    reading = read(document)
    found: dict[str, None] = {}
    for name in _DESCRIPTION_NAMES:
        found.update(dict.fromkeys(value for value in reading.clues.metas(name) if value))
    for value in reading.values("description", all_nodes=False):
        found.update(dict.fromkeys(clean(text) for text in texts_of(value, limit=3)))
    found.pop("", None)
    return tuple(found)[:MAX_DESCRIPTIONS]
