"""Layout-Based Detachment: removes advertisements and the site's layout, divides the rest by gathering nodes, judges it.

References
----------
Deepa Chandran, Anna Saro Vijendran: A Layout Based Detachment Approach for Extracting Content from Webpages, section
"Layout Based Detachment Approach": advertisement remover, Tag Tree Parsing, Block Acquiring Page Segmentation (BAPS), Data
Extraction.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from webmain.extractors.adhosts import ad_elements, check_filters
from webmain.extractors.base import (
    NOT_SHOWN,
    CheckedOptions,
    Extraction,
    Learned,
    NothingLearned,
    SiteExtractor,
    within,
)
from webmain.features.prose import count_prose
from webmain.features.site_paths import distinct_pages, text_runs
from webmain.features.site_tree import SiteTree, merge_trees
from webmain.html.blocks import Segmentation, from_runs
from webmain.html.columns import Flag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.document import Document
    from webmain.html.tree import Elements

GATHERING = frozenset(
    "div table tbody tr td ul ol dl section article main aside nav header footer form center blockquote figure body".split()
)
"""Gathering nodes: elements that group others visually. The paper uses the term without listing any."""

COLUMNS = ("parents", "steps", "pages", "text_nodes", "texts", "text_pages")
"""The learned columns of a site's `SiteTree`."""

_BOXES = "webmain.extractors.lbda:_Boxes"
"""Key of `Document.views`: the last segmentation's `of_unit`, and its gathering nodes."""

_LEAST_RECURRING = 3
"""Minimum pages with a text for its share to be taken of the pages with its path, instead of all pages."""

_DEGREES = ("rule 4, degree a", "rule 3, degree b", "rule 2, degree c")
_OUTCOMES = ("too little prose", "mostly links", "prose", "between prose")
_LITTLE, _LINKS, _PROSE, _BETWEEN = range(len(_OUTCOMES))


