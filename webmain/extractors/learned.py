"""The learned extractor: a page model for the blocks of any page, which can also be adapted to a site.

References
----------
Own work. Blocks as rows of shallow text features, judged by trees, follow Christian Kohlschütter, Peter Fankhauser,
Wolfgang Nejdl: Boilerplate Detection using Shallow Text Features (2010); boosted trees follow Jerome Friedman: Greedy
Function Approximation: A Gradient Boosting Machine (2001). The features of the five published methods are among the columns
(`webmain.extractors.page_model`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple, Self

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
from webmain.extractors.model_files import ModelFile
from webmain.extractors.page_model import (
    PageModelError,
    block_names,
    choose,
    columns,
    confidence_row,
    page_model,
    page_row,
)
from webmain.extractors.page_types import note_row
from webmain.features.comments import effect_of_comments, thread_blocks
from webmain.features.manual_corrections import CERTAIN
from webmain.features.recipes import effect_of_recipe
from webmain.features.trees import probabilities
from webmain.html.blocks import segment
from webmain.html.columns import Flag
from webmain.html.pruning import pruned_elements
from webmain.items import Rejected
from webmain.metadata.declared import article_evidence, head_claims

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from webmain.extractors.page_model import Columns, PageModel
    from webmain.extractors.site_model import SiteModel
    from webmain.features.site_evidence import SitePage
    from webmain.html.blocks import Segmentation
    from webmain.html.document import Document

NEVER_SHOWN: Final = Flag.HIDDEN_VISIBILITY | Flag.HIDDEN_CLASS
"""Flags of text that readers never see. Text that is only not displayed on load (tabs, folded sections) is judged."""

LITTLE: Final = 250
"""If fewer characters are shown, hidden text is judged too."""

MAX_SITE_PAGES: Final = 200
"""Limit on pages that a site is learned from, the first ones; more improve little."""

BY_SITE: Final = "the site's other pages"
BY_THREAD: Final = "readers' comments below an article"
BY_RECIPE: Final = "the recipe that the page declares"
"""Names used instead of a column for what a site model, and the rules on comments and recipes, add to a block's score."""


_WHY: Final = (
    "unlikely to be content",
    "less likely than not",
    "likely enough for the best whole",
    "likely to be content",
    "the site's other pages speak against it",
    "the site's other pages speak for it",
    "marked as boilerplate by a person",
    "marked as content by a person",
    BY_THREAD,
    BY_RECIPE,
    "not likely enough for the best whole",
)


