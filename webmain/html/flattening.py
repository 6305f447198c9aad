"""Tokenizer that drops tags that nest too deep, and attributes beyond a limit.

Its count of open elements is an upper bound of the parser's: an end tag counts only if the parser must obey it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from webmain.items import Reason, Rejected
from webmain.regex import lazy

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_PIECES = 150_000
"""Limit on tags, comments and declarations kept of one page. The largest page of the development data has 32,800."""

MAX_READ = 4 * MAX_PIECES
"""The same limit, including those dropped because they are too deep."""

MAX_ATTRIBUTES = 200
"""Attributes of one tag."""

MAX_ROOT_TAGS = 20
"""Limit on start tags of `html` and `body`, whose attributes the parser merges."""

VOID = frozenset(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split()
)
FORMATTING = frozenset("b big code em font i nobr s small strike strong tt u".split())
"""Elements that the parser reopens in each paragraph; also `a`, but each `a` closes the one before, so they don't pile up."""

_OPENED_ANEW = FORMATTING | {"a"}
_ROOTS = frozenset(("html", "head", "body"))
_NEVER_OPEN = VOID | _ROOTS
_ENDED_BY_PARENT = frozenset("p li dt dd option tr td th tbody thead tfoot".split())
_ENDING_OTHERS = frozenset(
    "div ul ol dl li dd dt table section article aside nav header footer main figure blockquote fieldset center".split()
)
"""Elements whose end tag also ends those of `_ENDED_BY_PARENT` inside; other end tags are ignored after them."""

_TABLE_PARTS = frozenset("tr td th tbody thead tfoot".split())
"""The same, in a table; elsewhere the parser ignores them."""

BARRIERS = frozenset(
    "applet caption html table td th marquee object template select svg math button foreignobject desc title".split()
)
"""An end tag outside of these does not close a formatting element inside."""

_FOREIGN = frozenset(("svg", "math"))
_AMBIGUOUS = _FOREIGN | {"select"}
"""Inside these, it is unknown without a tree whether a raw element's content is raw."""

_DRAWING = frozenset(
    "g path use circle rect polygon polyline line ellipse defs symbol clippath mask pattern image text tspan filter marker "
    "lineargradient radialgradient stop animate animatetransform set".split()
)

# Elements that a start tag closes, so that a long list without end tags is not deep.
_CLOSES = {
    "p": frozenset(("p",)),
    "li": frozenset(("li",)),
    "dt": frozenset(("dt", "dd")),
    "dd": frozenset(("dt", "dd")),
    "option": frozenset(("option",)),
    "tr": frozenset(("tr", "td", "th")),
    "td": frozenset(("td", "th")),
    "th": frozenset(("td", "th")),
    "tbody": frozenset(("tbody", "thead", "tfoot", "tr", "td", "th")),
    "a": frozenset(("a",)),
}
SHORT_TAG = 300
_REACH = 8
"""Number of innermost open elements searched for an end tag's start tag."""


AFTER_NAME = rb"[ \t\n\r\f/>]"  # not the vertical tab
_NAME = rb"([a-zA-Z][^ \t\n\r\f/>]*+)"
ATTRIBUTES = (  # of a tag, up to its `>`; quotes count only after =, and = may begin a name
    rb"(?:[ \t\n\r\f/]++|[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+"
    rb"(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\r\f>\"'][^ \t\n\r\f>]*+)?+)?+)*+"
)
TAG = lazy(_NAME + ATTRIBUTES + rb"(?:>|\Z)")
_TOKEN = lazy(rb"<(?:(/?)" + TAG.pattern + rb"|!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>|\Z))|[!?/][^>]*+(?:>|\Z))")
RAW = frozenset("script style textarea title xmp iframe noembed noframes".split())
RAW_ENDS = {
    name.encode(): re.compile(b"</" + "".join(f"[{c}{c.upper()}]" for c in name).encode() + b"(?=%s)" % AFTER_NAME)
    for name in RAW
}
ATTRIBUTE = lazy(rb"[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?")
_FORMATTING_TAG = lazy(b"<(?:%s)" % "|".join(sorted(FORMATTING)).encode() + AFTER_NAME, re.IGNORECASE)


class _Open(NamedTuple):
    """A start tag that may be open: its name, whether it is kept, and its size in bytes."""

    name: str
    keep: bool
    n_bytes: int


