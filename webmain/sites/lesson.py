"""A lesson: the method is fitted to a site's waiting pages, and what it has learned is put on the shelf."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean
from typing import TYPE_CHECKING, Final, overload

from webmain.extractors.base import NothingLearned
from webmain.html.document import Document
from webmain.items import Page, Rejected
from webmain.sites.fitting import CHANGED_SHARE, fit, is_unwatched
from webmain.sites.model_file import aware
from webmain.sites.model_store import ModelError, Shelf

if TYPE_CHECKING:
    from datetime import datetime

    from webmain.extractors.base import SiteExtractor

logger = logging.getLogger(__name__)

LEAST_WINDOW: Final = 5
"""Pages that are needed before a layout is said to have changed: a gallery or a live blog is none."""


class Event(StrEnum):
    """What can be told of a site."""

    LEARNED = "learned"
    REUSED = "reused"  # its model lay on the shelf
    RETRAINED = "retrained"  # a model was replaced by a better one, or by one of the new layout
    NOT_LEARNABLE = "not_learnable"  # its pages are judged by the default method
    LAYOUT_CHANGED = "layout_changed"
    UNWATCHED = "unwatched"  # its pages differ too much for a change of layout to be noticed
    UNUSABLE = "unusable"  # its model can not be used
    FAILED = "failed"  # something is broken: the spool, the shelf, the method


Tell = Callable[[Event, str, str], None]
"""Called with what happened, the site, and one sentence for people."""


@dataclass(frozen=True, slots=True)
class Past:
    """What a model was learned from.

    Attributes
    ----------
    n_given : int
        Pages that the method was given; it may have learned from fewer.
    last_page : datetime or None
        When the latest of them was fetched.
    after_change : bool
        They are pages of a new layout.
    """

    n_given: int = 0
    last_page: datetime | None = None
    after_change: bool = False

    def has(self, page: Page) -> bool:
        """Tell whether a page was fetched no later than those: it is no news of the site."""
        fetched = page.fetched_at
        return self.last_page is not None and fetched is not None and aware(fetched) <= self.last_page


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What came of a lesson.

    Attributes
    ----------
    fitted : SiteExtractor or None
        What judges the site's pages now; None for the default method.
    event : Event
        LEARNED, REUSED, NOT_LEARNABLE or FAILED.
    detail : str
        One sentence.
    past : Past
        What it was learned from.
    layout_changed : bool
        The shelf's model no longer fitted.
    problem : str
        What is broken beside that; "" for nothing.
    """

    fitted: SiteExtractor | None
    event: Event
    detail: str
    past: Past = field(default_factory=Past)
    layout_changed: bool = False
    problem: str = ""


Read = Callable[[Page], Document]


class Documents(Sequence[Document]):
    """Pages as documents, read when asked for, so that memory holds one at a time."""

    def __init__(self, pages: Sequence[Page], read: Read) -> None:
        self._pages = pages
        self._read = read

    def __len__(self) -> int:
        return len(self._pages)

    @overload
    def __getitem__(self, index: int) -> Document: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Document]: ...

    def __getitem__(self, index: int | slice) -> Document | Sequence[Document]:
        if isinstance(index, slice):
            return Documents(self._pages[index], self._read)
        return self._read(self._pages[index])


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A site that is to be learned; `run` may be called in another process.

    Attributes
    ----------
    extractor : SiteExtractor
        As it comes.
    known : SiteExtractor or None
        The same with a model of fewer pages than are wanted; a model of as many pages or more is kept.
    least : int
        From fewer pages nothing is learned.
    past : Past
        What `known` was learned from.
    after_change : bool
        The pages are those of a new layout.
    """

    site: str
    extractor: SiteExtractor
    known: SiteExtractor | None
    pages: Sequence[Page]
    shelf: Shelf
    least: int = 1
    past: Past = field(default_factory=Past)
    after_change: bool = False

    def run(self, read: Read) -> Learnt:
        """Fit the extractor to the pages, and put the model on the shelf; nothing is raised."""
        try:
            return self._run(Documents(self.pages, read))
        except Exception as error:  # the method may be anybody's; the pages must not be lost with it
            logger.exception("%s can not learn %s", self.extractor.name, self.site)
            problem = f"{self.extractor.name} can not learn {self.site}: {type(error).__name__}: {error}"
            return Learnt(fitted=self.known, event=Event.FAILED, detail=problem, past=self.past, problem=problem)

    def _run(self, documents: Sequence[Document]) -> Learnt:
        known, n = self.known, len(documents)
        has_changed = known is not None and self._is_unlike(known, documents)
        if has_changed:
            known = None
            self.shelf.set_aside(self.site, self.extractor.name)
        elif known is not None and n <= self.past.n_given:
            return Learnt(
                fitted=known, event=Event.REUSED, detail=f"a model of {self.past.n_given} pages", past=self.past
            )
        try:
            fitted = fit(self.extractor, documents, least=self.least)
        except NothingLearned as nothing:
            event = Event.REUSED if known else Event.NOT_LEARNABLE
            return Learnt(fitted=known, event=event, detail=str(nothing), past=self.past, layout_changed=has_changed)
        problem, place = "", ""
        first, last = dates(self.pages)
        past = Past(n, last, self.after_change or has_changed)
        try:
            saved = self.shelf.save(
                fitted, self.site, first_page=first, last_page=last, pages_given=n, after_change=past.after_change
            )
            place = f", {saved}"
        except ModelError as error:
            problem = str(error)
        different = f" ({n_pages(fitted)} of them different or chosen)" if n_pages(fitted) < n else ""
        return Learnt(
            fitted=fitted,
            event=Event.LEARNED,
            detail=f"from {n} pages{different}, {told(fitted)}{place}",
            past=past,
            layout_changed=has_changed,
            problem=problem,
        )

    def _is_unlike(self, known: SiteExtractor, documents: Sequence[Document]) -> bool:
        """Tell whether the pages that are newer than the model, if they are enough, do not look like its own."""
        if is_unwatched(known):
            return False
        assert known.learned is not None
        found = []
        for document in documents:
            if not self.past.has(document.page):
                with suppress(Rejected):
                    found.append(known.resemblance(document))
        return len(found) >= LEAST_WINDOW and fmean(found) < CHANGED_SHARE * known.learned.resemblance


def n_pages(fitted: SiteExtractor) -> int:
    """Return from how many pages an extractor has learned."""
    return fitted.learned.n_pages if fitted.learned is not None else 0


def unwatched(fitted: SiteExtractor) -> str:
    """Say that a change of layout will not be noticed."""
    assert fitted.learned is not None
    found = fitted.learned.resemblance
    return f"its pages resemble each other by {found:.2f} only: a change of its layout can not be noticed"


def quality(fitted: SiteExtractor) -> str:
    """Say how good a fitted extractor is, in a few words."""
    if fitted.kept_generic:
        return "kept generic"
    found = fitted.learned.quality if fitted.learned is not None else None
    return "quality unknown" if found is None else f"quality {found:.3f}"


def told(fitted: SiteExtractor) -> str:
    """Say how good a freshly fitted extractor is, and what people should know of the pages."""
    note = fitted.learned.note if fitted.learned is not None else ""
    return f"{note}, {quality(fitted)}" if note else quality(fitted)


def dates(pages: Sequence[Page]) -> tuple[datetime | None, datetime | None]:
    """Return when the first and the last of some pages were fetched."""
    found = [aware(page.fetched_at) for page in pages if page.fetched_at]
    return (min(found), max(found)) if found else (None, None)