@dataclass(frozen=True)
class LBDA(CheckedOptions, SiteExtractor):
    """Detaches advertisements and the layout that a site's pages share, and keeps the other blocks that are prose.

    Parameters
    ----------
    ads : bool
        Remove elements whose `src` or `href` leads to an advertisement server, with all inside them (step 2).
    filters : str
        Path of an additional filter list in the common syntax; needs the extra `adblock`. "" for none.
    own_list : bool
        Use the package's own list of hosts; if False, `filters` replaces it.
    site : bool
        Detach what the site's pages share (step 3); requires `fit`.
    share : float
        Text is layout if it is in more than this share of the pages at the same path.
    min_pages : int
        Minimum number of different pages for `fit`. Two are enough: what both share is seldom the article.
    min_words : float
        Minimum weight of body text, in words (step 5, see Notes).
    min_marks, max_marks : float
        Range of punctuation marks per word in prose; outside of it the weight falls in proportion.
    records : bool
        Whether blocks between body text are body text too (step 5, see Notes).
    max_gap_links : float
        Maximum share of linked text of such a block.
    hidden : {"drop", "keep"}
        Whether hidden text, and fallback text of frames and players, is excluded from blocks. Deviation: the paper does not
        consider hidden text; "keep" follows it exactly.
    tree : SiteTree or None
        Merged tree of the site's pages; set by `fit` and `restored`.
    usual_resemblance : float
        Mean resemblance of the training pages; set by `fit` and `restored`.

    Notes
    -----
    `ads=false,site=false` is the baseline: segmentation and extraction without steps 2 and 3.

    Step 3. The paper merges the trees of a site's pages into one and doesn't say how it is used. Here a run of text in one
    block-level element is layout if more than `share` of all pages have it at that path (tags with ids and classes), or if
    at least 3 pages and more than `share` of the pages with that path have it: few pages may use the page's template.
    Repeated pages, including those with nearly the same long texts, count once. With one page there is no evidence, and
    nothing is detached.

    Step 4. Implements the rules, not the pseudo-code, which swaps two labels. A child is visible if it has shown text that
    steps 2 and 3 left. Text nodes are children (else rule 1 would drop `<div>text</div>`). Neighbouring inline children
    form one block (else rule 4 would split sentences). Images are not children, because blocks consist of text. A gathering
    node inside a non-gathering child (`li`, `span`) counts as a gathering child of the parent.

    Step 5. The paper describes the roles of text length, punctuation and links without a formula. Here a block's weight
    (`raw`) is ::

        W = n * (1 - l) * min(1, d / min_marks, max_marks / d)

    for n words, the share l of characters in links, and d marks per word: links reduce the length, and the density of marks
    separates prose from labels (too few) and from tables and code (too many). Marks are punctuation and, in Thai, Lao,
    Khmer and Burmese, also spaces, which separate phrases there (`webmain.features.prose`). Prose has .05 to .45 marks per
    word in all 14 languages measured. The score is W / (W + min_words).

    The paper's record is "a set of sibling subtrees, consecutive or interrupted by some noisy nodes", whose block
    boundaries are finally removed. So blocks of one gathering node between its first and last body text (a subheading, a
    short paragraph) are also kept, with score .5, unless more than `max_gap_links` of such a block is links.
    """

    name: ClassVar[str] = "lbda"
    version: ClassVar[int] = 1
    judges_unlearned: ClassVar[bool] = True
    ads: bool = True
    filters: str = ""
    own_list: bool = True
    site: bool = True
    share: float = field(default=0.5, metadata=within(0, 1))
    min_pages: int = field(default=2, metadata=within(2, 1e6))
    min_words: float = field(default=15.0, metadata=within(0.01, 1e6))
    min_marks: float = field(default=0.06, metadata=within(0.001, 1))
    max_marks: float = field(default=0.5, metadata=within(0.001, 1000))
    records: bool = True
    max_gap_links: float = field(default=0.3, metadata=within(0, 1))
    hidden: Literal["drop", "keep"] = "drop"
    tree: SiteTree | None = field(default=None, repr=False)
    usual_resemblance: float = field(default=0.0, repr=False, metadata=within(0, 1))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_marks < self.min_marks:
            raise ValueError(
                f"{self.name}: option max_marks: got {self.max_marks}, allowed is {self.min_marks:g} to 1000"
            )
        if self.tree is not None and not isinstance(self.tree, SiteTree):
            raise ValueError(f"{self.name}: option tree: is learned from pages and cannot be given")
        if self.filters:
            check_filters(self.filters)
        elif not self.own_list and self.ads:
            raise ValueError(f"{self.name}: option own_list: own_list=false needs filters=PATH or ads=false")

    # --- learning: step 3 ----------------------------------------------------------------------------------------

    @property
    def learned(self) -> Learned | None:
        """The merged tree of the site's pages; None before `fit`."""
        if self.tree is None:
            return None
        return Learned(
            n_pages=self.tree.n_pages,
            columns=COLUMNS,
            weights=self.tree.to_plain(),
            quality=None,
            resemblance=self.usual_resemblance,
        )

    def fit(self, documents: Sequence[Document]) -> Self:
        """Return a copy with the merged tag tree of a site's pages (Tag Tree Parsing).

        Raises
        ------
        NothingLearned
            Fewer than `min_pages` different pages, or step 3 is switched off.
        """
        if not self.site:
            raise NothingLearned(f"{self.name}: with site=false, nothing is learned from pages")
        pages = distinct_pages(documents)
        if len(pages) < self.min_pages:
            raise NothingLearned(
                f"{self.name}: {len(pages)} of {len(documents)} pages are different, at least {self.min_pages} are needed"
            )
        tree = merge_trees(pages)
        usual = float(np.mean([tree.resemblance(page) for page in pages]))
        return replace(self, tree=tree, usual_resemblance=usual)

    def restored(self, learned: Learned) -> Self:
        """Return a copy with a site's merged tree.

        Raises
        ------
        ValueError
            The weights are not a site tree.
        """
        if tuple(learned.columns) != COLUMNS:
            raise ValueError(
                f"{self.name}: a model with columns {', '.join(learned.columns)} is not one of this method"
            )
        return replace(self, tree=SiteTree.from_plain(learned.weights), usual_resemblance=learned.resemblance)

    def resemblance(self, document: Document) -> float:
        """Return `SiteTree.resemblance` of a page; 0 if nothing was learned."""
        return self.tree.resemblance(document) if self.tree is not None else 0.0

    # --- extraction: steps 2 to 5 --------------------------------------------------------------------------------

    def segment(self, document: Document) -> Segmentation:
        """Return the blocks that remain after advertisements and layout are removed, by the four rules (steps 2 to 4)."""
        boxes = _Boxes(document, self._remaining(document))
        segmentation = from_runs(document, boxes.owners())
        document.views[_BOXES] = segmentation.of_unit, boxes
        return segmentation

    def judge(self, segmentation: Segmentation) -> Extraction:
        """Return verdicts that keep body text, judged by length, marks and links (Data Extraction, step 5)."""
        document = segmentation.document
        leaves = document.leaves
        counts = count_prose(leaves.texts)
        linked = counts.n_chars * leaves.has(Flag.IN_ANCHOR)
        words, marks, chars, linked_chars = map(
            segmentation.sums, (counts.n_words, counts.n_marks, counts.n_chars, linked)
        )
        links = linked_chars / np.maximum(chars, 1)
        density = marks / np.maximum(words, 1)
        prose = np.minimum(density / self.min_marks, self.max_marks / np.maximum(density, self.min_marks))
        weight = words * (1 - links) * np.minimum(prose, 1)
        score = weight / (weight + self.min_words)
        of_unit, boxes = document.views.get(_BOXES, (None, None))
        if of_unit is not segmentation.of_unit:
            boxes = _Boxes(document, segmentation.of_unit >= 0)
        outcome = np.where(links >= 0.5, _LINKS, _LITTLE)
        outcome[weight >= self.min_words] = _PROSE
        if self.records:
            between = _between(boxes.records(segmentation.element), outcome == _PROSE) & (links <= self.max_gap_links)
            outcome[between] = _BETWEEN
            score[between] = 0.5
        why = np.array([f"{degree}: {end}" for degree in _DEGREES for end in _OUTCOMES], dtype=object)
        return Extraction(
            segmentation,
            self.name,
            score=score,
            raw=weight,
            kept=outcome >= _PROSE,
            why=why[boxes.degrees(segmentation.element) * len(_OUTCOMES) + outcome].tolist(),
        )

    def _remaining(self, document: Document) -> NDArray[np.bool_]:
        """Return which leaves remain after steps 2 and 3."""
        leaves, elements = document.leaves, document.elements
        removed = leaves.has(NOT_SHOWN if self.hidden == "drop" else 0)
        if self.ads:
            advertising = ad_elements(document, own_list=self.own_list, filters=self.filters)
            removed |= elements.within(advertising)[leaves.elements]
        if self.site and self.tree is not None:
            removed |= self._is_layout(document, self.tree)
        return ~removed

    def _is_layout(self, document: Document, tree: SiteTree) -> NDArray[np.bool_]:
        """Return which leaves are in runs that most pages have with the same text at the same path."""
        runs = text_runs(document)
        found = tree.evidence(runs)
        layout = (found.n_same >= 2) & (found.n_same > self.share * tree.n_pages)
        layout |= (found.n_same >= _LEAST_RECURRING) & (found.n_same > self.share * found.n_path)
        return np.append(layout, False)[runs.of_unit]


