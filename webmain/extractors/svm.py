"""Per-site SVM: learns a site from its own pages' descriptions, without manual labels.

References
----------
Karthikeyan K, Dhanush Kumar K: Web Content Extraction using Machine Learning; modules 1 to 4. Its predecessor, with
visual properties of rendered pages: Z. Zhou, M. Mashuq, Web Content Extraction Through Machine Learning (2013).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from webmain.extractors.base import (
    CheckedOptions,
    Extraction,
    Learned,
    NothingLearned,
    SiteExtractor,
    within,
)
from webmain.features.block_features import DEFAULT_SETS, check_sets
from webmain.features.labels import Labels, label_site
from webmain.features.linear import LinearModel, learn
from webmain.features.manual_corrections import apply_corrections
from webmain.features.relevance import is_own_text, usable_descriptions
from webmain.features.site_blocks import (
    concatenate,
    read_descriptions,
    read_documents,
    read_segmentations,
    shown_blocks,
)
from webmain.features.trees import probabilities
from webmain.items import Reason, Rejected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from webmain.features.site_blocks import SiteBlocks
    from webmain.html.blocks import Segmentation
    from webmain.html.document import Document

__all__ = ["SVM", "LinearModel", "learn"]

NO_MODEL = "no model of this site, and no description on the page"
NO_MATCH = "no model of this site, and no block that matches the page's description"
NO_FEATURES = "no model of this site, and no block with any of the features"
NOT_DRAWN = "visual features need pages rendered by a browser (-a render=always)"

MAX_PAGES = 500
"""Limit on pages of a site that are learned from; the first ones are used."""

MAX_BLOCKS = 5_000
"""Limit on blocks of a page that are learned from, the first ones; all blocks are judged."""

MAX_ROUNDS = 4
"""Maximum number of refits, each with the blocks wrongly kept on pages without content clusters added as boilerplate."""

MIN_KEPT_SHARE = 0.05
"""If less is kept of a page, as a share of the site's median, it counts as having no content."""


