"""What learning from more pages of a site gives: every method that learns, from 1, 2, 5, 10 and 20 pages.

Two questions are kept apart. *Other pages*: a model learned from n pages judges unseen pages of the site, as in a later
crawl. *The same pages*: n pages are given together and each is judged with what all of them show, as
`webmain.extract_site` does for a corpus, but by the method alone, without the fallback to another method for pages from
which nothing was learned. No method sees gold in either.

Sources: LBDA, "Tag Tree Parsing" (the trees of all pages of a site are merged), and the per-site SVM's paper, module 3, which
prefers the global form of labelling to the local one. Neither paper prints figures for this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from webmain.evaluation.metrics import rouge_lsum, same_words, words
from webmain.evaluation.plots import curves_plot
from webmain.evaluation.protocols.papers import findings, table
from webmain.evaluation.records import Cell, Findings, GoldPage, Table
from webmain.evaluation.systems import OPTIONS, fitted_to
from webmain.evaluation.texts import as_page, by_site, grouped, unless_rejected
from webmain.evaluation.tokens import TextPair
from webmain.extraction import extract_page, extract_pages
from webmain.extractors.base import EXTRACTORS, Extractor, SiteExtractor, create
from webmain.items import Rejected

VARIANTS = ("svm:form=local",)  # variants of methods that get a curve of their own beside the method's

N_LEARNED = (1, 2, 5, 10, 20)
LEAST_PAGES = 5  # fewest pages of a site to learn from, so that the first three points are of the same sites
MAX_HELD_OUT = 8  # most pages of a site that are held back for testing: a third of them, at least `MIN_HELD_OUT`

MIN_HELD_OUT = 4

Scores = tuple[float, ...]  # word F1, ROUGE-LSum F1, and whether the words are the same, of a page or as means


@dataclass(frozen=True)
class Point:
    """One site with `n` pages: means over its test pages; whether it was learned, if known."""

    n: int
    site: int
    n_pages: int
    learned: bool | None
    alone: Scores
    together: Scores


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Learn each site from some of its pages; judge others, and judge the same ones.

    Pages without a gold text are left out, and sites with too few pages. The seed draws the pages that are held back
    and those that are learned from.
    """
    pages = [page for page in gold if page.text is not None]
    held_out = [(held, rest) for held, rest in _held_out(pages, seed) if len(rest) >= LEAST_PAGES]
    whole = [site for site in _whole(pages, seed) if len(site) >= LEAST_PAGES]
    tables: dict[str, Table] = {}
    for spec in specs() if held_out or whole else ():
        alone = _alone(spec)
        tables[f"{spec}, other pages"] = _table(spec, "others", _others(spec, held_out, alone))
        tables[f"{spec}, the same pages"] = _table(spec, "same", _same(spec, whole, alone))
    return findings(
        "learning_curve",
        tables.values(),
        n_pages=len({(p.dataset, p.id) for site in whole for p in site}),
        plots=(curves_plot(tables),) if any(one.rows for one in tables.values()) else (),
        n_held=len(held_out),
        n_whole=len(whole),
        least=LEAST_PAGES,
        least_held=MIN_HELD_OUT + LEAST_PAGES,
        min_held=MIN_HELD_OUT,
        max_held=MAX_HELD_OUT,
    )


def specs() -> list[str]:
    """Return the methods of the table that learn from sites, and the variants of them."""
    names = [name for name in EXTRACTORS if isinstance(create(name), SiteExtractor)]
    return names + [variant for variant in VARIANTS if variant.partition(":")[0] in names]


