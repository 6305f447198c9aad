"""The papers' own experiments, each a module with `run(gold, *, seed) -> Findings`; the table names them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PROTOCOLS: Mapping[str, str] = MappingProxyType(
    {
        "line_block_sizes": "webmain.evaluation.protocols.line_block_sizes",
        "line_block_sites": "webmain.evaluation.protocols.line_block_sites",
        "thai_lengths": "webmain.evaluation.protocols.thai_lengths",
        "lbda_steps": "webmain.evaluation.protocols.lbda_steps",
        "svm_visual": "webmain.evaluation.protocols.svm_visual",
        "svm_sites": "webmain.evaluation.protocols.svm_sites",
        "learning_curve": "webmain.evaluation.protocols.learning_curve",
        "pab_blocks": "webmain.evaluation.protocols.pab_blocks",
        "pab_search": "webmain.evaluation.protocols.pab_search",
        "pab_classes": "webmain.evaluation.protocols.pab_classes",
    }
)
"""Names of the protocols and their modules (a module's docstring says what it measures and after which paper)."""
