"""What an explanation of a page is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from webmain.items import Verdict

if TYPE_CHECKING:
    from webmain.extractors.base import Extraction, Extractor
    from webmain.extractors.page_types import PageType
    from webmain.html.blocks import Unit
    from webmain.html.columns import Elements
    from webmain.html.document import Document
    from webmain.items import Article, Rejected


class Moved(NamedTuple):
    """A column that moved a block's score: its name, its value, and by how much (log-odds)."""

    column: str
    value: float
    log_odds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedBlock:
    """A part of a page with its verdict.

    The parts of an explanation are disjoint, in the page's order, and hold every leaf; the texts of those that are content,
    joined by blank lines, are the article's text.

    Attributes
    ----------
    index : int or None
        The method's block; the first of them where the article makes one of several (a table, code). None for what it did
        not judge: pruned, or in none of its blocks. Several parts may be of one block.
    verdict : Verdict
    score, raw : float or None
        In [0, 1], and the paper's own quantity; None where there was no judgement.
    why : str
        The reason, in a few words.
    units : tuple of int
        The leaves, ascending; source lines for a method that builds no tree. None of them where the text is not the page's
        own (its data, a feed, a following page), or is that of the `title` element.
    text : str
        As it is in the article; as a reader of the page sees it for what is not.
    element : int
        Its element; -1 where there is none.
    elements : Elements or None
        Those of the page; None where the method builds no tree.
    """

    index: int | None
    verdict: Verdict
    score: float | None
    raw: float | None
    why: str
    units: tuple[int, ...]
    text: str
    element: int = -1
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

    @property
    def end(self) -> int:
        """One past the last leaf (source line); between them may be some of other blocks."""
        return self.units[-1] + 1 if self.units else -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A page, how one method judged it, and what came of it.

    Attributes
    ----------
    document : Document
    method : Extractor
        The one that judged: with what was learned of the site, where something was.
    extraction : Extraction or None
        None where the page was rejected before a method judged it.
    page_type : PageType or None
        None where the page could not be read.
    unit : Unit
        What the blocks are made of: leaves, or source lines.
    blocks : tuple of ExplainedBlock
    article : Article or None
        Exactly one of `article` and `rejected` is given.
    rejected : Rejected or None
    note : str
        What the choice of the site's model has to say, for people; "" if nothing.
    """

    document: Document
    method: Extractor
    extraction: Extraction | None
    page_type: PageType | None
    unit: Unit
    blocks: tuple[ExplainedBlock, ...]
    article: Article | None
    rejected: Rejected | None
    note: str = ""

    @property
    def name(self) -> str:
        """Name of the method that judged; "rules" where those of the site did."""
        return self.extraction.extractor if self.extraction is not None else self.method.name
