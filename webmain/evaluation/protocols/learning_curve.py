"""What learning from more pages of a site gives: every method that learns, from 1, 2, 5, 10 and 20 pages.

Two questions are kept apart. *Other pages*: a model learned from n pages judges pages of the site that it has not seen, as a
later crawl does. *The same pages*: n pages are given together and each is judged with what all of them tell, as
`webmain.extract_site` does for somebody who builds a corpus, but by the method alone, without another one for pages of which
nothing was learned. No gold is shown to any method in either.

Sources: LBDA, "Tag Tree Parsing" (the trees of all pages of a site are merged), and the per-site SVM's paper, module 3, which
prefers the global form of labelling to the local one. Neither paper prints figures for this.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from webmain.evaluation.metrics import rouge_lsum, same_words, words
from webmain.evaluation.plots import curves_plot
from webmain.evaluation.records import Findings, GoldPage, Table
from webmain.evaluation.texts import as_page, by_site
from webmain.evaluation.tokens import TextPair
from webmain.extraction import Options, compose, extract_pages, judge, merge, read
from webmain.extractors.base import Extractor, SiteExtractor
from webmain.extractors.registry import EXTRACTORS, create
from webmain.html.document import Document
from webmain.items import Rejected
from webmain.sites.fitting import fitted

VARIANTS = ("svm:form=local",)
"""Forms of methods that have a curve of their own beside the method's."""

N_LEARNED = (1, 2, 5, 10, 20)
LEAST_PAGES = 5
"""A site must have so many pages to learn from: the first three points are of the same sites."""

MAX_HELD_BACK = 8
"""Most pages of a site that are judged and never learned from: a third of them, at least `MIN_HELD_BACK`."""

MIN_HELD_BACK = 4
OPTIONS = Options(metadata=False, max_bytes=64 * 1024 * 1024, timeout_s=None)

Scores = tuple[float, float, float]
"""Word F1, ROUGE-LSum F1, and whether the words are the same, of a page or as means."""


