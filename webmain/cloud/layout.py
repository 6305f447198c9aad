"""Place the words of a cloud, measured with their fonts, so that no two touch.

`packed` puts the largest word in the middle and every other one as near to it as possible; `in_lines` writes words in rows,
in any order, like tag clouds on web pages. Both give the same result for the same words and fonts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webmain.cloud.fonts import Run

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PIL.Image import Image

GRID_PX = 130_000  # pixels of the grid on which words are packed; pictures of any size are drawn from it
SMALLEST = 0.24  # minimum size of a word as a share of the largest
MIN_PX = 8.0  # minimum letter size in a picture, in pixels; words that would have to be smaller are left out
MARGINS = 0.08, 0.17  # space above and beside a word as a share of its size: words too close to each other read as one
FILLED = 0.66  # share of the picture covered by words' bounding boxes at first; it is reduced if they don't fit
GAP = 0.22  # space between the words of a row as a share of the largest word's size
LEADING = 1.22  # height of a row relative to that of its ink

_SHRINK = 0.94
_UNIT = 100.0


@dataclass(frozen=True, slots=True)
class Box:
    """Ink of a drawn word around the left end of its baseline: pixels, y downwards."""

    left: float
    top: float
    right: float
    bottom: float
    advance: float


@dataclass(frozen=True, slots=True)
class SizedWord:
    """A word to be placed: its runs, its language, and its size in (0, 1]."""

    runs: tuple[Run, ...]
    language: str
    size: float


@dataclass(frozen=True, slots=True)
class PlacedWord:
    """A word's place in a picture."""

    index: int  # of the word among those that were given
    # left end of its baseline, in pixels
    x: float
    y: float
    size: float  # of its letters, in pixels
    width: float  # advance of the whole word, in pixels


def size_of(weight: float) -> float:
    """Return a word's size as a share of the largest: its area is proportional to its weight."""
    return max(SMALLEST, math.sqrt(max(0.0, weight)))


def measure(word: SizedWord, size_px: float) -> Box:
    """Return the ink and the advance of a word in a size."""
    boxes: list[tuple[float, float, float, float]] = []
    x = 0.0
    for run in word.runs:
        font = run.face.at(size_px)
        left, top, right, bottom = font.getbbox(run.text, anchor="ls", language=word.language or None)
        boxes.append((x + left, top, x + right, bottom))
        x += font.getlength(run.text, language=word.language or None)
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms), x)


def draw(image: Image, word: SizedWord, x: float, y: float, size_px: float, fill: int | str) -> None:
    """Draw a word from the left end of its baseline."""
    from PIL import ImageDraw

    pen = ImageDraw.Draw(image)
    for run in word.runs:
        font = run.face.at(size_px)
        pen.text((x, y), run.text, fill=fill, font=font, anchor="ls", language=word.language or None)
        x += font.getlength(run.text, language=word.language or None)


def packed(words: Sequence[SizedWord], width: int, height: int) -> list[PlacedWord]:
    """Pack words around the middle, the given order first, as large as they all fit."""
    scale = math.sqrt(GRID_PX / (width * height))
    grid = (max(1, round(width * scale)), max(1, round(height * scale)))
    units = [measure(word, _UNIT) for word in words]
    area = sum(
        (word.size / _UNIT) ** 2 * (box.right - box.left) * (box.bottom - box.top)
        for word, box in zip(words, units, strict=True)
    )
    top_px = min(math.sqrt(FILLED * grid[0] * grid[1] / max(area, 1e-9)), 0.6 * grid[1])
    least_px = MIN_PX * scale / min(word.size for word in words)
    while True:
        sizes = [
            min(word.size * top_px, 0.94 * grid[0] * _UNIT / max(1.0, box.right - box.left))
            for word, box in zip(words, units, strict=True)
        ]
        placed = _pack(words, sizes, grid)
        if len(placed) == len(words) or top_px < least_px:
            return [PlacedWord(p.index, p.x / scale, p.y / scale, p.size / scale, p.width / scale) for p in placed]
        top_px *= _SHRINK


