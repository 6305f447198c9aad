"""What LBDA's advertisement remover and site tree add: recall, precision, accuracy, time and memory with and without them.

Source: LBDA, section Performance Analysis, Tables 1 to 5. The paper compares itself with "a heuristic approach" that it does
not name, on five data sets that it does not describe; here the rival is BAPS alone (steps 1, 4 and 5), and the five parts are
drawn from the gold at hand, whole sites together. Recall and precision are over terms (Equations 1 and 2), pooled over a
part's pages; accuracy is over blocks, as the share of the page's blocks that are kept and wanted, or neither.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from webmain.evaluation.records import Findings, GoldPage, Table
from webmain.evaluation.texts import as_page, by_site
from webmain.extraction import Options, judge, read
from webmain.extractors.base import Extraction
from webmain.extractors.registry import create
from webmain.features.alignment import gold_content
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Rejected
from webmain.sites.fitting import fitted
from webmain.text.agreement import Agreement, overlap
from webmain.text.words import tokens

N_PARTS = 5
MEMORY_PAGES = 10
"""Pages of each part on which memory is measured: tracing allocations makes everything slower."""

BASELINE = "lbda:ads=false,site=false"
LBDA = "lbda"
PAPER = {
    "recall": ((73, 82), (75, 86), (79, 89), (83, 93), (84, 96)),
    "precision": ((80, 92), (76, 89), (72, 85), (69, 81), (67, 79)),
    "accuracy": ((25, 35), (32, 39), (30, 40), (39, 49), (40, 50)),
    "time": ((95, 89), (91, 85), (88, 79), (83, 72), (81, 71)),
    "memory": ((17, 12), (19, 12), (20, 13), (23, 15), (25, 16)),
}
UNITS = {
    "recall": "%",
    "precision": "%",
    "accuracy": "% of blocks",
    "time": "ms a page, CPU; the paper gives no unit",
    "memory": "MB, peak; the paper gives no unit",
}


@dataclass(frozen=True)
class Outcome:
    """What one method gave for one part of the pages."""

    terms: Agreement
    n_blocks: int
    n_right: int
    seconds: float
    n_pages: int
    peak_bytes: int

    def figure(self, name: str) -> float | None:
        """Return the figure of one of the paper's tables."""
        if not self.n_pages:
            return None
        match name:
            case "recall":
                return 100 * self.terms.recall
            case "precision":
                return 100 * self.terms.precision
            case "accuracy":
                return 100 * self.n_right / self.n_blocks if self.n_blocks else None
            case "time":
                return 1000 * self.seconds / self.n_pages
            case _:
                return self.peak_bytes / 2**20


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Measure LBDA with and without its second and third step.

    Parameters
    ----------
    gold : sequence of GoldPage
        Those without a gold text are left out. Sites with several pages are what the third step needs.
    seed : int
        Draws the five parts.
    """
    pages = [page for page in gold if page.text is not None]
    parts = _parts(pages, seed)
    outcomes = [[_measure(part, spec) for spec in (BASELINE, LBDA)] for part in parts]
    tables = []
    for name, paper in PAPER.items():
        rows: list[tuple[str | int | float | None, ...]] = [
            (f"part {i + 1}", len(parts[i]), *(outcome.figure(name) for outcome in pair), *paper[i])
            for i, pair in enumerate(outcomes)
        ]
        tables.append(
            Table(
                name=f"lbda_{name}",
                title=f"{name.capitalize()} ({UNITS[name]})",
                columns=("data set", "pages", "BAPS alone", "LBDA", "paper: heuristic", "paper: LBDA"),
                rows=tuple(rows),
            )
        )
    notes = (
        "The paper neither names its heuristic approach nor describes its five data sets; the rival is LBDA without "
        "advertisement remover and site tree, the parts are drawn from the gold given, the pages of a site together.",
        f"{sum(len(places) > 1 for places in by_site(pages))} sites have more than one page: elsewhere the site tree has no "
        "evidence and does nothing.",
        "Time covers reading, learning and judging; memory is the peak of Python's and NumPy's allocations while "
        f"{MEMORY_PAGES} pages of a part are read and judged, without the parser's own.",
        f"{len(gold) - len(pages)} pages without a gold text are left out.",
    )
    return Findings(protocol="lbda_steps", tables=tuple(tables), notes=notes, n_pages=len(pages))


def _parts(pages: Sequence[GoldPage], seed: int) -> list[list[GoldPage]]:
    """Divide the pages into five parts of about the same size, the pages of a site in one of them."""
    sites = list(by_site(pages))
    order = np.random.default_rng(seed).permutation(len(sites))
    parts: list[list[GoldPage]] = [[] for _ in range(N_PARTS)]
    for i in order.tolist():
        min(parts, key=len).extend(pages[place] for place in sites[i])
    return parts


def _measure(pages: Sequence[GoldPage], spec: str) -> Outcome:
    terms, n_blocks, n_right, seconds = Agreement(), 0, 0, 0.0
    for places in by_site(pages):
        group = [pages[place] for place in places]
        started = time.process_time()
        judged = _judge(group, spec)
        seconds += time.process_time() - started
        for page, extraction in zip(group, judged, strict=True):
            text = "" if extraction is None else "\n".join(_kept_texts(extraction))
            terms += overlap(tokens(text), tokens(page.text or ""))
            if extraction is not None:
                right = _blocks_right(extraction, page.text or "")
                n_blocks += len(right)
                n_right += int(right.sum())
    return Outcome(terms, n_blocks, n_right, seconds, len(pages), _peak(pages[:MEMORY_PAGES], spec))


def _judge(group: Sequence[GoldPage], spec: str) -> list[Extraction | None]:
    """Judge the pages of one site, after learning from them where they are enough."""
    documents: list[Document | None] = []
    for page in group:
        try:
            documents.append(read(as_page(page), Options(timeout_s=None)))
        except Rejected:
            documents.append(None)
    readable = [document for document in documents if document is not None]
    extractor = fitted(create(spec), readable)
    answers: list[Extraction | None] = []
    for document in documents:
        try:
            answers.append(judge(document, extractor) if document is not None else None)
        except Rejected:
            answers.append(None)
    return answers


def _kept_texts(extraction: Extraction) -> list[str]:
    return extraction.segmentation.texts(np.flatnonzero(extraction.kept).tolist())


def _blocks_right(extraction: Extraction, gold: str) -> np.ndarray:
    """Tell for each block that a reader sees whether it is treated rightly: wanted and mostly kept, or neither."""
    blocks = default_blocks(extraction.document)
    n_chars = np.array([len(text) for text in extraction.document.leaves.texts], dtype=np.float64)
    kept = blocks.sums(n_chars * extraction.kept_units) > 0.5 * blocks.sums(n_chars)
    right: np.ndarray = kept == gold_content(blocks.texts(range(len(blocks))), gold)
    return right


def _peak(pages: Sequence[GoldPage], spec: str) -> int:
    tracemalloc.start()
    try:
        for places in by_site(pages):
            _judge([pages[place] for place in places], spec)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