@dataclass(frozen=True)
class SVM(CheckedOptions, SiteExtractor):
    """Keeps the blocks that a linear classifier of the site classifies as content.

    Parameters
    ----------
    form : {"global", "local"}
        Whether the content cluster is chosen for the whole site (Algorithm 1) or for each page.
    labels : {"article", "best", "paper"}
        Which blocks are content for the classifier (module 3, Algorithm 1). "paper": as printed, all blocks of the cluster
        with the highest relevance are 1, all others are 0, on every page. "best": also one cluster, but with relevance
        corrected for chance, and a lead replaced by the body after it; pages without the cluster are not used for training.
        "article", a deviation, adds the best clusters of further templates, leads, and quotes, headings and lists between
        or after content blocks.
    features : str
        Feature sets, joined by "+": "length", "tag_path", "selector", "visual" (module 1). The last requires pages
        rendered by a browser (`Page.rendering`, in crawls `-a render=always`); others are rejected.
    min_pages : int
        Minimum number of pages to learn from.
    seed : int
        Seed of the folds in cross-validation.
    learned : Learned or None
        What was learned of the site.

    Notes
    -----
    Without a site model, the classifier is learned from the page itself by its description; without a description nothing
    is kept.

    Raw is the margin; the score is 1 / (1 + exp(-margin)).
    """

    name: ClassVar[str] = "svm"
    version: ClassVar[int] = 3
    form: Literal["global", "local"] = "global"
    labels: Literal["article", "best", "paper"] = "article"
    features: str = "+".join(DEFAULT_SETS)
    min_pages: int = field(default=5, metadata=within(1, 1e6))
    seed: int = field(default=0, metadata=within(0, 1e9))
    learned: Learned | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_sets(self._sets)

    @property
    def _sets(self) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.features.split("+"))

    @cached_property
    def _model(self) -> LinearModel | None:
        return None if self.learned is None else _read_model(self.learned)

    def segment(self, document: Document) -> Segmentation:
        """Return the default segmentation of a page without hidden text."""
        return shown_blocks(document)

    def judge(self, segmentation: Segmentation) -> Extraction:
        """Return verdicts that keep blocks with a positive margin (module 4).

        Raises
        ------
        Rejected
            `NO_TEXT`: visual features are requested, but the page was not rendered.
        """
        document = segmentation.document
        descriptions = None if self._model else [read_descriptions(document)]
        blocks = read_segmentations([segmentation], descriptions=descriptions)
        if not self._has_features(blocks):
            raise Rejected(Reason.NO_TEXT, f"{self.name}: features={self.features}: {NOT_DRAWN}")
        model = self._model or self._alone(blocks.first_of_pages(MAX_BLOCKS), document)
        if isinstance(model, str):
            return self._nothing(segmentation, model)
        parts = model.parts(blocks)
        margins = model.bias + parts.sum(axis=1)
        return Extraction(
            segmentation,
            self.name,
            score=probabilities(margins),
            raw=margins,
            kept=margins > 0,
            why=_reasons(model.sets, parts, margins > 0),
        )

    def _alone(self, blocks: SiteBlocks, document: Document) -> LinearModel | str:
        """Return a model learned from one page by its own description, or the reason why there is none."""
        if not any(usable_descriptions(blocks)):
            return NO_MODEL
        positive = self._label(blocks, check=document.check_time).positive
        if not positive.any():
            return NO_MATCH
        model = learn(blocks, positive, sets=self._sets, seed=self.seed, with_places=False, check=document.check_time)
        return NO_FEATURES if _is_blind(model) else model

    def _has_features(self, blocks: SiteBlocks) -> bool:
        """Return True unless visual features are requested and the blocks have none."""
        return blocks.visual is not None or "visual" not in self._sets

    def _nothing(self, segmentation: Segmentation, why: str) -> Extraction:
        none = np.zeros(len(segmentation))
        return Extraction(segmentation, self.name, score=none, raw=none, kept=none > 0, why=(why,) * len(segmentation))

    def fit(self, documents: Sequence[Document]) -> Self:
        """Return a copy fitted to a site: its blocks are clustered, labelled and classified (modules 2 to 4).

        Pages without a content cluster are excluded from training (not with `labels="paper"`): their article, if any, was
        not found and would count as boilerplate. Their links and text shared with other pages are added as boilerplate if
        the classifier would otherwise keep mostly these. The order of the pages does not matter. Manual corrections
        override the labels. At most the first `MAX_PAGES` pages are read, one at a time: a sequence that parses pages on
        access has only one in memory.

        Raises
        ------
        NothingLearned
            No page has its own description, no cluster matches the descriptions, or no block has any of the features.
        """
        pages = _read_pages(islice(documents, MAX_PAGES))
        if pages and not any(map(self._has_features, pages)):
            raise NothingLearned(f"svm: features={self.features}: {NOT_DRAWN}")
        pages = list(filter(self._has_features, pages))
        blocks = concatenate(pages)
        is_described = any(usable_descriptions(blocks))
        if not is_described and blocks.corrections is None:
            raise NothingLearned(f"svm: none of {len(pages)} pages has a description of its own")
        positive = self._label(blocks).positive if is_described else np.zeros(len(blocks), dtype=np.bool_)
        positive = apply_corrections(positive, blocks.corrections, blocks.selectors)
        if not positive.any():
            raise NothingLearned(f"svm: no text on {len(pages)} pages matches their descriptions")
        has_content = np.bincount(blocks.page[positive], minlength=blocks.n_pages) > 0
        model = self._learn(blocks, positive, has_content)
        if _is_blind(model):
            raise NothingLearned(f"svm: features={self.features}: {len(pages)} pages share none of these features")
        with_content = [pages[i] for i in np.flatnonzero(has_content).tolist()]
        usual = float(np.median([_n_kept(model, page) for page in with_content]))
        n_without = len(pages) - len(with_content)
        return replace(
            self,
            learned=Learned(
                n_pages=len(pages),
                columns=model.columns,
                weights={**{k: v for k, v in model.to_plain().items() if k != "columns"}, "usual_chars": usual},
                quality=model.quality,
                resemblance=float(np.mean([_resemblance(model, page, usual) for page in with_content])),
                note=f"on {n_without} of them no text matches the page's description" if n_without else "",
            ),
        )

    def _learn(self, blocks: SiteBlocks, positive: NDArray[np.bool_], has_content: NDArray[np.bool_]) -> LinearModel:
        """Return the classifier fitted to pages with content, and to known boilerplate of the others (module 4).

        Parameters
        ----------
        blocks : SiteBlocks
        positive : (n_blocks,) bool
        has_content : (n_pages,) bool
            Pages with positive blocks.
        """
        used = np.ones(len(blocks), dtype=np.bool_) if self.labels == "paper" else has_content[blocks.page]
        model = first = self._learn_from(blocks, positive, used)
        for _ in range(MAX_ROUNDS):
            wrong = _wrongly_kept(blocks, model, ~has_content) & ~used
            if not wrong.any():
                break
            used |= wrong
            model = replace(self._learn_from(blocks, positive, used), places=first.places)
        return model

    def _learn_from(self, blocks: SiteBlocks, positive: NDArray[np.bool_], used: NDArray[np.bool_]) -> LinearModel:
        chosen = blocks.select(np.flatnonzero(used))
        pages = np.unique(chosen.page).astype(np.int64)
        return learn(chosen.select_pages(pages), positive[used], sets=self._sets, seed=self.seed)

    def _label(self, blocks: SiteBlocks, check: Callable[[], object] = lambda: None) -> Labels:
        return label_site(blocks, sets=self._sets, form=self.form, rule=self.labels, check=check)

    def restored(self, learned: Learned) -> Self:
        """Return a copy with a model learned earlier.

        Raises
        ------
        ValueError
            Not a model of this method.
        """
        _read_model(learned)
        _usual_chars(learned)
        return replace(self, learned=learned)

    def resemblance(self, document: Document) -> float:
        """Return the share of a page's text that is at places of the training pages; 0 without content.

        Less than `MIN_KEPT_SHARE` of the usual text counts as no content.
        """
        if self._model is None or self.learned is None:
            return 0.0
        return _resemblance(self._model, read_segmentations([shown_blocks(document)]), _usual_chars(self.learned))


