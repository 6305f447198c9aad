"""Records of a person's corrections to a page: which parts are content, and which are not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPart:
    """A part of a page whose verdict a person has changed.

    Attributes
    ----------
    content : bool
        Whether it is content, as the person says.
    xpath : str
        Place of its element; "" for source lines and text that is not in the page.
    text : str
        As the page shows it.
    leaves : tuple of int
        Its leaves in the page as it is stored here; empty for source lines.
    """

    content: bool
    xpath: str
    text: str
    leaves: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A page with the text that should have been extracted: one line of a file of gold pages.

    `id`, `url`, `domain`, `lang`, `html` and `text` mean what they mean in any gold data (docs/evaluate.md).

    Attributes
    ----------
    id : str
        That of the page: two corrections with one id are of one page, and the later one counts.
    url : str or None
    domain : str
        Site key of the address; "" without one.
    lang : str
        Detected language of the text; "" if unknown.
    html : str
        The page as it was decoded.
    text : str
        The text as corrected: the parts that are content, joined by blank lines.
    before : str
        The text as the extractor gave it.
    extractor : str
        Whose judgement was corrected.
    marked : tuple of Marked
        What was changed, in the page's order.
    leaves : tuple of int
        The leaves of the text as corrected; empty for a method that builds no tree.
    made_at : str
        ISO 8601, UTC.
    note : str
        The person's note.
    """

    id: str
    url: str | None
    domain: str
    lang: str
    html: str
    text: str
    before: str
    extractor: str
    marked: tuple[MarkedPart, ...]
    made_at: str
    leaves: tuple[int, ...] = ()
    note: str = ""
