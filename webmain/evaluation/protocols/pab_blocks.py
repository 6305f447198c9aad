"""Blocks found, noisy and kept by Priority Assignment and by ENIW, and the sizes of their block databases.

Source: Priority Assignment, sections 4.1 and 4.2, Table 4.1.1 and Figure 4.2.1 (500 pages of one article portal).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webmain.evaluation.block_pages import Approach, Pages, block_database, block_pages
from webmain.evaluation.protocols.papers import findings, table
from webmain.evaluation.records import Cell, Findings, GoldPage
from webmain.evaluation.texts import n_bytes

MB = 1_000_000


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Count blocks and measure databases; needs no gold texts, draws nothing."""
    pages = block_pages(gold)
    n = len(pages.gold)
    tables = (table("pab_blocks", "pab_blocks", _blocks(pages)), table("pab_blocks", "pab_sizes", _sizes(pages)))
    return findings("pab_blocks", tables, n_pages=n, n=n, n_unread=pages.n_unread)


def _blocks(pages: Pages) -> list[tuple[Cell, ...]]:
    own: list[tuple[Cell, ...]] = []
    common: list[tuple[Cell, ...]] = []
    for approach in (Approach.PAB, Approach.ENIW):
        n = pages.counts(approach)
        own.append((f"{approach.value}, its own blocks", n.found, n.noisy, n.merged, n.kept, n.seconds))
        dropped = n.all_texts - n.informative
        common.append((f"{approach.value}, of all text blocks", n.all_texts, dropped, None, n.informative, None))
    return own + common


def _sizes(pages: Pages) -> Iterator[tuple[Cell, ...]]:
    for approach in Approach:
        with block_database(pages.of[approach], approach) as database:
            sizes = (database.text_bytes, database.file_bytes, database.indexed_bytes)
            yield approach.value, pages.counts(approach).kept, *(size / MB for size in sizes)
    yield "pages as HTML", None, sum(n_bytes(page.html) for page in pages.gold) / MB, None, None