class _Scored(NamedTuple):
    """A page's columns and its probability of being an article; its blocks' log-odds, and what of it is by which rule."""

    page: Columns
    article: float
    margin: NDArray[np.float64]
    by_rule: dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class LearnedExtractor(CheckedOptions, SiteExtractor):
    """Scores each block with a model trained on labelled pages, and keeps the set with the highest expected F1.

    Parameters
    ----------
    profile : {"auto", "news", "general"}
        "news": the page has an article; comments, related stories, bylines, captions and panels are not part of it.
        "general": another page; forum posts, product descriptions and list entries are content. "auto": uses the page
        model's probability that it is an article; in a crawl, evidence from discovery counts for half.
    min_pages : int
        Minimum number of different pages for `fit`.
    model : str or ModelFile
        File of a page model that `webmain train` wrote; empty for the one that comes with the package. The type of a page
        (`webmain.extractors.page_types`) is always that one's: its thresholds were chosen for it.
    learned : Learned or None
        What was learned of the site.

    Notes
    -----
    Some text is kept from every page that has any (`always_answers`).
    """

    name: ClassVar[str] = "learned"
    version: ClassVar[int] = 1
    judges_unlearned: ClassVar[bool] = True
    always_answers: ClassVar[bool] = True
    profile: Literal["auto", "news", "general"] = "auto"
    min_pages: int = field(default=2, metadata=within(2, 1e6))
    model: ModelFile | str = ""
    learned: Learned | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.model, str) and self.model:
            try:
                object.__setattr__(self, "model", ModelFile.at(self.model))
            except PageModelError as error:
                raise PageModelError(f"{self.name}: option model: {error}") from error

    @property
    def _page_model(self) -> PageModel:
        return self.model.model() if isinstance(self.model, ModelFile) else page_model()

    def segment(self, document: Document) -> Segmentation:
        """Return the default segmentation of a page, without menus, footers and text that is never shown.

        Menus and footers are excluded by `webmain.html.pruning`. Hidden text is excluded from blocks that also have shown
        text. Blocks that are wholly hidden until a script runs are judged like others. If hardly anything is shown, the
        first kind of text with enough prose is segmented: shown, `noscript`, hidden, in an embed
        (`webmain.embedded.fallback`).
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
        """Return each block's probability of being content, and the best set of blocks."""
        if not len(segmentation):
            nothing = np.zeros(0)
            kept = nothing.astype(np.bool_)
            return Extraction(segmentation, self.name, score=nothing, raw=nothing, kept=kept, why=(), confidence=0.0)
        page, article, generic, by_rule = self._scored(segmentation)
        margin, signs = self._by_site(segmentation, page.texts, generic)
        probability = probabilities(margin)
        choice = choose(probability, page.n_chars)
        reason = 2 * choice.kept + (probability > np.where(choice.kept, 0.5, choice.limit / 2))
        reason[(probability > 0.5) & ~choice.kept] = 10
        reason[(generic > 0) & (margin <= 0) & ~choice.kept] = 4
        reason[(generic <= 0) & (margin > 0) & choice.kept] = 5
        reason[(by_rule[BY_THREAD] < 0) & ~choice.kept] = 8
        reason[(by_rule[BY_RECIPE] > 0) & choice.kept] = 9
        reason[(signs < 0) & ~choice.kept] = 6
        reason[(signs > 0) & choice.kept] = 7
        return Extraction(
            segmentation,
            self.name,
            score=probability,
            raw=margin,
            kept=choice.kept,
            why=[_WHY[i] for i in reason.tolist()],
            confidence=self._page_model.expected_f1(confidence_row(probability, page.n_chars, choice, article)),
        )

    def pruned(self, segmentation: Segmentation) -> list[int]:
        """Return the elements of a page that were excluded as a whole, such as menus and footers; ascending."""
        elements, inside = segmentation.document.elements, segmentation.of_unit >= 0
        start, end = elements.first_leaf, elements.end_leaf
        return [i for i in pruned_elements(segmentation.document) if not inside[start[i] : end[i]].any()]

    def contributions(
        self, segmentation: Segmentation, blocks: Sequence[int], *, most: int | None = None
    ) -> list[list[tuple[str, float, float]]]:
        """Return for each block its columns' names, values and contributions (log-odds), largest effect first.

        The site model's contribution is listed as `BY_SITE`; its value is the log-odds without it.
        """
        page, article, generic, by_rule = self._scored(segmentation)
        rows = page.with_article(article)[list(blocks)]
        contributions = self._page_model.blocks.contributions(rows)
        names = block_names()
        found = []
        margin, _ = self._by_site(segmentation, page.texts, generic)
        for block, row, odds in zip(blocks, rows, contributions, strict=True):
            order = np.argsort(-np.abs(odds), kind="stable")[: np.count_nonzero(odds)][:most]
            columns_of = (order.tolist(), row[order].tolist(), odds[order].tolist())
            effects = [(names[i], value, by) for i, value, by in zip(*columns_of, strict=True)]
            effects += [(name, 1.0, float(effect[block])) for name, effect in by_rule.items() if effect[block]]
            if self._site is not None:
                effects.append((BY_SITE, float(generic[block]), float(margin[block] - generic[block])))
            found.append(sorted(effects, key=lambda one: -abs(one[2]))[:most])
        return found

    def _by_site(
        self, segmentation: Segmentation, texts: Sequence[str], generic: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
        """Return the log-odds after the site model and manual corrections, and the corrections' signs."""
        if self._site is None:
            return generic, np.zeros(len(generic), dtype=np.int8)
        margin, signs = self._site.margins(segmentation, texts, generic), self._site.signs(segmentation, texts)
        margin = np.where(
            signs > 0, np.maximum(margin, CERTAIN), np.where(signs < 0, np.minimum(margin, -CERTAIN), margin)
        )
        return margin, signs

    def _scored(self, segmentation: Segmentation) -> _Scored:
        """Return a page's columns, and what the page model says of its blocks."""
        model, page = self._page_model, columns(segmentation)
        row = page_row(page)
        article = self._article(model.article_share(row), segmentation.document)
        note_row(segmentation.document, row)
        margin = model.margins(page, article)
        of_comments = effect_of_comments(thread_blocks(segmentation), margin, page.n_chars, article)
        margin = margin + of_comments
        of_recipe = effect_of_recipe(segmentation, page.texts, margin)
        return _Scored(page, article, margin + of_recipe, {BY_THREAD: of_comments, BY_RECIPE: of_recipe})

    def _article(self, share: float, document: Document) -> float:
        """Return the probability that a page is an article: the mean of its own and, if known, its site's.

        If a crawl took it for an article, and a feed, a news sitemap or its own data confirm it, the mean of that and 1.
        A page that declares a video has a text like an article's, however many other videos are below it.
        """
        if self.profile != "auto":
            return 1.0 if self.profile == "news" else 0.0
        site = self._site
        if site is not None and site.has_evidence:
            share = (share + site.news) / 2
        if head_claims(document).kind == "video":
            return 1.0
        is_found = document.page.article_reason and article_evidence(document)
        return (share + 1) / 2 if is_found else share

    # ---- learning a site

    @cached_property
    def _site(self) -> SiteModel | None:
        return None if self.learned is None else _site_model(self.learned)

    def fit(self, documents: Sequence[Document]) -> Self:
        """Return a copy that has learned a site: the page model's mean verdict at each place, and recurring texts.

        If neither helps on held-out pages, the site is judged like any other ("kept generic": `quality` is None). At most
        the first `MAX_SITE_PAGES` pages are read, one at a time; unreadable and repeated pages are skipped.

        Raises
        ------
        NothingLearned
            Fewer than `min_pages` different pages with text.
        """
        from webmain.extractors.site_model import COLUMNS, learn_site

        pages = list(replace(self, learned=None)._site_pages(islice(documents, MAX_SITE_PAGES)))
        if len(pages) < self.min_pages:
            raise NothingLearned(
                f"{self.name}: {len(pages)} of {len(documents)} pages are different, at least {self.min_pages} are needed"
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
        """Yield what is needed of each distinct page to learn its site."""
        from webmain.features.site_evidence import site_page
        from webmain.features.site_paths import KnownPages

        known = KnownPages()
        for document in documents:
            try:
                segmentation = self.segment(document)
                if not len(segmentation) or not known.add(document):
                    continue
                page, article, margin, _ = self._scored(segmentation)
            except Rejected:  # mostly `TOO_SLOW`
                continue
            yield site_page(segmentation, page.texts, margin=margin, n_chars=page.n_chars, news=article)

    def restored(self, learned: Learned) -> Self:
        """Return a copy with what was learned of a site earlier.

        Raises
        ------
        ValueError
            Not a model of this method.
        """
        copy = replace(self, learned=learned)
        vars(copy)["_site"] = _site_model(learned)  # checked and read at once
        return copy

    @property
    def kept_generic(self) -> bool:
        """Whether a site was learned but nothing of it is used."""
        return self._site is not None and not self._site.is_adopted

    def resemblance(self, document: Document) -> float:
        """Return the share of a page's text that is at known places of the site; 0 if nothing was learned."""
        return 0.0 if self._site is None else self._site.resemblance(self.segment(document))


def _site_model(learned: Learned) -> SiteModel:
    """Return the site model in what was learned."""
    from webmain.extractors.site_model import COLUMNS, SiteModel

    if tuple(learned.columns) != COLUMNS:
        raise ValueError(f"learned: a model with columns {', '.join(learned.columns)} is not one of this method")
    return SiteModel.from_plain(learned.weights)
