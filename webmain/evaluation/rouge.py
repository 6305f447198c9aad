"""ROUGE-LSum: of each gold line, the tokens it has in common with any predicted line in the same order, united.

All gold lines are compared with a predicted line at once: each is a lane of bits in one big integer, with one bit between
lanes that stops carries. The lengths come from the bit-parallel recurrence of `webmain.text.lcs`; the common subsequence
itself is read back from the saved rows, in all lanes at once, by the choices of the usual table (up before left, a match
before both), so that the union is the same as that of the `rouge-score` package.

References: C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries" (2004), section 3.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from webmain.text.agreement import Agreement

MAX_TOKENS = 60_000
"""Tokens, in lines that aren't found as they are, among which matches are looked for: two seconds at the most."""

_LONG_LINE = 512
"""Tokens from which a line is compared by itself: its highest bit is known at once then."""

_BLOCK = 256
"""Rows that are kept at a time while a common subsequence is read back; others are computed again."""

_Line = tuple[str, ...]


def summary_level(predicted: Iterable[Sequence[str]], gold: Iterable[Sequence[str]]) -> Agreement:
    """Compare two texts line by line.

    Parameters
    ----------
    predicted, gold : iterable of sequences of str
        The tokens of each line; lines without tokens make no difference.

    Returns
    -------
    Agreement
        `n_common` is the size of the united longest common subsequences, no token counted more often than the
        prediction has it. Where several subsequences are longest, the one counts that the usual table gives.

    Notes
    -----
    Lines found as they are cost nothing. For the others, with n predicted tokens and m gold tokens, n times some 30 steps
    on integers of m bits: 15 ms for 5,000 and 5,000 tokens that are nowhere alike line by line. Beyond `MAX_TOKENS` of
    either, further lines are counted, but nothing in them is matched.
    """
    predicted_lines = Counter(line for tokens in predicted if (line := tuple(tokens)))
    gold_lines = Counter(line for tokens in gold if (line := tuple(tokens)))
    available = _token_counts(predicted_lines)
    united = _token_counts({line: n for line, n in gold_lines.items() if line in predicted_lines})
    others = {line: n for line, n in gold_lines.items() if line not in predicted_lines}
    times = list(others.values())
    for number, token in _united(list(_first(others)), list(_first(predicted_lines))):
        united[token] += times[number]
    return Agreement(
        n_common=(united & available).total(),
        n_predicted=available.total(),
        n_gold=_token_counts(gold_lines).total(),
    )


def _token_counts(lines: Mapping[_Line, int]) -> Counter[str]:
    """Count the tokens of lines that stand there several times."""
    return Counter(chain.from_iterable(chain.from_iterable(repeat(line, n)) for line, n in lines.items()))


def _first(lines: Iterable[_Line]) -> Iterator[_Line]:
    """Return the first lines up to `MAX_TOKENS` tokens, the last one cut."""
    left = MAX_TOKENS
    for line in lines:
        if left <= 0:
            return
        yield line[:left] if len(line) > left else line
        left -= len(line)


def _united(gold: Sequence[_Line], predicted: Sequence[_Line]) -> Iterator[tuple[int, str]]:
    """Yield the tokens of the gold lines that are in the union, each with its line's number."""
    known = set(chain.from_iterable(predicted))
    kept = [(number, tuple(token for token in line if token in known)) for number, line in enumerate(gold)]
    groups = [[line] for line in kept if len(line[1]) >= _LONG_LINE]
    groups.append([line for line in kept if 0 < len(line[1]) < _LONG_LINE])
    for lanes in map(_lanes, groups):
        united = 0
        for rows in {tuple(_rows(line, lanes.places)) for line in predicted}:
            united |= _common(rows, lanes)
        for bit, (number, token) in enumerate(lanes.tokens):
            if united >> bit & 1:
                yield number, token


def _rows(line: _Line, places: Mapping[str, int]) -> Iterator[int]:
    """Return where each token of a predicted line stands in the lanes; several in a row that stand nowhere are one."""
    before = 0
    for token in line:
        here = places.get(token, 0)
        if here or before:
            yield here
        before = here


@dataclass(frozen=True, slots=True)
class _Lanes:
    """Gold lines as lanes of one big integer.

    Attributes
    ----------
    places : dict of str to int
        Bits at which a token stands.
    inside : int
        All bits of lanes; those between lanes are out.
    spreading : list of (int, int)
        Steps, doubling, by which bits are spread downwards, each with the bits that are reached from within their lane;
        none for a single lane.
    tokens : list of (int, str)
        Line and token of each bit; a bit between lanes has line -1.
    """

    places: dict[str, int]
    inside: int
    spreading: list[tuple[int, int]]
    tokens: list[tuple[int, str]]


def _lanes(lines: Sequence[tuple[int, _Line]]) -> _Lanes:
    """Lay numbered lines side by side."""
    tokens: list[tuple[int, str]] = []
    spans: list[tuple[int, int]] = []
    for number, line in lines:
        spans.append((len(tokens), len(line)))
        tokens.extend((number, token) for token in line)
        tokens.append((-1, ""))
    places: dict[str, int] = {}
    for bit, (number, token) in enumerate(tokens):
        if number >= 0:
            places[token] = places.get(token, 0) | 1 << bit
    longest = max((length for _, length in spans), default=0)
    n_steps = max(1, (longest - 1).bit_length()) if len(spans) > 1 else 0
    return _Lanes(
        places=places,
        inside=_runs(spans),
        spreading=[
            (1 << power, _runs((start, length - (1 << power)) for start, length in spans)) for power in range(n_steps)
        ],
        tokens=tokens,
    )


def _runs(spans: Iterable[tuple[int, int]]) -> int:
    """Return runs of set bits, each given by its lowest bit and its length; lengths below 1 are left out."""
    bits = 0
    for start, length in spans:
        if length > 0:
            bits |= ((1 << length) - 1) << start
    return bits


def _common(rows: tuple[int, ...], lanes: _Lanes) -> int:
    """Return the bits that are in the longest common subsequence of their lane with one predicted line."""
    starts = []
    row = lanes.inside
    for number, here in enumerate(rows):
        if number % _BLOCK == 0:
            starts.append(row)
        row = _next(row, here, lanes.inside)
    common, left = 0, lanes.inside
    for number in reversed(range(len(starts))):
        block = rows[number * _BLOCK : (number + 1) * _BLOCK]
        found, left = _read_back(block, starts[number], left, lanes)
        common |= found
        if not left:
            break
    return common


def _next(row: int, here: int, inside: int) -> int:
    """Go on by one predicted token: a zero bit is a place where the common subsequence's length grows by one."""
    matches = row & here
    return ((row + matches) | (row - matches)) & inside


def _read_back(block: tuple[int, ...], row: int, left: int, lanes: _Lanes) -> tuple[int, int]:
    """Go back through the table's rows, in each lane from the highest bit that is `left`.

    Returns
    -------
    common, left : int
        The bits of the common subsequences, and those that are still before them.
    """
    saved = []
    for here in block:
        row = _next(row, here, lanes.inside)
        saved.append(row)
    common = 0
    single = not lanes.spreading
    for here, row in zip(reversed(block), reversed(saved), strict=True):
        below = left & (here | (lanes.inside ^ row))  # a match, or the length grows here: no way up from either
        if single:
            below = (1 << below.bit_length()) - 1
        for step, reached in lanes.spreading:
            below |= below >> step & reached
        taken = (below ^ below >> 1) & here
        common |= taken
        left = below ^ taken
        if not left:
            break
    return common, left
