"""What is noted of each leaf (text run) of a page: how it is shown, what parts it from the one before."""

from __future__ import annotations

from enum import IntEnum, IntFlag, StrEnum


class Flag(IntFlag):
    """What the walk noted of a leaf; each method masks these by its own paper."""

    HIDDEN_ATTRIBUTE = 1  # an ancestor has the attribute `hidden`
    HIDDEN_DISPLAY = 2  # an ancestor's style attribute says display:none
    HIDDEN_VISIBILITY = 4  # ... visibility:hidden or collapse
    HIDDEN_CLASS = 8  # an ancestor's class is one of the well-known screen-reader-only names
    IN_NOSCRIPT = 16
    IN_FORM = 32
    IN_CONTROL = 64  # button, select, option, textarea, datalist, input labels drawn by the browser
    IN_ANCHOR = 128
    PREFORMATTED = 256  # pre, textarea, listing, xmp: white space counts
    EMBEDDED = 512  # fallback text of iframe, object, embed, video, audio, canvas
    IN_SVG = 1024


HIDDEN = Flag.HIDDEN_ATTRIBUTE | Flag.HIDDEN_DISPLAY | Flag.HIDDEN_VISIBILITY | Flag.HIDDEN_CLASS
"""The leaf is not shown, by whichever rule."""


class Break(IntEnum):
    """What stands between a leaf and the one before it."""

    NONE = 0
    BR = 1  # one <br>
    BR_BR = 2  # two or more <br>, which readers see as a paragraph break
    BLOCK = 3  # the start or end of a block-level element


class Unit(StrEnum):
    """What an extraction's blocks are ranges of."""

    LEAVES = "leaves"
    LINES = "lines"
