"""Tokenizer that drops tags that nest too deep, and attributes beyond a limit.

Its count of open elements is an upper bound of the parser's: an end tag counts only if the parser must obey it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

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
    rb"(?:[ \t\n\r\f/]*+[^ \t\n\r\f/>][^ \t\n\r\f/>=]*+(?:=\"[^\"]*+\"|[ \t\n\r\f]*+=[ \t\n\r\f]*+"
    rb"(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\r\f>\"'][^ \t\n\r\f>]*+)?+)?+)*+[ \t\n\r\f/]*+"
)
TAG = lazy(_NAME + ATTRIBUTES + rb"(?:>|\Z)")
_NO_TAG = rb"!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>|\Z))|[!?/][^>]*+(?:>|\Z)"
_TOKEN = lazy(rb"<(?:(/?)" + TAG.pattern + rb"|" + _NO_TAG + rb")")
_ELEMENT_OR_TOKEN = lazy(  # the name of an end tag; or of a start tag, and whether the element has only text and ends
    rb"<(?:/" + TAG.pattern + rb"|" + TAG.pattern + rb"(?:[^<]*+(</)\2>)?+|" + _NO_TAG + rb")"
)
RAW = frozenset("script style textarea title xmp iframe noembed noframes".split())
_RAW_ENDS = {
    name: lazy(b"</" + "".join(f"[{c}{c.upper()}]" for c in name).encode() + b"(?=%s)" % AFTER_NAME) for name in RAW
}
ATTRIBUTE = lazy(rb"[^\s/>=][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"?|'[^']*+'?|[^\s>]*+))?")
_FORMATTING_TAG = lazy(b"<(?:%s)" % "|".join(sorted(FORMATTING)).encode() + AFTER_NAME, re.IGNORECASE)


class _Tag(NamedTuple):
    """What a tag's name implies."""

    name: str
    closes: frozenset[str]
    is_anew: bool
    is_formatting: bool
    is_ambiguous: bool
    is_barrier: bool
    is_drawing: bool

    @classmethod
    def of(cls, raw_name: bytes) -> Self:
        name = raw_name.decode("utf-8", "replace")
        sets = (_OPENED_ANEW, FORMATTING, _AMBIGUOUS, BARRIERS, _DRAWING)
        return cls(name, _CLOSES.get(name, frozenset()), *(name in names for names in sets))


class _Open(NamedTuple):
    """A start tag that may be open: its name, whether it is kept, and its size in bytes."""

    tag: _Tag
    keep: bool
    n_bytes: int


class _OpenElements:
    """The elements that the parser may have open, a superset of those that it has."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._loose: dict[str, list[_Open]] = {}  # formatting elements whose parent is closed
        self._n_ambiguous = self._n_barriers = 0
        self._is_sure = True
        self.depth = 0
        self.in_drawing = False
        """Whether this is certainly inside a drawing; only there does a slash close an element."""
        self.n_formatting = self.reopened_bytes = 0

    @property
    def is_ambiguous(self) -> bool:
        return self._n_ambiguous > 0

    def hide(self, content: bytes) -> None:
        """Count content that may or may not be markup."""
        self.depth += content.count(b"<")
        self.n_formatting += len(_FORMATTING_TAG.findall(content))
        self._is_sure = self._is_sure and b"<!" not in content

    def open(self, tag: _Tag, *, keep: bool, n_bytes: int) -> None:
        self.in_drawing = tag.name in _FOREIGN or (self.in_drawing and tag.is_drawing)
        if tag.closes:
            self._close_before(tag.closes)
        if tag.name == "a":
            for loose in self._loose.pop("a", ()):
                self._forget(loose)
        self._open.append(_Open(tag, keep, n_bytes))
        self.depth += keep
        self._n_ambiguous += tag.is_ambiguous
        self._n_barriers += tag.is_barrier
        if keep and tag.is_anew:
            self.n_formatting += tag.is_formatting
            self.reopened_bytes += n_bytes

    def _close_before(self, names: frozenset[str]) -> None:
        """Close what a start tag closes: an element with one of these names, and formatting elements in it."""
        for place in range(len(self._open) - 1, max(-1, len(self._open) - 1 - _REACH), -1):
            tag = self._open[place].tag
            if tag.name in names:
                while len(self._open) > place:
                    self._pop()
                return
            if not tag.is_anew:
                return

    def close(self, tag: _Tag) -> bool:
        """Close what an end tag certainly closes; return whether the end tag is kept."""
        was_in_drawing, self.in_drawing = self.in_drawing, False
        ends_others: bool | None = None
        for place in range(len(self._open) - 1, max(-1, len(self._open) - 1 - _REACH), -1):
            other = self._open[place]
            if other.tag is tag and self._is_sure:
                self.in_drawing = was_in_drawing and tag.is_drawing
                if tag.is_anew:
                    del self._open[place]
                    self.depth -= other.keep
                    self._forget(other)
                else:
                    while len(self._open) > place:
                        self._pop()
                return other.keep
            if tag.is_anew:
                if other.tag.is_barrier:
                    return True
            elif self.is_ambiguous:
                return True
            elif not other.tag.is_anew:
                if ends_others is None:
                    ends_others = _ends_others(tag.name, [other.tag.name for other in self._open[-_REACH:]])
                if not (ends_others and other.tag.name in _ENDED_BY_PARENT):
                    return True
        if tag.is_anew and self._is_sure and not self._n_barriers and self._loose.get(tag.name):
            self._forget(self._loose[tag.name].pop())
        return True

    def _pop(self) -> None:
        popped = self._open.pop()
        tag = popped.tag
        self.depth -= popped.keep
        self._n_ambiguous -= tag.is_ambiguous
        self._n_barriers -= tag.is_barrier
        if tag.is_anew and popped.keep:
            self._loose.setdefault(tag.name, []).append(popped)

    def _forget(self, formatting: _Open) -> None:
        """Stop counting a formatting element that the parser won't reopen."""
        if formatting.keep:
            self.n_formatting -= formatting.tag.is_formatting
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
    known: dict[bytes, str] = {}
    total = n_ambiguous = position = 0
    in_drawing = False
    while total <= limit:
        for token in _ELEMENT_OR_TOKEN.finditer(source, position):
            ended, started, is_whole = token.groups()
            if is_whole:
                in_drawing = in_drawing and started.decode("utf-8", "replace") in _DRAWING
                total += 2 * len(names) + 1
                continue
            if (raw_name := ended or started) is None:
                if n_ambiguous and source.startswith(b"<![CDATA[", token.start()):
                    return math.inf
                continue
            if (name := known.get(raw_name)) is None:
                name = known[raw_name] = raw_name.lower().decode("utf-8", "replace")
            if ended:
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
            elif name in RAW:
                found = _RAW_ENDS[name].search(source, token.end())
                position = found.start() if found else len(source)
                if n_ambiguous and source.find(b"<", token.end(), position) >= 0:
                    return math.inf
                break  # what is inside is no markup
            elif n_ambiguous or name not in _NEVER_OPEN:
                if names and name in _CLOSES and names[-1] in _CLOSES[name]:
                    names.pop()
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
class RewrittenSource:
    """Result of `read_tags`: the rewritten source, and upper bounds of the parser's work.

    `steps` is the sum of open elements over all tags, `n_formatting` the maximum of open formatting elements.
    """

    source: bytes
    steps: int
    n_formatting: int
    reopened_bytes: int


