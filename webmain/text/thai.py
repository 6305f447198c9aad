"""Thai words: maximal matching of PyThaiNLP's dictionary between the borders of Thai character clusters.

The breaks are those of PyThaiNLP's `newmm` engine, in about two thirds of its time: the dictionary's words and their
beginnings stand in one hash table, which is asked at the borders of clusters only, and a text is never copied. (Its
`newmm-safe` cuts a long phrase every hundred characters or so and thereby some compound words.) Loading takes 0.3 s.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from heapq import heappop, heappush
from itertools import pairwise

MAX_EDGES = 50
"""Words of the dictionary in an undecided stretch, above which only the shortest at each place is followed."""

_BEGINNING, _SHORT_WORD, _WORD = 0, 1, 2
_SHORT = re.compile("[\u0e01-\u0e2e]{1,2}")  # up to two consonants: too little to end an unknown word
_OTHER = re.compile(r" +|\.+")


def keep_pythainlp_quiet() -> None:
    """Tell PyThaiNLP, before it is imported, to download nothing and to make no folder in the user's home.

    What the environment says already stays: `PYTHAINLP_READ_ONLY=0` lets it write again.
    """
    os.environ.setdefault("PYTHAINLP_OFFLINE", "1")
    if "PYTHAINLP_READ_MODE" not in os.environ:  # the old name; both together are an error there
        os.environ.setdefault("PYTHAINLP_READ_ONLY", "1")


@cache
def _entries() -> Mapping[str, int]:
    """Load the dictionary (once per process): every word and every beginning of one, and which it is."""
    keep_pythainlp_quiet()
    from pythainlp.corpus import thai_words

    found = {word for word in map(str.strip, thai_words()) if word}
    entries = dict.fromkeys((word[:end] for word in found for end in range(1, len(word))), _BEGINNING)
    for word in found:
        entries[word] = _SHORT_WORD if _SHORT.fullmatch(word) else _WORD
    return entries


@cache
def _borders() -> Callable[[str], list[int]]:
    """Return what gives the offsets at which a text's character clusters begin, and its length."""
    keep_pythainlp_quiet()
    from pythainlp.tokenize import tcc_p

    known = getattr(tcc_p, "_PAT_TCC", None)
    if known is None:
        return lambda text: [0, *sorted(tcc_p.tcc_pos(text))]
    clusters = re.compile(f"(?:{known.pattern})|.", re.DOTALL).finditer
    return lambda text: [0, *(cluster.end() for cluster in clusters(text))]


def segment(text: str) -> list[str]:
    """Return the words of a text of Thai letters, dots and spaces, in order; together they are the text.

    Runs of dots and of spaces are segments of their own; so is what stands between two words of the dictionary. The
    cost is linear in the text's length.
    """
    entries = _entries()
    borders = _borders()(text)
    n_clusters = len(borders) - 1
    found: list[str] = []
    begin = 0
    while begin < n_clusters:
        ends = _ends(text, borders, begin, entries)
        if not ends:
            end = _end_of_unknown(text, borders, begin, entries)
            found.append(text[borders[begin] : borders[end]])
        elif len(ends) == 1:
            end = ends[0]
            found.append(text[borders[begin] : borders[end]])
        else:
            path = _shortest_path(text, borders, begin, ends, entries)
            found.extend(text[borders[a] : borders[b]] for a, b in pairwise(path))
            end = path[-1]
        begin = end
    return found


def _ends(text: str, borders: list[int], begin: int, entries: Mapping[str, int]) -> list[int]:
    """Return where the dictionary's words end that begin at a border, nearest first."""
    start = borders[begin]
    ends = []
    for end in range(begin + 1, len(borders)):
        entry = entries.get(text[start : borders[end]])
        if entry is None:
            break
        if entry:
            ends.append(end)
    return ends


def _shortest_path(text: str, borders: list[int], begin: int, ends: list[int], entries: Mapping[str, int]) -> list[int]:
    """Follow all readings until they meet, and return the borders of the one with the fewest words."""
    edges = {begin: ends[: MAX_EDGES + 1]}
    n_edges = len(edges[begin])
    pending = list(edges[begin])  # ascending, therefore a heap
    while len(pending) > 1:
        place = heappop(pending)
        following = _ends(text, borders, place, entries)
        if n_edges + len(following) > MAX_EDGES:
            del following[max(1, MAX_EDGES + 1 - n_edges) :]
        n_edges += len(following)
        edges[place] = following
        for end in following:
            if end not in pending:
                heappush(pending, end)
    return _backwards(edges, begin, pending[0])


def _backwards(edges: Mapping[int, list[int]], begin: int, goal: int) -> list[int]:
    """Return the first of the shortest paths, breadth first."""
    reached = {begin: begin}
    queue = [begin]
    for place in queue:
        for end in edges.get(place, ()):
            if end not in reached:
                reached[end] = place
                queue.append(end)
        if goal in reached:
            break
    path = [goal]
    while path[-1] != begin:
        path.append(reached[path[-1]])
    return path[::-1]


def _end_of_unknown(text: str, borders: list[int], begin: int, entries: Mapping[str, int]) -> int:
    """Return the border at which the next word begins after one that the dictionary doesn't have."""
    other = _OTHER.match(text, borders[begin])
    if other:
        return begin + other.end() - other.start()  # each dot and space is a cluster of its own
    for place in range(begin + 1, len(borders) - 1):
        if text[borders[place]] in ". " or _begins_word(text, borders, place, entries):
            return place
    return len(borders) - 1


def _begins_word(text: str, borders: list[int], place: int, entries: Mapping[str, int]) -> bool:
    """Tell whether a word of the dictionary, longer than two consonants, begins at a border."""
    start = borders[place]
    for end in range(place + 1, len(borders)):
        entry = entries.get(text[start : borders[end]])
        if entry is None:
            return False
        if entry == _WORD:
            return True
    return False
