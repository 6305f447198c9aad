"""A page as the lines of its source, in one linear scan and without a tree: what the Line-Block method reads.

The scan follows the tokenizer of the HTML standard as far as a regular expression can: quoted attributes may hold `>`,
scripts end at their own end tag only, comments and tags that nobody closed reach to the end of the page. Every
alternative of the expression takes each character once (possessive quantifiers, no alternative that fails after a long
run), so the cost is linear on any input.

References
----------
Pan Ei San, Nilar Aye: Main Content Extraction from Dynamic Web Pages, section IV.A (line, anchor text, tag), V (steps 1
and 2).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape

import numpy as np
from numpy.typing import NDArray

BLOCK_TAGS = frozenset(
    "p div h1 h2 h3 h4 h5 h6 li td th tr table ul ol dl dt dd blockquote pre section article header footer nav aside "
    "main figure figcaption br hr form".split()
)
"""Each of these starts a line; its end tag ends one."""

_HEAD_TAGS = frozenset(("html", "head", "meta", "link", "base", "basefont", "bgsound", "noscript"))
"""What may stand in a head beside title, script, style and template; anything else ends it."""

_UNSHOWN = frozenset(("template", "audio", "video", "canvas", "datalist", "desc", "metadata", "defs"))
"""Elements whose text no reader sees: templates, fallbacks for old browsers, notes inside drawings."""

_NEVER_HIDDEN = frozenset(("html", "body", "p", "li", "dt", "dd", "tr", "td", "th", "option"))
"""Without a tree the end of an element with an optional end tag is not known; and scripts uncover a hidden body."""

_VOID = frozenset(
    ("br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr")
)

_ATTRIBUTES = r"""
    [^>=]*+ (?: = \s*+ (?: "[^"]*+(?:"|\Z) | '[^']*+(?:'|\Z) | [^\s>]*+ ) [^>=]*+ )*+
"""
_TOKEN = re.compile(
    rf"""<(?:
    (script|style|title|textarea|iframe|noembed|noframes|xmp) (?=[\s/>]) {_ATTRIBUTES} (?:>|\Z)  # 1: a raw element
        ( [^<]*+ (?: < (?!/\1[\s/>]) [^<]*+ )*+ )                                                # 2: its content
        (?: </ [^>]*+ (?:>|\Z) | \Z)
  | (/?[a-z][^\s/>]*+) ({_ATTRIBUTES}) (?:>|\Z)                                                  # 3, 4: a tag
  | !-- (?: -?> | [^-]*+ (?: - (?!-!?>) [^-]*+ )*+ (?: --!?> | \Z ) )                            # a comment
  | !\[CDATA\[ [^\]]*+ (?: \] (?!\]>) [^\]]*+ )*+ (?: \]\]> | \Z )
  | [!?/] [^>]*+ (?:>|\Z)                                                                        # doctype, <?...>, </>
    )""",
    re.I | re.X,
)
_GROUPS = 4
_SHADOW_ROOT = re.compile(r"<template(?=\s[^<>]{0,500}\bshadowroot(?:mode)?\b)", re.I)
_MAY_HIDE = re.compile(r"\s hidden (?=[\s=/] | \Z) | display \s*+ : \s*+ none", re.I | re.X)
_VALUES = re.compile(r"= \s*+ (?: \"[^\"]*+\"? | '[^']*+'? | [^\s>]*+ )", re.X)
_HIDDEN_NAME = re.compile(r"\s hidden (?=[\s=/] | \Z)", re.I | re.X)
_STYLE = re.compile(r"\s style \s*+ = \s*+ (?: \"([^\"]*+)\" | '([^']*+)' | ([^\s>]*+) )", re.I | re.X)
_STREAMED = re.compile(r"""\s id = (["']?) S:[0-9a-f]+ \1 (?=[\s/] | \Z)""", re.X)
"""Servers that stream React send late parts in `<div hidden id="S:1">`; a script puts them into their place."""

_NO_DISPLAY = re.compile(r"display \s*+ : \s*+ none", re.I | re.X)


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The lines of a page in order, as columns; lines without text are there too, for they make the distance.

    Attributes
    ----------
    title : str
        Text of the first `<title>`, entities decoded, white space folded; "" without one.
    texts : list of str
        Each line's text: entities decoded, white space folded; "" for a line without text.
    text_lengths : (n_lines,) int32
        Unicode characters of `texts`.
    anchor_lengths : (n_lines,) int32
        Unicode characters inside hyperlinks (`<a href>`), white space folded; at most `text_lengths`.
    n_tags : (n_lines,) int32
        Elements that begin in the line; start and end tag count as one.
    openers : list of str
        Name of the block-level tag that starts the line, "" if none does.
    """

    title: str
    texts: list[str]
    text_lengths: NDArray[np.int32]
    anchor_lengths: NDArray[np.int32]
    n_tags: NDArray[np.int32]
    openers: list[str]

    def __len__(self) -> int:
        return len(self.texts)


def source_lines(html: str) -> Lines:
    """Break a page's source into lines.

    A line begins at each block-level start tag (unless only white space stands before it in its line), after each
    block-level end tag, and at each new line of the source outside hyperlinks. Dropped beforehand: the head (its title
    is kept), scripts, styles, comments, CDATA, doctype, templates (not declarative shadow roots), fallback content of
    media, `iframe`, and elements hidden by the attribute `hidden` or `display:none` in their own style. `noscript` and
    `textarea` are text.

    Notes
    -----
    Section IV.A of the paper; METHODS reading: an element is one tag ("a complete Hyperlink tag has two markups").
    Hidden elements end at the matching end tag of their name, counted without a tree; where there is none, nothing is
    hidden on that page. Elements with optional end tags (`p`, `li`, ...) are never taken for hidden.
    Deviation: the paper doesn't say whether end tags break lines; they do here, or text after `</p>` would join it.
    """
    if "shadowroot" in html:
        html = _SHADOW_ROOT.sub("<div", html)
    pieces = _TOKEN.split(html)
    scan = _Scan(hides=True)
    scan.run(pieces)
    if scan.skipped_name:  # what was hidden never ended: a second scan that hides nothing
        scan = _Scan(hides=False)
        scan.run(pieces)
    return scan.lines()


class _Scan:
    """One pass over the tokens; holds the line being built and the columns of those before it."""

    __slots__ = (
        "after_block",
        "anchor",
        "anchor_length",
        "anchors",
        "has_words",
        "hides",
        "in_head",
        "n_tags",
        "opener",
        "parts",
        "rows",
        "saw_block",
        "skip_depth",
        "skipped_name",
        "svg_depth",
        "title",
    )

    def __init__(self, *, hides: bool) -> None:
        self.hides = hides
        self.title: str | None = None
        self.rows: list[tuple[str, int, int, str]] = []
        self.parts: list[str] = []
        self.anchors: list[str] = []
        self.anchor = False
        self.anchor_length = 0
        self.has_words = False
        self.n_tags = 0
        self.opener = ""
        self.after_block = True
        self.in_head = True
        self.saw_block = False
        self.skipped_name = ""
        self.skip_depth = 0
        self.svg_depth = 0

    def run(self, pieces: list[str]) -> None:
        """Walk through what `_TOKEN.split` gave: text, then four groups a token."""
        if pieces[0].strip():
            self.words(pieces[0])
        actions = _ACTIONS
        step = _GROUPS + 1
        for raw, content, name, attributes, text in zip(
            pieces[1::step], pieces[2::step], pieces[3::step], pieces[4::step], pieces[5::step], strict=True
        ):
            if name:
                action = actions.get(name)
                if action is None:
                    name = name.lower()
                    action = actions.get(name) or (_Scan.pass_over if name[0] == "/" else _Scan.open_inline)
                if self.skipped_name:
                    self.skip(name)
                else:
                    action(self, name, attributes)
            elif raw and not self.skipped_name:
                self.raw(raw.lower(), content)
            if text and not self.skipped_name:
                if not text.isspace():
                    self.words(text)
                elif not self.in_head:
                    self.white_space(text)

    def words(self, text: str) -> None:
        """Add text that isn't all white space, breaking at new lines outside hyperlinks."""
        self.in_head = False
        if "&" in text:
            text = unescape(text)
        if self.anchor:
            self.anchors.append(text)
        elif "\n" in text:
            *lines, text = text.split("\n")
            for line in lines:
                self.parts.append(line)
                self.has_words = self.has_words or not (line.isspace() or not line)
                self.end_source_line()
        self.parts.append(text)
        self.has_words = self.has_words or not (text.isspace() or not text)

    def pass_over(self, name: str, attributes: str) -> None:
        """Do nothing: the element was counted at its start tag."""

    def white_space(self, text: str) -> None:
        """Part words, or end lines."""
        if self.anchor or "\n" not in text:
            self.parts.append(" ")
            if self.anchor:
                self.anchors.append(" ")
        else:
            self.end_source_line()
            n_more = text.count("\n") - 1
            if n_more:
                self.rows.extend([_NOTHING] * n_more)

    def end_source_line(self) -> None:
        """End a line at a new line of the source; one that only follows a block's end is that end's own."""
        if self.after_block and not self.n_tags and not self.has_words:
            self.parts.clear()
        else:
            self.flush()
        self.after_block = False

    def flush(self) -> None:
        """Put the line into the columns and begin another."""
        text = ""
        if self.has_words:
            if self.anchors:
                self.end_anchor_text()
            text = " ".join("".join(self.parts).split())
            self.has_words = False
        elif self.anchors:
            self.anchors.clear()
        self.rows.append((text, self.anchor_length, self.n_tags, self.opener))
        self.parts.clear()
        self.anchor_length = self.n_tags = 0
        self.opener = ""

    def end_anchor_text(self) -> None:
        """Count the characters of the hyperlink read so far."""
        self.anchor_length += len(" ".join("".join(self.anchors).split()))
        self.anchors.clear()

    def open_block(self, name: str, attributes: str) -> None:
        """Begin a line."""
        self.in_head = False
        self.saw_block = True
        if self.n_tags or self.has_words:
            self.flush()
        self.after_block = False
        self.opener = name
        self.open_inline(name, attributes)

    def close_block(self, name: str, attributes: str) -> None:
        """End the line that the block's text stands in."""
        if self.n_tags or self.has_words:
            self.flush()
            self.after_block = True

    def open_inline(self, name: str, attributes: str) -> None:
        """Count an element, and skip it if it is hidden."""
        self.in_head = False
        if ("hidden" in attributes or "none" in attributes) and self.hides and _hides(name, attributes):
            self.skipped_name, self.skip_depth = name, 1
        else:
            self.n_tags += 1

    def open_anchor(self, name: str, attributes: str) -> None:
        """Begin a hyperlink; one inside another ends it, as browsers do."""
        self.close_anchor(name, attributes)
        self.open_inline(name, attributes)
        self.anchor = not self.skipped_name and "href" in attributes.lower()

    def close_anchor(self, name: str, attributes: str) -> None:
        """End a hyperlink."""
        if self.anchors:
            self.end_anchor_text()
        self.anchor = False

    def open_head(self, name: str, attributes: str) -> None:
        """Pass over what stands in the head; count it elsewhere."""
        if not self.in_head:
            self.n_tags += 1

    def open_body(self, name: str, attributes: str) -> None:
        """Leave the head, and forget what was in it."""
        if not self.saw_block:
            self.parts.clear()
            self.anchors.clear()
            self.rows.clear()
            self.n_tags = self.anchor_length = 0
            self.has_words = False
            self.after_block = True
        self.in_head = False

    def open_drawing(self, name: str, attributes: str) -> None:
        """Enter an `svg`, whose titles are not the page's."""
        self.svg_depth += 1
        self.open_inline(name, attributes)

    def close_drawing(self, name: str, attributes: str) -> None:
        """Leave an `svg`."""
        self.svg_depth = max(0, self.svg_depth - 1)

    def open_unshown(self, name: str, attributes: str) -> None:
        """Skip an element whatever its attributes say."""
        if self.hides and not attributes.endswith("/"):
            self.skipped_name, self.skip_depth = name, 1

    def skip(self, name: str) -> None:
        """Count the elements of the skipped one's name, to find its end."""
        if name == self.skipped_name:
            self.skip_depth += 1
        elif name[1:] == self.skipped_name and name[0] == "/":
            self.skip_depth -= 1
            if not self.skip_depth:
                self.skipped_name = ""

    def raw(self, name: str, content: str) -> None:
        """Take the title and what forms and examples show; drop scripts, styles and frames."""
        if name == "title":
            if self.title is None and not self.svg_depth:
                self.title = " ".join(unescape(content).split())
        elif name in {"textarea", "xmp"}:
            self.in_head = False
            self.n_tags += 1
            self.words(content if name == "textarea" else content.replace("&", "&amp;"))

    def lines(self) -> Lines:
        """Return the columns."""
        if self.n_tags or self.has_words:
            self.flush()
        texts = [row[0] for row in self.rows]
        return Lines(
            title=self.title or "",
            texts=texts,
            text_lengths=np.array([len(text) for text in texts], np.int32),
            anchor_lengths=np.array([row[1] for row in self.rows], np.int32),
            n_tags=np.array([row[2] for row in self.rows], np.int32),
            openers=[row[3] for row in self.rows],
        )


_NOTHING = ("", 0, 0, "")


def _hides(name: str, attributes: str) -> bool:
    """Tell whether these attributes hide their element, and its end can be found."""
    if name in _NEVER_HIDDEN or name in _VOID or attributes.endswith("/") or not _MAY_HIDE.search(attributes):
        return False
    if _STREAMED.search(attributes):
        return False
    if _HIDDEN_NAME.search(_VALUES.sub("= ", attributes)):
        return "until-found" not in attributes
    style = _STYLE.search(attributes)
    return style is not None and _NO_DISPLAY.search(style[style.lastindex or 0]) is not None


_INLINE_TAGS = (
    "abbr b button cite code em font i img input label option path picture small source span strong sup svg time u"
)

_ACTIONS: dict[str, Callable[[_Scan, str, str], None]] = {
    **dict.fromkeys(_INLINE_TAGS.split(), _Scan.open_inline),  # every other start tag too; these are found sooner
    **dict.fromkeys((f"/{name}" for name in _INLINE_TAGS.split()), _Scan.pass_over),
    **dict.fromkeys(sorted(BLOCK_TAGS), _Scan.open_block),
    **dict.fromkeys(sorted(f"/{name}" for name in BLOCK_TAGS), _Scan.close_block),
    **dict.fromkeys(sorted(_HEAD_TAGS), _Scan.open_head),
    **dict.fromkeys(sorted(_UNSHOWN), _Scan.open_unshown),
    "a": _Scan.open_anchor,
    "/a": _Scan.close_anchor,
    "body": _Scan.open_body,
    "/head": _Scan.open_body,
    "svg": _Scan.open_drawing,
    "/svg": _Scan.close_drawing,
}
"""What to do at a tag, by its name in lower case; every other start tag begins an inline element."""