def read_tags(
    source: bytes,
    *,
    max_depth: int | None = None,
    max_formatting: int = MAX_PIECES,
    max_steps: float = math.inf,
    enough_formatting: float = math.inf,
) -> RewrittenSource:
    """Return the source without attributes beyond the limits and, if a depth is given, without deeper tags.

    Reading stops after `max_steps`, or with `enough_formatting` formatting elements open; the source must then be read
    again with a depth.
    """
    out: list[bytes] = []
    model = _OpenElements()
    tags: dict[bytes, _Tag] = {}  # one record for all spellings of a name
    raw_ends: dict[str, int] = {}  # where the next end tag of a raw element is
    n_pieces = n_dropped = n_roots = steps = reopened_bytes = most_formatting = written = position = 0
    find_token = _TOKEN.search
    while steps <= max_steps and most_formatting < enough_formatting:
        if (token := find_token(source, position)) is None:
            break
        start, position = token.span()
        n_pieces += 1
        if n_pieces - n_dropped > MAX_PIECES or n_pieces > MAX_READ:
            raise Rejected(Reason.TOO_LARGE, f"more than {MAX_PIECES:,} tags and comments, which is the number allowed")
        slash, raw_name = token.groups()
        if raw_name is None:
            if model.is_ambiguous and source.startswith(b"<![CDATA[", start):
                model.hide(b"<!")
            continue
        steps += model.depth
        if (tag := tags.get(raw_name)) is None:
            lower = raw_name.lower()
            tag = tags[raw_name] = tags.setdefault(lower, _Tag.of(lower))
        keep, name = True, tag.name
        if slash:
            keep = model.close(tag)
        elif name in _ROOTS:
            n_roots += 1
            keep = n_roots <= MAX_ROOT_TAGS
        elif name in RAW:
            end = raw_ends.get(name, -1)
            if end < position:
                found = _RAW_ENDS[name].search(source, position)
                end = raw_ends[name] = found.start() if found else len(source)
            if model.is_ambiguous and source.find(b"<", position, end) >= 0 and (keep := max_depth is None):
                steps += source.count(b"<", position, end) ** 2
                model.hide(source[position:end])
            if keep:
                position = end
        elif name not in VOID or model.is_ambiguous:
            reopened_bytes += model.reopened_bytes
            if max_depth is not None:
                keep = model.depth < max_depth and not (tag.is_formatting and model.n_formatting >= max_formatting)
            if not (model.in_drawing and tag.is_drawing and _closes_itself(source, token)):
                model.open(tag, keep=keep, n_bytes=position - start)
                if tag.is_formatting and model.n_formatting > most_formatting:
                    most_formatting = model.n_formatting
        if not keep:
            n_dropped += 1
            out += (source[written:start], b" ")
            written = position
        elif not slash and token.end() - start > SHORT_TAG:
            shorten = max_depth is not None and tag.is_anew
            for n, attribute in enumerate(ATTRIBUTE.finditer(source, token.end(2), token.end())):
                if n == MAX_ATTRIBUTES or (shorten and attribute.end() - start > SHORT_TAG):
                    out += (source[written : attribute.start()], b">")
                    written = token.end()
                    break
    rewritten = b"".join((*out, source[written:])) if written else source
    return RewrittenSource(rewritten, steps, most_formatting, reopened_bytes)


def _closes_itself(source: bytes, tag: re.Match[bytes]) -> bool:
    """Return True if a tag ends with a slash that is not part of an unquoted value."""
    slash = tag.end() - 2
    return source[slash] == 47 and (slash == tag.end(2) or source[slash - 1] in b"\"' \t\r\n\f")
