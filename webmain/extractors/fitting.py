"""Fitting a method to a site's pages, of which none can keep the others from being learned from."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeVar, overload

from webmain.extractors.base import NothingLearned, SiteExtractor

if TYPE_CHECKING:
    from webmain.page.document import Document

logger = logging.getLogger(__name__)

MAX_LEFT_OUT: Final = 3
"""Pages that are left out at most; where a method still raises an error, it is not a page's fault."""

E = TypeVar("E", bound=SiteExtractor)


def fit(extractor: E, documents: Sequence[Document]) -> E:
    """Return a method fitted to pages, without those at which it raises an error.

    Raises
    ------
    NothingLearned
        As `SiteExtractor.fit`.
    Exception
        Whatever the method raises where leaving pages out does not help.
    """
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
