"""The papers' own experiments, each a module with `run(gold, *, seed) -> Findings`; the table names them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PROTOCOLS: Mapping[str, str] = MappingProxyType({})
"""Names and the modules that hold them (a module's docstring says what it measures and after which paper)."""