@dataclass(frozen=True)
class Point:
    """One site at one number of pages: the means over its judged pages; whether it was learned, where that is known."""

    site: int
    n_pages: int
    learned: bool | None
    alone: Scores
    together: Scores


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Learn each site from some of its pages, judge others, and judge the same.

    Parameters
    ----------
    gold : sequence of GoldPage
        Those without a gold text are left out, and sites with too few pages.
    seed : int
        Draws the pages that are held back and those that are learned from.
    """
    pages = [page for page in gold if page.text is not None]
    held_back = [(held, rest) for held, rest in _held_back(pages, seed) if len(rest) >= LEAST_PAGES]
    whole = [site for site in _whole(pages, seed) if len(site) >= LEAST_PAGES]
    tables: list[Table] = []
    curves: dict[str, Table] = {}
    for spec in specs() if held_back or whole else ():
        alone = _Alone(spec)
        for way, points in (
            ("other pages", _others(spec, held_back, alone)),
            ("the same pages", _same(spec, whole, alone)),
        ):
            tables.append(_table(spec, way, points))
            curves[f"{spec}, {way}"] = tables[-1]
    notes = (
        f"Other pages: {len(held_back)} sites (of one period each) have at least {MIN_HELD_BACK + LEAST_PAGES} pages with a "
        f"gold text; a third of each, {MIN_HELD_BACK} to {MAX_HELD_BACK}, is held back and the same for all points; it is "
        "learned from pages drawn from the others, those of a point among those of the next.",
        f"The same pages: {len(whole)} sites have at least {LEAST_PAGES} pages. At each point all pages of a site are "
        "judged, in groups of so many, the last group filled up with pages judged before; pages of one period stand "
        "together, so that a group of 20 may hold two layouts.",
        "Rows with the same first column are of the same sites, those that have so many pages to learn from (or to give), "
        "and of the same judged pages. Means are over sites, each with the same weight.",
        "alone: each page judged by the method as it comes. Fewer pages than a method's least, or pages that hold no "
        "evidence, are judged so too. A page without a text scores 0.",
        "F1 is that of words as multisets; ROUGE is ROUGE-LSum F1, the metric of Fundus' benchmark; exact: the share of "
        "pages with the same words in the same order.",
    )
    return Findings(
        protocol="learning_curve",
        tables=tuple(tables),
        notes=notes,
        n_pages=len({(p.dataset, p.id) for site in whole for p in site}),
        plots=(curves_plot(curves),) if any(table.rows for table in tables) else (),
    )


def specs() -> list[str]:
    """Return the methods of the table that learn from sites, and the variants of them."""
    names = [name for name in EXTRACTORS if isinstance(create(name), SiteExtractor)]
    return names + [variant for variant in VARIANTS if variant.partition(":")[0] in names]


def _held_back(pages: Sequence[GoldPage], seed: int) -> Iterator[tuple[list[GoldPage], list[GoldPage]]]:
    """Give the pages of each site that are held back, and those that may be learned from."""
    rng = np.random.default_rng(seed)
    for places in by_site(pages):
        order = [pages[places[i]] for i in rng.permutation(len(places)).tolist()]
        n_held = min(MAX_HELD_BACK, max(MIN_HELD_BACK, len(order) // 3), len(order))
        yield order[:n_held], order[n_held:]


def _whole(pages: Sequence[GoldPage], seed: int) -> Iterator[list[GoldPage]]:
    """Give all pages of each site, in random order within a period."""
    rng = np.random.default_rng(seed)
    sites: defaultdict[tuple[str, str], list[GoldPage]] = defaultdict(list)
    for places in by_site(pages):
        first = pages[places[0]]
        if first.site:
            sites[first.dataset, first.site] += [pages[places[i]] for i in rng.permutation(len(places)).tolist()]
    yield from sites.values()


def _groups(n_pages: int, n: int) -> Iterator[tuple[range, range]]:
    """Divide places into groups of `n`: those that are given together, and those of them that are judged."""
    for start in range(0, n_pages, n):
        stop = min(start + n, n_pages)
        yield range(stop - n, stop), range(start, stop)


# ---- The two ways


def _others(spec: str, sites: Sequence[tuple[list[GoldPage], list[GoldPage]]], alone: _Alone) -> dict[int, list[Point]]:
    """Judge held-back pages by what was learned from n others."""
    points: dict[int, list[Point]] = {}
    for n in N_LEARNED:
        for number, (held, rest) in enumerate(sites):
            if len(rest) < n:
                continue
            extractor = _fitted(spec, rest[:n])
            learned = getattr(extractor, "learned", None) is not None
            together = [_scores(page, _text(page, extractor)) for page in held] if learned else alone.scores(held)
            points.setdefault(n, []).append(
                Point(number, len(held), learned, _mean(alone.scores(held)), _mean(together))
            )
    return points


def _same(spec: str, sites: Sequence[list[GoldPage]], alone: _Alone) -> dict[int, list[Point]]:
    """Judge all pages of a site in groups of n that are given together."""
    points: dict[int, list[Point]] = {}
    for n in N_LEARNED:
        for number, site in enumerate(sites):
            if len(site) < n:
                continue
            found: list[Scores] = []
            for given, judged in _groups(len(site), n):
                texts = _texts([site[place] for place in given], spec)
                found += [_scores(site[place], texts[place - given.start]) for place in judged]
            points.setdefault(n, []).append(Point(number, len(site), None, _mean(alone.scores(site)), _mean(found)))
    return points


class _Alone:
    """The scores of pages that are judged by a method as it comes, each once."""

    def __init__(self, spec: str) -> None:
        self._extractor = create(spec)
        self._known: dict[tuple[str, str], Scores] = {}

    def scores(self, pages: Sequence[GoldPage]) -> list[Scores]:
        for page in pages:
            if (page.dataset, page.id) not in self._known:
                self._known[page.dataset, page.id] = _scores(page, _text(page, self._extractor))
        return [self._known[page.dataset, page.id] for page in pages]


def _fitted(spec: str, pages: Sequence[GoldPage]) -> Extractor:
    """Learn from pages, as a crawl would; as the method comes where they are too few or hold no evidence."""
    return fitted(create(spec), [document for page in pages if (document := _read(page)) is not None])


def _read(page: GoldPage) -> Document | None:
    try:
        return read(as_page(page), OPTIONS)
    except Rejected:
        return None


def _text(page: GoldPage, extractor: Extractor) -> str:
    document = _read(page)
    if document is None:
        return ""
    try:
        return compose(merge(judge(document, extractor)), metadata=False).text
    except Rejected:
        return ""


def _texts(pages: Sequence[GoldPage], spec: str) -> list[str]:
    answers = extract_pages(map(as_page, pages), create(spec), OPTIONS)
    return ["" if isinstance(answer, Rejected) else answer.text for answer in answers]


def _scores(page: GoldPage, text: str) -> Scores:
    pair = TextPair(predicted=text, gold=page.text or "", language=page.language)
    return words(pair).f1, rouge_lsum(pair).f1, same_words(pair).f1


def _mean(found: Sequence[Scores]) -> Scores:
    f1, rouge, exact = np.mean(found, axis=0).tolist()
    return f1, rouge, exact


# ---- What is shown


def _table(spec: str, way: str, points: Mapping[int, Sequence[Point]]) -> Table:
    rows: list[tuple[str | int | float | None, ...]] = []
    known: set[frozenset[int]] = set()
    for most in (n for n in points if n >= LEAST_PAGES):
        sites = frozenset(p.site for p in points[most])
        if sites in known:  # the same sites have more pages: their row is that of the larger number
            continue
        last = max(n for n in points if frozenset(p.site for p in points[n]) >= sites)
        known.add(sites)
        rows += [_row(last, n, [p for p in points[n] if p.site in sites]) for n in points if n <= last]
    name = spec.replace(":", "_").replace("=", "_")
    return Table(
        name=f"{name}_{'others' if way == 'other pages' else 'same'}",
        title=f"{spec}: {way} of a site by the number of pages learned from"
        if way == "other pages"
        else f"{spec}: {way} by the number of them that are given together",
        columns=(
            "sites with",
            "pages",
            "sites",
            "of which learned",
            "pages judged",
            "F1 alone",
            "F1",
            "ROUGE alone",
            "ROUGE",
            "exact alone",
            "exact",
            "sites better",
            "sites worse",
        ),
        rows=tuple(rows),
    )


def _row(least: int, n: int, sites: Sequence[Point]) -> tuple[str | int | float | None, ...]:
    """Return what n pages give on the sites that have at least so many."""
    alone, together = _mean([p.alone for p in sites]), _mean([p.together for p in sites])
    pairs = [value for both in zip(alone, together, strict=True) for value in both]
    better = sum(p.together[0] > p.alone[0] + 1e-9 for p in sites)
    worse = sum(p.together[0] < p.alone[0] - 1e-9 for p in sites)
    learned = None if any(p.learned is None for p in sites) else sum(bool(p.learned) for p in sites)
    return (f"{least} or more", n, len(sites), learned, sum(p.n_pages for p in sites), *pairs, better, worse)
