"""Manual corrections of a page: which leaves are content, and for which leaves a method had been wrong.

Corrections are attached to documents with `attach_corrections`; methods that learn sites read them with `block_corrections`.
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
"""Log-odds given to a manual correction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedPage:
    """A corrected page: which leaves are content, and for which ones the correction changed a method's verdict."""

    page: Page
    content: tuple[int, ...]
    changed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LeafCorrections:
    """Manual corrections, for each leaf of a page or each block of a method.

    Attributes
    ----------
    content : (n,) bool
        Whether it is content.
    changed : (n,) bool
        Whether the correction changed a method's verdict.
    """

    content: NDArray[np.bool_]
    changed: NDArray[np.bool_]


def attach_corrections(document: Document, corrected: CorrectedPage) -> None:
    """Attach corrections to a document; do nothing if the document has too few leaves for them, so was parsed differently."""
    n = len(document.leaves)
    if max((*corrected.content, *corrected.changed), default=-1) >= n:
        return
    corrections = LeafCorrections(np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_))
    corrections.content[list(corrected.content)] = True
    corrections.changed[list(corrected.changed)] = True
    document.views[CORRECTED] = corrections


def block_corrections(segmentation: Segmentation) -> LeafCorrections | None:
    """Return the corrections of a page's blocks, by the majority of their leaves; None if the page was not corrected."""
    corrections: LeafCorrections | None = segmentation.document.views.get(CORRECTED)
    if corrections is None:
        return None
    of_unit = segmentation.of_unit
    inside = of_unit >= 0
    n = len(segmentation)
    size = np.bincount(of_unit[inside], minlength=n)
    content = np.bincount(of_unit[inside], corrections.content[inside], minlength=n)
    changed = np.bincount(of_unit[inside], corrections.changed[inside], minlength=n)
    return LeafCorrections(content > size / 2, changed > size / 2)


def correction_signs(segmentations: Sequence[Segmentation]) -> NDArray[np.int8] | None:
    """Return the corrections of the blocks of several pages as signs; None if no page was corrected.

    1 for content, -1 for not content, 2 and -2 where that changed a method's verdict, 0 for blocks of uncorrected pages.
    """
    of_pages = [block_corrections(segmentation) for segmentation in segmentations]
    if all(corrections is None for corrections in of_pages):
        return None
    signs = [
        np.zeros(len(segmentation), dtype=np.int8)
        if corrections is None
        else np.where(corrections.content, 1, -1).astype(np.int8) * np.where(corrections.changed, 2, 1).astype(np.int8)
        for segmentation, corrections in zip(segmentations, of_pages, strict=True)
    ]
    return np.concatenate(signs)


def apply_corrections(
    positive: NDArray[np.bool_], signs: NDArray[np.int8] | None, places: Sequence[str]
) -> NDArray[np.bool_]:
    """Return labels of a site's blocks with corrections applied: `(n_blocks,)`.

    A changed verdict applies to all blocks with the same selector, if all corrected blocks with it have the same label.

    Parameters
    ----------
    positive : (n_blocks,) bool
        The labels without corrections.
    signs : (n_blocks,) int8 or None
        As `correction_signs` returns them.
    places : sequence of str
        The selector of each block.
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