class _OpenElements:
    """The elements that the parser may have open, a superset of those that it has."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._loose: dict[str, list[_Open]] = {}  # formatting elements whose parent is closed
        self._n_kept = self._n_hidden = self._n_ambiguous = self._n_barriers = 0
        self._is_sure = True
        self.in_drawing = False
        """Whether this is certainly inside a drawing; only there does a slash close an element."""
        self.n_formatting = self.reopened_bytes = 0

    @property
    def depth(self) -> int:
        return self._n_kept + self._n_hidden

    @property
    def is_ambiguous(self) -> bool:
        return self._n_ambiguous > 0

    def hide(self, content: bytes) -> None:
        """Count content that may or may not be markup."""
        self._n_hidden += content.count(b"<")
        self.n_formatting += len(_FORMATTING_TAG.findall(content))
        self._is_sure = self._is_sure and b"<!" not in content

    def open(self, name: str, *, keep: bool, n_bytes: int) -> None:
        self.in_drawing = name in _FOREIGN or (self.in_drawing and name in _DRAWING)
        if name in _CLOSES:
            self._close_before(_CLOSES[name])
        if name == "a":
            for loose in self._loose.pop(name, ()):
                self._forget(loose)
        self._open.append(_Open(name, keep, n_bytes))
        self._n_kept += keep
        self._n_ambiguous += name in _AMBIGUOUS
        self._n_barriers += name in BARRIERS
        if keep and name in _OPENED_ANEW:
            self.n_formatting += name in FORMATTING
            self.reopened_bytes += n_bytes

    def _close_before(self, names: frozenset[str]) -> None:
        """Close what a start tag closes: an element with one of these names, and formatting elements in it."""
        for place in range(len(self._open) - 1, max(-1, len(self._open) - 1 - _REACH), -1):
            if self._open[place].name in names:
                while len(self._open) > place:
                    self._pop()
                return
            if self._open[place].name not in _OPENED_ANEW:
                return

    def close(self, name: str) -> bool:
        """Close what an end tag certainly closes; return whether the end tag is kept."""
        anew = name in _OPENED_ANEW
        was_in_drawing, self.in_drawing = self.in_drawing, False
        ends_others = _ends_others(name, [other.name for other in self._open[-_REACH:]])
        for place in range(len(self._open) - 1, max(-1, len(self._open) - 1 - _REACH), -1):
            other = self._open[place]
            if other.name == name and self._is_sure:
                self.in_drawing = was_in_drawing and name in _DRAWING
                if anew:
                    del self._open[place]
                    self._n_kept -= other.keep
                    self._forget(other)
                else:
                    while len(self._open) > place:
                        self._pop()
                return other.keep
            if anew:
                if other.name in BARRIERS:
                    return True
            elif self.is_ambiguous or not (
                other.name in _OPENED_ANEW or (ends_others and other.name in _ENDED_BY_PARENT)
            ):
                return True
        if anew and self._is_sure and not self._n_barriers and self._loose.get(name):
            self._forget(self._loose[name].pop())
        return True

    def _pop(self) -> None:
        popped = self._open.pop()
        self._n_kept -= popped.keep
        self._n_ambiguous -= popped.name in _AMBIGUOUS
        self._n_barriers -= popped.name in BARRIERS
        if popped.name in _OPENED_ANEW and popped.keep:
            self._loose.setdefault(popped.name, []).append(popped)

    def _forget(self, formatting: _Open) -> None:
        """Stop counting a formatting element that the parser won't reopen."""
        if formatting.keep:
            self.n_formatting -= formatting.name in FORMATTING
            self.reopened_bytes -= formatting.n_bytes


def _ends_others(name: str, inside: Sequence[str]) -> bool:
    """Return True if an end tag also ends those of `_ENDED_BY_PARENT` inside; `inside` are names of open elements."""
    return name in _ENDING_OTHERS or (name in _TABLE_PARTS and "table" in inside and "template" not in inside)


