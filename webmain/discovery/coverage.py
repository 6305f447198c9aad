"""Estimate how many articles of a site a crawl has missed, from how much the channels that found the others overlap.

Articles are found through feeds, sitemaps and pages (front page, sections, links in articles); one that none of them lists is
never seen. As in capture-recapture studies of animals, the overlaps between channels show how many there are in all. The
channels are not independent: new or prominent articles are in all of them, so the estimate of Lincoln and Petersen (1896,
1930) is too low. Two corrections are made:

* Articles are estimated in groups of similar age (Sekar and Deming, 1949, J. Am. Stat. Assoc. 44: stratify by what decides
  the chance of capture), since age largely decides what feeds and front pages show.
* Within a group the estimator by sample coverage of Chao and Tsay (1998, J. Am. Stat. Assoc. 93) is used where three channels
  found something, with its one-step correction for dependent lists (Chao et al., 2001, Stat. Med. 20), and Chapman's (1951)
  where two did.

Chao's lower bound (1987) was tried and dropped: with a complete sitemap and small feeds, nearly all articles are found once,
and the bound is then more than twice the true number. Deviation: the variance comes from a seeded bootstrap over all groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag
from itertools import combinations
from math import exp, isfinite, log, sqrt
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Channel(IntFlag):
    """Where an article was listed; values can be combined."""

    FEED = 1
    SITEMAP = 2
    PAGES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many articles were found, and the estimated total.

    Attributes
    ----------
    n_found : int
    estimate : float
        Estimated number of articles; at least `n_found`.
    low, high : float
        Bounds of the approximate 95 % interval.
    """

    n_found: int
    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        interval = f"{self.low:,.0f}\N{EN DASH}{self.high:,.0f}"
        return f"found {self.n_found:,} of an estimated {self.estimate:,.0f} ({interval})"


MIN_ARTICLES: Final = 50
"""With fewer articles no estimate is made."""

_GROUP: Final = 25
_MAX_GROUPS: Final = 4
_N_BOOTSTRAP: Final = 200
_NORMAL_95: Final = 1.96
_CHANNELS: Final = tuple(Channel)


def estimate_coverage(found: Iterable[tuple[float, Channel]], *, seed: int = 0) -> Coverage | None:
    """Return an estimate of how many articles there are.

    Parameters
    ----------
    found : iterable of (float, Channel)
        For each article found: when it appeared, in any unit, and which channels listed it.
    seed : int
        Seed of the bootstrap.

    Returns
    -------
    Coverage or None
        None if too few articles were found, fewer than two channels found any, or no article was found twice.
    """
    import numpy as np

    aged = sorted((age, int(channels)) for age, channels in found if channels)
    if len(aged) < MIN_ARTICLES:
        return None
    cells = _groups(np.array([channels for _, channels in aged]))
    sizes = _estimates(cells)
    if not np.isfinite(sizes).all():  # a group that only one channel found
        cells = cells.sum(axis=0, keepdims=True)
        sizes = _estimates(cells)
    n_found, estimate = len(aged), float(sizes.sum())
    if not isfinite(estimate):
        return None
    draws = np.random.default_rng(seed)
    drawn = sum(_estimates(_redrawn(group, n, draws)) for group, n in zip(cells, sizes, strict=True))
    spread = float(np.nanvar(drawn)) if np.isfinite(drawn).any() else 0.0
    missing = estimate - n_found
    if missing <= 0:
        return Coverage(n_found=n_found, estimate=n_found, low=n_found, high=n_found + _NORMAL_95 * sqrt(spread))
    factor = exp(_NORMAL_95 * sqrt(log(1 + spread / missing**2)))
    return Coverage(n_found=n_found, estimate=estimate, low=n_found + missing / factor, high=n_found + missing * factor)


def _groups(channels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return, for groups of articles of similar age, how many were found by each exact combination of channels.

    Returns
    -------
    (n_groups, 8) float64
        The column index is the sum of the channels' values. Groups are of equal size.
    """
    import numpy as np

    n = max(1, min(_MAX_GROUPS, len(channels) // _GROUP))
    return np.array([np.bincount(part, minlength=8) for part in np.array_split(channels, n)], dtype=float)


def _estimates(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the estimated number of articles in each group, (n_groups, 8), found or not; NaN if it cannot be estimated."""
    import numpy as np

    with np.errstate(divide="ignore", invalid="ignore"):
        n_found = cells.sum(axis=1)
        sizes = [_of(cells, channel) for channel in _CHANNELS]
        used = sum((size > 0).astype(int) for size in sizes)
        alone = [cells[:, channel] for channel in _CHANNELS]
        coverage = 1 - sum(np.where(size > 0, one / size, 0) for one, size in zip(alone, sizes, strict=True)) / 3
        plain = (n_found - sum(alone) / 3) / coverage
        three = plain
        for _ in range(2):
            three = plain + _hidden(cells, sizes, three) / (3 * coverage)
        three = np.where(coverage > 0, three, np.nan)
        both = sum(_of(cells, one | other) for one, other in combinations(_CHANNELS, 2))
        two = np.prod([size + 1 for size in sizes], axis=0) / (both + 1) - 1  # the third factor is 1
        estimates: NDArray[np.float64] = np.where(used == 3, three, np.where(used == 2, two, np.nan))
        known: NDArray[np.float64] = np.maximum(n_found, estimates)
    return known


def _hidden(cells: NDArray[np.float64], sizes: Sequence[NDArray[np.float64]], n: NDArray[np.float64]) -> Any:
    """Return the correction for dependence between pairs of channels, given n articles; before division by 3 x coverage."""
    total: Any = 0.0
    for (one, n_one), (other, n_other) in combinations(zip(_CHANNELS, sizes, strict=True), 2):
        without_third = sum(_of(cells, each) - _of(cells, each | (7 & ~(one | other))) for each in (one, other))
        total = total + without_third * (n * _of(cells, one | other) / (n_one * n_other) - 1)
    return total


def _of(cells: NDArray[np.float64], channels: int) -> NDArray[np.float64]:
    """Return how many articles of each group were found by all of these channels."""
    counts: NDArray[np.float64] = cells[:, [mask for mask in range(8) if mask & channels == channels]].sum(axis=1)
    return counts


def _redrawn(cells: NDArray[np.float64], n: float, draws: np.random.Generator) -> NDArray[np.float64]:
    """Return bootstrap samples of a group; the articles that no channel finds take part in the draw, then are removed."""
    shares = cells / n
    shares[0] = max(0.0, 1 - shares.sum())
    drawn = draws.multinomial(round(n), shares / shares.sum(), _N_BOOTSTRAP).astype(float)
    drawn[:, 0] = 0
    return drawn
