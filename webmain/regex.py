"""Regular expressions that are compiled when they are first used: a process needs few of the hundreds there are."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Lazy:
    """Has the attributes of a compiled pattern; each is looked up once."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, found)
        return found


def lazy(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern to call methods of; `re`'s own functions do not take it."""
    return cast("re.Pattern[AnyStr]", _Lazy(pattern, flags))
