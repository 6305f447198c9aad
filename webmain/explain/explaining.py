"""Run the steps of `webmain.extraction.extract_page` on a page, and record a verdict for every leaf."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import TypeVar

from webmain import extraction as stages
from webmain.explain.parts import explained_blocks
from webmain.explain.records import ExplainedBlock, Explanation, FeatureEffect
from webmain.extractors.base import ExplainingExtractor, Extractor
from webmain.extractors.page_types import page_type
from webmain.html.blocks import Unit
from webmain.html.document import Document
from webmain.items import Page, Reason, Rejected
from webmain.sites.model_store import Choice

T = TypeVar("T")

Choose = Callable[[Document], Choice]
"""Returns the extractor for a page, with a note: `webmain.sites.model_store.SiteModels.choose`."""


def explain_page(
    page: Page | Document,
    extractor: Extractor,
    options: stages.Options = stages.DEFAULTS,
    *,
    choose: Choose | None = None,
) -> Explanation:
    """Return an explanation of a page: its article or rejection, and for every leaf the verdict and the reason.

    Several methods can explain a page that has been read already (a document) with one parse. `choose` chooses the
    extractor for the page instead, such as one fitted to its site.

    Raises Rejected if the page cannot be read at all: `EMPTY`, `NOT_HTML`, `TOO_LARGE`; `INTERNAL_ERROR` for an
    unexpected error. A page that is rejected in a later step gives an explanation with `rejected`. Raises ModelError if
    the model of the page's site cannot be used.
    """
    with stages.errors_as_rejections(page.url):
        document = page if isinstance(page, Document) else stages.read(page, options)
        found, rejected = _or_rejected(lambda: choose(document)) if choose is not None else (None, None)
        choice = found or Choice(extractor)
        method = choice.extractor
        if options.sites is not None:
            from webmain.sites import matching

            method = matching.extractor_of(document, method)
        extraction, article, kind, unit = None, None, None, Unit.LEAVES
        if rejected is None:
            extraction, rejected = _or_rejected(lambda: stages.merge(stages.judge(document, method)))
        blocks: tuple[ExplainedBlock, ...] = ()
        if extraction is not None:
            judged = extraction
            article, rejected = _or_rejected(lambda: stages.finish(judged, method, options))
        if extraction is not None or (rejected is not None and rejected.reason is Reason.NO_BLOCKS):
            # otherwise there is no time left to read it again
            unit, blocks = explained_blocks(document, method, extraction, article, options.keep)
            kind, _ = _or_rejected(lambda: page_type(document))
        return Explanation(
            document=document,
            method=method,
            extraction=extraction,
            page_type=kind,
            unit=unit,
            blocks=blocks,
            article=article,
            rejected=rejected,
            note=choice.note,
        )


def _or_rejected(step: Callable[[], T]) -> tuple[T | None, Rejected | None]:
    """Return a step's result, or the page's rejection."""
    try:
        return step(), None
    except Rejected as rejected:
        return None, rejected.with_traceback(None)


def moved(explanation: Explanation, index: int) -> tuple[FeatureEffect, ...]:
    """Return the features that moved a block's score, strongest first; () if the method does not support it."""
    return features_of(explanation, [index]).get(index, ())


def features_of(
    explanation: Explanation, blocks: Iterable[int], *, most: int | None = None
) -> dict[int, tuple[FeatureEffect, ...]]:
    """Return `moved` for several of the method's blocks at once, which is faster, with at most `most` features a block.

    {} if the method does not support it.
    """
    method, judged, wanted = explanation.method, explanation.extraction, sorted(set(blocks))
    if not wanted or judged is None or judged.unit is not Unit.LEAVES or not isinstance(method, ExplainingExtractor):
        return {}
    found = method.contributions(judged.segmentation, wanted, most=most)
    return {block: tuple(itertools.starmap(FeatureEffect, one)) for block, one in zip(wanted, found, strict=True)}


def block_of(explanation: Explanation, index: int) -> ExplainedBlock:
    """Return one of the method's blocks as a whole; `Explanation.blocks` has the verdicts of its parts.

    Raises IndexError if the method has no such block.
    """
    judged = explanation.extraction
    if judged is None or not 0 <= index < len(judged.kept):
        raise IndexError(f"no block {index}")
    segmentation = judged.segmentation
    return ExplainedBlock(
        index=index,
        verdict=judged.verdict(index),
        score=float(judged.score[index]),
        raw=float(judged.raw[index]),
        why=judged.why[index],
        units=tuple(segmentation.members(index).tolist()),
        text=segmentation.text(index),
        element=int(segmentation.element[index]),
        elements=explanation.document.elements if judged.unit is Unit.LEAVES else None,
    )
