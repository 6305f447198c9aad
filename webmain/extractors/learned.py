"""The learned extractor: a model of what any page's blocks look like, which adapts itself to each site it sees.

References
----------
Own work. Blocks as rows of shallow text features, judged by trees, follow Christian Kohlschütter, Peter Fankhauser, Wolfgang
Nejdl: Boilerplate Detection using Shallow Text Features (2010); boosted trees follow Jerome Friedman: Greedy Function
Approximation: A Gradient Boosting Machine (2001). What the five published methods look at is among the columns
(`webmain.features.columns`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

import numpy as np

from webmain.extractors.base import NOT_SHOWN, Extraction, check_option, extraction
from webmain.extractors.page_model import page_model
from webmain.features.choice import choose
from webmain.features.columns import columns, names
from webmain.items import Break, Flag
from webmain.page.blocks import from_runs
from webmain.page.fallback import fallback_mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.extractors.page_model import PageModel
    from webmain.features.columns import Columns
    from webmain.page.blocks import Segmentation
    from webmain.page.document import Document

NEVER_SHOWN: Final = Flag.HIDDEN_VISIBILITY | Flag.HIDDEN_CLASS
"""What no reader ever sees. Text that is not displayed when the page loads is judged: tabs, and what opens on a click."""

LITTLE: Final = 250
"""Where fewer characters are shown, hidden text is looked at."""

PROFILES: Final = ("auto", "news", "general")
_WHY: Final = (
    "unlikely to be content",
    "less likely than not",
    "likely enough for the best whole",
    "likely to be content",
)


@dataclass(frozen=True)
class LearnedExtractor:
    """Judge each block by a model that was trained on pages with known answers; keep the set with the best expected F1.

    Parameters
    ----------
    profile : {"auto", "news", "general"}
        "news": pages with one article; comments, related stories, bylines, captions and boxes are no part of it. "general":
        all other pages; posts of a forum, descriptions of products, entries of a list are content. "auto" decides for each.

    Notes
    -----
    Some text is kept of every page that has any (`always_answers`).
    """

    name: ClassVar[str] = "learned"
    version: ClassVar[int] = 1
    judges_unlearned: ClassVar[bool] = True
    always_answers: ClassVar[bool] = True
    profile: Literal["auto", "news", "general"] = "auto"

    def __post_init__(self) -> None:
        check_option(self.name, "profile", self.profile, PROFILES)

    def segment(self, document: Document) -> Segmentation:
        """Divide a page into what a reader sees as one unit.

        Text that is never shown is in no block, nor is text that is hidden inside a block that shows some. Blocks that are
        wholly hidden until a script runs are judged like others. Where hardly anything is shown, what comes first of text in
        `noscript`, hidden, or in place of an embed makes the blocks (`page.fallback`).
        """
        segmentation = document.blocks
        leaves = document.leaves
        hidden = leaves.has(NOT_SHOWN)
        if not hidden.any() and len(segmentation):
            return segmentation
        never = leaves.has(NEVER_SHOWN)
        if leaves.n_chars[~hidden].sum() < LITTLE:
            member = fallback_mask(document)
        else:
            has_shown = np.bincount(segmentation.of_unit, weights=~hidden, minlength=len(segmentation)) > 0
            member = ~(never | (hidden & has_shown[segmentation.of_unit]))
        fresh = leaves.gaps >= int(Break.BR_BR)
        return from_runs(document, np.where(member, np.maximum(leaves.boxes, 0), -1).astype(np.int32), fresh=fresh)

    def judge(self, segmentation: Segmentation) -> Extraction:
        """Score blocks by their probability of being content and keep the best set."""
        if not len(segmentation):
            nothing = np.zeros(0)
            kept = nothing.astype(np.bool_)
            return extraction(segmentation, self.name, score=nothing, raw=nothing, kept=kept, why=(), confidence=0.0)
        model = page_model()
        seen = columns(segmentation)
        news = self._news(model, seen)
        margin = model.margins(seen, news)
        probability = probabilities(margin)
        choice = choose(probability, seen.n_chars)
        reason = 2 * choice.kept + (probability > np.where(choice.kept, 0.5, choice.limit / 2))
        return extraction(
            segmentation,
            self.name,
            score=probability,
            raw=margin,
            kept=choice.kept,
            why=[_WHY[i] for i in reason.tolist()],
            confidence=model.expected_f1(probability, seen.n_chars, choice, news),
        )

    def contributions(self, segmentation: Segmentation, block: int) -> list[tuple[str, float, float]]:
        """Return what moved a block's score: for each column its name, value and contribution, the strongest first."""
        model, seen = page_model(), columns(segmentation)
        news = self._news(model, seen)
        row = seen.values[block]
        moved = np.zeros(len(names()))
        for trees, share in ((model.news, news), (model.general, 1 - news)):
            if share:
                moved += share * trees.contributions(row, len(moved))
        order = np.argsort(-np.abs(moved), kind="stable")
        return [(names()[i], float(row[i]), float(moved[i])) for i in order.tolist() if moved[i]]

    def _news(self, model: PageModel, seen: Columns) -> float:
        """Return how much of the news profile a page gets."""
        if self.profile == "auto":
            return model.news_share(seen)
        return 1.0 if self.profile == "news" else 0.0


def probabilities(margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of log-odds."""
    found: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(margin, -30, 30)))
    return found
