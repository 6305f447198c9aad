"""Whether every row of a ledger can be read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from webmain.discovery.ledger import State
from webmain.discovery.stored_hints import read_hints

_TIMES: Final = ("newest", "added_at", "changed_at", "retry_after")

URLS: Final = "SELECT rowid, url, site, state, attempts, hints, newest, added_at, changed_at, retry_after FROM urls"
ALIASES: Final = "SELECT url, url, canonical FROM aliases"


def wrong_url(row: Sequence[Any]) -> str:
    """Return what is wrong with a row of `URLS`; "" where nothing is."""
    url, site, state, attempts, hints, *times = row
    if not isinstance(url, str) or not isinstance(site, str) or "\ufffd" in url:
        return f"no address: {url!r}"
    if state not in [each.value for each in State] or not isinstance(attempts, int) or attempts < 0:
        return f"{url}: no state ({state!r}) or no count of attempts ({attempts!r})"
    for name, time in zip(_TIMES, times, strict=True):
        if not isinstance(time, (int, float)) or math.isnan(time):
            return f"{url}: no time in {name}: {time!r}"
    try:
        read_hints(hints)
    except ValueError as error:
        return f"{url}: {error}"
    return ""


def wrong_alias(row: Sequence[Any]) -> str:
    """Return what is wrong with a row of `ALIASES`; "" where nothing is."""
    return "" if all(isinstance(value, str) and "\ufffd" not in value for value in row) else f"no address: {row!r}"
