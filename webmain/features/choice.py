"""Which blocks to keep, given the probability of each: the set with the highest expected F1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PAGE_COLUMNS: Final = (
    "expected", "kept_chars", "kept_share", "kept_blocks", "sure_share", "doubt_kept", "doubt_left", "weakest", "mean_kept",
    "mean_left", "best", "spread",
)  # fmt: skip
"""Names of the quantities that tell how sure a choice is."""


@dataclass(frozen=True)
class Choice:
    """A choice of blocks.

    Attributes
    ----------
    kept : (n_blocks,) bool
        One block at least, wherever there is one.
    expected : float
        Expected F1 of the choice, the probabilities taken at their word.
    limit : float
        The lowest probability that is kept.
    """

    kept: NDArray[np.bool_]
    expected: float
    limit: float


def probabilities(margin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of log-odds."""
    found: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(margin, -30, 30)))
    return found


def choose(probability: NDArray[np.float64], n_chars: NDArray[np.float64]) -> Choice:
    """Keep the set of blocks with the highest expected F1 over characters.

    The best set of any size is that of the most probable blocks, and the expected F1 of the k most probable is about
    `2 * sum of p * n over them / (sum of n over them + sum of p * n over all)`: the ratio of expected values.

    Parameters
    ----------
    probability : (n_blocks,) float64
        Probability of being content, in [0, 1].
    n_chars : (n_blocks,) float64
        Lengths, >= 0.
    """
    n = np.maximum(n_chars, 1.0)
    hoped = probability * n
    order = np.argsort(-probability, kind="stable")
    expected = 2 * np.cumsum(hoped[order]) / (np.cumsum(n[order]) + hoped.sum())
    best = int(np.argmax(expected))
    kept = np.zeros(len(probability), dtype=np.bool_)
    kept[order[: best + 1]] = True
    return Choice(kept, float(expected[best]), float(probability[order[best]]))


def page_columns(probability: NDArray[np.float64], n_chars: NDArray[np.float64], choice: Choice) -> NDArray[np.float64]:
    """Return what tells how sure a choice is, in the order of `PAGE_COLUMNS`."""
    n = np.maximum(n_chars, 1.0)
    kept = choice.kept
    total, of_kept = n.sum(), n[kept].sum()
    doubt = n * probability * (1 - probability)
    left = ~kept
    mean_kept = float((n * probability)[kept].sum() / of_kept)
    return np.array(
        [
            choice.expected, np.log1p(of_kept), of_kept / total, np.log1p(kept.sum()),
            n[probability > 0.9].sum() / of_kept, doubt[kept].sum() / of_kept, doubt[left].sum() / of_kept,
            choice.limit, mean_kept, (n * probability)[left].sum() / of_kept, probability.max(),
            float(np.sqrt((n[kept] * (probability[kept] - mean_kept) ** 2).sum() / of_kept)),
        ]
    )  # fmt: skip
