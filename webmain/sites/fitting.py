"""Learning a site from its pages: fitting a method, storing what it has learned, and what its pages are judged by then.

Crawls, `webmain learn` and `extract_site` all learn by these functions.
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
from webmain.features.corrected import put
from webmain.html.document import Document
from webmain.items import Page, Rejected
from webmain.metadata.titles import recurring
from webmain.sites.model_file import ModelError, aware
from webmain.sites.model_store import site_of

if TYPE_CHECKING:
    from datetime import datetime

    from webmain.extractors.base import Extractor
    from webmain.features.corrected import CorrectedPage
    from webmain.sites.model_store import ModelStore

logger = logging.getLogger(__name__)

MAX_LEFT_OUT: Final = 3
"""Pages that are left out at most; where a method still raises an error, it is not a page's fault."""

CHANGED_SHARE: Final = 0.5
"""A page looks unlike those learned from below this share of their resemblance; a layout has changed where the mean does."""

LEAST_RESEMBLANCE: Final = 0.2
"""Where even the pages learned from resemble each other less, pages are not compared: any would do."""

LEAST_WINDOW: Final = 5
"""Pages that are needed before a layout is taken for changed: a gallery or a live blog is none."""

Read = Callable[[Page], Document]


class Documents(Sequence[Document]):
    """Some of a sequence's pages as documents, read when asked for, so that memory holds one at a time.

    Attributes
    ----------
    last : int
        Index, in the whole sequence, of the page that was taken last; -1 before the first.
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
        """Return the others than that page of the whole sequence."""
        return Documents(self.pages, self._read, [each for each in self._chosen if each != index])


def _no_page(page: Page) -> Document:
    raise TypeError(f"{page!r} is no document")


def fit(extractor: SiteExtractor, documents: Sequence[Document], *, least: int) -> SiteExtractor:
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
    chosen = documents if isinstance(documents, Documents) else Documents(documents, _no_page)
    while True:
        try:
            return extractor.fit(chosen)
        except NothingLearned:
            raise
        except Exception as error:  # the method may be anybody's; a `Rejected` is a page that is too slow, above all
            n_left_out = len(documents) - len(chosen)
            if chosen.last < 0 or n_left_out == MAX_LEFT_OUT or len(chosen) <= extractor.min_pages:
                raise
            url = chosen.pages[chosen.last].url
            logger.warning("%s learns without %s: %s", extractor.name, url, error, exc_info=True)
            chosen = chosen.without(chosen.last)


def try_fit(extractor: SiteExtractor, documents: Sequence[Document]) -> tuple[SiteExtractor | None, str]:
    """Return a method fitted to a site's pages, or None and why it learns nothing: too few pages, no evidence, an error."""
    try:
        return fit(extractor, documents, least=extractor.min_pages), ""
    except NothingLearned as nothing:
        return None, str(nothing)
    except Exception as error:  # the method may be anybody's
        logger.exception("%s learned nothing from %d pages", extractor.name, len(documents))
        return None, f"{type(error).__name__}: {error}"


def fitted(extractor: Extractor, documents: Sequence[Document]) -> Extractor:
    """Return a method fitted to a site's pages; as it is where it does not learn, or learns nothing from them."""
    return try_fit(extractor, documents)[0] or extractor if isinstance(extractor, SiteExtractor) else extractor


def fallback(extractor: SiteExtractor, default: Extractor) -> Extractor:
    """Return what judges a site that can not be learned, and pages unlike those learned from."""
    return extractor if extractor.judges_unlearned else default


def is_unwatched(fitted: SiteExtractor) -> bool:
    """Return True if the pages learned from look so different that later ones can not be compared with them."""
    return fitted.learned is not None and fitted.learned.resemblance < LEAST_RESEMBLANCE


def compare(fitted: SiteExtractor, document: Document) -> tuple[float, float]:
    """Return how much a page looks like those learned from, and the least that is usual; any page does where none is."""
    limit = CHANGED_SHARE * fitted.learned.resemblance if fitted.learned is not None else 0.0
    return (limit, limit) if is_unwatched(fitted) else (fitted.resemblance(document), limit)


# ---- Pages of a site that come together


def choose_for_site(
    extractor: SiteExtractor, documents: Sequence[Document], default: Extractor | None, models: ModelStore | None
) -> Callable[[Document], Extractor]:
    """Return what chooses the extractor for each page of a site, as in a crawl; log where nothing can be learned."""
    known: SiteExtractor | None = extractor
    if extractor.learned is not None:
        return lambda _: extractor
    why = ""
    known = _model_of_first_site(extractor, documents, models) if models is not None else None
    if known is None:
        known, why = try_fit(extractor, documents)
    instead = extractor if default is None else fallback(extractor, default)
    if known is None:
        if len(documents) and instead is not extractor:
            logger.warning("%s; its pages are judged by %s", why, instead.name)
        return lambda _: instead
    fitted = known

    def choose(document: Document) -> Extractor:
        """Return the fitted method, unless the page looks unlike those learned from."""
        try:
            found, limit = compare(fitted, document)
        except Exception:  # the method may be anybody's; a page that is too slow is rejected when it is judged
            logger.debug("%s can not compare %s", fitted.name, document.url, exc_info=True)
            return fitted
        return fitted if found >= limit else instead

    return (lambda _: fitted) if default is None else choose