def _wrongly_kept(blocks: SiteBlocks, model: LinearModel, without_content: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which boilerplate blocks of pages without content clusters a classifier keeps.

    These are links, or texts that are on other pages, on pages where they are most of the kept characters.
    """
    kept = without_content[blocks.page] & (model.margins(blocks) > 0)
    foreign = kept & ~is_own_text(blocks)
    n_chars = _n_chars(blocks)
    n_kept, n_foreign = (np.bincount(blocks.page, n_chars * of, minlength=blocks.n_pages) for of in (kept, foreign))
    wrong: NDArray[np.bool_] = foreign & (2 * n_foreign > n_kept)[blocks.page]
    return wrong


def _n_chars(blocks: SiteBlocks) -> NDArray[np.float64]:
    """Return the number of characters of each block."""
    return np.fromiter(map(len, blocks.texts), dtype=np.float64, count=len(blocks))


def _n_kept(model: LinearModel, page: SiteBlocks) -> float:
    """Return the number of characters that a model keeps of one page."""
    return float(_n_chars(page)[model.margins(page) > 0].sum())


def _resemblance(model: LinearModel, page: SiteBlocks, usual_chars: float) -> float:
    """Return the share of one page's text that is at known places; 0 if (almost) nothing is kept."""
    n_kept = _n_kept(model, page)
    if not n_kept or n_kept < MIN_KEPT_SHARE * usual_chars:
        return 0.0
    known = np.array([model.knows(*place) for place in zip(page.tag_paths, page.selectors, strict=True)])
    n_chars = _n_chars(page)
    return float((known * n_chars).sum() / n_chars.sum())


def _is_blind(model: LinearModel) -> bool:
    """Return True if a model classifies nothing as content because it has no columns."""
    return not model.columns and model.bias <= 0


def _reasons(sets: Sequence[str], parts: NDArray[np.float64], kept: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return for each block the sign of its margin, and the feature set that contributes most to it."""
    towards = np.where(kept[:, None], parts, -parts)
    most = np.where(towards.max(axis=1) > 0, towards.argmax(axis=1), len(sets))
    ends = [*(f", most by {name}" for name in sets), " by default"]
    why = np.array([f"margin {sign} 0{end}" for sign in ("<=", ">") for end in ends], dtype=object)
    found: list[str] = why[kept * len(ends) + most].tolist()
    return tuple(found)


def _read_pages(documents: Iterable[Document]) -> list[SiteBlocks]:
    """Return at most `MAX_BLOCKS` blocks of each page, read one by one and sorted by digest."""
    found = []
    for document in documents:
        digest = hashlib.sha256(document.source).digest()
        found.append((digest, read_documents([document]).first_of_pages(MAX_BLOCKS)))
        del document  # free it before the next one is parsed
    return [page for _, page in sorted(found, key=itemgetter(0))]


def _read_model(learned: Learned) -> LinearModel:
    return LinearModel.from_plain({**learned.weights, "columns": list(learned.columns)})


def _usual_chars(learned: Learned) -> float:
    """Return the median number of characters kept of the training pages."""
    found = learned.weights.get("usual_chars")
    if not isinstance(found, (int, float)) or not found >= 0:
        raise ValueError(f"no linear model: usual_chars is {found!r:.60}")
    return float(found)
