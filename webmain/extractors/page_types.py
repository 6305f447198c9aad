"""Classifies pages by type, with probabilities from the page model.

The `learned` extractor computes the model's input row anyway and caches it on the document (`note_row`); for other methods
it is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from webmain.clock import once
from webmain.embedded.articles import embedded_article
from webmain.extractors.base import create
from webmain.extractors.page_model import columns, page_model, page_names, page_row
from webmain.html.columns import HIDDEN
from webmain.html.document import view
from webmain.items import PAGE_TYPES as PAGE_TYPES
from webmain.items import Reason, Rejected
from webmain.metadata.declared import article_evidence, own_types

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from webmain.html.document import Document

FEW_CHARS: Final = 250
"""If fewer characters are shown, an article in the page's embedded data decides its type."""

_THREADS: Final = frozenset(("DiscussionForumPosting", "QAPage"))
_ROW: Final = f"{__name__}.row"


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Decision thresholds, chosen on pages that the model was not trained on.

    Attributes
    ----------
    article : float
        Minimum probability of an article; below it, a page gets the most likely other type. That happens to 9 of 655
        articles among web pages of all types (1.4 %), and to .2 % of those on news sites.
    linked : float
        A page with a larger share of linked text is a listing; none of 2,471 articles was such a page.
    if_product : float
        Factor on the article probability if a page's own data declare a product and no article; 3 of 94 such pages were
        articles.
    if_forum : float
        The same if they declare a forum thread, or a question with answers; none of 41 such pages was an article.
    """

    article: float = 0.13
    linked: float = 0.9
    if_product: float = 0.3
    if_forum: float = 0.3


THRESHOLDS: Final = Thresholds()


_CALLED: Final = {
    "article": "an article",
    "listing": "a listing",
    "forum": "a forum",
    "product": "a product",
    "documentation": "documentation",
    "other": "a page of another kind",
}


class PageType(NamedTuple):
    """The type of a page, one of `PAGE_TYPES`, and its probability."""

    name: str
    probability: float


def page_type(document: Document) -> PageType:
    """Return the type of a page."""
    found = page_types(document)
    others = [name for name in PAGE_TYPES if name != "article"]
    name = "article" if found["article"] >= THRESHOLDS.article else max(others, key=lambda other: found[other])
    return PageType(name, round(found[name], 4))


def require_type(document: Document, wanted: str) -> PageType:
    """Return the type of a page; reject a page of another type than is wanted.

    Raises
    ------
    Rejected
        `NOT_ARTICLE`.
    """
    found = page_type(document)
    if found.name != wanted:
        other = f"{_CALLED[wanted]}, which is wanted, with {page_types(document)[wanted]:.2f}"
        raise Rejected(
            Reason.NOT_ARTICLE,
            f"{_CALLED[found.name]} with probability {found.probability:.2f}, {other}",
            url=document.url,
        )
    return found


def refuse_no_article(document: Document) -> None:
    """Reject a page that is unlikely to be an article, unless its own data, a feed or a news sitemap say it is one.

    Raises
    ------
    Rejected
        `NOT_ARTICLE`.
    """
    if page_types(document)["article"] < THRESHOLDS.article and not article_evidence(document):
        require_type(document, "article")


@view
def page_types(document: Document) -> dict[str, float]:
    """Return the probability of each of `PAGE_TYPES`; their sum is 1.

    A page with hardly any shown text and an article of its own in embedded data is an article; without any text it is
    "other".
    """
    if _carries_article(document):
        return _certain("article")
    row = document.views.get(_ROW)
    if row is None:
        segmentation = create("learned").segment(document)
        row = page_row(columns(segmentation)) if len(segmentation) else None
    return _with_corrections(row, document) if row is not None else _certain("other")


def _carries_article(document: Document) -> bool:
    """Return True if a page has hardly any shown text and an article of its own in embedded data."""
    leaves = document.leaves
    if leaves.n_chars[~leaves.has(HIDDEN)].sum() >= FEW_CHARS or not document.has_data:
        return False
    found = embedded_article(document)
    return found is not None and found.is_own


def _certain(kind: str) -> dict[str, float]:
    return {name: float(name == kind) for name in PAGE_TYPES}


def note_row(document: Document, row: NDArray[np.float32]) -> None:
    """Cache a page's row on its document, when it was computed to judge the page's blocks."""
    document.views[_ROW] = row


@once
def _column_indices() -> list[int]:
    """Return the positions in a page's row of the columns that correct the model's result."""
    return [
        page_names().index(name) for name in ("page_link", "page_says_product", "page_says_forum", "page_says_article")
    ]


def _with_corrections(row: NDArray[np.float32], document: Document) -> dict[str, float]:
    """Return the page model's probabilities for a page's row, with less for articles if links or data say otherwise."""
    found = page_model().page_types(row)
    linked, declares_product, declares_forum, declares_article = row[_column_indices()].tolist()
    if linked > THRESHOLDS.linked:
        kind, left = "listing", 0.0
    elif declares_product and not declares_article:
        kind, left = "product", THRESHOLDS.if_product
    elif declares_forum and not declares_article and not _THREADS.isdisjoint(own_types(document)):
        kind, left = "forum", THRESHOLDS.if_forum
    else:
        return found
    taken = (1 - left) * found["article"]
    return found | {"article": found["article"] - taken, kind: found[kind] + taken}
