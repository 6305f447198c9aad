"""Snippets: the passage of a text where a query's words stand closest together, with their places."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from webmain.store.query import Part, tokens_of
from webmain.text.normal import compose, is_unspaced, replace_surrogates, strip_unprinted
from webmain.text.words import words

WIDTH = 240
"""Characters of a snippet, cut signs not counted."""

_STRETCH = 20_000
"""Characters that are segmented at once, until a passage is found."""

_SHORT = 1_000
"""Characters up to which a text is simply read from its beginning."""

_MARGIN = 200
_MAX_STRINGS = 200

_BLANKS = str.maketrans(dict.fromkeys("\t\n\r\x0b\x0c\x85\u2028\u2029", " "))


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage of a stored text.

    Attributes
    ----------
    text : str
        As it stands there, with line breaks and tabs as spaces; "…" where it was cut.
    marks : tuple of (int, int)
        Half-open ranges of `text` that the query names, ascending and disjoint.
    """

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def marked(self, before: str, after: str) -> str:
        """Return the text with something put before and after each mark."""
        out, at = [], 0
        for start, end in self.marks:
            out += [self.text[at:start], before, self.text[start:end], after]
            at = end
        return "".join([*out, self.text[at:]])


@dataclass(frozen=True, slots=True)
class _Token:
    """A token of the index, with the word's place in the text it was read from."""

    form: str
    start: int
    end: int


def snippet(text: str, parts: Sequence[Part], *, width: int = WIDTH) -> Snippet:
    """Cut out the passage with most of a query's parts in it; the text's beginning where it has none.

    Parameters
    ----------
    text : str
        Any length; a long one is not read as a whole: the passage is the best near the words' first 200 places.
    parts : sequence of Part
    width : int
        Characters of the passage, at most; 0 for none.
    """
    if width <= 0:
        return Snippet("")
    for first, end in _stretches(text, parts, width):
        tokens = list(_tokens(text[first:end]))
        found = sorted(_matches(tokens, parts))
        if found:
            return _cut(text, [(start + first, end + first, part) for start, end, part in found], tokens, first, width)
    return _lead(text, width)


def _stretches(text: str, parts: Sequence[Part], width: int) -> Iterator[tuple[int, int]]:
    """Yield where to look: in a long text first around where the words stand as strings, then all of it in order."""
    if len(text) > _SHORT:
        found = sorted(_strings(text, parts))
        if found:
            place = found[_best(found, width)][0]
            yield _at_space(text, place - width - _MARGIN), _at_space(text, place + width + _MARGIN)
    for first in range(0, max(len(text), 1), _STRETCH):
        yield first, first + _STRETCH + width


def _strings(text: str, parts: Sequence[Part]) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and number of the part where its first token stands as a string, so many times at most."""
    folded = text.lower()
    if len(folded) != len(text):
        return
    for number, part in enumerate(parts):
        token = part.tokens[0]
        pattern = re.escape(token) if is_unspaced(token) else rf"\b{re.escape(token)}\b"
        for match in itertools.islice(re.finditer(pattern, folded), _MAX_STRINGS):
            yield match.start(), match.end(), number


def _at_space(text: str, place: int) -> int:
    """Return the place after the last space before this one; the place itself where there is none near."""
    place = max(place, 0)
    return text.rfind(" ", max(0, place - _MARGIN), place) + 1 or place


def _lead(text: str, width: int) -> Snippet:
    """Return the beginning, cut at a space where there is one."""
    text = text.translate(_BLANKS).strip()
    if len(text) <= width:
        return Snippet(text)
    space = text.rfind(" ", width // 2, width)
    return Snippet(text[: space if space > 0 else width].rstrip() + "…")


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the tokens of a text with the places of their words; what normalisation has changed is left out."""
    clean, origin = _clean(text)
    forms: dict[str, tuple[str, ...]] = {}
    at, allowance = 0, 8
    for word in words(text):
        found = clean.find(word, at)
        if found < 0 or sum(map(str.isalnum, clean[at:found])) > allowance:
            allowance += 2 * len(word) + 8  # repaired by the segmenter: its letters stand there in another order
            continue
        at, allowance = found + len(word), 8
        if word not in forms:
            forms[word] = tokens_of(word)
        for form in forms[word]:
            yield _Token(form, origin[found], origin[at] if at < len(clean) else len(text))


def _clean(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in the form in which it is segmented, and for each character its place in the text."""
    clean = replace_surrogates(compose(strip_unprinted(text)))
    if len(clean) == len(text):
        return clean, range(len(text))
    pieces: list[str] = []
    origin: list[int] = []
    starts = [i for i, c in enumerate(text) if i == 0 or not unicodedata.combining(c)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        piece = compose(strip_unprinted(text[start:end]))
        pieces.append(piece)
        origin += [start] * len(piece)
    return replace_surrogates("".join(pieces)), origin


def _matches(tokens: Sequence[_Token], parts: Sequence[Part]) -> Iterator[tuple[int, int, int]]:
    """Yield start, end and number of the part for each place where a part stands."""
    places: dict[str, list[int]] = {}
    for i, token in enumerate(tokens):
        places.setdefault(token.form, []).append(i)
    for number, part in enumerate(parts):
        n = len(part.tokens)
        for i in places.get(part.tokens[0], ()):
            if i + n <= len(tokens) and all(tokens[i + k].form == part.tokens[k] for k in range(1, n)):
                yield tokens[i].start, tokens[i + n - 1].end, number


def _cut(
    text: str, found: Sequence[tuple[int, int, int]], tokens: Sequence[_Token], offset: int, width: int
) -> Snippet:
    """Cut the best passage out of the whole text."""
    best = _best(found, width)
    first = found[best][0]
    starts = [token.start + offset for token in tokens]
    if len(text) <= width:
        start, end = 0, len(text)
    else:
        earliest = max(0, min(first - width // 4, len(text) - width))
        start = 0 if earliest == 0 else min((s for s in starts if s >= earliest), default=first)
        start = min(start, first)
        end = min(len(text), start + width)
        if end < len(text):
            end = max([s for s in starts if start < s <= end], default=end)
    end = max(end, min(found[best][1], start + width))
    passage = text[start:end].translate(_BLANKS)
    lead = len(passage) - len(passage.lstrip())
    head = "…" if start else ""
    shift = len(head) - start - lead
    shown = head + passage.strip() + ("…" if end < len(text) else "")
    marks = _joined((s + shift, min(e, end) + shift) for s, e, _ in found if start <= s < end)
    return Snippet(shown, marks)


def _best(found: Sequence[tuple[int, int, int]], width: int) -> int:
    """Return the match that a passage of this width begins with to hold most distinct parts, then most matches."""
    room = width - width // 4
    inside: dict[int, int] = {}
    best, most, last = 0, (0, 0), 0
    for i, (start, _, part) in enumerate(found):
        while last < len(found) and found[last][1] <= start + room:
            inside[found[last][2]] = inside.get(found[last][2], 0) + 1
            last += 1
        here = (sum(n > 0 for n in inside.values()), max(0, last - i))
        if here > most:
            best, most = i, here
        if last > i:
            inside[part] -= 1
        else:
            last = i + 1
    return best


def _joined(ranges: Iterator[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Join ranges that overlap."""
    out: list[tuple[int, int]] = []
    for start, end in ranges:
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        elif end > start:
            out.append((start, end))
    return tuple(out)
