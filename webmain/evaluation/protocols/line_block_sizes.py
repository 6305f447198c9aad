"""What Line-Block saves on disk: sizes of the pages against sizes of the texts extracted from them.

Source: Line-Block, section VI, Table 1 (736 pages of CleanEval: 9,231 KB of HTML, 2,288 KB of extracted text). The text
beside the table says 70 %; the table's own figures give 75.2 %.
"""

from __future__ import annotations

from collections.abc import Sequence

from webmain.evaluation.protocols.papers import findings, table
from webmain.evaluation.records import Findings, GoldPage
from webmain.evaluation.texts import grouped, n_bytes, texts_of

KB = 1024


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Add up the sizes over each data set; needs no gold texts, draws nothing."""
    texts = texts_of(gold, "line_block")
    rows = []
    for name, found in sorted(grouped(zip(gold, texts, strict=True), lambda pair: pair[0].dataset).items()):
        html, text_bytes = sum(n_bytes(page.html) for page, _ in found), sum(n_bytes(text) for _, text in found)
        rows.append((name, len(found), html / KB, text_bytes / KB, saving(html, text_bytes)))
    shown = table("line_block_sizes", "line_block_sizes", rows)
    return findings("line_block_sizes", [shown], n_pages=len(gold), n=len(gold), empty=texts.count(""))


def saving(before: int, after: int) -> float | None:
    """Return the saving in per cent, or None if there are no pages."""
    return 100 * (1 - after / before) if before else None
