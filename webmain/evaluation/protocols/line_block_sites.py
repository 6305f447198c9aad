"""Pages that Line-Block extracts right, site by site.

Source: Line-Block, section VI.E, Table 2 (five sites, 136 to 150 pages each). The paper does not say when a page is right;
here it is right from an F1 of .9 on, over the longest common subsequence of words, the paper's own measure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from webmain.evaluation.protocols.papers import findings, table
from webmain.evaluation.records import Findings, GoldPage
from webmain.evaluation.texts import texts_of
from webmain.text.agreement import subsequence
from webmain.text.words import tokens

RIGHT = 0.9  # F1 from which a page counts as correct
MIN_PAGES = 5  # sites with fewer pages are combined in one row


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Count the correct pages of those with a gold text; draws nothing."""
    pages = [page for page in gold if page.text is not None]
    found: defaultdict[str, list[float]] = defaultdict(list)
    for page, text in zip(pages, texts_of(pages, "line_block"), strict=True):
        found[page.site or "unknown"].append(subsequence(tokens(text), tokens(page.text or "")).f1)
    small = [site for site, scores in found.items() if len(scores) < MIN_PAGES]
    rest = [score for site in small for score in found.pop(site)]
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    if rest:
        ordered.append((f"{len(small)} sites of fewer than {MIN_PAGES} pages", rest))
    rows = []
    for site, scores in ordered:
        n, right = len(scores), sum(score >= RIGHT for score in scores)
        rows.append((site, n, right, n - right, 100 * right / n, sum(scores) / n))
    shown = table("line_block_sites", "line_block_sites", rows, right=RIGHT)
    return findings("line_block_sites", [shown], n_pages=len(pages), without=len(gold) - len(pages))
