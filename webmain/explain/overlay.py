"""Write a page with every leaf coloured by its verdict, as inert HTML: no scripts, no styles, no URLs from the page.

None of the page's markup is copied. The overlay is written from the document's columns: elements only with tags of a short
list, attributes only a few with checked values, and all text, escaped. Elements that parsers treat specially (`textarea`,
`noscript`, `title`, `svg`, `math`, `template`, ...) are never written, so that a browser's tree has no elements outside the
list, however it repairs bad nesting. Formatting elements (`b`, `i`, ...) are not written either: parsers reopen them, which
would multiply them.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from webmain.clock import once
from webmain.explain.records import ExplainedBlock, Explanation
from webmain.html.blocks import Unit
from webmain.html.columns import HIDDEN, Flag
from webmain.html.document import Document
from webmain.html.tree import BLOCK_TAGS
from webmain.items import Verdict
from webmain.text.normal import fold_space, shorten

TAGS: Final = frozenset(
    "abbr bdi bdo blockquote br caption cite dd del dfn div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr ins kbd li mark ol "
    "pre q rp rt ruby samp span sub sup table tbody td tfoot th thead tr ul var wbr".split()
)
"""Tags that are written, inside one `main`; any other element becomes a `div` or a `span`, or is left out if it has no
text."""

_CLASSES: Final = {
    **dict.fromkeys(("b", "strong"), "wm-bold"),
    **dict.fromkeys(("i", "em"), "wm-italic"),
    **dict.fromkeys(("code", "tt"), "wm-code"),
    **dict.fromkeys(("textarea", "listing", "xmp", "plaintext"), "wm-pre"),
    "p": "wm-paragraph",
    "small": "wm-small",
}
"""Classes of elements that are written as a `div` or a `span`."""

_LEFT_OUT: Final = frozenset(("html", "body"))
_VOID: Final = frozenset(("br", "hr", "wbr"))
_PLAYERS: Final = frozenset("iframe object embed video audio canvas frame applet".split())
_TABLE: Final = frozenset(("table", "tbody", "tfoot", "thead", "tr", "td", "th"))
"""Written even without text: otherwise a browser would move the elements inside out of the table."""

_SHOWN_EMPTY: Final = ("br", "hr", "wbr", "img", "input", *_TABLE, *_PLAYERS)

MAX_DEPTH: Final = 200  # maximum nesting of written elements; of deeper ones only the text is written
MAX_NAME_CHARS: Final = 200  # maximum characters shown of a URL, an alternative text or a reason

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
_NUMBER = re.compile(r"-?[0-9]{1,4}")
_CHECKED: Final[Mapping[str, Callable[[str], object]]] = {
    "dir": frozenset(("ltr", "rtl", "auto")).__contains__,
    "lang": _LANGUAGE.fullmatch,
    "colspan": re.compile("[1-9][0-9]?").fullmatch,
    "rowspan": re.compile("[1-9][0-9]?").fullmatch,
    "start": _NUMBER.fullmatch,
    "value": _NUMBER.fullmatch,
}
"""Attributes that are written, and the checks of their values in lower case."""

_OF_TAGS: Final[Mapping[str, tuple[str, ...]]] = {
    "td": ("colspan", "rowspan"), "th": ("colspan", "rowspan"), "ol": ("start",), "li": ("value",)
}  # fmt: skip

SCORE_CLASSES: Final = 10  # number of classes for scores: `wm-s0` to `wm-s9`


@dataclass(frozen=True, slots=True)
class Mark:
    """How the leaves of a block are marked: its number, classes separated by spaces, and a line for people."""

    block: int
    classes: str
    label: str


def overlay_html(explanation: Explanation, *, marks: Sequence[Mark | None] | None = None) -> str:
    """Return a page as one HTML document in which each leaf is a `span` with the number, verdict and reason of its block.

    The number, `data-block`, is the index in `Explanation.blocks`. Classes are `wm-content`, `wm-boilerplate`, `wm-
    duplicate`, `wm-outside` and `wm-pruned`; `wm-s0` to `wm-s9` for the score; `wm-hidden` for text readers do not see.
    `marks`, one for each leaf or None, replace those of the blocks. For a method that builds no tree, source lines
    are shown instead of leaves.
    """
    if marks is None:
        marks = block_marks(explanation)
    document, title = explanation.document, ""
    language = (explanation.article and explanation.article.language) or "und"
    attributes = _attributes("html", {"lang": language})
    if explanation.unit is Unit.LINES:
        body, title = _lines(document.lines.texts, marks), document.lines.title
    elif len(marks):
        body, title = "".join(_Writer(document, marks).pieces()), document.title
        attributes = _root_attributes(document, language)
    else:
        body = '<div class="wm-note">This page has no text that can be shown.</div>'
    return (
        f"<!DOCTYPE html>\n<html{attributes}><head>"
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src {style_source()}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escaped(title)}</title><style>{style()}</style></head>"
        f'<body class="wm-page"><main>{body}</main></body></html>\n'
    )


@once
def style() -> str:
    """Return the style sheet of overlays."""
    return Path(__file__).with_name("overlay.css").read_text("utf-8")


@once
def style_source() -> str:
    """Return the Content-Security-Policy source that allows only this style sheet."""
    return digest(style())


def digest(text: str) -> str:
    """Return the Content-Security-Policy hash source for exactly this text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def block_marks(explanation: Explanation) -> list[Mark | None]:
    """Return for each leaf (line) the mark of its block."""
    lines = explanation.unit is Unit.LINES
    document = explanation.document
    n_units = len(document.lines) if lines else len(document.leaves) if explanation.blocks else 0
    marks: list[Mark | None] = [None] * n_units
    flags = None if lines or not n_units else document.leaves.flags
    for number, block in enumerate(explanation.blocks):
        label, classes = block_label(block), block_classes(block)
        plain, hidden = Mark(number, classes, label), Mark(number, f"{classes} wm-hidden", label)
        for unit in block.units:
            marks[unit] = hidden if flags is not None and flags[unit] & _INVISIBLE else plain
    return marks


