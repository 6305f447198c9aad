"""Pages classified by multinomial naive Bayes from the blocks that Priority Assignment, ENIW, or nothing has kept.

Source: Priority Assignment, sections 4.3 and 4.4, Tables 4.3.1, 4.3.2 and 4.4.1: 500 pages of three categories, seven random
divisions with 10, 20, ... 70 of them for testing. Here the shares are the same, of the gold at hand.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from webmain.evaluation.block_pages import Approach, Pages, block_pages
from webmain.evaluation.protocols.papers import figures, findings, table
from webmain.evaluation.records import Cell, Findings, GoldPage
from webmain.evaluation.statistics import standard_error
from webmain.text.words import terms
from webmain.urls import split_url

PAPER_PAGES = 500
N_CASES = 7

MIN_CLASS = 5  # fewest pages of a class that is used
DRAWS = 20  # repetitions of all seven divisions: single divisions of few pages say little

ORDER = (Approach.RAW, Approach.ENIW, Approach.PAB)
Accuracies = NDArray[np.float64]
Matrix: TypeAlias = Any  # a sparse matrix of SciPy's, which has no types


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Classify pages by the text that three approaches keep of them; needs no gold texts. The seed draws divisions."""
    kind, classes = classes_of(gold)
    chosen = [(page, name) for page, name in zip(gold, classes, strict=True) if name]
    pages = block_pages([page for page, _ in chosen])
    names = {id(page): name for page, name in chosen}
    labels = [names[id(page)] for page in pages.gold]
    notes, tables, n_pages = [], [], 0
    if kind in ("site", "section of the site"):
        notes.append("A site's boilerplate names the site: such classes favour what keeps it, raw pages and ENIW.")
    if len(set(labels)) < 2:
        notes.append("There are fewer than two classes: nothing was classified.")
    else:
        n_pages = len(labels)
        counts = {approach: word_matrix(pages, approach) for approach in ORDER}
        draws = [_accuracies(counts, labels, seed + draw) for draw in range(1 + DRAWS)]
        tables.append(table("pab_classes", "pab_classes", _cases(n_pages, draws[0])))
        tables.append(table("pab_classes", "pab_errors", _errors(draws), draws=DRAWS))
    return findings(
        "pab_classes",
        tables,
        n_pages=n_pages,
        notes=notes,
        kind=kind,
        classes=", ".join(f"{name} ({n})" for name, n in sorted(Counter(labels).items())),
        left_out=len(gold) - len(chosen),
        min_class=MIN_CLASS,
        n_unread=pages.n_unread,
        pab=standard_error(figures("pab_classes", "pab")),
        eniw=standard_error(figures("pab_classes", "eniw")),
    )


def classes_of(gold: Sequence[GoldPage]) -> tuple[str, list[str]]:
    """Return the kind of class, and the class of each page; "" if it belongs to none that is large enough.

    The first of category, page type, section (first part of the URL's path) and site that gives two classes of
    `MIN_CLASS` pages, and covers half of all pages; the site if none does.
    """
    kinds: tuple[tuple[str, Callable[[GoldPage], str]], ...] = (
        ("category", lambda page: page.category),
        ("page type", lambda page: page.page_type),
        ("section of the site", _section),
        ("site", lambda page: page.site),
    )
    large: list[str] = []
    for kind, name_of in kinds:
        names = [name_of(page) for page in gold]
        counts = Counter(names)
        large = [name if counts[name] >= MIN_CLASS else "" for name in names]
        n_classes = len(set(large) - {""})
        if n_classes >= 2 and 2 * sum(map(bool, large)) >= len(gold):
            return kind, large
    return "site", large


def _section(page: GoldPage) -> str:
    """Return the first folder of the URL's path."""
    parts = split_url(page.url or "").path.strip("/").split("/")
    return parts[0].lower() if len(parts) > 1 and not parts[0].isdigit() else ""


def n_test(case: int, n_pages: int) -> int:
    """Return the test pages of a case: the paper's share of the pages at hand, at least one."""
    tests: list[int] = figures("pab_classes", "tests")
    return max(1, round(n_pages * tests[case] / PAPER_PAGES))


def word_matrix(pages: Pages, approach: Approach) -> Matrix:
    """Return how often each word is on each page, as `(n_pages, n_words)` sparse counts."""
    from sklearn.feature_extraction import DictVectorizer

    counted = [
        Counter(terms(page.whole, gold.language or None))
        for gold, page in zip(pages.gold, pages.of[approach], strict=True)
    ]
    return DictVectorizer(dtype=float).fit_transform(counted)


def _accuracies(counts: Mapping[Approach, Matrix], labels: Sequence[str], seed: int) -> Accuracies:
    """Return the accuracies (%) of the approaches in the seven cases, on the same divisions: `(7, 3)`."""
    rng = random.Random(seed)  # noqa: S311 - an experiment's draw
    found = []
    for case in range(N_CASES):
        order = rng.sample(range(len(labels)), len(labels))
        cut = n_test(case, len(labels))
        found.append([100 * accuracy(counts[approach], labels, order[cut:], order[:cut]) for approach in ORDER])
    return np.array(found)


def accuracy(counts: Matrix, labels: Sequence[str], train: Sequence[int], test: Sequence[int]) -> float:
    """Return the share of test pages whose class multinomial naive Bayes predicts from the training pages.

    Words that no training page has are not known to the classifier.
    """
    from sklearn.naive_bayes import MultinomialNB

    known = np.asarray(counts[list(train)].sum(axis=0)).ravel() > 0
    if not known.any():
        return 0.0
    names = np.array(labels)
    model = MultinomialNB().fit(counts[list(train)][:, known], names[list(train)])
    return float(np.mean(model.predict(counts[list(test)][:, known]) == names[list(test)]))


def _cases(n_pages: int, found: Accuracies) -> Iterator[tuple[Cell, ...]]:
    tests, eniw, pab = (figures("pab_classes", name) for name in ("tests", "eniw", "pab"))
    for case in range(N_CASES):
        test = n_test(case, n_pages)
        yield f"{case + 1}", n_pages - test, test, *found[case].tolist(), tests[case], eniw[case], pab[case]
    yield "mean", None, None, *found.mean(axis=0).tolist(), None, float(np.mean(eniw)), float(np.mean(pab))


def _errors(draws: Sequence[Accuracies]) -> Iterator[tuple[Cell, ...]]:
    """Yield the standard errors over seven divisions, and the means over repetitions of all of them."""
    further = np.mean([found.mean(axis=0) for found in draws[1:]], axis=0).tolist()
    for place, approach in enumerate(ORDER):
        first = draws[0][:, place]
        printed = figures("pab_classes", "errors").get(approach.lower())
        yield approach.value, float(first.mean()), standard_error(first), further[place], printed
