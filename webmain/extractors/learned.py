"""The learned extractor: a model of what any page's blocks look like, which adapts itself to each site it sees.

References
----------
Own work. Blocks as rows of shallow text features, judged by trees, follow Christian Kohlschütter, Peter Fankhauser, Wolfgang
Nejdl: Boilerplate Detection using Shallow Text Features (2010); boosted trees follow Jerome Friedman: Greedy Function
Approximation: A Gradient Boosting Machine (2001). What the five published methods look at is among the columns
(`webmain.extractors.page_model`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Final, Literal, Self

import numpy as np

from webmain.extractors.base import (
    NOT_SHOWN,
    CheckedOptions,
    Extraction,
    Learned,
    NothingLearned,
    SiteExtractor,
    within,
)
from webmain.extractors.page_model import (
    block_names,
    choose,
    columns,
    confidence_row,
    page_model,
    page_row,
)
from webmain.extractors.page_types import note_row
from webmain.features.corrected import CERTAIN
from webmain.features.trees import probabilities
from webmain.html.blocks import segment
from webmain.html.columns import Flag
from webmain.html.pruning import pruned_elements
from webmain.items import Rejected
from webmain.metadata.declared import article_evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from webmain.extractors.page_model import Columns
    from webmain.extractors.site_model import SiteModel
    from webmain.features.site_memory import SitePage
    from webmain.html.blocks import Segmentation
    from webmain.html.document import Document

NEVER_SHOWN: Final = Flag.HIDDEN_VISIBILITY | Flag.HIDDEN_CLASS
"""What no reader ever sees. Text that is not displayed when the page loads is judged: tabs, and what opens on a click."""

LITTLE: Final = 250
"""Where fewer characters are shown, hidden text is looked at."""

MAX_SITE_PAGES: Final = 200
"""Pages of a site that are learned from, the first ones: more tell hardly more."""

BY_SITE: Final = "the site's other pages"
"""What is in the place of a column's name where a site's model moved a block's score."""


_WHY: Final = (
    "unlikely to be content",
    "less likely than not",
    "likely enough for the best whole",
    "likely to be content",
    "the site's other pages speak against it",
    "the site's other pages speak for it",
    "people said that it is none here",
    "people said that it is content here",
)


