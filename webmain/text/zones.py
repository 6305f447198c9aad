"""Time zones as feeds and pages write them: offsets, and the names in common use."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from functools import lru_cache
from typing import Final

_HOURS_EAST: Final = {
    "UT": 0, "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MEZ": 1, "MET": 1, "CEST": 2,
    "MESZ": 2, "MEST": 2, "EET": 2, "SAST": 2, "CAT": 2, "EEST": 3, "MSK": 3, "EAT": 3, "TRT": 3, "GST": 4, "PKT": 5,
    "IST": 5.5, "NPT": 5.75, "BDT": 6, "MMT": 6.5, "ICT": 7, "WIB": 7, "WITA": 8, "HKT": 8, "SGT": 8, "MYT": 8,
    "PHT": 8, "AWST": 8, "JST": 9, "KST": 9, "WIT": 9, "ACST": 9.5, "ACDT": 10.5, "AEST": 10, "AEDT": 11, "NZST": 12,
    "NZDT": 13, "NST": -3.5, "NDT": -2.5, "BRT": -3, "ART": -3, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4,
    "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10, "ET": -5, "PT": -8,
}  # fmt: skip
"""Hours east of UTC; ambiguous names (CST, IST, BST) are read as in RFC 822 or as in the larger press."""


@lru_cache(maxsize=1_024)
def read_zone(raw: str | None) -> timezone:
    """Return the zone of an offset ("+07:00", "-0530", "+7") or a common name ("ICT"); UTC for what is unknown."""
    if not raw:
        return UTC
    if raw[0] in "+-−":
        digits = raw[1:].replace(":", "")
        hours, minutes = (int(digits), 0) if len(digits) < 3 else (int(digits[:-2]), int(digits[-2:]))
        if hours > 15 or minutes > 59:
            return UTC
        offset = timedelta(hours=hours, minutes=minutes)
        return timezone(offset if raw[0] == "+" else -offset)
    hours_east = _HOURS_EAST.get(raw.upper(), 0)
    return timezone(timedelta(hours=hours_east)) if hours_east else UTC
