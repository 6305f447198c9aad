"""Learn sites page by page: which pages are held back, when a site is learned, and when its layout has changed.

Pages of an unknown site are held on disk until there are enough; then the extractor is fitted to them, its model is stored,
and they are judged with it. Pages of a learned site are judged at once and compared with the training pages. One that looks
different is held, too: if the mean resemblance of the latest pages is too low, the site is learned again; otherwise the page
is judged by the default extractor. Only pages newer than the training pages can signal a layout change; others are judged
at once, so that reading an archive again gives the same articles.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import Enum
from statistics import fmean
from typing import TYPE_CHECKING, Final

from webmain.items import Page, Rejected
from webmain.sites.fitting import (
    CHANGED_SHARE,
    LEAST_WINDOW,
    Event,
    LearningResult,
    LearningTask,
    TrainingPages,
    cannot_detect_drift,
    compare,
    drift_warning,
    fallback,
)
from webmain.sites.held_pages import HeldPagesError, Spool
from webmain.sites.model_file import ModelError, OutdatedModelError
from webmain.sites.model_store import ModelStore, site_of

if TYPE_CHECKING:
    from webmain.extractors.base import Extractor, SiteExtractor
    from webmain.features.manual_corrections import CorrectedPage
    from webmain.html.document import Document

logger = logging.getLogger(__name__)

WINDOW: Final = 10  # number of latest pages whose mean resemblance is watched

MAX_SITES: Final = 1_000
"""Maximum sites whose state is kept in memory, apart from sites with held pages; for others the model is read again."""


Report = Callable[[Event, str, str], None]


class Stage(Enum):
    """The stage of learning a site is in."""

    HOLDING = "holding"
    LEARNING = "learning"
    LEARNED = "learned"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResemblance:
    """A page's site and its resemblance to the site's training pages, from which its extractor is chosen."""

    site: str  # site key; "" for none
    has_text: bool = True  # the page has any text
    # resemblance to the pages that the site's model was learned from; None if it was not compared
    resemblance: float | None = None
    problem: str = ""  # the error that the comparison raised; "" for none


def page_resemblance(document: Document, fitted: SiteExtractor | None) -> PageResemblance:
    """Return a page's site and, given a model (`Learning.model`), its resemblance to the training pages.

    Raises Rejected if the page cannot be read.
    """
    found = PageResemblance(site=site_of(document), has_text=len(document.leaves) > 0)
    if fitted is None:
        return found
    try:
        return replace(found, resemblance=compare(fitted, document)[0])
    except Rejected:
        raise
    except Exception as error:  # the extractor may be third-party
        logger.exception("%s cannot compare %s", fitted.name, document.url)
        return replace(found, problem=f"{fitted.name}: {type(error).__name__}: {error}")


@dataclass(slots=True)
class _SiteState:
    """The state of one site in this crawl; `fitted` judges its pages or, while pages are held, may do so later."""

    stage: Stage = Stage.HOLDING
    fitted: SiteExtractor | None = None
    past: TrainingPages = field(default_factory=TrainingPages)
    had_model: bool = False
    is_retrained: bool = False
    has_failed: bool = False
    held_since: float = 0.0
    recent: deque[float] = field(default_factory=lambda: deque(maxlen=WINDOW))


@dataclass(eq=False)
class Learning:
    """Chooses the extractor for each page of a crawl, or holds the page back.

    Attributes
    ----------
    extractor : SiteExtractor
        Not fitted.
    default : Extractor
        For sites that cannot be learned, and for pages unlike the training pages, unless `extractor` judges those
        itself (`judges_unlearned`).
    pages : int
        Pages to collect before a site is learned; 0 for as many as the extractor wants.
    hold_s : float
        Maximum seconds for which pages are held; 0 for no limit.
    max_held : int
        Maximum held pages of all sites together; beyond it, the site not seen for longest is learned from what it has.
    corrected, report, clock : callable
        Returns the pages of a site that people corrected; takes an event, its site, and one sentence; returns monotonic
        seconds.
    """

    extractor: SiteExtractor
    _: KW_ONLY
    models: ModelStore
    spool: Spool
    default: Extractor
    pages: int = 0
    hold_s: float = 0.0
    max_held: int = 10_000
    corrected: Callable[[str], Sequence[CorrectedPage]] = lambda _site: ()
    report: Report = lambda _event, _site, _detail: None
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self.wanted = max(1, self.pages or self.extractor.min_pages)
        self._default = fallback(self.extractor, self.default)
        self._sites: OrderedDict[str, _SiteState] = OrderedDict()
        self._ready: OrderedDict[str, None] = OrderedDict()
        self._is_broken = False

    # ---- Incoming pages

    def model(self, site: str) -> SiteExtractor | None:
        """Return the model to compare a site's pages with before `add_page` and `extractor_after`; None for no comparison."""
        state = self._state_of(site)
        is_judge = state.stage is Stage.LEARNED or (state.stage is Stage.HOLDING and state.past.after_change)
        return self.stored_model(site) if is_judge else None

    def is_held(self, site: str) -> bool:
        """Return True if incoming pages of a site are held back."""
        state = self._sites.get(site)
        return state is not None and state.stage is not Stage.GIVEN_UP and state.fitted is None

    def stored_model(self, site: str) -> SiteExtractor | None:
        """Return the model to compare pages with that were judged in earlier runs, from however few pages it was learned."""
        state = self._state_of(site)
        return None if state.fitted is None or state.has_failed or cannot_detect_drift(state.fitted) else state.fitted

    def add_page(self, page: Page, found: PageResemblance) -> Extractor | None:
        """Return the extractor for a page; None if the page is now held back."""
        site = found.site
        state = self._state_of(site)
        if state.stage is Stage.GIVEN_UP or not found.has_text:
            return state.fitted or self._default
        if state.stage is Stage.LEARNED and (judge := self._check_drift(site, state, page, found)) is not None:
            return judge
        if state.stage is Stage.HOLDING and state.past.after_change and state.past.has(page):
            return self.extractor_after(found)  # an earlier crawl already selected the pages of the new layout
        return None if self._hold(site, state, page) else self._default

    def extractor_after(self, found: PageResemblance) -> Extractor:
        """Return the extractor for a page that was held: the default if it is unlike the training pages."""
        state = self._state_of(found.site)
        if state.fitted is None:
            return self._default
        resemblance, limit = self._compare(found.site, state, found)
        return state.fitted if resemblance >= limit else self._default

    def _state_of(self, site: str) -> _SiteState:
        """Return the state of a site, read from the model store the first time."""
        state = self._sites.get(site)
        if state is None:
            state = self._sites[site] = _SiteState()
            if site:
                self._read_model(site, state)
            else:
                state.stage = Stage.GIVEN_UP
                self.report(Event.NOT_LEARNABLE, "", "pages without a web address belong to no site")
            if len(self._sites) > MAX_SITES:
                self._drop_oldest()
        self._sites.move_to_end(site)
        return state

    def _drop_oldest(self) -> None:
        site, oldest = next(iter(self._sites.items()))
        if self.spool.count(site) or oldest.stage is Stage.LEARNING:
            self._sites.move_to_end(site)
        else:
            del self._sites[site]

    def _read_model(self, site: str, state: _SiteState) -> None:
        """Load a site's model; one that cannot be used is set aside and the site learned again."""
        try:
            found = self.models.find(self.extractor, site)
        except ModelError as error:
            state.had_model = True
            self.report(Event.UNUSABLE, site, f"{error}; the site is learned again")
            if not isinstance(error, OutdatedModelError):
                self._put_aside(site, error)
            return
        if found is None:
            return
        state.fitted, model = found
        state.past = TrainingPages(model.pages_given, model.last_page, model.after_change)
        state.had_model = True
        if state.past.n_given >= self.wanted:
            state.stage = Stage.LEARNED
            self.report(Event.REUSED, site, f"a model of {state.past.n_given} pages")
            self._warn_of_undetected_drift(site, state.fitted)

    def _put_aside(self, site: str, error: ModelError | None = None) -> None:
        try:
            self.models.set_aside(site, self.extractor.name, because=error)
        except ModelError as problem:
            self.report(Event.FAILED, site, str(problem))

    def _check_drift(
        self, site: str, state: _SiteState, page: Page, page_resemblance: PageResemblance
    ) -> Extractor | None:
        """Return the extractor for a page of a learned site; None if it is so unlike the training pages that it is held.

        Such a page may be the first one of a new layout, or a gallery: the next pages decide.
        """
        found, limit = self._compare(site, state, page_resemblance)
        is_new = not state.past.has(page)
        if is_new:
            state.recent.append(found)
        if found >= limit:
            if self.spool.count(site):
                self._ready[site] = None
            return state.fitted
        if state.is_retrained or not is_new:
            return self._default
        if len(state.recent) >= LEAST_WINDOW and fmean(state.recent) < limit:
            mean, n = fmean(state.recent), len(state.recent)
            state.stage, state.fitted, state.past = Stage.HOLDING, None, TrainingPages()
            state.had_model = state.is_retrained = True
            detail = f"its last {n} pages resemble those learned from by {mean:.2f}, below {limit:.2f}"
            self.report(Event.LAYOUT_CHANGED, site, f"{detail}; it is learned again")
            self._put_aside(site)
        return None

    def _compare(self, site: str, state: _SiteState, found: PageResemblance) -> tuple[float, float]:
        """Return a page's resemblance to the training pages, and the lower limit for it."""
        assert state.fitted is not None
        assert state.fitted.learned is not None
        limit = CHANGED_SHARE * state.fitted.learned.resemblance
        if found.problem and not state.has_failed:
            state.has_failed = True
            self.report(Event.FAILED, site, found.problem)
        return (limit if found.resemblance is None else found.resemblance), limit

    def _hold(self, site: str, state: _SiteState, page: Page) -> bool:
        """Hold a page back; return False if it cannot be written."""
        if not self.spool.count(site):
            state.held_since = self.clock()
        try:
            self.spool.put(site, page)
        except HeldPagesError as error:
            self._report_broken(site, error)
            return False
        if state.stage is Stage.HOLDING and self.spool.count(site) >= self.wanted:
            self._ready[site] = None
        if len(self.spool) > self.max_held:
            oldest = next((s for s, other in self._sites.items() if self.spool.count(s) and _is_free(other)), None)
            if oldest is not None:
                self._ready[oldest] = None
        return True

    def _report_broken(self, site: str, error: HeldPagesError) -> None:
        """Report once that pages cannot be held, since a full disk would fail for every page."""
        if not self._is_broken:
            self._is_broken = True
            self.report(Event.FAILED, site, str(error))

    # ---- Sites ready to be learned

    @property
    def n_held(self) -> int:
        """Number of held pages."""
        return len(self.spool)

    def ready(self) -> str | None:
        """Return the next site whose pages need not be held any longer; None if there is none."""
        return self._ready.popitem(last=False)[0] if self._ready else None

    def overdue(self) -> list[str]:
        """Return the sites whose pages have been held for too long."""
        if self.hold_s <= 0:
            return []
        limit = self.clock() - self.hold_s
        return [s for s in self.spool.sites if self._sites[s].held_since <= limit and _is_free(self._sites[s])]

    def waiting(self) -> list[str]:
        """Return all sites with held pages that are not being learned."""
        return [site for site in self.spool.sites if _is_free(self._sites[site])]

    def learning_task(self, site: str) -> LearningTask | None:
        """Return the task of learning a site from its held pages; None if it is not to be learned.

        The pages stay held until `apply_result` is called with the outcome.
        """
        state, n = self._sites.get(site), self.spool.count(site)
        if state is None or state.stage is not Stage.HOLDING or not n:
            return None
        state.stage = Stage.LEARNING
        return LearningTask(
            site=site,
            extractor=self.extractor,
            known=state.fitted,
            pages=self.spool.waiting(site),
            models=self.models,
            least=min(self.extractor.min_pages, self.wanted),
            past=state.past,
            after_change=state.is_retrained,
            corrected=self.corrected(site),
        )

    def apply_result(self, site: str, result: LearningResult) -> None:
        """Apply the outcome of a learning task."""
        state = self._sites[site]
        state.fitted, state.past = result.fitted, result.past
        state.stage = Stage.LEARNED if result.fitted is not None else Stage.GIVEN_UP
        state.recent.clear()
        if result.layout_changed:
            state.is_retrained = True
            self.report(Event.LAYOUT_CHANGED, site, "its pages no longer resemble those learned from")
        is_new = result.event is Event.LEARNED
        if result.event is not Event.FAILED:
            event = Event.RETRAINED if is_new and state.had_model else result.event
            instead = f"; its pages are judged by {self._default.name}" if event is Event.NOT_LEARNABLE else ""
            self.report(event, site, f"{result.detail}{instead}")
        self._warn_of_undetected_drift(site, state.fitted)
        if result.problem:
            self.report(Event.FAILED, site, result.problem)

    def _warn_of_undetected_drift(self, site: str, fitted: SiteExtractor | None) -> None:
        if fitted is not None and cannot_detect_drift(fitted):
            self.report(Event.UNWATCHED, site, drift_warning(fitted))

    def release(self, site: str) -> Page | None:
        """Remove and return a site's next held page, unless it is being learned (see `judge_of`); None if none is left."""
        state = self._sites.get(site)
        while state is not None and _is_free(state) and self.spool.count(site):
            try:
                return self.spool.pop(site)
            except HeldPagesError as error:
                self._report_broken(site, error)
        return None


def _is_free(state: _SiteState) -> bool:
    return state.stage is not Stage.LEARNING