def _held_out(pages: Sequence[GoldPage], seed: int) -> Iterator[tuple[list[GoldPage], list[GoldPage]]]:
    """Yield each site's held-back pages, and those that may be learned from."""
    rng = np.random.default_rng(seed)
    for site in by_site(pages):
        order = [site[i] for i in rng.permutation(len(site)).tolist()]
        n_held = min(MAX_HELD_OUT, max(MIN_HELD_OUT, len(order) // 3), len(order))
        yield order[:n_held], order[n_held:]


def _whole(pages: Sequence[GoldPage], seed: int) -> Iterator[list[GoldPage]]:
    """Yield all pages of each site, in random order within a period."""
    rng = np.random.default_rng(seed)
    sites = [site for site in by_site(pages) if site[0].site]
    drawn = [site[i] for site in sites for i in rng.permutation(len(site)).tolist()]
    yield from grouped(drawn, lambda page: (page.dataset, page.site)).values()


def _groups(n_pages: int, n: int) -> Iterator[tuple[range, range]]:
    """Divide pages into groups of `n`: those given together, and those of them that are judged."""
    for start in range(0, n_pages, n):
        stop = min(start + n, n_pages)
        yield range(stop - n, stop), range(start, stop)


# ---- the two settings


def _others(
    spec: str, sites: Sequence[tuple[list[GoldPage], list[GoldPage]]], alone: Callable[[GoldPage], Scores]
) -> Iterator[Point]:
    """Judge held-back pages by models learned from n other pages."""
    for number, (held, rest) in enumerate(sites):
        single = [alone(page) for page in held]
        for n in (n for n in N_LEARNED if n <= len(rest)):
            extractor = fitted_to(map(as_page, rest[:n]), create(spec))  # not fitted if nothing could be learned
            learned = isinstance(extractor, SiteExtractor) and extractor.learned is not None
            together = [_scores(page, _text(page, extractor)) for page in held] if learned else single
            yield Point(n, number, len(held), learned, _mean(single), _mean(together))


def _same(spec: str, sites: Sequence[list[GoldPage]], alone: Callable[[GoldPage], Scores]) -> Iterator[Point]:
    """Judge all pages of a site in groups of n that are given together."""
    for number, site in enumerate(sites):
        single = [alone(page) for page in site]
        for n in (n for n in N_LEARNED if n <= len(site)):
            found: list[Scores] = []
            for given, judged in _groups(len(site), n):
                texts = _texts([site[place] for place in given], spec)
                found += [_scores(site[place], texts[place - given.start]) for place in judged]
            yield Point(n, number, len(site), None, _mean(single), _mean(found))


def _alone(spec: str) -> Callable[[GoldPage], Scores]:
    """Return a function from a page to its scores by a method that learned nothing; each page is judged once."""
    extractor = create(spec)
    return cache(lambda page: _scores(page, _text(page, extractor)))


def _text(page: GoldPage, extractor: Extractor) -> str:
    article = unless_rejected(extract_page, as_page(page), extractor, OPTIONS)
    return article.text if article else ""


def _texts(pages: Sequence[GoldPage], spec: str) -> list[str]:
    answers = extract_pages(map(as_page, pages), create(spec), OPTIONS)
    return ["" if isinstance(answer, Rejected) else answer.text for answer in answers]


def _scores(page: GoldPage, text: str) -> Scores:
    pair = TextPair(predicted=text, gold=page.text or "", language=page.language)
    return words(pair).f1, rouge_lsum(pair).f1, same_words(pair).f1


def _mean(found: Sequence[Scores]) -> Scores:
    return tuple(np.mean(found, axis=0).tolist())


# ---- results


def _table(spec: str, way: str, found: Iterable[Point]) -> Table:
    points = dict(sorted(grouped(found, lambda point: point.n).items()))
    sites = {n: frozenset(point.site for point in of) for n, of in points.items()}
    rows: list[tuple[Cell, ...]] = []
    for most in (n for n in points if n >= LEAST_PAGES):
        last = max(n for n in points if sites[n] >= sites[most])
        if most == last:  # otherwise the same sites have more pages: their row is that of the larger number
            rows += [_row(last, n, [p for p in points[n] if p.site in sites[most]]) for n in points if n <= last]
    name = f"{spec.replace(':', '_').replace('=', '_')}_{way}"
    return table("learning_curve", way, rows, name=name, spec=spec)


def _row(least: int, n: int, sites: Sequence[Point]) -> tuple[Cell, ...]:
    """Return the results for n pages on the sites that have at least as many."""
    alone, together = _mean([p.alone for p in sites]), _mean([p.together for p in sites])
    pairs = [value for both in zip(alone, together, strict=True) for value in both]
    better = sum(p.together[0] > p.alone[0] + 1e-9 for p in sites)
    worse = sum(p.together[0] < p.alone[0] - 1e-9 for p in sites)
    learned = None if any(p.learned is None for p in sites) else sum(bool(p.learned) for p in sites)
    return (f"{least} or more", n, len(sites), learned, sum(p.n_pages for p in sites), *pairs, better, worse)
