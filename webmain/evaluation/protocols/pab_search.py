"""Search time and pages found, in block databases of Priority Assignment, of ENIW, and of raw pages.

Source: Priority Assignment, sections 4.5 and 4.6, Table 4.5.1 (the keyword "computer") and Figure 4.6.1 (mean over 50
random keywords; the figure's values are not printed). Raw pages and ENIW are ranked by keyword density, PAB by
Bp = Pb * Kd (equation 4).
"""

from __future__ import annotations

import random
import statistics
import timeit
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from webmain.evaluation.block_pages import Approach, BlockPage, Pages, block_database, block_pages
from webmain.evaluation.protocols.papers import findings, table
from webmain.evaluation.records import Findings, GoldPage
from webmain.store.snippets import WIDTH
from webmain.text.words import terms

KEYWORD = "computer"
N_KEYWORDS = 50
ROUNDS = 5  # repetitions of each search; the median counts


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Search for one keyword, then for fifty, drawn by the seed; needs no gold texts."""
    pages = block_pages(gold)
    keyword, keywords = draw_keywords(pages, seed)
    found = {approach: _measure(pages.of[approach], approach, [keyword, *keywords]) for approach in Approach}
    one = [(a.value, *measured[0]) for a, measured in found.items()]
    many = [
        (a.value, *(np.mean(measured[1:], axis=0).tolist() if keywords else [None] * 4))
        for a, measured in found.items()
    ]
    values: dict[str, Any] = {"keyword": keyword, "n_keywords": len(keywords)}
    return findings(
        "pab_search",
        [table("pab_search", "pab_search_one", one, **values), table("pab_search", "pab_search_many", many, **values)],
        n_pages=len(pages.gold),
        n=len(pages.gold),
        n_unread=pages.n_unread,
        since="" if keyword == KEYWORD else ", since no page has the paper's",
        seed=seed,
        **values,
    )


def draw_keywords(pages: Pages, seed: int) -> tuple[str, list[str]]:
    """Return the keyword to search for by itself, and others drawn from the words of PAB's blocks.

    The paper's own keyword is used if any page contains it, else the first that is drawn.
    """
    vocabulary: set[str] = set()
    for gold, page in zip(pages.gold, pages.of[Approach.PAB], strict=True):
        vocabulary.update(terms(page.whole, gold.language or None))
    drawn = random.Random(seed).sample(sorted(vocabulary), min(N_KEYWORDS, len(vocabulary)))  # noqa: S311 - an experiment's draw
    return (KEYWORD if KEYWORD in vocabulary or not drawn else drawn[0]), drawn


def _measure(pages: Sequence[BlockPage], approach: Approach, keywords: Sequence[str]) -> list[tuple[float, ...]]:
    """Return for each keyword the times (ms) by index, with snippets, and by reading every block; and the pages found."""
    texts = [text.casefold() for page in pages for text in (page.title, *page.texts)]
    measured: list[tuple[float, ...]] = []
    with block_database(pages, approach) as database:
        search = database.index.search
        for keyword in keywords:
            by_index, shown = partial(search, keyword, width=0), partial(search, keyword, width=WIDTH)
            ways: tuple[Callable[[], object], ...] = (by_index, shown, partial(_n_with, texts, keyword))
            times = [1000 * statistics.median(timeit.repeat(way, number=1, repeat=ROUNDS)) for way in ways]
            measured.append((*times, search(keyword, limit=0).n_pages))
    return measured


def _n_with(texts: Sequence[str], keyword: str) -> int:
    return sum(keyword in text for text in texts)
