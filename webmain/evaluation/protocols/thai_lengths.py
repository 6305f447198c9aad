"""Precision and recall of Thai pages by the lengths of what was extracted and what was expected.

Source: Thai XPath, section III.D, Equations (1) to (3), and Table I (three pages of three Thai sites). From the printed
precision and recall, F is 96.46 and 97.46 where the table prints 96.43 and 97.44.
"""

from __future__ import annotations

from collections.abc import Sequence

from webmain.evaluation.metrics import length_agreement
from webmain.evaluation.protocols.papers import findings, table
from webmain.evaluation.records import Findings, GoldPage
from webmain.evaluation.statistics import summarise
from webmain.evaluation.texts import texts_of
from webmain.text.words import base_language

MAX_ROWS = 50  # most pages that get a row of their own


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Measure Thai XPath on the Thai pages with a gold text, or on all with a gold text if none is Thai; draws nothing."""
    known = [page for page in gold if page.text is not None]
    thai = [page for page in known if base_language(page.language) == "th"]
    pages = thai or known
    texts = texts_of(pages, "thai_xpath")
    found = [length_agreement(text, page.text or "") for page, text in zip(pages, texts, strict=True)]
    names = [f"{page.site or 'unknown'}: {page.id}" for page in pages[:MAX_ROWS]]
    ratios = [(name, 1, a.precision, a.recall, a.f1) for name, a in zip(names, found, strict=False)]
    if found:
        mean = summarise(found)
        pooled, n = mean.pooled, len(found)
        ratios.append(("mean of pages", n, mean.mean_precision, mean.mean_recall, mean.mean_f1))
        ratios.append(("pooled", n, pooled.precision, pooled.recall, pooled.f1))
    rows = [(name, n, *(100 * value for value in values)) for name, n, *values in ratios]
    what = "Thai pages with" if thai else "pages with (none is in Thai)"
    shown = table("thai_lengths", "thai_lengths", rows)
    return findings("thai_lengths", [shown], n_pages=len(pages), n=len(pages), what=what, given=len(gold))
