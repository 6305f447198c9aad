"""Learn a site from its pages: fit an extractor, store its model, and choose the extractor for each page.

Crawls, `webmain learn` and `extract_site` all use these functions.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean
from typing import TYPE_CHECKING, Final, overload

from webmain.extractors.base import NothingLearned, SiteExtractor
from webmain.features.manual_corrections import attach_corrections
from webmain.html.document import Document
from webmain.items import Page, Rejected
from webmain.metadata.titles import recurring
from webmain.sites.model_file import ModelError, aware
from webmain.sites.model_store import site_of

if TYPE_CHECKING:
    from datetime import datetime

    from webmain.extractors.base import Extractor
    from webmain.features.manual_corrections import CorrectedPage
    from webmain.sites.model_store import ModelStore

logger = logging.getLogger(__name__)

MAX_LEFT_OUT: Final = 3
"""Maximum pages left out because fitting failed at them; if it still fails, the pages are not the cause."""

CHANGED_SHARE: Final = 0.5
"""A page is unlike the training pages below this share of their resemblance; a layout has changed if the mean is below."""

LEAST_RESEMBLANCE: Final = 0.2
"""If even the training pages resemble each other less than this, later pages are not compared with them."""

LEAST_WINDOW: Final = 5
"""Minimum pages before a layout counts as changed: a single gallery or live blog is not a new layout."""

Read = Callable[[Page], Document]


class Documents(Sequence[Document]):
    """A subset of a sequence of pages as documents, each read on access, so that memory holds one at a time.

    `last` is the index, in the whole sequence, of the page accessed last; -1 before the first.
    """

    def __init__(
        self, pages: Sequence[Page] | Sequence[Document], read: Read, chosen: Sequence[int] | None = None
    ) -> None:
        self.pages = pages
        self._read = read
        self._chosen = range(len(pages)) if chosen is None else tuple(chosen)
        self.last = -1

    def __len__(self) -> int:
        return len(self._chosen)

    @overload
    def __getitem__(self, index: int) -> Document: ...

    @overload
    def __getitem__(self, index: slice) -> Documents: ...

    def __getitem__(self, index: int | slice) -> Document | Documents:
        if isinstance(index, slice):
            return Documents(self.pages, self._read, self._chosen[index])
        self.last = self._chosen[index]
        page = self.pages[self.last]
        return page if isinstance(page, Document) else self._read(page)

    def without(self, index: int) -> Documents:
        """Return the same documents except the page at this index of the whole sequence."""
        return Documents(self.pages, self._read, [each for each in self._chosen if each != index])


def _no_page(page: Page) -> Document:
    raise TypeError(f"{page!r} is no document")


def fit(extractor: SiteExtractor, documents: Sequence[Document], *, least: int) -> SiteExtractor:
    """Return an extractor fitted to pages, leaving out pages at which fitting fails.

    Raises NothingLearned like `SiteExtractor.fit`, and if there are fewer than `least` pages; whatever the extractor
    raises, if leaving out up to `MAX_LEFT_OUT` pages does not help.
    """
    if len(documents) < least:
        raise NothingLearned(f"{extractor.name} wants {least} pages, there are {len(documents)}")
    chosen = documents if isinstance(documents, Documents) else Documents(documents, _no_page)
    while True:
        try:
            return extractor.fit(chosen)
        except NothingLearned:
            raise
        except Exception as error:  # the extractor may be third-party; `Rejected` mostly means that a page was too slow
            n_left_out = len(documents) - len(chosen)
            if chosen.last < 0 or n_left_out == MAX_LEFT_OUT or len(chosen) <= extractor.min_pages:
                raise
            url = chosen.pages[chosen.last].url
            logger.warning("%s learns without %s: %s", extractor.name, url, error, exc_info=True)
            chosen = chosen.without(chosen.last)


def try_fit(extractor: SiteExtractor, documents: Sequence[Document]) -> tuple[SiteExtractor | None, str]:
    """Return an extractor fitted to a site's pages and "", or None and the reason: too few pages, no evidence, an error."""
    try:
        return fit(extractor, documents, least=extractor.min_pages), ""
    except NothingLearned as nothing:
        return None, str(nothing)
    except Exception as error:  # the extractor may be third-party
        logger.exception("%s learned nothing from %d pages", extractor.name, len(documents))
        return None, f"{type(error).__name__}: {error}"


def fitted(extractor: Extractor, documents: Sequence[Document]) -> Extractor:
    """Return an extractor fitted to a site's pages, or unchanged if it does not learn sites or nothing was learned."""
    return try_fit(extractor, documents)[0] or extractor if isinstance(extractor, SiteExtractor) else extractor


