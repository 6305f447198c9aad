"""Pages that Line-Block extracts right, site by site.

Source: Line-Block, section VI.E, Table 2 (five sites, 136 to 150 pages each). The paper does not say when a page is right;
here it is right from an F1 of .9 on, over the longest common subsequence of words, the paper's own measure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from webmain.evaluation.records import Findings, GoldPage, Table
from webmain.evaluation.texts import texts_of
from webmain.text.agreement import subsequence
from webmain.text.words import tokens

RIGHT = 0.9
"""F1 from which a page counts as right."""

MIN_PAGES = 5
"""Sites with fewer pages are put together in one row."""

PAPER = (
    ("paper: BBC", 150, 145, 5, 96.7, None),
    ("paper: nytime", 150, 143, 7, 95.3, None),
    ("paper: nypost", 150, 142, 8, 94.6, None),
    ("paper: suntimes", 150, 140, 10, 93.3, None),
    ("paper: techweb", 136, 127, 9, 93.3, None),
)


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Count the pages that are right.

    Parameters
    ----------
    gold : sequence of GoldPage
        Those without a gold text are left out.
    seed : int
        Not used: nothing is drawn.
    """
    del seed
    pages = [page for page in gold if page.text is not None]
    found: defaultdict[str, list[float]] = defaultdict(list)
    for page, text in zip(pages, texts_of(pages, "line_block"), strict=True):
        found[page.site or "unknown"].append(subsequence(tokens(text), tokens(page.text or "")).f1)
    small = [site for site, scores in found.items() if len(scores) < MIN_PAGES]
    rest = [score for site in small for score in found.pop(site)]
    rows = [_row(site, scores) for site, scores in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))]
    if rest:
        rows.append(_row(f"{len(small)} sites of fewer than {MIN_PAGES} pages", rest))
    table = Table(
        name="line_block_sites",
        title=f"Pages that Line-Block extracts right (F1 over the longest common subsequence of words >= {RIGHT:g})",
        columns=("site", "pages", "right", "wrong", "accuracy (%)", "mean F1"),
        rows=(*rows, *PAPER),
    )
    notes = (
        "The paper does not define a right page and does not publish its pages; ours are the gold given.",
        f"{len(gold) - len(pages)} pages without a gold text are left out.",
        "The paper prints nypost as 94.6 where 142 of 150 is 94.7.",
    )
    return Findings(protocol="line_block_sites", tables=(table,), notes=notes, n_pages=len(pages))


def _row(site: str, scores: Sequence[float]) -> tuple[str, int, int, int, float, float]:
    n, right = len(scores), sum(score >= RIGHT for score in scores)
    return site, n, right, n - right, 100 * right / n, sum(scores) / n
