"""Relevance of each block to the page's description: longest common subsequence of words.

References
----------
The per-site SVM's paper, module 3.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from webmain.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webmain.features.site_blocks import SiteBlocks

MIN_DESCRIPTION_WORDS = 5
"""Shorter descriptions ("News", the site's name) do not describe an article."""

MAX_LINKED = 0.5
"""A block with a larger share of its characters in anchors is a teaser, not part of the article."""

MAX_DESCRIPTION_WORDS = 400
"""Words of a description that are compared; some sites use the whole article as description."""


def usable_descriptions(blocks: SiteBlocks) -> list[list[tuple[str, ...]]]:
    """Return for each page the words of its descriptions, without those that other pages of the site share.

    Parameters
    ----------
    blocks : SiteBlocks

    Returns
    -------
    list of list of tuple of str
        Empty for pages without a usable description. A page given twice does not count as repetition: only pages with
        different texts do.
    """
    words = [
        list(dict.fromkeys(tuple(tokens(text)[:MAX_DESCRIPTION_WORDS]) for text in texts))
        for texts in blocks.descriptions
    ]
    content = page_contents(blocks)
    holders: defaultdict[tuple[str, tuple[str, ...]], set[int]] = defaultdict(set)
    for site, page_content, descriptions in zip(blocks.sites, content, words, strict=True):
        for description in descriptions:
            holders[site, description].add(page_content)
    return [
        [d for d in descriptions if len(d) >= MIN_DESCRIPTION_WORDS and len(holders[site, d]) == 1]
        for site, descriptions in zip(blocks.sites, words, strict=True)
    ]


def page_contents(blocks: SiteBlocks) -> list[int]:
    """Return a number for each page, equal for pages with the same texts."""
    if blocks.n_pages == 1:
        return [0]
    bounds = page_bounds(blocks)
    number: dict[tuple[str, ...], int] = {}
    return [number.setdefault(blocks.texts[a:b], len(number)) for a, b in bounds]


def repeated(blocks: SiteBlocks) -> NDArray[np.bool_]:
    """Return which blocks' texts are on other pages too: `(n_blocks,) bool`; a page given twice counts once."""
    if blocks.n_pages == 1:
        return np.zeros(len(blocks), dtype=np.bool_)
    contents = page_contents(blocks)
    holders: defaultdict[str, set[int]] = defaultdict(set)
    for page, text in zip(blocks.page.tolist(), blocks.texts, strict=True):
        holders[text].add(contents[page])
    return np.array([len(holders[text]) > 1 for text in blocks.texts], dtype=np.bool_)


def is_own_text(blocks: SiteBlocks) -> NDArray[np.bool_]:
    """Return which blocks have text that is on no other page and mostly outside anchors.

    Advertisements, headings of teasers and menus are on other pages too; teasers are anchors. A page given twice counts once.
    """
    own = ~repeated(blocks)
    if blocks.anchor_share is not None:
        own &= blocks.anchor_share <= MAX_LINKED
    return own


def page_bounds(blocks: SiteBlocks) -> list[tuple[int, int]]:
    """Return the half-open range of each page's blocks."""
    edges = np.searchsorted(blocks.page, np.arange(blocks.n_pages + 1)).tolist()
    return list(pairwise(edges))


def block_words(blocks: SiteBlocks) -> list[list[str]]:
    """Return the words of every block; equal texts are segmented once."""
    known = {text: tokens(text) for text in dict.fromkeys(blocks.texts)}
    return [known[text] for text in blocks.texts]


def relevances(
    blocks: SiteBlocks, words: Sequence[Sequence[str]], descriptions: Sequence[Sequence[Sequence[str]]]
) -> NDArray[np.float64]:
    """Return the relevance of every block to the descriptions of its page.

    Parameters
    ----------
    blocks : SiteBlocks
    words : sequence of sequence of str
        Words of every block (`block_words`).
    descriptions : sequence of sequence of sequence of str
        For each page its descriptions as words.

    Returns
    -------
    (n_blocks,) float64
        Length of the longest common subsequence of words divided by the description's length, in [0, 1]. The maximum over
        several descriptions; 0 if the page has none.
    """
    relevance = np.zeros(len(blocks))
    for (first, end), own in zip(page_bounds(blocks), descriptions, strict=True):
        for description in own:
            shares = np.array(common_lengths(description, words[first:end])) / len(description)
            relevance[first:end] = np.maximum(relevance[first:end], shares)
    return relevance


def common_lengths(pattern: Sequence[str], others: Sequence[Sequence[str]]) -> list[int]:
    """Return the length of the longest common subsequence of one sequence with each of several others.

    Bit-parallel (H. Hyyrö, "Bit-parallel LCS-length computation revisited", 2004); the pattern is indexed once. One step for
    each word of the others that is in the pattern.
    """
    places: defaultdict[str, int] = defaultdict(int)
    for place, word in enumerate(pattern):
        places[word] |= 1 << place
    everywhere = (1 << len(pattern)) - 1
    get = places.get
    found = []
    for other in others:
        row = everywhere
        for at in map(get, other):
            if at is not None:
                matches = row & at
                row = ((row + matches) | (row - matches)) & everywhere
        found.append(len(pattern) - row.bit_count())
    return found