@dataclass(frozen=True)
class LearnedExtractor(CheckedOptions, SiteExtractor):
    """Judge each block by a model that was trained on pages with known answers; keep the set with the best expected F1.

    Parameters
    ----------
    profile : {"auto", "news", "general"}
        "news": the page is one with an article; comments, related stories, bylines, captions and boxes are no part of it.
        "general": it is another one; posts of a forum, descriptions of products, entries of a list are content. "auto":
        it is an article as probably as the page model says; in a crawl discovery's evidence counts half.
    min_pages : int
        Different pages of a site that `fit` wants.
    learned : Learned or None
        What is known of the site.

    Notes
    -----
    Some text is kept of every page that has any (`always_answers`).
    """

    name: ClassVar[str] = "learned"
    version: ClassVar[int] = 1
    judges_unlearned: ClassVar[bool] = True
    always_answers: ClassVar[bool] = True
    profile: Literal["auto", "news", "general"] = "auto"
    min_pages: int = field(default=2, metadata=within(2, 1e6))
    learned: Learned | None = field(default=None, repr=False)

    def segment(self, document: Document) -> Segmentation:
        """Divide a page into what a reader sees as one unit.

        Menus and footers are in no block (`webmain.html.pruning`). Text that is never shown is in none either, nor is text
        that is hidden inside a block that shows some. Blocks that are wholly hidden until a script runs are judged like
        others. Where hardly anything is shown, what comes first of text in `noscript`, hidden, or in place of an embed makes
        the blocks.
        """
        leaves, elements = document.leaves, document.elements
        hidden = leaves.has(NOT_SHOWN)
        if leaves.n_chars[~hidden].sum() < LITTLE:
            from webmain.embedded.fallback import fallback_mask

            return segment(document, member=fallback_mask(document))
        member = ~leaves.has(NEVER_SHOWN)
        for element in pruned_elements(document):
            member[elements.first_leaf[element] : elements.end_leaf[element]] = False
        if hidden.any():
            member &= ~(hidden & (np.bincount(leaves.unit, weights=~hidden) > 0)[leaves.unit])
        return segment(document, member=member)

    def judge(self, segmentation: Segmentation) -> Extraction:
        """Score blocks by their probability of being content and keep the best set."""
        if not len(segmentation):
            nothing = np.zeros(0)
            kept = nothing.astype(np.bool_)
            return Extraction(segmentation, self.name, score=nothing, raw=nothing, kept=kept, why=(), confidence=0.0)
        seen, article, generic = self._look(segmentation)
        margin, signs = self._by_site(segmentation, seen.texts, generic)
        probability = probabilities(margin)
        choice = choose(probability, seen.n_chars)
        reason = 2 * choice.kept + (probability > np.where(choice.kept, 0.5, choice.limit / 2))
        reason[(generic > 0) & (margin <= 0) & ~choice.kept] = 4
        reason[(generic <= 0) & (margin > 0) & choice.kept] = 5
        reason[(signs < 0) & ~choice.kept] = 6
        reason[(signs > 0) & choice.kept] = 7
        return Extraction(
            segmentation,
            self.name,
            score=probability,
            raw=margin,
            kept=choice.kept,
            why=[_WHY[i] for i in reason.tolist()],
            confidence=page_model().expected_f1(confidence_row(probability, seen.n_chars, choice, article)),
        )

    def pruned(self, segmentation: Segmentation) -> list[int]:
        """Return the elements of a page that were left out as a whole: menus and footers, ascending."""
        elements, inside = segmentation.document.elements, segmentation.of_unit >= 0
        start, end = elements.first_leaf, elements.end_leaf
        return [i for i in pruned_elements(segmentation.document) if not inside[start[i] : end[i]].any()]

    def contributions(
        self, segmentation: Segmentation, blocks: Sequence[int], *, most: int | None = None
    ) -> list[list[tuple[str, float, float]]]:
        """Return what moved the scores of blocks: for each column its name, value and contribution, the strongest first.

        What a site's other pages say is among the columns as `BY_SITE`, with the log-odds before it as its value.
        """
        seen, article, generic = self._look(segmentation)
        rows = seen.with_article(article)[list(blocks)]
        moved = page_model().blocks.contributions(rows)
        names = block_names()
        found = []
        margin, _ = self._by_site(segmentation, seen.texts, generic)
        for block, row, odds in zip(blocks, rows, moved, strict=True):
            order = np.argsort(-np.abs(odds), kind="stable")[: np.count_nonzero(odds)][:most]
            columns_of = (order.tolist(), row[order].tolist(), odds[order].tolist())
            told = [(names[i], value, by) for i, value, by in zip(*columns_of, strict=True)]
            if self._site is not None:
                told.append((BY_SITE, float(generic[block]), float(margin[block] - generic[block])))
                told.sort(key=lambda one: -abs(one[2]))
            found.append(told[:most])
        return found

    def _by_site(
        self, segmentation: Segmentation, texts: Sequence[str], generic: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
        """Return log-odds with what is known of the site, and the signs of blocks of which people said what they are."""
        if self._site is None:
            return generic, np.zeros(len(generic), dtype=np.int8)
        margin, signs = self._site.margins(segmentation, texts, generic), self._site.signs(segmentation, texts)
        margin = np.where(
            signs > 0, np.maximum(margin, CERTAIN), np.where(signs < 0, np.minimum(margin, -CERTAIN), margin)
        )
        return margin, signs

    def _look(self, segmentation: Segmentation) -> tuple[Columns, float, NDArray[np.float64]]:
        """Return a page's columns, its probability of being an article, and its blocks' log-odds by the page model."""
        model, seen = page_model(), columns(segmentation)
        row = page_row(seen)
        article = self._article(model.article_share(row), segmentation.document)
        note_row(segmentation.document, row)
        return seen, article, model.margins(seen, article)

    def _article(self, share: float, document: Document) -> float:
        """Return the probability of a page being an article: half by what it is itself, half by its site, if known.

        Where a crawl took it for one, and a feed, a news sitemap or its own data say so, half by that.
        """
        if self.profile != "auto":
            return 1.0 if self.profile == "news" else 0.0
        site = self._site
        if site is not None and site.has_evidence:
            share = (share + site.news) / 2
        is_found = document.page.article_reason and article_evidence(document)
        return (share + 1) / 2 if is_found else share

    # ---- learning a site

    @cached_property
    def _site(self) -> SiteModel | None:
        return None if self.learned is None else _site_model(self.learned)

    def fit(self, documents: Sequence[Document]) -> Self:
        """Learn a site: what the page model makes of each place over all pages, and which texts recur.

        Where neither helps on pages that are held back, the site is judged as any other ("kept generic": `quality` is None).
        Of more than `MAX_SITE_PAGES` pages the first ones are read, one after the other; those that can not be read, and
        those that came before, are left out.

        Raises
        ------
        NothingLearned
            Fewer than `min_pages` of the pages are different and have text.
        """
        from webmain.extractors.site_model import COLUMNS, learn_site

        pages = list(replace(self, learned=None)._site_pages(islice(documents, MAX_SITE_PAGES)))
        if len(pages) < self.min_pages:
            raise NothingLearned(
                f"{self.name}: {len(pages)} of {len(documents)} pages are different, wanted are {self.min_pages}"
            )
        lesson = learn_site(pages)
        learned = Learned(
            n_pages=len(pages),
            columns=COLUMNS,
            weights=lesson.model.to_plain(),
            quality=lesson.quality,
            resemblance=lesson.resemblance,
        )
        return replace(self, learned=learned)

    def _site_pages(self, documents: Iterable[Document]) -> Iterator[SitePage]:
        """Judge each of the different pages as it comes, and keep what a site is learned from."""
        from webmain.features.site_memory import site_page
        from webmain.features.site_paths import KnownPages

        known = KnownPages()
        for document in documents:
            try:
                segmentation = self.segment(document)
                if not len(segmentation) or not known.add(document):
                    continue
                seen, article, margin = self._look(segmentation)
            except Rejected:  # too slow, above all
                continue
            yield site_page(segmentation, seen.texts, margin=margin, n_chars=seen.n_chars, news=article)

    def restored(self, learned: Learned) -> Self:
        """Return a copy with what was learned of a site earlier.

        Raises
        ------
        ValueError
            It is not a model of this method.
        """
        copy = replace(self, learned=learned)
        vars(copy)["_site"] = _site_model(learned)  # checked and read at once
        return copy

    @property
    def kept_generic(self) -> bool:
        """Whether a site's pages were learned from, and nothing of them is believed."""
        return self._site is not None and not self._site.is_adopted

    def resemblance(self, document: Document) -> float:
        """Return the share of a page's text that is at places known of the site; 0 where nothing was learned."""
        return 0.0 if self._site is None else self._site.resemblance(self.segment(document))


def _site_model(learned: Learned) -> SiteModel:
    """Read what was learned of a site."""
    from webmain.extractors.site_model import COLUMNS, SiteModel

    if tuple(learned.columns) != COLUMNS:
        raise ValueError(f"learned: a model with columns {', '.join(learned.columns)} is not of this method")
    return SiteModel.from_plain(learned.weights)
