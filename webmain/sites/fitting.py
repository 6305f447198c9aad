"""Fitting a method to a site's pages, and what its pages are judged by then: the same for crawls and for `extract_site`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeVar, overload

from webmain.extractors.base import NothingLearned, SiteExtractor

if TYPE_CHECKING:
    from webmain.extractors.base import Extractor
    from webmain.html.document import Document

logger = logging.getLogger(__name__)

MAX_LEFT_OUT: Final = 3
"""Pages that are left out at most; where a method still raises an error, it is not a page's fault."""

CHANGED_SHARE: Final = 0.5
"""A page looks unlike those learned from below this share of their resemblance; a layout has changed where the mean does."""

LEAST_RESEMBLANCE: Final = 0.2
"""Where even the pages learned from resemble each other less, pages are not compared: any would do."""

E = TypeVar("E", bound=SiteExtractor)


def fit(extractor: E, documents: Sequence[Document], *, least: int) -> E:
    """Return a method fitted to pages, without those at which it raises an error.

    Raises
    ------
    NothingLearned
        As `SiteExtractor.fit`, and where there are fewer than `least` pages.
    Exception
        Whatever the method raises where leaving pages out does not help.
    """
    if len(documents) < least:
        raise NothingLearned(f"{extractor.name} wants {least} pages, there are {len(documents)}")
    left = list(range(len(documents)))
    while True:
        chosen = _Chosen(documents, left)
        try:
            return extractor.fit(chosen)
        except NothingLearned:
            raise
        except Exception as error:  # the method may be anybody's; a `Rejected` is a page that is too slow, above all
            n_left_out = len(documents) - len(left)
            if chosen.last is None or n_left_out == MAX_LEFT_OUT or len(left) <= extractor.min_pages:
                raise
            logger.warning("%s learns without %s: %s", extractor.name, documents[chosen.last].url, error, exc_info=True)
            left.remove(chosen.last)


def fallback(extractor: SiteExtractor, default: Extractor) -> Extractor:
    """Return what judges a site that can not be learned, and pages unlike those learned from.

    The method as it comes, where it says that it does something sensible then (`judges_unlearned`); else the default one.
    """
    return extractor if extractor.judges_unlearned else default


def is_unwatched(fitted: SiteExtractor) -> bool:
    """Tell whether the pages learned from look so different that later ones can not be held against them."""
    return fitted.learned is not None and fitted.learned.resemblance < LEAST_RESEMBLANCE


def compare(fitted: SiteExtractor, document: Document) -> tuple[float, float]:
    """Return how much a page looks like those learned from, and the least that is usual; any page does where none is."""
    limit = CHANGED_SHARE * fitted.learned.resemblance if fitted.learned is not None else 0.0
    return (limit, limit) if is_unwatched(fitted) else (fitted.resemblance(document), limit)


class _Chosen(Sequence["Document"]):
    """Some of a sequence's documents; `last` is the index, in the whole sequence, of the one that was taken last."""

    def __init__(self, documents: Sequence[Document], chosen: Sequence[int]) -> None:
        self._documents = documents
        self._chosen = tuple(chosen)
        self.last: int | None = None

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, index: int) -> Document: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Document]: ...

    def __getitem__(self, index: int | slice) -> Document | Sequence[Document]:
        if isinstance(index, slice):
            return _Chosen(self._documents, self._chosen[index])
        self.last = self._chosen[index]
        return self._documents[self.last]