def open_elements(source: bytes, *, limit: float = math.inf) -> float:
    """Return an upper bound of the parser's open elements, summed over all tags; infinite if unknown or beyond the limit.

    A fast `read_tags` for pages whose tags are nested as they should be: elsewhere end tags are ignored, so the bound is
    loose. In each table the parser may have four elements more open, as it adds rows.
    """
    names: list[str] = []
    total = n_ambiguous = position = 0
    in_drawing = False
    while total <= limit:
        for token in _TOKEN.finditer(source, position):
            if token[2] is None:
                if n_ambiguous and source.startswith(b"<![CDATA[", token.start()):
                    return math.inf
                continue
            lower = token[2].lower()
            name = lower.decode("utf-8", "replace")
            if token[1]:
                is_last = bool(names) and names[-1] == name
                in_drawing = in_drawing and is_last and name in _DRAWING
                if is_last:
                    names.pop()
                    n_ambiguous -= name in _AMBIGUOUS
                elif not n_ambiguous and name in (inside := names[-_REACH:]) and _ends_others(name, inside):
                    place = len(names) - 1
                    while names[place] != name and names[place] in _ENDED_BY_PARENT:
                        place -= 1
                    if names[place] == name:
                        del names[place:]
            elif lower in RAW_ENDS:
                found = RAW_ENDS[lower].search(source, token.end())
                position = found.start() if found else len(source)
                if n_ambiguous and source.find(b"<", token.end(), position) >= 0:
                    return math.inf
                break  # what is inside is no markup
            elif n_ambiguous or name not in _NEVER_OPEN:
                in_drawing = in_drawing and name in _DRAWING
                if not (in_drawing and _closes_itself(source, token)):
                    in_drawing = in_drawing or name in _FOREIGN
                    names.append(name)
                    n_ambiguous += name in _AMBIGUOUS
            total += len(names)
        else:
            return total if total <= limit else math.inf
    return math.inf


@dataclass(frozen=True, slots=True)
class Read:
    """Result of `read_tags`: the rewritten source, and upper bounds of the parser's work.

    `steps` is the sum of open elements over all tags, `n_formatting` the maximum of open formatting elements.
    """

    source: bytes
    steps: int
    n_formatting: int
    reopened_bytes: int


def read_tags(
    source: bytes, *, max_depth: int | None = None, max_formatting: int = MAX_PIECES, max_steps: float = math.inf
) -> Read:
    """Return the source without attributes beyond the limits and, if a depth is given, without deeper tags.

    Reading stops after `max_steps`; the source must then be read again with a depth.
    """
    out: list[bytes] = []
    model = _OpenElements()
    raw_ends: dict[bytes, int] = {}  # where the next end tag of a raw element is
    n_pieces = n_dropped = n_roots = steps = reopened_bytes = most_formatting = written = position = 0
    while steps <= max_steps and (token := _TOKEN.search(source, position)) is not None:
        start, position = token.span()
        n_pieces += 1
        if n_pieces - n_dropped > MAX_PIECES or n_pieces > MAX_READ:
            raise Rejected(Reason.TOO_LARGE, f"more than {MAX_PIECES:,} tags and comments, which is the number allowed")
        if token[2] is None:
            if model.is_ambiguous and source.startswith(b"<![CDATA[", start):
                model.hide(b"<!")
            continue
        steps += model.depth
        lower = token[2].lower()
        name = lower.decode("utf-8", "replace")
        keep = True
        if token[1]:
            keep = model.close(name)
        elif name in _ROOTS:
            n_roots += 1
            keep = n_roots <= MAX_ROOT_TAGS
        elif lower in RAW_ENDS:
            end = raw_ends.get(lower, -1)
            if end < position:
                found = RAW_ENDS[lower].search(source, position)
                end = raw_ends[lower] = found.start() if found else len(source)
            if model.is_ambiguous and source.find(b"<", position, end) >= 0:
                keep = max_depth is None
                if keep:
                    steps += source.count(b"<", position, end) ** 2
                    model.hide(source[position:end])
            if keep:
                position = end
        elif name not in VOID or model.is_ambiguous:
            reopened_bytes += model.reopened_bytes
            if max_depth is not None:
                keep = model.depth < max_depth and (name not in FORMATTING or model.n_formatting < max_formatting)
            if not (model.in_drawing and name in _DRAWING and _closes_itself(source, token)):
                model.open(name, keep=keep, n_bytes=token.end() - start)
                most_formatting = max(most_formatting, model.n_formatting)
        if not keep:
            n_dropped += 1
            out += (source[written:start], b" ")
            written = position
        elif not token[1] and token.end() - start > SHORT_TAG:
            shorten = max_depth is not None and name in _OPENED_ANEW
            for n, attribute in enumerate(ATTRIBUTE.finditer(source, token.end(2), token.end())):
                if n == MAX_ATTRIBUTES or (shorten and attribute.end() - start > SHORT_TAG):
                    out += (source[written : attribute.start()], b">")
                    written = token.end()
                    break
    rewritten = b"".join((*out, source[written:])) if written else source
    return Read(rewritten, steps, most_formatting, reopened_bytes)


def _closes_itself(source: bytes, tag: re.Match[bytes]) -> bool:
    """Return True if a tag ends with a slash that is not part of an unquoted value."""
    slash = tag.end() - 2
    return source[slash] == 47 and (slash == tag.end(2) or source[slash - 1] in b"\"' \t\r\n\f")