def _pack(words: Sequence[SizedWord], sizes: Sequence[float], grid: tuple[int, int]) -> list[PlacedWord]:
    """Place words in fixed sizes; stops at the first word that does not fit."""
    width, height = grid
    taken = np.zeros((height, width), bool)
    sums = np.zeros((height + 1, width + 1), np.int32)  # of `taken`, above and left of each corner
    placed: list[PlacedWord] = []
    for index, (word, size) in enumerate(zip(words, sizes, strict=True)):
        box = measure(word, size)
        mask = _mask(word, size, box)
        above, beside = (max(1, round(margin * size)) for margin in MARGINS)
        place = _nearest(sums, mask.shape[0] + 2 * above, mask.shape[1] + 2 * beside)
        if place is None:
            break
        top, left = place[0] + above, place[1] + beside
        taken[top : top + mask.shape[0], left : left + mask.shape[1]] |= mask
        below = np.cumsum(taken[top:], axis=0, dtype=np.int32)
        sums[top + 1 :, 1:] = sums[top, 1:] + np.cumsum(below, axis=1, out=below)
        placed.append(PlacedWord(index, left - math.floor(box.left), top - math.floor(box.top), size, box.advance))
    return placed


def _mask(word: SizedWord, size: float, box: Box) -> NDArray[np.bool_]:
    """Return the ink of a word."""
    from PIL import Image

    left, top = math.floor(box.left), math.floor(box.top)
    image = Image.new("L", (max(1, math.ceil(box.right) - left), max(1, math.ceil(box.bottom) - top)))
    draw(image, word, -left, -top, size, 255)
    return np.asarray(image) > 0


def _nearest(sums: NDArray[np.int32], height: int, width: int) -> tuple[int, int] | None:
    """Return the position of the free rectangle nearest to the middle; None if there is none."""
    rows, columns = sums.shape[0] - 1, sums.shape[1] - 1
    if height > rows or width > columns:
        return None
    inside = sums[height:, width:] - sums[:-height, width:]
    inside -= sums[height:, :-width] - sums[:-height, :-width]
    y = ((np.arange(inside.shape[0]) + height / 2 - rows / 2) / rows).astype(np.float32)
    x = ((np.arange(inside.shape[1]) + width / 2 - columns / 2) / columns).astype(np.float32)
    distance = np.where(inside == 0, (y * y)[:, None] + x * x, np.inf)
    best = int(distance.argmin())
    row, column = divmod(best, distance.shape[1])
    return (row, column) if np.isfinite(distance[row, column]) else None


def in_lines(words: Sequence[SizedWord], width: int, height: int, *, right_to_left: bool) -> list[PlacedWord]:
    """Write words in centred rows, in the given order, as large as they all fit."""
    boxes = [measure(word, _UNIT) for word in words]
    low, high = 0.0, float(height)
    for _ in range(24):
        middle = (low + high) / 2
        lines = _lines(words, boxes, middle, width)
        fits = lines is not None and sum(line.height for line in lines) <= height
        low, high = (middle, high) if fits else (low, middle)
    lines = _lines(words, boxes, low, width) or []
    placed: list[PlacedWord] = []
    y = (height - sum(line.height for line in lines)) / 2
    for line in lines:
        x = (width - line.width) / 2
        for index in line.words[::-1] if right_to_left else line.words:
            size = low * words[index].size
            advance = size * boxes[index].advance / _UNIT
            placed.append(PlacedWord(index, x, y + line.ascent, size, advance))
            x += advance + GAP * low
        y += line.height
    return sorted(placed, key=lambda one: one.index)


@dataclass(slots=True)
class _Line:
    """A row: its words, its width, its height above and below the base line, all in pixels."""

    words: list[int]
    width: float
    ascent: float
    descent: float

    @property
    def height(self) -> float:
        return (self.ascent + self.descent) * LEADING


def _lines(words: Sequence[SizedWord], boxes: Sequence[Box], top_px: float, width: int) -> list[_Line] | None:
    """Return words broken into rows; None if one is wider than a row."""
    lines: list[_Line] = []
    for index, (word, box) in enumerate(zip(words, boxes, strict=True)):
        unit = top_px * word.size / _UNIT
        needs = unit * max(box.advance, box.right)
        if needs > width:
            return None
        if not lines or lines[-1].width + GAP * top_px + needs > width:
            lines.append(_Line([], -GAP * top_px, 0.0, 0.0))
        line = lines[-1]
        line.words.append(index)
        line.width += GAP * top_px + needs
        line.ascent, line.descent = max(line.ascent, -unit * box.top), max(line.descent, unit * box.bottom)
    return lines
