"""A cloud as a picture: SVG with real text, and PNG."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from html import escape
from pathlib import Path

from webmain.cloud.fonts import Fonts
from webmain.cloud.layout import PlacedWord, SizedWord, draw, in_lines, packed, size_of
from webmain.cloud.markup import Order, ordered, schemes
from webmain.cloud.records import Cloud, CloudWord
from webmain.text.normal import fit_for_html

MAX_WORDS = 300  # maximum words drawn
EDGE = 0.02  # empty border of a picture as a share of its shorter side


class Shape(StrEnum):
    """How words are placed."""

    PACKED = "packed"  # around the largest
    LINES = "lines"  # in rows, like tag clouds on web pages


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOptions:
    """How a picture looks."""

    width: int = 900
    height: int = 500
    shape: Shape = Shape.PACKED
    order: Order = Order.WEIGHT  # of words in rows
    colours: str = "light"  # a scheme of `colours.toml`
    fonts: tuple[str | Path, ...] = ()  # font files that are preferred to those of the system


@dataclass(frozen=True, slots=True)
class _Drawn:
    word: CloudWord
    sized: SizedWord
    place: PlacedWord
    colour: str


def cloud_png(cloud: Cloud, options: PictureOptions | None = None) -> bytes:
    """Return a cloud as a PNG; the same cloud, options and fonts give the same bytes.

    Raises PictureError if a font or a library is missing (`webmain.cloud.fonts`).
    """
    options = options or PictureOptions()
    drawn = list(_drawn(cloud, options))  # raises PictureError if Pillow is missing
    from PIL import Image

    image = Image.new("RGB", (options.width, options.height), schemes()[options.colours].ground)
    for one in drawn:
        draw(image, one.sized, one.place.x, one.place.y, one.place.size, one.colour)
    packed_file = io.BytesIO()
    image.quantize(128, dither=Image.Dither.NONE).save(packed_file, "PNG", optimize=True)
    return packed_file.getvalue()


def cloud_svg(cloud: Cloud, options: PictureOptions | None = None) -> str:
    """Return a cloud as SVG with real text, which can be searched, copied and read by screen readers.

    A viewer without the fonts fits its own fonts into the same widths. Raises PictureError as `cloud_png`.
    """
    options = options or PictureOptions()
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {options.width} {options.height}" width="{options.width}" '
        f'height="{options.height}" role="img" xml:lang="{escape(cloud.language)}" font-weight="700" '
        'text-anchor="middle">',
        f"<title>{escape(fit_for_html(cloud.title))}</title>",
        f'<rect width="100%" height="100%" fill="{schemes()[options.colours].ground}"/>',
    ]
    for one in _drawn(cloud, options):
        place, word = one.place, one.word
        language = f' xml:lang="{escape(word.language)}"' if word.language not in ("", cloud.language) else ""
        families = ", ".join(f"'{name}'" for name in dict.fromkeys(run.face.family for run in one.sized.runs))
        direction = ' direction="rtl"' if word.direction == "rtl" else ""
        rows.append(
            f'<text x="{place.x + place.width / 2:.1f}" y="{place.y:.1f}" font-size="{place.size:.1f}" fill="{one.colour}" '
            f'font-family="{escape(families)}, sans-serif" textLength="{place.width:.1f}" lengthAdjust="spacingAndGlyphs"'
            f"{language}{direction}>{escape(fit_for_html(word.word))}</text>"
        )
    return "\n".join([*rows, "</svg>\n"])


def _drawn(cloud: Cloud, options: PictureOptions) -> Iterator[_Drawn]:
    """Yield the words with their places and colours."""
    fonts = Fonts(options.fonts)
    scheme = schemes()[options.colours]
    in_lines_too = Shape(options.shape) is Shape.LINES
    words = (ordered(cloud, options.order) if in_lines_too else cloud.words)[:MAX_WORDS]
    if not words:
        return
    sized = [
        SizedWord(fonts.runs(fit_for_html(one.word), language=one.language), one.language, size_of(one.weight))
        for one in words
    ]
    edge = round(EDGE * min(options.width, options.height))
    width, height = options.width - 2 * edge, options.height - 2 * edge
    if in_lines_too:
        places = in_lines(sized, width, height, right_to_left=cloud.direction == "rtl")
    else:
        places = packed(sized, width, height)
    ranks = {one.word: rank for rank, one in enumerate(cloud.words)}
    for place in places:
        word = words[place.index]
        inside = replace(place, x=place.x + edge, y=place.y + edge)
        yield _Drawn(word, sized[place.index], inside, scheme.words[ranks[word.word] % len(scheme.words)])
