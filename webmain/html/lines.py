"""Splits a page's source into lines in one linear scan, without a tree; the input of the Line-Block method.

The scan follows the tokenizer of the HTML standard as far as a regular expression can: quoted attributes may contain `>`,
scripts end only at their own end tag, unclosed comments and tags extend to the end of the page. Possessive quantifiers, and
no alternative that fails after a long run, make the cost linear on any input.

References
----------
Pan Ei San, Nilar Aye: Main Content Extraction from Dynamic Web Pages, sections IV.A (line, anchor text, tag), V (steps 1,
2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from webmain.html.flattening import MAX_PIECES
from webmain.items import Reason, Rejected
from webmain.text.normal import fold_space

BLOCK_TAGS = frozenset(
    "p div h1 h2 h3 h4 h5 h6 li td th tr table ul ol dl dt dd blockquote pre section article header footer nav aside "
    "main figure figcaption br hr form".split()
)
"""Each of these starts a line; its end tag ends one."""

_HEAD_TAGS = frozenset(("html", "head", "meta", "link", "base", "basefont", "bgsound", "noscript"))
"""Tags allowed in a head besides title, script, style and template; any other ends it."""

_UNSHOWN = frozenset(("audio", "video", "canvas", "datalist", "desc", "metadata", "defs"))
"""Elements whose text is not shown, besides templates: fallbacks for old browsers, descriptions inside drawings."""

_CONTROLS = frozenset(("button", "input", "meter", "optgroup", "option", "progress", "select"))
"""Inline form controls, which separate words (as `textarea` does)."""

_NEVER_HIDDEN = frozenset(("html", "body", "p", "li", "dt", "dd", "tr", "td", "th", "option"))
"""Elements never treated as hidden: without a tree the end of those with optional end tags is unknown, and scripts show a
hidden body."""

_VOID = frozenset(
    ("br", "hr", "img", "input", "meta", "link", "area", "base", "col", "embed", "source", "track", "wbr")
)


def _any_case(name: str) -> str:
    """Return a pattern of a name in any case that is faster than `re.I`, which disables first-character optimisation."""
    return "".join(f"[{letter}{letter.upper()}]" for letter in name)


_SPACE = r"[ \t\n\r\f]"
_NAME_END = r"[ \t\n\r\f/>]"
_ATTRIBUTES = rf"""
    [^>=]*+ (?: (?: ="[^"]*+" | = {_SPACE}*+ (?: "[^"]*+(?:"|\Z) | '[^']*+(?:'|\Z) | [^ \t\n\r\f>]*+ ) ) [^>=]*+ )*+
"""
_DROPPED_RAW = "|".join(
    rf"{name} (?={_NAME_END}) {_ATTRIBUTES} (?:>|\Z) [^<]*+ (?: < (?!/{name}{_NAME_END}) [^<]*+ )*+ (?:</[^>]*+(?:>|\Z)|\Z)"
    for name in map(_any_case, ("script", "style", "iframe", "noembed", "noframes"))
)
_SHOWN_RAW = "|".join(map(_any_case, ("title", "textarea", "xmp")))
_TOKEN = re.compile(
    rf"""<(?:
    {_DROPPED_RAW}
  | (?=[tTxX]) ( ({_SHOWN_RAW}) (?={_NAME_END}) {_ATTRIBUTES} (?:>|\Z)              # 1, 2: a raw element and its name
        [^<]*+ (?: < (?!/(?i:\2){_NAME_END}) [^<]*+ )*+ ) (?: </ [^>]*+ (?:>|\Z) | \Z)
  | (/?[a-zA-Z][^ \t\n\r\f/>]*+) (?: > | ({_ATTRIBUTES}) (?:>|\Z) )                  # 3, 4: a tag
  | !-- (?: -?> | [^-]*+ (?: - (?!-!?>) [^-]*+ )*+ (?: --!?> | \Z ) )               # a comment
  | !\[[cC][dD][aA][tT][aA]\[ [^\]]*+ (?: \] (?!\]>) [^\]]*+ )*+ (?: \]\]> | \Z )
  | [!?/] [^>]*+ (?:>|\Z)                                                           # doctype, <?...>, </>
    )""",
    re.X,
)
_GROUPS = 4
_RAW_START = re.compile(rf"\A [a-zA-Z]++ {_ATTRIBUTES} (?:>|\Z)", re.X)
_SHADOW_ROOT = re.compile(r"\bshadowroot(?:mode)?\b", re.I)
_VALUES = re.compile(r"= \s*+ (?: \"[^\"]*+\"? | '[^']*+'? | [^\s>]*+ )", re.X)
_HIDDEN_NAME = re.compile(r"hidden (?<=\shidden) (?=[\s=/] | \Z)", re.X)  # text at the start: found fastest
_STYLE = re.compile(r"\s style \s*+ = \s*+ (?: \"([^\"]*+)\" | '([^']*+)' | ([^\s>]*+) )", re.X)
_STREAMED = re.compile(r"""\s id = (["']?) S:[0-9a-f]+ \1 (?=[\s/] | \Z)""", re.X)
"""Servers that stream React send late parts in `<div hidden id="S:1">`, which a script moves into place."""

_HIDDEN_INPUT = re.compile(r"\s type \s*+ = \s*+ [\"']?+ hidden (?=[\"'\s/] | \Z)", re.I | re.X)
_NO_DISPLAY = re.compile(r"display \s*+ : \s*+ none", re.X)

MAX_TEXTS = 40_000
"""Limit on lines with text of one page, the same as for text runs of a tree."""

MAX_LINES = 400_000
"""Limit on all lines of one page."""

_Row: TypeAlias = tuple[str, int, int, str]
"""Text, characters of it in hyperlinks, tags, opener."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The lines of a page in order, as columns; includes lines without text, which count for distances.

    Attributes
    ----------
    title : str
        Text of the first `<title>`, entities decoded, white space folded; "" without one.
    texts : list of str
        Each line's text: entities decoded, white space folded; "" for a line without text.
    text_lengths : (n_lines,) int32
        Unicode characters of `texts`.
    anchor_lengths : (n_lines,) int32
        Unicode characters in hyperlinks (`<a href>`), white space folded; at most `text_lengths`.
    n_tags : (n_lines,) int32
        Elements that begin in the line; start and end tag count once.
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
    """Return the lines of a page's source.

    A line begins at each block-level start tag (unless only white space is before it in its line), after each
    block-level end tag, and at each new line of the source outside hyperlinks. Dropped beforehand: the head (its title
    is kept), scripts, styles, comments, CDATA, doctype, templates (not declarative shadow roots), fallback content of
    media, `iframe`, and elements hidden by the attribute `hidden` or `display:none` in their own style. `noscript` and
    `textarea` are text. Form controls separate words.

    Raises
    ------
    Rejected
        `TOO_LARGE`: more than `MAX_PIECES` tags, comments and declarations, `MAX_TEXTS` or `MAX_LINES`.

    Notes
    -----
    Section IV.A of the paper, as read here: an element is one tag ("a complete Hyperlink tag has two markups"). Hidden
    elements end at the matching end tag of their name, counted without a tree; if one has none, nothing is treated as
    hidden on that page. Elements with optional end tags (`p`, `li`, ...) are never treated as hidden. Deviation: the paper
    doesn't say whether end tags break lines; they do here, or text after `</p>` would join it.
    """
    pieces = _TOKEN.split(html, MAX_PIECES + 1)
    if len(pieces) > (MAX_PIECES + 1) * (_GROUPS + 1):
        raise Rejected(Reason.TOO_LARGE, f"more than {MAX_PIECES:,} tags and comments, which is the number allowed")
    may_be_large = len(html) > MAX_LINES and html.count("\n") > MAX_LINES
    if may_be_large and sum(text.count("\n") for text in pieces[:: _GROUPS + 1]) > MAX_LINES:
        raise Rejected(Reason.TOO_LARGE, f"more than {MAX_LINES:,} lines, which is the number allowed")
    title, rows = _scan(pieces, hides=True) or _scan(pieces, hides=False) or ("", [])
    texts, anchor_lengths, n_tags, openers = map(list, zip(*rows, strict=True)) if rows else ([], [], [], [])
    n_texts = len(texts) - texts.count("")
    if n_texts > MAX_TEXTS or len(rows) > MAX_LINES:
        raise Rejected(Reason.TOO_LARGE, f"{n_texts:,} lines with text of {len(rows):,}, more than are allowed")
    return Lines(
        title=title,
        texts=texts,
        text_lengths=np.fromiter(map(len, texts), np.int32, len(texts)),
        anchor_lengths=np.array(anchor_lengths, np.int32),
        n_tags=np.array(n_tags, np.int32),
        openers=openers,
    )


def _scan(pieces: list[str], *, hides: bool) -> tuple[str, list[_Row]] | None:
    """Return the title and the lines from the result of `_TOKEN.split`, text and four groups per token.

    None if `hides` and a hidden element has no end. One loop in three steps: the tag's kind, its effect, the text after it.
    It is one function because all three change the same dozen variables, some thousand times per page.
    """
    title: str | None = None
    rows: list[_Row] = []
    parts: list[str] = []  # the line's text so far
    link = -1  # where in `parts` the open hyperlink begins; -1 outside
    n_linked = n_tags = svg_depth = 0
    opener = ""
    in_head = after_block = True
    saw_block = False
    blanks: dict[str, int] = {}  # new lines in each white space between tags, which mostly repeats
    add, kinds = rows.append, _KINDS
    column: Iterator[Any] = chain((None,) * _GROUPS, pieces)  # the first text has no token before it
    tokens = zip(column, column, column, column, column, strict=True)
    for raw, raw_name, name, attributes, text in tokens:
        if name:
            kind = kinds.get(name)
            if kind is None:
                name, kind = _rare_kind(name.lower(), attributes)
            if kind >= _OPEN:
                in_head = False
                if kind == _OPEN_BLOCK:
                    saw_block = True
                    if n_tags or parts:
                        add(_line(parts, link, n_linked, n_tags, opener) if parts else ("", 0, n_tags, opener))
                        n_linked = n_tags = 0
                        if link > 0:
                            link = 0
                    after_block = False
                    opener = name
                elif kind == _OPEN:
                    pass
                elif kind == _OPEN_ANCHOR:
                    if link >= 0:
                        n_linked += len(_folded(parts[link:]))
                    link = len(parts) if attributes and ("href" in attributes or "href" in attributes.lower()) else -1
                elif kind == _OPEN_CONTROL:
                    if parts and not (name == "input" and attributes and _HIDDEN_INPUT.search(attributes)):
                        parts.append(" ")
                elif kind == _OPEN_DRAWING:
                    svg_depth += 1
                if (
                    attributes
                    and ("none" in attributes or "hidden" in attributes)
                    and hides
                    and _hides(name, attributes)
                ):
                    if kind == _OPEN_ANCHOR:
                        link = -1
                    text = _text_after(name, tokens)
                    if text is None:
                        return None
                else:
                    n_tags += 1
            elif kind == _CLOSE_BLOCK:
                if n_tags or parts:
                    add(_line(parts, link, n_linked, n_tags, opener) if parts else ("", 0, n_tags, opener))
                    n_linked = n_tags = 0
                    if link > 0:
                        link = 0
                    opener = ""
                    after_block = True
            elif kind == _CLOSE_ANCHOR:
                if 0 <= link < len(parts):
                    n_linked += len(_folded(parts[link:]))
                link = -1
            elif kind == _PASS:
                pass
            elif kind == _CLOSE_CONTROL:
                if parts:
                    parts.append(" ")
            elif kind == _OPEN_HEAD:
                n_tags += not in_head
            elif kind == _CLOSE_DRAWING:
                svg_depth = max(0, svg_depth - 1)
            elif kind == _OPEN_BODY:
                in_head = False
                if not saw_block:  # everything before belonged to the head
                    rows.clear()
                    parts.clear()
                    link = min(link, 0)
                    n_linked = n_tags = 0
                    after_block = True
            elif kind == _OPEN_UNSHOWN and hides and not (attributes and attributes.endswith("/")):
                text = _text_after(name, tokens)
                if text is None:
                    return None
        elif raw:
            content = _RAW_START.sub("", raw, count=1)
            if raw_name.lower() == "title":
                if title is None and not svg_depth:
                    title = " ".join(unescape(content).split())
            else:
                in_head = False
                n_tags += 1
                content = content.replace("&", "&amp;") if raw_name.lower() == "xmp" else content
                text = f" {content} {text}"
        if not text:
            continue
        n_ends = blanks.get(text)
        if n_ends is None and text.isspace():
            n_ends = blanks[text] = text.count("\n")
        if n_ends is None:
            in_head = False
            if "&" in text:
                text = unescape(text)
            if link >= 0 or "\n" not in text:
                if parts or not text.isspace():
                    parts.append(text)
                continue
            first, *whole, text = text.split("\n")
            if first and not first.isspace():
                parts.append(first)
        elif in_head:
            continue
        elif link >= 0 or not n_ends:
            if parts:
                parts.append(" ")
            continue
        if n_tags or parts or not after_block:  # a new line right after a block's end adds no line
            add(_line(parts, link, n_linked, n_tags, opener) if parts else ("", 0, n_tags, opener))
            n_linked = n_tags = 0
            opener = ""
        after_block = False
        if n_ends is None:
            rows += [(" ".join(line.split()), 0, 0, "") for line in whole]
            if text and not text.isspace():
                parts.append(text)
        elif n_ends > 1:
            rows += [_NOTHING] * (n_ends - 1)
    if n_tags or parts:
        add(_line(parts, link, n_linked, n_tags, opener))
    return title or "", rows


def _rare_kind(name: str, attributes: str | None) -> tuple[str, int]:
    """Return name and kind of a tag that is in capitals or not in the table; a shadow root counts as a `div`."""
    kind = _KINDS.get(name)
    if kind is not None:
        return name, kind
    if name == "template":
        return ("div", _OPEN_BLOCK) if attributes and _SHADOW_ROOT.search(attributes) else (name, _OPEN_UNSHOWN)
    return name, _PASS if name[0] == "/" else _OPEN


def _line(parts: list[str], link: int, n_linked: int, n_tags: int, opener: str) -> _Row:
    """Return a line made of its parts, and clear them; a hyperlink may be open from part `link` on."""
    if link >= 0:
        n_linked += len(_folded(parts[link:]))
    text = _folded(parts)
    parts.clear()
    return text, n_linked, n_tags, opener


def _folded(parts: list[str]) -> str:
    """Return the parts of a line joined, white space folded."""
    return fold_space("".join(parts))


def _text_after(name: str, tokens: Iterator[tuple[Any, ...]]) -> str | None:
    """Skip to the end tag of an open element and return the text after it; None if the page ends first."""
    depth = 1
    end = f"/{name}"
    for _, _, other, _, text in tokens:
        if other:
            other = other.lower()
            if other == end:
                depth -= 1
                if not depth:
                    return str(text)
            elif other == name:
                depth += 1
    return None


_NOTHING: _Row = ("", 0, 0, "")


def _hides(name: str, attributes: str) -> bool:
    """Return True if these attributes hide their element, and its end can be found without a tree."""
    if name in _NEVER_HIDDEN or name in _VOID or attributes.endswith("/"):
        return False
    plain = attributes.lower()  # mostly aria-hidden or fill="none"
    if not (_HIDDEN_NAME.search(plain) or _NO_DISPLAY.search(plain)) or _STREAMED.search(attributes):
        return False
    if _HIDDEN_NAME.search(_VALUES.sub("= ", plain)):
        return "until-found" not in attributes
    style = _STYLE.search(plain)
    return style is not None and _NO_DISPLAY.search(style[style.lastindex or 0]) is not None


_PASS, _CLOSE_BLOCK, _CLOSE_ANCHOR, _CLOSE_CONTROL, _CLOSE_DRAWING, _OPEN_HEAD, _OPEN_BODY, _OPEN_UNSHOWN = range(8)
_OPEN, _OPEN_BLOCK, _OPEN_ANCHOR, _OPEN_CONTROL, _OPEN_DRAWING = range(8, 13)  # start tags that count

_INLINE_TAGS = "abbr b cite code em font i img label path picture small source span strong sup svg time u"

_KINDS: Mapping[str, int] = {
    **dict.fromkeys(_INLINE_TAGS.split(), _OPEN),  # like every other start tag, but found faster
    **dict.fromkeys((f"/{name}" for name in _INLINE_TAGS.split()), _PASS),
    **dict.fromkeys(sorted(BLOCK_TAGS), _OPEN_BLOCK),
    **dict.fromkeys(sorted(f"/{name}" for name in BLOCK_TAGS), _CLOSE_BLOCK),
    **dict.fromkeys(sorted(_CONTROLS), _OPEN_CONTROL),
    **dict.fromkeys(sorted(f"/{name}" for name in _CONTROLS), _CLOSE_CONTROL),
    **dict.fromkeys(sorted(_HEAD_TAGS), _OPEN_HEAD),
    **dict.fromkeys(sorted(_UNSHOWN), _OPEN_UNSHOWN),
    "a": _OPEN_ANCHOR,
    "/a": _CLOSE_ANCHOR,
    "body": _OPEN_BODY,
    "/head": _OPEN_BODY,
    "svg": _OPEN_DRAWING,
    "/svg": _CLOSE_DRAWING,
}
"""Action for a tag by its lower-case name; every other start tag begins an inline element."""
