"""Evidence from several pages of a site: how likely content is at each place, and on how many pages each text occurs.

No labels are needed: a place's chance is the mean of the page model's probabilities for the blocks there.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.features.manual_corrections import CERTAIN, LeafCorrections, block_corrections
from webmain.features.site_paths import (
    count_pages,
    grow,
    read_steps,
    recurring_tokens,
    step,
    text_fingerprint,
    tokens,
    with_ancestors,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation
    from webmain.html.tree import Elements

MAX_BLOCKS: Final = 5_000
"""Limit on blocks of a page that are learned from; the first ones are used."""

MAX_ELEMENTS: Final = 20_000
"""Elements of one page that are learned from: those of the blocks, and all their ancestors."""

MAX_GROWN: Final = 200_000
"""Limit on places, and on texts, while a site is learned; further new ones are ignored."""

PRIOR_PAGES: Final = 3.0
"""Pages on which a place must occur for its own chance to count as much as its parent place's."""

HALF_INFLUENCE: Final = 10.0
"""Weight (square roots of characters) at which a page has half of its influence on a place: few words are weak evidence."""

CAP: Final = 4.0
"""Limit on the log-odds of a place."""

ROOT: Final = 0


@dataclass(frozen=True)
class SitePage:
    """What is kept of one page for learning its site.

    Attributes
    ----------
    labels : list of (str, tuple of str)
        Tags with their ids and classes, each combination once.
    label : (n_elements,) int64
        The label of each element of a block and of its ancestors; parents come before their children.
    parent : (n_elements,) int64
        The parent of each of these elements, -1 for none.
    element : (n_blocks,) int64
        The element of each block.
    texts : tuple of str
        Fingerprints of the blocks' texts.
    margin : (n_blocks,) float64
        The page model's log-odds of each block being content.
    n_chars : (n_blocks,) float64
        Characters that are shown.
    news : float
        The page model's weight of the news profile for this page.
    corrections : LeafCorrections or None
        Manual corrections of the blocks; None if the page was not corrected.
    """

    labels: list[tuple[str, tuple[str, ...]]]
    label: NDArray[np.int64]
    parent: NDArray[np.int64]
    element: NDArray[np.int64]
    texts: tuple[str, ...]
    margin: NDArray[np.float64]
    n_chars: NDArray[np.float64]
    news: float
    corrections: LeafCorrections | None = None

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each block: the square root of its length."""
        weight: NDArray[np.float64] = np.sqrt(np.maximum(self.n_chars, 4.0))
        return weight


def site_page(
    segmentation: Segmentation,
    texts: Sequence[str],
    *,
    margin: NDArray[np.float64],
    n_chars: NDArray[np.float64],
    news: float,
) -> SitePage:
    """Return what is needed to learn a site from a page; at most its first `MAX_BLOCKS` blocks.

    On a corrected page, the corrections replace the page model's verdicts.
    """
    corrections = block_corrections(segmentation)
    if corrections is not None:
        margin = np.where(corrections.content, np.maximum(margin, CERTAIN), np.minimum(margin, -CERTAIN))
    elements = segmentation.document.elements
    of_block = np.maximum(segmentation.element[:MAX_BLOCKS], 0).tolist()
    order = with_ancestors(elements, of_block, most=MAX_ELEMENTS)
    place = {element: i for i, element in enumerate(order)} | {-1: -1}
    n = next((i for i, element in enumerate(of_block) if element not in place), len(of_block))
    known: dict[tuple[str, tuple[str, ...]], int] = {}
    labels = [(elements.tags[element], tuple(tokens(elements.attributes[element]))) for element in order]
    return SitePage(
        label=np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int64),
        labels=list(known),
        parent=np.array([place[elements.parent[element]] for element in order], dtype=np.int64),
        element=np.array([place[element] for element in of_block[:n]], dtype=np.int64),
        texts=tuple(map(text_fingerprint, texts[:n])),
        margin=margin[:n],
        n_chars=n_chars[:n],
        news=news,
        corrections=None if corrections is None else LeafCorrections(corrections.content[:n], corrections.changed[:n]),
    )


def known_tokens(pages: Sequence[SitePage]) -> frozenset[str]:
    """Return the ids and classes that belong to the layout."""
    return recurring_tokens([{name for _, names in page.labels for name in names} for page in pages], most=MAX_GROWN)


def count_texts(pages: Iterable[SitePage]) -> Counter[str]:
    """Return the number of pages that have each text."""
    return count_pages((set(page.texts) for page in pages), most=MAX_GROWN)


class Places:
    """The places of a site while it is learned: paths of tags with ids and classes, merged over all pages.

    Attributes
    ----------
    parents : list of int
        The parent of each place; parents come before their children. The first place is the whole page.
    steps : list of str
        The last step of each place: "div #main .story".
    pages : (n_places,) int64
        Number of pages with each place.
    """

    def __init__(self, pages: Sequence[SitePage], chances: Sequence[NDArray[np.float64]]) -> None:
        """Merge pages; `chances` has the probabilities of each page's blocks."""
        known = known_tokens(pages)
        nodes = {(-1, ""): ROOT}
        self.of_element = [np.array(_places_of(nodes, page, known), dtype=np.int64) for page in pages]
        self.parents = [parent for parent, _ in nodes]
        self.steps = [own for _, own in nodes]
        self._element = [page.element for page in pages]
        n = len(self.parents)
        self._of_page = [
            _page_evidence(page, chance, of) for page, chance, of in zip(pages, chances, self.of_element, strict=True)
        ]
        self._sums, self._influences = np.zeros(n), np.zeros(n)
        self.pages = np.zeros(n, dtype=np.int64)
        for places, influence, mean in self._of_page:
            self._sums[places] += influence * mean
            self._influences[places] += influence
            self.pages[places] += 1

    def chances(self) -> NDArray[np.float64]:
        """Return the chance of content at each place, smoothed towards its parent place's: `(n_places,)`."""
        found = self._sums.copy()
        found[ROOT] /= max(self._influences[ROOT], 1e-9)
        influences = self._influences
        for place in range(1, len(found)):
            found[place] = (found[place] + PRIOR_PAGES * found[self.parents[place]]) / (influences[place] + PRIOR_PAGES)
        return found

    def without(self, page: int) -> tuple[float, NDArray[np.float64]]:
        """Return the chances computed without one of the pages.

        Returns
        -------
        whole : float
            Chance of any block.
        of_blocks : (n_blocks,) float64
            Chance at the innermost place of each block of that page that other pages also have.
        """
        places, influence, mean = self._of_page[page]
        others = (self.pages[places] >= 2).tolist()
        sums = (self._sums[places] - influence * mean).tolist()
        influences = np.maximum(self._influences[places] - influence, 0).tolist()
        chances = {-1: sums[0] / max(influences[0], 1e-9)}
        for place, is_known, total, n in zip(places.tolist(), others, sums, influences, strict=True):
            around = chances[self.parents[place]]
            prior = PRIOR_PAGES if place != ROOT else 1e-9
            chances[place] = (total + prior * around) / (n + prior) if is_known else around
        of_block = np.maximum(self.of_element[page], ROOT)[self._element[page]].tolist()
        return chances[ROOT], np.array([chances[place] for place in of_block])


