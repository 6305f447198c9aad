"""What feeds and sitemaps said of a page, as the ledger keeps it."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, Final

from webmain.items import Hints

MAX_HINTS_CHARS: Final = 1 << 20
_LISTS: Final = frozenset(("authors", "tags"))
_NAMES: Final = tuple(f.name for f in fields(Hints))


def written_hints(hints: Hints) -> str:
    """Return hints as JSON; without the article's text where that would be too long."""
    present = {name: value for name in _NAMES if (value := getattr(hints, name))}
    written = json.dumps(present, ensure_ascii=False)
    if len(written) > MAX_HINTS_CHARS:
        present.pop("content_html", None)
        written = json.dumps(present, ensure_ascii=False)
    return written


def read_hints(raw: Any) -> Hints | None:
    """Read stored hints; None where there are none.

    Raises
    ------
    ValueError
        They are not as they were written.
    """
    if raw is None:
        return None
    try:
        values = json.loads(raw)
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"the hints are no JSON: {error}") from error
    if not isinstance(values, dict):
        raise ValueError("the hints are no object")
    kept: dict[str, Any] = {"source": "feed"} | {name: values[name] for name in _NAMES if name in values}
    for name, value in kept.items():
        texts = value if name in _LISTS else [value]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"the hints' {name} is of a wrong type")
        kept[name] = tuple(texts) if name in _LISTS else value
    return Hints(**kept)
