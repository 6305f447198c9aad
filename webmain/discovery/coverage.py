"""How many articles of a site a crawl did not find: estimated from those that one channel found, and those that several did.

Feeds, sitemaps and pages (front, sections, links in articles) name articles; one that none of them names is never seen. As
with animals that are caught several times, the overlaps tell how many there are. Channels are not independent: what is new or
prominent is in all of them, which makes every estimate by Lincoln and Petersen (1896, 1930) too low. Two things are done:

* Articles are estimated in groups of like age (Sekar and Deming, 1949, J. Am. Stat. Assoc. 44, stratify by what decides the
  chance of being caught), since age decides most of what feeds and front pages show.
* Within a group the estimator by sample coverage of Chao and Tsay (1998, J. Am. Stat. Assoc. 93) is used where three channels
  found something, with its one-step correction for dependent lists (Chao et al., 2001, Stat. Med. 20), and Chapman's (1951)
  where two did.

Chao's lower bound (1987) was tried and dropped: a complete sitemap beside small feeds leaves nearly all articles found once,
and the bound is more than twice the truth then. Deviation: the variance is that of a seeded bootstrap over all groups.
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
    """Where an article was named; several together."""

    FEED = 1
    SITEMAP = 2
    PAGES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many articles were found, and how many there are, as it seems.

    Attributes
    ----------
    n_found : int
    estimate : float
        Not below `n_found`.
    low, high : float
        The interval that holds the true number with about 95 %.
    """

    n_found: int
    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        interval = f"{self.low:,.0f}\N{EN DASH}{self.high:,.0f}"
        return f"found {self.n_found:,} of an estimated {self.estimate:,.0f} ({interval})"


MIN_ARTICLES: Final = 50
"""With fewer nothing is estimated."""

_GROUP: Final = 25
_MAX_GROUPS: Final = 4
_N_BOOTSTRAP: Final = 200
_NORMAL_95: Final = 1.96
_CHANNELS: Final = tuple(Channel)


def estimate_coverage(found: Iterable[tuple[float, Channel]], *, seed: int = 0) -> Coverage | None:
    """Estimate how many articles there are.

    Parameters
    ----------
    found : iterable of (float, Channel)
        Of each article that was found: when it appeared, in any unit, and which channels named it.
    seed : int
        Of the bootstrap.

    Returns
    -------
    Coverage or None
        None where too few were found, or fewer than two channels found any, or no article twice.
    """
    import numpy as np

    aged = sorted((age, int(channels)) for age, channels in found if channels)
    if len(aged) < MIN_ARTICLES:
        return None
    cells = _groups(np.array([channels for _, channels in aged]))
    sizes = _estimates(cells)
    if not np.isfinite(sizes).all():  # a group that one channel found alone
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
    """Divide articles, sorted by age, into groups of equal size; count those that exactly these channels found.

    Returns
    -------
    (n_groups, 8) float64
        The column is the sum of the channels.
    """
    import numpy as np

    n = max(1, min(_MAX_GROUPS, len(channels) // _GROUP))
    return np.array([np.bincount(part, minlength=8) for part in np.array_split(channels, n)], dtype=float)


def _estimates(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the number of articles of each group, (n_groups, 8), found or not; NaN where it cannot be told."""
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
    """Return what the dependence of the pairs of channels hides, if there are n articles; before division by 3 x coverage."""
    total: Any = 0.0
    for (one, n_one), (other, n_other) in combinations(zip(_CHANNELS, sizes, strict=True), 2):
        without_third = sum(_of(cells, each) - _of(cells, each | (7 & ~(one | other))) for each in (one, other))
        total = total + without_third * (n * _of(cells, one | other) / (n_one * n_other) - 1)
    return total


def _of(cells: NDArray[np.float64], channels: int) -> NDArray[np.float64]:
    """Count what all of these channels found, in each group."""
    counts: NDArray[np.float64] = cells[:, [mask for mask in range(8) if mask & channels == channels]].sum(axis=1)
    return counts


def _redrawn(cells: NDArray[np.float64], n: float, draws: np.random.Generator) -> NDArray[np.float64]:
    """Draw a group anew many times, with the articles that nobody found among it; those are left out."""
    shares = cells / n
    shares[0] = max(0.0, 1 - shares.sum())
    drawn = draws.multinomial(round(n), shares / shares.sum(), _N_BOOTSTRAP).astype(float)
    drawn[:, 0] = 0
    return drawn