def _page_evidence(
    page: SitePage, chance: NDArray[np.float64], of_element: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return a page's places, ascending, with its influence on each and the mean chance there."""
    n = len(page.label)
    weight = page.weight
    total = np.bincount(page.element, weight, minlength=n).tolist()
    expected = np.bincount(page.element, weight * chance, minlength=n).tolist()
    parent = page.parent.tolist()
    whole, whole_expected = float(weight.sum()), float((weight * chance).sum())
    for i in range(n - 1, 0, -1):
        if parent[i] >= 0:
            total[parent[i]] += total[i]
            expected[parent[i]] += expected[i]
    known = of_element > ROOT
    places, at = np.unique(of_element[known], return_inverse=True)
    weights = np.bincount(at, np.array(total)[known], minlength=len(places))
    means = np.bincount(at, np.array(expected)[known], minlength=len(places)) / np.maximum(weights, 1e-9)
    places = np.concatenate(([ROOT], places))
    weights = np.concatenate(([whole], weights))
    means = np.concatenate(([whole_expected / max(whole, 1e-9)], means))
    return places, weights / (weights + HALF_INFLUENCE), means


def _places_of(nodes: dict[tuple[int, str], int], page: SitePage, known: frozenset[str]) -> list[int]:
    steps = [step(tag, names, known) for tag, names in page.labels]
    return grow(nodes, page.parent.tolist(), [steps[label] for label in page.label.tolist()], root=ROOT, most=MAX_GROWN)


def find_places(
    nodes: dict[tuple[int, str], int], known: frozenset[str], elements: Elements, blocks: Sequence[int]
) -> list[int]:
    """Return the place of each block; if unknown, the complement (-1 - place) of its innermost known ancestor place."""
    order = with_ancestors(elements, blocks)
    number = {element: i for i, element in enumerate(order)} | {-1: -1}
    parents = [number[elements.parent[element]] for element in order]
    found = grow(nodes, parents, read_steps(elements, known, order), root=ROOT)
    for i, parent in enumerate(parents):
        if found[i] < 0:
            around = found[parent] if parent >= 0 else ROOT
            found[i] = ~around if around >= 0 else around
    return [found[number[element]] for element in blocks]
