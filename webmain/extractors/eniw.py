"""ENIW, the baseline of the Priority Assignment paper: keeps all text that remains after some tags are removed.

References
----------
Rasel Kabir, Shaily Kabir, Shamiul Amin: Isolating Informative Blocks from Large Web Pages Using HTML Tag Priority
Assignment Based Approach, section 2 (its description of Oza and Mishra, Elimination of Noisy Information from Web Pages).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from webmain.extractors.base import NOT_SHOWN, CheckedOptions, Extraction
from webmain.html.blocks import Segmentation, from_runs
from webmain.html.columns import Break

if TYPE_CHECKING:
    from webmain.html.document import Document

REMOVED = frozenset(("script", "style", "form", "marquee", "meta"))
"""Tags "unrelated to the page content" (section 2)."""


@dataclass(frozen=True)
class ENIW(CheckedOptions):
    """Drops tags without text and the removed tags, and keeps every text block of the remaining tree.

    Parameters
    ----------
    hidden : {"drop", "keep"}
        Whether hidden text, and fallback text of frames and players, is dropped. Deviation: the paper does not consider
        hidden text; "keep" follows it exactly.

    Notes
    -----
    No priorities and no link ratio: every block is kept with score and raw value 1.
    """

    name: ClassVar[str] = "eniw"
    hidden: Literal["drop", "keep"] = "drop"

    def segment(self, document: Document) -> Segmentation:
        """Return the text blocks of the tree without the removed tags (section 2)."""
        leaves, elements = document.leaves, document.elements
        removed = elements.within(elements.has_tag(REMOVED))[leaves.elements]
        if self.hidden == "drop":
            removed |= leaves.has(NOT_SHOWN)
        owner = np.where(removed, -1, np.maximum(leaves.boxes, 0)).astype(np.int32)
        return from_runs(document, owner, fresh=leaves.gaps >= int(Break.BR_BR))

    def judge(self, segmentation: Segmentation) -> Extraction:
        """Return a verdict that keeps every block."""
        n = len(segmentation)
        one = np.ones(n)
        return Extraction(
            segmentation, self.name, score=one, raw=one, kept=np.ones(n, dtype=bool), why=("has text",) * n
        )
