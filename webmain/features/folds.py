"""Cross-validation folds: pages split into training and test parts, within a site or between sites."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Split = tuple[NDArray[np.int64], NDArray[np.int64]]


def page_folds(n: int, k: int = 4, *, seed: int) -> list[Split]:
    """Return shuffled folds of equal size; each is the test part once.

    Parameters
    ----------
    n : int
        Number of pages.
    k : int
        Number of folds; with fewer pages than folds, each page is a fold.
    seed : int
        Same seed, same folds.

    Returns
    -------
    list of (train, test)
        Ascending page indices, int64. Test parts are disjoint, cover every page, and differ in size by at most one page.
        Empty for fewer than two pages, where nothing can be held out.

    Raises
    ------
    ValueError
        `k` is below 2, or `n` negative.

    References
    ----------
    The paper's module 4: 4-fold cross-validation over shuffled pages.
    """
    _check(n, k)
    if n < 2:
        return []
    shuffled = np.random.default_rng(seed).permutation(n)
    return [_split(n, shuffled[i :: min(k, n)]) for i in range(min(k, n))]


def site_folds(sites: Sequence[str], k: int = 4, *, seed: int) -> list[Split]:
    """Return folds in which no site has pages in both parts.

    Parameters
    ----------
    sites : sequence of str
        The site of each page.
    k : int
        Number of folds; with fewer sites than folds, each site is a fold.
    seed : int
        Same seed, same folds, whatever the order of the sites' first pages.

    Returns
    -------
    list of (train, test)
        Ascending page indices, int64. Sites are assigned largest first, each to the fold with the fewest pages so far.
        Empty for fewer than two sites.

    Raises
    ------
    ValueError
        `k` is below 2.

    References
    ----------
    The paper's module 4: trained on some sites, tested on the rest.
    """
    _check(len(sites), k)
    names, of_page, n_pages = np.unique(np.asarray(sites, dtype=np.str_), return_inverse=True, return_counts=True)
    if len(names) < 2:
        return []
    shuffled = np.random.default_rng(seed).permutation(len(names))
    largest_first = shuffled[np.argsort(-n_pages[shuffled], kind="stable")]
    fold_of_site = np.zeros(len(names), dtype=np.int64)
    load = np.zeros(min(k, len(names)), dtype=np.int64)
    for site in largest_first.tolist():
        fold = int(np.argmin(load))
        fold_of_site[site] = fold
        load[fold] += n_pages[site]
    fold_of_page = fold_of_site[of_page]
    return [_split(len(sites), np.flatnonzero(fold_of_page == fold)) for fold in range(len(load))]


def _check(n: int, k: int) -> None:
    if k < 2:
        raise ValueError(f"folds: got k={k}, at least 2 are needed")
    if n < 0:
        raise ValueError(f"folds: got n={n}, a number of pages is not negative")


def _split(n: int, test: NDArray[np.int64]) -> Split:
    held_back = np.zeros(n, dtype=np.bool_)
    held_back[test] = True
    return np.flatnonzero(~held_back), np.flatnonzero(held_back)
