"""The papers' own experiments, each a module with `run(gold, *, seed) -> Findings`; the table names them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_NAMES = (
    "line_block_sizes line_block_sites thai_lengths lbda_steps svm_visual svm_sites learning_curve "
    "pab_blocks pab_search pab_classes"
)

PROTOCOLS: Mapping[str, str] = MappingProxyType({name: f"{__name__}.{name}" for name in _NAMES.split()})
"""Names of the protocols and their modules (a module's docstring says what it measures and after which paper)."""
