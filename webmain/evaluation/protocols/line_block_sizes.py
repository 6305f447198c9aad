"""What Line-Block saves on disk: sizes of the pages against sizes of the texts extracted from them.

Source: Line-Block, section VI, Table 1 (736 pages of CleanEval: 9,231 KB of HTML, 2,288 KB of extracted text). The text
beside the table says 70 %; the table's own figures give 75.2 %.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from webmain.evaluation.records import Findings, GoldPage, Table
from webmain.evaluation.texts import n_bytes, texts_of

KB = 1024
PAPER = ("paper: CleanEval", 736, 9231.0, 2288.0, 100 * (1 - 2288 / 9231))


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Add up the sizes over each data set.

    Parameters
    ----------
    gold : sequence of GoldPage
        Gold texts are not needed.
    seed : int
        Not used: nothing is drawn.
    """
    del seed
    sizes: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    empty = 0
    for page, text in zip(gold, texts_of(gold, "line_block"), strict=True):
        total = sizes[page.dataset]
        total[0] += 1
        total[1] += n_bytes(page.html)
        total[2] += n_bytes(text)
        empty += not text
    rows = [(name, n, html / KB, text / KB, saving(html, text)) for name, (n, html, text) in sorted(sizes.items())]
    table = Table(
        name="line_block_sizes",
        title="Sizes of pages and of the texts that Line-Block extracts (KB of 1,024 bytes), and the saving (%)",
        columns=("data set", "pages", "HTML (KB)", "text (KB)", "saving (%)"),
        rows=(*rows, PAPER),
    )
    notes = (
        "Pages and texts are measured as UTF-8; pages without a text count as saved whole.",
        f"{empty} of {len(gold)} pages gave no text.",
        "The paper's text says 70 %, its table gives 75.2 %. Pages of today carry more scripts and styles than those of 2007 "
        "and so save more.",
    )
    return Findings(protocol="line_block_sizes", tables=(table,), notes=notes, n_pages=len(gold))


def saving(before: int, after: int) -> float | None:
    """Return the saving in per cent; None of nothing."""
    return 100 * (1 - after / before) if before else None
