"""Blocks found, noisy and kept by Priority Assignment and by ENIW, and the sizes of their block databases.

Source: Priority Assignment, sections 4.1 and 4.2, Table 4.1.1 and Figure 4.2.1 (500 pages of one article portal).
"""

from __future__ import annotations

from collections.abc import Sequence

from webmain.evaluation.block_pages import Approach, Pages, block_database, block_pages
from webmain.evaluation.records import Findings, GoldPage, Table
from webmain.evaluation.texts import n_bytes

MB = 1_000_000
PAPER_BLOCKS = (
    ("paper: PAB", 120_237, 8_319, None, 111_918, 89.56),
    ("paper: ENIW", 120_237, 6_613, None, 113_624, 95.58),
)
PAPER_SIZES = (("paper: PAB", 111_918, None, 19.4, None), ("paper: ENIW", 113_624, None, 22.6, None))


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Count blocks and measure databases.

    Parameters
    ----------
    gold : sequence of GoldPage
        Gold texts are not needed.
    seed : int
        Not used: nothing is drawn.
    """
    del seed
    pages = block_pages(gold)
    html_bytes = sum(n_bytes(page.html) for page in pages.gold)
    notes = (
        f"{len(pages.gold)} pages; {pages.n_unread} could not be read and are left out. The paper's pages cannot be had.",
        "The paper gives both methods the same total of blocks; a method's own blocks differ (none of ENIW's is noisy: what "
        "it drops makes no block). The rows 'of all text blocks' therefore count the blocks that a reader "
        "sees, the same for both, by whether the method keeps any text of them.",
        "Time is CPU time from the markup to the blocks kept, on this machine; the paper's programs were written in PHP.",
        "A database holds titles and blocks as a crawl stores them (MB of 1,000,000 bytes); its text alone stands "
        "beside it. The row 'pages as HTML' is the markup, as files.",
    )
    tables = (_blocks(pages), _sizes(pages, html_bytes))
    return Findings(protocol="pab_blocks", tables=tables, notes=notes, n_pages=len(pages.gold))


def _blocks(pages: Pages) -> Table:
    own, common = [], []
    for approach in (Approach.PAB, Approach.ENIW):
        n = pages.counts(approach)
        own.append((f"{approach.label}, its own blocks", n.found, n.noisy, n.merged, n.kept, n.seconds))
        dropped = n.all_texts - n.informative
        common.append((f"{approach.label}, of all text blocks", n.all_texts, dropped, None, n.informative, None))
    return Table(
        name="pab_blocks",
        title="Blocks found, noisy and kept",
        columns=("approach", "blocks", "noisy", "repeated (merged)", "informative", "time for extraction (s)"),
        rows=(*own, *common, *PAPER_BLOCKS),
    )


def _sizes(pages: Pages, html_bytes: int) -> Table:
    rows: list[tuple[str | int | float | None, ...]] = []
    for approach in Approach:
        with block_database(pages.of[approach], approach) as database:
            sizes = (database.text_bytes, database.file_bytes, database.indexed_bytes)
            rows.append((approach.label, pages.counts(approach).kept, *(size / MB for size in sizes)))
    rows.append(("pages as HTML", None, html_bytes / MB, None, None))
    return Table(
        name="pab_sizes",
        title="Sizes of the block databases (MB)",
        columns=("approach", "blocks", "text (MB)", "database (MB)", "with search index (MB)"),
        rows=(*rows, *PAPER_SIZES),
    )
