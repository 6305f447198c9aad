"""A few shapes of SVG, and scales: enough to draw the report's plots without any library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape as escape_markup

BLUE, VERMILLION, GREY = "#0072b2", "#d55e00", "#767676"
"""Told apart by people with any colour vision (Okabe and Ito); grey has 4.5 : 1 on white."""

INK, LINES = "#222222", "#d9d9d9"
FONT_SIZE = 13
CHARACTER_WIDTH = 0.6 * FONT_SIZE
"""Widest mean width of a character, to keep labels apart."""


_TURNERS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\uffff")
"""Marks that would turn the writing direction of what follows, and what is no character."""


def escape(text: str) -> str:
    """Return a text as markup that shows it and does nothing; what HTML and SVG cannot hold is replaced."""
    return escape_markup("".join("\ufffd" if _is_unfit(c) else c for c in text))


def _is_unfit(character: str) -> bool:
    if character < " ":
        return character not in "\n\t"
    return "\x7f" <= character <= "\x9f" or "\ud800" <= character <= "\udfff" or character in _TURNERS


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to pixels; logarithmic or linear."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        """Return the pixel of a value; values outside stand at the end."""
        value = min(max(value, self.low), self.high)
        if self.is_log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 of each decade between two positive values."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    marks = [step * 10.0**power for power in range(first, last + 1) for step in (1, 2, 5)]
    return [mark for mark in marks if low <= mark * 1.0001 and mark <= high * 1.0001]


def text(
    x: float, y: float, content: str, *, anchor: str = "start", size: int = FONT_SIZE, fill: str = INK, extra: str = ""
) -> str:
    """Return a text, escaped."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{fill}"{extra}>'
        f"{escape(content)}</text>"
    )


def line(x1: float, y1: float, x2: float, y2: float, *, stroke: str = LINES, width: float = 1, dash: str = "") -> str:
    """Return a straight line."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" stroke-width="{width}"{dashes}/>'


def path(points: Sequence[tuple[float, float]], *, stroke: str = LINES, width: float = 1, dash: str = "") -> str:
    """Return a line through points."""
    where = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path d="M{where}" fill="none" stroke="{stroke}" stroke-width="{width}"{dashes}/>'


def box(x: float, y: float, width: float, height: float, *, stroke: str, fill: str = "none") -> str:
    """Return a rectangle."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" stroke="{stroke}" '
        'stroke-width="1.5"/>'
    )


def dot(x: float, y: float, radius: float, *, fill: str, opacity: float = 1, title: str = "") -> str:
    """Return a disc; a title is shown where the mouse rests on it."""
    faint = f' fill-opacity="{opacity}"' if opacity < 1 else ""
    shape = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{fill}"{faint}'
    return f"{shape}><title>{escape(title)}</title></circle>" if title else f"{shape}/>"


def square(x: float, y: float, half: float, *, fill: str, title: str = "") -> str:
    """Return a square about a point."""
    shape = f'<rect x="{x - half:.1f}" y="{y - half:.1f}" width="{2 * half}" height="{2 * half}" fill="{fill}"'
    return f"{shape}><title>{escape(title)}</title></rect>" if title else f"{shape}/>"


def diamond(x: float, y: float, half: float, *, fill: str, title: str = "") -> str:
    """Return a square standing on its corner, with a white edge."""
    points = f"{x},{y - half} {x + half},{y} {x},{y + half} {x - half},{y}"
    shape = f'<polygon points="{points}" fill="{fill}" stroke="#ffffff"'
    return f"{shape}><title>{escape(title)}</title></polygon>" if title else f"{shape}/>"


def picture(name: str, title: str, description: str, width: float, height: float, shapes: Sequence[str]) -> str:
    """Return a whole picture, named and described for those who cannot see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{name}-title {name}-description" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        'font-family="system-ui, sans-serif">\n'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-description">{escape(description)}</desc>\n'
        + "\n".join(shapes)
        + "\n</svg>"
    )
