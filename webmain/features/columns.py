"""A page's blocks as a float matrix with named columns: what the page model looks at.

A group of columns is a function that takes `PageBlocks` and returns its columns by name. To add one, write such a function
(`block_columns`, or a file of its own) and list it in `GROUPS`: models find their columns by name, so that those that were
trained without it keep working.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from webmain.clock import once
from webmain.features import block_columns
from webmain.features.page_blocks import PageBlocks
from webmain.html.blocks import default_blocks
from webmain.html.document import Document
from webmain.items import Page

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation

VERSION: Final = 1
"""Version of the columns; a model of another version is not used."""

GROUPS: Final = (
    block_columns.own,
    block_columns.whole_page,
    block_columns.head_and_data,
    block_columns.cues,
    block_columns.names_around,
    block_columns.ancestors,
    block_columns.repeated_siblings,
    block_columns.best_container,
    block_columns.neighbours,
    block_columns.position,
    block_columns.signatures,
)
"""The groups, in the order of their columns in the matrix; columns of the whole page ("page_...") come last."""


@dataclass(frozen=True)
class Columns:
    """The features of a page's blocks.

    Attributes
    ----------
    values : (n_blocks, n_columns) float32
    names : tuple of str
    n_chars : (n_blocks,) float64
        Characters that are shown, white space not counted.
    texts : list of str
        Each block's text.
    """

    values: NDArray[np.float32]
    names: tuple[str, ...]
    n_chars: NDArray[np.float64]
    texts: list[str]


def columns(segmentation: Segmentation) -> Columns:
    """Compute the features of a page's blocks; the page has at least one block."""
    page = PageBlocks(segmentation)
    row_of = _rows()
    values = np.empty((len(row_of), page.n), dtype=np.float32)
    for group in GROUPS:  # one group's columns at a time: a page may have tens of thousands of blocks
        for name, column in group(page).items():
            values[row_of[name]] = column
    return Columns(values.T, names(), page.counts.shown, page.texts)


@once
def names() -> tuple[str, ...]:
    """Return the names of the columns: those of a page with one block."""
    page = PageBlocks(default_blocks(Document(Page(html="<p>.</p>"), html="<p>.</p>")))
    found = [name for group in GROUPS for name in group(page)]
    return tuple(sorted(found, key=lambda name: name.startswith("page_")))


@once
def _rows() -> dict[str, int]:
    """Return the row of each column, by its name."""
    return {name: row for row, name in enumerate(names())}
