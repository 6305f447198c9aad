"""Scores saved predictions against gold pages; runs no system."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from webmain.evaluation.metrics import METRICS, SegmentCounts, measure
from webmain.evaluation.records import GoldPage, Prediction
from webmain.text.agreement import Agreement

MISSING = "missing: no prediction"  # error of a page that is missing from a file of predictions

DEFAULT_METRICS = ("words", "same_words")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageResult:
    """The result of one system on one page."""

    page: GoldPage
    prediction: Prediction
    agreements: Mapping[str, Agreement]  # by metric's name; empty for a page without gold text
    segments: SegmentCounts | None  # none for a page without segments


@dataclass(frozen=True, kw_only=True)
class Results:
    """The results of several systems on the same pages."""

    systems: tuple[str, ...]  # in the order in which they are shown
    metrics: tuple[str, ...]  # pages are ranked by the first that is not an accuracy
    by_system: Mapping[str, tuple[PageResult, ...]]  # for each system one result for each page, all in the same order

    @property
    def main_metric(self) -> str:
        """The metric used by tables by group, comparisons and plots."""
        return next((name for name in self.metrics if not METRICS[name].is_accuracy), self.metrics[0])

    @property
    def pages(self) -> tuple[GoldPage, ...]:
        """The pages."""
        return tuple(result.page for result in self.by_system[self.systems[0]]) if self.systems else ()

    def agreements(self, system: str, metric: str) -> list[Agreement]:
        """Return one agreement for each page that has a gold text."""
        found = (result.agreements for result in self.by_system[system])
        return [agreements[metric] for agreements in found if metric in agreements]


LEAST_SITES = 5  # with fewer sites, intervals and tests draw pages instead of sites


def clusters_of(results: Sequence[PageResult]) -> list[str] | None:
    """Return each page's site, so that similar pages are drawn together, or None if there are few sites."""
    pages = [r.page for r in results if r.agreements]
    named = [f"{page.dataset} {page.site or f'page {page.id}'}" for page in pages]
    return named if len(set(named)) >= LEAST_SITES else None


def sample(pages: Iterable[GoldPage], limit: int | None, *, seed: int) -> list[GoldPage]:
    """Return a random sample of pages in their original order; the same for the same seed."""
    listed = list(pages)
    if limit is None or limit >= len(listed):
        return listed
    chosen = sorted(random.Random(seed).sample(range(len(listed)), limit))  # noqa: S311 - a sample, no secret
    return [listed[number] for number in chosen]


def score(
    pages: Sequence[GoldPage],
    predictions: Iterable[Prediction],
    systems: Sequence[str],
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    progress: Callable[[], object] | None = None,
) -> Results:
    """Return the scores of predictions; `progress` is called after each page.

    Predictions of other systems and pages are passed over; a page without one counts as an empty text with the error
    `MISSING`.
    """
    given = {p.key: p for p in predictions}
    by_system: dict[str, tuple[PageResult, ...]] = {}
    for system in systems:
        results = []
        for page in pages:
            prediction = given.get((system, page.dataset, page.id)) or Prediction.failed(system, page, MISSING)
            agreements, segments = measure(prediction.text, page, metrics=metrics)
            results.append(PageResult(page=page, prediction=prediction, agreements=agreements, segments=segments))
            if progress is not None:
                progress()
        by_system[system] = tuple(results)
    return Results(systems=tuple(systems), metrics=tuple(metrics), by_system=by_system)