def _model_of_first_site(
    extractor: SiteExtractor, documents: Sequence[Document], models: ModelStore
) -> SiteExtractor | None:
    """Return a method with the model of the first page's site of which there is one."""
    tried = {""}
    for document in documents:
        site = ""
        with suppress(Exception):  # the page itself is rejected when it is judged
            site = site_of(document)
        if site not in tried and (known := models.load(extractor, site)) is not None:
            return known
        tried.add(site)
    return None


def note_recurring_titles(documents: Sequence[Document]) -> None:
    """Let each page know what recurs in the titles of its site's pages."""
    of_site: dict[str, list[Document]] = {}
    for document in documents:
        of_site.setdefault(document.site, []).append(document)
    for members in of_site.values():
        pieces = recurring(document.html for document in members)
        for document in members:
            document.recurring = pieces


# ---- Pages of a site that have waited


class Event(StrEnum):
    """What is reported of a site."""

    LEARNED = "learned"
    REUSED = "reused"  # there was a model of it
    RETRAINED = "retrained"  # a model was replaced by a better one, or by one of the new layout
    NOT_LEARNABLE = "not_learnable"  # its pages are judged by the default method
    LAYOUT_CHANGED = "layout_changed"
    UNWATCHED = "unwatched"  # its pages differ too much for a change of layout to be noticed
    UNUSABLE = "unusable"  # its model can not be used
    FAILED = "failed"  # something is broken: the spool, the model store, the method


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
        """Return True if a page was fetched no later than those: it is no news of the site."""
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
        The stored model no longer fitted.
    problem : str
        What is broken beside that; "" for nothing.
    """

    fitted: SiteExtractor | None
    event: Event
    detail: str
    past: Past = field(default_factory=Past)
    layout_changed: bool = False
    problem: str = ""


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
    corrected : sequence of CorrectedPage
        Pages of the site that people corrected; they are learned from beside the others.
    """

    site: str
    extractor: SiteExtractor
    known: SiteExtractor | None
    pages: Sequence[Page]
    models: ModelStore
    least: int = 1
    past: Past = field(default_factory=Past)
    after_change: bool = False
    corrected: Sequence[CorrectedPage] = ()

    def run(self, read: Read) -> Learnt:
        """Fit the extractor to the pages, and store the model; nothing is raised."""
        try:
            return self._run(Documents(self.pages, read), self._with_corrected(read))
        except Exception as error:  # the method may be anybody's; the pages must not be lost with it
            logger.exception("%s can not learn %s", self.extractor.name, self.site)
            problem = f"{self.extractor.name} can not learn {self.site}: {type(error).__name__}: {error}"
            return Learnt(fitted=self.known, event=Event.FAILED, detail=problem, past=self.past, problem=problem)

    def _with_corrected(self, read: Read) -> Documents:
        """Return the corrected pages and the others; a page that came again is known by the first of the two."""
        said = {id(each.page): each for each in self.corrected}

        def reading(page: Page) -> Document:
            document = read(page)
            if (corrected := said.get(id(page))) is not None:
                put(document, corrected)
            return document

        return Documents([*(each.page for each in self.corrected), *self.pages] if said else self.pages, reading)

    def _run(self, documents: Documents, lessons: Documents) -> Learnt:
        known, n = self.known, len(self.pages)
        has_changed = known is not None and self._is_unlike(known, documents)
        if has_changed:
            known = None
            self.models.set_aside(self.site, self.extractor.name)
        elif known is not None and n <= self.past.n_given:
            detail = f"a model of {self.past.n_given} pages"
            return Learnt(fitted=known, event=Event.REUSED, detail=detail, past=self.past)
        try:
            fitted = fit(self.extractor, lessons, least=self.least)
        except NothingLearned as nothing:
            event = Event.REUSED if known else Event.NOT_LEARNABLE
            return Learnt(fitted=known, event=event, detail=str(nothing), past=self.past, layout_changed=has_changed)
        fetched = [aware(page.fetched_at) for page in self.pages if page.fetched_at]
        past = Past(n, max(fetched, default=None), self.after_change or has_changed)
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
        return Learnt(
            fitted=fitted,
            event=Event.LEARNED,
            detail=f"from {n} pages{different}{self._told()}, {described(fitted)}{place}",
            past=past,
            layout_changed=has_changed,
            problem=problem,
        )

    def _told(self) -> str:
        return f" and {len(self.corrected)} corrected" if self.corrected else ""

    def _is_unlike(self, known: SiteExtractor, documents: Sequence[Document]) -> bool:
        """Return True if the pages that are newer than the model, if they are enough, do not look like its own."""
        if known.learned is None or is_unwatched(known):
            return False
        found = []
        for document in documents:
            if not self.past.has(document.page):
                with suppress(Rejected):
                    found.append(known.resemblance(document))
        return len(found) >= LEAST_WINDOW and fmean(found) < CHANGED_SHARE * known.learned.resemblance


def unwatched(fitted: SiteExtractor) -> str:
    """Return a sentence: a change of layout will not be noticed."""
    found = fitted.learned.resemblance if fitted.learned is not None else 0.0
    return f"its pages resemble each other by {found:.2f} only: a change of its layout can not be noticed"


def described(fitted: SiteExtractor) -> str:
    """Return how good a freshly fitted extractor is, and what people should know of the pages, in a few words."""
    learned = fitted.learned
    quality = "quality unknown"
    if fitted.kept_generic:
        quality = "kept generic"
    elif learned is not None and learned.quality is not None:
        quality = f"quality {learned.quality:.3f}"
    return f"{learned.note}, {quality}" if learned is not None and learned.note else quality
