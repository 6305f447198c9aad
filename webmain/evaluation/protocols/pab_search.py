"""Search time and pages found, in block databases of Priority Assignment, of ENIW, and of raw pages.

Source: Priority Assignment, sections 4.5 and 4.6, Table 4.5.1 (the keyword "computer") and Figure 4.6.1 (mean over 50
random keywords; the figure's values are not printed). Raw pages and ENIW are ranked by keyword density, PAB by
Bp = Pb * Kd (equation 4).
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from webmain.evaluation.block_pages import Approach, BlockPage, Pages, block_database, block_pages
from webmain.evaluation.records import Findings, GoldPage, Table
from webmain.store.search import BlockIndex
from webmain.store.snippets import WIDTH
from webmain.text.words import terms

KEYWORD = "computer"
N_KEYWORDS = 50
COLUMNS = ("approach", "search time (ms)", "with snippets (ms)", "reading every block (ms)", "pages found")
ROUNDS = 5
"""Each search is repeated so often; the median counts."""

PAPER = (
    ("paper: PAB", 12.0, None, None, 136),
    ("paper: ENIW", 235.0, None, None, 137),
    ("paper: raw pages", 278.0, None, None, 140),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """Searches in one database.

    Attributes
    ----------
    index_ms, shown_ms, scan_ms : list of float
        For each keyword, the one that is searched for by itself first: ranked by the index, with snippets too, and by
        reading every block.
    pages : list of int
        Pages found.
    """

    index_ms: list[float]
    shown_ms: list[float]
    scan_ms: list[float]
    pages: list[int]


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Search for one keyword, then for fifty.

    Parameters
    ----------
    gold : sequence of GoldPage
        Gold texts are not needed.
    seed : int
        Draws the keywords.
    """
    pages = block_pages(gold)
    keyword, keywords = draw_keywords(pages, seed)
    found = {approach: _measure(pages.of[approach], approach, [keyword, *keywords]) for approach in Approach}
    one = Table(
        name="pab_search_one",
        title=f"Search for one keyword, {keyword!r}",
        columns=COLUMNS,
        rows=(*((a.label, m.index_ms[0], m.shown_ms[0], m.scan_ms[0], m.pages[0]) for a, m in found.items()), *PAPER),
    )
    many = Table(
        name="pab_search_many",
        title=f"Mean search time over {len(keywords)} random keywords",
        columns=COLUMNS,
        rows=tuple(
            (a.label, *(_mean(column[1:]) for column in (m.index_ms, m.shown_ms, m.scan_ms, m.pages)))
            for a, m in found.items()
        ),
    )
    notes = (
        f"{len(pages.gold)} pages; {pages.n_unread} could not be read and are left out. The paper's 500 pages cannot be had.",
        f"The paper searches for 'computer'; here it is {keyword!r}"
        + (", since no page has the paper's." if keyword != KEYWORD else ".")
        + f" The {len(keywords)} keywords are drawn with seed {seed} from the words of PAB's blocks.",
        "Search time is wall-clock time by the full-text index, the ten best pages ranked; it hardly depends on the "
        "database's size, snippets depend on the length of the blocks (PAB's are the longest). Reading every block looks for "
        "the keyword as a string in all blocks in memory, without an index. The paper does not say how it searches; its "
        "seconds are given in ms.",
        "All three databases have the pages' titles, as blocks of priority 1.0.",
    )
    return Findings(protocol="pab_search", tables=(one, many), notes=notes, n_pages=len(pages.gold))


def draw_keywords(pages: Pages, seed: int) -> tuple[str, list[str]]:
    """Return the keyword to search for by itself, and others drawn from the words of PAB's blocks.

    The paper's own keyword is taken where any page has it, else the first that is drawn.
    """
    vocabulary: set[str] = set()
    for gold, page in zip(pages.gold, pages.of[Approach.PAB], strict=True):
        vocabulary.update(terms(page.whole, gold.language or None))
    ordered = sorted(vocabulary)
    drawn = random.Random(seed).sample(ordered, min(N_KEYWORDS, len(ordered)))  # noqa: S311 - an experiment's draw
    if KEYWORD in vocabulary or not drawn:
        return KEYWORD, drawn
    return drawn[0], drawn


def _measure(pages: Sequence[BlockPage], approach: Approach, keywords: Sequence[str]) -> Measured:
    texts = [text.casefold() for page in pages for text in (page.title, *page.texts)]
    measured = Measured([], [], [], [])
    with block_database(pages, approach) as database:
        for keyword in keywords:
            measured.pages.append(database.index.search(keyword, limit=0).n_pages)
            measured.index_ms.append(_median_ms(_search(database.index, keyword, 0)))
            measured.shown_ms.append(_median_ms(_search(database.index, keyword, WIDTH)))
            measured.scan_ms.append(_median_ms(_scan(texts, keyword)))
    return measured


def _search(index: BlockIndex, keyword: str, width: int) -> Callable[[], object]:
    return lambda: index.search(keyword, width=width)


def _scan(texts: Sequence[str], keyword: str) -> Callable[[], object]:
    return lambda: sum(keyword in text for text in texts)


def _median_ms(run_once: Callable[[], object]) -> float:
    spent = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        run_once()
        spent.append(1000 * (time.perf_counter() - started))
    return statistics.median(spent)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
