"""What learning from more pages of a site gives: held-back pages judged by LBDA, and by the SVM in its two forms.

Sources: LBDA, "Tag Tree Parsing" (the trees of all pages of a site are merged), and the per-site SVM's paper, module 3, which
prefers the global form of labelling to the local one. Neither paper prints figures for this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from webmain.evaluation.records import Findings, GoldPage, Table
from webmain.evaluation.texts import as_page, by_site
from webmain.evaluation.tokens import TextPair
from webmain.extractors.base import Extractor, NothingLearned, SiteExtractor
from webmain.extractors.registry import create
from webmain.items import Rejected
from webmain.page.document import Document
from webmain.stages import compose, judge, merge, read
from webmain.text.agreement import overlap

EXTRACTORS = ("lbda", "svm", "svm:form=local")
N_LEARNED = (2, 5, 10, 20)
MAX_HELD_BACK = 8
"""Most pages of a site that are judged and never learned from: a third of them, at least `MIN_HELD_BACK`."""

MIN_HELD_BACK = 4


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Learn each site from some of its pages and judge others.

    Parameters
    ----------
    gold : sequence of GoldPage
        Those without a gold text are left out, and sites with too few pages.
    seed : int
        Draws the pages that are held back and those that are learned from.
    """
    pages = [page for page in gold if page.text is not None]
    sites = [(held, rest) for held, rest in _sites(pages, seed) if len(rest) >= min(N_LEARNED)]
    tables = tuple(_table(spec, sites) for spec in EXTRACTORS)
    notes = (
        f"{len(sites)} sites (of one period each) have at least {MIN_HELD_BACK + min(N_LEARNED)} pages with a gold text; a "
        f"third of each, {MIN_HELD_BACK} to {MAX_HELD_BACK}, is held back, the others are learned from.",
        "A row holds the sites that have so many pages to learn from; the figures of a row are of the same held-back pages, "
        "those of different rows are not. The mean is over sites, each with the same weight.",
        "Without a model LBDA does without its site tree, the SVM learns from the page that it judges. Where nothing can be "
        "learned of a site, or a page gets no text, the page scores 0.",
    )
    return Findings(protocol="learning_curve", tables=tables, notes=notes)


def _sites(pages: Sequence[GoldPage], seed: int) -> Iterator[tuple[list[GoldPage], list[GoldPage]]]:
    """Give the pages of each site that are held back, and those that may be learned from."""
    rng = np.random.default_rng(seed)
    for places in by_site(pages):
        order = [pages[places[i]] for i in rng.permutation(len(places)).tolist()]
        n_held = min(MAX_HELD_BACK, max(MIN_HELD_BACK, len(order) // 3), len(order))
        yield order[:n_held], order[n_held:]


def _table(spec: str, sites: Sequence[tuple[list[GoldPage], list[GoldPage]]]) -> Table:
    rows = []
    for n in N_LEARNED:
        enough = [(held, rest[:n]) for held, rest in sites if len(rest) >= n]
        if not enough:
            continue
        fitted = [_fitted(spec, learned) for _, learned in enough]
        before = [_score(held, create(spec)) for held, _ in enough]
        after = [_score(held, extractor) for (held, _), extractor in zip(enough, fitted, strict=True)]
        n_learned = sum(extractor is not None for extractor in fitted)
        n_pages = sum(len(held) for held, _ in enough)
        better = sum(b > a + 1e-9 for a, b in zip(before, after, strict=True))
        rows.append((n, len(enough), n_learned, n_pages, float(np.mean(before)), float(np.mean(after)), better))
    return Table(
        name=spec.replace(":", "_").replace("=", "_"),
        title=f"{spec}: mean word F1 of held-back pages by the number of pages learned from",
        columns=(
            "pages learned from",
            "sites",
            "of which learned",
            "pages judged",
            "without a model",
            "with it",
            "sites better",
        ),
        rows=tuple(rows),
    )


def _fitted(spec: str, pages: Sequence[GoldPage]) -> Extractor | None:
    """Learn from pages; None where they hold no evidence."""
    extractor = create(spec)
    documents = [document for page in pages if (document := _read(page)) is not None]
    if not isinstance(extractor, SiteExtractor) or not documents:
        return None
    try:
        return extractor.fit(documents)
    except NothingLearned:
        return None


def _read(page: GoldPage) -> Document | None:
    try:
        return read(as_page(page), timeout_s=None)
    except Rejected:
        return None


def _score(pages: Sequence[GoldPage], extractor: Extractor | None) -> float:
    """Return the mean F1 of a site's pages."""
    return float(np.mean([_f1(page, extractor) for page in pages]))


def _f1(page: GoldPage, extractor: Extractor | None) -> float:
    document = _read(page)
    if document is None or extractor is None:
        return 0.0
    try:
        text = compose(merge(judge(document, extractor)), metadata=False).text
    except Rejected:
        return 0.0
    pair = TextPair(predicted=text, gold=page.text or "", language=page.language)
    return overlap(pair.predicted_tokens, pair.gold_tokens).f1