_INVISIBLE: Final = int(HIDDEN | Flag.EMBEDDED)


def block_classes(block: ExplainedBlock) -> str:
    """Return the classes of a block, for its verdict and its score."""
    if block.score is None or block.verdict in (Verdict.OUTSIDE, Verdict.PRUNED):
        return f"wm-{block.verdict}"
    return f"wm-{block.verdict} wm-s{min(SCORE_CLASSES - 1, int(block.score * SCORE_CLASSES))}"


def block_label(block: ExplainedBlock) -> str:
    """Return number, verdict, score and reason of a block as one line."""
    number = [] if block.index is None else [f"block {block.index}"]
    score = [] if block.score is None else [f"score {block.score:.2f}"]
    return " · ".join([*number, block.verdict.value, *score, shorten(block.why, MAX_NAME_CHARS)])


def escaped(text: str) -> str:
    """Return text escaped for HTML content or a quoted attribute; parsing it gives the same characters."""
    text = html.escape(text)
    if text.isascii() and text.isprintable():
        return text
    return text.replace("\r", "&#13;").replace("\0", "\ufffd")


class _Writer:
    """Writes a document's elements and leaves in document order."""

    def __init__(self, document: Document, marks: Sequence[Mark | None]) -> None:
        self._elements, self._leaves = document.elements, document.leaves
        self._marks = marks
        self._named: set[int] = set()  # blocks with a leaf already written
        self._open: list[tuple[int, str, str]] = []  # element, its end tag, the URL of the link around it

    def pieces(self) -> Iterator[str]:
        """Yield the body's markup."""
        elements, leaves = self._elements, self._leaves
        shown = sorted({*elements.with_text, *elements.of_tags(_SHOWN_EMPTY)})
        found = elements.attributes_of(shown)
        with_text = set(elements.with_text)
        tags, ends, before = elements.tags, elements.end, elements.before
        at = 0
        for leaf, element in enumerate([*leaves.element, -1]):  # -1: after the last leaf
            while at < len(shown) and (element < 0 or shown[at] < before[leaf]):
                index = shown[at]
                yield self._close_before(index, ends)
                yield self._element(index, tags[index], found[at], holds_text=index in with_text)
                at += 1
            yield self._close_down_to(element)
            if element >= 0:
                yield self._leaf(leaf)

    def _close_before(self, index: int, ends: list[int]) -> str:
        """Return the end tags of the elements that end before another one begins."""
        out = ""
        while self._open and ends[self._open[-1][0]] <= index:
            out += self._open.pop()[1]
        return out

    def _close_down_to(self, element: int) -> str:
        """Return the end tags of the open elements inside an element that stays open."""
        out = ""
        while self._open and self._open[-1][0] != element:
            out += self._open.pop()[1]
        return out

    def _element(self, index: int, tag: str, attributes: Mapping[str, str | None], *, holds_text: bool) -> str:
        """Return the markup at the start of an element."""
        box = _placeholder(tag, attributes)
        if not holds_text and tag not in _TABLE:
            return f"<{tag}>" if tag in _VOID else box
        link = self._open[-1][2] if self._open else ""
        if tag == "a":
            link = shorten(attributes.get("href") or "", MAX_NAME_CHARS)
        if tag in _LEFT_OUT or tag in _VOID or len(self._open) > MAX_DEPTH:
            self._open.append((index, "", link))
            return box
        written = tag if tag in TAGS else "div" if tag in BLOCK_TAGS else "span"
        name = "wm-link" if tag == "a" and link else _CLASSES.get(tag, "")
        name = name and f' class="{name}"'
        self._open.append((index, f"</{written}>", link))
        return f"{box}<{written}{name}{_attributes(written, attributes)}>"

    def _leaf(self, leaf: int) -> str:
        """Return a leaf in its mark, preceded by the white space before it."""
        leaves, mark = self._leaves, self._marks[leaf]
        space = " " if leaves.spaced[leaf] and not leaves.breaks[leaf] else ""
        if mark is None:
            return f"{space}<span>{escaped(leaves.texts[leaf])}</span>"
        link = self._open[-1][2] if self._open else ""
        label = f"{mark.label}\n→ {link}" if link else mark.label
        return space + _marked(mark, leaves.texts[leaf], label, self._named)


