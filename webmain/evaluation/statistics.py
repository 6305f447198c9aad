"""Figures over pages: means, pooled ratios, how sure they are, and whether two systems differ.

The mean of pages gives every page the same weight; the pooled figure gives it to every token, so that long pages decide.
They are never mixed: names say which is meant. Every random draw takes a seed.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from webmain.text.agreement import Agreement

N_RESAMPLES = 2_000
N_PERMUTATIONS = 10_000
LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Its ends; nan where there are no pages.
    level : float
        Share of such intervals that hold the true value.
    """

    low: float
    high: float
    level: float = LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One metric of one system over pages.

    Attributes
    ----------
    n_pages : int
        Pages.
    mean_precision, mean_recall, mean_f1 : float
        Means over pages; nan without pages.
    f1_of_means : float
        Harmonic mean of the means of precision (over pages with a prediction) and recall (over pages with gold), the F1
        of the ScrapingHub (Zyte) benchmark.
    median_f1 : float
        Median of the pages' F1.
    share_below_half : float
        Share of pages with F1 below .5.
    pooled : Agreement
        The sum of all counts: its precision, recall and F1 are the pooled ones.
    """

    n_pages: int
    mean_precision: float
    mean_recall: float
    mean_f1: float
    f1_of_means: float
    median_f1: float
    share_below_half: float
    pooled: Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two systems on the same pages.

    Attributes
    ----------
    n_pages : int
        Pages.
    difference : float
        Mean of the first system's scores minus that of the second's.
    interval : Interval
        Bootstrap interval of the difference.
    p_permutation : float
        Two-sided p-value of the paired permutation test: how often a difference as large comes up when the two systems'
        scores are exchanged at random, page by page (site by site with clusters).
    p_sign : float
        Two-sided p-value of the sign test over pages, ties left out.
    n_wins, n_losses, n_ties : int
        Pages on which the first system is better, worse, the same (within `tolerance`).
    """

    n_pages: int
    difference: float
    interval: Interval
    p_permutation: float
    p_sign: float
    n_wins: int
    n_losses: int
    n_ties: int


def summarise(agreements: Sequence[Agreement]) -> Summary:
    """Summarise one metric over pages."""
    raise NotImplementedError


def bootstrap_mean(
    values: ArrayLike,
    *,
    seed: int,
    clusters: Sequence[Hashable] | None = None,
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
) -> Interval:
    """Return the percentile bootstrap interval of the mean over pages."""
    raise NotImplementedError


def bootstrap_pooled(
    agreements: Sequence[Agreement],
    *,
    seed: int,
    ratio: str = "f1",
    clusters: Sequence[Hashable] | None = None,
    n_resamples: int = N_RESAMPLES,
    level: float = LEVEL,
) -> Interval:
    """Return the percentile bootstrap interval of a pooled precision, recall or F1."""
    raise NotImplementedError


def compare(
    first: ArrayLike,
    second: ArrayLike,
    *,
    seed: int,
    clusters: Sequence[Hashable] | None = None,
    n_resamples: int = N_RESAMPLES,
    n_permutations: int = N_PERMUTATIONS,
    level: float = LEVEL,
    tolerance: float = 0.0,
) -> Comparison:
    """Compare two systems' scores of the same pages."""
    raise NotImplementedError
