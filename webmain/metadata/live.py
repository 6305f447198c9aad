"""Read the dated entries of a live blog from its JSON-LD."""

from __future__ import annotations

from typing import Any, Final

from webmain.items import LiveEntry
from webmain.metadata.dates import parse_date
from webmain.metadata.head import clean
from webmain.metadata.jsonld import texts
from webmain.metadata.reading import Found, Reading, found

MAX_ENTRIES: Final = 2_000
_KEY: Final = "liveBlogUpdate"


def read_entries(reading: Reading) -> Found | None:
    """Return the entries of a live blog, oldest first (schema.org, `LiveBlogPosting`).

    Entries without a time or without any text are left out; None if none is left.
    """
    for node in reading.nodes:
        updates = node.value.get(_KEY)
        if node.aside or updates is None:
            continue
        listed = updates if isinstance(updates, list) else [updates]
        entries = [entry for each in listed[:MAX_ENTRIES] if (entry := _entry(reading, each)) is not None]
        if entries:
            entries.sort(key=lambda entry: entry.published)
            return found(tuple(entries), f"json-ld:{_KEY}", f"{len(entries)} entries")
    return None


def _entry(reading: Reading, update: Any) -> LiveEntry | None:
    value = reading.linked.resolve(update)
    if not isinstance(value, dict):
        return None
    dates = texts(value.get("datePublished") or value.get("dateCreated") or value.get("dateModified"))[:1]
    published = parse_date(dates[0]) if dates else None
    title = next((clean(text) for text in texts(value.get("headline"))[:1]), "")
    paragraphs = [clean(line) for text in texts(value.get("articleBody"))[:1] for line in text.splitlines()]
    text = "\n\n".join(filter(None, paragraphs))
    if published is None or not (title or text):
        return None
    return LiveEntry(published=published, title=title or None, text=text)
