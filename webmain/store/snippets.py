"""Snippets: the passage of a text where a query's words are closest together, with their positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from webmain.store.query import Part, tokens_of
from webmain.text.words import placed_words

WIDTH = 240  # characters of a snippet, without the ellipses
_STRETCH = 20_000  # characters that are segmented at a time, until a match is found
_COMPARED = 50  # most matches that are compared to choose a passage

_BLANKS = str.maketrans(dict.fromkeys("\t\n\r\x0b\x0c\x85\u2028\u2029", " "))


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage of a stored text."""

    text: str  # as stored, with line breaks and tabs as spaces; "…" where it was cut
    marks: tuple[tuple[int, int], ...] = ()  # half-open ranges of `text` that match the query, ascending and disjoint

    def pieces(self) -> list[tuple[str, bool]]:
        """Return the text in pieces, each with whether it matches the query."""
        ends = [0, *(end for mark in self.marks for end in mark), len(self.text)]
        pieces = [(self.text[start:end], n % 2 == 1) for n, (start, end) in enumerate(pairwise(ends))]
        return [piece for piece in pieces if piece[0]]


@dataclass(frozen=True, slots=True)
class _Token:
    """A token of the index, with its word's range in the original text."""

    form: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, order=True)
class _Match:
    """An occurrence of a query part, by its number, as a range of the whole text."""

    start: int
    end: int
    part: int


def snippet(text: str, parts: Sequence[Part], *, width: int = WIDTH) -> Snippet:
    """Return the passage that contains most of a query's parts, or the text's beginning if it has none.

    `text`: any length; only the first 20,000 characters with a match of a long text are read. `width`: most characters
    of the passage; 0 for none.
    """
    if width <= 0:
        return Snippet("")
    for first in range(0, max(len(text), 1), _STRETCH):
        stretch = text[first : first + _STRETCH + width]
        if not _may_match(stretch, parts):
            continue
        tokens = list(_tokens(stretch, first))
        if found := sorted(_matches(tokens, parts)):
            return _cut(text, found, tokens, width)
    return _lead(text, width)


def _may_match(text: str, parts: Sequence[Part]) -> bool:
    """Return False if a plain text lacks some letters of every part."""
    folded = text.lower()
    return not folded.isascii() or any(part.tokens[0] in folded for part in parts)


def _lead(text: str, width: int) -> Snippet:
    """Return the beginning, cut at a space if there is one."""
    text = text.translate(_BLANKS).strip()
    if len(text) <= width:
        return Snippet(text)
    space = text.rfind(" ", width // 2, width)
    return Snippet(text[: space if space > 0 else width].rstrip() + "…")


def _tokens(text: str, offset: int) -> Iterator[_Token]:
    """Yield the tokens of a text with their words' ranges."""
    for word, start, end in placed_words(text):
        for form in tokens_of(word):
            yield _Token(form, offset + start, offset + end)


def _matches(tokens: Sequence[_Token], parts: Sequence[Part]) -> Iterator[_Match]:
    """Yield the ranges where the tokens of a part follow each other."""
    places: dict[str, list[int]] = {}
    for i, token in enumerate(tokens):
        places.setdefault(token.form, []).append(i)
    for number, part in enumerate(parts):
        n = len(part.tokens)
        for i in places.get(part.tokens[0], ()):
            if tuple(token.form for token in tokens[i : i + n]) == part.tokens:
                yield _Match(tokens[i].start, tokens[i + n - 1].end, number)


def _cut(text: str, found: Sequence[_Match], tokens: Sequence[_Token], width: int) -> Snippet:
    """Return the best passage of the whole text, cut between words if possible."""
    best = _best(found, width)
    earliest = max(0, min(best.start - width // 4, len(text) - width))
    starts = [0] if earliest == 0 else [token.start for token in tokens if earliest <= token.start < best.start]
    start = min(starts, default=best.start)
    end = min(len(text), start + width)
    if end < len(text):
        end = max([token.start for token in tokens if start < token.start <= end], default=end)
    end = max(end, min(best.end, start + width))
    passage = text[start:end].translate(_BLANKS)
    head = "…" if start else ""
    shift = len(head) - start - (len(passage) - len(passage.lstrip()))
    shown = head + passage.strip() + ("…" if end < len(text) else "")
    inside = (match for match in found if start <= match.start < end)
    return Snippet(shown, _joined((match.start + shift, min(match.end, end) + shift) for match in inside))


def _best(found: Sequence[_Match], width: int) -> _Match:
    """Return the match to begin a passage of this width with, so that it has most distinct parts, then most matches."""
    most, best = (0, 0), found[0]
    for i, first in enumerate(found):
        last = first.start + width - width // 4
        inside = [match.part for match in found[i : i + _COMPARED] if match.end <= last]
        if (here := (len(set(inside)), len(inside))) > most:
            most, best = here, first
    return best


def _joined(ranges: Iterator[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the ranges with overlapping ones merged."""
    out: list[tuple[int, int]] = []
    for start, end in ranges:
        if out and start < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        elif end > start:
            out.append((start, end))
    return tuple(out)
