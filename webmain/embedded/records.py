"""Read title, authors and date from the record of a page's data that contains its text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from webmain.items import Source
from webmain.metadata.dates import parse_date
from webmain.metadata.head import letters
from webmain.metadata.names import names_in, unique
from webmain.metadata.values import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webmain.embedded.articles import Embedded
    from webmain.items import Metadata

_TITLES: Final = ("headline", "headlines", "title")
_PUBLISHED: Final = (
    "datepublished publishedat publisheddate publishdate publicationdate displaydate firstpublishdate firstpublishedat "
    "firstpublisheddate publishedon publishedtime publishtime publicationtime datepublication pubdate published publishat "
    "date datetime createdat datecreated"
).split()
"""Keys of a publication date, in order of trust, without case and underscores."""
_AUTHORS: Final = (
    "author authors byline bylines writer writers authorname authornames credits contributors creator embedded".split()
)
_HEADS: Final = "frontmatter meta metadata head header hero seo".split()
_NAMES: Final = ("name", "displayname", "fullname", "first and last name", "title", "text")
_HOLDERS: Final = "by authors author items nodes edges node data attributes profile person user".split()
_WEAK: Final = ("text", "script", "url")
"""Sources of a date that a record outranks."""
_HEADLINE_WORDS: Final = 3  # a title element with fewer words may be the site's name
MAX_ITEMS: Final = 20
MAX_DEPTH: Final = 6


def with_record(metadata: Metadata, embedded: Embedded | None) -> Metadata:
    """Return metadata with missing fields filled from the objects around the embedded text.

    The title is replaced only if it is no more than the `title` element, which may be the same on all pages of the site.
    """
    if embedded is None:
        return metadata
    values: dict[str, Any] = {}
    sources = dict(metadata.sources)
    records = [folded for record in embedded.records for folded in _folded(record)]
    of_title = metadata.sources.get("title")
    if of_title is None or (
        of_title.name == "title" and (embedded.is_own or len(embedded.title.split()) < _HEADLINE_WORDS)
    ):
        title = next((clean(t)[:300] for v in _under(_TITLES, records) for t in _title(v)), "")
        if title and letters(title) not in letters(metadata.title or ""):
            values["title"], sources["title"] = title, Source(name=embedded.source, raw=title)
    of_date = metadata.sources.get("published")
    if of_date is None or of_date.name in _WEAK:
        for raw in (text for value in _under(_PUBLISHED, records) for text in _moments(value)):
            if published := parse_date(raw):
                values["published"], sources["published"] = published, Source(name=embedded.source, raw=raw[:300])
                break
    if not metadata.authors:
        for value in _under(_AUTHORS, records):
            raws = [raw for raw in map(clean, _names(value, 0)) if not (any(map(str.isdigit, raw)) or "/" in raw)]
            if names := unique(n for raw in raws for n in names_in(raw, language=metadata.language_declared or "")):
                values["authors"] = tuple(names)
                sources["authors"] = Source(name=embedded.source, raw=", ".join(raws)[:300])
                break
    return replace(metadata, **values, sources=sources) if values else metadata


def _folded(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Return an object and those about its head, with keys in lower case and without underscores."""
    found = _with_plain_keys(record)
    return [found, *(_with_plain_keys(found[key]) for key in _HEADS if isinstance(found.get(key), dict))]


def _with_plain_keys(record: dict[str, Any]) -> dict[str, Any]:
    return {key.replace("_", "").lower(): value for key, value in record.items()}


def _under(keys: Iterable[str], records: list[dict[str, Any]]) -> Iterator[Any]:
    """Yield the values under keys, those of the innermost record first."""
    for record in records:
        yield from (record[key] for key in keys if record.get(key))


def _title(value: Any) -> list[str]:
    """Return a title: a string, or one in an object ("basic" in Arc, "rendered" in WordPress)."""
    if isinstance(value, dict):
        value = value.get("basic") or value.get("rendered") or value.get("text")
    return [value] if isinstance(value, str) and len(letters(value[:300])) > 5 else []


def _moments(value: Any) -> Iterator[str]:
    """Yield the strings that may be a date: the value itself, or those of an object."""
    for inner in list(value.values())[:MAX_ITEMS] if isinstance(value, dict) else [value]:
        if isinstance(inner, (str, int)) and not isinstance(inner, bool):
            yield str(inner)[:300]


def _names(value: Any, depth: int) -> Iterator[str]:
    """Yield the names of people in a string, an object, or a list of them."""
    if isinstance(value, str):
        yield value[:300]
    elif isinstance(value, list) and depth < MAX_DEPTH:
        for inner in value[:MAX_ITEMS]:
            yield from _names(inner, depth + 1)
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        known = _with_plain_keys(value)
        known["first and last name"] = [known.get("firstname"), known.get("lastname")]
        for name in map(known.get, _NAMES):
            if isinstance(name, str) and name:
                yield name[:300]
                return
            if isinstance(name, list) and name and all(isinstance(part, str) for part in name):
                yield " ".join(name)[:300]
                return
        for key in _HOLDERS:
            yield from _names(known.get(key), depth + 1)
