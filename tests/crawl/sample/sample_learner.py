"""An extractor for tests that learns a site: the places (tag and class) of long text that differs from page to page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from webmain.extractors.base import Extraction, Learned, NothingLearned, SiteExtractor
from webmain.html.blocks import Segmentation, default_blocks
from webmain.html.document import Document

LONG = 60


def places(document: Document) -> list[tuple[str, str]]:
    """Return place and text of each block."""
    return [(block.css.rpartition(">")[2].strip(), block.text) for block in default_blocks(document)]


@dataclass(frozen=True)
class Places(SiteExtractor):
    """Keeps what stands at the places it has learned; without them nothing."""

    name: ClassVar[str] = "places"
    version: ClassVar[int] = 1
    min_pages: int = 2
    long: int = LONG
    learned: Learned | None = field(default=None, compare=False)

    def segment(self, document: Document) -> Segmentation:
        return default_blocks(document)

    def judge(self, segmentation: Segmentation) -> Extraction:
        known = set(self.learned.weights["content"]) if self.learned else set()
        kept = np.array([place in known for place, _ in places(segmentation.document)], dtype=bool)
        score = kept.astype(np.float64)
        return Extraction(segmentation, self.name, score=score, raw=score, kept=kept, why=["place"] * len(kept))

    def fit(self, documents: Sequence[Document]) -> Self:
        if any("unlearnable" in (d.url or "") for d in documents):
            raise NothingLearned("the pages hold no evidence")
        if any("explode" in (d.url or "") for d in documents):
            raise ZeroDivisionError("a fault in the method")
        found = [places(d) for d in documents]
        repeated = Counter(text for page in found for text in {t for _, t in page})
        everywhere = Counter(place for page in found for place in {p for p, _ in page})
        content = sorted({p for page in found for p, t in page if len(t) >= self.long and repeated[t] == 1})
        if not content or len(found) < 2:
            raise NothingLearned(f"no place with text of its own on {len(found)} pages")
        weights = {"content": content, "places": {p: n / len(found) for p, n in sorted(everywhere.items())}}
        learned = Learned(n_pages=len(found), columns=("content",), weights=weights, quality=1.0, resemblance=0.0)
        fitted = replace(self, learned=learned)
        mean = float(np.mean([fitted.resemblance(d) for d in documents]))
        return replace(self, learned=replace(learned, resemblance=mean))

    def restored(self, learned: Learned) -> Self:
        if not isinstance(learned.weights.get("content"), list) or not isinstance(learned.weights.get("places"), dict):
            raise ValueError("content and places are missing")
        return replace(self, learned=learned)

    def resemblance(self, document: Document) -> float:
        assert self.learned is not None
        known = self.learned.weights["places"]
        here = {place for place, _ in places(document)}
        return len(here & set(known)) / len(here | set(known)) if here else 0.0
