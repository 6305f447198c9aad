"""Align two sequences in bounded time.

Equal ends are matched, then items that occur once in each sequence and are in the same order (patience sorting), then the
gaps between them in the same way; a longest common subsequence is computed only within a budget of table cells. The rest
counts as different, so that the worst case costs precision rather than time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

Match: TypeAlias = tuple[int, int]

MAX_CELLS: Final = 200_000
"""Maximum table cells of one alignment."""

MAX_DEPTH: Final = 12
"""Maximum levels at which the gaps between matches are divided again."""


def align(before: Sequence[Hashable], after: Sequence[Hashable], *, cells: int = MAX_CELLS) -> list[Match]:
    """Return the matched items in order, as pairs of ascending indices.

    The cost is at most `MAX_DEPTH` sorts and `cells` steps.
    """
    found: list[Match] = []
    stack = [(0, len(before), 0, len(after), 0)]
    while stack:
        a, a_end, b, b_end, depth = stack.pop()
        while a < a_end and b < b_end and before[a] == after[b]:
            found.append((a, b))
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and before[a_end - 1] == after[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
            found.append((a_end, b_end))
        n_cells = (a_end - a) * (b_end - b)
        if not n_cells:
            continue
        anchors = _anchors(before, after, (a, a_end), (b, b_end)) if depth < MAX_DEPTH else []
        if anchors:
            found += anchors
            edges = pairwise([(a - 1, b - 1), *anchors, (a_end, b_end)])
            stack += [(i + 1, k, j + 1, m, depth + 1) for (i, j), (k, m) in edges if i + 1 < k and j + 1 < m]
        elif n_cells <= cells:
            cells -= n_cells
            same = [[float(item == other) for other in after[b:b_end]] for item in before[a:a_end]]
            found += ((a + i, b + j) for i, j in best_pairs(same))  # a longest common subsequence
    return sorted(found)


def _anchors(before: Sequence[Hashable], after: Sequence[Hashable], a: Match, b: Match) -> list[Match]:
    """Return the longest increasing sequence of matches of items that occur once in each of two ranges."""
    n_before, n_after = Counter(before[slice(*a)]), Counter(after[slice(*b)])
    places = {item: j for j, item in enumerate(after[slice(*b)], b[0]) if n_after[item] == n_before.get(item) == 1}
    ends: list[int] = []
    rows: list[tuple[int, int, int]] = []  # index before and after, and the previous entry of the sequence
    last: list[int] = []
    for i, item in enumerate(before[slice(*a)], a[0]):
        j = places.get(item)
        if j is None:
            continue
        length = bisect_left(ends, j)
        rows.append((i, j, last[length - 1] if length else -1))
        ends[length : length + 1] = [j]
        last[length : length + 1] = [len(rows) - 1]
    found: list[Match] = []
    row = last[-1] if last else -1
    while row >= 0:
        i, j, row = rows[row]
        found.append((i, j))
    return found[::-1]


def best_pairs(weights: Sequence[Sequence[float]]) -> list[Match]:
    """Return the pairs of items, in order in both sequences, with the greatest sum of weights; those of weight 0 are none."""
    n, m = len(weights), len(weights[0]) if weights else 0
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        row, below, of_item = best[i], best[i + 1], weights[i]
        for j in range(m - 1, -1, -1):
            pair = below[j + 1] + of_item[j] if of_item[j] else 0.0
            row[j] = max(pair, below[j], row[j + 1])
    found: list[Match] = []
    i = j = 0
    while i < n and j < m:
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            found.append((i, j))
            i, j = i + 1, j + 1
    return found
