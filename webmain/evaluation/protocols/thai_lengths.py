"""Precision and recall of Thai pages by the lengths of what was extracted and what was expected.

Source: Thai XPath, section III.D, Equations (1) to (3), and Table I (three pages of three Thai sites). From the printed
precision and recall, F is 96.46 and 97.46 where the table prints 96.43 and 97.44.
"""

from __future__ import annotations

from collections.abc import Sequence

from webmain.evaluation.metrics import length_agreement
from webmain.evaluation.records import Findings, GoldPage, Table
from webmain.evaluation.statistics import summarise
from webmain.evaluation.texts import texts_of
from webmain.text.agreement import Agreement
from webmain.text.words import base_language

EXTRACTOR = "thai_xpath"
MAX_ROWS = 50
"""Pages that have a row of their own."""

PAPER = (
    ("paper: news, www.matichon.co.th", None, 100.0, 100.0, 100.0),
    ("paper: wiki, th.wikipedia.org", None, 93.16, 100.0, 96.43),
    ("paper: information, www.dmc.tv", None, 95.04, 100.0, 97.44),
)


def run(gold: Sequence[GoldPage], *, seed: int = 0) -> Findings:
    """Measure Thai XPath on the Thai pages.

    Parameters
    ----------
    gold : sequence of GoldPage
        Those that have a gold text and are in Thai; where none is, all that have a gold text.
    seed : int
        Not used: nothing is drawn.
    """
    del seed
    known = [page for page in gold if page.text is not None]
    thai = [page for page in known if base_language(page.language) == "th"]
    pages = thai or known
    texts = texts_of(pages, EXTRACTOR)
    found = [length_agreement(text, page.text or "") for page, text in zip(pages, texts, strict=True)]
    rows = [_row(f"{p.site or 'unknown'}: {p.id}", 1, a) for p, a in zip(pages[:MAX_ROWS], found, strict=False)]
    if found:
        mean = summarise(found)
        ratios = (100 * mean.mean_precision, 100 * mean.mean_recall, 100 * mean.mean_f1)
        rows += [("mean of pages", len(found), *ratios), _row("pooled", len(found), mean.pooled)]
    table = Table(
        name="thai_lengths",
        title="Thai XPath: agreement by length without spaces (%)",
        columns=("page", "pages", "precision", "recall", "F"),
        rows=(*rows, *PAPER),
    )
    of = "Thai pages with" if thai else "pages with (none is in Thai)"
    notes = (
        f"{len(pages)} {of} a gold text of {len(gold)} given; the paper's three pages are not published.",
        "The paper's expected text is what a person copied from the browser, headline and date among it; gold texts of today "
        "leave the headline out, which costs precision.",
        "From the printed precision and recall F is 96.46 and 97.46 where the paper prints 96.43 and 97.44.",
    )
    return Findings(protocol="thai_lengths", tables=(table,), notes=notes, n_pages=len(pages))


def _row(name: str, n_pages: int, agreement: Agreement) -> tuple[str, int, float, float, float]:
    return name, n_pages, 100 * agreement.precision, 100 * agreement.recall, 100 * agreement.f1
