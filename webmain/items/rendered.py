"""How a browser has drawn a page: computed styles and rectangles of its blocks, in one form for crawls and archives.

The markup of such a page is the browser's document written out, in which each block has a number in the attribute `MARK`:
whatever a parser makes of the markup, a block is found by it. As bytes a rendering is JSON:

    {"format": "webmain rendering", "version": 1, "width": 1280, "height": 1024, "html": "<!DOCTYPE html>...",
     "styles": [{"font-size": "32px"}, ...], "boxes": [[style, left, top, width, height], ...]}
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from webmain.regex import lazy

MARK: Final = "data-webmain-box"  # the attribute that holds a block's place in `boxes`
MAX_HTML_CHARS: Final = 10 * 1024 * 1024  # markup that is longer is refused
MAX_BOXES: Final = 10_000  # blocks of one page; later ones have no style
MAX_STYLES: Final = 2_000  # styles of one page; blocks after the last of them have none

MAX_PROPERTIES: Final = 100  # of one style
MAX_VALUE_CHARS: Final = 120  # of one property
MAX_BYTES: Final = 4 * MAX_HTML_CHARS  # size up to which an encoded rendering is read

_FORMAT, _VERSION = "webmain rendering", 1
_PROPERTY = lazy(r"[a-z-]{1,40}")
_KEY = lazy(r"\d{1,6}", re.ASCII)
_MAX_PIXELS = 1e9


class RenderingError(ValueError):
    """These are no bytes of a rendering; the message says why."""


class NoBrowserError(RenderingError):
    """The browser does not start: no page can be drawn."""


@dataclass(frozen=True, slots=True)
class Box:
    """Where a block was drawn, and how."""

    style: int  # its place in `Rendering.styles`
    # CSS pixels from the page's upper left corner
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Rendering:
    """Styles and rectangles of a page's blocks."""

    # the window, in CSS pixels
    width: int
    height: int
    # computed CSS properties whose value is not that of the body; each combination once
    styles: tuple[Mapping[str, str], ...]
    boxes: tuple[Box, ...]  # by the number in the attribute `MARK`

    def visual(self, mark: str | None) -> dict[str, str | float] | None:
        """Return the properties and the rectangle of the block with a mark; None where there is no such block."""
        if mark is None or not _KEY.fullmatch(mark) or int(mark) >= len(self.boxes):
            return None
        box = self.boxes[int(mark)]
        return {**self.styles[box.style], "left": box.left, "top": box.top, "width": box.width, "height": box.height}


def encode(html: str, rendering: Rendering) -> bytes:
    """Return a page's markup and its rendering as bytes."""
    boxes = [(box.style, box.left, box.top, box.width, box.height) for box in rendering.boxes]
    values = {
        "format": _FORMAT,
        "version": _VERSION,
        "width": rendering.width,
        "height": rendering.height,
        "html": html,
        "styles": list(map(dict, rendering.styles)),
        "boxes": boxes,
    }
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def decode(data: bytes) -> tuple[str, Rendering]:
    """Return the markup and the rendering in bytes that `encode`, or a browser, has made; nothing in them is trusted.

    Raises RenderingError if they have another form, or are too large.
    """
    if len(data) > MAX_BYTES:
        raise RenderingError(f"no rendering: {len(data):,} bytes, allowed are {MAX_BYTES:,}")
    try:
        values = json.loads(data)
        if (values["format"], values["version"]) != (_FORMAT, _VERSION):
            raise RenderingError(f"no rendering: it is of format {values['format']!r:.40}, {values['version']!r:.20}")
        html = values["html"]
        styles = tuple(map(_style, values["styles"][:MAX_STYLES]))
        boxes = tuple(_box(each, len(styles)) for each in values["boxes"][:MAX_BOXES])
        width, height = (int(_pixels(values[side])) for side in ("width", "height"))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise error if isinstance(error, RenderingError) else RenderingError(f"no rendering: {error!r:.200}") from error
    if not isinstance(html, str) or len(html) > MAX_HTML_CHARS:
        raise RenderingError(f"no rendering: its markup is no text of at most {MAX_HTML_CHARS:,} characters")
    return html, Rendering(width, height, styles, boxes)


def _style(values: Any) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, value in list(values.items())[:MAX_PROPERTIES]:
        if not _PROPERTY.fullmatch(name) or not isinstance(value, str):
            raise RenderingError(f"no rendering: {name!r:.50} is no property with a value")
        found[name] = value[:MAX_VALUE_CHARS]
    return found


def _box(values: Any, n_styles: int) -> Box:
    style, *sides = values
    if not isinstance(style, int) or not 0 <= style < n_styles:
        raise RenderingError(f"no rendering: there is no style {style!r:.20}")
    left, top, width, height = map(_pixels, sides)
    return Box(style, left, top, width, height)


def _pixels(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise RenderingError(f"no rendering: {value!r:.20} is no length")
    return float(max(-_MAX_PIXELS, min(_MAX_PIXELS, value)))
