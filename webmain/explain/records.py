"""Records of an explanation of a page, and the same as JSON types for `webmain explain -f json` and the REST interface."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from webmain.items import Verdict

if TYPE_CHECKING:
    from webmain.extractors.base import Extraction, Extractor
    from webmain.extractors.page_types import PageType
    from webmain.html.blocks import Unit
    from webmain.html.columns import Elements
    from webmain.html.document import Document
    from webmain.items import Article, Rejected


class FeatureEffect(NamedTuple):
    """A feature that moved a block's score: its name, its value, and by how much (log-odds)."""

    column: str
    value: float
    log_odds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedBlock:
    """A part of a page with its verdict.

    The parts of an explanation are disjoint, in document order, and contain every leaf; the texts of those that are content,
    joined by blank lines, are the article's text.
    """

    # The method's block; the first one if the article joins several (a table, code). None for what the method did not
    # judge: pruned, or in none of its blocks. Several parts may belong to one block.
    index: int | None
    verdict: Verdict
    # the score in [0, 1], and the paper's own quantity; None if not judged
    score: float | None
    raw: float | None
    why: str  # the reason, in a few words
    # The leaves, ascending; source lines for a method that builds no tree. Empty if the text does not come from the
    # page's body (but from its data, a feed, a following page or the `title` element).
    units: tuple[int, ...]
    text: str  # the text in the article; for parts not in the article, the text as a reader of the page sees it
    element: int = -1  # its element; -1 if there is none
    # elements of the page; None if the method builds no tree
    elements: Elements | None = field(default=None, repr=False, compare=False)

    @property
    def xpath(self) -> str:
        """Absolute XPath of its element; "" without one."""
        return self.elements.xpath(self.element) if self.elements is not None and self.element >= 0 else ""

    @property
    def selector(self) -> str:
        """CSS selector of its element from the body on; "" without one."""
        return self.elements.css(self.element) if self.elements is not None and self.element >= 0 else ""

    @property
    def first(self) -> int:
        """The first leaf (source line); -1 without any."""
        return self.units[0] if self.units else -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A page, one method's verdicts on it, and the resulting article or rejection."""

    document: Document
    method: Extractor  # the extractor that judged, with the site's model if there is one
    extraction: Extraction | None  # none if the page was rejected before a method judged it
    page_type: PageType | None  # none if the page could not be read
    unit: Unit  # unit of the blocks: leaves, or source lines
    blocks: tuple[ExplainedBlock, ...]
    article: Article | None  # exactly one of `article` and `rejected` is given
    rejected: Rejected | None
    note: str = ""  # a note for people on the choice of the site's model; "" for none

    @property
    def name(self) -> str:
        """Name of the method that judged; "rules" if the site's rules did."""
        return self.extraction.extractor if self.extraction is not None else self.method.name


def page_record(explanation: Explanation) -> dict[str, Any]:
    """Return the record of a page's explanation, without its blocks."""
    rejected, kind, judged = explanation.rejected, explanation.page_type, explanation.extraction
    return {
        "url": explanation.document.url,
        "extractor": explanation.name,
        "confidence": rounded(judged.confidence if judged else None),
        "page_type": kind.name if kind else None,
        "page_type_probability": rounded(kind.probability if kind else None),
        "unit": explanation.unit.name.lower(),
        "note": explanation.note,
        "rejected": {"reason": rejected.reason.value, "detail": rejected.detail} if rejected else None,
    }


def block_record(block: ExplainedBlock) -> dict[str, Any]:
    """Return the record of a part of a page with its verdict."""
    return {
        "block": block.index,
        "verdict": block.verdict.value,
        "score": rounded(block.score),
        "raw": rounded(block.raw),
        "why": block.why,
        "xpath": block.xpath,
        "selector": block.selector,
        "text": block.text,
    }


def rounded(value: float | None) -> float | None:
    """Return a score rounded to four digits; None for None."""
    return None if value is None else round(float(value), 4)
