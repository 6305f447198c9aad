"""Blocks of many pages side by side, as the methods that learn from a site see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class SiteBlocks:
    """Blocks of several pages, page after page, within a page in document order.

    Attributes
    ----------
    page : (n_blocks,) int32
        The page of each block, ascending from 0; pages without blocks leave gaps.
    texts : tuple of str
        Text of each block.
    tag_paths : tuple of str
        Element names from the root, joined by "/": "html/body/div/p".
    selectors : tuple of str
        The tag path with class names: "html/body/div.story/p".
    visual : tuple of mapping or None
        CSS properties with a value other than the default, size and position, for pages that were rendered; None otherwise.
    descriptions : tuple of tuple of str
        For each page what it says of itself in its head (`meta name=description`, `og:description`, ...), unique, best first.
    sites : tuple of str
        The site of each page; all the same but where pages of several sites are put together.
    """

    page: NDArray[np.int32]
    texts: tuple[str, ...]
    tag_paths: tuple[str, ...]
    selectors: tuple[str, ...]
    visual: tuple[Mapping[str, str | float], ...] | None = None
    descriptions: tuple[tuple[str, ...], ...]
    sites: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def n_pages(self) -> int:
        """Number of pages, those without blocks among them."""
        return len(self.descriptions)
