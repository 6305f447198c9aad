"""ROUGE-LSum: the longest common subsequences of lines, united.

References: C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries" (2004), section 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from webmain.text.agreement import Agreement, subsequence


def summary_level(predicted: Sequence[Sequence[str]], gold: Sequence[Sequence[str]]) -> Agreement:
    """Compare two texts line by line."""
    flat_predicted = [token for line in predicted for token in line]
    flat_gold = [token for line in gold for token in line]
    return subsequence(flat_predicted, flat_gold)
