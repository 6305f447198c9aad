"""Tables between kept paragraphs are kept whole."""

import numpy as np
import pytest

from webmain.article.inserts import adjusted
from webmain.html.document import Document
from webmain.items import Page

PROSE = "The harbour master counted the boats twice each morning, and wrote both numbers into the book."
ROWS = [("Year", "Boats", "Nets"), ("2024", "312", "1,480"), ("2025", "298", "1,377")]
TABLE = "<table>" + "".join(f"<tr>{''.join(f'<td>{cell}' for cell in row)}" for row in ROWS) + "</table>"


def n_cells_kept(inside: str, before: str = f"<p>{PROSE}</p>", after: str = f"<p>{PROSE} Again.</p>") -> int:
    """Return how many texts in a table between paragraphs are kept, if only the paragraphs were."""
    html = f"<main>{before}{inside}{after}</main>"
    document = Document(Page(url="https://a.example/news/boats", html=html), html=html)
    kept = np.array([text.startswith(PROSE) for text in document.leaves.texts])
    return int(adjusted(document, kept).sum() - kept.sum())


@pytest.mark.parametrize(
    "inside",
    [
        TABLE,
        f"<div><div>{TABLE}</div></div>",
        f"<figure>{TABLE}<figcaption>The boats of the harbour</figcaption></figure>",
    ],
)
def test_a_table_between_kept_paragraphs_is_kept(inside):
    assert n_cells_kept(inside) == 9


@pytest.mark.parametrize(
    ("inside", "around"),
    [
        (TABLE.replace("<td>312", "").replace("<td>298", "").replace("<td>Boats", "") * 2, {}),  # labels and values
        (TABLE.replace("<td>", "<td><a href=/x>"), {}),
        (TABLE, {"after": f"<p>{PROSE}</p>", "before": "<p>Home</p>"}),
        (TABLE, {"before": f"<p>{PROSE}</p>", "after": "<p>Home</p>"}),
        (f"<div><p>Sponsors</p>{TABLE}</div>", {}),
    ],
)
def test_a_table_elsewhere_is_not(inside, around):
    assert n_cells_kept(inside, **around) == 0
