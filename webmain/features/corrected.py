"""What people said of a page: which of its leaves are content, and of which of them they had to say so.

Whoever corrects pages puts this on their documents (`put`); methods that learn sites ask for it (`blocks_said`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.html.blocks import Segmentation
    from webmain.html.document import Document
    from webmain.items import Page

CORRECTED: Final = "corrected"
"""Key of `Document.views`."""

CERTAIN: Final = 6.0
"""Log-odds of what people said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedPage:
    """A page that somebody corrected: the leaves that are content, and those of which a method had said otherwise."""

    page: Page
    content: tuple[int, ...]
    changed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What people said, for each leaf of a page or each block of a method.

    Attributes
    ----------
    content : (n,) bool
        It is content.
    changed : (n,) bool
        A method had said otherwise.
    """

    content: NDArray[np.bool_]
    changed: NDArray[np.bool_]


def put(document: Document, corrected: CorrectedPage) -> None:
    """Note on a document what people said of its leaves; a page that is no longer read as it was then is left as it is."""
    n = len(document.leaves)
    if max((*corrected.content, *corrected.changed), default=-1) >= n:
        return
    said = Said(np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_))
    said.content[list(corrected.content)] = True
    said.changed[list(corrected.changed)] = True
    document.views[CORRECTED] = said


def blocks_said(segmentation: Segmentation) -> Said | None:
    """Return what people said of the blocks of a page, by most of their leaves; None where nobody corrected the page."""
    said: Said | None = segmentation.document.views.get(CORRECTED)
    if said is None:
        return None
    of_unit = segmentation.of_unit
    inside = of_unit >= 0
    n = len(segmentation)
    size = np.bincount(of_unit[inside], minlength=n)
    content = np.bincount(of_unit[inside], said.content[inside], minlength=n)
    changed = np.bincount(of_unit[inside], said.changed[inside], minlength=n)
    return Said(content > size / 2, changed > size / 2)


def signs_said(segmentations: Sequence[Segmentation]) -> NDArray[np.int8] | None:
    """Return what people said of the blocks of several pages; None where no page was corrected.

    1 or -1 where they said that a block is content, or is not, twice that where a method had said otherwise; else 0.
    """
    of_pages = [blocks_said(segmentation) for segmentation in segmentations]
    if all(said is None for said in of_pages):
        return None
    signs = [
        np.zeros(len(segmentation), dtype=np.int8)
        if said is None
        else np.where(said.content, 1, -1).astype(np.int8) * np.where(said.changed, 2, 1).astype(np.int8)
        for segmentation, said in zip(segmentations, of_pages, strict=True)
    ]
    return np.concatenate(signs)


def with_said(positive: NDArray[np.bool_], signs: NDArray[np.int8] | None, places: Sequence[str]) -> NDArray[np.bool_]:
    """Return labels of a site's blocks with what people said in place of them: `(n_blocks,)`.

    What they changed holds for all blocks at the same place, where everything there is of one kind on the corrected pages.

    Parameters
    ----------
    positive : (n_blocks,) bool
        The labels without it.
    signs : (n_blocks,) int8 or None
        As `signs_said` returns them.
    places : sequence of str
        Where each block is: its selector.
    """
    if signs is None:
        return positive
    found = np.where(signs != 0, signs > 0, positive)
    kinds: dict[str, set[bool]] = {}
    for block in np.flatnonzero(signs).tolist():
        kinds.setdefault(places[block], set()).add(bool(signs[block] > 0))
    settled = {
        places[block]: bool(signs[block] > 0)
        for block in np.flatnonzero(np.abs(signs) == 2).tolist()
        if len(kinds[places[block]]) == 1
    }
    if settled:
        found = np.array([settled.get(place, label) for place, label in zip(places, found.tolist(), strict=True)])
    return found
