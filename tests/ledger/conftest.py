"""A ledger whose clock the test sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from webmain.ledger.ledger import Ledger

NOW = 1_800_000_000.0


@pytest.fixture
def clock() -> list[float]:
    """The time, as its only item."""
    return [NOW]


@pytest.fixture
def ledger(tmp_path: Path, clock: list[float]) -> Iterator[Ledger]:
    with Ledger(tmp_path / "x.ledger", clock=lambda: clock[0]) as opened:
        yield opened