def _marked(mark: Mark, text: str, label: str, named: set[int]) -> str:
    """Return a text in its mark; the first one of a block can be reached by keyboard."""
    focus = "" if mark.block in named else ' tabindex="0"'
    named.add(mark.block)
    return f'<span class="wm {mark.classes}" data-block="{mark.block}" title="{escaped(label)}"{focus}>{escaped(text)}</span>'


def _attributes(tag: str, given: Mapping[str, str | None]) -> str:
    """Return the markup of the attributes that are written."""
    out = ""
    if given:
        for name in ("dir", "lang", *_OF_TAGS.get(tag, ())):
            value = (given.get(name) or "").strip().lower() if name in given else ""
            if value and _CHECKED[name](value):
                out += f' {name}="{value}"'
    return out


def _root_attributes(document: Document, language: str) -> str:
    """Return the page's language and direction: from the root, else from the body, else the given language."""
    elements = document.elements
    merged: dict[str, str | None] = {"lang": language}
    for attributes in reversed(elements.attributes_of(elements.of_tags(("html", "body"))[:2])):
        own = _attributes("html", attributes)
        merged |= {name: attributes[name] for name in ("dir", "lang") if f" {name}=" in own}
    return _attributes("html", merged)


def _image(text: str) -> str:
    return f'<span class="wm-image" role="img" aria-label="{escaped(text)}">{escaped(text)}</span>'


def _placeholder(tag: str, attributes: Mapping[str, str | None]) -> str:
    """Return a placeholder for a picture, a player or a form field."""
    if tag == "img":
        text = fold_space(attributes.get("alt") or "")
        return _image(shorten(text, MAX_NAME_CHARS)) if text else '<span class="wm-image"></span>'
    if tag in _PLAYERS:
        return _image(tag)
    if tag == "input" and (attributes.get("type") or "").lower() not in ("hidden", "checkbox", "radio", "image"):
        text = fold_space(attributes.get("value") or attributes.get("placeholder") or "")
        return f'<span class="wm-control">{escaped(shorten(text, MAX_NAME_CHARS))}</span>'
    return ""


def _lines(texts: Sequence[str], marks: Sequence[Mark | None]) -> str:
    """Return source lines as a numbered list; lines without text are left out."""
    named: set[int] = set()
    out = ['<ol class="wm-lines">']
    for number, (text, mark) in enumerate(zip(texts, marks, strict=True), start=1):
        if text and mark is not None:
            out.append(f'<li value="{number}">{_marked(mark, text, mark.label, named)}</li>')
    return "".join([*out, "</ol>"])
