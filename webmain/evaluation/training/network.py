"""Fitting the small convolution over a page's blocks, in NumPy: the same pages give the same weights.

References
----------
Ilya Loshchilov, Frank Hutter: Decoupled Weight Decay Regularization (2019), for the steps. Leslie Smith, Nicholay Topin:
Super-Convergence (2019), for their sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from threadpoolctl import threadpool_limits

from webmain.features.network import DISTANCES, GAP, WIDTH, Network, around

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class NetworkRecipe:
    """How a network is fitted.

    Attributes
    ----------
    channels, epochs : int
        Epochs are passes over all pages.
    rate, decay : float
        Largest size of a step, and how much of each weight is lost in a step of size 1.
    dropped : float
        Share of the columns that are left out of each step.
    rows : int
        Blocks of a step, about: whole pages, of similar lengths.
    max_blocks : int
        Blocks of one page, the first ones.
    seed : int
    """

    channels: int = 32
    epochs: int = 10
    rate: float = 2e-3
    decay: float = 1e-2
    dropped: float = 0.15
    rows: int = 6_000
    max_blocks: int = 3_000
    seed: int = 1


NETWORK: Final = NetworkRecipe()
_WARM: Final = 0.15
_BETA: Final = (0.9, 0.999)
_MAX_NORM: Final = 1.0


@dataclass(frozen=True)
class Example:
    """One page: standardised later, so that pages may be shared by many fits.

    Attributes
    ----------
    values : (n_blocks, n_columns) float32
    target : (n_blocks,) float32
        Share of each block that is content.
    weights : (n_blocks,) float64
        Of the blocks in the page; their sum is 1.
    weight : float
        Of the page.
    """

    values: NDArray[np.float32]
    target: NDArray[np.float32]
    weights: NDArray[np.float64]
    weight: float = 1.0


@dataclass(frozen=True)
class _Batch:
    columns: NDArray[np.float32]  # with gaps of zeros between pages
    is_row: NDArray[np.float32]  # (n, 1): 0 in the gaps
    page: NDArray[np.int64]  # of each row
    means: NDArray[np.float32]  # of each page
    target: NDArray[np.float32]
    weights: NDArray[np.float32]


def fit_network(pages: Sequence[Example], recipe: NetworkRecipe = NETWORK) -> Network:
    """Fit a network to pages; weights are rounded to what its file holds."""
    with threadpool_limits(1):  # the order of sums, and with it the last bits, depends on the number of threads
        return _fitted(pages, recipe)


def _fitted(pages: Sequence[Example], recipe: NetworkRecipe) -> Network:
    random = np.random.default_rng(recipe.seed)
    start = _start(pages, recipe, random)
    batches = _batches(pages, start, recipe)
    weights: dict[str, Any] = {
        "own": start.own, "page": start.page, "bias": start.bias, "layers": start.layers, "layer_bias": start.layer_bias,
        "out": start.out, "out_bias": np.zeros(1, dtype=np.float32),
    }  # fmt: skip
    first = {name: np.zeros_like(array) for name, array in weights.items()}
    second = {name: np.zeros_like(array) for name, array in weights.items()}
    total = recipe.epochs * len(batches)
    step = 0
    for _ in range(recipe.epochs):
        for number in random.permutation(len(batches)).tolist():
            step += 1
            shown = (random.random(len(start.low)) >= recipe.dropped).astype(np.float32) / (1 - recipe.dropped)
            gradients = _gradients(weights, batches[number], shown)
            norm = float(np.sqrt(sum(float((g**2).sum()) for g in gradients.values())))
            size = recipe.rate * _share_of_rate(step / total)
            for name, array in weights.items():
                gradient = gradients[name] * min(1.0, _MAX_NORM / max(norm, 1e-9))
                first[name] += (1 - _BETA[0]) * (gradient - first[name])
                second[name] += (1 - _BETA[1]) * (gradient**2 - second[name])
                mean, square = first[name] / (1 - _BETA[0] ** step), second[name] / (1 - _BETA[1] ** step)
                array -= size * (mean / (np.sqrt(square) + 1e-8) + recipe.decay * array)
    out_bias = round(float(weights.pop("out_bias")[0]), 5)
    fitted = replace(start, out_bias=out_bias, **weights)
    names = [str(number) for number in range(len(start.low))]
    return Network.from_plain(fitted.to_plain(names), names)


def _share_of_rate(done: float) -> float:
    """Return the size of a step as a share of the largest one: it grows at first, then falls to nothing."""
    if done < _WARM:
        return 0.04 + 0.96 * done / _WARM
    return 0.5 * (1 + float(np.cos(np.pi * (done - _WARM) / (1 - _WARM))))


def _start(pages: Sequence[Example], recipe: NetworkRecipe, random: np.random.Generator) -> Network:
    """Return a network with random weights that standardises the columns of these pages."""
    rows = np.concatenate([page.values[:: max(1, len(pages) // 500)] for page in pages])
    low, high = np.quantile(rows, [0.002, 0.998], axis=0)
    high = np.where(high <= low, rows.max(axis=0), high)
    limits = [_half(low), _half(high)]
    rows = np.clip(rows, *limits)
    n, d = recipe.channels, rows.shape[1]

    def drawn(n_in: int, *shape: int) -> NDArray[np.float32]:
        weights: NDArray[np.float32] = (random.standard_normal(shape) * np.sqrt(1 / n_in)).astype(np.float32)
        return weights

    return Network(
        low=limits[0],
        high=limits[1],
        mean=_half(rows.mean(axis=0)),
        scale=_half(rows.std(axis=0) + 1e-3),
        own=drawn(d, d, n),
        page=drawn(4 * d, d, n),
        bias=np.zeros(n, dtype=np.float32),
        layers=drawn(WIDTH * n, len(DISTANCES), WIDTH * n, n),
        layer_bias=np.zeros((len(DISTANCES), n), dtype=np.float32),
        out=drawn(n, n),
        out_bias=0.0,
    )


def _half(array: NDArray[Any]) -> NDArray[np.float32]:
    half: NDArray[np.float32] = np.clip(array, -60_000, 60_000).astype(np.float16).astype(np.float32)
    return half


def _batches(pages: Sequence[Example], network: Network, recipe: NetworkRecipe) -> list[_Batch]:
    """Return pages of similar lengths together, ready for steps."""
    order = sorted(range(len(pages)), key=lambda place: len(pages[place].target))
    groups: list[list[Example]] = [[]]
    for place in order:
        if sum(len(page.target) for page in groups[-1]) > recipe.rows:
            groups.append([])
        groups[-1].append(pages[place])
    mean_weight = float(np.mean([page.weight for page in pages]))
    return [_batch(group, network, recipe.max_blocks, mean_weight) for group in groups]


def _batch(pages: Sequence[Example], network: Network, most: int, mean_weight: float) -> _Batch:
    sizes = [min(len(page.target), most) for page in pages]
    n = sum(sizes) + GAP * len(pages)
    columns = np.zeros((n, pages[0].values.shape[1]), dtype=np.float32)
    is_row, page_of = np.zeros((n, 1), dtype=np.float32), np.zeros(n, dtype=np.int64)
    target, weights = np.zeros(n, dtype=np.float32), np.zeros(n, dtype=np.float32)
    means = []
    at = 0
    for number, (page, size) in enumerate(zip(pages, sizes, strict=True)):
        own = network.standard(page.values)
        means.append(page.weights.astype(np.float32) @ own)
        rows = slice(at, at + size)
        columns[rows], is_row[rows], target[rows] = own[:size], 1, page.target[:size]
        weights[rows] = page.weights[:size] * (page.weight / mean_weight / len(pages))
        page_of[at : at + size + GAP] = number
        at += size + GAP
    return _Batch(columns, is_row, page_of, np.stack(means), target, weights)


def _gradients(
    weights: dict[str, NDArray[np.float32]], batch: _Batch, shown: NDArray[np.float32]
) -> dict[str, NDArray[np.float32]]:
    """Return the gradients of the weighted cross entropy of a batch."""
    own, page = weights["own"] * shown[:, None], weights["page"] * shown[:, None]
    hidden = batch.columns @ own
    hidden += (batch.means @ page + weights["bias"])[batch.page]
    np.maximum(hidden, 0, out=hidden)
    hidden *= batch.is_row
    states, seen, passed = [hidden > 0], [], []
    for distance, layer, bias in zip(DISTANCES, weights["layers"], weights["layer_bias"], strict=True):
        near = around(hidden, distance)
        found = near @ layer
        found += bias
        np.maximum(found, 0, out=found)
        found *= batch.is_row
        seen.append(near)
        passed.append(found > 0)
        hidden = hidden + found
    margin = hidden @ weights["out"] + weights["out_bias"][0]
    error = (1 / (1 + np.exp(-np.clip(margin, -30, 30))) - batch.target) * batch.weights
    gradients: dict[str, NDArray[np.float32]] = {
        "out": error @ hidden,
        "out_bias": np.array([error.sum()], dtype=np.float32),
    }
    back = error[:, None] * weights["out"]
    layers, layer_bias = np.empty_like(weights["layers"]), np.empty_like(weights["layer_bias"])
    for number in reversed(range(len(DISTANCES))):
        through = back * passed[number]
        layers[number] = seen[number].T @ through
        layer_bias[number] = through.sum(axis=0)
        back = back + _back_around(through @ weights["layers"][number].T, DISTANCES[number])
        back *= batch.is_row
    back *= states[0]
    of_page = np.zeros((len(batch.means), back.shape[1]), dtype=np.float32)
    np.add.at(of_page, batch.page, back)
    gradients["own"] = (batch.columns.T @ back) * shown[:, None]
    gradients["page"] = (batch.means.T @ of_page) * shown[:, None]
    gradients["bias"] = back.sum(axis=0)
    return gradients | {"layers": layers, "layer_bias": layer_bias}


def _back_around(near: NDArray[np.float32], distance: int) -> NDArray[np.float32]:
    """Return what `around` is given back: the sum over all places where a row was seen."""
    n = len(near)
    parts = near.reshape(n, WIDTH, -1)
    found = np.zeros((n, parts.shape[2]), dtype=np.float32)
    for place in range(WIDTH):
        shift = (place - WIDTH // 2) * distance
        low, high = max(0, -shift), min(n, n - shift)
        if low < high:
            found[low + shift : high + shift] += parts[low:high, place]
    return found
