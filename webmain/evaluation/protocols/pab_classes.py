"""Pages classified by multinomial naive Bayes from the blocks that Priority Assignment, ENIW, or nothing has kept.

Source: Priority Assignment, sections 4.3 and 4.4, Tables 4.3.1, 4.3.2 and 4.4.1: 500 pages of three categories, seven random
divisions with 10, 20, ... 70 of them for testing. Here the shares are the same, of the gold at hand.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import numpy as np

from webmain.evaluation.block_pages import Approach, Pages, block_pages
from webmain.evaluation.records import Findings, GoldPage, Table
from webmain.evaluation.statistics import standard_error
from webmain.text.words import terms

PAPER_PAGES = 500
PAPER_TESTS = (10, 20, 30, 40, 50, 60, 70)
PAPER_ENIW = (80.0, 85.0, 83.0, 85.0, 86.0, 83.3, 80.0)
PAPER_PAB = (80.0, 80.0, 83.0, 86.0, 88.0, 88.3, 90.0)
PAPER_ERRORS = {Approach.PAB: 0.1496, Approach.ENIW: 0.20396}

MIN_CLASS = 5
"""Pages from which a class takes part."""

DRAWS = 20
"""Further draws of all seven divisions: single ones of few pages say little."""

ORDER = (Approach.RAW, Approach.ENIW, Approach.PAB)
Accuracies = dict[Approach, list[float]]
Matrix: TypeAlias = Any
"""A sparse matrix of SciPy's, which has no types."""


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Classify pages from what three approaches keep of them.

    Parameters
    ----------
    gold : sequence of GoldPage
        Gold texts are not needed; classes are.
    seed : int
        Draws the divisions.
    """
    kind, classes = classes_of(gold)
    chosen = [(page, name) for page, name in zip(gold, classes, strict=True) if name]
    pages = block_pages([page for page, _ in chosen])
    names = dict(zip((id(page) for page, _ in chosen), (name for _, name in chosen), strict=True))
    labels = [names[id(page)] for page in pages.gold]
    notes = [
        f"Classes are the pages' {kind}: {', '.join(f'{name} ({n})' for name, n in sorted(Counter(labels).items()))}. "
        f"{len(gold) - len(chosen)} pages of classes with fewer than {MIN_CLASS} pages, or of none, are left out; "
        f"{pages.n_unread} could not be read.",
        "The paper's text says 15 of 20 right for ENIW and 16 for PAB in case 2, where its table says 85 % and 80 %; and "
        "35 of 40 for PAB in case 4, which is 87.5 %, where its table says 86 %.",
        "The paper does not print its formula of the standard error (ours: the sample's deviation over the seven divisions "
        "by the root of seven). From its own table of accuracies it is "
        f"{standard_error(PAPER_PAB):.2f} points for PAB and {standard_error(PAPER_ENIW):.2f} for ENIW, the other way "
        "round than the 0.1496 and 0.20396 that it prints.",
        "Words are folded and counted, none left out; scikit-learn's MultinomialNB with its default smoothing. The title "
        "belongs to all three.",
    ]
    if kind in ("site", "section of the site"):
        notes.append("A site's boilerplate names the site: such classes favour what keeps it, raw pages and ENIW.")
    if len(set(labels)) < 2:
        notes.append("There are fewer than two classes: nothing was classified.")
        return Findings(protocol="pab_classes", tables=(), notes=tuple(notes), n_pages=0)
    counts = {approach: word_matrix(pages, approach) for approach in ORDER}
    cases = [_accuracies(counts, labels, seed + draw) for draw in range(1 + DRAWS)]
    tables = (_cases(len(labels), cases[0]), _errors(cases))
    return Findings(protocol="pab_classes", tables=tables, notes=tuple(notes), n_pages=len(labels))


def classes_of(gold: Sequence[GoldPage]) -> tuple[str, list[str]]:
    """Return what the classes are, and the class of each page; "" where it belongs to none that is large enough.

    The first of category, page type, section (first part of the URL's path) and site that gives two classes of
    `MIN_CLASS` pages, and half of all pages a class; the site where none does.
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
    try:
        parts = urlsplit(page.url or "").path.strip("/").split("/")
    except ValueError:
        return ""
    return parts[0].lower() if len(parts) > 1 and not parts[0].isdigit() else ""


def n_test(case: int, n_pages: int) -> int:
    """Return the test pages of a case: the paper's share of the pages at hand, at least one."""
    return max(1, round(n_pages * PAPER_TESTS[case] / PAPER_PAGES))


def word_matrix(pages: Pages, approach: Approach) -> Matrix:
    """Return how often each word stands on each page, as `(n_pages, n_words)` sparse counts."""
    from sklearn.feature_extraction import DictVectorizer

    counted = [
        Counter(terms(page.whole, gold.language or None))
        for gold, page in zip(pages.gold, pages.of[approach], strict=True)
    ]
    return DictVectorizer(dtype=float).fit_transform(counted)


def _accuracies(counts: Mapping[Approach, Matrix], labels: Sequence[str], seed: int) -> Accuracies:
    """Return for each approach the accuracies (%) in the seven cases, on the same divisions."""
    rng = random.Random(seed)  # noqa: S311 - an experiment's draw
    found: Accuracies = {approach: [] for approach in ORDER}
    for case in range(len(PAPER_TESTS)):
        order = rng.sample(range(len(labels)), len(labels))
        cut = n_test(case, len(labels))
        for approach in ORDER:
            found[approach].append(100 * accuracy(counts[approach], labels, order[cut:], order[:cut]))
    return found


def accuracy(counts: Matrix, labels: Sequence[str], train: Sequence[int], test: Sequence[int]) -> float:
    """Return the share of test pages whose class multinomial naive Bayes tells from the training pages.

    Words that no training page has are not known to the classifier.
    """
    from sklearn.naive_bayes import MultinomialNB

    known = np.asarray(counts[list(train)].sum(axis=0)).ravel() > 0
    if not known.any():
        return 0.0
    names = np.array(labels)
    model = MultinomialNB().fit(counts[list(train)][:, known], names[list(train)])
    told: list[str] = model.predict(counts[list(test)][:, known]).tolist()
    right = [name == labels[i] for name, i in zip(told, test, strict=True)]
    return right.count(True) / len(right)


def _cases(n_pages: int, found: Accuracies) -> Table:
    rows: list[tuple[str | int | float | None, ...]] = []
    for case, paper_test in enumerate(PAPER_TESTS):
        ours = (found[approach][case] for approach in ORDER)
        test = n_test(case, n_pages)
        rows.append((f"{case + 1}", n_pages - test, test, *ours, paper_test, PAPER_ENIW[case], PAPER_PAB[case]))
    means = (_mean(values) for values in (*(found[a] for a in ORDER), PAPER_ENIW, PAPER_PAB))
    raw, eniw, pab, paper_eniw, paper_pab = means
    rows.append(("mean", None, None, raw, eniw, pab, None, paper_eniw, paper_pab))
    columns = ("case", "training pages", "test pages", *(approach.label for approach in ORDER))
    return Table(
        name="pab_classes",
        title="Pages classified rightly by multinomial naive Bayes (%)",
        columns=(*columns, "paper: test pages", "paper: ENIW", "paper: PAB"),
        rows=tuple(rows),
    )


def _errors(cases: Sequence[Accuracies]) -> Table:
    """Put the standard errors over seven divisions together, and the means over further draws of all of them."""
    rows = []
    for approach in ORDER:
        means = [_mean(found[approach]) for found in cases[1:]]
        first = cases[0][approach]
        rows.append((approach.label, _mean(first), standard_error(first), _mean(means), PAPER_ERRORS.get(approach)))
    return Table(
        name="pab_errors",
        title=f"Mean accuracy over the seven divisions, its standard error, and the mean over {DRAWS} more draws (%)",
        columns=("approach", "mean", "standard error", f"mean of {DRAWS} draws", "paper: standard error"),
        rows=tuple(rows),
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
