"""A small convolution over a page's blocks in their order: what the blocks before and after tell of one.

Each block's columns are standardised and, with their means over the page, go through one layer to a few channels; residual
layers then look at growing distances before and after. It sees what trees over single rows cannot: that a paragraph is one of
a run of them, or comes after the heading of the comments.

References
----------
Fisher Yu, Vladlen Koltun: Multi-Scale Context Aggregation by Dilated Convolutions (2016). Kaiming He, Xiangyu Zhang, Shaoqing
Ren, Jian Sun: Deep Residual Learning for Image Recognition (2016).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH: Final = 5
"""Blocks that each layer looks at: the block itself, and two before and two after it, at the layer's distance."""

DISTANCES: Final = (1, 3, 9, 27)
"""Blocks between those that a layer looks at, a number for each layer."""

GAP: Final = max(DISTANCES) * (WIDTH // 2)
"""Rows of zeros between two pages that are computed together: no page looks into another."""

PIECE: Final = 2048
"""Rows that are computed at a time: a page may have tens of thousands of blocks."""

MAX_CHANNELS: Final = 256
MAX_PLAIN: Final = 4 << 20


@dataclass(frozen=True)
class Network:
    """The weights of a network.

    Attributes
    ----------
    low, high, mean, scale : (n_columns,) float32
        Columns are cut to [low, high]; their mean is taken off, and they are divided by their scale.
    own, page : (n_columns, n_channels) float32
        What each column of a block, and its mean over the page, adds to the channels.
    bias : (n_channels,) float32
    layers : (len(DISTANCES), WIDTH * n_channels, n_channels) float32
    layer_bias : (len(DISTANCES), n_channels) float32
    out : (n_channels,) float32
    out_bias : float
    """

    low: NDArray[np.float32]
    high: NDArray[np.float32]
    mean: NDArray[np.float32]
    scale: NDArray[np.float32]
    own: NDArray[np.float32]
    page: NDArray[np.float32]
    bias: NDArray[np.float32]
    layers: NDArray[np.float32]
    layer_bias: NDArray[np.float32]
    out: NDArray[np.float32]
    out_bias: float

    def standard(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return columns as the network takes them: cut, centred and scaled."""
        found: NDArray[np.float32] = (np.clip(values, self.low, self.high) - self.mean) / self.scale
        return found

    def margins(self, values: NDArray[np.float32], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log-odds of each block of a page.

        Parameters
        ----------
        values : (n_blocks, n_columns) float32
        weights : (n_blocks,) float64
            Of the blocks in the means over the page; their sum is 1.
        """
        n = len(values)
        hidden = np.empty((n, len(self.bias)), dtype=np.float32)
        mean = np.zeros(values.shape[1], dtype=np.float32)
        for at in range(0, n, PIECE):
            columns = self.standard(values[at : at + PIECE])
            hidden[at : at + PIECE] = columns @ self.own
            mean += weights[at : at + PIECE].astype(np.float32) @ columns
        hidden += mean @ self.page + self.bias
        np.maximum(hidden, 0, out=hidden)
        for distance, layer, bias in zip(DISTANCES, self.layers, self.layer_bias, strict=True):
            before = hidden.copy() if n > PIECE else hidden
            for at in range(0, n, PIECE):
                found = around(before, distance, at, min(at + PIECE, n)) @ layer
                found += bias
                hidden[at : at + PIECE] += np.maximum(found, 0, out=found)
        margin: NDArray[np.float64] = (hidden @ self.out).astype(np.float64) + self.out_bias
        return margin

    def to_plain(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the network as JSON values: the names of the columns, and the arrays' float16 bytes in base64."""
        arrays = {name: _coded(getattr(self, name)) for name in _ARRAYS}
        return {"columns": list(names), "channels": len(self.bias), "out_bias": self.out_bias, **arrays}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any], names: Sequence[str]) -> Self:
        """Read what `to_plain` wrote; columns that it was made without add nothing.

        Raises
        ------
        ValueError
            It is not of that form, or has columns that are not among the names.
        """
        place_of = {name: place for place, name in enumerate(names)}
        try:
            known, n, out_bias = plain["columns"], plain["channels"], plain["out_bias"]
            places = [place_of.get(name, -1) for name in known]
            if min(places, default=-1) < 0 or len(set(places)) < len(places):
                raise ValueError("the network was made for other columns")
            if type(n) is not int or not 0 < n <= MAX_CHANNELS or not isinstance(out_bias, (int, float)):
                raise ValueError("the network has no number of channels")
            arrays = {name: _decoded(plain[name], shape(len(places), n)) for name, shape in _ARRAYS.items()}
        except (KeyError, TypeError, binascii.Error) as error:
            raise ValueError(f"no network: {error!r}") from error
        if not (arrays["scale"] > 0).all() or not np.isfinite(out_bias):
            raise ValueError("the network has a scale that is not positive, or no bias")
        for name in _BY_COLUMN:
            rows = np.full((len(names), *arrays[name].shape[1:]), float(name == "scale"), dtype=np.float32)
            rows[places] = arrays[name]
            arrays[name] = rows
        return cls(**arrays, out_bias=float(out_bias))


_ARRAYS: Final[dict[str, Callable[[int, int], tuple[int, ...]]]] = {
    "low": lambda d, _: (d,),
    "high": lambda d, _: (d,),
    "mean": lambda d, _: (d,),
    "scale": lambda d, _: (d,),
    "own": lambda d, n: (d, n),
    "page": lambda d, n: (d, n),
    "bias": lambda _, n: (n,),
    "layers": lambda _, n: (len(DISTANCES), WIDTH * n, n),
    "layer_bias": lambda _, n: (len(DISTANCES), n),
    "out": lambda _, n: (n,),
}
"""The shape of each array, by the number of columns and of channels."""

_BY_COLUMN: Final = ("low", "high", "mean", "scale", "own", "page")
"""The arrays with a row for each column."""


def around(rows: NDArray[np.float32], distance: int, start: int = 0, end: int | None = None) -> NDArray[np.float32]:
    """Return some rows, each beside those at a distance before and after it, zeros beyond the first and the last row.

    Parameters
    ----------
    rows : (n, n_channels) float32
    distance : int
    start : int
    end : int or None
        The rows that are wanted are `rows[start:end]`; all to the last for None.

    Returns
    -------
    (end - start, WIDTH * n_channels) float32
    """
    n, channels = rows.shape
    end = n if end is None else end
    found = np.zeros((end - start, WIDTH, channels), dtype=np.float32)
    for place in range(WIDTH):
        shift = (place - WIDTH // 2) * distance
        low, high = max(start, -shift), min(end, n - shift)
        if low < high:
            found[low - start : high - start, place] = rows[low + shift : high + shift]
    return found.reshape(end - start, WIDTH * channels)


def _coded(array: NDArray[np.float32]) -> str:
    return base64.b64encode(array.astype("<f2").tobytes()).decode("ascii")


def _decoded(text: Any, shape: tuple[int, ...]) -> NDArray[np.float32]:
    if not isinstance(text, str) or len(text) > MAX_PLAIN:
        raise ValueError("the network holds something other than arrays")
    data = base64.b64decode(text, validate=True)
    if len(data) != 2 * int(np.prod(shape)):
        raise ValueError("an array of the network has another size")
    array = np.frombuffer(data, dtype="<f2").astype(np.float32).reshape(shape)
    if not np.isfinite(array).all():
        raise ValueError("the network holds a number that is none")
    return array
