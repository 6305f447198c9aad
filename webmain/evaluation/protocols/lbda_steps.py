"""What LBDA's advertisement remover and site tree add: recall, precision, accuracy, time and memory with and without them.

Source: LBDA, section Performance Analysis, Tables 1 to 5. The paper compares itself with "a heuristic approach" that it does
not name, on five data sets that it does not describe; here the rival is BAPS alone (steps 1, 4 and 5), and the five parts are
drawn from the gold data given, keeping sites whole. Recall and precision are over terms (Equations 1 and 2), pooled over a
part's pages; accuracy is over blocks, as the share of the page's blocks that are kept and wanted, or neither.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Sequence

import numpy as np

from webmain.evaluation.protocols.papers import figures, findings, table
from webmain.evaluation.records import Cell, Findings, GoldPage
from webmain.evaluation.texts import UNTIMED, as_page, by_site, unless_rejected
from webmain.extraction import judge, read
from webmain.extractors.base import Extraction, create
from webmain.features.gold_labels import gold_content
from webmain.html.blocks import default_blocks
from webmain.sites.fitting import fitted
from webmain.text.agreement import Agreement, overlap
from webmain.text.words import tokens

N_PARTS = 5
MEMORY_PAGES = 10  # pages of each part on which memory is measured: tracing allocations slows everything down

BASELINE = "lbda:ads=false,site=false"
LBDA = "lbda"
FIGURES = ("recall", "precision", "accuracy", "time", "memory")


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Measure LBDA with and without its second and third step, on the pages with a gold text.

    The seed draws the five parts. Sites with several pages are what the third step needs.
    """
    pages = [page for page in gold if page.text is not None]
    parts = _parts(pages, seed)
    outcomes = [(measure(part, BASELINE), measure(part, LBDA)) for part in parts]
    tables = []
    for name in FIGURES:
        rows: list[tuple[Cell, ...]] = [
            (f"part {i + 1}", len(part), *(outcome[name] for outcome in outcomes[i]), *figures("lbda_steps", name)[i])
            for i, part in enumerate(parts)
        ]
        tables.append(table("lbda_steps", f"lbda_{name}", rows))
    return findings(
        "lbda_steps",
        tables,
        n_pages=len(pages),
        sites=sum(len(site) > 1 for site in by_site(pages)),
        memory_pages=MEMORY_PAGES,
        without=len(gold) - len(pages),
    )


def _parts(pages: Sequence[GoldPage], seed: int) -> list[list[GoldPage]]:
    """Divide the pages into five parts of about the same size, keeping each site in one part."""
    sites = by_site(pages)
    order = np.random.default_rng(seed).permutation(len(sites))
    parts: list[list[GoldPage]] = [[] for _ in range(N_PARTS)]
    for i in order.tolist():
        min(parts, key=len).extend(sites[i])
    return parts


def measure(pages: Sequence[GoldPage], spec: str) -> dict[str, float | None]:
    """Return the figures of the paper's five tables for one method and part of the pages; None if there are none."""
    if not pages:
        return dict.fromkeys(FIGURES)
    found, n_right, n_blocks, seconds = Agreement(), 0, 0, 0.0
    for group in by_site(pages):
        started = time.process_time()
        judged = _judge(group, spec)
        seconds += time.process_time() - started
        for page, extraction in zip(group, judged, strict=True):
            text, gold = "", page.text or ""
            if extraction is not None:
                text = "\n".join(extraction.segmentation.texts(np.flatnonzero(extraction.kept).tolist()))
                right = _blocks_right(extraction, gold)
                n_right, n_blocks = n_right + int(right.sum()), n_blocks + len(right)
            found += overlap(tokens(text), tokens(gold))
    return {
        "recall": 100 * found.recall,
        "precision": 100 * found.precision,
        "accuracy": 100 * n_right / n_blocks if n_blocks else None,
        "time": 1000 * seconds / len(pages),
        "memory": _peak(pages[:MEMORY_PAGES], spec) / 2**20,
    }


def _judge(group: Sequence[GoldPage], spec: str) -> list[Extraction | None]:
    """Judge the pages of one site, after learning from them if there are enough."""
    documents = [unless_rejected(read, as_page(page), UNTIMED) for page in group]
    extractor = fitted(create(spec), [document for document in documents if document is not None])
    return [None if document is None else unless_rejected(judge, document, extractor) for document in documents]


def _blocks_right(extraction: Extraction, gold: str) -> np.ndarray:
    """Return for each visible block whether it is judged correctly: wanted and mostly kept, or neither."""
    blocks = default_blocks(extraction.document)
    n_chars = np.array([len(text) for text in extraction.document.leaves.texts], dtype=np.float64)
    kept = blocks.sums(n_chars * extraction.kept_units) > 0.5 * blocks.sums(n_chars)
    right: np.ndarray = kept == gold_content(blocks.texts(range(len(blocks))), gold)
    return right


def _peak(pages: Sequence[GoldPage], spec: str) -> int:
    tracemalloc.start()
    try:
        for group in by_site(pages):
            _judge(group, spec)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