def fallback(extractor: SiteExtractor, default: Extractor) -> Extractor:
    """Return the extractor for sites that cannot be learned, and for pages unlike the training pages."""
    return extractor if extractor.judges_unlearned else default


def cannot_detect_drift(fitted: SiteExtractor) -> bool:
    """Return True if the training pages differ so much that later pages cannot be compared with them."""
    return fitted.learned is not None and fitted.learned.resemblance < LEAST_RESEMBLANCE


def compare(fitted: SiteExtractor, document: Document) -> tuple[float, float]:
    """Return a page's resemblance to the training pages and its lower limit; both are equal if drift cannot be detected."""
    limit = CHANGED_SHARE * fitted.learned.resemblance if fitted.learned is not None else 0.0
    return (limit, limit) if cannot_detect_drift(fitted) else (fitted.resemblance(document), limit)


# ---- All pages of a site at once


def choose_for_site(
    extractor: SiteExtractor, documents: Sequence[Document], default: Extractor | None, models: ModelStore | None
) -> Callable[[Document], Extractor]:
    """Return a function that chooses the extractor for each page of a site, as in a crawl; log if nothing is learned."""
    if extractor.learned is not None:
        return lambda _: extractor
    fitted, why = (None if models is None else _model_of_first_site(extractor, documents, models)), ""
    if fitted is None:
        fitted, why = try_fit(extractor, documents)
    instead = extractor if default is None else fallback(extractor, default)
    if fitted is None:
        if len(documents) and instead is not extractor:
            logger.warning("%s; its pages are judged by %s", why, instead.name)
        return lambda _: instead
    if default is None:
        return lambda _: fitted

    def choose(document: Document) -> Extractor:
        """Return the fitted extractor, or the fallback if the page is unlike the training pages."""
        try:
            found, limit = compare(fitted, document)
        except Exception:  # the extractor may be third-party; a page that is too slow is rejected when it is judged
            logger.debug("%s cannot compare %s", fitted.name, document.url, exc_info=True)
            return fitted
        return fitted if found >= limit else instead

    return choose


def _model_of_first_site(
    extractor: SiteExtractor, documents: Sequence[Document], models: ModelStore
) -> SiteExtractor | None:
    """Return the extractor with the first model found among the sites of the pages, in order; None if there is none."""
    tried = {""}
    for document in documents:
        site = ""
        with suppress(Exception):  # such a page is rejected when it is judged
            site = site_of(document)
        if site not in tried and (known := models.load(extractor, site)) is not None:
            return known
        tried.add(site)
    return None


def note_recurring_titles(documents: Sequence[Document]) -> None:
    """Set each document's `recurring`: the pieces that recur in the titles of its site's pages."""
    of_site: dict[str, list[Document]] = {}
    for document in documents:
        of_site.setdefault(document.site, []).append(document)
    for members in of_site.values():
        pieces = recurring(document.html for document in members)
        for document in members:
            document.recurring = pieces


# ---- Held-back pages of a site


class Event(StrEnum):
    """Events reported about a site."""

    LEARNED = "learned"
    REUSED = "reused"  # a stored model is used
    RETRAINED = "retrained"  # a model was replaced by a better one, or by one for a new layout
    NOT_LEARNABLE = "not_learnable"  # its pages are judged by the default extractor
    LAYOUT_CHANGED = "layout_changed"
    UNWATCHED = "unwatched"  # its pages differ too much to notice a change of layout
    UNUSABLE = "unusable"  # its model cannot be used
    FAILED = "failed"  # the spool, the model store or the extractor failed