class _Boxes:
    """The gathering nodes of a page that contain remaining text, and the elements and leaves in each."""

    def __init__(self, document: Document, shown: NDArray[np.bool_]) -> None:
        self._leaves = document.leaves
        self._elements = elements = document.elements
        self._shown = shown
        before = np.concatenate(([0], np.cumsum(shown)))
        self._visible = before[elements.leaf_ends] > before[elements.leaf_starts]
        gathering = elements.has_tag(GATHERING) & self._visible  # rule 1: nodes without visible child are dropped
        total = np.concatenate(([0], np.cumsum(gathering)))
        deeper: NDArray[np.bool_] = total[elements.ends] > total[1:]
        self._gathers_text = gathering & ~deeper  # rules 2 and 3: no gathering child
        self._near, self._child = _nearest(elements, gathering, self._visible)

    def owners(self) -> NDArray[np.int32]:
        """Return the element whose block each leaf belongs to, -1 for none.

        It is the innermost gathering node (rules 2 and 3; rule 4 for text and inline elements, so that neighbours stay
        together), or under rule 4 that node's child.
        """
        leaves = self._leaves
        node = self._near[leaves.elements]
        together = (leaves.boxes <= node) | self._gathers_text[node]
        owner = np.where(together, node, self._child[leaves.elements])
        return np.where(self._shown & (node >= 0), owner, -1).astype(np.int32)

    def degrees(self, element: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the degrees of blocks by their elements: 0 for a (rule 4), 1 for b (rule 3), 2 for c (rule 2)."""
        elements, n = self._elements, len(self._elements)
        children = np.bincount(elements.parents[self._visible & (elements.parents >= 0)], minlength=n)
        children += np.bincount(self._leaves.elements[self._shown], minlength=n)
        return np.where(self._gathers_text[element], np.where(children[element] > 1, 1, 2), 0)

    def records(self, element: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the gathering node around each block and its siblings; for a gathering node, the next one above."""
        around = np.where(self._gathers_text[element], self._elements.parents[element], element)
        return np.where(around >= 0, self._near[around], -1)


def _nearest(
    elements: Elements, gathering: NDArray[np.bool_], visible: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return for each visible element its innermost gathering node (or itself), and that node's child that contains it.

    -1 for all other elements.
    """
    near, child = [-1] * (len(elements) + 1), [-1] * (len(elements) + 1)  # the last entry is for the parent of the root
    parents, gathers = elements.parent, gathering.tolist()
    for i in np.flatnonzero(visible).tolist():
        parent = parents[i]
        above = near[parent]
        near[i] = i if gathers[i] else above
        child[i] = i if above == parent else child[parent]
    return np.array(near[:-1], dtype=np.int32), np.array(child[:-1], dtype=np.int32)


def _between(record: NDArray[np.int32], is_body: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which blocks are not body text but between the first and the last body text of their record."""
    n = len(record)
    index = np.arange(n)
    _, group = np.unique(record, return_inverse=True)
    first, last = np.full(n, n), np.full(n, -1)
    np.minimum.at(first, group[is_body], index[is_body])
    np.maximum.at(last, group[is_body], index[is_body])
    return ~is_body & (index > first[group]) & (index < last[group])