@dataclass(frozen=True, slots=True)
class TrainingPages:
    """The pages that a model was learned from."""

    n_given: int = 0  # number of pages passed to the extractor; it may have learned from fewer
    last_page: datetime | None = None  # fetch time of the latest of them
    after_change: bool = False  # they are pages of a new layout

    def has(self, page: Page) -> bool:
        """Return True if a page was fetched no later than those, so that it is no sign of a layout change."""
        fetched = page.fetched_at
        return self.last_page is not None and fetched is not None and aware(fetched) <= self.last_page


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningResult:
    """The outcome of a learning task."""

    fitted: SiteExtractor | None  # the extractor for the site's pages from now on; None for the default
    event: Event  # LEARNED, REUSED, NOT_LEARNABLE or FAILED
    detail: str  # one sentence
    past: TrainingPages = field(default_factory=TrainingPages)  # the pages it was learned from
    layout_changed: bool = False  # the stored model no longer matched the site's layout
    problem: str = ""  # an additional failure, such as a model that could not be saved; "" for none


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningTask:
    """A site that is to be learned; `run` may be called in another process."""

    site: str
    extractor: SiteExtractor  # not fitted
    # the extractor with an earlier model; the model is kept if it comes from at least as many pages as this lesson has
    known: SiteExtractor | None
    pages: Sequence[Page]
    models: ModelStore
    least: int = 1  # minimum pages to learn from
    past: TrainingPages = field(default_factory=TrainingPages)  # the pages `known` was learned from
    after_change: bool = False  # the pages are those of a new layout
    corrected: Sequence[CorrectedPage] = ()  # pages of the site that people corrected; they are training pages, too

    def run(self, read: Read) -> LearningResult:
        """Fit the extractor to the pages and store the model; never raises."""
        try:
            return self._run(Documents(self.pages, read), self._with_corrected(read))
        except Exception as error:  # the extractor may be third-party; its pages must not be lost
            logger.exception("%s cannot learn %s", self.extractor.name, self.site)
            problem = f"{self.extractor.name} cannot learn {self.site}: {type(error).__name__}: {error}"
            return LearningResult(
                fitted=self.known, event=Event.FAILED, detail=problem, past=self.past, problem=problem
            )

    def _with_corrected(self, read: Read) -> Documents:
        """Return the corrected pages, followed by the others."""
        corrections = {id(each.page): each for each in self.corrected}

        def read_corrected(page: Page) -> Document:
            document = read(page)
            if (corrected := corrections.get(id(page))) is not None:
                attach_corrections(document, corrected)
            return document

        pages = [*(each.page for each in self.corrected), *self.pages] if corrections else self.pages
        return Documents(pages, read_corrected)

    def _run(self, documents: Documents, lessons: Documents) -> LearningResult:
        known, n = self.known, len(self.pages)
        has_changed = known is not None and self._is_unlike(known, documents)
        if has_changed:
            known = None
            self.models.set_aside(self.site, self.extractor.name)
        elif known is not None and n <= self.past.n_given:
            detail = f"a model of {self.past.n_given} pages"
            return LearningResult(fitted=known, event=Event.REUSED, detail=detail, past=self.past)
        try:
            fitted = fit(self.extractor, lessons, least=self.least)
        except NothingLearned as nothing:
            event = Event.REUSED if known else Event.NOT_LEARNABLE
            return LearningResult(
                fitted=known, event=event, detail=str(nothing), past=self.past, layout_changed=has_changed
            )
        fetched = [aware(page.fetched_at) for page in self.pages if page.fetched_at]
        past = TrainingPages(n, max(fetched, default=None), self.after_change or has_changed)
        problem, place = "", ""
        try:
            saved = self.models.save(
                fitted,
                self.site,
                first_page=min(fetched, default=None),
                last_page=past.last_page,
                pages_given=n,
                after_change=past.after_change,
            )
            place = f", {saved}"
        except ModelError as error:
            problem = str(error)
        n_used = fitted.learned.n_pages if fitted.learned is not None else 0
        different = f" ({n_used} of them different or chosen)" if n_used < n else ""
        corrected = f" and {len(self.corrected)} corrected" if self.corrected else ""
        return LearningResult(
            fitted=fitted,
            event=Event.LEARNED,
            detail=f"from {n} pages{different}{corrected}, {fit_summary(fitted)}{place}",
            past=past,
            layout_changed=has_changed,
            problem=problem,
        )

    def _is_unlike(self, known: SiteExtractor, documents: Sequence[Document]) -> bool:
        """Return True if there are enough pages newer than the model and their mean resemblance to it is too low."""
        if known.learned is None or cannot_detect_drift(known):
            return False
        found = []
        for document in documents:
            if not self.past.has(document.page):
                with suppress(Rejected):
                    found.append(known.resemblance(document))
        return len(found) >= LEAST_WINDOW and fmean(found) < CHANGED_SHARE * known.learned.resemblance


def drift_warning(fitted: SiteExtractor) -> str:
    """Return a message that a change of the site's layout will not be noticed."""
    found = fitted.learned.resemblance if fitted.learned is not None else 0.0
    return f"its pages resemble each other by {found:.2f} only: a change of its layout cannot be noticed"


def fit_summary(fitted: SiteExtractor) -> str:
    """Return a short description of a fitted extractor: its note on the training pages, if any, and its quality."""
    learned = fitted.learned
    quality = "quality unknown"
    if fitted.kept_generic:
        quality = "kept generic"
    elif learned is not None and learned.quality is not None:
        quality = f"quality {learned.quality:.3f}"
    return f"{learned.note}, {quality}" if learned is not None and learned.note else quality
